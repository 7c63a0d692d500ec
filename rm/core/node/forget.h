/* rm/core/node/forget.h - counts references to nodes, and forgets nodes that are gone. */
#ifndef CREEL_RM_CORE_NODE_FORGET_H
#define CREEL_RM_CORE_NODE_FORGET_H

#include "rm/core/state.h"

/* Adds @n to the list of gone nodes or removes it, as its state requires. Call when n->registered,
 * awaited or refused has changed. */
void rm_node_update_gone_list(struct rm_core *c, struct rm_node *n);
/* Count an object that refers to @n (a live application or a container), or stop counting it. */
void rm_node_ref(struct rm_core *c, struct rm_node *n);
void rm_node_unref(struct rm_core *c, struct rm_node *n);
/* Removes @n, to which nothing refers, with its record. */
void rm_node_forget(struct rm_core *c, struct rm_node *n);
/* Forgets nodes that have been gone for too long, or are too many, a bounded number per call; sets
 * the timer for the next call. */
void rm_nodes_forget_gone(struct rm_core *c);

#endif

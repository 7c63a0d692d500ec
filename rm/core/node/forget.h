/* rm/core/node/forget.h - references to nodes, and when a gone node is forgotten. */
#ifndef CREEL_RM_CORE_NODE_FORGET_H
#define CREEL_RM_CORE_NODE_FORGET_H

#include "rm/core/state.h"

/* To be called when it may have been registered, awaited, refused, or stopped being so. */
void rm_node_update_gone_list(struct rm_core *c, struct rm_node *n);
void rm_node_ref(struct rm_core *c, struct rm_node *n); /* something refers to it now */
void rm_node_unref(struct rm_core *c, struct rm_node *n);
void rm_nodes_forget_gone(struct rm_core *c); /* the timer fired */

#endif

/* rm/core/app/app_nodes.h - the nodes on which an application has had containers. */
#ifndef CREEL_RM_CORE_APP_APP_NODES_H
#define CREEL_RM_CORE_APP_APP_NODES_H

#include "rm/core/state.h"

/* Adds @n to the nodes on which @a has had containers, and references it. Does nothing if @n is
 * among them already. */
void rm_app_add_used_node(struct rm_core *c, struct rm_app *a, struct rm_node *n);
/* Returns true when @a has had containers on the node with the index @node. */
bool rm_app_has_used_node(const struct rm_app *a, uint32_t node);
/* If @a has ended, has no containers and owes no abort, orders the nodes on which it has had
 * containers, if they are registered, to remove its folders, and drops the references to all of
 * them. Otherwise does nothing; call again when that changes. */
void rm_app_order_cleanup_if_done(struct rm_core *c, struct rm_app *a);

#endif

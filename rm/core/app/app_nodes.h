/* rm/core/app/app_nodes.h - the nodes on which an application has had containers. */
#ifndef CREEL_RM_CORE_APP_APP_NODES_H
#define CREEL_RM_CORE_APP_APP_NODES_H

#include "rm/core/state.h"

/* Adds @n to the nodes on which @a has had containers, and references it. Does nothing if @n is
 * among them already. */
void rm_app_add_used_node(struct rm_core *c, struct rm_app *a, struct rm_node *n);
/* Returns true when @a has had containers on the node with the index @node. */
bool rm_app_has_used_node(const struct rm_app *a, uint32_t node);
/* Returns true until @a has ended and needs nothing on the disk of @n any more: it has no
 * containers but those of an abort that it owes, and none of these on @n. */
bool rm_app_needs_folders_on_node(const struct rm_app *a, const struct rm_node *n);
/* Orders the nodes on which @a has had containers, and of which it needs nothing any more, to
 * remove its folders if they are registered, and drops the references to them; call again when that
 * changes. A node may be used again by an owed abort. */
void rm_app_order_cleanup_if_done(struct rm_core *c, struct rm_app *a);

#endif

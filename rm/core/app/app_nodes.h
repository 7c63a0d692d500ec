/* rm/core/app/app_nodes.h - the nodes that an application has had containers on. */
#ifndef CREEL_RM_CORE_APP_APP_NODES_H
#define CREEL_RM_CORE_APP_APP_NODES_H

#include "rm/core/state.h"

void rm_app_add_used_node(struct rm_core *c, struct rm_app *a, struct rm_node *n);
bool rm_app_has_used_node(const struct rm_app *a,
                          uint32_t node); /* true if it had containers there */
/* The application has ended and has no containers: orders every node that ran some to clean up,
 * and releases the nodes. */
void rm_app_order_cleanup_on_nodes(struct rm_core *c, struct rm_app *a);

#endif

/* rm/core/node/capacity.h - slots of nodes: taken, free, and what the cluster has of them. */
#ifndef CREEL_RM_CORE_NODE_CAPACITY_H
#define CREEL_RM_CORE_NODE_CAPACITY_H

#include "rm/core/state.h"

void rm_node_rotate_free_list(struct rm_core *c, struct rm_node *n, int k, int b);
/* Puts it into the list of free nodes where it belongs now. */
void rm_node_update_free_index(struct rm_core *c, struct rm_node *n);
void rm_node_change_used_slots(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                               int32_t by); /* slots taken or given back */
/* After a change of @n's state, slots or registration: updates the cluster's totals. */
void rm_node_recount_capacity(struct rm_core *c, struct rm_node *n);
void rm_node_set_state(struct rm_core *c, struct rm_node *n, enum rm_node_state s);

#endif

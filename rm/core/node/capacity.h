/* rm/core/node/capacity.h - used and free slots of nodes, and the capacity of the cluster. */
#ifndef CREEL_RM_CORE_NODE_CAPACITY_H
#define CREEL_RM_CORE_NODE_CAPACITY_H

#include "rm/core/state.h"

/* No job wanted a slot of kind @k of @n in this round of offers: moves @n to the end of its list of
 * free nodes, which has the number @b, and remembers the round. */
void rm_node_move_to_free_list_end(struct rm_core *c, struct rm_node *n, int k, int b);
/* Puts @n into the lists of free nodes to which it belongs now, or into none. While the slots of @n
 * are offered in its own heartbeat, changes the list for master slots alone. */
void rm_node_update_free_lists(struct rm_core *c, struct rm_node *n);
/* Changes the number of used slots of kind @k by @by. Negative: slots come free, and are offered if
 * a heartbeat of @n is held. Called by the ledger. */
void rm_node_change_used_slots(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                               int32_t by);
/* Updates the cluster's capacity when @n's state, slots or registration have changed, and reports
 * the capacity to the policy. */
void rm_node_recount_capacity(struct rm_core *c, struct rm_node *n);
/* Changes the state, and updates the lists of free nodes and the cluster's capacity. The transition
 * must be legal. Does nothing when @s is the present state. */
void rm_node_set_state(struct rm_core *c, struct rm_node *n, enum rm_node_state s);

#endif

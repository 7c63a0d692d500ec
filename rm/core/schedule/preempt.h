/* rm/core/schedule/preempt.h - asks the policy which attempts to preempt, and does so. */
#ifndef CREEL_RM_CORE_SCHEDULE_PREEMPT_H
#define CREEL_RM_CORE_SCHEDULE_PREEMPT_H

#include "rm/core/state.h"

/* Fills @out with what policies see of the live container @ct. */
void rm_preempt_describe_container(const struct rm_core *c, struct rm_container *ct,
                                   struct policy_running *out);
/* Calls the policy's on_timer and carries out the plan that it makes. Returns the time of the next
 * call; 0: never. */
int64_t rm_preempt_run_policy_timer(struct rm_core *c);
/* Tells the policy that the bookings of reservations change now, and preempts the attempts that it
 * names. */
void rm_preempt_at_booking_change(struct rm_core *c);
/* Returns true when the policy may name victims for slots of kind @k at present. */
bool rm_preempt_is_possible(const struct rm_core *c, enum base_task_kind k);
/* Returns false when nothing is to be preempted on @n for kind @k: it has no slot, or a free one
 * that is not held for a request for which others are missing; no work waits; or the policy does
 * not preempt. Most heartbeats end here. */
static inline bool rm_preempt_is_needed_on_node(const struct rm_core *c, const struct rm_node *n,
                                                enum base_task_kind k)
{
    return (c->runnable[k] > 0 || n->suspended[k] > 0) && n->slots[k] > 0 && c->ops->victims &&
           (n->reserved[k] ? rm_node_missing_slots(n, k) > 0 : n->used[k] >= n->slots[k]);
}
/* Asks the policy which attempts on the full node @n to suspend or kill for waiting jobs, and does
 * so; on a node that is reserved, for the application that has it. Returns true when a slot of kind
 * @k is free on @n afterwards; false, without asking, when @n was neither full nor reserved. */
bool rm_preempt_on_node(struct rm_core *c, struct rm_node *n, enum base_task_kind k);

#endif

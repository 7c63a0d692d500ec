/* rm/core/schedule/preempt.h - carries out what the policy preempts. */
#ifndef CREEL_RM_CORE_SCHEDULE_PREEMPT_H
#define CREEL_RM_CORE_SCHEDULE_PREEMPT_H

#include "rm/core/state.h"

void rm_preempt_describe_container(const struct rm_core *c, struct rm_container *ct,
                                   struct policy_running *out);
/* Runs the policy's timer. Returns the time of its next call; 0: never. */
int64_t rm_preempt_run_policy_timer(struct rm_core *c);
/* False if the policy cannot name a victim at all. */
bool rm_preempt_is_possible(const struct rm_core *c, enum base_task_kind k);
/* Asks the policy which attempts on @n to suspend or kill for waiting jobs, and does so. Returns
 * true when a slot of @k is free on @n afterwards. */
bool rm_preempt_on_node(struct rm_core *c, struct rm_node *n, enum base_task_kind k);

#endif

/* rm/core/schedule/preempt.h - whom the policy suspends or kills. */
#ifndef CREEL_RM_CORE_SCHEDULE_PREEMPT_H
#define CREEL_RM_CORE_SCHEDULE_PREEMPT_H

#include "rm/core/state.h"

void rm_preempt_describe(const struct rm_core *c, struct rm_container *ct,
                         struct policy_running *out);
int64_t rm_preempt_on_timer(struct rm_core *c); /* when next, 0: never */
/* Could it name anybody at all? */
bool rm_preempt_is_possible(const struct rm_core *c, enum base_task_kind k);
/* Jobs that wait could use slots that others hold on @n: asks the policy whom to suspend or kill.
 * True: a slot of @k is free now. */
bool rm_preempt_node(struct rm_core *c, struct rm_node *n, enum base_task_kind k);

#endif

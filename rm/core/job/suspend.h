/* rm/core/job/suspend.h - suspends and resumes attempts. */
#ifndef CREEL_RM_CORE_JOB_SUSPEND_H
#define CREEL_RM_CORE_JOB_SUSPEND_H

#include "rm/core/state.h"

void rm_container_queue_order(struct rm_core *c, struct rm_container *ct,
                              enum base_order_kind kind);
void rm_container_mark_suspended(struct rm_core *c, struct rm_container *ct);
/* Stops the process tree, and frees the slot until it is resumed on the same node. For running
 * or suspended attempts of tasks. */
void rm_container_suspend(struct rm_core *c, struct rm_container *ct);
void rm_container_resume(struct rm_core *c, struct rm_container *ct);
struct rm_container *rm_container_find_suspended(const struct rm_app *a, const struct rm_node *n,
                                                 enum base_task_kind k);

#endif

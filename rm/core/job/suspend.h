/* rm/core/job/suspend.h - suspends and resumes attempts. */
#ifndef CREEL_RM_CORE_JOB_SUSPEND_H
#define CREEL_RM_CORE_JOB_SUSPEND_H

#include "rm/core/state.h"

/* Queues an order of kind @kind for @ct to its node. */
void rm_container_enqueue_order(struct rm_core *c, struct rm_container *ct,
                                enum base_order_kind kind);
/* Marks @ct as suspended, which frees its slot. Queues no order: the node has reported @ct as
 * suspended, or the caller queues the order. */
void rm_container_mark_suspended(struct rm_core *c, struct rm_container *ct);
/* Orders the node to stop the process tree of a task's running container, and frees the slot until
 * rm_container_resume(). */
void rm_container_suspend(struct rm_core *c, struct rm_container *ct);
void rm_container_resume(struct rm_core *c, struct rm_container *ct);
/* Returns the suspended container of @a on @n, not being killed, with the lowest task index of kind
 * @k; NULL: none. */
struct rm_container *rm_container_find_suspended(const struct rm_app *a, const struct rm_node *n,
                                                 enum base_task_kind k);

#endif

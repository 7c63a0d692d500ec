/* Suspends and resumes attempts of tasks: the process tree is stopped, and its slot is free until
 * it is resumed. */
#include "rm/core/job/suspend.h"

#include "rm/core/ledger.h"
#include "rm/core/state.h"

void rm_container_enqueue_order(struct rm_core *c, struct rm_container *ct,
                                enum base_order_kind kind)
{
    rm_node_enqueue_order(c, ct->node, kind)->container = ct->id;
}

static void report_suspension_to_policy(struct rm_core *c, struct rm_container *ct, bool suspended)
{
    struct rm_app *a = ct->app;

    if (c->ops->on_task_suspended && a->in_policy)
        c->ops->on_task_suspended(c->policy, &a->pj, ct->slot, ct->task->index, ct->node->index,
                                  suspended, c->now_us);
    rm_app_update_demand(c, a, ct->slot);
}

void rm_container_mark_suspended(struct rm_core *c, struct rm_container *ct)
{
    rm_container_set_state(ct, RM_CONTAINER_SUSPENDED);
    ct->suspended_at_us = c->now_us;
    rm_ledger_change_container(c, ct, RM_TALLY_SUSPENDED);
    rm_task_set_state(ct->app, ct->task, RM_TASK_SUSPENDED);
    report_suspension_to_policy(c, ct, true);
}

void rm_container_suspend(struct rm_core *c, struct rm_container *ct)
{
    c->stats.suspended++;
    rm_container_enqueue_order(c, ct, BASE_ORDER_SUSPEND);
    rm_container_mark_suspended(c, ct);
}

void rm_container_resume(struct rm_core *c, struct rm_container *ct)
{
    c->stats.resumed++;
    ct->suspended_us += c->now_us - ct->suspended_at_us;
    ct->suspended_at_us = 0;
    rm_container_set_state(ct, RM_CONTAINER_RUNNING);
    rm_ledger_change_container(c, ct, RM_TALLY_HELD);
    rm_task_set_state(ct->app, ct->task, RM_TASK_RUNNING);
    rm_container_enqueue_order(c, ct, BASE_ORDER_RESUME);
    report_suspension_to_policy(c, ct, false);
}

struct rm_container *rm_container_find_suspended(const struct rm_app *a, const struct rm_node *n,
                                                 enum base_task_kind k)
{
    struct rm_container *best = NULL;

    for (struct rm_container *ct = n->containers; ct; ct = ct->node_next)
        if (ct->app == a && ct->suspended_at_us && ct->slot == (uint8_t)k && !ct->killing &&
            (!best || ct->task->index < best->task->index))
            best = ct;
    return best;
}

/* Carries out the policy's plans for suspending or killing attempts. A plan is advice: each victim
 * is checked again, and one that must not be touched is counted as overruled. */
#include "rm/core/schedule/preempt.h"

#include "rm/core/app/kind.h"
#include "rm/core/job/suspend.h"
#include "rm/core/state.h"

/* Returns the number by which policies know what runs in @ct; -1: no task of a job. */
static int32_t task_number(const struct rm_container *ct)
{
    if (ct->task)
        return ct->task->index;
    return ct->app->kind->runs_containers && ct->app->pj.is_job ? ct->task_attempt : -1;
}

void rm_preempt_describe_container(const struct rm_core *c, struct rm_container *ct,
                                   struct policy_running *out)
{
    *out = (struct policy_running){.job = &ct->app->pj,
                                   .kind = ct->slot,
                                   .task = task_number(ct),
                                   .node = ct->node->index,
                                   .started_us = ct->start_us + ct->suspended_us,
                                   .progress = (double)ct->progress / RM_PROGRESS_ONE,
                                   .suspended = ct->state == RM_CONTAINER_SUSPENDED,
                                   .slots = ct->slots,
                                   .container = ct};
    if (out->suspended)
        out->started_us += c->now_us - ct->suspended_at_us;
}

static void carry_out_preemption_plan(struct rm_core *c)
{
    for (size_t i = 0; i < c->plan.len; i++) {
        struct rm_container *ct = c->plan.v[i].container;

        if (ct->killing || ct->master || ct->step || ct->state == RM_CONTAINER_COMPLETED) {
            c->stats.overruled++;
        } else if (c->plan.v[i].how == POLICY_VICTIM_KILL) {
            c->stats.preempted++;
            rm_health_note_operation(c, RM_OPERATION_PREEMPTION, ct);
            rm_totals_count_preempted(c, ct);
            rm_container_kill_or_end(c, ct, RM_EXIT_PREEMPTED, "preempted by the scheduler");
        } else if (ct->task && ct->state == RM_CONTAINER_RUNNING &&
                   ct->node->state == RM_NODE_RUNNING &&
                   ct->node->slots[ct->slot] > 0) { /* without slots it could not resume there */
            rm_container_suspend(c, ct);
        } else {
            c->stats.overruled++;
        }
    }
    c->plan.len = 0;
}

int64_t rm_preempt_run_policy_timer(struct rm_core *c)
{
    int64_t next = c->ops->on_timer ? c->ops->on_timer(c->policy, c->now_us, &c->plan) : 0;

    carry_out_preemption_plan(c);
    return next;
}

void rm_preempt_at_booking_change(struct rm_core *c)
{
    if (c->ops->on_booking_step)
        c->ops->on_booking_step(c->policy, c->now_us, &c->plan);
    carry_out_preemption_plan(c);
}

/* Writes the running attempts of kind @k on @n that may be preempted to @v, newest start first, at
 * most @max. Returns their number. Insertion sort suffices, since a node has few slots. */
static size_t list_preemptible_attempts(const struct rm_core *c, const struct rm_node *n,
                                        enum base_task_kind k, struct policy_running *v, size_t max)
{
    size_t len = 0;

    for (struct rm_container *ct = n->containers; ct && len < max; ct = ct->node_next) {
        struct policy_running r;
        size_t at;

        if (ct->slot != (uint8_t)k || ct->master || ct->step || ct->killing ||
            ct->state != RM_CONTAINER_RUNNING ||
            !ct->app->in_policy) /* its application has ended and is being cleaned up */
            continue;
        rm_preempt_describe_container(c, ct, &r);
        for (at = len; at > 0 && v[at - 1].started_us < r.started_us; at--)
            v[at] = v[at - 1];
        v[at] = r;
        len++;
    }
    return len;
}

bool rm_preempt_is_possible(const struct rm_core *c, enum base_task_kind k)
{
    return c->ops->victims && (!c->ops->may_preempt || c->ops->may_preempt(c->policy, k));
}

static void reserve_node_to_be_cleared(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    /* the job is its first member */
    struct rm_app *a = (struct rm_app *)(void *)(uintptr_t)c->plan.wide;
    bool resumes = a->is_job && n->suspended[k] && rm_container_find_suspended(a, n, k);

    rm_node_reserve_cleared(c, a, k, n, policy_job_width(&a->pj, k), resumes);
}

bool rm_preempt_on_node(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    struct policy_offer offer;
    struct policy_running *here;
    size_t len, max = (size_t)n->slots[k];

    if (!rm_preempt_is_needed_on_node(c, n, k) ||
        (!n->reserved[k] && !rm_preempt_is_possible(c, k)) ||
        (n->exclusive && !c->labels.v[n->label - 1].wanted[k]))
        return false;
    offer = (struct policy_offer){.kind = k,
                                  .now_us = c->now_us,
                                  .node = n->index,
                                  .node_slots = n->slots[k],
                                  .node_used = n->used[k],
                                  .node_suspended = n->suspended[k],
                                  .reserved_for = n->reserved[k] ? &n->reserved[k]->pj : NULL,
                                  .capacity = &c->capacity};
    here = rm_step_arena_alloc(&c->scratch, max * sizeof *here);
    len = list_preemptible_attempts(c, n, k, here, max);
    if (!len)
        return false;
    c->plan.wide = NULL;
    c->ops->victims(c->policy, &offer, here, len, &c->plan);
    if (c->plan.wide && c->plan.len && !n->reserved[k])
        reserve_node_to_be_cleared(c, n, k);
    carry_out_preemption_plan(c);
    return n->used[k] < n->slots[k];
}

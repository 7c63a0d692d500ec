/* After a restart, nodes report attempts that an earlier instance started. Such an attempt goes on
 * if its task is idle; if this instance has already started another attempt, one of the two is
 * killed. */
#include "rm/core/job/attach.h"

#include "rm/core/job/task_attempt.h"
#include "rm/core/state.h"

/* Attaches a container of a job that is ending, so that the end waits for this container too. */
static struct rm_container *attach_container_of_ending_job(struct rm_core *c, struct rm_node *n,
                                                           struct rm_app *a,
                                                           const struct rm_container_report *r)
{
    const struct rm_res resource =
        rm_resource_of_slots(c, r->slot, r->step ? 1 : policy_job_width(&a->pj, r->slot));
    struct rm_container *ct = rm_container_new(c, a, n, &r->id, r->slot, &resource, false);

    ct->state = RM_CONTAINER_ACQUIRED;
    ct->task_attempt = r->task_attempt;
    if (r->state != RM_CONTAINER_COMPLETED)
        rm_container_order_kill(c, ct, RM_EXIT_KILLED_BY_RM, "job was killed");
    return ct;
}

/* Returns true when the running attempt should be killed in favour of the reported, earlier one. An
 * attempt that may commit stays, and so does any attempt if the earlier one has ended without
 * success. An attempt that its node has reported stays too, unless it is being killed or the
 * earlier one has succeeded. */
static bool running_attempt_should_yield(const struct rm_task *t,
                                         const struct rm_container_report *r)
{
    if (t->commit_attempt >= 0 && t->commit_attempt != r->task_attempt)
        return false;
    if (r->state == RM_CONTAINER_COMPLETED)
        return r->exit_code == 0;
    return t->running->waiting || t->running->killing;
}

static void kill_running_attempt(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    struct rm_container *ct = t->running;

    rm_container_set_progress(c, ct, 0);
    rm_task_drop_running_attempt(c, a, t);
    ct->task = NULL;
    rm_container_order_kill(c, ct, RM_EXIT_KILLED_BY_RM,
                            "an attempt of its task that was started earlier goes on");
}

struct rm_container *rm_job_attach_container(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                             const struct rm_container_report *r)
{
    struct rm_task *t = r->has_task ? rm_task_find(a, r->task.kind, r->task.index) : NULL;
    struct rm_container *ct = r->step ? rm_step_attach(c, n, a, r) : NULL;
    struct rm_res resource;

    if (ct)
        return ct;
    if (n->is_hadoop) /* where no job has containers */
        return NULL;
    if (a->state == RM_APP_KILLING || (a->state == RM_APP_RUNNING && a->ending == RM_END_FAIL))
        return attach_container_of_ending_job(c, n, a, r);
    if (!t || !rm_app_is_live(a) || r->task_attempt < t->next_attempt ||
        r->task_attempt > RM_TASK_ATTEMPT_MAX)
        return NULL;
    if (t->running && running_attempt_should_yield(t, r))
        kill_running_attempt(c, a, t);
    /* Not idle, or another attempt may be committing on a silent node. That one may be older than
     * the reported one and yet have the right: without a lease, a deposed leader may start attempts
     * after its successor has let an earlier one commit. */
    if (t->state != RM_TASK_PENDING ||
        (rm_task_is_withheld(t) && r->task_attempt != t->commit_attempt))
        return NULL;
    resource = rm_resource_of_slots(c, t->kind, policy_job_width(&a->pj, t->kind));
    ct = rm_container_new(c, a, n, &r->id, t->kind, &resource, false);
    ct->task_attempt = r->task_attempt;
    ct->state = RM_CONTAINER_ACQUIRED;
    rm_container_set_start_if_plausible(c, ct, r);
    rm_task_set_running_attempt(c, a, t, ct, true);
    rm_app_update_demand(c, a, t->kind);
    return ct;
}

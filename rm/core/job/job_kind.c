/* Jobs as a kind of application: what differs from plain applications. */
#include "rm/core/job/job_kind.h"

#include "rm/core/app/finished.h"
#include "rm/core/job/attach.h"
#include "rm/core/job/job.h"
#include "rm/core/job/learn.h"
#include "rm/core/job/task_attempt.h"
#include "rm/core/job/task_offer.h"
#include "rm/core/state.h"

static struct policy_phase count_demand(const struct rm_app *a, enum base_task_kind k)
{
    const struct rm_phase *p = &a->phase[k];
    int32_t width = policy_job_width(&a->pj, k);
    int32_t pending = p->open && !a->held && rm_app_is_live(a) ? p->pending - p->kept : 0;

    return (struct policy_phase){.total = p->total * width,
                                 .pending = pending * width,
                                 .pending_tasks = pending,
                                 .running = p->running * width,
                                 /* an ending job resumes nothing */
                                 .suspended = rm_app_is_live(a) ? p->suspended * width : 0,
                                 .done = p->succeeded * width};
}

/* Records the end of an attempt in its task, and fails the job if the task has failed for good. A
 * failed disk is the node's fault and does not count against the task, unless the task has failed
 * on that node before. */
static void record_attempt_end_in_task(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                                       const struct rm_container_report *r)
{
    struct rm_task *t = ct->task;
    bool killed, counts;

    if (!t || t->running != ct)
        return;
    if (r && ct->exit_code == 0 && rm_app_is_live(a)) {
        rm_task_record_success(c, a, t, ct, r);
        return;
    }
    killed = ct->killing || !r || ct->exit_code == RM_EXIT_ABORTED ||
             ct->exit_code == RM_EXIT_PREEMPTED || ct->exit_code == RM_EXIT_KILLED_BY_RM;
    counts = !killed &&
             (ct->exit_code != RM_EXIT_DISKS_FAILED || rm_task_avoids_node(t, ct->node->index));
    if (rm_task_record_failure(c, a, t, ct, counts, killed, ct->diagnostics))
        rm_job_fail_for_task(c, a, t);
}

/* A container whose end was reported is freed once the task's record is durable; only then may the
 * node forget the container. */
static void finish_ended_container(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                                   const struct rm_container_report *r)
{
    if (ct->step)
        rm_job_note_step_end(c, a, ct, r);
    else
        record_attempt_end_in_task(c, a, ct, r);
    ct->task = NULL;
    if (r)
        rm_defer_until_stored(c, c->seq, RM_ACK_FORGET, ct, 0);
    else
        rm_container_free(c, ct);
    rm_job_commit_or_end_if_ready(c, a);
}

/* Continues a job read from the store. Statistics of its succeeded tasks are recomputed before the
 * policy sees the job. */
static void continue_recovered_job(struct rm_core *c, struct rm_app *a)
{
    if (a->state == RM_APP_FINAL_SAVING) {
        rm_defer_until_stored(c, c->seq, RM_ACK_APP_FINAL, a, 0);
        return;
    }
    rm_learn_from_recovered_tasks(c, a);
    rm_job_fail_if_task_failed(c, a);
    rm_job_continue_recovered_step(c, a);
    rm_job_set_up_or_open_tasks(c, a);
    rm_job_commit_or_end_if_ready(c, a);
}

const struct rm_app_kind rm_job_kind = {
    .accepted = rm_job_accept,
    .demand = count_demand,
    .takes = rm_job_would_take_slot,
    .offer = rm_job_offer_slot,
    .wide_request = rm_job_wide_request,
    .attach = rm_job_attach_container,
    .container_ended = finish_ended_container,
    .end = rm_job_end,
    .final_stored = rm_job_retire,
    .forgotten = rm_job_forget_owed_abort,
    .recovered_ended = rm_job_retire,
    .recovered = continue_recovered_job,
};

/* The life of a job: its output folder is made, maps and reduces run, and the output is committed;
 * or the job fails or is killed, and its unfinished output is removed. File operations are left to
 * steps on nodes (rm/core/job/step/step.h) or, without steps_on_nodes, are effects that the shell
 * answers with events. So the job advances in rm_job_commit_or_end_if_ready(), which is called
 * after each change and does nothing until containers, folder and records allow the next stage. */
#include "rm/core/job/job.h"

#include <string.h>

#include "rm/core/admission.h"
#include "rm/core/app/kill.h"
#include "rm/core/emit.h"
#include "rm/core/job/pick.h"
#include "rm/core/state.h"

/* Marks the pending tasks of an ending job without containers as killed: they will never run. */
static void mark_pending_tasks_killed(struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < a->phase[k].total; i++)
            if (a->phase[k].tasks[i].state == RM_TASK_PENDING) {
                rm_pick_unmark_pending(a, &a->phase[k].tasks[i]);
                rm_task_set_state(a, &a->phase[k].tasks[i], RM_TASK_KILLED);
            }
}

static void refuse_admission(struct rm_core *c, struct rm_app *a)
{
    if (c->conf.steps_on_nodes && a->job->output) { /* its folder was made, and must be removed */
        rm_job_end(c, a, RM_END_FAIL, rm_scratch_printf(c, "%s", a->diagnostics));
        return;
    }
    a->ending = RM_END_FAIL;
    mark_pending_tasks_killed(a);
    rm_app_begin_final_save(c, a, RM_APP_FAILED, RM_FINAL_FAILED, NULL);
}

void rm_job_decide_admission(struct rm_core *c, struct rm_app *a)
{
    if (!rm_app_is_live(a) || (a->held && a->undecided && a->pj.deadline_us > 0))
        return; /* a held job is asked again */
    a->undecided = false;
    if (!rm_app_admit(c, a)) {
        refuse_admission(c, a);
        return;
    }
    if (a->pj.deadline_us > 0) /* durable, since the policy is not asked again after a restart */
        rm_app_store_record(c, a);
    rm_job_set_up_or_open_tasks(c, a);
    rm_job_commit_or_end_if_ready(c, a);
}

void rm_job_accept(struct rm_core *c, struct rm_app *a)
{
    rm_app_set_state(c, a, RM_APP_ACCEPTED);
    if (!rm_app_needs_setup(a, &c->conf)) {
        rm_job_decide_admission(c, a);
        return;
    }
    a->step.launched = c->recovering; /* by an earlier instance, perhaps */
    rm_step_begin(c, a, BASE_STEP_SETUP);
}

void rm_job_set_up_or_open_tasks(struct rm_core *c, struct rm_app *a)
{
    struct rm_phase *maps = &a->phase[BASE_TASK_MAP], *reduces = &a->phase[BASE_TASK_REDUCE];

    if (!rm_app_is_live(a) || a->undecided)
        return;
    if (rm_app_needs_setup(a, &c->conf)) {
        rm_step_begin(c, a, BASE_STEP_SETUP);
        return;
    }
    rm_app_enter_policy(c, a);
    if (a->job->output && !a->set_up) {
        struct rm_effect *fx = rm_effect_add(c, RM_FX_JOB_SETUP);

        a->setup_asked = true;
        fx->u.job.id = a->id;
        fx->u.job.spec = a->job;
        return;
    }
    a->set_up = true;
    maps->open = true;
    reduces->open = reduces->open || (double)maps->succeeded >= c->slowstart * (double)maps->total;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
}

void rm_job_on_set_up(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.job_done.id);

    if (!a || !a->setup_asked || a->set_up)
        return;
    a->setup_asked = false;
    if (!rm_app_is_live(a)) {
        a->set_up = ev->u.job_done.ok; /* a folder that was made has to be removed */
        rm_job_commit_or_end_if_ready(c, a);
        return;
    }
    if (!ev->u.job_done.ok) {
        rm_job_end(c, a, RM_END_FAIL,
                   ev->u.job_done.diagnostics ? ev->u.job_done.diagnostics
                                              : "the output folder could not be made");
        return;
    }
    a->set_up = true;
    rm_app_store_record(c, a);
    rm_job_set_up_or_open_tasks(c, a);
    rm_job_commit_or_end_if_ready(c, a);
}

static bool all_tasks_succeeded(const struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (a->phase[k].succeeded < a->phase[k].total)
            return false;
    return true;
}

/* Requests the removal of the unfinished output. Returns false when there is nothing to remove, and
 * in a simulation. The job ends only after the removal: a client that sees the end may submit the
 * job again, and a leader that takes over in between finds the job alive and removes that output
 * itself. */
static bool request_output_abort(struct rm_core *c, struct rm_app *a)
{
    struct rm_effect *fx;

    if (c->conf.steps_on_nodes)
        return rm_job_request_abort_step(c, a);
    if (!a->job->output || !a->set_up || a->aborted || c->conf.simulation)
        return false;
    a->aborting = true;
    fx = rm_effect_add(c, RM_FX_JOB_ABORT);
    /* Until the decision to end the job is durable, another instance may have to go on with it, and
     * needs the folder. */
    if (a->saved_seq > c->stored)
        fx->after_seq = a->saved_seq;
    fx->u.job.id = a->id;
    fx->u.job.spec = a->job;
    return true;
}

void rm_job_commit_or_end_if_ready(struct rm_core *c, struct rm_app *a)
{
    if (a->state != RM_APP_ACCEPTED && a->state != RM_APP_RUNNING && a->state != RM_APP_KILLING)
        return;
    if (a->ending == RM_END_FAIL || a->ending == RM_END_KILL) {
        /* the container of an abort that is owed may be left, which the end does not wait for */
        if ((a->containers && !a->aborted) || a->committing || a->setup_asked || a->held ||
            a->aborting)
            return; /* called again when these are done and the job is no longer held */
        if (request_output_abort(c, a))
            return;
        mark_pending_tasks_killed(a);
        if (a->ending == RM_END_KILL)
            rm_app_begin_final_save(c, a, RM_APP_KILLED, RM_FINAL_KILLED, NULL);
        else
            rm_app_begin_final_save(
                c, a, rm_app_admission_was_refused(a) ? RM_APP_FAILED : RM_APP_FINISHED,
                RM_FINAL_FAILED, NULL);
        return;
    }
    if (!a->set_up || a->committing || !all_tasks_succeeded(a))
        return;
    if (!a->job->output) {
        rm_app_begin_final_save(c, a, RM_APP_FINISHED, RM_FINAL_SUCCEEDED, NULL);
        return;
    }
    a->committing = true; /* commit only when the end of every task is durable */
    rm_defer_until_stored(c, c->seq, RM_ACK_JOB_COMMIT, a, 0);
}

enum base_task_kind rm_job_kind_of_output_tasks(const struct rm_app *a)
{
    return a->phase[BASE_TASK_REDUCE].total ? BASE_TASK_REDUCE : BASE_TASK_MAP;
}

/* Every attempt that was allowed to commit leaves its part under a name of its own. An attempt may
 * have been replaced because its node was lost, and may still be writing. So the commit names
 * the parts that count: those of the attempts that succeeded. */
void rm_job_request_commit(struct rm_core *c, struct rm_app *a)
{
    struct rm_effect *fx;
    enum base_task_kind k = rm_job_kind_of_output_tasks(a);
    const struct rm_phase *p = &a->phase[k];
    int32_t *attempts;

    if (!a->committing)
        return; /* killed in the meantime */
    if (c->conf.steps_on_nodes) {
        if (a->step.kind != BASE_STEP_COMMIT) /* unless an attempt was re-attached */
            rm_step_begin(c, a, BASE_STEP_COMMIT);
        return;
    }
    fx = rm_effect_add(c, RM_FX_JOB_COMMIT);
    attempts = rm_step_arena_alloc(&c->scratch, (size_t)p->total * sizeof *attempts);
    for (int32_t i = 0; i < p->total; i++)
        attempts[i] = p->tasks[i].last_attempt;
    fx->u.job.id = a->id;
    fx->u.job.spec = a->job;
    fx->u.job.kind = k;
    fx->u.job.attempts = attempts;
    fx->u.job.attempts_n = (size_t)p->total;
}

void rm_job_finish_commit(struct rm_core *c, struct rm_app *a, bool ok, const char *diagnostics)
{
    /* An attempt of unknown outcome may have completed the output: the abort will tell. */
    a->commit_unknown = a->commit_begun && !ok && a->step.unknown;
    a->committing = a->commit_begun = false;
    if (ok) { /* a kill that came in the meantime is too late, as in YARN */
        a->ending = RM_END_SUCCEED;
        rm_set_bounded_text(&a->diagnostics, NULL);
        rm_app_begin_final_save(c, a, RM_APP_FINISHED, RM_FINAL_SUCCEEDED, NULL);
        return;
    }
    if (a->ending == RM_END_NONE) {
        rm_job_end(c, a, RM_END_FAIL,
                   diagnostics ? diagnostics : "the output could not be committed");
        return;
    }
    rm_app_store_record(c, a); /* the end was not recorded yet */
    rm_job_commit_or_end_if_ready(c, a);
}

void rm_job_on_committed(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.job_done.id);

    if (a && a->committing)
        rm_job_finish_commit(c, a, ev->u.job_done.ok, ev->u.job_done.diagnostics);
}

void rm_job_finish_abort(struct rm_core *c, struct rm_app *a)
{
    a->aborting = false;
    a->aborted = true;
    rm_job_commit_or_end_if_ready(c, a);
}

void rm_job_on_aborted(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.job_done.id);

    if (a && a->aborting)
        rm_job_finish_abort(c, a);
}

/* Returns true for the containers of those steps that decide the end of an ending job. */
static bool container_decides_end_of_job(const struct rm_container *ct)
{
    return ct->step == BASE_STEP_ABORT || (ct->step == BASE_STEP_COMMIT && ct->app->committing);
}

/* Prevents a setup, and a commit of which no attempt was allowed to move parts. */
static void cancel_setup_or_unbegun_commit(struct rm_core *c, struct rm_app *a)
{
    if (a->step.kind == BASE_STEP_SETUP)
        rm_step_end(c, a);
    if (!c->conf.steps_on_nodes || !a->committing || a->commit_begun)
        return;
    a->committing = false;
    rm_step_end(c, a);
}

void rm_job_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics)
{
    if (a->ending != RM_END_NONE && how != RM_END_KILL)
        return;
    a->ending = how;
    rm_set_bounded_text(&a->diagnostics, diagnostics);
    if (a->state == RM_APP_NEW_SAVING || a->state == RM_APP_SUBMITTED) {
        mark_pending_tasks_killed(a);
        rm_app_begin_final_save(c, a, RM_APP_KILLED, RM_FINAL_KILLED, NULL);
        return;
    }
    if (how == RM_END_KILL && a->state != RM_APP_KILLING)
        rm_app_set_state(c, a, RM_APP_KILLING);
    cancel_setup_or_unbegun_commit(c, a);
    /* While committing, the output may already be complete. The record then says that the commit
     * has begun, and a leader that takes over commits. Where the shell commits, no end is recorded.
     */
    if (a->committing && !c->conf.steps_on_nodes)
        a->saved_seq = c->seq;
    else
        rm_app_store_record(c, a);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
    rm_app_kill_containers(c, a, RM_EXIT_KILLED_BY_RM,
                           how == RM_END_KILL ? "job was killed" : "job has failed",
                           container_decides_end_of_job);
    rm_job_commit_or_end_if_ready(c, a);
}

double rm_job_progress(const struct rm_app *a, enum base_task_kind k)
{
    const struct rm_phase *p = &a->phase[k];

    if (!p->total)
        return rm_app_state_is_final(a->state) && a->final_status == RM_FINAL_SUCCEEDED ? 1 : 0;
    return rm_progress_capped_until_ended(
        ((double)p->succeeded + (double)p->progress / RM_PROGRESS_ONE) / p->total,
        p->succeeded == p->total);
}

void rm_job_fail_for_task(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    struct base_task_id id = {a->id, t->kind, t->index};
    const struct rm_node *n = rm_task_latest_node(c, a, t);
    char text[BASE_ID_TEXT_MAX];
    struct base_buf why = {0};

    base_buf_addf(&why, "Task %s failed %d times; last on node %s: %s",
                  base_task_id_text(&id, text), t->failures, n ? n->id : "unknown",
                  t->diagnostics ? t->diagnostics : "no diagnostics");
    rm_job_end(c, a, RM_END_FAIL, why.data);
    base_buf_free(&why);
}

void rm_job_fail_if_task_failed(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && a->ending == RM_END_NONE; k++)
        for (int32_t i = 0; i < a->phase[k].total && a->ending == RM_END_NONE; i++)
            if (a->phase[k].tasks[i].state == RM_TASK_FAILED)
                rm_job_fail_for_task(c, a, &a->phase[k].tasks[i]);
}

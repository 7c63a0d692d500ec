/* What a job does with the outcomes of its steps on nodes, and what their containers ask and
 * report. The steps themselves: rm/core/job/step/step.h. */
#include "base/limits.h"
#include "rm/core/app/app_nodes.h"
#include "rm/core/app/finished.h"
#include "rm/core/emit.h"
#include "rm/core/job/job.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

/* ---- abort ---- */

bool rm_job_request_abort_step(struct rm_core *c, struct rm_app *a)
{
    if (!a->job->output || a->aborted || !(a->set_up || a->step.launched))
        return false;
    a->aborting = true;
    rm_timer_set(&c->timers, &a->timer, c->now_us + RM_ABORT_MAX_US);
    /* Until the decision to end the job is durable, another instance may have to go on with it, and
     * needs the folder. */
    rm_defer_until_stored(c, c->seq, RM_ACK_JOB_ABORT, a, 0);
    return true;
}

static bool abort_container_is_left(const struct rm_app *a)
{
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (ct->step == BASE_STEP_ABORT)
            return true;
    return false;
}

/* Processes that cannot be killed would take the slots of ever more nodes, round by round. */
void rm_job_begin_abort(struct rm_core *c, struct rm_app *a)
{
    if (!(a->aborting || a->abort_owed) || a->step.kind != BASE_STEP_NONE)
        return;
    if (a->abort_owed && abort_container_is_left(a))
        rm_timer_set(&c->timers, &a->timer, c->now_us + RM_ABORT_PAUSE_US);
    else
        rm_step_begin(c, a, BASE_STEP_ABORT);
}

/* Ends the job without its abort, which goes on. */
static void end_job_owing_abort(struct rm_core *c, struct rm_app *a)
{
    char id[BASE_ID_TEXT_MAX];

    rm_emit_note(c, 4,
                 "%s ends although its unfinished output was not removed in time, which will be "
                 "tried again: %s",
                 base_app_id_text(&a->id, id), a->job->output);
    rm_timer_cancel(&c->timers, &a->timer);
    a->abort_owed = true;
    rm_job_finish_abort(c, a);
}

void rm_job_on_abort_timer(struct rm_core *c, struct rm_app *a)
{
    if (a->aborting)
        end_job_owing_abort(c, a);
    else
        rm_job_begin_abort(c, a);
}

void rm_job_retire(struct rm_core *c, struct rm_app *a)
{
    rm_app_retire(c, a);
    if (!a->timer.place) /* no pause */
        rm_job_begin_abort(c, a);
}

void rm_job_forget_owed_abort(struct rm_core *c, struct rm_app *a)
{
    char id[BASE_ID_TEXT_MAX];

    if (!a->abort_owed)
        return;
    a->abort_owed = false;
    rm_step_end(c, a);
    rm_app_order_cleanup_if_done(c, a);
    rm_emit_note(c, 4,
                 "%s is forgotten although its unfinished output was not removed; user %s has to "
                 "remove it: %s",
                 base_app_id_text(&a->id, id), a->user, a->job->output);
}

/* All attempts of an abort have failed. */
static void retry_abort_later(struct rm_core *c, struct rm_app *a, const char *why)
{
    int64_t pause_us = RM_ABORT_PAUSE_US;
    char id[BASE_ID_TEXT_MAX];

    rm_emit_note(c, 4, "%s: the unfinished output could not be removed: %s",
                 base_app_id_text(&a->id, id), why);
    rm_step_end(c, a);
    if (a->aborting)
        end_job_owing_abort(c, a);
    for (int32_t i = 0; i < a->abort_rounds && pause_us < RM_ABORT_PAUSE_MAX_US; i++)
        pause_us *= 2;
    if (pause_us > RM_ABORT_PAUSE_MAX_US)
        pause_us = RM_ABORT_PAUSE_MAX_US;
    a->abort_rounds++;
    rm_timer_set(&c->timers, &a->timer, c->now_us + pause_us);
    rm_app_order_cleanup_if_done(c, a);
}

static void finish_abort(struct rm_core *c, struct rm_app *a)
{
    rm_step_end(c, a);
    if (a->aborting) {
        rm_timer_cancel(&c->timers, &a->timer);
        rm_job_finish_abort(c, a);
        return;
    }
    a->abort_owed = false;
    rm_app_store_record(c, a);
    rm_app_order_cleanup_if_done(c, a);
}

/* The abort has found the output complete and has left it. It may have been completed by an attempt
 * to commit whose outcome was not known; then the job has succeeded, unless its end is known by
 * now.
 */
static void finish_abort_of_committed_output(struct rm_core *c, struct rm_app *a)
{
    if (!a->aborting || !a->commit_unknown) {
        finish_abort(c, a);
        return;
    }
    rm_step_end(c, a);
    rm_timer_cancel(&c->timers, &a->timer);
    a->aborting = false;
    rm_job_finish_commit(c, a, true, NULL);
}

/* ---- ends of containers ---- */

static void act_on_abort_outcome(struct rm_core *c, struct rm_app *a, enum rm_step_outcome outcome,
                                 const char *why)
{
    if (outcome == RM_STEP_DONE)
        finish_abort(c, a);
    else if (outcome == RM_STEP_FOUND_COMMITTED)
        finish_abort_of_committed_output(c, a);
    else
        retry_abort_later(c, a, why);
}

static void act_on_step_outcome(struct rm_core *c, struct rm_app *a, enum base_job_step step,
                                enum rm_step_outcome outcome, const char *why)
{
    if (step == BASE_STEP_ABORT) {
        act_on_abort_outcome(c, a, outcome, why);
        return;
    }
    rm_step_end(c, a);
    if (step == BASE_STEP_COMMIT)
        rm_job_finish_commit(c, a, outcome == RM_STEP_DONE, why);
    else
        rm_job_end(c, a, RM_END_FAIL, why);
}

void rm_job_note_step_end(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                          const struct rm_container_report *r)
{
    enum base_job_step step = (enum base_job_step)ct->step;
    const char *why = NULL;
    enum rm_step_outcome outcome = rm_step_note_container_end(c, a, ct, r, &why);

    if (outcome != RM_STEP_GOES_ON)
        act_on_step_outcome(c, a, step, outcome, why);
}

void rm_job_end_late_step(struct rm_core *c, struct rm_node *n)
{
    struct rm_app *a = n->step->app;
    enum base_job_step step = (enum base_job_step)n->step->step;
    const char *why = NULL;

    if (rm_step_end_late_attempt(c, n->step, &why) == RM_STEP_FAILED)
        act_on_step_outcome(c, a, step, RM_STEP_FAILED, why);
}

/* ---- splits ---- */

static void reply_to_splits(struct rm_core *c, const struct rm_event *ev, bool accepted,
                            int64_t splits, uint64_t after)
{
    struct rm_effect *fx = rm_reply(c, ev->token, RM_REPLY_SPLITS, after);

    fx->u.reply.flag = accepted;
    fx->u.reply.value = splits;
}

/* All splits are known. They and the job's new stage become durable together, before the policy
 * learns of the job and any map can be launched. */
static void set_up_with_splits(struct rm_core *c, struct rm_app *a)
{
    struct rm_job_spec *spec = rm_job_spec_copy_with_splits(a->job, rm_step_take_splits(a));

    rm_step_end(c, a);
    rm_app_replace_job_spec(a, spec);
    if (rm_record_splits_size(spec) > BASE_RECORD_MAX) {
        rm_job_end(
            c, a, RM_END_FAIL,
            rm_scratch_printf(c,
                              "job.input: the list of its %zu files and %zu splits takes %zu "
                              "bytes to store, %d are possible; a larger split-size makes "
                              "fewer splits",
                              spec->paths.n, spec->splits_n, rm_record_splits_size(spec),
                              BASE_RECORD_MAX));
        return;
    }
    rm_tasks_add_maps(c, a);
    a->set_up = a->undecided = true;
    rm_record_splits(c, a);
    rm_app_store_record(c, a);
    rm_defer_until_stored(c, a->saved_seq, RM_ACK_JOB_SPLITS, a, 0);
}

/* Returns true when the attempt may be unknown only because its node has not registered since the
 * takeover; the request is then answered, and will be repeated. */
static bool ask_unknown_attempt_to_retry(struct rm_core *c, const struct rm_event *ev,
                                         const struct rm_app *a)
{
    if (a->step.running || !c->awaited || !rm_app_is_live(a))
        return false;
    rm_reply_error(c, ev->token, -BASE_EAGAIN, "%d nodes have not reported their containers yet",
                   c->awaited);
    return true;
}

void rm_job_on_splits(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.job_splits.id);
    struct base_error err;
    char id[BASE_ID_TEXT_MAX];
    bool complete;

    if (!a || !a->is_job) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "%s is not a known job",
                       base_app_id_text(&ev->u.job_splits.id, id));
        return;
    }
    if (a->set_up) { /* repeated, or from an attempt that was too late */
        reply_to_splits(c, ev, true, (int64_t)a->job->splits_n, a->saved_seq);
        return;
    }
    if (!rm_step_is_current(a, BASE_STEP_SETUP, ev->u.job_splits.attempt)) {
        if (!ask_unknown_attempt_to_retry(c, ev, a))
            reply_to_splits(c, ev, false, 0, 0);
        return;
    }
    if (rm_step_add_split_page(a, ev->u.job_splits.page, &complete, &err) < 0) {
        rm_job_end(c, a, RM_END_FAIL, err.text);
        reply_to_splits(c, ev, false, 0, 0);
        return;
    }
    if (complete)
        set_up_with_splits(c, a);
    reply_to_splits(c, ev, true, complete ? (int64_t)a->job->splits_n : rm_step_splits_n(a),
                    complete ? a->saved_seq : 0);
}

/* ---- commit ---- */

void rm_job_on_may_commit(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.job_may_commit.id);
    char id[BASE_ID_TEXT_MAX];
    struct rm_effect *fx;
    bool yes;

    if (!a || !a->is_job) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "%s is not a known job",
                       base_app_id_text(&ev->u.job_may_commit.id, id));
        return;
    }
    yes = a->committing && rm_step_is_current(a, BASE_STEP_COMMIT, ev->u.job_may_commit.attempt);
    if (!yes && ask_unknown_attempt_to_retry(c, ev, a))
        return;
    if (yes && !a->commit_begun) {
        a->commit_begun = true;
        rm_app_store_record(c, a);
    }
    fx = rm_reply(c, ev->token, RM_REPLY_FLAG, yes ? a->saved_seq : 0);
    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = yes;
}

/* ---- after a restart ---- */

void rm_job_continue_recovered_step(struct rm_core *c, struct rm_app *a)
{
    if (rm_app_needs_setup(a, &c->conf))
        a->step.launched = true; /* by the earlier instance, perhaps */
    if (a->undecided)
        rm_job_decide_admission(c, a);
    if (!a->commit_begun)
        return;
    /* The output may be complete, even if an end was recorded after the permission to commit. */
    a->committing = true;
    rm_job_request_commit(c, a);
}

/* The steps of jobs as creel-task runs them, over the shared file system of the simulation, where
 * two attempts may be at work at once. A commit moves the parts at one moment, and completes the
 * output at a later one; the other steps do their work at one moment. An attempt may hang before
 * its work, or a commit in the middle of it. */
#include <string.h>

#include "rm/core/state.h"
#include "tests/sim/sim_nm.h"
#include "tests/sim/sim_rm.h"

#define RETRY_US (1 * S)

static void ask(struct sim_box *b);

static void ask_again(void *arg, uint64_t tag)
{
    (void)tag;
    ask(arg);
}

static void retry(struct sim_box *b)
{
    struct sim *s = &b->w->s;

    sim_at(s, s->now_us + RETRY_US, &b->proc, SIM_SERVICE, ask_again, b, 0);
}

/* ---------------------------------------------------------------- setup */
static void splits_told(void *user, const struct sim_answer *a)
{
    struct sim_box *b = user;

    if (a->fx->u.reply.kind != RM_REPLY_SPLITS)
        retry(b);
    else
        sim_box_exit(b, a->fx->u.reply.flag ? 0 : 3);
}

/* ---------------------------------------------------------------- commit */
/* Moves the part of the attempt that counts to its final place, unless an earlier try has done so.
 */
static void take_part(struct sim_box *b, size_t i)
{
    struct sim_world *w = b->w;
    struct sim_job *j = b->job;
    struct sim_task *t = &j->tasks[b->parts_kind][i];

    for (int k = 0; k < t->n && !w->breaks.shared_parts; k++)
        if (t->v[k].attempt == b->parts[i] && t->v[k].renamed)
            t->part = &t->v[k];
    if (!t->part)
        sim_violated(&w->s, "I2", "job %d was committed without part %zu (kind %d)", j->index, i,
                     b->parts_kind);
    else if (t->part->attempt != b->parts[i])
        sim_violated(
            &w->s, "I2",
            "part %zu of job %d (kind %d) is of attempt %d, attempt %d is the one that counts", i,
            j->index, b->parts_kind, t->part->attempt, b->parts[i]);
}

static bool hangs(struct sim_box *b)
{
    if (b->step == BASE_STEP_ABORT && b->job->slow_aborts > 0)
        b->job->slow_aborts--;
    /* at most two attempts of a job hang by themselves, or fail (below) */
    else if (!(b->job->hangs && b->step == BASE_STEP_SETUP) &&
             !(b->attempt < 2 && sim_chance(&b->w->s, 60)))
        return false;
    b->w->totals->hung_steps++;
    sim_log(&b->w->s, "%s: the step of job %d hangs", b->nm->proc.name, b->job->index);
    return true;
}

static void complete_commit(void *arg, uint64_t tag)
{
    struct sim_box *b = arg;
    struct sim_job *j = b->job;

    (void)tag;
    if (j->success || !j->temporary) { /* another attempt was quicker, or the job was aborted */
        sim_box_exit(b, j->success ? 0 : 1);
        return;
    }
    j->temporary = false;
    j->success = true; /* the folder may be read from now on */
    if (++j->commits > 1)
        sim_violated(&b->w->s, "I2", "job %d is committed %d times", j->index, j->commits);
    sim_log(&b->w->s, "%s commits the output of job %d", b->nm->proc.name, j->index);
    sim_box_exit(b, 0);
}

static void commit(void *arg, uint64_t tag)
{
    struct sim_box *b = arg;
    struct sim_job *j = b->job;
    int parts =
        j->tasks_n[BASE_TASK_REDUCE] ? j->tasks_n[BASE_TASK_REDUCE] : j->tasks_n[BASE_TASK_MAP];

    (void)tag;
    if (j->success) { /* another attempt was quicker */
        sim_box_exit(b, 0);
        return;
    }
    if (!j->temporary) { /* the job was aborted */
        sim_box_exit(b, 1);
        return;
    }
    if (b->parts_n != (size_t)parts)
        sim_violated(&b->w->s, "I2", "job %d is committed with %zu parts", j->index, b->parts_n);
    for (size_t i = 0; i < b->parts_n; i++)
        take_part(b, i);
    if (!hangs(b))
        sim_at(&b->w->s, b->w->s.now_us + sim_between(&b->w->s, 0, 5 * MS), &b->proc, SIM_SERVICE,
               complete_commit, b, 0);
}

static void may_commit_told(void *user, const struct sim_answer *a)
{
    struct sim_box *b = user;
    struct sim *s = &b->w->s;

    if (a->fx->u.reply.kind != RM_REPLY_FLAG) {
        retry(b);
        return;
    }
    if (!a->fx->u.reply.flag) {
        sim_box_exit(b, 3);
        return;
    }
    sim_check_job_granted(b->w, b);
    b->parts_kind = a->parts_kind;
    b->parts_n = a->parts_n < W_TASKS ? a->parts_n : W_TASKS;
    memcpy(b->parts, a->parts, b->parts_n * sizeof *b->parts);
    sim_at(s, s->now_us + sim_between(s, 100, sim_faults_granted(b->w, b->nm)), &b->proc,
           SIM_SERVICE, commit, b, 0);
}

/* ---------------------------------------------------------------- the steps */
static void ask(struct sim_box *b)
{
    struct sim_request *rq;

    if (b->step == BASE_STEP_SETUP) {
        rq = sim_box_request(b, RM_EV_JOB_SPLITS);
        rq->ev.u.job_splits.id = b->job->id;
        rq->ev.u.job_splits.attempt = b->attempt;
        b->ask.fn = splits_told;
    } else {
        rq = sim_box_request(b, RM_EV_JOB_MAY_COMMIT);
        rq->ev.u.job_may_commit.id = b->job->id;
        rq->ev.u.job_may_commit.attempt = b->attempt;
        b->ask.fn = may_commit_told;
    }
    sim_ask(&b->ask, rq);
}

/* Removes the unfinished output, and with it the parts that a commit has moved. */
static void undo(struct sim_job *j)
{
    j->temporary = j->folder = j->late_folder = false;
    j->aborted = true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int i = 0; i < j->tasks_n[k]; i++)
            j->tasks[k][i].part = NULL;
}

static void work(void *arg, uint64_t tag)
{
    struct sim_box *b = arg;
    struct sim_job *j = b->job;

    (void)tag;
    b->phase = BOX_COMMITS;
    if (b->nm->refuses) {
        const struct sim_rm *rm = sim_rm_leader(b->w);

        j->refused_alone = j->refused_alone || !rm || rm->lead->core->places.nodes < 2;
        b->w->totals->refused_steps++;
        sim_box_exit(b, RM_EXIT_JOB_REFUSED);
        return;
    }
    if (hangs(b))
        return;
    if (b->attempt < 2 && sim_chance(&b->w->s, 100)) {
        sim_box_exit(b, 1);
        return;
    }
    if (b->step == BASE_STEP_ABORT) {
        if (!j->success)
            undo(j);
        sim_log(&b->w->s, "%s aborts the output of job %d", b->nm->proc.name, j->index);
        sim_box_exit(b, j->success ? RM_EXIT_OUTPUT_COMMITTED : 0);
        return;
    }
    if (b->step == BASE_STEP_SETUP && !j->success) {
        j->folder = j->temporary = true;
        j->late_folder = j->aborted;
    }
    ask(b);
}

void sim_step_begin(struct sim_box *b)
{
    struct sim *s = &b->w->s;

    sim_at(s, s->now_us + sim_between(s, 100, 50 * MS), &b->proc, SIM_SERVICE, work, b, 0);
}

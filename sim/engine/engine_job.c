/* Jobs: read from the workload, submitted, watched to their end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/view/view.h"
#include "sim/engine/engine_internal.h"
#include "sim/engine/rng.h"

#define CV_MAX      10
#define TIME_MAX_US (INT64_C(1000000000) * 1000000) /* 30 years */
#define WORK_MAX_US 2e18 /* of all tasks of a kind: absurd ones are cut, so that sums still fit */

/* ---------------------------------------------------------------- can it be? */
static int bad(struct sim *s, const struct sim_job *j, const char *field, const char *expected)
{
    return sim_fail(s, -BASE_EINVAL, "job %llu%s%s: %s must be %s", (unsigned long long)j->id,
                    *j->name ? " " : "", j->name, field, expected);
}

static bool time_ok(int64_t us)
{
    return us >= 0 && us <= TIME_MAX_US;
}

static int check_kind(struct sim *s, const struct sim_job *j, int k)
{
    static const char *const tasks[] = {"maps", "reduces"},
                             *const base[] = {"map time", "reduce time"},
                             *const cv[] = {"cv of maps", "cv of reduces"};

    if (j->tasks[k] < 0 || j->tasks[k] > SIM_TASKS_MAX)
        return bad(s, j, tasks[k], "0 to 10,000,000");
    if (!j->tasks[k])
        return 0;
    if (s->totals.slots[k] <= 0)
        return bad(s, j, tasks[k], "0: the cluster has no slots for them");
    if (!j->task_us[k] && (j->base_us[k] < 1 || j->base_us[k] > TIME_MAX_US))
        return bad(s, j, base[k], "1 us to 30 years");
    if (!(j->cv[k] >= 0 && j->cv[k] <= CV_MAX))
        return bad(s, j, cv[k], "0 to 10");
    for (int32_t i = 0; j->task_us[k] && i < j->tasks[k]; i++)
        if (j->task_us[k][i] < 1 || j->task_us[k][i] > TIME_MAX_US)
            return bad(s, j, base[k], "1 us to 30 years for every task");
    if (j->expected_us[k] < SIM_EXPECT_TRUE || j->expected_us[k] > TIME_MAX_US)
        return bad(s, j, "expected time", "0 to 30 years");
    return 0;
}

static int check_places(struct sim *s, const struct sim_job *j)
{
    if (!j->located)
        return 0;
    if (j->replicas < 1 || j->replicas > SIM_REPLICAS_MAX)
        return bad(s, j, "replicas", "1 to 8");
    for (size_t i = 0;
         j->replica_nodes && i < (size_t)j->tasks[BASE_TASK_MAP] * (size_t)j->replicas; i++)
        if (j->replica_nodes[i] >= (uint32_t)s->nodes_n)
            return bad(s, j, "places of splits", "nodes of the cluster");
    return 0;
}

static int check(struct sim *s, const struct sim_job *j)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (check_kind(s, j, k) < 0)
            return s->failed;
    if (!time_ok(j->submit_us) || !time_ok(j->gap_us))
        return bad(s, j, "submission", "0 to 30 years");
    if (!time_ok(j->setup_us) || !time_ok(j->cleanup_us) || !time_ok(j->deadline_us))
        return bad(s, j, "setup, cleanup and deadline", "0 to 30 years");
    if (!(j->weight > 0 && j->weight <= 1e9))
        return bad(s, j, "weight", "above 0");
    if (!(j->selectivity >= 0 && j->selectivity <= 1e9) || j->split_bytes < 0 ||
        j->partition_bytes < 0)
        return bad(s, j, "bytes and selectivity", "0 or more");
    if (!(j->f_rack >= 0 && j->f_rack <= 1000) || !(j->f_off >= 0 && j->f_off <= 1000) ||
        !(j->f_colo >= 0 && j->f_colo <= 1000))
        return bad(s, j, "locality factors", "0 to 1000");
    if (sim_live_find(s, j->id))
        return bad(s, j, "id", "given once");
    return check_places(s, j);
}

/* ---------------------------------------------------------------- read */
static uint64_t queue_at(struct sim *s, struct sim_live *job, int64_t us)
{
    job->state = SIM_QUEUED;
    return sim_queue_add(&s->queue, us > s->now_us ? us : s->now_us, SIM_CLASS_SUBMIT,
                         SIM_EVENT_SUBMIT, job->index);
}

/* Takes what hangs on @j. NULL: it cannot be. */
static struct sim_live *admit(struct sim *s, struct sim_job *j)
{
    struct sim_live *job;

    s->jobs_read++;
    j->id = j->id ? j->id : (uint64_t)s->jobs_read;
    if (check(s, j) < 0) {
        sim_job_clear(j);
        return NULL;
    }
    job = base_alloc(sizeof *job);
    job->job = *j;
    job->id = j->id;
    job->waiting = SIM_NONE;
    job->map_node = SIM_NONE;
    sim_live_add(s, job);
    return job;
}

/* One job of the workload. False: the next one may be read at once, since this waits for
 * another. */
static bool read_one(struct sim *s)
{
    struct sim_job j;
    struct sim_live *job, *before;
    int rc;

    sim_job_init(&j);
    rc = s->conf.workload.next(s->conf.workload.self, &j, &s->err);
    if (rc <= 0) {
        s->read_all = true;
        s->failed = rc;
        return true;
    }
    if (j.submit_us < s->last_submit_us) {
        j.id = j.id ? j.id : (uint64_t)s->jobs_read + 1;
        bad(s, &j, "submission", "in order");
        sim_job_clear(&j);
        return true;
    }
    s->last_submit_us = j.submit_us;
    job = admit(s, &j);
    if (!job)
        return true;
    before = job->job.after ? sim_live_find(s, job->job.after) : NULL;
    if (!before || before == job) {
        s->reading = queue_at(s, job, job->job.submit_us);
        return true;
    }
    job->state = SIM_HELD;
    job->chain_next = before->chain;
    before->chain = job;
    return false;
}

void sim_jobs_read(struct sim *s)
{
    while (!s->read_all && !s->failed && !read_one(s))
        ;
}

/* ---------------------------------------------------------------- the submission */
/* For the bound: as short as it can be. */
static void shorten(struct sim_bound_work *w, int kind, double factor)
{
    if (factor < 1) {
        w->work_us[kind] *= factor;
        w->longest_us[kind] *= factor;
    }
}

static void set_work(struct sim_live *job, struct sim_bound_work *w)
{
    const double *f = job->cost.factor;

    *w = (struct sim_bound_work){.fixed_us = job->job.setup_us + job->job.cleanup_us};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        for (int32_t i = 0; i < job->job.tasks[k]; i++) {
            double us = sim_cost_plain_us(&job->cost, k, i);

            w->work_us[k] += us;
            w->longest_us[k] = us > w->longest_us[k] ? us : w->longest_us[k];
        }
        job->r.work_us[k] = (int64_t)fmin(w->work_us[k] + 0.5, WORK_MAX_US);
    }
    if (job->job.tasks[BASE_TASK_MAP] == 1)
        shorten(w, BASE_TASK_REDUCE, job->cost.f_colo);
    if (job->job.located)
        shorten(w, BASE_TASK_MAP,
                f[SIM_RACK_LOCAL] < f[SIM_OFF_RACK] ? f[SIM_RACK_LOCAL] : f[SIM_OFF_RACK]);
}

static void add_group(struct rm_job_spec *spec, int kind, int64_t count, int64_t expected_us)
{
    spec->groups = base_realloc_array(spec->groups, spec->groups_n + 1, sizeof *spec->groups);
    spec->groups[spec->groups_n++] = (struct rm_task_group){
        .kind = (enum base_task_kind)kind, .count = count, .expected_us = expected_us};
}

/* Tasks of a kind as the core takes them: those of equal expected time together. */
static void add_tasks(struct sim_live *job, int k)
{
    const struct sim_job *j = &job->job;
    int64_t expected = j->expected_us[k];
    int32_t first = 0;

    if (expected == SIM_EXPECT_TRUE && !j->task_us[k]) {
        double sum = 0;

        for (int32_t i = 0; i < j->tasks[k]; i++)
            sum += sim_cost_plain_us(&job->cost, k, i);
        expected = j->tasks[k] ? (int64_t)(sum / j->tasks[k] + 0.5) : 0;
    }
    if (expected != SIM_EXPECT_TRUE) {
        if (j->tasks[k])
            add_group(job->spec, k, j->tasks[k], expected);
        return;
    }
    for (int32_t i = 1; i <= j->tasks[k]; i++)
        if (i == j->tasks[k] || j->task_us[k][i] != j->task_us[k][first]) {
            add_group(job->spec, k, i - first, j->task_us[k][first]);
            first = i;
        }
}

static void add_places(struct sim *s, struct sim_live *job)
{
    struct sim_job *j = &job->job;
    struct rm_job_spec *spec = job->spec;
    int32_t n = j->replicas < s->nodes_n ? j->replicas : s->nodes_n;
    uint32_t v[SIM_REPLICAS_MAX];

    if (!j->located || !j->tasks[BASE_TASK_MAP])
        return;
    spec->hosts = &s->hosts;
    if (j->replica_nodes) {
        spec->near = j->replica_nodes;
        spec->near_n = (uint32_t)j->replicas;
        j->replica_nodes = NULL;
        return;
    }
    spec->near_n = (uint32_t)n;
    spec->near =
        base_realloc_array(NULL, (size_t)j->tasks[BASE_TASK_MAP] * (size_t)n, sizeof *spec->near);
    for (int32_t i = 0; i < j->tasks[BASE_TASK_MAP]; i++) {
        sim_place(&s->topology, job->cost.place_key, i, n, v);
        memcpy(spec->near + (size_t)i * (size_t)n, v, (size_t)n * sizeof *v);
    }
}

static void set_bytes(struct sim_live *job)
{
    struct sim_job *j = &job->job;
    struct rm_job_spec *spec = job->spec;

    if (!j->partition_bytes && j->tasks[BASE_TASK_REDUCE])
        j->partition_bytes = (int64_t)(j->selectivity * (double)j->split_bytes *
                                       j->tasks[BASE_TASK_MAP] / j->tasks[BASE_TASK_REDUCE]);
    spec->known[BASE_TASK_MAP].bytes = j->split_bytes * j->tasks[BASE_TASK_MAP];
    spec->known[BASE_TASK_MAP].bytes_max = j->split_bytes;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        spec->known[k].true_us = job->r.work_us[k];
}

static void make_spec(struct sim *s, struct sim_live *job)
{
    const struct sim_job *j = &job->job;
    struct rm_job_spec *spec = base_alloc(sizeof *spec);

    job->spec = spec;
    spec->refs = 2; /* ours, and the one that the core takes */
    spec->name = base_strdup(j->name);
    spec->user = base_strdup(*j->user ? j->user : "user");
    spec->queue = *j->pool ? base_strdup(j->pool) : NULL;
    spec->priority = j->priority;
    spec->weight = j->weight;
    spec->deadline_us = j->deadline_us;
    spec->max_attempts = 4;
    spec->split_size = j->split_bytes;
    spec->reduces = j->tasks[BASE_TASK_REDUCE];
    job->output = j->setup_us > 0 || j->cleanup_us > 0;
    spec->output = job->output ? base_strdup("/out") : NULL;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        add_tasks(job, k);
    add_places(s, job);
    set_bytes(job);
}

static void begin_result(struct sim *s, struct sim_live *job)
{
    const struct sim_job *j = &job->job;

    job->r.id = job->id;
    job->r.name = j->name;
    job->r.class_name = j->class_name;
    job->r.pool = j->pool;
    job->r.user = *j->user ? j->user : "user";
    job->r.priority = j->priority;
    job->r.weight = j->weight;
    job->r.deadline_us = j->deadline_us;
    job->r.submit_us = job->r.first_us = job->r.maps_done_us = job->last_end_us = s->now_us;
    job->r.accepted = true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        job->r.tasks[k] = j->tasks[k];
}

/* ---------------------------------------------------------------- the end */
/* Jobs held for it come, in the order in which they were read. */
static void release_chain(struct sim *s, struct sim_live *job)
{
    struct sim_live *first = NULL;

    while (job->chain) {
        struct sim_live *next = job->chain;

        job->chain = next->chain_next;
        next->chain_next = first;
        first = next;
    }
    for (; first; first = first->chain_next) {
        int64_t us = s->now_us + first->job.gap_us;

        queue_at(s, first, us > first->job.submit_us ? us : first->job.submit_us);
    }
}

static void ask_for_more(struct sim *s, const struct sim_live *ended)
{
    struct sim_job j;
    struct sim_live *job;

    if (!s->conf.workload.at_end)
        return;
    for (sim_job_init(&j);
         !s->failed && s->conf.workload.at_end(s->conf.workload.self, &ended->r, s->now_us, &j);
         sim_job_init(&j)) {
        job = admit(s, &j);
        if (job)
            queue_at(s, job, job->job.submit_us);
    }
    sim_job_clear(&j);
}

static void over(struct sim *s, struct sim_live *job, int64_t finish_us)
{
    struct sim_job_result *r = &job->r;

    r->finish_us = finish_us;
    r->met = r->accepted && (!r->deadline_us || finish_us - r->submit_us <= r->deadline_us);
    sim_totals_add(&s->totals, r);
    sim_log_job(s, r->accepted ? "finish" : "refuse", job, r->accepted ? 0 : r->promised_us);
    s->last_active_us = s->now_us;
    s->changed = true;
    s->jobs_live--;
    if (s->conf.on_job)
        s->conf.on_job(s->conf.ctx, r);
    ask_for_more(s, job);
    release_chain(s, job);
    sim_live_remove(s, job);
}

void sim_job_check(struct sim *s, struct sim_live *job)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (job->reported[k] < job->job.tasks[k])
            return;
    if (!job->output)
        over(s, job, job->last_end_us);
}

/* The core's answer to a submission with a deadline. */
static void take_answer(struct sim *s, struct sim_live *job)
{
    struct rm_views v = {0};
    int64_t at = 0;

    if (rm_view_app(s->core, job->spec->id, &v) < 0 || !v.apps_n) {
        rm_views_free(&v);
        return;
    }
    job->r.accepted = v.apps[0].state != RM_APP_FAILED;
    at = job->r.accepted ? v.apps[0].promised_us : v.apps[0].earliest_us;
    job->r.promised_us = at ? at - SIM_EPOCH_US : 0;
    rm_views_free(&v);
}

void sim_job_submit(struct sim *s, struct sim_live *job)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++s->token};
    struct sim_bound_work work;

    sim_cost_init(&job->cost, s->conf.seed, job->id, &job->job, s->topology.racks == 1);
    begin_result(s, job);
    if (s->conf.true_work)
        set_work(job, &work);
    make_spec(s, job);
    ev.u.submit_job.spec = job->spec;
    ev.u.submit_job.app_token = "0";
    s->last_active_us = s->now_us;
    s->changed = true;
    sim_log_job(s, "submit", job, 0);
    sim_core_event(s, &ev);
    job->state = SIM_LIVE;
    job->seq = job->spec->id.seq;
    if (job->seq)
        sim_live_number(s, job);
    if (++s->jobs_live > s->totals.jobs_live_max)
        s->totals.jobs_live_max = s->jobs_live;
    sim_apply(s, SIM_NONE);
    if (s->failed)
        return;
    if (job->job.deadline_us > 0)
        take_answer(s, job);
    if (!job->r.accepted) {
        over(s, job, s->now_us);
        return;
    }
    if (s->conf.true_work) {
        work.submit_us = s->now_us;
        sim_bound_add(&s->bound, &work);
    }
    sim_job_check(s, job);
}

static void job_done(struct sim *s, struct sim_live *job, enum rm_event_kind kind)
{
    struct rm_event ev = {.kind = kind};

    ev.u.job_done.id = job->spec->id;
    ev.u.job_done.ok = true;
    s->changed = true;
    s->last_active_us = s->now_us;
    sim_core_event(s, &ev);
    sim_apply(s, SIM_NONE);
}

void sim_job_set_up(struct sim *s, struct sim_live *job)
{
    job_done(s, job, RM_EV_JOB_SET_UP);
}

void sim_job_committed(struct sim *s, struct sim_live *job)
{
    job_done(s, job, RM_EV_JOB_COMMITTED);
    over(s, job, s->now_us);
}

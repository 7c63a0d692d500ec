/* The life of a job: read from the workload, checked, submitted, ended. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/view/view.h"
#include "sim/engine/engine_internal.h"
#include "sim/engine/rng.h"

#define CV_MAX      10
#define TIME_MAX_US (INT64_C(1000000000) * 1000000) /* 30 years */
#define WORK_MAX_US                                                                                \
    2e18 /* cap on the work of all tasks of a kind, so that sums fit in an int64_t */

/* ---------------------------------------------------------------- checks */
static int refuse_field(struct sim *s, const struct sim_job *j, const char *field,
                        const char *expected)
{
    return sim_fail(s, -BASE_EINVAL, "job %llu%s%s: %s must be %s", (unsigned long long)j->id,
                    *j->name ? " " : "", j->name, field, expected);
}

static bool is_time_in_range(int64_t us)
{
    return us >= 0 && us <= TIME_MAX_US;
}

static int check_tasks_of_kind(struct sim *s, const struct sim_job *j, int k)
{
    static const char *const tasks[] = {"maps", "reduces"},
                             *const base[] = {"map time", "reduce time"},
                             *const cv[] = {"cv of maps", "cv of reduces"};

    if (j->tasks[k] < 0 || j->tasks[k] > SIM_TASKS_MAX)
        return refuse_field(s, j, tasks[k], "0 to 10,000,000");
    if (!j->tasks[k])
        return 0;
    if (s->totals.slots[k] <= 0)
        return refuse_field(s, j, tasks[k], "0: the cluster has no slots for them");
    if (sim_job_width(j) > s->slots_most[k])
        return refuse_field(s, j, "slots", "at most those of the largest node");
    if (!j->task_us[k] && (j->base_us[k] < 1 || j->base_us[k] > TIME_MAX_US))
        return refuse_field(s, j, base[k], "1 us to 30 years");
    if (!(j->cv[k] >= 0 && j->cv[k] <= CV_MAX))
        return refuse_field(s, j, cv[k], "0 to 10");
    for (int32_t i = 0; j->task_us[k] && i < j->tasks[k]; i++)
        if (j->task_us[k][i] < 1 || j->task_us[k][i] > TIME_MAX_US)
            return refuse_field(s, j, base[k], "1 us to 30 years for every task");
    if (j->expected_us[k] < SIM_EXPECT_TRUE || j->expected_us[k] > TIME_MAX_US)
        return refuse_field(s, j, "expected time", "0 to 30 years");
    return 0;
}

static int check_split_places(struct sim *s, const struct sim_job *j)
{
    if (!j->located)
        return 0;
    if (j->replicas < 1 || j->replicas > SIM_REPLICAS_MAX)
        return refuse_field(s, j, "replicas", "1 to 8");
    for (size_t i = 0;
         j->replica_nodes && i < (size_t)j->tasks[BASE_TASK_MAP] * (size_t)j->replicas; i++)
        if (j->replica_nodes[i] >= (uint32_t)s->nodes_n)
            return refuse_field(s, j, "places of splits", "nodes of the cluster");
    return 0;
}

static int check_job(struct sim *s, const struct sim_job *j)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (check_tasks_of_kind(s, j, k) < 0)
            return s->failed;
    if (!is_time_in_range(j->submit_us) || !is_time_in_range(j->gap_us))
        return refuse_field(s, j, "submission", "0 to 30 years");
    if (!is_time_in_range(j->setup_us) || !is_time_in_range(j->cleanup_us) ||
        !is_time_in_range(j->deadline_us))
        return refuse_field(s, j, "setup, cleanup and deadline", "0 to 30 years");
    if (!(j->weight > 0 && j->weight <= 1e9))
        return refuse_field(s, j, "weight", "above 0");
    if (!(j->selectivity >= 0 && j->selectivity <= 1e9) || j->split_bytes < 0 ||
        j->partition_bytes < 0)
        return refuse_field(s, j, "bytes and selectivity", "0 or more");
    if (!(j->f_rack >= 0 && j->f_rack <= 1000) || !(j->f_off >= 0 && j->f_off <= 1000) ||
        !(j->f_colo >= 0 && j->f_colo <= 1000))
        return refuse_field(s, j, "locality factors", "0 to 1000");
    if (sim_live_find_by_id(s, j->id))
        return refuse_field(s, j, "id", "given once");
    return check_split_places(s, j);
}

/* ---------------------------------------------------------------- read */
static uint64_t queue_submission(struct sim *s, struct sim_live *job, int64_t us)
{
    job->state = SIM_QUEUED;
    return sim_queue_add(&s->queue, us > s->now_us ? us : s->now_us, SIM_CLASS_SUBMIT,
                         SIM_EVENT_SUBMIT, job->index);
}

/* Takes over the arrays of @j. Returns NULL, with the run failed, if the job is impossible. */
static struct sim_live *check_and_add_job(struct sim *s, struct sim_job *j)
{
    struct sim_live *job;

    s->jobs_read++;
    j->id = j->id ? j->id : (uint64_t)s->jobs_read;
    if (check_job(s, j) < 0) {
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

/* Reads one job of the workload. Returns false when the next job has to be read too, because this
 * one is held until another ends; true when the job's submission is queued, or no more jobs are
 * read. */
static bool read_next_job_and_tell_if_done(struct sim *s)
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
        refuse_field(s, &j, "submission", "in order");
        sim_job_clear(&j);
        return true;
    }
    s->last_submit_us = j.submit_us;
    job = check_and_add_job(s, &j);
    if (!job)
        return true;
    before = job->job.after ? sim_live_find_by_id(s, job->job.after) : NULL;
    if (!before || before == job) {
        s->reading = queue_submission(s, job, job->job.submit_us);
        return true;
    }
    job->state = SIM_HELD;
    job->chain_next = before->chain;
    before->chain = job;
    return false;
}

void sim_jobs_read_until_queued(struct sim *s)
{
    while (!s->read_all && !s->failed && !read_next_job_and_tell_if_done(s))
        ;
}

/* ---------------------------------------------------------------- the submission */
/* If a placement can shorten the work by @factor, scales it down: the bound must hold for the
 * shortest work that any placement allows. */
static void shorten_bound_work(struct sim_bound_work *w, int kind, double factor)
{
    if (factor < 1) {
        w->work_us[kind] *= factor;
        w->longest_us[kind] *= factor;
    }
}

static void compute_true_work(struct sim_live *job, struct sim_bound_work *w)
{
    const double *f = job->cost.factor;

    *w = (struct sim_bound_work){.fixed_us = job->job.setup_us + job->job.cleanup_us};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        for (int32_t i = 0; i < job->job.tasks[k]; i++) {
            double us = sim_cost_nominal_us(&job->cost, k, i);

            w->work_us[k] += us * sim_job_width(&job->job);
            w->longest_us[k] = us > w->longest_us[k] ? us : w->longest_us[k];
        }
        job->r.work_us[k] = (int64_t)fmin(w->work_us[k] + 0.5, WORK_MAX_US);
    }
    if (job->job.tasks[BASE_TASK_MAP] == 1)
        shorten_bound_work(w, BASE_TASK_REDUCE, job->cost.f_colo);
    if (job->job.located)
        shorten_bound_work(w, BASE_TASK_MAP,
                           f[SIM_RACK_LOCAL] < f[SIM_OFF_RACK] ? f[SIM_RACK_LOCAL]
                                                               : f[SIM_OFF_RACK]);
}

static void add_task_group(struct rm_job_spec *spec, int kind, int64_t count, int64_t expected_us)
{
    spec->groups = base_realloc_array(spec->groups, spec->groups_n + 1, sizeof *spec->groups);
    spec->groups[spec->groups_n++] = (struct rm_task_group){
        .kind = (enum base_task_kind)kind, .count = count, .expected_us = expected_us};
}

/* Adds the tasks of kind @k to the submission: neighbours of equal expected time form a group. */
static void add_task_groups(struct sim_live *job, int k)
{
    const struct sim_job *j = &job->job;
    int64_t expected = j->expected_us[k];
    int32_t first = 0;

    if (expected == SIM_EXPECT_TRUE && !j->task_us[k]) {
        double sum = 0;

        for (int32_t i = 0; i < j->tasks[k]; i++)
            sum += sim_cost_nominal_us(&job->cost, k, i);
        expected = j->tasks[k] ? (int64_t)(sum / j->tasks[k] + 0.5) : 0;
    }
    if (expected != SIM_EXPECT_TRUE) {
        if (j->tasks[k])
            add_task_group(job->spec, k, j->tasks[k], expected);
        return;
    }
    for (int32_t i = 1; i <= j->tasks[k]; i++)
        if (i == j->tasks[k] || j->task_us[k][i] != j->task_us[k][first]) {
            add_task_group(job->spec, k, i - first, j->task_us[k][first]);
            first = i;
        }
}

static void set_split_places(struct sim *s, struct sim_live *job)
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
        sim_topology_place_replicas(&s->topology, job->cost.place_key, i, n, v);
        memcpy(spec->near + (size_t)i * (size_t)n, v, (size_t)n * sizeof *v);
    }
}

static void set_input_sizes(struct sim_live *job)
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

static void build_job_spec(struct sim *s, struct sim_live *job)
{
    const struct sim_job *j = &job->job;
    struct rm_job_spec *spec = base_alloc(sizeof *spec);

    job->spec = spec;
    spec->refs = 2; /* ours and the core's */
    spec->name = base_strdup(j->name);
    spec->user = base_strdup(*j->user ? j->user : "user");
    spec->queue = *j->pool ? base_strdup(j->pool) : NULL;
    spec->priority = j->priority;
    spec->weight = j->weight;
    spec->deadline_us = j->deadline_us;
    spec->max_attempts = 4;
    spec->slots = j->slots;
    spec->split_size = j->split_bytes;
    spec->reduces = j->tasks[BASE_TASK_REDUCE];
    job->output = j->setup_us > 0 || j->cleanup_us > 0;
    spec->output = job->output ? base_strdup("/out") : NULL;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        add_task_groups(job, k);
    set_split_places(s, job);
    set_input_sizes(job);
}

static void init_job_result(struct sim *s, struct sim_live *job)
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
/* Queues the submissions of the jobs held until @job ended. The list holds the job read last first,
 * so it is reversed. */
static void queue_submissions_of_dependents(struct sim *s, struct sim_live *job)
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

        queue_submission(s, first, us > first->job.submit_us ? us : first->job.submit_us);
    }
}

/* Closed loops: takes the jobs that the workload submits because @ended has ended. */
static void take_jobs_for_ended_job(struct sim *s, const struct sim_live *ended)
{
    struct sim_job j;
    struct sim_live *job;

    if (!s->conf.workload.at_end)
        return;
    for (sim_job_init(&j);
         !s->failed && s->conf.workload.at_end(s->conf.workload.self, &ended->r, s->now_us, &j);
         sim_job_init(&j)) {
        job = check_and_add_job(s, &j);
        if (job)
            queue_submission(s, job, job->job.submit_us);
    }
    sim_job_clear(&j);
}

static void end_job(struct sim *s, struct sim_live *job, int64_t finish_us)
{
    struct sim_job_result *r = &job->r;

    r->finish_us = finish_us;
    r->met = r->accepted && (!r->deadline_us || finish_us - r->submit_us <= r->deadline_us);
    sim_totals_add_job(&s->totals, r);
    sim_log_job(s, r->accepted ? "finish" : "refuse", job, r->accepted ? 0 : r->promised_us);
    s->last_active_us = s->now_us;
    s->changed = true;
    s->jobs_live--;
    if (s->conf.on_job)
        s->conf.on_job(s->conf.ctx, r);
    take_jobs_for_ended_job(s, job);
    queue_submissions_of_dependents(s, job);
    sim_live_remove(s, job);
}

void sim_job_end_if_done(struct sim *s, struct sim_live *job)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (job->reported[k] < job->job.tasks[k])
            return;
    if (!job->output)
        end_job(s, job, job->last_end_us);
}

/* Reads from the core whether a job with a deadline was admitted, and the promised finish. */
static void read_admission_from_core(struct sim *s, struct sim_live *job)
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
    init_job_result(s, job);
    if (s->conf.true_work)
        compute_true_work(job, &work);
    build_job_spec(s, job);
    ev.u.submit_job.spec = job->spec;
    ev.u.submit_job.app_token = "0";
    s->last_active_us = s->now_us;
    s->changed = true;
    sim_log_job(s, "submit", job, 0);
    sim_core_step(s, &ev);
    job->state = SIM_LIVE;
    job->seq = job->spec->id.seq;
    if (job->seq)
        sim_live_index_by_seq(s, job);
    if (++s->jobs_live > s->totals.jobs_live_max)
        s->totals.jobs_live_max = s->jobs_live;
    sim_carry_out_effects(s, SIM_NONE);
    if (s->failed)
        return;
    if (job->job.deadline_us > 0)
        read_admission_from_core(s, job);
    if (!job->r.accepted) {
        end_job(s, job, s->now_us);
        return;
    }
    if (s->conf.true_work) {
        work.submit_us = s->now_us;
        sim_bound_add_job(&s->bound, &work);
    }
    sim_job_end_if_done(s, job);
}

static void send_job_event_to_core(struct sim *s, struct sim_live *job, enum rm_event_kind kind)
{
    struct rm_event ev = {.kind = kind};

    ev.u.job_done.id = job->spec->id;
    ev.u.job_done.ok = true;
    s->changed = true;
    s->last_active_us = s->now_us;
    sim_core_step(s, &ev);
    sim_carry_out_effects(s, SIM_NONE);
}

void sim_job_report_set_up(struct sim *s, struct sim_live *job)
{
    send_job_event_to_core(s, job, RM_EV_JOB_SET_UP);
}

void sim_job_report_committed(struct sim *s, struct sim_live *job)
{
    send_job_event_to_core(s, job, RM_EV_JOB_COMMITTED);
    end_job(s, job, s->now_us);
}

/* Sizes of phases: determines the size with which a phase enters the virtual cluster, and estimates
 * it after training.
 * SOURCE: Pastorelli et al., HFSP, arXiv:1302.2749, section 3.2: initial size (number of tasks
 * times the mean of recent tasks times xi), estimation from the sample, remaining = estimate - work
 * done in training. "Recent" is defined as in the authors' code: the mean over the means of the
 * estimated jobs that have not left yet. A task of several slots counts as that many tasks of one
 * slot: numbers of tasks and work are slots and slot time, except in samples. */
#include <math.h>
#include <stdlib.h>

#include "policies/hfsp/hfsp_internal.h"

#define ENDLESS_US 1e13 /* upper bound of guesses, since xi may be infinite */

/* Returns the expected mean duration of the tasks of a new job. */
static int64_t expected_task_us(const struct policy *self, enum base_task_kind kind)
{
    const struct hfsp_kind *ks = &self->kind[kind];
    int64_t recent = ks->means_n ? ks->means_sum / ks->means_n
                                 : policy_learned_recent_mean_us(self->env->learned, kind);

    return recent > 0 ? recent : self->set.initial_us[kind];
}

static double size_factor(const struct policy *self, const struct hfsp_phase *p)
{
    const struct policy_env *env = self->env;

    return env->size_factor ? env->size_factor(env->core, p->own->job, p->kind) : 1;
}

/* Returns the slot time for which the running and suspended attempts of the phase have worked;
 * reduces work only after the last map has ended. */
static double work_done_by_attempts_us(const struct policy *self, const struct hfsp_phase *p)
{
    const struct policy_job *job = p->own->job;
    struct policy_running r;
    void *cursor = NULL;
    double sum = 0;

    if (job->phase[p->kind].running + job->phase[p->kind].suspended == 0)
        return 0;
    while (self->env->running(self->env->core, job, p->kind, &cursor, &r)) {
        int64_t from = r.started_us;

        if (p->kind == BASE_TASK_REDUCE && job->is_job)
            from = !job->maps_done_us         ? self->now_us
                   : job->maps_done_us > from ? job->maps_done_us
                                              : from;
        sum += self->now_us > from ? (double)(self->now_us - from) * policy_running_slots(&r) : 0;
    }
    return sum;
}

/* Describes, as runs, @tasks tasks that take @work_us in all and of which the longest takes @max_us
 * (0 or out of range: all are equal). Returns the number of runs. */
static size_t describe_tasks_as_runs(int32_t tasks, double work_us, double max_us,
                                     struct virtual_run runs[2])
{
    double mean = tasks > 0 ? work_us / tasks : 0;

    if (tasks <= 0 || work_us <= 0)
        return 0;
    if (tasks == 1 || max_us <= mean || max_us > work_us) {
        runs[0] = (struct virtual_run){tasks, mean};
        return 1;
    }
    runs[0] = (struct virtual_run){tasks - 1, fmin((work_us - max_us) / (tasks - 1), max_us)};
    runs[1] = (struct virtual_run){1, max_us};
    return 2;
}

static void add_to_virtual_cluster(struct policy *self, struct hfsp_phase *p,
                                   const struct virtual_run *runs, size_t n)
{
    struct hfsp_kind *ks = &self->kind[p->kind];
    const struct policy_job *job = p->own->job;

    hfsp_virtual_advance(self, p->kind);
    p->virtual = virtual_cluster_add_job(ks->vc, job->submit_us, job->cluster_ts, job->seq,
                                         job->weight, runs, n);
    while ((size_t)p->virtual >= ks->phase_cap) {
        size_t len = ks->phase_cap;

        base_array_grow(&ks->phase, len, &ks->phase_cap);
    }
    ks->phase[p->virtual] = p;
    hfsp_rank_reserve_handles(&ks->rank, virtual_cluster_handle_limit(ks->vc));
    ks->stale = true;
}

/* Adds the phase to the virtual cluster with a known size, less the work that has been done. */
static void enter_with_known_size(struct policy *self, struct hfsp_phase *p, double size_us,
                                  double max_us)
{
    const struct policy_phase *count = &p->own->job->phase[p->kind];
    struct virtual_run runs[2];
    double left;

    p->state = HFSP_SIZED;
    p->size_us = size_us;
    p->task_us = size_us / p->total;
    left = p->task_us * (count->total - count->done);
    if (left > 0)
        left -= work_done_by_attempts_us(self, p);
    add_to_virtual_cluster(self, p, runs,
                           describe_tasks_as_runs(count->total - count->done, left, max_us, runs));
}

static void record_mean_duration(struct policy *self, struct hfsp_phase *p, double mean_us)
{
    p->counted = true;
    self->kind[p->kind].means_sum += (int64_t)mean_us;
    self->kind[p->kind].means_n++;
    p->task_us = mean_us;
}

static void enter_with_measured_mean(struct policy *self, struct hfsp_phase *p, double factor)
{
    const struct policy_seen *seen = &p->own->job->seen[p->kind];
    double mean = (double)seen->work_us / seen->n;

    enter_with_known_size(self, p, mean * p->total * factor, 0);
    record_mean_duration(self, p, mean);
}

static void enter_training(struct policy *self, struct hfsp_phase *p)
{
    const struct policy_phase *count = &p->own->job->phase[p->kind];
    struct virtual_run run = {count->total - count->done, 0};

    p->state = HFSP_TRAINING;
    p->task_us = fmin((double)expected_task_us(self, p->kind) * self->set.xi, ENDLESS_US);
    p->size_us = p->task_us * p->total;
    run.left_us = p->task_us;
    add_to_virtual_cluster(self, p, &run, 1);
    hfsp_train_begin(self, p);
}

/* Adds the tasks of the phase to the model of fair sharing. Attempts that run or are suspended
 * already count as started there now, since their start under fair sharing is unknown. */
static void enter_virtual_fair(struct policy *self, const struct hfsp_phase *p)
{
    const struct policy_phase *count = &p->own->job->phase[p->kind];
    int32_t running = count->running + count->suspended;

    if (!p->own->fair)
        return;
    virtual_fair_advance(self->fair, self->now_us);
    virtual_fair_set_task_duration(self->fair, p->own->fair, p->kind,
                                   p->state == HFSP_SIZED ? hfsp_bounded_us(p->task_us) : -1);
    virtual_fair_add_tasks(self->fair, p->own->fair, p->kind, p->total - count->done - running,
                           running, count->done);
}

void hfsp_phase_enter_virtual_cluster(struct policy *self, struct hfsp_phase *p)
{
    const struct policy_job *job = p->own->job;
    const struct policy_size *size = &job->size[p->kind];
    double factor = size_factor(self, p);
    int32_t tasks;

    p->total = job->phase[p->kind].total;
    tasks = policy_job_tasks(job, p->kind, p->total);
    p->sample_n = self->set.sample[p->kind] < tasks ? self->set.sample[p->kind] : tasks;
    if (self->set.sizes == HFSP_SIZES_GIVEN && size->given_us > 0)
        enter_with_known_size(self, p, (double)size->given_us * factor,
                              (double)size->given_max_us * factor);
    else if (self->set.sizes == HFSP_SIZES_TRUE && size->true_us > 0)
        enter_with_known_size(self, p, (double)size->true_us * factor, 0);
    else if (!job->is_job) /* ends of containers are not reported, so their size remains a guess */
        enter_with_known_size(self, p, (double)expected_task_us(self, p->kind) * p->total, 0);
    else if (tasks < self->set.min_tasks)
        enter_with_known_size(self, p, 0, 0);
    else if (job->seen[p->kind].n >= p->sample_n)
        enter_with_measured_mean(self, p, factor);
    else
        enter_training(self, p);
    enter_virtual_fair(self, p);
}

void hfsp_phase_change_total(struct policy *self, struct hfsp_phase *p, int32_t more)
{
    struct hfsp_kind *ks = &self->kind[p->kind];
    struct virtual_run runs[2];
    int32_t tasks;
    double left;

    p->total += more;
    if (more < 0 && p->own->job->phase[p->kind].pending > p->pending + more)
        return; /* the tasks have started, so their work stays */
    if (p->own->fair) {
        virtual_fair_advance(self->fair, self->now_us);
        virtual_fair_add_tasks(self->fair, p->own->fair, p->kind, more, 0, 0);
    }
    hfsp_virtual_advance(self, p->kind);
    tasks = virtual_cluster_tasks_left(ks->vc, p->virtual) + more;
    left = virtual_cluster_work_left(ks->vc, p->virtual) + p->task_us * more;
    p->size_us = fmax(p->size_us + p->task_us * more, 0);
    virtual_cluster_replace_work(ks->vc, p->virtual, runs,
                                 describe_tasks_as_runs(tasks, left, 0, runs));
    ks->stale = true;
}

/* Returns the factor by which the mean input of all reduces exceeds that of the sample, because
 * tasks differ in input; 1 for maps, when bytes are unknown, or while fewer reduces than the sample
 * have ended. */
static double input_bytes_factor(const struct hfsp_phase *p)
{
    const struct policy_job *job = p->own->job;
    const struct policy_seen *seen = &job->seen[p->kind];
    double all = (double)job->size[p->kind].bytes / policy_job_tasks(job, p->kind, p->total);

    if (p->kind != BASE_TASK_REDUCE || all <= 0 || seen->bytes_in <= 0 || seen->n < p->sample_n)
        return 1;
    return all / ((double)seen->bytes_in / seen->n);
}

/* Writes the durations of the sample to @x[sample_n], and to @ended how many of its tasks have
 * ended. Returns the sum of the work done. */
static double collect_sample_measurements(const struct hfsp_phase *p, int64_t *x, int32_t *ended)
{
    const struct policy_seen *seen = &p->own->job->seen[p->kind];
    double work = 0;
    int32_t n = 0;

    *ended = p->known;
    for (; n < p->known; n++) { /* for tasks that ended earlier, only the mean is known */
        x[n] = seen->work_us / seen->n;
        work += (double)x[n];
    }
    for (int32_t i = 0; i < p->started; i++) {
        x[n++] = p->sample[i].lasts_us;
        work += (double)p->sample[i].work_us;
        *ended += !p->sample[i].running;
    }
    return work;
}

void hfsp_phase_size_from_sample(struct policy *self, struct hfsp_phase *p)
{
    struct hfsp_kind *ks = &self->kind[p->kind];
    struct virtual_run runs[ESTIMATOR_RUNS];
    struct estimator_fit fit;
    int64_t *x = base_alloc((size_t)p->sample_n * sizeof *x);
    int32_t ended, left;
    int32_t width = policy_job_width(p->own->job, p->kind);
    double work = collect_sample_measurements(p, x, &ended) * width, sum = 0, mean;

    for (int32_t i = 0; i < p->sample_n; i++)
        sum += (double)x[i];
    mean = sum / p->sample_n;
    estimator_fit(&fit, self->set.estimator, x, (size_t)p->sample_n);
    free(x);
    p->size_us =
        estimator_total_duration_us(&fit, p->total) * input_bytes_factor(p) * size_factor(self, p);
    hfsp_virtual_advance(self, p->kind);
    left = p->total - ended * width;
    if (self->set.resize == HFSP_RESIZE_VIRTUAL) {
        work = virtual_cluster_service_received(ks->vc, p->virtual);
        left = p->total;
    }
    hfsp_train_end(self, p);
    p->state = HFSP_SIZED;
    record_mean_duration(self, p, mean);
    if (p->own->fair) {
        virtual_fair_advance(self->fair, self->now_us);
        virtual_fair_set_task_duration(self->fair, p->own->fair, p->kind,
                                       hfsp_bounded_us(p->size_us / p->total));
    }
    virtual_cluster_replace_work(ks->vc, p->virtual, runs,
                                 estimator_make_runs(&fit, left, p->size_us - work, runs));
    ks->stale = true;
    hfsp_phase_update_lists(self, p);
}

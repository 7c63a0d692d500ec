/* hSRTF: estimates durations of tasks and jobs, and computes the shares of jobs.
 * SOURCE: Cheriere et al., SAC 2016, equations 1 to 5. */
#include <stdlib.h>

#include "policies/hsrtf/hsrtf_internal.h"

#define PROGRESS_MIN 0.02              /* with less progress, elapsed / progress is meaningless */
#define UNKNOWN_US   INT64_C(30000000) /* assumed duration of a map when nothing is known */

/* Returns the slots of the unfinished tasks: a wide task counts as that many tasks of one slot. */
static int64_t unfinished_tasks(const struct policy_job *job, enum base_task_kind kind)
{
    return job->phase[kind].total - job->phase[kind].done;
}

static int64_t at_least_one(int64_t x)
{
    return x > 1 ? x : 1;
}

static bool are_maps_done(const struct policy_job *job)
{
    return job->maps_done_us > 0 || unfinished_tasks(job, BASE_TASK_MAP) <= 0;
}

/* Projects the duration of an attempt from its progress. Returns false when the attempt has made
 * too little progress. Shuffle, sort and the reduce function make up a third of a reduce's progress
 * each; the duration is measured on the function only, from the end of the maps on. SOURCE: Hadoop
 * 1's progress score. */
static bool project_duration(const struct policy_running *r, int64_t now_us, double *out)
{
    double p = r->progress;
    int64_t from = r->started_us;

    if (r->kind == BASE_TASK_REDUCE && r->job->is_job) {
        p = 3 * (p - 2.0 / 3);
        if (r->job->maps_done_us > from)
            from = r->job->maps_done_us;
    }
    if (p < PROGRESS_MIN || now_us <= from)
        return false;
    *out = (double)(now_us - from) / p;
    return true;
}

void hsrtf_measure_task_durations(const struct policy *self, struct hsrtf_job *own, int64_t now_us)
{
    const struct policy_job *job = own->job;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct policy_running r;
        void *cursor = NULL;
        double sum = (double)job->seen[k].work_us, one;
        int64_t n = job->seen[k].n;

        if (k == BASE_TASK_REDUCE && !are_maps_done(job))
            continue;
        if (job->phase[k].running > 0)
            while (self->env->running(self->env->core, job, k, &cursor, &r))
                if (!r.suspended && project_duration(&r, now_us, &one)) {
                    sum += one;
                    n++;
                }
        if (n > 0)
            own->own_us[k] = at_least_one((int64_t)(sum / (double)n + 0.5));
    }
}

/* Sets own_us of a job without measurements from its ended tasks. This is enough between epochs,
 * which also measure running tasks. */
static void measure_ended_tasks(struct hsrtf_job *own)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (own->own_us[k] == 0 && own->job->seen[k].n > 0 &&
            (k == BASE_TASK_MAP || are_maps_done(own->job)))
            own->own_us[k] = at_least_one(own->job->seen[k].work_us / own->job->seen[k].n);
}

static int64_t given_task_us(const struct policy_job *job, enum base_task_kind kind)
{
    return job->phase[kind].total > 0 ? job->size[kind].given_us / job->phase[kind].total : 0;
}

/* Returns the duration of a reduce of @job by equation 2. A job whose input is unknown is assumed
 * to read a block per map. */
static int64_t reduce_duration_from_map_us(const struct policy_job *job, int64_t avg_map_us)
{
    int64_t maps = policy_job_tasks(job, BASE_TASK_MAP, job->phase[BASE_TASK_MAP].total);
    int64_t block = job->size[BASE_TASK_MAP].bytes_max > 0 ? job->size[BASE_TASK_MAP].bytes_max
                                                           : HSRTF_BLOCK_BYTES;
    int64_t input = job->size[BASE_TASK_MAP].bytes;
    double selectivity = 1;

    if (input <= 0)
        input = maps * block;
    if (input <= 0)
        return avg_map_us;
    if (job->seen[BASE_TASK_MAP].bytes_in > 0 && job->seen[BASE_TASK_MAP].bytes_out > 0)
        selectivity =
            (double)job->seen[BASE_TASK_MAP].bytes_out / (double)job->seen[BASE_TASK_MAP].bytes_in;
    return hsrtf_reduce_duration_us(
        input, selectivity,
        policy_job_tasks(job, BASE_TASK_REDUCE, job->phase[BASE_TASK_REDUCE].total), block,
        avg_map_us);
}

/* Computes the durations assumed for a job without measurements: the means of jobs with
 * measurements; otherwise those of the job that ended last; otherwise those of the cluster's recent
 * tasks, which may have run under another policy. 0: unknown. */
static void compute_assumed_durations(const struct policy *self, int64_t prior_us[BASE_TASK_KINDS])
{
    int64_t sum[BASE_TASK_KINDS] = {0}, n[BASE_TASK_KINDS] = {0};

    for (const struct hsrtf_job *o = self->first; o; o = o->next)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            if (o->own_us[k] > 0) {
                sum[k] += o->own_us[k];
                n[k]++;
            }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        if (n[BASE_TASK_MAP] + n[BASE_TASK_REDUCE] > 0)
            prior_us[k] = n[k] > 0 ? sum[k] / n[k] : 0;
        else if (self->ended_us[BASE_TASK_MAP] + self->ended_us[BASE_TASK_REDUCE] > 0)
            prior_us[k] = self->ended_us[k];
        else
            prior_us[k] = policy_learned_recent_mean_us(self->env->learned, k);
    }
}

static void choose_average_durations(struct hsrtf_job *own, const int64_t prior_us[BASE_TASK_KINDS])
{
    const struct policy_job *job = own->job;
    int64_t given = given_task_us(job, BASE_TASK_MAP), map;

    map = own->own_us[BASE_TASK_MAP] > 0 ? own->own_us[BASE_TASK_MAP]
          : given > 0                    ? given
          : prior_us[BASE_TASK_MAP] > 0  ? prior_us[BASE_TASK_MAP]
                                         : UNKNOWN_US;
    own->avg_us[BASE_TASK_MAP] = map;
    given = given_task_us(job, BASE_TASK_REDUCE);
    if (own->own_us[BASE_TASK_REDUCE] > 0)
        own->avg_us[BASE_TASK_REDUCE] = own->own_us[BASE_TASK_REDUCE];
    else if (given > 0)
        own->avg_us[BASE_TASK_REDUCE] = given;
    else if (own->own_us[BASE_TASK_MAP] > 0 || prior_us[BASE_TASK_REDUCE] <= 0)
        own->avg_us[BASE_TASK_REDUCE] = reduce_duration_from_map_us(job, map);
    else
        own->avg_us[BASE_TASK_REDUCE] = prior_us[BASE_TASK_REDUCE];
}

/* Returns the remaining time by equation 1 on @part of the cluster; @all: as if no task were done.
 * An application between two requests counts as having one task left, because only its master knows
 * when it is done. */
static int64_t remaining_time_us(const struct policy *self, const struct hsrtf_job *own,
                                 double part, bool all)
{
    const struct policy_capacity *capacity = self->env->capacity;
    int64_t tasks[BASE_TASK_KINDS];
    double slots[BASE_TASK_KINDS];

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        tasks[k] = all ? own->job->phase[k].total : unfinished_tasks(own->job, k);
        slots[k] = (double)capacity->slots[k] * part;
    }
    if (!own->job->is_job && tasks[BASE_TASK_MAP] + tasks[BASE_TASK_REDUCE] <= 0)
        tasks[BASE_TASK_MAP] = 1;
    return hsrtf_remaining_time_us(tasks, own->avg_us, slots, self->fluid);
}

static int compare_by_remaining_time(const void *a, const void *b)
{
    const struct hsrtf_scratch *x = a, *y = b;

    if (x->own->rt_us != y->own->rt_us)
        return x->own->rt_us < y->own->rt_us ? -1 : 1;
    if (x->work_us != y->work_us)
        return x->work_us < y->work_us ? -1 : 1;
    return policy_job_before(x->own->job, y->own->job) ? -1 : 1;
}

/* distance between keys, which leaves space for jobs that arrive before the next ranking */
#define RANK_GAP (INT64_C(1) << 32)

/* Sorts the jobs by remaining time, jobs with equal times by remaining work, and sets keys by rank.
 * There must be at least one job. */
static void rank_jobs_by_remaining_time(struct policy *self)
{
    size_t n = 0;

    for (struct hsrtf_job *o = self->first; o; o = o->next) {
        int64_t work = 0;

        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            work += hsrtf_slot_time_us(unfinished_tasks(o->job, k), o->avg_us[k]);
        self->scratch[n++] = (struct hsrtf_scratch){.own = o, .work_us = work};
    }
    qsort(self->scratch, n, sizeof *self->scratch, compare_by_remaining_time);
    for (size_t i = 0; i < n; i++)
        self->scratch[i].own->key = (int64_t)i * RANK_GAP;
}

void hsrtf_estimate_all_jobs(struct policy *self)
{
    for (struct hsrtf_job *o = self->first; o; o = o->next)
        measure_ended_tasks(o);
    compute_assumed_durations(self, self->prior_us);
    self->inverse_sum = 0;
    for (struct hsrtf_job *o = self->first; o; o = o->next) {
        choose_average_durations(o, self->prior_us);
        o->rt_us = remaining_time_us(self, o, 1, false);
        o->key = o->rt_us;
        self->inverse_sum += 1 / (double)o->rt_us;
    }
    if (self->ties_by_work && self->n > 0)
        rank_jobs_by_remaining_time(self);
}

/* Returns a key between those of the ranked jobs with at most as much remaining time as @own and
 * those with more. */
static int64_t key_among_ranked_jobs(const struct policy *self, const struct hsrtf_job *own)
{
    const struct hsrtf_job *below = NULL, *above = NULL;

    for (const struct hsrtf_job *o = self->first; o; o = o->next) {
        if (o == own)
            continue;
        if (o->rt_us <= own->rt_us && (!below || o->key > below->key))
            below = o;
        else if (o->rt_us > own->rt_us && (!above || o->key < above->key))
            above = o;
    }
    if (below && above)
        return below->key + (above->key - below->key) / 2;
    return below ? below->key + RANK_GAP : above ? above->key - RANK_GAP : 0;
}

void hsrtf_estimate_job(const struct policy *self, struct hsrtf_job *own)
{
    measure_ended_tasks(own);
    choose_average_durations(own, self->prior_us);
    own->rt_us = remaining_time_us(self, own, 1, false);
    own->share = 1 / (double)own->rt_us / (self->inverse_sum + 1 / (double)own->rt_us);
    own->key = self->ties_by_work ? key_among_ranked_jobs(self, own) : own->rt_us;
}

/* ---------------------------------------------------------------- shares */
/* Returns the number of tasks that run, are suspended, or could be launched now. The counts of a
 * job that has just arrived are still 0; its first tasks will be launchable at once, so all of them
 * count. */
static int64_t count_running_and_runnable(const struct policy_job *job, enum base_task_kind kind)
{
    const struct policy_phase *phase = &job->phase[kind];
    int64_t counted = (int64_t)phase->running + phase->pending + phase->suspended;
    bool first = kind == BASE_TASK_MAP || job->phase[BASE_TASK_MAP].total == 0;

    return counted == 0 && phase->done == 0 && first ? phase->total : counted;
}

int64_t hsrtf_provisional_target(const struct policy *self, const struct hsrtf_job *own,
                                 enum base_task_kind kind)
{
    int64_t want = count_running_and_runnable(own->job, kind),
            part = (int64_t)(own->share * (double)self->env->capacity->slots[kind] + 0.5);

    if (part < 1)
        part = 1;
    return part < want ? part : want;
}

static void compute_slot_targets(struct policy *self, size_t n, enum base_task_kind kind)
{
    for (size_t i = 0; i < n; i++) {
        const struct hsrtf_job *o = self->scratch[i].own;

        self->claims[i] = (struct hsrtf_claim){.share = o->share,
                                               .demand = count_running_and_runnable(o->job, kind)};
    }
    hsrtf_split_slots(self->claims, n, self->env->capacity->slots[kind]);
    for (size_t i = 0; i < n; i++) {
        struct hsrtf_job *o = self->scratch[self->claims[i].at].own;

        o->target[kind] = self->claims[i].target;
        o->demanded[kind] = self->claims[i].demand > 0;
    }
}

/* Collects the jobs with unfinished tasks, which share the cluster, and clears the shares and
 * targets of the others. Returns the number of jobs. */
static size_t collect_sharing_jobs(struct policy *self)
{
    size_t n = 0;

    for (struct hsrtf_job *o = self->first; o; o = o->next) {
        if (unfinished_tasks(o->job, BASE_TASK_MAP) + unfinished_tasks(o->job, BASE_TASK_REDUCE) >
            0) {
            self->scratch[n].own = o;
            self->rts_us[n++] = o->rt_us;
        } else {
            o->share = o->epoch_share = 0;
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
                o->target[k] = 0;
                o->demanded[k] = false;
            }
        }
    }
    return n;
}

/* A share depends on how starved the job is, and starvation depends on a share: that of the last
 * epoch, or the one by equation 3 for a job that has arrived since. */
void hsrtf_compute_shares(struct policy *self, int64_t now_us, bool epoch)
{
    size_t n = collect_sharing_jobs(self);

    if (n == 0)
        return;
    hsrtf_inverse_shares(self->rts_us, n, self->shares);
    for (size_t i = 0; i < n; i++) {
        const struct hsrtf_job *o = self->scratch[i].own;
        double part = o->epoch_share > 0 ? o->epoch_share : self->shares[i];

        self->starvations[i] =
            hsrtf_starvation(now_us - o->job->submit_us, remaining_time_us(self, o, part, false),
                             remaining_time_us(self, o, 1, true));
    }
    hsrtf_apply_starvation(self->shares, self->starvations, n);
    for (size_t i = 0; i < n; i++) {
        struct hsrtf_job *o = self->scratch[i].own;

        o->share = self->shares[i];
        if (epoch)
            o->epoch_share = o->share;
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        compute_slot_targets(self, n, k);
}

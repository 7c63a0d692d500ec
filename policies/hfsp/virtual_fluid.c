/* Processor sharing with divisible slots: max-min fairness with weights and caps, computed by
 * water-filling from one event to the next.
 *
 * A job is sharing while its tasks could use more slots than its weight entitles it to; afterwards
 * it is capped, with every task at full speed. Without arrivals the level only rises and tasks only
 * get fewer, so a capped job never shares again. The service per task of a sharing job grows with
 * the lag (the integral of the level over time), so its shortest run ends at a fixed lag; the
 * shortest run of a capped job ends at a fixed time. Three queues yield the next event: the lags of
 * sharing jobs, the levels (tasks per weight) at which they become capped, and the times at which
 * runs of capped jobs end. The first two are lists that stay nearly sorted from one call to the
 * next; heaps take the keys that are added during a call. */
#include "policies/hfsp/virtual_internal.h"

struct fluid {
    struct virtual_cluster *vc;
    double slots;
    double t, lag, level;
    double weights, weights_base; /* sum over sharing jobs; its value when last summed up */
    int64_t capped;               /* slots of capped jobs */
    int32_t shared;               /* number of sharing jobs */
    size_t lag_at, cap_at;
};

static void compute_and_sort_list_keys(struct fluid *f, enum vc_list list)
{
    struct vc_keys *k = &f->vc->list[list];

    vc_list_keep_active(f->vc, list);
    for (size_t i = 0; i < k->len; i++) {
        const struct vc_job *j = &f->vc->jobs[k->v[i].job];

        k->v[i].key = (list == VC_BY_LAG ? j->left : 1.0) * j->tasks / j->weight;
    }
    vc_keys_sort(f->vc, k, false);
}

static void sum_weights_of_sharing_jobs(struct fluid *f)
{
    const struct vc_keys *k = &f->vc->list[VC_BY_CAP];

    f->weights = 0;
    for (size_t i = 0; i < k->len; i++)
        if (f->vc->scratch[k->v[i].job].mode == VC_SHARED)
            f->weights += f->vc->jobs[k->v[i].job].weight;
    f->weights_base = f->weights;
}

/* Subtracts the weight of a job that stops sharing. The sum is computed again from time to time,
 * because differences of large sums lose small weights. */
static void subtract_sharing_weight(struct fluid *f, double weight)
{
    f->weights -= weight;
    if (--f->shared > 0 && f->weights < f->weights_base / 2)
        sum_weights_of_sharing_jobs(f);
}

static void raise_level_as_slots_allow(struct fluid *f)
{
    double level = f->shared ? (f->slots - (double)f->capped) / f->weights : VC_HUGE;

    if (level > f->level)
        f->level = level;
}

static void begin_fluid_computation(struct fluid *f)
{
    struct virtual_cluster *vc = f->vc;
    const struct vc_keys *k = &vc->list[VC_BY_LAG];

    if (vc->scratch_cap < vc->jobs_cap) {
        vc->scratch = base_realloc_array(vc->scratch, vc->jobs_cap, sizeof *vc->scratch);
        vc->scratch_cap = vc->jobs_cap;
    }
    vc->heap_lag.len = vc->heap_cap.len = vc->heap_end.len = 0;
    compute_and_sort_list_keys(f, VC_BY_LAG);
    compute_and_sort_list_keys(f, VC_BY_CAP);
    for (size_t i = 0; i < k->len; i++) {
        const struct vc_job *j = &vc->jobs[k->v[i].job];

        vc->scratch[k->v[i].job] = (struct vc_scratch){
            .at = k->v[i].key, .tasks = j->tasks, .run = j->more_at, .mode = VC_SHARED};
    }
    f->shared = (int32_t)k->len;
    sum_weights_of_sharing_jobs(f);
    raise_level_as_slots_allow(f);
}

/* Makes a sharing job capped: every task runs at full speed from now on. */
static void cap_job(struct fluid *f, int32_t job)
{
    struct vc_scratch *s = &f->vc->scratch[job];
    double weight = f->vc->jobs[job].weight;

    s->at = f->t + (s->at - f->lag) * weight / s->tasks;
    s->mode = VC_CAPPED;
    vc_heap_push(&f->vc->heap_end, s->at, job);
    f->capped += s->tasks;
    subtract_sharing_weight(f, weight);
    raise_level_as_slots_allow(f);
}

/* Caps the jobs whose tasks per weight the level has reached. */
static void cap_jobs_below_level(struct fluid *f)
{
    const struct vc_keys *list = &f->vc->list[VC_BY_CAP];
    struct vc_keys *heap = &f->vc->heap_cap;
    const struct vc_scratch *scratch = f->vc->scratch;

    while (f->shared > 0) {
        bool from_heap =
            heap->len && (f->cap_at == list->len || heap->v[0].key < list->v[f->cap_at].key);
        struct vc_key k;

        if (!from_heap && f->cap_at == list->len)
            return;
        k = from_heap ? heap->v[0] : list->v[f->cap_at];
        if (scratch[k.job].mode == VC_SHARED && k.key > f->level * (1 + VC_EPS_REL))
            return;
        if (from_heap)
            vc_heap_pop(heap);
        else
            f->cap_at++;
        if (scratch[k.job].mode == VC_SHARED &&
            k.key == scratch[k.job].tasks / f->vc->jobs[k.job].weight)
            cap_job(f, k.job);
    }
}

/* Finds the next lag at which a run of a sharing job ends. Returns false when no job shares. */
static bool find_next_sharing_run_end(struct fluid *f, struct vc_key *next, bool *from_heap)
{
    const struct vc_keys *list = &f->vc->list[VC_BY_LAG];
    struct vc_keys *heap = &f->vc->heap_lag;
    const struct vc_scratch *s = f->vc->scratch;

    while (f->lag_at < list->len && (s[list->v[f->lag_at].job].mode != VC_SHARED ||
                                     s[list->v[f->lag_at].job].at != list->v[f->lag_at].key))
        f->lag_at++;
    while (heap->len && s[heap->v[0].job].mode != VC_SHARED)
        vc_heap_pop(heap);
    *from_heap = heap->len && (f->lag_at == list->len || heap->v[0].key < list->v[f->lag_at].key);
    if (!*from_heap && f->lag_at == list->len)
        return false;
    *next = *from_heap ? heap->v[0] : list->v[f->lag_at];
    return true;
}

static void mark_job_ended_now(struct fluid *f, int32_t job)
{
    f->vc->scratch[job].mode = VC_ENDED;
    f->vc->scratch[job].ended = f->t;
}

/* Returns the number of tasks in the run that ends now. */
static int32_t tasks_of_ending_run(const struct vc_job *j, const struct vc_scratch *s)
{
    return s->run == j->more_at ? j->first : j->more[s->run - 1].tasks;
}

static void end_run_of_sharing_job(struct fluid *f, int32_t job)
{
    const struct vc_job *j = &f->vc->jobs[job];
    struct vc_scratch *s = &f->vc->scratch[job];

    s->tasks -= tasks_of_ending_run(j, s);
    if (s->run == j->more_n) {
        mark_job_ended_now(f, job);
        subtract_sharing_weight(f, j->weight);
        raise_level_as_slots_allow(f);
        return;
    }
    s->at = f->lag + j->more[s->run++].extra * s->tasks / j->weight;
    vc_heap_push(&f->vc->heap_lag, s->at, job);
    vc_heap_push(&f->vc->heap_cap, s->tasks / j->weight, job);
}

static void end_run_of_capped_job(struct fluid *f, int32_t job)
{
    const struct vc_job *j = &f->vc->jobs[job];
    struct vc_scratch *s = &f->vc->scratch[job];
    int32_t ended = tasks_of_ending_run(j, s);

    s->tasks -= ended;
    f->capped -= ended;
    if (s->run == j->more_n) {
        mark_job_ended_now(f, job);
    } else {
        s->at = f->t + j->more[s->run++].extra;
        vc_heap_push(&f->vc->heap_end, s->at, job);
    }
    raise_level_as_slots_allow(f);
}

/* Returns the time of the next end of a run; VC_HUGE: there is none. */
static double find_next_end(struct fluid *f, struct vc_key *shared, bool *is_shared,
                            bool *from_heap)
{
    const struct vc_keys *ends = &f->vc->heap_end;
    double at = VC_HUGE;

    *is_shared = f->shared > 0 && find_next_sharing_run_end(f, shared, from_heap);
    if (*is_shared) {
        at = f->t + (shared->key - f->lag) / f->level;
        if (at < f->t)
            at = f->t;
    }
    if (ends->len && ends->v[0].key <= at) {
        *is_shared = false;
        at = ends->v[0].key;
    }
    return at;
}

/* Processes the next end of a run. Returns false if there is none up to @limit. */
static bool process_next_end(struct fluid *f, double limit)
{
    struct vc_key shared;
    bool is_shared, from_heap = false;
    double at = find_next_end(f, &shared, &is_shared, &from_heap);
    int32_t job;

    if (at > limit || at >= VC_HUGE)
        return false;
    f->lag = is_shared ? shared.key : f->shared > 0 ? f->lag + (at - f->t) * f->level : f->lag;
    f->t = at;
    if (is_shared) {
        if (from_heap)
            vc_heap_pop(&f->vc->heap_lag);
        else
            f->lag_at++;
        end_run_of_sharing_job(f, shared.job);
    } else {
        job = f->vc->heap_end.v[0].job;
        vc_heap_pop(&f->vc->heap_end);
        end_run_of_capped_job(f, job);
    }
    cap_jobs_below_level(f);
    return true;
}

/* Computes the ends of all capped jobs, which no longer influence each other once no job shares. */
static void project_ends_of_capped_jobs(struct fluid *f)
{
    const struct vc_keys *ends = &f->vc->heap_end;

    for (size_t i = 0; i < ends->len; i++) {
        const struct vc_job *j = &f->vc->jobs[ends->v[i].job];
        struct vc_scratch *s = &f->vc->scratch[ends->v[i].job];

        s->ended = s->at;
        for (int32_t r = s->run; r < j->more_n; r++)
            s->ended += j->more[r].extra;
        s->mode = VC_ENDED;
    }
}

static void project_finishes(struct fluid *f)
{
    struct virtual_cluster *vc = f->vc;
    const struct vc_keys *k = &vc->list[VC_BY_CAP];

    while (f->shared > 0 && process_next_end(f, VC_HUGE))
        continue;
    project_ends_of_capped_jobs(f);
    for (size_t i = 0; i < k->len; i++) {
        const struct vc_scratch *s = &vc->scratch[k->v[i].job];

        vc->jobs[k->v[i].job].finish_us =
            vc_finish_us_after(vc, s->mode == VC_ENDED ? s->ended : VC_HUGE);
    }
}

/* Writes the state of @job at the end of the interval back to the virtual cluster. */
static void write_back_job(struct fluid *f, int32_t job, double limit, int64_t to_us)
{
    struct vc_job *j = &f->vc->jobs[job];
    const struct vc_scratch *s = &f->vc->scratch[job];

    if (s->mode == VC_ENDED) {
        vc_job_end_virtually(f->vc, job, s->ended, to_us);
        return;
    }
    if (s->run > j->more_at)
        j->first = j->more[s->run - 1].tasks;
    j->more_at = s->run;
    j->tasks = s->tasks;
    j->left = s->mode == VC_CAPPED ? s->at - limit : (s->at - f->lag) * j->weight / s->tasks;
    if (j->left < 0)
        j->left = 0;
}

/* Stores the level, and how long it holds: until the next end of a run. @from_us: the time that
 * f->t stands for. */
static void store_steady_rates(struct fluid *f, int64_t from_us)
{
    struct vc_key shared;
    bool is_shared, from_heap;
    double end = find_next_end(f, &shared, &is_shared, &from_heap);

    f->vc->steady = true;
    f->vc->steady_us = from_us;
    f->vc->level = f->level;
    f->vc->first_end = end - f->t;
}

void vc_fluid_advance_or_project(struct virtual_cluster *vc, int64_t to_us)
{
    struct fluid f = {.vc = vc, .slots = vc->slots > 0 ? (double)vc->slots : 1.0};
    const struct vc_keys *k = &vc->list[VC_BY_CAP];
    double limit = (double)(to_us - vc->now_us);

    begin_fluid_computation(&f);
    cap_jobs_below_level(&f);
    if (to_us < 0) {
        store_steady_rates(&f, vc->now_us);
        project_finishes(&f);
        return;
    }
    while (process_next_end(&f, limit + VC_EPS_US))
        continue;
    if (f.t < limit) {
        f.lag += f.shared > 0 ? (limit - f.t) * f.level : 0;
        f.t = limit;
    }
    for (size_t i = 0; i < k->len; i++)
        write_back_job(&f, k->v[i].job, limit, to_us);
    store_steady_rates(&f, to_us);
}

/* Processor sharing with whole slots. At every end of a task all slots are given out again, one per
 * turn, to the jobs in order of unfinished tasks, fewest first. The k-th slot of a job belongs to
 * the level k / weight, and slots are given out by rising level: this is a round robin for equal
 * weights, and in proportion to the weights otherwise. */
#include <string.h>

#include "policies/hfsp/virtual_internal.h"

static void reserve_another_run(struct vc_work *w)
{
    base_array_grow(&w->v, w->len, &w->cap);
}

/* Copies the runs of every active job to vc->work. */
static void copy_runs_of_active_jobs(struct virtual_cluster *vc)
{
    const struct vc_keys *k = &vc->list[VC_BY_CAP];

    vc_list_keep_active(vc, VC_BY_CAP);
    if (vc->work_cap < vc->jobs_cap) {
        vc->work = base_realloc_array(vc->work, vc->jobs_cap, sizeof *vc->work);
        memset(vc->work + vc->work_cap, 0, (vc->jobs_cap - vc->work_cap) * sizeof *vc->work);
        vc->work_cap = vc->jobs_cap;
    }
    for (size_t i = 0; i < k->len; i++) {
        const struct vc_job *j = &vc->jobs[k->v[i].job];
        struct vc_work *w = &vc->work[k->v[i].job];
        double left = j->left;

        w->len = 0;
        w->tasks = j->tasks;
        reserve_another_run(w);
        w->v[w->len++] = (struct virtual_run){j->first, left};
        for (int32_t m = j->more_at; m < j->more_n; m++) {
            left += j->more[m].extra;
            reserve_another_run(w);
            w->v[w->len++] = (struct virtual_run){j->more[m].tasks, left};
        }
    }
}

/* Returns the level of the fluid form for jobs sorted by tasks per weight. */
static double compute_fluid_level(struct virtual_cluster *vc, const struct vc_keys *by_cap,
                                  int64_t slots)
{
    double weights = 0, level;
    int64_t capped = 0;

    for (size_t i = 0; i < by_cap->len; i++)
        weights += vc->jobs[by_cap->v[i].job].weight;
    for (size_t i = 0; i < by_cap->len; i++) {
        level = (double)(slots - capped) / weights;
        if (by_cap->v[i].key > level * (1 + VC_EPS_REL))
            return level;
        capped += vc->work[by_cap->v[i].job].tasks;
        weights -= vc->jobs[by_cap->v[i].job].weight;
    }
    return VC_HUGE;
}

/* Computes the slots of every job of the list, and sorts the list by tasks per weight. */
static void assign_whole_slots_to_jobs(struct virtual_cluster *vc)
{
    struct vc_keys *k = &vc->list[VC_BY_CAP], *turn = &vc->heap_cap;
    int64_t slots = vc->slots > 0 ? vc->slots : 1;
    double level;

    for (size_t i = 0; i < k->len; i++)
        k->v[i].key = vc->work[k->v[i].job].tasks / vc->jobs[k->v[i].job].weight;
    vc_keys_sort(vc, k, true);
    level = compute_fluid_level(vc, k, slots);
    turn->len = 0;
    for (size_t i = 0; i < k->len; i++) {
        struct vc_work *w = &vc->work[k->v[i].job];
        double weight = vc->jobs[k->v[i].job].weight, share = level * weight * (1 + VC_EPS_REL);

        w->slots = share >= w->tasks ? w->tasks : (int32_t)share;
        slots -= w->slots;
        if (w->slots < w->tasks)
            vc_keys_add(turn, (w->slots + 1) / weight, k->v[i].job);
    }
    vc_keys_sort(vc, turn, false); /* stable: fewest tasks first among equals */
    for (size_t i = 0; i < turn->len && slots > 0; i++, slots--)
        vc->work[turn->v[i].job].slots++;
}

/* Lets the first w->slots tasks run for @dt, and removes tasks that end. */
static void advance_running_tasks(struct vc_work *w, double dt)
{
    int32_t run = w->slots;
    size_t kept = 0;

    for (size_t i = 0; i < w->len && run > 0; i++) {
        if (w->v[i].tasks > run) {
            reserve_another_run(w);
            memmove(w->v + i + 1, w->v + i, (w->len - i) * sizeof *w->v);
            w->len++;
            w->v[i].tasks = run;
            w->v[i + 1].tasks -= run;
        }
        run -= w->v[i].tasks;
        w->v[i].left_us -= dt;
    }
    for (size_t i = 0; i < w->len; i++) {
        if (w->v[i].left_us <= VC_EPS_US)
            w->tasks -= w->v[i].tasks;
        else if (kept > 0 && w->v[i].left_us - w->v[kept - 1].left_us <= VC_EPS_US)
            w->v[kept - 1].tasks += w->v[i].tasks;
        else
            w->v[kept++] = w->v[i];
    }
    w->len = kept;
}

/* Returns the time to the next end of a running task; VC_HUGE: none runs. */
static double time_to_next_end(const struct virtual_cluster *vc)
{
    const struct vc_keys *k = &vc->list[VC_BY_CAP];
    double dt = VC_HUGE;

    for (size_t i = 0; i < k->len; i++) {
        const struct vc_work *w = &vc->work[k->v[i].job];

        if (w->slots > 0 && w->v[0].left_us < dt)
            dt = w->v[0].left_us;
    }
    return dt;
}

/* Lets all jobs run for @dt, until the time @at; jobs without tasks leave the list. */
static void advance_all_jobs(struct virtual_cluster *vc, double dt, double at)
{
    struct vc_keys *k = &vc->list[VC_BY_CAP];
    size_t kept = 0;

    for (size_t i = 0; i < k->len; i++) {
        int32_t job = k->v[i].job;

        advance_running_tasks(&vc->work[job], dt);
        if (vc->work[job].tasks > 0) {
            k->v[kept++] = k->v[i];
        } else {
            vc->scratch[job].mode = VC_ENDED;
            vc->scratch[job].ended = at;
        }
    }
    k->len = kept;
}

static void write_back_job(struct virtual_cluster *vc, int32_t job, int64_t to_us)
{
    struct vc_job *j = &vc->jobs[job];

    if (vc->scratch[job].mode == VC_ENDED)
        vc_job_end_virtually(vc, job, vc->scratch[job].ended, to_us);
    else
        vc_job_set_runs(j, vc->work[job].v, vc->work[job].len);
}

void vc_slots_advance_or_project(struct virtual_cluster *vc, int64_t to_us)
{
    struct vc_keys *k = &vc->list[VC_BY_CAP], *all = &vc->heap_lag;
    double t = 0, limit = to_us < 0 ? VC_HUGE : (double)(to_us - vc->now_us), dt;

    copy_runs_of_active_jobs(vc);
    if (vc->scratch_cap < vc->jobs_cap) {
        vc->scratch = base_realloc_array(vc->scratch, vc->jobs_cap, sizeof *vc->scratch);
        vc->scratch_cap = vc->jobs_cap;
    }
    all->len = 0;
    for (size_t i = 0; i < k->len; i++) {
        vc_keys_add(all, 0, k->v[i].job);
        vc->scratch[k->v[i].job].mode = VC_SHARED;
    }
    while (k->len > 0 && t < limit) {
        assign_whole_slots_to_jobs(vc);
        dt = time_to_next_end(vc);
        if (dt > limit - t)
            dt = limit - t;
        t += dt;
        advance_all_jobs(vc, dt, t);
    }
    for (size_t i = 0; i < all->len; i++) {
        if (to_us < 0)
            vc->jobs[all->v[i].job].finish_us =
                vc_finish_us_after(vc, vc->scratch[all->v[i].job].ended);
        else
            write_back_job(vc, all->v[i].job, to_us);
    }
    k->len = 0; /* restore the list */
    for (size_t i = 0; i < all->len; i++)
        vc_keys_add(k, 0, all->v[i].job);
}

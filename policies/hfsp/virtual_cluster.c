/* The virtual cluster: its jobs, their runs of tasks, and their order. The arithmetic of sharing is
 * in virtual_fluid.c and virtual_slots.c. */
#include "policies/hfsp/virtual_cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/heap.h"
#include "policies/hfsp/virtual_internal.h"

/* With VIRTUAL_BY_REMAINING, subtracted from the keys of ended jobs, which come before all others.
 */
#define OVER_BELOW ((int64_t)1 << 52)
#define WEIGHT_MAX 1e9 /* weights are clamped to 1/WEIGHT_MAX..WEIGHT_MAX */

struct virtual_cluster *virtual_cluster_new(enum virtual_form form, enum virtual_order order,
                                            int64_t slots, int64_t now_us)
{
    struct virtual_cluster *vc = base_alloc(sizeof *vc);

    vc->form = form;
    vc->order_by = order;
    vc->slots = slots;
    vc->now_us = now_us;
    vc->free_first = -1;
    vc->projected = true;
    return vc;
}

void virtual_cluster_free(struct virtual_cluster *vc)
{
    if (!vc)
        return;
    for (size_t i = 0; i < vc->jobs_n; i++)
        free(vc->jobs[i].more);
    for (size_t i = 0; i < vc->work_cap; i++)
        free(vc->work[i].v);
    for (size_t i = 0; i < VC_LISTS; i++)
        free(vc->list[i].v);
    free(vc->jobs);
    free(vc->order);
    free(vc->scratch);
    free(vc->tmp.v);
    free(vc->heap_lag.v);
    free(vc->heap_cap.v);
    free(vc->heap_end.v);
    free(vc->work);
    free(vc);
}

/* ---- keys ---- */
void vc_keys_add(struct vc_keys *k, double key, int32_t job)
{
    base_array_grow(&k->v, k->len, &k->cap);
    k->v[k->len++] = (struct vc_key){key, job};
}

static bool comes_first_among_equals(const struct virtual_cluster *vc, int32_t x, int32_t y)
{
    const struct vc_job *a = &vc->jobs[x], *b = &vc->jobs[y];

    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    if (a->cluster_ts != b->cluster_ts)
        return a->cluster_ts < b->cluster_ts;
    return a->seq < b->seq;
}

static inline bool is_key_before(const struct virtual_cluster *vc, const struct vc_key *a,
                                 const struct vc_key *b, bool ties)
{
    if (a->key < b->key)
        return true;
    return ties && a->key == b->key && comes_first_among_equals(vc, a->job, b->job);
}

/* Returns false, with the keys partly sorted, when too many moves would be needed. */
static bool try_insertion_sort(const struct virtual_cluster *vc, struct vc_keys *k, bool ties)
{
    size_t budget = 6 * k->len + 64;

    for (size_t i = 1; i < k->len; i++) {
        struct vc_key x = k->v[i];
        size_t at = i;

        while (at > 0 && is_key_before(vc, &x, &k->v[at - 1], ties)) {
            k->v[at] = k->v[at - 1];
            at--;
        }
        k->v[at] = x;
        if (i - at > budget)
            return false;
        budget -= i - at;
    }
    return true;
}

static void merge_keys(const struct virtual_cluster *vc, const struct vc_key *a, size_t an,
                       const struct vc_key *b, size_t bn, struct vc_key *to, bool ties)
{
    size_t i = 0, j = 0;

    while (i < an && j < bn)
        *to++ = is_key_before(vc, &b[j], &a[i], ties) ? b[j++] : a[i++];
    if (i < an)
        memcpy(to, a + i, (an - i) * sizeof *a);
    if (j < bn)
        memcpy(to, b + j, (bn - j) * sizeof *b);
}

void vc_keys_sort(struct virtual_cluster *vc, struct vc_keys *k, bool ties)
{
    if (try_insertion_sort(vc, k, ties))
        return;
    if (vc->tmp.cap < k->cap) {
        vc->tmp.v = base_realloc_array(vc->tmp.v, k->cap, sizeof *vc->tmp.v);
        vc->tmp.cap = k->cap;
    }
    for (size_t width = 1; width < k->len; width *= 2) {
        for (size_t i = 0; i < k->len; i += 2 * width) {
            size_t mid = i + width < k->len ? i + width : k->len;
            size_t end = mid + width < k->len ? mid + width : k->len;

            merge_keys(vc, k->v + i, mid - i, k->v + mid, end - mid, vc->tmp.v + i, ties);
        }
        memcpy(k->v, vc->tmp.v, k->len * sizeof *k->v);
    }
}

static bool has_smaller_key(struct vc_key a, struct vc_key b)
{
    return a.key < b.key;
}

BASE_HEAP_SIFT(sift, struct vc_key, has_smaller_key, BASE_HEAP_NO_INDEX)

void vc_heap_push(struct vc_keys *h, double key, int32_t job)
{
    vc_keys_add(h, key, job);
    sift(h->v, h->len, h->len - 1);
}

void vc_heap_pop(struct vc_keys *h)
{
    h->v[0] = h->v[--h->len];
    sift(h->v, h->len, 0);
}

static void add_to_list(struct virtual_cluster *vc, enum vc_list list, int32_t job)
{
    struct vc_job *j = &vc->jobs[job];

    if (j->listed & 1u << list)
        return;
    j->listed = (uint8_t)(j->listed | 1u << list);
    vc_keys_add(&vc->list[list], 0, job);
}

static void filter_list(struct virtual_cluster *vc, enum vc_list list,
                        bool (*keep)(const struct vc_job *j))
{
    struct vc_keys *k = &vc->list[list];
    size_t kept = 0;

    for (size_t i = 0; i < k->len; i++) {
        struct vc_job *j = &vc->jobs[k->v[i].job];

        if (keep(j))
            k->v[kept++] = k->v[i];
        else
            j->listed = (uint8_t)(j->listed & ~(1u << list));
    }
    k->len = kept;
}

static bool is_job_active(const struct vc_job *j)
{
    return j->state == VC_ACTIVE;
}

void vc_list_keep_active(struct virtual_cluster *vc, enum vc_list list)
{
    filter_list(vc, list, is_job_active);
}

/* ---- jobs ---- */
void vc_job_set_runs(struct vc_job *j, const struct virtual_run *runs, size_t n)
{
    double last = 0;

    j->tasks = j->first = j->more_at = j->more_n = 0;
    j->left = 0;
    for (size_t i = 0; i < n; i++) {
        double left = runs[i].left_us < last ? last : runs[i].left_us; /* less only by rounding */

        if (runs[i].tasks <= 0 || left <= VC_EPS_US)
            continue;
        if (j->tasks == 0) {
            j->left = left;
            j->first = runs[i].tasks;
        } else {
            size_t cap = (size_t)j->more_cap;

            base_array_grow(&j->more, (size_t)j->more_n, &cap);
            j->more_cap = (int32_t)cap;
            j->more[j->more_n++] = (struct vc_more){runs[i].tasks, left - last};
        }
        j->tasks += runs[i].tasks;
        last = left;
    }
}

double vc_job_work_left(const struct vc_job *j)
{
    int32_t tasks = j->tasks - j->first;
    double work = j->left * j->tasks;

    for (int32_t i = j->more_at; i < j->more_n; i++) {
        work += tasks * j->more[i].extra;
        tasks -= j->more[i].tasks;
    }
    return work;
}

int64_t vc_finish_us_after(const struct virtual_cluster *vc, double after)
{
    return after >= (double)VIRTUAL_NEVER / 2 ? VIRTUAL_NEVER : vc->now_us + (int64_t)(after + 0.5);
}

void vc_job_end_virtually(struct virtual_cluster *vc, int32_t job, double after_us,
                          int64_t latest_us)
{
    struct vc_job *j = &vc->jobs[job];

    if (!vc->projected)
        j->finish_us = vc_finish_us_after(vc, after_us);
    if (j->finish_us > latest_us)
        j->finish_us = latest_us; /* later only by rounding */
    j->state = VC_OVER;
    j->tasks = j->first = 0;
    j->left = 0;
    j->more_at = j->more_n = 0;
}

static void free_handle(struct virtual_cluster *vc, int32_t job)
{
    struct vc_job *j = &vc->jobs[job];

    j->state = VC_FREE;
    j->next_free = vc->free_first;
    vc->free_first = job;
}

static int32_t take_handle(struct virtual_cluster *vc)
{
    int32_t job = vc->free_first;

    if (job >= 0) {
        vc->free_first = vc->jobs[job].next_free;
        return job;
    }
    base_array_grow(&vc->jobs, vc->jobs_n, &vc->jobs_cap);
    vc->jobs[vc->jobs_n] = (struct vc_job){0};
    return (int32_t)vc->jobs_n++;
}

static void set_work_of_job(struct virtual_cluster *vc, int32_t job, const struct virtual_run *runs,
                            size_t n)
{
    struct vc_job *j = &vc->jobs[job];

    vc_job_set_runs(j, runs, n);
    j->work_set = vc_job_work_left(j);
    j->state = j->tasks ? VC_ACTIVE : VC_OVER;
    j->finish_us = vc->now_us;
    vc->steady = vc->projected = false;
    add_to_list(vc, VC_ORDER, job);
    if (j->state == VC_ACTIVE) {
        add_to_list(vc, VC_BY_LAG, job);
        add_to_list(vc, VC_BY_CAP, job);
    }
}

int32_t virtual_cluster_add_job(struct virtual_cluster *vc, int64_t submit_us, int64_t cluster_ts,
                                int32_t seq, double weight, const struct virtual_run *runs,
                                size_t n)
{
    int32_t job = take_handle(vc);
    struct vc_job *j = &vc->jobs[job];

    base_assert(weight > 0);
    *j = (struct vc_job){.weight = fmin(fmax(weight, 1 / WEIGHT_MAX), WEIGHT_MAX),
                         .more = j->more,
                         .more_cap = j->more_cap,
                         .listed = j->listed,
                         .submit_us = submit_us,
                         .cluster_ts = cluster_ts,
                         .seq = seq};
    set_work_of_job(vc, job, runs, n);
    return job;
}

void virtual_cluster_replace_work(struct virtual_cluster *vc, int32_t job,
                                  const struct virtual_run *runs, size_t n)
{
    struct vc_job *j = &vc->jobs[job];

    base_assert(j->state != VC_FREE && !j->left_really);
    j->received += j->work_set - vc_job_work_left(j);
    set_work_of_job(vc, job, runs, n);
}

void virtual_cluster_reduce_work(struct virtual_cluster *vc, int32_t job, double work)
{
    struct vc_job *j = &vc->jobs[job];
    double left = vc_job_work_left(j), rest = left > work ? (left - work) / left : 0;

    base_assert(j->state != VC_FREE && !j->left_really);
    if (j->state == VC_OVER || work <= 0)
        return;
    vc->steady = vc->projected = false;
    j->left *= rest;
    for (int32_t i = j->more_at; i < j->more_n; i++)
        j->more[i].extra *= rest;
    j->work_set -= left - vc_job_work_left(j);
    if (rest <= 0)
        vc_job_end_virtually(vc, job, 0, vc->now_us);
}

void virtual_cluster_detach_job(struct virtual_cluster *vc, int32_t job)
{
    struct vc_job *j = &vc->jobs[job];
    size_t at = 0;

    base_assert(j->state != VC_FREE && !j->left_really);
    j->left_really = true;
    while (at < vc->order_n && vc->order[at] != job)
        at++;
    if (at < vc->order_n) {
        memmove(vc->order + at, vc->order + at + 1, (vc->order_n - at - 1) * sizeof *vc->order);
        vc->order_n--;
    }
    if (j->state == VC_OVER)
        free_handle(vc, job);
}

bool virtual_cluster_set_slots(struct virtual_cluster *vc, int64_t slots)
{
    base_assert(slots >= 0);
    if (slots == vc->slots)
        return false;
    vc->slots = slots;
    vc->steady = vc->projected = false;
    return true;
}

/* ---- time ---- */
/* Advances to @now_us when no run ends before, so that all jobs keep their rates. */
static void advance_at_steady_rates(struct virtual_cluster *vc, int64_t now_us)
{
    struct vc_keys *list = &vc->list[VC_BY_CAP];
    double dt = (double)(now_us - vc->now_us);

    for (size_t i = 0; i < list->len; i++) {
        struct vc_job *j = &vc->jobs[list->v[i].job];
        double share = vc->level * j->weight;

        if (j->state != VC_ACTIVE)
            continue;
        j->left -= j->tasks <= share * (1 + VC_EPS_REL) ? dt : dt * share / j->tasks;
    }
}

/* Frees the handles of jobs that have just ended virtually and whose real jobs have left. */
static void free_ended_handles(struct virtual_cluster *vc)
{
    const struct vc_keys *list = &vc->list[VC_BY_CAP];

    for (size_t i = 0; i < list->len; i++) {
        const struct vc_job *j = &vc->jobs[list->v[i].job];

        if (j->state == VC_OVER && j->left_really)
            free_handle(vc, list->v[i].job);
    }
}

void virtual_cluster_advance(struct virtual_cluster *vc, int64_t now_us)
{
    if (now_us <= vc->now_us)
        return;
    if (vc->slots > 0) {
        if (vc->form == VIRTUAL_FLUID && vc->steady &&
            (double)(now_us - vc->steady_us) < vc->first_end - VC_EPS_US) {
            advance_at_steady_rates(vc, now_us);
        } else {
            (vc->form == VIRTUAL_FLUID ? vc_fluid_advance_or_project
                                       : vc_slots_advance_or_project)(vc, now_us);
            free_ended_handles(vc);
        }
    } else {
        vc->projected = false; /* nothing progressed, so finishes are later now */
    }
    vc->now_us = now_us;
}

static bool has_real_job(const struct vc_job *j)
{
    return j->state != VC_FREE && !j->left_really;
}

static void compute_order_of_jobs(struct virtual_cluster *vc)
{
    struct vc_keys *list = &vc->list[VC_ORDER];

    filter_list(vc, VC_ORDER, has_real_job);
    for (size_t i = 0; i < list->len; i++) {
        struct vc_job *j = &vc->jobs[list->v[i].job];

        j->key = j->finish_us;
        if (vc->order_by == VIRTUAL_BY_REMAINING)
            j->key = j->state == VC_OVER
                         ? j->finish_us - OVER_BELOW
                         : (int64_t)fmin(vc_job_work_left(j) + 0.5, (double)VIRTUAL_NEVER);
        list->v[i].key = (double)j->key;
    }
    vc_keys_sort(vc, list, true);
    if (vc->order_cap < list->cap) {
        vc->order = base_realloc_array(vc->order, list->cap, sizeof *vc->order);
        vc->order_cap = list->cap;
    }
    for (size_t i = 0; i < list->len; i++)
        vc->order[i] = list->v[i].job;
    vc->order_n = list->len;
}

void virtual_cluster_project(struct virtual_cluster *vc)
{
    (vc->form == VIRTUAL_FLUID ? vc_fluid_advance_or_project : vc_slots_advance_or_project)(vc, -1);
    compute_order_of_jobs(vc);
    vc->projected = true;
}

/* ---- results ---- */
const int32_t *virtual_cluster_order(const struct virtual_cluster *vc, size_t *n)
{
    *n = vc->order_n;
    return vc->order;
}

size_t virtual_cluster_handle_limit(const struct virtual_cluster *vc)
{
    return vc->jobs_n;
}

int64_t virtual_cluster_finish_us(const struct virtual_cluster *vc, int32_t job)
{
    return vc->jobs[job].finish_us;
}

int64_t virtual_cluster_order_key(const struct virtual_cluster *vc, int32_t job)
{
    return vc->jobs[job].key;
}

double virtual_cluster_work_left(const struct virtual_cluster *vc, int32_t job)
{
    return vc_job_work_left(&vc->jobs[job]);
}

double virtual_cluster_service_received(const struct virtual_cluster *vc, int32_t job)
{
    const struct vc_job *j = &vc->jobs[job];

    return j->received + j->work_set - vc_job_work_left(j);
}

int32_t virtual_cluster_tasks_left(const struct virtual_cluster *vc, int32_t job)
{
    return vc->jobs[job].tasks;
}

/* RTMR's queue of jobs with deadlines, as policies/rtmr/queue.h describes it. The search for an
 * offer is in policies/rtmr/offer.c. */
#include "policies/rtmr/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "policies/rtmr/queue_internal.h"

#define STARTED_AT (-(INT64_C(1) << 62)) /* keys of started jobs come before any deadline */

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void rtmr_queue_init(struct rtmr_queue *q, bool by_submission)
{
    *q = (struct rtmr_queue){.by_submission = by_submission, .last_key = INT64_MIN, .version = 1};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_reset(&q->base[k], 0, 0);
}

void rtmr_entry_free(struct rtmr_entry *e)
{
    if (!e)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        free(e->ends[k]);
        free(e->held[k]);
        free(e->windows[k]);
    }
    free(e);
}

void rtmr_queue_free(struct rtmr_queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        rtmr_entry_free(q->v[i]);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        slot_profile_free(&q->base[k]);
        slot_profile_free(&q->work[k]);
        slot_profile_free(&q->ahead[k]);
    }
    free(q->v);
    free(q->reserved);
    *q = (struct rtmr_queue){0};
}

/* ---- one link ---- */

/* Places the windows of a reservation. Returns when its last window ends; if windows begin too
 * late, returns the deadline plus the longest of these delays. */
static int64_t apply_windows(const struct rtmr_entry *e, struct slot_profile p[BASE_TASK_KINDS])
{
    int64_t end_us = 0, late_us = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (size_t i = 0; i < e->windows_n[k]; i++) {
            const struct rtmr_window *w = &e->windows[k][i];

            end_us = max64(end_us, w->end_us);
            if (w->start_us <= e->begun_us)
                slot_profile_delay_until(&p[k], &(struct slot_run){w->end_us, w->n}, 1);
            else
                late_us = max64(late_us, slot_profile_place_tasks(
                                             &p[k], w->n, w->end_us - w->start_us, w->start_us) -
                                             w->end_us);
        }
    if (late_us <= 0)
        return end_us;
    return late_us < SLOT_NEVER / 2 ? e->due_us + late_us : SLOT_NEVER;
}

int64_t rtmr_link_apply(struct rtmr_queue *q, const struct rtmr_entry *e, int64_t ref_us, bool held,
                        struct slot_profile p[BASE_TASK_KINDS])
{
    int64_t maps_us, end_us;

    q->steps++;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && held && e->held_us; k++) {
        slot_profile_raise_to(&p[k], e->held_us);
        slot_profile_delay_until(&p[k], e->held[k], e->held_n[k]);
        slot_profile_set_unavailable(&p[k], e->never[k], e->held_us);
    }
    if (e->actual) {
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            slot_profile_replace_smallest(&p[k], e->ends[k], e->ends_n[k]);
        return e->finish_us;
    }
    if (e->windows_n[BASE_TASK_MAP] || e->windows_n[BASE_TASK_REDUCE])
        return apply_windows(e, p);
    maps_us = slot_profile_place_tasks(&p[BASE_TASK_MAP], e->n[BASE_TASK_MAP],
                                       e->eps_us[BASE_TASK_MAP], ref_us);
    maps_us = max64(maps_us, e->after_us[BASE_TASK_MAP]) + (e->n[BASE_TASK_REDUCE] ? e->gap_us : 0);
    end_us = slot_profile_place_tasks(&p[BASE_TASK_REDUCE], e->n[BASE_TASK_REDUCE],
                                      e->eps_us[BASE_TASK_REDUCE], maps_us);
    return max64(end_us, e->after_us[BASE_TASK_REDUCE]);
}

/* ---- order ---- */
static bool comes_before_key(const struct rtmr_entry *a, int64_t key, const struct rtmr_entry *b)
{
    if (a->key != key)
        return a->key < key;
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    if (a->cluster_ts != b->cluster_ts)
        return a->cluster_ts < b->cluster_ts;
    return a->seq < b->seq;
}

static int64_t waiting_order_key(const struct rtmr_queue *q, const struct rtmr_entry *e,
                                 int64_t due_us)
{
    return q->by_submission ? e->submit_us : due_us;
}

static size_t place_of_key(const struct rtmr_queue *q, const struct rtmr_entry *e, int64_t key)
{
    size_t lo = 0, hi = q->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (comes_before_key(q->v[mid], key, e))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

size_t rtmr_queue_place_for_deadline(const struct rtmr_queue *q, const struct rtmr_entry *e,
                                     int64_t due_us)
{
    return place_of_key(q, e, waiting_order_key(q, e, due_us));
}

void rtmr_queue_compute_profiles_before(struct rtmr_queue *q, size_t at)
{
    bool have = q->ahead_version == q->version && q->ahead_at <= at;
    size_t i = have ? q->ahead_at : 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_copy(&q->work[k], have ? &q->ahead[k] : &q->base[k]);
    if (have && i == at)
        return;
    for (; i < at; i++)
        rtmr_link_apply(q, q->v[i], q->v[i]->ref_us, true, q->work);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_copy(&q->ahead[k], &q->work[k]);
    q->ahead_at = at;
    q->ahead_version = q->version;
}

/* ---- slots held by jobs without deadline ---- */

void rtmr_link_set_held_slots(const struct rtmr_queue *q, struct rtmr_entry *e, size_t at,
                              int64_t now_us, const struct rtmr_busy *busy)
{
    int64_t since = q->base_held_us;
    const int64_t *never = q->base_never;
    bool any = false;

    e->held_us = 0;
    for (size_t i = 0; busy && i < at; i++)
        if (q->v[i]->held_us) {
            since = max64(since, q->v[i]->held_us);
            never = q->v[i]->never;
        }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        e->held_n[k] = 0;
        e->never[k] = busy ? busy[k].never : 0;
        any = any || (busy && e->never[k] != never[k]);
        for (size_t i = 0; busy && i < busy[k].n; i++) {
            const struct rtmr_until *u = &busy[k].v[i];

            if (u->started_us < since) /* already part of a link; with equal times perhaps not */
                continue;
            base_array_grow(&e->held[k], e->held_n[k], &e->held_cap[k]);
            e->held[k][e->held_n[k]++] = (struct slot_run){u->until_us, u->n};
        }
        any = any || e->held_n[k];
    }
    if (any)
        e->held_us = max64(now_us, 1);
}

void rtmr_link_clear_held_slots(struct rtmr_entry *e)
{
    e->held_us = 0;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        e->held_n[k] = 0;
}

/* ---- Algorithm I ---- */

bool rtmr_queue_test_admission_at(struct rtmr_queue *q, struct rtmr_entry *e, size_t at,
                                  int64_t due_us, int64_t now_us, const struct rtmr_busy *busy,
                                  struct rtmr_verdict *out)
{
    *out = (struct rtmr_verdict){0};
    q->tested = NULL;
    rtmr_queue_compute_profiles_before(q, at);
    rtmr_link_set_held_slots(q, e, at, now_us, busy);
    e->next_us = out->finish_us = rtmr_link_apply(q, e, now_us, true, q->work);
    if (e->next_us > due_us)
        return false;
    for (size_t i = at; i < q->n; i++) {
        struct rtmr_entry *later = q->v[i];

        later->next_us = rtmr_link_apply(q, later, now_us, false, q->work);
        if (later->next_us > later->due_us && !later->finished) {
            out->hurt = later;
            out->hurt_us = later->next_us;
            return false;
        }
    }
    out->accepted = true;
    q->tested = e;
    q->tested_at = at;
    q->tested_us = now_us;
    q->tested_version = q->version;
    return true;
}

void rtmr_queue_test_admission(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                               const struct rtmr_busy *busy, struct rtmr_verdict *out)
{
    rtmr_queue_test_admission_at(q, e, rtmr_queue_place_for_deadline(q, e, e->due_us), e->due_us,
                                 now_us, busy, out);
}

/* ---- changes of the queue ---- */
static void rebuild_places_and_sums(struct rtmr_queue *q, size_t from)
{
    for (size_t i = from; i < q->n; i++)
        q->v[i]->at = i;
    memset(q->reserved, 0, (q->n + 1) * sizeof *q->reserved);
    for (size_t i = 1; i <= q->n; i++) {
        size_t up = i + (i & -i);

        q->reserved[i] += q->v[i - 1]->reserve;
        if (up <= q->n)
            q->reserved[up] += q->reserved[i];
    }
}

void rtmr_queue_set_reserve(struct rtmr_queue *q, struct rtmr_entry *e, int64_t slots)
{
    int64_t by = slots - e->reserve;

    e->reserve = slots;
    for (size_t i = e->at + 1; by && i <= q->n; i += i & -i)
        q->reserved[i] += by;
}

int64_t rtmr_queue_sum_reserved_of_first(const struct rtmr_queue *q, size_t n)
{
    int64_t sum = 0;

    for (; n > 0; n -= n & -n)
        sum += q->reserved[n];
    return sum;
}

void rtmr_queue_update_estimates(struct rtmr_queue *q, size_t from, int64_t now_us)
{
    rtmr_queue_compute_profiles_before(q, from);
    for (size_t i = from; i < q->n; i++) {
        struct rtmr_entry *e = q->v[i];

        e->ref_us = e->started_us ? e->started_us : now_us;
        e->finish_us = rtmr_link_apply(q, e, e->ref_us, true, q->work);
    }
    q->version++;
}

/* Records the results of the last test as estimates of @e and all jobs after it. */
static void record_test_results(struct rtmr_queue *q, struct rtmr_entry *e)
{
    for (size_t i = e->at; i < q->n; i++) {
        q->v[i]->ref_us = q->tested_us;
        q->v[i]->finish_us = q->v[i]->next_us;
        if (q->v[i] != e)
            rtmr_link_clear_held_slots(q->v[i]);
    }
}

/* Allocates the lists of finish times now, so that nothing is allocated when tasks end. */
static void allocate_ends(struct rtmr_entry *e)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (e->n[k] > 0) {
            e->ends_cap[k] = (size_t)e->n[k];
            e->ends[k] = base_realloc_array(NULL, e->ends_cap[k], sizeof **e->ends);
        }
}

static void insert_at_place(struct rtmr_queue *q, struct rtmr_entry *e, size_t at)
{
    if (q->n == q->cap) {
        q->cap = q->cap ? q->cap * 2 : 16;
        q->v = base_realloc_array(q->v, q->cap, sizeof *q->v);
        q->reserved = base_realloc_array(q->reserved, q->cap + 1, sizeof *q->reserved);
    }
    allocate_ends(e);
    memmove(q->v + at + 1, q->v + at, (q->n - at) * sizeof *q->v);
    q->v[at] = e;
    q->n++;
    q->version++;
    rebuild_places_and_sums(q, at);
}

void rtmr_queue_insert_owned(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                             const struct rtmr_busy *busy)
{
    bool tested = q->tested == e && q->tested_version == q->version && q->tested_us == now_us;
    size_t at;

    e->key = waiting_order_key(q, e, e->due_us);
    at = tested ? q->tested_at : place_of_key(q, e, e->key);
    if (!tested)
        rtmr_link_set_held_slots(q, e, at, now_us, busy);
    insert_at_place(q, e, at);
    if (tested) {
        record_test_results(q, e);
        return;
    }
    for (size_t i = at + 1; i < q->n; i++)
        rtmr_link_clear_held_slots(q->v[i]);
    rtmr_queue_update_estimates(q, at, now_us);
}

void rtmr_queue_adopt_owned(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us)
{
    e->key = waiting_order_key(q, e, e->due_us);
    if (e->started_us) {
        e->key = STARTED_AT + e->started_us;
        q->last_key = max64(q->last_key, e->key);
        q->fixed++;
    }
    e->ref_us = e->started_us ? e->started_us : now_us;
    e->finish_us = e->due_us;
    insert_at_place(q, e, place_of_key(q, e, e->key));
}

size_t rtmr_queue_mark_started(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us)
{
    size_t from = q->fixed;

    base_assert(!e->started_us);
    e->started_us = max64(now_us, 1);
    for (; q->fixed <= e->at; q->fixed++) {
        q->last_key = max64(STARTED_AT + now_us, q->last_key + 1);
        q->v[q->fixed]->key = q->last_key;
    }
    return from;
}

void rtmr_entry_add_task_end(struct rtmr_entry *e, enum base_task_kind kind, int64_t at_us)
{
    size_t i;

    base_array_grow(&e->ends[kind], e->ends_n[kind], &e->ends_cap[kind]);
    for (i = e->ends_n[kind]++; i > 0 && e->ends[kind][i - 1] > at_us; i--)
        e->ends[kind][i] = e->ends[kind][i - 1];
    e->ends[kind][i] = at_us;
}

/* Moves the links of finished jobs at the front into the base, and frees these jobs. */
static void move_finished_to_base(struct rtmr_queue *q)
{
    size_t n = 0;

    for (; n < q->n && q->v[n]->finished; n++) {
        rtmr_link_apply(q, q->v[n], q->v[n]->ref_us, true, q->base);
        if (q->v[n]->held_us) {
            q->base_held_us = max64(q->base_held_us, q->v[n]->held_us);
            memcpy(q->base_never, q->v[n]->never, sizeof q->base_never);
        }
        q->fixed -= q->fixed > 0;
        rtmr_entry_free(q->v[n]);
    }
    if (!n)
        return;
    memmove(q->v, q->v + n, (q->n - n) * sizeof *q->v);
    q->n -= n;
    q->version++;
    rebuild_places_and_sums(q, 0);
}

void rtmr_queue_finish_job(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                           bool use_actual_ends)
{
    rtmr_queue_set_reserve(q, e, 0);
    e->finished = true;
    q->version++;
    if (use_actual_ends) {
        e->actual = true;
        e->finish_us = now_us;
        rtmr_queue_update_estimates(q, e->at, now_us);
    }
    move_finished_to_base(q);
}

void rtmr_queue_take_out(struct rtmr_queue *q, struct rtmr_entry *e)
{
    size_t at = e->at;

    rtmr_queue_set_reserve(q, e, 0);
    rtmr_link_clear_held_slots(e);
    q->fixed -= at < q->fixed;
    q->tested = NULL;
    memmove(q->v + at, q->v + at + 1, (--q->n - at) * sizeof *q->v);
    q->version++;
    rebuild_places_and_sums(q, at);
}

void rtmr_queue_occupy_base(struct rtmr_queue *q, enum base_task_kind kind,
                            const struct slot_run *until, size_t n)
{
    slot_profile_delay_until(&q->base[kind], until, n);
    q->version++;
}

void rtmr_queue_replan_with_held_slots(struct rtmr_queue *q, int64_t now_us,
                                       const struct rtmr_busy *busy)
{
    for (size_t i = 0; i < q->n; i++)
        rtmr_link_clear_held_slots(q->v[i]);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_raise_to(&q->base[k], now_us);
    if (!q->n)
        return;
    rtmr_link_set_held_slots(q, q->v[0], 0, now_us, busy);
    q->version++;
    rtmr_queue_update_estimates(q, 0, now_us);
}

void rtmr_queue_forget_history(struct rtmr_queue *q, const int64_t slots[BASE_TASK_KINDS],
                               int64_t now_us)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        slot_profile_reset(&q->base[k], slots[k], now_us);
        q->base_never[k] = 0;
        for (size_t i = 0; i < q->n; i++)
            q->v[i]->ends_n[k] = 0;
    }
    for (size_t i = 0; i < q->n; i++)
        q->v[i]->actual = q->v[i]->finished;
    q->base_held_us = 0;
    q->version++;
}

void rtmr_queue_resize(struct rtmr_queue *q, const int64_t slots[BASE_TASK_KINDS], int64_t now_us)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_resize(&q->base[k], slots[k], now_us);
    q->version++;
}

#include "policies/rtmr/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define ROUND_US   INT64_C(1000000)      /* an offered date is rounded up to a second by those who show it */
#define STARTED_AT (-(INT64_C(1) << 62)) /* keys of started jobs come before any date */

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

/* Folds @e into @p: Algorithms II and III from @ref_us, or VI. @held: with what ran beside. Returns its finish. */
static int64_t fold(struct rtmr_queue *q, const struct rtmr_entry *e, int64_t ref_us, bool held,
                    struct slot_profile p[BASE_TASK_KINDS])
{
    int64_t maps_us, end_us;

    q->steps++;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && held && e->held_us; k++) {
        slot_profile_clamp(&p[k], e->held_us);
        slot_profile_hold(&p[k], e->held[k], e->held_n[k]);
        slot_profile_never(&p[k], e->never[k], e->held_us);
    }
    if (e->actual) {
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            slot_profile_replace(&p[k], e->ends[k], e->ends_n[k]);
        return e->finish_us;
    }
    maps_us = slot_profile_place(&p[BASE_TASK_MAP], e->n[BASE_TASK_MAP], e->eps_us[BASE_TASK_MAP], ref_us);
    maps_us = max64(maps_us, e->after_us[BASE_TASK_MAP]) + (e->n[BASE_TASK_REDUCE] ? e->gap_us : 0);
    end_us = slot_profile_place(&p[BASE_TASK_REDUCE], e->n[BASE_TASK_REDUCE], e->eps_us[BASE_TASK_REDUCE], maps_us);
    return max64(end_us, e->after_us[BASE_TASK_REDUCE]);
}

/* ---- order ---- */
static bool before(const struct rtmr_entry *a, int64_t key, const struct rtmr_entry *b)
{
    if (a->key != key)
        return a->key < key;
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    if (a->cluster_ts != b->cluster_ts)
        return a->cluster_ts < b->cluster_ts;
    return a->seq < b->seq;
}

static int64_t key_of(const struct rtmr_queue *q, const struct rtmr_entry *e, int64_t due_us)
{
    return q->by_submission ? e->submit_us : due_us;
}

/* Where @e goes with @key. */
static size_t place_of(const struct rtmr_queue *q, const struct rtmr_entry *e, int64_t key)
{
    size_t lo = 0, hi = q->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (before(q->v[mid], key, e))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Profiles before place @at in work[]. */
static void wind_to(struct rtmr_queue *q, size_t at)
{
    bool have = q->ahead_version == q->version && q->ahead_at <= at;
    size_t i = have ? q->ahead_at : 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_copy(&q->work[k], have ? &q->ahead[k] : &q->base[k]);
    if (have && i == at)
        return;
    for (; i < at; i++)
        fold(q, q->v[i], q->v[i]->ref_us, true, q->work);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_copy(&q->ahead[k], &q->work[k]);
    q->ahead_at = at;
    q->ahead_version = q->version;
}

/* ---- what runs beside ---- */

/* Notes in @e what of @busy is not in the links before place @at. */
static void note_held(const struct rtmr_queue *q, struct rtmr_entry *e, size_t at, int64_t now_us,
                      const struct rtmr_busy *busy)
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

            if (u->started_us < since) /* at the same time: perhaps after it */
                continue;
            base_array_grow(&e->held[k], e->held_n[k], &e->held_cap[k]);
            e->held[k][e->held_n[k]++] = (struct slot_run){u->until_us, u->n};
        }
        any = any || e->held_n[k];
    }
    if (any)
        e->held_us = max64(now_us, 1);
}

static void drop_held(struct rtmr_entry *e)
{
    e->held_us = 0;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        e->held_n[k] = 0;
}

/* ---- Algorithm I ---- */

/* May @e enter at place @at with the deadline @due_us? */
static bool test(struct rtmr_queue *q, struct rtmr_entry *e, size_t at, int64_t due_us, int64_t now_us,
                 const struct rtmr_busy *busy, struct rtmr_verdict *out)
{
    *out = (struct rtmr_verdict){0};
    q->tested = NULL;
    wind_to(q, at);
    note_held(q, e, at, now_us, busy);
    e->next_us = out->finish_us = fold(q, e, now_us, true, q->work);
    if (e->next_us > due_us)
        return false;
    for (size_t i = at; i < q->n; i++) {
        struct rtmr_entry *later = q->v[i];

        later->next_us = fold(q, later, now_us, false, q->work);
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

void rtmr_queue_test(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us, const struct rtmr_busy *busy,
                     struct rtmr_verdict *out)
{
    test(q, e, place_of(q, e, key_of(q, e, e->due_us)), e->due_us, now_us, busy, out);
}

/* ---- what could be promised ---- */

/* @due_us when that date would be accepted at @now_us with @at_least jobs before it, else a later one with none
 * accepted in between. @alone: whoever it may hurt. */
static int64_t or_later(struct rtmr_queue *q, struct rtmr_entry *e, size_t at_least, int64_t due_us, int64_t now_us,
                        const struct rtmr_busy *busy, bool alone)
{
    size_t at = place_of(q, e, key_of(q, e, due_us));
    struct rtmr_verdict v;

    at = at < at_least ? at_least : at;
    if (alone) {
        wind_to(q, at);
        note_held(q, e, at, now_us, busy);
        return max64(due_us, fold(q, e, now_us, true, q->work));
    }
    if (test(q, e, at, due_us, now_us, busy, &v))
        return due_us;
    if (!v.hurt)
        return v.finish_us; /* further back it ends no earlier */
    if (q->by_submission)
        return SLOT_NEVER;
    return max64(q->v[at]->due_us, due_us + 1); /* behind the next one */
}

/* So many jobs at the front may have started soon: up to the last for which a slot may be left, of the kind it begins
 * with, when each slot becomes free once. None of them is overtaken then. */
static size_t soon_fixed(const struct rtmr_queue *q)
{
    int64_t ahead[BASE_TASK_KINDS] = {0};
    size_t fixed = q->fixed;

    for (size_t i = q->fixed; i < q->n; i++) {
        const struct rtmr_entry *e = q->v[i];
        enum base_task_kind kind = e->n[BASE_TASK_MAP] ? BASE_TASK_MAP : BASE_TASK_REDUCE;

        if (e->finished)
            continue;
        if (ahead[kind] < q->base[kind].slots)
            fixed = i + 1;
        ahead[kind] += e->n[kind];
    }
    return fixed;
}

/* As or_later() for all dates from @due_us to @until_us, whichever of the first waiting jobs start before. */
static int64_t all_or_later(struct rtmr_queue *q, struct rtmr_entry *e, int64_t due_us, int64_t until_us,
                            int64_t now_us, const struct rtmr_busy *busy, bool alone)
{
    size_t soon = soon_fixed(q);
    int64_t date = due_us;

    for (;;) {
        size_t at = place_of(q, e, key_of(q, e, date));
        int64_t got = or_later(q, e, 0, date, now_us, busy, alone);

        if (got == date && soon > at)
            got = or_later(q, e, soon, date, now_us, busy, alone);
        if (got != date)
            return got;
        if (q->by_submission || at >= q->n || q->v[at]->due_us > until_us)
            return due_us;
        date = q->v[at]->due_us; /* from here on it stands one further back */
    }
}

/* As or_later() for what an offer has to be. What is good later is good now at the same place: no time is earlier, no
 * slot is held longer. */
static int64_t offer_or_later(struct rtmr_queue *q, struct rtmr_entry *e, int64_t date_us, int64_t now_us,
                              const struct rtmr_busy *busy, int64_t margin_us, const struct rtmr_busy *later,
                              bool alone)
{
    const int64_t from_us = date_us + margin_us;
    int64_t got = date_us;

    if (!margin_us || alone || place_of(q, e, key_of(q, e, date_us)) != place_of(q, e, key_of(q, e, from_us)))
        got = or_later(q, e, 0, date_us, now_us, busy, alone);
    if (got != date_us || !margin_us)
        return got;
    return all_or_later(q, e, from_us, from_us + ROUND_US, now_us + margin_us, later, alone) - margin_us;
}

/* A date at the end of the queue: it hurts nobody. */
static int64_t last_resort(struct rtmr_queue *q, struct rtmr_entry *e, int64_t due_us, int64_t now_us,
                           const struct rtmr_busy *busy, int64_t margin_us, const struct rtmr_busy *later)
{
    struct rtmr_verdict v;
    int64_t end_us = due_us;

    for (size_t i = q->fixed; i < q->n; i++)
        end_us = max64(end_us, q->v[i]->due_us);
    if (!test(q, e, q->n, end_us, now_us, busy, &v))
        end_us = max64(end_us, v.finish_us);
    if (margin_us && !test(q, e, q->n, end_us + margin_us, now_us + margin_us, later, &v))
        end_us = max64(end_us, v.finish_us - margin_us);
    return end_us;
}

int64_t rtmr_queue_offer(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us, const struct rtmr_busy *busy,
                         int64_t margin_us, const struct rtmr_busy *later)
{
    uint64_t limit = q->steps + RTMR_OFFER_STEPS;
    int64_t date = e->due_us;

    for (;;) {
        int64_t got = offer_or_later(q, e, date, now_us, busy, margin_us, later, true);

        if (got == date)
            got = offer_or_later(q, e, date, now_us, busy, margin_us, later, false);
        if (got == date)
            break;
        date = got;
        if (date >= SLOT_NEVER - margin_us)
            break;
        if (q->steps > limit) {
            date = last_resort(q, e, date, now_us, busy, margin_us, later);
            break;
        }
    }
    q->tested = NULL;
    drop_held(e);
    return date >= SLOT_NEVER - margin_us ? 0 : date;
}

/* ---- changes of the queue ---- */
static void index_from(struct rtmr_queue *q, size_t from)
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

void rtmr_queue_reserve(struct rtmr_queue *q, struct rtmr_entry *e, int64_t slots)
{
    int64_t by = slots - e->reserve;

    e->reserve = slots;
    for (size_t i = e->at + 1; by && i <= q->n; i += i & -i)
        q->reserved[i] += by;
}

int64_t rtmr_queue_reserved(const struct rtmr_queue *q, size_t n)
{
    int64_t sum = 0;

    for (; n > 0; n -= n & -n)
        sum += q->reserved[n];
    return sum;
}

void rtmr_queue_estimate(struct rtmr_queue *q, size_t from, int64_t now_us)
{
    wind_to(q, from);
    for (size_t i = from; i < q->n; i++) {
        struct rtmr_entry *e = q->v[i];

        e->ref_us = e->started_us ? e->started_us : now_us;
        e->finish_us = fold(q, e, e->ref_us, true, q->work);
    }
    q->version++;
}

/* Makes the last test true: @e and all after it as they were calculated there. */
static void keep_tested(struct rtmr_queue *q, struct rtmr_entry *e)
{
    for (size_t i = e->at; i < q->n; i++) {
        q->v[i]->ref_us = q->tested_us;
        q->v[i]->finish_us = q->v[i]->next_us;
        if (q->v[i] != e)
            drop_held(q->v[i]);
    }
}

/* Nothing is allocated when its tasks end. */
static void room_for_ends(struct rtmr_entry *e)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (e->n[k] > 0) {
            e->ends_cap[k] = (size_t)e->n[k];
            e->ends[k] = base_realloc_array(NULL, e->ends_cap[k], sizeof **e->ends);
        }
}

static void put(struct rtmr_queue *q, struct rtmr_entry *e, size_t at)
{
    if (q->n == q->cap) {
        q->cap = q->cap ? q->cap * 2 : 16;
        q->v = base_realloc_array(q->v, q->cap, sizeof *q->v);
        q->reserved = base_realloc_array(q->reserved, q->cap + 1, sizeof *q->reserved);
    }
    room_for_ends(e);
    memmove(q->v + at + 1, q->v + at, (q->n - at) * sizeof *q->v);
    q->v[at] = e;
    q->n++;
    q->version++;
    index_from(q, at);
}

void rtmr_queue_insert_take(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us, const struct rtmr_busy *busy)
{
    bool tested = q->tested == e && q->tested_version == q->version && q->tested_us == now_us;
    size_t at;

    e->key = key_of(q, e, e->due_us);
    at = tested ? q->tested_at : place_of(q, e, e->key);
    if (!tested)
        note_held(q, e, at, now_us, busy);
    put(q, e, at);
    if (tested) {
        keep_tested(q, e);
        return;
    }
    for (size_t i = at + 1; i < q->n; i++)
        drop_held(q->v[i]);
    rtmr_queue_estimate(q, at, now_us);
}

void rtmr_queue_adopt_take(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us)
{
    e->key = key_of(q, e, e->due_us);
    if (e->started_us) {
        e->key = STARTED_AT + e->started_us;
        q->last_key = max64(q->last_key, e->key);
        q->fixed++;
    }
    e->ref_us = e->started_us ? e->started_us : now_us;
    e->finish_us = e->due_us;
    put(q, e, place_of(q, e, e->key));
}

size_t rtmr_queue_start(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us)
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

void rtmr_entry_ended(struct rtmr_entry *e, enum base_task_kind kind, int64_t at_us)
{
    size_t i;

    base_array_grow(&e->ends[kind], e->ends_n[kind], &e->ends_cap[kind]);
    for (i = e->ends_n[kind]++; i > 0 && e->ends[kind][i - 1] > at_us; i--)
        e->ends[kind][i] = e->ends[kind][i - 1];
    e->ends[kind][i] = at_us;
}

/* Finished jobs at the front go into the base. */
static void pop_finished(struct rtmr_queue *q)
{
    size_t n = 0;

    for (; n < q->n && q->v[n]->finished; n++) {
        fold(q, q->v[n], q->v[n]->ref_us, true, q->base);
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
    index_from(q, 0);
}

void rtmr_queue_finish(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us, bool correct)
{
    rtmr_queue_reserve(q, e, 0);
    e->finished = true;
    q->version++;
    if (correct) {
        e->actual = true;
        e->finish_us = now_us;
        rtmr_queue_estimate(q, e->at, now_us);
    }
    pop_finished(q);
}

void rtmr_queue_occupy(struct rtmr_queue *q, enum base_task_kind kind, const struct slot_run *until, size_t n)
{
    slot_profile_hold(&q->base[kind], until, n);
    q->version++;
}

void rtmr_queue_lay(struct rtmr_queue *q, int64_t now_us, const struct rtmr_busy *busy)
{
    for (size_t i = 0; i < q->n; i++)
        drop_held(q->v[i]);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_profile_clamp(&q->base[k], now_us);
    if (!q->n)
        return;
    note_held(q, q->v[0], 0, now_us, busy);
    q->version++;
    rtmr_queue_estimate(q, 0, now_us);
}

void rtmr_queue_rebase(struct rtmr_queue *q, const int64_t slots[BASE_TASK_KINDS], int64_t now_us)
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

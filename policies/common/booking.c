#include "policies/common/booking.h"

#include <stdlib.h>

#include "base/mem.h"

/* The search for one reservation. */
struct search {
    struct slot_calendar booked[BASE_TASK_KINDS]; /* with the stages booked so far */
    const int64_t *slots;
    int64_t from_us, until_us;
    struct slot_calendar *stages; /* what is booked for each stage of the reservation */
};
struct interval {
    double cost;
    int64_t room; /* slots that are left at every time of the interval */
};

int64_t policy_reservation_start_us(const struct policy_reservation *r)
{
    int64_t start = INT64_MAX;

    for (size_t i = 0; i < r->bookings_n; i++)
        start = r->bookings[i].start_us < start ? r->bookings[i].start_us : start;
    return start;
}

int64_t policy_reservation_end_us(const struct policy_reservation *r)
{
    int64_t end = 0;

    for (size_t i = 0; i < r->bookings_n; i++)
        end = r->bookings[i].end_us > end ? r->bookings[i].end_us : end;
    return end;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t rounded_duration_us(const struct policy_stage *s)
{
    return (s->duration_us + BOOKING_STEP_US - 1) / BOOKING_STEP_US * BOOKING_STEP_US;
}

static void book(struct search *s, const struct policy_reservation *r, size_t stage,
                 int64_t start_us, int64_t end_us, int64_t n)
{
    slot_calendar_add(&s->booked[r->stages[stage].kind], start_us, end_us, n);
    slot_calendar_add(&s->stages[stage], start_us, end_us, n);
}

static void cancel_stage(struct search *s, const struct policy_reservation *r, size_t stage)
{
    const struct slot_calendar *own = &s->stages[stage];

    for (size_t i = 0; i + 1 < own->n; i++)
        slot_calendar_add(&s->booked[r->stages[stage].kind], own->v[i].at_us, own->v[i + 1].at_us,
                          -own->v[i].n);
    s->stages[stage].n = 0;
}

static int64_t room_between(const struct search *s, enum base_task_kind k, int64_t start_us,
                            int64_t end_us)
{
    return s->slots[k] - slot_calendar_peak(&s->booked[k], start_us, end_us);
}

/* ---- any, all ---- */
/* Returns the index of the interval with the fewest booked slots among those that have room for
 * @width more; -1: there is none. */
static int64_t find_cheapest(const struct interval *v, int64_t n, int64_t width)
{
    int64_t best = -1;

    for (int64_t i = 0; i < n; i++)
        if (v[i].room >= width && (best < 0 || v[i].cost < v[best].cost))
            best = i;
    return best;
}

/* Books the stage at lowest cost. Returns false when the stage does not fit; part of it may then be
 * booked. */
static bool spread_stage(struct search *s, const struct policy_reservation *r, size_t stage)
{
    const struct policy_stage *st = &r->stages[stage];
    const int64_t duration = rounded_duration_us(st), span = s->until_us - s->from_us;
    const int64_t n = span > 0 ? min64(span / duration, BOOKING_INTERVALS_MAX) : 0;
    /* gangs booked at a time: a tenth of an interval's even share */
    const int64_t gangs = st->containers / st->width,
                  step = n ? max64(max64(gangs / n, 1) / 10, 1) : 1;
    struct interval *v = base_alloc((size_t)n * sizeof *v);
    int64_t left = st->containers;

    for (int64_t i = 0; i < n; i++) {
        int64_t start = s->from_us + i * duration;

        v[i].cost = slot_calendar_area(&s->booked[st->kind], start, start + duration);
        v[i].room = room_between(s, st->kind, start, start + duration);
    }
    while (left > 0) {
        int64_t width = min64(st->width, left), at = find_cheapest(v, n, width), take;

        if (at < 0)
            break;
        take = min64(min64(step * st->width, left), v[at].room / width * width);
        book(s, r, stage, s->from_us + at * duration, s->from_us + (at + 1) * duration, take);
        v[at].cost += (double)take * (double)duration;
        v[at].room -= take;
        left -= take;
    }
    free(v);
    return left == 0;
}

static bool spread_all_stages(struct search *s, const struct policy_reservation *r)
{
    for (size_t i = 0; i < r->stages_n; i++)
        if (!spread_stage(s, r, i))
            return false;
    return true;
}

static bool spread_any_stage(struct search *s, const struct policy_reservation *r)
{
    for (size_t i = 0; i < r->stages_n; i++) {
        if (spread_stage(s, r, i))
            return true;
        cancel_stage(s, r, i);
    }
    return false;
}

/* ---- in order ---- */
static bool book_stages_in_order(struct search *s, const struct policy_reservation *r)
{
    int64_t from = s->from_us;

    for (size_t i = 0; i < r->stages_n; i++) {
        const struct policy_stage *st = &r->stages[i];
        const int64_t duration = rounded_duration_us(st);
        int64_t left = st->containers, at = from;

        while (left > 0) {
            int64_t width = min64(st->width, left), room, take;

            if (at > s->until_us - duration)
                return false;
            room = room_between(s, st->kind, at, at + duration);
            take = min64(room > 0 ? room / width * width : 0, left);
            book(s, r, i, at, at + duration, take);
            left -= take;
            from = take > 0 ? max64(from, at + duration) : from;
            at = slot_calendar_next_step_us(&s->booked[st->kind], at);
        }
    }
    return true;
}

/* ---- without gaps ---- */
static bool fits_without_gaps(const struct search *s, const struct policy_reservation *r,
                              int64_t at_us)
{
    for (size_t i = 0; i < r->stages_n; i++) {
        const struct policy_stage *st = &r->stages[i];
        int64_t end = at_us + rounded_duration_us(st);

        if (end > s->until_us || room_between(s, st->kind, at_us, end) < st->containers)
            return false;
        at_us = end;
    }
    return true;
}

/* Returns the first time after @at_us at which one of the stages may fit although it did not
 * before: the next change of the number of booked slots, moved back by the stage's offset from the
 * start. */
static int64_t next_begin_us(const struct search *s, const struct policy_reservation *r,
                             int64_t at_us)
{
    int64_t next = INT64_MAX, offset = 0;

    for (size_t i = 0; i < r->stages_n; i++) {
        int64_t step = slot_calendar_next_step_us(&s->booked[r->stages[i].kind], at_us + offset);

        next = step < INT64_MAX ? min64(next, step - offset) : next;
        offset += rounded_duration_us(&r->stages[i]);
    }
    return next;
}

static bool book_stages_without_gaps(struct search *s, const struct policy_reservation *r)
{
    int64_t at = s->from_us;

    while (at < s->until_us && !fits_without_gaps(s, r, at))
        at = next_begin_us(s, r, at);
    if (at >= s->until_us)
        return false;
    for (size_t i = 0; i < r->stages_n; i++) {
        int64_t end = at + rounded_duration_us(&r->stages[i]);

        book(s, r, i, at, end, r->stages[i].containers);
        at = end;
    }
    return true;
}

/* ---- the result ---- */
static void write_bookings(const struct search *s, struct policy_reservation *r)
{
    size_t cap = 0;

    for (size_t i = 0; i < r->stages_n; i++)
        for (size_t j = 0; j + 1 < s->stages[i].n; j++) {
            const struct slot_step *step = &s->stages[i].v[j];

            if (!step->n)
                continue;
            base_array_grow(&r->bookings, r->bookings_n, &cap);
            r->bookings[r->bookings_n++] =
                (struct policy_booking){step[0].at_us, step[1].at_us, step[0].n, i};
        }
}

bool policy_booking_find(const struct slot_calendar booked[BASE_TASK_KINDS],
                         const int64_t slots[BASE_TASK_KINDS], int64_t earliest_us,
                         struct policy_reservation *r)
{
    struct search s = {
        .slots = slots, .from_us = max64(r->arrival_us, earliest_us), .until_us = r->deadline_us};
    bool found = false;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_calendar_copy(&s.booked[k], &booked[k]);
    s.stages = base_alloc(r->stages_n * sizeof *s.stages);
    switch (r->interpreter) {
    case POLICY_STAGES_ANY:
        found = spread_any_stage(&s, r);
        break;
    case POLICY_STAGES_ALL:
        found = spread_all_stages(&s, r);
        break;
    case POLICY_STAGES_ORDER:
        found = book_stages_in_order(&s, r);
        break;
    case POLICY_STAGES_ORDER_NO_GAP:
        found = book_stages_without_gaps(&s, r);
        break;
    }
    r->bookings = NULL;
    r->bookings_n = 0;
    if (found)
        write_bookings(&s, r);
    for (size_t i = 0; i < r->stages_n; i++)
        slot_calendar_free(&s.stages[i]);
    free(s.stages);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_calendar_free(&s.booked[k]);
    return found;
}

/* Goal: reservations get the times that they should, and RTMR keeps them. Method: calendars and
 * bookings worked out by hand; small clusters in virtual time, with other jobs. */
#include <stdlib.h>
#include <string.h>

#include "policies/common/booking.h"
#include "policies/registry.h"
#include "policies/rtmr/rtmr_internal.h"
#include "tests/policy/rtmr_world.h"
#include "tests/unit/cunit_main.h"

#define NEVER INT64_MAX

/* ---- calendars ---- */
static void test_calendar(void)
{
    struct slot_calendar c = {0}, copy = {0};

    CU_ASSERT_EQUAL(slot_calendar_peak(&c, 0, NEVER), 0);
    slot_calendar_add(&c, 10, 30, 2);
    slot_calendar_add(&c, 20, 40, 3); /* 10: 2, 20: 5, 30: 3, 40: 0 */
    CU_ASSERT_EQUAL(c.n, 4);
    CU_ASSERT_EQUAL(slot_calendar_at(&c, 9), 0);
    CU_ASSERT_EQUAL(slot_calendar_at(&c, 10), 2);
    CU_ASSERT_EQUAL(slot_calendar_at(&c, 29), 5);
    CU_ASSERT_EQUAL(slot_calendar_at(&c, 40), 0);
    CU_ASSERT_EQUAL(slot_calendar_peak(&c, 0, 20), 2);
    CU_ASSERT_EQUAL(slot_calendar_peak(&c, 0, 21), 5);
    CU_ASSERT_EQUAL(slot_calendar_peak(&c, 35, NEVER), 3);
    CU_ASSERT_EQUAL(slot_calendar_peak(&c, 15, 15), 0);
    CU_ASSERT_EQUAL(slot_calendar_area(&c, 0, 25), 2 * 10 + 5 * 5);
    CU_ASSERT_EQUAL(slot_calendar_area(&c, 35, 100), 3 * 5);
    CU_ASSERT_EQUAL(slot_calendar_next_step_us(&c, 0), 10);
    CU_ASSERT_EQUAL(slot_calendar_next_step_us(&c, 10), 20);
    CU_ASSERT_EQUAL(slot_calendar_next_step_us(&c, 40), NEVER);
    slot_calendar_copy(&copy, &c);
    slot_calendar_add(&c, 30, 40, 2); /* as many slots as in the step before: one step less */
    CU_ASSERT_EQUAL(c.n, 3);
    slot_calendar_add(&c, 10, 40, -2);
    slot_calendar_add(&c, 20, 40, -3);
    CU_ASSERT_EQUAL(c.n, 0);
    CU_ASSERT_EQUAL(slot_calendar_at(&copy, 35), 3);
    slot_calendar_free(&c);
    slot_calendar_free(&copy);
}

/* ---- bookings ---- */
static struct policy_reservation make(enum policy_interpreter how, int64_t arrival_s,
                                      int64_t deadline_s, size_t n, const struct policy_stage *v)
{
    struct policy_reservation r = {.cluster_ts = 1,
                                   .seq = 1,
                                   .arrival_us = arrival_s * S,
                                   .deadline_us = deadline_s * S,
                                   .interpreter = how,
                                   .stages = base_alloc(n * sizeof *v),
                                   .stages_n = n};

    memcpy(r.stages, v, n * sizeof *v);
    return r;
}

static void drop(struct policy_reservation *r)
{
    free(r->stages);
    free(r->bookings);
}

static bool booked(const struct policy_reservation *r, size_t i, size_t stage, int64_t start_s,
                   int64_t end_s, int64_t n)
{
    const struct policy_booking *b = &r->bookings[i];

    return i < r->bookings_n && b->stage == stage && b->start_us == start_s * S &&
           b->end_us == end_s * S && b->n == n;
}

#define MAPS(n, width, seconds)                                                                    \
    {                                                                                              \
        BASE_TASK_MAP, n, width, (seconds)*S                                                       \
    }

/* The recorded reservation of a real YARN: two containers of a minute each, at least one at a time:
 * they run one after the other. A gang of two runs at once. */
static void test_one_stage(void)
{
    const int64_t slots[] = {8, 0};
    struct slot_calendar none[BASE_TASK_KINDS] = {{0}};
    struct policy_stage two = MAPS(2, 1, 60);
    struct policy_reservation r = make(POLICY_STAGES_ANY, 1000, 4600, 1, &two);

    CU_ASSERT(policy_booking_find(none, slots, 0, &r));
    CU_ASSERT_EQUAL(r.bookings_n, 1);
    CU_ASSERT(booked(&r, 0, 0, 1000, 1120, 1));
    CU_ASSERT_EQUAL(policy_reservation_start_us(&r), 1000 * S);
    CU_ASSERT_EQUAL(policy_reservation_end_us(&r), 1120 * S);
    free(r.bookings);
    r.stages[0].width = 2;
    CU_ASSERT(policy_booking_find(none, slots, 1500 * S, &r)); /* the arrival has passed */
    CU_ASSERT_EQUAL(r.bookings_n, 1);
    CU_ASSERT(booked(&r, 0, 0, 1500, 1560, 2));
    free(r.bookings);
    r.stages[0].duration_us = 59 * S + 1; /* rounded up to 60 s */
    CU_ASSERT(policy_booking_find(none, slots, 0, &r));
    CU_ASSERT(booked(&r, 0, 0, 1000, 1060, 2));
    free(r.bookings);
    CU_ASSERT_FALSE(policy_booking_find(none, slots, 4541 * S, &r)); /* too late */
    CU_ASSERT_EQUAL(r.bookings_n, 0);
    r.stages[0].containers = r.stages[0].width = 9; /* too many */
    CU_ASSERT_FALSE(policy_booking_find(none, slots, 0, &r));
    drop(&r);
}

/* Four slots, of which three are booked in the first minute and two in the third. Five containers
 * in gangs of two within four minutes: the fourth and the second minute are free; each gang, and
 * the odd container, goes to the minute that is booked least at that point. */
static void test_least_booked_first(void)
{
    const int64_t slots[] = {4, 0};
    struct slot_calendar cal[BASE_TASK_KINDS] = {{0}};
    struct policy_stage five = MAPS(5, 2, 60);
    struct policy_reservation r = make(POLICY_STAGES_ALL, 0, 240, 1, &five);

    slot_calendar_add(&cal[0], 0, 60 * S, 3);
    slot_calendar_add(&cal[0], 120 * S, 180 * S, 2);
    CU_ASSERT(policy_booking_find(cal, slots, 0, &r));
    CU_ASSERT_EQUAL(r.bookings_n, 2);
    CU_ASSERT(booked(&r, 0, 0, 60, 120, 3)); /* two, and the fifth */
    CU_ASSERT(booked(&r, 1, 0, 180, 240, 2));
    slot_calendar_free(&cal[0]);
    drop(&r);
}

static void test_several_stages(void)
{
    const int64_t slots[] = {4, 2};
    struct slot_calendar cal[BASE_TASK_KINDS] = {{0}};
    struct policy_stage v[] = {MAPS(6, 6, 60), MAPS(6, 2, 60), {BASE_TASK_REDUCE, 2, 2, 30 * S}};
    struct policy_reservation r = make(POLICY_STAGES_ANY, 0, 300, 3, v);

    CU_ASSERT(policy_booking_find(cal, slots, 0, &r)); /* a gang of six does not fit */
    CU_ASSERT_EQUAL(r.bookings_n, 1);
    CU_ASSERT(booked(&r, 0, 1, 0, 180, 2));
    free(r.bookings);
    r.interpreter = POLICY_STAGES_ALL;
    CU_ASSERT_FALSE(policy_booking_find(cal, slots, 0, &r));
    r.stages[0] = (struct policy_stage)MAPS(1, 1, 10);
    r.interpreter = POLICY_STAGES_ORDER; /* 1 for 10 s; four and two for 60 s each; the reduces */
    CU_ASSERT(policy_booking_find(cal, slots, 0, &r));
    CU_ASSERT_EQUAL(r.bookings_n, 4);
    CU_ASSERT(booked(&r, 0, 0, 0, 10, 1));
    CU_ASSERT(booked(&r, 1, 1, 10, 70, 4));
    CU_ASSERT(booked(&r, 2, 1, 70, 130, 2));
    CU_ASSERT(booked(&r, 3, 2, 130, 160, 2));
    free(r.bookings);
    r.deadline_us = 159 * S;
    CU_ASSERT_FALSE(policy_booking_find(cal, slots, 0, &r));
    /* one, four and two slots without a gap: not before 70, since a reduce slot is taken at 75 */
    r.deadline_us = 300 * S;
    r.interpreter = POLICY_STAGES_ORDER_NO_GAP;
    r.stages[1] = (struct policy_stage)MAPS(4, 1, 60);
    slot_calendar_add(&cal[1], 75 * S, 140 * S, 1);
    CU_ASSERT(policy_booking_find(cal, slots, 0, &r));
    CU_ASSERT_EQUAL(r.bookings_n, 3);
    CU_ASSERT(booked(&r, 0, 0, 70, 80, 1));
    CU_ASSERT(booked(&r, 1, 1, 80, 140, 4));
    CU_ASSERT(booked(&r, 2, 2, 140, 170, 2));
    slot_calendar_free(&cal[1]);
    drop(&r);
}

/* ---- RTMR ---- */
/* A cluster of four map slots, and a reservation of three of them from 100 s to 160 s. */
static void open_world(struct world *w, struct policy_reservation *r)
{
    struct policy_stage three = MAPS(3, 3, 60);

    world_init(w, &policy_rtmr, "rtmr.offer_margin=0", 2, 2, 1, 0, false);
    *r = make(POLICY_STAGES_ALL, 100, 160, 1, &three);
    CU_ASSERT(w->ops->reserve(w->policy, r, NULL, 0));
    CU_ASSERT(booked(r, 0, 0, 100, 160, 3));
}

static void close_world(struct world *w, struct policy_reservation *r)
{
    for (int32_t i = 0; i < w->n; i++)
        w->jobs[i]->pj.reservation = NULL;
    w->ops->on_unreserved(w->policy, r, w->now_us);
    world_free(w);
    drop(r);
}

/* A step of the core: first what is due at that time, then offers. */
static void run_to(struct world *w, int64_t at_s)
{
    world_run(w, at_s * S - 1);
    w->now_us = at_s * S;
    w->ops->on_booking_step(w->policy, w->now_us, &w->plan);
}

static int64_t count_running(const struct world_job *j)
{
    return j->pj.phase[BASE_TASK_MAP].running;
}

/* Tasks of 30 s fill the four slots from 0, 30 and 60 s on. From 90 s on only one task may run
 * across the beginning of the reservation, and until 160 s only one at a time. */
static void test_slots_are_kept_free(void)
{
    struct world w;
    struct policy_reservation r;
    struct world_job *others, *mine;

    open_world(&w, &r);
    others = world_job(&w, 0, 40, 30 * S, 0, 0, 0);
    world_run(&w, 89 * S);
    CU_ASSERT_EQUAL(count_running(others), 4);
    CU_ASSERT_EQUAL(others->pj.phase[BASE_TASK_MAP].done, 8);
    world_run(&w, 90 * S);
    CU_ASSERT_EQUAL(count_running(others), 1);
    run_to(&w, 100);
    mine = world_job(&w, 100 * S, 5, 50 * S, 0, 0, 0);
    mine->pj.reservation = &r;
    world_run(&w, 100 * S);
    CU_ASSERT_EQUAL(count_running(mine), 3);
    CU_ASSERT_EQUAL(count_running(others), 1);
    world_run(&w, 120 * S);
    CU_ASSERT_EQUAL(count_running(others), 1);
    run_to(&w, 160); /* since 150 s its last two tasks run */
    CU_ASSERT_EQUAL(count_running(mine), 2);
    CU_ASSERT_EQUAL(w.plan.len, 0); /* nobody else has been promised anything */
    world_run(&w, 180 * S);         /* the next heartbeats */
    CU_ASSERT_EQUAL(count_running(others), 2);
    close_world(&w, &r);
}

/* A container of an application ends at an unknown time. */
static void test_unknown_ends(void)
{
    struct world w;
    struct policy_reservation r;
    struct world_job *app;

    open_world(&w, &r);
    app = world_job(&w, 0, 4, 30 * S, 0, 0, 0);
    app->pj.is_job = false;
    world_run(&w, 0);
    CU_ASSERT_EQUAL(count_running(app), 1);
    close_world(&w, &r);
}

/* Jobs with deadlines are checked against reservations, and reservations against such jobs. */
static void test_admission(void)
{
    struct world w;
    struct policy_reservation r, second;
    struct policy_stage two = MAPS(2, 2, 60);
    struct world_job *fits, *hurts, *later;

    open_world(&w, &r);
    fits = world_job(&w, 0, 4, 60 * S, 0, 0, 150 * S);       /* until 60 s */
    hurts = world_job(&w, 10 * S, 4, 60 * S, 0, 0, 140 * S); /* from 60 s to 120 s */
    /* after the reservation there are slots at 60, 120, 160 and 160 s: until 220 s */
    later = world_job(&w, 20 * S, 4, 60 * S, 0, 0, 199 * S);
    world_run(&w, 20 * S);
    CU_ASSERT(fits->accepted);
    CU_ASSERT_EQUAL(fits->promise.finish_us, 60 * S);
    CU_ASSERT_FALSE(hurts->accepted);
    CU_ASSERT_PTR_NOT_NULL(strstr(hurts->promise.why, "reservation_1_0001 would miss its own"));
    CU_ASSERT_FALSE(later->accepted);
    CU_ASSERT_EQUAL(later->promise.finish_us, 220 * S);
    /* the next reservation of two slots fits when the first one ends */
    second = make(POLICY_STAGES_ALL, 80, 300, 1, &two);
    second.seq = 2;
    CU_ASSERT(w.ops->reserve(w.policy, &second, NULL, 20 * S));
    CU_ASSERT(booked(&second, 0, 0, 200, 260, 2)); /* the third interval of a minute from 80 s on */
    w.ops->on_unreserved(w.policy, &second, 20 * S);
    drop(&second);
    close_world(&w, &r);
}

/* An update replaces the reservation; one that is refused leaves it as it was. */
static void test_update(void)
{
    struct world w;
    struct policy_reservation r, wide, narrow;
    struct policy_stage five = MAPS(5, 5, 60), one = MAPS(1, 1, 60);
    struct world_job *others;

    open_world(&w, &r);
    wide = make(POLICY_STAGES_ALL, 100, 160, 1, &five);
    CU_ASSERT_FALSE(w.ops->reserve(w.policy, &wide, &r, 10 * S));
    CU_ASSERT_PTR_NULL(wide.bookings);
    others = world_job(&w, 20 * S, 8, 90 * S, 0, 0, 0);
    world_run(&w, 20 * S);
    CU_ASSERT_EQUAL(count_running(others), 1);
    narrow = make(POLICY_STAGES_ALL, 100, 160, 1, &one);
    CU_ASSERT(w.ops->reserve(w.policy, &narrow, &r, 30 * S));
    world_job(&w, 30 * S, 0, 0, 1, 1 * S, 0); /* brings heartbeats */
    world_run(&w, 30 * S);
    CU_ASSERT_EQUAL(count_running(others), 3);
    drop(&r);
    drop(&wide);
    close_world(&w, &narrow);
}

/* Tasks that still run at the end of their reservation are killed when other jobs rely on the
 * slots. */
static void test_end(void)
{
    struct world w;
    struct policy_reservation r;
    struct world_job *mine, *due;

    open_world(&w, &r);
    run_to(&w, 100);
    mine = world_job(&w, 100 * S, 3, 90 * S, 0, 0, 0);
    mine->pj.reservation = &r;
    world_run(&w, 100 * S);
    CU_ASSERT_EQUAL(count_running(mine), 3);
    due = world_job(&w, 110 * S, 4, 40 * S, 0, 0, 100 * S); /* slots from 110, 150, 160, 160 s on */
    world_run(&w, 110 * S);
    CU_ASSERT(due->accepted);
    CU_ASSERT_EQUAL(due->promise.finish_us, 200 * S);
    run_to(&w, 160);
    CU_ASSERT_EQUAL(w.plan.len, 3);
    w.plan.len = 0;
    close_world(&w, &r);
}

/* After a restart the reservation is kept as it was. */
static void test_adopted(void)
{
    struct world w;
    struct policy_reservation r;
    struct world_job *others;

    open_world(&w, &r);
    w.ops->on_unreserved(w.policy, &r, 0);
    CU_ASSERT_PTR_NULL(r.own);
    w.ops->on_reserved(w.policy, &r, 0);
    others = world_job(&w, 50 * S, 8, 60 * S, 0, 0, 0);
    world_run(&w, 50 * S);
    CU_ASSERT_EQUAL(count_running(others), 1);
    close_world(&w, &r);
}

static const struct cunit_case cases[] = {
    {"calendar", test_calendar},
    {"one stage", test_one_stage},
    {"the least booked first", test_least_booked_first},
    {"several stages", test_several_stages},
    {"slots are kept free", test_slots_are_kept_free},
    {"unknown ends", test_unknown_ends},
    {"admission", test_admission},
    {"update", test_update},
    {"end", test_end},
    {"adopted", test_adopted},
};

CUNIT_MAIN("reservations", cases)

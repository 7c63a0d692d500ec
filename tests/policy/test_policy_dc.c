/* Goal: the Deadline Constraint scheduler says and does what its formulas say, and keeps their
 * defects. Method: examples by hand, each run to its end; offers asked for again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/policy/rtmr_world.h"
#include "tests/unit/cunit_main.h"

static uint64_t seed;

static int64_t rnd(int64_t n) /* 0..n-1 */
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (int64_t)((seed * UINT64_C(2685821657736338717) >> 33) % (uint64_t)n);
}

static bool contains(const char *text, const char *part)
{
    if (strstr(text, part))
        return true;
    fprintf(stderr, "\"%s\" lacks \"%s\"\n", text, part);
    return false;
}

/* Runs a job of 10 maps of 10 s and 2 reduces of 20 s on 12 map slots and 2 reduce slots. Returns
 * how many maps run at once. In the comments below, s is the time from the submission until the
 * reduces have to start. */
static int32_t one_job(const char *settings, int64_t deadline_s, int64_t maps_end_s,
                       int64_t finish_s)
{
    struct world w;
    struct world_job *j;
    int32_t at_once;

    world_init(&w, &policy_dc, settings, 1, 12, 2, 0, false);
    j = world_job(&w, 0, 10, 10 * S, 2, 20 * S, deadline_s * S);
    world_run(&w, 1 * S);
    at_once = j->pj.phase[BASE_TASK_MAP].running;
    world_run(&w, INT64_MAX);
    CU_ASSERT(j->accepted);
    CU_ASSERT_EQUAL(j->pj.maps_done_us, maps_end_s * S);
    CU_ASSERT_EQUAL(j->finish_us, finish_s * S);
    CU_ASSERT_EQUAL(w.idle, 0);
    world_free(&w);
    return at_once;
}

static void test_few_maps_at_once(void)
{
    CU_ASSERT_EQUAL(one_job(NULL, 100, 50, 70), 2); /* s = 80: ceil(100 / 80) */
}

/* s = 25: four slots do 100 s of maps in 25 s, but not in whole waves. */
static void test_fluid_maps(void)
{
    CU_ASSERT_EQUAL(one_job(NULL, 45, 30, 50), 4); /* misses its deadline by 5 s */
    CU_ASSERT_EQUAL(one_job("dc.integral=true", 45, 20, 40), 5);
}

/* J1 claims both reduce slots over [50, 70), J2 needs them from 45 on, when nobody claims them. */
static void test_instant(void)
{
    struct world w;
    struct world_job *j1, *j2;

    world_init(&w, &policy_dc, NULL, 1, 4, 2, 0, false);
    j1 = world_job(&w, 0, 1, 50 * S, 2, 20 * S, 70 * S);
    j2 = world_job(&w, 0, 1, 45 * S, 2, 20 * S, 65 * S);
    world_run(&w, INT64_MAX);
    CU_ASSERT(j1->accepted && j2->accepted);
    CU_ASSERT_EQUAL(j1->promise.finish_us, 70 * S);
    CU_ASSERT_EQUAL(j2->finish_us, 65 * S);
    CU_ASSERT_EQUAL(j1->finish_us, 85 * S); /* misses its deadline by 15 s */
    world_free(&w);
}

static void test_claims(void)
{
    struct world w;
    struct world_job *j1, *j2, *j3;

    world_init(&w, &policy_dc, NULL, 1, 4, 2, 0, false);
    j1 = world_job(&w, 0, 1, 50 * S, 2, 20 * S, 70 * S);
    j2 = world_job(&w, 0, 1, 40 * S, 1, 20 * S, 75 * S); /* s = 55 lies in the claim */
    world_run(&w, 0);
    CU_ASSERT(j1->accepted);
    CU_ASSERT_FALSE(j2->accepted);
    CU_ASSERT(contains(j2->promise.why,
                       "needs 1 reduce slots 55.0 s after submission, 0 are not claimed then"));
    CU_ASSERT_EQUAL(j2->promise.finish_us, 90 * S); /* s is then the end of the claim */
    j3 = world_job(&w, 1 * S, 1, 40 * S, 1, 20 * S, 89 * S);
    world_run(&w, INT64_MAX);
    CU_ASSERT(j3->accepted);
    world_free(&w);
}

static void test_refusals(void)
{
    static const struct {
        int32_t maps, reduces;
        int64_t deadline_s, offer_s;
        const char *settings, *why;
    } t[] = {
        {10, 3, 100, 0, NULL, "3 reduces are more than the 2 slots there are"},
        {10, 2, 20, 33, NULL, "its reduces alone need 20.0 s, deadline 20.0 s"},
        {10, 2, 30, 33, NULL, "needs 10 map slots at once, 8 are free"},
        {10, 2, 25, 40, "dc.integral=true", "a map takes longer than the 5.0 s left for maps"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct world w;
        struct world_job *j;

        world_init(&w, &policy_dc, t[i].settings, 1, 8, 2, 0, false);
        j = world_job(&w, 0, t[i].maps, 10 * S, t[i].reduces, 20 * S, t[i].deadline_s * S);
        world_run(&w, 0);
        CU_ASSERT_FALSE(j->accepted);
        CU_ASSERT_STRING_EQUAL(j->promise.why, t[i].why);
        /* offers 33 s where nothing else binds: 8 slots do the maps' 100 s in 12.5 s, and the
         * reduces take 20 s */
        CU_ASSERT_EQUAL((j->promise.finish_us + S / 2) / S, t[i].offer_s);
        world_free(&w);
    }
}

/* The cost of a task is its mean or its longest time (dc.cost); moving map output takes time as
 * well (dc.transfer). */
static void test_costs(void)
{
    struct world w;
    struct world_job *j;
    struct base_buf text = {0};

    for (int max = 0; max < 2; max++) {
        world_init(&w, &policy_dc, max ? "dc.cost=max" : NULL, 1, 12, 2, 0, false);
        j = world_job(&w, 0, 10, 10 * S, 2, 20 * S, 45 * S);
        j->pj.size[BASE_TASK_MAP].given_us = 60 * S; /* 6 s on average */
        world_run(&w, 0);
        CU_ASSERT(j->accepted);
        CU_ASSERT_EQUAL(j->pj.phase[BASE_TASK_MAP].running, max ? 4 : 3);
        world_free(&w);
    }
    world_init(&w, &policy_dc, "dc.transfer=10", 1, 12, 2, 0, false);
    j = world_job(&w, 0, 10, 10 * S, 2, 20 * S, 45 * S);
    w.learned.eta_max = 0.5;
    j->pj.size[BASE_TASK_MAP].bytes = INT64_C(2) << 30; /* 1 GiB to move: s = 15 */
    world_run(&w, 0);
    CU_ASSERT_EQUAL(j->pj.phase[BASE_TASK_MAP].running, 7);
    policy_dc.explain(w.policy, &j->pj, 0, &text);
    CU_ASSERT_STRING_EQUAL(text.data, "deadline in 45.0 s; runs 7 of at most 7 maps at once");
    base_buf_free(&text);
    world_free(&w);
}

static void test_order(void)
{
    struct world w;
    struct world_job *be, *late, *soon;

    world_init(&w, &policy_dc, NULL, 1, 4, 2, 0, false);
    be = world_job(&w, 0, 4, 10 * S, 0, 0, 0);
    late = world_job(&w, 0, 4, 10 * S, 0, 0, 100 * S); /* one at once */
    soon = world_job(&w, 0, 4, 10 * S, 0, 0, 20 * S);  /* two at once */
    world_run(&w, 1 * S);
    CU_ASSERT_EQUAL(soon->pj.phase[BASE_TASK_MAP].running, 2);
    CU_ASSERT_EQUAL(late->pj.phase[BASE_TASK_MAP].running, 1);
    CU_ASSERT_EQUAL(be->pj.phase[BASE_TASK_MAP].running, 1);
    world_switch(&w, &policy_fifo);
    world_switch(&w, &policy_dc);
    world_run(&w, INT64_MAX);
    CU_ASSERT_EQUAL(soon->finish_us, 20 * S);
    CU_ASSERT_EQUAL(w.idle, 0);
    world_free(&w);
}

static void test_offers(void)
{
    int refused = 0, wrong = 0;

    seed = 11;
    for (int run = 0; run < 1000; run++) {
        struct world w;
        int64_t at = 0;

        world_init(&w, &policy_dc, run % 2 ? "dc.integral=true" : NULL, 2, 8, 4, 0, false);
        for (int i = 0; i < 20; i++) {
            struct world_job *j, *again;

            at += rnd(30 * S);
            j = world_job(&w, at, (int32_t)rnd(20), 1 + rnd(20 * S), (int32_t)rnd(9),
                          1 + rnd(40 * S), 1 + rnd(120 * S));
            world_run(&w, at);
            if (j->accepted || !j->promise.finish_us)
                continue;
            refused++;
            again = base_alloc(sizeof *again);
            *again = *j;
            for (int64_t more = 0; more <= 6 * S; more += 6 * S) {
                again->pj.deadline_us = j->promise.finish_us + more - at;
                wrong += !policy_dc.admit(w.policy, &again->pj, at, &again->promise);
            }
            free(again);
        }
        world_run(&w, INT64_MAX);
        world_free(&w);
    }
    CU_ASSERT(refused > 1000);
    CU_ASSERT_EQUAL(wrong, 0);
}

static const struct cunit_case cases[] = {
    {"few maps at once", test_few_maps_at_once},
    {"fluid maps", test_fluid_maps},
    {"one instant", test_instant},
    {"claims", test_claims},
    {"refusals", test_refusals},
    {"costs", test_costs},
    {"order", test_order},
    {"offers", test_offers},
};

CUNIT_MAIN("policy_dc", cases)

/* Goal: fair shares are exact. Method: the paper's figures (Zaharia et al., EuroSys 2010, Fig. 4
 * and 11), the arithmetic of minima, deficits and preemption, and random divisions checked against
 * the definition. */
#include <math.h>
#include <string.h>

#include "policies/fair/shares.h"
#include "tests/unit/cunit_main.h"

#define NEAR(got, want) CU_ASSERT_DOUBLE_EQUAL((got), (want), 1e-9)

static struct fair_scratch scratch;

static bool split(struct fair_entity *v, size_t n, double total, double *level)
{
    return fair_compute_shares(v, n, total, &scratch, level);
}

static void test_figure_4(void)
{
    struct fair_entity pools[] = {{.weight = 1, .min = 60, .cap = 100},
                                  {.weight = 1, .min = 0, .cap = 100},
                                  {.weight = 1, .min = 10, .cap = 0}};
    struct fair_entity jobs[] = {{.weight = 1, .cap = 50}, {.weight = 1, .cap = 50}};
    double x;

    CU_ASSERT_FALSE(split(pools, 3, 100, &x));
    CU_ASSERT_EQUAL(x, 40);
    CU_ASSERT_EQUAL(pools[0].share, 60);
    CU_ASSERT_EQUAL(pools[1].share, 40);
    CU_ASSERT_EQUAL(pools[2].share, 0);
    split(jobs, 2, pools[0].share, NULL);
    CU_ASSERT_EQUAL(jobs[0].share, 30);
    CU_ASSERT_EQUAL(jobs[1].share, 30);
}

static void test_weights(void)
{
    struct fair_entity v[] = {
        {.weight = 2, .cap = 100}, {.weight = 1, .cap = 100}, {.weight = 1, .cap = 100}};
    double x;

    split(v, 3, 100, NULL);
    CU_ASSERT_EQUAL(v[0].share, 50);
    CU_ASSERT_EQUAL(v[1].share, 25);
    CU_ASSERT_EQUAL(v[2].share, 25);
    v[2].cap = 10;
    split(v, 3, 100, &x);
    CU_ASSERT_EQUAL(x, 30);
    CU_ASSERT_EQUAL(v[0].share, 60);
    CU_ASSERT_EQUAL(v[1].share, 30);
    CU_ASSERT_EQUAL(v[2].share, 10);
}

static void test_minima_that_do_not_fit(void)
{
    struct fair_entity v[] = {{.weight = 1, .min = 60, .cap = 100},
                              {.weight = 1, .min = 60, .cap = 100}};

    CU_ASSERT(split(v, 2, 100, NULL));
    CU_ASSERT_EQUAL(v[0].share, 50);
    CU_ASSERT_EQUAL(v[1].share, 50);
    CU_ASSERT_EQUAL(v[0].min, 50);
    v[0].min = v[1].min = 50;
    CU_ASSERT_FALSE(split(v, 2, 100, NULL));
}

static void test_everyone_has_enough(void)
{
    struct fair_entity v[] = {{.weight = 1, .cap = 10}, {.weight = 3, .cap = 20}};
    double x;

    split(v, 2, 100, &x);
    CU_ASSERT_EQUAL(v[0].share, 10);
    CU_ASSERT_EQUAL(v[1].share, 20);
    CU_ASSERT(isinf(x));
    CU_ASSERT_FALSE(split(NULL, 0, 100, &x));
}

/* An entity of weight 0 gets its minimum, and a part of what all others leave. */
static void test_weight_zero(void)
{
    struct fair_entity v[] = {
        {.weight = 0, .cap = 100}, {.weight = 1, .cap = 100}, {.weight = 0, .min = 5, .cap = 50}};

    split(v, 3, 100, NULL);
    CU_ASSERT_EQUAL(v[0].share, 0);
    CU_ASSERT_EQUAL(v[1].share, 95);
    CU_ASSERT_EQUAL(v[2].share, 5);
    v[1].cap = 40;
    split(v, 3, 100, NULL);
    CU_ASSERT_EQUAL(v[0].share, 30);
    CU_ASSERT_EQUAL(v[1].share, 40);
    CU_ASSERT_EQUAL(v[2].share, 30);
}

/* A running sum of the weights would lose the small ones, and each entity would get its whole cap,
 * more slots than there are. */
static void test_weights_far_apart(void)
{
    const double large[] = {1e9, 1e300}, small[] = {1e-9, 1e-300};

    for (int i = 0; i < 2; i++) {
        struct fair_entity v[] = {{.weight = large[i], .cap = 4},
                                  {.weight = small[i], .cap = 10},
                                  {.weight = small[i], .cap = 10}};

        split(v, 3, 15, NULL);
        NEAR(v[0].share, 4);
        NEAR(v[1].share, 5.5);
        NEAR(v[2].share, 5.5);
    }
}

/* Fig. 11: 400 slots; two pools with a long job each, then a third pool with a short one, then a
 * second job in one of the two. */
static void test_figure_11(void)
{
    struct fair_entity v[] = {
        {.weight = 1, .cap = 12000}, {.weight = 1, .cap = 0}, {.weight = 1, .cap = 0}};

    split(v, 3, 400, NULL);
    CU_ASSERT_EQUAL(v[0].share, 400);
    v[1].cap = 12000;
    split(v, 3, 400, NULL);
    CU_ASSERT_EQUAL(v[0].share, 200);
    CU_ASSERT_EQUAL(v[1].share, 200);
    v[2].cap = 800;
    split(v, 3, 400, NULL);
    for (int i = 0; i < 3; i++)
        NEAR(v[i].share, 400.0 / 3);
    NEAR(118 + 3 * 800 * 12 / v[2].share, 334);
    v[2].cap = 0;
    split(v, 3, 400, NULL);
    CU_ASSERT_EQUAL(v[0].share, 200);
    NEAR(494 + 800 * 12 / (v[0].share / 2), 590);
}

static void test_rounding(void)
{
    struct fair_entity v[] = {
        {.weight = 1, .cap = 100}, {.weight = 1, .cap = 100}, {.weight = 1, .cap = 100}};
    int64_t slots[3];

    split(v, 3, 100, NULL);
    fair_round_shares_to_slots(v, 3, 100, slots, &scratch);
    CU_ASSERT_EQUAL(slots[0], 34);
    CU_ASSERT_EQUAL(slots[1], 33);
    CU_ASSERT_EQUAL(slots[2], 33);
    v[2].weight = 1.1;
    split(v, 3, 100, NULL);
    fair_round_shares_to_slots(v, 3, 100, slots, &scratch);
    CU_ASSERT_EQUAL(slots[0], 32);
    CU_ASSERT_EQUAL(slots[1], 32);
    CU_ASSERT_EQUAL(slots[2], 36);
}

static void test_deficit(void)
{
    CU_ASSERT_EQUAL(fair_deficit_growth(5, 8, 2000000), -6e6);
    CU_ASSERT_EQUAL(fair_deficit_growth(5, 2, 2000000), 6e6);
}

/* Two pools of 50 each on 100 slots; a pool counts as starved below half its share, and preemption
 * then brings it up to its full share. */
static void test_preemption_need(void)
{
    CU_ASSERT_EQUAL(fair_starvation_threshold(50, .5, 60), 25);
    CU_ASSERT_EQUAL(fair_starvation_threshold(50, .5, 10), 10);
    CU_ASSERT_EQUAL(fair_starvation_threshold(100.0 / 3, .5, 60), 16);
    CU_ASSERT_EQUAL(fair_slots_to_preempt(0, 50, 60, 24, false, false), 0);
    CU_ASSERT_EQUAL(fair_slots_to_preempt(0, 50, 60, 24, false, true), 26);
    CU_ASSERT_EQUAL(fair_slots_to_preempt(40, 50, 60, 24, true, true), 26);
    CU_ASSERT_EQUAL(fair_slots_to_preempt(40, 50, 60, 24, true, false), 16);
    CU_ASSERT_EQUAL(fair_slots_to_preempt(40, 50, 30, 24, true, true), 6);
    CU_ASSERT_EQUAL(fair_slots_to_preempt(40, 50, 60, 70, true, true), 0);
}

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* The sum is min(total, sum of caps); everyone has its minimum, none more than its cap; the
 * entities between the two are at one level; whole slots differ from the shares by less than
 * one. */
static void check(const struct fair_entity *v, size_t n, double total, double level)
{
    double sum = 0, caps = 0;
    int64_t slots[12], given = 0, want;

    for (size_t i = 0; i < n; i++) {
        sum += v[i].share;
        caps += v[i].cap;
        CU_ASSERT(v[i].share <= v[i].cap + 1e-9);
        CU_ASSERT(v[i].share >= fmin(v[i].min, v[i].cap) - 1e-9);
        if (v[i].weight > 0 && v[i].share > v[i].min + 1e-9 && v[i].share < v[i].cap - 1e-9)
            CU_ASSERT_DOUBLE_EQUAL(v[i].share / v[i].weight, level, 1e-7);
    }
    CU_ASSERT_DOUBLE_EQUAL(sum, fmin(total, caps), 1e-7);
    want = llround(fmin(total, caps));
    fair_round_shares_to_slots(v, n, want, slots, &scratch);
    for (size_t i = 0; i < n; i++) {
        given += slots[i];
        CU_ASSERT(fabs((double)slots[i] - v[i].share) < 1 + 1e-7);
    }
    CU_ASSERT_EQUAL(given, want);
}

static void test_random(void)
{
    uint64_t seed = 7;
    struct fair_entity v[12];
    double level;

    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + draw(&seed, 12);
        double total = (double)draw(&seed, 400);

        for (size_t i = 0; i < n; i++)
            v[i] = (struct fair_entity){.weight = (double)draw(&seed, 9) / 2,
                                        .min = draw(&seed, 3) ? 0 : (double)draw(&seed, 60),
                                        .cap = (double)draw(&seed, 120)};
        split(v, n, total, &level);
        check(v, n, total, level);
    }
    fair_scratch_free(&scratch);
}

static const struct cunit_case cases[] = {
    {"Fig. 4", test_figure_4},
    {"weights", test_weights},
    {"minima that do not fit are scaled", test_minima_that_do_not_fit},
    {"everyone has enough", test_everyone_has_enough},
    {"weight 0 comes last", test_weight_zero},
    {"weights far apart", test_weights_far_apart},
    {"Fig. 11", test_figure_11},
    {"whole slots", test_rounding},
    {"deficit", test_deficit},
    {"need of preemption", test_preemption_need},
    {"random divisions", test_random},
};

CUNIT_MAIN("fair shares", cases)

/* Goal: delay scheduling is the paper's. Method: the paper's figures (section 4) and a trace of
 * Algorithm 3. */
#include <math.h>

#include "policies/common/delay.h"
#include "policies/common/spread_cap.h"
#include "policies/policy.h"
#include "tests/policy/delay_formulas.h"
#include "tests/unit/cunit_main.h"

#define S                          INT64_C(1000000)
#define NEAR(got, want, tolerance) CU_ASSERT_DOUBLE_EQUAL((got), (want), (tolerance))

static void test_choice_of_d(void)
{
    static const double l[] = {.90, .95, .99};
    static const struct {
        double n, want[3];
    } rows[] = {{1, {.799, 1.015, 1.538}},
                {10, {.231, .366, .799}},
                {20, {.135, .231, .597}},
                {100, {.032, .061, .231}}};

    NEAR(delay_d_for_locality(.95, 20, 3, 1), .231049, 5e-7);
    NEAR(delay_wait_bound_s(.231049, 1, 8), .02888, 5e-6);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            NEAR(delay_d_for_locality(l[j], rows[i].n, 3, 1), rows[i].want[j], 6e-4);
}

static void test_locality_of_d(void)
{
    NEAR(delay_locality_of_d(24, 20, 3, 100), .9526, 5e-5);
    NEAR(delay_locality_of_d(24, 10, 3, 100), .9052, 5e-5);
    NEAR(delay_locality_of_d(24, 100, 3, 100), .9905, 5e-5);
    CU_ASSERT(delay_locality_of_d(24, 20, 3, 100) >= .95);
    CU_ASSERT(delay_locality_of_d(24, 10, 3, 100) >= .90);
    CU_ASSERT(delay_locality_of_d(24, 100, 3, 100) >= .99);
}

static void test_chances(void)
{
    NEAR(delay_chance_within(.1, 10), .6513, 5e-5);
    NEAR(delay_chance_within(.1, 40), .9852, 5e-5);
    NEAR(delay_d_of_wait(10, 27), 270, 1e-9);
    NEAR(delay_local_chance(270, 1, 3, 620), .7292, 5e-5);
    NEAR(delay_locality_of_d(270, 10, 3, 620), .9629, 5e-5);
    CU_ASSERT(delay_locality_of_d(270, 10, 3, 620) >= .90);
    NEAR(pow(.8, 3 * 6), .01801, 5e-6);
}

static void test_responsiveness(void)
{
    NEAR(delay_d_of_wait(10, 27.1), 271, 1e-9);
    NEAR(delay_d_of_wait(10, 3.0), 30, 1e-9);
    NEAR(delay_ramp_s(200, 25, 400), 12.5, 1e-9);
    NEAR(delay_ramp_s(133, 25, 400), 8.3, .02);
}

static void test_sticky_slots(void)
{
    static const double n[] = {5, 10, 15, 20, 30, 50};
    static const struct {
        double r, l, want[6];
    } rows[] = {{3, 4, {.9313, .7176, .5630, .4596, .3342, .2153}},
                {3, 6, {.9820, .8499, .7112, .6028, .4568, .3049}},
                {3, 1, {.4880, .2710, .1870, .1426, .0967, .0588}},
                {1, 1, {.2, .1, .0667, .05, .0333, .02}},
                {1, 4, {.5904, .3439, .2412, .1855, .1268, .0776}},
                {1, 6, {.7379, .4686, .3390, .2649, .1841, .1142}}};

    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++)
            NEAR(delay_sticky_bound(n[j], rows[i].r, rows[i].l), rows[i].want[j], 6e-5);
    CU_ASSERT(delay_sticky_bound(15, 3, 4) < .8);
    CU_ASSERT(delay_sticky_bound(30, 3, 4) < .5);
}

/* W1 = W2 = 5 s, heartbeats at 0, 3, 6, 9, 12: an off-rack task is launched at 12, a rack-local one
 * at 6. */
static void trace(enum delay_level best, int64_t launch_at, const int64_t *waits)
{
    struct delay d;
    struct delay_job job = {0};
    int n = 0;

    delay_init(&d, 5 * S, 5 * S);
    for (int64_t t = 0; t <= launch_at; t += 3, n++) {
        delay_on_heartbeat(&d, t * S);
        CU_ASSERT_EQUAL(job.wait_us, waits[n] * S);
        CU_ASSERT_EQUAL(delay_offer_slot(&d, &job, best), t == launch_at);
        CU_ASSERT_EQUAL(job.skipped, t != launch_at);
    }
    CU_ASSERT_EQUAL(job.level, best);
    CU_ASSERT_EQUAL(job.wait_us, 0);
}

static void test_algorithm_3_trace(void)
{
    static const int64_t waits[] = {0, 3, 6, 9, 12};

    trace(DELAY_ANY, 12, waits);
    trace(DELAY_RACK, 6, waits);
}

static void test_levels(void)
{
    struct delay d;
    struct delay_job job = {0}, other = {0};

    delay_init(&d, 5 * S, 5 * S);
    delay_on_heartbeat(&d, 0);
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_NODE));
    CU_ASSERT_FALSE(delay_offer_slot(&d, &job, DELAY_RACK));
    CU_ASSERT_FALSE(job.skipped); /* it launched in this heartbeat */
    delay_on_heartbeat(&d, 1 * S);
    CU_ASSERT_EQUAL(job.wait_us, 0);
    CU_ASSERT_FALSE(delay_offer_slot(&d, &job, DELAY_RACK));
    CU_ASSERT(job.skipped);
    delay_on_heartbeat(&d, 6 * S);
    CU_ASSERT_EQUAL(job.wait_us, 5 * S);
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_RACK));
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_RACK)); /* level 1 now: rack-local at once */
    delay_on_heartbeat(&d, 7 * S);
    CU_ASSERT_FALSE(delay_offer_slot(&d, &job, DELAY_ANY));
    delay_on_heartbeat(&d, 12 * S);
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_ANY)); /* W2 after level 1 */
    CU_ASSERT_EQUAL(job.level, DELAY_ANY);
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_NODE)); /* a local launch takes it back to level 0 */
    CU_ASSERT_EQUAL(job.level, DELAY_NODE);
    delay_on_heartbeat(&d, 13 * S);
    CU_ASSERT_FALSE(delay_offer_slot(&d, &other, DELAY_ANY));
    CU_ASSERT_FALSE(delay_offer_slot(&d, &job, DELAY_ANY));
    delay_remove_job(&d, &other);
    delay_on_heartbeat(&d, 14 * S);
    CU_ASSERT_EQUAL(other.wait_us, 0);
    CU_ASSERT_EQUAL(job.wait_us, 1 * S);
}

/* A slot on which no task of the job may run is declined, however long the job has waited. */
static void test_passed_by(void)
{
    struct delay d;
    struct delay_job job = {0};

    delay_init(&d, 5 * S, 5 * S);
    for (int64_t t = 0; t <= 20; t++) {
        delay_on_heartbeat(&d, t * S);
        CU_ASSERT_EQUAL(job.wait_us, t * S);
        CU_ASSERT_EQUAL(job.level, DELAY_NODE);
        delay_record_declined(&d, &job);
        CU_ASSERT(job.skipped);
    }
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_ANY));
    delay_record_declined(&d, &job);
    CU_ASSERT_FALSE(job.skipped); /* it launched in this heartbeat */
    job = (struct delay_job){0};
    delay_init_skips(&d, 2);
    delay_record_declined(&d, &job);
    CU_ASSERT_FALSE(delay_offer_slot(&d, &job, DELAY_ANY));
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_ANY));
    delay_remove_job(&d, &job);
}

/* 58 x 8 slots, 100 outstanding maps: 2 per node. */
static void test_spread_cap(void)
{
    CU_ASSERT_EQUAL(policy_spread_cap(8, 100, 58 * 8), 2);
    CU_ASSERT_EQUAL(policy_spread_cap(8, 464, 464), 8);
    CU_ASSERT_EQUAL(policy_spread_cap(8, 465, 464), 8);
    CU_ASSERT_EQUAL(policy_spread_cap(8, 1, 464), 1);
    CU_ASSERT_EQUAL(policy_spread_cap(8, 0, 464), 0);
    CU_ASSERT_EQUAL(policy_spread_cap(8, 5, 0), 8);
}

/* Algorithm 2, D = 3: three offers are declined; then any offer is taken, until a local launch
 * resets the count. */
static void test_skips(void)
{
    struct delay d;
    struct delay_job job = {0};

    delay_init_skips(&d, 3);
    CU_ASSERT(delay_is_on(&d));
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_NODE));
    for (int i = 0; i < 3; i++) {
        delay_on_heartbeat(&d, i * S);
        CU_ASSERT_EQUAL(job.skips, i);
        CU_ASSERT_FALSE(i == 1 ? delay_would_take_or_decline(&d, &job, DELAY_ANY)
                               : delay_offer_slot(&d, &job, DELAY_RACK));
    }
    /* merely asking changes nothing then */
    CU_ASSERT(delay_would_take_or_decline(&d, &job, DELAY_ANY));
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_ANY));
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_RACK)); /* the count stays */
    CU_ASSERT(delay_offer_slot(&d, &job, DELAY_NODE));
    CU_ASSERT_EQUAL(job.skips, 0);
    CU_ASSERT_FALSE(delay_offer_slot(&d, &job, DELAY_ANY));
    delay_remove_job(&d, &job);
    delay_init(&d, 0, 0);
    CU_ASSERT_FALSE(delay_is_on(&d));
}

static const struct cunit_case cases[] = {
    {"choice of D", test_choice_of_d},
    {"locality reached with D", test_locality_of_d},
    {"chances", test_chances},
    {"responsiveness", test_responsiveness},
    {"sticky slots", test_sticky_slots},
    {"Algorithm 3, trace", test_algorithm_3_trace},
    {"Algorithm 3, levels", test_levels},
    {"offers that nothing may take", test_passed_by},
    {"spread cap", test_spread_cap},
    {"skip counts", test_skips},
};

CUNIT_MAIN("delay scheduling", cases)

/* Goal: times of tasks and places of splits have their specified distributions, depend on (seed,
 * job, task) alone, and are the same on every machine; the lower bound is correct. Method:
 * statistics over many draws, fixed values, hand-made cases. */
#include <math.h>
#include <string.h>

#include "sim/engine/bound.h"
#include "sim/engine/durations.h"
#include "sim/engine/rng.h"
#include "tests/unit/cunit_main.h"

#define S                          INT64_C(1000000)
#define GOLDEN_MAP                 54875631
#define GOLDEN_REDUCE              847394629
#define NEAR(got, want, tolerance) CU_ASSERT_DOUBLE_EQUAL((got), (want), (tolerance))

static void test_functions(void)
{
    double worst_log = 0, worst_exp = 0;

    for (double x = 1e-15; x < 1e9; x *= 1.37)
        worst_log = fmax(worst_log, fabs(sim_math_log(x) - log(x)) / fmax(1, fabs(log(x))));
    for (double x = -40; x < 40; x += .0371)
        worst_exp = fmax(worst_exp, fabs(sim_math_exp(x) / exp(x) - 1));
    CU_ASSERT(worst_log < 1e-15);
    CU_ASSERT(worst_exp < 1e-14);
    NEAR(sim_math_normal_quantile(.5), 0, 1e-12);
    NEAR(sim_math_normal_quantile(.975), 1.959963985, 1e-8);
    NEAR(sim_math_normal_quantile(.001), -3.090232306, 1e-8);
}

static void test_sequence(void)
{
    struct sim_rng r = sim_rng_seed(1, 2), again = sim_rng_seed(1, 2), other = sim_rng_seed(1, 3);
    double sum = 0, square = 0, gaps = 0;
    int low = 0, high = 0;

    CU_ASSERT_EQUAL(sim_rng_next(&r), sim_rng_next(&again));
    CU_ASSERT_NOT_EQUAL(sim_rng_next(&r), sim_rng_next(&other));
    for (int i = 0; i < 200000; i++) {
        double v = sim_math_normal_quantile(sim_rng_unit(&r));
        int64_t b = sim_rng_between(&r, 3, 5);

        sum += v;
        square += v * v;
        gaps += sim_rng_exponential(&r, 14);
        CU_ASSERT_FATAL(b >= 3 && b <= 5);
        low += b == 3;
        high += b == 5;
    }
    NEAR(sum / 200000, 0, .01);
    NEAR(square / 200000, 1, .01);
    NEAR(gaps / 200000, 14, .15);
    NEAR(low / 200000.0, 1 / 3.0, .01);
    NEAR(high / 200000.0, 1 / 3.0, .01);
    for (int i = 0; i < 1000; i++) {
        double v = sim_rng_log_uniform(&r, 5, 500);

        CU_ASSERT_FATAL(v >= 5 && v <= 500);
    }
}

static struct sim_job job_of(double cv)
{
    struct sim_job j;

    sim_job_init(&j);
    j.tasks[BASE_TASK_MAP] = j.tasks[BASE_TASK_REDUCE] = 1000000;
    j.base_us[BASE_TASK_MAP] = 60 * S;
    j.base_us[BASE_TASK_REDUCE] = 1000 * S;
    j.cv[BASE_TASK_MAP] = j.cv[BASE_TASK_REDUCE] = cv;
    return j;
}

static void check_noise(double cv, double mean, double deviation)
{
    struct sim_job j = job_of(cv);
    struct sim_cost c;
    struct sim_stat s = {0};

    sim_cost_init(&c, 7, 1, &j, true);
    for (int32_t i = 0; i < 200000; i++)
        sim_stat_add(&s, sim_cost_nominal_us(&c, BASE_TASK_MAP, i) / 60e6);
    NEAR(s.mean, mean, .005);
    NEAR(sim_stat_deviation(&s), deviation, .005);
    CU_ASSERT(s.min >= 1 / 3.0 && s.max <= 3);
}

static void test_noise(void)
{
    struct sim_job j = job_of(0);
    struct sim_cost c;

    sim_cost_init(&c, 7, 1, &j, true);
    CU_ASSERT_EQUAL(sim_cost_map_us(&c, 5, SIM_NODE_LOCAL, 1), 60 * S);
    check_noise(.05, 1, .05);
    check_noise(.1, 1, .1);
    check_noise(.3, 1, .3);
    j = job_of(9); /* few draws lie within [1/3, 3]: drawing ends all the same */
    sim_cost_init(&c, 7, 1, &j, true);
    for (int32_t i = 0; i < 10000; i++) {
        double x = sim_cost_nominal_us(&c, BASE_TASK_MAP, i) / 60e6;

        CU_ASSERT_FATAL(x >= 1 / 3.0 && x <= 3);
    }
}

static void test_factors(void)
{
    struct sim_job j = job_of(.1);
    struct sim_cost c, racks;
    int64_t local;

    j.f_colo = .7;
    sim_cost_init(&c, 7, 1, &j, true);
    sim_cost_init(&racks, 7, 1, &j, false);
    local = sim_cost_map_us(&c, 3, SIM_NODE_LOCAL, 1);
    NEAR((double)sim_cost_map_us(&c, 3, SIM_RACK_LOCAL, 1), 2.0 * (double)local, 2);
    NEAR((double)sim_cost_map_us(&racks, 3, SIM_RACK_LOCAL, 1), 1.2 * (double)local, 2);
    NEAR((double)sim_cost_map_us(&racks, 3, SIM_OFF_RACK, 1), 2.0 * (double)local, 2);
    NEAR((double)sim_cost_map_us(&c, 3, SIM_NODE_LOCAL, .8), (double)local / .8, 2);
    NEAR((double)sim_cost_reduce_us(&c, 3, true, 1),
         .7 * (double)sim_cost_reduce_us(&c, 3, false, 1), 2);
    j.f_rack = 1.15;
    j.f_off = 1.3;
    sim_cost_init(&racks, 7, 1, &j, false);
    NEAR((double)sim_cost_map_us(&racks, 3, SIM_RACK_LOCAL, 1), 1.15 * (double)local, 2);
    NEAR((double)sim_cost_map_us(&racks, 3, SIM_OFF_RACK, 1), 1.3 * (double)local, 2);
}

static void test_belongs(void)
{
    struct sim_job j = job_of(.1);
    int64_t exact[] = {5 * S, 7 * S};
    struct sim_cost a, b, c;

    sim_cost_init(&a, 7, 1, &j, true);
    sim_cost_init(&b, 7, 2, &j, true);
    sim_cost_init(&c, 8, 1, &j, true);
    CU_ASSERT_NOT_EQUAL(sim_cost_map_us(&a, 0, SIM_NODE_LOCAL, 1),
                        sim_cost_map_us(&b, 0, SIM_NODE_LOCAL, 1));
    CU_ASSERT_NOT_EQUAL(sim_cost_map_us(&a, 0, SIM_NODE_LOCAL, 1),
                        sim_cost_map_us(&c, 0, SIM_NODE_LOCAL, 1));
    CU_ASSERT_NOT_EQUAL(sim_cost_map_us(&a, 0, SIM_NODE_LOCAL, 1),
                        sim_cost_map_us(&a, 1, SIM_NODE_LOCAL, 1));
    /* the same everywhere and for ever, so that published results can be reproduced */
    CU_ASSERT_EQUAL(sim_cost_map_us(&a, 0, SIM_NODE_LOCAL, 1), GOLDEN_MAP);
    CU_ASSERT_EQUAL(sim_cost_reduce_us(&a, 999999, false, 1), GOLDEN_REDUCE);
    j.task_us[BASE_TASK_MAP] = exact;
    sim_cost_init(&a, 7, 1, &j, true);
    CU_ASSERT_EQUAL(sim_cost_map_us(&a, 1, SIM_NODE_LOCAL, 1), 7 * S);
    CU_ASSERT_EQUAL(sim_cost_map_us(&a, 0, SIM_RACK_LOCAL, 1), 10 * S);
}

static void test_places_one_rack(void)
{
    struct sim_topology t;
    int32_t count[10] = {0};
    uint32_t v[SIM_REPLICAS_MAX], again[SIM_REPLICAS_MAX];

    sim_topology_init(&t, 10, 1, NULL);
    for (int32_t i = 0; i < 30000; i++) {
        CU_ASSERT_EQUAL_FATAL(sim_topology_place_replicas(&t, 99, i, 3, v), 3);
        CU_ASSERT_FATAL(v[0] != v[1] && v[0] != v[2] && v[1] != v[2]);
        for (int r = 0; r < 3; r++)
            count[v[r]]++;
    }
    for (int i = 0; i < 10; i++)
        NEAR(count[i] / 30000.0, .3, .015);
    sim_topology_place_replicas(&t, 99, 5, 3, v);
    sim_topology_place_replicas(&t, 99, 5, 3, again);
    CU_ASSERT(memcmp(v, again, 3 * sizeof *v) == 0);
    sim_topology_free(&t);
    sim_topology_init(&t, 2, 1, NULL);
    CU_ASSERT_EQUAL(sim_topology_place_replicas(&t, 99, 5, 3, v), 2);
    CU_ASSERT(v[0] != v[1]);
    sim_topology_free(&t);
}

static void test_places_racks(void)
{
    struct sim_topology t;
    int32_t count[12] = {0};
    uint32_t v[SIM_REPLICAS_MAX];

    sim_topology_init(&t, 12, 4, NULL);
    for (int32_t i = 0; i < 30000; i++) {
        CU_ASSERT_EQUAL_FATAL(sim_topology_place_replicas(&t, 99, i, 3, v), 3);
        CU_ASSERT_FATAL(t.rack_of[v[1]] != t.rack_of[v[0]] && t.rack_of[v[2]] == t.rack_of[v[1]] &&
                        v[1] != v[2]);
        for (int r = 0; r < 3; r++)
            count[v[r]]++;
    }
    for (int i = 0; i < 12; i++)
        NEAR(count[i] / 30000.0, .25, .015);
    CU_ASSERT_EQUAL(sim_topology_place_replicas(&t, 99, 1, 8, v), 8);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++)
            CU_ASSERT(v[i] != v[j]);
    sim_topology_free(&t);
    {
        static const int32_t rack_of[] = {0, 0, 0, 1}; /* the second rack has no other node */

        sim_topology_init(&t, 4, 2, rack_of);
        for (int32_t i = 0; i < 100; i++) {
            CU_ASSERT_EQUAL(sim_topology_place_replicas(&t, 1, i, 3, v), 3);
            CU_ASSERT(v[0] != v[1] && v[0] != v[2] && v[1] != v[2]);
            CU_ASSERT(t.rack_of[v[0]] != t.rack_of[v[1]]);
        }
        sim_topology_free(&t);
    }
}

/* One server, three jobs: shortest remaining time first ends them at 50, 20 and 30 s: Pastorelli et
 * al., HFSP, Fig. 1. */
static void test_bound(void)
{
    static const struct sim_bound_work w[] = {{.submit_us = 0, .work_us = {30e6}},
                                              {.submit_us = 10 * S, .work_us = {10e6}},
                                              {.submit_us = 15 * S, .work_us = {10e6}}};
    struct sim_bound b;
    double speed[] = {1, 0}, twice[] = {2, 4};

    sim_bound_init(&b, speed, 1);
    for (int i = 0; i < 3; i++)
        sim_bound_add_job(&b, &w[i]);
    NEAR(sim_bound_mean_us(&b), 25e6, 1);
    sim_bound_free(&b);
    /* the reduces decide: 80 s of work on four slots; then the longest path, 45 s, does */
    sim_bound_init(&b, twice, 1);
    sim_bound_add_job(&b,
                      &(struct sim_bound_work){.work_us = {10e6, 80e6}, .longest_us = {5e6, 10e6}});
    NEAR(sim_bound_mean_us(&b), 20e6, 1);
    sim_bound_free(&b);
    sim_bound_init(&b, twice, 2);
    sim_bound_add_job(&b, &(struct sim_bound_work){.work_us = {10e6, 80e6},
                                                   .longest_us = {30e6, 50e6},
                                                   .fixed_us = 5 * S});
    NEAR(sim_bound_mean_us(&b), 45e6, 1);
    sim_bound_free(&b);
}

static void test_statistics(void)
{
    struct sim_stat s = {0};

    sim_stat_add(&s, 3);
    CU_ASSERT_EQUAL(sim_stat_ci95_half_width(&s), 0);
    for (int i = 4; i <= 7; i++)
        sim_stat_add(&s, i);
    NEAR(s.mean, 5, 1e-12);
    NEAR(sim_stat_deviation(&s), 1.5811388, 1e-7);
    NEAR(sim_stat_ci95_half_width(&s), 2.776 * 1.5811388 / sqrt(5), 1e-6);
    CU_ASSERT(s.min == 3 && s.max == 7);
}

static const struct cunit_case cases[] = {
    {"logarithm, exponential, normal: as libm's", test_functions},
    {"a sequence has its distributions", test_sequence},
    {"noise: mean 1, cv, within [1/3, 3]", test_noise},
    {"factors of place and speed", test_factors},
    {"times belong to seed, job and task", test_belongs},
    {"replicas in one rack", test_places_one_rack},
    {"replicas in several racks", test_places_racks},
    {"the lower bound", test_bound},
    {"means and intervals", test_statistics},
};
CUNIT_MAIN("sim cost", cases)

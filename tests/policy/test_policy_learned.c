/* Goal: what the cluster learns from ended tasks is right to the last digit. Method: a few tasks,
 * counted by hand. */
#include <math.h>

#include "policies/common/learned.h"
#include "policies/policy.h"
#include "tests/unit/cunit_main.h"

static struct policy_learned l;

static void ended(enum base_task_kind kind, int64_t work_us, int64_t bytes_in, int64_t given_max_us)
{
    const struct policy_task_end end = {.work_us = work_us, .bytes_in = bytes_in, .success = true};
    struct policy_job job = {0};

    job.size[kind].given_max_us = given_max_us;
    policy_learned_add_task(&l, &job, kind, &end);
}

static bool is(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* The time per byte, with the start-up taken off: 0 when a task took no longer than that. */
static void test_costs(void)
{
    l = (struct policy_learned){0};
    l.kind[BASE_TASK_MAP].startup_us = 1000;
    ended(BASE_TASK_MAP, 5000, 100, 0);
    CU_ASSERT(is(l.kind[BASE_TASK_MAP].cost_max, 40));
    ended(BASE_TASK_MAP, 3000, 100, 0);
    ended(BASE_TASK_MAP, 1000, 100, 0);
    ended(BASE_TASK_MAP, 200, 100, 0);
    CU_ASSERT(is(l.kind[BASE_TASK_MAP].cost_max, 40));
    CU_ASSERT(is(l.kind[BASE_TASK_MAP].cost_sum, 60));
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_MAP].sized, 4);
    ended(BASE_TASK_MAP, 9000, 0, 0); /* no input: says nothing about bytes */
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_MAP].sized, 4);
    CU_ASSERT(is(l.kind[BASE_TASK_MAP].cost_sum, 60));
    ended(BASE_TASK_MAP, 1001, 1, 0);
    CU_ASSERT(is(l.kind[BASE_TASK_MAP].cost_sum, 61));
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_REDUCE].count, 0);
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_MAP].count, 6);
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_MAP].total_us, 5000 + 3000 + 1000 + 200 + 9000 + 1001);
}

/* Tasks that came with a duration say how late they were, not what bytes cost. */
static void test_lateness(void)
{
    l = (struct policy_learned){0};
    ended(BASE_TASK_REDUCE, 900, 10, 1000);
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_REDUCE].late_max_us, 0);
    ended(BASE_TASK_REDUCE, 1300, 10, 1000);
    ended(BASE_TASK_REDUCE, 1200, 10, 1000);
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_REDUCE].late_max_us, 300);
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_REDUCE].sized, 0);
    ended(BASE_TASK_REDUCE, 50, 10, 1);
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_REDUCE].late_max_us, 300);
}

/* The mean is of the last fifty. */
static void test_recent(void)
{
    l = (struct policy_learned){0};
    CU_ASSERT_EQUAL(policy_learned_recent_mean_us(&l, BASE_TASK_MAP), 0);
    ended(BASE_TASK_MAP, 10, 0, 0);
    ended(BASE_TASK_MAP, 20, 0, 0);
    CU_ASSERT_EQUAL(policy_learned_recent_mean_us(&l, BASE_TASK_MAP), 15);
    CU_ASSERT_EQUAL(policy_learned_recent_mean_us(&l, BASE_TASK_REDUCE), 0);
    for (int i = 0; i < POLICY_RECENT - 2; i++)
        ended(BASE_TASK_MAP, 30, 0, 0);
    CU_ASSERT_EQUAL(policy_learned_recent_mean_us(&l, BASE_TASK_MAP),
                    (10 + 20 + 30 * (POLICY_RECENT - 2)) / POLICY_RECENT);
    ended(BASE_TASK_MAP, 30, 0, 0);
    CU_ASSERT_EQUAL(policy_learned_recent_mean_us(&l, BASE_TASK_MAP),
                    (20 + 30 * (POLICY_RECENT - 1)) / POLICY_RECENT);
    ended(BASE_TASK_MAP, 30, 0, 0);
    CU_ASSERT_EQUAL(policy_learned_recent_mean_us(&l, BASE_TASK_MAP), 30);
    CU_ASSERT_EQUAL(l.kind[BASE_TASK_MAP].n, POLICY_RECENT);
}

static void test_eta(void)
{
    struct policy_job job = {.seen[BASE_TASK_MAP] = {.n = 1, .bytes_in = 0, .bytes_out = 50}};

    l = (struct policy_learned){0};
    policy_learned_add_map_selectivity(&l, &job);
    CU_ASSERT(is(l.eta_max, 0));
    job.seen[BASE_TASK_MAP].bytes_in = 200;
    policy_learned_add_map_selectivity(&l, &job);
    CU_ASSERT(is(l.eta_max, 0.25));
    job.seen[BASE_TASK_MAP].bytes_in = 400;
    policy_learned_add_map_selectivity(&l, &job);
    CU_ASSERT(is(l.eta_max, 0.25));
}

static const struct cunit_case cases[] = {{"costs", test_costs},
                                          {"lateness", test_lateness},
                                          {"recent tasks", test_recent},
                                          {"map output", test_eta}};

CUNIT_MAIN("learned", cases)

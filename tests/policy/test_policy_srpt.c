/* Goal: srpt gives the schedules of the literature's examples, np-srpt ranks by what remains and
 * interrupts nothing.
 * Method: small clusters without a core, run to the end. */
#include <string.h>

#include "policies/registry.h"
#include "tests/policy/policy_fake.h"
#include "tests/unit/cunit_main.h"

#define S(x) ((int64_t)((x)*1000000.0))

static struct fake_job *at(struct fake *w, double s, int32_t maps, double each_s, bool known)
{
    struct fake_job *j = fake_job(w, maps, S(each_s), 0, 0);

    j->arrive_us = w->now_us + S(s);
    fake_sizes(j, false, known);
    return j;
}

static double sojourn_s(const struct fake_job *j)
{
    return (double)(j->finish_us - j->arrive_us) / 1e6;
}

/* Three jobs of HFSP's figure 1 on one slot: 30, 10, 10 s of work at 0, 10, 15 s. */
static void test_one_slot(void)
{
    struct fake w;
    struct fake_job *j1, *j2, *j3;

    fake_init(&w, &policy_srpt, NULL, 1, 1, 1);
    j1 = at(&w, 0, 1, 30, true);
    j2 = at(&w, 10, 1, 10, true);
    j3 = at(&w, 15, 1, 10, true);
    CU_ASSERT(fake_run(&w, FAKE_AT_ONCE, NULL, S(1000)));
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j1), 50, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j2), 10, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j3), 15, 1e-6);
    CU_ASSERT_EQUAL(w.breaches, 0);
    CU_ASSERT_EQUAL(w.kills, 0);
    fake_free(&w);
}

/* HFSP's figure 2 with whole slots: 20 slots; j1 has 20 tasks of 30 s, j2 11 of 10 s at 10, j3 7 of
 * 10 s at 13. */
static void test_many_slots(void)
{
    struct fake w;
    struct fake_job *j1, *j2, *j3;
    int at_30 = 0;

    fake_init(&w, &policy_srpt, NULL, 10, 2, 1);
    j1 = at(&w, 0, 20, 30, true);
    j2 = at(&w, 10, 11, 10, true);
    j3 = at(&w, 13, 7, 10, true);
    CU_ASSERT(fake_run(&w, FAKE_AT_ONCE, NULL, S(100)));
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j1), 40, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j2), 10, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j3), 10, 1e-6);
    for (int32_t i = 0; i < 20; i++)
        at_30 += j1->task[BASE_TASK_MAP][i].started_us == S(1);
    CU_ASSERT_EQUAL(at_30, 2);
    CU_ASSERT_EQUAL(w.suspensions, 18);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* Tasks of the longest job are suspended for shorter jobs, and resumed on their nodes when those
 * have ended; none is killed. */
static void test_takes_its_place_back(void)
{
    struct fake w;
    struct fake_job *a, *b, *c;

    fake_init(&w, &policy_srpt, NULL, 2, 1, 1);
    a = fake_job(&w, 2, S(50), 0, 0);
    fake_sizes(a, false, true);
    fake_arrive(&w, a);
    fake_offer_node(&w, 0);
    fake_offer_node(&w, 1);
    b = fake_job(&w, 1, S(95), 0, 0);
    fake_sizes(b, false, true);
    fake_arrive(&w, b); /* 95 s, less than the 100 of a: takes one slot */
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 1);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), b);
    w.now_us += S(10); /* a: 90, b: 85 */
    c = fake_job(&w, 1, S(88), 0, 0);
    fake_sizes(c, false, true);
    fake_arrive(&w, c);
    CU_ASSERT_EQUAL(fake_victims(&w, 0, BASE_TASK_MAP), 0);
    CU_ASSERT_EQUAL(fake_victims(&w, 1, BASE_TASK_MAP), 1);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), c);
    CU_ASSERT_EQUAL(w.node[0].suspended[BASE_TASK_MAP] + w.node[1].suspended[BASE_TASK_MAP], 2);
    w.now_us += S(90);
    fake_report(&w, 0);
    fake_report(&w, 1);
    CU_ASSERT(b->gone && c->gone);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 1, BASE_TASK_MAP), a);
    CU_ASSERT_EQUAL(a->task[BASE_TASK_MAP][0].kills + a->task[BASE_TASK_MAP][1].kills, 0);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* True sizes of both kinds count together. */
static void test_both_kinds(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_np_srpt, NULL, 1, 2, 1);
    a = fake_job(&w, 2, S(5), 3, S(10)); /* 40 s */
    b = fake_job(&w, 3, S(13), 0, 0);    /* 39 s */
    fake_sizes(a, false, true);
    fake_sizes(b, false, true);
    fake_arrive(&w, a);
    fake_arrive(&w, b);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_free(&w);
}

static void test_never_interrupts(void)
{
    struct fake w;
    struct fake_job *j1, *j2, *j3;

    fake_init(&w, &policy_np_srpt, NULL, 1, 1, 1);
    j1 = at(&w, 0, 2, 30, true);
    j2 = at(&w, 10, 1, 20, true);
    j3 = at(&w, 15, 1, 10, true);
    CU_ASSERT(fake_run(&w, FAKE_AT_ONCE, NULL, S(1000)));
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j3), 25, 1e-6); /* 30 to 40 */
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j2), 50, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(sojourn_s(j1), 90, 1e-6);
    CU_ASSERT_EQUAL(w.suspensions + w.kills, 0);
    fake_free(&w);
}

static void explained(const struct fake *w, const struct fake_job *j, const char *want)
{
    struct base_buf b = {0};

    w->ops->explain(w->policy, &j->pj, w->now_us, &b);
    CU_ASSERT_STRING_EQUAL(b.data, want);
    base_buf_free(&b);
}

/* How long a task of unknown size is expected to take: at first 60 s; then the mean of the job's
 * own ended tasks, or of recent tasks of other jobs; given durations come before those. */
static void test_estimates(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_np_srpt, NULL, 1, 2, 1);
    a = fake_job(&w, 3, S(20), 0, 0);
    fake_arrive(&w, a);
    explained(&w, a, "180.0 s of work remain; jobs with less come first");
    fake_offer_node(&w, 0);
    w.now_us += S(15);
    w.timer_us = w.now_us;
    fake_timer(&w);
    explained(&w, a, "150.0 s of work remain; jobs with less come first"); /* two have run 15 s */
    w.now_us += S(5);
    fake_report(&w, 0);
    explained(&w, a, "20.0 s of work remain; jobs with less come first");
    b = fake_job(&w, 5, S(7), 0, 0);
    fake_arrive(&w, b);
    explained(&w, b, "100.0 s of work remain; jobs with less come first");
    fake_sizes(b, true, false);
    w.ops->on_job_changed(w.policy, &b->pj, BASE_TASK_MAP);
    explained(&w, b, "35.0 s of work remain; jobs with less come first");
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), a);
    fake_free(&w);
}

static const struct cunit_case cases[] = {
    {"srpt on one slot", test_one_slot},
    {"srpt on twenty slots", test_many_slots},
    {"srpt: suspended tasks go on", test_takes_its_place_back},
    {"both kinds count", test_both_kinds},
    {"np-srpt never interrupts", test_never_interrupts},
    {"np-srpt: estimates", test_estimates},
};
CUNIT_MAIN("srpt", cases)

/* Goal: under las the job that has had the least slot time for its weight is next. Method: small
 * clusters without a core. */
#include "policies/options.h"
#include "policies/registry.h"
#include "tests/policy/policy_fake.h"
#include "tests/unit/cunit_main.h"

#define S(x) ((int64_t)((x)*1000000.0))

static struct fake_job *come(struct fake *w, int32_t maps, double each_s, double weight)
{
    struct fake_job *j = fake_job(w, maps, S(each_s), 0, 0);

    j->pj.weight = weight;
    fake_arrive(w, j);
    return j;
}

static void pass(struct fake *w, double s)
{
    w->now_us += S(s);
    if (w->timer_us <= w->now_us) {
        w->timer_us = w->now_us;
        fake_timer(w);
    }
}

static void test_least_first(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_las, NULL, 1, 8, 1);
    a = come(&w, 20, 100, 1);
    b = come(&w, 20, 100, 1);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a); /* a tie: the earlier one */
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a); /* no time has passed */
    pass(&w, 5);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), b);
    pass(&w, 9); /* slot time so far: a 10 + 18 s, b 9 s */
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), b);
    pass(&w, 5); /* a 38, b 19 */
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), b);
    pass(&w, 20); /* a 78, b 79 */
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    fake_free(&w);
}

static void test_weights(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_las, NULL, 1, 8, 1);
    a = come(&w, 20, 100, 3);
    b = come(&w, 20, 100, 1);
    fake_start(&w, a, BASE_TASK_MAP, 0, 0);
    fake_start(&w, a, BASE_TASK_MAP, 1, 0);
    fake_start(&w, b, BASE_TASK_MAP, 0, 0);
    pass(&w, 10); /* per weight: a 20/3 s, b 10 s */
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_PTR_EQUAL(fake_offer(&w, 0, BASE_TASK_MAP), a);
    pass(&w, 10); /* 60/3 and 20: a tie */
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), a);
    pass(&w, 1);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_free(&w);
}

/* An attempt's time counts until it ends; a policy that is activated later knows the time
 * before. */
static void test_over_changes(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_las, NULL, 1, 2, 1);
    a = come(&w, 3, 10, 1);
    b = come(&w, 3, 10, 1);
    fake_start(&w, a, BASE_TASK_MAP, 0, 0);
    w.now_us += S(10);
    fake_report(&w, 0); /* a 10, before any timer */
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_start(&w, b, BASE_TASK_MAP, 0, 0);
    pass(&w, 9);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_switch(&w, &policy_fifo);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), a);
    fake_switch(&w, &policy_las);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b); /* 10 and 9 */
    pass(&w, 1);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), a);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

/* Between quanta nothing moves but the job whose counts change. */
static void test_quantum(void)
{
    struct policy_conf conf = {0};
    struct base_error err;
    struct fake w;
    struct fake_job *a, *b;

    CU_ASSERT_EQUAL(policy_conf_set(&conf, "las.quantum", "30", &err), 0);
    fake_init(&w, &policy_las, &conf, 1, 8, 1);
    CU_ASSERT_EQUAL(w.timer_us, w.now_us + S(30));
    a = come(&w, 20, 100, 1);
    b = come(&w, 20, 100, 1);
    fake_start(&w, a, BASE_TASK_MAP, 0, 0);
    pass(&w, 5);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), a);
    fake_start(&w, a, BASE_TASK_MAP, 1, 0);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_free(&w);
}

/* Service divided by a tiny weight is more than an integer holds, but still counts as more than
 * another job's. */
static void test_tiny_weight(void)
{
    struct fake w;
    struct fake_job *a, *b;

    fake_init(&w, &policy_las, NULL, 1, 8, 1);
    a = come(&w, 20, 100000000, 1e-6);
    b = come(&w, 20, 100000000, 1);
    fake_start(&w, a, BASE_TASK_MAP, 0, 0);
    fake_start(&w, b, BASE_TASK_MAP, 0, 0);
    pass(&w, 20000000);
    CU_ASSERT_PTR_EQUAL(fake_peek(&w, 0, BASE_TASK_MAP), b);
    fake_free(&w);
}

static const struct cunit_case cases[] = {
    {"least service first", test_least_first},
    {"weights", test_weights},
    {"a tiny weight", test_tiny_weight},
    {"ends, changes of policy", test_over_changes},
    {"quantum", test_quantum},
};
CUNIT_MAIN("las", cases)

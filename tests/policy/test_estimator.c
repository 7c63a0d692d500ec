/* Goal: every family gives back the parameters of a sample that lies exactly on it, and its vector
 * has the right total.
 * Method: samples that are quantiles at (i - 0.5)/s of known distributions. */
#include <math.h>

#include "policies/hfsp/estimator.h"
#include "tests/unit/cunit_main.h"

#define S 1000000.0

static void sample(enum estimator_family family, double a, double b, int64_t *x, int n)
{
    struct estimator_fit truth = {family, a, b};

    for (int i = 0; i < n; i++) /* in reverse: fitting sorts */
        x[i] = (int64_t)(estimator_quantile(&truth, (n - 1 - i + 0.5) / n) + 0.5);
}

static void expect_fit(enum estimator_family family, double a, double b, int n, double tolerance)
{
    struct estimator_fit fit;
    int64_t x[50];

    sample(family, a, b, x, n);
    estimator_fit(&fit, family, x, (size_t)n);
    CU_ASSERT_EQUAL(fit.family, family);
    CU_ASSERT_DOUBLE_EQUAL(fit.a, a, tolerance);
    CU_ASSERT_DOUBLE_EQUAL(fit.b, b, tolerance);
    CU_ASSERT(x[0] <= x[n - 1]);
}

static void test_families(void)
{
    for (int n = 2; n <= 50; n += 3) {
        expect_fit(ESTIMATOR_UNIFORM, 10 * S, 50 * S, n, 3);
        expect_fit(ESTIMATOR_NORMAL, 60 * S, 9 * S, n, 3);
        expect_fit(ESTIMATOR_LOGNORMAL, log(30 * S), 0.5, n, 1e-6);
        expect_fit(ESTIMATOR_EXPONENTIAL, 0, 20 * S, n, 3);
        expect_fit(ESTIMATOR_WEIBULL, log(40 * S), 1 / 1.5, n, 1e-5);
    }
}

static void test_mean(void)
{
    int64_t x[5] = {9000000, 10000000, 11000000, 10000000, 10000000}, same[3] = {7, 7, 7};
    struct virtual_run runs[ESTIMATOR_RUNS];
    struct estimator_fit fit;

    estimator_fit(&fit, ESTIMATOR_MEAN, x, 5);
    CU_ASSERT_EQUAL(estimator_total_duration_us(&fit, 20), 200 * S);
    CU_ASSERT_EQUAL(estimator_make_runs(&fit, 15, 150 * S, runs), 1);
    CU_ASSERT(runs[0].tasks == 15 && runs[0].left_us == 10 * S);
    CU_ASSERT_EQUAL(estimator_make_runs(&fit, 15, 0, runs), 0);
    CU_ASSERT_EQUAL(estimator_make_runs(&fit, 0, 5, runs), 0);
    for (int f = 0; f < ESTIMATOR_FAMILIES; f++) { /* nothing to fit */
        estimator_fit(&fit, (enum estimator_family)f, same, 3);
        CU_ASSERT_EQUAL(fit.family, ESTIMATOR_MEAN);
        CU_ASSERT_EQUAL(estimator_total_duration_us(&fit, 4), 28);
        estimator_fit(&fit, (enum estimator_family)f, same, 1);
        CU_ASSERT_EQUAL(estimator_total_duration_us(&fit, 4), 28);
    }
}

/* Four tasks, uniformly distributed from 10 to 50 s, last 15, 25, 35 and 45 s. */
static void test_vector(void)
{
    struct estimator_fit uniform = {ESTIMATOR_UNIFORM, 10 * S, 40 * S},
                         exponential = {ESTIMATOR_EXPONENTIAL, 0, S};
    struct virtual_run runs[ESTIMATOR_RUNS];
    double exact = 0;
    size_t n = estimator_make_runs(&uniform, 4, 120 * S, runs);

    CU_ASSERT_EQUAL_FATAL(n, 4);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(runs[i].tasks, 1);
        CU_ASSERT_DOUBLE_EQUAL(runs[i].left_us, (15 + 10 * i) * S, 1e-6);
    }
    CU_ASSERT_DOUBLE_EQUAL(estimator_total_duration_us(&uniform, 1000), 30000 * S, 1);
    CU_ASSERT_DOUBLE_EQUAL(estimator_total_duration_us(&uniform, 100000), 3000000 * S, 100);
    for (int k = 0; k < 10; k++)
        exact += -log(1 - (k + 0.5) / 10) * S;
    CU_ASSERT_DOUBLE_EQUAL(estimator_total_duration_us(&exponential, 10), exact, 1e-3);
}

static void test_runs_of_many(void)
{
    struct estimator_fit fit = {ESTIMATOR_LOGNORMAL, log(30 * S), 0.8};
    struct virtual_run runs[ESTIMATOR_RUNS];
    double total = estimator_total_duration_us(&fit, 1003) / 2, sum = 0;
    size_t n = estimator_make_runs(&fit, 1003, total, runs);
    int32_t tasks = 0;

    CU_ASSERT_EQUAL_FATAL(n, ESTIMATOR_RUNS);
    for (size_t i = 0; i < n; i++) {
        tasks += runs[i].tasks;
        sum += runs[i].tasks * runs[i].left_us;
        CU_ASSERT(i == 0 || runs[i].left_us > runs[i - 1].left_us);
    }
    CU_ASSERT_EQUAL(tasks, 1003);
    CU_ASSERT_DOUBLE_EQUAL(sum, total, total * 1e-12);
}

static void test_reduces(void)
{
    CU_ASSERT_DOUBLE_EQUAL(estimator_reduce_function_progress(0.75), 0.25, 1e-12);
    CU_ASSERT_EQUAL(estimator_reduce_function_progress(0.5), 0);
    CU_ASSERT_EQUAL(estimator_project_duration_us(60000000, 0.25), 240000000);
    CU_ASSERT_EQUAL(
        estimator_project_duration_us(60000000, estimator_reduce_function_progress(0.75)),
        240000000);
}

static void test_normal_quantile(void)
{
    CU_ASSERT_EQUAL(estimator_normal_quantile(0.5), 0);
    CU_ASSERT_DOUBLE_EQUAL(estimator_normal_quantile(0.975), 1.959963984540054, 1e-14);
    CU_ASSERT_DOUBLE_EQUAL(estimator_normal_quantile(0.25), -0.6744897501960817, 1e-14);
    CU_ASSERT_DOUBLE_EQUAL(estimator_normal_quantile(0.001), -3.090232306167814, 1e-13);
    CU_ASSERT_DOUBLE_EQUAL(estimator_normal_quantile(1e-20), -9.262340089798408, 1e-12);
}

static const struct cunit_case cases[] = {
    {"families give back their parameters", test_families},
    {"first order: the mean", test_mean},
    {"the vector of quantiles", test_vector},
    {"many tasks as few runs", test_runs_of_many},
    {"reduces: function time and partitions", test_reduces},
    {"normal quantile", test_normal_quantile},
};
CUNIT_MAIN("estimator", cases)

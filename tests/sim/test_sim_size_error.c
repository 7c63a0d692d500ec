/* Goal: the factors by which sizes are wrong in an experiment, and its options. Method: the
 * distribution of many factors; the options in all their spellings. */
#include <math.h>
#include <string.h>

#include "policies/options.h"
#include "sim/engine/size_error.h"
#include "sim/options.h"
#include "tests/unit/cunit_main.h"

enum { FACTORS = 10000 };

static void test_uniform_factor(void)
{
    struct sim_size_error e = {.uniform = 0.3, .seed = 7};
    double sum = 0, low = 9, high = 0;

    for (int32_t i = 0; i < FACTORS; i++) {
        double f = sim_size_error_factor(&e, 1, i, BASE_TASK_MAP);

        sum += f;
        low = fmin(low, f);
        high = fmax(high, f);
    }
    CU_ASSERT_DOUBLE_EQUAL(sum / FACTORS, 1, 0.01);
    CU_ASSERT(low >= 0.7 && low < 0.701 && high <= 1.3 && high > 1.299);
}

static void test_log_normal_factor(void)
{
    struct sim_size_error e = {.sigma = 0.5, .seed = 7};
    double sum = 0, square = 0;

    for (int32_t i = 0; i < FACTORS; i++) {
        double f = log(sim_size_error_factor(&e, 1, i, BASE_TASK_MAP));

        sum += f;
        square += f * f;
    }
    CU_ASSERT_DOUBLE_EQUAL(sum / FACTORS, 0, 0.02);
    CU_ASSERT_DOUBLE_EQUAL(sqrt(square / FACTORS), 0.5, 0.02);
}

static void test_factor_belongs_to_job(void)
{
    struct sim_size_error e = {.uniform = 0.3, .seed = 7}, other = e, none = {.seed = 7};
    double f = sim_size_error_factor(&e, 1, 5, BASE_TASK_MAP);

    other.seed = 8;
    CU_ASSERT_EQUAL(sim_size_error_factor(&e, 1, 5, BASE_TASK_MAP), f);
    CU_ASSERT_NOT_EQUAL(sim_size_error_factor(&e, 1, 5, BASE_TASK_REDUCE), f);
    CU_ASSERT_NOT_EQUAL(sim_size_error_factor(&e, 1, 6, BASE_TASK_MAP), f);
    CU_ASSERT_NOT_EQUAL(sim_size_error_factor(&e, 2, 5, BASE_TASK_MAP), f);
    CU_ASSERT_NOT_EQUAL(sim_size_error_factor(&other, 1, 5, BASE_TASK_MAP), f);
    CU_ASSERT_EQUAL(sim_size_error_factor(&none, 1, 5, BASE_TASK_MAP), 1);
}

/* Factors of earlier versions: an experiment that is repeated with its seed must get the same ones.
 */
static void test_factors_stay(void)
{
    struct sim_size_error uniform = {.uniform = 0.5, .seed = 1}, normal = {.sigma = 1, .seed = 1};

    CU_ASSERT_DOUBLE_EQUAL(sim_size_error_factor(&uniform, 1, 1, BASE_TASK_MAP), 0.7678732218729422,
                           1e-12);
    CU_ASSERT_DOUBLE_EQUAL(sim_size_error_factor(&normal, 1, 1, BASE_TASK_REDUCE),
                           1.145764389156472, 1e-12);
}

static void test_options(void)
{
    static const char *const names[] = {"hfsp.error", "creel.hfsp.error", "error"};
    struct policy_conf conf = {0};
    struct sim_size_error e;
    struct base_error err;
    size_t policies = 0, all = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CU_ASSERT_PTR_EQUAL(sim_option_find(names[i]), &sim_size_error_options[0]);
    CU_ASSERT_STRING_EQUAL(sim_option_find("error-sigma")->name, "hfsp.error_sigma");
    CU_ASSERT_PTR_EQUAL(sim_option_find("hfsp.xi"), policy_option_find("hfsp.xi"));
    CU_ASSERT_PTR_NULL(sim_option_find("hfsp.erro"));
    CU_ASSERT_PTR_NULL(policy_option_find("hfsp.error")); /* not an option of a policy */
    while (policy_option_at(policies))
        policies++;
    while (sim_option_at(all))
        all++;
    CU_ASSERT_EQUAL(all, policies + 3);
    CU_ASSERT_PTR_EQUAL(sim_option_at(policies), &sim_size_error_options[0]);

    e = sim_size_error_read(NULL);
    CU_ASSERT(e.uniform == 0 && e.sigma == 0 && e.seed == 1);
    CU_ASSERT_EQUAL(sim_option_set(&conf, "hfsp.error", "1.5", &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "hfsp.error"));
    CU_ASSERT_EQUAL(sim_option_set(&conf, "no.such", "1", &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(sim_option_set(&conf, "error", "0.25", &err), 0);
    CU_ASSERT_EQUAL(sim_option_set(&conf, "hfsp.error-sigma", "2", &err), 0);
    CU_ASSERT_EQUAL(sim_option_set(&conf, "creel.hfsp.error_seed", "9", &err), 0);
    CU_ASSERT_EQUAL(sim_option_set(&conf, "hfsp.xi", "inf", &err), 0);
    e = sim_size_error_read(&conf);
    CU_ASSERT(e.uniform == 0.25 && e.sigma == 2 && e.seed == 9);
    policy_conf_free(&conf);
}

static const struct cunit_case cases[] = {
    {"uniform errors", test_uniform_factor},
    {"log-normal errors", test_log_normal_factor},
    {"a factor belongs to seed, job and kind", test_factor_belongs_to_job},
    {"factors stay the same from version to version", test_factors_stay},
    {"options", test_options},
};
CUNIT_MAIN("wrong sizes", cases)

/* Goal: every policy is found by its name, and every option by each spelling that is accepted;
 * values, and keys that only look like options, are checked. */
#include <CUnit/Basic.h>
#include <string.h>

#include "base/clock.h"
#include "policies/options.h"
#include "policies/registry.h"
#include "tests/unit/cunit_main.h"

static void test_registry(void)
{
    size_t n = 0;

    for (; policy_at(n); n++) {
        CU_ASSERT_PTR_EQUAL(policy_find(policy_at(n)->name), policy_at(n));
        CU_ASSERT_PTR_NOT_NULL(policy_at(n)->next);
        CU_ASSERT_PTR_NOT_NULL(policy_at(n)->source);
        for (size_t i = 0; i < n; i++) {
            CU_ASSERT_STRING_NOT_EQUAL(policy_at(i)->name, policy_at(n)->name);
            CU_ASSERT_STRING_NOT_EQUAL(policy_at(i)->colour, policy_at(n)->colour);
        }
    }
    CU_ASSERT(n >= 16);
    CU_ASSERT_PTR_EQUAL(policy_at(0), &policy_fifo);
    CU_ASSERT_PTR_EQUAL(policy_find("psbs"), &policy_psbs);
    CU_ASSERT_PTR_NULL(policy_find(NULL));
    CU_ASSERT_STRING_EQUAL(policy_nearest_name("hfps", false), "hfsp");
    CU_ASSERT_STRING_EQUAL(policy_nearest_name("strp", true), "srpt");
}

static void is_option(const char *written, const char *name)
{
    const struct policy_option *o = policy_option_find(written);

    if (!name) {
        CU_ASSERT_PTR_NULL(o);
        return;
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    CU_ASSERT_STRING_EQUAL(o->name, name);
}

static void test_find(void)
{
    is_option("las.quantum", "las.quantum");
    is_option("creel.las.quantum", "las.quantum");
    is_option("quantum", "las.quantum");
    is_option("hfsp.sample-maps", "hfsp.sample_maps");
    is_option("commit-delay", "commit_delay");
    is_option("epoch", NULL); /* hsrtf and srpt both have one */
    is_option("las.quanta", NULL);
    CU_ASSERT_STRING_EQUAL(policy_option_at(0)->name, policy_common_options[0].name);
}

static void test_keys(void)
{
    static const char *const yes[] = {"creel.las.quantum",  "creel.las.quanta", "creel.hsrtf.tie",
                                      "creel.naive-fair.x", "creel.colo_wait",  "creel.colo-wait",
                                      "creel.commit_dealy", "creel.delay.w1",   "creel.rtmr.x"};
    static const char *const no[] = {"las.quantum",      "creel.lass.quantum", "creel.rm.port",
                                     "creel.la.quantum", "creel.delays.w1",    "yarn.las.quantum"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!policy_key_looks_like_option(yes[i]))
            CU_FAIL(yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (policy_key_looks_like_option(no[i]))
            CU_FAIL(no[i]);
}

static void test_values(void)
{
    struct policy_conf conf = {0};
    struct base_error err;

    CU_ASSERT_EQUAL(policy_conf_us(NULL, policy_las.options, "las.quantum"), -1);
    CU_ASSERT_EQUAL(policy_conf_set(&conf, "quantum", "0.25", &err), 0);
    CU_ASSERT_EQUAL(policy_conf_us(&conf, policy_las.options, "las.quantum"), 250000);
    CU_ASSERT_EQUAL(policy_conf_set(&conf, "quantum", "auto", &err), 0);
    CU_ASSERT_EQUAL(policy_conf_us(&conf, policy_las.options, "las.quantum"), -1);
    CU_ASSERT_EQUAL(policy_conf_set(&conf, "quantum", "0", &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(
        err.text, "las.quantum: \"0\" is not a number from 0.1 to 86400 (seconds) or auto");
    CU_ASSERT_EQUAL(policy_conf_set(&conf, "las.quantums", "1", &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "option \"las.quantums\" is unknown or not unique"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "did you mean las.quantum?"));
    CU_ASSERT_EQUAL(conf.n, 1);
    policy_conf_free(&conf);
}

static void test_dates(void)
{
    static const struct {
        int64_t s;
        const char *text;
    } t[] = {{0, "1970-01-01T00:00:00Z"},          {951782399, "2000-02-28T23:59:59Z"},
             {951782400, "2000-02-29T00:00:00Z"},  {951868800, "2000-03-01T00:00:00Z"},
             {1709251199, "2024-02-29T23:59:59Z"}, {1798761599, "2026-12-31T23:59:59Z"},
             {4107542400, "2100-03-01T00:00:00Z"}}; /* no leap year */
    char out[BASE_DATE_TEXT_MAX];

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CU_ASSERT_STRING_EQUAL(base_iso_utc_text(t[i].s * 1000000 + 999999, out), t[i].text);
}

static const struct cunit_case cases[] = {
    {"registry", test_registry}, {"options by name", test_find}, {"keys of options", test_keys},
    {"values", test_values},     {"dates", test_dates},
};
CUNIT_MAIN("policy_options", cases)

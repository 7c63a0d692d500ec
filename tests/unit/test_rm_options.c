/* Goal: the policy and its options come from Creel's keys and from Hadoop's of the same meaning;
 * what is wrong is refused with place, key, value and what was expected. Method: tables of
 * settings. */
#include <CUnit/Basic.h>
#include <string.h>

#include "policies/registry.h"
#include "rm/config/policy_options.h"
#include "tests/unit/cunit_main.h"

#define HADOOP "org.apache.hadoop.yarn.server.resourcemanager.scheduler."

static struct base_conf *conf_of(const char *const *sets, size_t n)
{
    struct base_conf *c = base_conf_new();

    for (size_t i = 0; i < n && sets[i]; i++)
        CU_ASSERT_EQUAL_FATAL(base_conf_set_arg(c, sets[i], NULL), 0);
    return c;
}

static void test_policy(void)
{
    static const struct {
        const char *sets[2], *policy;
    } cases[] = {
        {{NULL}, "fifo"},
        {{"creel.scheduler.policy=hfsp"}, "hfsp"},
        {{"yarn.resourcemanager.scheduler.class=" HADOOP "fair.FairScheduler"},
         HADOOP "fair.FairScheduler"},
        {{"yarn.resourcemanager.scheduler.class=" HADOOP "capacity.CapacityScheduler"}, "fifo"},
        {{"yarn.resourcemanager.scheduler.class=" HADOOP "fair.FairScheduler",
          "creel.scheduler.policy=rtmr"},
         "rtmr"},
        {{"creel.scheduler.policy=" HADOOP "fifo.FifoScheduler"}, HADOOP "fifo.FifoScheduler"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_conf *c = conf_of(cases[i].sets, 2);
        struct policy_conf options = {0};

        CU_ASSERT_STRING_EQUAL(rm_options_get_policy_name(c), cases[i].policy);
        CU_ASSERT(rm_options_read_policy_conf(c, &options, NULL) >= 0);
        policy_conf_free(&options);
        base_conf_free(c);
    }
}

static void test_hadoops_keys(void)
{
    static const char *const sets[] = {"yarn.scheduler.fair.preemption=true",
                                       "yarn.scheduler.fair.sizebasedweight=true",
                                       "yarn.scheduler.fair.locality-delay-node-ms=2500",
                                       "yarn.scheduler.fair.locality-delay-rack-ms=5000",
                                       "creel.fair.size-weight=false",
                                       "creel.hfsp.sample-maps=7",
                                       "creel.rtmr.offer-margin-ms=1500"};
    struct base_conf *c = conf_of(sets, sizeof sets / sizeof *sets);
    struct policy_conf options = {0};

    CU_ASSERT_FATAL(rm_options_read_policy_conf(c, &options, NULL) >= 0);
    CU_ASSERT_TRUE(policy_conf_bool(&options, policy_fair.options, "fair.preemption"));
    CU_ASSERT_FALSE(
        policy_conf_bool(&options, policy_fair.options,
                         "fair.size_weight")); /* the option itself beats Hadoop's key */
    CU_ASSERT_EQUAL(policy_conf_us(&options, policy_common_options, "delay.w1"), 2500000);
    CU_ASSERT_EQUAL(policy_conf_us(&options, policy_common_options, "delay.w2"), 5000000);
    CU_ASSERT_EQUAL(policy_conf_int(&options, policy_hfsp.options, "hfsp.sample_maps"), 7);
    CU_ASSERT_EQUAL(policy_conf_us(&options, policy_rtmr.options, "rtmr.offer_margin"), 1500000);
    policy_conf_free(&options);
    base_conf_free(c);
}

static void test_bad(void)
{
    static const struct {
        const char *set, *words[2];
    } bad[] = {
        {"creel.scheduler.policy=lottery",
         {"creel.scheduler.policy: \"lottery\" is unknown; there are fifo, ", "hfsp"}},
        {"creel.scheduler.policy=srpt", {"for simulations alone", "; there are fifo, "}},
        {"creel.hfsp.xi=0.5", {"-D: creel.hfsp.xi: \"0.5\" is not", "from 1"}},
        {"creel.hfsp.sample-maps=0", {"creel.hfsp.sample_maps: \"0\"", "from 1"}},
        {"creel.hfsp.preemption=softly", {"creel.hfsp.preemption: \"softly\"", "eager"}},
        {"creel.delay.w1=-3", {"creel.delay.w1: \"-3\"", "from 0"}},
        {"creel.hfsp.lottery=1", {"-D: option \"creel.hfsp.lottery\" is unknown", "there are "}},
        {"creel.fair.preemption=maybe", {"creel.fair.preemption: \"maybe\"", "true"}},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct base_conf *c = conf_of(&bad[i].set, 1);
        struct policy_conf options = {0};
        struct base_error err = {0};

        CU_ASSERT_EQUAL(rm_options_read_policy_conf(c, &options, &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].words[0]));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].words[1]));
        policy_conf_free(&options);
        base_conf_free(c);
    }
}

static const struct cunit_case cases[] = {
    {"the policy", test_policy},
    {"Hadoop's keys", test_hadoops_keys},
    {"what is wrong", test_bad},
};
CUNIT_MAIN("rm_options", cases)

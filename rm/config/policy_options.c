#include "rm/config/policy_options.h"

#include <stdio.h>
#include <string.h>

#include "base/io/log.h"
#include "policies/options.h"
#include "policies/policy.h"
#include "policies/registry.h"

#define SCHEDULER_CLASS "yarn.resourcemanager.scheduler.class"

static bool is_policy_option(const char *name)
{
    if (strncmp(name, "creel.", 6) != 0)
        return false;
    for (const struct base_conf_key *k = base_conf_keys; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return false;
    return true;
}

static int set_locality_delay_options(const struct base_conf *conf, struct policy_conf *out,
                                      struct base_error *err)
{
    int64_t ms = base_conf_int(conf, "creel.scheduler.locality-delay-ms");
    char seconds[32];
    int rc;

    if (ms < 0)
        return 0;
    snprintf(seconds, sizeof seconds, "%.3f", (double)ms / 1000);
    rc = policy_conf_set(out, "delay.w1", seconds, err);
    return rc < 0 ? rc : policy_conf_set(out, "delay.w2", seconds, err);
}

int rm_options_check_policy_name(const char *where, const char *name, struct base_error *err)
{
    const struct policy_ops *ops = policy_find(name);
    struct base_buf known = {0};
    const char *near;
    int rc;

    if (ops && !ops->sim_only)
        return 0;
    for (size_t i = 0; policy_at(i); i++)
        if (!policy_at(i)->sim_only)
            base_buf_addf(&known, "%s%s", known.len ? ", " : "", policy_at(i)->name);
    near = ops ? NULL : policy_nearest_name(name, false);
    rc = base_error_set(err, -BASE_EINVAL, "%s: \"%.100s\" is %s%s%s%s; there are %s", where, name,
                        ops ? "for simulations alone" : "unknown", near ? " (did you mean " : "",
                        near ? near : "", near ? "?)" : "", known.data);
    base_buf_free(&known);
    return rc;
}

/* ---------------------------------------------------------------- Hadoop's keys */
/* Sets @option from the Hadoop key @key, if @key is set. A setting of the option itself is read
 * later and wins. */
static int set_option_from_hadoop_key(const struct base_conf *conf, const char *key,
                                      const char *option, struct policy_conf *out,
                                      struct base_error *err)
{
    struct base_error why;
    int rc;

    if (!base_conf_is_set(conf, key) || !policy_option_find(option))
        return 0;
    rc = policy_conf_set(out, option, base_conf_get(conf, key), &why);
    return rc < 0 ? base_error_set(err, rc, "%s: %s", key, why.text) : rc;
}

static int set_option_from_ms_key(const struct base_conf *conf, const char *key, const char *option,
                                  struct policy_conf *out, struct base_error *err)
{
    int64_t ms = base_conf_int(conf, key);
    char seconds[32];

    if (ms < 0)
        return 0;
    snprintf(seconds, sizeof seconds, "%.3f", (double)ms / 1000);
    return policy_conf_set(out, option, seconds, err);
}

static int set_options_from_fair_scheduler_keys(const struct base_conf *conf,
                                                struct policy_conf *out, struct base_error *err)
{
    int rc;

    if ((rc = set_option_from_hadoop_key(conf, "yarn.scheduler.fair.preemption", "fair.preemption",
                                         out, err)) < 0 ||
        (rc = set_option_from_hadoop_key(conf, "yarn.scheduler.fair.sizebasedweight",
                                         "fair.size_weight", out, err)) < 0 ||
        (rc = set_option_from_ms_key(conf, "yarn.scheduler.fair.locality-delay-node-ms", "delay.w1",
                                     out, err)) < 0)
        return rc;
    return set_option_from_ms_key(conf, "yarn.scheduler.fair.locality-delay-rack-ms", "delay.w2",
                                  out, err);
}

/* Keys of Hadoop's Fair Scheduler that have no meaning in Creel, each with the reason. */
static const struct {
    const char *key, *why;
} without_meaning[] = {
    {"yarn.scheduler.fair.assignmultiple", "a heartbeat fills all free slots of a node"},
    {"yarn.scheduler.fair.dynamic.max.assign", "a heartbeat fills all free slots of a node"},
    {"yarn.scheduler.fair.max.assign", "a heartbeat fills all free slots of a node"},
    {"yarn.scheduler.fair.locality.threshold.node",
     "delay scheduling waits for a time, not for a number of offers: "
     "creel.scheduler.locality-delay-ms"},
    {"yarn.scheduler.fair.locality.threshold.rack",
     "delay scheduling waits for a time, not for a number of offers: "
     "creel.scheduler.locality-delay-ms"},
    {"yarn.scheduler.fair.continuous-scheduling-enabled",
     "slots are assigned as soon as they are free"},
    {"yarn.scheduler.fair.continuous-scheduling-sleep-ms",
     "slots are assigned as soon as they are free"},
    {"yarn.scheduler.fair.update-interval-ms", "shares are kept up to date with every change"},
    {"yarn.scheduler.fair.preemption.cluster-utilization-threshold",
     "an application preempts only while others hold "
     "more than their share"},
    {"yarn.scheduler.fair.waitTimeBeforeKill",
     "a container has its grace: creel.nodemanager.kill-grace-ms"},
    {"yarn.scheduler.increment-allocation-mb", "a container takes one slot"},
    {"yarn.scheduler.increment-allocation-vcores", "a container takes one slot"},
};

void rm_options_log_unused_keys(const struct base_conf *conf)
{
    for (size_t i = 0; i < sizeof without_meaning / sizeof *without_meaning; i++)
        if (base_conf_get(conf, without_meaning[i].key))
            base_log_warn("rm", "%s has no meaning here: %s", without_meaning[i].key,
                          without_meaning[i].why);
    if (!base_conf_is_set(conf, "creel.scheduler.policy") &&
        base_conf_is_set(conf, SCHEDULER_CLASS) &&
        !policy_find(base_conf_get(conf, SCHEDULER_CLASS)))
        base_log_warn("rm", "%s: Creel has no scheduler %s; the policy is %s", SCHEDULER_CLASS,
                      base_conf_get(conf, SCHEDULER_CLASS), rm_options_get_policy_name(conf));
}

const char *rm_options_get_policy_name(const struct base_conf *conf)
{
    const char *class = base_conf_get(conf, SCHEDULER_CLASS);

    if (!base_conf_is_set(conf, "creel.scheduler.policy") && class && policy_find(class))
        return class;
    return base_conf_get(conf, "creel.scheduler.policy");
}

/* Later settings replace earlier ones, so the order is from general to specific: Hadoop's keys,
 * Creel's keys in milliseconds, then the options themselves. */
int rm_options_read_policy_conf(const struct base_conf *conf, struct policy_conf *out,
                                struct base_error *err)
{
    const char *name = rm_options_get_policy_name(conf);
    struct base_conf_item item;
    int rc = set_options_from_fair_scheduler_keys(conf, out, err);

    if (rc >= 0)
        rc = set_option_from_ms_key(conf, "creel.rtmr.offer-margin-ms", "rtmr.offer_margin", out,
                                    err);
    if (rc >= 0)
        rc = set_locality_delay_options(conf, out, err);
    for (size_t i = 0; rc >= 0 && base_conf_item_at(conf, i, &item); i++) {
        struct base_error why;

        if (!is_policy_option(item.name))
            continue;
        rc = policy_conf_set(out, item.name, item.value, &why);
        if (rc < 0)
            rc = base_error_set(err, rc, "%s: %s%s", item.source ? item.source : "default",
                                policy_option_find(item.name) ? "creel." : "", why.text);
    }
    if (rc >= 0)
        rc = rm_options_check_policy_name("creel.scheduler.policy", name, err);
    return rc >= 0 && policy_find(name)->check_conf ? policy_find(name)->check_conf(out, err) : rc;
}

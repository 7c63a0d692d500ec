#include "rm/rm_options.h"

#include <stdio.h>
#include <string.h>

#include "policies/policy.h"

static bool is_option(const char *name)
{
    if (strncmp(name, "creel.", 6) != 0)
        return false;
    for (const struct base_conf_key *k = base_conf_keys; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return false;
    return true;
}

static int read_delay(const struct base_conf *conf, struct policy_conf *out, struct base_error *err)
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

static int check_policy(const char *name, const struct policy_conf *options, struct base_error *err)
{
    const struct policy_ops *ops = policy_find(name);
    struct base_buf known = {0};
    int rc;

    if (ops && !ops->sim_only)
        return ops->check_conf ? ops->check_conf(options, err) : 0;
    for (size_t i = 0; policy_at(i); i++)
        if (!policy_at(i)->sim_only)
            base_buf_addf(&known, "%s%s", known.len ? ", " : "", policy_at(i)->name);
    rc = base_error_set(err, -BASE_EINVAL, "creel.scheduler.policy: \"%.100s\" is %s; there are %s", name,
                        ops ? "for simulations alone" : "unknown", known.data);
    base_buf_free(&known);
    return rc;
}

int rm_options_read(const struct base_conf *conf, struct policy_conf *out, struct base_error *err)
{
    struct base_conf_item item;
    int rc = read_delay(conf, out, err);

    for (size_t i = 0; rc >= 0 && base_conf_at(conf, i, &item); i++) {
        struct base_error why;

        if (!is_option(item.name))
            continue;
        rc = policy_conf_set(out, item.name, item.value, &why);
        if (rc < 0)
            rc = base_error_set(err, rc, "%s: creel.%s", item.source ? item.source : "default", why.text);
    }
    return rc < 0 ? rc : check_policy(base_conf_get(conf, "creel.scheduler.policy"), out, err);
}

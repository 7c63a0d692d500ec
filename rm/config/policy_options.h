/* rm/config/policy_options.h - reads the name and the options of the policy from creel.* keys and
 * from Hadoop's keys with the same meaning. */
#ifndef CREEL_RM_CONFIG_POLICY_OPTIONS_H
#define CREEL_RM_CONFIG_POLICY_OPTIONS_H

#include "base/conf/conf.h"
#include "policies/conf.h"

/* Returns the name of the policy to start with: creel.scheduler.policy if it is set; else
 * yarn.resourcemanager.scheduler.class if that names one of Creel's policies; else the default of
 * creel.scheduler.policy. Borrowed from @conf. */
const char *rm_options_get_policy_name(const struct base_conf *conf);
/* Checks that @name is a policy for a live cluster. Returns 0, or -BASE_EINVAL with a message that
 * begins with @where and lists the policies. */
int rm_options_check_policy_name(const char *where, const char *name, struct base_error *err);
/* Warns in the log about Hadoop's keys that are set but have no meaning in Creel and, unless
 * creel.scheduler.policy is set, about a scheduler class that Creel does not have. */
void rm_options_log_unused_keys(const struct base_conf *conf);
/* Fills @out (to be freed with policy_conf_free(), also after an error) with every option that
 * @conf sets. Checks that the policy of rm_options_get_policy_name() exists and accepts them.
 * Returns 0, or -BASE_EINVAL with a message that names the key and what is wrong. */
int rm_options_read_policy_conf(const struct base_conf *conf, struct policy_conf *out,
                                struct base_error *err);

#endif

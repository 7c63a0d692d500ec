/* rm/config/policy_options.h - options of policies, read from creel.* keys and from Hadoop's keys
 * with the same meaning. */
#ifndef CREEL_RM_CONFIG_POLICY_OPTIONS_H
#define CREEL_RM_CONFIG_POLICY_OPTIONS_H

#include "base/conf/conf.h"
#include "policies/conf.h"

/* Returns the name of the policy to start with: creel.scheduler.policy or, where that is not set,
 * yarn.resourcemanager.scheduler.class if it names one of ours. Borrowed from @conf. */
const char *rm_options_get_policy_name(const struct base_conf *conf);
/* Checks that @name is a policy for a live cluster. Returns 0, or -BASE_EINVAL with a message that
 * begins with @where and lists the policies. */
int rm_options_check_policy_name(const char *where, const char *name, struct base_error *err);
/* Logs which of Hadoop's keys are set but have no meaning here. */
void rm_options_log_unused_keys(const struct base_conf *conf);
/* Fills @out (to be freed with policy_conf_free(), also after an error) with every option that
 * @conf sets. Checks that the policy named by creel.scheduler.policy exists and accepts them.
 * Returns 0, or -BASE_EINVAL with a message that names place, key and value. */
int rm_options_read_policy_conf(const struct base_conf *conf, struct policy_conf *out,
                                struct base_error *err);

#endif

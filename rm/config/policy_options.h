/* rm/config/policy_options.h - options of policies, from the configuration's creel.* keys and from Hadoop's keys of the same meaning. */
#ifndef CREEL_RM_CONFIG_POLICY_OPTIONS_H
#define CREEL_RM_CONFIG_POLICY_OPTIONS_H

#include "base/conf/conf.h"
#include "policies/conf.h"

/* Name of the policy to start with: creel.scheduler.policy; where that is not set, yarn.resourcemanager.scheduler.class
 * if it is one of ours. Borrowed from @conf. */
const char *rm_options_policy(const struct base_conf *conf);
/* Is @name a policy for a live cluster? -BASE_EINVAL, beginning with @where, with those there are. */
int rm_options_policy_check(const char *where, const char *name, struct base_error *err);
/* Says in the log which of Hadoop's keys that are set have no meaning here. */
void rm_options_note(const struct base_conf *conf);
/* Fills @out (to be freed by policy_conf_free, also after an error) with every option that @conf sets, and checks that
 * the policy named by creel.scheduler.policy exists and takes them. -BASE_EINVAL with the place, key and value. */
int rm_options_read(const struct base_conf *conf, struct policy_conf *out, struct base_error *err);

#endif

/* rm/rm_options.h - options of policies, from the configuration's creel.* keys. */
#ifndef CREEL_RM_OPTIONS_H
#define CREEL_RM_OPTIONS_H

#include "base/base_conf.h"
#include "policies/policy_conf.h"

/* Fills @out (to be freed by policy_conf_free, also after an error) with every option that @conf sets, and checks that
 * the policy named by creel.scheduler.policy exists and takes them. -BASE_EINVAL with the place, key and value. */
int rm_options_read(const struct base_conf *conf, struct policy_conf *out, struct base_error *err);

#endif

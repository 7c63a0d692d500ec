/* policies/options.h - the options of all policies together, found by the names that people write.
 *
 * An option is written "creel.NAME" in configuration files and NAME where options are given on a
 * command line; '-' and
 * '_' are the same in names, and the part before the first dot may be left out where only one
 * option ends so. */
#ifndef CREEL_POLICIES_OPTIONS_H
#define CREEL_POLICIES_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "policies/conf.h"

/* The option of that spelling over all policies (and common ones); NULL: none, or several end so.
 */
const struct policy_option *policy_option_find(const char *name);
/* Common options first, then each policy's in the order of the registry; NULL past the end. */
const struct policy_option *policy_option_at(size_t index);
/* Does @key look like an option in a configuration file: "creel." and the first part of an option's
 * name, or a policy's name? Such keys are checked by policy_conf_set(), others are not an option's.
 */
bool policy_option_is_key(const char *key);
/* Adds or replaces; the value is checked. -BASE_EINVAL with name, value and what was expected (for
 * an unknown name: the names there are). */
int policy_conf_set(struct policy_conf *c, const char *name, const char *value,
                    struct base_error *err);

#endif

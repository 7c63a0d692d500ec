/* policies/options.h - finds options of all policies by the names that users write.
 *
 * Users write "creel.NAME" in configuration files and NAME on command lines. In names '-' equals
 * '_', and the part before the first dot may be omitted when no other option has the same rest. */
#ifndef CREEL_POLICIES_OPTIONS_H
#define CREEL_POLICIES_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "policies/conf.h"

/* Returns the option, common or of any policy, that @name spells, or NULL when no option or several
 * match. */
const struct policy_option *policy_option_find(const char *name);
/* Returns option @index: common options first, then each policy's in the order of the registry;
 * NULL past the end. */
const struct policy_option *policy_option_at(size_t index);
/* Returns true when the key of a configuration file must be an option: it begins with "creel."
 * followed by a policy's name or by the first part of an option's name. */
bool policy_key_looks_like_option(const char *key);
/* Sets the option that @name spells. Returns 0, or -BASE_EINVAL with the name, the value and what
 * was expected; for a name that is unknown or matches several options, with the list of all names.
 */
int policy_conf_set(struct policy_conf *c, const char *name, const char *value,
                    struct base_error *err);

#endif

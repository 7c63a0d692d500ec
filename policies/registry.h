/* policies/registry.h - the list of all policies.
 *
 * A file in this folder or below defines `const struct policy_ops policy_NAME`; a line with NAME in
 * the list makes the policy known to configuration, commands, reports and tests. */
#ifndef CREEL_POLICIES_REGISTRY_H
#define CREEL_POLICIES_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "policies/policy.h"

/* One line per policy, in the order in which people see them. */
#define POLICY_REGISTRY(POLICY)                                                                    \
    POLICY(fifo)                                                                                   \
    POLICY(naive_fair)                                                                             \
    POLICY(fair)                                                                                   \
    POLICY(ps)                                                                                     \
    POLICY(hsrtf_pu)                                                                               \
    POLICY(hsrtf_pup)                                                                              \
    POLICY(hsrtf_pr)                                                                               \
    POLICY(hsrtf_prp)                                                                              \
    POLICY(las)                                                                                    \
    POLICY(srpt)                                                                                   \
    POLICY(np_srpt)                                                                                \
    POLICY(rtmr)                                                                                   \
    POLICY(dc)                                                                                     \
    POLICY(hfsp)                                                                                   \
    POLICY(fsp)                                                                                    \
    POLICY(psbs)

#define POLICY_DECLARE(name) extern const struct policy_ops policy_##name;
POLICY_REGISTRY(POLICY_DECLARE)
#undef POLICY_DECLARE

/* Finds a policy by its name, or by its alias in any letter case; NULL if there is none. */
const struct policy_ops *policy_find(const char *name);
/* Returns the policy name most similar to @name, for "did you mean", or NULL when none is similar.
 * @sim_too: include policies that only simulations can use. */
const char *policy_nearest_name(const char *name, bool sim_too);
/* Returns the policy at @index of the registry, NULL past the end. */
const struct policy_ops *policy_at(size_t index);

#endif

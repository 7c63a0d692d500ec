/* rm/core/schedule/active_policy.h - sets the active policy. */
#ifndef CREEL_RM_CORE_SCHEDULE_ACTIVE_POLICY_H
#define CREEL_RM_CORE_SCHEDULE_ACTIVE_POLICY_H

#include "rm/core/state.h"

/* Makes the policy @name the active one, and reports to it all applications that the replaced one
 * knew. @options replaces the present options of policies; NULL: they stay in force. Returns 0; or
 * -BASE_EINVAL or another negative BASE_E*, with @err set and nothing changed, for an unknown
 * policy, one that runs in simulations only, or impossible options. */
int rm_policy_set(struct rm_core *c, const char *name, const struct policy_conf *options,
                  struct base_error *err);
/* Frees the policy and its options when the core is being freed. */
void rm_policy_free(struct rm_core *c);
/* Handles RM_EV_SET_POLICY. */
void rm_policy_on_set(struct rm_core *c, const struct rm_event *ev);

#endif

/* rm/core/schedule/active_policy.h - the active policy. */
#ifndef CREEL_RM_CORE_SCHEDULE_ACTIVE_POLICY_H
#define CREEL_RM_CORE_SCHEDULE_ACTIVE_POLICY_H

#include "rm/core/state.h"

/* @options NULL: keeps the options. */
int rm_policy_set(struct rm_core *c, const char *name, const struct policy_conf *options,
                  struct base_error *err);
void rm_policy_free(struct rm_core *c);
void rm_policy_on_set(struct rm_core *c, const struct rm_event *ev);

#endif

/* rm/rm_groups.h - groups of a user on this host, for the rules that place a submission in a queue by them. */
#ifndef CREEL_RM_GROUPS_H
#define CREEL_RM_GROUPS_H

#include "policies/policy_queues.h"
#include "rm/core/rm_types.h"

#define RM_GROUPS_MAX 1000 /* of a user; more are passed over */

/* Does a rule of @q, or one inside it, ask for groups? */
bool rm_groups_wanted(const struct policy_queues *q);
/* Names of the groups of @user, the primary one first; none when this host does not know him. Replaces *out, whose texts
 * are the caller's. Asks the name service, which may take its time. */
void rm_groups_of(const char *user, struct rm_str_list *out);

#endif

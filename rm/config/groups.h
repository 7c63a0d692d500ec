/* rm/config/groups.h - groups of a user on this host, for the rules that place a submission in a queue by them. */
#ifndef CREEL_RM_CONFIG_GROUPS_H
#define CREEL_RM_CONFIG_GROUPS_H

#include "policies/common/queues.h"
#include "rm/core/types.h"

#define RM_GROUPS_MAX 1000 /* of a user; more are passed over */

/* Does a rule of @q, or one inside it, ask for groups? */
bool rm_groups_wanted(const struct policy_queues *q);
/* Names of the groups of @user, the primary one first; none when this host does not know him. Replaces *out, whose texts
 * are the caller's. Asks the name service, which may take its time. */
void rm_groups_of(const char *user, struct rm_str_list *out);

/* Answers of the name service, kept for a while. Any thread. */
struct rm_groups;
struct rm_groups *rm_groups_new(void);
void rm_groups_free(struct rm_groups *g);
/* As rm_groups_of; the name service is asked when the last answer about @user is too old at @now_us, or has made room for
 * another user's. SOURCE: hadoop.security.groups.cache.secs and ...negative-cache.secs, their defaults. */
void rm_groups_get(struct rm_groups *g, const char *user, int64_t now_us, struct rm_str_list *out);

#endif

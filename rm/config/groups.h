/* rm/config/groups.h - looks up the groups of a user on this host, for placement rules that choose
 * a queue by group. */
#ifndef CREEL_RM_CONFIG_GROUPS_H
#define CREEL_RM_CONFIG_GROUPS_H

#include "policies/common/queues.h"
#include "rm/core/types.h"

#define RM_GROUPS_MAX 1000 /* most groups of a user; more are ignored */

/* Returns true when a rule of @queues, or one nested in it, needs the groups of users. */
bool rm_groups_used_by_rules(const struct policy_queues *queues);
/* Replaces *@out with the names of @user's groups, the primary group first. *@out is empty when
 * this host does not know the user, or has no name for the primary group. The caller owns the
 * texts. Asks the name service, which may be slow. */
void rm_groups_query_name_service(const char *user, struct rm_str_list *out);

/* A cache of the name service's answers. May be used from any thread. */
struct rm_groups;
struct rm_groups *rm_groups_new(void);
void rm_groups_free(struct rm_groups *g);
/* As rm_groups_query_name_service(), but asks the name service only when the cache has no answer
 * about @user, or one that is too old at @now_us: 300 s, or 30 s for an empty list. SOURCE: the
 * defaults of hadoop.security.groups.cache.secs and hadoop.security.groups.negative-cache.secs. */
void rm_groups_look_up(struct rm_groups *cache, const char *user, int64_t now_us,
                       struct rm_str_list *out);

#endif

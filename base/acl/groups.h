/* base/acl/groups.h - looks up the groups of a user on this host: for placement rules that choose a
 * queue by group, and for access control lists that name groups. */
#ifndef CREEL_BASE_ACL_GROUPS_H
#define CREEL_BASE_ACL_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/conf/conf.h"

/* Returns the name of this process's user, or the user's number if there is no name. Any thread. */
const char *base_process_user(void);

#define BASE_GROUPS_MAX 1000 /* most groups of a user; more are ignored */

struct base_group_names { /* owned texts */
    char **v;
    size_t n;
};
void base_group_names_clear(struct base_group_names *l); /* frees the texts; *@l is empty then */

/* Replaces *@out with the names of @user's groups, the primary group first. *@out is empty when
 * this host does not know the user, or has no name for the primary group. Asks the name service,
 * which may be slow. */
void base_groups_query_name_service(const char *user, struct base_group_names *out);

/* A cache of the name service's answers. May be used from any thread. */
struct base_groups;
struct base_groups_conf {
    int64_t known_us, unknown_us; /* how long an answer counts: with groups; without any */
    /* called instead of the name service, by any thread and without a lock; NULL: the name
     * service */
    void (*query)(const char *user, struct base_group_names *out);
};
struct base_groups *base_groups_new(const struct base_groups_conf *conf);
void base_groups_free(struct base_groups *g);
/* Reads hadoop.security.groups.cache.secs and hadoop.security.groups.negative-cache.secs. */
struct base_groups *base_groups_new_by_conf(const struct base_conf *conf);
/* Returns true when the cache has an answer about @user that counts at @now_us: a look-up within
 * BASE_GROUPS_GRACE_US from then on needs no query, unless another user takes the same place in the
 * cache in between. */
#define BASE_GROUPS_GRACE_US INT64_C(10000000)
bool base_groups_know(struct base_groups *cache, const char *user, int64_t now_us);
/* As base_groups_query_name_service(), but asks only when the cache has no answer about @user, or
 * one that is too old at @now_us. No lock is held meanwhile. */
void base_groups_look_up(struct base_groups *cache, const char *user, int64_t now_us,
                         struct base_group_names *out);

#endif

/* base/io/groups.h - looks up the groups of a user on this host: for placement rules that choose a
 * queue by group, and for access control lists that name groups. */
#ifndef CREEL_BASE_IO_GROUPS_H
#define CREEL_BASE_IO_GROUPS_H

#include <stddef.h>
#include <stdint.h>

/* Returns the name of this process's user, or the number of one without a name. Any thread. */
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
struct base_groups *base_groups_new(void);
void base_groups_free(struct base_groups *g);
/* As base_groups_query_name_service(), but asks the name service only when the cache has no answer
 * about @user, or one that is too old at @now_us: 300 s, or 30 s for an empty list. SOURCE: the
 * defaults of hadoop.security.groups.cache.secs and hadoop.security.groups.negative-cache.secs. */
void base_groups_look_up(struct base_groups *cache, const char *user, int64_t now_us,
                         struct base_group_names *out);

#endif

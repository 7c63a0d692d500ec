#include "rm/http/access/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/acl/acl.h"
#include "base/conf/acl_conf.h"
#include "base/conf/conf.h"
#include "rm/daemon/backend.h"

struct look_up {
    struct api_request *rq;
    struct rm_backend *b;
    char *caller, *other; /* NULL: need not be looked up */
};

static void cache_groups_of_user(struct rm_backend *b, const char *user)
{
    struct rm_str_list groups = {0};

    rm_backend_look_up_groups(b, user, &groups);
    for (size_t i = 0; i < groups.n; i++)
        free(groups.v[i]);
    free(groups.v);
}

static bool look_up_groups_and_continue(void *u, bool stopping)
{
    struct look_up *l = u;

    if (l->caller && !stopping)
        cache_groups_of_user(l->b, l->caller);
    if (l->other && !stopping)
        cache_groups_of_user(l->b, l->other);
    api_continue_handling(l->rq);
    free(l->caller);
    free(l->other);
    free(l);
    return false; /* done */
}

/* Returns true for queues/{queue}/access, which always consults the lists of queues, about the
 * caller and about the user named in the query. */
static bool is_queue_access_route(const struct api_route *route)
{
    static const char end[] = "/access";
    size_t n = strlen(route->path);

    return n >= sizeof end - 1 && strcmp(route->path + n - (sizeof end - 1), end) == 0;
}

/* Returns true when a decision about the caller may depend on groups. Lists of queues and
 * applications may name groups; only the handler learns which lists matter. */
static bool may_ask_for_groups(struct rm_backend *b, const struct api_route *route)
{
    const struct base_conf *conf = rm_backend_conf(b);

    return base_acl_conf_is_enabled(conf) ||
           base_acl_names_groups(base_acl_conf_get_admins(conf)) || is_queue_access_route(route);
}

static bool lacks_cached_groups(struct rm_backend *b, const char *user)
{
    return user && *user && !rm_backend_knows_groups(b, user);
}

bool rm_access_park_for_groups(struct api_request *rq, void *user)
{
    const struct api_route *route = api_route_of(rq);
    const char *caller = api_caller(rq), *other;
    struct look_up *l;

    if ((route->role != API_ROLE_READ && route->role != API_ROLE_WRITE) ||
        !may_ask_for_groups(user, route))
        return false;
    other = is_queue_access_route(route) ? api_query(rq, "user") : NULL;
    caller = lacks_cached_groups(user, caller) ? caller : NULL;
    other = lacks_cached_groups(user, other) ? other : NULL;
    if (!caller && !other)
        return false;
    l = base_alloc(sizeof *l);
    *l = (struct look_up){
        .rq = rq, .b = user, .caller = base_strdup(caller), .other = base_strdup(other)};
    api_park(rq);
    rm_backend_queue_slow_task(user, RM_SLOW_GROUPS, look_up_groups_and_continue, l);
    return true;
}

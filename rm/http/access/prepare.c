#include "rm/http/access/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/acl/acl.h"
#include "base/conf/conf.h"
#include "rm/daemon/backend.h"

struct look_up {
    struct api_request *rq;
    struct rm_backend *b;
    char *user;
};

static bool look_up_and_continue(void *u, bool stopping)
{
    struct look_up *l = u;
    struct rm_str_list groups = {0};

    if (!stopping)
        rm_backend_look_up_groups(l->b, l->user, &groups);
    api_continue(l->rq);
    for (size_t i = 0; i < groups.n; i++)
        free(groups.v[i]);
    free(groups.v);
    free(l->user);
    free(l);
    return false; /* done */
}

/* Returns true for queues/{queue}/access, which asks the lists of queues in any case. */
static bool is_about_lists(const struct api_route *route)
{
    static const char end[] = "/access";
    size_t n = strlen(route->path);

    return n >= sizeof end - 1 && strcmp(route->path + n - (sizeof end - 1), end) == 0;
}

/* Returns true when a decision about the caller may depend on groups. Lists of queues and
 * applications may name some; whether those do that matter is seen only by the handler. */
static bool may_ask_for_groups(struct rm_backend *b, const struct api_route *route)
{
    const struct base_conf *conf = rm_backend_conf(b);

    return base_conf_bool(conf, "yarn.acl.enable") ||
           base_acl_names_groups(base_conf_get(conf, "yarn.admin.acl")) || is_about_lists(route);
}

bool rm_access_prepare(struct api_request *rq, void *user)
{
    const struct api_route *route = api_route_of(rq);
    const char *caller = api_caller(rq);
    struct look_up *l;

    if ((route->role != API_ROLE_READ && route->role != API_ROLE_WRITE) || !caller ||
        !may_ask_for_groups(user, route) || rm_backend_knows_groups(user, caller))
        return false;
    l = base_alloc(sizeof *l);
    *l = (struct look_up){.rq = rq, .b = user, .user = base_strdup(caller)};
    api_park(rq);
    rm_backend_queue_slow_task(user, RM_SLOW_GROUPS, look_up_and_continue, l);
    return true;
}

/* nodemanager/http/sysfs.c - PUT yarn/sysfs/{user}/{appid}: stores a document for an application's
 * containers on this node. SOURCE: Hadoop's NodeManager REST APIs. A YARN that starts containers
 * without its native executor answers 500, as recorded; Creel stores the document. */
#include <string.h>

#include "nodemanager/daemon/sysfs.h"
#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"

static bool has_unfinished_app_of_user(struct nm *nm, const struct base_app_id *id,
                                       const char *user)
{
    const struct nm_app_view *v;
    bool has;

    pthread_mutex_lock(&nm->lock);
    v = nm_core_app_find(nm->core, id);
    has = v && !v->finished && strcmp(v->user ? v->user : "", user) == 0;
    pthread_mutex_unlock(&nm->lock);
    return has;
}

static void put_sysfs(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_error err = {0};
    struct base_app_id id;
    const char *text;
    size_t len;
    int rc;

    if (!nm_parse_app_id_arg(rq, 1, &id))
        return;
    if (!has_unfinished_app_of_user(nm, &id, api_path_arg(rq, 0))) {
        nm_not_found(rq, "app with id %s of user %s not found", api_path_arg(rq, 1),
                     api_path_arg(rq, 0));
        return;
    }
    if (!nm_access_is_owner_or_admin(rq, nm, api_path_arg(rq, 0))) {
        api_answer_error(rq, 403, "ForbiddenException",
                         "User %s may not change the application %s of %s",
                         api_caller(rq) ? api_caller(rq) : "(no name)", api_path_arg(rq, 1),
                         api_path_arg(rq, 0));
        return;
    }
    text = api_body(rq, &len);
    rc = nm_sysfs_write(&nm->files, &id, text, len, &err);
    if (rc < 0)
        api_answer_base_error(rq, &err);
    else
        api_answer(rq, 200, api_wanted_type(rq), NULL);
}

/* clang-format off */
const struct api_route nm_sysfs_routes[] = {
    {"PUT", NM_NODE "/yarn/sysfs/{user}/{appid}", API_ROLE_READ, NM_SYSFS_MAX, put_sysfs, 0},
};
/* clang-format on */
NM_ROUTES_END(nm_sysfs_routes);

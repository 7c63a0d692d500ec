/* nodemanager/http/aux_services.c - the auxiliary services: shown, and replaced by a manifest.
 * SOURCE: Hadoop's NodeManager REST APIs. */
#include <stdlib.h>

#include "nodemanager/daemon/aux_services.h"
#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"

struct services_copy {
    struct yarn_nm_service *v;
    size_t n, cap;
};

static void add_service(const char *name, const char *version, const char *started, void *u)
{
    struct services_copy *all = u;

    base_array_grow(&all->v, all->n, &all->cap);
    all->v[all->n++] = (struct yarn_nm_service){.name = base_strdup(name),
                                                .version = base_strdup(version),
                                                .started = base_strdup(started)};
}

static void free_services_copy(struct services_copy *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free((char *)all->v[i].name);
        free((char *)all->v[i].version);
        free((char *)all->v[i].started);
    }
    free(all->v);
}

static bool answer_if_disabled(struct api_request *rq, const struct nm *nm)
{
    if (nm_aux_services_enabled(nm->aux_services))
        return false;
    nm_bad_request(rq, "Auxiliary services manifest is not enabled");
    return true;
}

static void get_services(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct services_copy all = {0};
    struct yarn_nm_services services;

    if (answer_if_disabled(rq, nm))
        return;
    nm_aux_services_each(nm->aux_services, add_service, &all);
    services.list = (struct api_list){.items = all.v, .n = all.n, .stride = sizeof *all.v};
    nm_answer_resource(rq, &yarn_shape_nm_services, API_N_WRAPPED, &services);
    free_services_copy(&all);
}

/* Only a named caller can be an administrator. YARN answers 500 to a manifest whose services cannot
 * be started; the mistake is the caller's, so the answer here is 400. */
static void put_services(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_error err = {0};
    size_t len;
    const char *text = api_body(rq, &len);

    if (answer_if_disabled(rq, nm))
        return;
    if (!api_caller(rq) || !nm_access_is_admin_or_unnamed(rq, nm))
        api_answer(rq, 403, api_wanted_type(rq), NULL);
    else if (len == 0)
        api_answer(rq, 400, api_wanted_type(rq), NULL);
    else if (nm_aux_services_reload(nm->aux_services, text, len, &err) < 0)
        nm_bad_request(rq, "%s", err.text);
    else
        api_answer(rq, 200, api_wanted_type(rq), NULL);
}

/* clang-format off */
const struct api_route nm_aux_services_routes[] = {
    {"GET", NM_NODE "/auxiliaryservices", API_ROLE_READ, 0, get_services, 0},
    {"PUT", NM_NODE "/auxiliaryservices", API_ROLE_READ, NM_AUX_MANIFEST_MAX, put_services, 0},
};
/* clang-format on */
NM_ROUTES_END(nm_aux_services_routes);

/* nodemanager/http/apps.c - the applications of this node. SOURCE: Hadoop's NodeManager REST
 * APIs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"

/* A copy of the shown properties of an application. Its list of containers points to @ids once
 * point_view_at_own_texts() has been called. */
struct app_copy {
    struct yarn_nm_app app;
    struct base_app_id key;
    char id[BASE_ID_TEXT_MAX], user[256];
    char **ids;
    size_t ids_n, ids_cap;
};
struct apps_copy {
    struct nm *nm;
    const char *state, *user; /* show only these; NULL: any */
    struct app_copy *v;
    size_t n, cap;
};

/* YARN's states of an application on a node. SOURCE: Hadoop's NodeManager REST APIs. Creel's
 * applications skip states without an equivalent. */
static const char *const app_states[] = {
    "NEW",
    "INITING",
    "RUNNING",
    "FINISHING_CONTAINERS_WAIT",
    "APPLICATION_RESOURCES_CLEANINGUP",
    "FINISHED",
};

static bool is_app_state(const char *state)
{
    for (size_t i = 0; i < sizeof app_states / sizeof *app_states; i++)
        if (strcmp(state, app_states[i]) == 0)
            return true;
    return false;
}

/* Like YARN, hides an application once its logs count as aggregated. */
static bool is_app_shown(const struct nm *nm, const struct nm_app_view *v)
{
    return !v->finished || !base_conf_bool(nm->conf, "yarn.log-aggregation-enable");
}

static void add_container_id(struct nm_container *c, void *u)
{
    struct app_copy *a = u;

    base_array_grow(&a->ids, a->ids_n, &a->ids_cap);
    a->ids[a->ids_n++] = base_strdup(nm_core_view(c)->text);
}

/* Call with nm->lock held. */
static void copy_app(const struct nm *nm, const struct nm_app_view *v, struct app_copy *out)
{
    memset(out, 0, sizeof *out);
    out->key = v->id;
    memcpy(out->id, v->text, sizeof out->id);
    snprintf(out->user, sizeof out->user, "%s", v->user ? v->user : "");
    out->app.state = nm_app_state_name(v);
    nm_core_each_of_app(nm->core, v, add_container_id, out);
}

/* Sets the pointers of @a to its own texts: call this after the last move of @a. */
static void point_view_at_own_texts(struct app_copy *a)
{
    a->app.id = a->id;
    a->app.user = a->user;
    a->app.containers = (struct api_list){.items = a->ids, .n = a->ids_n, .stride = sizeof *a->ids};
}

static void free_app_copy(struct app_copy *a)
{
    for (size_t i = 0; i < a->ids_n; i++)
        free(a->ids[i]);
    free(a->ids);
}

static void add_matching_app(const struct nm_app_view *v, void *u)
{
    struct apps_copy *all = u;

    if (!is_app_shown(all->nm, v) ||
        (all->state && strcmp(all->state, nm_app_state_name(v)) != 0) ||
        (all->user && strcmp(all->user, v->user ? v->user : "") != 0))
        return;
    base_array_grow(&all->v, all->n, &all->cap);
    copy_app(all->nm, v, &all->v[all->n++]);
}

struct shown_app_search {
    const struct nm *nm;
    bool found;
};

static void note_if_app_is_shown(const struct nm_app_view *v, void *u)
{
    struct shown_app_search *s = u;

    s->found = s->found || is_app_shown(s->nm, v);
}

/* YARN looks at the state only when it compares it with an application's, so without applications
 * every text is accepted. */
static bool answer_unknown_state(struct api_request *rq, struct nm *nm, const char *state)
{
    struct shown_app_search any = {.nm = nm};

    if (!state || is_app_state(state))
        return false;
    pthread_mutex_lock(&nm->lock);
    nm_core_each_app(nm->core, note_if_app_is_shown, &any);
    pthread_mutex_unlock(&nm->lock);
    if (any.found)
        api_answer_error(rq, 400, "IllegalArgumentException",
                         "No enum constant org.apache.hadoop.yarn.server.nodemanager."
                         "containermanager.application.ApplicationState.%s",
                         state);
    return any.found;
}

static void leave_out_hidden_apps(struct api_request *rq, struct nm *nm, struct apps_copy *all)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->n; i++)
        if (nm_access_hides_app_in_lists(rq, nm, &all->v[i].key))
            free_app_copy(&all->v[i]);
        else
            all->v[kept++] = all->v[i];
    all->n = kept;
}

static void get_apps(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *state = api_query(rq, "state");
    struct apps_copy all = {.nm = nm, .user = api_query(rq, "user")};
    struct yarn_nm_apps apps;

    all.state = state && *state ? state : NULL;
    if (all.user && !*all.user) {
        nm_bad_request(rq, "Error: You must specify a non-empty string for the user");
        return;
    }
    if (answer_unknown_state(rq, nm, all.state))
        return;
    pthread_mutex_lock(&nm->lock);
    nm_core_each_app(nm->core, add_matching_app, &all);
    pthread_mutex_unlock(&nm->lock);
    leave_out_hidden_apps(rq, nm, &all);
    for (size_t i = 0; i < all.n; i++)
        point_view_at_own_texts(&all.v[i]);
    apps.list = (struct api_list){.items = all.v, .n = all.n, .stride = sizeof *all.v};
    nm_answer_resource(rq, &yarn_shape_nm_apps, API_N_WRAPPED, &apps);
    for (size_t i = 0; i < all.n; i++)
        free_app_copy(&all.v[i]);
    free(all.v);
}

static void get_app(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const struct nm_app_view *v;
    struct base_app_id id;
    struct app_copy copy;

    nm_add_node_header(rq, nm);
    if (!nm_parse_app_id_arg(rq, 0, &id))
        return;
    pthread_mutex_lock(&nm->lock);
    v = nm_core_app_find(nm->core, &id);
    if (v && !is_app_shown(nm, v))
        v = NULL;
    if (v)
        copy_app(nm, v, &copy);
    pthread_mutex_unlock(&nm->lock);
    if (!v) {
        nm_not_found(rq, "app with id %s not found", api_path_arg(rq, 0));
        return;
    }
    point_view_at_own_texts(&copy);
    nm_answer_resource(rq, &yarn_shape_nm_app, API_N_WRAPPED, &copy.app);
    free_app_copy(&copy);
}

/* clang-format off */
const struct api_route nm_apps_routes[] = {
    {"GET", NM_NODE "/apps", API_ROLE_READ, 0, get_apps, 0},
    {"GET", NM_NODE "/apps/{appid}", API_ROLE_READ, 0, get_app, API_ROUTE_LOGS},
};
/* clang-format on */
NM_ROUTES_END(nm_apps_routes);

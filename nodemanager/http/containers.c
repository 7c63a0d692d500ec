/* nodemanager/http/containers.c - the containers of this node. SOURCE: Hadoop's NodeManager REST
 * APIs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/log_files.h"
#include "nodemanager/http/routes.h"

/* A copy of the shown properties of a container. Its pointers are set by
 * list_logs_and_point_view_at_texts(). */
struct container_copy {
    struct yarn_nm_container container;
    struct base_container_id cid;
    char id[BASE_ID_TEXT_MAX], user[256];
    char *diagnostics, *link;
    struct nm_log_list logs;
    const char **names; /* of logs */
};
struct containers_copy {
    struct nm *nm;
    struct container_copy *v;
    size_t n, cap;
};

const char *nm_app_state_name(const struct nm_app_view *v)
{
    if (v->finished)
        return "FINISHED";
    return v->cleaning ? "FINISHING_CONTAINERS_WAIT" : "RUNNING";
}

const char *nm_container_state_name(enum nm_state state)
{
    switch (state) {
    case NM_NEW:
        return "NEW";
    case NM_LAUNCHING:
        return "SCHEDULED";
    case NM_RUNNING:
        return "RUNNING";
    case NM_SUSPENDED:
        return "PAUSED";
    case NM_KILLING:
        return "KILLING";
    default:
        return "DONE";
    }
}

/* Call with nm->lock held. */
static void copy_container(const struct nm_container_view *v, struct container_copy *out)
{
    memset(out, 0, sizeof *out);
    out->cid = v->id;
    memcpy(out->id, v->text, sizeof out->id);
    snprintf(out->user, sizeof out->user, "%s", v->app->user ? v->app->user : "");
    out->diagnostics = base_strdup(v->diagnostics ? v->diagnostics : "");
    out->container.state = nm_container_state_name(v->state);
    out->container.exit_code = v->exit_code;
    out->container.memory_mb = v->memory_mb;
    out->container.vcores = v->vcores;
}

/* Lists the log files for a caller who may see them, which reads a folder, so call this without
 * nm->lock; also sets the pointers of @c to its own texts, so call this after the last move of
 * @c. */
static void list_logs_and_point_view_at_texts(struct api_request *rq, struct nm *nm,
                                              struct container_copy *c)
{
    struct yarn_nm_container *shown = &c->container;
    bool sees_logs = nm_access_may_see_app(rq, nm, &c->cid.attempt.app);

    shown->id = c->id;
    shown->user = c->user;
    shown->diagnostics = c->diagnostics;
    shown->execution_type = "GUARANTEED";
    shown->node_id = nm->node_id;
    shown->logs_link = c->link = base_printf("%s%s/node/containerlogs/%s/%s", api_scheme(rq),
                                             nm_host_header_or_node_id(rq, nm), c->id, c->user);
    if (sees_logs)
        nm_log_list_files(&nm->files, &c->cid, &c->logs);
    c->names = base_alloc((c->logs.len + 1) * sizeof *c->names);
    for (size_t i = 0; i < c->logs.len; i++)
        c->names[i] = c->logs.v[i].name;
    shown->log_files =
        (struct api_list){.items = c->names, .n = c->logs.len, .stride = sizeof *c->names};
}

static void free_container_copy(struct container_copy *c)
{
    free(c->diagnostics);
    free(c->link);
    free(c->names);
    free(c->logs.v);
}

static void add_container(struct nm_container *c, void *u)
{
    struct containers_copy *all = u;

    base_array_grow(&all->v, all->n, &all->cap);
    copy_container(nm_core_view(c), &all->v[all->n++]);
}

static void leave_out_hidden_containers(struct api_request *rq, struct nm *nm,
                                        struct containers_copy *all)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->n; i++)
        if (nm_access_hides_app_in_lists(rq, nm, &all->v[i].cid.attempt.app))
            free_container_copy(&all->v[i]);
        else
            all->v[kept++] = all->v[i];
    all->n = kept;
}

static void get_containers(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct containers_copy all = {.nm = nm};
    struct yarn_nm_containers containers;

    pthread_mutex_lock(&nm->lock);
    nm_core_each_container(nm->core, add_container, &all);
    pthread_mutex_unlock(&nm->lock);
    leave_out_hidden_containers(rq, nm, &all);
    for (size_t i = 0; i < all.n; i++)
        list_logs_and_point_view_at_texts(rq, nm, &all.v[i]);
    containers.list = (struct api_list){.items = all.v, .n = all.n, .stride = sizeof *all.v};
    nm_answer_resource(rq, &yarn_shape_nm_containers, API_N_WRAPPED, &containers);
    for (size_t i = 0; i < all.n; i++)
        free_container_copy(&all.v[i]);
    free(all.v);
}

static void get_container(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *text = api_path_arg(rq, 0);
    const struct nm_container *c;
    struct base_container_id id;
    struct container_copy copy;
    bool found;

    if (base_container_id_parse(text, &id, NULL) < 0) {
        nm_bad_request(rq, "invalid container id, %s", text);
        return;
    }
    pthread_mutex_lock(&nm->lock);
    c = nm_core_find_container(nm->core, &id);
    found = c && nm_core_view(c)->state != NM_FORGOTTEN;
    if (found)
        copy_container(nm_core_view(c), &copy);
    pthread_mutex_unlock(&nm->lock);
    if (!found) {
        nm_not_found(rq, "container with id, %s, not found", text);
        return;
    }
    list_logs_and_point_view_at_texts(rq, nm, &copy);
    nm_answer_resource(rq, &yarn_shape_nm_container, API_N_WRAPPED, &copy.container);
    free_container_copy(&copy);
}

/* clang-format off */
const struct api_route nm_containers_routes[] = {
    {"GET", NM_NODE "/containers", API_ROLE_READ, 0, get_containers, 0},
    {"GET", NM_NODE "/containers/{containerid}", API_ROLE_READ, 0, get_container, 0},
};
/* clang-format on */
NM_ROUTES_END(nm_containers_routes);

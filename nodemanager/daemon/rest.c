/* YARN's NodeManager resources. Source: Hadoop's NodeManager REST APIs, and recorded answers of a
 * real NodeManager. Handlers run on HTTP threads: they copy the core's state under nm->lock and
 * encode the copy outside the lock. */
#include "nodemanager/daemon/rest.h"

#include <stdlib.h>
#include <string.h>

#include "api/yarn/shape.h"
#include "base/io/http_client.h"
#include "base/version.h"

#define HADOOP_VERSION "3.4.2" /* the Hadoop version whose REST API is served */
#define BUILT_ON       "2026-01-01T00:00Z"

/* ---- views and their shapes ---- */

struct node_info {
    const char *health_report, *resource_types, *version, *build, *built_on, *hadoop, *hadoop_build,
        *id, *host;
    int64_t vmem_mb, pmem_mb, vcores, last_update, started;
    bool vmem_check, pmem_check, healthy;
};
struct app_info {
    char id[BASE_ID_TEXT_MAX], user[256];
    const char *state;
    const char *p_id, *p_user;
    struct api_list containers;
    char **ids;
    size_t n, cap;
};
struct apps_info {
    struct api_list apps;
};
struct container_info {
    struct base_container_id cid;
    char id[BASE_ID_TEXT_MAX], user[256], link[640];
    char *diagnostics;
    const char *p_id, *p_user, *p_link, *state, *execution_type, *node_id;
    int32_t exit_code;
    int64_t memory_mb, vcores;
    struct nm_log_list logs;
    const char **names;
    struct api_list log_files;
};
struct containers_info {
    struct api_list containers;
};

static const struct api_member node_members[] = {
    API_STR(struct node_info, health_report, "healthReport", API_ALWAYS),
    API_I64(struct node_info, vmem_mb, "totalVmemAllocatedContainersMB", API_ALWAYS),
    API_I64(struct node_info, pmem_mb, "totalPmemAllocatedContainersMB", API_ALWAYS),
    API_I64(struct node_info, vcores, "totalVCoresAllocatedContainers", API_ALWAYS),
    API_BOOL(struct node_info, vmem_check, "vmemCheckEnabled", API_ALWAYS),
    API_BOOL(struct node_info, pmem_check, "pmemCheckEnabled", API_ALWAYS),
    API_I64(struct node_info, last_update, "lastNodeUpdateTime", API_ALWAYS),
    API_STR(struct node_info, resource_types, "resourceTypes", API_ALWAYS),
    API_BOOL(struct node_info, healthy, "nodeHealthy", API_ALWAYS),
    API_STR(struct node_info, version, "nodeManagerVersion", API_ALWAYS),
    API_STR(struct node_info, build, "nodeManagerBuildVersion", API_ALWAYS),
    API_STR(struct node_info, built_on, "nodeManagerVersionBuiltOn", API_ALWAYS),
    API_STR(struct node_info, hadoop, "hadoopVersion", API_ALWAYS),
    API_STR(struct node_info, hadoop_build, "hadoopBuildVersion", API_ALWAYS),
    API_STR(struct node_info, built_on, "hadoopVersionBuiltOn", API_ALWAYS),
    API_STR(struct node_info, id, "id", API_ALWAYS),
    API_STR(struct node_info, host, "nodeHostName", API_ALWAYS),
    API_I64(struct node_info, started, "nmStartupTime", API_ALWAYS),
    {0},
};
static const struct api_shape node_shape = {"nodeInfo", node_members, NULL};

static const struct api_member app_members[] = {
    API_STR(struct app_info, p_id, "id", API_ALWAYS),
    API_STR(struct app_info, state, "state", API_ALWAYS),
    API_STR(struct app_info, p_user, "user", API_ALWAYS),
    API_STRLIST(struct app_info, containers, "containerids", API_ALWAYS),
    {0},
};
static const struct api_shape app_shape = {"app", app_members, NULL};
static const struct api_member apps_members[] = {
    API_LIST(struct apps_info, apps, "app", &app_shape, API_ALWAYS),
    {0},
};
static const struct api_shape apps_shape = {"apps", apps_members, NULL};

static const struct api_member container_members[] = {
    API_STR(struct container_info, p_id, "id", API_ALWAYS),
    API_STR(struct container_info, state, "state", API_ALWAYS),
    API_I32(struct container_info, exit_code, "exitCode", API_ALWAYS),
    API_STR(struct container_info, diagnostics, "diagnostics", API_ALWAYS),
    API_STR(struct container_info, p_user, "user", API_ALWAYS),
    API_I64(struct container_info, memory_mb, "totalMemoryNeededMB", API_ALWAYS),
    API_I64(struct container_info, vcores, "totalVCoresNeeded", API_ALWAYS),
    API_STR(struct container_info, execution_type, "executionType", API_ALWAYS),
    API_STR(struct container_info, p_link, "containerLogsLink", API_ALWAYS),
    API_STR(struct container_info, node_id, "nodeId", API_ALWAYS),
    API_STRLIST(struct container_info, log_files, "containerLogFiles", API_ALWAYS),
    {0},
};
static const struct api_shape container_shape = {"container", container_members, NULL};
static const struct api_member containers_members[] = {
    API_LIST(struct containers_info, containers, "container", &container_shape, API_ALWAYS),
    {0},
};
static const struct api_shape containers_shape = {"containers", containers_members, NULL};

static const struct api_member nothing_members[] = {{0}};
static const struct api_shape resource_shape = {"nmResourceInfo", nothing_members, NULL};

static void answer_shape(struct api_request *rq, const struct api_shape *shape, const void *view)
{
    struct base_buf b = {0};
    enum api_type type = api_wanted_type(rq);
    api_shape_encode_document(shape, type == API_XML ? API_XML_DOC : API_N_WRAPPED, view, &b);
    api_answer(rq, 200, type, &b);
}

void nm_rest_add_node_header(struct api_request *rq, const struct nm *nm)
{
    api_add_header(rq, BASE_HTTP_NODE_HEADER, nm->node_id);
}

/* ---- node ---- */

static void get_node(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const struct base_conf *c = nm->conf;
    const char *text;
    int64_t map_mb = base_conf_int(c, "creel.slot.map.memory-mb"), free_mb;
    int64_t reduce_mb = base_conf_int(c, "creel.slot.reduce.memory-mb");
    struct node_info info = {
        .pmem_mb = map_mb * nm->ident.map_slots + reduce_mb * nm->ident.reduce_slots,
        .vcores = base_conf_int(c, "creel.slot.map.vcores") * nm->ident.map_slots +
                  base_conf_int(c, "creel.slot.reduce.vcores") * nm->ident.reduce_slots,
        .resource_types = "memory-mb (unit=Mi), vcores",
        .version = CREEL_VERSION,
        .build = CREEL_VERSION " from creel-" CREEL_VERSION " by creel source checksum none",
        .built_on = BUILT_ON,
        .hadoop = HADOOP_VERSION,
        .hadoop_build =
            HADOOP_VERSION " from creel-" CREEL_VERSION " by creel source checksum none",
        .id = nm->node_id,
        .host = nm->host,
        .started = nm->started_ms,
    };
    info.vmem_mb = info.pmem_mb * 21 / 10; /* yarn.nodemanager.vmem-pmem-ratio is 2.1 */
    pthread_mutex_lock(&nm->lock);
    info.healthy = nm_core_get_health(nm->core, &text, &free_mb);
    char *report = base_strdup(text);
    info.last_update = nm->last_answer_ms ? nm->last_answer_ms : nm->started_ms;
    pthread_mutex_unlock(&nm->lock);
    info.health_report = report;
    answer_shape(rq, &node_shape, &info);
    free(report);
}

/* ---- applications ---- */

static const char *const app_states[] = {
    "NEW",
    "INITING",
    "RUNNING",
    "FINISHING_CONTAINERS_WAIT",
    "APPLICATION_RESOURCES_CLEANINGUP",
    "FINISHED",
    NULL,
};

static void add_container_id(struct nm_container *c, void *u)
{
    struct app_info *a = u;
    base_array_grow(&a->ids, a->n, &a->cap);
    a->ids[a->n++] = base_strdup(nm_core_view(c)->text);
}

/* Call with the lock held. */
static void fill_app_info(struct nm *nm, const struct nm_app_view *v, struct app_info *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->id, v->text, sizeof out->id);
    snprintf(out->user, sizeof out->user, "%s", v->user ? v->user : "");
    out->state = v->finished ? "FINISHED" : "RUNNING";
    nm_core_each_of_app(nm->core, v, add_container_id, out);
}

static void link_app_info(struct app_info *a)
{
    a->p_id = a->id;
    a->p_user = a->user;
    a->containers = (struct api_list){.items = a->ids, .n = a->n, .stride = sizeof *a->ids};
}

static void clear_app_info(struct app_info *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->ids[i]);
    free(a->ids);
}

struct app_walk {
    struct nm *nm;
    const char *state, *user;
    struct app_info *v;
    size_t n, cap;
};

static void add_matching_app(const struct nm_app_view *v, void *u)
{
    struct app_walk *w = u;
    struct app_info a;
    fill_app_info(w->nm, v, &a);
    if ((w->state && strcmp(w->state, a.state) != 0) || (w->user && strcmp(w->user, a.user) != 0)) {
        clear_app_info(&a);
        return;
    }
    base_array_grow(&w->v, w->n, &w->cap);
    w->v[w->n++] = a;
}

static bool is_known_app_state(const char *state)
{
    for (size_t i = 0; app_states[i]; i++) {
        if (strcmp(state, app_states[i]) == 0)
            return true;
    }
    return false;
}

static void get_apps(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct app_walk w = {.nm = nm, .state = api_query(rq, "state"), .user = api_query(rq, "user")};
    if (w.user && !*w.user) {
        api_answer_error(
            rq, 400, "BadRequestException",
            "java.lang.Exception: Error: You must specify a non-empty string for the user");
        return;
    }
    const char *state = w.state;
    if (state && (!*state || !is_known_app_state(state)))
        w.state = NULL;
    pthread_mutex_lock(&nm->lock);
    nm_core_each_app(nm->core, add_matching_app, &w);
    pthread_mutex_unlock(&nm->lock);
    if (state && *state && !w.state && w.n) {
        /* like Hadoop, refuse an unknown state only when there is an application to compare */
        api_answer_error(rq, 400, "IllegalArgumentException",
                         "No enum constant "
                         "org.apache.hadoop.yarn.server.nodemanager.containermanager.application."
                         "ApplicationState.%s",
                         state);
    } else {
        for (size_t i = 0; i < w.n; i++)
            link_app_info(&w.v[i]);
        struct apps_info info = {.apps = {.items = w.v, .n = w.n, .stride = sizeof *w.v}};
        answer_shape(rq, &apps_shape, &info);
    }
    for (size_t i = 0; i < w.n; i++)
        clear_app_info(&w.v[i]);
    free(w.v);
}

static void get_app(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *text = api_path_arg(rq, 0);
    struct base_app_id id;
    struct app_info info;
    nm_rest_add_node_header(rq, nm);
    if (base_app_id_parse(text, &id, NULL) < 0) {
        if (strncmp(text, "application_", 12) != 0)
            api_answer_error(
                rq, 400, "BadRequestException",
                "java.lang.IllegalArgumentException: Invalid ApplicationId prefix: %s. The valid "
                "ApplicationId should start with prefix application",
                text);
        else
            api_answer_error(rq, 400, "BadRequestException",
                             "java.lang.IllegalArgumentException: Invalid ApplicationId: %s", text);
        return;
    }
    pthread_mutex_lock(&nm->lock);
    const struct nm_app_view *v = nm_core_app_find(nm->core, &id);
    bool found = v != NULL;
    if (found)
        fill_app_info(nm, v, &info);
    pthread_mutex_unlock(&nm->lock);
    if (!found) {
        api_answer_error(rq, 404, "NotFoundException",
                         "java.lang.Exception: app with id %s not found", text);
        return;
    }
    link_app_info(&info);
    answer_shape(rq, &app_shape, &info);
    clear_app_info(&info);
}

/* ---- containers ---- */

static const char *yarn_container_state(const struct nm_container_view *v)
{
    switch (v->state) {
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

/* Call with the lock held. */
static void fill_container_info(struct nm *nm, const struct nm_container_view *v,
                                struct container_info *out)
{
    memset(out, 0, sizeof *out);
    out->cid = v->id;
    memcpy(out->id, v->text, sizeof out->id);
    snprintf(out->user, sizeof out->user, "%s", v->app->user ? v->app->user : "");
    out->diagnostics = base_strdup(v->diagnostics ? v->diagnostics : "");
    out->state = yarn_container_state(v);
    out->exit_code = v->exit_code;
    out->memory_mb = v->memory_mb;
    out->vcores = v->vcores;
    out->execution_type = "GUARANTEED";
    out->node_id = nm->node_id;
    snprintf(out->link, sizeof out->link, "http://%s/node/containerlogs/%.128s/%.128s", nm->node_id,
             out->id, out->user);
}

/* Lists the log files and sets the pointers for encoding. Call it without the lock, since files are
 * read. */
static void link_container_info(struct nm *nm, struct container_info *c)
{
    c->p_id = c->id;
    c->p_user = c->user;
    c->p_link = c->link;
    nm_logs_list_files(&nm->files, &c->cid, &c->logs);
    c->names = base_alloc((c->logs.len + 1) * sizeof *c->names);
    for (size_t i = 0; i < c->logs.len; i++)
        c->names[i] = c->logs.v[i].name;
    c->log_files =
        (struct api_list){.items = c->names, .n = c->logs.len, .stride = sizeof *c->names};
}

static void clear_container_info(struct container_info *c)
{
    free(c->diagnostics);
    free(c->names);
    free(c->logs.v);
}

struct container_walk {
    struct nm *nm;
    struct container_info *v;
    size_t n, cap;
};

static void add_container(struct nm_container *c, void *u)
{
    struct container_walk *w = u;
    base_array_grow(&w->v, w->n, &w->cap);
    fill_container_info(w->nm, nm_core_view(c), &w->v[w->n++]);
}

static void get_containers(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct container_walk w = {.nm = nm};
    pthread_mutex_lock(&nm->lock);
    nm_core_each_container(nm->core, add_container, &w);
    pthread_mutex_unlock(&nm->lock);
    for (size_t i = 0; i < w.n; i++)
        link_container_info(nm, &w.v[i]);
    struct containers_info info = {.containers = {.items = w.v, .n = w.n, .stride = sizeof *w.v}};
    answer_shape(rq, &containers_shape, &info);
    for (size_t i = 0; i < w.n; i++)
        clear_container_info(&w.v[i]);
    free(w.v);
}

static void get_container(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *text = api_path_arg(rq, 0);
    struct base_container_id id;
    struct container_info info;
    if (base_container_id_parse(text, &id, NULL) < 0) {
        api_answer_error(rq, 400, "BadRequestException",
                         "java.lang.Exception: invalid container id, %s", text);
        return;
    }
    pthread_mutex_lock(&nm->lock);
    struct nm_container *c = nm_core_find(nm->core, &id);
    bool found = c && nm_core_view(c)->state != NM_FORGOTTEN;
    if (found)
        fill_container_info(nm, nm_core_view(c), &info);
    pthread_mutex_unlock(&nm->lock);
    if (!found) {
        api_answer_error(rq, 404, "NotFoundException",
                         "java.lang.Exception: container with id, %s, not found", text);
        return;
    }
    link_container_info(nm, &info);
    answer_shape(rq, &container_shape, &info);
    clear_container_info(&info);
}

/* ---- the rest ---- */

static void answer_no_aux_services(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_error(rq, 400, "BadRequestException",
                     "java.lang.Exception: Auxiliary services manifest is not enabled");
}

static void get_resource(struct api_request *rq, void *user)
{
    struct base_buf b = {0};
    enum api_type type = api_wanted_type(rq);
    (void)user;
    if (type == API_XML)
        api_shape_encode_document(&resource_shape, API_XML_DOC, &b, &b);
    else
        base_buf_adds(&b, "{}");
    api_answer(rq, 200, type, &b);
}

static void redirect_root(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_buf b = {0};
    const char *host = api_header(rq, "Host");
    char *to = base_printf("http://%s/node", host && *host ? host : nm->node_id);
    api_add_header(rq, "Location", to);
    api_answer(rq, 302, API_TEXT, &b);
    free(to);
}

static void get_status_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_buf b = {0};
    const char *report;
    int64_t free_mb;
    pthread_mutex_lock(&nm->lock);
    bool healthy = nm_core_get_health(nm->core, &report, &free_mb);
    base_buf_addf(
        &b,
        "NodeManager %s (Creel " CREEL_VERSION ")\n\nrack %s, %lld map slots, %lld reduce slots\n"
        "containers alive: %zu\nresource manager: %s\nhealth: %s %s\nfree disk: %lld MB\n",
        nm->node_id, nm->ident.rack, (long long)nm->ident.map_slots,
        (long long)nm->ident.reduce_slots, nm_core_alive_count(nm->core),
        nm_core_is_registered(nm->core) ? "registered" : "not registered", healthy ? "good" : "bad",
        report, (long long)free_mb);
    pthread_mutex_unlock(&nm->lock);
    api_answer(rq, 200, API_TEXT, &b);
}

#define GET(path, handler)                                                                         \
    {                                                                                              \
        "GET", path, API_ROLE_READ, 0, handler, 0                                                  \
    }
#define GET_CREEL(path, handler)                                                                   \
    {                                                                                              \
        "GET", path, API_ROLE_READ, 0, handler, API_ROUTE_CREEL                                    \
    }

const struct api_route nm_routes[] = {
    GET("/ws/v1/node", get_node),
    GET("/ws/v1/node/info", get_node),
    GET("/ws/v1/node/apps", get_apps),
    GET("/ws/v1/node/apps/{appid}", get_app),
    GET("/ws/v1/node/containers", get_containers),
    GET("/ws/v1/node/containers/{containerid}", get_container),
    GET("/ws/v1/node/containers/{containerid}/logs", nm_get_logs),
    GET("/ws/v1/node/containers/{containerid}/logs/{filename}", nm_get_log),
    GET("/ws/v1/node/containerlogs/{containerid}/{filename}", nm_get_log),
    GET("/ws/v1/node/resources/{name}", get_resource),
    GET("/ws/v1/node/auxiliaryservices", answer_no_aux_services),
    {"PUT", "/ws/v1/node/auxiliaryservices", API_ROLE_WRITE, 65536, answer_no_aux_services, 0},
    GET_CREEL("/ws/v1/node/raw-logs/{containerid}/{filename}", nm_get_raw_log),
    {"GET", "/ws/v1/node/mapoutput/{containerid}/{partition}", API_ROLE_MASTER, 0,
     nm_get_map_output, API_ROUTE_CREEL},
    GET_CREEL("/ws/v1/node/resource-manager", nm_get_rm),
    GET_CREEL("/metrics", nm_get_metrics),
    GET("/", redirect_root),
    GET("/node", get_status_page),
    GET("/node/containerlogs/{containerid}/{user}", nm_get_page_logs),
    GET("/node/containerlogs/{containerid}/{user}/{filename}", nm_get_page_log),
};
const size_t nm_routes_n = sizeof nm_routes / sizeof nm_routes[0];

/* rm/http/yarn/fill.c - fills YARN's resources from views of the core. SOURCE: Hadoop's
 * ResourceManager REST APIs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/http_address.h"
#include "rm/http/yarn/yarn_internal.h"

#define MS(us) ((us) / 1000)

static bool has_ended(enum rm_app_state s)
{
    return s == RM_APP_FINISHED || s == RM_APP_FAILED || s == RM_APP_KILLED;
}

static const char *text_or_empty(const char *s)
{
    return s ? s : "";
}

static float compute_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (float)((double)part * 100.0 / (double)whole) : 0.0f;
}

void yarn_context_set_views(struct yarn_context *f, const struct rm_cluster_view *cluster,
                            struct rm_views *queues)
{
    f->cluster = *cluster;
    f->limits.max[0] = cluster->max_capability.v[RM_RES_MEMORY_MB];
    f->limits.max[1] = cluster->max_capability.v[RM_RES_VCORES];
    if (queues) {
        f->queues = *queues;
        *queues = (struct rm_views){0};
        f->parts = f->shape == RM_SHAPE_CAPACITY ? yarn_queue_parts_new(&f->queues) : NULL;
    }
}

void yarn_resource_fill(const struct yarn_context *f, struct yarn_resource *r,
                        const struct rm_res *from)
{
    yarn_resource_set_memory_and_vcores(r, from->v[RM_RES_MEMORY_MB], from->v[RM_RES_VCORES], NULL);
    if (f->show_slots) {
        yarn_resource_add_type(r, rm_res_names[RM_RES_MAP_SLOTS], from->v[RM_RES_MAP_SLOTS]);
        yarn_resource_add_type(r, rm_res_names[RM_RES_REDUCE_SLOTS], from->v[RM_RES_REDUCE_SLOTS]);
    }
}

/* ---- applications ---- */

static bool is_under_root(const char *name)
{
    return strcmp(name, "root") == 0 || strncmp(name, "root.", 5) == 0;
}

static const char *get_submitted_queue(const struct rm_app_view *v)
{
    const char *q = v->app ? v->app->queue : v->job ? v->job->queue : NULL;

    return q ? q : text_or_empty(v->queue);
}

void yarn_format_queue_path(const char *queue, struct base_buf *out)
{
    base_buf_clear(out);
    base_buf_addf(out, "%s%s", is_under_root(queue) ? "" : "root.", queue);
}

/* The fair and the capacity scheduler show the full path, fifo the submitted name. All show the
 * submitted name of an application that was refused. */
const char *yarn_get_shown_queue(const struct yarn_context *f, const struct rm_app_view *v,
                                 struct base_buf *path)
{
    if (f->shape == RM_SHAPE_FIFO || (v->state == RM_APP_FAILED && !v->has_attempt))
        return get_submitted_queue(v);
    yarn_format_queue_path(text_or_empty(v->queue), path);
    return path->data;
}

bool yarn_app_in_queue(const struct yarn_context *f, const struct rm_app_view *v, const char *name)
{
    struct base_buf path = {0};
    const char *queue = yarn_get_shown_queue(f, v, &path);
    bool in = strcmp(queue, name) == 0;

    if (!in && f->shape != RM_SHAPE_FIFO && !is_under_root(name)) /* "a" is "root.a" */
        in = strncmp(queue, "root.", 5) == 0 && strcmp(queue + 5, name) == 0;
    base_buf_free(&path);
    return in;
}

/* Only the capacity scheduler has priorities. */
bool yarn_has_priorities(const struct yarn_context *f)
{
    return f->shape == RM_SHAPE_CAPACITY;
}

int32_t yarn_get_shown_priority(const struct yarn_context *f, const struct rm_app_view *v)
{
    return yarn_has_priorities(f) ? v->priority : 0;
}

void yarn_timeout_fill(int64_t end_us, bool ended, int64_t now_ms, struct yarn_timeout *t,
                       char text[static YARN_JAVA_TIME_MAX])
{
    int64_t left_ms = end_us / 1000 - now_ms;

    *t = (struct yarn_timeout){.type = "LIFETIME", .expiry_time = "UNLIMITED", .remaining_s = -1};
    if (!end_us)
        return;
    t->expiry_time = yarn_java_time_format(end_us / 1000, text);
    t->remaining_s = ended || left_ms < 0 ? 0 : left_ms / 1000;
}

bool yarn_app_is_ending_or_ended(enum rm_app_state s)
{
    return s >= RM_APP_FINAL_SAVING; /* from here on the application is ending or has ended */
}

/* Fills the tracking link: to the application's own page through the proxy, or, after a failure or
 * kill, to the RM's page about it. An application that waits, or has no attempt, has no link. */
static void fill_tracking_link(const struct yarn_context *f, const struct rm_app_view *v,
                               enum rm_app_state pub, struct yarn_app_and_texts *filled)
{
    struct yarn_app *a = &filled->app;
    bool waiting = pub == RM_APP_NEW || pub == RM_APP_NEW_SAVING || pub == RM_APP_SUBMITTED ||
                   pub == RM_APP_ACCEPTED;

    base_buf_clear(&filled->url);
    a->tracking_url = NULL;
    a->tracking_ui = "UNASSIGNED";
    if (waiting || !v->has_attempt)
        return;
    a->tracking_ui = v->finish_us == 0 ? "ApplicationMaster" : "History";
    if (pub == RM_APP_FAILED || pub == RM_APP_KILLED)
        base_buf_addf(&filled->url, "%s/cluster/app/%s", f->url, filled->id);
    else
        base_buf_addf(&filled->url, "%s/proxy/%s/", f->url, filled->id);
    a->tracking_url = filled->url.data;
}

/* The master of a job is the RM itself: its address stands for that of the master and of the
 * master's node. */
static void fill_job_master(const struct yarn_context *f, enum rm_app_state pub,
                            struct yarn_app_and_texts *filled)
{
    struct yarn_app *a = &filled->app;
    const char *host = strstr(f->url, "://");

    host = host ? host + 3 : f->url;
    base_buf_addf(&filled->logs, "%s/logs/", f->url);
    a->am_logs = filled->logs.data;
    a->am_http_address = a->master_node_id = host;
    if (pub == RM_APP_RUNNING || pub == RM_APP_FINISHED)
        a->am_rpc_address = host;
}

static void fill_master_addresses(const struct yarn_context *f, const struct rm_app_view *v,
                                  enum rm_app_state pub, struct yarn_app_and_texts *filled)
{
    struct yarn_app *a = &filled->app;
    char id[BASE_ID_TEXT_MAX];

    base_buf_clear(&filled->logs);
    base_buf_clear(&filled->rpc);
    a->am_logs = a->am_http_address = a->am_rpc_address = NULL;
    a->master_node_id = "";
    if (v->is_job && v->has_attempt)
        fill_job_master(f, pub, filled);
    if (v->has_master) {
        const char *http = text_or_empty(v->master_node_http);

        base_buf_addf(&filled->logs, "%s%s/node/containerlogs/%s/%s",
                      base_http_address_scheme(http), base_http_address_host(http),
                      base_container_id_text(&v->master_container, id), text_or_empty(v->user));
        a->am_logs = filled->logs.data;
        a->am_http_address = base_http_address_host(http);
        a->master_node_id = text_or_empty(v->master_node_id);
    }
    if (v->master_host && v->master_host[0] && v->master_rpc_port >= 0 &&
        (pub == RM_APP_RUNNING || pub == RM_APP_FINISHED)) {
        base_buf_addf(&filled->rpc, "%s:%d", v->master_host, v->master_rpc_port);
        a->am_rpc_address = filled->rpc.data;
    }
}

/* Returns the memory that queue @path is entitled to, in MB: its fair share, or its capacity. The
 * cluster's memory when nothing is known about the queue. */
static int64_t get_queue_share_mb(const struct yarn_context *f, const char *path)
{
    const struct rm_res *total = &f->cluster.total;

    for (size_t i = 0; i < f->queues.queues_n; i++)
        if (strcmp(f->queues.queues[i].name, path) == 0)
            return f->parts ? yarn_queue_part_of(f->parts[i].absolute, total).v[RM_RES_MEMORY_MB]
                            : f->queues.queues[i].fair_share.v[RM_RES_MEMORY_MB];
    return total->v[RM_RES_MEMORY_MB];
}

void yarn_partition_usage_fill(const struct yarn_context *f, struct yarn_partition_usage *u,
                               const struct rm_res *used, const struct rm_res *pending)
{
    static const struct rm_res none;

    u->partition = "";
    yarn_resource_fill(f, &u->used, used);
    yarn_resource_fill(f, &u->reserved, &none);
    yarn_resource_fill(f, &u->pending, pending);
    u->masters = u->masters_limit = u->masters_user_limit = NULL;
}

void yarn_partition_usage_fill_masters(const struct yarn_context *f, struct yarn_partition_usage *u,
                                       const struct rm_res *used, const struct rm_res *limit,
                                       const struct rm_res *user_limit)
{
    yarn_resource_fill(f, &u->masters_storage[0], used);
    yarn_resource_fill(f, &u->masters_storage[1], limit);
    yarn_resource_fill(f, &u->masters_storage[2], user_limit);
    u->masters = &u->masters_storage[0];
    u->masters_limit = &u->masters_storage[1];
    u->masters_user_limit = &u->masters_storage[2];
}

/* Fills the usage by partition, which the capacity scheduler shows while it has an attempt of the
 * application. The limits on masters belong to queues: YARN shows them as 0 here. */
static void fill_resource_info(const struct yarn_context *f, const struct rm_app_view *v,
                               struct yarn_app_and_texts *filled)
{
    static const struct rm_res none;

    filled->app.resource_info = NULL;
    if (f->shape != RM_SHAPE_CAPACITY || !v->has_attempt || !v->held)
        return;
    yarn_partition_usage_fill(f, &filled->usage, &v->allocated, &v->pending);
    yarn_partition_usage_fill_masters(f, &filled->usage, &v->am_used, &none, &none);
    filled->usages.list = (struct api_list){&filled->usage, 1, sizeof filled->usage};
    filled->app.resource_info = &filled->usages;
}

/* Fills the map of how long resources were held; empty unless @any. */
static struct api_list fill_resource_seconds(int64_t memory, int64_t vcores, bool any,
                                             struct yarn_seconds *s)
{
    snprintf(s->memory, sizeof s->memory, "%lld", (long long)memory);
    snprintf(s->vcores, sizeof s->vcores, "%lld", (long long)vcores);
    s->pairs[0] = (struct api_pair){"memory-mb", s->memory};
    s->pairs[1] = (struct api_pair){"vcores", s->vcores};
    return (struct api_list){.items = s->pairs, .n = any ? 2 : 0, .stride = sizeof s->pairs[0]};
}

static void fill_app_usage(const struct yarn_context *f, const struct rm_app_view *v,
                           struct yarn_app_and_texts *filled)
{
    struct yarn_app *a = &filled->app;

    a->queue_usage = a->cluster_usage = 0.0f;
    if (v->has_attempt && !v->held) {
        a->allocated_mb = a->allocated_vcores = a->reserved_mb = a->reserved_vcores =
            a->running_containers = -1;
    } else {
        a->allocated_mb = v->allocated.v[RM_RES_MEMORY_MB];
        a->allocated_vcores = v->allocated.v[RM_RES_VCORES];
        a->reserved_mb = v->reserved.v[RM_RES_MEMORY_MB];
        a->reserved_vcores = v->reserved.v[RM_RES_VCORES];
        a->running_containers = v->running_containers;
        a->cluster_usage = compute_percent(a->allocated_mb, f->cluster.total.v[RM_RES_MEMORY_MB]);
        a->queue_usage = compute_percent(a->allocated_mb, get_queue_share_mb(f, a->queue));
    }
    a->memory_seconds = v->memory_seconds;
    a->vcore_seconds = v->vcore_seconds;
    /* an application that ended without ever holding anything has an empty map */
    a->resource_seconds = fill_resource_seconds(
        v->memory_seconds, v->vcore_seconds,
        !has_ended(v->state) || v->memory_seconds || v->vcore_seconds, &filled->seconds);
}

static void fill_preempted(const struct rm_app_view *v, struct yarn_app_and_texts *filled)
{
    const struct rm_preempted *p = &v->preempted;
    struct yarn_app *a = &filled->app;

    a->preempted_mb = p->resource.v[RM_RES_MEMORY_MB];
    a->preempted_vcores = p->resource.v[RM_RES_VCORES];
    a->preempted_workers = p->containers[false];
    a->preempted_masters = p->containers[true];
    a->preempted_memory_seconds = p->memory_ms / 1000;
    a->preempted_vcore_seconds = p->vcore_ms / 1000;
    a->preempted_seconds = fill_resource_seconds(
        a->preempted_memory_seconds, a->preempted_vcore_seconds,
        p->containers[false] || p->containers[true], &filled->preempted_seconds);
}

/* Fills the requests: an application that waits for its master's container shows that one request.
 */
static void fill_master_request(const struct yarn_context *f, const struct rm_app_view *v,
                                struct yarn_app_and_texts *filled)
{
    struct yarn_request *r = &filled->request;
    struct rm_res capability;

    filled->app.requests = (struct api_list){.items = r, .n = 0, .stride = sizeof *r};
    if (v->state != RM_APP_ACCEPTED || v->is_job || v->unmanaged || v->has_master ||
        !v->has_attempt || !v->app)
        return;
    capability = yarn_get_master_request(f, v);
    *r = (struct yarn_request){
        .allocation_request_id = -1,
        .resource_name = "*",
        .containers = 1,
        .relax_locality = true,
        .label = text_or_empty(v->app->am_label ? v->app->am_label : v->app->label),
        .execution = {.type = "GUARANTEED"}};
    yarn_resource_fill(f, &r->capability, &capability);
    filled->app.requests.n = 1;
}

static void fill_diagnostics(const struct yarn_context *f, const struct rm_app_view *v,
                             struct yarn_app_and_texts *filled)
{
    const char *why = yarn_explain_waiting(f, v, filled->app.queue, &filled->wait);

    filled->app.diagnostics = text_or_empty(v->diagnostics);
    if (why && !filled->app.diagnostics[0])
        filled->app.diagnostics = why;
}

/* Returns the name of the final status. An application that ended without unregistering has the
 * status that its end implies. */
static const char *name_final_status(const struct rm_app_view *v)
{
    enum rm_final_status s = v->final_status;

    if (s == RM_FINAL_UNDEFINED && v->state == RM_APP_FAILED)
        s = RM_FINAL_FAILED;
    if (s == RM_FINAL_UNDEFINED && v->state == RM_APP_KILLED)
        s = RM_FINAL_KILLED;
    return rm_final_status_name(s);
}

/* Log aggregation counts as done once the application has ended and no node has said that it still
 * has logs to copy. Nodes without a folder to which they copy logs serve them by its id, and tools
 * that wait for aggregation only want to read them. SOURCE: YARN's RMAppLogAggregation. */
static const char *name_log_aggregation(const struct yarn_context *f, const struct rm_app_view *v)
{
    bool ran = v->memory_seconds || v->vcore_seconds || v->has_master || v->start_us;

    if (!f->aggregates)
        return "DISABLED";
    if (!has_ended(v->state) || !ran)
        return "NOT_START";
    if (v->logs.nodes[RM_LOGS_FAILING])
        return "RUNNING_WITH_FAILURE";
    if (v->running_containers || v->logs.nodes[RM_LOGS_COPYING])
        return "RUNNING";
    if (v->logs.failed)
        return "FAILED";
    return v->logs.nodes[RM_LOGS_MISSING] ? "TIME_OUT" : "SUCCEEDED";
}

/* Returns the progress as YARN shows it: 100 for an application that was killed after its master
 * had a container, as in yarn/capacity/ended/app-ds of tests/interop, or that was killed and had an
 * unmanaged master. */
static float get_shown_progress(const struct rm_app_view *v)
{
    bool killed = v->state == RM_APP_KILLED;

    return killed && (v->has_master || v->unmanaged) ? 100.0F : (float)(v->progress * 100.0);
}

void yarn_app_fill(const struct yarn_context *f, const struct rm_app_view *v,
                   struct yarn_app_and_texts *filled)
{
    enum rm_app_state pub = rm_app_public_state(v->state, v->state_before);
    struct yarn_app *a = &filled->app;

    a->id = base_app_id_text(&v->id, filled->id);
    a->user = text_or_empty(v->user);
    a->name = text_or_empty(v->name);
    a->queue = yarn_get_shown_queue(f, v, &filled->queue);
    a->state = rm_app_state_name(pub);
    a->final_status = name_final_status(v);
    a->progress = get_shown_progress(v);
    fill_tracking_link(f, v, pub, filled);
    fill_diagnostics(f, v, filled);
    a->cluster_id = f->cluster.rm_instance_ms;
    a->rm_cluster_id = f->cluster_id;
    a->type = text_or_empty(v->type);
    a->tags = text_or_empty(v->tags);
    a->priority = yarn_get_shown_priority(f, v);
    a->started = MS(v->submit_us);
    a->launched = v->unmanaged && v->has_attempt ? -1 : MS(v->launch_us);
    a->finished = MS(v->finish_us);
    a->elapsed = (a->finished ? a->finished : f->now_ms) - a->started;
    fill_master_addresses(f, v, pub, filled);
    fill_app_usage(f, v, filled);
    fill_resource_info(f, v, filled);
    fill_preempted(v, filled);
    fill_master_request(f, v, filled);
    a->log_aggregation = name_log_aggregation(f, v);
    a->unmanaged = v->unmanaged;
    a->app_label = v->is_job ? NULL : v->app ? text_or_empty(v->app->label) : "";
    a->am_label = v->unmanaged ? NULL : v->app ? text_or_empty(v->app->am_label) : "";
    yarn_timeout_fill(v->lifetime_end_us, yarn_app_is_ending_or_ended(v->state), f->now_ms,
                      &filled->timeout, filled->expiry);
    filled->timeouts = (struct yarn_timeouts){
        .list = {.items = &filled->timeout, .n = 1, .stride = sizeof filled->timeout}};
    a->timeouts = &filled->timeouts;
}

void yarn_app_texts_free(struct yarn_app_and_texts *filled)
{
    base_buf_free(&filled->queue);
    base_buf_free(&filled->url);
    base_buf_free(&filled->logs);
    base_buf_free(&filled->rpc);
    base_buf_free(&filled->wait);
}

/* ---- attempts and containers ---- */

/* Returns the name of the state that YARN shows: FINAL_SAVING is shown as the state before it, and
 * LAUNCHED_UNMANAGED_SAVING as ALLOCATED_SAVING. */
static const char *name_public_attempt_state(const struct rm_attempt_view *v)
{
    enum rm_attempt_state s = v->state == RM_ATTEMPT_FINAL_SAVING ? v->state_before : v->state;

    return rm_attempt_state_name(
        s == RM_ATTEMPT_LAUNCHED_UNMANAGED_SAVING ? RM_ATTEMPT_ALLOCATED_SAVING : s);
}

/* An attempt that is killed before its master registers keeps what the launch said last. */
static const char *get_attempt_diagnostics(const struct rm_attempt_view *v)
{
    if (v->diagnostics && v->diagnostics[0])
        return v->diagnostics;
    if (v->state == RM_ATTEMPT_KILLED && v->has_container && !(v->host && v->host[0]))
        return YARN_WAITS_FOR_REGISTRATION;
    return "";
}

static void fill_attempt_info(const struct yarn_context *f, const struct rm_attempt_view *v,
                              struct yarn_attempt_and_texts *filled)
{
    bool broken = v->state == RM_ATTEMPT_FAILED || v->state == RM_ATTEMPT_KILLED;
    bool known = v->host && v->host[0] && !broken;
    char app[BASE_ID_TEXT_MAX];

    base_buf_clear(&filled->url);
    base_app_id_text(&v->id.app, app);
    if (broken)
        base_buf_addf(&filled->url, "%s/cluster/app/%s", f->url, app);
    else
        base_buf_addf(&filled->url, "%s/proxy/%s/", f->url, app);
    filled->info = (struct yarn_attempt_info){
        .attempt_id = filled->attempt_id,
        .host = known ? v->host : "N/A",
        .rpc_port = known ? v->rpc_port : -1,
        .tracking_url = filled->url.data,
        .original_tracking_url = broken ? filled->url.data
                                 : v->original_tracking_url && v->original_tracking_url[0]
                                     ? v->original_tracking_url
                                     : "N/A",
        .diagnostics = get_attempt_diagnostics(v),
        .state = name_public_attempt_state(v),
        .container_id = v->has_container ? filled->container_id : NULL,
        .start = MS(v->start_us),
        .finish = MS(v->finish_us),
    };
}

void yarn_attempt_fill(const struct yarn_context *f, const struct rm_attempt_view *v,
                       struct yarn_attempt_and_texts *filled)
{
    struct yarn_attempt *a = &filled->item;

    base_attempt_id_text(&v->id, filled->attempt_id);
    base_container_id_text(&v->container, filled->container_id);
    base_buf_clear(&filled->logs);
    *a = (struct yarn_attempt){.id = v->id.attempt,
                               .start = MS(v->start_us),
                               .finish = MS(v->finish_us),
                               .container_id = "",
                               .node_http = "",
                               .node_id = "",
                               .logs = "",
                               .blacklisted = "",
                               .attempt_id = filled->attempt_id,
                               .export_ports = "",
                               .state = rm_attempt_state_name(v->state)};
    if (v->has_container) {
        const char *http = text_or_empty(v->node_http);

        base_buf_addf(&filled->logs, "%s%s/node/containerlogs/%s/%s",
                      base_http_address_scheme(http), base_http_address_host(http),
                      filled->container_id, text_or_empty(v->user));
        a->container_id = filled->container_id;
        a->node_http = base_http_address_host(http);
        a->node_id = text_or_empty(v->node_id);
        a->logs = filled->logs.data;
        a->system_blacklisted = "";
        a->export_ports = "null";
    }
    fill_attempt_info(f, v, filled);
}

void yarn_attempt_texts_free(struct yarn_attempt_and_texts *filled)
{
    base_buf_free(&filled->logs);
    base_buf_free(&filled->url);
    base_buf_free(&filled->wait);
}

void yarn_container_fill(const struct yarn_context *f, const struct rm_container_view *v,
                         struct yarn_container_and_texts *filled)
{
    struct yarn_container *c = &filled->container;
    int64_t end_ms = v->finish_us ? MS(v->finish_us) : f->now_ms;
    const char *http = text_or_empty(v->node_http);
    size_t n = 2;

    base_container_id_text(&v->id, filled->id);
    base_buf_clear(&filled->logs);
    base_buf_clear(&filled->http);
    base_buf_addf(&filled->http, "%s%s", base_http_address_scheme(http),
                  base_http_address_host(http));
    base_buf_addf(&filled->logs, "%s/node/containerlogs/%s/%s", filled->http.data, filled->id,
                  text_or_empty(v->user));
    snprintf(filled->memory, sizeof filled->memory, "%lld",
             (long long)v->resource.v[RM_RES_MEMORY_MB]);
    snprintf(filled->vcores, sizeof filled->vcores, "%lld",
             (long long)v->resource.v[RM_RES_VCORES]);
    filled->resources[0] = (struct api_pair){"memory-mb", filled->memory};
    filled->resources[1] = (struct api_pair){"vcores", filled->vcores};
    if (f->show_slots) {
        filled->resources[n++] = (struct api_pair){
            "map-slots", v->slot == BASE_TASK_MAP && !v->on_master_slots ? "1" : "0"};
        filled->resources[n++] =
            (struct api_pair){"reduce-slots", v->slot == BASE_TASK_REDUCE ? "1" : "0"};
    }
    *c = (struct yarn_container){
        .id = filled->id,
        .mb = v->resource.v[RM_RES_MEMORY_MB],
        .vcores = v->resource.v[RM_RES_VCORES],
        .assigned_node = text_or_empty(v->node_id),
        .priority = v->priority,
        .start = MS(v->start_us),
        .finish = MS(v->finish_us),
        .elapsed = v->start_us ? end_ms - MS(v->start_us) : 0,
        .diagnostics = v->diagnostics && v->diagnostics[0] ? v->diagnostics : NULL,
        .log_url = filled->logs.data,
        .exit_status = v->state == RM_CONTAINER_COMPLETED ? v->exit_code : 0,
        .state = v->state == RM_CONTAINER_COMPLETED ? "COMPLETE" : "RUNNING",
        .node_http = filled->http.data,
        .node_id = text_or_empty(v->node_id),
        .resources = {.items = filled->resources, .n = n, .stride = sizeof filled->resources[0]},
        .exposed_ports = "",
    };
}

void yarn_container_texts_free(struct yarn_container_and_texts *filled)
{
    base_buf_free(&filled->logs);
    base_buf_free(&filled->http);
}

/* ---- nodes ---- */

/* YARN counts processors in use as float, and shows that number in double precision. */
static double to_cores(int64_t milli_cores)
{
    return (double)((float)milli_cores / 1000.0f);
}

static float to_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (float)part * 100.0f / (float)whole : 0;
}

static void fill_utilization(const struct base_utilization *u, struct yarn_utilization *out)
{
    *out = (struct yarn_utilization){.node_physical_mb = u->node_physical_mb,
                                     .node_virtual_mb = u->node_virtual_mb,
                                     .node_cpu = to_cores(u->node_milli_cores),
                                     .containers_physical_mb = u->containers_physical_mb,
                                     .containers_virtual_mb = u->containers_virtual_mb,
                                     .containers_cpu = to_cores(u->containers_milli_cores)};
}

void yarn_node_fill(const struct yarn_context *f, const struct rm_node_view *v,
                    struct yarn_node *out)
{
    bool active = v->state == RM_NODE_NEW || v->state == RM_NODE_RUNNING ||
                  v->state == RM_NODE_UNHEALTHY || v->state == RM_NODE_DECOMMISSIONING;
    /* For a node that gets no more containers YARN shows as its total what is still used there. */
    const struct rm_res *total = v->state == RM_NODE_DECOMMISSIONING ? &v->used : &v->total;
    const struct base_utilization *u = &v->utilization;
    struct rm_res available;

    *out = (struct yarn_node){
        .rack = v->rack,
        .state = rm_node_state_name(v->state),
        .id = v->id,
        .host = text_or_empty(v->host),
        .http_address = active ? base_http_address_host(text_or_empty(v->http_address)) : "",
        .last_health_ms = MS(v->last_heartbeat_us),
        .version = text_or_empty(v->version),
        .health = text_or_empty(v->health_report)};
    out->labels = (struct api_list){
        .items = &v->label, .n = v->label && *v->label, .stride = sizeof v->label};
    yarn_resource_fill(f, &out->total, total);
    fill_utilization(u, &out->utilization);
    out->memory_percent = to_percent(u->node_physical_mb, u->machine_mb);
    out->cpu_percent = to_percent(u->node_milli_cores, u->machine_cores * 1000);
    if (!active)
        return;
    for (int i = 0; i < RM_RES_NAMES; i++)
        available.v[i] = total->v[i] - v->used.v[i];
    out->containers = v->containers;
    out->used_mb = v->used.v[RM_RES_MEMORY_MB];
    out->available_mb = available.v[RM_RES_MEMORY_MB];
    out->used_vcores = v->used.v[RM_RES_VCORES];
    out->available_vcores = available.v[RM_RES_VCORES];
    yarn_resource_fill(f, &out->used_resource, &v->used);
    yarn_resource_fill(f, &out->available_resource, &available);
    out->used = &out->used_resource;
    out->available = &out->available_resource;
}

/* ---- cluster ---- */

/* Fills the sums over all partitions, which only the capacity scheduler shows. */
static void fill_metrics_across_partitions(const struct yarn_context *f,
                                           struct yarn_cluster_metrics *out)
{
    if (f->shape != RM_SHAPE_CAPACITY)
        return;
    yarn_resource_fill(f, &out->across_partitions[0], &f->cluster.used);
    yarn_resource_fill(f, &out->across_partitions[1], &f->cluster.total);
    yarn_resource_fill(f, &out->across_partitions[2], &f->cluster.reserved);
    out->used_across_partitions = &out->across_partitions[0];
    out->total_across_partitions = &out->across_partitions[1];
    out->reserved_across_partitions = &out->across_partitions[2];
    out->allocated_across_partitions = f->cluster.containers_allocated;
    out->cross_partition = true;
}

void yarn_metrics_fill(const struct yarn_context *f, struct yarn_cluster_metrics *out)
{
    const struct rm_cluster_view *c = &f->cluster;

    *out = (struct yarn_cluster_metrics){
        .apps_submitted = c->apps_submitted,
        .apps_completed = c->apps_completed,
        .apps_pending = c->apps_pending,
        .apps_running = c->apps_running,
        .apps_failed = c->apps_failed,
        .apps_killed = c->apps_killed,
        .available_mb = c->total.v[RM_RES_MEMORY_MB] - c->used.v[RM_RES_MEMORY_MB],
        .allocated_mb = c->used.v[RM_RES_MEMORY_MB],
        .pending_mb = c->pending.v[RM_RES_MEMORY_MB],
        .available_vcores = c->total.v[RM_RES_VCORES] - c->used.v[RM_RES_VCORES],
        .allocated_vcores = c->used.v[RM_RES_VCORES],
        .pending_vcores = c->pending.v[RM_RES_VCORES],
        .containers_allocated = c->containers_allocated,
        .reserved_mb = c->reserved.v[RM_RES_MEMORY_MB],
        .reserved_vcores = c->reserved.v[RM_RES_VCORES],
        .containers_reserved = c->containers_reserved,
        .containers_pending = c->containers_pending,
        .assigned_per_second = c->assigned_per_second,
        .total_mb = c->total.v[RM_RES_MEMORY_MB],
        .total_vcores = c->total.v[RM_RES_VCORES],
        .lost_nodes = c->nodes[RM_NODE_LOST],
        .unhealthy_nodes = c->nodes[RM_NODE_UNHEALTHY],
        .decommissioning_nodes = c->nodes[RM_NODE_DECOMMISSIONING],
        .decommissioned_nodes = c->nodes[RM_NODE_DECOMMISSIONED],
        .rebooted_nodes = c->nodes[RM_NODE_REBOOTED],
        .active_nodes = c->nodes[RM_NODE_RUNNING],
        .shutdown_nodes = c->nodes[RM_NODE_SHUTDOWN],
    };
    for (int i = RM_NODE_RUNNING; i < RM_NODE_STATES; i++)
        out->total_nodes += c->nodes[i];
    fill_metrics_across_partitions(f, out);
}

/* SOURCE: YARN's AppInfo without access. */
void yarn_app_hide_details(struct yarn_app *app)
{
    app->started = app->launched = app->finished = app->elapsed = 0;
    app->am_logs = app->am_http_address = app->am_rpc_address = NULL;
    app->master_node_id = "";
    app->allocated_mb = app->allocated_vcores = 0;
    app->reserved_mb = app->reserved_vcores = app->running_containers = 0;
    app->queue_usage = app->cluster_usage = 0;
    app->requests = (struct api_list){0};
    app->log_aggregation = NULL;
}

/* SOURCE: YARN's AppAttemptInfo without access. */
void yarn_attempt_hide_details(struct yarn_attempt *attempt)
{
    attempt->container_id = attempt->node_http = attempt->node_id = attempt->logs = "";
    attempt->blacklisted = attempt->export_ports = "";
    attempt->system_blacklisted = NULL;
}

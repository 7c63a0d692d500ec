#include "rm/rpc/put.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_AVAILABLE "N/A"
#define NO_PORT       (-1)
#define NO_ATTEMPT    (-1)
#define LIFETIME      1
#define GUARANTEED    1
#define MEMORY        "memory-mb"
#define VCORES        "vcores"

/* SOURCE: the descriptors of Hadoop 3.4.2; a name's number is its place, from 1 on or from 0. */
static const char *const app_states[] = {
    NULL, "NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINISHED", "FAILED", "KILLED"};
static const char *const attempt_states[] = {
    NULL,       "NEW",    "SUBMITTED", "SCHEDULED", "ALLOCATED_SAVING", "ALLOCATED",
    "LAUNCHED", "FAILED", "RUNNING",   "FINISHING", "FINISHED",         "KILLED"};
static const char *const node_states[] = {
    NULL,   "NEW",      "RUNNING",         "UNHEALTHY", "DECOMMISSIONED",
    "LOST", "REBOOTED", "DECOMMISSIONING", "SHUTDOWN"};
static const char *const final_statuses[] = {"UNDEFINED", "SUCCEEDED", "FAILED", "KILLED", "ENDED"};
static const char *const log_states[] = {
    NULL,        "DISABLED", "NOT_START", "RUNNING",
    "SUCCEEDED", "FAILED",   "TIME_OUT",  "RUNNING_WITH_FAILURE"};
static const char *const container_states[] = {NULL, "NEW", "RUNNING", "COMPLETE"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static int32_t find_number(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; name && i < n; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return (int32_t)i;
    return 0;
}

int32_t rm_rpc_number_app_state(const char *name)
{
    return find_number(app_states, COUNT(app_states), name);
}

int32_t rm_rpc_number_node_state(const char *name)
{
    return find_number(node_states, COUNT(node_states), name);
}

int rm_rpc_find_app_state(int32_t number)
{
    for (int s = 0; s < RM_APP_STATES; s++)
        if (number > 0 &&
            rm_rpc_number_app_state(rm_app_state_name((enum rm_app_state)s)) == number)
            return s;
    return -1;
}

int rm_rpc_find_node_state(int32_t number)
{
    for (int s = 0; s < RM_NODE_STATES; s++)
        if (number > 0 &&
            rm_rpc_number_node_state(rm_node_state_name((enum rm_node_state)s)) == number)
            return s;
    return -1;
}

/* Sets an optional scalar member of a message. */
#define PUT(message, member, value) ((message)->has_##member = true, (message)->member = (value))

static char *text_or(const char *text, const char *otherwise)
{
    return (char *)(text && *text ? text : otherwise);
}

/* ---- ids ---- */

void rm_rpc_put_app_id(const struct base_app_id *id, Yarn__AppId *out)
{
    yarn__app_id__init(out);
    PUT(out, id, id->seq);
    PUT(out, cluster, id->cluster_ts);
}

void rm_rpc_put_attempt_id(const struct base_attempt_id *id, struct rm_rpc_attempt_id *out)
{
    yarn__attempt_id__init(&out->id);
    rm_rpc_put_app_id(&id->app, &out->app);
    out->id.app = &out->app;
    PUT(&out->id, attempt, id->attempt);
}

void rm_rpc_put_container_id(const struct base_container_id *id, struct rm_rpc_container_id *out)
{
    yarn__container_id__init(&out->id);
    rm_rpc_put_attempt_id(&id->attempt, &out->attempt);
    out->id.attempt = &out->attempt.id;
    PUT(&out->id, id, id->num);
}

void rm_rpc_put_node_id(const char *text, char *host, size_t size, Yarn__NodeId *out)
{
    const char *colon = text ? strrchr(text, ':') : NULL;

    yarn__node_id__init(out);
    snprintf(host, size, "%.*s", colon ? (int)(colon - text) : 0, text ? text : "");
    out->host = host;
    PUT(out, port, colon ? (int32_t)strtol(colon + 1, NULL, 10) : 0);
}

void rm_rpc_put_hadoop_node_id(const char *text, int32_t hadoop_port, char *host, size_t size,
                               Yarn__NodeId *out)
{
    rm_rpc_put_node_id(text, host, size, out);
    if (hadoop_port)
        out->port = hadoop_port;
}

bool rm_rpc_get_app_id(const Yarn__AppId *id, struct base_app_id *out)
{
    if (!id || !id->has_id || !id->has_cluster)
        return false;
    *out = (struct base_app_id){.cluster_ts = id->cluster, .seq = id->id};
    return true;
}

bool rm_rpc_get_attempt_id(const Yarn__AttemptId *id, struct base_attempt_id *out)
{
    if (!id || !id->has_attempt || !rm_rpc_get_app_id(id->app, &out->app))
        return false;
    out->attempt = id->attempt;
    return true;
}

bool rm_rpc_get_container_id(const Yarn__ContainerId *id, struct base_container_id *out)
{
    if (!id || !id->has_id || !rm_rpc_get_attempt_id(id->attempt, &out->attempt))
        return false;
    out->num = id->id;
    return true;
}

/* ---- resources ---- */

void rm_rpc_put_resource(int64_t memory_mb, int64_t vcores, struct rm_rpc_resource *out)
{
    static const char *const names[] = {MEMORY, VCORES}, *const units[] = {"Mi", ""};
    const int64_t values[] = {memory_mb, vcores};

    yarn__resource__init(&out->resource);
    PUT(&out->resource, memory, memory_mb);
    PUT(&out->resource, vcores, (int32_t)vcores);
    for (int i = 0; i < 2; i++) {
        yarn__resource_info__init(&out->info[i]);
        out->info[i].key = (char *)names[i];
        out->info[i].units = (char *)units[i];
        PUT(&out->info[i], value, values[i]);
        PUT(&out->info[i], type, 0);
        out->infos[i] = &out->info[i];
    }
    out->resource.infos = out->infos;
    out->resource.n_infos = 2;
}

/* ---- applications ---- */

static void put_amount(const char *key, int64_t value, Yarn__Amount *at, Yarn__Amount **in)
{
    yarn__amount__init(at);
    at->key = (char *)key;
    at->value = value;
    *in = at;
}

/* Fills the usage; @sees false, or while the scheduler has no attempt: YARN's report without
 * figures, which has -1 for them. */
static void put_usage(const struct rm_app_view *v, const struct yarn_app *a, bool sees,
                      struct rm_rpc_app *out)
{
    Yarn__Usage *u = &out->usage;
    bool held = sees && v->held;

    yarn__usage__init(u);
    PUT(u, used_containers, held ? (int32_t)a->running_containers : -1);
    PUT(u, reserved_containers, held ? 0 : -1);
    rm_rpc_put_resource(held ? a->allocated_mb : -1, held ? a->allocated_vcores : -1, &out->used);
    rm_rpc_put_resource(held ? a->reserved_mb : -1, held ? a->reserved_vcores : -1, &out->reserved);
    rm_rpc_put_resource(held ? a->allocated_mb + a->reserved_mb : -1,
                        held ? a->allocated_vcores + a->reserved_vcores : -1, &out->needed);
    u->used = &out->used.resource;
    u->reserved = &out->reserved.resource;
    u->needed = &out->needed.resource;
    PUT(u, memory_seconds, sees ? a->memory_seconds : 0);
    PUT(u, vcore_seconds, sees ? a->vcore_seconds : 0);
    if (held) {
        PUT(u, queue_percent, a->queue_usage);
        PUT(u, cluster_percent, a->cluster_usage);
    }
    PUT(u, preempted_memory_seconds, sees ? a->preempted_memory_seconds : 0);
    PUT(u, preempted_vcore_seconds, sees ? a->preempted_vcore_seconds : 0);
    put_amount(MEMORY, u->memory_seconds, &out->amount[0], &out->amounts[0]);
    put_amount(VCORES, u->vcore_seconds, &out->amount[1], &out->amounts[1]);
    put_amount(MEMORY, u->preempted_memory_seconds, &out->amount[2], &out->amounts[2]);
    put_amount(VCORES, u->preempted_vcore_seconds, &out->amount[3], &out->amounts[3]);
    u->amounts = out->amounts;
    u->preempted_amounts = out->amounts + 2;
    u->n_amounts = u->n_preempted_amounts = 2;
    out->report.usage = u;
}

/* Splits the tags, which the view joins by commas. */
static void put_tags(const char *joined, struct rm_rpc_app *out)
{
    size_t n = 1, i = 0;

    if (!joined || !*joined)
        return;
    out->tags_text = base_strdup(joined);
    for (const char *p = joined; *p; p++)
        n += *p == ',';
    out->tags = base_alloc(n * sizeof *out->tags);
    for (char *rest = out->tags_text, *tag; (tag = strsep(&rest, ","));)
        out->tags[i++] = tag;
    out->report.tags = out->tags;
    out->report.n_tags = i;
}

static void put_lifetime(const struct yarn_app *a, struct rm_rpc_app *out)
{
    const struct yarn_timeout *t = a->timeouts->list.items;

    yarn__timeout_entry__init(&out->timeout);
    yarn__timeout__init(&out->lifetime);
    out->lifetime.type = LIFETIME;
    out->lifetime.expires = (char *)t->expiry_time;
    PUT(&out->lifetime, remaining_s, t->remaining_s);
    PUT(&out->timeout, type, LIFETIME);
    out->timeout.timeout = &out->lifetime;
    out->timeouts[0] = &out->timeout;
    out->report.timeouts = out->timeouts;
    out->report.n_timeouts = 1;
}

/* Fills where the master is, and its pages: those whose details the caller may not see have none.
 */
static void put_master(const struct yarn_context *f, const struct rm_app_view *v,
                       const struct yarn_app *a, bool sees, struct rm_rpc_app *out)
{
    Yarn__AppReport *r = &out->report;
    bool broken = v->state == RM_APP_FAILED || v->state == RM_APP_KILLED;
    bool known = sees && !broken && v->master_host && *v->master_host;

    out->proxy_url = base_printf("%s/proxy/%s/", f->url, a->id);
    r->host = known ? (char *)v->master_host : NOT_AVAILABLE;
    PUT(r, rpc_port, known ? v->master_rpc_port : NO_PORT);
    r->tracking_url = !sees ? NOT_AVAILABLE : text_or(a->tracking_url, out->proxy_url);
    r->original_tracking_url = !sees    ? NOT_AVAILABLE
                               : broken ? r->tracking_url
                                        : text_or(v->original_tracking_url, NOT_AVAILABLE);
    if (sees && v->state == RM_APP_FINISHED && !v->has_master && v->is_job)
        r->original_tracking_url = r->tracking_url; /* the job's page: its master was this RM */
    r->diagnostics = (char *)(sees ? a->diagnostics : "");
}

/* A label that was not given is shown by a word, one that is empty by that of the nodes without. */
static char *shown_label(const char *label)
{
    return (char *)(!label ? "<Not set>" : *label ? label : "<DEFAULT_PARTITION>");
}

void rm_rpc_put_app(const struct yarn_context *f, const struct rm_app_view *v,
                    const struct yarn_app *a, bool sees, struct rm_rpc_app *out)
{
    struct base_attempt_id attempt = {.app = v->id,
                                      .attempt = v->has_attempt ? v->attempts_n : NO_ATTEMPT};
    Yarn__AppReport *r = &out->report;

    out->tags = NULL;
    out->tags_text = NULL;
    yarn__app_report__init(r);
    rm_rpc_put_app_id(&v->id, &out->id);
    rm_rpc_put_attempt_id(&attempt, &out->attempt);
    r->id = &out->id;
    r->attempt = &out->attempt.id;
    r->user = (char *)a->user;
    r->queue = (char *)a->queue;
    r->name = (char *)a->name;
    put_master(f, v, a, sees, out);
    PUT(r, state, rm_rpc_number_app_state(a->state));
    PUT(r, started, v->submit_us / 1000);
    PUT(r, finished, v->finish_us / 1000);
    PUT(r, final_status, find_number(final_statuses, COUNT(final_statuses), a->final_status));
    put_usage(v, a, sees, out);
    PUT(r, progress, a->progress / 100);
    r->type = (char *)a->type;
    put_tags(v->tags, out);
    if (a->log_aggregation)
        PUT(r, log_aggregation, find_number(log_states, COUNT(log_states), a->log_aggregation));
    PUT(r, unmanaged, v->unmanaged);
    yarn__priority__init(&out->priority);
    PUT(&out->priority, priority, (int32_t)a->priority);
    r->priority = &out->priority;
    r->app_label = shown_label(a->app_label);
    r->am_label = shown_label(a->am_label);
    put_lifetime(a, out);
    PUT(r, launched, v->launch_us / 1000);
    r->rm_cluster_id = (char *)a->rm_cluster_id;
}

void rm_rpc_app_free(struct rm_rpc_app *app)
{
    free(app->tags);
    free(app->tags_text);
    free(app->proxy_url);
}

/* ---- attempts and containers ---- */

void rm_rpc_put_attempt(const struct rm_attempt_view *v, const struct yarn_attempt_info *a,
                        struct rm_rpc_attempt *out)
{
    Yarn__AttemptReport *r = &out->report;

    yarn__attempt_report__init(r);
    rm_rpc_put_attempt_id(&v->id, &out->id);
    r->id = &out->id.id;
    r->host = (char *)a->host;
    PUT(r, rpc_port, (int32_t)a->rpc_port);
    r->tracking_url = (char *)a->tracking_url;
    r->original_tracking_url = (char *)a->original_tracking_url;
    r->diagnostics = (char *)a->diagnostics;
    PUT(r, state, find_number(attempt_states, COUNT(attempt_states), a->state));
    if (v->has_container) {
        rm_rpc_put_container_id(&v->container, &out->container);
        r->container = &out->container.id;
    }
    PUT(r, started, a->start);
    PUT(r, finished, a->finish);
}

void rm_rpc_put_container(const struct rm_container_view *v, const struct yarn_container *c,
                          struct rm_rpc_container *out)
{
    Yarn__ContainerReport *r = &out->report;

    yarn__container_report__init(r);
    rm_rpc_put_container_id(&v->id, &out->id);
    rm_rpc_put_resource(c->mb, c->vcores, &out->resource);
    rm_rpc_put_node_id(c->node_id, out->host, sizeof out->host, &out->node);
    yarn__priority__init(&out->priority);
    PUT(&out->priority, priority, (int32_t)c->priority);
    r->id = &out->id.id;
    r->resource = &out->resource.resource;
    r->node = &out->node;
    r->priority = &out->priority;
    PUT(r, created, c->start);
    PUT(r, finished, c->finish);
    r->diagnostics = (char *)c->diagnostics; /* without any YARN leaves the field out */
    r->log_url = (char *)c->log_url;
    PUT(r, exit_status, (int32_t)c->exit_status);
    PUT(r, state, find_number(container_states, COUNT(container_states), c->state));
    r->node_http = (char *)c->node_http;
    PUT(r, execution_type, GUARANTEED);
}

/* ---- nodes ---- */

static void put_utilization(int64_t physical_mb, int64_t virtual_mb, double cores,
                            Yarn__Utilization *out)
{
    yarn__utilization__init(out);
    PUT(out, physical_mb, (int32_t)physical_mb);
    PUT(out, virtual_mb, (int32_t)virtual_mb);
    PUT(out, cpu, (float)cores);
}

void rm_rpc_put_node(const struct rm_node_view *v, const struct yarn_node *n,
                     struct rm_rpc_node *out)
{
    const struct yarn_utilization *u = &n->utilization;
    Yarn__NodeReport *r = &out->report;

    yarn__node_report__init(r);
    rm_rpc_put_node_id(n->id, out->host, sizeof out->host, &out->id);
    rm_rpc_put_resource(n->used_mb, n->used_vcores, &out->used);
    rm_rpc_put_resource(n->total.memory, n->total.vcores, &out->capability);
    put_utilization(u->containers_physical_mb, u->containers_virtual_mb, u->containers_cpu,
                    &out->of_containers);
    put_utilization(u->node_physical_mb, u->node_virtual_mb, u->node_cpu, &out->of_node);
    r->id = &out->id;
    r->http_address = (char *)n->http_address;
    r->rack = text_or(n->rack, "/default-rack");
    r->used = &out->used.resource;
    r->capability = &out->capability.resource;
    PUT(r, containers, (int32_t)n->containers);
    PUT(r, state, rm_rpc_number_node_state(n->state));
    r->health = (char *)n->health;
    PUT(r, last_health_ms, n->last_health_ms);
    out->label = (char *)v->label;
    if (v->label && *v->label) {
        r->labels = &out->label;
        r->n_labels = 1;
    }
    r->containers_utilization = &out->of_containers;
    r->node_utilization = &out->of_node;
}

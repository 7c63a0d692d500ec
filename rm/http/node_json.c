#include "rm/http/node_json.h"

#include <stdlib.h>
#include <string.h>

#include "api/wire/order.h"
#include "base/version.h"

static enum rm_container_state container_state_from_wire(enum wire_container_state s)
{
    return s == WIRE_COMPLETE    ? RM_CONTAINER_COMPLETED
           : s == WIRE_SUSPENDED ? RM_CONTAINER_SUSPENDED
                                 : RM_CONTAINER_RUNNING;
}

static int read_report(const struct wire_container *c, size_t i, struct rm_container_report *r,
                       struct base_error *err)
{
    *r = (struct rm_container_report){.id = c->id,
                                      .state = container_state_from_wire(c->state),
                                      .slot = c->slot,
                                      .progress = (float)c->progress,
                                      .exit_code = c->exit_code,
                                      .diagnostics = c->diagnostics,
                                      .started_us = c->started_ms * 1000,
                                      .ended_us = c->ended_ms * 1000,
                                      .cpu_ms = c->cpu_ms,
                                      .max_rss_kb = c->max_rss_kb,
                                      .output_bytes = c->output_bytes,
                                      .counters = c->counters.known ? c->counters.v : NULL,
                                      .master = c->master,
                                      .task_attempt = c->task_attempt,
                                      .priority = c->priority,
                                      .allocation_request_id = c->allocation_request_id};
    r->resource.v[RM_RES_MEMORY_MB] = c->memory_mb;
    r->resource.v[RM_RES_VCORES] = c->vcores;
    r->resource.v[c->slot == BASE_TASK_MAP ? RM_RES_MAP_SLOTS : RM_RES_REDUCE_SLOTS] = 1;
    r->step = c->task ? wire_job_step_find(c->task) : BASE_STEP_NONE;
    if (c->task && *c->task && !r->step) {
        int rc = base_task_id_parse(c->task, &r->task, err);

        if (rc < 0)
            return base_error_wrap(err, rc, "containers[%zu].task", i);
        r->has_task = true;
    }
    return 0;
}

static int read_reports(const struct wire_container *v, size_t n, struct rm_node_message *m,
                        struct base_error *err)
{
    int rc = 0;

    m->reports = n ? base_realloc_array(NULL, n, sizeof *m->reports) : NULL;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = read_report(&v[i], i, &m->reports[i], err);
    return rc;
}

static void convert_log_reports(const struct wire_log_report *v, size_t n,
                                struct rm_node_message *m)
{
    static const enum rm_log_state states[] = {[WIRE_LOGS_COPYING] = RM_LOGS_COPYING,
                                               [WIRE_LOGS_FAILING] = RM_LOGS_FAILING,
                                               [WIRE_LOGS_FAILED] = RM_LOGS_FAILED};

    m->logs = n ? base_realloc_array(NULL, n, sizeof *m->logs) : NULL;
    for (size_t i = 0; i < n; i++)
        m->logs[i] = (struct rm_log_report){.app = v[i].app, .state = states[v[i].state]};
}

/* Checks that @id is "host:port" and copies the host to m->host. */
static int read_host_from_node_id(const char *id, struct rm_node_message *m, struct base_error *err)
{
    const char *colon = strrchr(id, ':');
    char *end = NULL;
    long port = colon ? strtol(colon + 1, &end, 10) : 0;

    if (!colon || colon == id || *end || port < 1 || port > 65535 || strpbrk(id, " \t\r\n/\"\\"))
        return base_error_set(err, -BASE_EINVAL, "nodeId: \"%.100s\" is not host:port", id);
    m->host = base_strndup(id, (size_t)(colon - id));
    return 0;
}

static int fill_register_event(struct rm_node_message *m, struct base_error *err)
{
    const struct wire_registration *w = &m->wire.registration;
    __typeof__(m->ev.u.node_register) *r = &m->ev.u.node_register;
    int rc;

    if ((rc = read_host_from_node_id(w->node_id, m, err)) < 0 ||
        (rc = wire_check_same_major_version("NodeManager", w->version, "ResourceManager",
                                            CREEL_VERSION, err)) < 0 ||
        (rc = read_reports(w->containers, w->containers_n, m, err)) < 0)
        return rc;
    r->node_id = w->node_id;
    r->host = m->host;
    r->http_address = w->http_address;
    r->rack = w->rack;
    r->version = w->version;
    r->boot_id = w->boot_id;
    r->instance = w->instance;
    r->map_slots = w->map_slots;
    r->reduce_slots = w->reduce_slots;
    r->hadoop_port = w->hadoop_port;
    r->master_slots = w->master_slots;
    r->epoch_seen = w->epoch_seen;
    r->sent_us = w->sent_us;
    r->reports = m->reports;
    r->reports_n = w->containers_n;
    r->apps = w->apps;
    r->apps_n = w->apps_n;
    convert_log_reports(w->logs, w->logs_n, m);
    r->logs = m->logs;
    r->logs_n = w->logs_n;
    r->logs_more = w->logs_more;
    return 0;
}

int rm_node_decode_register(const char *text, size_t len, struct rm_node_message *out,
                            struct base_error *err)
{
    int rc;

    *out = (struct rm_node_message){.ev.kind = RM_EV_NODE_REGISTER};
    rc = wire_registration_get(text, len, &out->wire.registration, err);
    if (rc == 0)
        rc = fill_register_event(out, err);
    if (rc < 0)
        rm_node_message_free(out);
    return rc;
}

static int fill_heartbeat_event(struct rm_node_message *m, struct base_error *err)
{
    const struct wire_heartbeat *w = &m->wire.heartbeat;
    __typeof__(m->ev.u.heartbeat) *h = &m->ev.u.heartbeat;

    h->node_id = w->node_id;
    h->instance = w->instance;
    h->response_id = w->response_id;
    h->sent_us = w->sent_us;
    h->healthy = w->healthy;
    h->health_report = w->health_report ? w->health_report : "";
    h->has_utilization = w->has_utilization;
    h->utilization = w->utilization;
    h->hold_us = w->hold_ms * 1000;
    h->reports_n = w->containers_n;
    int rc = read_host_from_node_id(w->node_id, m, err);
    if (rc == 0)
        rc = read_reports(w->containers, w->containers_n, m, err);
    h->reports = m->reports;
    convert_log_reports(w->logs, w->logs_n, m);
    h->logs = m->logs;
    h->logs_n = w->logs_n;
    h->logs_more = w->logs_more;
    return rc;
}

int rm_node_decode_heartbeat(const char *text, size_t len, struct rm_node_message *out,
                             struct base_error *err)
{
    int rc;

    *out = (struct rm_node_message){.ev.kind = RM_EV_NODE_HEARTBEAT};
    rc = wire_heartbeat_get(text, len, &out->wire.heartbeat, err);
    if (rc == 0)
        rc = fill_heartbeat_event(out, err);
    if (rc < 0)
        rm_node_message_free(out);
    return rc;
}

int rm_node_decode_wake_or_unregister(const char *text, size_t len, enum rm_event_kind kind,
                                      struct rm_node_message *out, struct base_error *err)
{
    int rc;

    *out = (struct rm_node_message){.ev.kind = kind};
    rc = wire_node_name_get(text, len, &out->wire.name, err);
    if (rc == 0)
        rc = read_host_from_node_id(out->wire.name.node_id, out, err);
    if (rc < 0) {
        rm_node_message_free(out);
        return rc;
    }
    out->ev.u.node.node_id = out->wire.name.node_id;
    out->ev.u.node.instance = out->wire.name.instance;
    return 0;
}

void rm_node_message_free(struct rm_node_message *m)
{
    switch (m->ev.kind) {
    case RM_EV_NODE_REGISTER:
        wire_registration_free(&m->wire.registration);
        break;
    case RM_EV_NODE_HEARTBEAT:
        wire_heartbeat_free(&m->wire.heartbeat);
        break;
    default:
        wire_node_name_free(&m->wire.name);
        break;
    }
    free(m->reports);
    free(m->logs);
    free(m->host);
    memset(m, 0, sizeof *m);
}

#include "nodemanager/daemon/wire.h"

#include <stdlib.h>
#include <string.h>

#include "api/wire/node.h"
#include "base/version.h"

/* ---- requests ---- */

static enum wire_container_state to_wire_state(enum nm_state s)
{
    return s == NM_COMPLETE ? WIRE_COMPLETE : (s == NM_SUSPENDED ? WIRE_SUSPENDED : WIRE_RUNNING);
}

struct reports {
    struct wire_container *v;
    size_t len, cap;
};

static void add_container_report(struct nm_container *ct, void *u)
{
    struct reports *r = u;
    const struct nm_container_view *c = nm_core_view(ct);
    base_array_grow(&r->v, r->len, &r->cap);
    r->v[r->len++] = (struct wire_container){
        .id = c->id,
        .state = to_wire_state(c->state),
        .slot = c->slot,
        .progress = c->progress,
        .phase = c->phase[0] ? c->phase : NULL,
        .exit_code = c->exit_code,
        .signal = c->signal,
        .started_ms = c->started_ms,
        .ended_ms = c->ended_ms,
        .cpu_ms = c->cpu_ms,
        .max_rss_kb = c->max_rss_kb,
        .diagnostics = c->diagnostics && c->diagnostics[0] ? c->diagnostics : NULL,
        .counters.text = c->counters,
        .output_bytes = c->state == NM_COMPLETE ? c->output_bytes : 0,
        .app = c->app->text,
        .user = c->app->user,
        .task = c->task,
        .task_attempt = (int32_t)c->task_attempt,
        .priority = (int32_t)c->priority,
        .master = c->kind == BASE_CONTAINER_MASTER,
        .memory_mb = c->memory_mb,
        .vcores = c->vcores,
        .allocation_request_id = c->allocation_request_id,
    };
}

struct app_list {
    struct base_app_id *v;
    size_t len, cap;
};

static void add_unfinished_app(const struct nm_app_view *app, void *u)
{
    struct app_list *l = u;
    if (app->finished)
        return;
    base_array_grow(&l->v, l->len, &l->cap);
    l->v[l->len++] = app->id;
}

void nm_wire_put_registration(struct nm_core *core, const struct nm_ident *who,
                              const struct nm_wire_logs *logs, struct base_buf *out)
{
    struct app_list apps = {0};
    struct reports reports = {0};
    nm_core_each_app(core, add_unfinished_app, &apps);
    nm_core_mark_sent_each_to_report(core, add_container_report, &reports);
    const struct wire_registration r = {
        .node_id = who->node_id,
        .http_address = who->http_address,
        .rack = who->rack,
        .instance = who->instance,
        .boot_id = who->boot_id,
        .version = CREEL_VERSION,
        .map_slots = who->map_slots,
        .reduce_slots = who->reduce_slots,
        .hadoop_port = who->hadoop_port,
        .master_slots = who->master_slots,
        .epoch_seen = nm_core_epoch(core),
        .sent_us = nm_core_request_sent_us(core),
        .apps = apps.v,
        .apps_n = apps.len,
        .containers = reports.v,
        .containers_n = reports.len,
        .logs = logs->v,
        .logs_n = logs->n,
        .logs_more = logs->more,
    };
    wire_registration_put(&r, out);
    free(apps.v);
    free(reports.v);
}

void nm_wire_put_heartbeat(struct nm_core *core, const struct nm_ident *who, int64_t hold_ms,
                           const struct nm_wire_logs *logs, const struct base_utilization *measured,
                           struct base_buf *out)
{
    struct reports reports = {0};
    const char *report;
    int64_t free_mb;
    bool healthy = nm_core_is_healthy(core, &report, &free_mb);
    nm_core_mark_sent_each_to_report(core, add_container_report, &reports);
    const struct wire_heartbeat h = {
        .node_id = who->node_id,
        .instance = who->instance,
        .response_id = nm_core_response_id(core),
        .epoch_seen = nm_core_epoch(core),
        .sent_us = nm_core_request_sent_us(core),
        .disk_free_mb = free_mb,
        .hold_ms = hold_ms,
        .healthy = healthy,
        .health_report = report[0] ? report : NULL,
        .has_utilization = measured != NULL,
        .utilization = measured ? *measured : (struct base_utilization){0},
        .containers = reports.v,
        .containers_n = reports.len,
        .logs = logs->v,
        .logs_n = logs->n,
        .logs_more = logs->more,
    };
    wire_heartbeat_put(&h, out);
    free(reports.v);
}

/* ---- answers ---- */

void nm_wire_convert_launch(const struct wire_launch *from, struct nm_launch *out)
{
    *out = (struct nm_launch){
        .id = from->container,
        .user = from->user,
        .token = from->token,
        .acl_view = from->acl_view,
        .name = from->name,
        .task = from->task,
        .task_attempt = from->task_attempt,
        .memory_mb = from->memory_mb,
        .vcores = from->vcores,
        .priority = from->priority,
        .allocation_request_id = from->allocation_request_id,
        .kind = from->kind,
        .slot = from->slot,
        .order = from,
    };
}

static void convert_order(const struct wire_order *from, struct nm_order *out)
{
    *out = (struct nm_order){.kind = from->kind,
                             .container = from->container,
                             .app = from->app,
                             .reason = from->reason,
                             .grace_ms = from->grace_ms,
                             .signal = from->signal,
                             .keep_logs = from->keep_logs};
    if (from->kind == BASE_ORDER_LAUNCH) {
        nm_wire_convert_launch(&from->launch, &out->launch);
        out->launch.refused = from->refused;
    }
}

int nm_wire_get_answer(const char *text, size_t len, int64_t grace_ms, struct nm_answer *out,
                       struct base_error *err)
{
    int rc;
    memset(out, 0, sizeof *out);
    if ((rc = wire_answer_get(text, len, grace_ms, &out->wire, err)) < 0)
        return rc;
    if (out->wire.version &&
        (rc = wire_check_same_major_version("ResourceManager", out->wire.version, "NodeManager",
                                            CREEL_VERSION, err)) < 0) {
        nm_answer_free(out);
        return rc;
    }
    out->orders = base_alloc((out->wire.orders_n + 1) * sizeof *out->orders);
    for (size_t i = 0; i < out->wire.orders_n; i++)
        convert_order(&out->wire.orders[i], &out->orders[i]);
    return 0;
}

void nm_answer_free(struct nm_answer *a)
{
    free(a->orders);
    wire_answer_free(&a->wire);
    memset(a, 0, sizeof *a);
}

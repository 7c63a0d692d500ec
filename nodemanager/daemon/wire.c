/* nodemanager/daemon/wire.c - see the header. */
#include "nodemanager/daemon/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "base/version.h"
#include "nodemanager/container/folders.h"

#define ORDERS_MAX 100000

/* ---- requests ---- */

static void put_str(struct base_buf *b, const char *name, const char *value)
{
    base_buf_addf(b, ",\"%s\":", name);
    base_json_quote(b, value ? value : "");
}

static const char *state_text(enum nm_state s)
{
    return s == NM_COMPLETE ? "complete" : (s == NM_SUSPENDED ? "suspended" : "running");
}

struct reports {
    struct base_buf *out;
    bool full;
    size_t n;
};

static void report_add(struct nm_container *ct, void *u)
{
    struct reports *r = u;
    const struct nm_container_view *c = nm_core_view(ct);
    struct base_buf *b = r->out;
    base_buf_addf(b, "%s{\"id\":\"%s\",\"state\":\"%s\",\"slot\":\"%s\",\"progress\":%.4f", r->n++ ? "," : "", c->text,
                  state_text(c->state), c->slot == BASE_TASK_REDUCE ? "reduce" : "map", c->progress);
    if (c->phase[0])
        put_str(b, "phase", c->phase);
    base_buf_addf(b,
                  ",\"exitCode\":%d,\"signal\":%d,\"startedMs\":%lld,\"endedMs\":%lld,\"cpuMs\":%lld,\"maxRssKb\":%lld",
                  c->exit_code, c->signal, (long long)c->started_ms, (long long)c->ended_ms, (long long)c->cpu_ms,
                  (long long)c->max_rss_kb);
    put_str(b, "diagnostics", c->diagnostics);
    if (c->counters)
        base_buf_addf(b, ",\"counters\":%s", c->counters);
    if (c->state == NM_COMPLETE)
        base_buf_addf(b, ",\"partitionsBytes\":%lld", (long long)c->output_bytes);
    if (r->full) {
        const struct nm_app_view *app = c->app;
        put_str(b, "app", app->text);
        put_str(b, "user", app->user);
        if (c->task)
            put_str(b, "task", c->task);
        base_buf_addf(b, ",\"taskAttempt\":%lld,\"master\":%s,\"memoryMb\":%lld,\"vcores\":%lld,\"priority\":%lld",
                      (long long)c->task_attempt, c->kind == NM_KIND_MASTER ? "true" : "false", (long long)c->memory_mb,
                      (long long)c->vcores, (long long)c->priority);
        if (c->allocation_request_id)
            base_buf_addf(b, ",\"allocationRequestId\":%lld", (long long)c->allocation_request_id);
    }
    base_buf_adds(b, "}");
}

static void containers_add(struct nm_core *core, bool full, struct base_buf *out)
{
    struct reports r = {.out = out, .full = full};
    base_buf_adds(out, ",\"containers\":[");
    nm_core_each_in_beat(core, report_add, &r);
    base_buf_adds(out, "]}");
}

struct app_list {
    struct base_buf *out;
    size_t n;
};

static void app_add(const struct nm_app_view *app, void *u)
{
    struct app_list *l = u;
    if (!app->finished)
        base_buf_addf(l->out, "%s\"%s\"", l->n++ ? "," : "", app->text);
}

void nm_wire_register(struct nm_core *core, const struct nm_ident *who, struct base_buf *out)
{
    struct app_list apps = {.out = out};
    base_buf_adds(out, "{\"node-id\":");
    base_json_quote(out, who->node_id);
    put_str(out, "http-address", who->http_address);
    put_str(out, "rack", who->rack);
    put_str(out, "instance", who->instance);
    put_str(out, "boot-id", who->boot_id);
    put_str(out, "version", CREEL_VERSION);
    base_buf_addf(out, ",\"map-slots\":%lld,\"reduce-slots\":%lld,\"epoch-seen\":%lld,\"sentUs\":%lld,\"apps\":[",
                  (long long)who->map_slots, (long long)who->reduce_slots, (long long)nm_core_epoch(core),
                  (long long)nm_core_sent_us(core));
    nm_core_each_app(core, app_add, &apps);
    base_buf_adds(out, "]");
    containers_add(core, true, out);
}

void nm_wire_heartbeat(struct nm_core *core, const struct nm_ident *who, int64_t hold_ms, struct base_buf *out)
{
    const char *report;
    int64_t free_mb;
    bool healthy = nm_core_healthy(core, &report, &free_mb);
    base_buf_adds(out, "{\"node-id\":");
    base_json_quote(out, who->node_id);
    put_str(out, "instance", who->instance);
    base_buf_addf(out, ",\"responseId\":%lld,\"sentUs\":%lld,\"epochSeen\":%lld,\"healthy\":%s",
                  (long long)nm_core_response_id(core), (long long)nm_core_sent_us(core),
                  (long long)nm_core_epoch(core), healthy ? "true" : "false");
    base_buf_addf(out, ",\"diskFreeMb\":%lld,\"holdMs\":%lld", (long long)free_mb, (long long)hold_ms);
    put_str(out, "healthReport", report);
    containers_add(core, false, out);
}

/* ---- answers ---- */

static int container_of(const json_t *o, struct base_container_id *out, struct base_error *err)
{
    const char *text = NULL;
    int rc = base_json_str(o, "", "container", true, BASE_ID_TEXT_MAX, &text, err);
    return rc < 0 ? rc : base_container_id_parse(text, out, err);
}

static int choice(const json_t *o, const char *name, const char *const *names, size_t n, int *out,
                  struct base_error *err)
{
    const char *text = names[*out];
    int rc = base_json_str(o, "", name, false, BASE_NAME_MAX, &text, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (int)i;
            return 0;
        }
    }
    return base_error_set(err, -BASE_EINVAL, "%s: unknown value \"%.64s\"", name, text);
}

int nm_wire_launch(const json_t *o, struct nm_launch *out, struct base_error *err)
{
    static const char *const kinds[] = {"command", "map", "reduce", "master"};
    static const char *const slots[] = {"map", "reduce"};
    int kind = 0, slot = 0, rc;
    const char *command = NULL;
    *out = (struct nm_launch){.user = "", .token = "", .raw = o};
    if ((rc = container_of(o, &out->id, err)) < 0 || (rc = choice(o, "kind", kinds, 4, &kind, err)) < 0 ||
        (rc = choice(o, "slot", slots, 2, &slot, err)) < 0 ||
        (rc = base_json_str(o, "", "user", false, BASE_NAME_MAX, &out->user, err)) < 0 ||
        (rc = base_json_str(o, "", "token", false, BASE_NAME_MAX, &out->token, err)) < 0 ||
        (rc = base_json_str(o, "", "name", false, BASE_NAME_MAX, &out->name, err)) < 0 ||
        (rc = base_json_str(o, "", "task", false, BASE_ID_TEXT_MAX, &out->task, err)) < 0 ||
        (rc = base_json_int(o, "", "taskAttempt", false, 0, INT32_MAX, &out->task_attempt, err)) < 0 ||
        (rc = base_json_int(o, "", "memoryMb", false, 0, INT64_MAX, &out->memory_mb, err)) < 0 ||
        (rc = base_json_int(o, "", "vcores", false, 0, INT32_MAX, &out->vcores, err)) < 0 ||
        (rc = base_json_int(o, "", "priority", false, INT32_MIN, INT32_MAX, &out->priority, err)) < 0 ||
        (rc = base_json_int(o, "", "allocationRequestId", false, INT64_MIN, INT64_MAX, &out->allocation_request_id,
                            err)) < 0)
        return rc;
    out->kind = (enum nm_kind)kind;
    out->slot = (enum base_task_kind)slot;
    if (out->kind == NM_KIND_COMMAND || out->kind == NM_KIND_MASTER)
        return base_json_str(o, "", "command", true, BASE_COMMAND_MAX, &command, err);
    return 0;
}

/* A launch that makes no sense is refused by name where its container can be told, so that the RM learns of it. */
static int launch_read(json_t *o, struct nm_launch *out, struct base_error *err)
{
    int rc = nm_wire_launch(o, out, err);
    if (rc >= 0 || container_of(o, &out->id, NULL) < 0)
        return rc;
    const char *slot = json_string_value(json_object_get(o, "slot"));
    *out = (struct nm_launch){.id = out->id, .user = "", .token = "", .raw = o};
    out->slot = slot && strcmp(slot, "reduce") == 0 ? BASE_TASK_REDUCE : BASE_TASK_MAP;
    nm_utf8_replace_invalid(err->text, strlen(err->text));
    json_object_set_new(o, "refused", json_string(err->text)); /* lasts as long as the order */
    out->refused = json_string_value(json_object_get(o, "refused"));
    return out->refused ? 0 : rc;
}

static int order_read(json_t *o, int64_t grace_ms, struct nm_order *out, struct base_error *err)
{
    static const char *const types[BASE_ORDER_KINDS] = {
        "launch", "kill", "suspend", "resume", "forget", "cleanup-app", "resync", "shutdown",
    };
    const char *text = NULL;
    int type = BASE_ORDER_KINDS, rc = base_json_str(o, "", "type", true, 64, &text, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < BASE_ORDER_KINDS; i++) {
        if (strcmp(text, types[i]) == 0)
            type = i;
    }
    *out = (struct nm_order){.kind = (enum base_order_kind)type, .grace_ms = grace_ms};
    switch (out->kind) {
    case BASE_ORDER_LAUNCH:
        return launch_read(o, &out->launch, err);
    case BASE_ORDER_KILL:
        if ((rc = base_json_str(o, "", "reason", false, BASE_DIAGNOSTICS_MAX, &out->reason, err)) < 0 ||
            (rc = base_json_int(o, "", "graceMs", false, 0, INT32_MAX, &out->grace_ms, err)) < 0)
            return rc;
        return container_of(o, &out->container, err);
    case BASE_ORDER_SUSPEND:
    case BASE_ORDER_RESUME:
    case BASE_ORDER_FORGET:
        return container_of(o, &out->container, err);
    case BASE_ORDER_CLEANUP_APP:
        if ((rc = base_json_str(o, "", "app", true, BASE_ID_TEXT_MAX, &text, err)) < 0 ||
            (rc = base_json_bool(o, "", "keepLogs", false, &out->keep_logs, err)) < 0)
            return rc;
        return base_app_id_parse(text, &out->app, err);
    case BASE_ORDER_SHUTDOWN:
        return base_json_str(o, "", "reason", false, BASE_DIAGNOSTICS_MAX, &out->reason, err);
    case BASE_ORDER_RESYNC:
        return 0;
    case BASE_ORDER_KINDS:
        break;
    }
    return base_error_set(err, -BASE_EINVAL, "unknown order \"%.64s\"", text);
}

int nm_wire_answer(const char *text, size_t len, int64_t grace_ms, struct nm_answer *out, struct base_error *err)
{
    json_t *orders = NULL, *o;
    size_t i;
    int rc;
    memset(out, 0, sizeof *out);
    if ((rc = base_json_parse(text, len, &out->root, err)) < 0 ||
        (rc = base_json_int(out->root, "", "epoch", true, 0, BASE_EPOCH_MAX, &out->epoch, err)) < 0 ||
        (rc = base_json_int(out->root, "", "responseId", false, 0, INT64_MAX, &out->response_id, err)) < 0 ||
        (rc = base_json_int(out->root, "", "heartbeatMs", false, 0, INT32_MAX, &out->heartbeat_ms, err)) < 0 ||
        (rc = base_json_arr(out->root, "", "orders", false, ORDERS_MAX, &orders, err)) < 0)
        return rc;
    out->orders = base_alloc((json_array_size(orders) + 1) * sizeof *out->orders);
    json_array_foreach(orders, i, o)
    {
        struct base_error bad = {0};
        if (order_read(o, grace_ms, &out->orders[out->n], &bad) >= 0)
            out->n++;
        else if (out->bad++ == 0)
            out->bad_err = bad;
    }
    return 0;
}

void nm_answer_free(struct nm_answer *a)
{
    free(a->orders);
    json_decref(a->root);
    memset(a, 0, sizeof *a);
}

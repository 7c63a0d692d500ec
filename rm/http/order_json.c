/* rm/http/order_json.c - orders to NodeManagers, written straight into the answer: thousands a second. */
#include <stdlib.h>
#include <string.h>

#include "base/io/json_write.h"
#include "rm/daemon/master_token.h"
#include "rm/http/node_json.h"
#include "rm/jobs/output_folder.h"
#include "rm/http/spec_json.h"

static const char *const order_names[] = {
    [BASE_ORDER_LAUNCH] = "launch",   [BASE_ORDER_KILL] = "kill",     [BASE_ORDER_SUSPEND] = "suspend",
    [BASE_ORDER_RESUME] = "resume",   [BASE_ORDER_FORGET] = "forget", [BASE_ORDER_CLEANUP_APP] = "cleanup-app",
    [BASE_ORDER_RESYNC] = "resync",   [BASE_ORDER_SHUTDOWN] = "shutdown"};

static void put_container(struct base_buf *out, const char *key, const struct base_container_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    base_json_put_str(out, key, base_container_id_text(id, text));
}

static void put_app(struct base_buf *out, const char *key, const struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    base_json_put_str(out, key, base_app_id_text(id, text));
}

static void put_env(const struct rm_str_list *env, struct base_buf *out)
{
    base_json_key(out, "env");
    base_json_open(out, '{');
    for (size_t i = 0; i < env->n; i++) {
        const char *eq = strchr(env->v[i], '=');
        char *name = base_strndup(env->v[i], eq ? (size_t)(eq - env->v[i]) : SIZE_MAX);
        base_json_value_str(out, name);
        base_buf_adds(out, ":");
        base_json_value_str(out, eq ? eq + 1 : "");
        free(name);
    }
    base_json_close(out, '}');
}

static void put_commands(const struct rm_launch *l, struct base_buf *out)
{
    struct base_buf text = {0};

    for (size_t i = 0; l && i < l->commands.n; i++) {
        if (i)
            base_buf_adds(&text, "\n");
        base_buf_adds(&text, l->commands.v[i]);
    }
    base_json_put_str(out, "command", text.data ? text.data : "");
    base_buf_free(&text);
}

/* Tasks get the plain path of the output folder; it was checked at submission. */
static void put_output(const struct rm_job_spec *job, struct base_buf *out)
{
    char *path = NULL;

    if (job->output && rm_output_parse_path(job->output, &path, NULL) == 0) {
        base_json_put_str(out, "output", path);
        base_json_put_bool(out, "jobCommits", true);
    }
    free(path);
}

static void put_map_spec(const struct rm_order *o, const struct rm_order_context *cx, struct base_buf *out)
{
    const struct rm_job_spec *job = o->job;
    const struct rm_split_spec *split;

    base_assert(o->task.index >= 0 && (size_t)o->task.index < job->splits_n);
    split = &job->splits[o->task.index];
    base_json_put_int(out, "reduces", job->reduces);
    base_json_put_str(out, "map", job->map);
    if (job->reduces > 0)
        base_json_put_str_opt(out, "combine", job->combine);
    base_json_key(out, "split");
    base_json_open(out, '{');
    base_json_put_str(out, "path", job->paths.v[split->path]);
    base_json_put_int(out, "offset", split->offset);
    base_json_put_int(out, "length", split->length);
    base_json_put_bool(out, "gzip", split->gzip);
    base_json_close(out, '}');
    if (job->reduces == 0) { /* it commits */
        put_output(job, out);
        base_json_put_str(out, "rm", cx->rm_urls);
    }
    base_json_put_int(out, "sortBufferMb", cx->sort_buffer_mb);
}

static void put_reduce_spec(const struct rm_order *o, const struct rm_order_context *cx, struct base_buf *out)
{
    base_json_put_int(out, "maps", (int64_t)o->job->splits_n);
    base_json_put_str(out, "reduce", o->job->reduce);
    put_output(o->job, out);
    base_json_put_str(out, "rm", cx->rm_urls);
    base_json_put_int(out, "sortBufferMb", cx->sort_buffer_mb);
}

static void put_task(const struct rm_order *o, const struct rm_order_context *cx, struct base_buf *out)
{
    bool map = o->task.kind == BASE_TASK_MAP;
    char text[BASE_ID_TEXT_MAX];

    base_json_put_str(out, "task", base_task_id_text(&o->task, text));
    base_json_put_int(out, "taskAttempt", o->task_attempt);
    if (o->job->groups_n) {
        base_json_put_str(out, "kind", "command");
        base_json_put_str(out, "command",
                     rm_spec_task_command(o->job, map ? BASE_TASK_MAP : BASE_TASK_REDUCE, o->task.index));
        return;
    }
    base_json_put_str(out, "kind", map ? "map" : "reduce");
    base_json_key(out, "spec");
    base_json_open(out, '{');
    put_app(out, "job", &o->app);
    base_json_put_int(out, "index", o->task.index);
    base_json_put_int(out, "attempt", o->task_attempt);
    if (map)
        put_map_spec(o, cx, out);
    else
        put_reduce_spec(o, cx, out);
    base_json_close(out, '}');
}

static void put_launch(const struct rm_order *o, const struct rm_order_context *cx, struct base_buf *out)
{
    static const struct rm_str_list none = {0};
    char master_token[RM_MASTER_TOKEN_MAX];

    put_container(out, "container", &o->container);
    put_app(out, "app", &o->app);
    base_json_put_str(out, "user", o->user);
    base_json_put_str(out, "slot", o->slot == BASE_TASK_MAP ? "map" : "reduce");
    base_json_put_str(out, "name", o->name ? o->name : "");
    base_json_put_str(out, "token", o->token);
    base_json_put_int(out, "memoryMb", o->resource.v[RM_RES_MEMORY_MB]);
    base_json_put_int(out, "vcores", o->resource.v[RM_RES_VCORES]);
    base_json_put_int(out, "priority", o->priority);
    if (o->job) {
        put_env(&o->job->env, out);
        put_task(o, cx, out);
    } else {
        put_env(o->launch ? &o->launch->env : &none, out);
        base_json_put_str(out, "kind", o->master ? "master" : "command");
        base_json_put_int(out, "allocationRequestId", o->allocation_request_id);
        if (o->master)
            base_json_put_str(out, "masterToken", rm_master_token(cx->master_key, &o->container.attempt, master_token));
        put_commands(o->launch, out);
    }
}

void rm_order_encode(const struct rm_order *o, const struct rm_order_context *cx, struct base_buf *out)
{
    base_json_open(out, '{');
    base_json_put_str(out, "type", order_names[o->kind]);
    switch (o->kind) {
    case BASE_ORDER_LAUNCH:
        put_launch(o, cx, out);
        break;
    case BASE_ORDER_KILL:
        put_container(out, "container", &o->container);
        base_json_put_str(out, "reason", o->reason ? o->reason : "");
        base_json_put_int(out, "graceMs", o->grace_ms);
        break;
    case BASE_ORDER_SUSPEND:
    case BASE_ORDER_RESUME:
    case BASE_ORDER_FORGET:
        put_container(out, "container", &o->container);
        break;
    case BASE_ORDER_CLEANUP_APP:
        put_app(out, "app", &o->app);
        base_json_put_bool(out, "keepLogs", true);
        break;
    case BASE_ORDER_RESYNC:
    case BASE_ORDER_SHUTDOWN:
        base_json_put_str_opt(out, "reason", o->reason);
        break;
    case BASE_ORDER_KINDS:
        break;
    }
    base_json_close(out, '}');
}

void rm_heartbeat_encode(const struct rm_effect *fx, const char *cluster_name, const struct rm_order_context *cx,
                         struct base_buf *out)
{
    const __typeof__(fx->u.heartbeat) *h = &fx->u.heartbeat;

    base_json_open(out, '{');
    base_json_put_int(out, "epoch", h->epoch);
    base_json_put_int(out, "rmInstance", h->rm_instance_ms);
    if (h->registered) {
        base_json_put_int(out, "clusterTs", h->cluster_ts_ms);
        base_json_put_str(out, "clusterName", cluster_name);
    }
    base_json_put_int(out, "responseId", h->response_id);
    base_json_put_int(out, "heartbeatMs", h->interval_us / 1000);
    base_json_key(out, "orders");
    base_json_open(out, '[');
    for (size_t i = 0; i < h->orders_n; i++)
        rm_order_encode(&h->orders[i], cx, out);
    base_json_close(out, ']');
    base_json_close(out, '}');
}

/* rm/http/order_json.c - encodes orders to NodeManagers straight into the answer, since thousands
 * are sent per second. */
#include <stdlib.h>
#include <string.h>

#include "api/wire/order.h"
#include "base/conf/file_path.h"
#include "base/crypto/base64.h"
#include "base/version.h"
#include "rm/http/master_credentials.h"
#include "rm/http/node_json.h"
#include "rm/http/spec_json.h"

/* Texts that a launch points to while it is encoded. */
struct scratch {
    char task[BASE_ID_TEXT_MAX], job[BASE_ID_TEXT_MAX];
    struct base_buf commands;
    char *output, *credentials;
};

/* Sets in @spec the plain path of the job's output folder; its text was checked at submission. */
static void fill_output_path(const struct rm_job_spec *job, struct wire_task_spec *spec,
                             struct scratch *tmp)
{
    if (job->output && base_file_path_parse(job->output, &tmp->output, NULL) == 0) {
        base_file_path_strip_trailing_slashes(tmp->output);
        spec->output = tmp->output;
        spec->job_commits = true;
    }
}

static void fill_map_spec(const struct rm_order *o, struct wire_task_spec *spec)
{
    const struct rm_job_spec *job = o->job;
    const struct rm_split_spec *split;

    base_assert(o->task.index >= 0 && (size_t)o->task.index < job->splits_n);
    split = &job->splits[o->task.index];
    spec->reduces = (int32_t)job->reduces;
    spec->command = job->map;
    spec->combine = job->reduces > 0 ? job->combine : NULL;
    spec->split = (struct wire_split){.path = job->paths.v[split->path],
                                      .offset = split->offset,
                                      .length = split->length,
                                      .gzip = split->gzip};
}

/* Steps get the output folder as the user has named it, since their messages name it in this
 * way. */
static void fill_step_launch(const struct rm_order *o, const struct rm_order_context *cx,
                             struct wire_launch *l, struct scratch *tmp)
{
    const struct rm_job_spec *job = o->job;

    l->kind = base_container_kind_of_step(o->step);
    l->task = wire_job_step_name(o->step);
    l->task_attempt = o->task_attempt;
    l->spec = (struct wire_task_spec){.job = base_app_id_text(&o->app, tmp->job),
                                      .attempt = o->task_attempt,
                                      .sort_buffer_mb = (int32_t)cx->sort_buffer_mb,
                                      .output = job->output,
                                      .rm = cx->rm_urls};
    if (o->step == BASE_STEP_SETUP) {
        l->spec.input = (const char *const *)job->input.v;
        l->spec.input_n = job->input.n;
        l->spec.split_size = job->split_size;
        l->spec.limit_ms = cx->input_limit_ms;
    }
}

static void fill_task_launch(const struct rm_order *o, const struct rm_order_context *cx,
                             struct wire_launch *l, struct scratch *tmp)
{
    const struct rm_job_spec *job = o->job;
    bool map = o->task.kind == BASE_TASK_MAP;

    l->task = base_task_id_text(&o->task, tmp->task);
    l->task_attempt = o->task_attempt;
    if (job->groups_n) {
        l->command = rm_spec_task_command(job, o->task.kind, o->task.index);
        return;
    }
    l->kind = map ? BASE_CONTAINER_MAP : BASE_CONTAINER_REDUCE;
    l->spec = (struct wire_task_spec){.job = base_app_id_text(&o->app, tmp->job),
                                      .index = o->task.index,
                                      .attempt = o->task_attempt,
                                      .sort_buffer_mb = (int32_t)cx->sort_buffer_mb};
    if (map) {
        fill_map_spec(o, &l->spec);
    } else {
        l->spec.maps = (int32_t)job->splits_n;
        l->spec.command = job->reduce;
    }
    if (!map || job->reduces == 0) { /* a task that commits its part */
        fill_output_path(job, &l->spec, tmp);
        l->spec.rm = cx->rm_urls;
    }
}

static void fill_command_launch(const struct rm_order *o, struct wire_launch *l,
                                struct scratch *tmp)
{
    l->kind = o->master ? BASE_CONTAINER_MASTER : BASE_CONTAINER_COMMAND;
    l->allocation_request_id = o->allocation_request_id;
    for (size_t i = 0; o->launch && i < o->launch->commands.n; i++) {
        if (i)
            base_buf_adds(&tmp->commands, " ");
        base_buf_adds(&tmp->commands, o->launch->commands.v[i]);
    }
    l->command = tmp->commands.data ? tmp->commands.data : "";
    if (o->launch) {
        l->resources = o->launch->resources;
        l->resources_n = o->launch->resources_n;
        l->credentials = o->launch->credentials;
        l->shuffle_data = o->launch->shuffle_data;
    }
    if (o->amrm_key) {
        tmp->credentials =
            rm_master_credentials_make(l->credentials, &o->container.attempt, o->amrm_key);
        l->credentials = tmp->credentials;
    }
    l->log_include = o->log_include;
    l->log_exclude = o->log_exclude;
    l->submit_ms = o->submit_us / 1000;
    l->attempts_max = o->attempts_max;
}

static void fill_launch(const struct rm_order *o, const struct rm_order_context *cx,
                        struct wire_launch *l, struct scratch *tmp)
{
    static const struct rm_str_list none = {0};
    const struct rm_str_list *env = o->job ? &o->job->env : o->launch ? &o->launch->env : &none;

    l->container = o->container;
    l->app = o->app;
    l->user = o->user;
    l->name = o->name;
    l->token = o->token;
    l->acl_view = o->acl_view;
    l->slot = o->slot;
    l->memory_mb = o->resource.v[RM_RES_MEMORY_MB];
    l->vcores = o->resource.v[RM_RES_VCORES];
    l->priority = o->priority;
    l->env = (const char *const *)env->v;
    l->env_n = env->n;
    if (o->step)
        fill_step_launch(o, cx, l, tmp);
    else if (o->job)
        fill_task_launch(o, cx, l, tmp);
    else
        fill_command_launch(o, l, tmp);
}

void rm_order_encode(const struct rm_order *o, const struct rm_order_context *cx,
                     struct base_buf *out)
{
    struct scratch tmp;
    struct wire_order w = {.kind = o->kind,
                           .container = o->container,
                           .app = o->app,
                           .reason = o->reason,
                           .grace_ms = o->grace_ms,
                           .signal = o->signal,
                           .keep_logs = true};

    tmp.output = tmp.credentials = NULL;
    tmp.commands = (struct base_buf){0};
    if (o->kind == BASE_ORDER_LAUNCH)
        fill_launch(o, cx, &w.launch, &tmp);
    wire_order_put(&w, out);
    base_buf_free(&tmp.commands);
    free(tmp.output);
    if (tmp.credentials)
        explicit_bzero(tmp.credentials, strlen(tmp.credentials));
    free(tmp.credentials);
}

/* @texts: the salts of the keys, which the caller frees. */
static void fill_key_list(const struct rm_master_key *keys, size_t n,
                          struct base_buf texts[static WIRE_HADOOP_KEYS_MAX],
                          struct wire_hadoop_key_list *out)
{
    base_assert(n <= WIRE_HADOOP_KEYS_MAX);
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        base_base64_encode(keys[i].salt, sizeof keys[i].salt, &texts[i]);
        out->v[i] = (struct wire_hadoop_key){.id = keys[i].id,
                                             .secret = keys[i].secret[0] ? keys[i].secret : NULL,
                                             .salt = texts[i].data};
    }
}

struct salts {
    struct base_buf nm[WIRE_HADOOP_KEYS_MAX], container[WIRE_HADOOP_KEYS_MAX];
};

/* @salts: the caller frees them. */
static void fill_hadoop_keys(const struct rm_effect *fx, struct salts *salts,
                             struct wire_hadoop_keys *out)
{
    const __typeof__(fx->u.heartbeat) *h = &fx->u.heartbeat;

    if (!h->nm_keys)
        return;
    out->given = true;
    out->rm_identifier = h->rm_instance_ms;
    fill_key_list(h->nm_keys, h->nm_keys_n, salts->nm, &out->nm_token);
    fill_key_list(h->container_keys, h->container_keys_n, salts->container, &out->container_token);
}

static void free_secret_text(struct base_buf *text)
{
    if (text->data)
        explicit_bzero(text->data, text->len);
    base_buf_free(text);
}

static void free_salts(struct salts *salts)
{
    for (int i = 0; i < WIRE_HADOOP_KEYS_MAX; i++) {
        free_secret_text(&salts->nm[i]);
        free_secret_text(&salts->container[i]);
    }
}

void rm_heartbeat_answer_encode(const struct rm_effect *fx, const char *cluster_name,
                                const struct rm_order_context *cx, struct base_buf *out)
{
    const __typeof__(fx->u.heartbeat) *h = &fx->u.heartbeat;
    struct wire_answer a = {.epoch = h->epoch,
                            .rm_instance_ms = h->rm_instance_ms,
                            .response_id = h->response_id,
                            .heartbeat_ms = h->interval_us / 1000,
                            .resource_given = h->resource_given,
                            .given_memory_mb = h->given_memory_mb,
                            .given_vcores = h->given_vcores};
    struct salts salts = {0};

    if (h->registered) {
        a.cluster_ts_ms = h->cluster_ts_ms;
        a.cluster_name = cluster_name;
        a.version = CREEL_VERSION;
    }
    fill_hadoop_keys(fx, &salts, &a.hadoop_keys);
    wire_answer_open(&a, out);
    free_salts(&salts);
    for (size_t i = 0; i < h->orders_n; i++)
        rm_order_encode(&h->orders[i], cx, out);
    wire_answer_close(out);
}

#include "api/wire/order.h"

#include <stdlib.h>
#include <string.h>

#include "api/wire/member.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "base/utf8.h"

#define PATH_LONGEST   4096
#define SORT_BUFFER_MB 64 /* used when the order names no size */
#define VERSION_MAX    64
#define URL_LONGEST    8192
#define PATTERN_MAX    1024

static const char *const order_words[] = {
    [BASE_ORDER_LAUNCH] = "launch",           [BASE_ORDER_KILL] = "kill",
    [BASE_ORDER_SUSPEND] = "suspend",         [BASE_ORDER_RESUME] = "resume",
    [BASE_ORDER_SIGNAL] = "signal",           [BASE_ORDER_FORGET] = "forget",
    [BASE_ORDER_CLEANUP_APP] = "cleanup-app", [BASE_ORDER_RESYNC] = "resync",
    [BASE_ORDER_SHUTDOWN] = "shutdown",       [BASE_ORDER_KINDS] = NULL};
static const char *const container_words[] = {
    [BASE_CONTAINER_COMMAND] = "command", [BASE_CONTAINER_MAP] = "map",
    [BASE_CONTAINER_REDUCE] = "reduce",   [BASE_CONTAINER_MASTER] = "master",
    [BASE_CONTAINER_SETUP] = "setup",     [BASE_CONTAINER_COMMIT] = "commit",
    [BASE_CONTAINER_ABORT] = "abort",     NULL};

const char *const wire_signal_words[] = {[BASE_SIGNAL_OUTPUT_THREAD_DUMP] = "OUTPUT_THREAD_DUMP",
                                         [BASE_SIGNAL_GRACEFUL_SHUTDOWN] = "GRACEFUL_SHUTDOWN",
                                         [BASE_SIGNAL_FORCEFUL_SHUTDOWN] = "FORCEFUL_SHUTDOWN",
                                         [BASE_SIGNAL_COMMANDS] = NULL};

static const char *const resource_words[] = {[BASE_RESOURCE_FILE] = "file",
                                             [BASE_RESOURCE_ARCHIVE] = "archive",
                                             [BASE_RESOURCE_PATTERN] = "pattern",
                                             NULL};
static const char *const visibility_words[] = {[BASE_RESOURCE_PUBLIC] = "public",
                                               [BASE_RESOURCE_PRIVATE] = "private",
                                               [BASE_RESOURCE_APPLICATION] = "application",
                                               NULL};

const char *wire_order_name(enum base_order_kind kind)
{
    return order_words[kind];
}

const char *wire_job_step_name(enum base_job_step step)
{
    return container_words[base_container_kind_of_step(step)];
}

enum base_job_step wire_job_step_find(const char *name)
{
    for (enum base_job_step s = BASE_STEP_SETUP; s < BASE_STEPS; s++)
        if (strcmp(name, wire_job_step_name(s)) == 0)
            return s;
    return BASE_STEP_NONE;
}

/* ---- task specs ---- */

#define S struct wire_task_spec
static const struct wire_member spec_members[] = {
    WIRE_TEXT_ROW(S, job, "job", WIRE_S, BASE_NAME_MAX),
    WIRE_INT32_ROW(S, index, "index", WIRE_R, 0, BASE_TASKS_MAX),
    WIRE_INT32_ROW(S, attempt, "attempt", WIRE_D, 0, INT32_MAX),
    WIRE_INT32_ROW(S, sort_buffer_mb, "sortBufferMb", WIRE_D, 1, 1 << 20),
    WIRE_TEXT_ROW(S, output, "output", WIRE_S, PATH_LONGEST),
    WIRE_BOOL_ROW(S, job_commits, "jobCommits", WIRE_S),
    WIRE_TEXT_ROW(S, rm, "rm", WIRE_S, PATH_LONGEST),
    WIRE_END};
static const struct wire_member map_members[] = {
    WIRE_INT32_ROW(S, reduces, "reduces", WIRE_R, 0, BASE_TASKS_MAX),
    WIRE_TEXT_ROW(S, command, "map", WIRE_R, BASE_COMMAND_MAX),
    WIRE_TEXT_ROW(S, combine, "combine", WIRE_S, BASE_COMMAND_MAX), WIRE_END};
static const struct wire_member reduce_members[] = {
    WIRE_INT32_ROW(S, maps, "maps", WIRE_R, 0, BASE_TASKS_MAX),
    WIRE_TEXT_ROW(S, command, "reduce", WIRE_S, BASE_COMMAND_MAX), WIRE_END};
static const struct wire_member setup_members[] = {
    WIRE_INT64_ROW(S, split_size, "splitSize", WIRE_R, 1, INT64_MAX),
    WIRE_INT64_ROW(S, limit_ms, "limitMs", WIRE_R, 1, INT64_MAX / 1000), WIRE_END};
#undef S
#define S struct wire_split
static const struct wire_member split_members[] = {
    WIRE_TEXT_ROW(S, path, "path", WIRE_R, PATH_LONGEST),
    WIRE_INT64_ROW(S, offset, "offset", WIRE_R, 0, INT64_MAX),
    WIRE_INT64_ROW(S, length, "length", WIRE_R, 0, INT64_MAX),
    WIRE_BOOL_ROW(S, gzip, "gzip", WIRE_D), WIRE_END};
#undef S

static void put_input(const struct wire_task_spec *s, struct base_buf *out)
{
    base_json_key(out, "input");
    base_json_open(out, '[');
    for (size_t i = 0; i < s->input_n; i++)
        base_json_value_str(out, s->input[i]);
    base_json_close(out, ']');
}

static int get_input(const json_t *spec, struct wire_launch *l, struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(spec, "spec.", "input", true, BASE_INPUTS_MAX, &list, err);

    if (rc < 0)
        return rc;
    l->owned_input = base_alloc((json_array_size(list) + 1) * sizeof *l->owned_input);
    json_array_foreach(list, i, j)
    {
        if (!json_is_string(j))
            return base_error_set(err, -BASE_EINVAL, "spec.input[%zu]: a text was expected", i);
        l->owned_input[i] = json_string_value(j);
    }
    l->spec.input = l->owned_input;
    l->spec.input_n = json_array_size(list);
    return 0;
}

static void put_spec(const struct wire_launch *l, struct base_buf *out)
{
    base_json_key(out, "spec");
    base_json_open(out, '{');
    wire_members_put(spec_members, &l->spec, out);
    if (l->kind == BASE_CONTAINER_MAP) {
        wire_members_put(map_members, &l->spec, out);
        base_json_key(out, "split");
        base_json_open(out, '{');
        wire_members_put(split_members, &l->spec.split, out);
        base_json_close(out, '}');
    } else if (l->kind == BASE_CONTAINER_REDUCE) {
        wire_members_put(reduce_members, &l->spec, out);
    } else if (l->kind == BASE_CONTAINER_SETUP) {
        wire_members_put(setup_members, &l->spec, out);
        put_input(&l->spec, out);
    }
    base_json_close(out, '}');
}

/* ---- launches ---- */

#define L struct wire_launch
static const struct wire_member launch_members[] = {
    WIRE_CONTAINER_ROW(L, container, "container", WIRE_R),
    WIRE_WORD_ROW(L, kind, "kind", WIRE_D, container_words),
    WIRE_WORD_ROW(L, slot, "slot", WIRE_D, wire_kind_words),
    WIRE_TEXT_ROW(L, user, "user", WIRE_D, BASE_NAME_MAX),
    WIRE_TEXT_ROW(L, token, "token", WIRE_D, BASE_NAME_MAX),
    WIRE_TEXT_ROW(L, name, "name", WIRE_D, BASE_NAME_MAX),
    WIRE_TEXT_ROW(L, acl_view, "viewAcl", WIRE_S, BASE_ACL_MAX),
    WIRE_TEXT_ROW(L, task, "task", WIRE_S, BASE_ID_TEXT_MAX),
    WIRE_INT32_ROW(L, task_attempt, "taskAttempt", WIRE_D, 0, INT32_MAX),
    WIRE_INT64_ROW(L, memory_mb, "memoryMb", WIRE_D, 0, INT64_MAX),
    WIRE_INT64_ROW(L, vcores, "vcores", WIRE_D, 0, INT32_MAX),
    WIRE_INT32_ROW(L, priority, "priority", WIRE_D, INT32_MIN, INT32_MAX),
    WIRE_INT64_ROW(L, allocation_request_id, "allocationRequestId", WIRE_S, INT64_MIN, INT64_MAX),
    WIRE_INT64_ROW(L, log_max_bytes, "logMaxBytes", WIRE_S, 0, INT64_MAX),
    WIRE_TEXT_ROW(L, command, "command", WIRE_S, BASE_COMMAND_MAX),
    WIRE_TEXT_ROW(L, credentials, "credentials", WIRE_S, 2 * BASE_BODY_MAX),
    WIRE_TEXT_ROW(L, shuffle_data, "shuffleData", WIRE_S, BASE_SERVICE_MAX),
    WIRE_TEXT_ROW(L, log_include, "logInclude", WIRE_S, PATTERN_MAX),
    WIRE_TEXT_ROW(L, log_exclude, "logExclude", WIRE_S, PATTERN_MAX),
    WIRE_INT64_ROW(L, submit_ms, "submitMs", WIRE_S, 0, INT64_MAX),
    WIRE_INT32_ROW(L, attempts_max, "attemptsMax", WIRE_S, 0, INT32_MAX),
    WIRE_END};
static const struct wire_member launch_app_members[] = {WIRE_APP_ROW(L, app, "app", WIRE_R),
                                                        WIRE_END};
#undef L

static void put_env(const struct wire_launch *l, struct base_buf *out)
{
    base_json_key(out, "env");
    base_json_open(out, '{');
    for (size_t i = 0; i < l->env_n; i++) {
        const char *eq = strchr(l->env[i], '=');
        char *name = base_strndup(l->env[i], eq ? (size_t)(eq - l->env[i]) : SIZE_MAX);

        base_json_value_str(out, name);
        base_buf_adds(out, ":");
        base_json_value_str(out, eq ? eq + 1 : "");
        free(name);
    }
    base_json_close(out, '}');
}

static int get_env(const json_t *order, struct wire_launch *l, struct base_error *err)
{
    json_t *env = json_object_get(order, "env"), *value;
    const char *name;

    if (!env || json_is_null(env))
        return 0;
    if (!json_is_object(env))
        return base_error_set(err, -BASE_EINVAL, "env: an object of strings was expected");
    if (json_object_size(env) > BASE_ENV_MAX)
        return base_error_set(err, -BASE_ELIMIT, "env: more than %d entries", BASE_ENV_MAX);
    l->owned_env = base_alloc((json_object_size(env) + 1) * sizeof *l->owned_env);
    l->env = (const char *const *)l->owned_env;
    json_object_foreach(env, name, value)
    {
        if (!json_is_string(value) || !*name || strchr(name, '='))
            return base_error_set(err, -BASE_EINVAL,
                                  "env.%.64s: a name without \"=\" and a text were expected", name);
        l->owned_env[l->env_n++] = base_printf("%s=%s", name, json_string_value(value));
    }
    return 0;
}

#define R struct base_local_resource
static const struct wire_member resource_members[] = {
    WIRE_TEXT_ROW(R, name, "link", WIRE_R, BASE_NAME_MAX),
    WIRE_TEXT_ROW(R, url, "url", WIRE_R, URL_LONGEST),
    WIRE_WORD_ROW(R, type, "type", WIRE_R, resource_words),
    WIRE_WORD_ROW(R, visibility, "visibility", WIRE_R, visibility_words),
    WIRE_INT64_ROW(R, size, "size", WIRE_S, INT64_MIN, INT64_MAX),
    WIRE_INT64_ROW(R, timestamp_ms, "timestamp", WIRE_S, INT64_MIN, INT64_MAX),
    WIRE_TEXT_ROW(R, pattern, "pattern", WIRE_S, BASE_NAME_MAX),
    WIRE_END};
#undef R

static void put_resources(const struct wire_launch *l, struct base_buf *out)
{
    base_json_key(out, "resources");
    base_json_open(out, '[');
    for (size_t i = 0; i < l->resources_n; i++) {
        base_json_open(out, '{');
        wire_members_put(resource_members, &l->resources[i], out);
        base_json_close(out, '}');
    }
    base_json_close(out, ']');
}

static int get_resources(const json_t *order, struct wire_launch *l, struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(order, "", "resources", false, BASE_ENV_MAX, &list, err);

    if (rc < 0 || json_array_size(list) == 0)
        return rc;
    l->owned_resources = base_alloc(json_array_size(list) * sizeof *l->owned_resources);
    l->resources = l->owned_resources;
    json_array_foreach(list, i, j)
    {
        rc = wire_members_get_element(resource_members, j, "resources", i, &l->owned_resources[i],
                                      err);
        if (rc < 0)
            return rc;
        l->resources_n++;
    }
    return 0;
}

static void put_launch(const struct wire_launch *l, struct base_buf *out)
{
    wire_members_put(launch_members, l, out);
    wire_members_put(launch_app_members, l, out);
    put_env(l, out);
    if (l->resources_n)
        put_resources(l, out);
    if (base_container_runs_creel_task(l->kind))
        put_spec(l, out);
}

/* Reads the members that specs of maps and reduces share, among them the index, and the split of a
 * map, ignoring mistakes. */
static void read_shared_spec_and_split(const json_t *spec, struct wire_task_spec *s)
{
    if (wire_members_get(spec_members, spec, "", s, NULL) == 0)
        (void)wire_members_get(split_members, json_object_get(spec, "split"), "", &s->split, NULL);
}

int wire_launch_get(const json_t *order, struct wire_launch *l, struct base_error *err)
{
    int rc;

    *l = (struct wire_launch){
        .user = "", .token = "", .source = order, .spec.sort_buffer_mb = SORT_BUFFER_MB};
    if ((rc = wire_members_get(launch_members, order, "", l, err)) == 0)
        rc = get_env(order, l, err);
    if (rc == 0)
        rc = get_resources(order, l, err);
    l->app = l->container.attempt.app;
    if (l->kind == BASE_CONTAINER_MAP || l->kind == BASE_CONTAINER_REDUCE)
        read_shared_spec_and_split(json_object_get(order, "spec"), &l->spec);
    if (rc == 0 && !l->command &&
        (l->kind == BASE_CONTAINER_COMMAND || l->kind == BASE_CONTAINER_MASTER))
        rc = base_error_set(err, -BASE_EINVAL, "command: is required");
    if (rc < 0)
        wire_launch_free(l);
    return rc;
}

void wire_launch_free(struct wire_launch *l)
{
    for (size_t i = 0; l->owned_env && i < l->env_n; i++)
        free(l->owned_env[i]);
    free(l->owned_env);
    free(l->owned_input);
    free(l->owned_resources);
    memset(l, 0, sizeof *l);
}

/* The members of launch.json that creel-task needs besides the spec. */
#define L struct wire_launch
static const struct wire_member task_members[] = {
    WIRE_WORD_ROW(L, kind, "kind", WIRE_R, container_words),
    WIRE_TEXT_ROW(L, task, "task", WIRE_R, BASE_NAME_MAX),
    WIRE_INT32_ROW(L, task_attempt, "taskAttempt", WIRE_R, 0, INT32_MAX),
    WIRE_TEXT_ROW(L, token, "token", WIRE_D, BASE_NAME_MAX), WIRE_END};
static const struct wire_member app_members[] = {
    WIRE_TEXT_ROW(L, spec.job, "app", WIRE_R, BASE_NAME_MAX), WIRE_END};
#undef L

static int get_map_spec(const json_t *spec, struct wire_launch *l, struct base_error *err)
{
    const json_t *split = json_object_get(spec, "split");
    int rc = wire_members_get(map_members, spec, "spec.", &l->spec, err);

    if (rc < 0)
        return rc;
    if (!json_is_object(split))
        return base_error_set(err, -BASE_EINVAL, "spec.split: an object is needed");
    return wire_members_get(split_members, split, "spec.split.", &l->spec.split, err);
}

static int get_spec(const json_t *spec, struct wire_launch *l, struct base_error *err)
{
    int rc;

    if (!json_is_object(spec))
        return base_error_set(err, -BASE_EINVAL, "spec: an object is needed");
    rc = wire_members_get(spec_members, spec, "spec.", &l->spec, err);
    if (rc == 0 && l->kind == BASE_CONTAINER_MAP)
        rc = get_map_spec(spec, l, err);
    else if (rc == 0 && l->kind == BASE_CONTAINER_REDUCE)
        rc = wire_members_get(reduce_members, spec, "spec.", &l->spec, err);
    else if (rc == 0 && l->kind == BASE_CONTAINER_SETUP &&
             (rc = wire_members_get(setup_members, spec, "spec.", &l->spec, err)) == 0)
        rc = get_input(spec, l, err);
    if (rc == 0 && !l->spec.output && (l->kind != BASE_CONTAINER_MAP || l->spec.reduces == 0))
        return base_error_set(err, -BASE_EINVAL, "spec.output: is required");
    return rc;
}

int wire_task_launch_get(const json_t *order, struct wire_launch *l, struct base_error *err)
{
    int rc;

    *l = (struct wire_launch){.source = order, .spec.sort_buffer_mb = SORT_BUFFER_MB};
    if ((rc = wire_members_get(task_members, order, "", l, err)) < 0)
        return rc;
    if (!base_container_runs_creel_task(l->kind))
        return base_error_set(err, -BASE_EINVAL, "kind: \"%s\" is not map, reduce or a job's step",
                              container_words[l->kind]);
    rc = get_spec(json_object_get(order, "spec"), l, err);
    if (rc == 0 && !l->spec.job)
        rc = wire_members_get(app_members, order, "", l, err);
    if (rc < 0)
        wire_launch_free(l);
    return rc;
}

/* ---- orders ---- */

#define O struct wire_order
static const struct wire_member kind_members[] = {
    WIRE_WORD_ROW(O, kind, "type", WIRE_R, order_words), WIRE_END};
static const struct wire_member container_members[] = {
    WIRE_CONTAINER_ROW(O, container, "container", WIRE_R), WIRE_END};
static const struct wire_member kill_members[] = {
    WIRE_CONTAINER_ROW(O, container, "container", WIRE_R),
    WIRE_TEXT_ROW(O, reason, "reason", WIRE_D, BASE_DIAGNOSTICS_MAX),
    WIRE_INT64_ROW(O, grace_ms, "graceMs", WIRE_D, 0, INT32_MAX), WIRE_END};
static const struct wire_member signal_members[] = {
    WIRE_CONTAINER_ROW(O, container, "container", WIRE_R),
    WIRE_WORD_ROW(O, signal, "signal", WIRE_R, wire_signal_words), WIRE_END};
static const struct wire_member cleanup_members[] = {
    WIRE_APP_ROW(O, app, "app", WIRE_R), WIRE_BOOL_ROW(O, keep_logs, "keepLogs", WIRE_D), WIRE_END};
static const struct wire_member reason_members[] = {
    WIRE_TEXT_ROW(O, reason, "reason", WIRE_S, BASE_DIAGNOSTICS_MAX), WIRE_END};
#undef O
/* The members of each kind of order besides "type"; those of a launch are in struct wire_launch. */
static const struct wire_member *const order_members[BASE_ORDER_KINDS] = {
    [BASE_ORDER_KILL] = kill_members,        [BASE_ORDER_SUSPEND] = container_members,
    [BASE_ORDER_RESUME] = container_members, [BASE_ORDER_SIGNAL] = signal_members,
    [BASE_ORDER_FORGET] = container_members, [BASE_ORDER_CLEANUP_APP] = cleanup_members,
    [BASE_ORDER_RESYNC] = reason_members,    [BASE_ORDER_SHUTDOWN] = reason_members};

void wire_order_put(const struct wire_order *o, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(kind_members, o, out);
    if (o->kind == BASE_ORDER_LAUNCH)
        put_launch(&o->launch, out);
    else
        wire_members_put(order_members[o->kind], o, out);
    base_json_close(out, '}');
}

/* Replaces bytes that are not UTF-8 with question marks. */
static void replace_invalid_utf8(char *s)
{
    while (*s) {
        size_t n = base_utf8_sequence_len(s);

        if (n == 0)
            *s = '?';
        s += n ? n : 1;
    }
}

/* Checks that the launch's task is a task id or, for a job's step, the name of that step. */
static int check_launch_task_id(const struct wire_launch *l, struct base_error *err)
{
    enum base_job_step step = base_job_step_of_kind(l->kind);
    struct base_task_id task;

    if (!step)
        return base_task_id_parse(l->task, &task, err);
    if (wire_job_step_find(l->task) == step)
        return 0;
    return base_error_set(err, -BASE_EINVAL, "\"%.64s\" is not \"%s\"", l->task,
                          wire_job_step_name(step));
}

/* Reads a launch. A bad launch with a valid container id is kept with the container, the slot and
 * the reason for the refusal, and 0 is returned. */
static int get_launch_or_refusal(const json_t *j, struct wire_order *o, struct base_error *err)
{
    int rc = wire_launch_get(j, &o->launch, err);
    const char *slot;

    /* The node would report a bad task id when it registers, and its registration would be refused.
     */
    if (rc == 0 && o->launch.task && (rc = check_launch_task_id(&o->launch, err)) < 0) {
        base_error_wrap(err, rc, "task");
        wire_launch_free(&o->launch);
    }
    if (rc == 0)
        o->container = o->launch.container;
    if (rc == 0 || wire_members_get(container_members, j, "", o, NULL) < 0)
        return rc;
    slot = json_string_value(json_object_get(j, "slot"));
    o->launch =
        (struct wire_launch){.container = o->container, .user = "", .token = "", .source = j};
    o->launch.slot = slot && strcmp(slot, "reduce") == 0 ? BASE_TASK_REDUCE : BASE_TASK_MAP;
    o->refused = base_strdup(err->text);
    replace_invalid_utf8(o->refused); /* the error may quote a text cut off within a character */
    return 0;
}

static int get_order(const json_t *j, int64_t grace_ms, struct wire_order *o,
                     struct base_error *err)
{
    int rc;

    *o = (struct wire_order){.grace_ms = grace_ms};
    if ((rc = wire_members_get(kind_members, j, "", o, err)) < 0)
        return rc;
    return o->kind == BASE_ORDER_LAUNCH ? get_launch_or_refusal(j, o, err)
                                        : wire_members_get(order_members[o->kind], j, "", o, err);
}

/* ---- answers ---- */

#define A struct wire_answer
static const struct wire_member answer_members[] = {
    WIRE_INT64_ROW(A, epoch, "epoch", WIRE_R, 0, BASE_EPOCH_MAX),
    WIRE_INT64_ROW(A, rm_instance_ms, "rmInstance", WIRE_S, 0, INT64_MAX),
    WIRE_INT64_ROW(A, cluster_ts_ms, "clusterTs", WIRE_S, 0, INT64_MAX),
    WIRE_TEXT_ROW(A, cluster_name, "clusterName", WIRE_S, BASE_NAME_MAX),
    WIRE_TEXT_ROW(A, version, "version", WIRE_S, VERSION_MAX),
    WIRE_INT64_ROW(A, response_id, "responseId", WIRE_D, 0, INT64_MAX),
    WIRE_INT64_ROW(A, heartbeat_ms, "heartbeatMs", WIRE_S, 0, INT32_MAX),
    WIRE_BOOL_ROW(A, resource_given, "resourceGiven", WIRE_S),
    WIRE_INT64_ROW(A, given_memory_mb, "givenMemoryMb", WIRE_S, 0, INT32_MAX),
    WIRE_INT64_ROW(A, given_vcores, "givenVcores", WIRE_S, 0, INT32_MAX),
    WIRE_END};
#undef A

void wire_answer_open(const struct wire_answer *a, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(answer_members, a, out);
    wire_hadoop_keys_put(&a->hadoop_keys, out);
    base_json_key(out, "orders");
    base_json_open(out, '[');
}

void wire_answer_close(struct base_buf *out)
{
    base_json_close(out, ']');
    base_json_close(out, '}');
}

int wire_answer_get(const char *text, size_t len, int64_t grace_ms, struct wire_answer *a,
                    struct base_error *err)
{
    json_t *orders = NULL, *j;
    size_t i;
    int rc;

    memset(a, 0, sizeof *a);
    if ((rc = wire_parse_object(text, len, &a->root, err)) < 0 ||
        (rc = wire_members_get(answer_members, a->root, "", a, err)) < 0 ||
        (rc = wire_hadoop_keys_get(a->root, &a->hadoop_keys, err)) < 0 ||
        (rc = base_json_arr(a->root, "", "orders", false, WIRE_ORDERS_MAX, &orders, err)) < 0) {
        wire_answer_free(a);
        return rc;
    }
    a->orders = base_alloc((json_array_size(orders) + 1) * sizeof *a->orders);
    json_array_foreach(orders, i, j)
    {
        struct base_error bad = {0};

        if (get_order(j, grace_ms, &a->orders[a->orders_n], &bad) == 0)
            a->orders_n++;
        else if (a->bad++ == 0)
            a->bad_err = bad;
    }
    return 0;
}

void wire_answer_free(struct wire_answer *a)
{
    for (size_t i = 0; i < a->orders_n; i++) {
        wire_launch_free(&a->orders[i].launch);
        free(a->orders[i].refused);
    }
    free(a->orders);
    json_decref(a->root);
    memset(a, 0, sizeof *a);
}

#include "rm/http/node_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "base/limits.h"

#define MS_MAX (INT64_MAX / 2000) /* as microseconds it still fits */

static int read_ms(const json_t *j, const char *where, const char *name, int64_t *out_us, struct base_error *err)
{
    int64_t ms = 0;
    int rc = base_json_int(j, where, name, false, 0, MS_MAX, &ms, err);

    *out_us = ms * 1000;
    return rc;
}

static int read_i32(const json_t *j, const char *where, const char *name, bool required, int64_t min, int64_t max,
                    int32_t *out, struct base_error *err)
{
    int64_t v = *out;
    int rc = base_json_int(j, where, name, required, min, max, &v, err);

    *out = (int32_t)v;
    return rc;
}

static int read_state(const json_t *j, const char *where, struct rm_container_report *r, struct base_error *err)
{
    const char *state = NULL, *slot = "map";
    int rc;

    if ((rc = base_json_str(j, where, "state", true, 32, &state, err)) < 0 ||
        (rc = base_json_str(j, where, "slot", false, 32, &slot, err)) < 0)
        return rc;
    if (strcmp(state, "running") == 0)
        r->state = RM_CONTAINER_RUNNING;
    else if (strcmp(state, "suspended") == 0)
        r->state = RM_CONTAINER_SUSPENDED;
    else if (strcmp(state, "complete") == 0)
        r->state = RM_CONTAINER_COMPLETED;
    else
        return base_error_set(err, -BASE_EINVAL, "%sstate: \"%s\" is not \"running\", \"suspended\" or \"complete\"",
                              where, state);
    if (strcmp(slot, "map") != 0 && strcmp(slot, "reduce") != 0)
        return base_error_set(err, -BASE_EINVAL, "%sslot: \"%s\" is not \"map\" or \"reduce\"", where, slot);
    r->slot = strcmp(slot, "map") == 0 ? BASE_TASK_MAP : BASE_TASK_REDUCE;
    return 0;
}

/* Counters by their names. Unknown ones and those that are no numbers are ignored: they come from the jobs' own
 * processes, and a node is not lost for what a job writes. */
static void read_counters(const json_t *j, struct rm_node_message *m, struct rm_container_report *r)
{
    const json_t *c = json_object_get(j, "counters");
    int64_t *to;

    if (json_object_size(c) == 0)
        return;
    to = m->counters[m->counters_n++];
    memset(to, 0, sizeof m->counters[0]);
    r->counters = to;
    for (int i = 0; i < RM_C_TASK_COUNTERS; i++) {
        const json_t *v = json_object_get(c, rm_counter_name((enum rm_counter)i));
        json_int_t n = json_is_integer(v) ? json_integer_value(v) : 0;

        to[i] = n > 0 && n <= INT64_MAX / 4 ? n : 0;
    }
}

/* What only a registration says: everything needed to know the container again. */
static int read_identity(const json_t *j, const char *where, struct rm_container_report *r, struct base_error *err)
{
    const char *task = NULL;
    int64_t memory = 0, vcores = 0;
    int rc;

    if ((rc = base_json_str(j, where, "task", false, BASE_ID_TEXT_MAX, &task, err)) < 0 ||
        (rc = read_i32(j, where, "taskAttempt", false, 0, INT32_MAX, &r->task_attempt, err)) < 0 ||
        (rc = base_json_bool(j, where, "master", false, &r->master, err)) < 0 ||
        (rc = read_i32(j, where, "priority", false, INT32_MIN, INT32_MAX, &r->priority, err)) < 0 ||
        (rc = base_json_int(j, where, "allocationRequestId", false, INT64_MIN, INT64_MAX, &r->allocation_request_id,
                            err)) < 0 ||
        (rc = base_json_int(j, where, "memoryMb", false, 0, INT32_MAX, &memory, err)) < 0 ||
        (rc = base_json_int(j, where, "vcores", false, 0, INT32_MAX, &vcores, err)) < 0)
        return rc;
    if (task && *task) {
        rc = base_task_id_parse(task, &r->task, err);
        if (rc < 0)
            return base_error_wrap(err, rc, "%stask", where);
        r->has_task = true;
    }
    r->resource.v[RM_RES_MEMORY_MB] = memory;
    r->resource.v[RM_RES_VCORES] = vcores;
    r->resource.v[r->slot == BASE_TASK_MAP ? RM_RES_MAP_SLOTS : RM_RES_REDUCE_SLOTS] = 1;
    return 0;
}

static int read_report(const json_t *j, size_t i, struct rm_node_message *m, struct base_error *err)
{
    struct rm_container_report *r = &m->reports[i];
    const char *id = NULL;
    double progress = 0;
    char where[40];
    int rc;

    snprintf(where, sizeof where, "containers[%zu].", i);
    if (!json_is_object(j))
        return base_error_set(err, -BASE_EINVAL, "containers[%zu]: is not an object", i);
    r->exit_code = RM_EXIT_INVALID;
    if ((rc = base_json_str(j, where, "id", true, BASE_ID_TEXT_MAX, &id, err)) < 0)
        return rc;
    if ((rc = base_container_id_parse(id, &r->id, err)) < 0)
        return base_error_wrap(err, rc, "%sid", where);
    if ((rc = read_state(j, where, r, err)) < 0 ||
        (rc = base_json_num(j, where, "progress", false, 0, 1, &progress, err)) < 0 ||
        (rc = read_i32(j, where, "exitCode", false, -100000, 100000, &r->exit_code, err)) < 0 ||
        (rc = base_json_str(j, where, "diagnostics", false, BASE_DIAGNOSTICS_MAX, &r->diagnostics, err)) < 0 ||
        (rc = read_ms(j, where, "startedMs", &r->started_us, err)) < 0 ||
        (rc = read_ms(j, where, "endedMs", &r->ended_us, err)) < 0 ||
        (rc = base_json_int(j, where, "cpuMs", false, 0, MS_MAX, &r->cpu_ms, err)) < 0 ||
        (rc = base_json_int(j, where, "maxRssKb", false, 0, INT64_MAX / 4, &r->max_rss_kb, err)) < 0 ||
        (rc = base_json_int(j, where, "partitionsBytes", false, 0, INT64_MAX / 4, &r->output_bytes, err)) < 0)
        return rc;
    r->progress = (float)progress;
    read_counters(j, m, r);
    return read_identity(j, where, r, err);
}

static int read_reports(struct rm_node_message *m, struct base_error *err)
{
    json_t *arr = NULL, *j;
    size_t i, n;
    int rc = base_json_arr(m->body, "", "containers", false, RM_NODE_REPORTS_MAX, &arr, err);

    if (rc < 0 || !arr || (n = json_array_size(arr)) == 0)
        return rc;
    m->reports = base_alloc(n * sizeof *m->reports);
    m->counters = base_realloc_array(NULL, n, sizeof *m->counters);
    json_array_foreach(arr, i, j)
        if ((rc = read_report(j, i, m, err)) < 0)
            return rc;
    return 0;
}

/* Optional: applications that have folders on the node. */
static int read_apps(struct rm_node_message *m, struct base_error *err)
{
    json_t *arr = NULL, *j;
    size_t i;
    int rc = base_json_arr(m->body, "", "apps", false, RM_NODE_APPS_MAX, &arr, err);

    if (rc < 0 || !arr)
        return rc;
    m->apps = base_alloc((json_array_size(arr) + 1) * sizeof *m->apps);
    json_array_foreach(arr, i, j)
    {
        if (!json_is_string(j))
            return base_error_set(err, -BASE_EINVAL, "apps[%zu]: is not a string", i);
        if ((rc = base_app_id_parse(json_string_value(j), &m->apps[i], err)) < 0)
            return base_error_wrap(err, rc, "apps[%zu]", i);
    }
    m->ev.u.node_register.apps = m->apps;
    m->ev.u.node_register.apps_n = json_array_size(arr);
    return 0;
}

/* "host:port"; the host part becomes m->host. */
static int read_node_id(struct rm_node_message *m, const char **out, struct base_error *err)
{
    const char *id = NULL, *colon;
    int64_t port;
    int rc = base_json_str(m->body, "", "node-id", true, BASE_NAME_MAX, &id, err);
    char *end;

    if (rc < 0)
        return rc;
    colon = strrchr(id, ':');
    port = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || colon == id || *end || port < 1 || port > 65535 || strpbrk(id, " \t\r\n/\"\\"))
        return base_error_set(err, -BASE_EINVAL, "node-id: \"%.100s\" is not host:port", id);
    m->host = base_strndup(id, (size_t)(colon - id));
    *out = id;
    return 0;
}

static int open_body(const char *text, size_t len, enum rm_event_kind kind, struct rm_node_message *m,
                     struct base_error *err)
{
    int rc;

    *m = (struct rm_node_message){.ev.kind = kind};
    rc = base_json_parse(text, len, &m->body, err);
    if (rc == 0 && !json_is_object(m->body))
        rc = base_error_set(err, -BASE_EINVAL, "the body is not a JSON object");
    return rc;
}

static int decode_register(struct rm_node_message *m, struct base_error *err)
{
    __typeof__(m->ev.u.node_register) *r = &m->ev.u.node_register;
    int rc;

    r->rack = "/default-rack";
    r->version = "";
    if ((rc = read_node_id(m, &r->node_id, err)) < 0 ||
        (rc = base_json_str(m->body, "", "http-address", true, BASE_NAME_MAX, &r->http_address, err)) < 0 ||
        (rc = base_json_str(m->body, "", "rack", false, BASE_NAME_MAX, &r->rack, err)) < 0 ||
        (rc = base_json_str(m->body, "", "version", false, 64, &r->version, err)) < 0 ||
        (rc = base_json_str(m->body, "", "boot-id", true, 64, &r->boot_id, err)) < 0 ||
        (rc = base_json_str(m->body, "", "instance", true, 64, &r->instance, err)) < 0 ||
        (rc = read_i32(m->body, "", "map-slots", true, 0, BASE_NODE_SLOTS_MAX, &r->map_slots, err)) < 0 ||
        (rc = read_i32(m->body, "", "reduce-slots", true, 0, BASE_NODE_SLOTS_MAX, &r->reduce_slots, err)) < 0 ||
        (rc = base_json_int(m->body, "", "epoch-seen", false, 0, INT32_MAX, &r->epoch_seen, err)) < 0 ||
        (rc = base_json_int(m->body, "", "sentUs", false, 0, INT64_MAX, &r->sent_us, err)) < 0)
        return rc;
    if ((rc = read_reports(m, err)) < 0)
        return rc;
    r->host = m->host;
    r->reports = m->reports;
    r->reports_n = json_array_size(json_object_get(m->body, "containers"));
    return read_apps(m, err);
}

int rm_node_decode_register(const char *text, size_t len, struct rm_node_message *out, struct base_error *err)
{
    int rc = open_body(text, len, RM_EV_NODE_REGISTER, out, err);

    if (rc == 0)
        rc = decode_register(out, err);
    if (rc < 0)
        rm_node_message_free(out);
    return rc;
}

static int decode_heartbeat(struct rm_node_message *m, struct base_error *err)
{
    __typeof__(m->ev.u.heartbeat) *h = &m->ev.u.heartbeat;
    int64_t hold_ms = 0;
    int rc;

    h->healthy = true;
    h->health_report = "";
    if ((rc = read_node_id(m, &h->node_id, err)) < 0 ||
        (rc = base_json_str(m->body, "", "instance", true, 64, &h->instance, err)) < 0 ||
        (rc = base_json_int(m->body, "", "responseId", true, 0, INT64_MAX / 2, &h->response_id, err)) < 0 ||
        (rc = base_json_int(m->body, "", "sentUs", false, 0, INT64_MAX, &h->sent_us, err)) < 0 ||
        (rc = base_json_bool(m->body, "", "healthy", false, &h->healthy, err)) < 0 ||
        (rc = base_json_str(m->body, "", "healthReport", false, BASE_DIAGNOSTICS_MAX, &h->health_report, err)) < 0 ||
        (rc = base_json_int(m->body, "", "holdMs", false, 0, RM_NODE_HOLD_MAX_MS, &hold_ms, err)) < 0)
        return rc;
    rc = read_reports(m, err);
    h->hold_us = hold_ms * 1000;
    h->reports = m->reports;
    h->reports_n = json_array_size(json_object_get(m->body, "containers"));
    return rc;
}

int rm_node_decode_heartbeat(const char *text, size_t len, struct rm_node_message *out, struct base_error *err)
{
    int rc = open_body(text, len, RM_EV_NODE_HEARTBEAT, out, err);

    if (rc == 0)
        rc = decode_heartbeat(out, err);
    if (rc < 0)
        rm_node_message_free(out);
    return rc;
}

int rm_node_decode_name(const char *text, size_t len, enum rm_event_kind kind, struct rm_node_message *out,
                        struct base_error *err)
{
    int rc = open_body(text, len, kind, out, err);

    if (rc == 0)
        rc = read_node_id(out, &out->ev.u.node.node_id, err);
    if (rc == 0)
        rc = base_json_str(out->body, "", "instance", true, 64, &out->ev.u.node.instance, err);
    if (rc < 0)
        rm_node_message_free(out);
    return rc;
}

void rm_node_message_free(struct rm_node_message *m)
{
    json_decref(m->body);
    free(m->reports);
    free(m->apps);
    free(m->counters);
    free(m->host);
    *m = (struct rm_node_message){0};
}

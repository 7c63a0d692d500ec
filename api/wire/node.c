#include "api/wire/node.h"

#include <stdlib.h>
#include <string.h>

#include "api/wire/member.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"

#define TIME_MAX_MS (INT64_MAX / 2000) /* such a time in microseconds still fits */
#define SIZE_MAX_64 (INT64_MAX / 4)
#define TOKEN_MAX   64 /* longest instance, boot id or version, in bytes */

static const char *const state_words[] = {"running", "suspended", "complete", NULL};

/* ---- containers ---- */

#define C struct wire_container
static const struct wire_member container_members[] = {
    WIRE_CONTAINER_ROW(C, id, "id", WIRE_R),
    WIRE_WORD_ROW(C, state, "state", WIRE_R, state_words),
    WIRE_WORD_ROW(C, slot, "slot", WIRE_D, wire_kind_words),
    WIRE_SHARE_ROW(C, progress, "progress", WIRE_S),
    WIRE_TEXT_ROW(C, phase, "phase", WIRE_S, BASE_NAME_MAX),
    WIRE_INT32_ROW(C, exit_code, "exitCode", WIRE_D, -100000, 100000),
    WIRE_INT32_ROW(C, signal, "signal", WIRE_S, 0, 1000),
    WIRE_INT64_ROW(C, started_ms, "startedMs", WIRE_S, 0, TIME_MAX_MS),
    WIRE_INT64_ROW(C, ended_ms, "endedMs", WIRE_S, 0, TIME_MAX_MS),
    WIRE_INT64_ROW(C, cpu_ms, "cpuMs", WIRE_S, 0, TIME_MAX_MS),
    WIRE_INT64_ROW(C, max_rss_kb, "maxRssKb", WIRE_S, 0, SIZE_MAX_64),
    WIRE_TEXT_ROW(C, diagnostics, "diagnostics", WIRE_S, BASE_DIAGNOSTICS_MAX),
    WIRE_INT64_ROW(C, output_bytes, "partitionsBytes", WIRE_S, 0, SIZE_MAX_64),
    WIRE_END};
static const struct wire_member identity_members[] = {
    WIRE_TEXT_ROW(C, app, "app", WIRE_S, BASE_ID_TEXT_MAX),
    WIRE_TEXT_ROW(C, user, "user", WIRE_S, BASE_NAME_MAX),
    WIRE_TEXT_ROW(C, task, "task", WIRE_S, BASE_ID_TEXT_MAX),
    WIRE_INT32_ROW(C, task_attempt, "taskAttempt", WIRE_S, 0, INT32_MAX),
    WIRE_BOOL_ROW(C, master, "master", WIRE_S),
    WIRE_INT64_ROW(C, memory_mb, "memoryMb", WIRE_S, 0, INT32_MAX),
    WIRE_INT64_ROW(C, vcores, "vcores", WIRE_S, 0, INT32_MAX),
    WIRE_INT32_ROW(C, priority, "priority", WIRE_S, INT32_MIN, INT32_MAX),
    WIRE_INT64_ROW(C, allocation_request_id, "allocationRequestId", WIRE_S, INT64_MIN, INT64_MAX),
    WIRE_END};
#undef C

static void put_containers(const struct wire_container *v, size_t n, bool identity,
                           struct base_buf *out)
{
    base_json_key(out, "containers");
    base_json_open(out, '[');
    for (size_t i = 0; i < n; i++) {
        base_json_open(out, '{');
        wire_members_put(container_members, &v[i], out);
        wire_counters_put(&v[i].counters, out);
        if (identity)
            wire_members_put(identity_members, &v[i], out);
        base_json_close(out, '}');
    }
    base_json_close(out, ']');
}

static int get_containers(const json_t *root, bool identity, struct wire_container **out,
                          size_t *out_n, struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(root, "", "containers", false, WIRE_CONTAINERS_MAX, &list, err);

    if (rc < 0 || json_array_size(list) == 0)
        return rc;
    *out_n = json_array_size(list);
    *out = base_alloc(*out_n * sizeof **out);
    json_array_foreach(list, i, j)
    {
        struct wire_container *c = &(*out)[i];

        c->exit_code = WIRE_EXIT_NONE;
        rc = wire_members_get_element(container_members, j, "containers", i, c, err);
        if (rc == 0 && identity)
            rc = wire_members_get_element(identity_members, j, "containers", i, c, err);
        if (rc < 0)
            return rc;
        wire_counters_get(j, &c->counters);
    }
    return 0;
}

/* ---- logs to be aggregated ---- */

static const char *const log_words[] = {"copying", "failing", "failed", NULL};

#define L struct wire_log_report
static const struct wire_member log_members[] = {
    WIRE_APP_ROW(L, app, "application", WIRE_R),
    WIRE_WORD_ROW(L, state, "state", WIRE_R, log_words), WIRE_END};
#undef L

static void put_logs(const struct wire_log_report *v, size_t n, struct base_buf *out)
{
    if (n == 0)
        return;
    base_json_key(out, "logs");
    base_json_open(out, '[');
    for (size_t i = 0; i < n; i++) {
        base_json_open(out, '{');
        wire_members_put(log_members, &v[i], out);
        base_json_close(out, '}');
    }
    base_json_close(out, ']');
}

static int get_logs(const json_t *root, size_t max, struct wire_log_report **out, size_t *out_n,
                    struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(root, "", "logs", false, max, &list, err);

    if (rc < 0 || json_array_size(list) == 0)
        return rc;
    *out_n = json_array_size(list);
    *out = base_alloc(*out_n * sizeof **out);
    json_array_foreach(list, i, j)
    {
        rc = wire_members_get_element(log_members, j, "logs", i, &(*out)[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- registration ---- */

#define R struct wire_registration
static const struct wire_member registration_members[] = {
    WIRE_TEXT_ROW(R, node_id, "nodeId", WIRE_R, BASE_NAME_MAX),
    WIRE_TEXT_ROW(R, http_address, "httpAddress", WIRE_R, BASE_NAME_MAX),
    WIRE_TEXT_ROW(R, rack, "rack", WIRE_S, BASE_NAME_MAX),
    WIRE_TEXT_ROW(R, instance, "instance", WIRE_R, TOKEN_MAX),
    WIRE_TEXT_ROW(R, boot_id, "bootId", WIRE_R, TOKEN_MAX),
    WIRE_TEXT_ROW(R, version, "version", WIRE_R, TOKEN_MAX),
    WIRE_INT32_ROW(R, map_slots, "mapSlots", WIRE_R, 0, BASE_NODE_SLOTS_MAX),
    WIRE_INT32_ROW(R, reduce_slots, "reduceSlots", WIRE_R, 0, BASE_NODE_SLOTS_MAX),
    WIRE_INT32_ROW(R, master_slots, "masterSlots", WIRE_S, 0, BASE_NODE_SLOTS_MAX),
    WIRE_INT32_ROW(R, hadoop_port, "hadoopPort", WIRE_S, 0, UINT16_MAX),
    WIRE_INT64_ROW(R, epoch_seen, "epochSeen", WIRE_D, 0, INT32_MAX),
    WIRE_INT64_ROW(R, sent_us, "sentUs", WIRE_D, 0, INT64_MAX),
    WIRE_BOOL_ROW(R, logs_more, "logsMore", WIRE_S),
    WIRE_END};
#undef R

static void put_apps(const struct wire_registration *r, struct base_buf *out)
{
    char text[BASE_ID_TEXT_MAX];

    base_json_key(out, "apps");
    base_json_open(out, '[');
    for (size_t i = 0; i < r->apps_n; i++)
        base_json_value_str(out, base_app_id_text(&r->apps[i], text));
    base_json_close(out, ']');
}

static int get_apps(struct wire_registration *r, struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(r->root, "", "apps", false, WIRE_NODE_APPS_MAX, &list, err);

    if (rc < 0 || json_array_size(list) == 0)
        return rc;
    r->apps_n = json_array_size(list);
    r->apps = base_alloc(r->apps_n * sizeof *r->apps);
    json_array_foreach(list, i, j)
    {
        if (!json_is_string(j))
            return base_error_set(err, -BASE_EINVAL, "apps[%zu]: is not a string", i);
        if ((rc = base_app_id_parse(json_string_value(j), &r->apps[i], err)) < 0)
            return base_error_wrap(err, rc, "apps[%zu]", i);
    }
    return 0;
}

void wire_registration_put(const struct wire_registration *r, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(registration_members, r, out);
    put_apps(r, out);
    put_containers(r->containers, r->containers_n, true, out);
    put_logs(r->logs, r->logs_n, out);
    base_json_close(out, '}');
}

int wire_registration_get(const char *text, size_t len, struct wire_registration *r,
                          struct base_error *err)
{
    int rc;

    *r = (struct wire_registration){.rack = "/default-rack"};
    if ((rc = wire_parse_object(text, len, &r->root, err)) < 0 ||
        (rc = wire_members_get(registration_members, r->root, "", r, err)) < 0 ||
        (rc = get_containers(r->root, true, &r->containers, &r->containers_n, err)) < 0 ||
        (rc = get_logs(r->root, WIRE_NODE_APPS_MAX, &r->logs, &r->logs_n, err)) < 0 ||
        (rc = get_apps(r, err)) < 0)
        wire_registration_free(r);
    return rc;
}

void wire_registration_free(struct wire_registration *r)
{
    json_decref(r->root);
    free(r->apps);
    free(r->containers);
    free(r->logs);
    memset(r, 0, sizeof *r);
}

/* ---- heartbeat ---- */

#define U        struct base_utilization
#define MB_MAX   (INT64_C(1) << 43) /* 2^63 bytes */
#define CORE_MAX INT64_C(1000000000)
static const struct wire_member utilization_members[] = {
    WIRE_INT64_ROW(U, node_physical_mb, "nodePhysicalMb", WIRE_S, 0, MB_MAX),
    WIRE_INT64_ROW(U, node_virtual_mb, "nodeVirtualMb", WIRE_S, 0, MB_MAX),
    WIRE_INT64_ROW(U, node_milli_cores, "nodeMilliCores", WIRE_S, 0, CORE_MAX),
    WIRE_INT64_ROW(U, containers_physical_mb, "containersPhysicalMb", WIRE_S, 0, MB_MAX),
    WIRE_INT64_ROW(U, containers_virtual_mb, "containersVirtualMb", WIRE_S, 0, MB_MAX),
    WIRE_INT64_ROW(U, containers_milli_cores, "containersMilliCores", WIRE_S, 0, CORE_MAX),
    WIRE_INT64_ROW(U, machine_mb, "machineMb", WIRE_S, 0, MB_MAX),
    WIRE_INT64_ROW(U, machine_cores, "machineCores", WIRE_S, 0, CORE_MAX),
    WIRE_END};
#undef U

#define H struct wire_heartbeat
static const struct wire_member heartbeat_members[] = {
    WIRE_TEXT_ROW(H, node_id, "nodeId", WIRE_R, BASE_NAME_MAX),
    WIRE_TEXT_ROW(H, instance, "instance", WIRE_R, TOKEN_MAX),
    WIRE_INT64_ROW(H, response_id, "responseId", WIRE_R, 0, INT64_MAX / 2),
    WIRE_INT64_ROW(H, sent_us, "sentUs", WIRE_D, 0, INT64_MAX),
    WIRE_INT64_ROW(H, epoch_seen, "epochSeen", WIRE_D, 0, INT32_MAX),
    WIRE_BOOL_ROW(H, healthy, "healthy", WIRE_D),
    WIRE_INT64_ROW(H, disk_free_mb, "diskFreeMb", WIRE_D, INT64_MIN, INT64_MAX),
    WIRE_INT64_ROW(H, hold_ms, "holdMs", WIRE_D, 0, WIRE_HOLD_MAX_MS),
    WIRE_TEXT_ROW(H, health_report, "healthReport", WIRE_S, BASE_DIAGNOSTICS_MAX),
    WIRE_BOOL_ROW(H, logs_more, "logsMore", WIRE_S),
    WIRE_END};
#undef H

void wire_heartbeat_put(const struct wire_heartbeat *h, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(heartbeat_members, h, out);
    if (h->has_utilization) {
        base_json_key(out, "utilization");
        base_json_open(out, '{');
        wire_members_put(utilization_members, &h->utilization, out);
        base_json_close(out, '}');
    }
    put_containers(h->containers, h->containers_n, false, out);
    put_logs(h->logs, h->logs_n, out);
    base_json_close(out, '}');
}

static int get_utilization(struct wire_heartbeat *h, struct base_error *err)
{
    const json_t *obj = json_object_get(h->root, "utilization");

    h->has_utilization = obj != NULL;
    return obj ? wire_members_get(utilization_members, obj, "utilization.", &h->utilization, err)
               : 0;
}

int wire_heartbeat_get(const char *text, size_t len, struct wire_heartbeat *h,
                       struct base_error *err)
{
    int rc;

    *h = (struct wire_heartbeat){.healthy = true};
    if ((rc = wire_parse_object(text, len, &h->root, err)) < 0 ||
        (rc = wire_members_get(heartbeat_members, h->root, "", h, err)) < 0 ||
        (rc = get_utilization(h, err)) < 0 ||
        (rc = get_containers(h->root, false, &h->containers, &h->containers_n, err)) < 0 ||
        (rc = get_logs(h->root, WIRE_LOGS_MAX, &h->logs, &h->logs_n, err)) < 0)
        wire_heartbeat_free(h);
    return rc;
}

void wire_heartbeat_free(struct wire_heartbeat *h)
{
    json_decref(h->root);
    free(h->containers);
    free(h->logs);
    memset(h, 0, sizeof *h);
}

/* ---- name ---- */

static const struct wire_member name_members[] = {
    WIRE_TEXT_ROW(struct wire_node_name, node_id, "nodeId", WIRE_R, BASE_NAME_MAX),
    WIRE_TEXT_ROW(struct wire_node_name, instance, "instance", WIRE_R, TOKEN_MAX), WIRE_END};

void wire_node_name_put(const struct wire_node_name *n, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(name_members, n, out);
    base_json_close(out, '}');
}

int wire_node_name_get(const char *text, size_t len, struct wire_node_name *n,
                       struct base_error *err)
{
    int rc;

    memset(n, 0, sizeof *n);
    if ((rc = wire_parse_object(text, len, &n->root, err)) < 0 ||
        (rc = wire_members_get(name_members, n->root, "", n, err)) < 0)
        wire_node_name_free(n);
    return rc;
}

void wire_node_name_free(struct wire_node_name *n)
{
    json_decref(n->root);
    memset(n, 0, sizeof *n);
}

/* ---- versions ---- */

/* Returns the number before the first dot, or -1 when the text does not begin with a number of at
 * most six digits and a dot. */
static long parse_major_version(const char *version)
{
    size_t digits = strspn(version, "0123456789");

    return digits > 0 && digits < 7 && version[digits] == '.' ? strtol(version, NULL, 10) : -1;
}

int wire_check_same_major_version(const char *peer_name, const char *peer, const char *own_name,
                                  const char *own, struct base_error *err)
{
    long theirs = parse_major_version(peer);

    if (theirs < 0)
        return base_error_set(err, -BASE_EVERSION,
                              "version: \"%.64s\" of the %s is not a version like %s", peer,
                              peer_name, own);
    if (theirs != parse_major_version(own))
        return base_error_set(
            err, -BASE_EVERSION,
            "the %s has version %.64s, the %s has version %s: they need the same major version",
            peer_name, peer, own_name, own);
    return 0;
}

#include "sim/input/trace_jsonl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "base/limits.h"
#include "base/nearest.h"

static const char *const lists[BASE_TASK_KINDS] = {"map_durations_s", "reduce_durations_s"};
static const char *const counts[BASE_TASK_KINDS] = {"maps", "reduces"};
/* Known members besides the fields of sim/input/trace_fields.h. */
static const char *const others[] = {
    "version",      "map_durations_s", "reduce_durations_s", "map_nodes",     "map_hosts",
    "app",          "state",           "time_0_ms",          "start_s",       "finish_s",
    "map_starts_s", "reduce_starts_s", "map_ran_on",         "reduce_ran_on", NULL,
};

void sim_jsonl_init(struct sim_jsonl *r, struct sim_trace *trace, int32_t nodes)
{
    *r = (struct sim_jsonl){.trace = trace, .nodes = nodes};
}

void sim_jsonl_free(struct sim_jsonl *r)
{
    sim_hosts_free(&r->hosts);
}

/* ---------------------------------------------------------------- members */
static bool is_known_non_field_member(const char *name)
{
    for (size_t i = 0; others[i]; i++)
        if (strcmp(others[i], name) == 0)
            return true;
    return false;
}

static int refuse_unknown_member(const char *name, struct base_error *err)
{
    const char *best = NULL;
    size_t distance = 0;

    for (int i = 0; i < SIM_FIELDS; i++)
        base_nearest_take_if_closer(name, sim_fields[i].name, &best, &distance);
    for (size_t i = 0; others[i]; i++)
        base_nearest_take_if_closer(name, others[i], &best, &distance);
    if (best)
        return base_error_set(err, -BASE_EINVAL, "%.60s: unknown member; did you mean \"%s\"?",
                              name, best);
    return base_error_set(err, -BASE_EINVAL, "%.60s: unknown member", name);
}

/* Reads one field. On failure *placed is true if @err already begins with FILE:LINE. */
static int read_field(const struct sim_jsonl *r, int field, const json_t *j, struct sim_job *job,
                      bool *placed, struct base_error *err)
{
    const struct sim_field *f = &sim_fields[field];
    bool is_text = f->type == SIM_FIELD_TEXT || f->type == SIM_FIELD_ID;

    *placed = true;
    if (json_is_string(j) && is_text)
        return sim_field_parse_text(r->trace, field, json_string_value(j), job, err);
    if (json_is_boolean(j) &&
        (f->type == SIM_FIELD_BOOL || (f->type == SIM_FIELD_EXPECT && json_is_true(j))))
        return sim_field_parse_text(r->trace, field, json_is_true(j) ? "true" : "false", job, err);
    if (json_is_integer(j) && f->type != SIM_FIELD_TEXT && f->type != SIM_FIELD_BOOL) {
        char text[24];

        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
        return sim_field_parse_text(r->trace, field, text, job, err);
    }
    if (json_is_real(j) && !is_text && f->type != SIM_FIELD_BOOL)
        return sim_field_store_real(r->trace, field, json_real_value(j), job, err);
    *placed = false;
    return base_json_set_value_error(j, "", f->name,
                                     f->type == SIM_FIELD_TEXT   ? "a string"
                                     : f->type == SIM_FIELD_BOOL ? "true or false"
                                     : f->type == SIM_FIELD_ID   ? "an integer or a string"
                                                                 : "a number",
                                     err);
}

static int read_fields(const struct sim_jsonl *r, const json_t *obj, struct sim_job *job,
                       uint64_t *seen, struct base_error *err)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)obj, name, value)
    {
        int field = sim_field_find_by_name(name), rc = 0;
        bool placed = false;

        if (field >= 0 && !json_is_null(value)) {
            rc = read_field(r, field, value, job, &placed, err);
            *seen |= UINT64_C(1) << field;
        } else if (field < 0 && !is_known_non_field_member(name)) {
            rc = refuse_unknown_member(name, err);
        }
        if (rc < 0)
            return placed ? rc : sim_trace_prefix_place(r->trace, rc, err);
    }
    return 0;
}

/* ---------------------------------------------------------------- lists */
static int read_task_durations(const json_t *obj, enum base_task_kind kind, struct sim_job *job,
                               uint64_t *seen, struct base_error *err)
{
    uint64_t counted = UINT64_C(1) << sim_field_find_by_name(counts[kind]);
    json_t *list = NULL;
    size_t n;
    int rc = base_json_arr(obj, "", lists[kind], false, SIM_TASKS_MAX, &list, err);

    if (rc < 0 || !list)
        return rc;
    n = json_array_size(list);
    if ((*seen & counted) && (size_t)job->tasks[kind] != n)
        return base_error_set(err, -BASE_EINVAL, "%s: %zu durations for %" PRId32 " %s",
                              lists[kind], n, job->tasks[kind], counts[kind]);
    *seen |= counted;
    job->tasks[kind] = (int32_t)n;
    if (n == 0)
        return 0;
    job->task_us[kind] = base_alloc(n * sizeof *job->task_us[kind]);
    for (size_t i = 0; i < n; i++) {
        const json_t *j = json_array_get(list, i);
        double s = json_number_value(j);
        char where[64];

        if (!json_is_number(j) || !(s >= 1e-6 && s <= SIM_TRACE_TIME_MAX_S)) {
            snprintf(where, sizeof where, "%s[%zu]", lists[kind], i);
            return base_json_set_value_error(
                j, where, "", "a number of seconds from 0.000001 to 1000000000", err);
        }
        job->task_us[kind][i] = sim_trace_seconds_to_us(s);
    }
    return 0;
}

static int parse_node_or_host(struct sim_jsonl *r, const json_t *j, const char *where, bool names,
                              uint32_t *out, struct base_error *err)
{
    int rc;

    if (names ? !json_is_string(j) || json_string_length(j) > BASE_NAME_MAX
              : !json_is_integer(j) || json_integer_value(j) < 0 ||
                    json_integer_value(j) >= SIM_TRACE_HOSTS_MAX)
        return base_json_set_value_error(
            j, where, "", names ? "the name of a host" : "the number of a node", err);
    if (!names) {
        *out = (uint32_t)json_integer_value(j);
    } else {
        rc = sim_hosts_find_or_add(&r->hosts, json_string_value(j), out, err);
        if (rc < 0)
            return rc;
    }
    if (r->nodes > 0)
        *out %= (uint32_t)r->nodes;
    return 0;
}

/* Fills job->replica_nodes. Every map needs the same number of locations, so shorter lists repeat
 * their first one. */
static int parse_split_locations(struct sim_jsonl *r, const json_t *list, const char *name,
                                 size_t width, struct sim_job *job, struct base_error *err)
{
    bool names = strcmp(name, "map_hosts") == 0;
    size_t n = json_array_size(list);

    job->replica_nodes = base_alloc(n * width * sizeof *job->replica_nodes);
    job->replicas = (int32_t)width;
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(list, i);

        for (size_t k = 0; k < width; k++) {
            size_t at = k < json_array_size(row) ? k : 0;
            char where[64];
            int rc;

            snprintf(where, sizeof where, "%s[%zu][%zu]", name, i, at);
            rc = parse_node_or_host(r, json_array_get(row, at), where, names,
                                    &job->replica_nodes[i * width + k], err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int read_split_locations(struct sim_jsonl *r, const json_t *obj, struct sim_job *job,
                                struct base_error *err)
{
    const char *name = json_object_get(obj, "map_nodes") ? "map_nodes" : "map_hosts";
    json_t *list = NULL;
    size_t width = 0;
    bool all = true;
    int rc = base_json_arr(obj, "", name, false, SIM_TASKS_MAX, &list, err);

    if (rc < 0 || !list)
        return rc;
    if (json_array_size(list) != (size_t)job->tasks[BASE_TASK_MAP])
        return base_error_set(err, -BASE_EINVAL, "%s: places of %zu splits for %" PRId32 " maps",
                              name, json_array_size(list), job->tasks[BASE_TASK_MAP]);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        char where[64];

        if (!json_is_array(row) || json_array_size(row) > SIM_REPLICAS_MAX) {
            snprintf(where, sizeof where, "%s[%zu]", name, i);
            return base_json_set_value_error(row, where, "", "a list of at most 8 places", err);
        }
        if (json_array_size(row) > width)
            width = json_array_size(row);
        all = all && json_array_size(row) > 0;
    }
    if (!all || width == 0) { /* one map without locations makes the job unlocated */
        job->located = false;
        return 0;
    }
    return parse_split_locations(r, list, name, width, job, err);
}

/* ---------------------------------------------------------------- one line */
static int decode_job(struct sim_jsonl *r, const json_t *obj, struct sim_job *job,
                      struct base_error *err)
{
    int64_t version = SIM_JSONL_VERSION;
    uint64_t seen = 0;
    int rc;

    if (!json_is_object(obj)) {
        rc = base_json_set_value_error(obj, "the line", "", "an object", err);
        return sim_trace_prefix_place(r->trace, rc, err);
    }
    rc = base_json_int(obj, "", "version", false, SIM_JSONL_VERSION, SIM_JSONL_VERSION, &version,
                       err);
    if (rc < 0)
        return sim_trace_prefix_place(r->trace, rc, err);
    if ((rc = read_fields(r, obj, job, &seen, err)) < 0)
        return rc;
    if ((rc = read_task_durations(obj, BASE_TASK_MAP, job, &seen, err)) < 0 ||
        (rc = read_task_durations(obj, BASE_TASK_REDUCE, job, &seen, err)) < 0)
        return sim_trace_prefix_place(r->trace, rc, err);
    if ((rc = sim_fields_fill_absent(r->trace, seen, job, err)) < 0)
        return rc;
    if ((rc = read_split_locations(r, obj, job, err)) < 0)
        return sim_trace_prefix_place(r->trace, rc, err);
    return 1;
}

int sim_jsonl_next_job(struct sim_jsonl *r, struct sim_job *out, struct base_error *err)
{
    json_t *obj = NULL;
    int rc = sim_trace_read_line(r->trace, err);

    if (rc <= 0)
        return rc;
    if ((rc = base_json_parse(r->trace->buf.data, r->trace->buf.len, &obj, err)) < 0)
        return sim_trace_prefix_place(r->trace, rc, err);
    rc = decode_job(r, obj, out, err);
    if (rc < 0)
        sim_job_clear(out);
    json_decref(obj);
    return rc;
}

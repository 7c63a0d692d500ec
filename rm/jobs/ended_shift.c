/* rm/jobs/ended_shift.c - shifts the times of a stored history line to another origin. */
#include <math.h>
#include <string.h>

#include "base/io/json.h"
#include "base/io/json_write.h"
#include "rm/jobs/ended_jobs.h"

static void write_json_value(const json_t *v, struct base_buf *out)
{
    const char *key;
    json_t *e;
    size_t i;

    if (json_is_object(v)) {
        base_json_open(out, '{');
        json_object_foreach((json_t *)(uintptr_t)v, key, e)
        {
            base_json_key(out, key);
            write_json_value(e, out);
        }
        base_json_close(out, '}');
    } else if (json_is_array(v)) {
        base_json_open(out, '[');
        json_array_foreach(v, i, e) write_json_value(e, out);
        base_json_close(out, ']');
    } else if (json_is_boolean(v)) {
        base_json_value_bool(out, json_is_true(v));
    } else if (json_is_integer(v)) {
        base_json_value_int(out, json_integer_value(v));
    } else if (json_is_real(v)) {
        base_json_value_num(out, json_real_value(v));
    } else {
        base_json_value_str(out, json_string_value(v));
    }
}

static void write_shifted_time(const json_t *v, int64_t later_us, struct base_buf *out)
{
    int64_t us = llround(json_number_value(v) * 1e6) + later_us;

    base_json_value_num(out, (double)us / 1e6);
}

/* Shifts the start times of tasks. A task without a node had no successful attempt: its start, 0,
 * is not a time and stays 0. */
static void write_shifted_starts(const json_t *v, const json_t *ran_on, int64_t later_us,
                                 struct base_buf *out)
{
    base_json_open(out, '[');
    for (size_t i = 0; i < json_array_size(v); i++)
        write_shifted_time(json_array_get(v, i),
                           json_is_string(json_array_get(ran_on, i)) ? later_us : 0, out);
    base_json_close(out, ']');
}

static bool is_time_member(const char *key)
{
    return strcmp(key, "submit_s") == 0 || strcmp(key, "start_s") == 0 ||
           strcmp(key, "finish_s") == 0;
}

int rm_history_shift_times(const char *line, size_t len, int64_t old_zero_us, int64_t new_zero_us,
                           struct base_buf *out, struct base_error *err)
{
    json_t *job = NULL, *v;
    const char *key;
    int rc = base_json_parse(line, len, &job, err);

    if (rc < 0 || !json_is_object(job)) {
        json_decref(job);
        return base_error_set(err, -BASE_ECORRUPT, "its line cannot be parsed");
    }
    base_json_open(out, '{');
    json_object_foreach(job, key, v)
    {
        base_json_key(out, key);
        if (is_time_member(key))
            write_shifted_time(v, old_zero_us - new_zero_us, out);
        else if (strcmp(key, "map_starts_s") == 0)
            write_shifted_starts(v, json_object_get(job, "map_ran_on"), old_zero_us - new_zero_us,
                                 out);
        else if (strcmp(key, "reduce_starts_s") == 0)
            write_shifted_starts(v, json_object_get(job, "reduce_ran_on"),
                                 old_zero_us - new_zero_us, out);
        else if (strcmp(key, "time_0_ms") == 0)
            base_json_value_int(out, new_zero_us / 1000);
        else
            write_json_value(v, out);
    }
    base_json_close(out, '}');
    json_decref(job);
    return 0;
}

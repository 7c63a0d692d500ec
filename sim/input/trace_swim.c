#include "sim/input/trace_swim.h"

#include <string.h>

#include "sim/input/workload.h"

#define FIELDS_MIN 6
#define FIELDS_MAX 7

int32_t sim_swim_origin_machines(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    if (strncmp(name, "FB-2009", 7) == 0)
        return 600;
    if (strncmp(name, "FB-2010", 7) == 0)
        return 3000;
    return 0;
}

void sim_swim_init(struct sim_swim *r, struct sim_trace *trace, int32_t origin, int32_t target)
{
    *r = (struct sim_swim){.trace = trace, .origin = origin};
    sim_guess_init_defaults(&r->guess);
    sim_swim_set_target(r, target);
}

void sim_swim_set_target(struct sim_swim *r, int32_t target)
{
    r->target = target;
    r->guess.reduces_max = target;
    r->guess.reduces_over = target / 5;
}

/* Splits t->buf at its tabs. Fails unless there are six or seven fields. */
static int split_at_tabs(struct sim_trace *t, char *field[static FIELDS_MAX],
                         struct base_error *err)
{
    char *p = t->buf.data;
    int n = 0;

    for (;;) {
        char *tab = strchr(p, '\t');

        if (n < FIELDS_MAX)
            field[n] = p;
        n++;
        if (!tab)
            break;
        *tab = '\0';
        p = tab + 1;
    }
    if (n == FIELDS_MAX && !*field[FIELDS_MAX - 1]) /* the line ends with a tab */
        n--;
    if (n < FIELDS_MIN || n > FIELDS_MAX) {
        base_error_set(err, -BASE_EINVAL,
                       "%d field%s instead of %d or %d, separated by tabs: job id, submission, "
                       "gap, map input, shuffle, "
                       "reduce output, input path",
                       n, n == 1 ? "" : "s", FIELDS_MIN, FIELDS_MAX);
        return sim_trace_prefix_place(t, -BASE_EINVAL, err);
    }
    return 0;
}

/* 128-bit arithmetic: 1e18 bytes times a million machines does not fit in 64 bits. */
static int scale_bytes_to_target(const struct sim_swim *r, int64_t bytes, int64_t *out,
                                 struct base_error *err)
{
    __int128 n = bytes;

    if (r->origin > 0 && r->target > 0)
        n = n * r->target / r->origin;
    if (n > SIM_TRACE_BYTES_MAX) {
        base_error_set(err, -BASE_ELIMIT, "%lld bytes of %d machines are more than 1e18 of %d",
                       (long long)bytes, r->origin, r->target);
        return sim_trace_prefix_place(r->trace, -BASE_ELIMIT, err);
    }
    *out = (int64_t)n;
    return 0;
}

/* Sets the numbers of tasks, their durations and their sizes. @shuffled: the job shuffles in the
 * original trace, so it has a reduce even if scaling leaves no bytes. */
static int derive_tasks_from_bytes(const struct sim_swim *r, bool shuffled, struct sim_job *job,
                                   struct base_error *err)
{
    const struct sim_guess *g = &r->guess;
    int64_t maps = sim_guess_map_count(g, job->input_bytes);
    int64_t reduces =
        shuffled ? sim_guess_reduce_count(g, job->shuffle_bytes > 0 ? job->shuffle_bytes : 1,
                                          job->output_bytes)
                 : 0;

    if (maps > SIM_TASKS_MAX || reduces > SIM_TASKS_MAX) {
        base_error_set(err, -BASE_ELIMIT, "%lld maps and %lld reduces: at most %d of a kind",
                       (long long)maps, (long long)reduces, SIM_TASKS_MAX);
        return sim_trace_prefix_place(r->trace, -BASE_ELIMIT, err);
    }
    job->tasks[BASE_TASK_MAP] = (int32_t)maps;
    job->tasks[BASE_TASK_REDUCE] = (int32_t)reduces;
    job->base_us[BASE_TASK_MAP] = g->map_us;
    job->base_us[BASE_TASK_REDUCE] = sim_guess_reduce_duration_us(g, job);
    job->cv[BASE_TASK_MAP] = job->cv[BASE_TASK_REDUCE] = g->cv;
    job->split_bytes = job->input_bytes > 0 ? (job->input_bytes - 1) / maps + 1 : 1;
    job->selectivity = sim_guess_selectivity(job);
    if (job->base_us[BASE_TASK_REDUCE] > sim_trace_seconds_to_us(SIM_TRACE_TIME_MAX_S)) {
        base_error_set(err, -BASE_ELIMIT, "a reduce of %lld s: at most %.0f",
                       (long long)(job->base_us[BASE_TASK_REDUCE] / 1000000), SIM_TRACE_TIME_MAX_S);
        return sim_trace_prefix_place(r->trace, -BASE_ELIMIT, err);
    }
    if (reduces > 0)
        job->partition_bytes = job->shuffle_bytes > reduces ? job->shuffle_bytes / reduces : 1;
    return 0;
}

int sim_swim_next_job(struct sim_swim *r, struct sim_job *out, struct base_error *err)
{
    struct sim_trace *t = r->trace;
    char *field[FIELDS_MAX];
    int64_t submit_us, gap_us, input, shuffle, output;
    int rc = sim_trace_read_line(t, err);

    if (rc <= 0)
        return rc;
    if ((rc = split_at_tabs(t, field, err)) < 0)
        return rc;
    if (!*field[0])
        return sim_trace_refuse_value(t, "job id", field[0], "a name", err);
    if ((rc = sim_trace_parse_seconds(t, "submission", field[1], 0, SIM_TRACE_TIME_MAX_S,
                                      &submit_us, err)) < 0 ||
        (rc = sim_trace_parse_seconds(t, "gap", field[2], -SIM_TRACE_TIME_MAX_S,
                                      SIM_TRACE_TIME_MAX_S, &gap_us, err)) < 0 ||
        (rc = sim_trace_parse_int(t, "map input", field[3], 0, SIM_TRACE_BYTES_MAX, &input, err)) <
            0 ||
        (rc = sim_trace_parse_int(t, "shuffle", field[4], 0, SIM_TRACE_BYTES_MAX, &shuffle, err)) <
            0 ||
        (rc = sim_trace_parse_int(t, "reduce output", field[5], 0, SIM_TRACE_BYTES_MAX, &output,
                                  err)) < 0)
        return rc;
    sim_job_copy_text(out->name, field[0]);
    out->submit_us = submit_us;
    if ((rc = scale_bytes_to_target(r, input, &out->input_bytes, err)) < 0 ||
        (rc = scale_bytes_to_target(r, shuffle, &out->shuffle_bytes, err)) < 0 ||
        (rc = scale_bytes_to_target(r, output, &out->output_bytes, err)) < 0 ||
        (rc = derive_tasks_from_bytes(r, shuffle > 0, out, err)) < 0)
        return rc;
    sim_job_copy_text(out->class_name, sim_workload_size_bin(out->tasks[BASE_TASK_MAP]));
    return 1;
}

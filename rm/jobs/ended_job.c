/* rm/jobs/ended_job.c - encodes ended jobs as lines of a workload. */
#include "rm/jobs/ended_job.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/json_write.h"

#define FAR_US INT64_C(1000000000000000) /* largest time of a workload, about 31 years */

static const char *const kinds[BASE_TASK_KINDS] = {"map", "reduce"};

static void write_seconds(struct base_buf *out, int64_t us)
{
    base_json_value_num(out, (double)us / 1e6);
}

static void write_seconds_member(struct base_buf *out, const char *key, int64_t us)
{
    base_json_key(out, key);
    write_seconds(out, us);
}

static bool task_succeeded(const struct rm_task_view *task)
{
    return task->state == RM_TASK_SUCCEEDED && task->finish_us > 0 && task->start_us > 0;
}

static int64_t find_last_map_finish(const struct rm_views *maps)
{
    int64_t end = 0;

    for (size_t i = 0; i < maps->tasks_n; i++)
        if (task_succeeded(&maps->tasks[i]) && maps->tasks[i].finish_us > end)
            end = maps->tasks[i].finish_us;
    return end;
}

/* Returns how long the task has run without its suspensions, at least 1 us. The time of a reduce
 * counts from its start or from @not_before_us (the end of the last map), whichever is later:
 * before that it could only wait for map outputs. */
static int64_t get_task_duration(const struct rm_task_view *task, int64_t not_before_us)
{
    int64_t us = task->finish_us -
                 (task->start_us > not_before_us ? task->start_us : not_before_us) -
                 task->suspended_us;

    return us > 0 ? us : 1;
}

/* Returns the mean duration, in us, that the submission specifies for the tasks of @kind; 0:
 * none. */
static int64_t get_expected_duration(const struct rm_job_spec *spec, enum base_task_kind kind)
{
    int64_t n = 0;
    double sum = 0;

    for (size_t i = 0; i < spec->groups_n; i++)
        if (spec->groups[i].kind == kind && spec->groups[i].expected_us > 0) {
            sum += (double)spec->groups[i].expected_us * (double)spec->groups[i].count;
            n += spec->groups[i].count;
        }
    return n ? (int64_t)(sum / (double)n) : 0;
}

/* Estimates how long, in us, an unsuccessful task would have taken; 0: unknown. */
static int64_t estimate_missing_duration(const struct rm_app_view *app,
                                         const struct rm_views *tasks, enum base_task_kind kind,
                                         int64_t not_before_us)
{
    int64_t n = 0, sum = 0;

    for (size_t i = 0; i < tasks->tasks_n; i++)
        if (task_succeeded(&tasks->tasks[i])) {
            sum += get_task_duration(&tasks->tasks[i], not_before_us);
            n++;
        }
    return n ? sum / n : get_expected_duration(app->job, kind);
}

static void write_durations(const struct rm_views *tasks, enum base_task_kind kind,
                            int64_t not_before_us, int64_t missing_us, struct base_buf *out)
{
    base_json_key(out, kind == BASE_TASK_MAP ? "map_durations_s" : "reduce_durations_s");
    base_json_open(out, '[');
    for (size_t i = 0; i < tasks->tasks_n; i++)
        write_seconds(out, task_succeeded(&tasks->tasks[i])
                               ? get_task_duration(&tasks->tasks[i], not_before_us)
                               : missing_us);
    base_json_close(out, ']');
}

/* Writes the start and the node of each task's successful attempt: 0 and null when it has none. */
static void write_starts_and_nodes(const struct rm_views *tasks, enum base_task_kind kind,
                                   int64_t zero_us, struct base_buf *out)
{
    base_json_key(out, kind == BASE_TASK_MAP ? "map_starts_s" : "reduce_starts_s");
    base_json_open(out, '[');
    for (size_t i = 0; i < tasks->tasks_n; i++)
        write_seconds(out,
                      task_succeeded(&tasks->tasks[i]) ? tasks->tasks[i].start_us - zero_us : 0);
    base_json_close(out, ']');
    base_json_key(out, kind == BASE_TASK_MAP ? "map_ran_on" : "reduce_ran_on");
    base_json_open(out, '[');
    for (size_t i = 0; i < tasks->tasks_n; i++)
        base_json_value_str(out, task_succeeded(&tasks->tasks[i]) ? tasks->tasks[i].node_id : NULL);
    base_json_close(out, ']');
}

/* Returns, for each map, the list of hosts of its split or its explicit task, which may be empty;
 * NULL for a map without a split. The caller frees the array, but not the lists. */
static const struct rm_str_list **list_map_hosts(const struct rm_job_spec *spec, size_t maps)
{
    const struct rm_str_list **of = base_alloc((maps + 1) * sizeof *of);
    size_t n = 0;

    for (; !spec->groups_n && n < maps && n < spec->splits_n; n++)
        of[n] = &spec->splits[n].hosts;
    for (size_t g = 0; g < spec->groups_n; g++)
        for (int64_t i = 0;
             spec->groups[g].kind == BASE_TASK_MAP && i < spec->groups[g].count && n < maps; i++)
            of[n++] = &spec->groups[g].hosts;
    return of;
}

/* Returns the smallest number of hosts that a map has, at most RM_HISTORY_REPLICAS_MAX: a trace
 * lists the same number for every map. */
static size_t find_min_host_count(const struct rm_str_list *const *hosts, size_t maps)
{
    size_t n = maps ? RM_HISTORY_REPLICAS_MAX : 0;

    for (size_t i = 0; i < maps; i++) {
        if (!hosts[i])
            return 0;
        n = hosts[i]->n < n ? hosts[i]->n : n;
    }
    return n;
}

static void write_map_hosts(const struct rm_job_spec *spec, size_t maps, struct base_buf *out)
{
    const struct rm_str_list **hosts = list_map_hosts(spec, maps);
    size_t n = find_min_host_count(hosts, maps);

    if (n == 0) {
        base_json_put_bool(out, "located", false);
    } else {
        base_json_key(out, "map_hosts");
        base_json_open(out, '[');
        for (size_t i = 0; i < maps; i++) {
            base_json_open(out, '[');
            for (size_t h = 0; h < n; h++)
                base_json_value_str(out, hosts[i]->v[h]);
            base_json_close(out, ']');
        }
        base_json_close(out, ']');
    }
    free(hosts);
}

static void write_byte_counts(const struct rm_app_view *app, struct base_buf *out)
{
    const struct {
        const char *name;
        int64_t bytes;
    } sizes[] = {{"input_bytes", app->counters[BASE_COUNT_MAP_INPUT_BYTES]},
                 {"shuffle_bytes", app->counters[BASE_COUNT_SHUFFLE_BYTES]},
                 {"output_bytes",
                  app->counters[app->phase[BASE_TASK_REDUCE].total ? BASE_COUNT_REDUCE_OUTPUT_BYTES
                                                                   : BASE_COUNT_MAP_OUTPUT_BYTES]}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].bytes > 0)
            base_json_put_int(out, sizes[i].name, sizes[i].bytes);
}

static const char *name_final_state(const struct rm_app_view *app)
{
    return app->final_status == RM_FINAL_SUCCEEDED ? "SUCCEEDED"
           : app->state == RM_APP_KILLED           ? "KILLED"
                                                   : "FAILED";
}

static void write_job_summary(const struct rm_app_view *app, int64_t zero_us, struct base_buf *out)
{
    char id[BASE_ID_TEXT_MAX];
    const char *queue = app->queue ? app->queue : "default";

    base_json_put_int(out, "version", 1);
    base_json_put_str(out, "name", app->name);
    base_json_key(out, "pool");
    if (strcmp(queue, "root") == 0 || strncmp(queue, "root.", 5) == 0) {
        base_json_value_str(out, queue);
    } else {
        char *full = base_printf("root.%s", queue);
        base_json_value_str(out, full);
        free(full);
    }
    base_json_put_str(out, "user", app->user);
    write_seconds_member(out, "submit_s", app->submit_us - zero_us);
    if (app->job->weight > 0)
        base_json_put_num(out, "weight", app->job->weight);
    if (app->priority)
        base_json_put_int(out, "priority", app->priority);
    if (app->deadline_us > app->submit_us) /* a deadline beyond FAR_US has no effect */
        write_seconds_member(out, "deadline_s",
                             app->deadline_us - app->submit_us < FAR_US
                                 ? app->deadline_us - app->submit_us
                                 : FAR_US);
    if (app->job->slots > 1)
        base_json_put_int(out, "slots", app->job->slots);
    base_json_put_int(out, "maps", app->phase[BASE_TASK_MAP].total);
    base_json_put_int(out, "reduces", app->phase[BASE_TASK_REDUCE].total);
    base_json_put_str(out, "app", base_app_id_text(&app->id, id));
    base_json_put_str(out, "state", name_final_state(app));
    base_json_put_int(out, "time_0_ms", zero_us / 1000);
    if (app->start_us > 0)
        write_seconds_member(out, "start_s", app->start_us - zero_us);
    write_seconds_member(out, "finish_s", app->finish_us - zero_us);
}

bool rm_history_encode_job(const struct rm_app_view *app,
                           const struct rm_views tasks[BASE_TASK_KINDS], int64_t zero_us,
                           struct base_buf *out)
{
    int64_t from[BASE_TASK_KINDS] = {0, find_last_map_finish(&tasks[BASE_TASK_MAP])},
            other[BASE_TASK_KINDS];

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        other[k] = estimate_missing_duration(app, &tasks[k], k, from[k]);
        if (tasks[k].tasks_n && !other[k])
            return false;
    }
    base_json_open(out, '{');
    write_job_summary(app, zero_us, out);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        char key[32];
        int64_t given = get_expected_duration(app->job, k);

        if (!tasks[k].tasks_n)
            continue;
        if (given) {
            snprintf(key, sizeof key, "%s_expected_s", kinds[k]);
            write_seconds_member(out, key, given);
        }
        write_durations(&tasks[k], k, from[k], other[k], out);
        write_starts_and_nodes(&tasks[k], k, zero_us, out);
    }
    write_byte_counts(app, out);
    base_json_put_num(out, "f_rack", 1);
    base_json_put_num(out, "f_off", 1);
    write_map_hosts(app->job, tasks[BASE_TASK_MAP].tasks_n, out);
    base_json_close(out, '}');
    return true;
}

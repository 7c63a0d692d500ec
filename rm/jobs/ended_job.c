/* Ended jobs as lines of a workload. */
#include "rm/jobs/ended_job.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/json_write.h"

#define FAR_US INT64_C(1000000000000000) /* a workload's times reach so far: about 31 years */

static const char *const kinds[BASE_TASK_KINDS] = {"map", "reduce"};

static void put_seconds(struct base_buf *out, int64_t us)
{
    base_json_value_num(out, (double)us / 1e6);
}

static void put_kseconds(struct base_buf *out, const char *key, int64_t us)
{
    base_json_key(out, key);
    put_seconds(out, us);
}

static bool succeeded(const struct rm_task_view *t)
{
    return t->state == RM_TASK_SUCCEEDED && t->finish_us > 0 && t->start_us > 0;
}

static int64_t maps_end(const struct rm_views *maps)
{
    int64_t end = 0;

    for (size_t i = 0; i < maps->tasks_n; i++)
        if (succeeded(&maps->tasks[i]) && maps->tasks[i].finish_us > end)
            end = maps->tasks[i].finish_us;
    return end;
}

/* Time the task has run; of a reduce from its start or @from, whichever is later. At least 1 us. */
static int64_t took(const struct rm_task_view *t, int64_t from)
{
    int64_t us = t->finish_us - (t->start_us > from ? t->start_us : from) - t->suspended_us;

    return us > 0 ? us : 1;
}

/* Expected with the submission, over the tasks of @k: the mean; 0: not given. */
static int64_t expected(const struct rm_job_spec *s, enum base_task_kind k)
{
    int64_t n = 0;
    double sum = 0;

    for (size_t i = 0; i < s->groups_n; i++)
        if (s->groups[i].kind == k && s->groups[i].expected_us > 0) {
            sum += (double)s->groups[i].expected_us * (double)s->groups[i].count;
            n += s->groups[i].count;
        }
    return n ? (int64_t)(sum / (double)n) : 0;
}

/* What a task that did not succeed would have taken; 0: nothing tells. */
static int64_t guess(const struct rm_app_view *a, const struct rm_views *tasks, enum base_task_kind k, int64_t from)
{
    int64_t n = 0, sum = 0;

    for (size_t i = 0; i < tasks->tasks_n; i++)
        if (succeeded(&tasks->tasks[i])) {
            sum += took(&tasks->tasks[i], from);
            n++;
        }
    return n ? sum / n : expected(a->job, k);
}

static void put_durations(const struct rm_views *tasks, enum base_task_kind k, int64_t from, int64_t other,
                          struct base_buf *out)
{
    base_json_key(out, k == BASE_TASK_MAP ? "map_durations_s" : "reduce_durations_s");
    base_json_open(out, '[');
    for (size_t i = 0; i < tasks->tasks_n; i++)
        put_seconds(out, succeeded(&tasks->tasks[i]) ? took(&tasks->tasks[i], from) : other);
    base_json_close(out, ']');
}

/* 0 and null where there was no attempt that succeeded. */
static void put_past(const struct rm_views *tasks, enum base_task_kind k, int64_t zero_us, struct base_buf *out)
{
    base_json_key(out, k == BASE_TASK_MAP ? "map_starts_s" : "reduce_starts_s");
    base_json_open(out, '[');
    for (size_t i = 0; i < tasks->tasks_n; i++)
        put_seconds(out, succeeded(&tasks->tasks[i]) ? tasks->tasks[i].start_us - zero_us : 0);
    base_json_close(out, ']');
    base_json_key(out, k == BASE_TASK_MAP ? "map_ran_on" : "reduce_ran_on");
    base_json_open(out, '[');
    for (size_t i = 0; i < tasks->tasks_n; i++)
        base_json_value_str(out, succeeded(&tasks->tasks[i]) ? tasks->tasks[i].node_id : NULL);
    base_json_close(out, ']');
}

/* Hosts of every map, of its split or its explicit task; NULL: none are given. The list is the caller's to free. */
static const struct rm_str_list **hosts_of(const struct rm_job_spec *s, size_t maps)
{
    const struct rm_str_list **of = base_alloc((maps + 1) * sizeof *of);
    size_t n = 0;

    for (; !s->groups_n && n < maps && n < s->splits_n; n++)
        of[n] = &s->splits[n].hosts;
    for (size_t g = 0; g < s->groups_n; g++)
        for (int64_t i = 0; s->groups[g].kind == BASE_TASK_MAP && i < s->groups[g].count && n < maps; i++)
            of[n++] = &s->groups[g].hosts;
    return of;
}

/* Hosts that every map has, the same number of each; 0: there are not. */
static size_t replicas_of(const struct rm_str_list *const *hosts, size_t maps)
{
    size_t n = maps ? RM_HISTORY_REPLICAS_MAX : 0;

    for (size_t i = 0; i < maps; i++) {
        if (!hosts[i])
            return 0;
        n = hosts[i]->n < n ? hosts[i]->n : n;
    }
    return n;
}

static void put_places(const struct rm_job_spec *s, size_t maps, struct base_buf *out)
{
    const struct rm_str_list **hosts = hosts_of(s, maps);
    size_t n = replicas_of(hosts, maps);

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

static void put_bytes(const struct rm_app_view *a, struct base_buf *out)
{
    const struct {
        const char *name;
        int64_t bytes;
    } sizes[] = {{"input_bytes", a->counters[RM_C_MAP_INPUT_BYTES]},
                 {"shuffle_bytes", a->counters[RM_C_SHUFFLE_BYTES]},
                 {"output_bytes", a->counters[a->phase[BASE_TASK_REDUCE].total ? RM_C_REDUCE_OUTPUT_BYTES
                                                                               : RM_C_MAP_OUTPUT_BYTES]}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].bytes > 0)
            base_json_put_int(out, sizes[i].name, sizes[i].bytes);
}

static const char *ended_how(const struct rm_app_view *a)
{
    return a->final_status == RM_FINAL_SUCCEEDED ? "SUCCEEDED" : a->state == RM_APP_KILLED ? "KILLED" : "FAILED";
}

static void put_head(const struct rm_app_view *a, int64_t zero_us, struct base_buf *out)
{
    char id[BASE_ID_TEXT_MAX];
    const char *queue = a->queue ? a->queue : "default";

    base_json_put_int(out, "version", 1);
    base_json_put_str(out, "name", a->name);
    base_json_key(out, "pool");
    if (strcmp(queue, "root") == 0 || strncmp(queue, "root.", 5) == 0) {
        base_json_value_str(out, queue);
    } else {
        char *full = base_printf("root.%s", queue);
        base_json_value_str(out, full);
        free(full);
    }
    base_json_put_str(out, "user", a->user);
    put_kseconds(out, "submit_s", a->submit_us - zero_us);
    if (a->job->weight > 0)
        base_json_put_num(out, "weight", a->job->weight);
    if (a->priority)
        base_json_put_int(out, "priority", a->priority);
    if (a->deadline_us > a->submit_us) /* one further away than that binds nobody */
        put_kseconds(out, "deadline_s",
                     a->deadline_us - a->submit_us < FAR_US ? a->deadline_us - a->submit_us : FAR_US);
    base_json_put_int(out, "maps", a->phase[BASE_TASK_MAP].total);
    base_json_put_int(out, "reduces", a->phase[BASE_TASK_REDUCE].total);
    base_json_put_str(out, "app", base_app_id_text(&a->id, id));
    base_json_put_str(out, "state", ended_how(a));
    base_json_put_int(out, "time_0_ms", zero_us / 1000);
    if (a->start_us > 0)
        put_kseconds(out, "start_s", a->start_us - zero_us);
    put_kseconds(out, "finish_s", a->finish_us - zero_us);
}

bool rm_history_put(const struct rm_app_view *a, const struct rm_views tasks[BASE_TASK_KINDS], int64_t zero_us,
                    struct base_buf *out)
{
    int64_t from[BASE_TASK_KINDS] = {0, maps_end(&tasks[BASE_TASK_MAP])}, other[BASE_TASK_KINDS];

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        other[k] = guess(a, &tasks[k], k, from[k]);
        if (tasks[k].tasks_n && !other[k])
            return false;
    }
    base_json_open(out, '{');
    put_head(a, zero_us, out);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        char key[32];
        int64_t given = expected(a->job, k);

        if (!tasks[k].tasks_n)
            continue;
        if (given) {
            snprintf(key, sizeof key, "%s_expected_s", kinds[k]);
            put_kseconds(out, key, given);
        }
        put_durations(&tasks[k], k, from[k], other[k], out);
        put_past(&tasks[k], k, zero_us, out);
    }
    put_bytes(a, out);
    base_json_put_num(out, "f_rack", 1);
    base_json_put_num(out, "f_off", 1);
    put_places(a->job, tasks[BASE_TASK_MAP].tasks_n, out);
    base_json_close(out, '}');
    return true;
}

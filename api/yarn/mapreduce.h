/* api/yarn/mapreduce.h - the resources of MapReduce's application master (/ws/v1/mapreduce) and of
 * its job history server (/ws/v1/history) as plain structs, and the tables that describe them.
 * Source of member order, presence and types: Hadoop's MapReduce REST APIs and the recordings in
 * tests/interop/yarn (mr, hs).
 *
 * Both servers show jobs and tasks, with different members: one struct, two tables. As in
 * resources.h, strings are borrowed, NULL means absent, and times are in milliseconds. */
#ifndef CREEL_API_YARN_MAPREDUCE_H
#define CREEL_API_YARN_MAPREDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/yarn/shape.h"

struct yarn_mr_info { /* of the master */
    const char *app_id, *name, *user;
    int64_t started, elapsed;
};
struct yarn_mr_history_info {
    int64_t started;
    const char *hadoop_version, *hadoop_build_version, *hadoop_built_on;
};
struct yarn_mr_blacklisted {
    struct api_list nodes; /* of const char * */
};

/* ---- jobs ---- */
struct yarn_mr_attempt_counts { /* attempts of the tasks of one kind, by state */
    int64_t new, running, failed, killed, successful;
};
struct yarn_mr_job {
    int64_t submitted; /* history only */
    int64_t started, finished;
    int64_t elapsed; /* master only */
    const char *id, *name, *user, *queue, *state;
    int64_t maps_total, maps_completed, reduces_total, reduces_completed;
    float map_progress, reduce_progress; /* percent; master only, like the next line */
    int64_t maps_pending, maps_running, reduces_pending, reduces_running;
    bool uberized;
    const char *diagnostics;
    int64_t avg_map_ms, avg_reduce_ms, avg_shuffle_ms, avg_merge_ms; /* history only */
    struct yarn_mr_attempt_counts reduce_attempts, map_attempts;
    struct api_list acls; /* of struct yarn_mr_acl; absent when empty */
};
struct yarn_mr_acl {
    const char *name, *value;
};
struct yarn_mr_jobs {
    struct api_list list;
};
struct yarn_mr_job_attempt {
    const char *node_http, *node_id;
    int64_t id, started;
    const char *container_id, *logs;
};
struct yarn_mr_job_attempts {
    struct api_list list;
};
struct yarn_mr_property {
    const char *name, *value;
    struct api_list sources; /* of const char * */
};
struct yarn_mr_conf {
    const char *path;
    struct api_list properties;
};

/* ---- counters: of a job, with one value for each kind of task; of a task or an attempt ---- */
struct yarn_mr_counter {
    const char *name;
    int64_t total, map, reduce; /* a task has the total alone */
};
struct yarn_mr_counter_group {
    const char *name;
    struct api_list counters; /* of struct yarn_mr_counter */
};
struct yarn_mr_counters {
    const char *id;
    struct api_list groups; /* of struct yarn_mr_counter_group */
};

/* ---- tasks and their attempts ---- */
struct yarn_mr_task {
    int64_t started, finished, elapsed;
    float progress; /* percent */
    const char *id, *state, *type, *successful_attempt;
    const char *status; /* master only */
};
struct yarn_mr_attempt {
    int64_t started, finished, elapsed;
    float progress; /* percent */
    const char *id, *rack, *state, *status, *node_http, *diagnostics, *type, *container_id;
    /* of a reduce */
    int64_t shuffle_finished, merge_finished, shuffle_elapsed, merge_elapsed, reduce_elapsed;
};
struct yarn_mr_attempts {
    struct api_list list;
};
struct yarn_mr_attempt_state {
    const char *state;
};

/* Shapes of both servers. */
extern const struct api_shape yarn_shape_mr_job_attempts, yarn_shape_mr_conf,
    yarn_shape_mr_job_counters, yarn_shape_mr_task_counters, yarn_shape_mr_attempt_counters,
    yarn_shape_mr_map_attempt, yarn_shape_mr_map_attempts, yarn_shape_mr_reduce_attempt,
    yarn_shape_mr_reduce_attempts;
/* Shapes of the master. */
extern const struct api_shape yarn_shape_mr_info, yarn_shape_mr_blacklisted, yarn_shape_mr_job,
    yarn_shape_mr_jobs, yarn_shape_mr_task, yarn_shape_mr_attempt_state;
/* Shapes of the history server; yarn_shape_mr_ended_job_item is an element of its list of jobs. */
extern const struct api_shape yarn_shape_mr_history_info, yarn_shape_mr_ended_job,
    yarn_shape_mr_ended_job_item, yarn_shape_mr_ended_task;

#endif

#include "api/yarn/mapreduce.h"

#define S(field, name)       API_STR(T, field, name, API_ALWAYS)
#define I(field, name)       API_I64(T, field, name, API_ALWAYS)
#define F(field, name)       API_F32(T, field, name, API_ALWAYS)
#define B(field, name)       API_BOOL(T, field, name, API_ALWAYS)
#define L(field, name, item) API_LIST(T, field, name, item, API_ALWAYS)
#define END                                                                                        \
    {                                                                                              \
        .kind = API_K_END                                                                          \
    }

/* ---- the servers ---- */
#define T struct yarn_mr_info
static const struct api_member info_members[] = {
    S(app_id, "appId"),      S(name, "name"),           S(user, "user"),
    I(started, "startedOn"), I(elapsed, "elapsedTime"), END,
};
#undef T
const struct api_shape yarn_shape_mr_info = {.root = "info", .members = info_members};

#define T struct yarn_mr_history_info
static const struct api_member history_info_members[] = {
    I(started, "startedOn"),
    S(hadoop_version, "hadoopVersion"),
    S(hadoop_build_version, "hadoopBuildVersion"),
    S(hadoop_built_on, "hadoopVersionBuiltOn"),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_history_info = {.root = "historyInfo",
                                                     .members = history_info_members};

#define T struct yarn_mr_blacklisted
static const struct api_member blacklisted_members[] = {
    API_STRLIST(T, nodes, "blacklistedNodes", API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_blacklisted = {.root = "blacklistednodesinfo",
                                                    .members = blacklisted_members};

/* ---- jobs ---- */
#define T struct yarn_mr_acl
static const struct api_member acl_members[] = {S(name, "name"), S(value, "value"), END};
#undef T
static const struct api_shape shape_acl = {.members = acl_members};

#define T struct yarn_mr_job
#define TASK_COUNTS                                                                                \
    I(maps_total, "mapsTotal"), I(maps_completed, "mapsCompleted"),                                \
        I(reduces_total, "reducesTotal"), I(reduces_completed, "reducesCompleted")
#define ENDED_ATTEMPTS(field, kind)                                                                \
    I(field.failed, "failed" kind "Attempts"), I(field.killed, "killed" kind "Attempts"),          \
        I(field.successful, "successful" kind "Attempts")
#define ATTEMPTS(field, kind)                                                                      \
    I(field.new, "new" kind "Attempts"), I(field.running, "running" kind "Attempts"),              \
        ENDED_ATTEMPTS(field, kind)
#define ENDED_JOB                                                                                  \
    I(submitted, "submitTime"), I(started, "startTime"), I(finished, "finishTime"), S(id, "id"),   \
        S(name, "name"), S(queue, "queue"), S(user, "user"), S(state, "state"), TASK_COUNTS

static const struct api_member job_members[] = {
    I(started, "startTime"),
    I(finished, "finishTime"),
    I(elapsed, "elapsedTime"),
    S(id, "id"),
    S(name, "name"),
    S(user, "user"),
    S(queue, "queue"),
    S(state, "state"),
    TASK_COUNTS,
    F(map_progress, "mapProgress"),
    F(reduce_progress, "reduceProgress"),
    I(maps_pending, "mapsPending"),
    I(maps_running, "mapsRunning"),
    I(reduces_pending, "reducesPending"),
    I(reduces_running, "reducesRunning"),
    B(uberized, "uberized"),
    S(diagnostics, "diagnostics"),
    ATTEMPTS(reduce_attempts, "Reduce"),
    ATTEMPTS(map_attempts, "Map"),
    L(acls, "acls", &shape_acl),
    END,
};
static const struct api_member ended_job_item_members[] = {ENDED_JOB, END};
static const struct api_member ended_job_members[] = {
    ENDED_JOB,
    B(uberized, "uberized"),
    S(diagnostics, "diagnostics"),
    I(avg_map_ms, "avgMapTime"),
    I(avg_reduce_ms, "avgReduceTime"),
    I(avg_shuffle_ms, "avgShuffleTime"),
    I(avg_merge_ms, "avgMergeTime"),
    ENDED_ATTEMPTS(reduce_attempts, "Reduce"),
    ENDED_ATTEMPTS(map_attempts, "Map"),
    L(acls, "acls", &shape_acl),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_job = {.root = "job", .members = job_members};
const struct api_shape yarn_shape_mr_ended_job = {.root = "job", .members = ended_job_members};
const struct api_shape yarn_shape_mr_ended_job_item = {.root = "job",
                                                       .members = ended_job_item_members};

#define T struct yarn_mr_jobs
static const struct api_member jobs_members[] = {L(list, "job", &yarn_shape_mr_job), END};
#undef T
const struct api_shape yarn_shape_mr_jobs = {.root = "jobs", .members = jobs_members};

#define T struct yarn_mr_job_attempt
static const struct api_member job_attempt_members[] = {
    S(node_http, "nodeHttpAddress"), S(node_id, "nodeId"), I(id, "id"), I(started, "startTime"),
    S(container_id, "containerId"),  S(logs, "logsLink"),  END,
};
#undef T
static const struct api_shape shape_job_attempt = {.members = job_attempt_members};

#define T struct yarn_mr_job_attempts
static const struct api_member job_attempts_members[] = {
    L(list, "jobAttempt", &shape_job_attempt),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_job_attempts = {.root = "jobAttempts",
                                                     .members = job_attempts_members};

#define T struct yarn_mr_property
static const struct api_member property_members[] = {
    S(name, "name"),
    S(value, "value"),
    API_STRLIST(T, sources, "source", API_ALWAYS),
    END,
};
#undef T
static const struct api_shape shape_property = {.members = property_members};

#define T struct yarn_mr_conf
static const struct api_member conf_members[] = {
    S(path, "path"),
    L(properties, "property", &shape_property),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_conf = {.root = "conf", .members = conf_members};

/* ---- counters ---- */
#define T struct yarn_mr_counter
static const struct api_member job_counter_members[] = {
    S(name, "name"),
    I(total, "totalCounterValue"),
    I(map, "mapCounterValue"),
    I(reduce, "reduceCounterValue"),
    END,
};
static const struct api_member counter_members[] = {S(name, "name"), I(total, "value"), END};
#undef T
static const struct api_shape shape_job_counter = {.members = job_counter_members};
static const struct api_shape shape_counter = {.members = counter_members};

#define T struct yarn_mr_counter_group
static const struct api_member job_group_members[] = {
    S(name, "counterGroupName"),
    L(counters, "counter", &shape_job_counter),
    END,
};
static const struct api_member group_members[] = {
    S(name, "counterGroupName"),
    L(counters, "counter", &shape_counter),
    END,
};
#undef T
static const struct api_shape shape_job_group = {.members = job_group_members};
static const struct api_shape shape_group = {.members = group_members};

#define T struct yarn_mr_counters
static const struct api_member job_counters_members[] = {
    S(id, "id"),
    L(groups, "counterGroup", &shape_job_group),
    END,
};
static const struct api_member task_counters_members[] = {
    S(id, "id"),
    L(groups, "taskCounterGroup", &shape_group),
    END,
};
static const struct api_member attempt_counters_members[] = {
    S(id, "id"),
    L(groups, "taskAttemptCounterGroup", &shape_group),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_job_counters = {.root = "jobCounters",
                                                     .members = job_counters_members};
const struct api_shape yarn_shape_mr_task_counters = {.root = "jobTaskCounters",
                                                      .members = task_counters_members};
const struct api_shape yarn_shape_mr_attempt_counters = {.root = "jobTaskAttemptCounters",
                                                         .members = attempt_counters_members};

/* ---- tasks and their attempts ---- */
#define T struct yarn_mr_task
#define ENDED_TASK                                                                                 \
    I(started, "startTime"), I(finished, "finishTime"), I(elapsed, "elapsedTime"),                 \
        F(progress, "progress"), S(id, "id"), S(state, "state"), S(type, "type"),                  \
        S(successful_attempt, "successfulAttempt")
static const struct api_member task_members[] = {ENDED_TASK, S(status, "status"), END};
static const struct api_member ended_task_members[] = {ENDED_TASK, END};
#undef T
const struct api_shape yarn_shape_mr_task = {.root = "task", .members = task_members};
const struct api_shape yarn_shape_mr_ended_task = {.root = "task", .members = ended_task_members};

#define T struct yarn_mr_attempt
#define ATTEMPT                                                                                    \
    I(started, "startTime"), I(finished, "finishTime"), I(elapsed, "elapsedTime"),                 \
        F(progress, "progress"), S(id, "id"), S(rack, "rack"), S(state, "state"),                  \
        S(status, "status"), S(node_http, "nodeHttpAddress"), S(diagnostics, "diagnostics"),       \
        S(type, "type"), S(container_id, "assignedContainerId")
static const struct api_member map_attempt_members[] = {ATTEMPT, END};
static const struct api_member reduce_attempt_members[] = {
    ATTEMPT,
    I(shuffle_finished, "shuffleFinishTime"),
    I(merge_finished, "mergeFinishTime"),
    I(shuffle_elapsed, "elapsedShuffleTime"),
    I(merge_elapsed, "elapsedMergeTime"),
    I(reduce_elapsed, "elapsedReduceTime"),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_map_attempt = {.root = "taskAttempt",
                                                    .members = map_attempt_members};
const struct api_shape yarn_shape_mr_reduce_attempt = {.root = "taskAttempt",
                                                       .members = reduce_attempt_members};

#define T struct yarn_mr_attempts
static const struct api_member map_attempts_members[] = {
    L(list, "taskAttempt", &yarn_shape_mr_map_attempt),
    END,
};
static const struct api_member reduce_attempts_members[] = {
    L(list, "taskAttempt", &yarn_shape_mr_reduce_attempt),
    END,
};
#undef T
const struct api_shape yarn_shape_mr_map_attempts = {.root = "taskAttempts",
                                                     .members = map_attempts_members};
const struct api_shape yarn_shape_mr_reduce_attempts = {.root = "taskAttempts",
                                                        .members = reduce_attempts_members};

#define T struct yarn_mr_attempt_state
static const struct api_member attempt_state_members[] = {S(state, "state"), END};
#undef T
const struct api_shape yarn_shape_mr_attempt_state = {.root = "jobTaskAttemptState",
                                                      .members = attempt_state_members};

/* rm/core/types.h - the plain data of the scheduling core: resources, states, specs.
 * Units: times int64_t microseconds of the core's own time line (wall clock, never going back);
 * memory MiB. */
#ifndef CREEL_RM_CORE_TYPES_H
#define CREEL_RM_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/task_counter.h"

/* Registry of resource names; a resource is a vector over it. */
enum rm_res_name {
    RM_RES_MEMORY_MB,
    RM_RES_VCORES,
    RM_RES_MAP_SLOTS,
    RM_RES_REDUCE_SLOTS,
    RM_RES_NAMES
};
struct rm_res {
    int64_t v[RM_RES_NAMES];
};
/* "memory-mb", "vcores", "map-slots", "reduce-slots". */
extern const char *const rm_res_names[RM_RES_NAMES];

/* ---- life cycles (diagrams and tables of legal edges: rm/core/states.h) ---- */
enum rm_app_state { /* YARN's internal states (RMAppState) */
                    RM_APP_NEW,
                    RM_APP_NEW_SAVING,
                    RM_APP_SUBMITTED,
                    RM_APP_ACCEPTED,
                    RM_APP_RUNNING,
                    RM_APP_FINAL_SAVING,
                    RM_APP_FINISHING,
                    RM_APP_FINISHED,
                    RM_APP_FAILED,
                    RM_APP_KILLING,
                    RM_APP_KILLED,
                    RM_APP_STATES
};
enum rm_attempt_state { /* YARN's RMAppAttemptState */
                        RM_ATTEMPT_NEW,
                        RM_ATTEMPT_SUBMITTED,
                        RM_ATTEMPT_SCHEDULED,
                        RM_ATTEMPT_ALLOCATED_SAVING,
                        RM_ATTEMPT_ALLOCATED,
                        RM_ATTEMPT_LAUNCHED_UNMANAGED_SAVING,
                        RM_ATTEMPT_LAUNCHED,
                        RM_ATTEMPT_RUNNING,
                        RM_ATTEMPT_FINAL_SAVING,
                        RM_ATTEMPT_FINISHING,
                        RM_ATTEMPT_FINISHED,
                        RM_ATTEMPT_FAILED,
                        RM_ATTEMPT_KILLED,
                        RM_ATTEMPT_STATES
};
enum rm_container_state {
    RM_CONTAINER_ALLOCATED,
    RM_CONTAINER_ACQUIRED,
    RM_CONTAINER_RUNNING,
    RM_CONTAINER_SUSPENDED,
    RM_CONTAINER_COMPLETED,
    RM_CONTAINER_STATES
};
enum rm_task_state {
    RM_TASK_PENDING,
    RM_TASK_RUNNING,
    RM_TASK_SUSPENDED,
    RM_TASK_SUCCEEDED,
    RM_TASK_FAILED,
    RM_TASK_KILLED,
    RM_TASK_STATES
};
enum rm_node_state {
    RM_NODE_NEW,
    RM_NODE_RUNNING,
    RM_NODE_UNHEALTHY,
    RM_NODE_DECOMMISSIONING,
    RM_NODE_DECOMMISSIONED,
    RM_NODE_LOST,
    RM_NODE_REBOOTED,
    RM_NODE_SHUTDOWN,
    RM_NODE_STATES
};
enum rm_final_status {
    RM_FINAL_UNDEFINED,
    RM_FINAL_SUCCEEDED,
    RM_FINAL_FAILED,
    RM_FINAL_KILLED,
    RM_FINAL_ENDED
};
/* How an application ended, in one word. YARN's state and final status stay beside it: a job
 * whose command fails is FINISHED there, with the final status FAILED. */
enum rm_result {
    RM_RESULT_NONE, /* it has not ended: "UNDEFINED" */
    RM_RESULT_SUCCEEDED,
    RM_RESULT_FAILED,
    RM_RESULT_KILLED,
    RM_RESULT_REFUSED, /* a job whose deadline the policy could not promise */
    RM_RESULT_ENDED,   /* an application whose master has not said how */
    RM_RESULTS
};
const char *rm_result_name(enum rm_result r);
/* Internal, as /state prints it. */
const char *rm_app_state_name(enum rm_app_state s);
/* What clients see. */
enum rm_app_state rm_app_public_state(enum rm_app_state s, enum rm_app_state before);
const char *rm_attempt_state_name(enum rm_attempt_state s);
const char *rm_task_state_name(enum rm_task_state s);
const char *rm_node_state_name(enum rm_node_state s);
const char *rm_final_status_name(enum rm_final_status s);

/* Exit statuses of YARN (ContainerExitStatus). */
/* Attempts of one application that ended RM_EXIT_DISKS_FAILED and do not count. */
#define RM_AM_DISK_FAILURES_FREE 5
enum {
    RM_EXIT_INVALID = -1000,
    RM_EXIT_ABORTED = -100,
    RM_EXIT_DISKS_FAILED = -101,
    RM_EXIT_PREEMPTED = -102,
    RM_EXIT_KILLED_BY_AM = -105,
    RM_EXIT_KILLED_BY_RM = -106,
    RM_EXIT_KILLED_AFTER_APP = -107
};

/* ---- counters of a job: those of its tasks, added up over successful attempts, and behind them
 * those that the core counts ---- */
enum rm_counter {
    RM_C_TOTAL_LAUNCHED_MAPS = BASE_TASK_COUNTERS,
    RM_C_TOTAL_LAUNCHED_REDUCES,
    RM_C_FAILED_MAPS,
    RM_C_FAILED_REDUCES,
    RM_C_KILLED_MAPS,
    RM_C_KILLED_REDUCES,
    RM_C_DATA_LOCAL_MAPS,
    RM_C_RACK_LOCAL_MAPS,
    RM_C_OTHER_LOCAL_MAPS,
    RM_C_COUNTERS
};
const char *rm_counter_name(int c); /* of both enums: "MAP_INPUT_RECORDS", "FAILED_MAPS" */

/* ---- submissions: immutable once accepted; refcounted so that views and encoders can hold them
 * ---- */
struct rm_str_list {
    char **v;
    size_t n;
};
struct rm_split_spec { /* one map task of a job with input */
    uint32_t path;     /* index into rm_job_spec.paths */
    int64_t offset, length;
    bool gzip;
    struct rm_str_list hosts; /* may be empty: any node is as good */
};
struct rm_host_table {
    uint64_t id; /* not 0 */
    const char *const *v;
    size_t n;
};
struct rm_task_group { /* explicit tasks: @count tasks with the same command */
    enum base_task_kind kind;
    char *command;
    struct rm_str_list hosts;
    int64_t count;
    int64_t expected_us; /* 0: unknown */
};
struct rm_job_spec {
    int refs; /* rm_job_spec_ref / _unref: atomic */
    struct base_app_id id;
    char *name, *user, *queue;
    int32_t priority;
    char *map, *combine, *reduce, *output; /* NULL when absent */
    struct rm_str_list input;              /* as submitted */
    struct rm_str_list paths;              /* expanded files */
    struct rm_split_spec *splits;
    size_t splits_n;
    int64_t reduces, split_size;
    /* Relative to submission; wall clock; 0: none. At most one is given. */
    int64_t deadline_us, deadline_at_us;
    double weight; /* 0: not given, 1 */
    int32_t max_attempts;
    /* Of @user, primary first; empty: unknown. For placement in a queue, not stored. */
    struct rm_str_list user_groups;
    struct rm_str_list env; /* "K=V" */
    struct rm_task_group *groups;
    size_t groups_n;
    /* The submission's normalised body (without id): equality of a repeated submission. */
    char *json;
    /* Simulations: what is known of the tasks beforehand, and where splits lie, in a compact
     * form: @near_n hosts for each map, as indexes in a table of hosts that many jobs share. The
     * table outlives the core; its id tells tables apart. */
    struct {
        int64_t bytes, bytes_max, true_us;
    } known[BASE_TASK_KINDS];
    const struct rm_host_table *hosts;
    uint32_t *near;
    uint32_t near_n;
};
struct rm_job_spec *rm_job_spec_ref(struct rm_job_spec *s);
void rm_job_spec_unref(struct rm_job_spec *s); /* NULL is fine */
/* Frees the lists of files and splits if no other reference exists, or can be taken meanwhile. */
void rm_job_spec_drop_splits(struct rm_job_spec *s);

struct rm_launch { /* a container's launch context, from a submission or an ask */
    int refs;
    /* Joined by the NM side with " && "? no: run one after another by sh -c, newline joined. */
    struct rm_str_list commands;
    struct rm_str_list env; /* "K=V" */
    char *json;             /* am-container-spec as submitted, whole; may be NULL */
};
struct rm_launch *rm_launch_ref(struct rm_launch *l);
void rm_launch_unref(struct rm_launch *l);

struct rm_app_spec { /* plain application: YARN's submission context */
    int refs;
    struct base_app_id id;
    char *name, *user, *queue, *type;
    struct rm_str_list user_groups; /* as of a job */
    struct rm_str_list tags;
    int32_t priority;     /* -1: not given */
    int32_t max_attempts; /* 0: default */
    bool unmanaged, keep_containers;
    struct rm_res resource; /* of the master; zeros: minimum */
    struct rm_launch *launch;
    char *json; /* the submission whole */
};
struct rm_app_spec *rm_app_spec_ref(struct rm_app_spec *s);
void rm_app_spec_unref(struct rm_app_spec *s);

#endif

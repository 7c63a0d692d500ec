/* rm/core/types.h - the plain data of the scheduling core: resources, states, specs.
 * Units: times are int64_t microseconds of the core's own time line (wall clock, never going
 * back); memory is in MiB. */
#ifndef CREEL_RM_CORE_TYPES_H
#define CREEL_RM_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/order_kind.h"
#include "base/task_counter.h"
#include "base/utilization.h"

/* The resources that are counted; struct rm_res has one amount for each. */
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

struct rm_preempted { /* what the policy took back from an application */
    struct rm_res resource;
    int64_t containers[2];       /* [1]: of masters, [0]: all others */
    int64_t memory_ms, vcore_ms; /* MiB and vcores, times the milliseconds held; saturate */
};

/* How far a node is with copying the logs of an ended application to the folder that the nodes
 * share. */
enum rm_log_state {
    RM_LOGS_COPYING, /* or waiting for that */
    RM_LOGS_FAILING, /* copying has failed, and will be tried again */
    RM_LOGS_FAILED,  /* the node has lost the logs */
    RM_LOGS_MISSING, /* the node is lost; never reported */
    RM_LOG_STATES
};
struct rm_app_logs {
    int32_t nodes[RM_LOG_STATES]; /* nodes that have its logs in this state; none as FAILED */
    bool failed;                  /* a node has lost logs */
};

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
/* What happens to containers, as YARN's scheduler counts it. */
enum rm_operation_kind {
    RM_OPERATION_ALLOCATION,
    RM_OPERATION_RELEASE,
    RM_OPERATION_PREEMPTION,
    RM_OPERATION_KINDS
};
/* How an application ended, in one word. YARN's state and final status are shown in addition: a job
 * whose command fails has YARN's state FINISHED and the final status FAILED. */
enum rm_result {
    RM_RESULT_NONE, /* the application has not ended: "UNDEFINED" */
    RM_RESULT_SUCCEEDED,
    RM_RESULT_FAILED,
    RM_RESULT_KILLED,
    RM_RESULT_REFUSED, /* a job whose deadline the policy could not promise to meet */
    RM_RESULT_ENDED,   /* an application whose master did not report how it ended */
    RM_RESULTS
};
const char *rm_result_name(enum rm_result r);
/* Names of states, as YARN spells them; "UNKNOWN" for a value outside the enum. */
const char *rm_app_state_name(enum rm_app_state s);
/* Returns the state that YARN's clients see: FINISHING is shown as FINISHED, KILLING and
 * FINAL_SAVING as the state @before (as RUNNING if @before is @s itself), all others unchanged. */
enum rm_app_state rm_app_public_state(enum rm_app_state s, enum rm_app_state before);
const char *rm_attempt_state_name(enum rm_attempt_state s);
const char *rm_task_state_name(enum rm_task_state s);
const char *rm_node_state_name(enum rm_node_state s);
const char *rm_final_status_name(enum rm_final_status s);

/* How many attempts of one application may end with RM_EXIT_DISKS_FAILED without being counted as
 * failed. */
#define RM_AM_DISK_FAILURES_FREE 5
/* Exit statuses of YARN (ContainerExitStatus). */
enum {
    RM_EXIT_INVALID = -1000,
    RM_EXIT_ABORTED = -100,
    RM_EXIT_DISKS_FAILED = -101,
    RM_EXIT_PREEMPTED = -102,
    RM_EXIT_KILLED_BY_AM = -105,
    RM_EXIT_KILLED_BY_RM = -106,
    RM_EXIT_KILLED_AFTER_APP = -107
};

/* ---- counters of a job: first those of its tasks (enum base_task_counter), summed over successful
 * attempts, then those that the core counts ---- */
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
/* Returns the name of a counter of either enum, such as "MAP_INPUT_RECORDS" or "FAILED_MAPS". */
const char *rm_counter_name(int c);

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
    struct rm_str_list hosts; /* hosts with the data; empty: no node is preferred */
};
struct rm_host_table { /* hosts of a simulated cluster, shared by many jobs */
    uint64_t id;       /* not 0 */
    const char *const *v;
    size_t n;
};
struct rm_task_group { /* @count tasks with the same command, given by the submission */
    enum base_task_kind kind;
    char *command;
    struct rm_str_list hosts;
    int64_t count;
    int64_t expected_us; /* 0: unknown */
};
struct rm_job_spec {
    int refs; /* changed atomically by rm_job_spec_ref() and rm_job_spec_unref() */
    struct base_app_id id;
    char *name, *user, *queue;
    int32_t priority;
    char *map, *combine, *reduce, *output; /* NULL when absent */
    struct rm_str_list input;              /* as submitted */
    struct rm_str_list paths;              /* the files to which @input expands */
    struct rm_split_spec *splits;
    size_t splits_n;
    int64_t reduces, split_size;
    /* deadline_us is relative to the submission, deadline_at_us a wall clock time. At most one is
     * given; 0: none. */
    int64_t deadline_us, deadline_at_us;
    double weight; /* 0: not given, which means 1 */
    int32_t max_attempts;
    int32_t slots;                  /* of one node that each of its tasks takes; 0: one */
    struct base_app_id reservation; /* whose slots it uses; seq 0: none */
    char *acl_view, *acl_modify;    /* as those of struct rm_app_spec; NULL: not given */
    /* Groups of @user, primary first; empty: unknown. For placement in a queue, not stored. */
    struct rm_str_list user_groups;
    struct rm_str_list env; /* "K=V" */
    struct rm_task_group *groups;
    size_t groups_n;
    /* The submission's normalised body, without id. A repeated submission must have an equal
     * one. */
    char *json;
    /* Simulations only: what is known of the tasks beforehand (true_us: slot time), and the hosts
     * of each split in a compact form: @near_n indexes into @hosts per map. The table outlives the
     * core and is identified by its id. */
    struct {
        int64_t bytes, bytes_max, true_us;
    } known[BASE_TASK_KINDS];
    const struct rm_host_table *hosts;
    uint32_t *near;
    uint32_t near_n;
};
/* Splits that the setup of a job has found: one page of its report, or all that came so far. */
struct rm_split_page {
    struct rm_str_list paths; /* @splits name them by their index here */
    struct rm_split_spec *splits;
    size_t splits_n, paths_cap, splits_cap;
    size_t bytes;  /* least number of bytes that they take in the job's record */
    int64_t first; /* index in the job of the first split */
    bool last;     /* the job's last split is among these */
};
void rm_split_page_clear(struct rm_split_page *p); /* frees what it has */
void rm_split_page_free(struct rm_split_page *p);  /* NULL is fine */
/* Returns a copy of @s, with one reference, that has the splits of @page in place of those of @s.
 * Takes what @page has, and frees it. */
struct rm_job_spec *rm_job_spec_copy_with_splits(const struct rm_job_spec *s,
                                                 struct rm_split_page *page);
struct rm_job_spec *rm_job_spec_ref(struct rm_job_spec *s);
void rm_job_spec_unref(struct rm_job_spec *s); /* NULL is fine */
/* Frees the lists of files and splits if the caller has the only reference; else does nothing. */
void rm_job_spec_drop_splits(struct rm_job_spec *s);

struct rm_launch { /* a container's launch context, from a submission or an ask */
    int refs;
    struct rm_str_list commands; /* joined by blanks, as in YARN, and run by one sh -c */
    struct rm_str_list env;      /* "K=V" */
    struct base_local_resource *resources;
    size_t resources_n;
    /* Tokens and secrets in the form of Hadoop's token files, as base64; NULL: none. */
    char *credentials;
    char *shuffle_data; /* service data of mapreduce_shuffle, as base64; NULL: none */
    char *json;         /* the am-container-spec as submitted; may be NULL */
};
struct rm_launch *rm_launch_ref(struct rm_launch *l);
void rm_launch_unref(struct rm_launch *l);

struct rm_app_spec { /* a plain application, as YARN's submission context describes it */
    int refs;
    struct base_app_id id;
    char *name, *user, *queue, *type;
    struct rm_str_list user_groups; /* as in struct rm_job_spec */
    struct rm_str_list tags;
    /* Of a MapReduce application, from its tags: its deadline, relative to the submission, and the
     * number of its reduces (rm/core/master/mapreduce.h). 0: not given. */
    int64_t deadline_us;
    int32_t reduces;
    int32_t priority;     /* -1: not given */
    int32_t max_attempts; /* 0: default */
    /* Failures of attempts that ended longer ago do not count towards max_attempts; 0: all count.
     */
    int64_t failures_validity_ms;
    int64_t lifetime_s; /* it is killed so long after its submission; 0: never */
    bool unmanaged, keep_containers;
    bool speaks_hadoop;     /* its master speaks Hadoop RPC */
    struct rm_res resource; /* of the master; 0: that of a map slot */
    /* Labels of the nodes for the application's containers (@label) and for its master (@am_label).
     * NULL: no label, or for the master the label of the application. */
    char *label, *am_label;
    /* Who may see, and who may change, the application besides its user (base/acl/acl.h); from the
     * launch context of its master. NULL: not given. */
    char *acl_view, *acl_modify;
    struct base_app_id reservation; /* whose slots it uses; seq 0: none */
    struct rm_launch *launch;
    /* Which logs are kept when the application has ended: files whose names match the first regular
     * expression and not the second; NULL: all match the first, none the second. */
    char *log_include, *log_exclude;
    char *json; /* the whole submission */
};
struct rm_app_spec *rm_app_spec_ref(struct rm_app_spec *s);
void rm_app_spec_unref(struct rm_app_spec *s);

/* A queue's use, now and so far, of the nodes of one label. */
struct rm_partition {
    struct rm_res used; /* also by suspended containers */
    int64_t containers, begun, ended;
};
/* Totals of a queue, or of a user in a queue, since the core began; they only grow. */
struct rm_totals {
    int64_t submitted[2], completed[2], failed[2],
        killed[2];        /* applications; [1]: unmanaged ones */
    int64_t begun, ended; /* containers */
    /* containers placed on a node that their application asked for, in its rack, elsewhere */
    int64_t placed[3];
    int64_t first_n, first_us; /* first containers of applications, and how long they waited */
    int64_t preempted, preempted_mb, preempted_vcores;     /* containers killed for others */
    int64_t preempted_mb_seconds, preempted_vcore_seconds; /* and the resources they had held */
};

#endif

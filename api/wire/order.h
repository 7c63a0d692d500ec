/* api/wire/order.h - the ResourceManager's answer to a node's registration or heartbeat: its epoch,
 * and orders.
 *
 * The answer is a JSON object; "orders" is a list of objects whose "type" names the kind. An order
 * that cannot be read is skipped and counted, and the others are carried out. A bad launch whose
 * container id can be read is kept with the reason, so that the node reports the end of that
 * container. The node keeps a launch order as launch.json, which it reads after a restart, and
 * which creel-task reads.
 *
 * Units: _ms are milliseconds, memory MiB, offsets and lengths bytes.
 *
 * Ownership: texts are borrowed, from the caller when writing and from the tree when reading. What
 * an answer or a launch owns after reading is freed with its _free function. */
#ifndef CREEL_API_WIRE_ORDER_H
#define CREEL_API_WIRE_ORDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/wire/hadoop_keys.h"
#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/order_kind.h"

#define WIRE_ORDERS_MAX 100000

/* The part of a file that a map reads. */
struct wire_split {
    const char *path;
    int64_t offset, length;
    bool gzip;
};
/* The member "spec" of the launch of a map, a reduce or a job's step: what creel-task has to do. */
struct wire_task_spec {
    const char *job; /* the application's id */
    int32_t index, attempt;
    int32_t reduces; /* of a map: partitions to make; 0: the map commits its output */
    int32_t maps;    /* of a reduce: number of maps */
    /* member "map" or "reduce", by the launch's kind. NULL, which only a reduce can have: the
     * reduce passes its input on unchanged */
    const char *command;
    const char *combine;     /* NULL: none */
    struct wire_split split; /* of a map */
    const char *output;      /* the job's output folder; NULL: not needed */
    bool job_commits; /* the commit of the job, not of the task, moves the part to its place */
    const char *rm;   /* URLs of all ResourceManagers, separated by commas; NULL: not needed */
    int32_t sort_buffer_mb;
    /* Of a setup: the job's inputs as submitted, the size of a split, and how long the search for
     * files may take. */
    const char *const *input;
    size_t input_n;
    int64_t split_size, limit_ms;
};

struct wire_launch {
    struct base_container_id container;
    struct base_app_id app;
    const char *user, *name, *token; /* token: the application's secret */
    const char *acl_view; /* who may see the application besides its user; NULL: not given */
    enum base_task_kind slot;
    enum base_container_kind kind;
    int64_t memory_mb, vcores, allocation_request_id;
    int32_t priority;
    const char *const *env; /* NAME=VALUE */
    size_t env_n;
    /* id of the task of a map, reduce or job's command, name of a job's step; NULL: none */
    const char *task;
    int32_t task_attempt;
    const char *command;   /* what a command or master runs */
    int64_t log_max_bytes; /* 0: the node's own setting */
    /* From YARN's launch context. */
    const struct base_local_resource *resources;
    size_t resources_n;
    const char *credentials;  /* a token file, as base64; NULL: none */
    const char *shuffle_data; /* service data of mapreduce_shuffle, as base64; NULL: none */
    const char *log_include, *log_exclude; /* of the application; NULL: none */
    int64_t submit_ms;                     /* when the application was submitted */
    int32_t attempts_max;                  /* of the application's master; 0: a job has none */
    struct wire_task_spec spec;

    const json_t *source; /* the order that was read, with all its members; borrowed */
    char **owned_env;
    const char **owned_input;
    struct base_local_resource *owned_resources; /* their texts are borrowed */
};

struct wire_order {
    enum base_order_kind kind;
    /* of KILL, SUSPEND, RESUME, SIGNAL, FORGET, and of a LAUNCH that was read */
    struct base_container_id container;
    struct base_app_id app; /* CLEANUP_APP */
    const char *reason;     /* of KILL, RESYNC, SHUTDOWN; NULL: none */
    int64_t grace_ms;       /* KILL */
    enum base_signal_command signal;
    bool keep_logs; /* CLEANUP_APP */
    struct wire_launch launch;
    char *refused; /* reading: why the launch cannot be carried out; NULL: it can; owned */
};

struct wire_answer {
    int64_t epoch, response_id, heartbeat_ms;
    int64_t rm_instance_ms; /* when this RM was started */
    int64_t cluster_ts_ms;  /* in the answer to a registration: the cluster's timestamp */
    const char *cluster_name, *version; /* in the answer to a registration; NULL: none */
    /* what an operator has given the node in place of the resources that it has registered */
    bool resource_given;
    int64_t given_memory_mb, given_vcores;
    struct wire_hadoop_keys hadoop_keys; /* in the answer to a registration */
    /* set when an answer is read */
    struct wire_order *orders;
    size_t orders_n;
    size_t bad; /* number of orders that were skipped; bad_err: why the first one was */
    struct base_error bad_err;
    json_t *root;
};

/* An answer is written in three steps, so that a long list of orders need not be built first. */
void wire_answer_open(const struct wire_answer *a, struct base_buf *out);
void wire_order_put(const struct wire_order *o, struct base_buf *out);
void wire_answer_close(struct base_buf *out);
/* Reads an answer. @grace_ms: the grace of KILL orders that name none. Returns 0, or a negative
 * BASE_E*: then @a owns nothing. */
int wire_answer_get(const char *text, size_t len, int64_t grace_ms, struct wire_answer *a,
                    struct base_error *err);
void wire_answer_free(struct wire_answer *a);

/* Reads a launch order, or launch.json, for the node. @order is borrowed and must outlive @l. Of
 * the spec only the members that maps and reduces share and the split are read, and mistakes in it
 * are ignored: creel-task reads the whole spec and reports them. Returns 0, or a negative BASE_E*:
 * then @l owns nothing. */
int wire_launch_get(const json_t *order, struct wire_launch *l, struct base_error *err);
/* Reads the same order for creel-task: kind (map, reduce or a step), task, attempt, token and the
 * whole spec; spec.job is the order's "app" when the spec has no job. Returns 0 or a negative
 * BASE_E*: then @l owns nothing. @order must outlive @l. */
int wire_task_launch_get(const json_t *order, struct wire_launch *l, struct base_error *err);
void wire_launch_free(struct wire_launch *l);

/* Returns the name of a step, which its containers have as their task, such as "setup". */
const char *wire_job_step_name(enum base_job_step step);
/* Returns the step of this name; BASE_STEP_NONE: there is none. */
enum base_job_step wire_job_step_find(const char *name);
/* Returns the name of a kind of order, such as "cleanup-app". */
const char *wire_order_name(enum base_order_kind kind);
/* YARN's names of enum base_signal_command, NULL at the end. */
extern const char *const wire_signal_words[];

#endif

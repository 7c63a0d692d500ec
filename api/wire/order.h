/* api/wire/order.h - what the ResourceManager answers a node's registration or heartbeat: its
 * epoch, and orders.
 *
 * The answer is a JSON object; "orders" is a list of objects of which "type" says the kind. An
 * order that cannot be read is skipped and counted, the others hold; a launch whose container can
 * still be told is kept with the reason of its refusal, so that the RM hears of that container's
 * end. A launch order is kept by its node as launch.json, and read from there after a restart and
 * by creel-task.
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

#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/order_kind.h"

#define WIRE_ORDERS_MAX 100000

/* What creel-task does: the part "spec" of a launch of a map or a reduce. */
struct wire_split {
    const char *path;
    int64_t offset, length;
    bool gzip;
};
struct wire_task_spec {
    const char *job; /* the application's id */
    int32_t index, attempt;
    int32_t reduces;     /* of a map: partitions to make; 0: the map commits its output */
    int32_t maps;        /* of a reduce */
    const char *command; /* written as "map" or "reduce", as the launch's kind says; NULL: identity,
                            reduces alone */
    const char *combine; /* NULL: none */
    struct wire_split split; /* of a map */
    const char *output;      /* the job's output folder; NULL: not needed */
    bool job_commits;        /* the job's commit moves the part to its place */
    const char *rm; /* URLs of all ResourceManagers, separated by commas; NULL: not needed */
    int32_t sort_buffer_mb;
};

struct wire_launch {
    struct base_container_id container;
    struct base_app_id app;
    const char *user, *name, *token; /* the application's token */
    enum base_task_kind slot;
    enum base_container_kind kind;
    int64_t memory_mb, vcores, allocation_request_id;
    int32_t priority;
    const char *const *env; /* NAME=VALUE */
    size_t env_n;
    const char *task; /* of maps, reduces and a job's commands: the task's id; NULL: none */
    int32_t task_attempt;
    const char *command;      /* of commands and masters */
    const char *master_token; /* NULL: none */
    int64_t log_max_bytes;    /* 0: as the node is configured */
    struct wire_task_spec spec;

    const json_t *source; /* the order that was read, all its members; borrowed */
    char **owned_env;
};

struct wire_order {
    enum base_order_kind kind;
    struct base_container_id container; /* KILL, SUSPEND, RESUME, FORGET, LAUNCH */
    struct base_app_id app;             /* CLEANUP_APP */
    const char *reason;                 /* KILL, RESYNC, SHUTDOWN; NULL: none */
    int64_t grace_ms;                   /* KILL */
    bool keep_logs;                     /* CLEANUP_APP */
    struct wire_launch launch;
    char *refused; /* reading: why the launch cannot be carried out; owned */
};

struct wire_answer {
    int64_t epoch, response_id, heartbeat_ms;
    int64_t rm_instance_ms;             /* when this RM was started */
    int64_t cluster_ts_ms;              /* of a registration: the cluster's timestamp */
    const char *cluster_name, *version; /* of a registration; NULL: none */
    /* reading */
    struct wire_order *orders;
    size_t orders_n;
    size_t bad; /* orders that were skipped, and the first one's reason */
    struct base_error bad_err;
    json_t *root;
};

/* Writing is in three steps, so that no list of a thousand launches need be put together first. */
void wire_answer_open(const struct wire_answer *a, struct base_buf *out);
void wire_order_put(const struct wire_order *o, struct base_buf *out);
void wire_answer_close(struct base_buf *out);
/* @grace_ms: of KILL orders that name none. After an error nothing is left to be freed. */
int wire_answer_get(const char *text, size_t len, int64_t grace_ms, struct wire_answer *a,
                    struct base_error *err);
void wire_answer_free(struct wire_answer *a);

/* A launch order as the node keeps it, in launch.json. @order is borrowed and must outlive @l. Of
 * the spec only index and split are read, if they can be: the node starts creel-task in any case,
 * which says what is wrong. */
int wire_launch_get(const json_t *order, struct wire_launch *l, struct base_error *err);
/* The same order as creel-task needs it: kind (map or reduce), task, attempt, token and the whole
 * spec; spec.job is the order's "app" when the spec has none. Nothing in @l is owned. */
int wire_task_launch_get(const json_t *order, struct wire_launch *l, struct base_error *err);
void wire_launch_free(struct wire_launch *l);

const char *wire_order_name(enum base_order_kind kind); /* "cleanup-app" */

#endif

/* rm/core/state.h - everything the core knows: the objects, and what holds them together. Only
 * files of rm/core include this. Each object has a header of its own; a file that calls another
 * one's functions includes that one's header. */
#ifndef CREEL_RM_CORE_STATE_H
#define CREEL_RM_CORE_STATE_H

#include "policies/common/delay.h"
#include "policies/common/queues.h"
#include "policies/policy.h"
#include "rm/core/acks.h"
#include "rm/core/app/app.h"
#include "rm/core/app/container.h"
#include "rm/core/app/queues.h"
#include "rm/core/core.h"
#include "rm/core/job/task.h"
#include "rm/core/master/ask.h"
#include "rm/core/master/attempt.h"
#include "rm/core/node/node.h"
#include "rm/core/node/orders.h"
#include "rm/core/step_memory.h"

/* Distinct hosts and users that submissions may name. Beyond it a host counts as any host, and
 * further users share one name. */
#define RM_NAMES_MAX 100000
/* In microseconds: some 36,000 years. Sums of a few such times do not overflow. */
#define RM_TIME_MAX   (INT64_MAX / 8)
#define RM_PRUNE_STEP 256 /* records of ended jobs removed per step */

/* A record set aside while records are read back. */
struct rm_stash {
    const char *table;
    char *key;
    char *data;
    size_t len;
    char *why; /* of a damaged record: what is wrong */
};

struct rm_core {
    struct rm_core_conf conf;
    char *policy_name;
    int64_t now_us;
    struct rm_effects *out;
    struct rm_step_arena scratch; /* texts and arrays of one step's effects */
    struct rm_effect nobody;      /* dummy reply where nobody waits; written, never read */
    struct base_buf text;         /* the record being composed */
    uint64_t seq, stored;
    struct rm_ack *acks;
    size_t acks_head, acks_n, acks_cap;
    int32_t next_app;
    /* tables */
    struct base_map apps_by_id, containers_by_id, nodes_by_id;
    struct rm_app **apps; /* sorted by id */
    size_t apps_n, apps_cap;
    struct rm_node **nodes; /* by index; NULL: forgotten, with the index in nodes_free */
    size_t nodes_n, nodes_cap;
    uint32_t *nodes_free;
    size_t nodes_free_n, nodes_free_cap;
    uint64_t nodes_born;
    struct rm_node *gone, *gone_last; /* nodes to be forgotten, the longest gone first */
    size_t gone_n;
    struct rm_timer gone_timer;
    bool loading;            /* records are being read: no node is forgotten */
    struct rm_queue *queues; /* parallel to tree.v */
    size_t queues_n;
    struct rm_names hosts, racks, users;
    uint32_t *host_rack; /* rack of each host; RM_NONE: unknown */
    size_t host_rack_n;
    uint64_t rack_stamp; /* incremented when a host changes its rack */
    struct rm_pool containers;
    /* Launch sent, not yet reported; oldest first. */
    struct rm_container *unstarted, *unstarted_last;
    struct rm_timer unstarted_timer, policy_timer;
    struct rm_app *finished, *finished_last;
    size_t finished_n;
    int64_t finished_bytes; /* sum of kept_bytes of ended applications */
    int64_t finished_light; /* the same without their tasks */
    struct rm_app *heavy;   /* the oldest ended job that may still have tasks; NULL: none */
    struct rm_timer trim_timer;
    bool trim_due; /* an ended application may have become removable */
    struct rm_app *master_wait, *master_wait_last;
    int64_t masters_active;
    int32_t awaited;               /* recovered nodes that have neither registered nor expired */
    int64_t masters_wait_until_us; /* until then masters may not register again */
    struct rm_timer grace_timer;
    int64_t spared_until_us; /* no node expires before this time */
    /* Is the store another cluster's? See rm/core/record/confirm.c. */
    enum rm_format { RM_FORMAT_UNKNOWN, RM_FORMAT_NEW, RM_FORMAT_CONFIRMED } format;
    bool format_old;    /* written by an earlier version */
    int32_t refused_n;  /* nodes currently refused */
    int64_t epoch_seen; /* highest epoch that a refused node has obeyed */
    char *refused_text; /* why the last node was refused */
    /* offers */
    struct rm_node *free_first[BASE_TASK_KINDS][RM_FREE_BUCKETS];
    struct rm_node *free_last[BASE_TASK_KINDS][RM_FREE_BUCKETS];
    int32_t runnable[BASE_TASK_KINDS];  /* applications with pending demand for the kind */
    int32_t suspended[BASE_TASK_KINDS]; /* suspended attempts on all nodes */
    bool offer_all[BASE_TASK_KINDS];
    bool preempt_all;   /* work arrived for which held nodes may have to make room */
    size_t preempt_at;  /* node to start with, modulo their number */
    size_t policy_jobs; /* applications that the policy knows */
    uint64_t round;
    struct rm_node **dirty;
    size_t dirty_n, dirty_cap;
    int32_t live_nodes[BASE_TASK_KINDS]; /* RUNNING nodes with slots of the kind */
    struct policy_capacity capacity;
    const struct policy_ops *ops;
    struct policy *policy;
    struct policy_env env;
    struct policy_conf options;
    struct policy_learned learned;
    struct policy_queues tree;
    struct policy_plan plan;
    struct delay delay;
    double slowstart; /* in force */
    int64_t colo_wait_us;
    uint64_t host_table; /* id of the table that host_keys maps; 0: none */
    uint32_t *host_keys;
    size_t host_keys_n;
    int32_t faults;
    bool fell_back;
    /* timers */
    struct rm_timers timers;
    int64_t wake_us;         /* requested wake-up; 0: none */
    bool recovering;         /* set inside rm_core_finish_recovery */
    struct rm_names outputs; /* meanwhile: output folders of live jobs */
    /* During recovery: lists of splits (struct rm_stash by key) until their job is read. */
    struct base_map splits;
    /* Records to be removed (rm/core/record/prune.c): of ended jobs, and orphans. */
    struct rm_app *prune, *prune_last;
    struct rm_stash **orphans;
    size_t orphans_n, orphans_cap, orphans_at;
    /* Damaged records, to be copied aside (rm/core/record/damage.h). */
    struct rm_stash **damaged;
    size_t damaged_n, damaged_cap;
    struct rm_job_spec *recover_job;
    struct rm_app_spec *recover_app;
    struct {
        int64_t assignments, heartbeats, events, overruled, fallbacks, submitted, completed, failed,
            killed;
        int64_t results[RM_RESULTS]; /* of ended applications */
        int64_t suspended, resumed, preempted;
    } stats;
};

#endif

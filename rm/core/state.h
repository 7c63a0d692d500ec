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

/* Hosts and users that submissions may name; more hosts: any, more users: one. */
#define RM_NAMES_MAX  100000
/* Microseconds: some 36,000 years; sums of a few such times fit. */
#define RM_TIME_MAX   (INT64_MAX / 8)
#define RM_PRUNE_STEP 256             /* records of ended jobs that a step removes */

struct rm_core {
    struct rm_core_conf conf;
    char *policy_name;
    int64_t now_us;
    struct rm_effects *out;
    struct rm_arena_steps scratch; /* of the effects of one step */
    struct rm_effect nobody;       /* written, never read: a reply for which nobody waits */
    struct base_buf text;          /* of the record being written */
    uint64_t seq, stored;
    struct rm_ack *acks;
    size_t acks_head, acks_n, acks_cap;
    int32_t next_app;
    /* tables */
    struct rm_map apps_by_id, containers_by_id, nodes_by_id;
    struct rm_app **apps; /* by id */
    size_t apps_n, apps_cap;
    struct rm_node **nodes; /* by index; NULL: forgotten, the index is in nodes_free */
    size_t nodes_n, nodes_cap;
    uint32_t *nodes_free;
    size_t nodes_free_n, nodes_free_cap;
    uint64_t nodes_born;
    struct rm_node *gone, *gone_last; /* nodes to be forgotten, longest gone first */
    size_t gone_n;
    struct rm_timer gone_timer;
    bool loading;            /* until all records are read: no node goes */
    struct rm_queue *queues; /* as many as the tree has */
    size_t queues_n;
    struct rm_names hosts, racks, users;
    uint32_t *host_rack; /* by host: rack, RM_NONE unknown */
    size_t host_rack_n;
    uint64_t rack_stamp; /* changes when a host's rack does */
    struct rm_pool containers;
    struct rm_container *unstarted, *unstarted_last; /* sent, not yet reported; oldest first */
    struct rm_timer unstarted_timer, policy_timer;
    struct rm_app *finished, *finished_last;
    size_t finished_n;
    int64_t finished_bytes; /* sum of kept_bytes */
    int64_t finished_light; /* what that would be without tasks */
    struct rm_app *heavy;   /* the oldest ended one that may have its tasks; NULL: none has */
    struct rm_timer trim_timer;
    bool trim_due; /* something may have become removable */
    struct rm_app *master_wait, *master_wait_last;
    int64_t masters_active;
    int32_t awaited;               /* recovered nodes of which nothing is known yet */
    int64_t masters_wait_until_us; /* for the awaited ones, with registering again */
    struct rm_timer grace_timer;
    int64_t spared_until_us; /* no node expires before */
    /* may the store be another cluster's? (rm/core/record/confirm.c) */
    enum rm_format { RM_FORMAT_UNKNOWN, RM_FORMAT_NEW, RM_FORMAT_CONFIRMED } format;
    bool format_old;    /* the store is of an earlier version */
    int32_t refused_n;  /* nodes that are refused */
    int64_t epoch_seen; /* the highest that a refused one has obeyed */
    char *refused_text; /* about the last one */
    /* offers */
    struct rm_node *free_first[BASE_TASK_KINDS][RM_FREE_BUCKETS],
        *free_last[BASE_TASK_KINDS][RM_FREE_BUCKETS];
    int32_t runnable[BASE_TASK_KINDS];  /* applications with pending tasks of the kind */
    int32_t suspended[BASE_TASK_KINDS]; /* attempts, over all nodes */
    bool offer_all[BASE_TASK_KINDS];
    bool preempt_all;   /* work has come for which held nodes may have to make room */
    size_t preempt_at;  /* modulo the number of nodes: the first to be looked at then */
    size_t policy_jobs; /* jobs and applications that the policy knows */
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
    uint64_t host_table; /* whose names host_keys has, 0: none */
    uint32_t *host_keys;
    size_t host_keys_n;
    int32_t faults;
    bool fell_back;
    /* timers */
    struct rm_timers timers;
    int64_t wake_us;         /* wished so far, 0: none */
    bool recovering;         /* inside rm_core_recovered */
    struct rm_names outputs; /* then: folders that belong to jobs that go on */
    /* Recovery: struct rm_stash by key, split lists until their job comes. */
    struct rm_map splits;
    /* records to be removed (rm/core/record/prune.c): of jobs that have ended, and those whose
     * application has gone */
    struct rm_app *prune, *prune_last;
    struct rm_stash {
        const char *table;
        char *key;
        char *data;
        size_t len;
        char *why; /* of a damaged record: what is wrong with it */
    } * *orphans;
    size_t orphans_n, orphans_cap, orphans_at;
    /* Records that did not read back, to be kept aside (rm/core/record/damage.h). */
    struct rm_stash **damaged;
    size_t damaged_n, damaged_cap;
    struct rm_job_spec *recover_job;
    struct rm_app_spec *recover_app;
    struct {
        int64_t assignments, heartbeats, events, overruled, fallbacks, submitted, completed,
            failed, killed;
        int64_t results[RM_RESULTS]; /* of those that have ended */
        int64_t suspended, resumed, preempted;
    } stats;
};

#endif

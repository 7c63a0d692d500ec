/* rm/core/state.h - the whole state of the core. Outside rm/core only tests include this header.
 * Each kind of object has a header of its own with its functions, which callers include too. */
#ifndef CREEL_RM_CORE_STATE_H
#define CREEL_RM_CORE_STATE_H

#include "policies/common/delay.h"
#include "policies/common/queues.h"
#include "policies/policy.h"
#include "rm/core/acks.h"
#include "rm/core/admin/hosts.h"
#include "rm/core/admin/labels.h"
#include "rm/core/admin/master_keys.h"
#include "rm/core/admin/tokens.h"
#include "rm/core/app/app.h"
#include "rm/core/app/container.h"
#include "rm/core/app/health.h"
#include "rm/core/app/queues.h"
#include "rm/core/app/totals.h"
#include "rm/core/core.h"
#include "rm/core/job/step/places.h"
#include "rm/core/job/task.h"
#include "rm/core/master/ask.h"
#include "rm/core/master/attempt.h"
#include "rm/core/master/master_slots.h"
#include "rm/core/master/waiting.h"
#include "rm/core/node/node.h"
#include "rm/core/node/orders.h"
#include "rm/core/node/reserved.h"
#include "rm/core/node/width.h"
#include "rm/core/queue/queue_conf.h"
#include "rm/core/reserve/reservation.h"
#include "rm/core/step_memory.h"

/* Bound on the distinct hosts that submissions may name, and on the distinct users. Beyond it a
 * host name is ignored (the task may run anywhere), and further users share one empty name. */
#define RM_NAMES_MAX 100000
/* Largest time in a record, in microseconds (some 36,000 years): sums of a few such times do not
 * overflow. */
#define RM_TIME_MAX   (INT64_MAX / 8)
#define RM_PRUNE_STEP 256 /* about so many obsolete records are removed per step */

/* A record set aside while records are read back: a list of splits, a damaged record, or an orphan,
 * of which only the key is needed. */
struct rm_stash {
    const char *table;
    char *key;
    char *data;
    size_t len;
    char *why; /* what is wrong with a damaged record; NULL for others */
};

struct rm_core {
    struct rm_core_conf conf;
    char *policy_name;
    int64_t now_us;
    struct rm_effects *out;
    struct rm_step_arena scratch; /* texts and arrays of one step's effects */
    struct rm_effect nobody;      /* returned for a reply without a token; never read */
    struct base_buf text;         /* the record being composed */
    uint64_t seq, stored;         /* numbers of the newest record and the newest durable one */
    struct rm_ack *acks;          /* ring of deferred work, see rm/core/acks.h */
    size_t acks_head, acks_n, acks_cap;
    int32_t next_app; /* sequence number of the newest application id of this instance */
    /* tables */
    struct base_map apps_by_id, containers_by_id, nodes_by_id;
    struct base_map user_apps; /* rm/core/queue/app_limits.c: live applications by user */
    struct rm_app **apps;      /* sorted by id */
    size_t apps_n, apps_cap;
    struct rm_app *live;    /* list of applications that have not been retired, newest first */
    struct rm_node **nodes; /* by index; NULL: forgotten, with the index in nodes_free */
    size_t nodes_n, nodes_cap;
    uint32_t *nodes_free;
    size_t nodes_free_n, nodes_free_cap;
    uint64_t node_changes;            /* how often nodes became usable or unusable */
    uint64_t nodes_born;              /* number of nodes created so far */
    struct rm_node *gone, *gone_last; /* list of nodes to be forgotten, the longest gone first */
    size_t gone_n;
    struct rm_timer gone_timer;
    struct rm_hosts listed;  /* hosts that may and may not have nodes */
    struct rm_labels labels; /* of nodes */
    struct rm_user_tokens tokens;
    struct rm_master_keys master_keys;
    struct rm_queue_conf queue_conf;
    struct rm_reservations reservations;
    bool decommission_due;   /* a node may have no more work to wait for: rm/core/admin */
    bool loading;            /* recovery has not finished: no node is forgotten */
    struct rm_queue *queues; /* parallel to tree.v */
    size_t queues_n;
    struct rm_members members;
    struct rm_names hosts, racks, users;
    uint32_t *host_rack; /* rack of each host; RM_NONE: unknown */
    size_t host_rack_n;
    uint64_t rack_stamp; /* incremented when a host changes its rack or a rack is removed */
    struct rm_pool containers;
    /* List of containers that no node has reported yet, oldest first. */
    struct rm_container *unstarted, *unstarted_last;
    struct rm_places places; /* of the steps of jobs */
    struct rm_timer unstarted_timer, policy_timer;
    struct rm_app *finished, *finished_last; /* list of ended applications, oldest first */
    size_t finished_n;
    int64_t finished_bytes; /* sum of kept_bytes of ended applications */
    int64_t finished_light; /* the same sum without tasks */
    struct rm_app *heavy;   /* the oldest ended application that may have tasks; NULL: none */
    struct rm_timer trim_timer;
    bool trim_due;                     /* an ended application may have become removable */
    struct rm_waiting masters_waiting; /* for map slots of nodes without a label, as next member */
    int64_t masters_active;            /* map slots of masters that run or may be placed there */
    uint64_t masters_arrived; /* masters that have waited for a turn: numbers their order */
    struct rm_master_slots master_slots;
    int32_t awaited; /* recovered nodes that have neither registered nor expired */
    /* Until this time, masters that register again wait for awaited nodes. */
    int64_t masters_wait_until_us;
    struct rm_timer grace_timer;
    int64_t spared_until_us; /* no node expires before this time */
    /* Whether the store is known to belong to this cluster: rm/core/record/confirm.c. */
    enum rm_format { RM_FORMAT_UNKNOWN, RM_FORMAT_NEW, RM_FORMAT_CONFIRMED } format;
    bool format_old;    /* the format record was written by an earlier version */
    int32_t refused_n;  /* nodes currently refused */
    int64_t epoch_seen; /* highest epoch that a refused node has obeyed */
    char *refused_text; /* why the last node was refused */
    /* offers: lists of nodes that could take a launch at once, by number of free slots */
    struct rm_node *free_first[RM_FREE_LISTS][RM_FREE_BUCKETS];
    struct rm_node *free_last[RM_FREE_LISTS][RM_FREE_BUCKETS];
    int32_t runnable[BASE_TASK_KINDS];   /* applications with pending demand for the kind */
    int32_t suspended[BASE_TASK_KINDS];  /* suspended attempts on all nodes */
    int32_t reserved_n[BASE_TASK_KINDS]; /* nodes that are reserved for wide requests */
    struct rm_lost lost[BASE_TASK_KINDS];
    /* Offer the free slots of all nodes with held heartbeats when this step finishes. */
    bool offer_all[BASE_TASK_KINDS];
    /* Work has arrived, or the policy or a job's queue has changed: preempt on nodes with held
     * heartbeats when this step finishes. */
    bool preempt_all;
    struct rm_due_allocate { /* an allocate request that this step answers when it finishes */
        struct rm_app *app;  /* NULL: none */
        uint64_t token;      /* of the request */
    } due_allocate;
    size_t preempt_at;      /* index of the node to start with, modulo the number of nodes */
    size_t policy_jobs;     /* applications that the policy knows */
    uint64_t round;         /* number of the current round of offers */
    struct rm_node **dirty; /* nodes whose held heartbeat may have to be answered in this step */
    size_t dirty_n, dirty_cap;
    int32_t live_nodes[BASE_TASK_KINDS]; /* RUNNING nodes with slots of the kind, for jobs */
    struct policy_capacity capacity;
    const struct policy_ops *ops;
    struct policy *policy;
    struct policy_env env;
    struct policy_conf options;
    struct policy_learned learned;
    struct policy_queues tree;
    struct policy_plan plan;
    struct delay delay;
    double slowstart;     /* the value in force: conf.slowstart, or 1 where the policy says so */
    int64_t colo_wait_us; /* how long a reduce waits for a node that had containers of its job */
    uint64_t host_table;  /* id of the table that host_keys maps; 0: none */
    uint32_t *host_keys;
    size_t host_keys_n;
    int32_t faults; /* times in a row that the policy named no job although work waited */
    bool fell_back; /* FIFO has replaced the configured policy */
    bool recording; /* offers may have to be recorded: rm/core/schedule/activity.h */
    struct rm_activities *activities; /* NULL: never requested */
    /* timers */
    struct rm_timers timers;
    int64_t wake_us; /* requested wake-up; 0: none */
    bool recovering; /* set inside rm_core_finish_recovery */
    /* During recovery: stored lists of splits (struct rm_stash by key) whose job is not read
     * yet. */
    struct base_map splits;
    /* What rm/core/record/prune.c removes: the records of the tasks and splits of ended jobs (a
     * list of these jobs), and orphaned records. */
    struct rm_app *prune, *prune_last;
    struct rm_stash **orphans;
    size_t orphans_n, orphans_cap, orphans_at;
    /* Damaged records to be copied to the table "damaged" (rm/core/record/damage.h). */
    struct rm_stash **damaged;
    size_t damaged_n, damaged_cap;
    struct rm_job_spec *recover_job; /* spec provided for the next app record, or NULL */
    struct rm_app_spec *recover_app; /* the same for a plain application */
    struct {
        int64_t assignments, heartbeats, events, overruled, fallbacks, submitted, completed, failed,
            killed;
        int64_t results[RM_RESULTS]; /* of ended applications */
        int64_t suspended, resumed, preempted;
        int64_t released_nodes; /* reservations of nodes for wide requests that have ended */
    } stats;
    struct rm_operation operations[RM_OPERATION_KINDS]; /* the last ones, for readers */
    struct rm_assigned assigned;
};

/* The functions that handle events, one for each row of RM_EVENTS. A handler makes the whole
 * change, emits its effects and answers ev->token, except that a heartbeat may be held;
 * finish_step() in rm/core/core.c does what follows from the change. */
#define X(name, handle, durable) void handle(struct rm_core *c, const struct rm_event *ev);
RM_EVENTS(X)
#undef X

#endif

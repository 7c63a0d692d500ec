/* rm/core/core.h - the deterministic scheduling core: the only place where cluster state changes.
 *
 *     event --> rm_core_step() --> effects (in order)
 *
 * Single-threaded. The core reads no clock, opens no file, starts no thread and draws no
 * randomness. Equal inputs give byte-equal effects on every machine. Daemon and simulator run the
 * same object code.
 *
 * Durability. An effect RM_FX_STORE carries a record and a sequence number that grows by 1. The
 * shell releases an effect with after_seq = S > 0 (a reply, the answer to a heartbeat, the removal
 * of unfinished output) only when the store has everything up to S, and reports what is stored with
 * RM_EV_STORED. Only then is an application accepted, or shown in its final state, is a master
 * launched, is the output of a job committed, and is a node ordered to forget an ended container
 * that the core knows.
 *
 * Recovery. rm_core_new(), rm_core_recover_record() for every stored record,
 * rm_core_finish_recovery(), then events. A node is granted nothing before it has registered with
 * this instance; its container reports re-attach running work.
 *
 *   Nodes: every stored node that was not gone (lost, shut down) is awaited. It has node_expiry_us
 *     of this instance's clock to register.
 *
 *   Jobs: no task of a stored job is started until all awaited nodes have registered or expired,
 *     or takeover_grace_us has passed, since its tasks may be running on them. With a grace period
 *     this includes jobs without a recorded start: a task is ordered before its record is durable,
 *     and the record may have been lost with the quorum. Without a grace period such jobs go on at
 *     once, so that a dead node does not delay them until it expires; a job with a deadline is
 *     still admitted only when the cluster's slots are known.
 *
 *   Masters: a master on a silent node is waited for until the node or the master expires; an
 *     application never has two masters. The command "resync" asks a running master to register
 *     again, as after a work-preserving restart in YARN. Before that, its asks and releases are
 *     ignored, but it may finish. It may register when all awaited nodes are known or
 *     takeover_grace_us (0: 5 s) has passed; until then it gets -BASE_EAGAIN. The answer to the
 *     registration lists all containers of the master, including those that the master never
 *     learned of, since the announcing answer was lost, and ended ones whose ends it has not
 *     acknowledged. Any other container that the master remembers was lost with orders or nodes; a
 *     container that a late node still reports is announced like a new one. The master has to ask
 *     again for what it wants in addition to the listed containers, and the numbers of answers
 *     start again.
 *
 *   Tasks: after the grace period, a task that no node has reported is started again. Its
 *     attempts are numbered from 1000 x (this epoch - epoch of the submission) at least, as those
 *     of a restarted MapReduce master from 1000 x (its attempt - 1): no number, hence no temporary
 *     folder, is used twice. A task with an earlier attempt that was allowed to commit is withheld
 *     until every awaited node is known, since that attempt may be committing.
 *
 *   Late reports: an attempt that a late node reports goes on when the task is idle. It also goes
 *     on when no node has reported the attempt that was started in the meantime, which is then
 *     killed. A late attempt that has succeeded counts, and the other one is killed. Neither holds
 *     once the other attempt has the right to commit. In every other case the reported attempt is
 *     killed.
 *
 *   Times: records written by another host may carry times in the future. Those of live work are
 *     moved back to now.
 *
 * Expiry. A node expires after node_expiry_us of silence. If at that moment more than half of the
 * nodes (awaited or registered) have been silent for half of that time or longer, this instance
 * is more likely cut off itself: no node expires for one more period, once per silence. When more
 * than half of the nodes are lost together, such as the only node of a cluster or two nodes of
 * three, the loss is therefore found only after two periods.
 *
 * Wrong store. A store without any application may belong to another cluster, or have been lost.
 * Until that is ruled out (by format_confirmed, or by applications in a store of an earlier
 * version), a node that is new to the store and runs containers of an unknown application is
 * refused with -BASE_ESTATE, and nothing is killed. While the store knows no application,
 * RM_FX_UNCONFIRMED reports this, and submissions are refused until all such nodes have registered
 * without these containers or have been silent for node_expiry_us. A node that has obeyed a higher
 * epoch than this instance's is refused in the same way; with format_confirmed, RM_FX_EPOCH_LOW
 * asks for a higher epoch.
 *
 * Errors. rm_core_step cannot fail; a bad request becomes an RM_FX_REPLY carrying the error.
 *
 * Ownership. The event and all it points to belong to the caller and are only read, except what is
 * marked "taken": refcounted specs and launch contexts, of which the core takes one reference, and
 * queue trees, which it empties. Effects point into memory that stays valid until the next
 * rm_core_step() or rm_core_free(); specs can be kept for longer by referencing them. */
#ifndef CREEL_RM_CORE_CORE_H
#define CREEL_RM_CORE_CORE_H

#include "base/order_kind.h"
#include "policies/common/learned.h"
#include "policies/common/queues.h"
#include "policies/conf.h"
#include "rm/core/queue/change.h"
#include "rm/core/types.h"

struct rm_core;

/* Settings that have one configuration key each: type, member, key, and the factor from the key's
 * unit to the member's. The core itself reads no configuration: rm/leader/leadership.c fills these
 * members from the keys, the simulator from its own settings. A new setting needs a line here and
 * one in base/conf/conf_keys.c. */
#define RM_CORE_KEYS(X)                                                                            \
    X(int64_t, node_expiry_us, "yarn.nm.liveness-monitor.expiry-interval-ms", 1000)                \
    X(int64_t, heartbeat_us, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 1000)      \
    X(int64_t, am_expiry_us, "yarn.am.liveness-monitor.expiry-interval-ms", 1000)                  \
    X(int64_t, allocation_expiry_us,                                                               \
      "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", 1000)                     \
    /* How often the keys of masters' tokens are replaced: of AMRM, NM and container tokens. */    \
    X(int64_t, amrm_roll_us, "yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs", \
      1000000)                                                                                     \
    X(int64_t, nm_roll_us, "yarn.resourcemanager.nm-tokens.master-key-rolling-interval-secs",      \
      1000000)                                                                                     \
    X(int64_t, container_roll_us,                                                                  \
      "yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs", 1000000)           \
    X(int32_t, am_attempts_max, "yarn.resourcemanager.am.max-attempts", 1)                         \
    /* Highest priority of a plain application; a higher one is cut to it. */                      \
    X(int32_t, app_priority_max, "yarn.cluster.max-application-priority", 1)                       \
    X(int32_t, task_attempts_max, "creel.mapreduce.max-attempts", 1)                               \
    /* How long an attempt of a job's setup, commit or abort may take; 0: no limit. */             \
    X(int64_t, step_timeout_us, "creel.job.step-timeout-ms", 1000)                                 \
    /* Most applications of one queue and of one user that have not ended; 0: no limit. */         \
    X(int32_t, queue_apps_max, "creel.rm.max-apps-per-queue", 1)                                   \
    X(int32_t, user_apps_max, "creel.rm.max-apps-per-user", 1)                                     \
    X(int32_t, completed_apps_max, "yarn.resourcemanager.max-completed-applications", 1)           \
    /* Bound on the memory of ended applications, in bytes as the core estimates them; 0: none.    \
     * Beyond it the oldest jobs keep only their sums, then the oldest applications are removed.   \
     * This bound does not affect applications that ended within the last minute. */               \
    X(int64_t, completed_bytes_max, "creel.rm.max-completed-mb", 1 << 20)                          \
    /* When to forget a node that is gone (LOST, SHUTDOWN ...) and that no live application or     \
     * container refers to, with its record: after this time, or when there are more such nodes    \
     * than gone_nodes_max, the longest gone first. The node is then no longer shown, and is a new \
     * node when it registers again. 0: no bound. */                                               \
    X(int64_t, gone_nodes_us, "creel.rm.forget-nodes-ms", 1000)                                    \
    X(int32_t, gone_nodes_max, "creel.rm.max-gone-nodes", 1)                                       \
    /* How long a reader waits for the rounds of offers that it has asked to be recorded. */       \
    X(int64_t, activities_wait_us, "creel.rm.activities-wait-ms", 1000)                            \
    X(int64_t, kill_grace_ms, "creel.nodemanager.kill-grace-ms", 1)

/* A key of the tokens of masters (rm/core/admin/master_keys.h). */
#define RM_MASTER_KEY_BYTES      20
#define RM_MASTER_KEY_SECRET_MAX 32 /* with the NUL */
/* NodeManagers of Hadoop, which cannot prove who they are, get keys of their own: with those of
 * Creel's nodes they could make tokens that these accept. */
enum rm_master_key_kind {
    RM_KEY_AMRM,
    RM_KEY_NM,
    RM_KEY_CONTAINER,
    RM_KEY_HADOOP_NM,
    RM_KEY_HADOOP_CONTAINER,
    RM_MASTER_KEYS
};
struct rm_master_key {
    int32_t id; /* in tokens; any number */
    /* Names the key of the cluster's secret from which the key is derived with the salt; "": there
     * is no secret, and the salt is the key itself. */
    char secret[RM_MASTER_KEY_SECRET_MAX];
    unsigned char salt[RM_MASTER_KEY_BYTES];
    unsigned char bytes[RM_MASTER_KEY_BYTES]; /* the key */
};

struct rm_core_conf {
    int64_t cluster_ts_ms;                /* start time of this instance, part of new app ids */
    int64_t rm_instance_ms;               /* instance identifier */
    int64_t epoch;                        /* 0 on a fresh store; container ids carry it */
    const char *policy;                   /* name for policy_find(); NULL: "fifo" */
    const struct policy_conf *options;    /* options of policies; NULL: defaults */
    const struct policy_learned *learned; /* statistics of tasks that ran before; NULL: none */
    /* No record is written, unfinished output is not removed, and policies that need what only a
     * simulation knows are accepted. */
    bool simulation;
    /* Called for size_factor in struct policy_env, with @size_factor_ctx as its context; NULL: the
     * factor is 1. */
    double (*size_factor)(void *ctx, const struct policy_job *job, enum base_task_kind kind);
    void *size_factor_ctx;
    const char *queues; /* comma-separated, besides "default"; "root.x" and "x" are the same */
    bool any_queue;     /* with @queues: a submission that names none of them goes to "default" */
    /* The queue tree, used instead of @queues; taken (emptied). NULL: @queues. */
    struct policy_queues *tree;
    /* The configuration of the queues that clients may change: in force unless a stored record has
     * another configuration, whose queues then replace @tree or @queues. NULL: clients cannot
     * change it. */
    const struct rm_properties *queue_conf;
    /* Refuse submissions to queues whose ACLs do not name the user (yarn.acl.enable). */
    bool checks_queue_acls;
    /* Nodes aggregate the logs of ended applications (rm/core/logs/log_reports.h). */
    bool aggregates_logs;
    bool closed_queues; /* nobody administers the root queue unless configured */
#define X(type, name, key, factor) type name;
    RM_CORE_KEYS(X)
#undef X
    /* Share of the maps that must be done before reduces start; policies with reduces_last use
     * 1. */
    double slowstart;
    struct rm_res slot_res[BASE_TASK_KINDS]; /* memory and vcores of one slot of each kind */
    /* A container takes enough slots for its vcores, too; false: for its memory alone. */
    bool slots_by_vcores;
    /* Longest time for which jobs are held for awaited nodes; 0: until each has registered or
     * expired. */
    int64_t takeover_grace_us;
    /* The steps of jobs with an output folder run in containers on nodes (rm/core/job/step/step.h),
     * and their submissions come without splits. If false, as in simulations, the shell carries out
     * the effects RM_FX_JOB_*, and submissions have their splits. */
    bool steps_on_nodes;
    /* Remove the records of an ended job's tasks. RM_FX_HISTORY is emitted first; it may be missing
     * for a job whose end was recorded by an earlier instance. */
    bool prune_ended;
    /* The option --format-confirmed: the store is the right one, so containers that it does not
     * know are killed. */
    bool format_confirmed;
    /* Masters or NodeManagers may speak Hadoop RPC: masters get tokens, nodes keys. @new_keys: used
     * where the store has none; their ids and salts are random. */
    bool hands_out_keys;
    struct rm_master_key new_keys[RM_MASTER_KEYS];
    /* Called with @derive_key_ctx to compute a stored key from its kind, id, salt and secret.
     * Returns false when the secret has no such key. NULL: keys have no secret. */
    bool (*derive_key)(void *ctx, enum rm_master_key_kind kind, const struct rm_master_key *key,
                       unsigned char out[static RM_MASTER_KEY_BYTES]);
    void *derive_key_ctx;
};

/* ---------------------------------------------------------------- events */
/* Every event: its name, the function of rm/core that handles it, and whether it is refused at once
 * while the store cannot write, since its sender would wait until the change is durable. */
#define RM_EVENTS(X)                                                                               \
    /* the time of the last RM_FX_WAKE has come, or has passed */                                  \
    X(TIMER, rm_core_ignore_timer, false)                                                          \
    /* everything up to u.stored.seq is durable */                                                 \
    X(STORED, rm_core_on_stored, false)                                                            \
    /* reply: app_id */                                                                            \
    X(NEW_APP_ID, rm_core_on_new_app_id, false)                                                    \
    X(SUBMIT_JOB, rm_job_on_submit, true)                                                          \
    X(SUBMIT_APP, rm_plain_app_on_submit, true)                                                    \
    X(KILL_APP, rm_app_on_kill, true)                                                              \
    /* Move the application to another queue, while ACCEPTED or RUNNING; reply: OK, released once  \
     * the move is durable. */                                                                     \
    X(MOVE_APP, rm_app_on_move, true)                                                              \
    /* Change the priority; reply: OK, with the priority now in force, released once it is         \
     * durable. */                                                                                 \
    X(SET_PRIORITY, rm_app_on_set_priority, true)                                                  \
    /* Change when the application will be killed; reply: OK, with the time now in force, released \
     * once it is durable. */                                                                      \
    X(SET_LIFETIME, rm_app_on_set_lifetime, true)                                                  \
    /* Send a signal to a container's processes; reply: OK when the order is queued. */            \
    X(SIGNAL_CONTAINER, rm_container_on_signal, false)                                             \
    /* The shell has carried out the launch of a container on a NodeManager of Hadoop, or could    \
     * not; no reply. */                                                                           \
    X(START_ENDED, rm_container_on_start_ended, false)                                             \
    /* Answers RM_FX_JOB_SETUP: the shell made the output folder, or failed. */                    \
    X(JOB_SET_UP, rm_job_on_set_up, false)                                                         \
    /* answers RM_FX_JOB_COMMIT */                                                                 \
    X(JOB_COMMITTED, rm_job_on_committed, false)                                                   \
    /* Answers RM_FX_JOB_ABORT, whether or not the folder could be cleared. */                     \
    X(JOB_ABORTED, rm_job_on_aborted, false)                                                       \
    /* The setup of a job reports splits, a page at a time; reply: SPLITS, which for the last page \
     * is released once all are durable. */                                                        \
    X(JOB_SPLITS, rm_job_on_splits, true)                                                          \
    /* The attempt of a job's commit asks whether it may move parts; reply: u.reply.flag, released \
     * once that is durable. */                                                                    \
    X(JOB_MAY_COMMIT, rm_job_on_may_commit, true)                                                  \
    /* Kill an attempt of a task, which does not count as its failure; reply: OK when the order is \
     * queued, or the attempt does not run. Error: -BASE_ENOTFOUND. */                             \
    X(KILL_ATTEMPT, rm_task_on_kill_attempt, false)                                                \
    /* a task attempt asks whether it may commit; reply: u.reply.flag */                           \
    X(TASK_COMMIT, rm_task_on_commit_request, true)                                                \
    /* a reduce could not fetch the output of a map */                                             \
    X(FETCH_FAILURE, rm_task_on_fetch_failure, false)                                              \
    X(NODE_REGISTER, rm_node_on_register, false)                                                   \
    X(NODE_HEARTBEAT, rm_node_on_heartbeat, false)                                                 \
    /* answer the node's parked heartbeat now */                                                   \
    X(NODE_WAKE, rm_node_on_wake_parked_heartbeat, false)                                          \
    /* the node unregisters, since it shuts down cleanly */                                        \
    X(NODE_GONE, rm_node_on_unregister, false)                                                     \
    /* The lists of hosts were read again: nodes that are not allowed any more are decommissioned, \
     * nodes that are allowed again go on. Reply: OK, released once that is durable. */            \
    X(REFRESH_NODES, rm_nodes_on_refresh, true)                                                    \
    /* The node gets these resources in place of its registered slots; reply: OK, released once    \
     * that is durable. Error: -BASE_ENOTFOUND for a node that is unknown or gone. */              \
    X(NODE_RESOURCE, rm_node_on_resource, true)                                                    \
    /* Labels are added or removed, or nodes get other labels; reply: OK, released once that is    \
     * durable. Errors: -BASE_EINVAL with YARN's message, -BASE_ELIMIT. */                         \
    X(SET_LABELS, rm_labels_on_set, true)                                                          \
    /* A user gets a token, or one is revoked; reply: OK, released once that is durable. Errors:   \
     * -BASE_ENOTFOUND, -BASE_ELIMIT when there are too many, -BASE_EEXIST. */                     \
    X(SET_TOKEN, rm_tokens_on_set, true)                                                           \
    /* Sent often, with new keys for the tokens of masters, which replace those that are due (see  \
     * rm/core/admin/master_keys.h); no reply. */                                                  \
    X(ROLL_MASTER_KEYS, rm_master_keys_on_roll, false)                                             \
    /* Reply: app_id, the id of a new reservation, which nothing else knows of yet. Error:         \
     * -BASE_EINVAL when the policy promises nothing to reservations. */                           \
    X(NEW_RESERVATION_ID, rm_reservation_on_new_id, false)                                         \
    /* Reply: OK, released once the reservation is durable; also when it exists already,           \
     * with the same definition. Errors: -BASE_EINVAL with YARN's message, -BASE_ELIMIT. */        \
    X(SUBMIT_RESERVATION, rm_reservation_on_submit, true)                                          \
    /* The same for an existing reservation, which stays as it was when the change is refused.     \
     * -BASE_ENOTFOUND: the reservation has ended. */                                              \
    X(UPDATE_RESERVATION, rm_reservation_on_update, true)                                          \
    X(DELETE_RESERVATION, rm_reservation_on_delete, true)                                          \
    /* The node gets no more containers, or gets them again; reply: OK, released once that is      \
     * durable. Error: -BASE_ENOTFOUND for an unknown node. */                                     \
    X(DRAIN_NODE, rm_node_on_drain, true)                                                          \
    X(AM_REGISTER, rm_master_on_register, true)                                                    \
    X(AM_ALLOCATE, rm_master_on_allocate, false)                                                   \
    X(AM_FINISH, rm_master_on_finish, true)                                                        \
    X(SET_POLICY, rm_policy_on_set, false)                                                         \
    X(SET_QUEUES, rm_queues_on_set, false)                                                         \
    /* Change the configuration of the queues; reply: OK, released once it is durable. Errors:     \
     * rm_queue_conf_compute_changed(). */                                                         \
    X(SET_QUEUE_CONF, rm_queue_conf_on_set, true)                                                  \
    /* Record what becomes of free slots (rm/core/schedule/activity.h); nothing is stored. */      \
    X(RECORD_ACTIVITIES, rm_activity_on_record_request, false)

/* The instance of a NodeManager of Hadoop, which names none and proves nothing, is this and the
 * address from which it calls: heartbeats from elsewhere are not its own, and cause no start of a
 * master there. The store tells by it which nodes are Hadoop's. */
#define RM_HADOOP_INSTANCE "hadoop "

enum rm_event_kind {
#define X(name, handle, durable) RM_EV_##name,
    RM_EVENTS(X)
#undef X
        RM_EV_KINDS
};

struct rm_log_report {
    struct base_app_id app;
    enum rm_log_state state; /* COPYING, FAILING or FAILED */
};
struct rm_container_report {
    struct base_container_id id;
    enum rm_container_state state; /* RUNNING, SUSPENDED or COMPLETED */
    enum base_task_kind slot;
    float progress; /* 0..1 */
    int32_t exit_code;
    const char *diagnostics;      /* NULL or text */
    int64_t started_us, ended_us; /* node's wall clock */
    int64_t cpu_ms, max_rss_kb;
    int64_t input_bytes, output_bytes; /* used when @counters is NULL */
    const int64_t *counters;           /* BASE_TASK_COUNTERS values or NULL */
    /* In registrations only: what re-attaching an unknown container needs. */
    bool has_task, master;
    struct base_task_id task;
    enum base_job_step step; /* step of the job that runs in the container */
    int32_t task_attempt, priority;
    int64_t allocation_request_id; /* of the ask for which the container was allocated */
    struct rm_res resource;
};
struct rm_listed_host { /* entry of a list of hosts */
    char *name;         /* of a host, or the id of one node */
    int64_t timeout_us; /* exclude list: for graceful decommissioning; negative: not given */
};
/* The hosts that may have nodes (none: all may), and those that may not. */
struct rm_host_lists {
    const struct rm_listed_host *include, *exclude;
    size_t include_n, exclude_n;
};
enum rm_labels_op { RM_LABELS_ADD, RM_LABELS_REMOVE, RM_LABELS_REPLACE };
#define RM_TOKEN_HEX 64 /* hex digits of a SHA-256 */
struct rm_label_change {
    const char *name; /* of the label; REPLACE: id of the node, "host:0" for a whole host */
    bool exclusive;   /* ADD: only requests with the label may use its nodes */
    const char *const *labels; /* REPLACE: the labels that the node has from now on */
    size_t labels_n;
};
/* One request of a reservation: @containers containers, each for duration_us, at least @width of
 * them at a time. */
struct rm_reservation_request {
    struct rm_res capability;
    int64_t containers, width, duration_us;
};
struct rm_ask {
    int32_t priority;
    int64_t allocation_request_id;
    const char *resource_name; /* host, rack or "*" */
    struct rm_res capability;
    int32_t containers; /* absolute count for (priority, id, name) */
    bool relax_locality;
    /* Label of the nodes for the group's containers; NULL: that of the application, "": none. With
     * a label, resource_name must be "*". */
    const char *label;
    uint32_t label_number;    /* set by the core, like the next members */
    enum base_task_kind slot; /* kind of the slots that each of the containers takes */
    int32_t slots;            /* number of these slots */
    /* Launch context; taken, may be NULL. The latest one given for the same priority and
     * allocation id is used. */
    struct rm_launch *launch;
};

struct rm_event {
    enum rm_event_kind kind;
    int64_t at_us;      /* must not go back (asserted) */
    uint64_t token;     /* of the request to be answered; 0: none */
    const char *caller; /* identity of the caller; NULL for daemons */
    union {
        struct {
            uint64_t seq;
        } stored;
        /* @spec is taken; with spec->id.seq == 0 the core assigns an id. @app_token: random hex
         * digits (64 at most) made by the shell, which become the application's access token and
         * are stored with it. */
        struct {
            struct rm_job_spec *spec;
            const char *app_token;
        } submit_job;
        /* As submit_job. Error of both: -BASE_EPERM when an ACL keeps the user from the queue. */
        struct {
            struct rm_app_spec *spec;
            const char *app_token;
        } submit_app;
        struct {
            struct base_app_id id;
            const char *diagnostics, *peer;
        } kill;
        /* @queue: a queue that takes applications ("x" and "root.x" are the same); NULL: no move,
         * but the answer waits until an earlier move is durable. Errors: -BASE_ENOTFOUND for an
         * unknown application; if @queue is not NULL, -BASE_ESTATE when the application is not
         * ACCEPTED or RUNNING, and -BASE_EINVAL for an unsuitable queue or a policy without
         * queues. */
        struct {
            struct base_app_id id;
            const char *queue;
        } move;
        /* A priority above app_priority_max is cut to it. An application that has ended, or is
         * ending, keeps its priority. Errors: -BASE_ENOTFOUND, and -BASE_ESTATE before
         * ACCEPTED. */
        struct {
            struct base_app_id id;
            int32_t priority;
        } priority;
        /* @end_us: wall clock. An application that has ended, or is ending, keeps its lifetime.
         * Errors: -BASE_ENOTFOUND, -BASE_ESTATE before SUBMITTED, -BASE_EINVAL for a time that has
         * passed. */
        struct {
            struct base_app_id id;
            int64_t end_us;
        } lifetime;
        /* Error: -BASE_ENOTFOUND when the container is unknown or has ended. */
        struct {
            struct base_container_id id;
            enum base_signal_command command;
        } signal;
        struct {
            struct base_container_id container;
            bool started;
            const char *why; /* it was not started */
        } start_ended;
        struct {
            struct base_task_id task;
            int32_t attempt;
        } kill_attempt;
        /* JOB_SET_UP, _COMMITTED, _ABORTED. */
        struct {
            struct base_app_id id;
            bool ok;
            const char *diagnostics;
        } job_done;
        struct {
            struct base_app_id id;
            int32_t attempt;
            struct rm_split_page *page; /* emptied */
        } job_splits;
        struct {
            struct base_app_id id;
            int32_t attempt;
        } job_may_commit;
        struct {
            struct base_task_id task;
            int32_t attempt;
        } task_commit;
        struct {
            struct base_app_id app;
            int32_t map, attempt;
            bool gone; /* the node answered that it no longer has the output */
            struct base_task_id reduce;
        } fetch_failure;
        struct {
            const char *node_id, *http_address, *rack, *host, *version, *boot_id, *instance;
            int32_t map_slots, reduce_slots;
            int32_t hadoop_port;  /* at which masters start containers by Hadoop RPC; 0: none */
            bool is_hadoop;       /* a NodeManager of Hadoop (rm/core/node/node.h) */
            int32_t master_slots; /* for masters alone: rm/core/master/master_slots.h */
            int64_t epoch_seen;
            /* Time of sending, on the node's clock since its boot; 0: unknown. A registration of a
             * registered or awaited node is answered with RM_REPLY_RESYNC if, within the same boot,
             * it was not sent after the last accepted request. */
            int64_t sent_us;
            const struct rm_container_report *reports;
            size_t reports_n;
            const struct base_app_id *apps; /* applications with folders on the node */
            size_t apps_n;
            const struct rm_log_report *logs; /* that are not copied yet */
            size_t logs_n;
            bool logs_more; /* there are others, too many to report */
        } node_register;
        struct {
            const char *node_id, *instance;
            int64_t response_id;
            bool healthy;
            const char *health_report;
            bool has_utilization; /* false: no new measurement */
            struct base_utilization utilization;
            int64_t hold_us; /* how long the answer may be held; 0: answer at once */
            int64_t sent_us; /* as above; resync if before the last accepted request */
            /* Position of the node in the order in which the core learned of its nodes, from 1
             * (that of a forgotten node goes to the next new one); 0: unknown. Saves a search by
             * id; a wrong hint costs only that search. */
            uint32_t node_hint;
            const struct rm_container_report *reports;
            size_t reports_n;
            const struct rm_log_report *logs; /* that are not copied yet */
            size_t logs_n;
            bool logs_more; /* there are others, too many to report */
        } heartbeat;
        struct {
            const char *node_id, *instance;
        } node; /* WAKE, GONE */
        /* @graceful: a node goes on until the applications that had containers on it have ended,
         * at most for @timeout_us (negative: without limit) or the time of its entry in the exclude
         * list. Otherwise its containers end at once. */
        struct {
            const struct rm_host_lists *lists;
            bool graceful;
            int64_t timeout_us;
        } refresh;
        /* SUBMIT, UPDATE, DELETE_RESERVATION; DELETE uses only the id, UPDATE not the queue.
         * @reservable: the queue may have reservations even if it does not say so itself.
         * @interpreter: a value of enum policy_interpreter, not yet checked. */
        struct {
            struct base_app_id id;
            const char *queue, *name, *recurrence; /* @name may be NULL */
            bool reservable;
            int32_t priority;
            int64_t arrival_us, deadline_us, interpreter;
            const struct rm_reservation_request *requests;
            size_t n;
        } reservation;
        struct {
            const char *node_id;
            bool drain;
        } drain;
        /* Both amounts are at least 0. @overcommit_us: how long containers that no longer have a
         * slot may go on before they are killed. 0: they are killed at once; negative: never. */
        struct {
            const char *node_id;
            int64_t memory_mb, vcores, overcommit_us;
        } node_resource;
        /* All changes are made, or none. */
        struct {
            enum rm_labels_op op;
            const struct rm_label_change *v;
            size_t n;
        } labels;
        /* A new token @id of @user: the SHA-256 of its secret, as RM_TOKEN_HEX hex digits in
         * @digest, and the time at which it expires. @digest NULL: the token @id is revoked. */
        struct {
            uint64_t id;
            const char *user, *digest;
            int64_t expires_us;
        } user_token;
        struct {
            const struct rm_master_key *fresh; /* RM_MASTER_KEYS of them, as in the conf */
        } roll_master_keys;
        struct {
            struct base_attempt_id attempt;
            const char *host, *tracking_url;
            int32_t rpc_port;
            /* The master speaks Hadoop RPC: it starts its containers itself, so it gets them on
             * nodes with a port of Hadoop RPC alone. */
            bool by_rpc;
        } am_register;
        struct {
            struct base_attempt_id attempt;
            int64_t response_id;
            float progress; /* 0..1 */
            const struct rm_ask *asks;
            size_t asks_n;
            const struct base_container_id *releases;
            size_t releases_n;
            /* hosts and racks from which the master wants no containers, and those from which it
             * wants them again */
            char *const *avoid, *const *admit;
            size_t avoid_n, admit_n;
        } am_allocate;
        struct {
            struct base_attempt_id attempt;
            enum rm_final_status status;
            const char *diagnostics, *tracking_url;
        } am_finish;
        struct {
            struct policy_queues *queues; /* taken (emptied) */
        } queues;
        /* Either a change, or a new configuration to replace the present one, or neither, which
         * changes nothing. Replacing also works where clients cannot change the configuration; the
         * new one is then not stored. */
        struct {
            const struct rm_conf_change *change;
            const struct rm_properties *whole;
        } queue_conf;
        /* What to record: the next round of @node_id; or with @next, of any node; for @for_us the
         * rounds in which application @app is offered a slot. For @log_us every round is logged.
         * With @rounds > 0 that many rounds are recorded, and the reply comes after the last of
         * them, or after activities_wait_us. */
        struct {
            const char *node_id;
            bool next;
            struct base_app_id app;
            int64_t rounds, for_us, log_us;
        } record;
        /* @options NULL: the present options stay in force. */
        struct {
            const char *name;
            const struct policy_conf *options;
        } policy;
    } u;
};

/* ---------------------------------------------------------------- effects */
enum rm_effect_kind {
    RM_FX_REPLY,     /* answer to a token */
    RM_FX_STORE,     /* write a record */
    RM_FX_HEARTBEAT, /* answer a registration or a (parked) heartbeat, with u.heartbeat */
    RM_FX_WAKE,      /* send RM_EV_TIMER at u.wake.at_us; replaces the earlier request */
    /* The next three only without steps_on_nodes. Make the job's output folder; answer with
     * RM_EV_JOB_SET_UP. */
    RM_FX_JOB_SETUP,
    /* Move the named parts to the output folder, write _SUCCESS, remove _temporary; answer with
     * RM_EV_JOB_COMMITTED. */
    RM_FX_JOB_COMMIT,
    /* Once the decision to end the job is durable, remove parts that an incomplete commit has
     * moved, _temporary, and the folder if it is then empty; answer with RM_EV_JOB_ABORTED. The job
     * ends only after that answer. */
    RM_FX_JOB_ABORT,
    /* The job's list of map outputs grew to u.map_output.version: parked readers can be
     * answered. */
    RM_FX_MAP_OUTPUT,
    RM_FX_NOTE, /* write u.note to the log, for the operator */
    /* The store knows no application, although a node runs containers or has obeyed a higher epoch:
     * this instance must not lead; nothing was changed. */
    RM_FX_UNCONFIRMED,
    /* Nodes have obeyed a higher epoch: this instance must take one above
     * u.epoch_low.epoch_seen. */
    RM_FX_EPOCH_LOW,
    RM_FX_HISTORY, /* with prune_ended: a job has ended; its tasks can still be read */
    /* An application has ended, and its record is stored: u.ended. Sent once; again only for an
     * end shortly before a restart. */
    RM_FX_APP_ENDED
};
enum rm_reply_kind {
    RM_REPLY_ERROR,
    RM_REPLY_OK,
    RM_REPLY_APP_ID,
    RM_REPLY_JOB,
    RM_REPLY_APP,
    RM_REPLY_KILL,
    RM_REPLY_FLAG,
    RM_REPLY_SPLITS,
    RM_REPLY_NODE_REGISTERED,
    RM_REPLY_AM_REGISTERED,
    RM_REPLY_ALLOCATED,
    RM_REPLY_RESYNC,
    RM_REPLY_AM_FINISHED
};

struct rm_order {
    enum base_order_kind kind;
    struct base_container_id container; /* not set for CLEANUP_APP, RESYNC, SHUTDOWN */
    struct base_app_id app;
    const char *reason;
    int64_t grace_ms;                /* KILL: time between SIGTERM and SIGKILL */
    enum base_signal_command signal; /* SIGNAL */
    /* The members below are for LAUNCH; they are borrowed, like all that effects point to. */
    enum base_task_kind slot;
    struct rm_res resource;
    int32_t priority;
    const char *user, *name, *token; /* of the application */
    /* who may see the application besides its user; NULL: not given */
    const char *acl_view;
    /* Of a job: set with @task, @task_attempt for a task, or with @step, @task_attempt for a step;
     * else NULL. */
    struct rm_job_spec *job;
    enum base_job_step step;
    struct base_task_id task;
    int32_t task_attempt;
    struct rm_launch *launch;             /* of the master, or of the ask; NULL for a task */
    int64_t allocation_request_id;        /* of the ask */
    bool master;                          /* the container runs an application's master */
    const struct rm_master_key *amrm_key; /* of a master, for its token; NULL: it gets none */
    /* which logs of a plain application are kept; NULL: not given */
    const char *log_include, *log_exclude;
    int64_t submit_us;    /* when the application was submitted */
    int32_t attempts_max; /* attempts that its master may have; 0 for a job */
};
struct rm_allocated {
    struct base_container_id id;
    const char *node_id, *node_http;
    int32_t priority;
    int64_t allocation_request_id;
    struct rm_res capability;
    int32_t hadoop_port; /* of the node; 0: none */
    bool is_hadoop;      /* the node is a NodeManager of Hadoop */
    int64_t created_us;
};
#define RM_AVOIDED_MAX 10000 /* hosts and racks that one attempt avoids */
/* What the tokens of a master are made with. */
struct rm_token_basis {
    const struct rm_master_key *nm_key, *container_key;               /* NULL: no tokens are made */
    const struct rm_master_key *hadoop_nm_key, *hadoop_container_key; /* for Hadoop's nodes */
    /* The master gets a new AMRM token with this key; NULL: the one that it has stays good. */
    const struct rm_master_key *amrm_key;
    const char *user; /* of the application */
    int64_t rm_instance_ms;
};
#define RM_GOOD_KEYS_MAX 3 /* of one kind: the current key, one before it, one after it */
struct rm_changed_node {   /* a node that has become usable, or is so no longer */
    const char *id, *http, *rack, *health_report;
    int32_t hadoop_port, containers;
    enum rm_node_state state;
    struct rm_res total, used;
};
struct rm_completed {
    struct base_container_id id;
    int32_t exit_status;
    const char *diagnostics;
};

/* Insert or replace (data != NULL) or remove the record (table, key). @data is the core's own
 * versioned text form (rm/core/record/record.h); an app record ends with the JSON of its spec. */
struct rm_record {
    const char *table; /* "app", "task", "node", "meta", "commit", "damaged" */
    const char *key;
    const char *data;
    size_t len;
};
struct rm_effect {
    enum rm_effect_kind kind;
    uint64_t token;     /* REPLY, HEARTBEAT */
    uint64_t after_seq; /* release when the store has everything up to here; 0: at once */
    union {
        struct {
            enum rm_reply_kind kind;
            int code;         /* ERROR: negative BASE_E* */
            const char *text; /* ERROR: message */
            struct base_app_id app_id;
            /* JOB, APP: the application is new, not a repeated submission. FLAG: whether the
             * attempt may commit. SPLITS: the attempt is the current one. OK to SET_LIFETIME: the
             * application has ended or is ending. KILL: the application had already ended.
             * AM_FINISHED: true. ERROR to AM_ALLOCATE: the response id is wrong. */
            bool flag;
            struct rm_token_basis tokens; /* AM_REGISTERED, ALLOCATED */
            enum rm_app_state app_state;  /* JOB, APP, KILL: the internal state now */
            /* OK to SET_PRIORITY and SET_LIFETIME: the value now in force. SPLITS: how many splits
             * the attempt has reported. */
            int64_t value;
            struct {
                struct rm_res max_capability;
                const char *queue, *acl_view, *acl_modify; /* the lists may be NULL */
                const struct rm_allocated *previous;
                size_t previous_n;
            } am;
            struct {
                int64_t response_id;
                const struct rm_allocated *allocated;
                size_t allocated_n;
                const struct rm_completed *completed;
                size_t completed_n;
                struct rm_res available;
                int32_t nodes;
                const struct rm_changed_node *changed;
                size_t changed_n;
                /* One container of each node for which the master gets a new NM token. */
                const struct rm_allocated *renewed;
                size_t renewed_n;
                int32_t priority;    /* of the application; 0 also if none was given */
                const char *command; /* NULL, "shutdown", "resync" */
            } allocate;
        } reply;
        struct {
            uint64_t seq;
            struct rm_record record;
        } store;
        struct {
            int64_t epoch, rm_instance_ms, cluster_ts_ms, response_id, interval_us;
            bool registered;     /* answers RM_EV_NODE_REGISTER, not a heartbeat */
            bool resource_given; /* by an operator, in place of what the node has registered */
            int64_t given_memory_mb, given_vcores;
            /* NM and container keys that are good, the current one first: when the node registers
             * and when they have changed, and always on a NodeManager of Hadoop, for launches. That
             * one gets the current key and one that waits, if there is one. NULL: the node gets
             * none. */
            const struct rm_master_key *nm_keys, *container_keys;
            size_t nm_keys_n, container_keys_n; /* at most RM_GOOD_KEYS_MAX */
            const struct rm_order *orders;
            size_t orders_n;
        } heartbeat;
        struct {
            int64_t at_us;
        } wake;
        /* JOB_SETUP, JOB_COMMIT, JOB_ABORT. @kind, @attempts (COMMIT): part i is that of attempt
         * attempts[i] of task i of @kind, the attempt that succeeded and whose counters were added
         * up. Other attempts may have left parts too. */
        struct {
            struct base_app_id id;
            struct rm_job_spec *spec;
            enum base_task_kind kind;
            const int32_t *attempts;
            size_t attempts_n;
        } job;
        struct {
            struct base_app_id id;
            int64_t version;
        } map_output;
        struct {
            int level; /* enum base_log_level */
            const char *text;
        } note;
        struct {
            const char *text;   /* why the node was refused */
            int64_t epoch_seen; /* highest epoch that any refused node has obeyed */
        } unconfirmed;
        struct {
            int64_t epoch_seen;
        } epoch_low;
        struct {
            struct base_app_id id;
        } history;
        struct {
            struct base_app_id id;
            const char *user, *name, *queue, *diagnostics; /* never NULL */
            enum rm_app_state state;
            enum rm_final_status final_status;
            bool refused; /* by the policy, for its deadline */
        } ended;
    } u;
};
struct rm_effects { /* caller's buffer; the core appends */
    struct rm_effect *v;
    size_t len, cap;
};

/* Returns the statistics learned from tasks so far, to be given to a later core. Borrowed. */
const struct policy_learned *rm_core_get_learned(const struct rm_core *core);
/* Returns how often a node has ceased to be reserved for a wide request (rm/core/node/reserved.h).
 * What it held is offered to others with its next heartbeat, at once if one is held. */
int64_t rm_core_count_released_nodes(const struct rm_core *core);
/* Copies @conf, but takes conf->tree. Returns NULL, with @err set, for an impossible setting
 * (unknown policy, ...). */
struct rm_core *rm_core_new(const struct rm_core_conf *conf, struct base_error *err);
void rm_core_free(struct rm_core *core);
/* Prefetches a node whose heartbeat is expected soon. @node_hint: as in a heartbeat. Call with
 * @step 0, and some time later with 1, which reads what 0 has fetched. Changes nothing. */
void rm_core_prefetch_node(const struct rm_core *core, uint32_t node_hint, int step);
/* Handles one event, and appends its effects to @out. ev->at_us must not go backwards. */
void rm_core_step(struct rm_core *core, const struct rm_event *ev, struct rm_effects *out);

/* ---------------------------------------------------------------- recovery */
/* Copies the lists of hosts that are in force at the start. Call before
 * rm_core_finish_recovery(). */
void rm_core_provide_host_lists(struct rm_core *core, const struct rm_host_lists *lists);
/* Reads one stored record. Call in any order of tables, except that "meta" and then "app" come
 * before the others (the shell reads the tables in the order meta, app, node, task, commit).
 * Returns 0 for a damaged record too: the record is kept in the table "damaged" under
 * "<table>/<key>", and rm/core/record/damage.h describes what is lost with it. Returns
 * -BASE_ECORRUPT when recovery cannot go on without the record (meta/format); @err says what an
 * operator can do. */
int rm_core_recover_record(struct rm_core *core, const struct rm_record *rec,
                           struct base_error *err);
/* Finds the JSON of the spec inside the "app" record @rec, so that the shell can decode it: sets
 * *is_job, *id and *json (borrowed). Returns 0, or -BASE_ECORRUPT with @err set. */
int rm_record_find_app_json(const struct rm_record *rec, bool *is_job, const char **json,
                            struct base_app_id *id, struct base_error *err);
/* Provide the decoded spec of an app record, before rm_core_recover_record() of that record. Takes
 * @spec. */
void rm_core_provide_job_spec_for_recovery(struct rm_core *core, struct rm_job_spec *spec);
void rm_core_provide_app_spec_for_recovery(struct rm_core *core, struct rm_app_spec *spec);
/* Call instead of rm_core_recover_record() when the submission in the app record @rec could not be
 * decoded, for the reason @why. The application is shown as failed, with the data of the spec, if
 * any, that was provided before (rm_core_provide_app_spec_for_recovery()), which may be almost
 * empty. */
void rm_core_recover_undecodable_app(struct rm_core *core, const struct rm_record *rec,
                                     const char *why);
/* Call after the last record: live applications go on, interrupted steps are resumed. Appends
 * effects. */
void rm_core_finish_recovery(struct rm_core *core, int64_t now_us, struct rm_effects *out);
/* Call after rm_core_finish_recovery() and before any event: confirms the store, as
 * format_confirmed in the configuration does. Appends effects. */
void rm_core_confirm_format(struct rm_core *core, struct rm_effects *out);

#endif

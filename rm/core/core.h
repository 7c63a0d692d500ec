/* rm/core/core.h - the deterministic scheduling core: the only place where cluster state changes.
 *
 *     event --> rm_core_step() --> effects (in order)
 *
 * Single-threaded. The core reads no clock, opens no file, starts no thread and draws no
 * randomness. Equal inputs give byte-equal effects on every machine. Daemon and simulator run the
 * same object code.
 *
 * Durability. An effect RM_FX_STORE carries a record and a sequence number that grows by 1. The
 * shell releases an effect with after_seq = S > 0 (a reply, a heartbeat's answer) only when the
 * store has everything up to S, and reports what is stored with RM_EV_STORED. Three things happen
 * only then: an application leaves NEW_SAVING, a node is told to forget an ended container, and the
 * final state of a job is shown.
 *
 * Recovery. rm_core_new(), rm_core_recover_record() for every stored record,
 * rm_core_finish_recovery(), then events. A node is granted nothing before it has registered with
 * this instance; its container reports re-attach running work. Nodes: those in the store are
 * awaited. Each has node_expiry_us of this instance's clock to register. Jobs: nothing is started
 * for a stored job until all awaited nodes have registered or expired, or takeover_grace_us is
 * over, since its tasks may be running on them. This includes jobs without a recorded start: a task
 * is ordered before its record is durable, and the record may have been lost with the quorum.
 * Without a grace such jobs go on at once, so that nobody waits for a dead node's expiry on their
 * account; a job with a deadline is still admitted only when the cluster's slots are known.
 * Masters: one on a silent node is waited for until the node or the master expires; there are never
 * two. The command "resync" tells a running master to register again, as after a work-preserving
 * restart in YARN, and nothing is accepted from it before. It may register when all awaited nodes
 * are known or takeover_grace_us (0: 5 s) is over; until then it gets -BASE_EAGAIN. The answer
 * lists all its containers: also those it never heard of, since the announcing answer was lost, and
 * ended ones that it has not acknowledged. Any other container it remembers was lost with orders or
 * nodes; one that a late node still brings back is announced like a new one. The master asks anew
 * for what it wants beside the listed ones, and answers are numbered anew. Tasks: after the grace,
 * a task that no node has reported is started again. Its attempts count on from 1000 x (this epoch
 * - epoch of the submission), as those of a restarted MapReduce master do from 1000 x (its attempt
 * - 1): no number, hence no temporary folder, is given twice. A task with an earlier attempt that
 * was allowed to commit is withheld until every awaited node is known, since that attempt may be
 * committing. Late reports: an attempt that a late node reports goes on when the task is idle, or
 * when the attempt started meanwhile was not yet seen running, which is then killed. One that has
 * ended well counts, and the other is killed. In every other case the reported attempt is killed.
 * Times: records of another host may lie in the future. Times of live work are moved back to now.
 *
 * Expiry. A node expires when it was silent for node_expiry_us. If at that moment more than half of
 * the nodes (awaited or registered) have been silent for half of that time or longer, this instance
 * is more likely cut off itself: no node expires for one more period, once per silence. A cluster
 * of one node therefore finds its loss after two periods; so does one of two or three when all but
 * at most one are silent.
 *
 * Wrong store. A store without any application may belong to another cluster, or have been lost.
 * Until that is ruled out (format_confirmed, or applications in a store of an earlier version), a
 * node that is new to the store and runs containers of an unknown application is refused with
 * -BASE_ESTATE, and nothing is killed. While the store knows no application, RM_FX_UNCONFIRMED
 * reports this, and submissions are refused until all such nodes have come back without these
 * containers or were silent for node_expiry_us. A node that has obeyed a higher epoch than this
 * instance's is refused in the same way; with format_confirmed, RM_FX_EPOCH_LOW asks for a higher
 * epoch.
 *
 * Errors. rm_core_step cannot fail; a bad request becomes an RM_FX_REPLY carrying the error.
 *
 * Ownership. The event and all it points to belong to the caller and are only read, except what is
 * marked "taken": refcounted specs, of which the core takes one reference. Effects point into
 * memory that stays valid until the next rm_core_step() or rm_core_free(), except specs (ref them
 * to keep them). */
#ifndef CREEL_RM_CORE_CORE_H
#define CREEL_RM_CORE_CORE_H

#include "base/order_kind.h"
#include "policies/common/learned.h"
#include "policies/common/queues.h"
#include "policies/conf.h"
#include "rm/core/types.h"

struct rm_core;

struct rm_core_conf {
    int64_t cluster_ts_ms;                /* for new application ids: start time of this instance */
    int64_t rm_instance_ms;               /* instance identifier */
    int64_t epoch;                        /* 0 on a fresh store; container ids carry it */
    const char *policy;                   /* policy_find() */
    const struct policy_conf *options;    /* of policies; NULL: defaults */
    const struct policy_learned *learned; /* of tasks that ran before; NULL: nothing */
    /* Nothing is recorded; policies that need what only a simulation knows are fine. */
    bool simulation;
    /* As size_factor in struct policy_env, of what the policy knows; NULL: 1. */
    double (*size_factor)(void *ctx, const struct policy_job *job, enum base_task_kind kind);
    void *size_factor_ctx;
    const char *queues;         /* comma list beside "default"; "root.x" and "x" are the same */
    struct policy_queues *tree; /* instead, taken (emptied); NULL: the list */
    int64_t node_expiry_us, heartbeat_us, am_expiry_us, allocation_expiry_us;
    double slowstart; /* share of the maps; policies with reduces_last take 1 */
    int32_t am_attempts_max, task_attempts_max;
    int32_t completed_apps_max;
    /* Bound on the memory of ended applications, in bytes as the core estimates them; 0: none.
     * Beyond it the oldest jobs keep their sums only, then the oldest applications are removed.
     * Those that ended within the last minute stay. */
    int64_t completed_bytes_max;
    /* When to forget a node that is gone (LOST, SHUTDOWN ...) and that no live application
     * refers to, with its record: after this time, or when there are more such nodes than
     * gone_nodes_max, the longest gone first. It is then no longer shown, and is a new node when
     * it registers again. 0: no bound. */
    int64_t gone_nodes_us;
    int32_t gone_nodes_max;
    struct rm_res slot_res[BASE_TASK_KINDS]; /* memory and vcores of one slot of each kind */
    int64_t kill_grace_ms;
    /* How long jobs are held for awaited nodes; 0: until each has registered or expired. */
    int64_t takeover_grace_us;
    /* Remove the records of an ended job's tasks; RM_FX_HISTORY comes before. */
    bool prune_ended;
    /* --format-confirmed: containers unknown to the store are killed. */
    bool format_confirmed;
};

/* ---------------------------------------------------------------- events */
enum rm_event_kind {
    RM_EV_TIMER,      /* the wake-up asked for by RM_FX_WAKE, or a later one */
    RM_EV_STORED,     /* everything up to u.stored.seq is durable */
    RM_EV_NEW_APP_ID, /* reply: app_id */
    RM_EV_SUBMIT_JOB,
    RM_EV_SUBMIT_APP,
    RM_EV_KILL_APP,
    /* To another queue, while ACCEPTED or RUNNING; reply: OK once it is durable. */
    RM_EV_MOVE_APP,
    /* Answers RM_FX_JOB_SETUP: the shell made the output folder, or failed. */
    RM_EV_JOB_SET_UP,
    RM_EV_JOB_COMMITTED, /* answers RM_FX_JOB_COMMIT */
    /* Answers RM_FX_JOB_ABORT, whether it could clear everything away or not. */
    RM_EV_JOB_ABORTED,
    RM_EV_TASK_COMMIT, /* a task attempt asks whether it may commit; reply: u.flag */
    RM_EV_FETCH_FAILURE,
    RM_EV_NODE_REGISTER,
    RM_EV_NODE_HEARTBEAT,
    RM_EV_NODE_WAKE, /* answer the node's parked heartbeat now */
    RM_EV_NODE_GONE, /* node unregisters in good order */
    RM_EV_AM_REGISTER,
    RM_EV_AM_ALLOCATE,
    RM_EV_AM_FINISH,
    RM_EV_SET_POLICY,
    RM_EV_SET_QUEUES,
    RM_EV_KINDS
};

struct rm_container_report {
    struct base_container_id id;
    enum rm_container_state state; /* RUNNING, SUSPENDED or COMPLETED */
    enum base_task_kind slot;
    float progress; /* 0..1 */
    int32_t exit_code;
    const char *diagnostics;                               /* NULL or text */
    int64_t started_us, ended_us;                          /* node's wall clock */
    int64_t cpu_ms, max_rss_kb, input_bytes, output_bytes; /* bytes: where there are no counters */
    const int64_t *counters;                               /* BASE_TASK_COUNTERS values or NULL */
    /* registration only: everything needed to know the container again */
    bool has_task, master;
    struct base_task_id task;
    int32_t task_attempt, priority;
    int64_t allocation_request_id; /* of a master's ask */
    struct rm_res resource;
};
struct rm_ask {
    int32_t priority;
    int64_t allocation_request_id;
    const char *resource_name; /* host, rack or "*" */
    struct rm_res capability;
    int32_t containers; /* absolute count for (priority, id, name) */
    bool relax_locality;
    /* Taken (may be NULL); the latest one of (priority, allocation id) holds. */
    struct rm_launch *launch;
};

struct rm_event {
    enum rm_event_kind kind;
    int64_t at_us;      /* never goes back: asserted */
    uint64_t token;     /* of the request to be answered; 0: none */
    const char *caller; /* identity of the caller; NULL for daemons */
    union {
        struct {
            uint64_t seq;
        } stored;
        /* spec taken; spec->id.seq == 0: the core gives one. app_token: 32 random hex digits
         * made by the shell; it becomes the application's access token and is stored with it. */
        struct {
            struct rm_job_spec *spec;
            const char *app_token;
        } submit_job;
        /* Taken, as above. */
        struct {
            struct rm_app_spec *spec;
            const char *app_token;
        } submit_app;
        struct {
            struct base_app_id id;
            const char *diagnostics, *peer;
        } kill;
        /* A queue that takes applications ("x" and "root.x" are the same); NULL: it stays where
         * it is, and the answer waits until that is durable. -BASE_ESTATE: it ends;
         * -BASE_EINVAL: the queue, or a policy without any. */
        struct {
            struct base_app_id id;
            const char *queue;
        } move;
        /* JOB_SET_UP, _COMMITTED, _ABORTED. */
        struct {
            struct base_app_id id;
            bool ok;
            const char *diagnostics;
        } job_done;
        struct {
            struct base_task_id task;
            int32_t attempt;
        } task_commit;
        struct {
            struct base_app_id app;
            int32_t map, attempt;
            bool gone;
            struct base_task_id reduce;
        } fetch_failure;
        struct {
            const char *node_id, *http_address, *rack, *host, *version, *boot_id, *instance;
            int32_t map_slots, reduce_slots;
            int64_t epoch_seen;
            /* Node's time since its boot; 0: unknown. A request sent before one that was already
             * accepted is not accepted, as long as the node is registered. */
            int64_t sent_us;
            const struct rm_container_report *reports;
            size_t reports_n;
            const struct base_app_id *apps; /* that have folders there */
            size_t apps_n;
        } node_register;
        struct {
            const char *node_id, *instance;
            int64_t response_id;
            bool healthy;
            const char *health_report;
            int64_t hold_us; /* 0: answer at once */
            int64_t sent_us; /* as above */
            /* Of the node, in order of first registration, from 1 (a forgotten node's place goes to
             * the next new one); 0: unknown. Saves a search; a wrong one costs just that. */
            uint32_t node_hint;
            const struct rm_container_report *reports;
            size_t reports_n;
        } heartbeat;
        struct {
            const char *node_id, *instance;
        } node; /* WAKE, GONE */
        struct {
            struct base_attempt_id attempt;
            const char *host, *tracking_url;
            int32_t rpc_port;
        } am_register;
        struct {
            struct base_attempt_id attempt;
            int64_t response_id;
            float progress; /* 0..1 */
            const struct rm_ask *asks;
            size_t asks_n;
            const struct base_container_id *releases;
            size_t releases_n;
        } am_allocate;
        struct {
            struct base_attempt_id attempt;
            enum rm_final_status status;
            const char *diagnostics, *tracking_url;
        } am_finish;
        struct {
            struct policy_queues *queues;
        } queues; /* taken: emptied */
        /* Options NULL: as they are. */
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
    RM_FX_HEARTBEAT, /* answer a (parked) heartbeat, with the orders of u.heartbeat */
    RM_FX_WAKE,      /* next RM_EV_TIMER wanted at u.wake.at_us (replaces the earlier wish) */
    /* Make the job's output folder, which must not exist; answer with RM_EV_JOB_SET_UP. */
    RM_FX_JOB_SETUP,
    /* Take the parts named, remove _temporary, write _SUCCESS; answer with RM_EV_JOB_COMMITTED. */
    RM_FX_JOB_COMMIT,
    /* Remove _temporary, and the folder if nothing else is in it, once it is durable that the job
     * ends; answer with RM_EV_JOB_ABORTED. The job has not ended before that answer. */
    RM_FX_JOB_ABORT,
    /* The job's list of map outputs grew: parked readers may look (version u.map_output). */
    RM_FX_MAP_OUTPUT,
    RM_FX_NOTE, /* something an operator wants in the log: u.note */
    /* The store is empty where nodes work: this instance must not lead; nothing was changed. */
    RM_FX_UNCONFIRMED,
    /* Nodes have obeyed a higher epoch: this instance must take one above
     * u.epoch_low.epoch_seen. */
    RM_FX_EPOCH_LOW,
    RM_FX_HISTORY, /* prune_ended: a job has ended here, its tasks can still be read */
    /* An application has ended, and its record is stored: u.ended. Once, but for ends just
     * before a stop. */
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
    RM_REPLY_NODE_REGISTERED,
    RM_REPLY_AM_REGISTERED,
    RM_REPLY_ALLOCATED,
    RM_REPLY_RESYNC,
    RM_REPLY_AM_FINISHED
};

struct rm_order {
    enum base_order_kind kind;
    struct base_container_id container; /* not CLEANUP_APP, RESYNC, SHUTDOWN */
    struct base_app_id app;
    const char *reason;
    int64_t grace_ms; /* KILL */
    /* LAUNCH: borrowed, see ownership above */
    enum base_task_kind slot;
    struct rm_res resource;
    int32_t priority;
    const char *user, *name, *token; /* application's token */
    struct rm_job_spec *job;         /* a job's task: with task, task_attempt; NULL otherwise */
    struct base_task_id task;
    int32_t task_attempt;
    struct rm_launch *launch;      /* master or an ask's launch */
    int64_t allocation_request_id; /* of the ask */
    bool master;
};
struct rm_allocated {
    struct base_container_id id;
    const char *node_id, *node_http;
    int32_t priority;
    int64_t allocation_request_id;
    struct rm_res capability;
};
struct rm_completed {
    struct base_container_id id;
    int32_t exit_status;
    const char *diagnostics;
};

/* A record of the store: upsert (data != NULL) or removal of (table, key). Data is the core's
 * own text form (rm/core/record/record.h), versioned; specs are stored by their JSON beside it. */
struct rm_record {
    const char *table; /* "app", "task", "node", "meta", "commit" */
    const char *key;
    const char *data;
    size_t len;
};
struct rm_effect {
    enum rm_effect_kind kind;
    uint64_t token;     /* REPLY, HEARTBEAT */
    uint64_t after_seq; /* release only when stored up to here; 0: at once */
    union {
        struct {
            enum rm_reply_kind kind;
            int code;         /* ERROR: negative BASE_E* */
            const char *text; /* ERROR: message */
            struct base_app_id app_id;
            /* JOB, APP: newly made; FLAG: the answer; KILL: already in an end state. */
            bool flag;
            enum rm_app_state app_state; /* KILL: internal state now */
            struct {
                struct rm_res max_capability;
                const char *queue;
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
                const char *command; /* NULL, "shutdown", "resync" */
            } allocate;
        } reply;
        struct {
            uint64_t seq;
            struct rm_record record;
        } store;
        struct {
            int64_t epoch, rm_instance_ms, cluster_ts_ms, response_id, interval_us;
            bool registered; /* answer of a registration */
            const struct rm_order *orders;
            size_t orders_n;
        } heartbeat; /* also carries the answer of RM_EV_NODE_REGISTER (registered = true) */
        struct {
            int64_t at_us;
        } wake;
        /* SETUP, COMMIT, ABORT. again: SETUP after a restart: the folder may be there, made for
         * this job before. COMMIT: part i is the one of attempt attempts[i] of task i of @kind:
         * the attempt that succeeded, whose counters were added up. Other attempts may have left
         * one too. */
        struct {
            struct base_app_id id;
            struct rm_job_spec *spec;
            bool again;
            enum base_task_kind kind;
            const int32_t *attempts;
            size_t attempts_n;
        } job;
        struct {
            struct base_app_id id;
            int64_t version;
        } map_output;
        struct {
            int level;
            const char *text;
        } note; /* enum base_log_level */
        /* The highest of all nodes so far. */
        struct {
            const char *text;
            int64_t epoch_seen;
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

/* What tasks have shown so far. Borrowed. */
const struct policy_learned *rm_core_learned(const struct rm_core *core);
/* @conf is copied. NULL and @err on an impossible setting (unknown policy, ...). */
struct rm_core *rm_core_new(const struct rm_core_conf *conf, struct base_error *err);
void rm_core_free(struct rm_core *core);
/* Hint: the node at @place (as in a heartbeat) is heard soon. Steps 0 and 1, some time apart:
 * the second needs the first. */
void rm_core_prefetch_node(const struct rm_core *core, uint32_t place, int step);
void rm_core_step(struct rm_core *core, const struct rm_event *ev, struct rm_effects *out);

/* ---------------------------------------------------------------- recovery */
/* One stored record, any order of tables except that "meta", "app" come before the others (the
 * shell reads tables in the order meta, app, node, task, commit). 0 for a damaged one too: what
 * each costs is drawn in rm/core/record/damage.h; it is kept in the table "damaged" under
 * "<table>/<key>". -BASE_ECORRUPT: nothing can go on without it (meta/format); the text says
 * what an operator can do. */
int rm_core_recover_record(struct rm_core *core, const struct rm_record *rec,
                           struct base_error *err);
/* The JSON of the spec inside an "app" record, so that the shell can decode it: sets *is_job and
 * borrowed text. */
int rm_record_find_app_json(const struct rm_record *rec, bool *is_job, const char **json,
                            struct base_app_id *id, struct base_error *err);
/* Gives the core the decoded spec of an app record (before rm_core_recover_record of that record).
 * Taken. */
void rm_core_provide_job_spec(struct rm_core *core, struct rm_job_spec *spec);
void rm_core_provide_app_spec(struct rm_core *core, struct rm_app_spec *spec);
/* Instead of rm_core_recover_record: the submission in the app record @rec could not be decoded,
 * @why. The application is shown as the spec given before says (rm_core_provide_app_spec), which
 * can be as good as empty. */
void rm_core_recover_undecodable_app(struct rm_core *core, const struct rm_record *rec,
                                     const char *why);
/* All records read: jobs that were running go on, half-made ones are resumed. Appends effects. */
void rm_core_finish_recovery(struct rm_core *core, int64_t now_us, struct rm_effects *out);
/* After it and before any event: as if @conf had said format_confirmed. Appends effects. */
void rm_core_confirm_format(struct rm_core *core, struct rm_effects *out);

#endif

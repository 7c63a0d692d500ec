/* rm/core/state.h - the core's objects. Only files of rm/core include this. */
#ifndef CREEL_RM_CORE_STATE_H
#define CREEL_RM_CORE_STATE_H

#include "base/limits.h"
#include "base/sat.h"
#include "policies/common/delay.h"
#include "policies/policy.h"
#include "policies/common/queues.h"
#include "rm/core/states.h"
#include "rm/core/step_memory.h"
#include "rm/core/view/view.h"

#define RM_NONE UINT32_MAX
#define RM_PROGRESS_ONE 1000000 /* progress is kept as an integer: sums stay exact */
#define RM_FREE_BUCKETS 64      /* nodes by free slots; the last bucket holds all that have more */
#define RM_POLICY_FAULTS_MAX 3  /* empty answers in a row before the core falls back to FIFO */
#define RM_COUNTER_BLOCK 256    /* tasks whose counters are allocated together */
#define RM_NAMES_MAX 100000     /* hosts and users that submissions may name; more hosts: any, more users: one */
#define RM_ASKED_MAX 1000000    /* containers that an application may wait for */
#define RM_ASK_ROWS_MAX 200000  /* and in how many places and groups */
#define RM_ASK_LAUNCH_MAX (64 << 20) /* bytes of the launch contexts that they keep */
#define RM_TASK_ATTEMPT_MAX 1000000000 /* no number of an attempt is above */
#define RM_EPOCH_ATTEMPTS 1000  /* numbers of a task's attempts that belong to one epoch; more run into the next ones' */
#define RM_ATTEMPTS_KEPT 1000   /* of an application: older ones are forgotten */
#define RM_BAD_NODES_MAX 1000   /* nodes that a task avoids: the oldest one is forgotten for another */
#define RM_TIME_MAX (INT64_MAX / 8) /* microseconds: some 36,000 years; sums of a few such times fit */
#define RM_PRUNE_STEP 256       /* records of ended jobs that a step removes */
#define RM_FETCH_FAILURES_MAX 2 /* reports (of different reduces, if several run) before a map is run again */

struct rm_app;
struct rm_node;
struct rm_task;

/* ---- containers ---- */
struct rm_container {
    struct base_container_id id;
    struct rm_app *app;
    struct rm_node *node;
    struct rm_task *task; /* a job's task whose current attempt this is; NULL otherwise */
    struct rm_container *app_prev, *app_next, *node_prev, *node_next; /* live ones of the application, of the node */
    struct rm_container *wait_prev, *wait_next;                       /* not yet reported by its node */
    struct rm_launch *launch;                                         /* applications: a reference */
    char *diagnostics;
    int64_t start_us, finish_us, allocation_id;
    int64_t suspended_at_us, suspended_us; /* since when; in all, spells that are over */
    int32_t task_attempt, priority, exit_code, progress;
    enum rm_container_state state;
    uint8_t slot;
    bool master, killing, waiting, pulled, told; /* its master knows of it; of its end */
    int32_t kill_status;                         /* exit status to show when killing */
    struct rm_res resource;
};

/* ---- orders to a node ---- */
/* Kept short: every node has two lists of them. Becomes a struct rm_order when it is sent. */
struct rm_queued {
    struct base_container_id container; /* CLEANUP_APP: its application alone */
    struct rm_app *app;                 /* LAUNCH: a reference */
    struct rm_launch *launch;           /* LAUNCH: a reference, or NULL */
    const char *reason;
    union {
        struct { int32_t task, task_attempt; }; /* has_task */
        int64_t allocation_id;
    };
    int32_t priority, grace_ms, memory_mb, vcores;
    uint8_t kind, slot;
    bool master, has_task;
};
struct rm_orders {
    struct rm_queued *v;
    size_t len, cap;
};

/* ---- nodes ---- */
struct rm_node {
    uint32_t index, host, rack;
    char *id, *host_name, *http, *rack_name, *version, *boot_id, *instance, *health_report;
    int64_t sent_us; /* of the request taken last, as the node says; 0: not known */
    enum rm_node_state state;
    bool registered; /* with this instance of the RM */
    bool awaited;    /* recovered: work may run there, nobody knows yet */
    bool spared;     /* silent, and given one more period since most nodes were */
    bool refused;    /* its last registration: it works for a store other than ours */
    bool healthy;
    int32_t slots[BASE_TASK_KINDS], used[BASE_TASK_KINDS], containers_n;
    int32_t suspended[BASE_TASK_KINDS]; /* attempts: no slot */
    int32_t freeing[BASE_TASK_KINDS];   /* of the used slots: being killed */
    bool counted;                     /* its slots are part of the cluster's capacity */
    int32_t counted_slots[BASE_TASK_KINDS];
    struct rm_res counted_res;
    struct rm_res total, used_res;
    struct rm_container *containers;
    struct rm_orders queue, sent;
    int64_t response_id; /* of the last answer */
    uint64_t parked;     /* token of the held heartbeat, 0: none */
    bool offering; /* in the middle of its heartbeat: not in the index of free nodes */
    bool dirty, urgent; /* urgent: something queued is worth answering a held heartbeat for */
    int64_t last_us;
    struct rm_timer hold, expiry;
    /* among nodes that could take a launch at once, by free slots */
    struct rm_node *free_prev[BASE_TASK_KINDS], *free_next[BASE_TASK_KINDS];
    int16_t free_bucket[BASE_TASK_KINDS]; /* -1: in none */
    uint64_t free_round[BASE_TASK_KINDS]; /* round of offers in which nobody wanted it */
    int32_t round_assigned[BASE_TASK_KINDS];
    bool round_off_rack;
    /* rm/core/node/forget.c */
    bool gone;    /* in the list of gone nodes, since gone_us */
    int64_t refs; /* applications that have not ended and containers that refer to it */
    uint64_t born; /* in the order in which nodes were made, from 1 */
    int64_t gone_us;
    struct rm_node *gone_prev, *gone_next;
};

/* ---- tasks of jobs ---- */
struct rm_task {
    struct rm_container *running;
    int64_t start_us, finish_us, out_version; /* out_version: of a map's output, 0: none */
    int64_t suspended_us;                     /* of the attempt that succeeded */
    int64_t container_num;                    /* latest attempt */
    char *diagnostics;
    uint32_t *bad; /* nodes on which it failed: bad[0] = count */
    uint32_t node; /* latest attempt's, RM_NONE: none yet */
    int32_t index, attempts, last_attempt, failures, exit_code;
    int32_t next_attempt;   /* attempts below are over; see rm_app.attempt_base */
    int32_t commit_attempt; /* which may commit, -1: none yet. Of a pending task: an attempt that an earlier RM gave and of
                             * which nothing is known yet; nobody else does the task meanwhile (rm_phase.kept) */
    int32_t fetch_reduce;   /* the reduce that could not fetch its output */
    uint8_t state, kind, fetch_failures;
    bool commit_stored; /* there is a record of it */
};
/* Pending tasks near one host (or in one rack), by index. */
struct rm_near {
    uint32_t key; /* host or rack, RM_NONE: empty place */
    uint32_t start, n, cursor;
};
struct rm_near_index {
    struct rm_near *v;
    uint32_t mask; /* places - 1; v == NULL: empty */
    int32_t *tasks;
    uint64_t *has; /* by key: its list may have a pending task. Most questions end here, in few lines of cache */
    uint32_t keys; /* bits in it */
};
struct rm_phase {
    struct rm_task *tasks;
    int32_t total, pending, running, suspended, succeeded;
    int32_t kept;              /* pending ones that may not be started */
    int64_t progress, shuffle; /* sums over live attempts */
    bool open;                 /* may be launched (slowstart, set up) */
    bool located;              /* some task has location data */
    int32_t avoiding;          /* tasks that failed somewhere */
    int64_t **counters;        /* of succeeded tasks, in blocks of RM_COUNTER_BLOCK tasks */
    uint64_t *bits, *summary;  /* pending tasks */
    size_t words, summary_words, low;
    struct rm_near_index host, rack;
    struct rm_near nowhere; /* tasks without location data, in host.tasks */
    uint64_t rack_stamp;
};

/* ---- asks of a master ---- */
struct rm_ask_row {
    char *name;
    int32_t count;
    bool relax;
};
struct rm_ask_group { /* (priority, allocation request id) */
    int32_t priority;
    int64_t allocation_id;
    struct rm_res capability;
    enum base_task_kind slot;
    struct rm_launch *launch;
    bool any_given, any_relax; /* "*" */
    int32_t any;
    int64_t named;           /* sum over rows */
    struct rm_ask_row *rows; /* hosts and racks, by name */
    size_t rows_n, rows_cap;
    /* while it is found out whether an allocate asks for too much */
    bool planned_any;
    int64_t planned, planned_named;
};
struct rm_attempt {
    struct base_attempt_id id;
    enum rm_attempt_state state, state_before;
    struct rm_container *master;
    struct base_container_id master_id;
    bool has_master, registered, reregister; /* reregister: with this instance of the RM, once more */
    char *host, *tracking_url, *diagnostics, *node_id, *node_http;
    int32_t rpc_port, exit_code;
    int64_t start_us, finish_us, next_num;
    /* the last answer to allocate, kept for a repeat */
    int64_t response_id;
    struct rm_allocated *allocated;
    size_t allocated_n, allocated_cap;
    struct rm_completed *completed;
    size_t completed_n, completed_cap;
};

/* ---- applications ---- */
enum rm_app_end { RM_END_NONE, RM_END_SUCCEED, RM_END_FAIL, RM_END_KILL };
struct rm_app {
    struct policy_job pj; /* what policies see */
    struct delay_job delay;
    int64_t colo_since_us; /* declines slots away from its maps since then, 0: it does not */
    int64_t promised_us;   /* admitted with a deadline: by when it will have finished; 0: nothing was promised */
    int64_t earliest_us;   /* refused: the date offered instead, 0: none */
    struct base_app_id id;
    int refs; /* the table's, and one per launch order that is kept */
    bool is_job, in_policy, held, set_up, committing, setup_asked, activated;
    bool aborting, aborted; /* its output is being cleared away; has been */
    bool end_told;          /* RM_FX_APP_ENDED: by an earlier instance */
    bool damaged;           /* failed, since a record of it did not read back; its own one is to be written */
    bool pruned;            /* ended: its tasks have no records any more, or will have none soon */
    bool unrecorded;        /* none is left */
    bool light;             /* its tasks are to go from memory too, when they have no records */
    int64_t kept_bytes;     /* ended: about what it takes */
    bool summed;            /* its record has sums of its tasks */
    struct rm_app *prune_next;
    int64_t prune_at;       /* tasks of which the records are gone */
    int64_t epoch;          /* of its submission */
    int32_t attempt_base;   /* no attempt is given a lower number by this instance */
    enum rm_app_state state, state_before, target; /* target: where FINAL_SAVING leads */
    enum rm_final_status final_status;
    enum rm_app_end ending;
    char token[65];
    char *diagnostics;
    const char *user, *name, *queue, *type; /* borrowed from the spec */
    struct rm_job_spec *job;
    struct rm_app_spec *app;
    uint32_t queue_index;
    char *placed; /* a rule or a move has put it in another queue than the one it names: @queue; NULL */
    int64_t submit_us, launch_us, start_us, finish_us;
    uint64_t saved_seq; /* newest record of it */
    struct rm_container *containers;
    int64_t containers_n;
    struct rm_res allocated;
    int64_t memory_ms, vcore_ms; /* MiB and vcores times milliseconds, of ended containers; at most INT64_MAX */
    uint64_t *nodes;             /* bit set: had containers there. It holds these nodes until it has ended */
    size_t nodes_words;
    uint64_t nodes_left;         /* has let them go: its tasks' nodes were made (rm_node.born) up to there; 0: holds them */
    struct rm_app *finished_prev, *finished_next; /* ended ones, oldest first */
    struct rm_app *wait_next;                     /* masters waiting to be activated */
    bool waits;                                   /* it is one of them */
    /* jobs */
    struct rm_phase phase[BASE_TASK_KINDS];
    int64_t counters[RM_C_COUNTERS];
    int32_t *out_log; /* maps whose output was there, in order of its version; out_counter of them */
    size_t out_log_cap;
    int64_t out_counter, next_num;
    /* plain applications */
    struct rm_attempt *attempts;
    int32_t attempts_n, attempts_cap, failed_attempts;
    double progress;
    struct rm_ask_group **asks;
    size_t asks_n, asks_cap, ask_rows, launch_bytes; /* launch_bytes: of launch contexts of asks */
    int64_t asked[BASE_TASK_KINDS]; /* wanted over all groups */
    struct rm_container **news;      /* allocated and completed ones the master has not heard of */
    size_t news_n, news_cap;
    struct rm_timer timer;           /* master's expiry */
};

struct rm_queue { /* what there is in a queue of the tree, beside the same index */
    int64_t pending_apps, active_apps;
    struct rm_res used;
    int64_t containers, pending[BASE_TASK_KINDS];
};

/* What to do when the store has everything up to seq: a ring, in order of seq. */
enum rm_ack_kind { RM_ACK_APP_NEW, RM_ACK_APP_FINAL, RM_ACK_JOB_COMMIT, RM_ACK_MASTER, RM_ACK_UNMANAGED, RM_ACK_FORGET };
struct rm_ack {
    uint64_t seq;
    enum rm_ack_kind kind;
    void *p;
    int64_t extra;
};

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
    bool loading; /* until all records are read: no node goes */
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
    int64_t finished_bytes;  /* sum of kept_bytes */
    int64_t finished_light;  /* what that would be without tasks */
    struct rm_app *heavy;    /* the oldest ended one that may have its tasks; NULL: none has */
    struct rm_timer trim_timer;
    bool trim_due; /* something may have become removable */
    struct rm_app *master_wait, *master_wait_last;
    int64_t masters_active;
    int32_t awaited; /* recovered nodes of which nothing is known yet */
    int64_t masters_wait_until_us; /* for the awaited ones, with registering again */
    struct rm_timer grace_timer;
    int64_t spared_until_us; /* no node expires before */
    /* may the store be another cluster's? (rm/core/record/confirm.c) */
    enum rm_format { RM_FORMAT_UNKNOWN, RM_FORMAT_NEW, RM_FORMAT_CONFIRMED } format;
    bool format_old;         /* the store is of an earlier version */
    int32_t refused_n;       /* nodes that are refused */
    int64_t epoch_seen;      /* the highest that a refused one has obeyed */
    char *refused_text;      /* about the last one */
    /* offers */
    struct rm_node *free_first[BASE_TASK_KINDS][RM_FREE_BUCKETS], *free_last[BASE_TASK_KINDS][RM_FREE_BUCKETS];
    int32_t runnable[BASE_TASK_KINDS];  /* applications with pending tasks of the kind */
    int32_t suspended[BASE_TASK_KINDS]; /* attempts, over all nodes */
    bool offer_all[BASE_TASK_KINDS];
    bool preempt_all; /* work has come for which held nodes may have to make room */
    size_t preempt_at; /* modulo the number of nodes: the first to be looked at then */
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
    uint64_t host_table;      /* whose names host_keys has, 0: none */
    uint32_t *host_keys;
    size_t host_keys_n;
    int32_t faults;
    bool fell_back;
    /* timers */
    struct rm_timers timers;
    int64_t wake_us; /* wished so far, 0: none */
    bool recovering;         /* inside rm_core_recovered */
    struct rm_names outputs; /* then: folders that belong to jobs that go on */
    struct rm_map splits;    /* recovery: struct rm_stash by key, split lists until their job comes */
    /* records to be removed (rm/core/record/prune.c): of jobs that have ended, and those whose application has gone */
    struct rm_app *prune, *prune_last;
    struct rm_stash {
        const char *table;
        char *key;
        char *data;
        size_t len;
        char *why; /* of a damaged record: what is wrong with it */
    } **orphans;
    size_t orphans_n, orphans_cap, orphans_at;
    struct rm_stash **damaged; /* records that did not read back, to be kept aside (rm/core/record/damage.h) */
    size_t damaged_n, damaged_cap;
    struct rm_job_spec *recover_job;
    struct rm_app_spec *recover_app;
    struct {
        int64_t assignments, heartbeats, events, overruled, fallbacks, submitted, completed, failed, killed;
        int64_t results[RM_RESULTS]; /* of those that have ended */
        int64_t suspended, resumed, preempted;
    } stats;
};

/* ---- rm/core/record/takeover.c ---- */
/* All records are read: @now_us is this instance's time. */
void rm_takeover_begin(struct rm_core *c);
void rm_takeover_grace_over(struct rm_core *c);
bool rm_takeover_awaits(const struct rm_core *c); /* a master that registers again is not told yet what runs */
void rm_node_not_awaited(struct rm_core *c, struct rm_node *n);
/* @n is due to expire. True: it is spared, its timer set again. */
bool rm_node_spare(struct rm_core *c, struct rm_node *n);

/* ---- rm/core/record/confirm.c ---- */
int rm_confirm_recover(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
void rm_confirm_begin(struct rm_core *c);
/* True: the registration is refused and answered. */
bool rm_confirm_refuses_node(struct rm_core *c, const struct rm_event *ev);
void rm_confirm_node_gone(struct rm_core *c, struct rm_node *n); /* or silent: it is not refused any more */
/* True: submissions are refused, this one is answered. */
bool rm_confirm_refuses(struct rm_core *c, uint64_t token);

/* ---- rm/core/record/prune.c ---- */
void rm_prune_job(struct rm_core *c, struct rm_app *a); /* it has ended, and its record is stored */
void rm_prune_tasks(struct rm_core *c, struct rm_app *a); /* its tasks go from the store and then from memory */
void rm_prune_orphan(struct rm_core *c, struct rm_stash *s); /* taken */
/* @table: static. Without @data: the key alone. */
struct rm_stash *rm_stash_new(const struct rm_record *rec, const char *table, bool data);
void rm_stash_free(struct rm_stash *s);
void rm_prune_step(struct rm_core *c);
void rm_prune_free(struct rm_core *c);

/* ---- rm/core/core.c ---- */
struct rm_effect *rm_effect_add(struct rm_core *c, enum rm_effect_kind kind);
/* @after: store sequence to wait for, 0: none */
struct rm_effect *rm_reply(struct rm_core *c, uint64_t token, enum rm_reply_kind kind, uint64_t after);
void rm_reply_error(struct rm_core *c, uint64_t token, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void rm_note(struct rm_core *c, int level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
uint64_t rm_store(struct rm_core *c, const char *table, const char *key, const char *data, size_t len);
void rm_ack_add(struct rm_core *c, uint64_t seq, enum rm_ack_kind kind, void *p, int64_t extra);
char *rm_scratch_printf(struct rm_core *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void rm_set_diagnostics(char **at, const char *text);
void rm_timer_fired(struct rm_core *c, struct rm_timer *t);

/* ---- rm/core/schedule/active_policy.c ---- */
/* @options: NULL: as they are. */
int rm_policy_set(struct rm_core *c, const char *name, const struct policy_conf *options, struct base_error *err);
void rm_policy_free(struct rm_core *c);
void rm_policy_on_set(struct rm_core *c, const struct rm_event *ev);
int64_t rm_policy_on_timer(struct rm_core *c); /* when next, 0: never */
/* Jobs that wait could use slots that others hold on @n: asks the policy whom to suspend or kill. True: a slot of @k is
 * free now. */
bool rm_policy_preempt(struct rm_core *c, struct rm_node *n, enum base_task_kind k);
/* Could it name anybody at all? */
bool rm_policy_may_preempt(const struct rm_core *c, enum base_task_kind k);
/* May this new job enter? False: refused, its end has begun. */
bool rm_policy_admits(struct rm_core *c, struct rm_app *a);
bool rm_policy_refused(const struct rm_app *a); /* it did not; also of one read from the store */
void rm_policy_task_ended(struct rm_core *c, struct rm_app *a, const struct rm_task *t, const struct rm_container *ct,
                          const struct rm_container_report *r, bool success, bool killed);
/* After a restart: what its ended tasks had shown. */
void rm_policy_recall(struct rm_core *c, struct rm_app *a);

/* ---- rm/core/app/app.c ---- */
/* Gives a submission without an id the next one. False: it is refused, the error is answered. */
bool rm_app_take_id(struct rm_core *c, uint64_t token, struct base_app_id *id);
struct rm_app *rm_app_find(const struct rm_core *c, struct base_app_id id);
struct rm_app *rm_app_new(struct rm_core *c, struct base_app_id id, struct rm_job_spec *job, struct rm_app_spec *spec,
                          const char *token);
void rm_app_unref(struct rm_app *a);
void rm_app_free(struct rm_app *a);
void rm_app_set_state(struct rm_core *c, struct rm_app *a, enum rm_app_state s);
void rm_app_save(struct rm_core *c, struct rm_app *a);
void rm_app_enter_policy(struct rm_core *c, struct rm_app *a);
void rm_app_leave_policy(struct rm_core *c, struct rm_app *a);
/* Tells the policy the counts of one kind. */
void rm_app_counts(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
void rm_app_final(struct rm_core *c, struct rm_app *a, enum rm_app_state target, enum rm_final_status status,
                  const char *diagnostics);
void rm_app_stored_new(struct rm_core *c, struct rm_app *a);
/* After a restart: those that were not accepted yet. One with a deadline waits until it is known which slots there are. */
void rm_apps_stored_new(struct rm_core *c);
void rm_app_stored_final(struct rm_core *c, struct rm_app *a);
enum rm_result rm_app_result(const struct rm_app *a); /* as far as it is stored */
void rm_app_retire(struct rm_core *c, struct rm_app *a); /* it has ended: nodes clean up */
/* Orders every node that ran its containers to clean up after it: it has ended, and holds none any more. */
/* It holds these nodes no longer. */
void rm_app_cleanup(struct rm_core *c, struct rm_app *a);
void rm_app_on_kill(struct rm_core *c, const struct rm_event *ev);
void rm_app_kill_containers(struct rm_core *c, struct rm_app *a, int32_t status, const char *reason, bool masters);
void rm_app_trim_finished(struct rm_core *c);
void rm_app_trim_due(struct rm_core *c); /* the timer */
/* The queue of a submission, by the rules of placement; may make it. RM_NONE when it is refused. */
int rm_queue_place(struct rm_core *c, const char *queue, const char *user, const struct rm_str_list *groups,
                   uint32_t *index, struct base_error *err);
/* The queue it belongs to from now on, of which it was in none; RM_NONE: none, it will not run. */
void rm_app_enter_queue(struct rm_core *c, struct rm_app *a, uint32_t index);
void rm_queues_sync(struct rm_core *c); /* the tree has grown */
void rm_queues_on_set(struct rm_core *c, const struct rm_event *ev);
void rm_app_touch_node(struct rm_core *c, struct rm_app *a, struct rm_node *n);
bool rm_app_touched_node(const struct rm_app *a, uint32_t node); /* it had containers there */

/* ---- rm/core/app/move.c ---- */
void rm_app_on_move(struct rm_core *c, const struct rm_event *ev);

/* ---- rm/core/job/job.c ---- */
void rm_job_on_submit(struct rm_core *c, const struct rm_event *ev);
void rm_job_on_set_up(struct rm_core *c, const struct rm_event *ev);
void rm_job_on_committed(struct rm_core *c, const struct rm_event *ev);
void rm_job_on_aborted(struct rm_core *c, const struct rm_event *ev);
void rm_job_accepted(struct rm_core *c, struct rm_app *a);
void rm_job_open(struct rm_core *c, struct rm_app *a);
/* Looks whether the job is done, or its end can go on now that a container is gone. */
void rm_job_check(struct rm_core *c, struct rm_app *a);
void rm_job_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
void rm_job_commit(struct rm_core *c, struct rm_app *a);
double rm_job_progress(const struct rm_app *a, enum base_task_kind k);
/* A task has read all its input some time before it ends: what has not ended shows 99 % at most. Policies count with
 * what was reported. */
static inline double rm_progress_shown(double progress, bool ended)
{
    return !ended && progress > 0.99 ? 0.99 : progress;
}

/* ---- rm/core/job/task_attempt.c ---- */
void rm_tasks_init(struct rm_core *c, struct rm_app *a);
void rm_tasks_free(struct rm_app *a); /* its index was dropped before, or the core goes */
bool rm_tasks_kept(const struct rm_app *a); /* in memory */
void rm_tasks_drop_index(struct rm_core *c, struct rm_app *a); /* @c NULL: it goes */
int64_t rm_task_count(const struct rm_job_spec *s, enum base_task_kind k);
void rm_task_set_state(struct rm_app *a, struct rm_task *t, enum rm_task_state s);
struct rm_task *rm_task_find(struct rm_app *a, enum base_task_kind kind, int32_t index);
/* Where its latest attempt was. NULL: there was none, or the node has been forgotten since @a ended. */
struct rm_node *rm_task_node(const struct rm_core *c, const struct rm_app *a, const struct rm_task *t);
/* The best pending task near @node, NULL when none is. *level: of that task, or of the best one that is not near.
 * *located: locality means something for it. */
struct rm_task *rm_task_pick_near(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                  const struct rm_node *node, enum delay_level *level, bool *located);
/* Hint to the processor: rm_task_pick_near comes soon. Steps 0 and 1, some time apart: the second needs the first. */
void rm_task_prefetch_near(const struct rm_app *a, enum base_task_kind k, const struct rm_node *node, int step);
/* Any pending task that may run on @node. */
struct rm_task *rm_task_pick_any(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                 const struct rm_node *node);
void rm_task_launched(struct rm_core *c, struct rm_app *a, struct rm_task *t, struct rm_container *ct, bool again);
void rm_task_succeeded(struct rm_core *c, struct rm_app *a, struct rm_task *t, struct rm_container *ct,
                       const struct rm_container_report *r);
/* The running attempt ended without success. @counts: towards max-attempts. */
void rm_task_failed(struct rm_core *c, struct rm_app *a, struct rm_task *t, struct rm_container *ct, bool counts,
                    bool killed, const char *why);
/* After a restart: a task has failed for good, and what it means for its job was not stored any more. */
void rm_tasks_recall_failure(struct rm_core *c, struct rm_app *a);
void rm_task_rerun(struct rm_core *c, struct rm_app *a, struct rm_task *t, const char *why);
void rm_task_on_commit(struct rm_core *c, const struct rm_event *ev);
void rm_task_on_fetch_failure(struct rm_core *c, const struct rm_event *ev);
void rm_task_node_outputs_lost(struct rm_core *c, struct rm_node *n, const char *why);
/* The attempt of @t that this instance gave makes way for one given before it. */
void rm_task_give_way(struct rm_core *c, struct rm_app *a, struct rm_task *t);
void rm_task_bad_add(struct rm_task *t, uint32_t node);
bool rm_task_is_bad_on(const struct rm_task *t, uint32_t node);

static inline bool rm_task_is_kept(const struct rm_task *t)
{
    return t->state == RM_TASK_PENDING && t->commit_attempt >= 0;
}

void rm_task_output_there(struct rm_core *c, struct rm_app *a, struct rm_task *t); /* gives its output a version */

int64_t *rm_task_counters(struct rm_app *a, const struct rm_task *t, bool make);

/* ---- rm/core/job/pick.c ---- */
void rm_pick_init(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
void rm_pick_free(struct rm_core *c, struct rm_phase *p); /* @c NULL: it goes */
void rm_pick_add_all(struct rm_phase *p); /* after rm_pick_init: all are pending */
void rm_pick_add(struct rm_core *c, struct rm_app *a, struct rm_task *t);    /* becomes pending */
void rm_pick_remove(struct rm_app *a, struct rm_task *t); /* pending no more */

/* ---- rm/core/app/container.c ---- */
/* Hints to the processor: these reports come next. */
void rm_container_prefetch(const struct rm_core *c, const struct rm_container_report *r, size_t n);
struct rm_container *rm_container_find(const struct rm_core *c, const struct base_container_id *id);
struct rm_container *rm_container_new(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                                      const struct base_container_id *id, enum base_task_kind slot,
                                      const struct rm_res *res);
void rm_container_set_state(struct rm_container *ct, enum rm_container_state s);
void rm_container_launch(struct rm_core *c, struct rm_container *ct, struct rm_launch *launch);
bool rm_container_unsent(const struct rm_container *ct); /* no node ever heard of it, and none will */
void rm_container_kill(struct rm_core *c, struct rm_container *ct, int32_t status, const char *reason);
/* Its process tree is stopped, its slot free; resumed on the same node. Tasks of jobs that run, or are suspended. */
void rm_container_suspend(struct rm_core *c, struct rm_container *ct);
void rm_container_resume(struct rm_core *c, struct rm_container *ct);
struct rm_container *rm_container_suspended_of(const struct rm_app *a, const struct rm_node *n, enum base_task_kind k);
/* Ends it: frees the slot, tells its task or master. @r: the node's report, NULL when there is none. */
void rm_container_end(struct rm_core *c, struct rm_container *ct, int32_t exit_code, const char *diagnostics,
                      const struct rm_container_report *r);
void rm_container_report(struct rm_core *c, struct rm_node *n, const struct rm_container_report *r, bool registering);
void rm_container_forget(struct rm_core *c, struct rm_container *ct); /* the core's memory of it, and the node's */
void rm_container_started(struct rm_core *c, struct rm_container *ct);
void rm_container_free(struct rm_core *c, struct rm_container *ct);
void rm_containers_expire(struct rm_core *c);

/* ---- rm/core/node/node.c ---- */
struct rm_node *rm_node_find(const struct rm_core *c, const char *id);
struct rm_node *rm_node_new(struct rm_core *c, const char *id);
void rm_node_free(struct rm_node *n);
void rm_node_delete(struct rm_core *c, struct rm_node *n); /* out of the tables: its index is free */
void rm_node_on_register(struct rm_core *c, const struct rm_event *ev);
void rm_node_on_heartbeat(struct rm_core *c, const struct rm_event *ev);
void rm_node_on_wake(struct rm_core *c, const struct rm_event *ev);
void rm_node_on_gone(struct rm_core *c, const struct rm_event *ev);
void rm_node_expired(struct rm_core *c, struct rm_node *n);
void rm_node_hold_over(struct rm_core *c, struct rm_node *n);
bool rm_node_ordered(const struct rm_node *n, enum rm_order_kind kind, const struct base_container_id *id);
struct rm_queued *rm_node_order(struct rm_core *c, struct rm_node *n, enum rm_order_kind kind);
void rm_node_use(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                 int32_t by);                                                      /* slots taken or given back */
void rm_node_index(struct rm_core *c, struct rm_node *n);                          /* its place among free nodes */
void rm_node_flush(struct rm_core *c);
void rm_node_set_place(struct rm_core *c, struct rm_node *n, const char *host, const char *rack);
void rm_node_set_slots(struct rm_core *c, struct rm_node *n, int32_t maps, int32_t reduces);
void rm_capacity_changed(struct rm_core *c, struct rm_node *n); /* @n: state, slots or registration */

/* ---- rm/core/node/forget.c ---- */
/* To be called when its registration, its awaiting or its refusal may have changed. */
void rm_node_check_gone(struct rm_core *c, struct rm_node *n);
void rm_node_hold(struct rm_core *c, struct rm_node *n); /* something refers to it */
void rm_node_release(struct rm_core *c, struct rm_node *n);
void rm_nodes_forget(struct rm_core *c); /* the timer */
void rm_rack_drop(struct rm_core *c, uint32_t rack); /* a hold of c->racks */
void rm_host_drop(struct rm_core *c, uint32_t host); /* of c->hosts; with the last one goes that of its rack */

/* ---- rm/core/schedule/offer.c ---- */
void rm_offer_node(struct rm_core *c, struct rm_node *n);
void rm_offer_all(struct rm_core *c);
/* Would @a use a slot here? If it waits for one near its data it has declined this one. */
enum policy_take rm_offer_ask(struct rm_core *c, struct rm_app *a, enum base_task_kind k, struct rm_node *n);
void rm_offer_preempt(struct rm_core *c); /* room on held nodes for work that has just come */

/* ---- rm/core/master/master.c, rm/core/master/ask.c ---- */
void rm_am_on_submit(struct rm_core *c, const struct rm_event *ev);
void rm_am_accepted(struct rm_core *c, struct rm_app *a);
void rm_am_on_register(struct rm_core *c, const struct rm_event *ev);
void rm_am_on_allocate(struct rm_core *c, const struct rm_event *ev);
void rm_am_on_finish(struct rm_core *c, const struct rm_event *ev);
void rm_am_master_stored(struct rm_core *c, struct rm_app *a, int64_t attempt);
void rm_am_unmanaged_stored(struct rm_core *c, struct rm_app *a);
void rm_am_expired(struct rm_core *c, struct rm_app *a);
void rm_am_container_ended(struct rm_core *c, struct rm_app *a, struct rm_container *ct);
void rm_am_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
void rm_am_check(struct rm_core *c, struct rm_app *a);
void rm_am_stored_final(struct rm_core *c, struct rm_app *a);
bool rm_am_offer(struct rm_core *c, struct rm_app *a, enum base_task_kind k, struct rm_node *n);
void rm_am_activate(struct rm_core *c);
void rm_am_passivate(struct rm_core *c, struct rm_app *a);
struct rm_attempt *rm_am_attempt(struct rm_app *a);
void rm_am_attempt_set(struct rm_attempt *at, enum rm_attempt_state s);
struct rm_attempt *rm_am_attempt_add(struct rm_core *c, struct rm_app *a);
void rm_am_free(struct rm_app *a);
void rm_am_forget_containers(struct rm_core *c, struct rm_app *a);
void rm_am_tell(struct rm_app *a, struct rm_container *ct); /* its master will hear of it */
void rm_am_announced(struct rm_app *a); /* all that its master was going to hear of; ends are told later */
void rm_am_masters_missing(struct rm_core *c, const struct rm_node *n);
void rm_am_recovered(struct rm_core *c, struct rm_app *a);
bool rm_ask_fits(struct rm_app *a, const struct rm_ask *asks, size_t n);
void rm_ask_update(struct rm_app *a, const struct rm_ask *asks, size_t n);
void rm_ask_counts(struct rm_app *a, int32_t pending[BASE_TASK_KINDS]);
struct rm_ask_group *rm_ask_pick(struct rm_app *a, enum base_task_kind k, const struct rm_node *n,
                                 enum delay_level *level);
void rm_ask_taken(struct rm_app *a, struct rm_ask_group *g, const struct rm_node *n, enum delay_level level);
void rm_ask_clear(struct rm_app *a);
enum base_task_kind rm_slot_of(const struct rm_res *r);
struct rm_res rm_max_capability(const struct rm_core *c);

/* ---- rm/core/record/record.c ---- */
uint64_t rm_record_app(struct rm_core *c, struct rm_app *a);
void rm_record_splits(struct rm_core *c, struct rm_app *a);
size_t rm_record_splits_size(const struct rm_job_spec *s); /* bytes of that record, exactly */
/* A submission whose records would be over their bounds is refused, and answered. @job: NULL for an application. */
bool rm_record_too_large(struct rm_core *c, uint64_t token, const char *json, const struct rm_job_spec *job);
uint64_t rm_record_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t);
uint64_t rm_record_commit(struct rm_core *c, struct rm_app *a, struct rm_task *t);
uint64_t rm_record_node(struct rm_core *c, const struct rm_node *n);
void rm_record_remove_node(struct rm_core *c, const struct rm_node *n);
uint64_t rm_record_format(struct rm_core *c, bool confirmed);
void rm_record_remove_app(struct rm_core *c, struct rm_app *a);
int rm_record_remove_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t); /* how many there were */
void rm_record_remove_splits(struct rm_core *c, struct rm_app *a);
void rm_recover_orphans(struct rm_core *c); /* after all records: lists of splits that nobody has asked for */
void rm_recover_free(struct rm_core *c);

/* @amount of memory or vcores held for @us, times milliseconds. */
static inline int64_t rm_held_ms(int64_t amount, int64_t us)
{
    return base_sat_add(base_sat_mul(amount, us / 1000), base_sat_mul(amount, us % 1000) / 1000);
}
static inline bool rm_app_is_over(const struct rm_app *a) /* its end is decided; it may be stored so for good */
{
    return rm_app_ended(a->state) || a->state == RM_APP_FINAL_SAVING;
}

static inline bool rm_app_live(const struct rm_app *a) /* its work may still be done */
{
    return (a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING) && a->ending == RM_END_NONE;
}

#endif

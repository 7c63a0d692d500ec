/* tests/sim/core_world.h - a small world around the core: nodes that run containers, a store that
 * can lag behind, a shell that answers effects. Time is virtual, and nothing happens unless a test
 * asks for it. */
#ifndef CREEL_CORE_WORLD_H
#define CREEL_CORE_WORLD_H

#include "rm/core/core.h"
#include "rm/core/view/view.h"

struct world_container { /* as its node knows it */
    struct base_container_id id;
    struct base_task_id task;
    int32_t attempt, exit_code, priority;
    int64_t allocation_request_id;
    enum base_task_kind slot;
    enum base_job_step step; /* the step of its job that runs in it, if any */
    bool has_task, master, ended, killed, suspended;
    bool may_commit; /* set by check_right(): the core has allowed it to commit */
    float progress;
    struct rm_res resource;
    char diagnostics[64];
};
struct world_node {
    char id[32], host[32], rack[32], instance[32], boot[32];
    char host_label[40]; /* "host:0": names its whole host where labels are given */
    int32_t slots[BASE_TASK_KINDS], master_slots;
    int64_t response_id, epoch_seen; /* epoch_seen: highest epoch of any answer */
    int64_t sent_us; /* time stamp of its last request: a test sets the first, each request adds 1;
                        0: requests carry no time stamp */
    int instance_n, boot_n;
    bool up, registered, healthy;
    bool is_hadoop;           /* a NodeManager of Hadoop, with port 45454 for masters */
    int32_t container_key_id; /* of the keys that it has got; 0: none */
    const struct base_utilization *utilization; /* in heartbeats; NULL: not measured */
    uint64_t token;                             /* of the request that awaits its answer; 0: none */
    const struct rm_log_report *logs; /* in its requests: logs that it has not copied yet */
    size_t logs_n;
    bool logs_more;
    struct world_container *v;
    size_t n, cap;
    struct base_app_id *apps; /* applications with a folder on the node */
    size_t apps_n, apps_cap;
    size_t launches, kills, forgets, cleanups,
        repeats; /* orders received; repeats: launches of containers that were there already */
    size_t suspends, resumes, shutdowns, signals[BASE_SIGNAL_COMMANDS];
    /* keys of NM tokens, as the last answer with keys has them; how many answers had some */
    int32_t nm_keys[RM_GOOD_KEYS_MAX];
    size_t nm_keys_n, answers_with_keys;
};
struct world_record {
    uint64_t seq;
    char *table, *key, *data; /* data NULL: removal */
    size_t len;
};
struct world_reply {
    uint64_t token, after_seq;
    enum rm_reply_kind kind;
    int code;
    bool flag;
    int64_t value;
    struct base_app_id app_id;
    enum rm_app_state state;
    char text[512];
    /* allocate, register */
    int64_t response_id;
    struct rm_res available;      /* of an answer to allocate */
    struct rm_res max_capability; /* of an answer to a registration */
    char command[32];
    struct rm_allocated allocated[64], previous[64], renewed[64];
    struct rm_completed completed[64];
    size_t allocated_n, completed_n, previous_n, renewed_n;
    int32_t amrm_key; /* of a new token; 0: none */
};
struct world {
    struct rm_core *core;
    struct rm_core_conf conf;
    struct policy_conf options;
    int64_t now;
    uint64_t token, seq, stored;
    bool auto_store, fail_setup, fail_commit, no_shell;
    bool undying_steps; /* a kill does not end a step, as when its file system does not answer */
    struct rm_effects fx;
    int32_t hadoop_port; /* of nodes that register; 0: they have none */
    struct world_node nodes[128];
    size_t nodes_n;
    char included[32], excluded[32]; /* hosts in the lists, as every RM reads them; "": none */
    struct world_record *journal; /* every record written, in order; world_crash() truncates it */
    size_t journal_n, journal_cap,
        durable; /* durable: how many, from the first on, the store has */
    struct {
        enum rm_effect_kind what;
        struct base_app_id id;
        uint64_t after;
    } shell[64];
    int32_t parts[64]; /* the attempts whose output the last RM_FX_JOB_COMMIT takes */
    size_t parts_n;
    size_t shell_n;
    struct world_reply reply; /* the last reply */
    int64_t wake, map_outputs, launches, aborts, commits, setups;
    int64_t unconfirmed, epoch_low, epoch_seen, histories, notes, ended,
        ended_refused;    /* numbers of effects; epoch_seen: of the last RM_FX_UNCONFIRMED or
                             RM_FX_EPOCH_LOW */
    size_t damaged;       /* records put aside as damaged since the last crash */
    bool may_be_damaged;  /* a test has damaged records; otherwise a damaged one aborts the test */
    char note[512];       /* text of the last RM_FX_NOTE */
    uint64_t abort_after; /* after_seq of the last RM_FX_JOB_ABORT */
    struct base_buf *log; /* receives the text of every effect; NULL: none */
    struct world_launch {
        struct base_container_id id;
        struct base_task_id task;
        bool job;
    } * step_launches;
    size_t step_launches_n, step_launches_cap;
};

void world_init(struct world *w, const char *policy);
/* Sets an option of a policy. Call world_renew() after this, and after any other change of w->conf.
 */
void world_option(struct world *w, const char *name, const char *value);
/* Replaces the core by a new, empty one with the present configuration. */
void world_renew(struct world *w);
void world_free(struct world *w);
/* Feeds one event to the core and obeys its orders; the store and the shell do not answer yet. */
void world_feed(struct world *w, struct rm_event *ev);
/* Feeds one event to the core, then calls world_settle(). */
void world_step(struct world *w, struct rm_event *ev);
/* Lets the store (if w->auto_store) and the shell (unless w->no_shell) answer until neither has
 * anything left to answer. */
void world_settle(struct world *w);
/* Tells the core that the store has everything up to @seq. */
void world_store(struct world *w, uint64_t seq);
/* Moves the clock forward by @us; timers fire on the way. */
void world_advance(struct world *w, int64_t us);

struct world_node *world_add_node(struct world *w, int32_t maps, int32_t reduces, const char *rack);
struct world_node *world_add_hadoop_node(struct world *w, int32_t maps, int32_t reduces,
                                         const char *rack);
void world_register(struct world *w, struct world_node *n);
void world_beat(struct world *w, struct world_node *n, int64_t hold_us);
void world_repeat(struct world *w, struct world_node *n); /* repeats the last heartbeat */
void world_beat_all(struct world *w, int64_t hold_us);
/* A new NM process registers; the containers live on. */
void world_restart_node(struct world *w, struct world_node *n);
void world_reboot_node(struct world *w, struct world_node *n);
struct world_container *world_find(struct world *w, const struct base_container_id *id,
                                   struct world_node **node);
/* Returns the live container of a task and its node; NULL when no node that is up has one. */
struct world_container *world_task(struct world *w, struct base_app_id app,
                                   enum base_task_kind kind, int32_t index,
                                   struct world_node **node);
/* Ends every running task with exit code 0 and sends heartbeats, until the nodes that are up have
 * no containers left. */
void world_run_dry(struct world *w);

/* Parses a submission: "name maps reduces output(0|1) max_attempts hosts priority [deadline-s
 * [queue [user [reservation]]]]". hosts > 0: split i lies on nodes i, i+1 and i+2, modulo hosts.
 * deadline-s 0: none. A job named "wideN" has tasks of N slots. */
struct rm_job_spec *world_spec(const char *text);
struct base_app_id world_submit(struct world *w, const char *text);
struct base_app_id world_submit_as(struct world *w, struct base_app_id id, const char *text);
void world_kill(struct world *w, struct base_app_id id);
void world_move(struct world *w, struct base_app_id id, const char *queue);
void world_drain(struct world *w, const struct world_node *n, bool drain);
/* Gives this RM, and every later one, an include and an exclude list with one host each (NULL: an
 * empty list). @timeout_us: 0 to decommission at once, otherwise gracefully within that time;
 * negative: gracefully, without limit. */
void world_refresh(struct world *w, const char *include, const char *exclude, int64_t timeout_us);
/* Changes labels. @name, @label: as in struct rm_label_change; @label NULL: none. */
void world_label(struct world *w, enum rm_labels_op op, const char *name, const char *label,
                 bool exclusive);
/* Gives the node other resources. @overcommit_us: as in the event. */
void world_give(struct world *w, const char *node, int64_t memory_mb, int64_t vcores,
                int64_t overcommit_us);
/* Parses "name memory attempts unmanaged [validity of failures in ms]". An application named
 * "keep…" keeps its containers, one named "lost…" is submitted to a queue that does not exist,
 * and "mr" or "mr-D-R" is of type MAPREDUCE, with a deadline of D s and R reduces by its tags. */
struct rm_app_spec *world_app_spec(const char *text);
struct base_app_id world_submit_app(struct world *w, const char *text);
enum rm_app_state world_state(struct world *w, struct base_app_id id);
/* The texts in the result have been freed. */
struct rm_app_view world_app(struct world *w, struct base_app_id id);
struct rm_task_view world_task_view(struct world *w, struct base_app_id id,
                                    enum base_task_kind kind, int32_t index, char diagnostics[256]);
/* Kills the RM and starts another one, which recovers the first @records of the journal. The others
 * are lost. */
void world_crash(struct world *w, size_t records);

#endif

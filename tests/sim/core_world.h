/* tests/sim/core_world.h - a small world around the core: nodes that run containers, a store that
 * can lag behind, a shell that answers effects. Virtual time; nothing happens that a test did not
 * ask for. */
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
    bool has_task, master, ended, killed, suspended;
    bool may_commit; /* a test's note: it was told so */
    float progress;
    struct rm_res resource;
    char diagnostics[64];
};
struct world_node {
    char id[32], host[32], rack[32], instance[32], boot[32];
    int32_t slots[BASE_TASK_KINDS];
    int64_t response_id, epoch_seen; /* epoch_seen: highest that it has obeyed */
    int64_t sent_us; /* of its last request; 0: requests do not say when they were sent. Set it to
                        have them say so */
    int instance_n, boot_n;
    bool up, registered, healthy;
    uint64_t token; /* heartbeat on its way */
    struct world_container *v;
    size_t n, cap;
    struct base_app_id *apps; /* that have folders there */
    size_t apps_n, apps_cap;
    size_t launches, kills, forgets, cleanups,
        repeats; /* orders seen; launches of known containers */
    size_t suspends, resumes;
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
    struct base_app_id app_id;
    enum rm_app_state state;
    char text[512];
    /* allocate, register */
    int64_t response_id;
    char command[32];
    struct rm_allocated allocated[64], previous[64];
    struct rm_completed completed[64];
    size_t allocated_n, completed_n, previous_n;
};
struct world {
    struct rm_core *core;
    struct rm_core_conf conf;
    struct policy_conf options;
    int64_t now;
    uint64_t token, seq, stored;
    bool auto_store, fail_setup, fail_commit, no_shell;
    struct rm_effects fx;
    struct world_node nodes[128];
    size_t nodes_n;
    struct world_record *journal;           /* every record ever written, in order */
    size_t journal_n, journal_cap, durable; /* durable: the first ones that the store has */
    struct {
        enum rm_effect_kind what;
        struct base_app_id id;
        uint64_t after;
    } shell[64];
    int32_t parts[64]; /* attempts whose parts the last commit takes */
    size_t parts_n;
    size_t shell_n;
    struct world_reply reply; /* the last one */
    int64_t wake, map_outputs, launches, aborts, commits, setups, setups_again;
    int64_t unconfirmed, epoch_low, epoch_seen, histories, notes, ended,
        ended_refused;    /* effects; epoch_seen: of the last of the first two */
    size_t damaged;       /* records that were kept aside since the last crash */
    bool may_be_damaged;  /* a test has damaged some: else that is a fault */
    char note[512];       /* the last one */
    uint64_t abort_after; /* of the last RM_FX_JOB_ABORT */
    struct base_buf *log; /* every effect, when set */
    struct world_launch {
        struct base_container_id id;
        struct base_task_id task;
        bool job;
    } * step_launches;
    size_t step_launches_n, step_launches_cap;
};

void world_init(struct world *w, const char *policy);
/* An option of policies; then, and after other changes of w->conf: world_renew. */
void world_option(struct world *w, const char *name, const char *value);
void world_renew(
    struct world *w); /* a new core with the present configuration; nothing has happened yet */
void world_free(struct world *w);
/* One event; then, unless told not to, what the store and the shell answer to it. */
void world_step(struct world *w, struct rm_event *ev);
void world_settle(struct world *w);
void world_store(struct world *w, uint64_t seq); /* the store has everything up to @seq */
void world_advance(struct world *w, int64_t us); /* time passes; timers fire */

struct world_node *world_add_node(struct world *w, int32_t maps, int32_t reduces, const char *rack);
void world_register(struct world *w, struct world_node *n);
void world_beat(struct world *w, struct world_node *n, int64_t hold_us);
void world_repeat(struct world *w, struct world_node *n); /* the last heartbeat once more */
void world_beat_all(struct world *w, int64_t hold_us);
void world_restart_node(struct world *w,
                        struct world_node *n); /* new NM process, containers live on */
void world_reboot_node(struct world *w, struct world_node *n);
struct world_container *world_find(struct world *w, const struct base_container_id *id,
                                   struct world_node **node);
/* The running container of a task, NULL: none runs on any node that is up. */
struct world_container *world_task(struct world *w, struct base_app_id app,
                                   enum base_task_kind kind, int32_t index,
                                   struct world_node **node);
/* Ends every running container with exit code 0 and reports, until nothing runs any more. */
void world_run_dry(struct world *w);

/* A submission as text: "name maps reduces output(0|1) max_attempts hosts priority [deadline-s
 * [queue [user]]]".
 * hosts > 0: split i lies on the hosts of nodes i, i+1, i+2 modulo hosts. deadline-s 0: none. */
struct rm_job_spec *world_spec(const char *text);
struct base_app_id world_submit(struct world *w, const char *text);
struct base_app_id world_submit_as(struct world *w, struct base_app_id id, const char *text);
void world_kill(struct world *w, struct base_app_id id);
void world_move(struct world *w, struct base_app_id id, const char *queue);
struct rm_app_spec *world_app_spec(
    const char *text); /* "name memory attempts unmanaged"; a name "keep…" keeps containers */
struct base_app_id world_submit_app(struct world *w, const char *text);
enum rm_app_state world_state(struct world *w, struct base_app_id id);
struct rm_app_view world_app(struct world *w,
                             struct base_app_id id); /* texts in it are not to be read */
struct rm_task_view world_task_view(struct world *w, struct base_app_id id,
                                    enum base_task_kind kind, int32_t index, char diagnostics[256]);
/* The RM is killed and started again with the first @records durable records. */
void world_crash(struct world *w, size_t records);

#endif

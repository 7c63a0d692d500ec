/* nodemanager/core/core.h - the decisions of a NodeManager, without their execution.
 *
 * nm_core_step() takes one event and returns effects, which the shell (nodemanager/daemon/loop.c)
 * carries out in order. The core reads no clock, opens no file and sees no process: everything that
 * happens arrives as an event. Single-threaded. Equal inputs give equal effects.
 *
 * A container's life:
 *
 *    NEW --launch--> LAUNCHING --spawned--> RUNNING --suspend--> SUSPENDED
 *                     |    |                | ^  |                |   |
 *                     |    |                | `--|----resume------'   |
 *                     |    `------kill----> |    `--kill--> KILLING <-'kill
 *               failed|                     |ended            |
 *                     |                     v                 |ended
 *                     `-----------------> COMPLETE <----------'          (SUSPENDED may end as
 *                                                                        well)
 *                                           | forget
 *                                           v
 *                                        FORGOTTEN
 *
 *  - LAUNCHING: a shim was requested; suspend and resume are remembered until it runs.
 *  - RUNNING, SUSPENDED: the shim runs.
 *  - KILLING: SIGTERM is sent, and SIGKILL, repeatedly, after the grace period; without a grace
 *    period SIGKILL is sent at once. If the shim does not run yet, the signals wait for it.
 *  - COMPLETE: the container has ended; every heartbeat reports it until the RM orders the node to
 *    forget it or to clean up its application.
 *  - FORGOTTEN: freed by a later step; only its id is kept, at least until the application has been
 *    cleaned up, so that a repeated launch order starts nothing twice.
 *
 * A clean-up that is ordered while containers of its application are alive kills them, and waits
 * until the last one has ended. A launch for the application takes back a clean-up that waits: the
 * RM needs the folders again, and orders another clean-up when it no longer does. After a clean-up,
 * a launch makes the folders anew.
 *
 * A container that a third party starts, a master over Hadoop RPC (nodemanager/rpc/protocol.h):
 *
 *    RM: ACQUIRED      the master has the container, with a token that this node can check
 *      |
 *      | startContainers: the token is checked, then nm_core_judge_start()
 *      |                  `--> refused: the master learns why; the core keeps nothing
 *      v
 *    NM_EV_MASTER_LAUNCH: NEW --launch--> LAUNCHING, and so on as above
 *      |
 *      |-- the next heartbeat reports the container: RM: RUNNING. If the RM has given the
 *      |   container up meanwhile, it answers with an order to kill it.
 *      |-- stopContainers, NM_EV_MASTER_STOP: a kill, after which NM_EXIT_STOPPED is reported
 *      v
 *    COMPLETE: a heartbeat at once, as for all ends. The RM tells the master, and orders the
 *              node to forget the container when the master has acknowledged that.
 *
 * A restarted NodeManager recovers such a container like any other, since its launch is recorded in
 * the form of an order. A container id that has been started once is not started again, as long as
 * the core knows its application; the token's expiry bounds the time after that.
 *
 * Orders are idempotent; a pair of state and order that is not an edge is counted and changes
 * nothing, except that a repeated kill order may shorten the grace period. Answers of an epoch
 * lower than the highest one seen are refused as a whole and counted. Before an answer with a
 * higher epoch, the shell stores the epoch durably and reports it (NM_EV_EPOCH_SAVED); an
 * NM_EV_ANSWER of an unknown higher epoch is a fault of the shell (asserted). So nothing is done
 * under an epoch that a restart would not remember.
 *
 * The link to the RM: one request is in flight at a time, a registration first. The RM parks the
 * answer to a heartbeat for up to the interval. If there is urgent news meanwhile (the end, the
 * suspension or the resumption of a container, a change of the node's health), NM_FX_WAKE asks the
 * RM to answer now, and again every NM_WAKE_AGAIN_US, since a wake call may overtake its heartbeat.
 * A request to another RM than the one that answered last may be parked until that RM leads; no
 * wake call follows it, and news goes into the next request. nodemanager/core/rm_search.h chooses
 * the RM. Pauses after failures are drawn at random from the upper half of the nominal pause, so
 * that nodes do not send all at once.
 *
 * Units: times that end in _us are microseconds on the caller's monotonic clock; those that end in
 * _ms are milliseconds of wall time, except durations. */
#ifndef CREEL_NODEMANAGER_CORE_CORE_H
#define CREEL_NODEMANAGER_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "base/order_kind.h"

#define NM_BACKOFF_MIN_US    INT64_C(50000)   /* first pause when no RM answers */
#define NM_BACKOFF_MAX_US    INT64_C(1000000) /* longest pause when no RM answers */
#define NM_WAKE_AGAIN_US     INT64_C(50000)
#define NM_SIGNAL_AGAIN_US   INT64_C(10000) /* until a signal that reached no process is repeated */
#define NM_KILL_AGAIN_US     INT64_C(500000) /* until SIGKILL is repeated */
#define NM_CONTAINERS_MAX    20000           /* live containers of one node */
#define NM_APPS_FINISHED_MAX 1000            /* finished applications that stay listed */

#define NM_EXIT_NONE        (-1000) /* not exited */
#define NM_EXIT_UNLOCALIZED (-1000) /* a local resource is missing: YARN's INVALID */
#define NM_EXIT_LOST        (-100)
#define NM_EXIT_DISK        (-101)
#define NM_EXIT_MEMORY      (-104) /* used more memory than it was given */
#define NM_EXIT_STOPPED     (-105) /* killed because its master asked for that */
#define NM_EXIT_KILLED      (-106)
#define NM_EXIT_REFUSED     126

enum nm_state {
    NM_NEW,
    NM_LAUNCHING,
    NM_RUNNING,
    NM_SUSPENDED,
    NM_KILLING,
    NM_COMPLETE,
    NM_FORGOTTEN,
    NM_STATES
};
/* Inputs of the life cycle. */
enum nm_input {
    NM_IN_LAUNCH,
    NM_IN_SPAWNED,
    NM_IN_SUSPEND,
    NM_IN_RESUME,
    NM_IN_KILL,
    NM_IN_ENDED,
    NM_IN_FORGET,
    NM_INPUTS
};
enum nm_signal {
    NM_SIGNAL_TERM,
    NM_SIGNAL_KILL,
    NM_SIGNAL_STOP,
    NM_SIGNAL_CONT,
    NM_SIGNAL_DUMP /* SIGQUIT, to the processes that handle it */
};

/* A container as a launch order describes it (strings borrowed; copied by the core). */
struct nm_launch {
    struct base_container_id id;
    const char *user, *token, *name; /* token: the application's secret */
    const char *acl_view; /* who may see the application besides its user; NULL: not given */
    const char *task;     /* task id text or NULL */
    int64_t task_attempt, memory_mb, vcores, priority, allocation_request_id;
    enum base_container_kind kind;
    enum base_task_kind slot;
    const char *refused; /* NULL, or why the order cannot be carried out: the container then ends at
                            once with NM_EXIT_REFUSED */
    const void *order;   /* the shell's own form of the order, passed on in NM_FX_LAUNCH */
};

struct nm_order {
    enum base_order_kind kind;
    struct base_container_id container; /* kill, suspend, resume, signal, forget */
    struct base_app_id app;             /* cleanup-app */
    const char *reason;                 /* kill, shutdown; may be NULL */
    int64_t grace_ms;                   /* kill, shutdown */
    enum base_signal_command signal;
    bool keep_logs; /* cleanup-app */
    struct nm_launch launch;
};

/* How a container ended, as far as the shell knows. */
struct nm_end {
    int exit_code; /* 0..255, 128+signal, or NM_EXIT_* */
    int signal;
    const char *diagnostics; /* may be NULL */
    const char *counters;    /* JSON object text or NULL */
    int64_t started_ms, ended_ms, cpu_ms, max_rss_kb, output_bytes;
};

enum nm_event_kind {
    NM_EV_START,         /* the daemon is ready: register */
    NM_EV_RECOVERED,     /* a container was found on disk at the start, before NM_EV_START */
    NM_EV_EPOCH_SAVED,   /* a higher epoch has been stored */
    NM_EV_ANSWER,        /* the RM answered the request in flight */
    NM_EV_MASTER_LAUNCH, /* a master starts a container; nm_core_judge_start() has allowed it */
    NM_EV_MASTER_STOP,   /* a master stops a container of its application */
    NM_EV_BEAT_FAILED,   /* the request in flight failed */
    NM_EV_SPAWNED,
    NM_EV_SPAWN_FAILED,
    NM_EV_ENDED,
    NM_EV_SIGNALLED, /* reports how many processes an NM_FX_SIGNAL reached */
    NM_EV_PROGRESS,
    NM_EV_HEALTH,
    NM_EV_TIMER
};
struct nm_event {
    enum nm_event_kind kind;
    int64_t at_us; /* never goes back */
    /* MASTER_STOP, SPAWNED, SPAWN_FAILED, ENDED, SIGNALLED, PROGRESS */
    struct base_container_id container;
    union {
        struct {
            struct nm_launch launch;
            enum nm_state state; /* RUNNING, SUSPENDED, KILLING, COMPLETE or FORGOTTEN */
            const char *kill_reason;
            int kill_status; /* 0: that of an order */
            int64_t started_ms;
            struct nm_end end;
        } recovered;
        struct nm_launch master_launch;
        struct {
            const char *reason;
            int64_t grace_ms;
        } master_stop;
        int64_t epoch_saved;
        struct {
            int64_t epoch, response_id, heartbeat_ms;
            const struct nm_order *orders;
            size_t n_orders;
            bool no_pause; /* if the answer is refused, try another RM at once */
        } answer;
        struct {
            bool register_again; /* the RM answered that it does not know this node */
            bool no_pause;       /* try another RM at once */
            bool elsewhere;      /* the next RM has not answered this node as the active one yet */
        } failed;
        struct {
            int64_t started_ms;
        } spawned;
        struct nm_end ended;
        struct {
            enum nm_signal signal;
            size_t count;
        } signalled;
        struct {
            double progress;
            const char *phase;    /* may be NULL */
            const char *counters; /* JSON object text or NULL */
        } progress;
        struct {
            bool healthy;
            const char *report;
            int64_t disk_free_mb;
        } health;
    } u;
};

enum nm_effect_kind {
    NM_FX_LAUNCH,  /* create the folders and request a shim; SPAWNED or SPAWN_FAILED must follow */
    NM_FX_SIGNAL,  /* signal the whole process tree except the shim; SIGNALLED must follow */
    NM_FX_MARK,    /* write a mark for a restarted NodeManager into the container's record */
    NM_FX_CLEANUP, /* remove the application's folders, except its logs if keep_logs is set;
                      all its containers have ended */
    NM_FX_BEAT,    /* send a registration or heartbeat; ANSWER or BEAT_FAILED must follow */
    NM_FX_WAKE,    /* ask the RM to answer the heartbeat in flight now */
    NM_FX_STOP,    /* a shutdown was ordered and all containers have ended */
    NM_FX_NOTE     /* write a line to the log */
};
enum nm_mark { NM_MARK_KILLED, NM_MARK_SUSPENDED, NM_MARK_RESUMED, NM_MARK_FORGOTTEN };
struct nm_container;
struct nm_effect {
    enum nm_effect_kind kind;
    /* LAUNCH, SIGNAL, MARK; valid while the effects of this step are carried out */
    struct nm_container *container;
    const struct nm_launch *launch; /* LAUNCH: borrowed from the event */
    bool app_changed;               /* LAUNCH: what is recorded of the application has changed */
    enum nm_signal signal;
    enum nm_mark mark;
    int64_t hold_ms;        /* BEAT */
    bool registering;       /* BEAT */
    struct base_app_id app; /* CLEANUP */
    bool keep_logs;
    char note[160];
};
struct nm_effects {
    struct nm_effect *v;
    size_t len, cap;
};

/* ---- the state of containers and applications, read-only for the shell ---- */
struct nm_app_view;
struct nm_container_view {
    struct base_container_id id;
    char text[BASE_ID_TEXT_MAX];
    const struct nm_app_view *app;
    enum nm_state state;
    enum base_container_kind kind;
    enum base_task_kind slot;
    char *name, *task; /* task NULL: none */
    int64_t task_attempt, memory_mb, vcores, priority, allocation_request_id;
    int exit_code, signal;
    char *diagnostics, *counters, *kill_reason;
    int kill_status; /* exit code of a container with a kill_reason */
    int64_t grace_ms;
    int64_t started_ms, ended_ms, cpu_ms, max_rss_kb, output_bytes;
    double progress;
    char phase[16];
};
struct nm_app_view {
    struct base_app_id id;
    char text[BASE_ID_TEXT_MAX];
    char *user, *token;
    char *acl_view; /* base/acl/acl.h; NULL: not given */
    bool cleaning;  /* the RM has ordered its clean-up, which waits for its containers to end */
    bool finished;  /* cleaned up; listed for a while */
    size_t alive;   /* containers that have a shim or wait for one */
};
struct nm_core_stats {
    uint64_t orders[BASE_ORDER_KINDS];
    uint64_t ignored[NM_STATES][NM_INPUTS]; /* inputs without an edge */
    uint64_t edges[NM_STATES][NM_INPUTS];
    uint64_t stale_answers, refused_orders; /* answers of a lower epoch, and the orders in them */
    uint64_t launched, completed;
    uint64_t succeeded, failed, killed; /* results of the completed ones */
    uint64_t spawned, spawn_us;         /* launches that led to a shim, and the sum of the times
                                         * that they took */
};

struct nm_core;
struct nm_core *nm_core_new(int64_t epoch_seen);
/* Seeds the random pauses of this node; @seed should differ between nodes. */
void nm_core_seed_random(struct nm_core *core, uint64_t seed);
void nm_core_free(struct nm_core *core);
/* Handles one event and appends its effects to @out (the caller clears it). Cannot fail. Pointers
 * in effects are valid until the next step. */
void nm_core_step(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out);
/* Returns when the core needs the next NM_EV_TIMER; INT64_MAX: never. */
int64_t nm_core_next_timer_us(const struct nm_core *core);

const struct nm_container_view *nm_core_view(const struct nm_container *c);
/* Returns the pointer to the shell's data about a container; NULL until it is set. */
void *nm_core_shell_data(const struct nm_container *c);
void nm_core_set_shell_data(struct nm_container *c, void *shell);
/* Sets the function that frees the shell's data; called when a container with such data is
 * freed. */
void nm_core_set_shell_data_destructor(struct nm_core *core, void (*fn)(void *shell));

struct nm_container *nm_core_find_container(const struct nm_core *core,
                                            const struct base_container_id *id);
/* Returns true if the container was forgotten. The ids of forgotten containers are kept at least
 * until their application is cleaned up. */
bool nm_core_has_forgotten(const struct nm_core *core, const struct base_container_id *id);
/* Why a master may not start a container. */
enum nm_start_refusal {
    NM_START_ALLOWED,
    NM_START_REPEATED,  /* it has been started before */
    NM_START_APP_ENDED, /* its application has been cleaned up, or will be */
    NM_START_STOPPING,  /* the node shuts down */
    NM_START_FULL       /* NM_CONTAINERS_MAX are alive */
};
/* Judges whether a master may start the container @id now. */
enum nm_start_refusal nm_core_judge_start(const struct nm_core *core,
                                          const struct base_container_id *id);
const struct nm_app_view *nm_core_app_find(const struct nm_core *core,
                                           const struct base_app_id *id);
/* Call @fn for each container that is not FORGOTTEN, or for each application, in the order in which
 * they were added. */
void nm_core_each_container(const struct nm_core *core, void (*fn)(struct nm_container *c, void *u),
                            void *u);
void nm_core_each_app(const struct nm_core *core,
                      void (*fn)(const struct nm_app_view *app, void *u), void *u);
/* Calls @fn for each container of @app whose state is not FORGOTTEN. */
void nm_core_each_of_app(const struct nm_core *core, const struct nm_app_view *app,
                         void (*fn)(struct nm_container *c, void *u), void *u);
/* Calls @fn for each container that the request in flight must report: all containers for a
 * registration; for a heartbeat those that have ended, and those that changed since the RM last
 * acknowledged. Marks them as sent, so call this once per NM_FX_BEAT. */
void nm_core_mark_sent_each_to_report(struct nm_core *core,
                                      void (*fn)(struct nm_container *c, void *u), void *u);

int64_t nm_core_epoch(const struct nm_core *core);
int64_t nm_core_response_id(const struct nm_core *core);
/* Returns when the request in flight, or the last one, was sent; 0 before the first. With a clock
 * that counts from boot an RM can order requests by this time, even across restarts of the
 * NodeManager. */
int64_t nm_core_request_sent_us(const struct nm_core *core);
bool nm_core_is_registered(const struct nm_core *core);
bool nm_core_is_healthy(const struct nm_core *core, const char **report, int64_t *disk_free_mb);
size_t nm_core_alive_count(const struct nm_core *core);
const struct nm_core_stats *nm_core_stats(const struct nm_core *core);

/* Returns the state after input @in, or NM_STATES if there is no such edge. */
enum nm_state nm_state_after(enum nm_state s, enum nm_input in);

#endif

/* nodemanager/core/core.h - the decisions of a NodeManager, without their execution.
 *
 * nm_core_step() folds one event in and gives effects out; the shell (nodemanager/daemon/daemon.c)
 * carries them out in order. The core reads no clock, opens no file and knows no process: it is
 * told. Single-threaded. Equal inputs give equal effects.
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
 *  - LAUNCHING: the shim was asked for; suspend and resume are remembered until it is there.
 *  - RUNNING, SUSPENDED, KILLING: a shim lives. KILLING: TERM was sent, KILL follows after the
 *  grace, and again.
 *  - COMPLETE: the end is known and stands in every heartbeat until the RM says forget.
 *  - FORGOTTEN: freed with the next step; only its id is kept until cleanup-app, so that a repeated
 *    launch order starts nothing twice.
 *
 * Orders are idempotent; a pair of state and order that is not an edge is counted and changes
 * nothing. Answers of an epoch lower than the highest one seen are refused whole and counted. A
 * higher epoch is stored durably by the shell and told here (NM_EV_EPOCH_SAVED) before the answer
 * that brings it; an NM_EV_ANSWER of an unknown higher epoch is a fault of the shell (asserted). So
 * nothing is done under an epoch that a restart would not remember.
 *
 * The link to the RM: one request in flight at a time, registration first. The RM parks a
 * heartbeat's answer up to the interval. If there is news to report meanwhile, NM_FX_WAKE asks it
 * to answer now, once per heartbeat (and again after NM_WAKE_AGAIN_US, since a wake call may
 * overtake its heartbeat). A request to an RM other than the one that answered last may be parked
 * until that RM leads: it is not woken, and news goes into the next request. Which RM is asked:
 * nodemanager/core/rm_search.h. Pauses after failures are drawn at random from the upper half of
 * the nominal pause, so that nodes do not come all at once.
 *
 * Units: times are microseconds on the caller's monotonic clock where they end in _us; _ms are wall
 * milliseconds. */
#ifndef CREEL_NODEMANAGER_CORE_CORE_H
#define CREEL_NODEMANAGER_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "base/order_kind.h"

#define NM_BACKOFF_MIN_US INT64_C(50000)   /* no RM answers: first pause */
#define NM_BACKOFF_MAX_US INT64_C(1000000) /* ... and the longest */
#define NM_WAKE_AGAIN_US  INT64_C(50000)
#define NM_SIGNAL_AGAIN_US                                                                         \
    INT64_C(10000) /* a signal found nobody: the command is about to be started */
#define NM_KILL_AGAIN_US     INT64_C(500000) /* SIGKILL is repeated until the end is seen */
#define NM_CONTAINERS_MAX    20000           /* alive on one node */
#define NM_APPS_FINISHED_MAX 1000            /* finished applications that stay listed */

#define NM_EXIT_NONE    (-1000) /* not exited */
#define NM_EXIT_LOST    (-100)
#define NM_EXIT_DISK    (-101)
#define NM_EXIT_KILLED  (-106)
#define NM_EXIT_REFUSED 126

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
/* What moves a container. */
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
enum nm_signal { NM_SIGNAL_TERM, NM_SIGNAL_KILL, NM_SIGNAL_STOP, NM_SIGNAL_CONT };

/* What a launch order says of a container (strings borrowed; copied by the core). */
struct nm_launch {
    struct base_container_id id;
    const char *user, *token, *name;
    const char *task; /* task id text or NULL */
    int64_t task_attempt, memory_mb, vcores, priority, allocation_request_id;
    enum base_container_kind kind;
    enum base_task_kind slot;
    const char *refused; /* NULL, or why it cannot be started: it is made and ends with
                            NM_EXIT_REFUSED at once */
    const void *order;   /* the shell's own form of the order; handed through to NM_FX_LAUNCH */
};

struct nm_order {
    enum base_order_kind kind;
    struct base_container_id container; /* kill, suspend, resume, forget */
    struct base_app_id app;             /* cleanup-app */
    const char *reason;                 /* kill, shutdown; may be NULL */
    int64_t grace_ms;                   /* kill */
    bool keep_logs;                     /* cleanup-app */
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
    NM_EV_START,       /* begin: register */
    NM_EV_RECOVERED,   /* a container found on disk at the start, before NM_EV_START */
    NM_EV_EPOCH_SAVED, /* a higher epoch is on disk now */
    NM_EV_ANSWER,      /* the RM answered the request in flight */
    NM_EV_BEAT_FAILED, /* ... or did not */
    NM_EV_SPAWNED,
    NM_EV_SPAWN_FAILED,
    NM_EV_ENDED,
    NM_EV_SIGNALLED, /* how many processes an NM_FX_SIGNAL reached */
    NM_EV_PROGRESS,
    NM_EV_HEALTH,
    NM_EV_TIMER
};
struct nm_event {
    enum nm_event_kind kind;
    int64_t at_us;                      /* never goes back */
    struct base_container_id container; /* SPAWNED, SPAWN_FAILED, ENDED, SIGNALLED, PROGRESS */
    union {
        struct {
            struct nm_launch launch;
            enum nm_state state; /* RUNNING, SUSPENDED, KILLING, COMPLETE or FORGOTTEN */
            const char *kill_reason;
            int64_t started_ms;
            struct nm_end end;
        } recovered;
        int64_t epoch_saved;
        struct {
            int64_t epoch, response_id, heartbeat_ms;
            const struct nm_order *orders;
            size_t n_orders;
            bool no_pause; /* if it is refused: another RM is left to be tried at once */
        } answer;
        struct {
            bool register_again; /* the RM answered that it does not know us */
            bool no_pause;       /* another RM is left to be tried at once */
            bool elsewhere; /* the next request goes to an RM that has not answered us as the active
                               one yet */
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
    NM_FX_LAUNCH,  /* make the folders and ask for a shim: answer with SPAWNED or SPAWN_FAILED */
    NM_FX_SIGNAL,  /* to the whole tree except the shim: answer with SIGNALLED */
    NM_FX_MARK,    /* leave what a restarted NodeManager must know in the container's folder */
    NM_FX_CLEANUP, /* remove the application's folder; its containers are gone */
    NM_FX_BEAT,    /* send a registration or heartbeat: answer with ANSWER or BEAT_FAILED */
    NM_FX_WAKE,
    NM_FX_STOP, /* shutdown was ordered and nothing is alive any more */
    NM_FX_NOTE  /* worth a line in the log */
};
enum nm_mark { NM_MARK_KILLED, NM_MARK_SUSPENDED, NM_MARK_RESUMED, NM_MARK_FORGOTTEN };
struct nm_container;
struct nm_effect {
    enum nm_effect_kind kind;
    struct nm_container
        *container; /* LAUNCH, SIGNAL, MARK; valid while the effects of this step are carried out */
    const struct nm_launch *launch; /* LAUNCH: borrowed from the event */
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

/* ---- what is known, to be read (never written) by the shell ---- */
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
    int64_t grace_ms;
    int64_t started_ms, ended_ms, cpu_ms, max_rss_kb, output_bytes;
    double progress;
    char phase[16];
};
struct nm_app_view {
    struct base_app_id id;
    char text[BASE_ID_TEXT_MAX];
    char *user, *token;
    bool finished; /* cleaned up; listed for a while */
    size_t alive;  /* containers with a shim or about to get one */
};
struct nm_core_stats {
    uint64_t orders[BASE_ORDER_KINDS];
    uint64_t ignored[NM_STATES][NM_INPUTS]; /* not an edge */
    uint64_t edges[NM_STATES][NM_INPUTS];
    uint64_t stale_answers, refused_orders; /* of a lower epoch: answers, and the orders in them */
    uint64_t launched, completed;
};

struct nm_core;
struct nm_core *nm_core_new(int64_t epoch_seen);
/* Seeds the random pauses of this node; should differ between nodes. */
void nm_core_seed(struct nm_core *core, uint64_t seed);
void nm_core_free(struct nm_core *core);
/* Appends to @out (the caller clears it). Cannot fail. Pointers in effects hold until the next
 * step. */
void nm_core_step(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out);
/* When NM_EV_TIMER is wanted next, INT64_MAX: never. */
int64_t nm_core_next_us(const struct nm_core *core);

const struct nm_container_view *nm_core_view(const struct nm_container *c);
/* The shell's own data about a container; the core only carries the pointer. */
void *nm_core_shell(const struct nm_container *c);
void nm_core_set_shell(struct nm_container *c, void *shell);
/* Called for every container that is freed, so that the shell can free its data. */
void nm_core_on_free(struct nm_core *core, void (*fn)(void *shell));

struct nm_container *nm_core_find(const struct nm_core *core, const struct base_container_id *id);
/* True for a container that was forgotten and whose application was not cleaned up yet. */
bool nm_core_has_forgotten(const struct nm_core *core, const struct base_container_id *id);
const struct nm_app_view *nm_core_app_find(const struct nm_core *core,
                                           const struct base_app_id *id);
/* Walks in order of arrival; FORGOTTEN ones are left out. */
void nm_core_each_container(const struct nm_core *core, void (*fn)(struct nm_container *c, void *u),
                            void *u);
void nm_core_each_app(const struct nm_core *core,
                      void (*fn)(const struct nm_app_view *app, void *u), void *u);
/* Containers of one application, FORGOTTEN ones left out. */
void nm_core_each_of_app(const struct nm_core *core, const struct nm_app_view *app,
                         void (*fn)(struct nm_container *c, void *u), void *u);
/* The containers the request in flight must carry: all for a registration; for a heartbeat the
 * ended ones and those that changed since the RM last acknowledged. Marks them as sent: call once
 * per NM_FX_BEAT. */
void nm_core_each_in_beat(struct nm_core *core, void (*fn)(struct nm_container *c, void *u),
                          void *u);

int64_t nm_core_epoch(const struct nm_core *core);
int64_t nm_core_response_id(const struct nm_core *core);
/* When the request under way, or the last one, was sent. With a clock that counts from boot on it
 * tells an RM which of two requests is the newer one, over restarts of the NodeManager too. */
int64_t nm_core_sent_us(const struct nm_core *core);
bool nm_core_registered(const struct nm_core *core);
bool nm_core_healthy(const struct nm_core *core, const char **report, int64_t *disk_free_mb);
size_t nm_core_alive(const struct nm_core *core);
const struct nm_core_stats *nm_core_stats(const struct nm_core *core);

/* The state after @in, or NM_STATES when that is no edge. */
enum nm_state nm_edge(enum nm_state s, enum nm_input in);

#endif

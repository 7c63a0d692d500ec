/* rm/daemon/daemon_internal.h - shared by the daemon's own files only.
 *
 *   rm/daemon/daemon.c       the process: helpers' threads, beginning and end of leaderships
 *   rm/leader/leadership.c   one leadership: from the stored records to a core that is served, and
 *                            its end
 *   rm/daemon/core_thread.c  the queue of events and the thread that steps the core
 *   rm/daemon/carry_out.c    where effects go
 *   rm/daemon/backend.c      what handlers and all of the above ask
 *   rm/leader/load_store.c   the store read back
 *   rm/leader/role.c         which of several RMs this is
 *
 * Locks, outermost first: life (one beginning or end of a leadership at a time), the core's lock,
 * qlock, those of the store's thread and the other helpers. */
#ifndef CREEL_RM_DAEMON_DAEMON_INTERNAL_H
#define CREEL_RM_DAEMON_DAEMON_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "rm/daemon/core_lock.h"
#include "rm/daemon/daemon.h"
#include "rm/daemon/master_token.h"
#include "rm/daemon/relay.h"
#include "rm/jobs/job_folders.h"
#include "rm/leader/parked.h"
#include "rm/leader/role.h"
#include "rm/leader/store_thread.h"
#include "rm/term/core_clock.h"
#include "rm/term/term.h"

struct rm_posted { /* one entry of the queue */
    struct rm_event *ev;
    rm_reply_fn *fn;
    void (*release)(void *user);
    void *user;
};
struct rm_ticket { /* of the requester of an event */
    rm_reply_fn *fn;
    void *user;
};

struct rm_leadership { /* the shell around a struct rm_term; alone: one that never ends */
    struct rm_backend *b;
    struct rm_term rules;    /* the core's thread; its core is the backend's once it is installed */
    struct ha_store *opened; /* until the store's thread has it */
    struct rm_core *core;    /* until the backend has it */
    char master_key[RM_MASTER_KEY_MAX];
    struct rm_store *store;
    struct rm_jobs_io *io;
    pthread_t thread;
    atomic_bool halt; /* the core's thread ends after the event that it is at */
    /* core thread only */
    struct rm_posted *batch;
    size_t batch_cap;
};

struct rm_roles { /* rm/leader/role.c */
    bool ha;
    char *rm_id, *all_urls;       /* NULL: alone */
    pthread_rwlock_t source_lock; /* held for reading while one of its functions runs */
    struct rm_role_source source;
    atomic_bool lease_ends; /* the source has a lease: it must be asked; false: endless */
    _Atomic enum rm_role role;
    struct rm_lease lease; /* of the leadership that is, or is being made */
    pthread_mutex_t lock;
    char active_url[512];
    struct rm_watch *watch;
    _Atomic int64_t changes;
    _Atomic int64_t takeovers, late_answers;
};

struct rm_key {
    char text[RM_MASTER_KEY_MAX];
    struct rm_key *next;
};

struct rm_backend {
    const struct base_conf *conf;
    struct rm_roles roles;
    char *queues_path;           /* the allocation file, NULL: none */
    bool queues_optional;        /* it need not be there */
    struct base_buf queues_good; /* as it was when it could last be read; under qlock */
    atomic_bool wants_groups;    /* its rules place by groups of users */
    struct rm_groups *groups;
    struct rm_history_file *history; /* of ended jobs; NULL: alone, the store has them all */
    _Atomic(char *) url;
    struct rm_clock clock;
    struct rm_watch *watch;
    struct rm_worker *slow[RM_SLOW_KINDS];
    struct rm_relay *relay;
    struct rm_file_pool *files;
    bool left_behind; /* the stop did not wait for a thread of @files that hangs: what it uses stays
                       */
    bool started;
    struct rm_core_lock lock;
    struct rm_core *core; /* under lock */
    uint64_t core_serial; /* under lock: grows with every other core */
    _Atomic int64_t epoch;
    _Atomic(const char *) master_key; /* one of keys */
    struct rm_key *keys; /* of all leaderships: handlers may still look at an old one */
    pthread_mutex_t life;
    bool ending; /* under life: no leadership any more */
    /* the queue */
    pthread_mutex_t qlock;
    pthread_cond_t qwake;
    struct rm_posted *queue;
    size_t queue_len, queue_cap;
    uint64_t stored_seq;
    bool stop;  /* the core's thread ends when the queue is empty */
    int closed; /* posts are refused with this code; 0: taken */
    const char *closed_text;
    struct rm_leadership *term;             /* that the queue is for; NULL: none */
    struct ha_store *loading;               /* being read by an activation */
    int64_t commits_before, records_before; /* of leaderships that have ended */
    atomic_bool busy;                       /* the core's thread has something to do */
    _Atomic uint64_t turns;                 /* grows while it does it */
    struct rm_repair repair;
    struct base_error lost; /* alone, under life: why the leadership could not be entered anew */
};

/* ---- rm/daemon/backend.c ---- */
int64_t
rm_backend_core_time_us(struct rm_backend *b); /* on the core's thread, or while none runs */
struct rm_core *rm_backend_swap_core(struct rm_backend *b,
                                     struct rm_core *core); /* returns the one before */

/* ---- rm/daemon/daemon.c ---- */
struct rm_backend *
rm_daemon_make(const struct base_conf *conf); /* a standby that has no core yet */
struct rm_first_queues {                      /* read before the store was opened */
    bool given;                               /* false: there is no allocation file */
    struct policy_queues tree;
};
/* Holding life: rm_daemon_activate(), also before the daemon has started. @queues: NULL to read
 * them now; else emptied. */
int rm_daemon_enter(struct rm_backend *b, struct ha_store *store, int64_t epoch,
                    struct rm_first_queues *queues, struct base_error *err);

/* ---- rm/daemon/core_thread.c ---- */
/* Each frees the ticket. */
void rm_ticket_answer(struct rm_ticket *ticket, const struct rm_effect *fx);
void rm_ticket_fail(struct rm_ticket *ticket, int code, const char *text);
/* An event that the core will never see: drops the references it carries and refuses the
 * requester. */
void rm_posted_refuse(const struct rm_posted *p, int code, const char *text);
void rm_core_thread_note_stored(struct rm_leadership *t, uint64_t seq); /* any thread */
void *rm_core_thread_main(void *term);

/* ---- rm/leader/leadership.c ----
 *
 *   new -> load -> install -> start_helpers -> start_core -> finish | abort
 *           \-> free, when loading fails or the leadership has ended meanwhile
 *
 * @store is taken. */
struct rm_leadership *rm_leadership_new(struct rm_backend *b, struct ha_store *store,
                                        int64_t epoch);
/* Reads the store into a core of its own. @tree: the queues, NULL: none; taken when it succeeds. */
int rm_leadership_load(struct rm_leadership *t, struct policy_queues *tree, struct base_error *err);
void rm_leadership_start_helpers(
    struct rm_leadership *t); /* the threads of the store and of output folders */
/* Readers see its core from now on, and events may be posted. Returns the previous core, now the
 * caller's. */
struct rm_core *rm_leadership_install(struct rm_leadership *t);
void rm_leadership_start_core(struct rm_leadership *t); /* the core's thread */
/* Ends in good order: queued events are carried out, written and answered. Whoever still waits
 * after that is refused with @code and @text. Frees @t. */
int rm_leadership_finish(struct rm_leadership *t, int code, const char *text,
                         struct base_error *err);
void rm_leadership_abort(struct rm_leadership *t); /* ends at once; frees @t */
void rm_leadership_free(struct rm_leadership *t);  /* one that never ran; NULL is fine */
int rm_empty_core(const struct rm_backend *b, struct rm_core **out, struct base_error *err);

/* ---- rm/daemon/carry_out.c ---- */
/* What the rules of @t let out goes to its store, its helpers, and whoever waits. */
void rm_carry_out_calls(struct rm_leadership *t, struct rm_term_calls *out);

/* ---- rm/leader/role.c ---- */
void rm_roles_init(struct rm_backend *b);
void rm_roles_start(struct rm_backend *b);
void rm_roles_stop(struct rm_backend *b);
void rm_roles_free(struct rm_backend *b);
void rm_roles_stats(const struct rm_backend *b, struct rm_backend_stats *out);
void rm_roles_set(struct rm_backend *b,
                  enum rm_role role); /* wakes requests that wait for a change */
void rm_roles_report_unfit(struct rm_backend *b,
                           const struct rm_effect *fx); /* RM_FX_UNCONFIRMED, RM_FX_EPOCH_LOW */
/* End of the lease of the leadership under @epoch, for rm_lease_holds(). */
int64_t rm_roles_lease_us(const struct rm_backend *b, int64_t epoch);
void rm_roles_notify(struct rm_backend *b);            /* a role has changed: the same */
void rm_roles_count_late_answer(struct rm_backend *b); /* refused since the lease was over */

/* ---- rm/config/allocation_file.c ---- */
/* 1: @out has the queues of the allocation file, or of its last readable version; 0: there is no
 * such file. */
int rm_queues_load_at_start(struct rm_backend *b, struct policy_queues *out,
                            struct base_error *err);

#endif

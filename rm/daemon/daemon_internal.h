/* rm/daemon/daemon_internal.h - shared by the daemon's own files only.
 *
 *   rm/daemon/daemon.c       the process: helpers' threads, beginning and end of leaderships
 *   rm/leader/leadership.c   one leadership, from the stored records to its end
 *   rm/daemon/core_thread.c  the queue of events and the thread that steps the core
 *   rm/daemon/carry_out.c    carrying out the effects of the core
 *   rm/daemon/backend.c      access to the core and to the helpers' threads
 *   rm/leader/load_store.c   reading the store back
 *   rm/leader/role.c         the role of this RM and the address of the active one
 *
 * Locks, outermost first: life (one beginning or end of a leadership at a time), the core's lock,
 * qlock, the locks of the store's thread and of the other helpers. */
#ifndef CREEL_RM_DAEMON_DAEMON_INTERNAL_H
#define CREEL_RM_DAEMON_DAEMON_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "rm/config/queue_conf_file.h"
#include "rm/daemon/core_lock.h"
#include "rm/daemon/daemon.h"
#include "rm/daemon/relay.h"
#include "rm/leader/parked.h"
#include "rm/leader/role.h"
#include "rm/leader/store_thread.h"
#include "rm/term/core_clock.h"
#include "rm/term/term.h"

struct rm_posted { /* an event in the queue */
    struct rm_event *ev;
    rm_reply_fn *fn;
    void (*release)(void *user);
    void *user;
};
struct rm_ticket { /* answers the requester of an event */
    rm_reply_fn *fn;
    void *user;
};

struct rm_leadership { /* a struct rm_term with its threads */
    struct rm_backend *b;
    /* for the core's thread; its core belongs to the backend once installed */
    struct rm_term rules;
    struct ha_store *opened; /* the store, until its thread has taken it */
    struct rm_core *core;    /* until rm_leadership_install_core() has passed it to the backend */
    struct rm_store *store;
    pthread_t thread;
    atomic_bool halt; /* the core's thread ends after the events it has taken from the queue */
    /* core thread only */
    struct rm_posted *batch;
    size_t batch_cap;
};

struct rm_roles { /* rm/leader/role.c */
    bool ha;
    char *rm_id, *all_urls;       /* NULL: not one of several */
    pthread_rwlock_t source_lock; /* held for reading while a function of source runs */
    struct rm_role_source source;
    atomic_bool lease_ends; /* the source has a lease function; false: the lease is endless */
    _Atomic enum rm_role role;
    struct rm_lease lease; /* of the present leadership, or the one being entered */
    pthread_mutex_t lock;
    char active_url[512];
    struct rm_parking *watch;
    _Atomic int64_t changes;
    _Atomic int64_t takeovers, late_answers;
};

struct rm_backend {
    const struct base_conf *conf;
    struct rm_roles roles;
    char *queues_path;           /* the allocation file, NULL: none */
    bool queues_optional;        /* a missing file is not an error */
    struct base_buf queues_good; /* the file's text when it was last accepted; under qlock */
    char *capacity_path; /* capacity-scheduler.xml; NULL: there is none, or another shape is set */
    bool capacity_optional;
    struct rm_properties queue_conf_good; /* as queues_good, for that file */
    atomic_bool wants_groups;             /* the placement rules of the file use groups of users */
    struct base_groups *groups;
    struct rm_history_file *history; /* of ended jobs; NULL: the store keeps them all */
    struct rm_own_token *own_token;  /* borrowed; NULL: none */
    const struct api_auth *auth;     /* borrowed */
    _Atomic(char *) url;
    struct rm_clock clock;
    struct rm_parking *watch;
    struct rm_worker *slow[RM_SLOW_KINDS];
    struct rm_relay *relay;
    struct base_keyring *secret; /* of the cluster; NULL: requests are not signed */
    bool started;
    struct rm_core_lock lock;
    struct rm_core *core; /* under lock */
    uint64_t core_serial; /* under lock: grows with every new core */
    _Atomic int64_t epoch;
    pthread_mutex_t life;
    bool ending; /* under life: no leadership may be entered any more */
    /* the queue */
    pthread_mutex_t qlock;
    pthread_cond_t qwake;
    struct rm_posted *queue;
    size_t queue_len, queue_cap;
    uint64_t stored_seq;
    bool stop;  /* the core's thread ends when the queue is empty */
    int closed; /* posts are refused with this code; 0: accepted */
    const char *closed_text;
    struct rm_leadership *term;             /* the present leadership; NULL: none */
    struct ha_store *loading;               /* store that an activation is reading; NULL: none */
    int64_t commits_before, records_before; /* of former leaderships */
    atomic_bool busy;                       /* the core's thread has work */
    _Atomic uint64_t turns;                 /* grows while the core's thread works */
    struct rm_repair repair;
    /* under life: why a leadership under a higher epoch could not be entered */
    struct base_error lost;
};

/* ---- rm/daemon/backend.c ---- */
/* Lets the core's clock gain on the wall clock, and returns the core's time. For the core's thread,
 * or while none runs. */
int64_t rm_backend_catch_up_clock(struct rm_backend *b);
/* Replaces the core that handlers read by @core. Returns the previous one, which may be NULL. */
struct rm_core *rm_backend_swap_core(struct rm_backend *b, struct rm_core *core);

/* ---- rm/daemon/daemon.c ---- */
/* Makes a standby whose core is still to be set. */
struct rm_backend *rm_daemon_new_without_core(const struct base_conf *conf);
/* As rm_daemon_activate(), also for a daemon that has not started; for one that has, the caller
 * holds the lock "life". @queues: emptied; NULL: the queues are read now. */
int rm_daemon_enter_leadership(struct rm_backend *b, struct ha_store *store, int64_t epoch,
                               struct rm_first_queues *queues, struct base_error *err);

/* ---- rm/daemon/core_thread.c ---- */
/* Both answer the requester, on the calling thread, and free the ticket. */
void rm_ticket_answer(struct rm_ticket *ticket, const struct rm_effect *fx);
void rm_ticket_fail(struct rm_ticket *ticket, int code, const char *text);
/* Refuses the requester of an event that the core will never step over, drops the references that
 * the event carries, and calls its release function. */
void rm_posted_refuse(const struct rm_posted *p, int code, const char *text);
/* Reports to the core that all records up to @seq are durable. Any thread. */
void rm_core_thread_post_stored_seq(struct rm_leadership *t, uint64_t seq);
void *rm_core_thread_main(void *term);

/* ---- rm/leader/leadership.c ----
 *
 *   new -> load -> install -> start_helpers -> start_core -> finish | abort
 *           \-> free, when loading fails or the leadership has ended meanwhile */
/* Takes @store. */
struct rm_leadership *rm_leadership_new(struct rm_backend *b, struct ha_store *store,
                                        int64_t epoch);
/* Reads the store into a new core. queues->tree is taken on success. Returns 0 or the error. */
int rm_leadership_load(struct rm_leadership *t, struct rm_first_queues *queues,
                       struct base_error *err);
/* Starts the store's thread, which takes the store. */
void rm_leadership_start_store(struct rm_leadership *t);
/* Passes the core to the backend: readers see it from now on, and events may be posted. Returns the
 * previous core, which the caller frees. */
struct rm_core *rm_leadership_install_core(struct rm_leadership *t);
void rm_leadership_start_core_thread(struct rm_leadership *t); /* the core's thread */
/* Ends in good order: queued events are carried out, written and answered. Requests that still wait
 * after that, and later posts, are refused with @code and @text, which is not copied: a constant.
 * Frees @t. Returns 0, or the error of the last write. */
int rm_leadership_finish(struct rm_leadership *t, int code, const char *text,
                         struct base_error *err);
void rm_leadership_abort(struct rm_leadership *t); /* ends at once, writes no more; frees @t */
/* Frees a leadership whose threads were never started or have ended. NULL is fine. */
void rm_leadership_free_without_threads(struct rm_leadership *t);
/* Makes a core without state, for a standby. Returns 0 or the error of the configuration. */
int rm_empty_core_new(struct rm_backend *b, struct rm_core **out, struct base_error *err);

/* ---- rm/daemon/carry_out.c ---- */
/* Fills @out with functions that pass effects on to the store, the helpers' threads and the
 * requesters of @t. */
void rm_carry_out_fill_callbacks(struct rm_leadership *t, struct rm_term_calls *out);

/* ---- rm/leader/role.c ---- */
void rm_roles_init(struct rm_backend *b);
void rm_roles_start_parking(struct rm_backend *b);
void rm_roles_stop_parking(struct rm_backend *b);
void rm_roles_free(struct rm_backend *b);
void rm_roles_add_stats(const struct rm_backend *b, struct rm_backend_stats *out);
/* Sets the role, and wakes requests that wait for a change of roles if it was another one before.
 */
void rm_roles_set_role(struct rm_backend *b, enum rm_role role);
/* Reports to the source of roles that this RM must not lead; @fx: RM_FX_UNCONFIRMED or
 * RM_FX_EPOCH_LOW. */
void rm_roles_report_unfit(struct rm_backend *b, const struct rm_effect *fx);
/* Returns the end of the lease of the leadership under @epoch, for rm_lease_holds(). */
int64_t rm_roles_get_lease_end_us(const struct rm_backend *b, int64_t epoch);
/* Counts a change of the role or of the active RM, and wakes requests that wait for one. */
void rm_roles_count_change_and_wake(struct rm_backend *b);
/* Counts an answer that was refused because the lease was over. */
void rm_roles_count_late_answer(struct rm_backend *b);

/* ---- rm/config/allocation_file.c ---- */
/* Returns 1 with the queues of the allocation file, or of its last accepted version if the file is
 * bad now, in @out; 0 when no file is configured and the default one does not exist; or the
 * error. */
int rm_queues_load_file_or_last_good(struct rm_backend *b, struct policy_queues *out,
                                     struct base_error *err);

/* ---- rm/config/queue_conf_file.c ---- */
/* Reads the queues of the allocation file; without that file, and in the shape of the capacity
 * scheduler, those of capacity-scheduler.xml. Of a file that has become bad, the last accepted
 * version counts. Sets *@out, which the caller frees. Returns 0 or the error. */
int rm_queues_load(struct rm_backend *b, struct rm_first_queues *out, struct base_error *err);
/* As rm_queues_reload(), for capacity-scheduler.xml. Its queues replace those in force, unless that
 * would remove a queue that is not stopped. Where clients may change the queues, the state store's
 * queues count and nothing changes, as in YARN. */
int rm_queue_conf_reload(struct rm_backend *b, rm_reply_fn *on_reply, void *reply_user,
                         size_t *queues_n, struct base_error *err);

#endif

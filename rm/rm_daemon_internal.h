/* rm/rm_daemon_internal.h - shared by the daemon's own files only. */
#ifndef CREEL_RM_DAEMON_INTERNAL_H
#define CREEL_RM_DAEMON_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "rm/rm_clock.h"
#include "rm/rm_core_lock.h"
#include "rm/rm_daemon.h"
#include "rm/rm_jobs_io.h"
#include "rm/rm_master_token.h"
#include "rm/rm_store_thread.h"
#include "rm/rm_watch.h"

struct rm_posted { /* one entry of the queue */
    struct rm_event *ev;
    rm_reply_fn *fn;
    void (*release)(void *user);
    void *user;
};
struct rm_ticket { /* who waits for a token */
    rm_reply_fn *fn;
    void *user;
};
struct rm_slot_entry { /* of the token table: token = generation << 32 | index + 1 */
    struct rm_ticket *ticket;
    uint32_t generation, next_free;
};

/* Where the role of one of several RMs comes from; see rm_lead.c. */
struct rm_role_source {
    void *user;
    bool (*holds)(void *user, int64_t epoch); /* the lease of the leadership under @epoch is not over; any thread */
    void (*resign)(void *user, int64_t hold_us);
    void (*zk_text)(void *user, char out[256]);
    int64_t (*refused_writes)(void *user);
};
struct rm_roles { /* rm_role.c */
    bool ha;
    char *rm_id, *all_urls; /* NULL: alone */
    struct rm_role_source source; /* set once, before the first leadership */
    _Atomic enum rm_role role;
    pthread_mutex_t lock;
    char active_url[512];
    struct rm_watch *watch;
    _Atomic int64_t changes;
    _Atomic int64_t takeovers, late_answers;
};

struct rm_backend {
    const struct base_conf *conf;
    struct rm_roles roles;
    char *queues_path;        /* the allocation file, NULL: none */
    atomic_bool wants_groups; /* its rules place by groups of users */
    struct rm_groups *groups;
    _Atomic(char *) url;
    struct rm_core *core;
    struct rm_core_lock lock;
    int64_t epoch;
    char master_key[RM_MASTER_KEY_MAX];
    struct rm_clock clock;
    struct rm_store *store;
    const struct ha_store_ops *ops; /* until the store's thread has it */
    struct ha_store *opened;
    struct rm_jobs_io *io;
    struct rm_watch *watch;
    struct rm_worker *slow[RM_SLOW_KINDS];
    pthread_t thread;
    bool started;
    /* the queue */
    pthread_mutex_t qlock;
    pthread_cond_t qwake;
    struct rm_posted *queue;
    size_t queue_len, queue_cap;
    uint64_t stored_seq;
    bool stop, closed; /* stop: end when the queue is empty; closed: posts are refused */
    _Atomic int64_t events;
    /* core thread only */
    struct rm_posted *batch;
    size_t batch_cap;
    uint64_t stored_seen;
    int64_t wake_us; /* 0: none */
    struct rm_effects fx;
    struct rm_slot_entry *slots;
    size_t slots_len, slots_cap;
    uint32_t free_slot; /* index + 1, 0: none */
};

/* ---- rm_daemon.c ---- */
uint64_t rm_ticket_add(struct rm_backend *b, rm_reply_fn *fn, void *user);
struct rm_ticket *rm_ticket_take(struct rm_backend *b, uint64_t token); /* NULL: unknown or already answered */
void rm_ticket_answer(struct rm_ticket *t, const struct rm_effect *fx); /* frees it */
void rm_ticket_fail(struct rm_ticket *t, int code, const char *text);

/* ---- rm_effects.c ---- */
void rm_effects_apply(struct rm_backend *b, struct rm_effects *fx);
/* Applies an effect whose wait is over. */
void rm_effect_apply_now(struct rm_backend *b, struct rm_ticket *ticket, const struct rm_effect *fx);

/* ---- rm_role.c ---- */
void rm_roles_init(struct rm_backend *b);
void rm_roles_start(struct rm_backend *b);
void rm_roles_stop(struct rm_backend *b);
void rm_roles_free(struct rm_backend *b);
void rm_roles_stats(const struct rm_backend *b, struct rm_backend_stats *out);

/* ---- rm_recover.c ---- */
int rm_recover(struct rm_core *core, const struct ha_store_ops *ops, struct ha_store *store, struct base_error *err);

#endif

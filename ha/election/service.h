/* ha/election/service.h - leadership inside a process: this RM's election and log over
 * libzookeeper, on a thread of its own.
 *
 *   ZooKeeper client's threads --only enqueue--> service thread: ha_election, ha_log --> daemon
 *
 * The service thread never waits for an answer of ZooKeeper or for the daemon; but it may block
 * while the names of ZooKeeper's servers are resolved, and when it stops. The store passed to
 * lead() is an ordinary struct ha_store: its load and write block their caller and fail with
 * -BASE_EVERSION once its leadership has ended. */
#ifndef CREEL_HA_ELECTION_SERVICE_H
#define CREEL_HA_ELECTION_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ha/election/election.h"
#include "ha/log/log.h"
#include "ha/store/store.h"

struct ha_service_conf {              /* copied */
    const struct ha_store_ops *store; /* a shared store, opened at @root by each leadership */
    const char *servers;              /* "host:port,host:port" */
    const char *root, *cluster_id, *rm_id;
    const char *auth;   /* "user:password" of the digest ACL */
    int64_t timeout_us; /* requested session time-out */
    bool lease_off;     /* see ha_election_conf */
};
struct ha_service_calls { /* called on the service thread; must return at once */
    void *user;
    /* This RM leads under @epoch. The daemon owns @store and must close it: at the latest after
     * stop(), and before ha_service_stop(). */
    void (*lead)(void *user, int64_t epoch, struct ha_store *store);
    /* The leadership has ended. Its store fails with -BASE_EVERSION from now on. */
    void (*stop)(void *user, const char *why);
    void (*active_changed)(void *user);
    void (*refused)(void *user, const struct base_error *why); /* the process should exit */
};
struct ha_service;
/* Starts the service's thread, which connects, and returns. While no server answers, the thread
 * keeps trying and logs a warning every 30 s. Returns 0, -BASE_EINVAL when @conf is malformed, or
 * -BASE_EIO when the thread cannot be started. */
int ha_service_start(const struct ha_service_conf *conf, const struct ha_service_calls *calls,
                     struct ha_service **out, struct base_error *err);
/* Resigns (deletes the election node at once, so that the next RM need not wait, and calls stop()),
 * closes the session, joins the thread and frees @s. Close the store given to lead() first. May
 * take 5 s if ZooKeeper has stopped answering, or longer while a server name is being resolved.
 * NULL is allowed. */
void ha_service_stop(struct ha_service *s);

/* Returns the end of the lease of the leadership under @epoch, in the time of base_mono_us().
 * INT64_MAX: lease off; 0: not leading under @epoch. */
int64_t ha_service_lease_end_us(const struct ha_service *s, int64_t epoch);
/* Lets the service thread end the leadership in favour of the next RM in the queue. This RM rejoins
 * the queue once another has claimed, or after @hold_us. No effect when not leading. */
void ha_service_resign(struct ha_service *s, int64_t hold_us);
/* As ha_election_raise_min_epoch(), for any thread. */
void ha_service_raise_min_epoch(struct ha_service *s, int64_t epoch);
/* Copies the rm-id of the active RM to @out, or "" when unknown. */
void ha_service_get_active_rm(const struct ha_service *s, char out[256]);
struct ha_service_status {
    enum ha_election_state state;
    int64_t epoch, session, timeout_us; /* epoch: the highest seen, -1: none; timeout_us:
                                           negotiated, 0: never connected */
    /* end of the lease in the time of base_mono_us(); INT64_MAX: lease off; 0: not leading */
    int64_t lease_us;
    /* for people: "connected to h:2181, session 0x...", "no server of ... answers (...)" */
    char connection[256];
    int64_t refused_writes;  /* multis of the log that failed their check of the epoch */
    struct ha_log_stats log; /* statistics of the current leadership; zeros when not leading */
    /* this RM is a standby and has read the log to its end (ha/log/follow.h) */
    bool read_along;
};
void ha_service_get_status(const struct ha_service *s, struct ha_service_status *out);

#endif

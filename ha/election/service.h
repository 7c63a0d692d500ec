/* ha/election/service.h - leadership in a process: election and log of this RM over libzookeeper, on one thread of its own.
 *
 *   ZooKeeper client's threads --enqueue only--> service thread: ha_election, ha_log --calls--> daemon
 *
 * The service thread never waits for ZooKeeper or for the daemon. The store it passes to `lead` is an
 * ordinary struct ha_store: load and write block their caller and return -BASE_EVERSION once the
 * leadership it belongs to is over. */
#ifndef CREEL_HA_ELECTION_SERVICE_H
#define CREEL_HA_ELECTION_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "ha/election/election.h"
#include "ha/log/log.h"
#include "ha/store/store.h"

struct ha_service_conf { /* copied */
    const struct ha_store_ops *store; /* a shared one, opened at @root by each leadership */
    const char *servers;    /* "host:port,host:port" */
    const char *root, *cluster_id, *rm_id;
    const char *auth;       /* "user:password" of the digest ACL */
    int64_t timeout_us;     /* of the session, wanted */
    bool lease_off;         /* see ha_election_conf */
};
struct ha_service_calls { /* on the service thread: return at once */
    void *user;
    /* This RM leads under @epoch. @store is the daemon's until it closes it (after stop at the latest). */
    void (*lead)(void *user, int64_t epoch, struct ha_store *store);
    /* The leadership is over. Its store answers -BASE_EVERSION from now on. */
    void (*stop)(void *user, const char *why);
    void (*active_changed)(void *user);
    void (*refused)(void *user, const struct base_error *why); /* the process should end */
};
struct ha_service;
/* Starts to connect and returns; without ZooKeeper it tries for ever, and logs so every 30 s. */
int ha_service_start(const struct ha_service_conf *conf, const struct ha_service_calls *calls, struct ha_service **out,
                     struct base_error *err);
/* Resigns (the election node goes at once, so that the next one need not wait; calls.stop is called), closes the
 * session, joins, frees. The store given with lead must be closed before. Takes up to 5 s when ZooKeeper has stopped
 * answering, and as long as it takes to resolve a server's name while that is under way. NULL is fine. */
void ha_service_stop(struct ha_service *s);

/* Any thread, cheap: leading under @epoch, and the lease is not over at this very moment. */
bool ha_service_holds(const struct ha_service *s, int64_t epoch);
/* End of the lease of the leadership under @epoch on base_mono_us(); INT64_MAX: it is off; 0: not leading under @epoch. */
int64_t ha_service_lease_us(const struct ha_service *s, int64_t epoch);
/* Leadership ends and goes to the next in line; this RM claims again when another has had it, or after @hold_us. */
void ha_service_resign(struct ha_service *s, int64_t hold_us);
void ha_service_at_least(struct ha_service *s, int64_t epoch); /* ha_election_at_least */
/* rm-id of the active RM as far as known, "" for none. @out of 256 bytes. */
void ha_service_active(const struct ha_service *s, char out[256]);
struct ha_service_status {
    enum ha_election_state state;
    int64_t epoch, session, timeout_us; /* negotiated; 0: never connected */
    int64_t lease_us;     /* the lease ends then, on the monotonic clock; INT64_MAX: it is off; 0: not leading */
    char connection[256]; /* for people: "connected to h:2181, session 0x...", "no server of ... answers (...)" */
    int64_t refused_writes;             /* multis that failed on the check of the epoch */
    struct ha_log_stats log;            /* of the leadership; zeros when not leading */
    bool read_along;                    /* a standby that has come to the end of the log (ha/log/follow.h) */
};
void ha_service_status(const struct ha_service *s, struct ha_service_status *out);

#endif

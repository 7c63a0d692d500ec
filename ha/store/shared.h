/* ha/store/shared.h - a store that several ResourceManagers share, seen by the service that leads
 * (ha/election/service.c):
 *
 *   daemon's thread (load, write: wait)  <-- the store --> service thread (never waits)
 *
 * The store has no connection of its own: the service's session carries its requests, and the epoch
 * of the leadership that opens it fences its writes. Two threads hold the store: the daemon until
 * ha_store_close(), the service until put().
 * Opening never fails: the store begins to read, and the first load waits for the result. */
#ifndef CREEL_HA_STORE_SHARED_H
#define CREEL_HA_STORE_SHARED_H

#include "ha/log/log.h"
#include "ha/store/store.h"

/* The leadership that opens the store; copied. The functions are called on the service thread, from
 * within open and the calls below, except for wake. */
struct ha_store_lead {
    int64_t epoch;
    int32_t epoch_version;
    uint64_t number; /* of the leadership in this process, from 1 on: an answer to an earlier one is
                        dropped */
    struct ha_log_kept *kept; /* what a standby has read of the store already; taken */
    ha_zk_send_fn *send;
    void (*wake)(void *user); /* any thread: turn() has something to do */
    /* Nothing will be written any more. The store may be aborted from within, but not put. @broken:
     * the data are not as they were left; otherwise another leader has the authority. */
    void (*over)(void *user, const char *text, bool broken);
    void *user;
};

struct ha_store_shared_ops { /* service thread */
    /* Events of the session, and results of HA_ZK_FOR_LOG. */
    void (*on)(struct ha_store *s, const struct ha_zk_event *ev);
    void (*turn)(struct ha_store *s);
    void (*stats)(struct ha_store *s, struct ha_log_stats *out); /* unchanged while a load runs */
    void (*put)(struct ha_store *s);
};

#endif

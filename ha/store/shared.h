/* ha/store/shared.h - a store that several ResourceManagers share, as the election service uses it
 * (ha/election/service.c):
 *
 *   daemon's thread (load, write: wait)  <-- the store --> service thread (never waits)
 *
 * The store has no connection of its own: its requests go through the service's session, and its
 * writes are fenced by the epoch of the leadership that has opened it. Both the daemon and the
 * service hold a reference: the daemon until ha_store_close(), the service until release(). Opening
 * never fails: it starts reading, and loads and writes wait for the result and return its errors.
 */
#ifndef CREEL_HA_STORE_SHARED_H
#define CREEL_HA_STORE_SHARED_H

#include "ha/log/log.h"
#include "ha/store/store.h"

/* The leadership that opens the store; copied. The functions are called on the service thread, from
 * within open and the calls below, except for wake. */
struct ha_store_lead {
    int64_t epoch;
    int32_t epoch_version;
    /* counts the leaderships of this process, from 1 on; answers to requests of earlier ones are
     * dropped by this number */
    uint64_t number;
    struct ha_log_kept *kept; /* segments that a standby has read already; moved into the store */
    ha_zk_send_fn *send;
    void (*wake)(void *user); /* called on any thread when the service should call take_write() */
    /* Nothing will be written any more. The callback may abort the store, but not release it.
     * @broken: the log is damaged or cannot be used; otherwise another leader has the authority. */
    void (*over)(void *user, const char *text, bool broken);
    void *user;
};

struct ha_store_shared_ops { /* service thread */
    /* @handle_event: Handle an event of the session, or a result with owner HA_ZK_FOR_LOG. */
    void (*handle_event)(struct ha_store *s, const struct ha_zk_event *ev);
    /* @take_write: Start the write that the daemon waits for, if there is one. */
    void (*take_write)(struct ha_store *s);
    /* @stats: Copy the figures to @out; leave @out unchanged while a load runs. */
    void (*stats)(struct ha_store *s, struct ha_log_stats *out);
    /* @release: Drop the service's reference. */
    void (*release)(struct ha_store *s);
};

#endif

/* ha/store/zookeeper.h - the store of one leadership (ha/store/store.h) over its log (ha/log/log.h), between two threads:
 *
 *   daemon's thread (load, write: wait)  <-- lock, condition -->  service thread (the log: never waits)
 *
 * The log is the service thread's, but for the time of a load: then it is read by the caller's thread, and what
 * ZooKeeper says meanwhile counts as lost with the connection.
 * A write is lent to the service thread, which copies it into the log; the caller waits until it is durable.
 * What was read at the beginning is given back with the second of two writes without a load between them; a load after
 * that is refused (-BASE_ESTATE). Two hold it: the daemon until close, the service until zk_store_put. */
#ifndef CREEL_HA_STORE_ZOOKEEPER_H
#define CREEL_HA_STORE_ZOOKEEPER_H

#include "ha/log/log.h"
#include "ha/store/store.h"

struct zk_store_conf { /* copied; root is borrowed for the call */
    const char *root;
    int64_t epoch;
    int32_t epoch_version;
    struct ha_log_kept *kept; /* read before; taken */
    uint64_t number; /* of the leadership in this process, from 1 on: keeps apart answers to an earlier one's log */
    ha_zk_send_fn *send;
    void (*wake)(void *user); /* any thread: zk_store_turn has something to do */
    /* On the service thread, from within the calls below: nothing will be written any more. The store may be ended
     * then, and put later. */
    void (*over)(void *user, const char *text, bool broken);
    void *user;
};
/* Begins to read the log. */
struct ha_store *zk_store_new(const struct zk_store_conf *conf);

/* ---- service thread ---- */
/* Session events, and results of HA_ZK_FOR_LOG; those of another leadership's log are dropped. */
void zk_store_on(struct ha_store *st, const struct ha_zk_event *ev);
void zk_store_turn(struct ha_store *st);
void zk_store_stats(struct ha_store *st, struct ha_log_stats *out); /* unchanged while a load runs */
void zk_store_end(struct ha_store *st); /* who waits and who comes is answered -BASE_EVERSION */
void zk_store_put(struct ha_store *st);

#endif

/* ha/election/election.h - who is the active ResourceManager: one pure machine per RM. No clock, no thread, no I/O.
 *
 *   OFFLINE --connected--> OPENING (root: made or checked) --> JOINING (own strangers go, own node is made)
 *      ^                                                          |
 *      |  disconnected, session over                              v            lowest node is ours
 *      +------------------------------------------------------ WAITING ------------------------------> CLAIMING
 *      |                                                          ^   claim lost                          |
 *      |                                                          +------------------------------<-------+
 *      |                                                          ^                                       | epoch is ours
 *      |                                                          | resigned: node deleted, made anew     v
 *      +---------------- LEADING until the lease is over ---------+------------------------------<---- LEADING
 *
 * Authority is the epoch: <root>/epoch raised by compare-and-set in the multi that checks our own election node. Who
 * wrote it last is the leader; every later write of a predecessor fails on its check of the version.
 * Lease: leading is believed only until (time at which the last answered request was sent) + 2/3 of the negotiated
 * session time-out. While it leads, the machine sends a multi that only checks the epoch whenever nothing else was
 * answered for 1/6 of the time-out; it goes through ZooKeeper's quorum like any write. After the lease the machine
 * is deposed, whatever the connection does; a session that lived on lets it claim again, with a new epoch.
 * Own strangers are election nodes of our rm-id whose ephemeralOwner is not our session: left by an earlier session of
 * this process or by a process of this host that is dead (the node's data tells who made it): deleted at once. Of anyone
 * else: waited for; still there after twice the session time-out: the id is used by a live RM, and we are refused.
 * After every connect or reconnect all of this is read anew; a node is believed ours only by its ephemeralOwner.
 * Source: ZooKeeper recipes (leader election without herd); epochs as in Zab and Raft. */
#ifndef CREEL_HA_ELECTION_ELECTION_H
#define CREEL_HA_ELECTION_ELECTION_H

#include "base/error.h"
#include "base/id.h"
#include "ha/zk/zk.h"

#define HA_EPOCH_MAX ((int)BASE_EPOCH_MAX) /* container ids have 23 bits for it; an RM that would have to take more is refused */

enum ha_election_state { HA_OFFLINE, HA_OPENING, HA_JOINING, HA_WAITING, HA_CLAIMING, HA_LEADING, HA_REFUSED };
const char *ha_election_state_name(enum ha_election_state s); /* "offline", ... */

struct ha_election_conf { /* copied */
    const char *root;       /* "/creel/<cluster-id>"; parents are made when absent */
    const char *cluster_id;
    const char *rm_id;      /* no '~' and no '/' */
    const char *instance;   /* who this process is, one line: goes into the election node */
    const char *auth_as;    /* for messages: as whom we authenticate ("digest user creel"); NULL: not said */
    bool lease_off;         /* tests alone: the lease never ends, a lost session is not believed: only the epoch tells */
};
struct ha_election_calls {
    void *user;
    ha_zk_send_fn *send;
    /* The epoch is ours: state may be read and written, each write with a check of (<root>/epoch, @version). */
    void (*elected)(void *user, int64_t epoch, int32_t version);
    /* It is over, from this moment on: nothing may be granted or acknowledged any more. */
    void (*deposed)(void *user, const char *why);
    void (*active_changed)(void *user); /* ha_election_active() answers something else now */
    /* This RM cannot take part (ACL, another cluster's root, newer format, id in use): the message says what differs. */
    void (*refused)(void *user, const struct base_error *why);
    /* A stranger's instance text: is its process dead for certain (same host, and gone)? */
    bool (*surely_dead)(void *user, const char *instance);
    void (*note)(void *user, int level, const char *text); /* enum base_log_level */
};
struct ha_election;
struct ha_election *ha_election_new(const struct ha_election_conf *conf, const struct ha_election_calls *calls);
void ha_election_free(struct ha_election *e);

/* Events of the session, watches, and results of HA_ZK_FOR_ELECTION. */
void ha_election_on(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us);
/* A multi of somebody else (the log's) sent at @sent_us was answered by ZooKeeper: the lease is longer. Reads do not
 * count: a server that is cut off from the others answers them too. */
void ha_election_answered(struct ha_election *e, int64_t sent_us);
/* Time has passed; call at ha_election_next_us() at the latest (INT64_MAX: nothing to do by time). */
void ha_election_tick(struct ha_election *e, int64_t now_us);
int64_t ha_election_next_us(const struct ha_election *e);
/* Gives the leadership up (deposed is called), deletes the election node, and stands at the end of the queue again:
 * once another RM has claimed, or after @hold_us. No effect when not leading. */
void ha_election_resign(struct ha_election *e, int64_t hold_us, int64_t now_us);
/* A write of the log was refused for the epoch's sake: another RM has authority. */
void ha_election_fenced(struct ha_election *e, int64_t now_us);
/* The epoch that a claim takes is at least @epoch (nodes have seen a higher one than a new store knows). */
void ha_election_at_least(struct ha_election *e, int64_t epoch);

enum ha_election_state ha_election_state(const struct ha_election *e);
/* Leading and the lease of the last answered request ends here; 0 when not leading. */
int64_t ha_election_lease_us(const struct ha_election *e);
/* rm-id of the RM that has claimed last and whose election node is the lowest, "" when none is known. Ours when, and
 * only when, leading. What was read last holds for one session time-out after the connection was lost. */
const char *ha_election_active(const struct ha_election *e);
int64_t ha_election_epoch(const struct ha_election *e); /* highest seen; -1: none */

#endif

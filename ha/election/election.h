/* ha/election/election.h - elects the active ResourceManager: one pure machine per RM. No clock, no
 * thread, no I/O.
 *
 *   OFFLINE --connected--> OPENING (root created or checked) --> JOINING (stale nodes deleted,
 *      ^                                                            |     own node created)
 *      |  disconnected, session over                                v     lowest node is ours
 *      +-------------------------------------------------------- WAITING ---------------> CLAIMING
 *      |                                                            ^   claim lost           |
 *      |                                                            +------------------<-----+
 *      |                                                            ^                 epoch  |
 *      |                                                            | resigned:      is ours |
 *      |                                                            | node made anew         v
 *      +--------------- LEADING until the lease ends ---------------+----------------<--- LEADING
 *
 * Authority is the epoch: <root>/epoch is raised by compare-and-set, in a multi that also checks
 * our own election node. The RM that wrote the epoch last leads; any later write of a predecessor
 * fails its check of the epoch's version.
 *
 * Lease: a leader acts only until 2/3 of the negotiated session time-out after the sending of the
 * last answered multi. When that is 1/6 of the time-out ago, the leader sends a multi that only
 * checks the epoch; like a write, it passes ZooKeeper's quorum. When the lease ends the machine is
 * deposed, whatever the state of the connection. If the session survives, the machine may claim
 * again with a new epoch.
 *
 * Stale nodes are election nodes of our rm-id whose ephemeralOwner is not our session. If the
 * node's data shows that an earlier session of this process or a dead process of this host made it,
 * it is deleted at once. The RM waits for any other stale node in front of ours; if that node is
 * still there after twice the session time-out, a live RM uses our id and this RM is refused.
 *
 * After every connect or reconnect all of this is read again; only the ephemeralOwner proves that a
 * node is ours.
 *
 * SOURCE: ZooKeeper recipes (leader election without herd effect); epochs as in Zab and Raft. */
#ifndef CREEL_HA_ELECTION_ELECTION_H
#define CREEL_HA_ELECTION_ELECTION_H

#include "base/error.h"
#include "base/id.h"
#include "ha/zk/zk.h"

/* container ids have 23 bits for the epoch; an RM that needs a higher one is refused */
#define HA_EPOCH_MAX ((int)BASE_EPOCH_MAX)

enum ha_election_state {
    HA_OFFLINE,
    HA_OPENING,
    HA_JOINING,
    HA_WAITING,
    HA_CLAIMING,
    HA_LEADING,
    HA_REFUSED
};

struct ha_election_conf { /* copied */
    const char *root;     /* "/creel/<cluster-id>"; missing parents are created */
    const char *cluster_id;
    const char *rm_id;    /* not empty; without '~', '/', spaces and line breaks */
    const char *instance; /* one line that identifies this process; stored in the election node */
    /* for messages: the identity we authenticate with ("digest user creel"); NULL: unknown */
    const char *auth_as;
    /* for tests: the lease never ends and a lost session is ignored, so only the epoch deposes */
    bool lease_off;
};
struct ha_election_calls {
    void *user;
    ha_zk_send_fn *send;
    /* This RM is the leader: the state may be read and written, each write with a check of
     * (<root>/epoch, @version). */
    void (*elected)(void *user, int64_t epoch, int32_t version);
    /* The leadership has ended: from now on nothing may be granted or acknowledged. */
    void (*deposed)(void *user, const char *why);
    void (*active_changed)(void *user); /* ha_election_active_rm() has a new result */
    /* This RM cannot take part, for example because of an ACL, the root of another cluster, a newer
     * format or an id in use; the message says why. */
    void (*refused)(void *user, const struct base_error *why);
    /* Returns true if the process described by @instance is certainly dead (same host, and gone).
     */
    bool (*surely_dead)(void *user, const char *instance);
    void (*note)(void *user, int level, const char *text); /* @level: enum base_log_level */
};
struct ha_election;
struct ha_election *ha_election_new(const struct ha_election_conf *conf,
                                    const struct ha_election_calls *calls);
void ha_election_free(struct ha_election *e);

/* Handles session events, watches, and results with owner HA_ZK_FOR_ELECTION. */
void ha_election_on_event(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us);
/* Extends the lease: ZooKeeper has answered a multi that another state machine (the log) sent at
 * @sent_us. Reads do not count, because a server cut off from the quorum answers them too. */
void ha_election_extend_lease(struct ha_election *e, int64_t sent_us);
/* Acts on all timers that are due. Call it no later than ha_election_next_timer_us() (INT64_MAX: no
 * timer is set). */
void ha_election_run_timers(struct ha_election *e, int64_t now_us);
int64_t ha_election_next_timer_us(const struct ha_election *e);
/* Gives up the leadership (calls deposed()), deletes the election node, and rejoins the end of the
 * queue once another RM has claimed, or after @hold_us. No effect when not leading. */
void ha_election_resign(struct ha_election *e, int64_t hold_us, int64_t now_us);
/* To be called when a write of the log failed its check of the epoch, because another RM has taken
 * authority: ends the leadership and reads the queue anew. */
void ha_election_on_fenced_write(struct ha_election *e, int64_t now_us);
/* The next claim takes at least @epoch. Nodes may have seen a higher epoch than a new store
 * knows. */
void ha_election_raise_min_epoch(struct ha_election *e, int64_t epoch);

enum ha_election_state ha_election_get_state(const struct ha_election *e);
/* Returns the time at which the lease ends; INT64_MAX: lease off; 0: not leading. */
int64_t ha_election_lease_end_us(const struct ha_election *e);
/* Returns the rm-id of the RM that claimed last and owns the lowest election node; "" if unknown.
 * The result is our own id if and only if we lead. After a disconnection the last result stays
 * valid for one session time-out. Borrowed until the next call that may change @e. */
const char *ha_election_active_rm(const struct ha_election *e);
/* Returns the highest epoch seen; -1: none. */
int64_t ha_election_highest_epoch(const struct ha_election *e);

#endif

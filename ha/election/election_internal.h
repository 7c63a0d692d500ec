/* ha/election/election_internal.h - shared by the parts of the election machine.
 *
 * The machine has at most four requests under way, one per slot. A result whose id is no longer
 * awaited (from an earlier connection or an abandoned round) is dropped. One round, starting at the
 * connection:
 *
 *   start:    SYNC, ROOT [MAKE_ROOT], PARTS [MAKE_PARTS]   the root is ours and complete (OPENING)
 *   read:     CHILDREN of election and GET of epoch, each with a watch; repeated when a watch fires
 *             INSPECT each election node of our rm-id not known to be ours, CLEAN stale ones
 *             (JOINING)
 *   conclude: wait for a blocker | stay out after a resignation | JOIN, read again
 *             | WAITING, CLAIM when lowest
 *
 * Rounds continue while leading: a reconnection reads everything again, and watches report other
 * RMs. RENEW runs beside them.
 *
 * What each event does, by state (REFUSED ignores all):
 *
 *   connected             end the old session if its id differs; renew when leading; start
 *   disconnected          drop awaited results, OFFLINE; a leader leads until its lease ends
 *   session over          as disconnected; depose a leader; our own node becomes stale
 *   watch                 read, at once or when the round under way has ended
 *   timer, lease over     depose; start (a surviving session claims again with a new epoch)
 *   any result NOAUTH     refused
 *   any result EXPIRED    session over
 *   LOSS or FAILED        of a round: abandon it, start again after a back-off. (SYNC first: then a
 *                         lost request has been carried out or never will be.) JOIN: our nodes are
 *                         found by their owner, the lowest is kept. CLAIM: the epoch read next
 *                         shows whether we won. CLEAN, LEAVE, MAKE_*: repeated if still needed.
 *                         RENEW: again after 1/6 of the time-out
 *   SYNC      any         ROOT
 *   ROOT      NONODE      MAKE_ROOT              OK: check, then PARTS or refused
 *   MAKE_ROOT NONODE      create its parent first
 *             NODEEXISTS  as OK (for the root itself: ROOT, to see whose it is)
 *   PARTS     OK          MAKE_PARTS or read     MAKE_PARTS OK, NODEEXISTS: PARTS
 *   CHILDREN, GET epoch   both OK: INSPECT or conclude
 *   INSPECT   OK          keep it, CLEAN it, or wait for it; NONODE: next node
 *   CLEAN     OK, NONODE  next node
 *   LEAVE     OK, NONODE  read (our own node is gone after a resignation)
 *   JOIN      OK          read
 *   CLAIM     OK          elected                BADVERSION: read
 *             NONODE      our node or the epoch is gone: start
 *   RENEW     OK          extend the lease       BADVERSION, NONODE: depose, start
 *   any other code        as FAILED
 *   timers                lease, renewal, back-off, end of a hold, forgetting the active RM */
#ifndef CREEL_HA_ELECTION_ELECTION_INTERNAL_H
#define CREEL_HA_ELECTION_ELECTION_INTERNAL_H

#include "ha/election/election.h"

#define ELECTION_MINE_MAX 64  /* maximum number of nodes of our rm-id examined per round */
#define ELECTION_NAME_MAX 512 /* size limit of an election node's name, with the NUL */

enum election_slot { SLOT_ROUND, SLOT_CHILDREN, SLOT_EPOCH, SLOT_RENEW, SLOTS };
enum election_step {
    STEP_SYNC,
    STEP_ROOT,
    STEP_MAKE_ROOT,
    STEP_PARTS,
    STEP_MAKE_PARTS,
    STEP_INSPECT,
    STEP_CLEAN,
    STEP_LEAVE,
    STEP_JOIN,
    STEP_CLAIM
};

struct election_id { /* the parts of an election node's name */
    size_t rm_len;
    int64_t session, sequence;
};
/* Parses "<rm-id>~<session>~<sequence>". Returns false for any other name. */
bool election_node_name_parse(const char *name, struct election_id *out);

struct election_authority { /* the contents of <root>/epoch */
    int64_t epoch;
    char *rm;
    int64_t session;
    int32_t version;
};
/* Parses the contents of <root>/epoch into @out, except for its version. Returns false, and leaves
 * @out unchanged, when @data is malformed. */
bool election_authority_parse(const char *data, struct election_authority *out);
/* Checks that the root's @data names a format we know and our cluster. Returns 0, -BASE_EINVAL (not
 * a root of ours, or another cluster's) or -BASE_EVERSION (a newer format). */
int election_root_check(const char *path, const char *data, const char *cluster_id,
                        struct base_error *err);

struct ha_election {
    char *root, *cluster_id, *rm_id, *instance, *auth_as;
    char *election_path, *epoch_path;
    bool lease_off;
    struct ha_election_calls calls;

    /* state of the rounds; a leader's state is LEADING whatever the phase */
    enum ha_election_state phase;
    bool connected, opened; /* opened: the root has been checked in this round */
    int64_t session, timeout_us;

    uint64_t ids, want[SLOTS]; /* id of the last request; id awaited by each slot, 0: none */
    enum election_step step;   /* of SLOT_ROUND */
    char *about;               /* path on which the current step needs permission, for messages */
    int64_t retry_us;          /* when to start the next round; 0: not scheduled */
    unsigned tries;
    int64_t failed_noted_us;
    size_t making; /* MAKE_ROOT: length of the prefix of the root's path being created */

    bool dirty; /* a watch has fired since the last request for nodes and epoch */
    bool odd_noted;
    char *lowest;                  /* name of the lowest election node; NULL: none */
    char *mine[ELECTION_MINE_MAX]; /* nodes of our rm-id, in order of sequence */
    size_t mine_n, at;
    /* name of our own node, whose owner was checked in this connection; NULL: none */
    char *own;
    char *blocker, *blocker_instance; /* a stale node in front of ours whose process may be alive */
    int64_t blocker_us;               /* when the request that found the blocker was sent */
    /* when the first request that found a blocker was sent; 0: no blocker */
    int64_t blocked_us;
    struct election_authority seen;

    bool holding; /* resigned: stay out until the epoch's version changes or until hold_us */
    int64_t hold_us;
    int32_t hold_version;

    int64_t least, highest; /* lowest epoch for the next claim; highest epoch seen */
    /* epoch and send time of a claim in this session with unknown outcome; -1: none */
    int64_t tried, tried_us;

    bool leading;
    int64_t epoch;
    int32_t version;
    /* send times of the last answered multi and of the last renewal */
    int64_t answered_us, renewed_us;

    char *active;           /* result of ha_election_active_rm() */
    int64_t known_until_us; /* while disconnected: when to forget the active RM; 0: never */
};

/* ha/election/election.c */
void election_log(struct ha_election *e, int level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void election_enter_refused(struct ha_election *e, const struct base_error *why);
void election_send_request(struct ha_election *e, enum election_slot slot,
                           struct ha_zk_request *rq);
/* Both send the request of SLOT_ROUND and record @step. @about is the path whose ACL matters, for
 * messages; election_read_node() sends a read of that path. */
void election_read_node(struct ha_election *e, enum election_step step,
                        enum ha_zk_request_kind kind, const char *about);
void election_send_multi(struct ha_election *e, enum election_step step, const char *about,
                         const struct ha_zk_op *ops, size_t n);
/* Returns true when connected, no round is under way, and the root has been checked. */
bool election_is_between_rounds(const struct ha_election *e);
/* Abandons the round and starts another one after a back-off. */
void election_retry_later(struct ha_election *e, int64_t now_us);
void election_begin_leading(struct ha_election *e, int64_t epoch, int32_t version, int64_t sent_us);
void election_depose(struct ha_election *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void election_update_active_rm(struct ha_election *e);
/* Returns the time at which a lease ends that was granted by a multi sent at @sent_us; INT64_MAX:
 * lease off. */
int64_t election_lease_end_us(const struct ha_election *e, int64_t sent_us);

/* ha/election/root.c */
void election_start_round(struct ha_election *e); /* sends nothing while disconnected */
/* Handles the results of STEP_SYNC to STEP_MAKE_PARTS. */
void election_on_root_result(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us);

/* ha/election/join.c: election nodes and epoch */
void election_request_nodes_and_epoch(struct ha_election *e);
void election_on_nodes_or_epoch(struct ha_election *e, enum election_slot slot,
                                const struct ha_zk_event *ev, int64_t now_us);
/* Handles the results of STEP_INSPECT to STEP_JOIN. */
void election_on_own_node_result(struct ha_election *e, const struct ha_zk_event *ev,
                                 int64_t now_us);
void election_on_epoch_claim_result(struct ha_election *e, const struct ha_zk_event *ev,
                                    int64_t now_us);
void election_delete_own_node(struct ha_election *e);
void election_forget_nodes(struct ha_election *e); /* forgets own, mine and blocker */

#endif

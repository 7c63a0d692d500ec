/* ha/election/election_internal.h - what the parts of the election's machine share.
 *
 * The machine asks ZooKeeper at most four things at a time, one per slot; an answer whose number is not awaited any
 * more (of an earlier connection, of a round that was given up) is dropped. One round, from the connection on:
 *
 *   start: SYNC, ROOT [MAKE_ROOT], PARTS [MAKE_PARTS]      the root is ours and whole                    (OPENING)
 *   look:  CHILDREN of election and GET of epoch, each with its watch; again whenever a watch fires
 *          INSPECT every election node of our rm-id that is not known to be ours, CLEAN what has to go   (JOINING)
 *   settle: wait for a stranger | stay out after a resignation | JOIN, look again | WAITING, CLAIM when lowest
 *
 * While leading the rounds go on underneath (a reconnection reads everything anew, watches tell of others), and
 * RENEW is asked beside them.
 *
 * What each event does, by state (REFUSED takes none):
 *   connected             old session is over when the number differs; renew when leading; start
 *   disconnected          what is awaited is dropped, OFFLINE; a leader leads until its lease is over
 *   session over          as disconnected; a leader is deposed; what was our own node is a stranger
 *   watch                 look, at once or when the round under way has come to its end
 *   time, lease over      deposed; start (a session that lived on claims again with a new epoch)
 *   any answer NOAUTH     refused
 *   any answer EXPIRED    session over
 *   LOSS or FAILED        of a round: given up, start again after a back-off (SYNC first: what was lost is then either
 *                         there or never will be). JOIN: our nodes are found by their owner, the lowest is kept.
 *                         CLAIM: the epoch read next says whether it was ours. CLEAN, LEAVE, MAKE_*: done again when
 *                         still needed. RENEW: again after 1/6 of the time-out
 *   SYNC      anything    ROOT
 *   ROOT      NONODE      MAKE_ROOT                 OK: checked, then PARTS or refused
 *   MAKE_ROOT NONODE      its parent first          NODEEXISTS: as OK (of the root itself: ROOT, to see whose it is)
 *   PARTS     OK          MAKE_PARTS or look        MAKE_PARTS OK, NODEEXISTS: PARTS
 *   CHILDREN, GET epoch   OK both: INSPECT or settle
 *   INSPECT   OK          kept, CLEANed, or waited for; NONODE: the next
 *   CLEAN     OK, NONODE  the next
 *   LEAVE     OK, NONODE  look (our own node is gone after a resignation)
 *   JOIN      OK          look
 *   CLAIM     OK          elected                   BADVERSION: look      NONODE: our node or the epoch is gone: start
 *   RENEW     OK          the lease is longer       BADVERSION, NONODE: deposed, start
 *   any other code        as FAILED
 *   tick      see ha_election_tick: lease, renewal, back-off, end of a hold, knowledge that has become old */
#ifndef CREEL_HA_ELECTION_ELECTION_INTERNAL_H
#define CREEL_HA_ELECTION_ELECTION_INTERNAL_H

#include "ha/election/election.h"

#define ELECTION_MINE_MAX 64  /* election nodes of our rm-id looked at in one round */
#define ELECTION_NAME_MAX 512 /* bytes of an election node's name */

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

struct election_id { /* of an election node: its name taken apart */
    size_t rm_len;
    int64_t session, sequence;
};
/* "<rm-id>~<session>~<sequence>"; false when it is none. */
bool election_id_parse(const char *name, struct election_id *out);

struct election_authority { /* <root>/epoch */
    int64_t epoch;
    char *rm;
    int64_t session;
    int32_t version;
};
/* Replaces what @out holds (not its version). */
bool election_authority_parse(const char *data, struct election_authority *out);
int election_root_check(const char *path, const char *data, const char *cluster_id, struct base_error *err);

struct ha_election {
    char *root, *cluster_id, *rm_id, *instance, *auth_as;
    char *election_path, *epoch_path;
    bool lease_off;
    struct ha_election_calls calls;

    enum ha_election_state phase; /* of the rounds; a leader's state is LEADING whatever they do */
    bool connected, opened;       /* opened: the root was checked since the connection */
    int64_t session, timeout_us;

    uint64_t ids, want[SLOTS]; /* numbers given; awaited, 0: none */
    enum election_step step;   /* of SLOT_ROUND */
    char *about;               /* the path whose ACL it needs, for messages */
    int64_t retry_us;          /* start again then; 0: no */
    unsigned tries;
    int64_t failed_noted_us;
    size_t making; /* MAKE_ROOT: length of the part of the root's path that is being made */

    bool dirty;   /* a watch has fired since the last look */
    bool odd_noted;
    char *lowest; /* name of the lowest election node, NULL: none */
    char *mine[ELECTION_MINE_MAX]; /* of our rm-id, by sequence number */
    size_t mine_n, at;
    char *own; /* the one of our session, as its owner said in this connection */
    char *blocker, *blocker_instance; /* a stranger of our rm-id in front of us that may be alive */
    int64_t blocker_us;               /* when what found it was asked */
    int64_t blocked_us;               /* when the first such thing was asked; 0: there is none */
    struct election_authority seen;

    bool holding; /* resigned: stays out until the epoch's version is another or hold_us has come */
    int64_t hold_us;
    int32_t hold_version;

    int64_t least, highest; /* at_least; highest epoch seen */
    int64_t tried, tried_us; /* epoch of a claim in this session whose outcome is not known (-1: none), when sent */

    bool leading;
    int64_t epoch;
    int32_t version;
    int64_t answered_us, renewed_us; /* when the last answered multi, and the last renewal, was sent */

    char *active; /* what ha_election_active() answers */
    int64_t known_until_us; /* not connected: what is known of others is believed until then; 0: for good */
};

/* ha/election/election.c */
void election_note(struct ha_election *e, int level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void election_refuse(struct ha_election *e, const struct base_error *why);
void election_ask(struct ha_election *e, enum election_slot slot, struct ha_zk_request *rq);
/* SLOT_ROUND: @about is the path whose ACL matters, for messages. */
void election_read(struct ha_election *e, enum election_step step, enum ha_zk_request_kind kind, const char *about);
void election_multi(struct ha_election *e, enum election_step step, const char *about, const struct ha_zk_op *ops,
                    size_t n);
bool election_is_quiet(const struct ha_election *e); /* between two rounds, the root known: may look */
/* Gives the round up and starts again later. */
void election_later(struct ha_election *e, int64_t now_us);
void election_lead(struct ha_election *e, int64_t epoch, int32_t version, int64_t sent_us);
void election_depose(struct ha_election *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void election_active_update(struct ha_election *e);
int64_t election_lease(const struct ha_election *e, int64_t sent_us); /* of an answer to what was sent then */

/* ha/election/root.c: the root */
void election_start(struct ha_election *e); /* nothing when not connected */
void election_on_root(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us); /* STEP_SYNC ... MAKE_PARTS */

/* ha/election/join.c: the election nodes and the epoch */
void election_look(struct ha_election *e);
void election_on_look(struct ha_election *e, enum election_slot slot, const struct ha_zk_event *ev, int64_t now_us);
void election_on_nodes(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us); /* STEP_INSPECT ... JOIN */
void election_on_claim(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us);
void election_leave(struct ha_election *e); /* our own node goes */
void election_forget_nodes(struct ha_election *e); /* own, mine, blocker */

#endif

/* ha/zk/zk.h - requests to ZooKeeper and what comes back, as plain data: the language between the pure machines
 * (ha/election/election.h, ha/log/log.h) and what carries it: libzookeeper (ha/zk/client.h), or an ensemble simulated in tests.
 *
 *   machine --ha_zk_send_fn--> carrier --> ZooKeeper
 *   machine <--ha_zk_event---- carrier <-- answers, watches, changes of the session
 *
 * The carrier delivers events one at a time, in the order in which ZooKeeper's client saw them. Every request gets
 * exactly one HA_ZK_RESULT. Requests of one session are carried out in the order in which they were sent; a lost
 * connection fails all that are unanswered with HA_ZK_LOSS: what became of them is not known.
 * Versions and the ephemeral owner are ZooKeeper's own (Stat). Times: microseconds of CLOCK_BOOTTIME (base_mono_us). */
#ifndef CREEL_HA_ZK_ZK_H
#define CREEL_HA_ZK_ZK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ha_zk_code {
    HA_ZK_OK,
    HA_ZK_NONODE,
    HA_ZK_NODEEXISTS,
    HA_ZK_BADVERSION,
    HA_ZK_NOTEMPTY,
    HA_ZK_NOAUTH,  /* the ACL of the node does not let us */
    HA_ZK_LOSS,    /* connection lost or no answer in time: outcome unknown */
    HA_ZK_EXPIRED, /* the session is over: outcome of what was sent before is unknown */
    HA_ZK_FAILED   /* anything else; the text says what */
};
const char *ha_zk_code_name(enum ha_zk_code code);

enum ha_zk_op_kind { HA_ZK_CREATE, HA_ZK_SET, HA_ZK_DELETE, HA_ZK_CHECK };
struct ha_zk_op { /* of a multi: all or none. Nodes are created with the creator's ACL alone */
    enum ha_zk_op_kind kind;
    const char *path;
    const char *data; /* CREATE, SET */
    size_t len;
    int32_t version;              /* SET, DELETE, CHECK; -1: any */
    bool ephemeral, sequence;     /* CREATE */
};

enum ha_zk_request_kind { HA_ZK_MULTI, HA_ZK_GET, HA_ZK_CHILDREN, HA_ZK_SYNC };
enum ha_zk_owner { HA_ZK_FOR_ELECTION, HA_ZK_FOR_LOG, HA_ZK_FOR_FOLLOW }; /* whose result it is */
struct ha_zk_request { /* borrowed for the call that sends it */
    enum ha_zk_owner owner;
    uint64_t id; /* the owner's own, comes back */
    enum ha_zk_request_kind kind;
    const char *path;           /* GET, CHILDREN, SYNC */
    /* GET, CHILDREN: one HA_ZK_WATCH when it changes (GET: also when it goes; not when absent). Set again while it
     * stands it is still one; it may outlive a lost connection. */
    bool watch;
    const struct ha_zk_op *ops; /* MULTI */
    size_t ops_n;
};
typedef void ha_zk_send_fn(void *user, const struct ha_zk_request *rq);

enum ha_zk_event_kind {
    HA_ZK_CONNECTED,    /* first time, or again with the same or a new session */
    HA_ZK_DISCONNECTED, /* the client looks for a server; the session may live on */
    HA_ZK_SESSION_OVER, /* expired: the carrier opens a new one by itself, HA_ZK_CONNECTED follows */
    HA_ZK_WATCH,
    HA_ZK_RESULT
};
struct ha_zk_event { /* borrowed for the call */
    enum ha_zk_event_kind kind;
    /* CONNECTED */
    int64_t session;    /* as in ephemeralOwner */
    int64_t timeout_us; /* negotiated */
    /* WATCH */
    const char *path;
    /* RESULT */
    enum ha_zk_owner owner;
    uint64_t id;
    enum ha_zk_request_kind asked; /* kind of the request */
    enum ha_zk_code code;
    int failed_op;       /* MULTI that failed for an op's sake: its place, else -1 */
    int64_t sent_us;     /* when it was sent */
    const char *text;    /* code != OK: for people */
    const char *data;    /* GET; NUL behind its end */
    size_t len;
    int32_t version;         /* GET */
    int64_t ephemeral_owner; /* GET */
    const char *const *children; /* CHILDREN: names, in no order */
    size_t children_n;
    int64_t created_zxid; /* CHILDREN: czxid of the node itself: another one when it was deleted and made anew */
    const char *created; /* MULTI: path of its first CREATE, with the sequence number; of SETs nothing comes back */
};

/* The layout below the cluster's root (all with the creator's ACL):
 *   <root>            "creel 1 <cluster-id>\n": format and whose it is
 *   <root>/epoch      "<epoch> <rm-id> <session>\n": the authority; its version is checked by every write
 *   <root>/election   one ephemeral sequential node per RM: "<rm-id>~<session, 16 hex digits>~<sequence>"
 *   <root>/log        the state: ha/log/log.h */
#define HA_ZK_FORMAT 1

#endif

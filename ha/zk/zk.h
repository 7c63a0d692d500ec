/* ha/zk/zk.h - requests to ZooKeeper and their results, as plain data. This is the language between
 * the pure machines (ha/election/election.h, ha/log/log.h) and their carrier: libzookeeper
 * (ha/zk/client.h), or a simulated ensemble in tests.
 *
 *   machine --ha_zk_send_fn--> carrier --> ZooKeeper
 *   machine <--ha_zk_event---- carrier <-- results, watches, session changes
 *
 * The carrier delivers events one at a time, in the order in which ZooKeeper's client saw them.
 * Every request gets exactly one HA_ZK_RESULT. Requests of one session are carried out in the order
 * sent. A lost connection fails all unanswered requests with HA_ZK_LOSS: whether they were carried
 * out is unknown. Versions and ephemeral owner are those of ZooKeeper's Stat. Times are
 * microseconds of CLOCK_BOOTTIME (base_mono_us()). */
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
    HA_ZK_NOAUTH,  /* the node's ACL denies access */
    HA_ZK_LOSS,    /* connection lost or no answer in time; outcome unknown */
    HA_ZK_EXPIRED, /* session over; outcome of earlier requests unknown */
    HA_ZK_FAILED   /* any other failure; the event's text names it */
};
const char *ha_zk_code_name(enum ha_zk_code code);

enum ha_zk_op_kind { HA_ZK_CREATE, HA_ZK_SET, HA_ZK_DELETE, HA_ZK_CHECK };
/* one operation of a multi, which is carried out completely or not at all; new nodes get an ACL for
 * the creator only */
struct ha_zk_op {
    enum ha_zk_op_kind kind;
    const char *path;
    const char *data; /* CREATE, SET */
    size_t len;
    int32_t version;          /* SET, DELETE, CHECK: required version; -1: any */
    bool ephemeral, sequence; /* CREATE */
};

enum ha_zk_request_kind { HA_ZK_MULTI, HA_ZK_GET, HA_ZK_CHILDREN, HA_ZK_SYNC };
/* who receives the result */
enum ha_zk_owner { HA_ZK_FOR_ELECTION, HA_ZK_FOR_LOG, HA_ZK_FOR_FOLLOW };
struct ha_zk_request { /* borrowed during the call that sends it */
    enum ha_zk_owner owner;
    uint64_t id; /* chosen by the owner, returned with the result */
    enum ha_zk_request_kind kind;
    const char *path; /* GET, CHILDREN, SYNC */
    /* GET, CHILDREN: deliver one HA_ZK_WATCH when the node's data change (GET), when a child is
     * created or deleted (CHILDREN), or when the node is deleted (both). No watch is set on an
     * absent node. Setting a pending watch again still delivers one event. A watch may survive a
     * lost connection. */
    bool watch;
    const struct ha_zk_op *ops; /* MULTI */
    size_t ops_n;
};
typedef void ha_zk_send_fn(void *user, const struct ha_zk_request *rq);

enum ha_zk_event_kind {
    HA_ZK_CONNECTED,    /* the first connection, or a reconnection with the same or a new session */
    HA_ZK_DISCONNECTED, /* the client is looking for a server; the session may survive */
    /* the session has expired; the carrier opens another, HA_ZK_CONNECTED follows */
    HA_ZK_SESSION_OVER,
    HA_ZK_WATCH,
    HA_ZK_RESULT
};
struct ha_zk_event { /* borrowed during the call */
    enum ha_zk_event_kind kind;
    /* CONNECTED */
    int64_t session;    /* as in ephemeralOwner */
    int64_t timeout_us; /* negotiated */
    /* WATCH */
    const char *path;
    /* RESULT */
    enum ha_zk_owner owner;
    uint64_t id;
    enum ha_zk_request_kind asked; /* the request's kind */
    enum ha_zk_code code;
    int failed_op;    /* MULTI: index of the operation that failed, otherwise -1 */
    int64_t sent_us;  /* when the request was sent */
    const char *text; /* code != OK: a message for people */
    const char *data; /* GET; followed by a NUL */
    size_t len;
    int32_t version;             /* GET */
    int64_t ephemeral_owner;     /* GET */
    const char *const *children; /* CHILDREN: names in no particular order */
    size_t children_n;
    /* CHILDREN: the node's czxid, which changes if the node is deleted and created again */
    int64_t created_zxid;
    const char *created; /* MULTI: path of the first CREATE, with its sequence number */
};

/* The layout below the cluster's root (all nodes with an ACL for the creator only):
 *
 *   <root>            "creel 1 <cluster-id>\n": format and owner
 *   <root>/epoch      "<epoch> <rm-id> <session>\n": the authority; every write checks its version
 *   <root>/election   one ephemeral sequential node per RM:
 *                     "<rm-id>~<session, 16 hex digits>~<sequence>"
 *   <root>/log        the state: ha/log/log.h */
#define HA_ZK_FORMAT 1

#endif

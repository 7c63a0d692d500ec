/* ha/zk/client.h - carries the requests of ha/zk/zk.h over libzookeeper (multi-threaded library,
 * asynchronous calls).
 *
 *   service thread --ha_zk_client_send_request--> libzookeeper's I/O thread --> ZooKeeper
 *   service thread <--ha_zk_client_deliver_events-- queue <-- libzookeeper's completion thread
 *
 * All functions here are called by one thread at a time, usually the service's; the library's
 * threads only put events into the queue. This layer adds guarantees that libzookeeper lacks:
 * - HA_ZK_DISCONNECTED is followed at once by HA_ZK_LOSS for every unanswered request. A request
 *   sent while disconnected fails with HA_ZK_LOSS and is not queued. (A request sent between the
 *   loss and its event may still be carried out after the reconnection, before any request sent
 *   then: its outcome is unknown, like that of the others.)
 * - A session that is over is closed, and a new one is opened. After HA_ZK_SESSION_OVER nothing of
 *   the old session arrives except HA_ZK_EXPIRED for unanswered requests.
 * - A server that accepts the connection but says nothing is abandoned early, not after 2/3 of the
 *   time-out.
 * - Digest authentication precedes every request (libzookeeper repeats it after a reconnection).
 *   The server accepts any user and password; a wrong one shows as HA_ZK_NOAUTH, whose text names
 *   the node, its ACL if readable, and our id as in ZooKeeper's ACLs, with the digest shortened:
 *   "user:base64(sha1(user:password))".
 * - Server names are resolved by the caller's thread when a session is opened; if none can be
 *   resolved, again after 1 s.
 *
 * SOURCE: libzookeeper 3.8 (zookeeper.c: cleanup, check_events, zookeeper_close). */
#ifndef CREEL_HA_ZK_CLIENT_H
#define CREEL_HA_ZK_CLIENT_H

#include "base/error.h"
#include "ha/zk/zk.h"

struct ha_zk_client;
struct ha_zk_client_conf { /* copied */
    /* "host:port,host:port", in libzookeeper's format; a chroot path may follow */
    const char *servers;
    const char *auth;         /* "user:password" */
    int64_t timeout_us;       /* requested session time-out; the server has limits of its own */
    void (*wake)(void *user); /* called on any thread when there are events to deliver */
    void *user;
};
typedef void ha_zk_event_fn(void *user, const struct ha_zk_event *ev);

/* Creates a client without connecting; the first ha_zk_client_deliver_events() connects. Returns 0,
 * or -BASE_EINVAL if servers or auth are malformed. */
int ha_zk_client_new(const struct ha_zk_client_conf *conf, struct ha_zk_client **out,
                     struct base_error *err);
/* Closes the session, so that the server deletes its ephemeral nodes at once. May take 4.5 s if the
 * server has stopped answering. Unanswered requests are dropped. NULL is allowed. */
void ha_zk_client_free(struct ha_zk_client *c);

/* Sends a request; usable as ha_zk_send_fn. */
void ha_zk_client_send_request(void *client, const struct ha_zk_request *rq);
/* Calls on() for each queued event, and opens a session if there is none. */
void ha_zk_client_deliver_events(struct ha_zk_client *c, int64_t now_us, ha_zk_event_fn *on,
                                 void *user);
/* Returns the latest time for the next ha_zk_client_deliver_events(); INT64_MAX: only when woken.
 */
int64_t ha_zk_client_next_timer_us(const struct ha_zk_client *c);

/* Describes the connection: "connected to 127.0.0.1:2181, session 0x...", "no server of ... answers
 * (127.0.0.1:2181: Connection refused)". */
void ha_zk_client_describe_connection(const struct ha_zk_client *c, char *out, size_t size);
/* Returns "user:" and the first characters of base64(sha1(user:password)), for messages;
 * borrowed. */
const char *ha_zk_client_short_auth_id(const struct ha_zk_client *c);

#endif

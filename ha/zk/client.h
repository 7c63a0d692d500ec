/* ha/zk/client.h - carries the requests of ha/zk/zk.h over libzookeeper (multi-threaded library, asynchronous calls).
 *
 *   service thread --ha_zk_client_send--> libzookeeper's I/O thread --> ZooKeeper
 *   service thread <--ha_zk_client_deliver-- queue <--enqueue and wake-- libzookeeper's completion thread
 *
 * One thread, the service's, calls everything here; the library's threads only put events into the queue.
 * What libzookeeper leaves open is settled here:
 * - HA_ZK_DISCONNECTED is followed at once by HA_ZK_LOSS for all that is unanswered; a request sent while not connected
 *   gets HA_ZK_LOSS and is not queued for later. (One sent in the moment between the loss and its event may still be
 *   carried out after the reconnection, before anything that is sent then: its outcome is unknown, as that of others.)
 * - A session that is over is closed and a new one is opened; nothing of the old one arrives after HA_ZK_SESSION_OVER
 *   but HA_ZK_EXPIRED for what is unanswered.
 * - A server that takes the connection and then says nothing is left soon, not after 2/3 of the time-out.
 * - Digest authentication is on the wire before any request (after a reconnection libzookeeper sends it again). The
 *   server believes any user and password; a wrong one shows as HA_ZK_NOAUTH, whose text names the node, its ACL as far
 *   as it lets us read it, and the id that we are: "user:base64(sha1(user:password))", as in ZooKeeper's ACLs.
 * - Names of servers are resolved when a session is opened, by the caller's thread; when none can be: again after 1 s.
 * Source: libzookeeper 3.8 (zookeeper.c: cleanup, check_events, zookeeper_close). */
#ifndef CREEL_HA_ZK_CLIENT_H
#define CREEL_HA_ZK_CLIENT_H

#include "base/error.h"
#include "ha/zk/zk.h"

struct ha_zk_client;
struct ha_zk_client_conf { /* copied */
    const char *servers; /* "host:port,host:port", as libzookeeper takes it: a folder of its own may follow */
    const char *auth;    /* "user:password" */
    int64_t timeout_us;  /* of the session, wanted; the server has limits of its own */
    void (*wake)(void *user); /* any thread: there is something to deliver */
    void *user;
};
typedef void ha_zk_event_fn(void *user, const struct ha_zk_event *ev);

/* Opens nothing yet: the first ha_zk_client_deliver does. -BASE_EINVAL: servers or auth are not of that form. */
int ha_zk_client_new(const struct ha_zk_client_conf *conf, struct ha_zk_client **out, struct base_error *err);
/* Closes the session: the server deletes its ephemeral nodes at once. Takes up to 4.5 s when the server has stopped
 * answering. What is unanswered is dropped. NULL is fine. */
void ha_zk_client_free(struct ha_zk_client *c);

/* A ha_zk_send_fn. */
void ha_zk_client_send(void *client, const struct ha_zk_request *rq);
/* Calls on() for what is queued now, and opens a session where there is none. */
void ha_zk_client_deliver(struct ha_zk_client *c, int64_t now_us, ha_zk_event_fn *on, void *user);
int64_t ha_zk_client_next_us(const struct ha_zk_client *c); /* deliver then at the latest; INT64_MAX: when woken */

bool ha_zk_client_connected(const struct ha_zk_client *c); /* as far as delivered */
/* "connected to 127.0.0.1:2181, session 0x...", "no server of ... answers (127.0.0.1:2181: Connection refused)". */
void ha_zk_client_text(const struct ha_zk_client *c, char *out, size_t size);
const char *ha_zk_client_auth_id(const struct ha_zk_client *c); /* "user:base64(sha1(user:password))" */

#endif

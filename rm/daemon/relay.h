/* rm/daemon/relay.h - relays answers of nodes to clients that cannot reach the nodes.
 *
 *   rm_relay_get(): parked --> WAITING --200 of that node--> FLOWING --its end--> the answer's end
 *                                 |                            \--broken, or too long--> cut off
 *                                 \--> 404: the node has no such thing; 502: the node fails;
 *                                      503: too many at once; 504: it does not answer in time
 *
 * The relay is no open proxy: the address is that of a registered node, the caller builds the path
 * from checked parts, redirects are not followed, and only an answer that names the requested node
 * (BASE_HTTP_NODE_HEADER) is passed on.
 *
 * Bounds: RM_RELAY_MAX answers at once, RM_RELAY_PEER_MAX of them for one client address;
 * RM_RELAY_BUFFER bytes of each answer are held (a slow client slows the node's sending); an answer
 * may take RM_RELAY_LIFE_MS. A client whose answer was cut off asks again from the offset that it
 * has reached. One thread (libcurl multi) talks to the nodes; HTTP threads only copy from the
 * buffers. */
#ifndef CREEL_RM_DAEMON_RELAY_H
#define CREEL_RM_DAEMON_RELAY_H

#include "api/server/server.h"

enum {
    RM_RELAY_MAX = 256,
    RM_RELAY_PEER_MAX = 64,
    RM_RELAY_BUFFER = 32 * 1024,
    RM_RELAY_CONNECT_MS = 1500, /* below what a client waits for one of several ResourceManagers */
    RM_RELAY_ANSWER_MS = 10000, /* for the node to send the headers of its answer */
    RM_RELAY_SILENCE_MS = 5000, /* after which a host that acknowledges nothing is given up */
    RM_RELAY_LIFE_MS = 15 * 60000,
};

struct rm_relay;
struct rm_relay *rm_relay_new(void);
void rm_relay_start(struct rm_relay *r);
/* Parks @rq and answers it with the body that the node at @address ("host:port") returns for GET
 * http://address/ws/v1/node/@path. @path: made of checked parts, percent-encoded. @type: the
 * content type of the answer. Any thread. */
void rm_relay_get(struct rm_relay *r, struct api_request *rq, const char *node_id,
                  const char *address, const char *path, const char *type);
/* Answers waiting requests with 503, cuts off answers under way, and answers later requests with
 * 503. */
void rm_relay_stop(struct rm_relay *r);
void rm_relay_free(struct rm_relay *r); /* after the HTTP server has stopped; NULL-safe */
/* Returns true for "name:port", "1.2.3.4:port" or "[::1]:port", and false for any text that could
 * mean something else in a URL. */
bool rm_relay_is_valid_address(const char *address);

#endif

/* rm/daemon/relay.h - relays answers of nodes, and of masters of applications, to clients that
 * cannot reach them.
 *
 *   rm_relay_get_from_node(), rm_relay_to_master():
 *     parked --> WAITING --200 of that node, any answer of a master--> FLOWING --its end-->
 *                   |                                     \--broken, or too long--> cut off
 *                   \--> 404: the node has no such thing; 502: the node or master fails;
 *                        503: too many at once, or the RM stops;
 *                        504: it does not answer in time
 *
 * The relay is not an open proxy. The address of a node is that of a registered one, the caller
 * builds the path from checked parts, and only an answer that names the requested node
 * (BASE_HTTP_NODE_HEADER) and is signed with the cluster's secret is passed on. A master chooses
 * the port and path of its URL, but the connection goes to the host of the node that runs it,
 * whatever host the URL names. Redirects are not followed. A node that is asked for the first time
 * since its start refuses the request (base/crypto/signature.h), which is then sent once more.
 *
 * Bounds: RM_RELAY_MAX answers at once, RM_RELAY_PEER_MAX of them for one client address;
 * RM_RELAY_BUFFER bytes of each answer are held (a slow client slows the node's sending); an answer
 * may take RM_RELAY_LIFE_MS. A client whose answer was cut off asks again from the offset that it
 * has reached. One thread (libcurl multi) talks to the nodes; HTTP threads only copy from the
 * buffers. */
#ifndef CREEL_RM_DAEMON_RELAY_H
#define CREEL_RM_DAEMON_RELAY_H

#include "api/server/server.h"
#include "base/crypto/keyring.h"

enum {
    RM_RELAY_MAX = 256,
    RM_RELAY_PEER_MAX = 64,
    RM_RELAY_BUFFER = 32 * 1024,
    RM_RELAY_CONNECT_MS = 1500, /* less than clients wait for one of several ResourceManagers */
    RM_RELAY_ANSWER_MS = 10000, /* for the node to send the headers of its answer */
    RM_RELAY_SILENCE_MS = 5000, /* after which a host that acknowledges nothing is given up */
    RM_RELAY_LIFE_MS = 15 * 60000,
};

struct rm_relay;
struct rm_relay *rm_relay_new(void);
/* Signs requests to nodes with @keys from now on, and passes on only answers that are signed, too;
 * takes a reference. Requests to masters are not signed. Call before rm_relay_start(). */
void rm_relay_sign_with(struct rm_relay *r, struct base_keyring *keys);
void rm_relay_start(struct rm_relay *r);
/* Parks @rq and answers it with the body that the node at @address ("host:port", or
 * "https://host:port") returns for GET http://address/ws/v1/node/@path. @path: made of checked
 * parts, percent-encoded. @type: the content type of the answer. Any thread. */
void rm_relay_get_from_node(struct rm_relay *r, struct api_request *rq, const char *node_id,
                            const char *address, const char *path, const char *type);
/* A request to the master of an application; texts are borrowed for the call. */
struct rm_relay_to_master {
    const char *app_id; /* for error messages */
    const char *url;    /* "http://..." with the path and query to be asked for */
    const char *host;   /* host of the node that runs the master: where the connection goes */
    const char *cookie; /* value of the Cookie header; NULL: none is sent */
};
/* Parks @rq and answers it with the master's answer to the same method (GET, HEAD or PUT) and body:
 * its status, the headers that describe the body, and the body. Passes on the headers of @rq that a
 * page's server reads (Accept and the like), but no credentials. Any thread. */
void rm_relay_to_master(struct rm_relay *r, struct api_request *rq,
                        const struct rm_relay_to_master *to);
/* Answers waiting requests with 503, cuts off answers under way, and answers later requests with
 * 503. */
void rm_relay_stop(struct rm_relay *r);
void rm_relay_free(struct rm_relay *r); /* after the HTTP server has stopped; NULL-safe */
/* Returns true for "name:port", "1.2.3.4:port" or "[::1]:port", and false for any text that could
 * mean something else in a URL. */
bool rm_relay_is_host_and_port(const char *address);

#endif

/* nodemanager/shuffle/server.h - the threads that serve map outputs: each waits for its own
 * connections, and all for new ones. A read from the disk stops the connections of one thread.
 *
 * Beyond the largest number of connections, a new one takes the place of the oldest of its thread
 * that has not proven anything: strangers who stay silent, or stay after they were refused, keep no
 * reducer out. If there is none, it is turned away (429). */
#ifndef CREEL_NODEMANAGER_SHUFFLE_SERVER_H
#define CREEL_NODEMANAGER_SHUFFLE_SERVER_H

#include "base/error.h"
#include "nodemanager/shuffle/connection.h"

struct nm_shuffle_server_conf {
    int listener; /* taken, also after an error */
    unsigned threads;
    int64_t connections_max;
    struct nm_shuffle_site site;
};
struct nm_shuffle_server;
int nm_shuffle_server_start(const struct nm_shuffle_server_conf *conf,
                            struct nm_shuffle_server **out, struct base_error *err);
/* Cuts all connections, joins the threads and frees the server. */
void nm_shuffle_server_stop(struct nm_shuffle_server *s);

#endif

/* nodemanager/nm_link.h - the two threads that speak to the ResourceManager: one for the request in flight
 * (registration, heartbeat: it may be parked there), one for wake calls. They decide nothing: the loop hands a request
 * over and finds the answer when nm_link_fd() becomes readable. */
#ifndef CREEL_NM_LINK_H
#define CREEL_NM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base_error.h"
#include "base/base_mem.h"

struct nm_link_io;
/* @rm: comma list of base addresses; @secret: bearer token or NULL/"". */
int nm_link_start(const char *rm, const char *secret, struct nm_link_io **out, struct base_error *err);
void nm_link_stop(struct nm_link_io *l); /* cancels what is in flight, joins, frees */
int nm_link_fd(const struct nm_link_io *l);

/* One request at a time. Takes @body's memory. @path: "/ws/v1/nodetracker/...". */
void nm_link_send(struct nm_link_io *l, const char *path, struct base_buf *body, int64_t timeout_ms);
/* Fire and forget, to the RM that has the request in flight. Takes @body's memory. */
void nm_link_wake(struct nm_link_io *l, struct base_buf *body);

struct nm_link_result {
    int rc; /* 0: an HTTP answer came */
    long status;
    struct base_buf body;
    bool tried_all; /* after a failure: every RM of the list was tried since the last success */
    char url[1024]; /* whom we asked */
    struct base_error err;
};
/* True and the result once, when there is one; caller frees the body. */
bool nm_link_take(struct nm_link_io *l, struct nm_link_result *out);
/* The answer was no use (stale epoch, not the active one): ask another next time. */
void nm_link_other(struct nm_link_io *l);

#endif

/* nodemanager/daemon/rm_link.h - the threads that speak to the ResourceManagers: one for the
 * request in flight (registration, heartbeat: it may be parked there), one for wake calls, and with
 * several RMs one that looks around while an answer is overdue. They decide nothing: whom to ask,
 * for how long, and when to look whether another one leads is nodemanager/core/rm_search.h's, under
 * the link's lock. The loop hands a request over and finds the answer when nm_link_fd() becomes
 * readable. */
#ifndef CREEL_NODEMANAGER_DAEMON_RM_LINK_H
#define CREEL_NODEMANAGER_DAEMON_RM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/conf/rm_list.h"
#include "base/error.h"
#include "base/mem.h"
#include "nodemanager/core/rm_search.h"

struct nm_link_io;
/* @rms: borrowed, not empty; @secret: bearer token or NULL/"". */
int nm_link_start(const struct base_rm_list *rms, const char *secret, struct nm_link_io **out,
                  struct base_error *err);
void nm_link_stop(struct nm_link_io *l); /* cancels what is in flight, joins, frees */
int nm_link_fd(const struct nm_link_io *l);

/* One request at a time. Takes @body's memory. */
void nm_link_send_register(struct nm_link_io *l, struct base_buf *body);
void nm_link_send_heartbeat(struct nm_link_io *l, struct base_buf *body, int64_t hold_ms);
/* Fire and forget, to the RM that has the request in flight. Takes @body's memory. */
void nm_link_wake(struct nm_link_io *l, struct base_buf *body);

struct nm_link_result {
    int rc; /* 0: an HTTP answer came */
    long status;
    struct base_buf body;
    struct nm_retry retry; /* unless 200 */
    char url[1024];        /* that was asked */
    struct base_error err;
};
/* True and the result once, when there is one; caller frees the body. A 200 must be judged before
 * the next request. */
bool nm_link_take(struct nm_link_io *l, struct nm_link_result *out);
/* The answer was good. @epoch: the one we obey now. */
void nm_link_good(struct nm_link_io *l, int64_t epoch);
/* The answer was no use (lower epoch, no JSON): as if it had failed; sets @r->retry. */
void nm_link_bad(struct nm_link_io *l, struct nm_link_result *r);

#endif

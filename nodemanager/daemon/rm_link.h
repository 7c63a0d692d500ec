/* nodemanager/daemon/rm_link.h - the threads that speak to the ResourceManagers: one for the request in flight (registration,
 * heartbeat: it may be parked there), one for wake calls. They decide nothing but whom to ask (see
 * base/conf/rm_list.h): the loop hands a request over and finds the answer when nm_link_fd() becomes readable.
 *
 * With several RMs a dead one must be noticed soon: connecting takes a second at most, a host that acknowledges nothing
 * for three is given up, and so is an active RM that does not answer a heartbeat three seconds after the time it may
 * hold it. An RM that has not answered as the active one may park a request until it leads: it gets 10 s more.
 *
 * All this time another one may lead already: a process that is stopped, or a machine that hangs, closes no connection.
 * So a third thread, with several RMs alone, looks around while the answer is overdue (nodemanager/daemon/leader_search.h):
 *
 *   sent --answer--> judged by the loop (in time, as nearly always: nobody else was asked)
 *     |  the time it may be held, and a grace
 *     v
 *   overdue: each of the others is asked whether it leads, on a connection of its own; the request stays open
 *     |  nobody does: again after a longer grace     --answer, time-out--> as before
 *     v  one leads, under an epoch that makes the one we wait for an old leader
 *   abandoned: its connection is closed, the request has failed, and goes to the new leader at once
 *
 * An answer that crosses the last step counts. What an abandoned RM does with the request later is known by its age
 * (sentUs) there, and by its epoch here. */
#ifndef CREEL_NODEMANAGER_DAEMON_RM_LINK_H
#define CREEL_NODEMANAGER_DAEMON_RM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/conf/rm_list.h"

struct nm_link_io;
/* @rms: borrowed, not empty; @secret: bearer token or NULL/"". */
int nm_link_start(const struct base_rm_list *rms, const char *secret, struct nm_link_io **out, struct base_error *err);
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
    bool at_once;   /* not 200: another RM is left to be asked at once */
    bool elsewhere; /* not 200: ... or after a pause, one that has not answered as the active one */
    char url[1024]; /* whom we asked */
    struct base_error err;
};
/* True and the result once, when there is one; caller frees the body. A 200 must be judged before the next request. */
bool nm_link_take(struct nm_link_io *l, struct nm_link_result *out);
/* The answer was good. @epoch: the one we obey now. */
void nm_link_good(struct nm_link_io *l, int64_t epoch);
/* The answer was no use (lower epoch, no JSON): as if it had failed; sets at_once and elsewhere. */
void nm_link_bad(struct nm_link_io *l, struct nm_link_result *r);

#endif

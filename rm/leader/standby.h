/* rm/leader/standby.h - the answers of an RM over HTTP while it is not the active one.
 *
 * A gate in front of the handlers decides, as YARN's does (RMWebAppFilter of Hadoop 3.4; recordings
 * in tests/interop/yarn/special/ha-standby and ha-none):
 *
 *   exempt path                              its own handler
 *   another RM is known to be active         307 with Location there, for every method and path
 *   none is known, and the client has come   307 without Location, but with
 *   back at most 5 times for this reason     Refresh: SECONDS;url=HERE, doubled each time
 *   none is known, and the counter is        200 "There is no active RM right now."
 *   larger, or not a number
 *
 * The counter is the query's "next.refresh.interval". Addresses come from the configuration, never
 * from the Host header. This RM never redirects to itself: if it is shown as the active one, no
 * active RM counts as known. An RM whose lease is over counts as a standby before it has stepped
 * down. Creel's node protocol, its own /metrics and /ws/v1/cluster/ha are exempt, too. */
#ifndef CREEL_RM_LEADER_STANDBY_H
#define CREEL_RM_LEADER_STANDBY_H

#include <stddef.h>

#include "api/server/server.h"
#include "rm/daemon/backend.h"

/* ---- pure: one answer ---- */
struct rm_standby_pair {
    const char *name, *value; /* decoded; value NULL: there was no '=' */
};
struct rm_standby_ask {
    const char *path; /* as the client sent it, from the first slash on */
    const struct rm_standby_pair *pairs;
    size_t n;
    const char *own, *active; /* "http://host:port" of this RM and the active one; "": unknown */
    const char *zookeeper;    /* text for the second line of answers that name no active RM */
    uint32_t random;          /* spreads the wait over 0.5 to 1.5 times its value */
};
struct rm_standby_answer {
    unsigned status;
    struct base_buf location, refresh; /* values of headers; empty: not sent */
    struct base_buf body;
};
/* Returns true when a standby serves @path itself. */
bool rm_standby_is_exempt_path(const char *path);
/* Fills @out; free it with rm_standby_answer_free(). */
void rm_standby_make_answer(const struct rm_standby_ask *ask, struct rm_standby_answer *out);
void rm_standby_answer_free(struct rm_standby_answer *a);

/* ---- with the daemon ---- */
/* For api_server_conf.gate; @user: struct rm_backend *. Returns true when the request was answered
 * here, since this RM is not active and the path is not exempt. */
bool rm_standby_answer_unless_active(struct api_request *rq, void *user);
/* Writes to @out the address of the active RM as configured; "" when none is known, or when it is
 * this one. */
void rm_standby_find_active_url(const struct rm_backend *b, char out[static 512]);
/* Answers with 307 to the active RM when another one is known. Returns false when none is: then
 * nothing was answered. Parked requests may be answered, too. */
bool rm_standby_redirect_to_active(struct api_request *rq, const struct rm_backend *b);
/* Answers a request that this RM may no longer serve: 307 to the active RM when another one is
 * known, otherwise 503 StandbyException with @text and Retry-After. */
void rm_standby_answer_leadership_over(struct api_request *rq, const struct rm_backend *b,
                                       const char *text);
/* Returns true when this RM is active and its lease holds: it may answer for the cluster. */
bool rm_standby_is_active(const struct rm_backend *b);
/* Returns "active", "standby" or "initializing", as HAServiceState prints them; in capitals for
 * cluster/info. */
const char *rm_standby_get_state_name(const struct rm_backend *b, bool capitals);
/* Returns true when ZooKeeper is connected at this moment: this RM will learn who leads next. */
bool rm_standby_is_zookeeper_connected(const struct rm_backend *b);
/* Returns the text of cluster/info's haZooKeeperConnectionState. */
const char *rm_standby_get_zookeeper_text(const struct rm_backend *b);

#endif

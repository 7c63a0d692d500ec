/* rm/leader/standby.h - what an RM answers over HTTP while it is not the active one.
 *
 * A gate in front of the handlers decides, as YARN's does (RMWebAppFilter of Hadoop 3.4; recordings
 * in tests/golden/ha-standby and ha-none):
 *
 *   path exempt                             -> its handler, here
 *   another RM is active and known          -> 307 with Location there, for every method, Accept
 *                                           and path
 *   none known, "next.refresh.interval" < 6 -> 307 without Location: Refresh: <s>;url=<here>…, <s>
 *   doubling each time none known, asked too often, bad number -> 200 "There is no active RM right
 *   now."
 *
 * Addresses are the configuration's, never the Host header's. We never redirect to ourselves: then
 * none is known.
 * An RM whose lease is over counts as standby before it has stepped down. Creel's node protocol,
 * its own /metrics and /ws/v1/cluster/ha are exempt too. */
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
    const char *path; /* as sent, from the first slash on */
    const struct rm_standby_pair *pairs;
    size_t n;
    const char *own, *active; /* "http://host:port"; active "": not known */
    const char *zookeeper;    /* second line of the answers without an active RM */
    uint32_t random;          /* any; decides where in 0.5 to 1.5 times the wait is */
};
struct rm_standby_answer {
    unsigned status;
    struct base_buf location, refresh,
        body; /* headers' values, empty: not sent. Freed with rm_standby_answer_free */
};
bool rm_standby_exempt(const char *path);
void rm_standby_make_answer(const struct rm_standby_ask *ask, struct rm_standby_answer *out);
void rm_standby_answer_free(struct rm_standby_answer *a);

/* ---- with the daemon ---- */
/* For api_server_conf.gate; @user: struct rm_backend *. */
bool rm_standby_gate(struct api_request *rq, void *user);
/* Writes to @out the address of the active RM as configured; "" when none is known, or when it is
 * this one. */
void rm_standby_find_active(const struct rm_backend *b, char out[static 512]);
/* Answers with 307 to the active RM when another one is known. Returns false when none is: then
 * nothing was answered. Parked requests may be answered, too. */
bool rm_standby_redirect(struct api_request *rq, const struct rm_backend *b);
/* Answers a request that this RM may no longer serve: 307 to the active RM when another one is
 * known, otherwise 503 StandbyException with @text and Retry-After. */
void rm_standby_answer_leadership_over(struct api_request *rq, const struct rm_backend *b,
                                       const char *text);
/* Active, and the lease is not over: answers of this RM are the cluster's. */
bool rm_standby_is_active(const struct rm_backend *b);
/* "active", "standby", "initializing" as HAServiceState prints them; in capitals for
 * cluster/info. */
const char *rm_standby_state(const struct rm_backend *b, bool capitals);
/* To ZooKeeper, at this moment: who leads next will be heard of. */
bool rm_standby_connected(const struct rm_backend *b);
/* cluster/info's haZooKeeperConnectionState. */
const char *rm_standby_zookeeper(const struct rm_backend *b);

#endif

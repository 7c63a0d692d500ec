/* rm/leader/leader.h - one of several RMs: leadership (ha_service) drives the daemon
 * (rm_daemon_activate, _deactivate).
 *
 *   service thread --lead, stop, changed (enqueue only)--> lead thread:
 *                     activate | deactivate (may block)
 *   watchdog thread: looks at the core's thread and at a deactivation under way
 *
 * Deadlines: deactivation ends within 1 s of the end of the leadership; otherwise the process ends
 * itself (_exit 3), since nothing it said would be true any more. The watchdog also ends the
 * process when the core's thread has made no progress for longer than the lease while the watchdog
 * itself ran. (In a process that was stopped and continued neither ran.) On request, and at the end
 * of the process, a leadership ends in good order: queued events are carried out, written and
 * answered first.
 * Configuration (YARN's keys): yarn.resourcemanager.ha.enabled (or --ha), ha.rm-ids, ha.id
 * (default: the id whose webapp.address has this process's port), webapp.address.<id> (or
 * hostname.<id>), yarn.resourcemanager.zk-address or hadoop.zk.address, zk-timeout-ms, cluster-id;
 * creel.ha.zk-root (default /creel/<cluster-id>); hadoop.zk.auth "digest:user:password" (or @file)
 * or, without it, "creel:<creel.cluster.secret>". */
#ifndef CREEL_RM_LEADER_LEADER_H
#define CREEL_RM_LEADER_LEADER_H

#include "rm/daemon/daemon.h"

#define RM_HA_IDS_MAX 16

struct rm_ha_conf { /* read from the configuration; texts owned */
    bool enabled;
    char *rm_id;               /* ours */
    char *ids[RM_HA_IDS_MAX];  /* yarn.resourcemanager.ha.rm-ids */
    char *urls[RM_HA_IDS_MAX]; /* "http://host:port" of each */
    size_t n, own;             /* own: place of ours */
    char *servers, *root, *cluster_id;
    const struct ha_store_ops *store; /* creel.rm.state-store */
    char *auth;                       /* "user:password" */
    int64_t timeout_us;
    bool lease_off; /* for tests (ha/election/service.h); not configurable */
};
/* @on: --ha was given. Errors name the key and what was expected. Returns 0 and reads nothing else
 * when high availability is not enabled. */
int rm_ha_conf_read(const struct base_conf *conf, bool on, struct rm_ha_conf *out,
                    struct base_error *err);
void rm_ha_conf_free(struct rm_ha_conf *c);
char *rm_ha_conf_join_urls(const struct rm_ha_conf *c); /* ours first; caller frees */
const char *rm_ha_conf_find_url(const struct rm_ha_conf *c, const char *rm_id); /* "": no such id */
void rm_ha_conf_get_own_address(const struct rm_ha_conf *c, char **host,
                                uint16_t *port); /* ours; caller frees */

struct rm_lead;
/* @conf must outlive it. @b: of rm_daemon_new_standby, rm_role_set_identity()ed, started. @ended is
 * called (any thread, once) when this RM cannot go on: it was refused, or the store cannot be read.
 * The process should then stop with an error. */
int rm_lead_start(const struct rm_ha_conf *conf, struct rm_backend *b,
                  void (*ended)(void *user, const struct base_error *why), void *user,
                  struct rm_lead **out, struct base_error *err);
/* Ends in good order: queued events are written, then the next RM leads. NULL is fine. */
void rm_lead_stop(struct rm_lead *l);

#endif

/* rm/leader/leader.h - the lead thread of an RM that is one of several. The election (ha_service)
 * announces leaderships and their ends; the lead thread enters and ends them (rm_daemon_activate,
 * _deactivate, _retire) as rm/term/lead_rules.h decides.
 *
 *   election's thread --announcements, queued; an end also deposes this RM at once-->
 *                       lead thread: activate, deactivate, retire (these may block)
 *   watchdog's thread: checks the progress of the core's thread and of a deactivation under way
 *
 * Deadlines: deactivation ends within 1 s of the end of the leadership; otherwise the process ends
 * itself (_exit 3), since its answers would no longer be true. The watchdog also ends the process
 * when the core's thread has made no progress for longer than the lease (at least 2 s) while the
 * watchdog itself ran. (In a process that was stopped and continued neither ran.) On request, and
 * at the end of the process, a leadership ends in good order: queued events are carried out,
 * written and answered first. Configuration (YARN's keys): yarn.resourcemanager.ha.enabled (or
 * --ha), ha.rm-ids, ha.id (default: the id whose webapp.address has this process's port),
 * webapp.address.<id> (or hostname.<id>), yarn.resourcemanager.zk-address or hadoop.zk.address,
 * zk-timeout-ms, cluster-id; creel.ha.zk-root (default /creel/<cluster-id>); hadoop.zk.auth
 * "digest:user:password" (or @file) or, without it, "creel:<first line of creel.zk.secret-file>".
 */
#ifndef CREEL_RM_LEADER_LEADER_H
#define CREEL_RM_LEADER_LEADER_H

#include "rm/daemon/daemon.h"

#define RM_HA_IDS_MAX 16

struct rm_ha_conf { /* read from the configuration; all texts are owned */
    bool enabled;
    char *rm_id;               /* of this RM */
    char *ids[RM_HA_IDS_MAX];  /* yarn.resourcemanager.ha.rm-ids */
    char *urls[RM_HA_IDS_MAX]; /* "http://host:port" of each */
    size_t n, own;             /* number of RMs; index of this one */
    char *servers, *root, *cluster_id;
    const struct ha_store_ops *store; /* creel.rm.state-store */
    char *auth;                       /* "user:password" */
    int64_t timeout_us;
    bool lease_off; /* the lease never ends: for tests (ha/election/service.h) */
};
/* Fills @out; free it with rm_ha_conf_free(), also after an error. @ha_option: --ha was given. When
 * high availability is not enabled, returns 0 and reads nothing else. Errors name the key and the
 * value that was expected. */
int rm_ha_conf_read(const struct base_conf *conf, bool ha_option, struct rm_ha_conf *out,
                    struct base_error *err);
void rm_ha_conf_free(struct rm_ha_conf *c);
/* Returns the URLs of all RMs, separated by commas, that of this RM first. The caller frees it. */
char *rm_ha_conf_join_urls_own_first(const struct rm_ha_conf *c);
/* Returns the URL of RM @rm_id, borrowed; "" when there is none with this id. */
const char *rm_ha_conf_find_url(const struct rm_ha_conf *c, const char *rm_id);
/* Splits the URL of this RM. The caller frees *@host. */
void rm_ha_conf_get_own_address(const struct rm_ha_conf *c, char **host, uint16_t *port);

struct rm_lead;
/* Begins to take part in the election; stop *@out with rm_lead_stop(). @conf must stay valid until
 * then. @b: made by rm_daemon_new_standby(), given its identity by rm_role_set_identity(), and
 * started. @fail is called at most once, on any thread, when this RM cannot take part any more:
 * ZooKeeper refuses it, or the store cannot be read. The process should then stop with an error.
 * Returns 0, or the error of ha_service_start(). */
int rm_lead_start(const struct rm_ha_conf *conf, struct rm_backend *b,
                  void (*fail)(void *user, const struct base_error *why), void *user,
                  struct rm_lead **out, struct base_error *err);
/* Ends a leadership in good order: queued changes are written, then another RM may lead. Frees @l.
 * NULL is fine. */
void rm_lead_stop(struct rm_lead *l);

#endif

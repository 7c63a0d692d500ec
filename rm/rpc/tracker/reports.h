/* rm/rpc/tracker/reports.h - what NodeManagers of Hadoop report, as the core's events say it. */
#ifndef CREEL_RM_RPC_TRACKER_REPORTS_H
#define CREEL_RM_RPC_TRACKER_REPORTS_H

#include "base/conf/conf.h"
#include "base/limits.h"
#include "rm/core/core.h"
#include "rm/rpc/tracker.pb-c.h"

#define RM_TRACKER_SHARE_KEY "creel.rpc.reduce-share"
/* Returns 0, or -BASE_EINVAL with @err set when that share is none. */
int rm_tracker_check_share(const struct base_conf *conf, struct base_error *err);
/* Writes the slots of a node with @memory_mb and @vcores: as many as fit in, of which the share
 * creel.rpc.reduce-share, to the nearest whole number, are reduce slots; at most
 * BASE_NODE_SLOTS_MAX of each kind. */
void rm_tracker_compute_slots(const struct base_conf *conf, int64_t memory_mb, int64_t vcores,
                              int32_t out[static BASE_TASK_KINDS]);

/* Most containers, and most applications, in one message: more than any node has (at most
 * BASE_NODE_SLOTS_MAX of each kind run), and about as many as fit into one message. */
#define RM_TRACKER_LIST_MAX (4 * BASE_NODE_SLOTS_MAX)
/* Returns 0, or -BASE_ELIMIT with @err set when a message with so many is refused. */
int rm_tracker_check_list_lengths(size_t containers, size_t apps, struct base_error *err);

/* A list of reports. The texts are borrowed from the message. */
struct rm_tracker_reports {
    struct rm_container_report *v; /* owned */
    size_t n;
};
/* Read the containers of a registration or heartbeat; those without a whole id are left out. Free
 * @out->v. */
void rm_tracker_read_recovered(const Tracker__Registration *rq, struct rm_tracker_reports *out);
void rm_tracker_read_statuses(const Tracker__NodeStatus *s, struct rm_tracker_reports *out);
/* Returns the applications that have folders on the node, which the caller frees; sets *@n to their
 * number. */
struct base_app_id *rm_tracker_read_apps(const Tracker__Registration *rq, size_t *n);
/* Returns false when the heartbeat has no figures of use. */
bool rm_tracker_read_utilization(const Tracker__NodeStatus *s, struct base_utilization *out);

#endif

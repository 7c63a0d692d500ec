/* rm/http/yarn/scheduler/scheduler_internal.h - fills the resources about the scheduler from views
 * of the core, in the three shapes. */
#ifndef CREEL_RM_HTTP_YARN_SCHEDULER_SCHEDULER_INTERNAL_H
#define CREEL_RM_HTTP_YARN_SCHEDULER_SCHEDULER_INTERNAL_H

#include "api/yarn/capacity.h"
#include "rm/http/yarn/yarn_internal.h"

/* ---- fifo ---- */
void yarn_fifo_fill(const struct yarn_context *f, struct yarn_fifo_scheduler *out);

/* ---- fair ---- */
struct yarn_fair_tree { /* allocated by yarn_fair_tree_fill(), freed by yarn_fair_tree_free() */
    struct yarn_fair_scheduler scheduler;
    struct yarn_fair_queue *queues;
    struct yarn_fair_children *children;
    struct api_any *any;
};
/* Returns the steady share of each queue: its part by weight of the parent's share, whether or not
 * the queues have work now. The caller frees. */
struct rm_res *yarn_fair_steady_shares_new(const struct rm_views *queues,
                                           const struct rm_res *total);
/* Returns YARN's name of the order inside a queue, "fair", "FIFO" or "DRF". */
const char *yarn_fair_name_policy(const char *policy);
void yarn_fair_tree_fill(const struct yarn_context *f, struct yarn_fair_tree *out);
void yarn_fair_tree_free(struct yarn_fair_tree *t);

/* ---- capacity ---- */
/* allocated by yarn_capacity_tree_fill(), freed by yarn_capacity_tree_free() */
struct yarn_capacity_tree {
    struct yarn_capacity_scheduler scheduler;
    struct yarn_capacity_queue *queues;
    struct yarn_capacity_children *children;
    struct api_any *any;
    struct yarn_capacity_user *users;
    struct yarn_partition_usage *user_usages;
    struct yarn_last_operation operations[4];
    struct yarn_run_detail details[3];
    char containers[RM_OPERATION_KINDS][BASE_ID_TEXT_MAX];
};
/* Returns what masters may use in a queue whose maximum is @max: a number of slots in the whole
 * cluster, wherever they run. */
struct rm_res yarn_capacity_limit_masters(const struct rm_cluster_view *c,
                                          const struct rm_res *max);
/* @users: rm_view_queue_users(), in any order. The views must outlive the tree. */
void yarn_capacity_tree_fill(const struct yarn_context *f, const struct rm_views *users,
                             const struct rm_health_view *health, struct yarn_capacity_tree *out);
void yarn_capacity_tree_free(struct yarn_capacity_tree *t);

#endif

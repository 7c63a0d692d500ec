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
 * the queues have work now. The caller frees the array. */
struct rm_res *yarn_fair_steady_shares_new(const struct rm_views *queues,
                                           const struct rm_res *total);
/* Returns YARN's name of the order inside a queue, "fair", "FIFO" or "DRF". */
const char *yarn_fair_name_policy(const char *policy);
void yarn_fair_tree_fill(const struct yarn_context *f, struct yarn_fair_tree *out);
void yarn_fair_tree_free(struct yarn_fair_tree *t);

/* ---- partitions: the nodes of each label, and those without one ---- */
struct yarn_partition {
    char *name;          /* "": the nodes without a label */
    bool exists;         /* false: only the configuration of queues names it */
    struct rm_res total; /* of its RUNNING nodes */
};
struct yarn_partitions { /* v[0]: the nodes without a label */
    struct yarn_partition *v;
    size_t n;
    /* For queue q and partition p, at [q * n + p]: what containers of the queue and of those below
     * it use there, what the queue's own masters use of that, and whether a capacity is
     * configured. */
    struct rm_res *used, *masters_used;
    bool *configured;
    const struct rm_views *uses;    /* the source of the figures */
    struct rm_label_use_view *sums; /* see yarn_partitions_use_of() */
    size_t sums_n;
};
/* Fills @out. @uses: filled by rm_view_label_uses() and rm_view_queue_users(); must outlive @out.
 * @conf: the configuration of the queues. */
void yarn_partitions_fill(const struct yarn_context *f, const struct rm_views *uses,
                          const struct rm_properties *conf, struct yarn_partitions *out);
void yarn_partitions_free(struct yarn_partitions *p);
/* Returns the sum of what @user uses in the queue with index @queue on nodes of @partition,
 * which is not 0. */
struct rm_label_use_view yarn_partitions_use_of(const struct yarn_partitions *p, size_t partition,
                                                int32_t queue, const char *user);

/* ---- capacity ---- */
/* allocated by yarn_capacity_tree_fill(), freed by yarn_capacity_tree_free() */
struct yarn_capacity_tree {
    struct yarn_capacity_scheduler scheduler;
    struct yarn_partitions partitions;
    struct yarn_capacity_queue *queues;
    struct yarn_capacity_children *children;
    struct api_any *any;
    struct yarn_capacity_user *users;
    /* by partition, if there are several: of queues, and of users */
    struct yarn_partition_capacity *capacities;
    struct yarn_partition_usage *usages, *user_usages;
    struct yarn_last_operation operations[4];
    struct yarn_run_detail details[3];
    char containers[RM_OPERATION_KINDS][BASE_ID_TEXT_MAX];
};
/* Returns what masters may use in a queue whose maximum is @max: a number of slots in the whole
 * cluster, wherever they run. */
struct rm_res yarn_capacity_get_masters_limit(const struct rm_cluster_view *c,
                                              const struct rm_res *max);
/* Returns the place of each queue in the views by its index in the core, -1: not shown, and sets
 * *@n to one above the highest index. The caller frees the array. */
int32_t *yarn_capacity_queue_places_new(const struct rm_views *queues, size_t *n);
/* @users: rm_view_queue_users() in any order, and rm_view_label_uses(). @conf: the configuration
 * of the queues. All must outlive the tree. */
void yarn_capacity_tree_fill(const struct yarn_context *f, const struct rm_views *users,
                             const struct rm_properties *conf, const struct rm_health_view *health,
                             struct yarn_capacity_tree *out);
void yarn_capacity_tree_free(struct yarn_capacity_tree *t);

#endif

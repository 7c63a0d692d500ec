/* rm/http/yarn/queue_part.h - how much of the cluster each queue is entitled to, in the terms of
 * the capacity scheduler. Creel's queues have weights and limits (policies/common/queues.h); the
 * capacity scheduler's have percentages of their parents. Both are shown for the same tree:
 *
 *   capacity      of a queue is its weight divided by the sum of the weights of its parent's
 *                 children, or its limit, if that is less; the root's is 1. Queues that are hidden
 *                 because they are empty and not configured do not count.
 *   absolute      is the product of the capacities from the root to the queue.
 *   absolute_max  is the queue's limit (maxResources) as a part of the cluster, 1 without one, and
 *                 at most that of its parent.
 *   max           is absolute_max as a part of the parent's; the product of all max from the
 *                 root to the queue is absolute_max.
 *
 * Minimum shares (minResources) change none of these; they are shown as configured amounts. The
 * policy decides what a queue gets at each moment, which may be more or less than its capacity. */
#ifndef CREEL_RM_HTTP_YARN_QUEUE_PART_H
#define CREEL_RM_HTTP_YARN_QUEUE_PART_H

#include "rm/core/view/view.h"

struct yarn_queue_part { /* parts are fractions, 0..1 */
    double capacity, absolute, max, absolute_max;
};
/* Returns the parts of the queues in @v, in their order; the caller frees the array. */
struct yarn_queue_part *yarn_queue_parts_new(const struct rm_views *v);
/* Returns the part @part of @total, rounded down to whole megabytes, cores and slots. */
struct rm_res yarn_queue_part_of(double part, const struct rm_res *total);
/* Returns the index of the queue that @name denotes: its path, the path without "root.", or its
 * last name if no other queue has the same. Returns -1 when there is no such queue. */
int32_t yarn_find_queue_by_path_or_last_name(const struct rm_views *v, const char *name);

#endif

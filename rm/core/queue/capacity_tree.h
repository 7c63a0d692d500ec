/* rm/core/queue/capacity_tree.h - the queues that a scheduler configuration describes.
 * SOURCE: Hadoop's Capacity Scheduler documentation ("Queue Properties"); its messages: the
 * recordings capacity/conf and what AbstractParentQueue and CSQueueUtils refuse.
 *
 * What a property of a queue becomes in Creel:
 *   queues                      its children
 *   capacity                    its weight; a percentage of the parent, a weight ("2w"), or an
 *                               amount ("[memory=1024,vcores=2]"), which is a minimum share too
 *   maximum-capacity            the limit of its share, a percentage of the parent's limit or an
 *                               amount
 *   state                       STOPPED: it and the queues below it take no new applications
 *   max-parallel-apps           its limit of running applications
 *   ordering-policy             the order in a leaf: fifo, also without it, or fair
 *   disable_preemption          whether its tasks are preempted; handed down
 *   acl_submit_applications     who may submit applications
 *   acl_administer_queue        who may administer it
 *   reservable                  whether it may have reservations
 *   allow-zero-capacity-sum     whether the percentages of its children may add up to 0
 *   maximum-am-resource-percent the share of masters, which is only shown
 * Other properties are kept without effect: limits per user, mappings of users to queues, and
 * capacities on labelled nodes, where a queue gets the same part as elsewhere. Applications that
 * name no queue go to root.default, if that exists. */
#ifndef CREEL_RM_CORE_QUEUE_CAPACITY_TREE_H
#define CREEL_RM_CORE_QUEUE_CAPACITY_TREE_H

#include "policies/common/queues.h"
#include "rm/core/queue/properties.h"

/* Builds the queue tree. Returns 0, with *@out owned by the caller (policy_queues_free()); or
 * -BASE_EINVAL, with YARN's message where YARN has one, and *@out empty. */
int rm_capacity_tree_build(const struct rm_properties *p, struct policy_queues *out,
                           struct base_error *err);
/* Adds the properties that describe the configured queues of @q, all with the default settings:
 * the queues of a parent have equal capacities. */
void rm_capacity_tree_to_properties(const struct policy_queues *q, struct rm_properties *out);

#endif

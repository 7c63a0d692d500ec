/* policies/common/spread_cap.h - how many slots of one node Hadoop 1 fills while work is scarce.
 * SOURCE: Hadoop 1's JobQueueTaskScheduler: ceil(slots * min(1, outstanding / capacity)). */
#ifndef CREEL_POLICIES_COMMON_SPREAD_CAP_H
#define CREEL_POLICIES_COMMON_SPREAD_CAP_H

#include <stdint.h>

/* Returns how many of a node's @node_slots to fill when the cluster has @capacity slots for
 * @outstanding tasks; all of them when @capacity is 0. */
int32_t policy_spread_cap(int32_t node_slots, int64_t outstanding, int64_t capacity);

#endif

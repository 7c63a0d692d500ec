/* rm/core/node/width.h - how many slots a container holds. All of them are of one kind, on one
 * node: as many as its memory needs, with rm_core_conf.slots_by_vcores also its vcores. */
#ifndef CREEL_RM_CORE_NODE_WIDTH_H
#define CREEL_RM_CORE_NODE_WIDTH_H

#include <stdint.h>

#include "base/task_kind.h"
#include "rm/core/types.h"

struct rm_core;

/* Returns how many slots of kind @k a container with the resource @r holds: the smallest number
 * whose memory (and vcores) is not less, or the number of slots that @r names if that is larger; at
 * least 1. */
int32_t rm_slots_for_resource(const struct rm_core *c, enum base_task_kind k,
                              const struct rm_res *r);
/* Returns the most slots of kind @k that a container can have: those of the largest node that runs
 * or is awaited; 1 if there is none, and under a policy that gives single slots. @hadoop_too: the
 * container may run on NodeManagers of Hadoop, too; jobs and applications whose masters do not
 * speak Hadoop RPC cannot. An awaited node counts as one of Creel until it registers. Visits all
 * nodes. */
int32_t rm_slots_of_largest_node(const struct rm_core *c, enum base_task_kind k, bool hadoop_too);
/* Returns the resource of @slots slots of kind @k, with their number. */
struct rm_res rm_resource_of_slots(const struct rm_core *c, enum base_task_kind k, int32_t slots);
/* Returns the largest resource that a container of kind @k can have. @hadoop_too: as above. Visits
 * all nodes. */
struct rm_res rm_largest_resource(const struct rm_core *c, enum base_task_kind k, bool hadoop_too);
/* Returns whether @r, a container's of kind @k, exceeds that in the amount @name: memory or
 * vcores. */
bool rm_resource_is_too_large(const struct rm_core *c, enum base_task_kind k,
                              const struct rm_res *r, enum rm_res_name name, bool hadoop_too);

#endif

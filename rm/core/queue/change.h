/* rm/core/queue/change.h - a change to the scheduler configuration, as clients of PUT
 * /ws/v1/cluster/scheduler-conf describe it: queues removed, added and updated, and single
 * properties. SOURCE: Hadoop's Capacity Scheduler documentation ("Changing queue configuration via
 * API"); what Hadoop's ConfigurationUpdateAssembler accepts; the recordings capacity/conf. */
#ifndef CREEL_RM_CORE_QUEUE_CHANGE_H
#define CREEL_RM_CORE_QUEUE_CHANGE_H

#include "base/error.h"
#include "rm/core/queue/properties.h"

#define RM_CAPACITY_PREFIX "yarn.scheduler.capacity."

struct rm_param { /* value NULL or "": the property is removed */
    const char *name, *value;
};
struct rm_queue_params {
    const char *queue; /* its path, "root.a" */
    const struct rm_param *v;
    size_t n;
};
/* All texts belong to the caller. The parts take effect in this order. */
struct rm_conf_change {
    const char *const *removed; /* paths of queues; each goes with all its properties */
    size_t removed_n;
    const struct rm_queue_params *added, *updated;
    size_t added_n, updated_n;
    const struct rm_param *globals; /* with whole names */
    size_t globals_n;
};

/* Applies @change to @p. Returns 0, or -BASE_EINVAL with YARN's message; @p is then partly changed.
 * Does not check whether the result describes valid queues: see rm/core/queue/capacity_tree.h. */
int rm_conf_change_apply(struct rm_properties *p, const struct rm_conf_change *change,
                         struct base_error *err);

#endif

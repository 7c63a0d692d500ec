/* rm/config/scheduler_shape.h - selects the scheduler of YARN in whose form clients see the queues,
 * whatever the policy: the key creel.yarn.scheduler-shape. */
#ifndef CREEL_RM_CONFIG_SCHEDULER_SHAPE_H
#define CREEL_RM_CONFIG_SCHEDULER_SHAPE_H

#include "base/conf/conf.h"

enum rm_shape { RM_SHAPE_CAPACITY, RM_SHAPE_FAIR, RM_SHAPE_FIFO };

/* Returns 0, or -BASE_EINVAL when the key's value is not "capacity", "fair" or "fifo"; checked when
 * the daemon starts. */
int rm_scheduler_shape_check(const struct base_conf *conf, struct base_error *err);
/* Returns the configured shape; RM_SHAPE_CAPACITY for a value that is not valid. */
enum rm_shape rm_scheduler_shape_read(const struct base_conf *conf);

#endif

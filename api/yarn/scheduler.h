/* api/yarn/scheduler.h - the small resources about the scheduler, which look the same in every
 * shape. The rules of api/yarn/resources.h apply. */
#ifndef CREEL_API_YARN_SCHEDULER_H
#define CREEL_API_YARN_SCHEDULER_H

#include "api/yarn/resources.h"

struct yarn_scheduler_overview {
    const char *type, *resource_type;
    struct yarn_resource min, max;
    int64_t max_priority, busy, rm_events, scheduler_events;
};
struct yarn_queue_access {
    bool allowed;
    const char *user, *diagnostics;
};

extern const struct api_shape yarn_shape_scheduler_overview, yarn_shape_queue_access;

#endif

/* api/yarn/scheduler.h - the small resources about the scheduler, which look the same for all of
 * YARN's schedulers. The rules of api/yarn/resources.h apply. */
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
struct yarn_conf_property {
    const char *name, *value;
};
struct yarn_scheduler_conf {
    struct api_list properties; /* of struct yarn_conf_property */
};
struct yarn_conf_version {
    int64_t version;
};

extern const struct api_shape yarn_shape_scheduler_overview, yarn_shape_queue_access,
    yarn_shape_scheduler_conf, yarn_shape_conf_version;

#endif

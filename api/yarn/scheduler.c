#include "api/yarn/scheduler.h"

#include "api/yarn/members.h"

#define T struct yarn_scheduler_overview
static const struct api_member overview_members[] = {
    S(type, "schedulerType"),
    S(resource_type, "schedulingResourceType"),
    O(min, "minimumAllocation", &yarn_shape_resource),
    O(max, "maximumAllocation", &yarn_shape_resource),
    I(max_priority, "applicationPriority"),
    I(busy, "schedulerBusy"),
    I(rm_events, "rmDispatcherEventQueueSize"),
    I(scheduler_events, "schedulerDispatcherEventQueueSize"),
    END,
};
#undef T
const struct api_shape yarn_shape_scheduler_overview = {.root = "scheduler",
                                                        .members = overview_members};

#define T struct yarn_queue_access
static const struct api_member access_members[] = {
    B(allowed, "allowed"),
    S(user, "user"),
    S(diagnostics, "diagnostics"),
    END,
};
#undef T
const struct api_shape yarn_shape_queue_access = {.root = "rmQueueAclInfo",
                                                  .members = access_members};

#define T struct yarn_conf_property
static const struct api_member property_members[] = {S(name, "name"), S(value, "value"), END};
#undef T
static const struct api_shape shape_property = {.members = property_members};

#define T struct yarn_scheduler_conf
static const struct api_member scheduler_conf_members[] = {
    L(properties, "property", &shape_property),
    END,
};
#undef T
const struct api_shape yarn_shape_scheduler_conf = {.root = "configuration",
                                                    .members = scheduler_conf_members};

#define T struct yarn_conf_version
static const struct api_member conf_version_members[] = {I(version, "versionID"), END};
#undef T
const struct api_shape yarn_shape_conf_version = {.root = "configversion",
                                                  .members = conf_version_members};

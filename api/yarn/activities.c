#include "api/yarn/activities.h"

#include "api/yarn/members.h"

#define CHILDREN API_ANYLIST(T, children, "children", API_ALWAYS)

#define T struct yarn_activity_node
static const struct api_member queue_members[] = {
    S(name, "name"), S(state, "allocationState"), S(diagnostic, "diagnostic"), CHILDREN, END,
};
static const struct api_member app_members[] = {
    S(name, "name"),
    I(app_priority, "appPriority"),
    S(state, "allocationState"),
    S(diagnostic, "diagnostic"),
    CHILDREN,
    END,
};
static const struct api_member request_members[] = {
    I(request_priority, "requestPriority"),
    S(state, "allocationState"),
    S(diagnostic, "diagnostic"),
    I(allocation_request_id, "allocationRequestId"),
    CHILDREN,
    END,
};
static const struct api_member container_members[] = {
    S(name, "name"),
    S(state, "allocationState"),
    S(diagnostic, "diagnostic"),
    S(node_id, "nodeId"),
    END,
};
static const struct api_member group_members[] = {
    S(state, "allocationState"),
    S(diagnostic, "diagnostic"),
    I(count, "count"),
    API_STRLIST(T, node_ids, "nodeIds", API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_activity_queue = {.members = queue_members};
const struct api_shape yarn_shape_activity_app = {.members = app_members};
const struct api_shape yarn_shape_activity_request = {.members = request_members};
const struct api_shape yarn_shape_activity_container = {.members = container_members};
const struct api_shape yarn_shape_activity_group = {.members = group_members};

#define T struct yarn_allocation
static const struct api_member allocation_members[] = {
    S(partition, "partition"),
    S(container, "updatedContainerId"),
    S(state, "finalAllocationState"),
    P(root, "root", &yarn_shape_activity_queue),
    END,
};
#undef T
static const struct api_shape shape_allocation = {.members = allocation_members};

#define T struct yarn_activities
static const struct api_member activities_members[] = {
    S(node_id, "nodeId"),
    API_I64(T, timestamp, "timestamp", API_NONEMPTY),
    S(date_time, "dateTime"),
    S(diagnostic, "diagnostic"),
    L(allocations, "allocations", &shape_allocation),
    END,
};
#undef T
const struct api_shape yarn_shape_activities = {.root = "activities",
                                                .members = activities_members};

#define T struct yarn_bulk_activities
static const struct api_member bulk_members[] = {
    L(list, "activities", &yarn_shape_activities),
    END,
};
#undef T
const struct api_shape yarn_shape_bulk_activities = {.root = "bulkActivities",
                                                     .members = bulk_members};

#define T struct yarn_app_allocation
static const struct api_member app_allocation_members[] = {
    S(node_id, "nodeId"),
    I(timestamp, "timestamp"),
    S(date_time, "dateTime"),
    S(queue, "queueName"),
    I(app_priority, "appPriority"),
    S(state, "allocationState"),
    S(diagnostic, "diagnostic"),
    CHILDREN,
    END,
};
#undef T
static const struct api_shape shape_app_allocation = {.members = app_allocation_members};

#define T struct yarn_app_activities
static const struct api_member app_activities_members[] = {
    S(app_id, "applicationId"),
    S(diagnostic, "diagnostic"),
    API_I64(T, timestamp, "timestamp", API_NONEMPTY),
    S(date_time, "dateTime"),
    L(allocations, "allocations", &shape_app_allocation),
    END,
};
#undef T
const struct api_shape yarn_shape_app_activities = {.root = "appActivities",
                                                    .members = app_activities_members};

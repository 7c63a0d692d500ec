#include "api/yarn/capacity.h"

#include <string.h>

#include "api/yarn/members.h"

void yarn_capacity_vector_set_percent(struct yarn_capacity_vector *v, double percent)
{
    size_t n = api_java_format_float(v->percent, percent, true);
    char *at;

    memcpy(v->percent + n, "%", 2);
    v->configured = v->text;
    at = stpcpy(stpcpy(v->text, "[memory-mb="), v->percent);
    stpcpy(stpcpy(stpcpy(at, ",vcores="), v->percent), "]");
    v->entry[0] = (struct yarn_vector_entry){"memory-mb", v->percent};
    v->entry[1] = (struct yarn_vector_entry){"vcores", v->percent};
    v->entries = (struct api_list){v->entry, 2, sizeof v->entry[0]};
}

/* ---- parts of queues ---- */
#define T struct yarn_vector_entry
static const struct api_member vector_entry_members[] = {
    S(resource, "resourceName"),
    S(value, "resourceValue"),
    END,
};
#undef T
static const struct api_shape shape_vector_entry = {.members = vector_entry_members};

#define T struct yarn_capacity_vector
static const struct api_member vector_members[] = {
    S(configured, "configuredCapacityVector"),
    L(entries, "capacityVectorEntries", &shape_vector_entry),
    END,
};
#undef T
static const struct api_shape shape_vector = {.members = vector_members};

#define T struct yarn_partition_capacity
static const struct api_member partition_capacity_members[] = {
    S(partition, "partitionName"),
    O(vector, "queueCapacityVectorInfo", &shape_vector),
    F(capacity, "capacity"),
    F(used, "usedCapacity"),
    F(max, "maxCapacity"),
    F(absolute, "absoluteCapacity"),
    F(absolute_used, "absoluteUsedCapacity"),
    F(absolute_max, "absoluteMaxCapacity"),
    F(masters_max, "maxAMLimitPercentage"),
    F(weight, "weight"),
    F(normalized_weight, "normalizedWeight"),
    O(configured_min, "configuredMinResource", &yarn_shape_resource),
    O(configured_max, "configuredMaxResource", &yarn_shape_resource),
    O(effective_min, "effectiveMinResource", &yarn_shape_resource),
    O(effective_max, "effectiveMaxResource", &yarn_shape_resource),
    END,
};
#undef T
static const struct api_shape shape_partition_capacity = {.members = partition_capacity_members};

#define T struct yarn_partition_capacities
static const struct api_member partition_capacities_members[] = {
    L(list, "queueCapacitiesByPartition", &shape_partition_capacity),
    END,
};
#undef T
static const struct api_shape shape_capacities = {.members = partition_capacities_members};

#define T struct yarn_queue_acl
static const struct api_member queue_acl_members[] = {
    S(access, "accessType"),
    S(list, "accessControlList"),
    END,
};
#undef T
static const struct api_shape shape_queue_acl = {.members = queue_acl_members};

#define T struct yarn_queue_acls
static const struct api_member queue_acls_members[] = {
    L(list, "queueAcl", &shape_queue_acl),
    END,
};
#undef T
static const struct api_shape shape_queue_acls = {.members = queue_acls_members};

#define T struct yarn_property
static const struct api_member property_members[] = {
    S(name, "name"),
    S(value, "value"),
    END,
};
#undef T
static const struct api_shape shape_property = {.members = property_members};

#define T struct yarn_properties
static const struct api_member properties_members[] = {
    L(list, "property", &shape_property),
    END,
};
#undef T
static const struct api_shape shape_properties = {.members = properties_members};

#define T struct yarn_capacity_user
static const struct api_member user_members[] = {
    S(name, "username"),
    O(used, "resourcesUsed", &yarn_shape_resource),
    I(pending_apps, "numPendingApplications"),
    I(active_apps, "numActiveApplications"),
    O(masters_used, "AMResourceUsed", &yarn_shape_resource),
    O(limit, "userResourceLimit", &yarn_shape_resource),
    O(usages, "resources", &yarn_shape_usages),
    F(weight, "userWeight"),
    B(active, "isActive"),
    END,
};
#undef T
static const struct api_shape shape_user = {.members = user_members};

#define T struct yarn_capacity_users
static const struct api_member users_members[] = {
    L(list, "user", &shape_user),
    END,
};
#undef T
static const struct api_shape shape_users = {.members = users_members};

#define T struct yarn_last_operation
static const struct api_member last_operation_members[] = {
    S(operation, "operation"),
    S(node_id, "nodeId"),
    S(container_id, "containerId"),
    S(queue, "queue"),
    END,
};
#undef T
static const struct api_shape shape_last_operation = {.members = last_operation_members};

#define T struct yarn_run_detail
static const struct api_member run_detail_members[] = {
    S(operation, "operation"),
    I(count, "count"),
    O(resources, "resources", &yarn_shape_resource),
    END,
};
#undef T
static const struct api_shape shape_run_detail = {.members = run_detail_members};

#define T struct yarn_scheduler_health
static const struct api_member health_members[] = {
    I(last_run, "lastrun"),
    L(operations, "operationsInfo", &shape_last_operation),
    L(details, "lastRunDetails", &shape_run_detail),
    END,
};
#undef T
static const struct api_shape shape_health = {.members = health_members};

/* ---- queues ---- */
#define T struct yarn_capacity_children
static const struct api_member children_members[] = {
    API_ANYLIST(T, list, "queue", API_ALWAYS),
    END,
};
#undef T
static const struct api_shape shape_children = {.members = children_members};

/* How a queue was created, and how it creates others. */
#define CREATION_MEMBERS                                                                           \
    S(mode, "mode"), S(queue_type, "queueType"), S(creation_method, "creationMethod"),             \
        S(auto_creation, "autoCreationEligibility"),                                               \
        S(default_label, "defaultNodeLabelExpression"),                                            \
        O(template, "autoQueueTemplateProperties", &shape_properties),                             \
        O(parent_template, "autoQueueParentTemplateProperties", &shape_properties),                \
        O(auto_leaf_template, "autoQueueLeafTemplateProperties", &shape_properties)

#define QUEUE_HEAD_MEMBERS                                                                         \
    S(path, "queuePath"), F(capacity, "capacity"), F(used, "usedCapacity"), F(max, "maxCapacity"), \
        F(absolute, "absoluteCapacity"), F(absolute_max, "absoluteMaxCapacity"),                   \
        F(absolute_used, "absoluteUsedCapacity"), F(weight, "weight"),                             \
        F(normalized_weight, "normalizedWeight"), I(apps, "numApplications"),                      \
        I(max_parallel_apps, "maxParallelApps"), S(name, "queueName"),                             \
        B(absolute_resource, "isAbsoluteResource"), S(state, "state")

#define QUEUE_BODY_MEMBERS                                                                         \
    O(resources_used, "resourcesUsed", &yarn_shape_resource),                                      \
        B(hide_reservation_queues, "hideReservationQueues"),                                       \
        API_STRLIST(T, labels, "nodeLabels", API_ALWAYS),                                          \
        I(allocated_containers, "allocatedContainers"),                                            \
        I(reserved_containers, "reservedContainers"), I(pending_containers, "pendingContainers"),  \
        O(capacities, "capacities", &shape_capacities),                                            \
        O(usages, "resources", &yarn_shape_usages),                                                \
        O(effective_min, "minEffectiveCapacity", &yarn_shape_resource),                            \
        O(effective_max, "maxEffectiveCapacity", &yarn_shape_resource),                            \
        O(max_allocation, "maximumAllocation", &yarn_shape_resource),                              \
        O(acls, "queueAcls", &shape_queue_acls), I(priority, "queuePriority"),                     \
        S(ordering_policy, "orderingPolicyInfo"),                                                  \
        B(auto_create_children, "autoCreateChildQueueEnabled"),                                    \
        O(leaf_template, "leafQueueTemplate", &shape_properties), CREATION_MEMBERS

#define T struct yarn_capacity_queue
static const struct api_member parent_members[] = {
    QUEUE_HEAD_MEMBERS,
    P(children, "queues", &shape_children),
    QUEUE_BODY_MEMBERS,
    END,
};
static const struct api_member leaf_members[] = {
    QUEUE_HEAD_MEMBERS,
    QUEUE_BODY_MEMBERS,
    I(active_apps, "numActiveApplications"),
    I(pending_apps, "numPendingApplications"),
    I(containers, "numContainers"),
    I(max_apps, "maxApplications"),
    I(max_apps_per_user, "maxApplicationsPerUser"),
    F(user_limit, "userLimit"),
    O(users, "users", &shape_users),
    F(user_limit_factor, "userLimitFactor"),
    API_F64(T, masters_max_part, "configuredMaxAMResourceLimit", API_ALWAYS),
    O(masters_limit, "AMResourceLimit", &yarn_shape_resource),
    O(masters_used, "usedAMResource", &yarn_shape_resource),
    O(masters_user_limit, "userAMResourceLimit", &yarn_shape_resource),
    B(preemption_disabled, "preemptionDisabled"),
    B(intra_queue_preemption_disabled, "intraQueuePreemptionDisabled"),
    I(default_priority, "defaultPriority"),
    B(auto_created, "isAutoCreatedLeafQueue"),
    I(max_lifetime_s, "maxApplicationLifetime"),
    I(default_lifetime_s, "defaultApplicationLifetime"),
    END,
};
static const struct api_member root_members[] = {
    F(capacity, "capacity"),
    F(used, "usedCapacity"),
    F(max, "maxCapacity"),
    F(weight, "weight"),
    F(normalized_weight, "normalizedWeight"),
    O(vector, "queueCapacityVectorInfo", &shape_vector),
    S(name, "queueName"),
    S(path, "queuePath"),
    I(max_parallel_apps, "maxParallelApps"),
    B(absolute_resource, "isAbsoluteResource"),
    P(children, "queues", &shape_children),
    O(capacities, "capacities", &shape_capacities),
    O(health, "health", &shape_health),
    O(max_allocation, "maximumAllocation", &yarn_shape_resource),
    O(acls, "queueAcls", &shape_queue_acls),
    I(priority, "queuePriority"),
    S(ordering_policy, "orderingPolicyInfo"),
    CREATION_MEMBERS,
    END,
};
#undef T
const struct api_shape yarn_shape_capacity_parent = {.root = "queue", .members = parent_members};
const struct api_shape yarn_shape_capacity_leaf = {
    .root = "queue", .members = leaf_members, .xsi_type = "capacitySchedulerLeafQueueInfo"};
static const struct api_shape shape_root = {.members = root_members,
                                            .xsi_type = "capacityScheduler"};

#define T struct yarn_capacity_scheduler
static const struct api_member scheduler_members[] = {
    P(root, "schedulerInfo", &shape_root),
    END,
};
#undef T
const struct api_shape yarn_shape_capacity_scheduler = {.root = "scheduler",
                                                        .members = scheduler_members};

#include "api/yarn/resources.h"

#include <string.h>

#include "api/yarn/members.h"
#include "base/error.h"

/* ---- common objects ---- */
static const struct api_member empty_members[] = {END};
const struct api_shape yarn_shape_empty = {.members = empty_members};

#define T struct yarn_resource_info
static const struct api_member resource_info_members[] = {
    O(attributes, "attributes", &yarn_shape_empty),
    I(maximum, "maximumAllocation"),
    I(minimum, "minimumAllocation"),
    S(name, "name"),
    S(resource_type, "resourceType"),
    S(units, "units"),
    I(value, "value"),
    END,
};
#undef T
static const struct api_shape shape_resource_info = {.members = resource_info_members};

#define T struct yarn_resource_infos
static const struct api_member resource_infos_members[] = {
    API_LIST(T, list, "resourceInformation", &shape_resource_info, API_ALWAYS),
    END,
};
#undef T
static const struct api_shape shape_resource_infos = {.members = resource_infos_members};

#define T struct yarn_resource
static const struct api_member resource_members[] = {
    I(memory, "memory"),
    I(vcores, "vCores"),
    O(infos, "resourceInformations", &shape_resource_infos),
    END,
};
#undef T

static bool is_equal_resource(const void *va, const void *vb)
{
    const struct yarn_resource *a = va, *b = vb;

    if (a->memory != b->memory || a->vcores != b->vcores || a->infos.list.n != b->infos.list.n)
        return false;
    for (size_t i = 0; i < a->infos.list.n; i++) {
        const struct yarn_resource_info *x = &a->info[i], *y = &b->info[i];

        if (x->maximum != y->maximum || x->minimum != y->minimum || x->value != y->value ||
            (x->name != y->name && strcmp(x->name, y->name) != 0))
            return false; /* the name tells the type and the units */
    }
    return true;
}

const struct api_shape yarn_shape_resource = {
    .root = "resource", .members = resource_members, .is_equal = is_equal_resource};

void yarn_resource_set_memory_and_vcores(struct yarn_resource *r, int64_t memory_mb, int64_t vcores,
                                         const struct yarn_limits *limits)
{
    static const struct yarn_limits open = {.max = {INT64_MAX, INT64_MAX}};

    if (!limits)
        limits = &open;
    r->memory = memory_mb;
    r->vcores = vcores;
    r->info[0] = (struct yarn_resource_info){.maximum = limits->max[0],
                                             .minimum = limits->min[0],
                                             .name = "memory-mb",
                                             .resource_type = "COUNTABLE",
                                             .units = "Mi",
                                             .value = memory_mb};
    r->info[1] = (struct yarn_resource_info){.maximum = limits->max[1],
                                             .minimum = limits->min[1],
                                             .name = "vcores",
                                             .resource_type = "COUNTABLE",
                                             .units = "",
                                             .value = vcores};
    r->infos.list = (struct api_list){.items = r->info, .n = 2, .stride = sizeof r->info[0]};
}

void yarn_resource_add_type(struct yarn_resource *r, const char *name, int64_t value)
{
    base_assert(r->infos.list.n >= 2 && r->infos.list.n < YARN_RESOURCES_MAX);
    r->info[r->infos.list.n++] = (struct yarn_resource_info){.maximum = INT64_MAX,
                                                             .name = name,
                                                             .resource_type = "COUNTABLE",
                                                             .units = "",
                                                             .value = value};
}

/* ---- use of resources by partition (capacity scheduler) ---- */
#define T struct yarn_partition_usage
static const struct api_member partition_usage_members[] = {
    S(partition, "partitionName"),
    O(used, "used", &yarn_shape_resource),
    O(reserved, "reserved", &yarn_shape_resource),
    O(pending, "pending", &yarn_shape_resource),
    P(masters, "amUsed", &yarn_shape_resource),
    P(masters_limit, "amLimit", &yarn_shape_resource),
    P(masters_user_limit, "userAmLimit", &yarn_shape_resource),
    END,
};
#undef T
static const struct api_shape shape_partition_usage = {.members = partition_usage_members};

#define T struct yarn_usages
static const struct api_member usages_members[] = {
    L(list, "resourceUsagesByPartition", &shape_partition_usage),
    END,
};
#undef T
const struct api_shape yarn_shape_usages = {.members = usages_members};

/* ---- cluster ---- */
#define T struct yarn_cluster_info
static const struct api_member cluster_info_members[] = {
    I(id, "id"),
    I(started_on, "startedOn"),
    S(state, "state"),
    S(ha_state, "haState"),
    S(store_name, "rmStateStoreName"),
    S(rm_version, "resourceManagerVersion"),
    S(rm_build_version, "resourceManagerBuildVersion"),
    S(rm_built_on, "resourceManagerVersionBuiltOn"),
    S(hadoop_version, "hadoopVersion"),
    S(hadoop_build_version, "hadoopBuildVersion"),
    S(hadoop_built_on, "hadoopVersionBuiltOn"),
    S(zookeeper_state, "haZooKeeperConnectionState"),
    S(subcluster_id, "subClusterId"),
    END,
};
#undef T
const struct api_shape yarn_shape_cluster_info = {.root = "clusterInfo",
                                                  .members = cluster_info_members};

#define T struct yarn_cluster_metrics
static const struct api_member cluster_metrics_members[] = {
    I(apps_submitted, "appsSubmitted"),
    I(apps_completed, "appsCompleted"),
    I(apps_pending, "appsPending"),
    I(apps_running, "appsRunning"),
    I(apps_failed, "appsFailed"),
    I(apps_killed, "appsKilled"),
    I(reserved_mb, "reservedMB"),
    I(available_mb, "availableMB"),
    I(allocated_mb, "allocatedMB"),
    I(pending_mb, "pendingMB"),
    I(reserved_vcores, "reservedVirtualCores"),
    I(available_vcores, "availableVirtualCores"),
    I(allocated_vcores, "allocatedVirtualCores"),
    I(pending_vcores, "pendingVirtualCores"),
    I(containers_allocated, "containersAllocated"),
    I(containers_reserved, "containersReserved"),
    I(containers_pending, "containersPending"),
    I(total_mb, "totalMB"),
    I(utilized_mb, "utilizedMB"),
    I(total_vcores, "totalVirtualCores"),
    I(utilized_vcores, "utilizedVirtualCores"),
    I(utilized_mb_percent, "utilizedMBPercent"),
    I(utilized_vcores_percent, "utilizedVirtualCoresPercent"),
    I(scheduler_busy_percent, "rmSchedulerBusyPercent"),
    I(total_nodes, "totalNodes"),
    I(lost_nodes, "lostNodes"),
    I(unhealthy_nodes, "unhealthyNodes"),
    I(decommissioning_nodes, "decommissioningNodes"),
    I(decommissioned_nodes, "decommissionedNodes"),
    I(rebooted_nodes, "rebootedNodes"),
    I(active_nodes, "activeNodes"),
    I(shutdown_nodes, "shutdownNodes"),
    I(assigned_per_second, "containerAssignedPerSecond"),
    P(used_across_partitions, "totalUsedResourcesAcrossPartition", &yarn_shape_resource),
    P(total_across_partitions, "totalClusterResourcesAcrossPartition", &yarn_shape_resource),
    P(reserved_across_partitions, "totalReservedResourcesAcrossPartition", &yarn_shape_resource),
    I(allocated_across_partitions, "totalAllocatedContainersAcrossPartition"),
    B(cross_partition, "crossPartitionMetricsAvailable"),
    I(rm_events, "rmEventQueueSize"),
    I(scheduler_events, "schedulerEventQueueSize"),
    END,
};
#undef T
const struct api_shape yarn_shape_cluster_metrics = {.root = "clusterMetrics",
                                                     .members = cluster_metrics_members};

#define T struct yarn_user_info
static const struct api_member user_info_members[] = {
    S(login_user, "rmLoginUser"),
    S(requested_user, "requestedUser"),
    END,
};
#undef T
const struct api_shape yarn_shape_user_info = {.root = "clusterUserInfo",
                                               .members = user_info_members};

/* ---- scheduler ---- */
#define T struct yarn_fifo_info
static const struct api_member fifo_info_members[] = {
    F(capacity, "capacity"),
    F(used_capacity, "usedCapacity"),
    S(state, "qstate"),
    I(min_memory, "minQueueMemoryCapacity"),
    I(max_memory, "maxQueueMemoryCapacity"),
    I(nodes, "numNodes"),
    I(used_mb, "usedNodeCapacity"),
    I(available_mb, "availNodeCapacity"),
    I(total_mb, "totalNodeCapacity"),
    I(containers, "numContainers"),
    END,
};
#undef T
static const struct api_shape shape_fifo_info = {.members = fifo_info_members,
                                                 .xsi_type = "fifoScheduler"};

#define T struct yarn_fifo_scheduler
static const struct api_member fifo_scheduler_members[] = {
    O(info, "schedulerInfo", &shape_fifo_info),
    END,
};
#undef T
const struct api_shape yarn_shape_fifo_scheduler = {.root = "scheduler",
                                                    .members = fifo_scheduler_members};

#define T struct yarn_fair_children
static const struct api_member fair_children_members[] = {
    API_ANYLIST(T, list, "queue", API_ALWAYS),
    END,
};
#undef T
static const struct api_shape shape_fair_children = {.members = fair_children_members};

#define FAIR_QUEUE_MEMBERS                                                                         \
    I(max_apps, "maxApps"), O(min, "minResources", &yarn_shape_resource),                          \
        O(max, "maxResources", &yarn_shape_resource),                                              \
        O(used, "usedResources", &yarn_shape_resource),                                            \
        O(am_used, "amUsedResources", &yarn_shape_resource),                                       \
        O(am_max, "amMaxResources", &yarn_shape_resource),                                         \
        O(demand, "demandResources", &yarn_shape_resource),                                        \
        O(steady_fair, "steadyFairResources", &yarn_shape_resource),                               \
        O(fair, "fairResources", &yarn_shape_resource),                                            \
        O(cluster, "clusterResources", &yarn_shape_resource),                                      \
        O(reserved, "reservedResources", &yarn_shape_resource),                                    \
        O(max_container, "maxContainerAllocation", &yarn_shape_resource),                          \
        I(pending_containers, "pendingContainers"),                                                \
        I(allocated_containers, "allocatedContainers"),                                            \
        I(reserved_containers, "reservedContainers"), S(name, "queueName"),                        \
        S(policy, "schedulingPolicy"), B(preemptable, "preemptable"),                              \
        P(children, "childQueues", &shape_fair_children)

#define T struct yarn_fair_queue
static const struct api_member fair_parent_members[] = {FAIR_QUEUE_MEMBERS, END};
static const struct api_member fair_leaf_members[] = {
    FAIR_QUEUE_MEMBERS,
    I(pending_apps, "numPendingApps"),
    I(active_apps, "numActiveApps"),
    END,
};
#undef T
const struct api_shape yarn_shape_fair_parent = {.root = "queue", .members = fair_parent_members};
const struct api_shape yarn_shape_fair_leaf = {
    .root = "queue", .members = fair_leaf_members, .xsi_type = "fairSchedulerLeafQueueInfo"};

#define T struct yarn_fair_info
static const struct api_member fair_info_members[] = {
    P(root, "rootQueue", &yarn_shape_fair_parent),
    END,
};
#undef T
static const struct api_shape shape_fair_info = {.members = fair_info_members,
                                                 .xsi_type = "fairScheduler"};

#define T struct yarn_fair_scheduler
static const struct api_member fair_scheduler_members[] = {
    O(info, "schedulerInfo", &shape_fair_info),
    END,
};
#undef T
const struct api_shape yarn_shape_fair_scheduler = {.root = "scheduler",
                                                    .members = fair_scheduler_members};

/* ---- applications ---- */
#define T struct yarn_timeout
static const struct api_member timeout_members[] = {
    S(type, "type"),
    S(expiry_time, "expiryTime"),
    I(remaining_s, "remainingTimeInSeconds"),
    END,
};
#undef T
const struct api_shape yarn_shape_timeout = {.root = "timeout", .members = timeout_members};

#define T struct yarn_timeouts
static const struct api_member timeouts_members[] = {
    API_LIST(T, list, "timeout", &yarn_shape_timeout, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_timeouts = {.root = "timeouts", .members = timeouts_members};

#define T struct yarn_execution_type
static const struct api_member execution_type_members[] = {
    S(type, "executionType"),
    B(enforce, "enforceExecutionType"),
    END,
};
#undef T
static const struct api_shape shape_execution_type = {.members = execution_type_members};

#define T struct yarn_request
static const struct api_member request_members[] = {
    I(priority, "priority"),
    I(allocation_request_id, "allocationRequestId"),
    S(resource_name, "resourceName"),
    O(capability, "capability", &yarn_shape_resource),
    I(containers, "numContainers"),
    B(relax_locality, "relaxLocality"),
    S(label, "nodeLabelExpression"),
    O(execution, "executionTypeRequest", &shape_execution_type),
    END,
};
#undef T
static const struct api_shape shape_request = {.members = request_members};

#define T struct yarn_app
static const struct api_member app_members[] = {
    S(id, "id"),
    S(user, "user"),
    S(name, "name"),
    S(queue, "queue"),
    S(state, "state"),
    S(final_status, "finalStatus"),
    F(progress, "progress"),
    S(tracking_ui, "trackingUI"),
    S(tracking_url, "trackingUrl"),
    S(diagnostics, "diagnostics"),
    I(cluster_id, "clusterId"),
    S(rm_cluster_id, "rmClusterId"),
    S(type, "applicationType"),
    S(tags, "applicationTags"),
    I(priority, "priority"),
    I(started, "startedTime"),
    I(launched, "launchTime"),
    I(finished, "finishedTime"),
    I(elapsed, "elapsedTime"),
    S(am_logs, "amContainerLogs"),
    S(am_http_address, "amHostHttpAddress"),
    S(am_rpc_address, "amRPCAddress"),
    S(master_node_id, "masterNodeId"),
    I(allocated_mb, "allocatedMB"),
    I(allocated_vcores, "allocatedVCores"),
    I(reserved_mb, "reservedMB"),
    I(reserved_vcores, "reservedVCores"),
    I(running_containers, "runningContainers"),
    I(memory_seconds, "memorySeconds"),
    I(vcore_seconds, "vcoreSeconds"),
    F(queue_usage, "queueUsagePercentage"),
    F(cluster_usage, "clusterUsagePercentage"),
    API_MAP(T, resource_seconds, "resourceSecondsMap", API_ALWAYS),
    I(preempted_mb, "preemptedResourceMB"),
    I(preempted_vcores, "preemptedResourceVCores"),
    I(preempted_workers, "numNonAMContainerPreempted"),
    I(preempted_masters, "numAMContainerPreempted"),
    I(preempted_memory_seconds, "preemptedMemorySeconds"),
    I(preempted_vcore_seconds, "preemptedVcoreSeconds"),
    API_MAP(T, preempted_seconds, "preemptedResourceSecondsMap", API_ALWAYS),
    API_LIST(T, requests, "resourceRequests", &shape_request, API_NONEMPTY),
    S(log_aggregation, "logAggregationStatus"),
    B(unmanaged, "unmanagedApplication"),
    S(app_label, "appNodeLabelExpression"),
    S(am_label, "amNodeLabelExpression"),
    P(resource_info, "resourceInfo", &yarn_shape_usages),
    P(timeouts, "timeouts", &yarn_shape_timeouts),
    END,
};
#undef T
const struct api_shape yarn_shape_app = {.root = "app", .members = app_members};

#define T struct yarn_apps
static const struct api_member apps_members[] = {
    API_LIST(T, list, "app", &yarn_shape_app, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_apps = {.root = "apps", .members = apps_members};

#define T struct yarn_app_state
static const struct api_member app_state_members[] = {
    S(state, "state"),
    END,
};
#undef T
const struct api_shape yarn_shape_app_state = {.root = "appstate", .members = app_state_members};

#define T struct yarn_app_priority
static const struct api_member app_priority_members[] = {
    I(priority, "priority"),
    END,
};
#undef T
const struct api_shape yarn_shape_app_priority = {.root = "applicationpriority",
                                                  .members = app_priority_members};

#define T struct yarn_app_queue
static const struct api_member app_queue_members[] = {
    S(queue, "queue"),
    END,
};
#undef T
const struct api_shape yarn_shape_app_queue = {.root = "appqueue", .members = app_queue_members};

#define T struct yarn_new_application
static const struct api_member new_application_members[] = {
    S(id, "application-id"),
    O(max, "maximum-resource-capability", &yarn_shape_resource),
    END,
};
#undef T
const struct api_shape yarn_shape_new_application = {.root = "NewApplication",
                                                     .members = new_application_members};

#define T struct yarn_stat_item
static const struct api_member stat_item_members[] = {
    S(state, "state"),
    S(type, "type"),
    I(count, "count"),
    END,
};
#undef T
static const struct api_shape shape_stat_item = {.members = stat_item_members};

#define T struct yarn_statistics
static const struct api_member statistics_members[] = {
    API_LIST(T, list, "statItem", &shape_stat_item, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_statistics = {.root = "appStatInfo",
                                                .members = statistics_members};

/* ---- attempts and containers ---- */
#define T struct yarn_attempt
static const struct api_member attempt_members[] = {
    I(id, "id"),
    I(start, "startTime"),
    I(finish, "finishedTime"),
    S(container_id, "containerId"),
    S(node_http, "nodeHttpAddress"),
    S(node_id, "nodeId"),
    S(logs, "logsLink"),
    S(blacklisted, "blacklistedNodes"),
    S(system_blacklisted, "nodesBlacklistedBySystem"),
    S(attempt_id, "appAttemptId"),
    S(export_ports, "exportPorts"),
    S(state, "appAttemptState"),
    END,
};
#undef T
static const struct api_shape shape_attempt = {.members = attempt_members};

#define T struct yarn_attempts
static const struct api_member attempts_members[] = {
    API_LIST(T, list, "appAttempt", &shape_attempt, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_attempts = {.root = "appAttempts", .members = attempts_members};

#define T struct yarn_attempt_info
static const struct api_member attempt_info_members[] = {
    S(attempt_id, "appAttemptId"),
    S(host, "host"),
    I(rpc_port, "rpcPort"),
    S(tracking_url, "trackingUrl"),
    S(original_tracking_url, "originalTrackingUrl"),
    S(diagnostics, "diagnosticsInfo"),
    S(state, "appAttemptState"),
    S(container_id, "amContainerId"),
    I(start, "startedTime"),
    I(finish, "finishedTime"),
    END,
};
#undef T
const struct api_shape yarn_shape_attempt = {.root = "appAttempt", .members = attempt_info_members};

#define T struct yarn_container
static const struct api_member container_members[] = {
    S(id, "containerId"),
    I(mb, "allocatedMB"),
    I(vcores, "allocatedVCores"),
    S(assigned_node, "assignedNodeId"),
    I(priority, "priority"),
    I(start, "startedTime"),
    I(finish, "finishedTime"),
    I(elapsed, "elapsedTime"),
    S(diagnostics, "diagnosticsInfo"),
    S(log_url, "logUrl"),
    I(exit_status, "containerExitStatus"),
    S(state, "containerState"),
    S(node_http, "nodeHttpAddress"),
    S(node_id, "nodeId"),
    API_MAP(T, resources, "allocatedResources", API_ALWAYS),
    S(exposed_ports, "exposedPorts"),
    END,
};
#undef T
const struct api_shape yarn_shape_container = {.root = "container", .members = container_members};

#define T struct yarn_containers
static const struct api_member containers_members[] = {
    API_LIST(T, list, "container", &yarn_shape_container, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_containers = {.root = "containers",
                                                .members = containers_members};

/* ---- nodes ---- */
const struct api_shape yarn_shape_node_resource = {.root = "resourceInfo",
                                                   .members = resource_members};

#define T struct yarn_utilization
static const struct api_member utilization_members[] = {
    I(node_physical_mb, "nodePhysicalMemoryMB"),
    I(node_virtual_mb, "nodeVirtualMemoryMB"),
    API_F64(T, node_cpu, "nodeCPUUsage", API_ALWAYS),
    I(containers_physical_mb, "aggregatedContainersPhysicalMemoryMB"),
    I(containers_virtual_mb, "aggregatedContainersVirtualMemoryMB"),
    API_F64(T, containers_cpu, "containersCPUUsage", API_ALWAYS),
    END,
};
#undef T
static const struct api_shape shape_utilization = {.members = utilization_members};

#define T struct yarn_node
static const struct api_member node_members[] = {
    S(rack, "rack"),
    S(state, "state"),
    S(id, "id"),
    S(host, "nodeHostName"),
    S(http_address, "nodeHTTPAddress"),
    I(last_health_ms, "lastHealthUpdate"),
    S(version, "version"),
    S(health, "healthReport"),
    I(containers, "numContainers"),
    I(used_mb, "usedMemoryMB"),
    I(available_mb, "availMemoryMB"),
    I(used_vcores, "usedVirtualCores"),
    I(available_vcores, "availableVirtualCores"),
    F(memory_percent, "memUtilization"),
    F(cpu_percent, "cpuUtilization"),
    I(opportunistic, "numRunningOpportContainers"),
    I(opportunistic_mb, "usedMemoryOpportGB"),
    I(opportunistic_vcores, "usedVirtualCoresOpport"),
    I(queued, "numQueuedContainers"),
    API_STRLIST(T, labels, "nodeLabels", API_NONEMPTY),
    O(allocation_tags, "allocationTags", &yarn_shape_empty),
    O(utilization, "resourceUtilization", &shape_utilization),
    P(used, "usedResource", &yarn_shape_resource),
    P(available, "availableResource", &yarn_shape_resource),
    O(attributes, "nodeAttributesInfo", &yarn_shape_empty),
    O(total, "totalResource", &yarn_shape_resource),
    END,
};
#undef T
const struct api_shape yarn_shape_node = {.root = "node", .members = node_members};

#define T struct yarn_nodes
static const struct api_member nodes_members[] = {
    API_LIST(T, list, "node", &yarn_shape_node, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_nodes = {.root = "nodes", .members = nodes_members};

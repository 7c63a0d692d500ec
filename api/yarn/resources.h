/* api/yarn/resources.h - YARN's ResourceManager resources as plain structs, and the tables that
 * describe them. Source of member order, presence and types: Hadoop's ResourceManager REST APIs and
 * the recordings in tests/interop/yarn.
 *
 * A struct holds what one resource shows, in YARN's order, so that a table can be checked against
 * its struct by eye. Strings are borrowed; NULL means absent. Structs hold pointers into themselves
 * once a function has filled them or their resources: fill them where they stay, never copy them.
 * Times are in milliseconds. */
#ifndef CREEL_API_YARN_RESOURCES_H
#define CREEL_API_YARN_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "api/yarn/shape.h"

struct yarn_empty { /* an object without members */
    char none;
};

/* ---- resources: memory, vcores and further types ---- */
#define YARN_RESOURCES_MAX 4
struct yarn_resource_info {
    struct yarn_empty attributes;
    int64_t maximum, minimum;
    const char *name, *resource_type, *units;
    int64_t value;
};
struct yarn_resource_infos {
    struct api_list list;
};
struct yarn_resource {
    int64_t memory, vcores;
    struct yarn_resource_infos infos;
    struct yarn_resource_info info[YARN_RESOURCES_MAX];
};
struct yarn_limits { /* maximumAllocation and minimumAllocation of memory-mb and vcores */
    int64_t max[2], min[2];
};
/* Sets @r to two types, memory-mb and vcores. Without @limits (NULL) each type shows the limits 0
 * and 2^63-1, as YARN does for every resource that is not a limit itself. */
void yarn_resource_set_memory_and_vcores(struct yarn_resource *r, int64_t memory_mb, int64_t vcores,
                                         const struct yarn_limits *limits);
/* Adds a further countable type without unit ("map-slots"). Call after
 * yarn_resource_set_memory_and_vcores(). */
void yarn_resource_add_type(struct yarn_resource *r, const char *name, int64_t value);

/* Use of resources in one partition, which is a set of nodes with the same label; "" is that of
 * nodes without a label. Parent queues show no masters. */
struct yarn_partition_usage {
    const char *partition;
    struct yarn_resource used, reserved, pending;
    const struct yarn_resource *masters, *masters_limit, *masters_user_limit; /* may be NULL */
    struct yarn_resource masters_storage[3]; /* what the pointers usually point to */
};
struct yarn_usages {
    struct api_list list; /* of struct yarn_partition_usage */
};

/* ---- cluster ---- */
struct yarn_cluster_info {
    int64_t id, started_on;
    const char *state, *ha_state, *store_name;
    const char *rm_version, *rm_build_version, *rm_built_on;
    const char *hadoop_version, *hadoop_build_version, *hadoop_built_on;
    const char *zookeeper_state, *subcluster_id;
};
struct yarn_cluster_metrics {
    int64_t apps_submitted, apps_completed, apps_pending, apps_running, apps_failed, apps_killed;
    int64_t reserved_mb, available_mb, allocated_mb, pending_mb;
    int64_t reserved_vcores, available_vcores, allocated_vcores, pending_vcores;
    int64_t containers_allocated, containers_reserved, containers_pending;
    int64_t total_mb, utilized_mb, total_vcores, utilized_vcores, utilized_mb_percent,
        utilized_vcores_percent;
    int64_t scheduler_busy_percent;
    int64_t total_nodes, lost_nodes, unhealthy_nodes, decommissioning_nodes, decommissioned_nodes,
        rebooted_nodes, active_nodes, shutdown_nodes;
    int64_t assigned_per_second;
    /* capacity scheduler only, else NULL */
    const struct yarn_resource *used_across_partitions, *total_across_partitions,
        *reserved_across_partitions;
    int64_t allocated_across_partitions;
    bool cross_partition;
    int64_t rm_events, scheduler_events;
    struct yarn_resource across_partitions[3]; /* what the pointers point to */
};
struct yarn_user_info {
    const char *login_user, *requested_user;
};

/* ---- scheduler ---- */
struct yarn_fifo_info {
    float capacity, used_capacity;
    const char *state;
    int64_t min_memory, max_memory;
    int64_t nodes, used_mb, available_mb, total_mb, containers;
};
struct yarn_fifo_scheduler {
    struct yarn_fifo_info info;
};
struct yarn_fair_queue;
struct yarn_fair_children {
    struct api_list list; /* of struct api_any: leaf and parent queues in one list */
};
struct yarn_fair_queue {
    int64_t max_apps;
    struct yarn_resource min, max, used, am_used, am_max, demand, steady_fair, fair, cluster,
        reserved, max_container;
    int64_t pending_containers, allocated_containers, reserved_containers;
    const char *name, *policy;
    bool preemptable;
    const struct yarn_fair_children *children; /* NULL for a leaf */
    int64_t pending_apps, active_apps;         /* leaf only */
};
struct yarn_fair_info {
    const struct yarn_fair_queue *root; /* shown as a parent, even without children */
};
struct yarn_fair_scheduler {
    struct yarn_fair_info info;
};

/* ---- applications ---- */
struct yarn_timeout {
    const char *type, *expiry_time;
    int64_t remaining_s;
};
struct yarn_timeouts {
    struct api_list list;
};
struct yarn_execution_type {
    const char *type;
    bool enforce;
};
struct yarn_request {
    int64_t priority, allocation_request_id;
    const char *resource_name;
    struct yarn_resource capability;
    int64_t containers;
    bool relax_locality;
    const char *label;
    struct yarn_execution_type execution;
};
struct yarn_app {
    const char *id, *user, *name, *queue, *state, *final_status;
    float progress;
    const char *tracking_ui, *tracking_url, *diagnostics;
    int64_t cluster_id;
    const char *rm_cluster_id, *type, *tags;
    int64_t priority, started, launched, finished, elapsed;
    const char *am_logs, *am_http_address, *am_rpc_address, *master_node_id;
    int64_t allocated_mb, allocated_vcores, reserved_mb, reserved_vcores, running_containers;
    int64_t memory_seconds, vcore_seconds;
    float queue_usage, cluster_usage;
    struct api_list resource_seconds; /* of struct api_pair */
    int64_t preempted_mb, preempted_vcores, preempted_workers, preempted_masters;
    int64_t preempted_memory_seconds, preempted_vcore_seconds;
    struct api_list preempted_seconds;
    struct api_list requests; /* of struct yarn_request */
    const char *log_aggregation;
    bool unmanaged;
    const char *app_label, *am_label;
    const struct yarn_usages *resource_info; /* capacity scheduler only, else NULL */
    const struct yarn_timeouts *timeouts;
};
struct yarn_apps {
    struct api_list list;
};

struct yarn_app_state {
    const char *state;
};
struct yarn_app_priority {
    int64_t priority;
};
struct yarn_app_queue {
    const char *queue;
};
struct yarn_new_application {
    const char *id;
    struct yarn_resource max;
};
struct yarn_stat_item {
    const char *state, *type;
    int64_t count;
};
struct yarn_statistics {
    struct api_list list;
};

/* ---- attempts and containers ---- */
struct yarn_attempt { /* element of a list of attempts */
    int64_t id, start, finish;
    const char *container_id, *node_http, *node_id, *logs, *blacklisted, *system_blacklisted,
        *attempt_id, *export_ports, *state;
};
struct yarn_attempts {
    struct api_list list;
};
struct yarn_attempt_info { /* a single attempt, which YARN shows as a different object */
    const char *attempt_id, *host;
    int64_t rpc_port;
    const char *tracking_url, *original_tracking_url, *diagnostics, *state, *container_id;
    int64_t start, finish;
};
struct yarn_container {
    const char *id;
    int64_t mb, vcores;
    const char *assigned_node;
    int64_t priority, start, finish, elapsed;
    const char *diagnostics, *log_url;
    int64_t exit_status;
    const char *state, *node_http, *node_id;
    struct api_list resources; /* of struct api_pair */
    const char *exposed_ports;
};
struct yarn_containers {
    struct api_list list;
};

/* ---- nodes ---- */
struct yarn_utilization {
    int64_t node_physical_mb, node_virtual_mb;
    double node_cpu; /* shown as YARN shows this float, widened to double: 1.3662112951278687 */
    int64_t containers_physical_mb, containers_virtual_mb;
    double containers_cpu;
};
struct yarn_node {
    const char *rack, *state, *id, *host, *http_address;
    int64_t last_health_ms;
    const char *version, *health;
    int64_t containers, used_mb, available_mb, used_vcores, available_vcores;
    float memory_percent, cpu_percent;
    int64_t opportunistic, opportunistic_mb, opportunistic_vcores, queued;
    struct api_list labels; /* of const char * */
    struct yarn_empty allocation_tags;
    struct yarn_utilization utilization;
    /* NULL when the scheduler does not know the node */
    const struct yarn_resource *used, *available;
    struct yarn_empty attributes;
    struct yarn_resource total;
    struct yarn_resource used_resource,
        available_resource; /* what used and available usually point to */
};
struct yarn_nodes {
    struct api_list list;
};

/* Shapes of common objects. */
extern const struct api_shape yarn_shape_empty, yarn_shape_resource, yarn_shape_usages;
/* Document shapes. */
extern const struct api_shape yarn_shape_cluster_info, yarn_shape_cluster_metrics,
    yarn_shape_user_info;
extern const struct api_shape yarn_shape_fifo_scheduler, yarn_shape_fair_scheduler;
extern const struct api_shape yarn_shape_fair_leaf,
    yarn_shape_fair_parent; /* elements of struct yarn_fair_children */
extern const struct api_shape yarn_shape_app, yarn_shape_apps, yarn_shape_app_state,
    yarn_shape_app_queue, yarn_shape_app_priority, yarn_shape_timeout, yarn_shape_timeouts,
    yarn_shape_new_application, yarn_shape_statistics;
extern const struct api_shape yarn_shape_attempts, yarn_shape_attempt, yarn_shape_container,
    yarn_shape_containers;
extern const struct api_shape yarn_shape_node, yarn_shape_nodes, yarn_shape_node_resource;

#endif

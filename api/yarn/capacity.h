/* api/yarn/capacity.h - the capacity scheduler's queues as plain structs, and the tables that
 * describe them (GET scheduler). Source of member order and presence: the recordings of YARN 3.4.2
 * in tests/interop/yarn/capacity.
 *
 * The root, parents and leaves show different members of one struct. The rules of
 * api/yarn/resources.h apply: structs hold pointers into themselves and stay where they are. */
#ifndef CREEL_API_YARN_CAPACITY_H
#define CREEL_API_YARN_CAPACITY_H

#include "api/yarn/resources.h"

/* The configured capacity of a queue, by resource. */
struct yarn_vector_entry {
    const char *resource, *value; /* "memory-mb", "40.0%" */
};
struct yarn_capacity_vector {
    const char *configured; /* "[memory-mb=40.0%,vcores=40.0%]" */
    struct api_list entries;
    struct yarn_vector_entry entry[2];
    char text[96], percent[API_JAVA_FLOAT_MAX + 2]; /* what configured and the entries point to */
};
/* Sets both resources to @percent of the parent. */
void yarn_capacity_vector_set_percent(struct yarn_capacity_vector *v, double percent);

/* Capacities are percentages: absolute ones of the cluster, the others of the parent queue. */
struct yarn_partition_capacity {
    const char *partition;
    struct yarn_capacity_vector vector;
    float capacity, used, max, absolute, absolute_used, absolute_max, masters_max, weight,
        normalized_weight;
    struct yarn_resource configured_min, configured_max, effective_min, effective_max;
};
struct yarn_partition_capacities {
    struct api_list list; /* of struct yarn_partition_capacity */
};
struct yarn_queue_acl {
    const char *access, *list;
};
struct yarn_queue_acls {
    struct api_list list;
};
struct yarn_property {
    const char *name, *value;
};
struct yarn_properties { /* settings for queues that are created on demand */
    struct api_list list;
};
struct yarn_capacity_user {
    const char *name;
    struct yarn_resource used;
    int64_t pending_apps, active_apps;
    struct yarn_resource masters_used, limit;
    struct yarn_usages usages;
    float weight;
    bool active; /* wants containers */
};
struct yarn_capacity_users {
    struct api_list list;
};
struct yarn_capacity_children {
    struct api_list list; /* of struct api_any: leaves first, then parents */
};

/* The state of the scheduler: the last operations, and those of its newest run. */
struct yarn_last_operation {
    const char *operation, *node_id, *container_id, *queue;
};
struct yarn_run_detail {
    const char *operation;
    int64_t count;
    struct yarn_resource resources;
};
struct yarn_scheduler_health {
    int64_t last_run;
    struct api_list operations; /* of struct yarn_last_operation */
    struct api_list details;    /* of struct yarn_run_detail */
};

struct yarn_capacity_queue {
    const char *path, *name;
    float capacity, used, max, absolute, absolute_max, absolute_used, weight, normalized_weight;
    struct yarn_capacity_vector vector; /* root only */
    int64_t apps, max_parallel_apps;
    bool absolute_resource; /* capacities are configured as amounts */
    const char *state;
    const struct yarn_capacity_children *children; /* not of leaves */
    struct yarn_resource resources_used;
    bool hide_reservation_queues;
    struct api_list labels; /* of const char *; "*": all */
    int64_t allocated_containers, reserved_containers, pending_containers;
    struct yarn_partition_capacities capacities;
    struct yarn_usages usages;
    struct yarn_scheduler_health health; /* root only */
    struct yarn_resource effective_min, effective_max, max_allocation;
    struct yarn_queue_acls acls;
    int64_t priority;
    const char *ordering_policy;
    bool auto_create_children;
    struct yarn_properties leaf_template;
    const char *mode, *queue_type, *creation_method, *auto_creation, *default_label;
    struct yarn_properties template, parent_template, auto_leaf_template;
    /* leaves only */
    int64_t active_apps, pending_apps, containers, max_apps, max_apps_per_user;
    float user_limit;
    struct yarn_capacity_users users;
    float user_limit_factor;
    double masters_max_part; /* 0..1 */
    struct yarn_resource masters_limit, masters_used, masters_user_limit;
    bool preemption_disabled, intra_queue_preemption_disabled;
    int64_t default_priority;
    bool auto_created;
    int64_t max_lifetime_s, default_lifetime_s; /* -1: none */
    /* what the members above point to */
    struct yarn_partition_capacity partition_capacity;
    struct yarn_partition_usage partition_usage;
    struct yarn_queue_acl acl[3];
    const char *label[1];
};
struct yarn_capacity_scheduler {
    const struct yarn_capacity_queue *root;
};

extern const struct api_shape yarn_shape_capacity_scheduler;
/* Elements of struct yarn_capacity_children. */
extern const struct api_shape yarn_shape_capacity_leaf, yarn_shape_capacity_parent;

#endif

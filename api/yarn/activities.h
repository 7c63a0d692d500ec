/* api/yarn/activities.h - the scheduler's decisions as YARN shows them: one allocation is a tree
 * from the root queue down to applications, their requests and containers. The rules of
 * api/yarn/resources.h apply. Source: recordings of YARN 3.4.2, and its ResourceManager REST APIs
 * for the levels below applications. */
#ifndef CREEL_API_YARN_ACTIVITIES_H
#define CREEL_API_YARN_ACTIVITIES_H

#include "api/yarn/resources.h"

/* A node of the tree; each level shows some of the members. */
struct yarn_activity_node {
    const char *name; /* queue: its path; application, container: the id */
    int64_t app_priority, request_priority;
    const char *state, *diagnostic, *node_id;
    int64_t allocation_request_id, count;
    struct api_list node_ids; /* of const char * */
    struct api_list children; /* of struct api_any */
};
struct yarn_allocation {
    const char *partition, *container, *state; /* container: what was allocated, or NULL */
    const struct yarn_activity_node *root;
};
struct yarn_activities { /* of one node in one round */
    const char *node_id;
    int64_t timestamp; /* 0: absent */
    const char *date_time, *diagnostic;
    struct api_list allocations; /* of struct yarn_allocation */
};
struct yarn_bulk_activities {
    struct api_list list; /* of struct yarn_activities */
};
struct yarn_app_allocation {
    const char *node_id;
    int64_t timestamp;
    const char *date_time, *queue;
    int64_t app_priority;
    const char *state, *diagnostic;
    struct api_list children; /* of struct api_any: requests */
};
struct yarn_app_activities {
    const char *app_id, *diagnostic;
    int64_t timestamp;
    const char *date_time;
    struct api_list allocations; /* of struct yarn_app_allocation */
};

extern const struct api_shape yarn_shape_activities, yarn_shape_bulk_activities,
    yarn_shape_app_activities;
/* Levels of the tree; a group stands for containers with the same state and diagnostic. */
extern const struct api_shape yarn_shape_activity_queue, yarn_shape_activity_app,
    yarn_shape_activity_request, yarn_shape_activity_container, yarn_shape_activity_group;

#endif

/* rm/http/routes.h - the ResourceManager's route table, put together from the tables of the files
 * that handle the routes. The user pointer of every handler is a struct rm_backend *. */
#ifndef CREEL_RM_HTTP_ROUTES_H
#define CREEL_RM_HTTP_ROUTES_H

#include "api/server/server.h"

/* The tables, one line each: NAME is an array of struct api_route, NAME_n its length. */
#define RM_ROUTE_TABLES(X)                                                                         \
    X(rm_yarn_cluster_routes)                                                                      \
    X(rm_yarn_scheduler_routes)                                                                    \
    X(rm_yarn_scheduler_conf_routes)                                                               \
    X(rm_yarn_overview_routes)                                                                     \
    X(rm_yarn_activities_routes)                                                                   \
    X(rm_yarn_policy_routes)                                                                       \
    X(rm_yarn_nodes_routes)                                                                        \
    X(rm_yarn_apps_routes)                                                                         \
    X(rm_yarn_submit_routes)                                                                       \
    X(rm_yarn_app_state_routes)                                                                    \
    X(rm_yarn_app_queue_routes)                                                                    \
    X(rm_yarn_timeouts_routes)                                                                     \
    X(rm_yarn_priority_routes)                                                                     \
    X(rm_yarn_signal_routes)                                                                       \
    X(rm_yarn_tokens_routes)                                                                       \
    X(rm_yarn_reservations_routes)                                                                 \
    X(rm_yarn_attempts_routes)                                                                     \
    X(rm_yarn_prometheus_routes)                                                                   \
    X(rm_api_jobs_routes)                                                                          \
    X(rm_api_tracker_routes)                                                                       \
    X(rm_api_master_routes)                                                                        \
    X(rm_api_queues_routes)                                                                        \
    X(rm_api_history_routes)                                                                       \
    X(rm_access_tokens_routes)                                                                     \
    X(rm_access_log_tokens_routes)                                                                 \
    X(rm_api_ha_routes)                                                                            \
    X(rm_admin_beans_routes)                                                                       \
    X(rm_admin_secret_routes)                                                                      \
    X(rm_admin_servlets_routes)                                                                    \
    X(rm_openapi_routes)                                                                           \
    X(rm_api_relay_routes)                                                                         \
    X(rm_api_proxy_routes)                                                                         \
    X(rm_mapreduce_history_routes)                                                                 \
    X(rm_api_refresh_nodes_routes)                                                                 \
    X(rm_yarn_labels_routes)                                                                       \
    X(rm_yarn_label_changes_routes)                                                                \
    X(rm_yarn_node_resource_routes)                                                                \
    X(rm_api_drain_routes)                                                                         \
    X(rm_api_nodes_routes)                                                                         \
    X(rm_pages_apps_routes)                                                                        \
    X(rm_pages_app_routes)                                                                         \
    X(rm_pages_parts_routes)                                                                       \
    X(rm_pages_nodes_routes)                                                                       \
    X(rm_pages_scheduler_routes)                                                                   \
    X(rm_pages_about_routes)                                                                       \
    X(rm_pages_login_routes)                                                                       \
    X(api_files_routes)

#define X(name)                                                                                    \
    extern const struct api_route name[];                                                          \
    extern const size_t name##_n;
RM_ROUTE_TABLES(X)
#undef X

/* Returns all routes in one array, which the caller frees after the server; sets *@n to their
 * number. */
struct api_route *rm_routes_new(size_t *n);

#endif

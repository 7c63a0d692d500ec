/* nodemanager/http/routes.h - the tables of the NodeManager's routes. Each table stands in the file
 * that has its handlers. */
#ifndef CREEL_NODEMANAGER_HTTP_ROUTES_H
#define CREEL_NODEMANAGER_HTTP_ROUTES_H

#include "api/server/server.h"

/* clang-format off */
#define NM_ROUTE_TABLES(X)                                                                         \
    X(nm_node_routes)                                                                              \
    X(nm_apps_routes)                                                                              \
    X(nm_containers_routes)                                                                        \
    X(nm_logs_routes)                                                                              \
    X(nm_raw_log_routes)                                                                           \
    X(nm_pages_routes)                                                                             \
    X(nm_log_pages_routes)                                                                         \
    X(nm_login_routes)                                                                             \
    X(api_files_routes)                                                                            \
    X(nm_aux_services_routes)                                                                      \
    X(nm_sysfs_routes)                                                                             \
    X(nm_map_output_routes)                                                                        \
    X(nm_beans_routes)                                                                             \
    X(nm_servlets_routes)                                                                          \
    X(nm_openapi_routes)                                                                           \
    X(nm_creel_routes)
/* clang-format on */

#define X(name)                                                                                    \
    extern const struct api_route name[];                                                          \
    extern const size_t name##_n;
NM_ROUTE_TABLES(X)
#undef X

/* Put this at the end of the file of a table: defines @name_n, the number of the table's routes. */
#define NM_ROUTES_END(name) const size_t name##_n = sizeof name / sizeof *name

/* Returns all routes in one array, which the caller frees after the server; sets *@n to their
 * number. */
struct api_route *nm_routes_new(size_t *n);

#endif

/* api/yarn/node_manager.h - YARN's NodeManager resources as plain structs, and the tables that
 * describe them. Source of member order, presence and types: Hadoop's NodeManager REST APIs and the
 * recordings in tests/interop/yarn (nm, nmidle).
 *
 * As in api/yarn/resources.h, strings are borrowed, NULL means absent, and times are in
 * milliseconds. */
#ifndef CREEL_API_YARN_NODE_MANAGER_H
#define CREEL_API_YARN_NODE_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/yarn/shape.h"

struct yarn_nm_info {
    const char *health_report;
    int64_t virtual_mb, physical_mb, vcores; /* what the node offers, not what is in use */
    bool virtual_check, physical_check;
    int64_t last_update;
    const char *resource_types;
    bool healthy;
    const char *version, *build_version, *built_on;
    const char *hadoop_version, *hadoop_build_version, *hadoop_built_on;
    const char *id, *host;
    int64_t started;
    const char *containers_run_as; /* Creel's own */
};

struct yarn_nm_app {
    const char *id, *state, *user;
    struct api_list containers; /* of const char * */
};
struct yarn_nm_apps {
    struct api_list list;
};

struct yarn_nm_container {
    const char *id, *state;
    int32_t exit_code;
    const char *diagnostics, *user;
    int64_t memory_mb, vcores;
    const char *execution_type, *logs_link, *node_id;
    struct api_list log_files; /* of const char * */
};
struct yarn_nm_containers {
    struct api_list list;
};

/* ---- the log files of a container: shown as texts only (dialect API_M_BARE) ---- */
struct yarn_nm_log_file {
    const char *name;
    int64_t size;
    const char *modified;
};
struct yarn_nm_logs {
    struct api_list files;
    const char *aggregation, *container_id, *node_id;
};
struct yarn_nm_logs_list { /* a list of one: the local files */
    struct api_list list;
};

struct yarn_nm_service { /* an auxiliary service */
    const char *name, *version, *started;
};
struct yarn_nm_services {
    struct api_list list;
};

struct yarn_nm_resource { /* details of a resource plugin: none */
    char none;
};

extern const struct api_shape yarn_shape_nm_info, yarn_shape_nm_app, yarn_shape_nm_apps,
    yarn_shape_nm_container, yarn_shape_nm_containers, yarn_shape_nm_logs_list,
    yarn_shape_nm_services, yarn_shape_nm_resource;

#endif

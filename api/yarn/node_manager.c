#include "api/yarn/node_manager.h"

#define S(field, name) API_STR(T, field, name, API_ALWAYS)
#define I(field, name) API_I64(T, field, name, API_ALWAYS)
#define B(field, name) API_BOOL(T, field, name, API_ALWAYS)
#define END                                                                                        \
    {                                                                                              \
        .kind = API_K_END                                                                          \
    }

#define T struct yarn_nm_info
static const struct api_member info_members[] = {
    S(health_report, "healthReport"),
    I(virtual_mb, "totalVmemAllocatedContainersMB"),
    I(physical_mb, "totalPmemAllocatedContainersMB"),
    I(vcores, "totalVCoresAllocatedContainers"),
    B(virtual_check, "vmemCheckEnabled"),
    B(physical_check, "pmemCheckEnabled"),
    I(last_update, "lastNodeUpdateTime"),
    S(resource_types, "resourceTypes"),
    B(healthy, "nodeHealthy"),
    S(version, "nodeManagerVersion"),
    S(build_version, "nodeManagerBuildVersion"),
    S(built_on, "nodeManagerVersionBuiltOn"),
    S(hadoop_version, "hadoopVersion"),
    S(hadoop_build_version, "hadoopBuildVersion"),
    S(hadoop_built_on, "hadoopVersionBuiltOn"),
    S(id, "id"),
    S(host, "nodeHostName"),
    I(started, "nmStartupTime"),
    S(containers_run_as, "containersRunAs"),
    END,
};
#undef T
const struct api_shape yarn_shape_nm_info = {.root = "nodeInfo", .members = info_members};

#define T struct yarn_nm_app
static const struct api_member app_members[] = {
    S(id, "id"),
    S(state, "state"),
    S(user, "user"),
    API_STRLIST(T, containers, "containerids", API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_nm_app = {.root = "app", .members = app_members};

#define T struct yarn_nm_apps
static const struct api_member apps_members[] = {
    API_LIST(T, list, "app", &yarn_shape_nm_app, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_nm_apps = {.root = "apps", .members = apps_members};

#define T struct yarn_nm_container
static const struct api_member container_members[] = {
    S(id, "id"),
    S(state, "state"),
    API_I32(T, exit_code, "exitCode", API_ALWAYS),
    S(diagnostics, "diagnostics"),
    S(user, "user"),
    I(memory_mb, "totalMemoryNeededMB"),
    I(vcores, "totalVCoresNeeded"),
    S(execution_type, "executionType"),
    S(logs_link, "containerLogsLink"),
    S(node_id, "nodeId"),
    API_STRLIST(T, log_files, "containerLogFiles", API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_nm_container = {.root = "container",
                                                  .members = container_members};

#define T struct yarn_nm_containers
static const struct api_member containers_members[] = {
    API_LIST(T, list, "container", &yarn_shape_nm_container, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_nm_containers = {.root = "containers",
                                                   .members = containers_members};

#define T struct yarn_nm_log_file
static const struct api_member log_file_members[] = {
    S(name, "fileName"),
    I(size, "fileSize"),
    S(modified, "lastModifiedTime"),
    END,
};
#undef T
static const struct api_shape shape_log_file = {.members = log_file_members};

#define T struct yarn_nm_logs
static const struct api_member logs_members[] = {
    API_LIST(T, files, "containerLogInfo", &shape_log_file, API_ALWAYS),
    S(aggregation, "logAggregationType"),
    S(container_id, "containerId"),
    S(node_id, "nodeId"),
    END,
};
#undef T
static const struct api_shape shape_logs = {.members = logs_members};

#define T struct yarn_nm_logs_list
static const struct api_member logs_list_members[] = {
    API_LIST(T, list, "containerLogsInfo", &shape_logs, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_nm_logs_list = {.root = "containerLogsInfoes",
                                                  .members = logs_list_members};

#define T struct yarn_nm_service
static const struct api_member service_members[] = {
    S(name, "name"),
    S(version, "version"),
    S(started, "startTime"),
    END,
};
#undef T
static const struct api_shape shape_service = {.members = service_members};

#define T struct yarn_nm_services
static const struct api_member services_members[] = {
    API_LIST(T, list, "service", &shape_service, API_ALWAYS),
    END,
};
#undef T
const struct api_shape yarn_shape_nm_services = {.root = "services", .members = services_members};

static const struct api_member resource_members[] = {END};
const struct api_shape yarn_shape_nm_resource = {.root = "nmResourceInfo",
                                                 .members = resource_members};

/* Describes the NodeManager's resources at /openapi.json. */
#include "nodemanager/openapi/openapi.h"

#include <stdlib.h>

#include "api/openapi/openapi.h"
#include "api/yarn/node_manager.h"
#include "nodemanager/http/routes.h"

static const struct api_operation operations[] = {
    {.method = "GET",
     .path = "/ws/v1/node",
     .summary = "the node",
     .shape = &yarn_shape_nm_info,
     .dialect = API_N_WRAPPED},
    {.method = "GET",
     .path = "/ws/v1/node/info",
     .summary = "the node",
     .shape = &yarn_shape_nm_info,
     .dialect = API_N_WRAPPED},
    {.method = "GET",
     .path = "/ws/v1/node/apps",
     .summary = "the applications on the node",
     .shape = &yarn_shape_nm_apps,
     .dialect = API_N_WRAPPED,
     .query = "state user"},
    {.method = "GET",
     .path = "/ws/v1/node/apps/{appid}",
     .summary = "one application on the node",
     .shape = &yarn_shape_nm_app,
     .dialect = API_N_WRAPPED},
    {.method = "GET",
     .path = "/ws/v1/node/containers",
     .summary = "the containers on the node",
     .shape = &yarn_shape_nm_containers,
     .dialect = API_N_WRAPPED},
    {.method = "GET",
     .path = "/ws/v1/node/containers/{containerid}",
     .summary = "one container",
     .shape = &yarn_shape_nm_container,
     .dialect = API_N_WRAPPED},
    {.method = "GET",
     .path = "/ws/v1/node/containers/{containerid}/logs",
     .summary = "the log files of a container",
     .shape = &yarn_shape_nm_logs_list,
     .dialect = API_M_BARE},
    {.method = "GET",
     .path = "/ws/v1/node/containers/{containerid}/logs/{filename}",
     .summary = "a log file",
     .media = "text/plain",
     .query = "size format",
     .statuses = "200 307"},
    {.method = "GET",
     .path = "/ws/v1/node/containerlogs/{containerid}/{filename}",
     .summary = "a log file",
     .media = "text/plain",
     .query = "size format",
     .statuses = "200 307"},
    {.method = "GET",
     .path = "/ws/v1/node/raw-logs/{containerid}/{filename}",
     .summary = "the bytes of a log file",
     .media = "application/octet-stream",
     .query = "offset:integer follow"},
    {.method = "GET",
     .path = "/ws/v1/node/auxiliaryservices",
     .summary = "the auxiliary services",
     .shape = &yarn_shape_nm_services,
     .dialect = API_N_WRAPPED},
    {.method = "GET",
     .path = "/ws/v1/node/resources/{name}",
     .summary = "a resource of the node",
     .shape = &yarn_shape_nm_resource,
     .dialect = API_N_BARE},
    {.method = "GET",
     .path = "/ws/v1/node/resource-manager",
     .summary = "the ResourceManager that the node obeys"},
    {.method = "GET", .path = "/node", .summary = "a page for people", .media = "text/html"},
    {.method = "GET", .path = "/node/node", .summary = "a page for people", .media = "text/html"},
    {.method = "GET",
     .path = "/node/allApplications",
     .summary = "a page for people",
     .media = "text/html"},
    {.method = "GET",
     .path = "/node/allContainers",
     .summary = "a page for people",
     .media = "text/html"},
    {.method = "GET",
     .path = "/node/application/{appid}",
     .summary = "a page for people",
     .media = "text/html"},
    {.method = "GET",
     .path = "/node/container/{containerid}",
     .summary = "a page for people",
     .media = "text/html"},
    {.method = "GET",
     .path = "/node/containerlogs/{containerid}/{user}",
     .summary = "a page for people",
     .media = "text/html"},
    {.method = "GET",
     .path = "/node/containerlogs/{containerid}/{user}/{filename}",
     .summary = "a page for people",
     .media = "text/html"},
};

static void get_openapi(struct api_request *rq, void *user)
{
    struct base_buf body = {0};
    struct api_route *routes;
    size_t n;
    char *text;

    (void)user;
    routes = nm_routes_new(&n);
    text = api_openapi_write(&(struct api_openapi_source){
        .title = "Creel's NodeManager",
        .routes = routes,
        .routes_n = n,
        .operations = operations,
        .operations_n = sizeof operations / sizeof *operations,
    });
    free(routes);
    base_buf_adds(&body, text);
    free(text);
    api_answer(rq, 200, API_JSON, &body);
}

const struct api_operation *nm_openapi_operations(size_t *n)
{
    *n = sizeof operations / sizeof *operations;
    return operations;
}

const struct api_route nm_openapi_routes[] = {
    {"GET", "/openapi.json", API_ROLE_READ, 0, get_openapi, API_ROUTE_CREEL},
};
NM_ROUTES_END(nm_openapi_routes);

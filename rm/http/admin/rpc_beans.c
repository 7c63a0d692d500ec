/* rm/http/admin/rpc_beans.c - the calls to the ResourceManager under the names of YARN's RPC
 * services: clients (port 8032 in YARN), masters (8030), nodes (8031), administrators (8033).
 *
 * All of them come to the one HTTP server. The tables here say which route stands for which method
 * of YARN's protocols; methods without a route have no calls. */
#include <string.h>

#include "api/admin/call_beans.h"
#include "rm/http/admin/beans.h"

#define CLUSTER "/ws/v1/cluster"
#define TRACKER "/ws/v1/nodetracker"

enum service { CLIENTS, MASTERS, NODES, ADMINS, SERVICES };
static const struct {
    const char *port, *name;
} services[SERVICES] = {
    [CLIENTS] = {"8032", "ApplicationClientProtocolService"},
    [MASTERS] = {"8030", "ApplicationMasterProtocolService"},
    [NODES] = {"8031", "ResourceTrackerService"},
    [ADMINS] = {"8033", "ResourceManagerAdministrationProtocolService"},
};

/* The methods of YARN's protocols, by service. */
#define CLIENT_METHODS(X)                                                                          \
    X(ListReservations)                                                                            \
    X(CancelDelegationToken)                                                                       \
    X(GetApplicationReport)                                                                        \
    X(FailApplicationAttempt)                                                                      \
    X(GetResourceProfile)                                                                          \
    X(DeleteReservation)                                                                           \
    X(GetClusterMetrics)                                                                           \
    X(GetQueueInfo)                                                                                \
    X(GetResourceProfiles)                                                                         \
    X(GetApplicationAttempts)                                                                      \
    X(GetApplications)                                                                             \
    X(GetApplicationAttemptReport)                                                                 \
    X(GetClusterNodes)                                                                             \
    X(SignalToContainer)                                                                           \
    X(GetContainers)                                                                               \
    X(GetClusterNodeAttributes)                                                                    \
    X(UpdateReservation)                                                                           \
    X(RenewDelegationToken)                                                                        \
    X(GetAttributesToNodes)                                                                        \
    X(SubmitApplication)                                                                           \
    X(UpdateApplicationTimeouts)                                                                   \
    X(GetNewReservation)                                                                           \
    X(GetQueueUserAcls)                                                                            \
    X(GetResourceTypeInfo)                                                                         \
    X(GetContainerReport)                                                                          \
    X(GetNewApplication)                                                                           \
    X(ForceKillApplication)                                                                        \
    X(GetClusterNodeLabels)                                                                        \
    X(UpdateApplicationPriority)                                                                   \
    X(SubmitReservation)                                                                           \
    X(GetLabelsToNodes)                                                                            \
    X(GetNodesToAttributes)                                                                        \
    X(MoveApplicationAcrossQueues)                                                                 \
    X(GetDelegationToken)                                                                          \
    X(GetNodeToLabels)
#define MASTER_METHODS(X)                                                                          \
    X(RegisterApplicationMaster)                                                                   \
    X(Allocate)                                                                                    \
    X(FinishApplicationMaster)
#define NODE_METHODS(X)                                                                            \
    X(NodeHeartbeat)                                                                               \
    X(UnRegisterNodeManager)                                                                       \
    X(RegisterNodeManager)

enum method {
    NO_METHOD = -1,
#define X(name) M_##name,
    CLIENT_METHODS(X) X(YARNFeatureNotEnabledException) MASTER_METHODS(X) NODE_METHODS(X)
#undef X
        METHODS
};

/* Routes that stand for a method, or belong to another service than their path says. Paths are
 * relative to /ws/v1/cluster, or else whole. */
static const struct {
    enum service service;
    int method; /* enum method */
    const char *verb, *path;
} routes[] = {
    {CLIENTS, M_ListReservations, "GET", "/reservation/list"},
    {CLIENTS, M_CancelDelegationToken, "DELETE", "/delegation-token"},
    {CLIENTS, M_GetApplicationReport, "GET", "/apps/{appid}"},
    {CLIENTS, M_GetApplicationReport, "GET", "/apps/{appid}/state"},
    {CLIENTS, M_GetApplicationReport, "GET", "/apps/{appid}/queue"},
    {CLIENTS, M_GetApplicationReport, "GET", "/apps/{appid}/priority"},
    {CLIENTS, M_GetApplicationReport, "GET", "/apps/{appid}/timeouts"},
    {CLIENTS, M_GetApplicationReport, "GET", "/apps/{appid}/timeouts/{type}"},
    {CLIENTS, M_GetApplicationReport, "GET", "/jobs/{jobid}"},
    {CLIENTS, M_DeleteReservation, "POST", "/reservation/delete"},
    {CLIENTS, M_GetClusterMetrics, "GET", "/metrics"},
    {CLIENTS, M_GetQueueInfo, "GET", "/scheduler"},
    {CLIENTS, M_GetApplicationAttempts, "GET", "/apps/{appid}/appattempts"},
    {CLIENTS, M_GetApplications, "GET", "/apps"},
    {CLIENTS, M_GetApplications, "GET", "/jobs"},
    {CLIENTS, M_GetApplicationAttemptReport, "GET", "/apps/{appid}/appattempts/{attemptid}"},
    {CLIENTS, M_GetClusterNodes, "GET", "/nodes"},
    {CLIENTS, M_GetClusterNodes, "GET", "/nodes/{nodeid}"},
    {CLIENTS, M_GetClusterNodes, "GET", "/node-list"},
    {CLIENTS, M_SignalToContainer, "POST", "/containers/{containerid}/signal/{command}"},
    {CLIENTS, M_GetContainers, "GET", "/apps/{appid}/appattempts/{attemptid}/containers"},
    {CLIENTS, M_UpdateReservation, "POST", "/reservation/update"},
    {CLIENTS, M_RenewDelegationToken, "POST", "/delegation-token/expiration"},
    {CLIENTS, M_SubmitApplication, "POST", "/apps"},
    {CLIENTS, M_SubmitApplication, "POST", "/jobs"},
    {CLIENTS, M_UpdateApplicationTimeouts, "PUT", "/apps/{appid}/timeout"},
    {CLIENTS, M_GetNewReservation, "POST", "/reservation/new-reservation"},
    {CLIENTS, M_GetQueueUserAcls, "GET", "/queues/{queue}/access"},
    {CLIENTS, M_GetContainerReport, "GET",
     "/apps/{appid}/appattempts/{attemptid}/containers/{containerid}"},
    {CLIENTS, M_GetNewApplication, "POST", "/apps/new-application"},
    {CLIENTS, M_ForceKillApplication, "PUT", "/apps/{appid}/state"},
    {CLIENTS, M_GetClusterNodeLabels, "GET", "/get-node-labels"},
    {CLIENTS, M_UpdateApplicationPriority, "PUT", "/apps/{appid}/priority"},
    {CLIENTS, M_SubmitReservation, "POST", "/reservation/submit"},
    {CLIENTS, M_GetLabelsToNodes, "GET", "/label-mappings"},
    {CLIENTS, M_MoveApplicationAcrossQueues, "PUT", "/apps/{appid}/queue"},
    {CLIENTS, M_GetDelegationToken, "POST", "/delegation-token"},
    {CLIENTS, M_GetNodeToLabels, "GET", "/get-node-to-labels"},
    {MASTERS, M_RegisterApplicationMaster, "POST", "/apps/{appid}/master/register"},
    {MASTERS, M_Allocate, "POST", "/apps/{appid}/master/allocate"},
    {MASTERS, M_FinishApplicationMaster, "POST", "/apps/{appid}/master/finish"},
    {NODES, M_NodeHeartbeat, "POST", TRACKER "/heartbeat"},
    {NODES, M_UnRegisterNodeManager, "POST", TRACKER "/unregister"},
    {NODES, M_RegisterNodeManager, "POST", TRACKER "/register"},
    {ADMINS, NO_METHOD, "PUT", "/refresh-nodes"},
    {ADMINS, NO_METHOD, "PUT", "/nodes/{nodeid}/drain"},
    {ADMINS, NO_METHOD, "POST", "/nodes/{nodeid}/resource"},
    {ADMINS, NO_METHOD, "POST", "/nodes/{nodeid}/replace-labels"},
    {ADMINS, NO_METHOD, "POST", "/add-node-labels"},
    {ADMINS, NO_METHOD, "POST", "/remove-node-labels"},
    {ADMINS, NO_METHOD, "POST", "/replace-node-to-labels"},
    {ADMINS, NO_METHOD, "POST", "/scheduler/queues/refresh"},
    {ADMINS, NO_METHOD, "PUT", "/scheduler-conf"},
    {ADMINS, NO_METHOD, "POST", "/ha"},
};

struct calls {
    struct api_call_figures of_service[SERVICES], of_method[METHODS];
};

/* Returns SERVICES for a route that is part of no service: pages, figures for monitors. */
static enum service find_rpc_service(const struct api_route *route, int *method)
{
    bool in_cluster = strncmp(route->path, CLUSTER, strlen(CLUSTER)) == 0;
    const char *path = route->path + (in_cluster ? strlen(CLUSTER) : 0);

    *method = NO_METHOD;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(routes[i].path, path) == 0 && strcmp(routes[i].verb, route->method) == 0) {
            *method = routes[i].method;
            return routes[i].service;
        }
    if (in_cluster)
        return CLIENTS;
    return strncmp(path, TRACKER, strlen(TRACKER)) == 0 ? NODES : SERVICES;
}

static void add_calls_of_route(const struct api_route *route, const struct api_call_figures *f,
                               void *u)
{
    struct calls *c = u;
    int method;
    enum service s = route ? find_rpc_service(route, &method) : SERVICES;

    if (s == SERVICES)
        return;
    api_call_figures_add(&c->of_service[s], f);
    if (method != NO_METHOD)
        api_call_figures_add(&c->of_method[method], f);
}

void rm_beans_each_rpc(const struct api_bean_service *service, api_rpc_add *add, void *u)
{
    struct rm_backend_stats stats;
    struct calls c = {0};

    rm_backend_get_stats(service->user, &stats);
    api_server_each_route_figures(service->server, add_calls_of_route, &c);
    for (int s = 0; s < SERVICES; s++)
        add(&(struct api_rpc_figures){.port = services[s].port,
                                      .service = services[s].name,
                                      .calls = c.of_service[s],
                                      .queue_length = stats.queue_length},
            u);
}

/* ---- RpcDetailedActivityForPort. SOURCE: Hadoop's RpcDetailedMetrics ---- */
struct details {
    const char *port, *context, *host;
    struct api_rate own[METHODS], deferred[METHODS], overall[METHODS];
};
#define DETAIL(name, type, member) API_ATTRIBUTE(details, name, type, member)
#define DETAIL_TAGS                                                                                \
    DETAIL("port", API_ATTR_TAG, port), DETAIL("Context", API_ATTR_TAG, context),                  \
        DETAIL("Hostname", API_ATTR_TAG, host)
#define DEFERRED(name) DETAIL("Deferred" #name, API_ATTR_RATE, deferred[M_##name]),
#define OVERALL(name)  DETAIL("Overall" #name, API_ATTR_RATE, overall[M_##name]),
#define OWN(name)      DETAIL(#name, API_ATTR_RATE, own[M_##name]),

/* YARN counts YARNFeatureNotEnabledException as if it were a method. */
static const struct api_attribute client_attributes[] = {
    DETAIL_TAGS,
    CLIENT_METHODS(DEFERRED) CLIENT_METHODS(OVERALL) OVERALL(YARNFeatureNotEnabledException)
        CLIENT_METHODS(OWN) OWN(YARNFeatureNotEnabledException)};
static const struct api_attribute master_attributes[] = {
    DETAIL_TAGS, MASTER_METHODS(DEFERRED) MASTER_METHODS(OVERALL) MASTER_METHODS(OWN)};
static const struct api_attribute node_attributes[] = {
    DETAIL_TAGS, NODE_METHODS(DEFERRED) NODE_METHODS(OVERALL) NODE_METHODS(OWN)};
static const struct api_attribute admin_attributes[] = {DETAIL_TAGS};

static void list_rpc_details(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                             const struct api_bean_service *service)
{
    struct details d = {.port = kind->name + strlen("RpcDetailedActivityForPort"),
                        .context = "rpcdetailed",
                        .host = api_bean_get_host_name()};
    struct calls c = {0};

    if (!service->server || !api_bean_is_wanted(kind, sink, NULL))
        return;
    api_server_each_route_figures(service->server, add_calls_of_route, &c);
    for (int m = 0; m < METHODS; m++) {
        d.own[m] = api_rate_of_handling(&c.of_method[m]);
        d.deferred[m] = api_rate_of_holding(&c.of_method[m]);
        d.overall[m] = api_rate_of_whole_requests(&c.of_method[m]);
    }
    api_bean_add_if_wanted(kind, sink, NULL, 0, &d);
}

#define DETAILED(port, table)                                                                      \
    {                                                                                              \
        .name = "RpcDetailedActivityForPort" port, .record = "rpcdetailed",                        \
        .list = list_rpc_details, API_ATTRIBUTES(table)                                            \
    }
const struct api_bean_kind rm_bean_rpc_details[] = {
    DETAILED("8032", client_attributes),
    DETAILED("8030", master_attributes),
    DETAILED("8031", node_attributes),
    DETAILED("8033", admin_attributes),
};

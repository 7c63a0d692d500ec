/* nodemanager/http/admin/rpc_beans.c - the orders that the NodeManager received, under the names of
 * YARN's RPC services of a node: the management of containers, at the port of the node's id, and
 * the localizer (8040 in YARN).
 *
 * Here no master calls a node: orders to start, stop and signal containers come with the answers of
 * the ResourceManager, and are counted as the calls of the first service. The localizer's figures
 * are 0: it is not a service here. */
#include <stdio.h>
#include <string.h>

#include "api/admin/call_beans.h"
#include "nodemanager/daemon/daemon.h"
#include "nodemanager/http/admin/beans.h"

#define LOCALIZER_PORT "8040"

static const char *get_node_port(const struct nm *nm)
{
    const char *colon = strrchr(nm->node_id, ':');

    return colon ? colon + 1 : "0";
}

static struct nm_core_stats copy_stats(struct nm *nm)
{
    struct nm_core_stats stats;

    pthread_mutex_lock(&nm->lock);
    stats = *nm_core_stats(nm->core);
    pthread_mutex_unlock(&nm->lock);
    return stats;
}

void nm_beans_each_rpc(const struct api_bean_service *service, api_rpc_add *add, void *u)
{
    struct nm *nm = service->user;
    struct nm_core_stats stats = copy_stats(nm);
    struct api_rpc_figures orders = {.port = get_node_port(nm),
                                     .service = "ContainerManagementProtocolService"},
                           localizer = {.port = LOCALIZER_PORT,
                                        .service = "LocalizationProtocolService"};
    int64_t n = (int64_t)(stats.orders[BASE_ORDER_LAUNCH] + stats.orders[BASE_ORDER_KILL] +
                          stats.orders[BASE_ORDER_SIGNAL]);

    orders.calls.all.calls = n;
    orders.calls.by_class[2] = n;
    /* only launches are timed */
    orders.calls.window.calls = (int64_t)stats.spawned;
    orders.calls.window.handling_us = (int64_t)stats.spawn_us;
    add(&orders, u);
    add(&localizer, u);
}

/* ---- RpcDetailedActivityForPort ---- */
struct details {
    const char *port, *context, *host;
    struct api_rate start, stop, signal;
};
#define DETAIL(name, type, member) API_ATTRIBUTE(details, name, type, member)
#define NO_RATE(name)                                                                              \
    {                                                                                              \
        name, API_ATTR_NO_RATE, 0, 0                                                               \
    }
#define TAGS                                                                                       \
    DETAIL("port", API_ATTR_TAG, port), DETAIL("Context", API_ATTR_TAG, context),                  \
        DETAIL("Hostname", API_ATTR_TAG, host)
/* The methods of YARN's protocol, in its order. Most have no counterpart among the orders. */
#define METHODS(before, start, signal, stop)                                                       \
    NO_RATE(before "Localize"), NO_RATE(before "UpdateContainer"),                                 \
        NO_RATE(before "ReInitializeContainer"), NO_RATE(before "GetContainerStatuses"),           \
        NO_RATE(before "CommitLastReInitialization"),                                              \
        NO_RATE(before "IncreaseContainersResource"), NO_RATE(before "GetLocalizationStatuses"),   \
        NO_RATE(before "RollbackLastReInitialization"), start, signal,                             \
        NO_RATE(before "RestartContainer"), stop

static const struct api_attribute management_attributes[] = {
    TAGS,
    METHODS("Deferred", NO_RATE("DeferredStartContainers"), NO_RATE("DeferredSignalToContainer"),
            NO_RATE("DeferredStopContainers")),
    METHODS("Overall", DETAIL("OverallStartContainers", API_ATTR_RATE, start),
            DETAIL("OverallSignalToContainer", API_ATTR_RATE, signal),
            DETAIL("OverallStopContainers", API_ATTR_RATE, stop)),
    METHODS("", DETAIL("StartContainers", API_ATTR_RATE, start),
            DETAIL("SignalToContainer", API_ATTR_RATE, signal),
            DETAIL("StopContainers", API_ATTR_RATE, stop)),
};
static const struct api_attribute localizer_attributes[] = {
    TAGS,
    NO_RATE("DeferredHeartbeat"),
    NO_RATE("OverallHeartbeat"),
    NO_RATE("Heartbeat"),
};

static void add_rpc_details_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                 struct nm *nm, const char *port)
{
    struct nm_core_stats stats = copy_stats(nm);
    struct details d = {
        .port = port,
        .context = "rpcdetailed",
        .host = api_bean_get_host_name(),
        .start = {.ops = (int64_t)stats.orders[BASE_ORDER_LAUNCH]},
        .stop = {.ops = (int64_t)stats.orders[BASE_ORDER_KILL]},
        .signal = {.ops = (int64_t)stats.orders[BASE_ORDER_SIGNAL]},
    };
    char tail[64];

    if (stats.spawned)
        d.start.average = (double)stats.spawn_us / 1000 / (double)stats.spawned;
    snprintf(tail, sizeof tail, "RpcDetailedActivityForPort%.8s", port);
    api_bean_add_if_wanted(kind, sink, tail, 0, &d);
}

static void add_management_port_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                     const struct api_bean_service *service)
{
    add_rpc_details_bean(kind, sink, service->user, get_node_port(service->user));
}

static void add_localizer_port_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                    const struct api_bean_service *service)
{
    add_rpc_details_bean(kind, sink, service->user, LOCALIZER_PORT);
}

const struct api_bean_kind nm_bean_management_details = {.name = "RpcDetailedActivity",
                                                         .record = "rpcdetailed",
                                                         .list = add_management_port_bean,
                                                         API_ATTRIBUTES(management_attributes)};
const struct api_bean_kind nm_bean_localizer_details = {.name = "RpcDetailedActivity",
                                                        .record = "rpcdetailed",
                                                        .list = add_localizer_port_bean,
                                                        API_ATTRIBUTES(localizer_attributes)};

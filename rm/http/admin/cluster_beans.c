/* rm/http/admin/cluster_beans.c - beans of the cluster, of its nodes, and of the scheduler's work.
 */
#include <float.h>

#include "base/conf/http_address.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "rm/config/scheduler_shape.h"
#include "rm/http/admin/beans.h"

/* ---- ClusterMetrics ---- */
struct cluster_metrics {
    const char *daemon, *context, *host;
    struct rm_cluster_view view;
    int64_t nodes[RM_NODE_STATES]; /* as the view's, in 64 bits */
    int64_t queue_length;
};
#define CLUSTER(name, type, member) API_ATTRIBUTE(cluster_metrics, name, type, member)
static const struct api_attribute cluster_attributes[] = {
    CLUSTER("ClusterMetrics", API_ATTR_TAG, daemon),
    CLUSTER("Context", API_ATTR_TAG, context),
    CLUSTER("Hostname", API_ATTR_TAG, host),
    {"AMContainerAllocationDelay", API_ATTR_NO_RATE, 0, 0},
    {"AMLaunchDelay", API_ATTR_NO_RATE, 0, 0},
    {"AMRegisterDelay", API_ATTR_NO_RATE, 0, 0},
    CLUSTER("CapabilityMB", API_ATTR_GAUGE, view.total.v[RM_RES_MEMORY_MB]),
    CLUSTER("CapabilityVirtualCores", API_ATTR_GAUGE, view.total.v[RM_RES_VCORES]),
    {"ContainerAssignedPerSecond", API_ATTR_NO_GAUGE, 0, 0},
    CLUSTER("NumActiveNMs", API_ATTR_GAUGE, nodes[RM_NODE_RUNNING]),
    CLUSTER("NumDecommissionedNMs", API_ATTR_GAUGE, nodes[RM_NODE_DECOMMISSIONED]),
    CLUSTER("NumDecommissioningNMs", API_ATTR_GAUGE, nodes[RM_NODE_DECOMMISSIONING]),
    CLUSTER("NumLostNMs", API_ATTR_GAUGE, nodes[RM_NODE_LOST]),
    CLUSTER("NumRebootedNMs", API_ATTR_GAUGE, nodes[RM_NODE_REBOOTED]),
    CLUSTER("NumShutdownNMs", API_ATTR_GAUGE, nodes[RM_NODE_SHUTDOWN]),
    CLUSTER("NumUnhealthyNMs", API_ATTR_GAUGE, nodes[RM_NODE_UNHEALTHY]),
    CLUSTER("RmDispatcherEventQueueSize", API_ATTR_GAUGE, queue_length),
    {"RmEventProcCPUAvg", API_ATTR_NO_GAUGE, 0, 0},
    {"RmEventProcCPUMax", API_ATTR_NO_GAUGE, 0, 0},
    {"SchedulerDispatcherEventQueueSize", API_ATTR_NO_GAUGE, 0, 0},
    {"UtilizedMB", API_ATTR_NO_GAUGE, 0, 0},
    {"UtilizedVirtualCores", API_ATTR_NO_GAUGE, 0, 0},
};

static void add_cluster_metrics_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                     const struct api_bean_service *service)
{
    struct rm_backend *b = service->user;
    struct rm_backend_stats stats;
    struct cluster_metrics m = {
        .daemon = service->name, .context = "yarn", .host = api_bean_get_host_name()};

    if (!api_bean_is_wanted(kind, sink, NULL))
        return;
    rm_view_cluster(rm_backend_lock_core(b), &m.view);
    rm_backend_unlock_core(b);
    rm_backend_get_stats(b, &stats);
    m.queue_length = stats.queue_length;
    for (int s = 0; s < RM_NODE_STATES; s++)
        m.nodes[s] = m.view.nodes[s];
    api_bean_add_if_wanted(kind, sink, NULL, 0, &m);
}

const struct api_bean_kind rm_bean_cluster_metrics = {
    .name = "ClusterMetrics", .list = add_cluster_metrics_bean, API_ATTRIBUTES(cluster_attributes)};

/* ---- RMNMInfo: a text that holds JSON ---- */
struct rm_nm_info {
    const char *nodes;
};
static const struct api_attribute rm_nm_info_attributes[] = {
    API_ATTRIBUTE(rm_nm_info, "LiveNodeManagers", API_ATTR_TEXT, nodes),
};

static bool is_live_or_unhealthy(enum rm_node_state s)
{
    return s == RM_NODE_RUNNING || s == RM_NODE_DECOMMISSIONING || s == RM_NODE_UNHEALTHY;
}

static void put_node(struct base_buf *out, const struct rm_node_view *n)
{
    bool running = n->state == RM_NODE_RUNNING || n->state == RM_NODE_DECOMMISSIONING;

    base_json_open(out, '{');
    base_json_put_str(out, "HostName", n->host);
    base_json_put_str(out, "Rack", n->rack);
    base_json_put_str(out, "State", rm_node_state_name(n->state));
    base_json_put_str(out, "NodeId", n->id);
    base_json_put_str(out, "NodeHTTPAddress", base_http_address_host(n->http_address));
    base_json_put_int(out, "LastHealthUpdate", n->last_heartbeat_us / 1000);
    base_json_put_str(out, "HealthReport", n->health_report);
    base_json_put_str(out, "NodeManagerVersion", n->version);
    if (running) { /* the scheduler knows the node */
        int64_t used = n->used.v[RM_RES_MEMORY_MB];

        base_json_put_int(out, "NumContainers", n->containers);
        base_json_put_int(out, "UsedMemoryMB", used);
        base_json_put_int(out, "AvailableMemoryMB", n->total.v[RM_RES_MEMORY_MB] - used);
    }
    base_json_close(out, '}');
}

static void add_rm_nm_info_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                const struct api_bean_service *service)
{
    struct rm_backend *b = service->user;
    struct base_buf text = {0};
    size_t pos = 0;
    bool more = true;

    if (!api_bean_is_wanted(kind, sink, NULL))
        return;
    base_json_open(&text, '[');
    while (more) {
        struct rm_views v = {0};

        more = rm_view_nodes(rm_backend_lock_core(b), &pos, BASE_VIEW_CHUNK, &v);
        rm_backend_unlock_core(b);
        for (size_t i = 0; i < v.nodes_n; i++)
            if (is_live_or_unhealthy(v.nodes[i].state))
                put_node(&text, &v.nodes[i]);
        rm_views_free(&v);
    }
    base_json_close(&text, ']');
    api_bean_add_if_wanted(kind, sink, NULL, 0, &(struct rm_nm_info){text.data});
    base_buf_free(&text);
}

const struct api_bean_kind rm_bean_rm_nm_info = {
    .name = "RMNMInfo",
    .java_class = "org.apache.hadoop.yarn.server.resourcemanager.RMNMInfo",
    .list = add_rm_nm_info_bean,
    API_ATTRIBUTES(rm_nm_info_attributes)};

/* ---- how often the scheduler's calls were made; Creel does not measure how long each takes ----
 */
struct timing {
    const char *name, *context, *host;
    struct api_rate heartbeats, assignments, overruled;
    double highest, lowest; /* YARN's values where nothing was measured */
};
#define TIMING(name, type, member) API_ATTRIBUTE(timing, name, type, member)
#define NO_RATE(name)                                                                              \
    {                                                                                              \
        name, API_ATTR_NO_RATE, 0, 0                                                               \
    }
/* A rate of which YARN also shows the deviation and the extremes. */
#define EXTENDED_RATE(name, rate)                                                                  \
    rate, TIMING(name "StdevTime", API_ATTR_DOUBLE, heartbeats.average),                           \
        TIMING(name "IMinTime", API_ATTR_DOUBLE, highest),                                         \
        TIMING(name "IMaxTime", API_ATTR_DOUBLE, lowest),                                          \
        TIMING(name "MinTime", API_ATTR_DOUBLE, highest),                                          \
        TIMING(name "MaxTime", API_ATTR_DOUBLE, lowest),                                           \
    {                                                                                              \
        name "INumOps", API_ATTR_NO_GAUGE, 0, 0                                                    \
    }
static const struct api_attribute fair_timing_attributes[] = {
    TIMING("FSOpDurations", API_ATTR_TAG, name),
    TIMING("Context", API_ATTR_TAG, context),
    TIMING("Hostname", API_ATTR_TAG, host),
    EXTENDED_RATE("ContinuousSchedulingRun", NO_RATE("ContinuousSchedulingRun")),
    EXTENDED_RATE("NodeUpdateCall", TIMING("NodeUpdateCall", API_ATTR_RATE, heartbeats)),
    EXTENDED_RATE("UpdateThreadRun", NO_RATE("UpdateThreadRun")),
};
static const struct api_attribute capacity_timing_attributes[] = {
    TIMING("CapacitySchedulerMetrics", API_ATTR_TAG, name),
    TIMING("Context", API_ATTR_TAG, context),
    TIMING("Hostname", API_ATTR_TAG, host),
    TIMING("Allocate", API_ATTR_RATE, assignments),
    TIMING("CommitFailure", API_ATTR_RATE, overruled),
    TIMING("CommitSuccess", API_ATTR_RATE, assignments),
    TIMING("NodeUpdate", API_ATTR_RATE, heartbeats),
    {"SchedulerNodeHBIntervalNumOps", API_ATTR_NO_GAUGE, 0, 0},
    {"SchedulerNodeHBInterval50thPercentileTime", API_ATTR_NO_GAUGE, 0, 0},
    {"SchedulerNodeHBInterval75thPercentileTime", API_ATTR_NO_GAUGE, 0, 0},
    {"SchedulerNodeHBInterval90thPercentileTime", API_ATTR_NO_GAUGE, 0, 0},
    {"SchedulerNodeHBInterval95thPercentileTime", API_ATTR_NO_GAUGE, 0, 0},
    {"SchedulerNodeHBInterval99thPercentileTime", API_ATTR_NO_GAUGE, 0, 0},
};

static void add_timing(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                       struct rm_backend *b, const char *name, const char *context)
{
    struct rm_cluster_view c;
    struct timing t = {.name = name,
                       .context = context,
                       .host = api_bean_get_host_name(),
                       .highest = (double)FLT_MAX,
                       .lowest = 1.401298464324817E-45};

    if (!api_bean_is_wanted(kind, sink, NULL))
        return;
    rm_view_cluster(rm_backend_lock_core(b), &c);
    rm_backend_unlock_core(b);
    t.heartbeats.ops = c.heartbeats;
    t.assignments.ops = c.assignments;
    t.overruled.ops = c.policy_overruled;
    api_bean_add_if_wanted(kind, sink, NULL, 0, &t);
}

static void add_timing_bean_if_fair(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                    const struct api_bean_service *service)
{
    if (rm_scheduler_shape_read(rm_backend_conf(service->user)) == RM_SHAPE_FAIR)
        add_timing(kind, sink, service->user, kind->name, "fairscheduler-op-durations");
}

static void add_timing_bean_if_capacity(const struct api_bean_kind *kind,
                                        struct api_bean_sink *sink,
                                        const struct api_bean_service *service)
{
    if (rm_scheduler_shape_read(rm_backend_conf(service->user)) == RM_SHAPE_CAPACITY)
        add_timing(kind, sink, service->user, service->name, "yarn");
}

const struct api_bean_kind rm_bean_fair_timing = {.name = "FSOpDurations",
                                                  .list = add_timing_bean_if_fair,
                                                  API_ATTRIBUTES(fair_timing_attributes)};
const struct api_bean_kind rm_bean_capacity_timing = {.name = "CapacitySchedulerMetrics",
                                                      .list = add_timing_bean_if_capacity,
                                                      API_ATTRIBUTES(capacity_timing_attributes)};

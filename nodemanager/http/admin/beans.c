/* nodemanager/http/admin/beans.c - GET /jmx and GET /prom: the NodeManager's figures under the
 * names that monitors of YARN read. SOURCE: Hadoop's NodeManagerMetrics, ShuffleMetrics,
 * ContainerMetrics and RpcMetrics, as recorded in tests/interop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "api/admin/call_beans.h"
#include "api/admin/jmx.h"
#include "api/admin/process_beans.h"
#include "api/admin/prom.h"
#include "api/server/access/admin_pages.h"
#include "nodemanager/figures/load.h"
#include "nodemanager/http/access/access.h"
#include "nodemanager/http/admin/beans.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"
#include "nodemanager/shuffle/shuffle.h"

#define GIB (INT64_C(1) << 30)

/* ---- NodeManagerMetrics ---- */

struct node_figures {
    const char *context, *host;
    int64_t allocated_containers, allocated_gb, allocated_vcores, available_gb, available_vcores;
    int64_t apps_running, bad_folders, disk_percent;
    int64_t launched, succeeded, failed, killed;
    int64_t starting, running, paused;
    struct api_rate launch;
    int64_t containers_gb, containers_virtual_gb, node_gb, node_virtual_gb, sample_ms;
    double containers_cores, node_cores, node_gpus; /* Creel does not look for GPUs */
};
#define GAUGE(name, member) API_ATTRIBUTE(node_figures, name, API_ATTR_GAUGE, member)
#define COUNT(name, member) API_ATTRIBUTE(node_figures, name, API_ATTR_COUNT, member)
#define NO_GAUGE(name)                                                                             \
    {                                                                                              \
        name, API_ATTR_NO_GAUGE, 0, 0                                                              \
    }
#define NO_COUNT(name)                                                                             \
    {                                                                                              \
        name, API_ATTR_NO_COUNT, 0, 0                                                              \
    }
#define NO_RATE(name)                                                                              \
    {                                                                                              \
        name, API_ATTR_NO_RATE, 0, 0                                                               \
    }
static const struct api_attribute node_attributes[] = {
    API_ATTRIBUTE(node_figures, "Context", API_ATTR_TAG, context),
    API_ATTRIBUTE(node_figures, "Hostname", API_ATTR_TAG, host),
    GAUGE("AllocatedContainers", allocated_containers),
    GAUGE("AllocatedGB", allocated_gb),
    NO_GAUGE("AllocatedOpportunisticGB"),
    NO_GAUGE("AllocatedOpportunisticVCores"),
    GAUGE("AllocatedVCores", allocated_vcores),
    GAUGE("ApplicationsRunning", apps_running),
    GAUGE("AvailableGB", available_gb),
    GAUGE("AvailableVCores", available_vcores),
    GAUGE("BadLocalDirs", bad_folders),
    GAUGE("BadLogDirs", bad_folders),
    NO_GAUGE("CacheSizeBeforeClean"),
    API_ATTRIBUTE(node_figures, "ContainerCpuUtilization", API_ATTR_FLOAT, containers_cores),
    API_ATTRIBUTE(node_figures, "ContainerLaunchDuration", API_ATTR_RATE, launch),
    GAUGE("ContainerUsedMemGB", containers_gb),
    GAUGE("ContainerUsedVMemGB", containers_virtual_gb),
    COUNT("ContainersCompleted", succeeded),
    COUNT("ContainersFailed", failed),
    NO_GAUGE("ContainersGuaranteedQueued"),
    GAUGE("ContainersIniting", starting),
    COUNT("ContainersKilled", killed),
    COUNT("ContainersLaunched", launched),
    GAUGE("ContainersMonitorCostTime", sample_ms),
    NO_GAUGE("ContainersOpportunisticQueued"),
    GAUGE("ContainersPaused", paused),
    NO_GAUGE("ContainersReIniting"),
    NO_COUNT("ContainersRolledBackOnFailure"),
    GAUGE("ContainersRunning", running),
    GAUGE("GoodLocalDirsDiskUtilizationPerc", disk_percent),
    GAUGE("GoodLogDirsDiskUtilizationPerc", disk_percent),
    NO_RATE("LocalizationDurationMillis"),
    NO_COUNT("LocalizedCacheHitBytes"),
    NO_GAUGE("LocalizedCacheHitBytesRatio"),
    NO_COUNT("LocalizedCacheHitFiles"),
    NO_GAUGE("LocalizedCacheHitFilesRatio"),
    NO_COUNT("LocalizedCacheMissBytes"),
    NO_COUNT("LocalizedCacheMissFiles"),
    API_ATTRIBUTE(node_figures, "NodeCpuUtilization", API_ATTR_FLOAT, node_cores),
    API_ATTRIBUTE(node_figures, "NodeGpuUtilization", API_ATTR_FLOAT, node_gpus),
    GAUGE("NodeUsedMemGB", node_gb),
    GAUGE("NodeUsedVMemGB", node_virtual_gb),
    NO_GAUGE("PrivateBytesDeleted"),
    NO_GAUGE("PublicBytesDeleted"),
    NO_GAUGE("RunningOpportunisticContainers"),
    NO_GAUGE("TotalBytesDeleted"),
};

struct container_sums {
    struct node_figures *f;
    int64_t memory_mb;
};

static void add_live_container_to_sums(struct nm_container *c, void *u)
{
    const struct nm_container_view *v = nm_core_view(c);
    struct container_sums *sums = u;
    struct node_figures *f = sums->f;

    if (v->state == NM_COMPLETE || v->state == NM_FORGOTTEN)
        return;
    f->allocated_containers++;
    f->allocated_vcores += v->vcores;
    sums->memory_mb += v->memory_mb;
    f->starting += v->state == NM_NEW || v->state == NM_LAUNCHING;
    f->running += v->state == NM_RUNNING;
    f->paused += v->state == NM_SUSPENDED;
}

static void count_unfinished_app(const struct nm_app_view *v, void *u)
{
    *(int64_t *)u += !v->finished;
}

/* Like YARN, rounds allocated amounts up to full GB, and available ones down. */
static void read_figures_from_core(struct nm *nm, struct node_figures *f)
{
    struct container_sums sums = {.f = f};
    struct nm_core_stats stats;

    pthread_mutex_lock(&nm->lock);
    nm_core_each_container(nm->core, add_live_container_to_sums, &sums);
    nm_core_each_app(nm->core, count_unfinished_app, &f->apps_running);
    stats = *nm_core_stats(nm->core);
    f->bad_folders = !nm_core_is_healthy(nm->core, NULL, NULL);
    pthread_mutex_unlock(&nm->lock);
    f->allocated_gb = (sums.memory_mb + 1023) / 1024;
    f->available_gb = (nm_offered_memory_mb(nm) - sums.memory_mb) / 1024;
    f->available_vcores = nm_offered_vcores(nm) - f->allocated_vcores;
    f->launched = (int64_t)stats.launched;
    f->succeeded = (int64_t)stats.succeeded;
    f->failed = (int64_t)stats.failed;
    f->killed = (int64_t)stats.killed;
    f->launch.ops = (int64_t)stats.spawned;
    if (stats.spawned)
        f->launch.average = (double)stats.spawn_us / 1000 / (double)stats.spawned;
}

/* Returns how full the file system of the local folder is, in percent, as df shows it. */
static int64_t read_disk_percent(const struct nm *nm)
{
    struct statvfs s;

    if (statvfs(nm->files.root, &s) < 0 || s.f_blocks == 0)
        return 0;
    return (int64_t)((s.f_blocks - s.f_bavail) * 100 / s.f_blocks);
}

static void read_figures_from_load(struct nm *nm, struct node_figures *f)
{
    struct nm_load load;

    nm_load_read(nm->load_sampler, &load);
    f->containers_gb = load.containers_physical / GIB;
    f->containers_virtual_gb = load.containers_virtual / GIB;
    f->node_gb = load.node_physical / GIB;
    f->node_virtual_gb = load.node_virtual / GIB;
    f->containers_cores = load.containers_cores;
    f->node_cores = load.node_cores;
    f->sample_ms = load.cost_ms;
}

static void add_node_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                          const struct api_bean_service *service)
{
    struct nm *nm = service->user;
    struct node_figures f = {.context = "yarn", .host = api_bean_get_host_name()};

    if (!api_bean_is_wanted(kind, sink, NULL))
        return;
    read_figures_from_core(nm, &f);
    read_figures_from_load(nm, &f);
    f.disk_percent = read_disk_percent(nm);
    api_bean_add_if_wanted(kind, sink, NULL, 0, &f);
}

static const struct api_bean_kind node_metrics = {
    .name = "NodeManagerMetrics", .list = add_node_bean, API_ATTRIBUTES(node_attributes)};

/* ---- ShuffleMetrics: map outputs that reduces have fetched, of Creel's jobs and of MapReduce's
 * ---- */

struct shuffle_figures {
    const char *context, *host;
    int64_t connections, bytes, failed, served;
};
static const struct api_attribute shuffle_attributes[] = {
    API_ATTRIBUTE(shuffle_figures, "Context", API_ATTR_TAG, context),
    API_ATTRIBUTE(shuffle_figures, "Hostname", API_ATTR_TAG, host),
    API_ATTRIBUTE(shuffle_figures, "ShuffleConnections", API_ATTR_GAUGE, connections),
    API_ATTRIBUTE(shuffle_figures, "ShuffleOutputBytes", API_ATTR_COUNT, bytes),
    API_ATTRIBUTE(shuffle_figures, "ShuffleOutputsFailed", API_ATTR_COUNT, failed),
    API_ATTRIBUTE(shuffle_figures, "ShuffleOutputsOK", API_ATTR_COUNT, served),
};

static void add_shuffle_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                             const struct api_bean_service *service)
{
    const struct nm *nm = service->user;
    struct nm_map_output_counts own;
    struct nm_shuffle_figures hadoop;
    struct shuffle_figures f;

    nm_map_output_get_counts(&own);
    nm_shuffle_get_figures(nm->shuffle, &hadoop);
    /* outputs of Creel's own jobs use the connections of all requests */
    f = (struct shuffle_figures){.context = "mapred",
                                 .host = api_bean_get_host_name(),
                                 .connections = hadoop.connections,
                                 .bytes = own.bytes + hadoop.bytes,
                                 .failed = own.failed + hadoop.failed,
                                 .served = own.served + hadoop.served};
    api_bean_add_if_wanted(kind, sink, NULL, 0, &f);
}

static const struct api_bean_kind shuffle_metrics = {
    .name = "ShuffleMetrics", .list = add_shuffle_bean, API_ATTRIBUTES(shuffle_attributes)};

/* ---- ContainerResource_<id>: YARN shows a bean for each container that runs, but its figures only
 * when the container ends, unless a period is configured ---- */

struct ids {
    char (*v)[BASE_ID_TEXT_MAX];
    size_t n, cap;
};

static void add_running_id(struct nm_container *c, void *u)
{
    const struct nm_container_view *v = nm_core_view(c);
    struct ids *ids = u;

    if (v->state != NM_RUNNING && v->state != NM_SUSPENDED && v->state != NM_KILLING)
        return;
    base_array_grow(&ids->v, ids->n, &ids->cap);
    memcpy(ids->v[ids->n++], v->text, sizeof *ids->v);
}

static void add_container_beans(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                const struct api_bean_service *service)
{
    struct nm *nm = service->user;
    struct ids ids = {0};
    char tail[sizeof "ContainerResource_" + BASE_ID_TEXT_MAX];

    pthread_mutex_lock(&nm->lock);
    nm_core_each_container(nm->core, add_running_id, &ids);
    pthread_mutex_unlock(&nm->lock);
    for (size_t i = 0; i < ids.n; i++) {
        snprintf(tail, sizeof tail, "%s_%s", kind->name, ids.v[i]);
        api_bean_add_if_wanted(kind, sink, tail, 0, NULL);
    }
    free(ids.v);
}

static const struct api_bean_kind container_metrics = {
    .name = "ContainerResource", .list = add_container_beans, .attributes = NULL, .n = 0};

/* ---- the resources ---- */

static struct api_bean_service describe_service(const struct api_request *rq, struct nm *nm)
{
    static const struct api_bean_kind *const kinds[] = {&node_metrics,
                                                        &shuffle_metrics,
                                                        &container_metrics,
                                                        API_CALL_BEANS,
                                                        &nm_bean_management_details,
                                                        &nm_bean_localizer_details,
                                                        API_PROCESS_BEANS,
                                                        NULL};

    return (struct api_bean_service){.name = "NodeManager",
                                     .prefix = "Hadoop:service=NodeManager,name=",
                                     .kinds = kinds,
                                     .user = nm,
                                     .server = api_server_of(rq),
                                     .each_rpc = nm_beans_each_rpc};
}

static void get_jmx(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct api_bean_service service = describe_service(rq, nm);

    if (api_admin_refuse_page_unless_admin(rq, nm->conf, API_ADMIN_INSTRUMENTS,
                                           nm_access_is_named_admin, nm))
        return;
    api_jmx_answer(rq, &service, base_conf_bool(nm->conf, "creel.http.jmx-any-origin"));
}

static void get_prom(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct api_bean_service service = describe_service(rq, nm);

    api_prom_answer(rq, &service, base_conf_bool(nm->conf, "hadoop.prometheus.endpoint.enabled"));
}

/* clang-format off */
const struct api_route nm_beans_routes[] = {
    {"GET", "/jmx", API_ROLE_READ, 0, get_jmx, API_ROUTE_SERVLET},
    {"GET", "/prom", API_ROLE_READ, 0, get_prom, API_ROUTE_SERVLET},
};
/* clang-format on */
NM_ROUTES_END(nm_beans_routes);

/* nodemanager/http/node.c - the node itself: nodeInfo and resource plugins. SOURCE: Hadoop's
 * NodeManager REST APIs. */
#include <stdio.h>
#include <stdlib.h>

#include "base/version.h"
#include "base/version/build.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"

#define BUILT_ON "2026-01-01T00:00Z" /* opaque to clients; a real time would make builds differ */

static int64_t sum_over_slots(const struct nm *nm, const char *per_map_key,
                              const char *per_reduce_key)
{
    return base_conf_int(nm->conf, per_map_key) *
               ((int64_t)nm->ident.map_slots + nm->ident.master_slots) +
           base_conf_int(nm->conf, per_reduce_key) * nm->ident.reduce_slots;
}

int64_t nm_configured_memory_mb(const struct nm *nm)
{
    return sum_over_slots(nm, "creel.slot.map.memory-mb", "creel.slot.reduce.memory-mb");
}

int64_t nm_configured_vcores(const struct nm *nm)
{
    return sum_over_slots(nm, "creel.slot.map.vcores", "creel.slot.reduce.vcores");
}

int64_t nm_offered_memory_mb(const struct nm *nm)
{
    int64_t given = atomic_load(&nm->given_memory_mb);

    return given >= 0 ? given : nm_configured_memory_mb(nm);
}

int64_t nm_offered_vcores(const struct nm *nm)
{
    int64_t given = atomic_load(&nm->given_vcores);

    return given >= 0 ? given : nm_configured_vcores(nm);
}

static void get_node(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *text, *hadoop = base_conf_get(nm->conf, "creel.yarn.hadoop-version");
    char hadoop_build[128];
    int64_t free_mb, memory_mb = nm_offered_memory_mb(nm);
    struct yarn_nm_info info = {
        .virtual_mb = memory_mb * 21 / 10, /* the default of yarn.nodemanager.vmem-pmem-ratio */
        .physical_mb = memory_mb,
        .vcores = nm_offered_vcores(nm),
        .resource_types = "memory-mb (unit=Mi), vcores",
        .version = CREEL_VERSION,
        .build_version = base_build_yarn_text,
        .built_on = BUILT_ON,
        .hadoop_version = hadoop,
        .hadoop_build_version = hadoop_build,
        .hadoop_built_on = BUILT_ON,
        .id = nm->node_id,
        .host = nm->host,
        .started = nm->started_ms,
        .containers_run_as = nm->launcher ? "their users" : base_process_user(),
    };
    char *report;

    snprintf(hadoop_build, sizeof hadoop_build,
             "%.40s from creel-" CREEL_VERSION " by creel source checksum none", hadoop);
    pthread_mutex_lock(&nm->lock);
    info.healthy = nm_core_is_healthy(nm->core, &text, &free_mb);
    report = base_strdup(text);
    info.last_update = nm->last_answer_ms ? nm->last_answer_ms : nm->started_ms;
    pthread_mutex_unlock(&nm->lock);
    info.health_report = report;
    nm_answer_resource(rq, &yarn_shape_nm_info, API_N_WRAPPED, &info);
    free(report);
}

/* YARN shows details of a resource's plugin, such as the GPUs of a node, and an empty object for
 * every other name. Creel has no plugins. */
static void get_resource(struct api_request *rq, void *user)
{
    static const struct yarn_nm_resource none;

    (void)user;
    nm_answer_resource(rq, &yarn_shape_nm_resource, API_N_BARE, &none);
}

/* clang-format off */
const struct api_route nm_node_routes[] = {
    {"GET", NM_NODE, API_ROLE_READ, 0, get_node, 0},
    {"GET", NM_NODE "/info", API_ROLE_READ, 0, get_node, 0},
    {"GET", NM_NODE "/resources/{name}", API_ROLE_READ, 0, get_resource, 0},
};
/* clang-format on */
NM_ROUTES_END(nm_node_routes);

/* rm/http/admin/beans.c - GET /jmx and GET /prom: the list of the ResourceManager's beans, and
 * those of its role. tests/interop/yarn has recordings of YARN's answers. */
#include "rm/http/admin/beans.h"
#include "rm/http/access/access.h"

#include <string.h>

#include "api/admin/call_beans.h"
#include "api/admin/jmx.h"
#include "api/admin/process_beans.h"
#include "api/admin/prom.h"
#include "api/server/access/admin_pages.h"
#include "base/conf/conf.h"
#include "rm/http/routes.h"
#include "rm/leader/standby.h"

/* ---- the role: YARN's RMInfo, and Creel's own HighAvailability ---- */
struct rm_info {
    const char *state, *host_and_port;
    bool no;
};
static const struct api_attribute rm_info_attributes[] = {
    API_ATTRIBUTE(rm_info, "State", API_ATTR_TEXT, state),
    API_ATTRIBUTE(rm_info, "SecurityEnabled", API_ATTR_BOOL, no),
    API_ATTRIBUTE(rm_info, "HostAndPort", API_ATTR_TEXT, host_and_port),
};

static void add_rm_info_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                             const struct api_bean_service *service)
{
    const char *host = strstr(rm_backend_url(service->user), "://");

    api_bean_add_if_wanted(
        kind, sink, NULL, 0,
        &(struct rm_info){.state = rm_standby_get_state_name(service->user, false),
                          .host_and_port = host ? host + 3 : ""});
}

static const struct api_bean_kind rm_info = {
    .name = "RMInfo",
    .java_class = "org.apache.hadoop.yarn.server.resourcemanager.RMInfo",
    .list = add_rm_info_bean,
    API_ATTRIBUTES(rm_info_attributes)};

/* Older monitors read here whether security is on. */
static const struct api_attribute rm_security_attributes[] = {
    API_ATTRIBUTE(rm_info, "SecurityEnabled", API_ATTR_BOOL, no),
};
static const struct api_bean_kind rm_security = {
    .name = "ResourceManager",
    .java_class = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    .list = add_rm_info_bean,
    API_ATTRIBUTES(rm_security_attributes)};

struct high_availability {
    const char *context, *host, *rm_id, *state, *zookeeper;
    struct rm_backend_stats stats;
};
#define HA_COUNT(name, member) API_ATTRIBUTE(high_availability, name, API_ATTR_COUNT, stats.member)
static const struct api_attribute ha_attributes[] = {
    API_ATTRIBUTE(high_availability, "Context", API_ATTR_TAG, context),
    API_ATTRIBUTE(high_availability, "RmId", API_ATTR_TAG, rm_id),
    API_ATTRIBUTE(high_availability, "State", API_ATTR_TEXT, state),
    API_ATTRIBUTE(high_availability, "ZooKeeper", API_ATTR_TEXT, zookeeper),
    HA_COUNT("Epoch", epoch),
    HA_COUNT("Takeovers", takeovers),
    HA_COUNT("LateAnswers", late_answers),
    HA_COUNT("StoreCommits", store_commits),
    HA_COUNT("StoreRecords", store_records),
    HA_COUNT("StoreMultis", store_multis),
    HA_COUNT("StoreRefusedWrites", refused_writes),
};

static void add_ha_bean(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                        const struct api_bean_service *service)
{
    struct rm_backend *b = service->user;
    struct high_availability ha = {.context = "creel",
                                   .rm_id = rm_backend_rm_id(b),
                                   .state = rm_standby_get_state_name(b, false),
                                   .zookeeper = rm_standby_get_zookeeper_text(b)};

    rm_backend_get_stats(b, &ha.stats);
    api_bean_add_if_wanted(kind, sink, NULL, 0, &ha);
}

/* /metrics has these figures for Prometheus */
static const struct api_bean_kind high_availability = {.name = "HighAvailability",
                                                       .java_class = "HighAvailability",
                                                       .list = add_ha_bean,
                                                       API_ATTRIBUTES(ha_attributes)};

/* ---- DelegationTokenSecretManagerMetrics: without Kerberos there are no tokens ---- */
static const struct api_attribute token_attributes[] = {
    API_ATTRIBUTE(high_availability, "Context", API_ATTR_TAG, context),
    API_ATTRIBUTE(high_availability, "Hostname", API_ATTR_TAG, host),
    {"RemoveToken", API_ATTR_NO_RATE, 0, 0},
    {"StoreToken", API_ATTR_NO_RATE, 0, 0},
    {"TokenFailure", API_ATTR_NO_COUNT, 0, 0},
    {"UpdateToken", API_ATTR_NO_RATE, 0, 0},
};

static void add_empty_delegation_token_bean(const struct api_bean_kind *kind,
                                            struct api_bean_sink *sink,
                                            const struct api_bean_service *service)
{
    (void)service;
    api_bean_add_if_wanted(
        kind, sink, NULL, 0,
        &(struct high_availability){.context = "token", .host = api_bean_get_host_name()});
}

static const struct api_bean_kind tokens = {.name = "DelegationTokenSecretManagerMetrics",
                                            .list = add_empty_delegation_token_bean,
                                            API_ATTRIBUTES(token_attributes)};

/* ---- the resources ---- */
static struct api_bean_service describe_service(const struct api_request *rq, struct rm_backend *b)
{
    static const struct api_bean_kind *const kinds[] = {&rm_info,
                                                        &rm_security,
                                                        &high_availability,
                                                        &rm_bean_cluster_metrics,
                                                        &rm_bean_rm_nm_info,
                                                        &rm_bean_queue_metrics,
                                                        &rm_bean_partition_metrics,
                                                        &rm_bean_fair_timing,
                                                        &rm_bean_capacity_timing,
                                                        &tokens,
                                                        API_CALL_BEANS,
                                                        &rm_bean_rpc_details[0],
                                                        &rm_bean_rpc_details[1],
                                                        &rm_bean_rpc_details[2],
                                                        &rm_bean_rpc_details[3],
                                                        API_PROCESS_BEANS,
                                                        NULL};

    return (struct api_bean_service){.name = "ResourceManager",
                                     .prefix = "Hadoop:service=ResourceManager,name=",
                                     .kinds = kinds,
                                     .user = b,
                                     .server = api_server_of(rq),
                                     .each_rpc = rm_beans_each_rpc};
}

static void get_jmx(struct api_request *rq, void *user)
{
    struct api_bean_service service = describe_service(rq, user);

    if (api_admin_refuse_page_unless_admin(rq, rm_backend_conf(user), API_ADMIN_INSTRUMENTS,
                                           rm_access_is_admin, user))
        return;
    api_jmx_answer(rq, &service,
                   base_conf_bool(rm_backend_conf(user), "creel.http.jmx-any-origin"));
}

static void get_prom(struct api_request *rq, void *user)
{
    struct api_bean_service service = describe_service(rq, user);

    api_prom_answer(rq, &service,
                    base_conf_bool(rm_backend_conf(user), "hadoop.prometheus.endpoint.enabled"));
}

const struct api_route rm_admin_beans_routes[] = {
    {"GET", "/jmx", API_ROLE_READ, 0, get_jmx, API_ROUTE_SERVLET},
    {"GET", "/prom", API_ROLE_READ, 0, get_prom, API_ROUTE_SERVLET},
};
const size_t rm_admin_beans_routes_n = sizeof rm_admin_beans_routes / sizeof *rm_admin_beans_routes;

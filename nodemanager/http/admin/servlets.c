/* nodemanager/http/admin/servlets.c - what administrators read of the NodeManager outside of REST:
 * its configuration, log levels, threads and log files; and the root of its web server. */
#include <stdio.h>

#include "api/admin/configuration.h"
#include "api/admin/log_folder.h"
#include "api/admin/log_level.h"
#include "api/admin/stacks.h"
#include "api/admin/web_root.h"
#include "api/server/access/admin_pages.h"
#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"

static bool refuse_page_unless_admin(struct api_request *rq, struct nm *nm,
                                     enum api_admin_page page)
{
    return api_admin_refuse_page_unless_admin(rq, nm->conf, page, nm_access_is_named_admin, nm);
}

static void get_conf(struct api_request *rq, void *user)
{
    const struct nm *nm = user;
    char memory[24], vcores[24];
    const struct api_yarn_key keys[] = {
        {"hadoop.http.authentication.type", "simple"},
        {"hadoop.security.authentication", "simple"},
        {"yarn.log-aggregation-enable", "false"},
        {"yarn.nodemanager.pmem-check-enabled", "false"},
        {"yarn.nodemanager.resource.cpu-vcores", vcores},
        {"yarn.nodemanager.resource.memory-mb", memory},
        {"yarn.nodemanager.vmem-check-enabled", "false"},
        {"yarn.nodemanager.webapp.address", nm->node_id},
        {NULL, NULL},
    };

    snprintf(memory, sizeof memory, "%lld", (long long)nm_configured_memory_mb(nm));
    snprintf(vcores, sizeof vcores, "%lld", (long long)nm_configured_vcores(nm));
    if (!refuse_page_unless_admin(rq, user, API_ADMIN_INSTRUMENTS))
        api_configuration_answer(rq, nm->conf, keys);
}

static void get_log_level(struct api_request *rq, void *user)
{
    enum api_admin_page page = api_query(rq, "level") ? API_ADMIN_CHANGE : API_ADMIN_LOGS;

    if (!refuse_page_unless_admin(rq, user, page))
        api_log_level_answer(rq, "org.apache.hadoop.yarn.server.nodemanager");
}

static void get_stacks(struct api_request *rq, void *user)
{
    if (!refuse_page_unless_admin(rq, user, API_ADMIN_INSTRUMENTS))
        api_stacks_answer(rq);
}

static void get_logs(struct api_request *rq, void *user)
{
    const struct nm *nm = user;

    if (!refuse_page_unless_admin(rq, user, API_ADMIN_LOGS))
        api_log_folder_answer(rq, base_conf_get(nm->conf, "hadoop.log.dir"), api_path_arg(rq, 0));
}

static void get_root_redirect(struct api_request *rq, void *user)
{
    const struct nm *nm = user;

    api_web_root_redirect(rq, "/node", nm->node_id);
}

static void get_robots(struct api_request *rq, void *user)
{
    (void)user;
    api_web_root_answer_robots(rq);
}

static void get_wadl(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_wadl(rq);
}

static void get_profiler(struct api_request *rq, void *user)
{
    if (!refuse_page_unless_admin(rq, user, API_ADMIN_INSTRUMENTS))
        api_web_root_answer_no_profiler(rq);
}

/* clang-format off */
const struct api_route nm_servlets_routes[] = {
    {"GET", "/application.wadl", API_ROLE_READ, 0, get_wadl, API_ROUTE_SERVLET},
    {"GET", "/", API_ROLE_READ, 0, get_root_redirect, API_ROUTE_SERVLET},
    {"GET", "/robots.txt", API_ROLE_READ, 0, get_robots, API_ROUTE_SERVLET},
    {"GET", "/conf", API_ROLE_READ, 0, get_conf, API_ROUTE_SERVLET | API_ROUTE_PRIVATE},
    {"GET", "/logLevel", API_ROLE_READ, 0, get_log_level, API_ROUTE_SERVLET | API_ROUTE_PRIVATE},
    {"GET", "/stacks", API_ROLE_READ, 0, get_stacks, API_ROUTE_SERVLET | API_ROUTE_PRIVATE},
    {"GET", "/prof", API_ROLE_READ, 0, get_profiler, API_ROUTE_SERVLET},
    {"GET", "/logs", API_ROLE_READ, 0, get_logs, API_ROUTE_CREEL | API_ROUTE_PRIVATE},
    {"GET", "/logs/{file}", API_ROLE_READ, 0, get_logs, API_ROUTE_CREEL | API_ROUTE_PRIVATE},
};
/* clang-format on */
NM_ROUTES_END(nm_servlets_routes);

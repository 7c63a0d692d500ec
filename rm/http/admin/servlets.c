/* rm/http/admin/servlets.c - what administrators read of the ResourceManager outside of REST: its
 * configuration, log levels, threads and log files; and the root of its web server. */
#include "api/admin/configuration.h"
#include "api/admin/log_folder.h"
#include "api/admin/log_level.h"
#include "api/admin/stacks.h"
#include "api/admin/web_root.h"
#include "api/server/access/admin_pages.h"
#include "rm/config/scheduler_shape.h"
#include "rm/daemon/backend.h"
#include "rm/http/access/access.h"

#include <string.h>

#define SCHEDULER "org.apache.hadoop.yarn.server.resourcemanager.scheduler."

static const char *get_own_host_and_port(const struct rm_backend *b)
{
    const char *at = strstr(rm_backend_url(b), "://");

    return at ? at + 3 : "";
}

static bool refuse_page_unless_admin(struct api_request *rq, struct rm_backend *b,
                                     enum api_admin_page page)
{
    return api_admin_refuse_page_unless_admin(rq, rm_backend_conf(b), page, rm_access_is_admin, b);
}

static void get_conf(struct api_request *rq, void *user)
{
    static const char *const classes[] = {
        [RM_SHAPE_CAPACITY] = SCHEDULER "capacity.CapacityScheduler",
        [RM_SHAPE_FAIR] = SCHEDULER "fair.FairScheduler",
        [RM_SHAPE_FIFO] = SCHEDULER "fifo.FifoScheduler",
    };
    const struct base_conf *conf = rm_backend_conf(user);
    const struct api_yarn_key keys[] = {
        {"hadoop.http.authentication.type", "simple"},
        {"hadoop.security.authentication", "simple"},
        {"yarn.log-aggregation-enable", "false"},
        {"yarn.nodemanager.pmem-check-enabled", "false"},
        {"yarn.nodemanager.vmem-check-enabled", "false"},
        {"yarn.resourcemanager.scheduler.class", classes[rm_scheduler_shape_read(conf)]},
        {"yarn.resourcemanager.webapp.address", get_own_host_and_port(user)},
        {NULL, NULL},
    };

    if (!refuse_page_unless_admin(rq, user, API_ADMIN_INSTRUMENTS))
        api_configuration_answer(rq, conf, keys);
}

static void get_log_level(struct api_request *rq, void *user)
{
    enum api_admin_page page = api_query(rq, "level") ? API_ADMIN_CHANGE : API_ADMIN_LOGS;

    if (!refuse_page_unless_admin(rq, user, page))
        api_log_level_answer(rq, "org.apache.hadoop.yarn.server.resourcemanager");
}

static void get_stacks(struct api_request *rq, void *user)
{
    if (!refuse_page_unless_admin(rq, user, API_ADMIN_INSTRUMENTS))
        api_stacks_answer(rq);
}

static void get_logs(struct api_request *rq, void *user)
{
    if (!refuse_page_unless_admin(rq, user, API_ADMIN_LOGS))
        api_log_folder_answer(rq, base_conf_get(rm_backend_conf(user), "hadoop.log.dir"),
                              api_path_arg(rq, 0));
}

static void get_root(struct api_request *rq, void *user)
{
    api_web_root_redirect(rq, "/cluster", get_own_host_and_port(user));
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

static void answer_no_profiler(struct api_request *rq, void *user)
{
    if (!refuse_page_unless_admin(rq, user, API_ADMIN_INSTRUMENTS))
        api_web_root_answer_no_profiler(rq);
}

const struct api_route rm_admin_servlets_routes[] = {
    {"GET", "/application.wadl", API_ROLE_READ, 0, get_wadl, API_ROUTE_SERVLET},
    {"GET", "/", API_ROLE_READ, 0, get_root, API_ROUTE_SERVLET},
    {"GET", "/robots.txt", API_ROLE_READ, 0, get_robots, API_ROUTE_SERVLET},
    {"GET", "/conf", API_ROLE_READ, 0, get_conf, API_ROUTE_SERVLET | API_ROUTE_PRIVATE},
    {"GET", "/logLevel", API_ROLE_READ, 0, get_log_level, API_ROUTE_SERVLET | API_ROUTE_PRIVATE},
    {"GET", "/stacks", API_ROLE_READ, 0, get_stacks, API_ROUTE_SERVLET | API_ROUTE_PRIVATE},
    {"GET", "/prof", API_ROLE_READ, 0, answer_no_profiler, API_ROUTE_SERVLET},
    {"GET", "/logs", API_ROLE_READ, 0, get_logs, API_ROUTE_CREEL | API_ROUTE_PRIVATE},
    {"GET", "/logs/{file}", API_ROLE_READ, 0, get_logs, API_ROUTE_CREEL | API_ROUTE_PRIVATE},
};
const size_t rm_admin_servlets_routes_n =
    sizeof rm_admin_servlets_routes / sizeof *rm_admin_servlets_routes;

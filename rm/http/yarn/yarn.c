/* The routes of YARN's resources. */
#include "rm/http/yarn/yarn.h"

#include "base/limits.h"
#include "rm/http/yarn/yarn_internal.h"

#define CLUSTER        "/ws/v1/cluster"
#define APPS           CLUSTER "/apps"
#define ATTEMPTS       APPS "/{appid}/appattempts"
#define STATE_BODY_MAX (64 * 1024)

/* clang-format off */
const struct api_route rm_api_yarn_routes[] = {
    {"GET",  CLUSTER,                      API_ROLE_READ,  0, yarn_get_info, 0},
    {"GET",  CLUSTER "/info",              API_ROLE_READ,  0, yarn_get_info, 0},
    {"GET",  CLUSTER "/userinfo",          API_ROLE_READ,  0, yarn_get_userinfo, 0},
    {"GET",  CLUSTER "/metrics",           API_ROLE_READ,  0, yarn_get_metrics, 0},
    {"GET",  CLUSTER "/scheduler",         API_ROLE_READ,  0, yarn_get_scheduler, 0},
    {"GET",  CLUSTER "/scheduler/policy",  API_ROLE_READ,  0, yarn_get_policy, API_ROUTE_CREEL},
    {"PUT",  CLUSTER "/scheduler/policy",  API_ROLE_WRITE, STATE_BODY_MAX, yarn_put_policy,
             API_ROUTE_CREEL},
    {"GET",  CLUSTER "/nodes",             API_ROLE_READ,  0, yarn_get_nodes, 0},
    {"GET",  CLUSTER "/nodes/{nodeid}",    API_ROLE_READ,  0, yarn_get_node, 0},
    {"GET",  CLUSTER "/appstatistics",     API_ROLE_READ,  0, yarn_get_statistics, 0},
    {"GET",  APPS,                         API_ROLE_READ,  0, yarn_get_apps, 0},
    {"POST", APPS,                         API_ROLE_WRITE, BASE_BODY_MAX, yarn_post_app, 0},
    {"POST", APPS "/new-application",      API_ROLE_WRITE, 0, yarn_post_new_application, 0},
    {"GET",  APPS "/{appid}",              API_ROLE_READ,  0, yarn_get_app, 0},
    {"GET",  APPS "/{appid}/state",        API_ROLE_READ,  0, yarn_get_state, 0},
    {"PUT",  APPS "/{appid}/state",        API_ROLE_WRITE, STATE_BODY_MAX, yarn_put_state, 0},
    {"GET",  APPS "/{appid}/queue",        API_ROLE_READ,  0, yarn_get_queue, 0},
    {"PUT",  APPS "/{appid}/queue",        API_ROLE_WRITE, STATE_BODY_MAX, yarn_put_queue, 0},
    {"GET",  ATTEMPTS,                     API_ROLE_READ,  0, yarn_get_attempts, 0},
    {"GET",  ATTEMPTS "/{attemptid}",      API_ROLE_READ,  0, yarn_get_attempt, 0},
    {"GET",  ATTEMPTS "/{attemptid}/containers", API_ROLE_READ, 0, yarn_get_containers, 0},
    {"GET",  ATTEMPTS "/{attemptid}/containers/{containerid}",
             API_ROLE_READ, 0, yarn_get_container, 0},
    {"GET",  "/metrics",                   API_ROLE_READ,  0, yarn_get_prometheus, API_ROUTE_CREEL},
};
/* clang-format on */
const size_t rm_api_yarn_routes_n = sizeof rm_api_yarn_routes / sizeof rm_api_yarn_routes[0];

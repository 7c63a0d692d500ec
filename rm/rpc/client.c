/* rm/rpc/client.c - YARN's ApplicationClientProtocol: the table of its methods, and what comes
 * before each call. */
#include "rm/rpc/client.h"

#include <stdlib.h>

#include "base/conf/acl_conf.h"
#include "base/limits.h"
#include "rm/leader/standby.h"
#include "rm/rpc/ports.h"

bool rm_rpc_answer_unless_active(struct api_rpc_call *call, void *user)
{
    if (rm_standby_is_active(user))
        return false;
    api_rpc_answer_error(call, RM_RPC_STANDBY, "this ResourceManager is not active");
    return true;
}

/* ---- groups: the name service may take seconds, for which the server's thread must not wait ----
 */

struct look_up {
    struct api_rpc_call *call;
    struct rm_backend *b;
    char *user;
};

static bool look_up_groups_and_continue(void *u, bool stopping)
{
    struct look_up *l = u;
    struct rm_str_list groups = {0};

    if (!stopping)
        rm_backend_look_up_groups(l->b, l->user, &groups);
    for (size_t i = 0; i < groups.n; i++)
        free(groups.v[i]);
    free(groups.v);
    api_rpc_continue(l->call);
    free(l->user);
    free(l);
    return false; /* done */
}

bool rm_rpc_hold_up_for_groups(struct api_rpc_call *call, void *user)
{
    const struct base_conf *conf = rm_backend_conf(user);
    const char *caller = api_rpc_caller(call);
    struct look_up *l;

    if ((!base_acl_conf_is_enabled(conf) &&
         !base_acl_names_groups(base_acl_conf_get_admins(conf))) ||
        rm_backend_knows_groups(user, caller))
        return false;
    if (!api_rpc_begin_slow(call))
        return true;
    l = base_alloc(sizeof *l);
    *l = (struct look_up){.call = call, .b = user, .user = base_strdup(caller)};
    rm_backend_queue_slow_task(user, RM_SLOW_GROUPS, look_up_groups_and_continue, l);
    return true;
}

/* ---- the methods; all others are refused as YARN refuses methods that it does not know ---- */

#define LIST_REQUEST_MAX (1 << 20) /* bytes: filters may have many words */

#define METHOD(name, request, handler, max)                                                        \
    {                                                                                              \
        name, &yarn__##request##__descriptor, rm_rpc_##handler, max                                \
    }
/* clang-format off */
static const struct api_rpc_method methods[] = {
    METHOD("getNewApplication",            empty,              new_app, 0),
    METHOD("submitApplication",            submit_request,     submit_app, BASE_BODY_MAX),
    METHOD("getApplicationReport",         app_request,        get_app, 0),
    METHOD("getApplications",              apps_request,       get_apps, LIST_REQUEST_MAX),
    METHOD("forceKillApplication",         kill_request,       kill_app, 0),
    METHOD("moveApplicationAcrossQueues",  move_request,       move_app, 0),
    METHOD("updateApplicationPriority",    priority_request,   set_priority, 0),
    METHOD("updateApplicationTimeouts",     timeouts_request,   set_timeouts, 0),
    METHOD("failApplicationAttempt",        attempt_request,    fail_attempt, 0),
    METHOD("getApplicationAttempts",       app_request,        get_attempts, 0),
    METHOD("getApplicationAttemptReport",  attempt_request,    get_attempt, 0),
    METHOD("getContainers",                attempt_request,    get_containers, 0),
    METHOD("getContainerReport",           container_request,  get_container, 0),
    METHOD("signalToContainer",            signal_request,     signal_container, 0),
    METHOD("getClusterMetrics",            empty,              get_metrics, 0),
    METHOD("getClusterNodes",              nodes_request,      get_nodes, 0),
    METHOD("getClusterNodeLabels",         empty,              get_labels, 0),
    METHOD("getQueueInfo",                 queue_request,      get_queue, 0),
    METHOD("getQueueUserAcls",             empty,              get_queue_rights, 0),
    METHOD("getResourceTypeInfo",          empty,              get_resource_types, 0),
    METHOD("getNodeToLabels",             empty,              get_labels_of_nodes, 0),
    METHOD("getLabelsToNodes",            labels_request,     get_nodes_of_labels, 0),
    METHOD("getDelegationToken",          empty,              refuse_tokens, 0),
    METHOD("renewDelegationToken",        empty,              refuse_tokens, 0),
    METHOD("cancelDelegationToken",       empty,              refuse_tokens, 0),
    METHOD("getResourceProfiles",          empty,              refuse_profiles, 0),
    METHOD("getResourceProfile",           empty,              refuse_profiles, 0),
};
/* clang-format on */

const struct api_rpc_protocol rm_rpc_client_protocol = {
    .name = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB",
    .methods = methods,
    .methods_n = sizeof methods / sizeof *methods,
    .gate = rm_rpc_answer_unless_active,
    .prepare = rm_rpc_hold_up_for_groups};

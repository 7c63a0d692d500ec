/* rm/rpc/admin/admin.c - the tables of the methods for administrators, and who may call them. */
#include "rm/rpc/admin/admin.h"

#include <stdlib.h>

#include "api/audit/audit.h"
#include "rm/rpc/hosts.h"
#include "rm/rpc/ports.h"

#define ACCESS_REFUSED "org.apache.hadoop.security.AccessControlException"

bool rm_rpc_admin_refuse(struct api_rpc_call *call, struct rm_backend *b, const char *operation)
{
    struct rm_access access;
    bool allowed;
    char *why;

    rm_access_begin_for_user(&access, b, api_rpc_caller(call));
    allowed = rm_access_allows(&access, RM_OP_ADMINISTER, NULL);
    rm_access_end(&access);
    if (allowed)
        return false;
    why = base_printf("User %s doesn't have permission to call '%s'", api_rpc_caller(call),
                      api_rpc_method_name(call));
    api_audit_log_call(operation, api_rpc_caller(call), api_rpc_peer(call), "", why);
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, ACCESS_REFUSED ": %s", why);
    free(why);
    return true;
}

void rm_rpc_admin_refuse_request(struct api_rpc_call *call, const char *operation, const char *why)
{
    api_audit_log_call(operation, api_rpc_caller(call), api_rpc_peer(call), "", why);
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, "%s", why);
}

void rm_rpc_admin_answer_invalid(struct api_rpc_call *call, const char *operation, const char *why)
{
    api_audit_log_call(operation, api_rpc_caller(call), api_rpc_peer(call), "", why);
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, RM_RPC_ADMIN_INVALID "%s", why);
}

void rm_rpc_admin_answer_done(struct rm_rpc_change *change, const struct rm_effect *fx)
{
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)fx;
    api_rpc_answer(change->call, &none.base);
}

static bool answer_unless_listed(struct api_rpc_call *call, void *user)
{
    (void)user;
    return rm_rpc_refuse_unless_listed(call, RM_RPC_ADMIN_HOSTS_KEY);
}

static bool answer_unless_listed_and_active(struct api_rpc_call *call, void *user)
{
    return answer_unless_listed(call, user) || rm_rpc_answer_unless_active(call, user);
}

/* ---- the methods ---- */

#define NODES_REQUEST_MAX (4 << 20) /* bytes, as over REST: labels of many nodes */

#define METHOD(name, request, handler, max)                                                        \
    {                                                                                              \
        name, &yarn__##request##__descriptor, rm_rpc_##handler, max                                \
    }
/* clang-format off */
static const struct api_rpc_method admin_methods[] = {
    METHOD("refreshQueues",                empty,                   admin_refresh_queues, 0),
    METHOD("refreshNodes",                 refresh_nodes_request,   admin_refresh_nodes, 0),
    METHOD("checkForDecommissioningNodes", empty,      admin_get_decommissioning_nodes, 0),
    METHOD("refreshNodesResources",        empty,                   admin_refresh_nothing, 0),
    METHOD("refreshUserToGroupsMappings",  empty,                   admin_refresh_nothing, 0),
    METHOD("refreshSuperUserGroupsConfiguration", empty,            admin_refresh_nothing, 0),
    METHOD("refreshAdminAcls",             empty,                   admin_refresh_nothing, 0),
    METHOD("refreshServiceAcls",           empty,                   admin_refresh_nothing, 0),
    METHOD("refreshClusterMaxPriority",    empty,                   admin_refresh_nothing, 0),
    METHOD("getGroupsForUser",             groups_request,          admin_get_groups, 0),
    METHOD("updateNodeResource",           node_resources_request,  admin_set_node_resource, 0),
    METHOD("addToClusterNodeLabels",       add_labels_request,      admin_add_labels,
           NODES_REQUEST_MAX),
    METHOD("removeFromClusterNodeLabels",  remove_labels_request,   admin_remove_labels,
           NODES_REQUEST_MAX),
    METHOD("replaceLabelsOnNodes",         label_nodes_request,     admin_label_nodes,
           NODES_REQUEST_MAX),
};
static const struct api_rpc_method ha_methods[] = {
    METHOD("getServiceStatus",    empty, ha_get_status, 0),
    METHOD("monitorHealth",       empty, ha_answer_healthy, 0),
    METHOD("transitionToActive",  empty, ha_refuse_transition, 0),
    METHOD("transitionToStandby", empty, ha_refuse_transition, 0),
};
/* clang-format on */

const struct api_rpc_protocol rm_rpc_admin_protocols[RM_RPC_ADMIN_PROTOCOLS] = {
    {.name = "org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB",
     .methods = admin_methods,
     .methods_n = sizeof admin_methods / sizeof *admin_methods,
     .gate = answer_unless_listed_and_active,
     .prepare = rm_rpc_hold_up_for_groups},
    {.name = "org.apache.hadoop.ha.HAServiceProtocol",
     .methods = ha_methods,
     .methods_n = sizeof ha_methods / sizeof *ha_methods,
     .gate = answer_unless_listed},
};

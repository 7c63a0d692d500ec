/* rm/rpc/admin/admin.h - what the files share that answer administrators (yarn rmadmin): YARN's
 * ResourceManagerAdministrationProtocol and Hadoop's HAServiceProtocol, at one port. Each method of
 * the first posts the event that REST posts for the same change, and is refused on a standby.
 *
 * Refusals are YarnExceptions, whose message begins with the class that YARN wraps:
 *
 *   the caller is no administrator             AccessControlException
 *   a list of hosts, a file of queues or a label is not valid   IOException
 *   everything else as in rm/rpc/client.h
 *
 * SOURCE: Hadoop's AdminService and RMAdminCLI. Not there, and refused as methods that are not
 * known: attributes of nodes, everything about federation. */
#ifndef CREEL_RM_RPC_ADMIN_ADMIN_H
#define CREEL_RM_RPC_ADMIN_ADMIN_H

#include "rm/rpc/client.h"

#define RM_RPC_ADMIN_INVALID "java.io.IOException: "

/* Returns true when the caller is no administrator. The call has then been answered, and the
 * refusal entered in the audit log as @operation. */
bool rm_rpc_admin_refuse(struct api_rpc_call *call, struct rm_backend *b, const char *operation);
/* Answers that the request is not valid, and enters that in the audit log. */
void rm_rpc_admin_refuse_request(struct api_rpc_call *call, const char *operation, const char *why);
/* Answers that a label or a file is not valid, and enters that in the audit log. */
void rm_rpc_admin_answer_invalid(struct api_rpc_call *call, const char *operation, const char *why);
/* An rm_rpc_answer_change: the change is made. */
void rm_rpc_admin_answer_done(struct rm_rpc_change *change, const struct rm_effect *fx);

/* ---- handlers ---- */
api_rpc_handler rm_rpc_admin_refresh_queues, rm_rpc_admin_refresh_nodes,
    rm_rpc_admin_get_decommissioning_nodes, rm_rpc_admin_get_groups,
    rm_rpc_admin_refresh_nothing; /* refresh.c */
api_rpc_handler rm_rpc_admin_set_node_resource, rm_rpc_admin_add_labels, rm_rpc_admin_remove_labels,
    rm_rpc_admin_label_nodes; /* nodes.c */
api_rpc_handler rm_rpc_ha_get_status, rm_rpc_ha_answer_healthy,
    rm_rpc_ha_refuse_transition; /* ha.c */

#endif

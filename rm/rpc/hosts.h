/* rm/rpc/hosts.h - who may call the protocols that have no place for a proof: NodeManagers of
 * Hadoop receive keys when they register, and administrators name themselves. So the address
 * decides: either the configuration lists it, or the port is on a loopback address and creel.auth
 * is simple. */
#ifndef CREEL_RM_RPC_HOSTS_H
#define CREEL_RM_RPC_HOSTS_H

#include "api/rpc/rpc.h"

#define RM_RPC_TRACKER_HOSTS_KEY "creel.rpc.tracker.hosts"
#define RM_RPC_ADMIN_HOSTS_KEY   "creel.rpc.admin.hosts"

/* Returns true when the address @peer is in the list @hosts, separated by commas. */
bool rm_rpc_lists_host(const char *hosts, const char *peer);
/* Returns true when the port's list, the value of @key, lacks the caller's address; the call has
 * then been answered, and the refusal entered in the audit log. */
bool rm_rpc_refuse_unless_listed(struct api_rpc_call *call, const char *key);

#endif

/* rm/config/rpc_address.h - which ports of Hadoop RPC are configured. For one of several
 * ResourceManagers the key with ".RM-ID" at its end counts first. */
#ifndef CREEL_RM_CONFIG_RPC_ADDRESS_H
#define CREEL_RM_CONFIG_RPC_ADDRESS_H

#include "base/conf/conf.h"

#define RM_RPC_CLIENT_KEY  "yarn.resourcemanager.address"
#define RM_RPC_MASTER_KEY  "yarn.resourcemanager.scheduler.address"
#define RM_RPC_TRACKER_KEY "yarn.resourcemanager.resource-tracker.address"
#define RM_RPC_ADMIN_KEY   "yarn.resourcemanager.admin.address"

/* Returns the address of the port that the key @name is for, borrowed from @conf; "": there is no
 * such port. Sets *@key to the key that gives it, which the caller frees. @rm_id: NULL: the
 * ResourceManager is alone. */
const char *rm_rpc_address_get(const struct base_conf *conf, const char *name, const char *rm_id,
                               char **key);
/* Returns true when keys of tokens are needed: the port for masters that speak Hadoop RPC is
 * configured, or that for NodeManagers of Hadoop. */
bool rm_rpc_address_needs_keys(const struct base_conf *conf, const char *rm_id);

#endif

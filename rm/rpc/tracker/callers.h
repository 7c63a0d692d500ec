/* rm/rpc/tracker/callers.h - who may register NodeManagers of Hadoop. Their protocol has no place
 * for a proof, and whoever registers receives keys, so it is the address that decides. */
#ifndef CREEL_RM_RPC_TRACKER_CALLERS_H
#define CREEL_RM_RPC_TRACKER_CALLERS_H

#include <stdbool.h>

#define RM_TRACKER_HOSTS_KEY "creel.rpc.tracker.hosts"
/* Returns true when the address @peer is in the list @hosts, separated by commas. */
bool rm_tracker_lists_host(const char *hosts, const char *peer);

#endif

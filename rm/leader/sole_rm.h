/* rm/leader/sole_rm.h - a ResourceManager that is not one of several: no other one takes over from
 * it. Its leadership is entered as an elected one is (rm_daemon_enter_leadership), under the epoch
 * that the store takes when it is opened. The lease is endless (RM_LEASE_ENDLESS), since no other
 * process can open the store.
 *
 *   open --epoch of the store--> ACTIVE --nodes have obeyed a higher epoch--> entered again,
 *                                  ^                                          under a higher epoch
 *                                  |                                             |
 *                                  +---------------------------------------------+ */
#ifndef CREEL_RM_LEADER_SOLE_RM_H
#define CREEL_RM_LEADER_SOLE_RM_H

#include "rm/daemon/daemon.h"

/* Makes a daemon that is active, and still has to be started; free it with rm_daemon_free(). @keys:
 * as for rm_daemon_set_keys(). The store is @ops at @where; NULL for either: as the configuration
 * chooses (creel.rm.state-store, creel.rm.state-dir). @repair: NULL for none. @conf must outlive
 * the daemon. Returns 0, or -BASE_ECORRUPT, -BASE_ESTATE ... with a message that suggests what to
 * do. A wrong configuration is found before the store is changed. */
int rm_daemon_new_sole(const struct base_conf *conf, struct base_keyring *keys,
                       const struct ha_store_ops *ops, const char *where,
                       const struct rm_repair *repair, struct rm_backend **out,
                       struct base_error *err);

#endif

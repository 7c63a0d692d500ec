/* rm/leader/alone.h - a ResourceManager without others: a leadership that never ends. It is entered
 * as an elected one is (rm_daemon_enter), under the epoch that the store takes when it is opened,
 * and its lease is endless (RM_LEASE_ENDLESS), since nobody else can open the store.
 *
 *   open --epoch of the store--> ACTIVE --nodes have obeyed a higher epoch--> entered anew,
 *                                  ^                                        under one above it
 *                                  |                                             |
 *                                  +---------------------------------------------+ */
#ifndef CREEL_RM_LEADER_ALONE_H
#define CREEL_RM_LEADER_ALONE_H

#include "rm/daemon/daemon.h"

/* A daemon that is active, to be started. The store is @ops at @where, or for NULL the one that
 * @conf chooses (creel.rm.state-store, creel.rm.state-dir); @repair: NULL for nothing. What is
 * wrong with the configuration leaves the store as it is. -BASE_ECORRUPT, -BASE_ESTATE, ... with a
 * message that says what to do. @conf must outlive the daemon, which rm_daemon_free() frees. */
int rm_alone_new(const struct base_conf *conf, const struct ha_store_ops *ops, const char *where,
                 const struct rm_repair *repair, struct rm_backend **out, struct base_error *err);

#endif

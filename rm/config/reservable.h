/* rm/config/reservable.h - settings about reservations, besides those of queues in
 * capacity-scheduler.xml (struct policy_queue). */
#ifndef CREEL_RM_CONFIG_RESERVABLE_H
#define CREEL_RM_CONFIG_RESERVABLE_H

#include "base/conf/conf.h"

/* Returns true when there are reservations at all:
 * yarn.resourcemanager.reservation-system.enable. */
bool rm_reservable_is_enabled(const struct base_conf *conf);
/* Returns true when yarn.scheduler.capacity.PATH.reservable is true in the configuration itself,
 * for queues that no capacity-scheduler.xml describes. @queue: "x" and "root.x" are the same. */
bool rm_reservable_queue_is_configured(const struct base_conf *conf, const char *queue);

#endif

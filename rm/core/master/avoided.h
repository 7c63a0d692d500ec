/* rm/core/master/avoided.h - the hosts and racks from which a master wants no containers: what YARN
 * calls its blacklist. It belongs to the attempt, and does not concern the master's own container.
 * SOURCE: YARN's AppSchedulingInfo and SchedulerAppUtils. */
#ifndef CREEL_RM_CORE_MASTER_AVOIDED_H
#define CREEL_RM_CORE_MASTER_AVOIDED_H

#include "rm/core/state.h"

/* Returns true when the names in the request @ev (RM_EV_AM_ALLOCATE) are refused; the request has
 * then been answered with the error. */
bool rm_avoided_refuse_if_bad(struct rm_core *c, const struct rm_attempt *at,
                              const struct rm_event *ev);
/* Adds and removes the names in @ev. */
void rm_avoided_update(struct rm_attempt *at, const struct rm_event *ev);
/* Returns true when the host or the rack of @n is avoided. */
bool rm_avoided_has_node(const struct rm_attempt *at, const struct rm_node *n);

#endif

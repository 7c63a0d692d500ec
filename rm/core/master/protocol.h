/* rm/core/master/protocol.h - the protocol with a running master. */
#ifndef CREEL_RM_CORE_MASTER_PROTOCOL_H
#define CREEL_RM_CORE_MASTER_PROTOCOL_H

#include "rm/core/state.h"

/* Handle RM_EV_AM_REGISTER, RM_EV_AM_ALLOCATE and RM_EV_AM_FINISH. */
void rm_master_on_register(struct rm_core *c, const struct rm_event *ev);
void rm_master_on_allocate(struct rm_core *c, const struct rm_event *ev);
void rm_master_on_finish(struct rm_core *c, const struct rm_event *ev);

#endif

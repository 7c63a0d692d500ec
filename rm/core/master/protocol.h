/* rm/core/master/protocol.h - the protocol with a running master. */
#ifndef CREEL_RM_CORE_MASTER_PROTOCOL_H
#define CREEL_RM_CORE_MASTER_PROTOCOL_H

#include "rm/core/state.h"

/* Handle RM_EV_AM_REGISTER, RM_EV_AM_ALLOCATE and RM_EV_AM_FINISH. An allocate request that changes
 * what the master asks for is not answered at once, but by rm_master_answer_due_allocate(). */
void rm_master_on_register(struct rm_core *c, const struct rm_event *ev);
void rm_master_on_allocate(struct rm_core *c, const struct rm_event *ev);
void rm_master_on_finish(struct rm_core *c, const struct rm_event *ev);
/* Answers the allocate request of this step, if one waits. Call after the step's offers: containers
 * that a free slot allows are then in the answer to the request that asked for them, where YARN
 * answers with those of earlier requests, and a master waits one of its heartbeats less. */
void rm_master_answer_due_allocate(struct rm_core *c);

#endif

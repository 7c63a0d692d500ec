/* rm/term/effect_copy.h - an effect that has to wait for the store outlives the core's next step: a copy of its own,
 * one allocation, specs referenced. */
#ifndef CREEL_RM_TERM_EFFECT_COPY_H
#define CREEL_RM_TERM_EFFECT_COPY_H

#include "rm/core/core.h"

/* REPLY, HEARTBEAT, JOB_* and MAP_OUTPUT; freed by rm_effect_copy_free. */
struct rm_effect *rm_effect_copy(const struct rm_effect *fx);
void rm_effect_copy_free(struct rm_effect *copy); /* NULL is fine */

#endif

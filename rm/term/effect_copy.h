/* rm/term/effect_copy.h - copies of effects that wait for the store, and so outlive the core's next
 * step: one allocation each, with references to specs. */
#ifndef CREEL_RM_TERM_EFFECT_COPY_H
#define CREEL_RM_TERM_EFFECT_COPY_H

#include "rm/core/core.h"

/* Copies an effect of kind REPLY, HEARTBEAT or MAP_OUTPUT, with the texts and arrays that it points
 * to; the copy holds references to its job specs and launches. Free the copy with
 * rm_effect_copy_free(). */
struct rm_effect *rm_effect_copy(const struct rm_effect *fx);
void rm_effect_copy_free(struct rm_effect *copy); /* NULL is fine */

#endif

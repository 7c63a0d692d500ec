/* rm/core/effect.h - an effect as one line of text: for tests that compare runs, and for people. */
#ifndef CREEL_RM_CORE_EFFECT_H
#define CREEL_RM_CORE_EFFECT_H

#include "base/mem.h"
#include "rm/core/core.h"

/* Appends one line per effect (and one per order of a heartbeat's answer). Same effects, same
 * bytes. */
void rm_effect_print(const struct rm_effect *fx, struct base_buf *out);

#endif

/* tests/sim/effect_print.h - an effect as one line of text: for tests that compare runs. */
#ifndef CREEL_TESTS_SIM_EFFECT_PRINT_H
#define CREEL_TESTS_SIM_EFFECT_PRINT_H

#include "base/mem.h"
#include "rm/core/core.h"

/* Appends one line per effect (and one per order of a heartbeat's answer). Same effects, same
 * bytes. */
void effect_print(const struct rm_effect *fx, struct base_buf *out);

#endif

/* tests/sim/effect_print.h - an effect as text, for tests that compare runs. */
#ifndef CREEL_TESTS_SIM_EFFECT_PRINT_H
#define CREEL_TESTS_SIM_EFFECT_PRINT_H

#include "base/mem.h"
#include "rm/core/core.h"

/* Appends a line for the effect, and one for each order or container in it. Equal effects have
 * equal text. */
void effect_print(const struct rm_effect *fx, struct base_buf *out);

#endif

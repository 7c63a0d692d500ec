/* tests/unit/clock_virtual.h - a clock that goes on only when a test says so. */
#ifndef CREEL_TESTS_CLOCK_VIRTUAL_H
#define CREEL_TESTS_CLOCK_VIRTUAL_H

#include "base/clock.h"

/* The monotonic time begins at 0, the wall clock at @wall_start_us. */
void clock_virtual_init(struct base_clock *c, int64_t wall_start_us);
/* Sets the monotonic time to @to_us, which must not be earlier than now (asserted). */
void clock_virtual_advance(struct base_clock *c, int64_t to_us);

#endif

/* rm/term/core_clock.h - the core's clock: close enough to wall time for display, and steady enough
 * to measure when nodes and applications expire.
 *
 * The core's clock starts at the wall time and runs at the rate of the monotonic clock. When the
 * wall clock is ahead, the core's clock gains at most a tenth of the elapsed time, so that no
 * expiry comes more than a tenth early. When the wall clock is behind, the core's clock stays ahead
 * of it. Time never goes back. */
#ifndef CREEL_RM_TERM_CORE_CLOCK_H
#define CREEL_RM_TERM_CORE_CLOCK_H

#include <stdatomic.h>

#include "base/clock.h"

struct rm_clock {
    const struct base_clock *source;
    _Atomic int64_t offset_us; /* core time = monotonic + offset */
    int64_t looked_us;         /* monotonic time from which the next gain is measured */
};
void rm_clock_init(struct rm_clock *c, const struct base_clock *source);
/* Returns the core's time in microseconds. Any thread. */
int64_t rm_clock_now(const struct rm_clock *c);
/* Gains on a wall clock that is ahead, then returns the core's time. One thread at a time. */
int64_t rm_clock_catch_up(struct rm_clock *c);

#endif

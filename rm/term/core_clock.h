/* rm/term/core_clock.h - the core's time: displayed as wall time, yet steady enough to measure
 * expiries.
 *
 * The clock starts at the wall time and runs at the monotonic clock's rate. If the wall clock is
 * ahead, it gains at most a tenth of the elapsed time, so that no expiry comes more than a tenth
 * early; if the wall clock is behind, it waits for it. It never goes back. */
#ifndef CREEL_RM_TERM_CORE_CLOCK_H
#define CREEL_RM_TERM_CORE_CLOCK_H

#include <stdatomic.h>

#include "base/clock.h"

struct rm_clock {
    const struct base_clock *source;
    _Atomic int64_t offset_us; /* core time = monotonic + offset */
    int64_t looked_us;         /* monotonic time of the last look at the wall clock */
};
void rm_clock_init(struct rm_clock *c, const struct base_clock *source);
int64_t rm_clock_now(const struct rm_clock *c); /* any thread */
int64_t rm_clock_catch_up(
    struct rm_clock *c); /* the same, after gaining on the wall clock: one thread at a time */

#endif

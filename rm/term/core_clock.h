/* rm/term/core_clock.h - the core's time: shown as the wall clock, steady enough to measure expiries in.
 *
 * It runs at the monotonic clock's rate from where the wall stood at the start. A wall that is ahead is caught up with
 * by at most a tenth of the time that passes, so that no expiry comes more than a tenth early; a wall that is behind is
 * waited for. It never goes back. */
#ifndef CREEL_RM_TERM_CORE_CLOCK_H
#define CREEL_RM_TERM_CORE_CLOCK_H

#include <stdatomic.h>

#include "base/clock.h"

struct rm_clock {
    const struct base_clock *source;
    _Atomic int64_t offset_us; /* core time = monotonic + offset */
    int64_t looked_us;         /* monotonic: when the wall was last looked at */
};
void rm_clock_init(struct rm_clock *c, const struct base_clock *source);
int64_t rm_clock_now(const struct rm_clock *c); /* any thread */
int64_t rm_clock_catch_up(struct rm_clock *c);      /* the same after a look at the wall: one thread at a time */

#endif

/* base/clock.h - the clock as an object, so that tests can replace real time by virtual time.
 * All times are int64_t microseconds. `mono` never goes back and keeps counting while the machine
 * is suspended (CLOCK_BOOTTIME); `wall` is the time since the Unix epoch. */
#ifndef CREEL_BASE_CLOCK_H
#define CREEL_BASE_CLOCK_H

#include <stdint.h>

struct base_clock {
    int64_t (*mono_us)(const struct base_clock *);
    int64_t (*wall_us)(const struct base_clock *);
    int64_t now_us, base_us; /* state of a virtual clock (tests/unit/clock_virtual.h) */
};
extern const struct base_clock base_clock_real;
static inline int64_t base_mono_us(const struct base_clock *c)
{
    return c->mono_us(c);
}
static inline int64_t base_wall_us(const struct base_clock *c)
{
    return c->wall_us(c);
}

#define BASE_DATE_TEXT_MAX 64
/* Writes @us, microseconds since 1970 (>= 0), as "2026-11-21T20:00:05Z": UTC, with fractions of a
 * second cut off. Pure: does not use libc's time zones. Returns @out. */
const char *base_iso_utc_text(int64_t us, char out[static BASE_DATE_TEXT_MAX]);

#endif

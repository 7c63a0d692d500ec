#include "base/clock.h"

#include <time.h>

#include "base/error.h"

static int64_t read_clock_us(clockid_t id)
{
    struct timespec ts;

    base_assert(clock_gettime(id, &ts) == 0);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int64_t real_mono_us(const struct base_clock *c)
{
    (void)c;
    return read_clock_us(CLOCK_BOOTTIME);
}

static int64_t real_wall_us(const struct base_clock *c)
{
    (void)c;
    return read_clock_us(CLOCK_REALTIME);
}

const struct base_clock base_clock_real = {.mono_us = real_mono_us, .wall_us = real_wall_us};

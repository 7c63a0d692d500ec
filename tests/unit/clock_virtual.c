#include "tests/unit/clock_virtual.h"

#include "base/error.h"

static int64_t virtual_mono_us(const struct base_clock *c)
{
    return c->now_us;
}

static int64_t virtual_wall_us(const struct base_clock *c)
{
    return c->base_us + c->now_us;
}

void clock_virtual_init(struct base_clock *c, int64_t wall_start_us)
{
    *c = (struct base_clock){
        .mono_us = virtual_mono_us, .wall_us = virtual_wall_us, .base_us = wall_start_us};
}

void clock_virtual_advance(struct base_clock *c, int64_t to_us)
{
    base_assert(c->mono_us == virtual_mono_us);
    base_assert(to_us >= c->now_us);
    c->now_us = to_us;
}

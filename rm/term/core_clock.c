#include "rm/term/core_clock.h"

#define CATCH_UP 10 /* the clock gains at most 1/CATCH_UP of the elapsed time */

void rm_clock_init(struct rm_clock *c, const struct base_clock *source)
{
    c->source = source;
    c->looked_us = base_mono_us(source);
    atomic_init(&c->offset_us, base_wall_us(source) - c->looked_us);
}

int64_t rm_clock_now(const struct rm_clock *c)
{
    return base_mono_us(c->source) + atomic_load_explicit(&c->offset_us, memory_order_relaxed);
}

int64_t rm_clock_catch_up(struct rm_clock *c)
{
    int64_t mono = base_mono_us(c->source), ahead = base_wall_us(c->source) - mono;
    int64_t offset = atomic_load_explicit(&c->offset_us, memory_order_relaxed);
    int64_t most = (mono - c->looked_us) / CATCH_UP;

    if (ahead <= offset) {
        c->looked_us = mono;
    } else if (most > 0) { /* otherwise too little time has passed to gain anything */
        offset = ahead - offset > most ? offset + most : ahead;
        atomic_store_explicit(&c->offset_us, offset, memory_order_relaxed);
        c->looked_us = mono;
    }
    return mono + offset;
}

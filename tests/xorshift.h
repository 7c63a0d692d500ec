/* tests/xorshift.h - random numbers that are the same on every machine. */
#ifndef CREEL_TESTS_XORSHIFT_H
#define CREEL_TESTS_XORSHIFT_H

#include <stdint.h>

/* Advances *@state, which must not be 0, and returns it. SOURCE: Marsaglia, "Xorshift RNGs",
 * Journal of Statistical Software 8, 2003. */
static inline uint64_t xorshift_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif

/* base/sat.h - sums, differences and products of int64_t that stop at INT64_MIN and INT64_MAX
 * instead of overflowing: for totals that grow over the life of a cluster, and for numbers that
 * other processes report. */
#ifndef CREEL_BASE_SAT_H
#define CREEL_BASE_SAT_H

#include <stdint.h>

static inline int64_t base_sat_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t base_sat_sub(int64_t a, int64_t b)
{
    int64_t rest;

    if (!__builtin_sub_overflow(a, b, &rest))
        return rest;
    return b < 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t base_sat_mul(int64_t a, int64_t b)
{
    int64_t product;

    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

#endif

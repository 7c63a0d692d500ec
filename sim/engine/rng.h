/* sim/engine/rng.h - random numbers by seed, the same on every machine: integers and plain double
 * arithmetic, no libm.
 *
 * Two forms: a hash of (seed, a, b), for values that belong to an object (the duration of a task)
 * whatever the order in which they are needed; and a sequence, for making workloads. SOURCE:
 * Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (the mix of
 * SplitMix64). */
#ifndef CREEL_SIM_ENGINE_RNG_H
#define CREEL_SIM_ENGINE_RNG_H

#include <stdint.h>

static inline uint64_t sim_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}
static inline uint64_t sim_hash(uint64_t seed, uint64_t a, uint64_t b)
{
    return sim_mix(sim_mix(sim_mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ a) * 3 +
                   b * UINT64_C(0xd1342543de82ef95));
}
/* Maps random bits to (0, 1): never 0, never 1. */
static inline double sim_bits_to_unit(uint64_t x)
{
    return ((double)(x >> 12) + 0.5) * (1.0 / 4503599627370496.0);
}
/* Maps random bits to 0..@n-1; @n > 0. */
static inline uint64_t sim_bits_to_below(uint64_t x, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)x * n) >> 64);
}

double sim_math_log(double x);                /* natural logarithm of x > 0 */
double sim_math_exp(double x);                /* |x| < 700 */
double sim_math_normal_quantile(double unit); /* quantile of the standard normal distribution */

/* ---- a sequence ---- */
struct sim_rng {
    uint64_t state;
};
struct sim_rng sim_rng_seed(uint64_t seed,
                            uint64_t purpose); /* sequences of different pairs are independent */
uint64_t sim_rng_next(struct sim_rng *r);
double sim_rng_unit(struct sim_rng *r);                                /* (0, 1) */
uint64_t sim_rng_below(struct sim_rng *r, uint64_t n);                 /* 0..n-1 */
int64_t sim_rng_between(struct sim_rng *r, int64_t low, int64_t high); /* both ends included */
double sim_rng_exponential(struct sim_rng *r, double mean);
double sim_rng_log_uniform(struct sim_rng *r, double low, double high); /* 0 < low <= high */

#endif

/* Plain arithmetic only: results of libm may differ in the last bit between processors, and a
 * simulation would then differ too. */
#include "sim/engine/rng.h"

#include <stddef.h>
#include <string.h>

#define LN2_HIGH                                                                                   \
    6.93147180369123816490e-01 /* its last 21 bits are 0: a product with a small integer is exact  \
                                */
#define LN2_LOW 1.90821492927058770002e-10

/* x = m * 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m-1)/(m+1)), by its series. */
double sim_math_log(double x)
{
    static const double odd[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    uint64_t bits;
    int64_t e;
    double m, s, z, sum = 0;

    memcpy(&bits, &x, sizeof bits);
    e = (int64_t)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
    memcpy(&m, &bits, sizeof m);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        e++;
    }
    s = (m - 1) / (m + 1);
    z = s * s;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        sum = sum * z + odd[i];
    return (double)e * LN2_HIGH + (2 * s * sum + (double)e * LN2_LOW);
}

/* 2^(i/32) */
static const double two_to[32] = {
    1,
    1.0218971486541166,
    1.0442737824274138,
    1.0671404006768237,
    1.0905077326652577,
    1.1143867425958924,
    1.1387886347566916,
    1.1637248587775775,
    1.189207115002721,
    1.215247359980469,
    1.241857812073484,
    1.2690509571917332,
    1.2968395546510096,
    1.3252366431597413,
    1.3542555469368927,
    1.383909881963832,
    1.4142135623730951,
    1.4451808069770467,
    1.4768261459394993,
    1.5091644275934228,
    1.5422108254079407,
    1.5759808451078865,
    1.6104903319492543,
    1.6457554781539649,
    1.681792830507429,
    1.7186192981224779,
    1.7562521603732995,
    1.7947090750031072,
    1.8340080864093424,
    1.8741676341103,
    1.9152065613971474,
    1.9571441241754002,
};

/* exp(x) = 2^n * 2^(i/32) * exp(r), |r| <= ln 2 / 64: seven terms of Taylor's series. */
double sim_math_exp(double x)
{
    double n = x * (32 * 1.44269504088896338700), r, sum, two;
    int64_t whole = (int64_t)(n < 0 ? n - 0.5 : n + 0.5);
    uint64_t bits = (uint64_t)((whole >> 5) + 1023) << 52;

    r = x - (double)whole * (LN2_HIGH / 32) - (double)whole * (LN2_LOW / 32);
    sum = 1 + r * (1 + r * (1.0 / 2 +
                            r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720))))));
    memcpy(&two, &bits, sizeof two);
    return two_to[whole & 31] * sum * two;
}

/* Square root by Newton's method, starting with half the exponent; accurate to a few units in the
 * last place. */
static double square_root(double x)
{
    uint64_t bits;
    double r;

    memcpy(&bits, &x, sizeof bits);
    bits = (bits >> 1) + UINT64_C(0x1ff8000000000000);
    memcpy(&r, &bits, sizeof r);
    for (int i = 0; i < 5; i++)
        r = 0.5 * (r + x / r);
    return r;
}

/* SOURCE: Acklam, "An algorithm for computing the inverse normal cumulative distribution function",
 * 2003: two rational approximations, relative error below 1.15e-9. */
double sim_math_normal_quantile(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    double tail = p < 0.5 ? p : 1 - p, q, r, x;

    if (tail >= 0.02425) {
        q = p - 0.5;
        r = q * q;
        return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
               (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    q = square_root(-2 * sim_math_log(tail));
    x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
        ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    return p < 0.5 ? x : -x;
}

/* ---------------------------------------------------------------- a sequence */
struct sim_rng sim_rng_seed(uint64_t seed, uint64_t purpose)
{
    return (struct sim_rng){sim_hash(seed, purpose, UINT64_C(0x5eed))};
}

uint64_t sim_rng_next(struct sim_rng *r)
{
    return sim_mix(r->state += UINT64_C(0x9e3779b97f4a7c15));
}

double sim_rng_unit(struct sim_rng *r)
{
    return sim_bits_to_unit(sim_rng_next(r));
}

uint64_t sim_rng_below(struct sim_rng *r, uint64_t n)
{
    return sim_bits_to_below(sim_rng_next(r), n);
}

int64_t sim_rng_between(struct sim_rng *r, int64_t low, int64_t high)
{
    return low + (int64_t)sim_rng_below(r, (uint64_t)(high - low) + 1);
}

double sim_rng_exponential(struct sim_rng *r, double mean)
{
    return -mean * sim_math_log(sim_rng_unit(r));
}

double sim_rng_log_uniform(struct sim_rng *r, double low, double high)
{
    double l = sim_math_log(low);

    return sim_math_exp(l + (sim_math_log(high) - l) * sim_rng_unit(r));
}

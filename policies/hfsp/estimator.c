#include "policies/hfsp/estimator.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

/* ---- the normal quantile: Wichura's AS 241 (PPND16), about 16 digits ---- */
static double rational_function(const double num[8], const double den[8], double r)
{
    double a = num[7], b = den[7];

    for (int i = 6; i >= 0; i--) {
        a = a * r + num[i];
        b = b * r + den[i];
    }
    return a / b;
}

double estimator_normal_quantile(double p)
{
    static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    double q = p - 0.5, r, z;

    base_assert(p > 0 && p < 1);
    if (q >= -0.425 && q <= 0.425)
        return q * rational_function(a, b, 0.180625 - q * q);
    r = sqrt(-log(q < 0 ? p : 1 - p));
    z = r <= 5 ? rational_function(c, d, r - 1.6) : rational_function(e, f, r - 5);
    return q < 0 ? -z : z;
}

/* ---- fitting ---- */
static int compare_ascending(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

/* Returns the horizontal coordinate, at probability @p, in which the family is a straight line. */
static double line_abscissa(enum estimator_family family, double p)
{
    switch (family) {
    case ESTIMATOR_NORMAL:
    case ESTIMATOR_LOGNORMAL:
        return estimator_normal_quantile(p);
    case ESTIMATOR_EXPONENTIAL:
        return -log(1 - p);
    case ESTIMATOR_WEIBULL:
        return log(-log(1 - p));
    case ESTIMATOR_UNIFORM:
    case ESTIMATOR_MEAN:
    case ESTIMATOR_FAMILIES:
        break;
    }
    return p;
}

static bool is_logarithmic(enum estimator_family family)
{
    return family == ESTIMATOR_LOGNORMAL || family == ESTIMATOR_WEIBULL;
}

static double line_ordinate(enum estimator_family family, int64_t x)
{
    return is_logarithmic(family) ? log((double)(x > 0 ? x : 1)) : (double)x;
}

static void fit_mean(struct estimator_fit *fit, const int64_t *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    *fit = (struct estimator_fit){.family = ESTIMATOR_MEAN, .a = sum / (double)n};
}

static void fit_line(struct estimator_fit *fit, const int64_t *x, size_t n)
{
    double h_mean = 0, v_mean = 0, hh = 0, hv = 0, s = (double)n;
    bool origin = fit->family == ESTIMATOR_EXPONENTIAL;

    for (size_t i = 0; i < n && !origin; i++) {
        h_mean += line_abscissa(fit->family, ((double)i + 0.5) / s) / s;
        v_mean += line_ordinate(fit->family, x[i]) / s;
    }
    for (size_t i = 0; i < n; i++) {
        double h = line_abscissa(fit->family, ((double)i + 0.5) / s) - h_mean;

        hh += h * h;
        hv += h * (line_ordinate(fit->family, x[i]) - v_mean);
    }
    fit->b = hv / hh;
    fit->a = v_mean - fit->b * h_mean;
}

void estimator_fit(struct estimator_fit *fit, enum estimator_family family, int64_t *x, size_t n)
{
    base_assert(n > 0);
    qsort(x, n, sizeof *x, compare_ascending);
    if (family == ESTIMATOR_MEAN || x[0] == x[n - 1]) {
        fit_mean(fit, x, n);
        return;
    }
    fit->family = family;
    fit_line(fit, x, n);
}

/* ---- results ---- */
double estimator_quantile(const struct estimator_fit *fit, double p)
{
    double v;

    if (fit->family == ESTIMATOR_MEAN)
        return fit->a;
    v = fit->a + fit->b * line_abscissa(fit->family, p);
    if (is_logarithmic(fit->family))
        return exp(v);
    return v > 0 ? v : 0;
}

/* Returns the sum of the quantiles of tasks @from to @to (of @tasks), computed from at most @points
 * points. */
static double sum_quantiles(const struct estimator_fit *fit, int32_t from, int32_t to,
                            int32_t tasks, int32_t points)
{
    int32_t n = to - from < points ? to - from : points;
    double step = (double)(to - from) / n, total = 0;

    for (int32_t i = 0; i < n; i++)
        total += estimator_quantile(fit, (from + (i + 0.5) * step) / tasks);
    return total * step;
}

double estimator_total_duration_us(const struct estimator_fit *fit, int32_t tasks)
{
    if (tasks <= 0)
        return 0;
    if (fit->family == ESTIMATOR_MEAN)
        return fit->a * tasks;
    return sum_quantiles(fit, 0, tasks, tasks, ESTIMATOR_POINTS);
}

size_t estimator_make_runs(const struct estimator_fit *fit, int32_t tasks, double total_us,
                           struct virtual_run runs[ESTIMATOR_RUNS])
{
    int32_t n = tasks < ESTIMATOR_RUNS ? tasks : ESTIMATOR_RUNS, from = 0;
    double all = 0;

    if (tasks <= 0 || total_us <= 0)
        return 0;
    if (fit->family == ESTIMATOR_MEAN) {
        runs[0] = (struct virtual_run){tasks, total_us / tasks};
        return 1;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t to = (int32_t)((int64_t)tasks * (i + 1) / n);
        double part = sum_quantiles(fit, from, to, tasks, ESTIMATOR_POINTS / ESTIMATOR_RUNS);

        runs[i] = (struct virtual_run){to - from, part / (to - from)};
        all += part;
        from = to;
    }
    for (int32_t i = 0; i < n; i++)
        runs[i].left_us = all > 0 ? runs[i].left_us * total_us / all : total_us / tasks;
    return (size_t)n;
}

int64_t estimator_project_duration_us(int64_t elapsed_us, double p)
{
    base_assert(p > 0);
    return (int64_t)((double)elapsed_us / p + 0.5);
}

double estimator_reduce_function_progress(double score)
{
    double p = 3 * (score - 2.0 / 3);

    return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* policies/hfsp/estimator.h - estimates the durations of a job's tasks from a sample of them.
 *
 * First order: every task lasts the mean of the sample. General: a family of distributions is
 * fitted to the points (x_(i), (i - 0.5)/s) of the sample's empirical distribution by least squares
 * on a straight line, and task k of n lasts the quantile at (k - 0.5)/n:
 *   uniform      x      = a + (b - a) F
 *   normal       x      = mu + sigma z(F)              z: the standard normal quantile
 *   lognormal    ln x   = mu + sigma z(F)
 *   exponential  x      = mean * -ln(1 - F)            a line through the origin
 *   weibull      ln x   = ln scale + (1/shape) ln(-ln(1 - F))
 * A sample that shows no spread (one value, or all equal) is fitted by its mean.
 *
 * Units: microseconds. The functions keep no state.
 * SOURCE: Pastorelli et al., HFSP, arXiv:1302.2749, section 3.2 (the training module's estimator);
 * the normal quantile: Wichura, algorithm AS 241, Applied Statistics 37 (1988). */
#ifndef CREEL_POLICIES_HFSP_ESTIMATOR_H
#define CREEL_POLICIES_HFSP_ESTIMATOR_H

#include <stddef.h>
#include <stdint.h>

#include "policies/hfsp/virtual_cluster.h"

enum estimator_family {
    ESTIMATOR_MEAN,
    ESTIMATOR_UNIFORM,
    ESTIMATOR_NORMAL,
    ESTIMATOR_LOGNORMAL,
    ESTIMATOR_EXPONENTIAL,
    ESTIMATOR_WEIBULL,
    ESTIMATOR_FAMILIES
};
/* names in the order of the enum */
#define ESTIMATOR_WORDS "mean,uniform,normal,lognormal,exponential,weibull"
#define ESTIMATOR_RUNS  16 /* largest number of runs that describe the tasks of a job */

struct estimator_fit {
    enum estimator_family family; /* MEAN: also when the sample shows no spread */
    double a, b; /* the line: uniform a, b - a; normal and lognormal mu, sigma; exponential 0, mean;
                    weibull ln scale, 1/shape; mean: a */
};

/* Fits the family to the sample @x[0..n), n > 0, which is sorted in place. */
void estimator_fit(struct estimator_fit *fit, enum estimator_family family, int64_t *x, size_t n);
/* Returns the quantile at @p in (0,1), never below 0. */
double estimator_quantile(const struct estimator_fit *fit, double p);
/* Returns the sum of the durations of @tasks tasks: over all of them up to ESTIMATOR_POINTS tasks,
 * otherwise approximated by ESTIMATOR_POINTS quantiles. */
#define ESTIMATOR_POINTS 4096
double estimator_total_duration_us(const struct estimator_fit *fit, int32_t tasks);
/* Describes the durations of @tasks tasks by at most ESTIMATOR_RUNS runs in increasing order, each
 * with the mean of its tasks, scaled so that the sum is @total_us. Returns the number of runs; 0
 * when there are no tasks or no work. */
size_t estimator_make_runs(const struct estimator_fit *fit, int32_t tasks, double total_us,
                           struct virtual_run runs[ESTIMATOR_RUNS]);
/* Returns the quantile of the standard normal distribution at @p in (0,1). */
double estimator_normal_quantile(double p);
/* Returns the duration of a reduce function that has consumed the part @p (> 0) of its input in
 * @elapsed_us. */
int64_t estimator_project_duration_us(int64_t elapsed_us, double p);
/* Returns the progress of the reduce function, 0 to 1, from a reduce's score (a third each for
 * shuffle, sort and function). */
double estimator_reduce_function_progress(double score);

#endif

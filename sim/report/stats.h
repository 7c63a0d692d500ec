/* sim/report/stats.h - from outcomes to figures: by class, over seeds, with confidence intervals;
 * percentiles and distributions.
 *
 *     outcome --sim_figures_compute()--> figures of one run, by class
 *             --sim_seed_summary_add_run()--> mean and interval over seeds
 *
 * Every figure is an entry of enum sim_metric; CSV and JSON contain all of them, tables and
 * pictures a selection. Of the figures by class, rejected jobs count only in jobs and accepted, and
 * in the mean size.
 *
 * SOURCE of the terms: Pastorelli et al., "HFSP", 2013 (sojourn); Cheriere et al., SAC 2016
 * (waiting, execution); He, Lu, Swanson, HPCC 2013 (accepted, success, utilisation). Slowdown: a
 * job's sojourn divided by its sojourn alone on the empty cluster with all data local
 * (sim_spec.alone). */
#ifndef CREEL_SIM_REPORT_STATS_H
#define CREEL_SIM_REPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/result.h"
#include "sim/run.h"

enum sim_metric {
    SIM_M_JOBS,
    SIM_M_SOJOURN,
    SIM_M_SOJOURN_MEDIAN,
    SIM_M_SOJOURN_P95,
    SIM_M_WAITING,
    SIM_M_EXECUTION,
    SIM_M_SLOWDOWN, /* mean; needs the outcome of the jobs run alone */
    /* per cent of the launches of maps with located splits; rack-local includes node-local */
    SIM_M_NODE_LOCAL,
    SIM_M_RACK_LOCAL,
    SIM_M_KILLS,
    SIM_M_SUSPENSIONS,
    SIM_M_ACCEPTED, /* per cent of all jobs */
    SIM_M_SUCCESS,  /* deadlines met: per cent of the accepted jobs with a deadline */
    /* figures of the whole run, not by class */
    SIM_M_UTILISATION_MAP,
    SIM_M_UTILISATION_REDUCE,
    SIM_M_UTILISATION,
    SIM_M_UTILISATION_MET,
    SIM_M_MAKESPAN, /* from first submission to last end */
    SIM_M_LOST,     /* slot time of killed attempts */
    /* lower bound of the mean sojourn; mean sojourn divided by it */
    SIM_M_BOUND,
    SIM_M_BOUND_RATIO,
    SIM_METRICS
};
struct sim_metric_info {
    const char *key;   /* in CSV and JSON, such as "sojourn_mean_s" */
    const char *title; /* in tables and on axes, such as "mean sojourn" */
    const char *unit;  /* "s", "%", "" */
    int digits;        /* decimals in text and HTML tables */
    bool whole;        /* only defined for the whole run */
};
extern const struct sim_metric_info sim_metric_infos[SIM_METRICS];

/* ---------------------------------------------------------------- one run */
#define SIM_CLASS_ALL "all"
struct sim_figures {         /* of all jobs or of one class; NAN where a figure does not apply */
    char name[SIM_TEXT_MAX]; /* SIM_CLASS_ALL or the class */
    /* mean number of maps (of reduces if there are no maps); orders the classes */
    double size;
    double v[SIM_METRICS];
};
struct sim_run_figures {
    struct sim_figures *v; /* [0]: all jobs; then classes by size, smallest first */
    size_t n;
};
/* Computes the figures of outcome @o. @alone: the outcome of the same jobs run alone, matched by
 * id; NULL: no slowdown. */
void sim_figures_compute(const struct sim_outcome *o, const struct sim_outcome *alone,
                         struct sim_run_figures *out);
void sim_figures_free(struct sim_run_figures *f);

/* ---------------------------------------------------------------- several runs (seeds) */
struct sim_class_summary {
    char name[SIM_TEXT_MAX];
    double size;
    /* n: the runs in which the figure applied; interval: sim_stat_ci95_half_width() */
    struct sim_stat v[SIM_METRICS];
};
struct sim_seed_summary { /* zeroed: empty */
    struct sim_class_summary *v;
    size_t n, cap;
    size_t runs;
};
void sim_seed_summary_add_run(struct sim_seed_summary *s, const struct sim_run_figures *run);
const struct sim_class_summary *sim_seed_summary_find_class(const struct sim_seed_summary *s,
                                                            const char *class_name);
void sim_seed_summary_free(struct sim_seed_summary *s);

/* ---------------------------------------------------------------- samples */
struct sim_samples { /* zeroed: empty */
    double *v;
    size_t n, cap;
};
void sim_samples_add(struct sim_samples *s, double x);
void sim_samples_sort(struct sim_samples *s);
void sim_samples_free(struct sim_samples *s);
/* The quantile @p in [0,1] of sorted samples, interpolated linearly. NAN if there are no
 * samples. */
double sim_samples_quantile(const struct sim_samples *s, double p);
double sim_samples_mean(const struct sim_samples *s); /* NAN if there are no samples */
/* The distribution of sorted samples as at most @max points (@max >= 2), including the first and
 * the last: y[i] is the rank of x[i] divided by the number of samples. Returns the number of
 * points. */
size_t sim_samples_cdf(const struct sim_samples *s, size_t max, double *x, double *y);

#endif

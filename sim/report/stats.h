/* sim/report/stats.h - from outcomes to figures: by class, over seeds, with intervals; percentiles and distributions.
 *
 *     outcome --sim_figures_of()--> figures of a run, by class --sim_summary_add_run()--> mean and interval over seeds
 *
 * Every figure is a row of one table (sim_metric): tables, CSV, JSON and pictures are loops over it.
 * Jobs that were refused count in jobs, accepted and success alone.
 * SOURCE of the words: Pastorelli et al., "HFSP", 2013 (sojourn); Cheriere et al., SAC 2016 (waiting, execution); He, Lu,
 * Swanson, HPCC 2013 (accepted, success, utilisation). Slowdown: sojourn over that alone on the empty cluster
 * with all data near (sim_spec.alone). */
#ifndef CREEL_SIM_REPORT_STATS_H
#define CREEL_SIM_REPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/result.h"
#include "sim/run.h"

enum sim_metric {
    SIM_M_JOBS,
    SIM_M_SOJOURN, SIM_M_SOJOURN_MEDIAN, SIM_M_SOJOURN_P95,
    SIM_M_WAITING, SIM_M_EXECUTION,
    SIM_M_SLOWDOWN,      /* mean; needs outcomes of jobs alone */
    SIM_M_NODE_LOCAL, SIM_M_RACK_LOCAL, /* of launches of maps with places; in the rack: those on the node too */
    SIM_M_KILLS, SIM_M_SUSPENSIONS,
    SIM_M_ACCEPTED, SIM_M_SUCCESS,      /* of jobs; of accepted jobs with a deadline */
    /* of the whole run: not by class */
    SIM_M_UTILISATION_MAP, SIM_M_UTILISATION_REDUCE, SIM_M_UTILISATION, SIM_M_UTILISATION_MET,
    SIM_M_MAKESPAN,      /* of the workload */
    SIM_M_LOST,          /* slot time of killed attempts */
    SIM_M_BOUND, SIM_M_BOUND_RATIO, /* lower bound of the mean sojourn; mean sojourn over it */
    SIM_METRICS
};
struct sim_metric_info {
    const char *key;   /* in CSV and JSON: "sojourn_mean_s" */
    const char *title; /* in tables and on axes: "mean sojourn" */
    const char *unit;  /* "s", "%", "" */
    int digits;        /* behind the point, in tables for people */
    bool whole;        /* of the whole run alone */
};
extern const struct sim_metric_info sim_metric_infos[SIM_METRICS];

/* ---------------------------------------------------------------- of a run */
#define SIM_CLASS_ALL "all"
struct sim_figures { /* of all jobs, or of a class; NAN where a figure does not apply */
    char name[SIM_TEXT_MAX]; /* SIM_CLASS_ALL, or the class */
    double size;             /* mean number of maps (of reduces, without maps): the order of classes */
    double v[SIM_METRICS];
};
struct sim_run_figures {
    struct sim_figures *v; /* [0]: all; then classes by size, smallest first */
    size_t n;
};
/* @alone: the outcome of the same jobs each alone, by id; NULL: no slowdown. */
void sim_figures_of(const struct sim_outcome *o, const struct sim_outcome *alone, struct sim_run_figures *out);
void sim_figures_free(struct sim_run_figures *f);

/* ---------------------------------------------------------------- over runs (seeds) */
struct sim_figures_over {
    char name[SIM_TEXT_MAX];
    double size;
    struct sim_stat v[SIM_METRICS]; /* n: runs in which it applied; sim_stat_half95 */
};
struct sim_over { /* zero to begin with */
    struct sim_figures_over *v;
    size_t n, cap;
    size_t runs;
};
void sim_over_add(struct sim_over *s, const struct sim_run_figures *run);
const struct sim_figures_over *sim_over_find(const struct sim_over *s, const char *class_name);
void sim_over_free(struct sim_over *s);

/* ---------------------------------------------------------------- samples */
struct sim_samples { /* zero to begin with */
    double *v;
    size_t n, cap;
};
void sim_samples_add(struct sim_samples *s, double x);
void sim_samples_sort(struct sim_samples *s);
void sim_samples_free(struct sim_samples *s);
/* @p in [0,1], between the neighbours by a straight line; of sorted samples. NAN without any. */
double sim_samples_at(const struct sim_samples *s, double p);
double sim_samples_mean(const struct sim_samples *s); /* NAN without any */
/* Share of samples <= @x, of sorted samples. */
double sim_samples_share(const struct sim_samples *s, double x);
/* The distribution of sorted samples as at most @max points (@max >= 2), first and last included: y[i] = share <= x[i].
 * Returns how many. */
size_t sim_samples_cdf(const struct sim_samples *s, size_t max, double *x, double *y);

#endif

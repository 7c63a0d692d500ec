/* sim/report/results.h - results of many runs in their order: variations of a parameter x policies, each over seeds.
 *
 * What output and report are made of. Runs are added one by one and need not be kept. */
#ifndef CREEL_SIM_REPORT_RESULTS_H
#define CREEL_SIM_REPORT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/run.h"
#include "sim/report/stats.h"

struct sim_cell { /* a policy under a variation */
    struct sim_over over;
    struct sim_run_figures *runs; /* by seed, in order */
    uint64_t *seeds;
    size_t runs_n, runs_cap;
    struct sim_cell_class { /* sojourns of accepted jobs over all seeds; [0]: all */
        char name[SIM_TEXT_MAX];
        struct sim_samples sojourn_s;
    } *classes;
    size_t classes_n, classes_cap;
    struct sim_cell_job { /* of all seeds */
        uint64_t seed, id;
        double sojourn_s;
    } *jobs;
    size_t jobs_n, jobs_cap;
    struct sim_usage *usage; /* of the first seed; NULL: none */
    uint64_t usage_seed;
    double cpu_s;
};
struct sim_results {
    const char *axis;               /* what varies: "nodes"; NULL: nothing */
    const char *const *variations;  /* "20", ...: variations_n; with several parameters "nodes=20 hfsp.xi=1" */
    const double *values;           /* the same as numbers; NULL: they are none, or there are several parameters */
    size_t variations_n;            /* 1 when nothing varies */
    const char *const *policies;
    size_t policies_n;
    struct sim_cell *cells;         /* variations x policies */
};
/* All pointers are borrowed. */
void sim_results_init(struct sim_results *r, const char *const *policies, size_t policies_n,
                      const char *const *variations, size_t variations_n);
struct sim_cell *sim_results_cell(const struct sim_results *r, size_t variation, size_t policy);
/* Takes o->usage of the first run of a cell that has one. @alone as in sim_figures_of. */
void sim_results_add(struct sim_results *r, size_t variation, size_t policy, uint64_t seed, struct sim_outcome *o,
                     const struct sim_outcome *alone);
void sim_results_free(struct sim_results *r);

#endif

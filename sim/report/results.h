/* sim/report/results.h - the results of many runs: a cell for each variation of a parameter and
 * each policy, over all seeds.
 *
 * Output and reports are made from this table. Outcomes are added one by one and need not be
 * kept. */
#ifndef CREEL_SIM_REPORT_RESULTS_H
#define CREEL_SIM_REPORT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/report/stats.h"
#include "sim/run.h"

struct sim_cell { /* one policy under one variation */
    struct sim_seed_summary summary;
    struct sim_run_figures *runs; /* one per seed, in the order added */
    uint64_t *seeds;
    size_t runs_n, runs_cap;
    struct sim_cell_class { /* sojourns of accepted jobs over all seeds; [0]: all jobs */
        char name[SIM_TEXT_MAX];
        struct sim_samples sojourn_s;
    } * classes;
    size_t classes_n, classes_cap;
    struct sim_cell_job { /* accepted jobs of all seeds */
        uint64_t seed, id;
        double sojourn_s;
    } * jobs;
    size_t jobs_n, jobs_cap;
    struct sim_usage *usage; /* of the first run added that recorded it; NULL: none did */
    uint64_t usage_seed;
    double cpu_s;
};
struct sim_results {
    const char *axis; /* the varied parameter, such as "nodes"; "variation": several; NULL: none */
    /* values such as "20"; with several parameters "nodes=20 hfsp.xi=1" */
    const char *const *variations;
    /* the variations as numbers; NULL: not numeric, or several parameters */
    const double *values;
    size_t variations_n; /* 1 if nothing varies */
    const char *const *policies;
    size_t policies_n;
    struct sim_cell *cells; /* variations times policies */
};
/* Prepares an empty table. The names are borrowed and must outlive @r. The caller may set axis and
 * values afterwards. */
void sim_results_init(struct sim_results *r, const char *const *policies, size_t policies_n,
                      const char *const *variations, size_t variations_n);
struct sim_cell *sim_results_cell(const struct sim_results *r, size_t variation, size_t policy);
/* Adds the outcome of one run. Takes over o->usage if the cell has none yet. @alone as in
 * sim_figures_compute(). */
void sim_results_add_run(struct sim_results *r, size_t variation, size_t policy, uint64_t seed,
                         struct sim_outcome *o, const struct sim_outcome *alone);
void sim_results_free(struct sim_results *r);

#endif

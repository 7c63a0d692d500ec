/* sim/report/report.h - the folder of a report: index.html with tables and pictures, the numbers beside.
 *
 *     DIR/index.html  DIR/NAME.svg  DIR/data/ (numbers and gnuplot's commands)
 *
 * Pictures: distribution of sojourns by class and policy; locality by class; slots over time; mean sojourn with intervals;
 * a parameter against mean sojourn (sweeps); how much shorter each job's sojourn is than under the first policy.
 * SOURCE of the forms: Zaharia et al., EuroSys 2010, figs. 5, 6, 11; Pastorelli et al., "HFSP", 2013, figs. 3, 4, 5, 7. */
#ifndef CREEL_SIM_REPORT_REPORT_H
#define CREEL_SIM_REPORT_REPORT_H

#include "base/error.h"
#include "sim/report/page.h"
#include "sim/report/picture.h"
#include "sim/report/results.h"

/* Needs gnuplot (sim_picture_check). @facts: what the run was, for the head of the page. */
int sim_report_write(const char *dir, const struct sim_results *r, const char *title, const char *const (*facts)[2],
                     size_t facts_n, struct base_error *err);

#endif

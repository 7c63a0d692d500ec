/* sim/report/report.h - writes a report into a folder: a page with tables and pictures, and the
 * numbers behind the pictures.
 *
 *     DIR/index.html  DIR/NAME.svg  DIR/data/ (numbers and gnuplot commands)
 *
 * Pictures: distribution of sojourns by class and policy; by class, the mean sojourn with its
 * interval, locality, slowdown and, if jobs have deadlines, accepted jobs and deadlines met; slots
 * over time; mean sojourn, locality and utilisation against a swept parameter; speed-up of each job
 * and class over the first policy.
 *
 * SOURCE of the kinds of pictures: Zaharia et al., EuroSys 2010, figs. 5, 6, 11; Pastorelli et al.,
 * "HFSP", 2013, figs. 3, 4, 5, 7. */
#ifndef CREEL_SIM_REPORT_REPORT_H
#define CREEL_SIM_REPORT_REPORT_H

#include "base/error.h"
#include "sim/report/page.h"
#include "sim/report/picture.h"
#include "sim/report/results.h"

/* Writes the report of @r into @dir. Needs gnuplot (sim_picture_check_gnuplot()). @facts: pairs of
 * name and value that describe the run, shown at the top of the page. Returns 0, or negative with
 * @err. */
int sim_report_write(const char *dir, const struct sim_results *r, const char *title,
                     const char *const (*facts)[2], size_t facts_n, struct base_error *err);

#endif

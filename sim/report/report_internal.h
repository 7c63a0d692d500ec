/* sim/report/report_internal.h - a report under construction. Only sim/report/report.c and
 * sim/report/figures.c include this header. */
#ifndef CREEL_SIM_REPORT_REPORT_INTERNAL_H
#define CREEL_SIM_REPORT_REPORT_INTERNAL_H

#include "sim/report/report.h"

struct report {
    const char *dir;
    const struct sim_results *r;
    struct sim_page page;
    char prefix[32]; /* of picture file names: "v2-" for the second of several variations */
    int failed;
    struct base_error *err;
};

/* Returns @name for display: "(no class)" if it is empty. */
const char *report_class_label(const char *name);
/* Draws the picture, with w->prefix before its file name, and embeds it in the page. Skips pictures
 * without data. Returns 0 or a negative error, which is also stored in w->failed; once that is set,
 * the function draws nothing and returns the same error. */
int report_draw_picture(struct report *w, const struct sim_picture *p, const char *caption);

/* Draws bars by class for variation @v: mean sojourn, locality, slowdown and deadlines. */
void report_draw_class_bars(struct report *w, size_t v);
/* Draws the distributions of sojourns under variation @v, one picture per class. */
void report_draw_distributions(struct report *w, size_t v);
/* Draws the speed-up of jobs and classes over the first policy under variation @v. */
void report_draw_speedups(struct report *w, size_t v);
/* Draws the slots in use over time under variation @v, for the first seed. */
void report_draw_slot_usage(struct report *w, size_t v);
/* Draws mean sojourn, locality and utilisation against the varied parameter. */
void report_draw_sweep(struct report *w);

#endif

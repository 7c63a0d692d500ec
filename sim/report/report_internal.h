/* sim/report/report_internal.h - a report under construction. Only sim/report/report.c and
 * sim/report/figures.c include this header. */
#ifndef CREEL_SIM_REPORT_REPORT_INTERNAL_H
#define CREEL_SIM_REPORT_REPORT_INTERNAL_H

#include "sim/report/report.h"

struct report {
    const char *dir;
    const struct sim_results *r;
    struct sim_page page;
    char prefix[32]; /* for file names of pictures: the variation */
    int failed;
    struct base_error *err;
};

/* A class name for display, also for the class without a name. */
const char *report_class_label(const char *name);
/* Draws the picture, with w->prefix before its file name, and embeds it in the page. Skips pictures
 * without data. After a failure it does nothing and returns the error again. */
int report_draw_picture(struct report *w, const struct sim_picture *p, const char *caption);

/* Pictures of variation @v: */
/* mean sojourn, locality, slowdown and deadlines by class */
void report_draw_class_bars(struct report *w, size_t v);
void report_draw_distributions(struct report *w, size_t v); /* distributions of sojourns by class */
/* comparison with the first policy */
void report_draw_speedups(struct report *w, size_t v);
void report_draw_slot_usage(struct report *w, size_t v); /* slots over time */
/* Picture over all variations: */
void report_draw_sweep(struct report *w);

#endif

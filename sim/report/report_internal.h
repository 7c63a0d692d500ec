/* sim/report/report_internal.h - a report while it is written. Only sim/report/report.c and sim/report/figures.c include this. */
#ifndef CREEL_SIM_REPORT_REPORT_INTERNAL_H
#define CREEL_SIM_REPORT_REPORT_INTERNAL_H

#include "sim/report/report.h"

struct report {
    const char *dir;
    const struct sim_results *r;
    struct sim_page page;
    char prefix[32]; /* of the names of pictures: the variation */
    int failed;
    struct base_error *err;
};

/* A class for people: one without a name too. */
const char *report_class(const char *name);
/* Writes the picture, with the prefix before its name, and takes it into the page. One without data is left out; after a
 * failure nothing more is done. */
int report_picture(struct report *w, const struct sim_picture *p, const char *caption);

/* Of the variation @v: */
void report_bars(struct report *w, size_t v);          /* mean sojourn, locality, slowdown, deadlines, by class */
void report_distributions(struct report *w, size_t v); /* of sojourns, by class */
void report_gains(struct report *w, size_t v);         /* against the first policy */
void report_usage(struct report *w, size_t v);         /* slots over time */
/* Over all variations: */
void report_sweep(struct report *w);

#endif

/* sim/report/picture.h - pictures as the papers have them, drawn by gnuplot as SVG.
 *
 * A picture is a few series of points. sim_picture_write() leaves three files: DIR/data/NAME.dat (the numbers),
 * DIR/data/NAME.gp (what gnuplot was told; "cd DIR && gnuplot data/NAME.gp" draws it again) and DIR/NAME.svg.
 * Texts and axes have the colour of the text around them (black on their own), so that a page may be light or dark.
 * Names of the series are shown below the picture or, when they are many, beside it: never in it. */
#ifndef CREEL_SIM_REPORT_PICTURE_H
#define CREEL_SIM_REPORT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"

enum sim_picture_kind {
    SIM_PICTURE_LINES,  /* y over x */
    SIM_PICTURE_POINTS, /* lines with points, and intervals when there are any: sweeps */
    SIM_PICTURE_STEPS,  /* y stays until the next x: distributions, slots over time */
    SIM_PICTURE_STACK,  /* areas on top of each other, as steps; all series have the same x */
    SIM_PICTURE_BARS,   /* groups of bars: x[i] = i is the group, categories its names */
};
struct sim_series {
    const char *name;
    const char *colour; /* "#rrggbb"; NULL: sim_picture_colour(name, its index) */
    const double *x, *y;
    const double *half; /* half widths of intervals; NULL: none */
    size_t n;
    bool dashed;        /* a line without points: a bound, a reference */
};
struct sim_picture {
    const char *name;  /* of the file, without .svg: [a-z0-9-] */
    const char *title; /* NULL: none */
    const char *x_label, *y_label; /* with units */
    enum sim_picture_kind kind;
    const struct sim_series *series;
    size_t series_n;
    const char *const *categories; /* BARS: of groups; others: names instead of numbers at x = 0, 1, ...; NULL */
    size_t categories_n;
    bool log_x, log_y;
    double x_min, x_max, y_min, y_max; /* NAN: by the data (bars, stacks and lines from 0) */
    const char *mark_label; /* a horizontal line at mark_y, named; NULL: none */
    double mark_y;
    int width, height; /* 0: 640 x 400 */
};
void sim_picture_init(struct sim_picture *p); /* zero, limits NAN */

/* One colour for a policy's name everywhere; for other names by @index. Readable on white and on black. */
const char *sim_picture_colour(const char *name, size_t index);

/* Looks for gnuplot: -BASE_ENOTFOUND with the package to install. */
int sim_picture_check(struct base_error *err);
/* -BASE_EIO with gnuplot's own words, or the file's error. */
int sim_picture_write(const char *dir, const struct sim_picture *p, struct base_error *err);
/* A picture without data is none: a series with a point is needed. */
bool sim_picture_has_data(const struct sim_picture *p);

#endif

/* sim/report/picture.h - pictures like those in the papers, drawn by gnuplot as SVG.
 *
 * A picture consists of a few series of points. sim_picture_draw() leaves three files:
 * DIR/data/NAME.dat (the numbers), DIR/data/NAME.gp (gnuplot's commands; "cd DIR && gnuplot
 * data/NAME.gp" draws the picture again) and DIR/NAME.svg. Text and axes take the colour of the
 * surrounding text (black if there is none), so pages may be light or dark. Series names stand
 * below the picture; beside it if there are many, and in stacks; never inside. */
#ifndef CREEL_SIM_REPORT_PICTURE_H
#define CREEL_SIM_REPORT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"

enum sim_picture_kind {
    SIM_PICTURE_LINES,  /* y over x */
    SIM_PICTURE_POINTS, /* lines with points, and intervals if given: sweeps */
    SIM_PICTURE_STEPS,  /* y holds until the next x: distributions */
    SIM_PICTURE_STACK,  /* stacked areas with steps, all series with the same x: slots over time */
    SIM_PICTURE_BARS,   /* groups of bars: x is the number of the group, categories[x] its name */
};
struct sim_series {
    const char *name;
    const char *colour; /* "#rrggbb"; NULL: sim_picture_colour_for(name, its index) */
    const double *x, *y;
    const double *half; /* half widths of intervals; NULL: no intervals */
    size_t n;
    bool dashed; /* a dashed line without points: a bound, a reference */
};
struct sim_picture {
    const char *name;              /* the file's name without .svg: [a-z0-9-] */
    const char *title;             /* NULL: no title */
    const char *x_label, *y_label; /* including units */
    enum sim_picture_kind kind;
    const struct sim_series *series;
    size_t series_n;
    /* BARS: names of the groups. Other kinds: labels for x = 0, 1, ... instead of numbers, or
     * NULL. */
    const char *const *categories;
    size_t categories_n;
    bool log_x, log_y;
    /* NAN: derived from the data; but y begins at 0, except for steps and logarithmic axes */
    double x_min, x_max, y_min, y_max;
    const char *mark_label; /* label of a horizontal line at mark_y; NULL: no line */
    double mark_y;
    int width, height; /* pixels; 0: 640 x 400 */
};
void sim_picture_init(struct sim_picture *p); /* zeroed, with all limits NAN */

/* Returns the colour of policy @name, the same in every picture. Policies without a colour of their
 * own, other names, and NULL get a colour by @index. All colours are readable on white and on
 * black. */
const char *sim_picture_colour_for(const char *name, size_t index);

/* Checks that gnuplot can be run. Fails with -BASE_ENOTFOUND if gnuplot is not installed; the
 * message names the package to install. */
int sim_picture_check_gnuplot(struct base_error *err);
/* Draws @p and leaves the three files in @dir. Fails like sim_picture_check_gnuplot(), with
 * -BASE_EIO and gnuplot's own message, or with the error of a file operation. */
int sim_picture_draw(const char *dir, const struct sim_picture *p, struct base_error *err);
/* Returns true if any series has a point with a finite y value. */
bool sim_picture_has_data(const struct sim_picture *p);

#endif

/* sim/terminal.h - what `creel sim` says to people: folded text, the error line, the bar. */
#ifndef CREEL_SIM_TERMINAL_H
#define CREEL_SIM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_CLI_OK, SIM_CLI_FAILED, SIM_CLI_USAGE }; /* exit statuses */

/* Lines of @text on standard output; those too long for the terminal continue on the next line,
 * indented. */
void sim_print_folded(const char *text);
/* @text on standard output, wrapped at the terminal's width; lines after the first begin at column
 * @indent. */
void sim_print_wrapped(const char *text, int indent);
/* @left, then @text wrapped from column @indent on; on a line of its own where less than half of
 * the width is left. */
void sim_print_pair(const char *left, const char *text, int indent);
/* "creel: TEXT" on standard error, with control characters as spaces; returns the exit status that
 * fits @code (negative BASE_E*). */
int sim_print_error(int code, const char *text);

/* Draws "[####----] 45 %  3 of 8 runs, 0:12 left" over and over on standard error. */
struct sim_bar {
    bool shown, drawn;
    int64_t begin_ms;
};
void sim_bar_begin(struct sim_bar *bar, bool shown);
void sim_bar_draw(struct sim_bar *bar, double fraction, size_t ended, size_t all);
void sim_bar_end(struct sim_bar *bar); /* wipes it off */

#endif

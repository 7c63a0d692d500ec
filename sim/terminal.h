/* sim/terminal.h - text for people: wrapped lines, the error line, the progress bar. */
#ifndef CREEL_SIM_TERMINAL_H
#define CREEL_SIM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_CLI_OK, SIM_CLI_FAILED, SIM_CLI_USAGE }; /* exit statuses */

/* Prints the lines of @text on standard output. Lines too long for the terminal are wrapped and
 * indented. */
void sim_print_lines_folded(const char *text);
/* Prints @text on standard output, wrapped at the terminal's width. Lines after the first begin at
 * column @indent; the first continues a line whose cursor is taken to be there. */
void sim_print_wrapped(const char *text, int indent);
/* Prints @left, then @text wrapped between column @indent and the terminal's right edge. @text
 * begins on a line of its own when @left is too long, and when @indent is more than half of the
 * width; in the latter case, 6 replaces @indent. */
void sim_print_pair(const char *left, const char *text, int indent);
/* Prints "creel: TEXT" on standard error, with control characters as spaces. Returns the exit
 * status for @code (negative BASE_E*): SIM_CLI_USAGE for refused input, otherwise SIM_CLI_FAILED.
 */
int sim_print_error_and_get_status(int code, const char *text);

/* A progress bar on standard error: "[####----]  45 %  3 of 8 runs, 0:12 left". */
struct sim_bar {
    bool shown, drawn;
    int64_t begin_ms;
};
/* Prepares @bar and starts its clock. If @shown is false, nothing is ever drawn. */
void sim_bar_begin(struct sim_bar *bar, bool shown);
void sim_bar_draw(struct sim_bar *bar, double fraction, size_t ended, size_t all);
void sim_bar_erase(struct sim_bar *bar);

#endif

/* api/cli/text/table.h - tables for people: aligned, aware of UTF-8 widths, cut to the terminal.
 *
 *   struct cli_table *t = cli_table_new("NAME", "<", "SIZE", ">", NULL);     title, alignment, …
 *   cli_table_row(t, "a", "12", NULL);                                       cells are copied and cleaned
 *   cli_table_print(t, stdout);                                              also frees */
#ifndef CREEL_API_CLI_TEXT_TABLE_H
#define CREEL_API_CLI_TEXT_TABLE_H

#include <stdio.h>

#include "base/mem.h"

struct cli_table;
/* Pairs of title and alignment: "<" left, ">" right, "~" left and the first to be cut when space is short. A digit
 * behind it ("<1"): the column is left out when cutting is not enough, "1" before "2". The first column, the key, is
 * never cut and never left out. */
struct cli_table *cli_table_new(const char *title, ...) __attribute__((sentinel));
void cli_table_row(struct cli_table *t, const char *cell, ...) __attribute__((sentinel));
/* Lays out for @width columns (0: no limit); only the first column may need more. Without rows only the titles. */
void cli_table_render(const struct cli_table *t, size_t width, struct base_buf *out);
/* Renders for @out (its terminal's width; no limit when it is none) and frees @t. */
void cli_table_print(struct cli_table *t, FILE *out);
/* Prints the rows that were added since the last page, the titles with the first one alone, and forgets them: a list of
 * any length in bounded memory. Columns are as wide as the widest cell so far. The caller frees @t. */
void cli_table_print_page(struct cli_table *t, FILE *out);
void cli_table_free(struct cli_table *t);
/* Columns of the terminal behind @fd; 0 when it is none. */
size_t cli_terminal_width(int fd);

#endif

/* api/cli/text/table.h - tables for people: aligned, aware of UTF-8 widths, cut to the terminal.
 *
 *   struct cli_table *t = cli_table_new("NAME", "<", "SIZE", ">", NULL);   title, alignment, …
 *   cli_table_add_row(t, "a", "12", NULL);         copies the cells, without control characters
 *   cli_table_print_and_free(t, stdout);                    prints and frees the table
 */
#ifndef CREEL_API_CLI_TEXT_TABLE_H
#define CREEL_API_CLI_TEXT_TABLE_H

#include <stdio.h>

#include "base/mem.h"

struct cli_table;
/* Creates a table from pairs of title and alignment, ended by NULL: "<" left, ">" right, "~" left
 * and the first to be cut when space is short. A column with a digit ("<1") is dropped when cutting
 * is not enough, "1" before "2"; the others follow only when nothing else helps. The first column
 * is the key, which is never cut and never dropped. */
struct cli_table *cli_table_new(const char *title, ...) __attribute__((sentinel));
void cli_table_add_row(struct cli_table *t, const char *cell, ...) __attribute__((sentinel));
/* Lays out the table within @width columns (0: no limit), which only the first column may exceed.
 * A table without rows consists of the titles. */
void cli_table_render(const struct cli_table *t, size_t width, struct base_buf *out);
/* Prints the table, as wide as the terminal if @out is one, and frees the table. */
void cli_table_print_and_free(struct cli_table *t, FILE *out);
/* Prints the rows added since the last page, and discards them, so that a list of any length needs
 * bounded memory. The titles come with the first page. Columns are as wide as the widest cell so
 * far. The caller frees @t. */
void cli_table_print_page(struct cli_table *t, FILE *out);
void cli_table_free(struct cli_table *t);
/* Returns the width of the terminal that @fd is open on; 0: not a terminal. */
size_t cli_terminal_width(int fd);

#endif

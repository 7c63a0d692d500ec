/* sim/report/summary.h - results as text tables, CSV and JSON; the list of jobs.
 *
 * CSV: a header, then one row per line, quoted as in RFC 4180; decimal points, NAN as an empty
 * field. JSON: NAN as null; the summary leaves out figures that do not apply. Times are in seconds,
 * shares in per cent. "KEY_half95" in CSV, "half95" in JSON, is half the width of the mean's 95 %
 * interval over seeds. */
#ifndef CREEL_SIM_REPORT_SUMMARY_H
#define CREEL_SIM_REPORT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/report/results.h"

enum sim_format { SIM_FORMAT_TABLE, SIM_FORMAT_CSV, SIM_FORMAT_JSON };
/* Parses "table", "csv" or "json". Returns 0, or -BASE_EINVAL with the known names. */
int sim_format_parse(const char *name, enum sim_format *out, struct base_error *err);

/* ---- summaries: one row per variation, policy and class ---- */
/* @width: terminal columns available to tables; 0: unlimited. */
void sim_output_append_summary(const struct sim_results *r, enum sim_format format, size_t width,
                               struct base_buf *out);
/* Returns true if tables show the column of @metric. They leave out figures that never apply;
 * kills, suspensions, lost time and the use of map or reduce slots if always 0; the share of
 * accepted jobs if there are neither deadlines nor refusals; and the rack-local share unless some
 * class has both rack-local and off-rack maps. */
bool sim_output_is_column_shown(const struct sim_results *r, enum sim_metric metric);
/* Formats "12.3 ±0.4", "12.3" for a single value or equal values, "-" for none. Values of 1,000 and
 * more are shown as whole numbers. */
void sim_output_format_stat(const struct sim_stat *s, int digits, char *out, size_t size);
/* Formats a title with its unit, such as "mean sojourn (s)". */
void sim_output_format_title(enum sim_metric metric, char *out, size_t size);

/* ---- jobs: one row each ---- */
struct sim_output_job {
    const char *variation; /* NULL: nothing varies */
    const char *policy;
    uint64_t seed;
    double alone_s; /* NAN: unknown */
};
/* @format: CSV or JSON */
void sim_output_begin_job_list(enum sim_format format, struct base_buf *out);
/* @index: row number, from 0. */
void sim_output_append_job(enum sim_format format, size_t index, const struct sim_output_job *of,
                           const struct sim_job_result *r, struct base_buf *out);
void sim_output_end_job_list(enum sim_format format, struct base_buf *out);

/* ---- building blocks ---- */
void sim_output_append_csv_text(const char *text, struct base_buf *out);
void sim_output_append_json_text(const char *text, struct base_buf *out);
/* Appends the shortest text that reads back as @x; if @x is not finite, null in JSON and nothing in
 * the other formats. */
void sim_output_append_number(double x, enum sim_format format, struct base_buf *out);

/* ---- a table of aligned columns: the first ones left-aligned, numbers right-aligned ---- */
struct sim_table { /* zeroed: empty */
    char **cells;
    size_t n, cap, columns, left;
    size_t width; /* of the terminal, to be set before rendering; 0: unlimited */
};
/* @left: number of leading columns with text */
void sim_table_begin(struct sim_table *t, size_t columns, size_t left);
/* Adds the next cell: row by row, titles first. */
void sim_table_add_cell(struct sim_table *t, const char *text);
/* Appends the table to @out and frees @t. */
void sim_table_render_and_free(struct sim_table *t, struct base_buf *out);

#endif

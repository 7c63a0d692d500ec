/* sim/report/summary.h - results as a table for people, as CSV and as JSON; the list of jobs.
 *
 * CSV: a line of names, then RFC 4180; numbers with a point, NAN as an empty field. JSON: NAN as null.
 * Seconds, shares in per cent; "_half95" beside a mean: half the width of its 95 % interval over seeds. */
#ifndef CREEL_SIM_REPORT_SUMMARY_H
#define CREEL_SIM_REPORT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/report/results.h"

enum sim_format { SIM_FORMAT_TABLE, SIM_FORMAT_CSV, SIM_FORMAT_JSON };
/* 0, or -BASE_EINVAL with the names there are. */
int sim_format_find(const char *name, enum sim_format *out, struct base_error *err);

/* ---- summaries: a row per variation, policy and class ---- */
/* @width: columns that tables may take; 0: any number. */
void sim_output_summary(const struct sim_results *r, enum sim_format format, size_t width, struct base_buf *out);
/* Is there anything to see in this column? Figures that never apply, and kills that never happen, are left out of what
 * people read. */
bool sim_output_shown(const struct sim_results *r, enum sim_metric metric);
/* "12.3 ±0.4", "12.3" for one value or equal ones, "-" without a value. From 1,000 on whole numbers. */
void sim_output_stat(const struct sim_stat *s, int digits, char *out, size_t size);
/* "mean sojourn (s)" */
void sim_output_title(enum sim_metric metric, char *out, size_t size);

/* ---- jobs: a row each ---- */
struct sim_output_job {
    const char *variation; /* NULL: nothing varies */
    const char *policy;
    uint64_t seed;
    double alone_s; /* NAN: not known */
};
void sim_output_jobs_begin(enum sim_format format, struct base_buf *out); /* CSV or JSON */
/* @index: of the row, from 0. */
void sim_output_job(enum sim_format format, size_t index, const struct sim_output_job *of,
                    const struct sim_job_result *r, struct base_buf *out);
void sim_output_jobs_end(enum sim_format format, struct base_buf *out);

/* ---- pieces ---- */
void sim_output_csv_text(const char *text, struct base_buf *out);
void sim_output_json_text(const char *text, struct base_buf *out);
void sim_output_number(double x, enum sim_format format, struct base_buf *out); /* shortest that reads back */

/* ---- a table of aligned columns: the first two to the left, numbers to the right ---- */
struct sim_table { /* zero to begin with */
    char **cells;
    size_t n, cap, columns, left, width; /* width: of the terminal, set before the end; 0: any */
};
void sim_table_begin(struct sim_table *t, size_t columns, size_t left); /* @left: so many first columns are texts */
void sim_table_cell(struct sim_table *t, const char *text);             /* row by row, titles first */
void sim_table_end(struct sim_table *t, struct base_buf *out);          /* renders and frees */

#endif

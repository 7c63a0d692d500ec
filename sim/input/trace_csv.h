/* sim/input/trace_csv.h - reads and writes jobs as CSV.
 *
 * The first line names the columns, in any order, each at most once; submit_s is needed. The names are those of
 * sim/input/trace_fields.h. Then a job a line; an empty cell is an absent value. Values with commas or quotes are quoted as
 * RFC 4180 says ("" is one quote); a value cannot hold an end of line. Spaces belong to values.
 *
 *     id,submit_s,pool,maps,reduces,map_s
 *     1,0,etl,200,10,25
 *     2,12.5,"ann, bob",3,,
 */
#ifndef CREEL_SIM_INPUT_TRACE_CSV_H
#define CREEL_SIM_INPUT_TRACE_CSV_H

#include "sim/input/trace.h"
#include "sim/input/trace_fields.h"

struct sim_csv {
    struct sim_trace *trace;   /* borrowed */
    int8_t column[SIM_FIELDS]; /* field of each column */
    int columns;               /* 0: the first line was not read; negative: it is bad */
};
void sim_csv_init(struct sim_csv *r, struct sim_trace *trace);
/* The job of the next line into @out (initialised): 1; at the end 0; negative as in sim/input/trace.h. A bad first line is
 * told by every call: what follows cannot be read. */
int sim_csv_next(struct sim_csv *r, struct sim_job *out, struct base_error *err);

/* The line of names, with all fields; and the line of a job. Lists of single tasks are not written. */
void sim_csv_write_names(struct base_buf *out);
void sim_csv_write(const struct sim_job *job, struct base_buf *out);

#endif

/* sim/input/trace_csv.h - reads jobs from CSV.
 *
 * The first line that is not blank (the header) names the columns in any order, each at most once;
 * submit_s is required. sim/input/trace_fields.h lists the names. Each further line is one job; an
 * empty cell means an absent value. Values with commas or quotes are quoted as in RFC 4180 (""
 * stands for one quote); a value cannot contain a line end. Spaces are part of the value.
 *
 *     id,submit_s,pool,maps,reduces,map_s
 *     1,0,etl,200,10,25
 *     2,12.5,"ann, bob",3,, */
#ifndef CREEL_SIM_INPUT_TRACE_CSV_H
#define CREEL_SIM_INPUT_TRACE_CSV_H

#include "sim/input/trace.h"
#include "sim/input/trace_fields.h"

struct sim_csv {
    struct sim_trace *trace;   /* borrowed */
    int8_t column[SIM_FIELDS]; /* the field in each column */
    int columns;               /* 0: header not yet read; negative: the header is bad */
};
void sim_csv_init(struct sim_csv *r, struct sim_trace *trace);
/* Reads the next line's job into @out (initialised by the caller). Returns 1, 0 at the end of the
 * file, or a negative error as in sim/input/trace.h. After a bad header every call fails, since no
 * line can be interpreted. */
int sim_csv_next_job(struct sim_csv *r, struct sim_job *out, struct base_error *err);

#endif

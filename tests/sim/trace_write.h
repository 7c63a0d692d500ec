/* tests/sim/trace_write.h - writes jobs as traces, so that tests can read them back. */
#ifndef CREEL_TESTS_SIM_TRACE_WRITE_H
#define CREEL_TESTS_SIM_TRACE_WRITE_H

#include "base/mem.h"
#include "sim/engine/job.h"

/* Append the header of a CSV file with all fields, and the line of one job. Lists of single tasks
 * are not written. */
void trace_write_csv_header(struct base_buf *out);
void trace_write_csv_job(const struct sim_job *job, struct base_buf *out);
/* Appends the JSON line of @job. Values equal to their defaults are omitted. */
void trace_write_json_job(const struct sim_job *job, struct base_buf *out);

#endif

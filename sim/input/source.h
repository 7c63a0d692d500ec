/* sim/input/source.h - where the jobs of a simulation come from: a named workload or a trace.
 *
 *     NAME[,KEY=VALUE...]   sim/input/workload.h            swim:FILE    sim/input/trace_swim.h
 *     csv:FILE              sim/input/trace_csv.h           sls:FILE     sim/input/trace_sls.h
 *     jsonl:FILE            sim/input/trace_jsonl.h         FILE "-": standard input
 *
 * Jobs are handed out in order of submission. Files need not be sorted: up to SIM_SOURCE_WINDOW
 * jobs are read ahead, and the earliest one is handed out first (ties: lower row). A job further
 * out of order counts as a bad line. Memory use does not grow with the length of the file, except
 * for the names of hosts, and for the set of ids if they do not count up without gaps
 * (sim/input/id_set.h). A job without an id gets the number of its row, not counting bad lines; a
 * line that repeats another job's id is bad. */
#ifndef CREEL_SIM_INPUT_SOURCE_H
#define CREEL_SIM_INPUT_SOURCE_H

#include <stdio.h>

#include "base/error.h"
#include "sim/engine/job.h"
#include "sim/engine/sim.h"
#include "sim/input/single_server.h"

#define SIM_SOURCE_WINDOW 1000
#define SIM_SOURCE_LISTED_MAX                                                                      \
    4000000 /* no job is read ahead while the lists of the jobs in the window have this many       \
               elements: task durations and split locations */

struct sim_source_conf {
    const char *what; /* such as "w-hfs,bound=cpu" or "swim:FILE" */
    /* More settings, KEY=VALUE. Workloads have settings of their own. swim has origin and target
     * (machines: bytes are multiplied by target/origin; 0: not scaled), block_bytes,
     * per_reduce_bytes, map_s, reduce_s, reduce_bytes_s and cv. The other formats have none. */
    const char *const *params;
    size_t params_n;
    uint64_t seed; /* for workloads */
    /* size of the simulated cluster: swim's target; hosts are numbered modulo it. 0: unknown */
    int32_t nodes;
    bool skip_bad; /* count bad lines instead of failing */
};
struct sim_source;

/* Opens @conf->what. Returns NULL with @err for an unknown workload or format (the message lists
 * the names), a bad setting, or a file that cannot be opened. */
struct sim_source *sim_source_open(const struct sim_source_conf *conf, struct base_error *err);
/* Opens a trace that is read from @in, which the caller keeps and closes. @kind is "swim", "sls",
 * "csv" or "jsonl". */
struct sim_source *sim_source_open_stream(const char *kind, FILE *in,
                                          const struct sim_source_conf *conf,
                                          struct base_error *err);
/* True for standard input, pipes and devices, which cannot be read a second time. */
bool sim_source_is_one_shot(const char *what);
/* Moves the next job into @out (initialised by the caller), which then owns the job's arrays.
 * Returns 1, 0 when no job is left, or a negative error: a bad line (unless skip_bad) or a read
 * error. */
int sim_source_next_job(struct sim_source *s, struct sim_job *out, struct base_error *err);
/* The source in the form the engine takes. @s must outlive the run. */
struct sim_workload sim_source_as_workload(struct sim_source *s);
/* The fraction read so far, in [0,1]; -1 if unknown. */
double sim_source_fraction_read(const struct sim_source *s);
/* The number of bad lines skipped, and the error of the first one ("" if there was none). */
size_t sim_source_skipped_lines(const struct sim_source *s);
const char *sim_source_first_skipped_error(const struct sim_source *s);
/* A note for the user if a SWIM trace is not scaled to the target because the number of its own
 * machines is unknown; otherwise "". */
const char *sim_source_scaling_note(const struct sim_source *s);
void sim_source_close(struct sim_source *s);

/* Reads all of @s as jobs for a single server. A job's size is sim_single_bytes_moved(); if no job
 * has any bytes, sizes are the total work of all tasks in seconds. The caller frees *out. Returns 0
 * or a negative error like sim_source_next_job(). */
int sim_source_read_single_jobs(struct sim_source *s, struct sim_single_job **out, size_t *n,
                                struct base_error *err);

#endif

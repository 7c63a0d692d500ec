/* sim/input/source.h - where the jobs of a simulation come from: a workload by name, or a trace.
 *
 *     NAME[,KEY=VALUE...]   sim/input/workload.h            swim:FILE    sim/input/trace_swim.h
 *     csv:FILE              sim/input/trace_csv.h           sls:FILE     sim/input/trace_sls.h
 *     jsonl:FILE            sim/input/trace_jsonl.h         FILE "-": standard input
 *
 * Jobs come in order of submission. Files need not be sorted: up to SIM_SOURCE_WINDOW jobs are read ahead and given out
 * earliest first (then by row); one that is further out of place is a bad line. Memory: that window, whatever the
 * length of the file, and a set of ids unless they go up one by one (sim/input/id_set.h). A job without an id gets the number of
 * its row; an id that another job has is a bad line. */
#ifndef CREEL_SIM_INPUT_SOURCE_H
#define CREEL_SIM_INPUT_SOURCE_H

#include <stdio.h>

#include "base/error.h"
#include "sim/engine/sim.h"
#include "sim/engine/job.h"
#include "sim/input/single_server.h"

#define SIM_SOURCE_WINDOW     1000
#define SIM_SOURCE_LISTED_MAX 4000000 /* lengths of lists that hang on jobs in the window, added up */

struct sim_source_conf {
    const char *what;          /* "w-hfs,bound=cpu", "swim:FILE" */
    const char *const *params; /* more KEY=VALUE. Of a workload: its settings. Of swim: origin, target (machines: bytes
                                  are multiplied by target/origin; 0: they are not), block_bytes, per_reduce_bytes,
                                  map_s, reduce_s, reduce_bytes_s, cv. Of the others: none. */
    size_t params_n;
    uint64_t seed; /* of workloads */
    int32_t nodes; /* of the simulated cluster: swim's target, and hosts are numbered modulo them. 0: not known */
    bool skip_bad; /* count bad lines and go on */
};
struct sim_source;

/* NULL with @err: no such workload (with the names there are), a wrong setting, a file that cannot be opened. */
struct sim_source *sim_source_open(const struct sim_source_conf *conf, struct base_error *err);
/* The same from memory or a pipe: @kind "swim", "sls", "csv" or "jsonl"; @in stays the caller's. */
struct sim_source *sim_source_from(const char *kind, FILE *in, const struct sim_source_conf *conf,
                                   struct base_error *err);
/* Opening it again would not give the same: standard input, a pipe. */
bool sim_source_once(const char *what);
/* The next job into @out (initialised): 1; no more: 0; negative: a bad line (unless skip_bad), or the file. The caller
 * owns what hangs on @out. */
int sim_source_next(struct sim_source *s, struct sim_job *out, struct base_error *err);
/* The source as the engine takes it; @s must outlive the run. */
struct sim_workload sim_source_workload(struct sim_source *s);
/* The share that was read, 0..1; -1: not known. */
double sim_source_fraction(const struct sim_source *s);
/* Bad lines passed over, and what was wrong with the first ("": none). */
size_t sim_source_skipped(const struct sim_source *s);
const char *sim_source_first_skipped(const struct sim_source *s);
/* Something the user should know ("" : nothing): a trace of which the number of machines is not known was not scaled.
 */
const char *sim_source_note(const struct sim_source *s);
void sim_source_close(struct sim_source *s);

/* Reads all of @s as jobs of one server: its sizes are sim_single_bytes of the bytes, or, when no job has any, the work
 * of all its tasks in seconds. Caller frees *out. 0 or negative as sim_source_next. */
int sim_source_single(struct sim_source *s, struct sim_single_job **out, size_t *n, struct base_error *err);

#endif

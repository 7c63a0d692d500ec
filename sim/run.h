/* sim/run.h - one run: jobs + cluster + policy + seed -> outcome, as plain data.
 *
 *     struct sim_spec (what to do) --sim_run_spec()--> struct sim_outcome (jobs, totals, slots over
 *     time, notes)
 *
 * A spec is only read and may be run many times. An outcome owns everything it points to and can be
 * sent to another process (sim_outcome_pack()). sim/pool.h runs many specs at a time. */
#ifndef CREEL_SIM_RUN_H
#define CREEL_SIM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/engine/sim.h"
#include "sim/input/source.h"
#include "sim/usage.h"

struct sim_outcome;

struct sim_spec {
    const char *label; /* name of the run in messages; NULL: "POLICY, seed N" */
    /* Policy, options, cluster, seed, slowstart ... Its callbacks are called in the process of the
     * run. The runner sets the log if log_path is given, and the workload unless workload.next is
     * set. */
    struct sim_conf conf;
    /* The source of jobs when conf.workload.next is NULL. Its seed is conf.seed; its number of
     * nodes is that of the cluster unless given here. */
    struct sim_source_conf source;
    /* Opens the workload at the start of the run when both conf.workload.next and source.what are
     * NULL. Returns 0, or negative with @err. */
    int (*open)(const struct sim_spec *spec, struct sim_workload *out, struct base_error *err);
    /* Called at the end of the run if open succeeded; NULL: nothing to close. */
    void (*close)(const struct sim_spec *spec, struct sim_workload *w);
    void *open_ctx; /* for open and close */
    /* Changes each job before the engine takes it; NULL: no changes. */
    void (*tweak)(const struct sim_spec *spec, struct sim_job *job);
    const void *tweak_ctx;
    /* Called after a successful run, before the engine is freed; may append to @out->extra. NULL:
     * nothing. */
    void (*finish)(const struct sim_spec *spec, const struct sim *sim, struct sim_outcome *out);
    void *finish_ctx;
    /* Run each job alone on the empty cluster, one after the other, under fifo, as if all data were
     * local: the baseline of slowdown. */
    bool alone;
    bool keep_jobs, keep_usage;
    const char *log_path; /* event log; NULL: none */
};
/* Sets conf as sim_conf_init() does, keep_jobs and conf.true_work to true, and all other members to
 * zero. */
void sim_spec_init(struct sim_spec *spec);

struct sim_outcome {
    int code; /* 0, or negative: the run failed, see err */
    struct base_error err;
    struct sim_totals totals;
    int64_t heartbeat_us, end_us; /* interval with AUTO resolved; virtual time at the end */
    double cpu_s;
    struct sim_job_result *jobs; /* in the order in which they ended; texts point into @texts */
    size_t jobs_n;
    struct sim_usage *usage; /* NULL: not kept */
    /* warnings of the core and of the source, one per line: the first SIM_RUN_NOTES different ones
     */
    struct base_buf notes;
    struct base_buf extra; /* written by sim_spec.finish */
    char *texts;           /* the texts of @jobs, each once */
};
enum { SIM_RUN_NOTES = 20 };

/* on_progress is called during a run with the fraction of its source that has been read: 0 to 1, or
 * -1 when unknown. When it returns false, the run stops and fails with -BASE_ESTATE. */
struct sim_run_watch {
    bool (*on_progress)(void *ctx, double fraction, int64_t now_us,
                        const struct sim_totals *so_far);
    void *ctx;
};
/* Runs @spec. Fills @out even on failure; free it with sim_outcome_free(). Returns out->code.
 * @watch may be NULL. */
int sim_run_spec(const struct sim_spec *spec, const struct sim_run_watch *watch,
                 struct sim_outcome *out);
void sim_outcome_free(struct sim_outcome *o);

/* Converts an outcome to bytes and back; both sides must be the same program. sim_outcome_unpack()
 * returns 0, or -BASE_ECORRUPT with @err; free @o in both cases. */
void sim_outcome_pack(const struct sim_outcome *o, struct base_buf *out);
int sim_outcome_unpack(struct sim_outcome *o, const char *data, size_t len, struct base_error *err);

/* Writes the label, or "POLICY, seed N", to @out; a @size of 256 is enough. */
void sim_spec_format_name(const struct sim_spec *spec, char *out, size_t size);

#endif

/* sim/run.h - one run: jobs + cluster + policy + seed -> what came of it, whole, as plain data.
 *
 *     struct sim_spec (what to do) --sim_run_spec()--> struct sim_outcome (jobs, totals, slots over
 *     time, notes)
 *
 * A spec is only read and may be run again and again; an outcome owns all it points to and can be
 * sent from one process to another (sim_outcome_pack). sim/pool.h runs many specs at once. */
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
    const char *label; /* what messages call the run; NULL: "POLICY, seed N" */
    /* Policy, options, cluster, seed, slowstart ...; its hooks are called too, in the process that
     * runs it. workload, log and true_work are set by the runner, unless workload.next is given. */
    struct sim_conf conf;
    /* Where jobs come from, when conf.workload.next is NULL: this source (its seed is conf.seed,
     * its nodes the cluster's unless given) ... */
    struct sim_source_conf source;
    /* ... or, when that is no source (what is NULL), what is opened at the beginning of the run. */
    int (*open)(const struct sim_spec *spec, struct sim_workload *out, struct base_error *err);
    void (*close)(const struct sim_spec *spec, struct sim_workload *w); /* NULL: nothing to close */
    void *open_ctx;                                                     /* theirs */
    /* A last look at each job before the engine takes it; NULL: none. */
    void (*tweak)(const struct sim_spec *spec, struct sim_job *job);
    const void *tweak_ctx;
    /* After the run, before the engine goes: may add to @out->extra. NULL: nothing. */
    void (*finish)(const struct sim_spec *spec, const struct sim *sim, struct sim_outcome *out);
    void *finish_ctx;
    /* One job after the other, each alone on the empty cluster, with all data near, under fifo:
     * what slowdown is measured against. */
    bool alone;
    bool keep_jobs, keep_usage;
    const char *log_path; /* event log; NULL: none */
};
void sim_spec_init(struct sim_spec *spec); /* sim_conf_init, keep_jobs, true_work */

struct sim_outcome {
    int code; /* 0, or negative: it failed, see err */
    struct base_error err;
    struct sim_totals totals;
    int64_t heartbeat_us, end_us; /* as resolved; virtual time at the end */
    double cpu_s;
    struct sim_job_result *jobs; /* in order of their ends; texts point into @texts */
    size_t jobs_n;
    struct sim_usage *usage; /* NULL: not kept */
    struct base_buf notes; /* warnings of the core, and what the source says: a line each, the first
                              SIM_RUN_NOTES, equal ones once */
    struct base_buf extra; /* sim_spec.finish's */
    char *texts;
};
enum { SIM_RUN_NOTES = 20 };

/* Called during a run with the share that is done, 0..1, or -1: unknown. False: stop, the run fails
 * with -BASE_ESTATE. */
struct sim_run_watch {
    bool (*on_progress)(void *ctx, double fraction, int64_t now_us,
                        const struct sim_totals *so_far);
    void *ctx;
};
/* Fills @out in any case. Returns out->code. @watch may be NULL. */
int sim_run_spec(const struct sim_spec *spec, const struct sim_run_watch *watch,
                 struct sim_outcome *out);
void sim_outcome_free(struct sim_outcome *o);

/* To bytes and back, between processes of one program. */
void sim_outcome_pack(const struct sim_outcome *o, struct base_buf *out);
int sim_outcome_unpack(struct sim_outcome *o, const char *data, size_t len, struct base_error *err);

/* "POLICY, seed N" or its label; @size is enough with 256. */
void sim_spec_name(const struct sim_spec *spec, char *out, size_t size);

#endif

/* sim/input/workload.h - named workloads, generated from a seed.
 *
 * Six come from the papers' evaluations; most others reproduce single figures. Whatever a paper
 * publishes (numbers of jobs and tasks, order, gaps, deadlines) is used as published. Task
 * durations mostly are not published, so they are settings (KEY=VALUE); sim_workload_describe()
 * lists each workload's settings. Equal seeds give equal jobs on every machine.
 *
 *   w-hfs           100 jobs in Facebook's nine size bins, map only, bound by I/O or by CPU
 *                   (bound=io|cpu)
 *   w-hfs-mixed     the same bins as selections, text searches, aggregations and joins
 *   w-hfsp          100 jobs: 53 small, 41 medium, 6 large (reduces=0: map only)
 *   w-rtmr-1 w-rtmr-2   88 and 89 jobs with deadlines (reduces_max=30 for the baseline)
 *   w-hsrtf         31 jobs, one every 10 s: Sort and WordCount
 *   hfs-fig11       shares over time: long and short jobs in three pools
 *   hfs-small-jobs  many equal small jobs, a fixed number open at once (maps=3|10|100)
 *   hfs-scans       n jobs that all read the same file
 *   hfs-closed-loop a fixed number of jobs active at any time
 *   hfsp-fig2 hfsp-fig7   a large job is overtaken by small ones
 *   hfsp-decreasing jobs that arrive in decreasing size
 *   reference-load  100 jobs of 1,000 maps and 1,000 reduces in 20 pools
 *
 * SOURCE: w-hfs*, hfs-*: Zaharia et al., "Delay Scheduling", EuroSys 2010, tables 1 and 3, sections
 * 5.1 to 5.4, figures 11 to 15. w-hfsp, hfsp-*: Pastorelli et al., "HFSP", arXiv:1302.2749,
 * sections 3.3, 4.1, figures 2 and 7. w-rtmr-*: He, Lu, Swanson, "Real-time scheduling in MapReduce
 * clusters", HPCC 2013, section on experiments, both job mixes. w-hsrtf: Cheriere et al., SAC 2016,
 * section 5. */
#ifndef CREEL_SIM_INPUT_WORKLOAD_H
#define CREEL_SIM_INPUT_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/engine/job.h"

/* The jobs of a workload in submission order, and a cursor over them. */
struct sim_made_jobs {
    struct sim_job *v;
    size_t n, cap;
    size_t next; /* index of the first job not yet handed out */
    /* Closed loop: this many jobs at the start, then one new job for each that ends. 0: jobs are
     * submitted at their own times. */
    size_t open;
    uint64_t last_ended;
};

/* Makes the workload @name with @params (each "KEY=VALUE"; may be NULL). @out must be zeroed; after
 * success the caller frees it with sim_made_jobs_free(). Fails with -BASE_ENOTFOUND, listing the
 * known names, or with -BASE_EINVAL, naming the key, the value and what was expected. */
int sim_workload_make(const char *name, const char *const *params, size_t params_n, uint64_t seed,
                      struct sim_made_jobs *out, struct base_error *err);
/* Moves the next job into @out (initialised by the caller). In a closed loop, only the jobs open at
 * the start are handed out here. Returns 1, or 0 when no such job is left. */
int sim_made_jobs_take_next(struct sim_made_jobs *made, struct sim_job *out);
/* Closed loop: job @ended has ended. Returns true when *out is its replacement, submitted at
 * @now_us; each ended job gets at most one. */
bool sim_made_jobs_replace_ended(struct sim_made_jobs *made, uint64_t ended, int64_t now_us,
                                 struct sim_job *out);
void sim_made_jobs_free(struct sim_made_jobs *made);

/* The name of workload @index; NULL past the end. */
const char *sim_workload_name_at(size_t index);
/* Appends a description of every workload: its settings, their defaults and bounds. */
void sim_workload_describe(struct base_buf *out);
/* The size bin of a job with @maps maps: "1" to "9" for 0 or 1, 2, 3-20, 21-60, 61-150, 151-300,
 * 301-500, 501-1500 and more maps. */
const char *sim_workload_size_bin(int32_t maps);

#endif

/* sim/input/workload.h - workloads by name, made from a seed.
 *
 * The six of the papers, and the small ones that single figures need. What a paper publishes (numbers of jobs and
 * tasks, order, gaps, deadlines) is as published; durations mostly are not, and are settings: KEY=VALUE, each workload
 * with its own list (sim_workload_describe). Equal seeds give equal jobs on every machine.
 *
 *   w-hfs           100 jobs in Facebook's nine bins of sizes, map only, I/O- or CPU-bound (bound=io|cpu)
 *   w-hfs-mixed     the same bins as selections, text searches, aggregations and joins
 *   w-hfsp          100 jobs: 53 small, 41 medium, 6 large (reduces=0: map only)
 *   w-rtmr-1 w-rtmr-2   88 and 89 jobs with deadlines (reduces_max=30 for the baseline)
 *   w-hsrtf         31 jobs, one every 10 s: Sort and WordCount
 *   hfs-fig11       shares over time: five big and small jobs in three pools
 *   hfs-small-jobs  many equal small jobs, so many open at once (maps=3|10|100)
 *   hfs-scans       n jobs that all read one file
 *   hfs-closed-loop so many jobs active at any time
 *   hfsp-fig2 hfsp-fig7   a big job is overtaken by small ones
 *   hfsp-decreasing jobs that arrive in decreasing size
 *   reference-load  100 jobs of 1,000 + 1,000 tasks in 20 pools
 *
 * SOURCE: w-hfs*, hfs-*: Zaharia et al., "Delay Scheduling", EuroSys 2010, tables 1 and 3, sections 5.1 to 5.4, figures
 * 11 to 15. w-hfsp, hfsp-*: Pastorelli et al., "HFSP", arXiv:1302.2749, sections 3.3, 4.1, figures 2 and 7. w-rtmr-*:
 * He, Lu, Swanson, "Real-time scheduling in MapReduce clusters", HPCC 2013, section on experiments, both job mixes.
 * w-hsrtf: Cheriere et al., SAC 2016, section 5. */
#ifndef CREEL_SIM_INPUT_WORKLOAD_H
#define CREEL_SIM_INPUT_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/engine/job.h"

/* The jobs of a workload, in order of submission. */
struct sim_made {
    struct sim_job *v;
    size_t n, cap;
    size_t next; /* first that was not given out */
    size_t open; /* closed loop: so many at first, then a new one for each that ends; 0: by their times of submission */
    uint64_t last_ended;
};

/* Makes the workload @name with @params ("KEY=VALUE", may be NULL). -BASE_ENOTFOUND with the names there are;
 * -BASE_EINVAL naming the key, the value and what was expected. @out: zero before, sim_made_free() after success. */
int sim_workload_make(const char *name, const char *const *params, size_t params_n, uint64_t seed, struct sim_made *out,
                      struct base_error *err);
/* The next job by itself into @out, which must be initialised: 1, or 0: no more. */
int sim_made_next(struct sim_made *made, struct sim_job *out);
/* Closed loop: job @ended has ended; true: *out is the one that takes its place, submitted now. At most one per end. */
bool sim_made_at_end(struct sim_made *made, uint64_t ended, int64_t now_us, struct sim_job *out);
void sim_made_free(struct sim_made *made);

/* Names, NULL past the end. */
const char *sim_workload_at(size_t index);
/* Every workload with its settings, their defaults and bounds, as text for people. */
void sim_workload_describe(struct base_buf *out);
/* The bin of a job by its maps: "1" to "9" for 1, 2, 3-20, 21-60, 61-150, 151-300, 301-500, 501-1500 and more. */
const char *sim_workload_bin(int32_t maps);

#endif

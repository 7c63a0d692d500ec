/* sim/pool.h - runs many specs in several processes. Outcomes are delivered in the order of the
 * specs, whichever run ends first.
 *
 *     specs[0..n-1] --fork--> children, at most @jobs at once --pipe--> outcomes --in order-->
 *     on_outcome
 *
 * Call sim_pool_run() before the program has other threads, because children are forked and have a
 * copy of the calling thread only. A child that dies or sends garbage yields a failed outcome whose
 * text names the run. */
#ifndef CREEL_SIM_POOL_H
#define CREEL_SIM_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/run.h"

enum { SIM_POOL_JOBS_MAX = 256 };

struct sim_pool_hooks {
    /* Receives the outcome of specs[@index], in order of the index. To keep the outcome, copy the
     * struct and zero *@outcome. Returns false to stop: running children are killed. */
    bool (*on_outcome)(void *ctx, size_t index, struct sim_outcome *outcome);
    /* Called about five times a second with the fraction of all runs that is done, 0 to 1, running
     * ones counted in part, and the numbers of runs that have ended and that are running. May be
     * NULL. */
    void (*on_progress)(void *ctx, double fraction, size_t ended, size_t running);
    void *ctx;
};
/* @jobs: number of parallel processes; 0: one per processor. Returns 0 when every run is done
 * (failed ones included), 1 when on_outcome stopped the pool, negative with @err when no process
 * can be created. When the calling process dies, its children die too. */
int sim_pool_run(const struct sim_spec *specs, size_t n, int jobs,
                 const struct sim_pool_hooks *hooks, struct base_error *err);
/* The number of processors that this process may use. */
int sim_pool_processor_count(void);

#endif

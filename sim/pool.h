/* sim/pool.h - many runs in several processes, results in the order of the specs whatever ends
 * first.
 *
 *     specs[0..n-1] --fork--> children, at most @jobs at once --pipe--> outcomes --in order-->
 *     on_outcome
 *
 * To be called before the program has threads: a child goes on with a copy of the one that forks. A
 * child that dies, or says what cannot be understood, is an outcome that failed, whose text names
 * the run. */
#ifndef CREEL_SIM_POOL_H
#define CREEL_SIM_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/run.h"

enum { SIM_POOL_JOBS_MAX = 256 };

struct sim_pool_hooks {
    /* Of specs[@index], in order of the index. The outcome may be kept: then zero it, what it owned
     * is the caller's.
     * False: no further runs; those that are under way are ended. */
    bool (*on_outcome)(void *ctx, size_t index, struct sim_outcome *outcome);
    /* Now and then (about 5 times a second while anything goes on): the share of all work done,
     * 0..1; NULL. */
    void (*on_progress)(void *ctx, double fraction, size_t ended, size_t running);
    void *ctx;
};
/* @jobs: processes at once; 0: as many as there are processors. Returns 0 when every run was done
 * (also those that failed), 1 when a hook stopped it, negative with @err when no process can be
 * made. When this process is ended, those of the runs end too. */
int sim_pool_run(const struct sim_spec *specs, size_t n, int jobs,
                 const struct sim_pool_hooks *hooks, struct base_error *err);
/* Processors this process may use. */
int sim_pool_processors(void);

#endif

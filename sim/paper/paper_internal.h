/* sim/paper/paper_internal.h - what sim/paper/paper.c provides only to sim/paper/papers.c. */
#ifndef CREEL_SIM_PAPER_PAPER_INTERNAL_H
#define CREEL_SIM_PAPER_PAPER_INTERNAL_H

#include "sim/paper/paper.h"

struct sim_bar;

/* Runs all cases of @n papers. Returns as sim_pool_run() does, but negative if a run failed; @err
 * then names the case. */
int sim_paper_run_cases(struct sim_paper_run *runs, size_t n, int jobs, struct sim_bar *bar,
                        struct base_error *err);
void sim_paper_run_free(struct sim_paper_run *run);

#endif

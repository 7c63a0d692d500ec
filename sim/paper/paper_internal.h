/* sim/paper/paper_internal.h - what sim/paper/paper.c provides only to sim/paper/papers.c. */
#ifndef CREEL_SIM_PAPER_PAPER_INTERNAL_H
#define CREEL_SIM_PAPER_PAPER_INTERNAL_H

#include "sim/paper/paper.h"

struct sim_bar;

/* Runs all cases of @n papers and keeps their outcomes. Returns 0, or negative with @err, which
 * names the case if a run failed. */
int sim_paper_run_cases(struct sim_paper_run *runs, size_t n, int jobs, struct sim_bar *bar,
                        struct base_error *err);
void sim_paper_run_free(struct sim_paper_run *run);

#endif

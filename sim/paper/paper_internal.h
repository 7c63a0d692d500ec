/* sim/paper/paper_internal.h - between the files of the papers. */
#ifndef CREEL_SIM_PAPER_PAPER_INTERNAL_H
#define CREEL_SIM_PAPER_PAPER_INTERNAL_H

#include "sim/paper/paper.h"

struct sim_bar;

/* Runs all cases of @n papers. As sim_pool_run; a run that failed is an error that names it. */
int sim_paper_run_all(struct sim_paper_run *runs, size_t n, int jobs, struct sim_bar *bar,
                      struct base_error *err);
void sim_paper_run_free(struct sim_paper_run *run);

#endif

/* sim/paper/hfs.h - between the files of one paper: figure 11, and the pictures. */
#ifndef CREEL_SIM_PAPER_HFS_H
#define CREEL_SIM_PAPER_HFS_H

#include "sim/paper/paper.h"

enum { HFS_BINS = 9, HFS_SCANS = 4, HFS_WAITS = 4 };
extern const char *const hfs_bins[HFS_BINS];
extern const int hfs_scans[HFS_SCANS];
extern const double hfs_waits[HFS_WAITS];

double hfs_mean(const struct sim_paper_run *run, const char *key, const char *bin);
struct sim_stat hfs_local(const struct sim_paper_run *run, const char *key, const char *bin,
                          enum sim_level level);
struct sim_stat hfs_ratio(const struct sim_paper_run *run, const char *key, const char *to,
                          const char *bin);
/* How much sooner @n "scans" or "small" jobs are all done with delay scheduling. */
struct sim_stat hfs_faster(const struct sim_paper_run *run, const char *what, int n);

/* Pool 3 of figure 11 is FIFO inside: tells the core before it is made. */
void hfs_fig11_pools(void *ctx, struct rm_core_conf *core);
void hfs_judge_fig11(struct sim_paper_run *run);
void hfs_draw(struct sim_paper_run *run);

#endif

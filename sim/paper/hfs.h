/* sim/paper/hfs.h - what the two files about the delay scheduling paper share. */
#ifndef CREEL_SIM_PAPER_HFS_H
#define CREEL_SIM_PAPER_HFS_H

#include "sim/paper/paper.h"

enum { HFS_BINS = 9, HFS_SCANS = 4, HFS_WAITS = 4 };
extern const char *const hfs_bins[HFS_BINS];
extern const int hfs_scans[HFS_SCANS];
extern const double hfs_waits[HFS_WAITS];

/* Statistics over seeds, for the jobs of @bin ("": all jobs) in the case @key: the mean sojourn
 * (only its mean over seeds); the percentage of maps launched at @level or nearer; the mean sojourn
 * divided by that in the case @to. */
double hfs_mean_sojourn_s(const struct sim_paper_run *run, const char *key, const char *bin);
struct sim_stat hfs_local_percent(const struct sim_paper_run *run, const char *key, const char *bin,
                                  enum sim_level level);
struct sim_stat hfs_sojourn_ratio(const struct sim_paper_run *run, const char *key, const char *to,
                                  const char *bin);
/* Makespan without delay scheduling divided by the makespan with it, over seeds. @what: "scans" for
 * @n jobs that scan one file, "small" for equal jobs of @n maps. */
struct sim_stat hfs_makespan_ratio(const struct sim_paper_run *run, const char *what, int n);

/* For sim_conf.adjust: gives the core the pools of figure 11; pool 3 serves its jobs in FIFO order.
 */
void hfs_make_fig11_pools(void *ctx, struct rm_core_conf *core);
void hfs_add_fig11_row(struct sim_paper_run *run);
void hfs_draw_pictures(struct sim_paper_run *run);

#endif

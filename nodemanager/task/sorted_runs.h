/* nodemanager/task/sorted_runs.h - the sorted runs a reduce has fetched, on disk, until they are merged.
 * Runs of at least RUN_LARGE bytes stay files of their own and are merged as they are. Smaller ones are put one behind
 * the other in a pool, which is sorted as a whole into one more run: ten thousand small map outputs then cost one sort,
 * not merges of merges. Thread-safe. */
#ifndef CREEL_NODEMANAGER_TASK_SORTED_RUNS_H
#define CREEL_NODEMANAGER_TASK_SORTED_RUNS_H

#include "nodemanager/task/child.h"

struct task_runs;
int task_runs_new(struct task *t, struct task_runs **out, struct base_error *err);
/* A run of sorted lines is in @fd (whole file, every line ended) and at @path. Its content is taken; @fd stays the
 * caller's. *@kept: the file itself is now the run's, the caller needs another one. */
int task_runs_add(struct task_runs *r, int fd, const char *path, bool *kept, struct base_error *err);
int64_t task_runs_bytes(const struct task_runs *r);
/* Sorts the pool. Then gives a descriptor from which all lines come in order, and the sort process behind it (pid 0
 * when there is none). */
int task_runs_merge(struct task_runs *r, int *out, struct task_child *child, struct base_error *err);
void task_runs_free(struct task_runs *r);

#endif

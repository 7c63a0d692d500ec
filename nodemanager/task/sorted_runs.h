/* nodemanager/task/sorted_runs.h - the sorted runs a reduce has fetched, on disk until they are
 * merged.
 *
 * Runs of at least 256 KiB (RUN_LARGE) remain files and are merged as they are. Smaller ones are
 * appended to a pool, which is sorted as a whole into one more run: ten thousand small map outputs
 * then cost one sort instead of several levels of merging. task_runs_add_file() is thread-safe. */
#ifndef CREEL_NODEMANAGER_TASK_SORTED_RUNS_H
#define CREEL_NODEMANAGER_TASK_SORTED_RUNS_H

#include "nodemanager/task/child.h"

struct task_runs;
int task_runs_new(struct task *t, struct task_runs **out, struct base_error *err);
/* Adds a run of sorted lines: the whole file @fd with path @path, whose last line must be complete
 * (otherwise fails with -BASE_ECORRUPT). The caller keeps @fd. *kept: the file itself now belongs
 * to the run, so the caller needs another file. */
int task_runs_add_file(struct task_runs *r, int fd, const char *path, bool *kept,
                       struct base_error *err);
int64_t task_runs_total_bytes(const struct task_runs *r);
/* Sorts the pool, then sets *out to a descriptor that delivers all lines in order. @child is set to
 * the sort process that writes to it (pid 0 if none is needed). The caller closes *@out. */
int task_runs_start_merge(struct task_runs *r, int *out, struct task_child *child,
                          struct base_error *err);
void task_runs_free(struct task_runs *r);

#endif

/* nodemanager/task/sort.h - GNU sort as the external sorter, and its use for a map's output.
 *
 * One sort process handles all partitions. If there are several, each line gets a prefix of 1 to 3
 * bytes that sorts by partition; sort compares whole lines with memcmp, and the prefix is stripped
 * afterwards. Compared with one sort per partition this costs 8 % of sort's own time (word count, 4
 * partitions), and memory, processes and temporary files do not grow with the number of partitions.
 *
 * Order: by key, then by the whole line (bytes). Comparing whole lines gives the same order except
 * if a key contains a byte below TAB. Then the lines are sorted again with -t TAB -k1,1, which is
 * about 15 % slower but always right. Each map decides for itself; both ways produce the same
 * order.
 *
 * Measured (180 MB, 22.9 million lines of "word TAB 1"): -S 2M 7.3 s, 8M 6.7 s, 16M 5.4 s, 64M 6.9
 * s, 256M 8.8 s, sort's own choice (an eighth of memory, all cores) 9.2 s. Runs that fit the caches
 * beat fewer runs, so sort gets 16 MiB, more (up to 256 MiB) only if so many runs would need a
 * second level of merging, and never more than the job allows. */
#ifndef CREEL_NODEMANAGER_TASK_SORT_H
#define CREEL_NODEMANAGER_TASK_SORT_H

#include "nodemanager/task/child.h"
#include "nodemanager/task/task.h"

/* Starts sort reading @in and writing @out. @by_key: compare with -t TAB -k1,1. @merge_list: a file
 * with NUL-terminated names of sorted files to merge; NULL: sort stdin. */
int task_sort_start_process(struct task *t, struct task_child *c, int in, int out, bool by_key,
                            const char *merge_list, struct base_error *err);

/* Adds the number of temporary files that sort created to BASE_COUNT_SPILLS. Call this after the
 * last sort. If the system has no inotify watch left, nothing is counted. */
void task_sort_count_spills(struct task *t);

struct task_sorter; /* map output on its way to output/file.out */
/* Allocates t->partitions and starts sort. The caller frees *@out even after an error. */
int task_sorter_new(struct task *t, struct task_sorter **out, struct base_error *err);
/* Copies all output of the map command (@fd) into sort and counts it. If sort has died, records its
 * message and fails with -BASE_EIO, or with -BASE_ENOSPC if the disk is full. */
int task_sorter_read_map_output(struct task_sorter *s, int fd, struct base_error *err);
/* Sorts, combines, writes file.out and file.index, and fills t->partitions. */
int task_sorter_finish(struct task_sorter *s, struct base_error *err);
void task_sorter_free(struct task_sorter *s);

#endif

/* nodemanager/task/sort.h - GNU sort as the external sorter, and what a map does with its output.
 *
 * One sort for all partitions: each line gets a prefix of 1 to 3 bytes that orders by partition, whole lines are
 * compared with memcmp, the prefix goes away behind sort. Against one sort per partition this costs 8 % of sort's own
 * time on word count with 4 partitions, and bounds memory, processes and temporary files whatever their number is.
 *
 * Order: by key, then by the whole line (bytes). Comparing whole lines gives the same, except when a key holds a byte
 * below TAB; then the lines are sorted once more with -t TAB -k1,1, which is about 15 % slower and always right. Every
 * map decides for itself: both ways leave the same order.
 *
 * Measured (180 MB, 22.9 million lines of "word TAB 1"): -S 2M 7.3 s, 8M 6.7 s, 16M 5.4 s, 64M 6.9 s, 256M 8.8 s,
 * sort's own choice (an eighth of memory, all cores) 9.2 s: runs that fit the caches beat fewer runs. So sort gets 16
 * MiB unless the job gives less. */
#ifndef CREEL_NODEMANAGER_TASK_SORT_H
#define CREEL_NODEMANAGER_TASK_SORT_H

#include "nodemanager/task/task.h"
#include "nodemanager/task/child.h"

/* Starts sort from @in to @out. @by_key: -t TAB -k1,1; @merge_list: file of NUL-ended names of sorted files to merge,
 * or NULL to sort stdin. */
int task_sort_start(struct task *t, struct task_child *c, int in, int out, bool by_key, const char *merge_list,
                    struct base_error *err);

/* Adds the temporary files that sort has made to TASK_SPILLS; to be called after the last sort. Where the system has no
 * watch left for the task, they are not counted. */
void task_sort_count_spills(struct task *t);

struct task_sorter; /* map output on its way to output/file.out */
/* Makes t->partitions and starts sort. */
int task_sorter_new(struct task *t, struct task_sorter **out, struct base_error *err);
/* Moves all of the map command's output (@fd) into sort, counting. -BASE_EIO with sort's own story when sort died. */
int task_sorter_take(struct task_sorter *s, int fd, struct base_error *err);
/* Sorts, combines, writes file.out and file.index, fills t->partitions. */
int task_sorter_finish(struct task_sorter *s, struct base_error *err);
void task_sorter_free(struct task_sorter *s);

#endif

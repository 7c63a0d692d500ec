/* nodemanager/task/split.h - one split of an input file as a stream of whole lines.
 *
 * A line belongs to the split in which its first byte lies: a split that does not start at 0 begins after the first
 * newline at or after offset - 1, and every split reads past its end to finish its last line. So each line comes out
 * exactly once, however long it is. Bytes are passed as they are; a missing newline at the file's end stays missing.
 * gzip: the whole file, all members; damaged or cut data is an error. */
#ifndef CREEL_NODEMANAGER_TASK_SPLIT_H
#define CREEL_NODEMANAGER_TASK_SPLIT_H

#include <sys/types.h>

#include "nodemanager/task/task.h"

struct task_split;
int task_split_open(const struct task_spec *spec, struct task_split **out, struct base_error *err);
/* Next bytes into *@data (borrowed until the next call): their count, 0 at the end, or a negative BASE_E*. */
ssize_t task_split_read(struct task_split *s, const char **data, struct base_error *err);
/* Bytes of the split consumed so far (of the file: compressed ones for gzip). */
int64_t task_split_consumed(const struct task_split *s);
int64_t task_split_length(const struct task_split *s);
void task_split_free(struct task_split *s);

#endif

/* nodemanager/task/split.h - one split of an input file as a stream of complete lines.
 *
 * A line belongs to the split that contains its first byte: a split that does not start at 0 begins
 * after the first newline at or after offset - 1, and every split reads past its end to finish its
 * last line. Thus each line is delivered exactly once, however long. Bytes are passed unchanged; a
 * newline missing at the end of the file stays missing. A gzip file is read as a whole, with all
 * members; damaged or truncated data is an error. */
#ifndef CREEL_NODEMANAGER_TASK_SPLIT_H
#define CREEL_NODEMANAGER_TASK_SPLIT_H

#include <sys/types.h>

#include "nodemanager/task/task.h"

struct task_split;
int task_split_open(const struct task_spec *spec, struct task_split **out, struct base_error *err);
/* Sets *data to the next bytes (borrowed until the next call). Returns their count, 0 at the end,
 * or a negative BASE_E*. */
ssize_t task_split_read_chunk(struct task_split *s, const char **data, struct base_error *err);
/* Returns the number of bytes of the split consumed so far; for gzip, the number of compressed
 * bytes. */
int64_t task_split_consumed_bytes(const struct task_split *s);
int64_t task_split_length_bytes(const struct task_split *s);
void task_split_free(struct task_split *s);

#endif

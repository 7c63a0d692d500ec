/* nodemanager/task/job/splits.h - turns the inputs of a job into splits, in a deterministic order.
 *
 * An input is an absolute path or a file:// URI (percent-decoded; host empty or "localhost") of a
 * file, a folder or a glob(7) pattern. A path that exists as written is never taken for a pattern.
 * A folder stands for its files, one level deep: sub-folders are ignored, names that start with '.'
 * or '_' are skipped (Hadoop's rule), and links to files are followed. A pattern that matches
 * nothing is an error. Files are sorted bytewise within one input; inputs stay in their order. An
 * input with the same path as an earlier one is ignored; a file reached through two different
 * inputs (its folder and a pattern, say) is read twice.
 *
 * Splits are pieces of @split_size; the last one may be up to 1.1 times as long (SOURCE: Hadoop
 * FileInputFormat, SPLIT_SLOP). A file whose name ends in .gz and whose content starts with gzip's
 * magic number is one split. Empty files have no split. When all are empty, the first one becomes
 * one empty split, so that the job has something to run.
 *
 * Stateless and thread-safe. Reads folders and the first bytes of .gz files, and takes as long as
 * the file systems do; struct task_input_bounds limits the work. */
#ifndef CREEL_NODEMANAGER_TASK_JOB_SPLITS_H
#define CREEL_NODEMANAGER_TASK_JOB_SPLITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TASK_INPUT_SPLIT_MIN 1
#define TASK_INPUT_FILES_MAX 1000000 /* most files of one job */
/* most directory entries read and paths examined to find the files, over all inputs */
#define TASK_INPUT_ENTRIES_MAX 2000000

struct task_input_bounds {
    int64_t entries_max; /* 0: TASK_INPUT_ENTRIES_MAX */
    /* Called for every directory entry read and every path examined. Returns 0, or a negative
     * BASE_E* with a message, which ends the search. NULL: no check. */
    int (*check)(void *user, struct base_error *err);
    void *user;
};

struct task_input_split {
    uint32_t path_index; /* into task_input.paths */
    int64_t offset, length;
    bool gzip;
};
struct task_input {
    char **paths;
    size_t paths_len, paths_cap;
    struct task_input_split *splits;
    size_t splits_len, splits_cap;
    int64_t bytes; /* total size of all files */
    size_t stored; /* least number of bytes that the paths take in the job's record */
};

/* Finds the files of @inputs and splits them. Returns 0, or a negative code with @out empty:
 * -BASE_EINVAL, -BASE_ELIMIT, -BASE_EIO, -BASE_ENOMEM, the code of a function of @bounds, or
 * -BASE_ETOOLARGE when the list would take more than BASE_RECORD_MAX bytes. The message begins with
 * the input that caused the error ("job.input[2]: /x does not exist"), if a single one did. Without
 * @bounds (NULL) only the limits above hold. */
int task_input_find_splits(const char *const *inputs, size_t n, int64_t split_size,
                           const struct task_input_bounds *bounds, struct task_input *out,
                           struct base_error *err);
void task_input_free(struct task_input *in); /* sets @in back to zeros */

#endif

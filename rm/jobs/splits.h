/* rm/jobs/splits.h - the inputs of a job become splits, in one deterministic order.
 *
 * An input is an absolute path or a file:// URI (percent-decoded; host empty or "localhost") of a file, a folder or a
 * glob(7) pattern. A path that exists as written is never taken for a pattern. A folder stands for its files, one
 * level deep: sub-folders are ignored, names that start with '.' or '_' are skipped (Hadoop's rule), links to files are
 * followed. A pattern that matches nothing is an error. Files are sorted by bytes within one input; inputs stay in
 * their order. An entry that names the same path as an earlier one is counted once; a file that two different entries lead
 * to (its folder and a pattern, say) is read twice.
 *
 * Splits: pieces of @split_size, the last one up to 1.1 times as long (SOURCE: Hadoop FileInputFormat, SPLIT_SLOP). A
 * file whose name ends in .gz and which starts with gzip's magic is one split. Empty files have none; when nothing
 * but empty files is there, the first one gives one empty split, so that the job has something to run.
 *
 * No state, thread-safe; reads folders and the first bytes of .gz files, so not for the core's thread: it takes as long
 * as the file systems do. struct rm_input_bounds says how much of it the caller allows. */
#ifndef CREEL_RM_JOBS_SPLITS_H
#define CREEL_RM_JOBS_SPLITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define RM_INPUT_SPLIT_MIN 1
#define RM_INPUT_FILES_MAX 1000000   /* files of one job */
#define RM_INPUT_ENTRIES_MAX 2000000 /* names looked at to find them, over all inputs */

struct rm_input_bounds {
    int64_t entries_max; /* 0: RM_INPUT_ENTRIES_MAX */
    /* Called for every name looked at: a negative BASE_E* with its text ends the expansion. NULL: nothing does. */
    int (*check)(void *user, struct base_error *err);
    /* The same, called before anything is looked at that @path names, which may be a pattern. */
    int (*enter)(void *user, const char *path, struct base_error *err);
    void *user;
};

struct rm_split {
    uint32_t path_index; /* into rm_input.paths */
    int64_t offset, length;
    bool gzip;
};
struct rm_input {
    char **paths;
    size_t paths_len, paths_cap;
    struct rm_split *splits;
    size_t splits_len, splits_cap;
    int64_t bytes; /* of all files */
    size_t stored; /* bytes that the paths take in the job's record, at least */
};

/* 0; or -BASE_EINVAL / -BASE_EPERM / -BASE_ELIMIT / -BASE_EIO, or what @bounds->check said, with a text that begins
 * with the entry ("job.input[2]: /x does not exist") and @out empty; -BASE_ETOOLARGE: the list would be over
 * BASE_RECORD_MAX bytes. @bounds: NULL: the limits above alone. */
int rm_input_expand(const char *const *inputs, size_t n, int64_t split_size, const struct rm_input_bounds *bounds,
                    struct rm_input *out, struct base_error *err);
void rm_input_free(struct rm_input *in); /* back to all zero */

/* The path of a file:// URI or an absolute path; caller frees. -BASE_EINVAL with a text about @text alone. */
int rm_input_path(const char *text, char **out, struct base_error *err);

#endif

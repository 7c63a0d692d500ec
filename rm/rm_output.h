/* rm/rm_output.h - the output folder of a job, as Hadoop's FileOutputCommitter (algorithm 2) keeps it:
 *
 *   check --> setup: <out>/, <out>/_temporary/ --> tasks rename <out>/part-NNNNN --> commit: _SUCCESS, last
 *                                                                                 \-> abort: _temporary goes
 *
 * commit and abort may be repeated, and setup when it says so: a restarted RM does. Thread-safe; does I/O. */
#ifndef CREEL_RM_OUTPUT_H
#define CREEL_RM_OUTPUT_H

#include <stdbool.h>

#include "base/base_error.h"

/* @output: absolute path or file:// URI. -BASE_EEXIST when it is there already, -BASE_EINVAL when its parent is not a
 * writable folder; texts begin with "output: ". */
int rm_output_check(const char *output, struct base_error *err);
/* The plain path tasks get ("output" of their specs), without slashes at the end; caller frees. */
int rm_output_path(const char *output, char **out, struct base_error *err);
/* @output: in either form again. @again: the folder may be there already, this job's; else that is -BASE_EEXIST: it
 * belongs to another job that named the same one. */
int rm_output_setup(const char *output, bool again, struct base_error *err);
int rm_output_commit(const char *output, struct base_error *err);
int rm_output_abort(const char *output, struct base_error *err); /* parts that were committed stay */

#endif

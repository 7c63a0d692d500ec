/* rm/jobs/output_folder.h - the output folder of a job, as Hadoop's FileOutputCommitter (algorithm 1) keeps it:
 *
 *   check --> setup: <out>/, <out>/_temporary/, <out>/_temporary/<job's id>
 *         --> attempts write <out>/_temporary/<task>_<attempt>/part-NNNNN
 *         --> commit: <out>/_temporary/<job's id>.taken, then the parts of the attempts that count
 *                     become <out>/part-NNNNN; all else in _temporary goes; _SUCCESS; what is left
 *                     of _temporary goes
 *         \-> abort: parts that a commit has taken go (rm/jobs/output_taken.h), _temporary, and <out> if
 *                    nothing else is in it
 *
 * No attempt writes outside a folder of its own: one that was lost with its node, replaced, and goes on all the same
 * cannot touch the part of the attempt that counts. The empty file with the job's id tells whose folder it is.
 * commit and abort may be repeated, and setup when it says so: a restarted RM does. Each is on disk when it returns.
 * Thread-safe; does I/O. */
#ifndef CREEL_RM_JOBS_OUTPUT_FOLDER_H
#define CREEL_RM_JOBS_OUTPUT_FOLDER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"

struct rm_output_parts { /* part i is that of attempt attempts[i] of task i of @kind */
    enum base_task_kind kind;
    const int32_t *attempts;
    size_t n;
};

/* @output: absolute path or file:// URI. -BASE_EEXIST when it is there already, -BASE_EINVAL when its parent is not a
 * writable folder; texts begin with "output: ". */
int rm_output_check(const char *output, struct base_error *err);
/* The plain path tasks get ("output" of their specs), without slashes at the end; caller frees. */
int rm_output_path(const char *output, char **out, struct base_error *err);
/* @output: in either form again. @again: the folder may be there already, this job's; else that is -BASE_EEXIST: it
 * belongs to another job that named the same one. */
int rm_output_setup(const char *output, struct base_app_id id, bool again, struct base_error *err);
/* Parts that are at their place already, from an earlier try or by a version of Creel that let attempts put them there,
 * are fine; one that is nowhere is -BASE_ENOTFOUND. */
int rm_output_commit(const char *output, struct base_app_id id, const struct rm_output_parts *parts,
                     struct base_error *err);
/* Leaves the folder alone when it is another job's by now. After a commit that was not completed,
 * the parts that it has taken are removed, so that the folder can go; nothing else in it is, and
 * nothing after a complete one. */
int rm_output_abort(const char *output, struct base_app_id id, struct base_error *err);

#endif

/* nodemanager/task/job/output_taken.h - keeps the list of files that a job's commit moves into the
 * output folder.
 *
 * A commit that fails half way, or whose RM dies, has moved some parts already. A later abort has
 * to remove these parts, but no file that users have put into the folder. So before its first move
 * the commit records which files it is going to move: <out>/_temporary/<job's id>.taken contains
 * lines of "<index> <inode>". A rename keeps the inode, so <out>/part-<index> was moved by
 * the commit if and only if it has that inode. The list lasts until the commit is complete.
 *
 * The list is in a folder of the user, who may write anything into it; at worst, parts in this
 * folder are removed or kept by mistake. */
#ifndef CREEL_NODEMANAGER_TASK_JOB_OUTPUT_TAKEN_H
#define CREEL_NODEMANAGER_TASK_JOB_OUTPUT_TAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/id.h"

struct task_output_taken {
    uint64_t *inodes; /* inode of part i; 0: not moved by this commit */
    size_t n;
    bool is_there; /* a list exists */
};

/* Loads the list from @temporary, an open _temporary folder. Skips malformed lines and indexes of
 * @max or more. A missing list, or a file that cannot be a list (it is too large or not a plain
 * file), counts as an empty one. Returns 0 or a negative BASE_E*; call task_output_taken_free() in
 * any case. */
int task_output_taken_load_list(int temporary, struct base_app_id id, size_t max,
                                struct task_output_taken *out, struct base_error *err);
/* Replaces the list; the new one is on disk when the call returns. Returns 0, or -BASE_EIO or
 * -BASE_ENOSPC. */
int task_output_taken_save_list(int temporary, struct base_app_id id,
                                const struct task_output_taken *taken, struct base_error *err);
/* Removes the moved parts from the open output folder @folder; their removal is on disk when the
 * call returns. Returns 0 or a negative BASE_E*. */
int task_output_taken_remove_parts(int folder, const struct task_output_taken *taken,
                                   struct base_error *err);
void task_output_taken_free(struct task_output_taken *taken);

/* Formats the name of part @index: "part-00000" for 0. */
#define TASK_OUTPUT_PART_MAX 32
const char *task_output_format_part_name(size_t index, char out[static TASK_OUTPUT_PART_MAX]);
/* Formats the file name of the list of job @id. */
#define TASK_OUTPUT_TAKEN_MAX (BASE_ID_TEXT_MAX + 16)
const char *task_output_taken_format_list_name(struct base_app_id id,
                                               char out[static TASK_OUTPUT_TAKEN_MAX]);

#endif

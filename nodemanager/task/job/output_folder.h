/* nodemanager/task/job/output_folder.h - creates, commits and aborts the output folder of a job, in
 * the layout of Hadoop's FileOutputCommitter (algorithm 1):
 *
 *   check --> create: <parent>/.creel_<job's id>/_temporary/<job's id>, renamed to <out>
 *             (nodemanager/task/job/output_staging.h)
 *         --> attempts write <out>/_temporary/<task>_<attempt>/part-NNNNN
 *         --> commit: write <out>/_temporary/<job's id>.taken, rename the parts of the attempts
 *                     that count to <out>/part-NNNNN, remove the attempts' folders, write
 *                     _SUCCESS, remove _temporary
 *         \-> abort: remove parts that a commit has moved (nodemanager/task/job/output_taken.h),
 *                    _temporary, and <out> if it is then empty
 *
 * No attempt writes outside its own folder: an attempt that was lost with its node and replaced,
 * but still runs, cannot touch the part of the attempt that counts. The empty file named after the
 * job marks the folder as that job's; the folder appears together with its mark. It counts only in
 * a folder of the user of the process, to which <out> itself, not a link, must lead: whoever may
 * write to <parent> could plant another one there, with the mark of a job to come. Each call may be
 * repeated, by another attempt and on another host, even while an earlier one is still running. The
 * effects of each call, except the removal of _temporary, are on disk when it returns. Does I/O, as
 * the user of the process. */
#ifndef CREEL_NODEMANAGER_TASK_JOB_OUTPUT_FOLDER_H
#define CREEL_NODEMANAGER_TASK_JOB_OUTPUT_FOLDER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"

struct task_output_parts { /* part i comes from attempt attempts[i] of task i of @kind */
    enum base_task_kind kind;
    const int32_t *attempts;
    size_t n;
};

/* Checks that the output folder can be created, or was created for job @id. @output is an absolute
 * path or a file:// URI. Returns 0, -BASE_EEXIST when another folder exists already, or
 * -BASE_EINVAL when @output is malformed or its parent is not a writable folder. Messages begin
 * with "job.output: ". */
int task_output_check_creatable(const char *output, struct base_app_id id, struct base_error *err);
/* Creates the folder as job @id's. Returns 0, also when it was created for that job before,
 * -BASE_EEXIST when another folder exists, or another negative BASE_E*. */
int task_output_create_folder(const char *output, struct base_app_id id, struct base_error *err);
/* Moves the parts into place, writes _SUCCESS and removes _temporary. Parts already in place, from
 * an earlier try or written there by the attempts of an older version of Creel, are accepted.
 * Returns 0, -BASE_ENOTFOUND when the folder or a part does not exist, -BASE_EEXIST when another
 * job owns the folder by now, or another negative BASE_E*. */
int task_output_commit_parts(const char *output, struct base_app_id id,
                             const struct task_output_parts *parts, struct base_error *err);
/* Removes the job's unfinished output, and the folder if it is then empty. Does nothing when the
 * folder does not exist or does not carry the job's mark. After an incomplete commit, removes the
 * parts that the commit has moved, but no file that users have added; after a complete commit,
 * removes nothing. Sets *complete to whether the folder holds _SUCCESS, the first part and no job's
 * mark: whoever knows that the folder was this job's knows then that its commit was complete.
 * Returns 0 or a negative BASE_E*. */
int task_output_abort_job(const char *output, struct base_app_id id, bool *complete,
                          struct base_error *err);

#endif

/* nodemanager/task/part_file.h - the part file of a task, and its commit.
 *
 *   <output>/_temporary/<task>_<attempt>/part-NNNNN --fsync, permission of the RM--> stays there
 *                                                     until the job's commit
 *
 * The RM permits one attempt of a task at a time to commit. Asking again is harmless, so the
 * request is repeated until answered. Permission is not final: an attempt may be given up together
 * with its node afterwards, and another attempt may succeed. Nothing that the first attempt does
 * later may affect the second one's part. Hence each attempt leaves its part in a folder of its
 * own, and the job's commit takes the parts of the attempts that count
 * (nodemanager/task/job/output_folder.h). */
#ifndef CREEL_NODEMANAGER_TASK_PART_FILE_H
#define CREEL_NODEMANAGER_TASK_PART_FILE_H

#include "nodemanager/task/task.h"

struct task_part_file;
/* Opens the job's output folder and creates the attempt's part file below it. Returns 0 or an
 * error; the caller frees *@out in either case. */
int task_part_file_create(struct task *t, struct task_part_file **out, struct base_error *err);
/* Write everything from @fd, or the @n bytes at @p, to the part file. Count lines in counter
 * @records and bytes in the counter that follows it in enum base_task_counter; an incomplete last
 * line counts only in task_part_file_copy_from_fd(). */
int task_part_file_copy_from_fd(struct task_part_file *o, int fd, enum base_task_counter records,
                                struct base_error *err);
int task_part_file_write(struct task_part_file *o, const char *p, size_t n,
                         enum base_task_counter records, struct base_error *err);
/* Closes the part, asks the RM for permission, and leaves the part for the job's commit (without
 * spec.job_commits, moves it to the output folder). If refused, records the exit code and returns
 * -BASE_ESTATE. */
int task_part_file_commit(struct task_part_file *o, struct base_error *err);
void task_part_file_free(struct task_part_file *o); /* removes a part that was not committed */

#endif

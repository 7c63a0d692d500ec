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
 * (rm/jobs/output_folder.h). */
#ifndef CREEL_NODEMANAGER_TASK_PART_FILE_H
#define CREEL_NODEMANAGER_TASK_PART_FILE_H

#include "nodemanager/task/task.h"

struct task_output;
int task_output_open(struct task *t, struct task_output **out, struct base_error *err);
/* Copies everything from @fd to the part file. Counts records in counter @records and bytes in the
 * counter that follows it in enum base_task_counter. */
int task_output_copy_from_fd(struct task_output *o, int fd, enum base_task_counter records,
                             struct base_error *err);
int task_output_write(struct task_output *o, const char *p, size_t n,
                      enum base_task_counter records, struct base_error *err);
/* Closes the part, asks the RM for permission, and leaves the part for the job's commit (without
 * spec.job_commits, moves it to the output folder). If refused, records the exit code and returns
 * -BASE_ESTATE. */
int task_output_commit(struct task_output *o, struct base_error *err);
void task_output_free(struct task_output *o); /* removes a part that was not committed */

#endif

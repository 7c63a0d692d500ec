/* nodemanager/task/part_file.h - the part file of a task and its commit.
 *   <output>/_temporary/<task>_<attempt>/part-NNNNN --fsync, leave of the RM--> stays there until the job's commit
 * The RM lets one attempt of a task commit at a time; asking again is harmless, so it is asked until it answers. Leave
 * is not the last word: an attempt may be given up with its node after it had leave, and another one succeed. Nothing
 * that the first one does later may touch the part of the second, so each leaves its part in a folder of its own, and
 * the job's commit takes those of the attempts that count (rm/jobs/output_folder.h). */
#ifndef CREEL_NODEMANAGER_TASK_PART_FILE_H
#define CREEL_NODEMANAGER_TASK_PART_FILE_H

#include "nodemanager/task/task.h"

struct task_output;
int task_output_open(struct task *t, struct task_output **out, struct base_error *err);
/* Moves everything from @fd into the part file, counting into counter @records
 * and the one of bytes, which follows it in enum task_counter. */
int task_output_copy(struct task_output *o, int fd, enum task_counter records, struct base_error *err);
int task_output_write(struct task_output *o, const char *p, size_t n, enum task_counter records,
                      struct base_error *err);
/* Closes, asks the RM, leaves the part to the job's commit. Refused: the task is told its exit code, -BASE_ESTATE. */
int task_output_commit(struct task_output *o, struct base_error *err);
void task_output_free(struct task_output *o); /* removes what was not committed */

#endif

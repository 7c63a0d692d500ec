/* nodemanager/task/job/steps.h - the steps of a job. Each is run like a task, by a process in a
 * container of its own: the steps do what touches the user's files besides the tasks.
 *
 *   setup   find and split the input, make the output folder, report the splits to the RM
 *   commit  ask the RM for permission, move the parts that count to their places, write _SUCCESS
 *   abort   remove the unfinished output
 *
 * Each may be repeated, by another attempt on another node, even while an earlier attempt is still
 * running (output_folder.h). The RM starts the job's tasks only when it has stored the splits; it
 * accepts splits from one attempt, and permits one attempt at a time to move parts.
 *
 * A failure that another attempt on this node would meet too, such as an input that does not exist,
 * ends the process with TASK_EXIT_JOB_REFUSED: the RM tries other nodes, and then fails the job. */
#ifndef CREEL_NODEMANAGER_TASK_JOB_STEPS_H
#define CREEL_NODEMANAGER_TASK_JOB_STEPS_H

#include "nodemanager/task/task.h"

/* Runs the step t->spec.step. Returns 0, or a negative BASE_E*; the exit code of the process is
 * then recorded in @t. */
int task_run_job_step(struct task *t, struct base_error *err);

#endif

/* rm/core/job/job.h - the life of a job. */
#ifndef CREEL_RM_CORE_JOB_JOB_H
#define CREEL_RM_CORE_JOB_JOB_H

#include "rm/core/state.h"

/* Accepts a submitted job: begins its setup, or asks the policy to admit it. */
void rm_job_accept(struct rm_core *c, struct rm_app *a);
/* Asks the policy to admit a job whose tasks are known, and lets them be scheduled; fails the job
 * when its deadline is refused. Does nothing for a job that is ending. */
void rm_job_decide_admission(struct rm_core *c, struct rm_app *a);
/* Lets the tasks of a live job be scheduled. If the job has an output folder that was not made yet,
 * requests that folder instead; rm_job_on_set_up() continues. */
void rm_job_set_up_or_open_tasks(struct rm_core *c, struct rm_app *a);
/* Handle RM_EV_JOB_SET_UP, RM_EV_JOB_COMMITTED and RM_EV_JOB_ABORTED. */
void rm_job_on_set_up(struct rm_core *c, const struct rm_event *ev);
void rm_job_on_committed(struct rm_core *c, const struct rm_event *ev);
void rm_job_on_aborted(struct rm_core *c, const struct rm_event *ev);
/* When all tasks have succeeded, begins the commit, or the end of a job without an output folder;
 * continues the end of a failing or killed job when its containers are gone. Otherwise does
 * nothing. */
void rm_job_commit_or_end_if_ready(struct rm_core *c, struct rm_app *a);
/* Returns the kind of the tasks that write the parts of the output. */
enum base_task_kind rm_job_kind_of_output_tasks(const struct rm_app *a);
/* The commit of the output has succeeded or failed: ends the job. */
void rm_job_finish_commit(struct rm_core *c, struct rm_app *a, bool ok, const char *diagnostics);
/* The unfinished output was removed, or cannot be: continues the end of the job. */
void rm_job_finish_abort(struct rm_core *c, struct rm_app *a);
/* Begins the commit of the output. Call when the end of every task is durable. */
void rm_job_request_commit(struct rm_core *c, struct rm_app *a);
/* Begins to end the job as @how says, and kills its containers. Once an end has begun, only a kill
 * replaces it; other calls do nothing. */
void rm_job_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
/* Steps on nodes (rm/core/job/step/step.h), in job_steps.c.
 *
 * Aborts that are owed. A failed or killed job waits RM_ABORT_MAX_US for its abort. If that has not
 * removed the unfinished output by then, or has failed in all attempts, the job ends, and its
 * record says that the abort is owed. The abort then goes on like a setup: it waits for a place,
 * and when it has failed in all attempts, it begins again after a pause, of RM_ABORT_PAUSE_US at
 * first, then twice as long each time up to RM_ABORT_PAUSE_MAX_US, but not before its processes
 * have ended; and under each later instance of the ResourceManager. It ends when the output has
 * been removed, or when the ended job is forgotten, for the bounds on ended applications
 * (completed_apps_max, completed_bytes_max): then a note names the folder. Whenever it comes, an
 * abort removes only what carries the mark of its job, so nothing that a later job has made under
 * the same name (nodemanager/task/job/output_folder.h).
 *
 * Begins the abort of an ending job. Returns false when there is nothing to remove. */
bool rm_job_request_abort_step(struct rm_core *c, struct rm_app *a);
/* The decision to end the job is durable: lets the abort wait for a slot. */
void rm_job_begin_abort(struct rm_core *c, struct rm_app *a);
/* The timer of @a is due: the end of the job does not wait for its abort any longer, or an abort
 * that is owed begins again. */
void rm_job_on_abort_timer(struct rm_core *c, struct rm_app *a);
/* The step that holds the place of @n has not ended in time. */
void rm_job_end_late_step(struct rm_core *c, struct rm_node *n);
/* Retires a job that has ended, and begins its abort if that is owed. */
void rm_job_retire(struct rm_core *c, struct rm_app *a);
/* The ended job @a is going to be forgotten: gives up its abort, with a note, if that is owed. */
void rm_job_forget_owed_abort(struct rm_core *c, struct rm_app *a);
/* The container @ct of a step has ended. @r: the node's report, or NULL. */
void rm_job_note_step_end(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                          const struct rm_container_report *r);
/* After a restart: continues what an earlier instance has begun. */
void rm_job_continue_recovered_step(struct rm_core *c, struct rm_app *a);

/* Returns the progress of the job's tasks of kind @k, 0 to 1; at most 0.99 until all have
 * succeeded. */
double rm_job_progress(const struct rm_app *a, enum base_task_kind k);
/* Fails the job because the task @t has failed for good. */
void rm_job_fail_for_task(struct rm_core *c, struct rm_app *a, struct rm_task *t);
/* After a restart: fails the job if a task of it has failed for good, in case the job's end was not
 * recorded. */
void rm_job_fail_if_task_failed(struct rm_core *c, struct rm_app *a);

/* Returns the progress that clients see: at most 99 % before the end, since a task has read all its
 * input some time before it ends. Policies use the reported progress. */
static inline double rm_progress_capped_until_ended(double progress, bool ended)
{
    return !ended && progress > 0.99 ? 0.99 : progress;
}

#endif

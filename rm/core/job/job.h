/* rm/core/job/job.h - the life of a job. */
#ifndef CREEL_RM_CORE_JOB_JOB_H
#define CREEL_RM_CORE_JOB_JOB_H

#include "rm/core/state.h"

void rm_job_accept(struct rm_core *c, struct rm_app *a);
void rm_job_set_up_or_open_tasks(struct rm_core *c, struct rm_app *a);
void rm_job_on_set_up(struct rm_core *c, const struct rm_event *ev);
/* Moves the job on as far as it can: commits it when all tasks are done, or continues its end. */
void rm_job_commit_or_end_if_ready(struct rm_core *c, struct rm_app *a);
void rm_job_request_commit(struct rm_core *c, struct rm_app *a);
void rm_job_on_committed(struct rm_core *c, const struct rm_event *ev);
void rm_job_on_aborted(struct rm_core *c, const struct rm_event *ev);
void rm_job_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
double rm_job_progress(const struct rm_app *a, enum base_task_kind k);
void rm_job_fail_for_task(struct rm_core *c, struct rm_app *a, struct rm_task *t);
/* After a restart: ends a job one of whose tasks has failed for good, if that was not recorded. */
void rm_job_fail_if_task_failed(struct rm_core *c, struct rm_app *a);

/* A task has read its input some time before it ends: running tasks show 99 % at most. Policies
 * use what was reported. */
static inline double rm_progress_capped_until_ended(double progress, bool ended)
{
    return !ended && progress > 0.99 ? 0.99 : progress;
}

#endif

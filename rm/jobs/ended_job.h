/* rm/jobs/ended_job.h - encodes an ended job as a JSON object in the form that the simulator
 * replays (sim/input/trace_jsonl.h): how long its tasks took, where they ran, and what was known
 * about the job. A task that did not succeed counts with the mean duration of the successful tasks
 * of its kind or, without any, with the expected duration. */
#ifndef CREEL_RM_JOBS_ENDED_JOB_H
#define CREEL_RM_JOBS_ENDED_JOB_H

#include "base/mem.h"
#include "rm/core/view/view.h"

#define RM_HISTORY_REPLICAS_MAX 8

/* Appends @app and @tasks, all its tasks of each kind, to @out as one object. Times count from
 * @zero_us (a multiple of 1 ms). Returns false and appends nothing when the duration of the maps or
 * of the reduces is unknown: none of them succeeded, and the submission does not specify it. */
bool rm_history_encode_job(const struct rm_app_view *app,
                           const struct rm_views tasks[BASE_TASK_KINDS], int64_t zero_us,
                           struct base_buf *out);

#endif

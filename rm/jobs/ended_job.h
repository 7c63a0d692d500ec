/* rm/jobs/ended_job.h - an ended job as an object of JSON, in the form that the simulator replays (sim/input/trace_jsonl.h): what
 * its tasks took, where they ran, what was known of it. A task that did not succeed counts with the mean of those of its
 * kind that did, else with what was expected of it. */
#ifndef CREEL_RM_JOBS_ENDED_JOB_H
#define CREEL_RM_JOBS_ENDED_JOB_H

#include "base/mem.h"
#include "rm/core/view/view.h"

#define RM_HISTORY_REPLICAS_MAX 8

/* Appends @a, with all its @tasks of each kind. Times count from @zero_us (whole milliseconds). False: nothing tells how
 * long its tasks take, and nothing is appended. */
bool rm_history_put(const struct rm_app_view *a, const struct rm_views tasks[BASE_TASK_KINDS], int64_t zero_us,
                    struct base_buf *out);

#endif

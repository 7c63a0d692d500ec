/* rm/core/job/job_submit.h - submission of jobs. */
#ifndef CREEL_RM_CORE_JOB_JOB_SUBMIT_H
#define CREEL_RM_CORE_JOB_JOB_SUBMIT_H

#include "rm/core/state.h"

/* Handles RM_EV_SUBMIT_JOB. */
void rm_job_on_submit(struct rm_core *c, const struct rm_event *ev);

#endif

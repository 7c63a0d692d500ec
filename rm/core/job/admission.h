/* rm/core/job/admission.h - admission of jobs with a deadline. */
#ifndef CREEL_RM_CORE_JOB_ADMISSION_H
#define CREEL_RM_CORE_JOB_ADMISSION_H

#include "rm/core/state.h"

/* True if the policy admits this new job. False: its diagnostics say why not. */
bool rm_job_admit(struct rm_core *c, struct rm_app *a);

#endif

/* rm/core/admission.h - admission of jobs with a deadline: those that the core runs, and MapReduce
 * applications (rm/core/master/mapreduce.h). */
#ifndef CREEL_RM_CORE_ADMISSION_H
#define CREEL_RM_CORE_ADMISSION_H

#include "rm/core/state.h"

/* Asks the policy, which does not know @a, to admit it. Returns true too for a job without a
 * deadline, and under a policy that admits every job. Returns false when the policy refuses; the
 * job's diagnostics give the reason. Sets a->promised_us to the finish that the policy promises, or
 * a->earliest_us to the deadline that it offers instead, if it does. */
bool rm_app_admit(struct rm_core *c, struct rm_app *a);

#endif

/* rm/core/job/job_kind.h - jobs as a kind of application. */
#ifndef CREEL_RM_CORE_JOB_JOB_KIND_H
#define CREEL_RM_CORE_JOB_JOB_KIND_H

#include "rm/core/app/kind.h"

/* The table of functions for jobs. */
extern const struct rm_app_kind rm_job_kind;

#endif

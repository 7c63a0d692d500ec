/* rm/core/job/attach.h - re-attaches attempts of an earlier instance of the RM. */
#ifndef CREEL_RM_CORE_JOB_ATTACH_H
#define CREEL_RM_CORE_JOB_ATTACH_H

#include "rm/core/state.h"

/* Implements rm_app_kind.attach (rm/core/app/kind.h) for jobs. Returns the attached container; NULL
 * when the reported attempt must be killed or forgotten. */
struct rm_container *rm_job_attach_container(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                             const struct rm_container_report *r);

#endif

/* rm/core/job/attach.h - re-attaches attempts of an earlier instance of the RM. */
#ifndef CREEL_RM_CORE_JOB_ATTACH_H
#define CREEL_RM_CORE_JOB_ATTACH_H

#include "rm/core/state.h"

struct rm_container *rm_job_attach_container(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                             const struct rm_container_report *r);

#endif

/* rm/core/job/learn.h - what policies learn from ended attempts. */
#ifndef CREEL_RM_CORE_JOB_LEARN_H
#define CREEL_RM_CORE_JOB_LEARN_H

#include "rm/core/state.h"

void rm_learn_report_attempt_end(struct rm_core *c, struct rm_app *a, const struct rm_task *t,
                                 const struct rm_container *ct, const struct rm_container_report *r,
                                 bool success, bool killed);
/* After a restart: repeats what its ended tasks have shown. */
void rm_learn_from_recovered_tasks(struct rm_core *c, struct rm_app *a);

#endif

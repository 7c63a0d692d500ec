/* rm/core/job/learn.h - statistics of ended attempts, from which policies estimate later ones. */
#ifndef CREEL_RM_CORE_JOB_LEARN_H
#define CREEL_RM_CORE_JOB_LEARN_H

#include "rm/core/state.h"

/* Reports the end of attempt @ct of @t to the policy, and adds a successful one to the statistics.
 * @r: the node's report, or NULL. */
void rm_learn_report_attempt_end(struct rm_core *c, struct rm_app *a, const struct rm_task *t,
                                 const struct rm_container *ct, const struct rm_container_report *r,
                                 bool success, bool killed);
/* After a restart: adds the succeeded tasks of @a to the statistics, from their records. */
void rm_learn_from_recovered_tasks(struct rm_core *c, struct rm_app *a);

#endif

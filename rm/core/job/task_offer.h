/* rm/core/job/task_offer.h - a slot is offered to a job. */
#ifndef CREEL_RM_CORE_JOB_TASK_OFFER_H
#define CREEL_RM_CORE_JOB_TASK_OFFER_H

#include "rm/core/state.h"

bool rm_job_offer_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                       struct rm_node *n, bool no_delay);
/* Would @a use a slot here? A job that waits for a slot near its data declines. */
enum policy_take rm_job_would_take_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                        struct rm_node *n);

#endif

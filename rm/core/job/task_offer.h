/* rm/core/job/task_offer.h - offers free slots to a job. */
#ifndef CREEL_RM_CORE_JOB_TASK_OFFER_H
#define CREEL_RM_CORE_JOB_TASK_OFFER_H

#include "rm/core/state.h"

/* Implements rm_app_kind.offer (rm/core/app/kind.h) for jobs: resumes or starts a task in a free
 * slot of @n, or several slots. Returns true when it was. @no_delay: do not wait for data locality.
 * @room: the most slots that it may take. */
bool rm_job_offer_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                       struct rm_node *n, bool no_delay, int64_t room);
/* Implements rm_app_kind.wide_request for jobs. */
int32_t rm_job_wide_request(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                            struct rm_node *n);
/* Implements rm_app_kind.takes for jobs: returns whether @a would use a slot of kind @k on @n now.
 * A job that waits for a slot near its data declines. */
enum policy_take rm_job_would_take_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                        struct rm_node *n);

#endif

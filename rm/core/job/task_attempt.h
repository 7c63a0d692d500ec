/* rm/core/job/task_attempt.h - attempts of tasks: launched, ended, allowed to commit. */
#ifndef CREEL_RM_CORE_JOB_TASK_ATTEMPT_H
#define CREEL_RM_CORE_JOB_TASK_ATTEMPT_H

#include "rm/core/state.h"

void rm_task_set_running_attempt(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                                 struct rm_container *ct, bool again);
/* Drops the running attempt in favour of one that an earlier instance started. */
void rm_task_drop_running_attempt(struct rm_core *c, struct rm_app *a, struct rm_task *t);
/* Gives its output the next version. */
void rm_task_publish_map_output(struct rm_core *c, struct rm_app *a, struct rm_task *t);
void rm_task_record_success(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                            struct rm_container *ct, const struct rm_container_report *r);
/* The running attempt ended without success. @counts: towards max-attempts. True: @t has failed for
 * good, and so has its job. */
bool rm_task_record_failure(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                            struct rm_container *ct, bool counts, bool killed, const char *why);
void rm_task_rerun_map(struct rm_core *c, struct rm_app *a, struct rm_task *t, const char *why);
void rm_task_on_commit_request(struct rm_core *c, const struct rm_event *ev);
bool rm_task_take_back_unfetchable_map(struct rm_core *c, struct rm_app *a, struct rm_task *t);

#endif

/* rm/core/job/task_attempt.h - attempts of tasks: launched, ended, allowed to commit. */
#ifndef CREEL_RM_CORE_JOB_TASK_ATTEMPT_H
#define CREEL_RM_CORE_JOB_TASK_ATTEMPT_H

#include "rm/core/state.h"

/* Makes @ct the running attempt of the pending task @t. @reattached: @ct was started by an earlier
 * instance, and keeps its attempt number. */
void rm_task_set_running_attempt(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                                 struct rm_container *ct, bool reattached);
/* Returns the number that the next attempt of @t gets if this instance starts it. */
int32_t rm_task_next_attempt_number(const struct rm_app *a, const struct rm_task *t);
/* Makes @t pending again, in favour of an attempt that an earlier instance started; the caller
 * kills the container. */
void rm_task_drop_running_attempt(struct rm_core *c, struct rm_app *a, struct rm_task *t);
/* Assigns the job's next output version to the output of the map @t, and lists it in a->out_log. */
void rm_task_publish_map_output(struct rm_core *c, struct rm_app *a, struct rm_task *t);
/* Records that the running attempt @ct of @t has succeeded, and publishes the output of a map if
 * its job has reduces. @r: the node's report. */
void rm_task_record_success(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                            struct rm_container *ct, const struct rm_container_report *r);
/* Records that the running attempt @ct of @t has ended without success. @counts: the attempt counts
 * towards max-attempts; @killed: the attempt was killed, through no fault of the task. Returns true
 * when @t has failed for good; the caller then has to fail the job. Otherwise @t is pending again,
 * or KILLED if its job is ending. */
bool rm_task_record_failure(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                            struct rm_container *ct, bool counts, bool killed, const char *why);
/* Makes the succeeded map @t pending again, since its output was lost for the reason @why. */
void rm_task_rerun_map(struct rm_core *c, struct rm_app *a, struct rm_task *t, const char *why);
/* Handles RM_EV_TASK_COMMIT. */
void rm_task_on_commit_request(struct rm_core *c, const struct rm_event *ev);
/* Makes the succeeded map @t, whose output reduces cannot fetch, pending again. Returns true when
 * @t has failed for good instead; the caller then has to fail the job. */
bool rm_task_take_back_unfetchable_map(struct rm_core *c, struct rm_app *a, struct rm_task *t);

#endif

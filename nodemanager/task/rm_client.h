/* nodemanager/task/rm_client.h - calls to whichever ResourceManager is the active one. One object per thread.
 *
 * Everything asked here may be asked again: a commit is granted to the attempt that has it already. So a call that was
 * cut, refused by a standby or by an RM on its way out goes to the next RM at once, and after each round of all of them
 * again, as long as the task may wait. */
#ifndef CREEL_NODEMANAGER_TASK_RM_CLIENT_H
#define CREEL_NODEMANAGER_TASK_RM_CLIENT_H

#include "base/io/http_client.h"
#include "nodemanager/task/task.h"

#define TASK_RM_PATIENCE_US    (INT64_C(15) * 60 * 1000000) /* RMs may restart or fail over meanwhile */
#define TASK_RM_RETRY_FIRST_MS 50
#define TASK_RM_RETRY_MAX_MS   1000

struct task_rm;
struct task_rm *task_rm_new(const struct task *t); /* borrows @t */
void task_rm_free(struct task_rm *rm);
/* One round over the RMs, the last good one first; redirections are followed. 0 when one answered 2xx; else the last
 * reason. @path starts with a slash; @body NULL: GET, else POST. @out may be NULL; free with base_http_answer_free
 * after 0. @timeout_ms: of each request; of several RMs a silent one gets TASK_RM_SILENT_MS at most. */
#define TASK_RM_SILENT_MS 10000
int task_rm_call(struct task_rm *rm, const char *path, const char *body, int64_t timeout_ms,
                 struct base_http_answer *out, struct base_error *err);
/* The same again and again until the task has run for TASK_RM_PATIENCE_US more. */
int task_rm_call_patiently(struct task_rm *rm, const char *path, const char *body, int64_t timeout_ms,
                           struct base_http_answer *out, struct base_error *err);
/* How long to wait after a failed round: drawn from the upper half of *@wait_ms, which then doubles up to
 * TASK_RM_RETRY_MAX_MS; so that the tasks of a job do not come all at once. */
int64_t task_rm_pause_ms(int64_t *wait_ms);
void task_wait_ms(int64_t ms); /* survives signals */

#endif

/* nodemanager/task/rm_client.h - calls to the ResourceManager that is active at the time. Use one
 * object per thread.
 *
 * Every request made here may be repeated; for example, permission to commit is granted again to
 * the attempt that has it. So a call that was cut off, or refused by a standby or by an RM that is
 * shutting down, goes to the next RM at once. task_rm_call_patiently() also repeats the call after
 * a round over all RMs, as long as the task may wait. */
#ifndef CREEL_NODEMANAGER_TASK_RM_CLIENT_H
#define CREEL_NODEMANAGER_TASK_RM_CLIENT_H

#include "base/io/http_client.h"
#include "nodemanager/task/task.h"

/* How long a call is repeated; RMs may restart or fail over in the meantime. */
#define TASK_RM_PATIENCE_US    (INT64_C(15) * 60 * 1000000)
#define TASK_RM_RETRY_FIRST_MS 50
#define TASK_RM_RETRY_MAX_MS   1000

/* Returns the container's token as the node has renewed it last; NULL: there is none. */
struct base_keyring *task_reread_keys(const struct task *t);

struct task_rm;
struct task_rm *task_rm_new(const struct task *t); /* borrows @t */
void task_rm_free(struct task_rm *rm);
/* Asks the RMs in turn, beginning with the last one that answered; follows redirections to listed
 * RMs. Returns 0 if one of them answered 2xx, otherwise the last error. @path starts with a slash.
 * @body NULL: GET, otherwise POST. @out may be NULL; after success free it with
 * base_http_answer_free(). @timeout_ms applies to each request; with several RMs it is at most
 * TASK_RM_SILENT_MS. */
#define TASK_RM_SILENT_MS 10000
int task_rm_call_until_active(struct task_rm *rm, const char *path, const char *body,
                              int64_t timeout_ms, struct base_http_answer *out,
                              struct base_error *err);
/* Repeats task_rm_call_until_active() until it succeeds or the task has been active for
 * TASK_RM_PATIENCE_US more. */
int task_rm_call_patiently(struct task_rm *rm, const char *path, const char *body,
                           int64_t timeout_ms, struct base_http_answer *out,
                           struct base_error *err);
/* Returns the pause after a failed round, drawn at random from the upper half of *wait_ms, so that
 * the requests of a job's tasks are spread. Then doubles *wait_ms, up to TASK_RM_RETRY_MAX_MS. */
int64_t task_rm_next_pause_ms(int64_t *wait_ms);
void task_sleep_ms(int64_t ms); /* sleeps the full time even if signals interrupt */

#endif

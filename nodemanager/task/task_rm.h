/* nodemanager/task/task_rm.h - calls to whichever ResourceManager answers. One object per thread. */
#ifndef CREEL_TASK_RM_H
#define CREEL_TASK_RM_H

#include "base/base_http.h"
#include "nodemanager/task/task.h"

#define TASK_RM_PATIENCE_US    (INT64_C(15) * 60 * 1000000) /* RMs may restart or fail over meanwhile */
#define TASK_RM_RETRY_FIRST_MS 100
#define TASK_RM_RETRY_MAX_MS   5000

struct task_rm;
struct task_rm *task_rm_new(const struct task *t); /* borrows @t */
void task_rm_free(struct task_rm *rm);
/* One round over the RMs, the last good one first. 0 when one answered 2xx; else the last reason. @path starts with
 * a slash; @body NULL: GET, else POST. @out may be NULL; free with base_http_answer_free after 0. */
int task_rm_call(struct task_rm *rm, const char *path, const char *body, int64_t timeout_ms,
                 struct base_http_answer *out, struct base_error *err);
/* The same again and again until the task has run for TASK_RM_PATIENCE_US more. */
int task_rm_call_patiently(struct task_rm *rm, const char *path, const char *body, int64_t timeout_ms,
                           struct base_http_answer *out, struct base_error *err);
void task_wait_ms(int64_t ms); /* survives signals */

#endif

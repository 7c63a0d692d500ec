/* rm/daemon/worker.h - a thread for long work, so that no HTTP thread is blocked: the requests are
 * parked meanwhile. Tasks take turns, one step each, so that a short task does not wait for the end
 * of a long one. */
#ifndef CREEL_RM_DAEMON_WORKER_H
#define CREEL_RM_DAEMON_WORKER_H

#include <stdbool.h>

struct rm_worker;
/* Runs one step of a task. Returns true when the task is not finished: the next call follows after
 * one step of each other task. @stopping: no other call will follow; answer, free @user, return
 * false. */
typedef bool rm_worker_step(void *user, bool stopping);

/* @background: runs at low priority. Tasks may be added before the start. */
struct rm_worker *rm_worker_new(const char *name, bool background);
void rm_worker_start(struct rm_worker *w);
/* Queues a task. Any thread. After the stop @step is called at once, with stopping true. */
void rm_worker_add(struct rm_worker *w, rm_worker_step *step, void *user);
/* Waits for the step under way, then calls every unfinished task once more, with stopping true. */
void rm_worker_stop(struct rm_worker *w);
void rm_worker_free(struct rm_worker *w); /* stopped, or never started; NULL-safe */

#endif

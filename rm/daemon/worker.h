/* rm/daemon/worker.h - a thread for long work, so that no HTTP thread is blocked: the requests are
 * parked meanwhile. Tasks take turns, one step each, so that a short one does not wait for a long
 * one to end. */
#ifndef CREEL_RM_DAEMON_WORKER_H
#define CREEL_RM_DAEMON_WORKER_H

#include <stdbool.h>

struct rm_worker;
/* One step of a task. True: not finished, call again after the other tasks' steps. @stopping: there
 * will be no other call; give up now (answer, free, return false). */
typedef bool rm_worker_step(void *user, bool stopping);

/* @background: runs at low priority. Tasks may be added before the start. */
struct rm_worker *rm_worker_new(const char *name, bool background);
void rm_worker_start(struct rm_worker *w);
/* Any thread. After the stop @step is called at once, with @stopping. */
void rm_worker_add(struct rm_worker *w, rm_worker_step *step, void *user);
/* Waits for the running step, then calls every unfinished task once more, with @stopping. */
void rm_worker_stop(struct rm_worker *w);
void rm_worker_free(struct rm_worker *w); /* stopped, or never started; NULL-safe */

#endif

/* rm/daemon/worker.h - a thread for what takes long, so that no HTTP thread does it: the requests are parked meanwhile.
 * Tasks run in turns, a step each, so that a short one does not wait for a long one to end. */
#ifndef CREEL_RM_DAEMON_WORKER_H
#define CREEL_RM_DAEMON_WORKER_H

#include <stdbool.h>

struct rm_worker;
/* One step of a task. True: not finished, call again after the others' turns. @stopping: nobody will, so give up now
 * (answer, free, return false). */
typedef bool rm_worker_step(void *user, bool stopping);

/* @background: gives way to the process's other threads. Tasks may be added before the start. */
struct rm_worker *rm_worker_new(const char *name, bool background);
void rm_worker_start(struct rm_worker *w);
/* Any thread. After the stop @step is called at once, with @stopping. */
void rm_worker_add(struct rm_worker *w, rm_worker_step *step, void *user);
/* Waits for the step that runs; tasks that are not finished are told. */
void rm_worker_stop(struct rm_worker *w);
void rm_worker_free(struct rm_worker *w); /* stopped, or never started; NULL-safe */

#endif

/* rm/jobs/job_folders.h - threads that create, commit and clear the output folders of jobs. The
 * steps of one job run in order, one at a time. Results go back to the core as events.
 *
 * A hanging file system keeps the threads that access it, perhaps for good, and nothing can
 * interrupt them. At most RM_PLACE_MAX threads are therefore at one place (rm/jobs/file_places.h),
 * work for other places overtakes work that waits for a full place, and there are as many threads
 * as there is work that may start, up to RM_JOBS_IO_THREADS. */
#ifndef CREEL_RM_JOBS_JOB_FOLDERS_H
#define CREEL_RM_JOBS_JOB_FOLDERS_H

#include "rm/core/core.h"

#define RM_JOBS_IO_THREADS 128 /* enough for eight hanging first names */

struct rm_jobs_io;
/* Called after each piece of work, on a worker thread. @diagnostics is borrowed ("" when @ok). */
typedef void rm_jobs_io_done(void *user, enum rm_effect_kind what, struct base_app_id id, bool ok,
                             const char *diagnostics);
struct rm_jobs_io_calls {
    void *user;
    rm_jobs_io_done *done;
    bool (*may)(void *user); /* called right before work starts; false drops the work */
};
struct rm_jobs_io *rm_jobs_io_start(const struct rm_jobs_io_calls *calls);
/* Queues RM_FX_JOB_SETUP, _COMMIT or _ABORT. References the effect's spec and copies its parts. Any
 * thread. */
void rm_jobs_io_queue_effect(struct rm_jobs_io *io, const struct rm_effect *effect);
/* Waits up to 10 s for running work. Drops all other work; recovery will request it again. */
void rm_jobs_io_stop(struct rm_jobs_io *io);
/* Stops without waiting: running work goes on, but its result is not reported. */
void rm_jobs_io_abandon(struct rm_jobs_io *io);

#endif

/* rm/jobs/job_folders.h - creates, commits and aborts the output folders of jobs on threads of its
 * own. The steps of one job run in order, one at a time. A callback reports each result.
 *
 * A hanging file system blocks the threads that access it, perhaps for good, and nothing can
 * interrupt them. Therefore at most RM_PLACE_MAX threads access one place (rm/jobs/file_places.h),
 * work for other places overtakes work that waits for a full place, and threads are started for all
 * work that may run, up to RM_JOBS_IO_THREADS. */
#ifndef CREEL_RM_JOBS_JOB_FOLDERS_H
#define CREEL_RM_JOBS_JOB_FOLDERS_H

#include "rm/core/core.h"

/* enough for eight hanging top folders, each of which blocks RM_PLACE_TOP_MAX threads */
#define RM_JOBS_IO_THREADS 128

struct rm_jobs_io;
/* Called after each piece of work that was neither dropped nor abandoned, on a worker thread.
 * @diagnostics is borrowed ("" when @ok). A lock is held, so this and may() must not call functions
 * of this header. */
typedef void rm_jobs_io_done(void *user, enum rm_effect_kind what, struct base_app_id id, bool ok,
                             const char *diagnostics);
struct rm_jobs_io_calls {
    void *user;
    rm_jobs_io_done *done;
    bool (*may)(void *user); /* called right before work starts; false: the work is dropped */
};
struct rm_jobs_io *rm_jobs_io_start(const struct rm_jobs_io_calls *calls);
/* Queues the work of an RM_FX_JOB_SETUP, _COMMIT or _ABORT. Takes a reference to the effect's spec
 * and copies its attempts. May be called from any thread. */
void rm_jobs_io_queue_effect(struct rm_jobs_io *io, const struct rm_effect *effect);
/* Waits up to 10 s for running work. Drops all other work, which recovery will request again. Frees
 * @io, as rm_jobs_io_abandon() does. */
void rm_jobs_io_stop(struct rm_jobs_io *io);
/* Stops without waiting: running work goes on, but its result is not reported. */
void rm_jobs_io_abandon(struct rm_jobs_io *io);

#endif

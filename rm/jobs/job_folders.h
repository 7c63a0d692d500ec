/* rm/jobs/job_folders.h - threads for what jobs need of the file system: making the output folder, committing it, clearing it
 * away. In order and one at a time for each job. Results go back to the core as events.
 *
 * A file system that hangs keeps the threads that look at it, maybe for good, and nothing can interrupt them. So no more
 * than RM_PLACE_MAX are at one place (rm/jobs/file_places.h); what waits for a place is passed by what does not, and there are as
 * many threads as there is work that may go on, up to RM_JOBS_IO_THREADS. */
#ifndef CREEL_RM_JOBS_JOB_FOLDERS_H
#define CREEL_RM_JOBS_JOB_FOLDERS_H

#include "rm/core/core.h"

#define RM_JOBS_IO_THREADS 128 /* for eight first names that hang */

struct rm_jobs_io;
/* @done: called on a helper's thread after each; @diagnostics is borrowed ("" when ok). */
typedef void rm_jobs_io_done(void *user, enum rm_effect_kind what, struct base_app_id id, bool ok,
                             const char *diagnostics);
struct rm_jobs_io_calls {
    void *user;
    rm_jobs_io_done *done;
    bool (*may)(void *user); /* asked right before something is begun; false: it is dropped */
};
struct rm_jobs_io *rm_jobs_io_start(const struct rm_jobs_io_calls *calls);
/* RM_FX_JOB_SETUP, _COMMIT, _ABORT. Its spec is referenced, its parts are copied. Any thread. */
void rm_jobs_io_put(struct rm_jobs_io *io, const struct rm_effect *fx);
/* Ends what it is doing, for 10 s at most, and drops the rest: recovery asks for it again. */
void rm_jobs_io_stop(struct rm_jobs_io *io);
/* The same without waiting for what it is doing, of which nothing is heard any more. */
void rm_jobs_io_abandon(struct rm_jobs_io *io);

#endif

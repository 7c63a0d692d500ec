/* rm/jobs/file_pool.h - runs work that waits for file systems, which may be slow or never answer,
 * on a pool of threads.
 *
 * A piece of work runs on one thread until it ends. Slow work must not hold up quick work for long:
 * work that has run for slow_us no longer counts among the @quick shared threads, and another
 * thread takes its place, up to @most threads in all. When @most - @quick threads are already
 * running slow work, work that would become slow next is asked to end instead.
 *
 * Work is asked to end after limit_us. If it sits in a system call that does not return (nothing
 * can interrupt that), it is answered with -BASE_EAGAIN after a further grace_us; work that has not
 * even started by the limit is answered likewise. The thread of stuck work is lost until the file
 * system answers, perhaps for good. So that one file system cannot block all threads, work names
 * the path that it is about to access, and is refused where RM_PLACE_MAX others (RM_PLACE_TOP_MAX
 * below the same top folder) have been in a system call for at least slow_us. */
#ifndef CREEL_RM_JOBS_FILE_POOL_H
#define CREEL_RM_JOBS_FILE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "rm/jobs/file_places.h"

struct rm_file_pool;
struct rm_file_pool_conf {
    int64_t limit_us; /* time limit of one piece of work */
    int64_t slow_us;  /* running time after which work is slow */
    /* from the limit until stuck work is answered; also how long a stop waits for running work */
    int64_t grace_us;
    int quick, most;   /* number of threads: shared by quick work; in all */
    const char *limit; /* name of the limit in answers: "creel.rm.input-timeout-ms" */
};

/* Embed as the first member. The pool calls run(), done() and drop() once each, in this order, but
 * it may call done() while run() is still running: with -BASE_EAGAIN (the file system does not
 * answer) or -BASE_EIO (the pool was stopped). done() must then not touch the data of run(). For
 * work that never starts, only done() and drop() are called. */
struct rm_file_work {
    /* may block; calls rm_file_work_check_cancelled() now and then */
    int (*run)(struct rm_file_work *w, struct base_error *err);
    /* must neither block nor submit work */
    void (*done)(struct rm_file_work *w, int rc, struct base_error *err);
    void (*drop)(struct rm_file_work *w); /* frees the work */
    /* the rest belongs to the pool */
    struct rm_file_pool *pool;
    struct rm_file_work *next;
    int64_t since_us;
    /* time of the start or of the last check; since then the thread may be in a system call */
    _Atomic int64_t seen_us;
    /* place of the current path; written by the work's own thread, under the lock */
    struct rm_file_place place;
    atomic_int end_code; /* why the work must end, a negative BASE_E*; 0: it may go on */
    bool slow, answered;
};

struct rm_file_pool *rm_file_pool_new(const struct rm_file_pool_conf *conf);
void rm_file_pool_start(struct rm_file_pool *f);
/* Takes ownership of @work and runs it when a thread is free; after a stop, answers it with
 * -BASE_EIO at once. May be called from any thread. */
void rm_file_pool_submit(struct rm_file_pool *f, struct rm_file_work *work);
/* Returns 0 while @work (a struct rm_file_work) may go on, else a negative BASE_E* with the reason
 * why it must end. Cheap. Can be used as rm_input_bounds.check. */
int rm_file_work_check_cancelled(void *work, struct base_error *err);
/* Records that @work (a struct rm_file_work) is about to access @path (NULL: no file). Returns 0,
 * or -BASE_EAGAIN with the reason when too many threads hang at that place. Cheap while the place
 * stays the same. Can be used as rm_input_bounds.enter. */
int rm_file_work_enter_path(void *work, const char *path, struct base_error *err);
/* Asks all work to end, waits up to grace_us for running work, and answers all of it. Returns false
 * when a thread is still running work: done() will not be called any more, but the data of that
 * run() must stay valid. */
bool rm_file_pool_stop(struct rm_file_pool *f);
/* Frees a pool that was stopped or never started; a thread that still hangs frees it later. NULL is
 * allowed. */
void rm_file_pool_free(struct rm_file_pool *f);

#endif

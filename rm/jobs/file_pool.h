/* rm/jobs/file_pool.h - threads for what waits on file systems, which may be slow or never answer.
 *
 * A piece of work runs on a thread of its own until it ends. Quick ones are never behind slow ones for long: what runs
 * for longer than slow_us no longer counts among the @quick threads that everybody shares, and another thread takes its
 * place, up to @most threads in all. When that many are slow, the one that turned slow last is told to end.
 * After limit_us a piece of work is told to end, and answered with -BASE_EAGAIN a while later if it sits in a system
 * call that does not return (nothing can interrupt that); what was not even begun by then is answered likewise.
 * Such a thread is lost until the file system answers, maybe for good. So that one file system cannot take all threads,
 * work says at which path it is going to look: where RM_PLACE_MAX others sit in a system call for longer than slow_us,
 * it is refused. */
#ifndef CREEL_RM_JOBS_FILE_POOL_H
#define CREEL_RM_JOBS_FILE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "rm/jobs/file_places.h"

struct rm_files;
struct rm_files_conf {
    int64_t limit_us;   /* of one piece of work */
    int64_t slow_us;    /* then it is slow */
    int64_t grace_us;   /* from the limit until it is answered without having ended; at the stop: the wait for it */
    int quick, most;    /* threads */
    const char *limit;  /* how the limit is called in answers: "creel.rm.input-timeout-ms" */
};

/* Embed as the first member. All three are called once, in this order, except that @done may come while @look still
 * runs: with -BASE_EAGAIN (it does not come back), or -BASE_EIO (the pool was stopped). Then @done leaves alone what
 * @look works on. Without @look, @done comes alone. */
struct rm_files_work {
    int (*look)(struct rm_files_work *w, struct base_error *err); /* may block; rm_files_check() now and then */
    void (*done)(struct rm_files_work *w, int rc, struct base_error *err); /* does not block; adds nothing */
    void (*drop)(struct rm_files_work *w);                                 /* frees it */
    /* the pool's own */
    struct rm_files *pool;
    struct rm_files_work *next;
    int64_t since_us;
    _Atomic int64_t seen_us; /* rm_files_check(), or its begin: since then it may sit in a system call */
    struct rm_place place;   /* where it looks; written by its own thread, under the lock */
    atomic_int told; /* to end: a negative BASE_E*, 0: not */
    bool slow, answered;
};

struct rm_files *rm_files_new(const struct rm_files_conf *conf);
void rm_files_start(struct rm_files *f);
/* Any thread; @w is taken. After the stop it is answered at once. */
void rm_files_add(struct rm_files *f, struct rm_files_work *w);
/* Is @w to end? 0, or a negative BASE_E* and the text why. Cheap. For struct rm_input_bounds too. */
int rm_files_check(void *w, struct base_error *err);
/* @w goes on to look at @path (NULL: at no file). 0, or -BASE_EAGAIN and the text why: too many others hang there. Cheap
 * where it looks already. For struct rm_input_bounds too. */
int rm_files_enter(void *w, const char *path, struct base_error *err);
/* Tells all work to end and answers it. False: a thread still hangs in a system call. It makes no call of @done any
 * more, but what its @look uses must stay. */
bool rm_files_stop(struct rm_files *f);
void rm_files_free(struct rm_files *f); /* stopped, or never started; NULL-safe. A thread that hangs frees it later */

#endif

#include "rm/jobs/job_folders.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cond.h"
#include "base/io/log.h"
#include "rm/jobs/file_places.h"
#include "rm/jobs/output_folder.h"

/* how long a stop waits for running work, whose file system may hang */
#define STOP_WAIT_US INT64_C(10000000)
#define THREADS_KEPT 8 /* threads that stay when they have no work */

/* This work does not use the pool of rm/jobs/file_pool.h: it is never refused or given up, since
 * the core waits for its outcome, and the steps of a job run in order. */
struct work {
    enum rm_effect_kind what;
    struct base_app_id id;
    struct rm_job_spec *spec;
    bool again;
    enum base_task_kind kind;
    int32_t *attempts; /* COMMIT: owned */
    size_t attempts_n;
    struct rm_file_place place;
    struct work *next, *next_running;
};
struct queue {
    struct work *first, **last;
};
struct rm_jobs_io {
    pthread_mutex_t lock;
    pthread_cond_t wake, ended;
    /* ready: work that starts as soon as a thread takes it, and already counts as running */
    struct queue waiting, ready;
    struct work *running; /* linked by next_running */
    int threads, idle, ready_n, running_n;
    bool stop, abandoned; /* abandoned: threads make no more calls, and the last one frees this */
    struct rm_jobs_io_calls calls;
};

static int perform_work(const struct work *w, struct base_error *err)
{
    char *path = NULL;
    int rc;

    if (!w->spec || !w->spec->output)
        return 0; /* explicit tasks have no output folder */
    rc = rm_output_parse_path(w->spec->output, &path, err);
    if (rc < 0)
        return rc;
    if (w->what == RM_FX_JOB_SETUP) {
        rc = rm_output_create_folder(path, w->id, w->again, err);
    } else if (w->what == RM_FX_JOB_COMMIT) {
        const struct rm_output_parts parts = {w->kind, w->attempts, w->attempts_n};

        rc = rm_output_commit_parts(path, w->id, &parts, err);
    } else {
        rc = rm_output_abort_job(path, w->id, err);
    }
    free(path);
    return rc;
}

static void free_work(struct work *w)
{
    rm_job_spec_unref(w->spec);
    free(w->attempts);
    free(w);
}

static void queue_append(struct queue *q, struct work *w)
{
    w->next = NULL;
    *q->last = w;
    q->last = &w->next;
}

static struct work *queue_unlink(struct queue *q, struct work **at)
{
    struct work *w = *at;

    *at = w->next;
    if (!*at)
        q->last = at;
    return w;
}

static void queue_free_all(struct queue *q)
{
    while (q->first)
        free_work(queue_unlink(q, &q->first));
}

/* Returns true when no other step of the job of @w is running, and its place is not full. */
static bool may_start_work(const struct rm_jobs_io *io, const struct work *w)
{
    struct rm_file_place_count n = {0};

    for (const struct work *o = io->running; o; o = o->next_running) {
        if (base_app_id_cmp(&o->id, &w->id) == 0)
            return false;
        rm_file_place_count_if_shared(&n, &w->place, &o->place);
    }
    return !rm_file_place_count_is_full(&n);
}

static void *worker_main(void *arg);

/* Wakes or starts a thread for each piece of ready work. If no thread can be created, the existing
 * threads take the work later. */
static void start_needed_threads(struct rm_jobs_io *io)
{
    pthread_t thread;

    for (int i = 0; i < io->ready_n && i < io->idle; i++)
        pthread_cond_signal(&io->wake);
    for (int more = io->ready_n - io->idle; more > 0 && io->threads < RM_JOBS_IO_THREADS; more--) {
        if (pthread_create(&thread, NULL, worker_main, io) != 0)
            return;
        pthread_detach(thread);
        io->threads++;
    }
}

/* Moves work that may start now to the ready queue. Called with the lock held. */
static void make_startable_work_ready(struct rm_jobs_io *io)
{
    struct work **at = &io->waiting.first;

    while (*at && io->running_n < RM_JOBS_IO_THREADS) {
        struct work *w = *at;

        if (!may_start_work(io, w)) {
            at = &w->next;
            continue;
        }
        queue_unlink(&io->waiting, at);
        queue_append(&io->ready, w);
        w->next_running = io->running;
        io->running = w;
        io->running_n++;
        io->ready_n++;
    }
    if (io->ready_n)
        start_needed_threads(io);
}

/* Called with the lock held. Performs @w with the lock released, reports the result, frees @w. */
static void run_work(struct rm_jobs_io *io, struct work *w)
{
    struct work **at = &io->running;
    struct base_error err = {0};
    int rc;

    if (io->calls.may(io->calls.user)) {
        pthread_mutex_unlock(&io->lock);
        rc = perform_work(w, &err);
        pthread_mutex_lock(&io->lock);
        if (w->what == RM_FX_JOB_ABORT && rc < 0)
            base_log_warn("jobs", "removing unfinished output: %s", err.text);
        if (!io->abandoned)
            io->calls.done(io->calls.user, w->what, w->id, rc >= 0, rc < 0 ? err.text : "");
    }
    while (*at != w)
        at = &(*at)->next_running;
    *at = w->next_running;
    io->running_n--;
    free_work(w);
    if (!io->stop)
        /* the next step of this job, or work for its place, may start now */
        make_startable_work_ready(io);
}

static void free_io(struct rm_jobs_io *io)
{
    queue_free_all(&io->waiting);
    queue_free_all(&io->ready);
    pthread_cond_destroy(&io->wake);
    pthread_cond_destroy(&io->ended);
    pthread_mutex_destroy(&io->lock);
    free(io);
}

static void *worker_main(void *arg)
{
    struct rm_jobs_io *io = arg;
    bool last;

    pthread_setname_np(pthread_self(), "rm-folders");
    pthread_mutex_lock(&io->lock);
    while (!io->stop) {
        if (io->ready.first) {
            io->ready_n--;
            run_work(io, queue_unlink(&io->ready, &io->ready.first));
        } else if (io->idle >= THREADS_KEPT) {
            break; /* enough threads are idle: end one that was started while others were busy */
        } else {
            io->idle++;
            pthread_cond_wait(&io->wake, &io->lock);
            io->idle--;
        }
    }
    io->threads--;
    pthread_cond_signal(&io->ended);
    last = io->abandoned && io->threads == 0;
    pthread_mutex_unlock(&io->lock);
    if (last)
        free_io(io);
    return NULL;
}

struct rm_jobs_io *rm_jobs_io_start(const struct rm_jobs_io_calls *calls)
{
    struct rm_jobs_io *io = base_alloc(sizeof *io);
    pthread_t thread;

    io->waiting.last = &io->waiting.first;
    io->ready.last = &io->ready.first;
    io->calls = *calls;
    pthread_mutex_init(&io->lock, NULL);
    base_cond_init(&io->wake);
    base_cond_init(&io->ended);
    io->threads = THREADS_KEPT;
    for (int i = 0; i < THREADS_KEPT; i++) {
        base_assert(pthread_create(&thread, NULL, worker_main, io) == 0);
        pthread_detach(thread);
    }
    return io;
}

void rm_jobs_io_queue_effect(struct rm_jobs_io *io, const struct rm_effect *effect)
{
    struct work *w = base_alloc(sizeof *w);
    char *path = NULL;

    w->what = effect->kind;
    w->id = effect->u.job.id;
    w->spec = rm_job_spec_ref(effect->u.job.spec);
    w->again = effect->u.job.again;
    w->kind = effect->u.job.kind;
    w->attempts_n = effect->u.job.attempts_n;
    if (w->attempts_n) {
        w->attempts = base_realloc_array(NULL, w->attempts_n, sizeof *w->attempts);
        memcpy(w->attempts, effect->u.job.attempts, w->attempts_n * sizeof *w->attempts);
    }
    if (w->spec && w->spec->output && rm_output_parse_path(w->spec->output, &path, NULL) == 0)
        w->place = rm_file_place_from_path(path);
    free(path);
    pthread_mutex_lock(&io->lock);
    queue_append(&io->waiting, w);
    /* if @w may not start, no other work may either, and the scan of a long queue is saved */
    if (!io->stop && may_start_work(io, w))
        make_startable_work_ready(io);
    pthread_mutex_unlock(&io->lock);
}

/* Stops the threads; called with the lock held, which it releases. No more work starts; work still
 * running at @until_us (0: now) is left to its thread. The last thread to end, or this call, frees
 * @io. */
static void stop_threads_and_unlock(struct rm_jobs_io *io, int64_t until_us)
{
    bool last;

    io->stop = true;
    pthread_cond_broadcast(&io->wake);
    while (until_us && io->threads > 0)
        if (!base_cond_wait_until(&io->ended, &io->lock, until_us))
            break;
    io->abandoned = true;
    last = io->threads == 0;
    pthread_mutex_unlock(&io->lock);
    if (last)
        free_io(io);
}

void rm_jobs_io_stop(struct rm_jobs_io *io)
{
    pthread_mutex_lock(&io->lock);
    stop_threads_and_unlock(io, base_cond_now_us() + STOP_WAIT_US);
}

void rm_jobs_io_abandon(struct rm_jobs_io *io)
{
    pthread_mutex_lock(&io->lock);
    stop_threads_and_unlock(io, 0);
}

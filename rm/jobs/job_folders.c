#include "rm/jobs/job_folders.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cond.h"
#include "base/io/log.h"
#include "rm/jobs/output_folder.h"
#include "rm/jobs/file_places.h"

#define STOP_WAIT_US INT64_C(10000000) /* for work that is under way: a file system may hang */
#define THREADS_KEPT 8  /* without work */

struct work {
    enum rm_effect_kind what;
    struct base_app_id id;
    struct rm_job_spec *spec;
    bool again;
    enum base_task_kind kind;
    int32_t *attempts; /* COMMIT: ours */
    size_t attempts_n;
    struct rm_place place;
    struct work *next, *next_running;
};
struct queue {
    struct work *first, **last;
};
struct rm_jobs_io {
    pthread_mutex_t lock;
    pthread_cond_t wake, ended;
    struct queue waiting, ready; /* ready: runs as soon as a thread takes it; counts as running */
    struct work *running;        /* by next_running */
    int threads, idle, ready_n, running_n;
    bool stop, abandoned; /* abandoned: the last thread frees it, and none makes a call any more */
    struct rm_jobs_io_calls calls;
};

static int perform(const struct work *w, struct base_error *err)
{
    char *path = NULL;
    int rc;

    if (!w->spec || !w->spec->output)
        return 0; /* explicit tasks have no output folder */
    rc = rm_output_path(w->spec->output, &path, err);
    if (rc < 0)
        return rc;
    if (w->what == RM_FX_JOB_SETUP) {
        rc = rm_output_setup(path, w->id, w->again, err);
    } else if (w->what == RM_FX_JOB_COMMIT) {
        const struct rm_output_parts parts = {w->kind, w->attempts, w->attempts_n};

        rc = rm_output_commit(path, w->id, &parts, err);
    } else {
        rc = rm_output_abort(path, w->id, err);
    }
    free(path);
    return rc;
}

static void drop(struct work *w)
{
    rm_job_spec_unref(w->spec);
    free(w->attempts);
    free(w);
}

static void queue_add(struct queue *q, struct work *w)
{
    w->next = NULL;
    *q->last = w;
    q->last = &w->next;
}

static struct work *queue_remove(struct queue *q, struct work **at)
{
    struct work *w = *at;

    *at = w->next;
    if (!*at)
        q->last = at;
    return w;
}

static void queue_drop(struct queue *q)
{
    while (q->first)
        drop(queue_remove(q, &q->first));
}

/* What belongs to one job is done in order, one thing after the other, and a place has its limit. */
static bool may_begin(const struct rm_jobs_io *io, const struct work *w)
{
    struct rm_place_count n = {0};

    for (const struct work *o = io->running; o; o = o->next_running) {
        if (base_app_id_cmp(&o->id, &w->id) == 0)
            return false;
        rm_place_add(&n, &w->place, &o->place);
    }
    return !rm_place_is_full(&n);
}

static void *io_main(void *arg);

/* A thread for each piece of work that is ready. Where none can be made, those that are there do it later. */
static void staff(struct rm_jobs_io *io)
{
    pthread_t thread;

    for (int i = 0; i < io->ready_n && i < io->idle; i++)
        pthread_cond_signal(&io->wake);
    for (int more = io->ready_n - io->idle; more > 0 && io->threads < RM_JOBS_IO_THREADS; more--) {
        if (pthread_create(&thread, NULL, io_main, io) != 0)
            return;
        pthread_detach(thread);
        io->threads++;
    }
}

/* With the lock held: what may begin now is ready. */
static void dispatch(struct rm_jobs_io *io)
{
    struct work **at = &io->waiting.first;

    while (*at && io->running_n < RM_JOBS_IO_THREADS) {
        struct work *w = *at;

        if (!may_begin(io, w)) {
            at = &w->next;
            continue;
        }
        queue_remove(&io->waiting, at);
        queue_add(&io->ready, w);
        w->next_running = io->running;
        io->running = w;
        io->running_n++;
        io->ready_n++;
    }
    if (io->ready_n)
        staff(io);
}

/* With the lock held, but for the work itself. */
static void run(struct rm_jobs_io *io, struct work *w)
{
    struct work **at = &io->running;
    struct base_error err = {0};
    int rc;

    if (io->calls.may(io->calls.user)) {
        pthread_mutex_unlock(&io->lock);
        rc = perform(w, &err);
        pthread_mutex_lock(&io->lock);
        if (w->what == RM_FX_JOB_ABORT && rc < 0)
            base_log_warn("jobs", "clearing away unfinished output: %s", err.text);
        if (!io->abandoned)
            io->calls.done(io->calls.user, w->what, w->id, rc >= 0, rc < 0 ? err.text : "");
    }
    while (*at != w)
        at = &(*at)->next_running;
    *at = w->next_running;
    io->running_n--;
    drop(w);
    if (!io->stop)
        dispatch(io); /* more of its job can be begun, or more at its place */
}

static void release(struct rm_jobs_io *io)
{
    queue_drop(&io->waiting);
    queue_drop(&io->ready);
    pthread_cond_destroy(&io->wake);
    pthread_cond_destroy(&io->ended);
    pthread_mutex_destroy(&io->lock);
    free(io);
}

static void *io_main(void *arg)
{
    struct rm_jobs_io *io = arg;
    bool last;

    pthread_mutex_lock(&io->lock);
    while (!io->stop) {
        if (io->ready.first) {
            io->ready_n--;
            run(io, queue_remove(&io->ready, &io->ready.first));
        } else if (io->idle >= THREADS_KEPT) {
            break; /* it stood in for one that hung */
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
        release(io);
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
        base_assert(pthread_create(&thread, NULL, io_main, io) == 0);
        pthread_detach(thread);
    }
    return io;
}

void rm_jobs_io_put(struct rm_jobs_io *io, const struct rm_effect *fx)
{
    struct work *w = base_alloc(sizeof *w);
    char *path = NULL;

    w->what = fx->kind;
    w->id = fx->u.job.id;
    w->spec = rm_job_spec_ref(fx->u.job.spec);
    w->again = fx->u.job.again;
    w->kind = fx->u.job.kind;
    w->attempts_n = fx->u.job.attempts_n;
    if (w->attempts_n) {
        w->attempts = base_realloc_array(NULL, w->attempts_n, sizeof *w->attempts);
        memcpy(w->attempts, fx->u.job.attempts, w->attempts_n * sizeof *w->attempts);
    }
    if (w->spec && w->spec->output && rm_output_path(w->spec->output, &path, NULL) == 0)
        w->place = rm_place_of(path);
    free(path);
    pthread_mutex_lock(&io->lock);
    queue_add(&io->waiting, w);
    if (!io->stop && may_begin(io, w)) /* else nothing has changed, and many may wait */
        dispatch(io);
    pthread_mutex_unlock(&io->lock);
}

/* With the lock held. Nothing more is begun; what runs is left to its thread when it has not ended by
 * @until_us; 0: without waiting. */
static void stop(struct rm_jobs_io *io, int64_t until_us)
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
        release(io);
}

void rm_jobs_io_stop(struct rm_jobs_io *io)
{
    pthread_mutex_lock(&io->lock);
    stop(io, base_cond_now_us() + STOP_WAIT_US);
}

void rm_jobs_io_abandon(struct rm_jobs_io *io)
{
    pthread_mutex_lock(&io->lock);
    stop(io, 0);
}

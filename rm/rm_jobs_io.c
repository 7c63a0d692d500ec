#include "rm/rm_jobs_io.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base_log.h"
#include "rm/rm_output.h"

#define STOP_WAIT_S 10 /* for work that is under way: a file system may hang */

struct work {
    enum rm_effect_kind what;
    struct base_app_id id;
    struct rm_job_spec *spec;
    bool again;
    enum base_task_kind kind;
    int32_t *attempts; /* COMMIT: ours */
    size_t attempts_n;
    struct work *next;
};
struct rm_jobs_io {
    pthread_mutex_t lock;
    pthread_cond_t wake, ended;
    struct work *first, **last; /* not begun */
    struct work *running;
    int threads;
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

static bool runs(const struct rm_jobs_io *io, const struct base_app_id *id)
{
    for (const struct work *w = io->running; w; w = w->next)
        if (base_app_id_cmp(&w->id, id) == 0)
            return true;
    return false;
}

/* What belongs to one job is done in order, one thing after the other; NULL: nothing can be begun. */
static struct work *take(struct rm_jobs_io *io)
{
    for (struct work **at = &io->first, *w; (w = *at); at = &w->next) {
        if (runs(io, &w->id))
            continue;
        *at = w->next;
        if (!*at)
            io->last = at;
        return w;
    }
    return NULL;
}

/* With the lock held, but for the work itself. */
static void run(struct rm_jobs_io *io, struct work *w)
{
    struct work **at = &io->running;
    struct base_error err = {0};
    int rc;

    w->next = io->running;
    io->running = w;
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
        at = &(*at)->next;
    *at = w->next;
    drop(w);
    pthread_cond_broadcast(&io->wake); /* more of its job can be begun */
}

static void release(struct rm_jobs_io *io)
{
    while (io->first) {
        struct work *w = io->first;
        io->first = w->next;
        drop(w);
    }
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
        struct work *w = take(io);

        if (w)
            run(io, w);
        else
            pthread_cond_wait(&io->wake, &io->lock);
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
    pthread_condattr_t attr;
    pthread_t thread;

    io->last = &io->first;
    io->calls = *calls;
    pthread_mutex_init(&io->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&io->wake, &attr);
    pthread_cond_init(&io->ended, &attr);
    pthread_condattr_destroy(&attr);
    io->threads = RM_JOBS_IO_THREADS;
    for (int i = 0; i < RM_JOBS_IO_THREADS; i++) {
        base_assert(pthread_create(&thread, NULL, io_main, io) == 0);
        pthread_detach(thread);
    }
    return io;
}

void rm_jobs_io_put(struct rm_jobs_io *io, const struct rm_effect *fx)
{
    struct work *w = base_alloc(sizeof *w);

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
    pthread_mutex_lock(&io->lock);
    *io->last = w;
    io->last = &w->next;
    pthread_cond_signal(&io->wake);
    pthread_mutex_unlock(&io->lock);
}

/* With the lock held. Nothing more is begun; what runs is left to its thread when it has not ended by @until. */
static void stop(struct rm_jobs_io *io, const struct timespec *until)
{
    bool last;

    io->stop = true;
    pthread_cond_broadcast(&io->wake);
    while (until && io->threads > 0)
        if (pthread_cond_timedwait(&io->ended, &io->lock, until) != 0)
            break;
    io->abandoned = true;
    last = io->threads == 0;
    pthread_mutex_unlock(&io->lock);
    if (last)
        release(io);
}

void rm_jobs_io_stop(struct rm_jobs_io *io)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += STOP_WAIT_S;
    pthread_mutex_lock(&io->lock);
    stop(io, &until);
}

void rm_jobs_io_abandon(struct rm_jobs_io *io)
{
    pthread_mutex_lock(&io->lock);
    stop(io, NULL);
}

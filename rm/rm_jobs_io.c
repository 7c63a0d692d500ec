#include "rm/rm_jobs_io.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/base_log.h"
#include "rm/rm_output.h"

struct work {
    enum rm_effect_kind what;
    struct base_app_id id;
    struct rm_job_spec *spec;
    bool again;
    struct work *next;
};
struct rm_jobs_io {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct work *first, **last;
    bool stop, abandoned; /* abandoned: the thread frees it, and makes no call any more */
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
    if (w->what == RM_FX_JOB_SETUP)
        rc = rm_output_setup(path, w->again, err);
    else if (w->what == RM_FX_JOB_COMMIT)
        rc = rm_output_commit(path, err);
    else
        rc = rm_output_abort(path, err);
    free(path);
    return rc;
}

static void drop(struct work *w)
{
    rm_job_spec_unref(w->spec);
    free(w);
}

/* With the lock held, but for the work itself. */
static void run(struct rm_jobs_io *io, struct work *w)
{
    struct base_error err = {0};
    int rc;

    if (io->calls.may(io->calls.user)) {
        pthread_mutex_unlock(&io->lock);
        rc = perform(w, &err);
        pthread_mutex_lock(&io->lock);
        if (w->what == RM_FX_JOB_ABORT && rc < 0)
            base_log_warn("jobs", "clearing away unfinished output: %s", err.text);
        else if (w->what != RM_FX_JOB_ABORT && !io->abandoned)
            io->calls.done(io->calls.user, w->what, w->id, rc >= 0, rc < 0 ? err.text : "");
    }
    drop(w);
}

static void release(struct rm_jobs_io *io)
{
    while (io->first) {
        struct work *w = io->first;
        io->first = w->next;
        drop(w);
    }
    pthread_cond_destroy(&io->wake);
    pthread_mutex_destroy(&io->lock);
    free(io);
}

static void *io_main(void *arg)
{
    struct rm_jobs_io *io = arg;
    bool abandoned;

    pthread_mutex_lock(&io->lock);
    for (;;) {
        struct work *w;
        while (!io->first && !io->stop)
            pthread_cond_wait(&io->wake, &io->lock);
        if (io->stop)
            break;
        w = io->first;
        io->first = w->next;
        if (!io->first)
            io->last = &io->first;
        run(io, w);
    }
    abandoned = io->abandoned;
    pthread_mutex_unlock(&io->lock);
    if (abandoned)
        release(io);
    return NULL;
}

struct rm_jobs_io *rm_jobs_io_start(const struct rm_jobs_io_calls *calls)
{
    struct rm_jobs_io *io = base_alloc(sizeof *io);

    io->last = &io->first;
    io->calls = *calls;
    pthread_mutex_init(&io->lock, NULL);
    pthread_cond_init(&io->wake, NULL);
    base_assert(pthread_create(&io->thread, NULL, io_main, io) == 0);
    return io;
}

void rm_jobs_io_put(struct rm_jobs_io *io, const struct rm_effect *fx)
{
    struct work *w = base_alloc(sizeof *w);

    w->what = fx->kind;
    w->id = fx->u.job.id;
    w->spec = rm_job_spec_ref(fx->u.job.spec);
    w->again = fx->u.job.again;
    pthread_mutex_lock(&io->lock);
    *io->last = w;
    io->last = &w->next;
    pthread_cond_signal(&io->wake);
    pthread_mutex_unlock(&io->lock);
}

static void tell_to_stop(struct rm_jobs_io *io, bool abandon)
{
    pthread_mutex_lock(&io->lock);
    io->stop = true;
    io->abandoned = abandon;
    pthread_cond_signal(&io->wake);
    pthread_mutex_unlock(&io->lock);
}

void rm_jobs_io_stop(struct rm_jobs_io *io)
{
    tell_to_stop(io, false);
    pthread_join(io->thread, NULL);
    release(io);
}

void rm_jobs_io_abandon(struct rm_jobs_io *io)
{
    pthread_detach(io->thread); /* first: it may free @io as soon as it is told */
    tell_to_stop(io, true);
}

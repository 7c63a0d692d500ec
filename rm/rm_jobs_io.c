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
    bool stop;
    rm_jobs_io_done *done;
    void *user;
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

static void run(struct rm_jobs_io *io, struct work *w)
{
    struct base_error err = {0};
    int rc = perform(w, &err);

    if (w->what != RM_FX_JOB_ABORT)
        io->done(io->user, w->what, w->id, rc >= 0, rc < 0 ? err.text : "");
    else if (rc < 0)
        base_log_warn("jobs", "clearing away unfinished output: %s", err.text);
    rm_job_spec_unref(w->spec);
    free(w);
}

static void *io_main(void *arg)
{
    struct rm_jobs_io *io = arg;

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
        pthread_mutex_unlock(&io->lock);
        run(io, w);
        pthread_mutex_lock(&io->lock);
    }
    pthread_mutex_unlock(&io->lock);
    return NULL;
}

struct rm_jobs_io *rm_jobs_io_start(rm_jobs_io_done *done, void *user)
{
    struct rm_jobs_io *io = base_alloc(sizeof *io);

    io->last = &io->first;
    io->done = done;
    io->user = user;
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

void rm_jobs_io_stop(struct rm_jobs_io *io)
{
    pthread_mutex_lock(&io->lock);
    io->stop = true;
    pthread_cond_signal(&io->wake);
    pthread_mutex_unlock(&io->lock);
    pthread_join(io->thread, NULL);
    while (io->first) {
        struct work *w = io->first;
        io->first = w->next;
        rm_job_spec_unref(w->spec);
        free(w);
    }
    pthread_cond_destroy(&io->wake);
    pthread_mutex_destroy(&io->lock);
    free(io);
}

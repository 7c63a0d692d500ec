#include "rm/daemon/worker.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/io/sched.h"

struct task {
    rm_worker_step *step;
    void *user;
    struct task *next;
};
struct rm_worker {
    const char *name;
    bool background, started, stop;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct task *first, **last;
};

/* With the lock held. */
static void append(struct rm_worker *w, struct task *t)
{
    t->next = NULL;
    *w->last = t;
    w->last = &t->next;
}

static struct task *take(struct rm_worker *w)
{
    struct task *t = w->first;

    w->first = t->next;
    if (!w->first)
        w->last = &w->first;
    return t;
}

static void *worker_main(void *arg)
{
    struct rm_worker *w = arg;

    pthread_setname_np(pthread_self(), w->name);
    if (w->background)
        base_sched_background();
    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct task *t;
        bool more;

        while (!w->first && !w->stop)
            pthread_cond_wait(&w->wake, &w->lock);
        if (w->stop)
            break;
        t = take(w);
        pthread_mutex_unlock(&w->lock);
        more = t->step(t->user, false);
        if (w->background)
            sched_yield(); /* whoever waits for the processor has it after a step at the latest */
        pthread_mutex_lock(&w->lock);
        if (more)
            append(w, t);
        else
            free(t);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct rm_worker *rm_worker_new(const char *name, bool background)
{
    struct rm_worker *w = base_alloc(sizeof *w);

    w->name = name;
    w->background = background;
    w->last = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    return w;
}

void rm_worker_start(struct rm_worker *w)
{
    w->started = true;
    base_assert(pthread_create(&w->thread, NULL, worker_main, w) == 0);
}

void rm_worker_add(struct rm_worker *w, rm_worker_step *step, void *user)
{
    struct task *t = base_alloc(sizeof *t);
    bool stopped;

    *t = (struct task){.step = step, .user = user};
    pthread_mutex_lock(&w->lock);
    stopped = w->stop;
    if (!stopped) {
        append(w, t);
        pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    if (stopped) {
        base_assert(!step(user, true));
        free(t);
    }
}

void rm_worker_stop(struct rm_worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    if (w->started)
        pthread_join(w->thread, NULL);
    w->started = false;
    while (w->first) { /* nobody adds any more */
        struct task *t = take(w);

        base_assert(!t->step(t->user, true));
        free(t);
    }
}

void rm_worker_free(struct rm_worker *w)
{
    if (!w)
        return;
    base_assert(!w->started && !w->first);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

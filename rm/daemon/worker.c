#include "rm/daemon/worker.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/io/sched.h"
#include "base/mailbox.h"
#include "base/mem.h"

struct task {
    struct base_mail mail;
    rm_worker_step *step;
    void *user;
};
struct rm_worker {
    const char *name;
    bool background, started;
    atomic_bool stopping;
    pthread_t thread;
    struct base_mailbox tasks;
};

/* Lets @t answer without finishing its work, and frees it. */
static void abandon_task(struct task *t)
{
    base_assert(!t->step(t->user, true));
    free(t);
}

/* Runs one step of @t, and queues it again if it is not finished. */
static void run_task_step(struct rm_worker *w, struct task *t)
{
    bool more = t->step(t->user, false);

    if (w->background)
        sched_yield(); /* threads with requests to answer come first */
    if (!more)
        free(t);
    else if (!base_mailbox_post(&w->tasks, &t->mail))
        abandon_task(t);
}

/* Runs steps of all tasks in turn until the mailbox is closed and empty. */
static void run_tasks(struct rm_worker *w)
{
    struct task *t;

    while ((t = (struct task *)base_mailbox_take(&w->tasks, BASE_COND_NO_LIMIT)) != NULL) {
        if (atomic_load(&w->stopping))
            abandon_task(t);
        else
            run_task_step(w, t);
    }
}

static void *worker_main(void *arg)
{
    struct rm_worker *w = arg;

    pthread_setname_np(pthread_self(), w->name);
    if (w->background)
        base_sched_make_thread_background();
    run_tasks(w);
    return NULL;
}

struct rm_worker *rm_worker_new(const char *name, bool background)
{
    struct rm_worker *w = base_alloc(sizeof *w);

    w->name = name;
    w->background = background;
    atomic_init(&w->stopping, false);
    base_mailbox_init(&w->tasks);
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

    *t = (struct task){.step = step, .user = user};
    if (!base_mailbox_post(&w->tasks, &t->mail))
        abandon_task(t);
}

void rm_worker_stop(struct rm_worker *w)
{
    atomic_store(&w->stopping, true);
    base_mailbox_close(&w->tasks);
    if (w->started)
        pthread_join(w->thread, NULL);
    w->started = false;
    run_tasks(w); /* empty unless the thread was never started */
}

void rm_worker_free(struct rm_worker *w)
{
    if (!w)
        return;
    base_assert(!w->started);
    base_mailbox_destroy(&w->tasks);
    free(w);
}

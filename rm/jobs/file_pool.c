/* The pool of rm/jobs/file_pool.h. All threads share one lock, which is released during run(). The
 * thread that ran a piece of work answers it, unless the keeper or a stop has answered it before;
 * "answered" is set under the lock, so exactly one of them does. The keeper is the thread that
 * watches the clock: it alone finds out that work is slow, over its limit, or stuck.
 *
 * The pool does not use base/mailbox.h, because the keeper must see work while it waits and runs,
 * and because threads are started and ended as work becomes slow. */
#include "rm/jobs/file_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/cond.h"
#include "base/mem.h"

struct rm_file_pool {
    struct rm_file_pool_conf conf;
    pthread_mutex_t lock;
    /* work wakes idle threads, keep wakes the keeper, quiet wakes a stop when a thread has ended */
    pthread_cond_t work, keep, quiet;
    pthread_t keeper;
    bool started, stop, freed;          /* freed: the last thread to end frees the pool */
    struct rm_file_work *first, **last; /* waiting for a thread, oldest first */
    struct rm_file_work *running;
    int waiting, threads, idle, slow; /* waiting: length of the list from @first */
};

static void answer_once(struct rm_file_work *w, int rc, struct base_error *err)
{
    if (w->answered)
        return;
    w->answered = true;
    w->done(w, rc, err);
}

static struct rm_file_work *take_first_waiting(struct rm_file_pool *f)
{
    struct rm_file_work *w = f->first;

    f->first = w->next;
    if (!f->first)
        f->last = &f->first;
    f->waiting--;
    return w;
}

/* Called with the lock held; runs @w with the lock released. If the work has been answered
 * meanwhile, by the keeper or a stop because run() hung, its result is dropped. */
static void run_work(struct rm_file_pool *f, struct rm_file_work *w)
{
    struct base_error err = {0};
    struct rm_file_work **at = &f->running;
    bool ours;
    int rc;

    w->since_us = base_cond_now_us();
    atomic_store(&w->seen_us, w->since_us);
    w->next = f->running;
    f->running = w;
    pthread_mutex_unlock(&f->lock);
    rc = w->run(w, &err);
    pthread_mutex_lock(&f->lock);
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    f->slow -= w->slow;
    ours = !w->answered;
    w->answered = true;
    pthread_mutex_unlock(&f->lock);
    if (ours)
        w->done(w, rc, &err);
    w->drop(w);
    pthread_mutex_lock(&f->lock);
}

static void destroy_pool(struct rm_file_pool *f)
{
    pthread_cond_destroy(&f->work);
    pthread_cond_destroy(&f->keep);
    pthread_cond_destroy(&f->quiet);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static void *worker_main(void *arg)
{
    struct rm_file_pool *f = arg;
    bool last;

    pthread_setname_np(pthread_self(), "rm-files");
    pthread_mutex_lock(&f->lock);
    while (!f->stop) {
        if (f->first) {
            run_work(f, take_first_waiting(f));
        } else if (f->threads - f->slow > f->conf.quick) {
            break; /* this thread replaced one that was slow */
        } else {
            f->idle++;
            pthread_cond_wait(&f->work, &f->lock);
            f->idle--;
        }
    }
    f->threads--;
    pthread_cond_broadcast(&f->quiet);
    last = f->freed && f->threads == 0;
    pthread_mutex_unlock(&f->lock);
    if (last)
        destroy_pool(f);
    return NULL;
}

/* Wakes an idle thread for waiting work, and starts threads, within the limits, for the work that
 * the idle threads cannot take. */
static void start_needed_threads(struct rm_file_pool *f)
{
    pthread_t thread;

    if (!f->started || f->stop)
        return;
    if (f->idle > 0 && f->waiting > 0)
        pthread_cond_signal(&f->work);
    for (int more = f->waiting - f->idle; more > 0; more--) {
        if (f->threads - f->slow >= f->conf.quick || f->threads >= f->conf.most)
            return;
        if (pthread_create(&thread, NULL, worker_main, f) != 0)
            return; /* the existing threads will take the work later */
        pthread_detach(thread);
        f->threads++;
    }
}

static void request_end(struct rm_file_work *w, int code)
{
    int none = 0;

    atomic_compare_exchange_strong(&w->end_code, &none, code);
}

/* Marks @w as slow, so that its thread no longer counts as shared. If too much work is slow
 * already, requests the end of @w instead. */
static void mark_slow_or_request_end(struct rm_file_pool *f, struct rm_file_work *w)
{
    if (f->slow + f->conf.quick >= f->conf.most) {
        request_end(w, -BASE_EAGAIN);
        return;
    }
    w->slow = true;
    f->slow++;
}

/* Compares the age of each running piece of work with the deadlines: slow_us makes it slow, at
 * limit_us its end is requested, and grace_us later it is answered as stuck. */
static void check_running_work(struct rm_file_pool *f, int64_t now)
{
    for (struct rm_file_work *w = f->running; w; w = w->next) {
        int64_t age = now - w->since_us;
        struct base_error err = {0};

        if (age >= f->conf.slow_us && !w->slow)
            mark_slow_or_request_end(f, w);
        if (age < f->conf.limit_us)
            continue;
        request_end(w, -BASE_ETIMEOUT);
        if (age < f->conf.limit_us + f->conf.grace_us)
            continue;
        base_error_set(&err, -BASE_EAGAIN, "a file system has not answered for %lld s (%s)",
                       (long long)(age / 1000000), f->conf.limit);
        answer_once(w, -BASE_EAGAIN, &err);
    }
}

static void refuse_overdue_work(struct rm_file_pool *f, int64_t now)
{
    while (f->first && now - f->first->since_us >= f->conf.limit_us) {
        struct rm_file_work *w = take_first_waiting(f);
        struct base_error err = {0};

        base_error_set(&err, -BASE_EAGAIN,
                       "%d others are waiting for file systems that do not answer (%s)", f->threads,
                       f->conf.limit);
        answer_once(w, -BASE_EAGAIN, &err);
        w->drop(w);
    }
}

static void *keeper_main(void *arg)
{
    struct rm_file_pool *f = arg;

    pthread_setname_np(pthread_self(), "rm-files-keeper");
    pthread_mutex_lock(&f->lock);
    while (!f->stop) {
        int64_t now;

        if (!f->running && !f->first) {
            pthread_cond_wait(&f->keep, &f->lock);
            continue;
        }
        base_cond_wait_until(&f->keep, &f->lock, base_cond_now_us() + f->conf.slow_us / 2);
        now = base_cond_now_us();
        check_running_work(f, now);
        refuse_overdue_work(f, now);
        start_needed_threads(f);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* ---- */

struct rm_file_pool *rm_file_pool_new(const struct rm_file_pool_conf *conf)
{
    struct rm_file_pool *f = base_alloc(sizeof *f);

    base_assert(conf->quick > 0 && conf->most > conf->quick && conf->slow_us > 0);
    f->conf = *conf;
    f->last = &f->first;
    pthread_mutex_init(&f->lock, NULL);
    base_cond_init(&f->work);
    base_cond_init(&f->keep);
    base_cond_init(&f->quiet);
    return f;
}

void rm_file_pool_start(struct rm_file_pool *f)
{
    f->started = true;
    base_assert(pthread_create(&f->keeper, NULL, keeper_main, f) == 0);
}

static void refuse_at_shutdown(struct rm_file_work *w)
{
    struct base_error err = {0};

    base_error_set(&err, -BASE_EIO, "the ResourceManager is shutting down");
    answer_once(w, -BASE_EIO, &err);
}

void rm_file_pool_submit(struct rm_file_pool *f, struct rm_file_work *w)
{
    pthread_mutex_lock(&f->lock);
    w->pool = f;
    w->next = NULL;
    w->since_us = base_cond_now_us();
    if (f->stop) {
        refuse_at_shutdown(w);
        w->drop(w);
    } else {
        *f->last = w;
        f->last = &w->next;
        f->waiting++;
        start_needed_threads(f);
        pthread_cond_signal(&f->keep);
    }
    pthread_mutex_unlock(&f->lock);
}

int rm_file_work_check_cancelled(void *user, struct base_error *err)
{
    struct rm_file_work *w = user;
    const struct rm_file_pool_conf *conf = &w->pool->conf;

    atomic_store_explicit(&w->seen_us, base_cond_now_us(), memory_order_relaxed);
    switch (atomic_load_explicit(&w->end_code, memory_order_relaxed)) {
    case 0:
        return 0;
    case -BASE_ETIMEOUT:
        return base_error_set(err, -BASE_ETIMEOUT,
                              "not done after %lld ms, which is the limit (%s)",
                              (long long)(conf->limit_us / 1000), conf->limit);
    case -BASE_EAGAIN:
        return base_error_set(err, -BASE_EAGAIN,
                              "%d others have been searching their files for a long time already",
                              conf->most - conf->quick);
    default:
        return base_error_set(err, -BASE_EIO, "the ResourceManager is shutting down");
    }
}

int rm_file_work_enter_path(void *user, const char *path, struct base_error *err)
{
    struct rm_file_work *w = user;
    struct rm_file_pool *f = w->pool;
    const struct rm_file_place place = rm_file_place_from_path(path);
    struct rm_file_place_count n = {0};
    int64_t now;

    if (rm_file_place_equal(&place, &w->place))
        return 0;
    pthread_mutex_lock(&f->lock);
    now = base_cond_now_us();
    for (const struct rm_file_work *o = f->running; o; o = o->next)
        if (o != w && now - atomic_load(&o->seen_us) >= f->conf.slow_us)
            rm_file_place_count_if_shared(&n, &place, &o->place);
    if (!rm_file_place_count_is_full(&n))
        w->place = place;
    pthread_mutex_unlock(&f->lock);
    if (!rm_file_place_count_is_full(&n))
        return 0;
    return base_error_set(
        err, -BASE_EAGAIN,
        "%d others are already waiting for a file system there that does not answer",
        n.at_top > n.at_whole ? n.at_top : n.at_whole);
}

bool rm_file_pool_stop(struct rm_file_pool *f)
{
    int64_t until = base_cond_now_us() + f->conf.grace_us;
    bool all;

    pthread_mutex_lock(&f->lock);
    f->stop = true;
    for (struct rm_file_work *w = f->running; w; w = w->next)
        request_end(w, -BASE_EIO);
    while (f->first) {
        struct rm_file_work *w = take_first_waiting(f);

        refuse_at_shutdown(w);
        w->drop(w);
    }
    pthread_cond_broadcast(&f->work);
    pthread_cond_broadcast(&f->keep);
    while (f->threads > 0 && base_cond_now_us() < until)
        base_cond_wait_until(&f->quiet, &f->lock, until);
    for (struct rm_file_work *w = f->running; w; w = w->next)
        refuse_at_shutdown(w);
    all = f->threads == 0;
    pthread_mutex_unlock(&f->lock);
    if (f->started)
        pthread_join(f->keeper, NULL);
    f->started = false;
    return all;
}

void rm_file_pool_free(struct rm_file_pool *f)
{
    bool now;

    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    base_assert(!f->started && !f->first);
    f->freed = true;
    now = f->threads == 0;
    pthread_mutex_unlock(&f->lock);
    if (now)
        destroy_pool(f);
}

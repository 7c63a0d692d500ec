/* The pool of rm/jobs/file_pool.h. All threads share one lock, which no thread holds in @look. A piece of work is answered by the
 * thread that ran it, or before that by the keeper or the stop: "answered" is set under the lock, so only one does it.
 * The keeper is the thread that watches the clock: it alone finds out that work is slow, over its limit, or stuck. */
#include "rm/jobs/file_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/cond.h"
#include "base/mem.h"

struct rm_files {
    struct rm_files_conf conf;
    pthread_mutex_t lock;
    pthread_cond_t work, keep, quiet; /* for idle threads; for the keeper; for the stop */
    pthread_t keeper;
    bool started, stop, freed; /* freed: the last thread frees it */
    struct rm_files_work *first, **last; /* not begun */
    struct rm_files_work *running;
    int waiting, threads, idle, slow; /* waiting: not begun */
};

/* ---- with the lock held ---- */

static void answer(struct rm_files_work *w, int rc, struct base_error *err)
{
    if (w->answered)
        return;
    w->answered = true;
    w->done(w, rc, err);
}

static struct rm_files_work *take(struct rm_files *f)
{
    struct rm_files_work *w = f->first;

    f->first = w->next;
    if (!f->first)
        f->last = &f->first;
    f->waiting--;
    return w;
}

static void run(struct rm_files *f, struct rm_files_work *w)
{
    struct base_error err = {0};
    struct rm_files_work **at = &f->running;
    bool ours;
    int rc;

    w->since_us = base_cond_now_us();
    atomic_store(&w->seen_us, w->since_us);
    w->next = f->running;
    f->running = w;
    pthread_mutex_unlock(&f->lock);
    rc = w->look(w, &err);
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

static void destroy(struct rm_files *f)
{
    pthread_cond_destroy(&f->work);
    pthread_cond_destroy(&f->keep);
    pthread_cond_destroy(&f->quiet);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static void *thread_main(void *arg)
{
    struct rm_files *f = arg;
    bool last;

    pthread_setname_np(pthread_self(), "rm-files");
    pthread_mutex_lock(&f->lock);
    while (!f->stop) {
        if (f->first) {
            run(f, take(f));
        } else if (f->threads - f->slow > f->conf.quick) {
            break; /* it stood in for one that was slow */
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
        destroy(f);
    return NULL;
}

/* As many threads as the work that waits may have. */
static void staff(struct rm_files *f)
{
    pthread_t thread;

    if (!f->started || f->stop)
        return;
    if (f->idle > 0 && f->waiting > 0)
        pthread_cond_signal(&f->work);
    for (int more = f->waiting - f->idle; more > 0; more--) {
        if (f->threads - f->slow >= f->conf.quick || f->threads >= f->conf.most)
            return;
        if (pthread_create(&thread, NULL, thread_main, f) != 0)
            return; /* those that are there do it later */
        pthread_detach(thread);
        f->threads++;
    }
}

static void tell(struct rm_files_work *w, int code)
{
    int none = 0;

    atomic_compare_exchange_strong(&w->told, &none, code);
}

/* @w turns slow: it leaves the shared threads, or ends when too much work has done so. */
static void note_slow(struct rm_files *f, struct rm_files_work *w)
{
    if (f->slow + f->conf.quick >= f->conf.most) {
        tell(w, -BASE_EAGAIN);
        return;
    }
    w->slow = true;
    f->slow++;
}

static void look_at_running(struct rm_files *f, int64_t now)
{
    for (struct rm_files_work *w = f->running; w; w = w->next) {
        int64_t age = now - w->since_us;
        struct base_error err = {0};

        if (age >= f->conf.slow_us && !w->slow)
            note_slow(f, w);
        if (age < f->conf.limit_us)
            continue;
        tell(w, -BASE_ETIMEOUT);
        if (age < f->conf.limit_us + f->conf.grace_us)
            continue;
        base_error_set(&err, -BASE_EAGAIN, "a file system has not answered for %lld s (%s)",
                       (long long)(age / 1000000), f->conf.limit);
        answer(w, -BASE_EAGAIN, &err);
    }
}

static void look_at_waiting(struct rm_files *f, int64_t now)
{
    while (f->first && now - f->first->since_us >= f->conf.limit_us) {
        struct rm_files_work *w = take(f);
        struct base_error err = {0};

        base_error_set(&err, -BASE_EAGAIN, "%d others wait for file systems that do not answer (%s)", f->threads,
                       f->conf.limit);
        answer(w, -BASE_EAGAIN, &err);
        w->drop(w);
    }
}

static void *keeper_main(void *arg)
{
    struct rm_files *f = arg;

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
        look_at_running(f, now);
        look_at_waiting(f, now);
        staff(f);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* ---- */

struct rm_files *rm_files_new(const struct rm_files_conf *conf)
{
    struct rm_files *f = base_alloc(sizeof *f);

    base_assert(conf->quick > 0 && conf->most > conf->quick && conf->slow_us > 0);
    f->conf = *conf;
    f->last = &f->first;
    pthread_mutex_init(&f->lock, NULL);
    base_cond_init(&f->work);
    base_cond_init(&f->keep);
    base_cond_init(&f->quiet);
    return f;
}

void rm_files_start(struct rm_files *f)
{
    f->started = true;
    base_assert(pthread_create(&f->keeper, NULL, keeper_main, f) == 0);
}

static void refuse(struct rm_files_work *w)
{
    struct base_error err = {0};

    base_error_set(&err, -BASE_EIO, "the ResourceManager is shutting down");
    answer(w, -BASE_EIO, &err);
}

void rm_files_add(struct rm_files *f, struct rm_files_work *w)
{
    pthread_mutex_lock(&f->lock);
    w->pool = f;
    w->next = NULL;
    w->since_us = base_cond_now_us();
    if (f->stop) {
        refuse(w);
        w->drop(w);
    } else {
        *f->last = w;
        f->last = &w->next;
        f->waiting++;
        staff(f);
        pthread_cond_signal(&f->keep);
    }
    pthread_mutex_unlock(&f->lock);
}

int rm_files_check(void *user, struct base_error *err)
{
    struct rm_files_work *w = user;
    const struct rm_files_conf *conf = &w->pool->conf;

    atomic_store_explicit(&w->seen_us, base_cond_now_us(), memory_order_relaxed);
    switch (atomic_load_explicit(&w->told, memory_order_relaxed)) {
    case 0:
        return 0;
    case -BASE_ETIMEOUT:
        return base_error_set(err, -BASE_ETIMEOUT, "not done after %lld ms, which is the limit (%s)",
                              (long long)(conf->limit_us / 1000), conf->limit);
    case -BASE_EAGAIN:
        return base_error_set(err, -BASE_EAGAIN, "%d others are looking at their files for long already",
                              conf->most - conf->quick);
    default:
        return base_error_set(err, -BASE_EIO, "the ResourceManager is shutting down");
    }
}

int rm_files_enter(void *user, const char *path, struct base_error *err)
{
    struct rm_files_work *w = user;
    struct rm_files *f = w->pool;
    const struct rm_place place = rm_place_of(path);
    struct rm_place_count n = {0};
    int64_t now;

    if (rm_place_eq(&place, &w->place))
        return 0;
    pthread_mutex_lock(&f->lock);
    now = base_cond_now_us();
    for (const struct rm_files_work *o = f->running; o; o = o->next)
        if (o != w && now - atomic_load(&o->seen_us) >= f->conf.slow_us)
            rm_place_add(&n, &place, &o->place);
    if (!rm_place_is_full(&n))
        w->place = place;
    pthread_mutex_unlock(&f->lock);
    if (!rm_place_is_full(&n))
        return 0;
    return base_error_set(err, -BASE_EAGAIN, "%d others wait for a file system there that does not answer",
                          n.at_top > n.at_whole ? n.at_top : n.at_whole);
}

bool rm_files_stop(struct rm_files *f)
{
    int64_t until = base_cond_now_us() + f->conf.grace_us;
    bool all;

    pthread_mutex_lock(&f->lock);
    f->stop = true;
    for (struct rm_files_work *w = f->running; w; w = w->next)
        tell(w, -BASE_EIO);
    while (f->first) {
        struct rm_files_work *w = take(f);

        refuse(w);
        w->drop(w);
    }
    pthread_cond_broadcast(&f->work);
    pthread_cond_broadcast(&f->keep);
    while (f->threads > 0 && base_cond_now_us() < until)
        base_cond_wait_until(&f->quiet, &f->lock, until);
    for (struct rm_files_work *w = f->running; w; w = w->next)
        refuse(w);
    all = f->threads == 0;
    pthread_mutex_unlock(&f->lock);
    if (f->started)
        pthread_join(f->keeper, NULL);
    f->started = false;
    return all;
}

void rm_files_free(struct rm_files *f)
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
        destroy(f);
}

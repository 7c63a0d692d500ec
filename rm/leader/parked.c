#include "rm/leader/parked.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/cond.h"
#include "base/mem.h"

struct waiter {
    struct base_app_id id;
    int64_t version, deadline_us;
    void (*fn)(void *user);
    void *user;
    bool due;
};
/* At most one waiter per running reduce or node: scanning the array costs less than the requests
 * that parking saves. */
struct rm_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct waiter *v;
    size_t len, cap;
    int64_t next_us; /* the thread sleeps until then */
    bool stop, any_due;
};

int64_t rm_watch_mono_us(void)
{
    return base_cond_now_us();
}

/* Moves the waiters that are due at @now to @fire. Returns the next deadline, INT64_MAX without
 * one. */
static int64_t take_due(struct rm_watch *w, int64_t now, struct waiter **fire, size_t *fire_n,
                        size_t *fire_cap)
{
    int64_t next = INT64_MAX;
    size_t keep = 0;

    *fire_n = 0;
    for (size_t i = 0; i < w->len; i++) {
        struct waiter *one = &w->v[i];
        if (one->due || w->stop || one->deadline_us <= now) {
            base_array_grow(fire, *fire_n, fire_cap);
            (*fire)[(*fire_n)++] = *one;
            continue;
        }
        if (one->deadline_us < next)
            next = one->deadline_us;
        w->v[keep++] = *one;
    }
    w->len = keep;
    w->any_due = false;
    w->next_us = next;
    return next;
}

static void *watch_main(void *arg)
{
    struct rm_watch *w = arg;
    struct waiter *fire = NULL;
    size_t n = 0, cap = 0;

    pthread_mutex_lock(&w->lock);
    for (;;) {
        int64_t next = take_due(w, rm_watch_mono_us(), &fire, &n, &cap);
        if (n > 0) {
            pthread_mutex_unlock(&w->lock);
            for (size_t i = 0; i < n; i++)
                fire[i].fn(fire[i].user);
            pthread_mutex_lock(&w->lock);
        } else if (w->stop) {
            break;
        } else {
            base_cond_wait_until(&w->wake, &w->lock, next);
        }
    }
    pthread_mutex_unlock(&w->lock);
    free(fire);
    return NULL;
}

struct rm_watch *rm_watch_start(void)
{
    struct rm_watch *w = base_alloc(sizeof *w);

    pthread_mutex_init(&w->lock, NULL);
    base_cond_init(&w->wake);
    base_assert(pthread_create(&w->thread, NULL, watch_main, w) == 0);
    return w;
}

void rm_watch_add(struct rm_watch *w, struct base_app_id id, int64_t version,
                  int64_t deadline_mono_us, void (*fn)(void *user), void *user)
{
    bool stopped;

    pthread_mutex_lock(&w->lock);
    stopped = w->stop;
    if (!stopped) {
        base_array_grow(&w->v, w->len, &w->cap);
        w->v[w->len++] = (struct waiter){id, version, deadline_mono_us, fn, user, false};
        if (deadline_mono_us < w->next_us)
            pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    if (stopped)
        fn(user);
}

void rm_watch_wake_older(struct rm_watch *w, struct base_app_id id, int64_t version)
{
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->len; i++) {
        struct waiter *one = &w->v[i];
        if (one->version < version && base_app_id_cmp(&one->id, &id) == 0)
            one->due = w->any_due = true;
    }
    if (w->any_due)
        pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

void rm_watch_wake_all(struct rm_watch *w)
{
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->len; i++)
        w->v[i].due = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

void rm_watch_stop(struct rm_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
}

void rm_watch_free(struct rm_watch *w)
{
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w->v);
    free(w);
}

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
    bool woken;
};
/* There is usually no more than one waiter for each running reduce or node: scanning the array
 * costs less than the requests that parking saves. */
struct rm_parking {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct waiter *v;
    size_t len, cap;
    int64_t next_us; /* the thread sleeps until then */
    bool stop, any_woken;
};

int64_t rm_parking_mono_us(void)
{
    return base_cond_now_us();
}

/* Moves to @woken_list the waiters that were woken or whose deadline has passed at @now; all of
 * them after a stop. Returns the earliest deadline of those that stay, INT64_MAX if none stays. */
static int64_t take_woken_or_overdue(struct rm_parking *w, int64_t now, struct waiter **woken_list,
                                     size_t *woken_n, size_t *woken_cap)
{
    int64_t next = INT64_MAX;
    size_t keep = 0;

    *woken_n = 0;
    for (size_t i = 0; i < w->len; i++) {
        struct waiter *one = &w->v[i];
        if (one->woken || w->stop || one->deadline_us <= now) {
            base_array_grow(woken_list, *woken_n, woken_cap);
            (*woken_list)[(*woken_n)++] = *one;
            continue;
        }
        if (one->deadline_us < next)
            next = one->deadline_us;
        w->v[keep++] = *one;
    }
    w->len = keep;
    w->any_woken = false;
    w->next_us = next;
    return next;
}

static void *parking_main(void *arg)
{
    struct rm_parking *w = arg;
    struct waiter *woken_list = NULL;
    size_t n = 0, cap = 0;

    pthread_setname_np(pthread_self(), "rm-parked");
    pthread_mutex_lock(&w->lock);
    for (;;) {
        int64_t next = take_woken_or_overdue(w, rm_parking_mono_us(), &woken_list, &n, &cap);
        if (n > 0) {
            pthread_mutex_unlock(&w->lock);
            for (size_t i = 0; i < n; i++)
                woken_list[i].fn(woken_list[i].user);
            pthread_mutex_lock(&w->lock);
        } else if (w->stop) {
            break;
        } else {
            base_cond_wait_until(&w->wake, &w->lock, next);
        }
    }
    pthread_mutex_unlock(&w->lock);
    free(woken_list);
    return NULL;
}

struct rm_parking *rm_parking_start(void)
{
    struct rm_parking *w = base_alloc(sizeof *w);

    pthread_mutex_init(&w->lock, NULL);
    base_cond_init(&w->wake);
    base_assert(pthread_create(&w->thread, NULL, parking_main, w) == 0);
    return w;
}

void rm_parking_add(struct rm_parking *w, struct base_app_id id, int64_t known_version,
                    int64_t deadline_mono_us, void (*fn)(void *user), void *user)
{
    bool stopped;

    pthread_mutex_lock(&w->lock);
    stopped = w->stop;
    if (!stopped) {
        base_array_grow(&w->v, w->len, &w->cap);
        w->v[w->len++] = (struct waiter){id, known_version, deadline_mono_us, fn, user, false};
        if (deadline_mono_us < w->next_us)
            pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    if (stopped)
        fn(user);
}

void rm_parking_wake_older(struct rm_parking *w, struct base_app_id id, int64_t version)
{
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->len; i++) {
        struct waiter *one = &w->v[i];
        if (one->version < version && base_app_id_cmp(&one->id, &id) == 0)
            one->woken = w->any_woken = true;
    }
    if (w->any_woken)
        pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

void rm_parking_wake_all(struct rm_parking *w)
{
    pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < w->len; i++)
        w->v[i].woken = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

void rm_parking_stop(struct rm_parking *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
}

void rm_parking_free(struct rm_parking *w)
{
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w->v);
    free(w);
}

#include "base/io/watchdog.h"
#include "base/cond.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"

#define EXPIRED_S 2 /* how long expired() may take; then SIGALRM ends the process */
/* A check that is late by more than this shows that the watchdog itself did not run: the time since
 * the last check is not counted. */
#define LATE_US BASE_WATCHDOG_CHECK_US

struct base_watchdog {
    struct base_watchdog_conf conf;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    atomic_int ending; /* number of armed ends */
};

enum base_watchdog_verdict base_watchdog_check(struct base_watchdog_view *v, int64_t now_us,
                                               bool busy, uint64_t turns, bool ending,
                                               int64_t limit_us)
{
    int64_t passed = v->checked_us ? now_us - v->checked_us : 0;
    int64_t limit = limit_us > BASE_WATCHDOG_LEAST_US ? limit_us : BASE_WATCHDOG_LEAST_US;

    if (passed > BASE_WATCHDOG_CHECK_US + LATE_US)
        passed = 0;
    v->still_us = busy && turns == v->turns ? v->still_us + passed : 0;
    v->ending_us = ending ? v->ending_us + passed : 0;
    v->checked_us = now_us;
    v->turns = turns;
    if (v->ending_us > BASE_WATCHDOG_END_US)
        return BASE_WATCHDOG_END_LATE;
    return v->still_us > limit ? BASE_WATCHDOG_STUCK : BASE_WATCHDOG_OK;
}

static void *watchdog_main(void *arg)
{
    struct base_watchdog *w = arg;
    struct base_watchdog_view view = {0};
    enum base_watchdog_verdict verdict = BASE_WATCHDOG_OK;

    pthread_setname_np(pthread_self(), "watchdog");
    pthread_mutex_lock(&w->lock);
    while (!w->stop && verdict == BASE_WATCHDOG_OK) {
        int64_t now = base_cond_now_us();
        uint64_t turns;
        bool busy = w->conf.busy(w->conf.user, &turns);

        verdict = base_watchdog_check(&view, now, busy, turns, atomic_load(&w->ending) > 0,
                                      w->conf.limit_us(w->conf.user));
        if (verdict == BASE_WATCHDOG_OK)
            base_cond_wait_until(&w->wake, &w->lock, now + BASE_WATCHDOG_CHECK_US);
    }
    pthread_mutex_unlock(&w->lock);
    if (verdict == BASE_WATCHDOG_OK)
        return NULL;
    alarm(EXPIRED_S); /* expired() may block: the stuck thread may hold the lock of the log */
    w->conf.expired(w->conf.user, verdict == BASE_WATCHDOG_STUCK ? w->conf.still : w->conf.ending);
    alarm(0);
    return NULL;
}

struct base_watchdog *base_watchdog_start(const struct base_watchdog_conf *conf)
{
    struct base_watchdog *w = base_alloc(sizeof *w);

    w->conf = *conf;
    pthread_mutex_init(&w->lock, NULL);
    base_cond_init(&w->wake);
    base_assert(pthread_create(&w->thread, NULL, watchdog_main, w) == 0);
    return w;
}

void base_watchdog_stop(struct base_watchdog *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void base_watchdog_arm_end_limit(struct base_watchdog *w)
{
    atomic_fetch_add(&w->ending, 1);
}

void base_watchdog_disarm_end_limit(struct base_watchdog *w)
{
    atomic_fetch_sub(&w->ending, 1);
}

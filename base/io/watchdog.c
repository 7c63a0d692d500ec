#include "base/io/watchdog.h"
#include "base/cond.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"

#define EXPIRED_S 2 /* how long expired() may take: then SIGALRM ends the process */
#define LATE_US                                                                                    \
    BASE_WATCHDOG_LOOK_US /* a look that comes later than this after its time: we did not run */

struct base_watchdog {
    struct base_watchdog_conf conf;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    atomic_int ending; /* ends that have begun and are not over */
};

enum base_watchdog_verdict base_watchdog_look(struct base_watchdog_view *v, int64_t now_us,
                                              bool busy, uint64_t turns, bool ending,
                                              int64_t limit_us)
{
    int64_t passed = v->looked_us ? now_us - v->looked_us : 0;
    int64_t limit = limit_us > BASE_WATCHDOG_LEAST_US ? limit_us : BASE_WATCHDOG_LEAST_US;

    if (passed > BASE_WATCHDOG_LOOK_US + LATE_US)
        passed = 0;
    v->still_us = busy && turns == v->turns ? v->still_us + passed : 0;
    v->ending_us = ending ? v->ending_us + passed : 0;
    v->looked_us = now_us;
    v->turns = turns;
    if (v->ending_us > BASE_WATCHDOG_END_US)
        return BASE_WATCHDOG_ENDING;
    return v->still_us > limit ? BASE_WATCHDOG_STILL : BASE_WATCHDOG_WELL;
}

static void *watchdog_main(void *arg)
{
    struct base_watchdog *w = arg;
    struct base_watchdog_view view = {0};
    enum base_watchdog_verdict verdict = BASE_WATCHDOG_WELL;

    pthread_mutex_lock(&w->lock);
    while (!w->stop && verdict == BASE_WATCHDOG_WELL) {
        int64_t now = base_cond_now_us();
        uint64_t turns;
        bool busy = w->conf.busy(w->conf.user, &turns);

        verdict = base_watchdog_look(&view, now, busy, turns, atomic_load(&w->ending) > 0,
                                     w->conf.limit_us(w->conf.user));
        if (verdict == BASE_WATCHDOG_WELL)
            base_cond_wait_until(&w->wake, &w->lock, now + BASE_WATCHDOG_LOOK_US);
    }
    pthread_mutex_unlock(&w->lock);
    if (verdict == BASE_WATCHDOG_WELL)
        return NULL;
    alarm(EXPIRED_S); /* what stands still may hold the log's lock */
    w->conf.expired(w->conf.user, verdict == BASE_WATCHDOG_STILL ? w->conf.still : w->conf.ending);
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

void base_watchdog_ending(struct base_watchdog *w)
{
    atomic_fetch_add(&w->ending, 1);
}

void base_watchdog_ended(struct base_watchdog *w)
{
    atomic_fetch_sub(&w->ending, 1);
}

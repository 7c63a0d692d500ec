#include "base/cond.h"

#include <errno.h>
#include <time.h>

#include "base/error.h"

void base_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    base_assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

int64_t base_cond_now_us(void)
{
    struct timespec ts;

    base_assert(clock_gettime(CLOCK_MONOTONIC, &ts) == 0);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

bool base_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_us)
{
    const int64_t at_us = until_us > 0 ? until_us : 0;
    const struct timespec until = {.tv_sec = at_us / 1000000, .tv_nsec = at_us % 1000000 * 1000};
    int rc;

    if (until_us == BASE_COND_NO_LIMIT)
        rc = pthread_cond_wait(cond, lock);
    else
        rc = pthread_cond_timedwait(cond, lock, &until);
    base_assert(rc == 0 || rc == ETIMEDOUT);
    return rc == 0;
}

bool base_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t us)
{
    const int64_t now_us = base_cond_now_us();

    return base_cond_wait_until(
        cond, lock, us < BASE_COND_NO_LIMIT - now_us ? now_us + us : BASE_COND_NO_LIMIT);
}

/* base/cond.h - condition variables whose time limits count monotonic time, so that a clock that is
 * set forward or back neither ends nor lengthens a wait.
 *
 * Times are microseconds of CLOCK_MONOTONIC, which stands still while the machine is suspended;
 * base_mono_us() counts on, hence the two must not be mixed. */
#ifndef CREEL_BASE_COND_H
#define CREEL_BASE_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define BASE_COND_NO_LIMIT INT64_MAX

void base_cond_init(pthread_cond_t *cond); /* ended by pthread_cond_destroy() */
int64_t base_cond_now_us(void);
/* Waits with @lock held, as pthread_cond_wait() does, and spuriously at times. False: @until_us is
 * over. */
bool base_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_us);
/* The same for at most @us from now on. */
bool base_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t us);

#endif

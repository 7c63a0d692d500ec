/* base/cond.h - condition variables with time limits in monotonic time, so that setting the wall
 * clock neither shortens nor lengthens a wait.
 *
 * Times are microseconds of CLOCK_MONOTONIC, which stops while the machine is suspended.
 * base_mono_us() does not stop then, so the two must not be mixed. */
#ifndef CREEL_BASE_COND_H
#define CREEL_BASE_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define BASE_COND_NO_LIMIT INT64_MAX

/* the caller destroys @cond with pthread_cond_destroy() */
void base_cond_init(pthread_cond_t *cond);
int64_t base_cond_now_us(void);
/* Waits like pthread_cond_wait(): the caller holds @lock, and spurious wake-ups happen. Returns
 * false when the wait ended because @until_us had passed, else true. BASE_COND_NO_LIMIT waits
 * without a limit. */
bool base_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_us);
/* As base_cond_wait_until(), for at most @us microseconds from now. */
bool base_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t us);

#endif

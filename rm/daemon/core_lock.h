/* rm/daemon/core_lock.h - the core's lock, served in order of arrival.
 *
 * With a plain mutex, a thread that copies a long listing in chunks takes the lock again and again
 * before the core's thread wakes up. Here every thread draws a number, so that the core waits for
 * each HTTP thread at most once, and a reader waits for at most one turn of the core. */
#ifndef CREEL_RM_DAEMON_CORE_LOCK_H
#define CREEL_RM_DAEMON_CORE_LOCK_H

#include <pthread.h>
#include <stdint.h>

struct rm_core_lock {
    pthread_mutex_t m;
    pthread_cond_t turn;
    uint64_t next, serving;
};
void rm_core_lock_init(struct rm_core_lock *l);
void rm_core_lock_destroy(struct rm_core_lock *l);
void rm_core_lock_acquire(struct rm_core_lock *l); /* a thread may nest calls */
void rm_core_lock_release(struct rm_core_lock *l);

#endif

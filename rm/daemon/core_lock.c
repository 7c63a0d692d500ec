#include "rm/daemon/core_lock.h"

#include "base/error.h"

/* How many times this thread has acquired the lock: a reply on the core's own thread, which holds
 * the lock already, may read the core. One counter is enough, since a process has one such lock. */
static _Thread_local unsigned depth;

void rm_core_lock_init(struct rm_core_lock *l)
{
    pthread_mutex_init(&l->m, NULL);
    pthread_cond_init(&l->turn, NULL);
    l->next = l->serving = 0;
}

void rm_core_lock_destroy(struct rm_core_lock *l)
{
    pthread_cond_destroy(&l->turn);
    pthread_mutex_destroy(&l->m);
}

void rm_core_lock_acquire(struct rm_core_lock *l)
{
    uint64_t mine;

    if (depth++ > 0)
        return;
    pthread_mutex_lock(&l->m);
    mine = l->next++;
    while (l->serving != mine)
        pthread_cond_wait(&l->turn, &l->m);
    pthread_mutex_unlock(&l->m);
}

void rm_core_lock_release(struct rm_core_lock *l)
{
    base_assert(depth > 0);
    if (--depth > 0)
        return;
    pthread_mutex_lock(&l->m);
    l->serving++;
    if (l->serving != l->next)
        pthread_cond_broadcast(&l->turn);
    pthread_mutex_unlock(&l->m);
}

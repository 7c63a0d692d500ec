/* base/mailbox.h - messages to one thread, first in, first out.
 *
 *   any thread: post --> | mail | mail | mail | --> take: the thread that owns the mailbox
 *
 * A message is a struct whose first member is struct base_mail; the mailbox links messages and owns
 * none. After close(), post() fails, and take() returns the remaining messages and then NULL
 * without waiting. The owner may walk the queue (first, then next) while it holds
 * base_mailbox_lock(). */
#ifndef CREEL_BASE_MAILBOX_H
#define CREEL_BASE_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cond.h"

struct base_mail {
    struct base_mail *next;
};
struct base_mailbox {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct base_mail *first, **last;
    bool closed;
};

void base_mailbox_init(struct base_mailbox *b);
void base_mailbox_destroy(struct base_mailbox *b); /* asserts that no message is left */
/* Queues @mail and wakes the owner. Returns false when the mailbox is closed; the caller then keeps
 * @mail. */
bool base_mailbox_post(struct base_mailbox *b, struct base_mail *mail);
/* Removes and returns the oldest message, waiting for one until @until_us (base_cond_now_us()).
 * Returns NULL at that time, or when the mailbox is closed and empty. */
struct base_mail *base_mailbox_take(struct base_mailbox *b, int64_t until_us);
void base_mailbox_close(struct base_mailbox *b);

void base_mailbox_lock(struct base_mailbox *b);
void base_mailbox_unlock(struct base_mailbox *b);
/* As base_mailbox_post(), for a caller that holds the lock. */
bool base_mailbox_post_locked(struct base_mailbox *b, struct base_mail *mail);

#endif

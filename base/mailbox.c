#include "base/mailbox.h"

#include "base/error.h"

void base_mailbox_init(struct base_mailbox *b)
{
    *b = (struct base_mailbox){.last = &b->first};
    pthread_mutex_init(&b->lock, NULL);
    base_cond_init(&b->wake);
}

void base_mailbox_destroy(struct base_mailbox *b)
{
    base_assert(!b->first);
    pthread_cond_destroy(&b->wake);
    pthread_mutex_destroy(&b->lock);
}

void base_mailbox_lock(struct base_mailbox *b)
{
    pthread_mutex_lock(&b->lock);
}

void base_mailbox_unlock(struct base_mailbox *b)
{
    pthread_mutex_unlock(&b->lock);
}

bool base_mailbox_post_locked(struct base_mailbox *b, struct base_mail *mail)
{
    if (b->closed)
        return false;
    mail->next = NULL;
    *b->last = mail;
    b->last = &mail->next;
    pthread_cond_signal(&b->wake);
    return true;
}

bool base_mailbox_post(struct base_mailbox *b, struct base_mail *mail)
{
    bool posted;

    pthread_mutex_lock(&b->lock);
    posted = base_mailbox_post_locked(b, mail);
    pthread_mutex_unlock(&b->lock);
    return posted;
}

struct base_mail *base_mailbox_take(struct base_mailbox *b, int64_t until_us)
{
    struct base_mail *mail;
    bool in_time = true;

    pthread_mutex_lock(&b->lock);
    while (!b->first && !b->closed && in_time)
        in_time = base_cond_wait_until(&b->wake, &b->lock, until_us);
    mail = b->first;
    if (mail && !(b->first = mail->next))
        b->last = &b->first;
    pthread_mutex_unlock(&b->lock);
    return mail;
}

void base_mailbox_close(struct base_mailbox *b)
{
    pthread_mutex_lock(&b->lock);
    b->closed = true;
    pthread_cond_broadcast(&b->wake);
    pthread_mutex_unlock(&b->lock);
}

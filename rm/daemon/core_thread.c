/* rm/daemon/core_thread.c - the queue of posted events, the tickets of their requesters, and the
 * thread that steps the core. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cond.h"
#include "rm/daemon/daemon_internal.h"

#define TURN_US     1000 /* length of a turn, after which the core's thread lets readers in */
#define TURN_EVENTS 256

/* ---------------------------------------------------------------- tickets */
void rm_ticket_answer(struct rm_ticket *ticket, const struct rm_effect *fx)
{
    ticket->fn(ticket->user, fx);
    free(ticket);
}

static void reply_error(rm_reply_fn *fn, void *user, int code, const char *text)
{
    struct rm_effect fx = {.kind = RM_FX_REPLY};

    fx.u.reply.kind = RM_REPLY_ERROR;
    fx.u.reply.code = code;
    fx.u.reply.text = text;
    fn(user, &fx);
}

void rm_ticket_fail(struct rm_ticket *ticket, int code, const char *text)
{
    reply_error(ticket->fn, ticket->user, code, text);
    free(ticket);
}

/* ---------------------------------------------------------------- the queue */
void rm_posted_refuse(const struct rm_posted *p, int code, const char *text)
{
    if (p->ev->kind == RM_EV_SUBMIT_JOB) {
        rm_job_spec_unref(p->ev->u.submit_job.spec);
    } else if (p->ev->kind == RM_EV_SUBMIT_APP) {
        rm_app_spec_unref(p->ev->u.submit_app.spec);
    } else if (p->ev->kind == RM_EV_AM_ALLOCATE) {
        for (size_t i = 0; i < p->ev->u.am_allocate.asks_n; i++)
            rm_launch_unref(p->ev->u.am_allocate.asks[i].launch);
    }
    if (p->fn)
        reply_error(p->fn, p->user, code, text);
    if (p->release)
        p->release(p->user);
}

/* Returns true for changes whose sender waits until they are durable: they are refused at once
 * while the store cannot write. */
static bool must_be_stored(enum rm_event_kind kind)
{
    static const bool durable_kinds[] = {
#define X(name, handle, durable) [RM_EV_##name] = durable,
        RM_EVENTS(X)
#undef X
    };

    return durable_kinds[kind];
}

void rm_backend_post(struct rm_backend *b, struct rm_event *ev, rm_reply_fn *fn,
                     void (*release)(void *user), void *user)
{
    struct rm_posted p = {ev, fn, release, user};
    struct base_error why = {0};

    pthread_mutex_lock(&b->qlock);
    if (b->closed) {
        base_error_set(&why, b->closed, "%s", b->closed_text);
    } else if (!must_be_stored(ev->kind) || !b->term || !b->term->store ||
               !rm_store_is_failing(b->term->store, &why)) {
        base_array_grow(&b->queue, b->queue_len, &b->queue_cap);
        b->queue[b->queue_len++] = p;
        if (b->queue_len == 1)
            pthread_cond_signal(&b->qwake);
    }
    pthread_mutex_unlock(&b->qlock);
    if (why.code)
        rm_posted_refuse(&p, why.code, why.text);
}

void rm_core_thread_post_stored_seq(struct rm_leadership *t, uint64_t seq)
{
    struct rm_backend *b = t->b;

    pthread_mutex_lock(&b->qlock);
    b->stored_seq = seq;
    pthread_cond_signal(&b->qwake);
    pthread_mutex_unlock(&b->qlock);
}

static void wait_for_work(struct rm_leadership *t)
{
    struct rm_backend *b = t->b;

    while (b->queue_len == 0 && !b->stop && !t->halt && b->stored_seq == t->rules.stored_seq) {
        int64_t left;

        if (t->rules.wake_us == 0) {
            pthread_cond_wait(&b->qwake, &b->qlock);
            continue;
        }
        left = t->rules.wake_us - rm_backend_catch_up_clock(b);
        if (left <= 0)
            return;
        if (left > 60000000)
            left = 60000000; /* the core's clock may be gaining on the wall clock: check again */
        base_cond_wait_for(&b->qwake, &b->qlock, left);
    }
}

/* ---------------------------------------------------------------- the core's thread */
static struct rm_ticket *ticket_new(const struct rm_posted *p)
{
    struct rm_ticket *ticket = p->fn ? base_alloc(sizeof *ticket) : NULL;

    if (ticket)
        *ticket = (struct rm_ticket){p->fn, p->user};
    return ticket;
}

static void step_posted_event(struct rm_leadership *t, const struct rm_posted *p, int64_t now)
{
    struct rm_ticket *ticket = ticket_new(p);

    p->ev->at_us = now;
    if (!rm_term_step_request(&t->rules, p->ev, ticket)) {
        free(ticket);
        rm_posted_refuse(p, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    } else if (p->release) {
        p->release(p->user);
    }
}

/* Steps the core over the news that records up to @stored are durable, over @n posted events, and
 * over its timer if that is due. The core's lock is released after each turn (TURN_US,
 * TURN_EVENTS), so that readers can take it. */
static void run_posted_events(struct rm_leadership *t, size_t n, uint64_t stored)
{
    struct rm_backend *b = t->b;
    size_t i = 0;

    do {
        int64_t now, began;

        rm_core_lock_acquire(&b->lock);
        began = now = rm_backend_catch_up_clock(b);
        if (stored != t->rules.stored_seq)
            rm_term_step_stored(&t->rules, stored, now);
        for (size_t turn = 0; i < n && turn < TURN_EVENTS && now - began < TURN_US; turn++) {
            step_posted_event(t, &t->batch[i++], now);
            atomic_fetch_add_explicit(&b->turns, 1, memory_order_relaxed);
            now = rm_backend_catch_up_clock(b);
        }
        rm_term_step_timer(&t->rules, now);
        rm_core_lock_release(&b->lock);
        atomic_fetch_add_explicit(&b->turns, 1, memory_order_relaxed);
    } while (i < n);
}

static void take_queued_events(struct rm_leadership *t)
{
    struct rm_backend *b = t->b;
    struct rm_posted *swap = t->batch;
    size_t cap = t->batch_cap;

    t->batch = b->queue;
    t->batch_cap = b->queue_cap;
    b->queue = swap;
    b->queue_cap = cap;
    b->queue_len = 0;
}

void *rm_core_thread_main(void *arg)
{
    struct rm_leadership *t = arg;
    struct rm_backend *b = t->b;

    pthread_setname_np(pthread_self(), "rm-core");
    for (;;) {
        size_t n;
        uint64_t stored;

        pthread_mutex_lock(&b->qlock);
        atomic_store(&b->busy, false);
        wait_for_work(t);
        n = b->queue_len;
        stored = b->stored_seq;
        if (t->halt || (n == 0 && b->stop)) { /* after a halt, end_core_thread()'s caller refuses
                                                 the rest of the queue */
            pthread_mutex_unlock(&b->qlock);
            return NULL;
        }
        atomic_store(&b->busy, true);
        take_queued_events(t);
        pthread_mutex_unlock(&b->qlock);
        run_posted_events(t, n, stored);
    }
}

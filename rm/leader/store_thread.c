#include "rm/leader/store_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cond.h"
#include "base/io/log.h"
#include "rm/term/batch.h"
#include "rm/term/outbox.h"

struct rm_store {
    struct ha_store *store;
    struct rm_store_calls calls;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* under the lock */
    struct rm_batch queued;
    struct rm_outbox outbox;
    bool stop;
    int64_t commits, records;
    /* the store's thread only */
    double rate;      /* records per microsecond: a moving average */
    int64_t taken_us; /* when the previous batch was taken */
    struct rm_batch writing;
    struct ha_record *vec;
    size_t vec_cap;
    struct rm_released ready;
};

void rm_store_queue_record(struct rm_store *s, uint64_t seq, const struct rm_record *rec)
{
    pthread_mutex_lock(&s->lock);
    rm_batch_add(&s->queued, seq, rec);
    if (s->queued.len == 1)
        pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

bool rm_store_hold_effect(struct rm_store *s, uint64_t after_seq, const struct rm_effect *fx,
                          void *ticket)
{
    struct rm_refusal refusal = {0};
    enum rm_outbox_verdict verdict;

    pthread_mutex_lock(&s->lock);
    verdict = rm_outbox_hold(&s->outbox, after_seq, fx, ticket, &refusal);
    pthread_mutex_unlock(&s->lock);
    if (verdict == RM_OUTBOX_REFUSED)
        s->calls.release(s->calls.user, ticket, fx, refusal.code, refusal.text);
    free(refusal.text);
    return verdict != RM_OUTBOX_DURABLE;
}

bool rm_store_is_failing(struct rm_store *s, struct base_error *why)
{
    bool failing;

    pthread_mutex_lock(&s->lock);
    failing = s->outbox.state != RM_OUTBOX_WRITABLE;
    if (failing && why)
        *why = s->outbox.why;
    pthread_mutex_unlock(&s->lock);
    return failing;
}

void rm_store_get_counts(struct rm_store *s, int64_t *commits, int64_t *records)
{
    pthread_mutex_lock(&s->lock);
    *commits = s->commits;
    *records = s->records;
    pthread_mutex_unlock(&s->lock);
}

/* Call without the lock: answering may take a while. */
static void release_ready_effects(struct rm_store *s)
{
    for (size_t i = 0; i < s->ready.len; i++) {
        const struct rm_held_effect *h = &s->ready.v[i];

        s->calls.release(s->calls.user, h->ticket, h->fx, s->ready.code, s->ready.text);
    }
    rm_released_clear(&s->ready);
}

static int write_batch(struct rm_store *s, struct base_error *err)
{
    struct rm_batch *b = &s->writing;

    if (s->vec_cap < b->len) {
        s->vec_cap = b->cap;
        s->vec = base_realloc_array(s->vec, s->vec_cap, sizeof *s->vec);
    }
    for (size_t i = 0; i < b->len; i++) {
        const struct rm_record rec = rm_batch_get_record(b, i);

        s->vec[i] = (struct ha_record){rec.table, rec.key, rec.data, rec.len};
    }
    return ha_store_write(s->store, s->vec, b->len, err);
}

/* Another RM has authority. This RM is deposed before any effect is refused, here or by
 * rm_store_hold_effect() on the core's thread: a client that was refused earlier would turn again
 * to an RM that still looks active. Returns when the thread is asked to stop. */
static void depose_and_refuse_all(struct rm_store *s, const struct base_error *err)
{
    bool known;

    pthread_mutex_lock(&s->lock);
    known = s->outbox.state == RM_OUTBOX_OVER;
    pthread_mutex_unlock(&s->lock);
    if (!known && s->calls.over)
        s->calls.over(s->calls.user, err->text);
    pthread_mutex_lock(&s->lock);
    rm_outbox_refuse_all(&s->outbox, &s->ready);
    pthread_mutex_unlock(&s->lock);
    release_ready_effects(s);
    pthread_mutex_lock(&s->lock);
    while (!s->stop)
        pthread_cond_wait(&s->wake, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* The store could not write: refuses waiting clients, then pauses before the same batch is tried
 * again; a stop ends the pause. */
static void refuse_and_pause(struct rm_store *s, const struct base_error *err)
{
    int64_t until_us;

    pthread_mutex_lock(&s->lock);
    if (s->outbox.state == RM_OUTBOX_WRITABLE)
        base_log_error("store", "%s; changes are refused until it can be written again", err->text);
    rm_outbox_refuse_replies(&s->outbox, err, &s->ready);
    pthread_mutex_unlock(&s->lock);
    release_ready_effects(s);
    until_us = base_cond_now_us() + RM_STORE_RETRY_MS * 1000;
    pthread_mutex_lock(&s->lock);
    while (!s->stop && base_cond_wait_until(&s->wake, &s->lock, until_us))
        ;
    pthread_mutex_unlock(&s->lock);
}

static void count_and_release_stored(struct rm_store *s)
{
    uint64_t seq = s->writing.last_seq;

    pthread_mutex_lock(&s->lock);
    if (s->outbox.state == RM_OUTBOX_FAILING)
        base_log_info("store", "the state store can be written again");
    s->commits++;
    s->records += (int64_t)s->writing.len;
    rm_outbox_release_stored(&s->outbox, seq, &s->ready);
    pthread_mutex_unlock(&s->lock);
    s->calls.stored(s->calls.user, seq); /* first: the core goes on while the answers are written */
    release_ready_effects(s);
}

/* Keeps a moving average of the records per microsecond, in which the last few writes weigh
 * most. */
static void update_record_rate(struct rm_store *s)
{
    int64_t now = base_cond_now_us();

    if (now > s->taken_us)
        s->rate += ((double)s->writing.len / (double)(now - s->taken_us) - s->rate) / 4;
    s->taken_us = now;
}

/* Waits for more records if many are about to come: where each write is costly (gather_us), a
 * larger batch saves more time than the wait costs. With few records nothing waits. The caller
 * holds the lock. */
static void wait_for_larger_batch(struct rm_store *s)
{
    double need_us = s->rate > 0 ? RM_STORE_GATHER / s->rate : 0;
    int64_t at;

    if (need_us <= 0 || need_us > (double)s->store->ops->gather_us * 4)
        return;
    at = s->taken_us + (int64_t)(need_us < (double)s->store->ops->gather_us
                                     ? need_us
                                     : (double)s->store->ops->gather_us);
    while (!s->stop && s->queued.len < RM_STORE_GATHER &&
           base_cond_wait_until(&s->wake, &s->lock, at))
        ;
}

static void *store_main(void *arg)
{
    struct rm_store *s = arg;

    pthread_setname_np(pthread_self(), "rm-store");
    for (;;) {
        struct base_error err = {0};
        bool last;

        if (s->writing.len == 0) {
            pthread_mutex_lock(&s->lock);
            while (s->queued.len == 0 && !s->stop)
                pthread_cond_wait(&s->wake, &s->lock);
            wait_for_larger_batch(s);
            if (s->queued.len == 0 || s->outbox.state == RM_OUTBOX_OVER) {
                pthread_mutex_unlock(&s->lock);
                return NULL;
            }
            rm_batch_swap(&s->queued, &s->writing);
            pthread_mutex_unlock(&s->lock);
            update_record_rate(s);
        }
        pthread_mutex_lock(&s->lock);
        last = s->stop;
        pthread_mutex_unlock(&s->lock);
        if (write_batch(s, &err) == 0) {
            count_and_release_stored(s);
            rm_batch_clear(&s->writing);
            continue;
        }
        if (err.code == -BASE_EVERSION) {
            depose_and_refuse_all(s, &err);
            return NULL;
        }
        refuse_and_pause(s, &err);
        if (last)
            return NULL;
    }
}

struct rm_store *rm_store_start(struct ha_store *store, const struct rm_store_calls *calls)
{
    struct rm_store *s = base_alloc(sizeof *s);

    s->store = store;
    s->calls = *calls;
    s->taken_us = base_cond_now_us();
    pthread_mutex_init(&s->lock, NULL);
    base_cond_init(&s->wake);
    base_assert(pthread_create(&s->thread, NULL, store_main, s) == 0);
    return s;
}

static void stop_and_join_thread(struct rm_store *s)
{
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
}

/* Refuses held effects and closes the store. The thread has ended, so the outbox needs no lock. */
static int refuse_held_effects_and_close_store(struct rm_store *s, struct base_error *err)
{
    int rc = rm_outbox_close(&s->outbox, &s->ready, err);

    release_ready_effects(s);
    ha_store_close(s->store);
    return rc;
}

int rm_store_stop(struct rm_store *s, struct base_error *err)
{
    stop_and_join_thread(s);
    return refuse_held_effects_and_close_store(s, err);
}

void rm_store_abandon(struct rm_store *s)
{
    pthread_mutex_lock(&s->lock);
    rm_outbox_set_over(&s->outbox);
    pthread_mutex_unlock(&s->lock);
    ha_store_abort(s->store);
    stop_and_join_thread(s);
    refuse_held_effects_and_close_store(s, NULL);
}

void rm_store_free(struct rm_store *s)
{
    if (!s)
        return;
    rm_batch_free(&s->queued);
    rm_batch_free(&s->writing);
    free(s->vec);
    rm_outbox_free(&s->outbox);
    rm_released_free(&s->ready);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

#include "rm/leader/store_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/io/log.h"
#include "rm/daemon/backend.h"
#include "rm/term/effect_copy.h"

struct batch { /* records queued while the previous transaction ran */
    struct base_buf bytes; /* table NUL key NUL data NUL, one after another */
    struct entry {
        size_t table, key, data, len;
        bool remove;
    } *v;
    size_t len, cap;
    uint64_t last_seq;
};
struct held {
    uint64_t after_seq;
    struct rm_effect *fx;
    void *ticket;
};
struct held_list {
    struct held *v;
    size_t len, cap;
};
struct rm_store {
    struct ha_store *store;
    struct rm_store_calls calls;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* under the lock */
    struct batch queued;
    uint64_t stored_seq;
    struct held_list held;
    bool stop, failing, over; /* over: another has authority, or we were told so */
    struct base_error why;
    int64_t commits, records;
    /* the thread's own */
    double rate;      /* of records, per microsecond */
    int64_t taken_us; /* when the batch before was taken */
    struct batch writing;
    struct ha_record *vec;
    size_t vec_cap;
    struct held_list ready;
};

void rm_store_put(struct rm_store *s, uint64_t seq, const struct rm_record *rec)
{
    struct batch *b = &s->queued;
    struct entry e = {0};

    pthread_mutex_lock(&s->lock);
    e.table = b->bytes.len;
    base_buf_add(&b->bytes, rec->table, strlen(rec->table) + 1);
    e.key = b->bytes.len;
    base_buf_add(&b->bytes, rec->key, strlen(rec->key) + 1);
    e.data = b->bytes.len;
    e.len = rec->len;
    e.remove = !rec->data;
    if (rec->data)
        base_buf_add(&b->bytes, rec->data, rec->len);
    base_buf_add(&b->bytes, "", 1);
    base_array_grow(&b->v, b->len, &b->cap);
    b->v[b->len++] = e;
    b->last_seq = seq;
    if (b->len == 1)
        pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

static void hold_add(struct held_list *l, struct held h)
{
    base_array_grow(&l->v, l->len, &l->cap);
    l->v[l->len++] = h;
}

/* The core has taken the change: it is carried out if it can be stored later. */
#define OPEN_OUTCOME                                                                                                  \
    "it may still be carried out: look at the jobs, or repeat it (a submission with the same job.id)"

static void release_failed(struct rm_store *s, const struct held *h, int code, const char *why)
{
    char *text = base_printf("%s; " OPEN_OUTCOME, why);

    s->calls.release(s->calls.user, h->ticket, h->fx, code, text);
    free(text);
}

bool rm_store_hold(struct rm_store *s, uint64_t after_seq, const struct rm_effect *fx, void *ticket)
{
    struct base_error why = {0};
    bool holds, refuse;

    pthread_mutex_lock(&s->lock);
    holds = s->stored_seq < after_seq;
    refuse = holds && s->failing && (s->over || fx->kind == RM_FX_REPLY);
    if (refuse)
        why = s->why;
    else if (holds)
        hold_add(&s->held, (struct held){after_seq, rm_effect_copy(fx), ticket});
    pthread_mutex_unlock(&s->lock);
    if (refuse)
        release_failed(s, &(struct held){after_seq, (struct rm_effect *)fx, ticket}, why.code, why.text);
    return holds;
}

bool rm_store_failing(struct rm_store *s, struct base_error *why)
{
    bool failing;

    pthread_mutex_lock(&s->lock);
    failing = s->failing;
    if (failing && why)
        *why = s->why;
    pthread_mutex_unlock(&s->lock);
    return failing;
}

void rm_store_counts(struct rm_store *s, int64_t *commits, int64_t *records)
{
    pthread_mutex_lock(&s->lock);
    *commits = s->commits;
    *records = s->records;
    pthread_mutex_unlock(&s->lock);
}

/* Moves what may go now into s->ready: all that waited for a stored number; or, when the store fails, the replies; or,
 * when it is over, everything. */
static void collect(struct rm_store *s, bool failed)
{
    size_t keep = 0;

    s->ready.len = 0;
    for (size_t i = 0; i < s->held.len; i++) {
        struct held *h = &s->held.v[i];
        if (failed ? s->over || h->fx->kind == RM_FX_REPLY : h->after_seq <= s->stored_seq)
            hold_add(&s->ready, *h);
        else
            s->held.v[keep++] = *h;
    }
    s->held.len = keep;
}

static void release(struct rm_store *s, int code, const char *text)
{
    for (size_t i = 0; i < s->ready.len; i++) {
        struct held *h = &s->ready.v[i];
        if (code < 0)
            release_failed(s, h, code, text);
        else
            s->calls.release(s->calls.user, h->ticket, h->fx, 0, NULL);
        rm_effect_copy_free(h->fx);
    }
    s->ready.len = 0;
}

static int write_batch(struct rm_store *s, struct base_error *err)
{
    struct batch *b = &s->writing;

    if (s->vec_cap < b->len) {
        s->vec_cap = b->cap;
        s->vec = base_realloc_array(s->vec, s->vec_cap, sizeof *s->vec);
    }
    for (size_t i = 0; i < b->len; i++) {
        const struct entry *e = &b->v[i];
        s->vec[i] = (struct ha_record){b->bytes.data + e->table, b->bytes.data + e->key,
                                       e->remove ? NULL : b->bytes.data + e->data, e->len};
    }
    return ha_store_write(s->store, s->vec, b->len, err);
}

/* Nothing will be written any more: tell who waits, then wait for the end. */
static void on_over(struct rm_store *s, const struct base_error *err)
{
    bool known;

    pthread_mutex_lock(&s->lock);
    known = s->over;
    pthread_mutex_unlock(&s->lock);
    if (!known && s->calls.over) /* before anybody is refused, whoever holds something just now too */
        s->calls.over(s->calls.user, err->text);
    pthread_mutex_lock(&s->lock);
    s->over = s->failing = true;
    base_error_set(&s->why, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    collect(s, true);
    pthread_mutex_unlock(&s->lock);
    release(s, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    pthread_mutex_lock(&s->lock);
    while (!s->stop)
        pthread_cond_wait(&s->wake, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* The disk refused: tell who waits, then wait a little (less when told to stop). */
static void on_failure(struct rm_store *s, const struct base_error *err)
{
    struct timespec until;

    pthread_mutex_lock(&s->lock);
    if (!s->failing)
        base_log_error("store", "%s; changes are refused until it can be written again", err->text);
    s->failing = true;
    s->why = *err;
    collect(s, true);
    pthread_mutex_unlock(&s->lock);
    release(s, err->code, err->text);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += RM_STORE_RETRY_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&s->lock);
    while (!s->stop && pthread_cond_timedwait(&s->wake, &s->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&s->lock);
}

static void on_success(struct rm_store *s)
{
    uint64_t seq = s->writing.last_seq;

    pthread_mutex_lock(&s->lock);
    if (s->failing)
        base_log_info("store", "the state store can be written again");
    s->failing = false;
    s->stored_seq = seq;
    s->commits++;
    s->records += (int64_t)s->writing.len;
    collect(s, false);
    pthread_mutex_unlock(&s->lock);
    s->calls.stored(s->calls.user, seq); /* first: the core may go on while the answers are written */
    release(s, 0, NULL);
}

#define BATCH_KEEP (4u << 20) /* a batch buffer that grew beyond this is given back */

static void clear_batch(struct batch *b)
{
    if (b->bytes.cap > BATCH_KEEP)
        base_buf_free(&b->bytes);
    else
        base_buf_clear(&b->bytes);
    b->len = 0;
}

static int64_t mono_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Records that come per microsecond, the last few writes weighing most. */
static void note_rate(struct rm_store *s)
{
    int64_t now = mono_us();

    if (now > s->taken_us)
        s->rate += ((double)s->writing.len / (double)(now - s->taken_us) - s->rate) / 4;
    s->taken_us = now;
}

/* Under the lock: waits for company, if enough of it is about to come. */
static void gather(struct rm_store *s)
{
    double need_us = s->rate > 0 ? RM_STORE_GATHER / s->rate : 0;
    struct timespec until;
    int64_t at;

    if (need_us <= 0 || need_us > (double)s->store->ops->gather_us * 4)
        return;
    at = s->taken_us + (int64_t)(need_us < (double)s->store->ops->gather_us ? need_us : (double)s->store->ops->gather_us);
    until = (struct timespec){.tv_sec = at / 1000000, .tv_nsec = at % 1000000 * 1000};
    while (!s->stop && s->queued.len < RM_STORE_GATHER &&
           pthread_cond_timedwait(&s->wake, &s->lock, &until) == 0)
        ;
}

static void *store_main(void *arg)
{
    struct rm_store *s = arg;

    for (;;) {
        struct base_error err = {0};
        struct batch swap;
        bool last;

        if (s->writing.len == 0) {
            pthread_mutex_lock(&s->lock);
            while (s->queued.len == 0 && !s->stop)
                pthread_cond_wait(&s->wake, &s->lock);
            gather(s);
            if (s->queued.len == 0 || s->over) {
                pthread_mutex_unlock(&s->lock);
                return NULL;
            }
            swap = s->writing;
            s->writing = s->queued;
            s->queued = swap;
            pthread_mutex_unlock(&s->lock);
            note_rate(s);
        }
        pthread_mutex_lock(&s->lock);
        last = s->stop;
        pthread_mutex_unlock(&s->lock);
        if (write_batch(s, &err) == 0) {
            on_success(s);
            clear_batch(&s->writing);
            continue;
        }
        if (err.code == -BASE_EVERSION) {
            on_over(s, &err);
            return NULL;
        }
        on_failure(s, &err);
        if (last)
            return NULL;
    }
}

struct rm_store *rm_store_start(struct ha_store *store, const struct rm_store_calls *calls)
{
    struct rm_store *s = base_alloc(sizeof *s);
    pthread_condattr_t attr;

    s->store = store;
    s->calls = *calls;
    s->taken_us = mono_us();
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &attr);
    pthread_condattr_destroy(&attr);
    base_assert(pthread_create(&s->thread, NULL, store_main, s) == 0);
    return s;
}

static void free_batch(struct batch *b)
{
    base_buf_free(&b->bytes);
    free(b->v);
}

static void end_thread(struct rm_store *s)
{
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
}

/* The thread has ended. */
static void close_store(struct rm_store *s, int code, const char *why)
{
    for (size_t i = 0; i < s->held.len; i++) {
        release_failed(s, &s->held.v[i], code, why);
        rm_effect_copy_free(s->held.v[i].fx);
    }
    s->held.len = 0;
    ha_store_close(s->store);
}

int rm_store_stop(struct rm_store *s, struct base_error *err)
{
    int rc = 0;

    end_thread(s);
    if (s->failing) {
        rc = s->why.code;
        if (err)
            *err = s->why;
    }
    if (s->over)
        close_store(s, s->why.code, s->why.text);
    else
        close_store(s, -BASE_EIO, "the ResourceManager is shutting down");
    return rc;
}

void rm_store_abandon(struct rm_store *s)
{
    pthread_mutex_lock(&s->lock);
    base_error_set(&s->why, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    s->over = s->failing = true;
    pthread_mutex_unlock(&s->lock);
    ha_store_abort(s->store);
    end_thread(s);
    close_store(s, s->why.code, s->why.text);
}

void rm_store_free(struct rm_store *s)
{
    if (!s)
        return;
    free_batch(&s->queued);
    free_batch(&s->writing);
    free(s->vec);
    free(s->held.v);
    free(s->ready.v);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

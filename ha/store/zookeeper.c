/* ha/store/zookeeper.c - the store of one leadership (ha/store/shared.h) over its log
 * (ha/log/log.h), between two threads:
 *
 *   daemon's thread (load, write: wait)  <-- lock, condition -->  service thread (the log: never
 *                                        waits)
 *
 * The log belongs to the service thread, except during a load, when the daemon's thread reads it.
 * Events of the session that arrive meanwhile are replaced by one lost connection, from which the
 * log recovers. A write is lent to the service thread, which copies it into the log; the caller
 * waits until it is durable. What was read at the beginning stays in memory until a write comes
 * with no load between it and the previous write (for the first write: the opening of the store).
 * That write frees it, and any later load is refused (-BASE_ESTATE). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ha/store/shared.h"

/* the bits of a request id from this one on are the number of the leadership; those below are the
 * log's own id */
#define NUMBER_SHIFT 40

enum lending { LENT_NOT, LENT, LENT_COPYING, LENT_QUEUED };

struct store {
    struct ha_store base;
    struct ha_store_lead lead; /* kept is NULL */
    atomic_int refs;           /* references: one of the daemon, one of the service */
    atomic_bool over;
    pthread_mutex_t log_lock; /* held by a load; the service thread only tries to lock it */
    struct ha_log *log;
    bool connected, missed; /* service thread; missed: events have arrived during a load */

    /* may be held when lead.wake() is called, which takes a lock of the service */
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool loaded, forgotten, read_since_write;
    int load_rc;
    struct base_error load_err;
    enum lending lent;
    const struct ha_record *v;
    size_t n;
    /* the log's numbers: of the batch lent last, and of the last durable batch */
    uint64_t batch, written;
};

/* ---- the log's calls, on the service thread ---- */

static void send_numbered_request(void *user, const struct ha_zk_request *rq)
{
    struct store *st = user;
    struct ha_zk_request numbered = *rq;

    base_assert(rq->id >> NUMBER_SHIFT == 0);
    numbered.id |= st->lead.number << NUMBER_SHIFT;
    st->lead.send(st->lead.user, &numbered);
}

static void publish_load_result(void *user, int rc, const struct base_error *err)
{
    struct store *st = user;

    pthread_mutex_lock(&st->lock);
    st->loaded = true;
    st->load_rc = rc;
    if (rc < 0)
        st->load_err = *err;
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

static void publish_written_batch(void *user, uint64_t batch)
{
    struct store *st = user;

    pthread_mutex_lock(&st->lock);
    st->written = batch;
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

static void report_fenced_log(void *user, const char *text)
{
    struct store *st = user;

    st->lead.over(st->lead.user, text, false);
}

static void report_broken_log(void *user, const struct base_error *err)
{
    struct store *st = user;

    st->lead.over(st->lead.user, err->text, true);
}

static int zk_open(const char *root, const struct ha_store_lead *lead, struct ha_store **out,
                   int64_t *epoch, struct base_error *err)
{
    struct store *st = base_alloc(sizeof *st);
    const struct ha_log_calls calls = {st,
                                       send_numbered_request,
                                       publish_load_result,
                                       publish_written_batch,
                                       report_fenced_log,
                                       report_broken_log};

    (void)err;
    st->lead = *lead;
    st->lead.kept = NULL;
    st->connected = true;
    atomic_init(&st->refs, 2);
    pthread_mutex_init(&st->log_lock, NULL);
    pthread_mutex_init(&st->lock, NULL);
    pthread_cond_init(&st->change, NULL);
    st->log = ha_log_new(root, lead->epoch, lead->epoch_version, &calls);
    ha_log_adopt_kept_segments(st->log, lead->kept);
    ha_log_start_loading(st->log);
    *epoch = lead->epoch;
    *out = &st->base;
    return 0;
}

static void zk_release(struct ha_store *base)
{
    struct store *st = (struct store *)base;

    if (atomic_fetch_sub(&st->refs, 1) > 1)
        return;
    ha_log_free(st->log);
    pthread_mutex_destroy(&st->log_lock);
    pthread_mutex_destroy(&st->lock);
    pthread_cond_destroy(&st->change);
    free(st);
}

/* ---- service thread ---- */

/* Returns true with the log locked, or false while a load holds it. If the log has missed events,
 * it gets a lost connection and, if connected, a new one: the log then repeats its requests and
 * finds out what became of its writes. */
static bool try_lock_log_and_reconnect(struct store *st)
{
    if (pthread_mutex_trylock(&st->log_lock) != 0)
        return false;
    if (st->missed) {
        st->missed = false;
        ha_log_on_event(st->log, &(struct ha_zk_event){.kind = HA_ZK_DISCONNECTED});
        if (st->connected)
            ha_log_on_event(st->log, &(struct ha_zk_event){.kind = HA_ZK_CONNECTED});
    }
    return true;
}

static void zk_handle_event(struct ha_store *base, const struct ha_zk_event *ev)
{
    struct store *st = (struct store *)base;
    struct ha_zk_event own = *ev;

    if (ev->kind == HA_ZK_RESULT) {
        if (ev->id >> NUMBER_SHIFT != st->lead.number)
            return;
        own.id &= (UINT64_C(1) << NUMBER_SHIFT) - 1;
    }
    if (!try_lock_log_and_reconnect(st)) {
        st->missed = true;
    } else {
        ha_log_on_event(st->log, &own);
        pthread_mutex_unlock(&st->log_lock);
    }
    if (ev->kind != HA_ZK_RESULT)
        st->connected = ev->kind == HA_ZK_CONNECTED;
}

static void copy_lent_write_into_log(struct store *st)
{
    bool forget, take;
    uint64_t batch;

    pthread_mutex_lock(&st->lock);
    take = st->lent == LENT && st->loaded && st->load_rc == 0;
    forget = take && !st->read_since_write && !st->forgotten;
    if (take) {
        st->lent = LENT_COPYING;
        st->read_since_write = false;
        st->forgotten |= forget;
    }
    pthread_mutex_unlock(&st->lock);
    if (!take)
        return;
    if (forget)
        ha_log_free_loaded_data(st->log);
    batch = ha_log_write_batch(st->log, st->v, st->n);
    pthread_mutex_lock(&st->lock);
    st->lent = LENT_QUEUED;
    st->batch = batch;
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

static void zk_take_lent_write(struct ha_store *base)
{
    struct store *st = (struct store *)base;

    if (!try_lock_log_and_reconnect(st))
        return;
    copy_lent_write_into_log(st);
    pthread_mutex_unlock(&st->log_lock);
}

static void zk_stats(struct ha_store *base, struct ha_log_stats *out)
{
    struct store *st = (struct store *)base;

    if (!try_lock_log_and_reconnect(st))
        return;
    ha_log_get_stats(st->log, out);
    pthread_mutex_unlock(&st->log_lock);
}

static void zk_abort(struct ha_store *base)
{
    struct store *st = (struct store *)base;

    pthread_mutex_lock(&st->lock);
    atomic_store(&st->over, true);
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

/* ---- the daemon's threads ---- */

static int set_leadership_over_error(const struct store *st, struct base_error *err)
{
    return base_error_set(err, -BASE_EVERSION, "the leadership under epoch %lld is over",
                          (long long)st->lead.epoch);
}

/* Called with the lock held. Waits until the log has been read. Returns 0, the error of reading it,
 * or -BASE_EVERSION when the leadership ends first. */
static int wait_until_loaded(struct store *st, struct base_error *err)
{
    while (!st->loaded && !atomic_load(&st->over))
        pthread_cond_wait(&st->change, &st->lock);
    if (atomic_load(&st->over))
        return set_leadership_over_error(st, err);
    if (st->load_rc < 0 && err)
        *err = st->load_err;
    return st->load_rc;
}

struct each {
    struct store *st;
    ha_record_fn *fn;
    void *user;
};

static int pass_record_while_leading(void *user, const struct ha_record *rec,
                                     struct base_error *err)
{
    struct each *e = user;

    return atomic_load(&e->st->over) ? set_leadership_over_error(e->st, err)
                                     : e->fn(e->user, rec, err);
}

static int zk_load(struct ha_store *base, const char *table, ha_record_fn *fn, void *user,
                   struct base_error *err)
{
    struct store *st = (struct store *)base;
    struct each e = {st, fn, user};
    int rc;

    pthread_mutex_lock(&st->lock);
    rc = wait_until_loaded(st, err);
    if (rc == 0 && st->forgotten)
        rc =
            base_error_set(err, -BASE_ESTATE,
                           "table %s: what was read when the leadership began is forgotten", table);
    if (rc == 0)
        st->read_since_write = true;
    pthread_mutex_unlock(&st->lock);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&st->log_lock);
    rc = ha_log_for_each_record(st->log, table, pass_record_while_leading, &e, err);
    pthread_mutex_unlock(&st->log_lock);
    st->lead.wake(st->lead.user); /* events or a write may be waiting for the log */
    return rc;
}

static int zk_write(struct ha_store *base, const struct ha_record *v, size_t n,
                    struct base_error *err)
{
    struct store *st = (struct store *)base;
    int rc;

    pthread_mutex_lock(&st->lock);
    rc = wait_until_loaded(st, err);
    if (rc < 0)
        goto unlock;
    st->v = v;
    st->n = n;
    st->lent = LENT;
    st->lead.wake(st->lead.user);
    while (st->lent == LENT_COPYING || /* the service thread is reading the caller's records */
           (!atomic_load(&st->over) && (st->lent == LENT || st->written < st->batch)))
        pthread_cond_wait(&st->change, &st->lock);
    rc = st->lent == LENT_QUEUED && st->written >= st->batch ? 0
                                                             : set_leadership_over_error(st, err);
    st->lent = LENT_NOT;
unlock:
    pthread_mutex_unlock(&st->lock);
    return rc;
}

static void zk_close(struct ha_store *base)
{
    zk_abort(base);
    zk_release(base);
}

static const struct ha_store_shared_ops shared = {.handle_event = zk_handle_event,
                                                  .take_write = zk_take_lent_write,
                                                  .stats = zk_stats,
                                                  .release = zk_release};
const struct ha_store_ops ha_store_zookeeper = {
    .name = "zookeeper",
    .open = zk_open,
    .load = zk_load,
    .write = zk_write,
    .close = zk_close,
    .abort = zk_abort,
    .gather_us = 40000,
    .shared = &shared,
};

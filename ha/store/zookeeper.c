#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ha/election/service.h"
#include "ha/store/zookeeper.h"

#define NUMBER_SHIFT 40 /* requests of a log are numbered from 1 on: below it */

enum lending { LENT_NOT, LENT, LENT_COPYING, LENT_QUEUED };

struct ha_store {
    const struct ha_store_ops *ops;
    struct zk_store_conf conf; /* root and kept are NULL */
    atomic_int refs;
    atomic_bool over;
    pthread_mutex_t log_lock; /* service thread: only ever tried; a load holds it */
    struct ha_log *log;
    bool connected, missed; /* service thread; missed: events that came while a load had the log */

    pthread_mutex_t lock; /* within it, wake() may take one of its own */
    pthread_cond_t change;
    bool loaded, forgotten, read_since_write;
    int load_rc;
    struct base_error load_err;
    enum lending lent;
    const struct ha_record *v;
    size_t n;
    uint64_t batch, written; /* of the log: the one lent last; durable up to here */
};

/* ---- the log's calls, on the service thread ---- */

static void send_numbered(void *user, const struct ha_zk_request *rq)
{
    struct ha_store *st = user;
    struct ha_zk_request numbered = *rq;

    base_assert(rq->id >> NUMBER_SHIFT == 0);
    numbered.id |= st->conf.number << NUMBER_SHIFT;
    st->conf.send(st->conf.user, &numbered);
}

static void on_loaded(void *user, int rc, const struct base_error *err)
{
    struct ha_store *st = user;

    pthread_mutex_lock(&st->lock);
    st->loaded = true;
    st->load_rc = rc;
    if (rc < 0)
        st->load_err = *err;
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

static void on_written(void *user, uint64_t batch)
{
    struct ha_store *st = user;

    pthread_mutex_lock(&st->lock);
    st->written = batch;
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

static void on_fenced(void *user, const char *text)
{
    struct ha_store *st = user;

    st->conf.over(st->conf.user, text, false);
}

static void on_broken(void *user, const struct base_error *err)
{
    struct ha_store *st = user;

    st->conf.over(st->conf.user, err->text, true);
}

struct ha_store *zk_store_new(const struct zk_store_conf *conf)
{
    struct ha_store *st = base_alloc(sizeof *st);
    const struct ha_log_calls calls = {st, send_numbered, on_loaded, on_written, on_fenced, on_broken};

    st->ops = &ha_store_zk;
    st->conf = *conf;
    st->conf.root = NULL;
    st->conf.kept = NULL;
    st->connected = true;
    atomic_init(&st->refs, 2);
    pthread_mutex_init(&st->log_lock, NULL);
    pthread_mutex_init(&st->lock, NULL);
    pthread_cond_init(&st->change, NULL);
    st->log = ha_log_new(conf->root, conf->epoch, conf->epoch_version, &calls);
    ha_log_keep(st->log, conf->kept);
    ha_log_load(st->log);
    return st;
}

void zk_store_put(struct ha_store *st)
{
    if (atomic_fetch_sub(&st->refs, 1) > 1)
        return;
    ha_log_free(st->log);
    pthread_mutex_destroy(&st->log_lock);
    pthread_mutex_destroy(&st->lock);
    pthread_cond_destroy(&st->change);
    free(st);
}

/* ---- service thread ---- */

/* The log is ours for now. When events have passed it by, it is told of a lost connection: then it asks for what it
 * needs anew, and finds out what has become of what it wrote. */
static bool log_take(struct ha_store *st)
{
    if (pthread_mutex_trylock(&st->log_lock) != 0)
        return false;
    if (st->missed) {
        st->missed = false;
        ha_log_on(st->log, &(struct ha_zk_event){.kind = HA_ZK_DISCONNECTED});
        if (st->connected)
            ha_log_on(st->log, &(struct ha_zk_event){.kind = HA_ZK_CONNECTED});
    }
    return true;
}

void zk_store_on(struct ha_store *st, const struct ha_zk_event *ev)
{
    struct ha_zk_event own = *ev;

    if (ev->kind == HA_ZK_RESULT) {
        if (ev->id >> NUMBER_SHIFT != st->conf.number)
            return;
        own.id &= (UINT64_C(1) << NUMBER_SHIFT) - 1;
    }
    if (!log_take(st)) {
        st->missed = true;
    } else {
        ha_log_on(st->log, &own);
        pthread_mutex_unlock(&st->log_lock);
    }
    if (ev->kind != HA_ZK_RESULT)
        st->connected = ev->kind == HA_ZK_CONNECTED;
}

static void take_write(struct ha_store *st)
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
        ha_log_loaded_free(st->log);
    batch = ha_log_write(st->log, st->v, st->n);
    pthread_mutex_lock(&st->lock);
    st->lent = LENT_QUEUED;
    st->batch = batch;
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

void zk_store_turn(struct ha_store *st)
{
    if (!log_take(st))
        return;
    take_write(st);
    pthread_mutex_unlock(&st->log_lock);
}

void zk_store_stats(struct ha_store *st, struct ha_log_stats *out)
{
    if (!log_take(st))
        return;
    ha_log_stats(st->log, out);
    pthread_mutex_unlock(&st->log_lock);
}

void zk_store_end(struct ha_store *st)
{
    pthread_mutex_lock(&st->lock);
    atomic_store(&st->over, true);
    pthread_cond_broadcast(&st->change);
    pthread_mutex_unlock(&st->lock);
}

/* ---- the daemon's threads ---- */

static int say_over(const struct ha_store *st, struct base_error *err)
{
    return base_error_set(err, -BASE_EVERSION, "the leadership under epoch %lld is over", (long long)st->conf.epoch);
}

/* Locked. The log has been read: 0, or why it could not be. */
static int wait_loaded(struct ha_store *st, struct base_error *err)
{
    while (!st->loaded && !atomic_load(&st->over))
        pthread_cond_wait(&st->change, &st->lock);
    if (atomic_load(&st->over))
        return say_over(st, err);
    if (st->load_rc < 0 && err)
        *err = st->load_err;
    return st->load_rc;
}

struct each {
    struct ha_store *st;
    ha_record_fn *fn;
    void *user;
};

static int each_while_leading(void *user, const struct ha_record *rec, struct base_error *err)
{
    struct each *e = user;

    return atomic_load(&e->st->over) ? say_over(e->st, err) : e->fn(e->user, rec, err);
}

static int zk_load(struct ha_store *st, const char *table, ha_record_fn *fn, void *user, struct base_error *err)
{
    struct each e = {st, fn, user};
    int rc;

    pthread_mutex_lock(&st->lock);
    rc = wait_loaded(st, err);
    if (rc == 0 && st->forgotten)
        rc = base_error_set(err, -BASE_ESTATE, "table %s: what was read when the leadership began is forgotten", table);
    if (rc == 0)
        st->read_since_write = true;
    pthread_mutex_unlock(&st->lock);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&st->log_lock);
    rc = ha_log_each(st->log, table, each_while_leading, &e, err);
    pthread_mutex_unlock(&st->log_lock);
    st->conf.wake(st->conf.user); /* it may have kept something for the log */
    return rc;
}

static int zk_write(struct ha_store *st, const struct ha_record *v, size_t n, struct base_error *err)
{
    int rc;

    pthread_mutex_lock(&st->lock);
    rc = wait_loaded(st, err);
    if (rc < 0)
        goto unlock;
    st->v = v;
    st->n = n;
    st->lent = LENT;
    st->conf.wake(st->conf.user);
    while (st->lent == LENT_COPYING || /* it reads what is the caller's */
           (!atomic_load(&st->over) && (st->lent == LENT || st->written < st->batch)))
        pthread_cond_wait(&st->change, &st->lock);
    rc = st->lent == LENT_QUEUED && st->written >= st->batch ? 0 : say_over(st, err);
    st->lent = LENT_NOT;
unlock:
    pthread_mutex_unlock(&st->lock);
    return rc;
}

static void zk_close(struct ha_store *st)
{
    if (!st)
        return;
    zk_store_end(st);
    zk_store_put(st);
}

const struct ha_store_ops ha_store_zk = {
    .name = "zookeeper",
    .load = zk_load,
    .write = zk_write,
    .close = zk_close,
    .abort = zk_store_end,
    .gather_us = 40000,
};

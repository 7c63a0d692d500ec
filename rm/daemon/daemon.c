/* The process's part of the daemon: what lives through leaderships, and what handlers ask. */
#include "rm/daemon/daemon.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/conf/conf.h"
#include "base/io/log.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/config/groups.h"
#include "rm/jobs/ended_jobs.h"
#include "rm/config/policy_options.h"
#include "rm/config/allocation_file.h"

#define FILES_QUICK 4           /* threads that look at files of submissions: for the quick ones, */
#define FILES_MOST 64           /* and with those that are slow: several times RM_PLACE_TOP_MAX */
#define FILES_SLOW_US 1000000
#define FILES_GRACE_US 2000000
#define STALE_US 5000000 /* after a leadership its core can be read for so long */
#define HIGHER_TEXT   "the ResourceManager is taking a higher epoch, which nodes have seen"
#define STOPPING_TEXT "the ResourceManager is shutting down"

/* ---------------------------------------------------------------- what handlers ask */
int64_t rm_backend_now_us(const struct rm_backend *b)
{
    return rm_clock_now(&b->clock);
}

const struct rm_core *rm_backend_hold(struct rm_backend *b)
{
    rm_core_lock_take(&b->lock);
    return b->core;
}

void rm_backend_release(struct rm_backend *b)
{
    rm_core_lock_give(&b->lock);
}

const struct base_conf *rm_backend_conf(const struct rm_backend *b)
{
    return b->conf;
}

const char *rm_backend_master_key(const struct rm_backend *b)
{
    return atomic_load(&b->master_key);
}

const char *rm_backend_url(const struct rm_backend *b)
{
    const char *url = atomic_load(&b->url);

    return url ? url : "";
}

int64_t rm_daemon_epoch(const struct rm_backend *b)
{
    return atomic_load(&b->epoch);
}

void rm_backend_watch_outputs(struct rm_backend *b, struct base_app_id id, int64_t version, int64_t deadline_us,
                              void (*fn)(void *user), void *user)
{
    struct rm_views none = {0};
    int64_t newest = version, maps, done;
    int64_t mono = rm_watch_mono_us() + (deadline_us - rm_backend_now_us(b));

    rm_watch_add(b->watch, id, version, mono, fn, user);
    /* What came between the caller's look and the line above is found by looking once more. */
    if (rm_view_map_outputs(rm_backend_hold(b), id, version, &newest, &maps, &done, &none) < 0 ||
        rm_backend_role(b) != RM_ROLE_ACTIVE)
        newest = INT64_MAX; /* the job is gone, or the leadership: no need to wait */
    rm_backend_release(b);
    rm_views_free(&none);
    if (newest > version)
        rm_watch_news(b->watch, id, newest);
}

void rm_backend_slow(struct rm_backend *b, enum rm_slow kind, rm_worker_step *task, void *user)
{
    rm_worker_add(b->slow[kind], task, user);
}

struct rm_relay *rm_backend_relay(struct rm_backend *b)
{
    return b->relay;
}

void rm_backend_files(struct rm_backend *b, struct rm_files_work *w)
{
    rm_files_add(b->files, w);
}

void rm_backend_stats(struct rm_backend *b, struct rm_backend_stats *out)
{
    *out = (struct rm_backend_stats){.epoch = rm_daemon_epoch(b)};
    pthread_mutex_lock(&b->qlock);
    if (b->term && b->term->store)
        rm_store_counts(b->term->store, &out->store_commits, &out->store_records);
    out->store_commits += b->commits_before;
    out->store_records += b->records_before;
    out->queue_length = (int64_t)b->queue_len;
    pthread_mutex_unlock(&b->qlock);
    rm_roles_stats(b, out);
}

bool rm_daemon_busy(const struct rm_backend *b, uint64_t *turns)
{
    *turns = atomic_load(&b->turns);
    return atomic_load(&b->busy);
}

/* ---------------------------------------------------------------- making one */
static struct rm_backend *new_backend(const struct base_conf *conf)
{
    struct rm_backend *b = base_alloc(sizeof *b);
    pthread_condattr_t attr;

    pthread_mutex_init(&b->life, NULL);
    pthread_mutex_init(&b->qlock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&b->qwake, &attr);
    pthread_condattr_destroy(&attr);
    rm_core_lock_init(&b->lock);
    rm_roles_init(b);
    b->groups = rm_groups_new();
    b->conf = conf;
    b->queues_path = rm_queues_path(conf, &b->queues_optional);
    atomic_init(&b->master_key, "");
    rm_clock_init(&b->clock, &base_clock_real);
    b->slow[RM_SLOW_LISTS] = rm_worker_new("rm-lists", true);
    b->slow[RM_SLOW_FILES] = rm_worker_new("rm-slow", false);
    b->relay = rm_relay_new();
    b->files = rm_files_new(&(struct rm_files_conf){.limit_us = base_conf_int(conf, "creel.rm.input-timeout-ms") * 1000,
                                                    .slow_us = FILES_SLOW_US,
                                                    .grace_us = FILES_GRACE_US,
                                                    .quick = FILES_QUICK,
                                                    .most = FILES_MOST,
                                                    .limit = "creel.rm.input-timeout-ms"});
    return b;
}

int rm_daemon_new(const struct base_conf *conf, const struct ha_store_ops *ops, const char *where,
                  struct rm_backend **out, struct base_error *err)
{
    return rm_daemon_new_repair(conf, ops, where, &(struct rm_repair){0}, out, err);
}

static int choose_store(struct rm_backend *b, const struct ha_store_ops *ops, struct base_error *err)
{
    static const char key[] = "creel.rm.state-store";
    int rc = 0;

    b->ops = ops;
    if (!ops)
        rc = ha_store_choose(base_conf_get(b->conf, key), false, &b->ops, err);
    return rc < 0 ? base_error_wrap(err, rc, "%s", key) : 0;
}

int rm_daemon_new_repair(const struct base_conf *conf, const struct ha_store_ops *ops, const char *where,
                         const struct rm_repair *repair, struct rm_backend **out, struct base_error *err)
{
    struct rm_backend *b = new_backend(conf);
    struct policy_conf options = {0};
    struct policy_queues tree = {0};
    struct ha_store *store = NULL;
    struct rm_leadership *t = NULL;
    int64_t epoch = 0;
    int rc, has_queues = 0;

    b->repair = *repair;
    b->where = where ? base_strdup(where) : base_printf("%s/state.db", base_conf_get(conf, "creel.rm.state-dir"));
    /* what is wrong with the configuration leaves the store as it is */
    rc = rm_options_read(conf, &options, err);
    policy_conf_free(&options);
    if (rc >= 0)
        rc = has_queues = rm_queues_load(b, &tree, err);
    if (rc >= 0)
        rc = choose_store(b, ops, err);
    if (rc >= 0)
        rc = ha_store_open(b->ops, b->where, NULL, &store, &epoch, err);
    if (rc >= 0) {
        t = rm_leadership_new(b, store, epoch);
        rc = rm_leadership_load(t, has_queues ? &tree : NULL, err);
    }
    policy_queues_free(&tree); /* what no core has taken */
    if (rc < 0) {
        rm_leadership_free(t);
        rm_daemon_free(b);
        return rc;
    }
    rm_leadership_install(t); /* there was no core before */
    *out = b;
    return 0;
}

int rm_daemon_new_standby(const struct base_conf *conf, struct rm_backend **out, struct base_error *err)
{
    struct rm_backend *b = new_backend(conf);
    struct policy_queues tree = {0};
    int rc;

    b->roles.ha = true;
    b->history = rm_history_file_new(base_conf_get(conf, "creel.rm.state-dir"),
                                     base_conf_int(conf, "creel.rm.history-max-mb") << 20);
    atomic_store(&b->roles.role, RM_ROLE_STANDBY);
    b->closed = -BASE_EVERSION;
    b->closed_text = RM_NOT_ACTIVE_TEXT;
    rc = rm_queues_load(b, &tree, err);
    policy_queues_free(&tree); /* read again when it becomes active */
    if (rc >= 0)
        rc = rm_empty_core(b, &b->core, err);
    if (rc < 0) {
        rm_daemon_free(b);
        return rc;
    }
    *out = b;
    return 0;
}

void rm_daemon_confirm_format(struct rm_backend *b)
{
    b->repair.format_confirmed = true;
    if (b->term) /* its state has been read already */
        rm_core_confirm_format(b->core, &b->term->rules.fx);
}

void rm_daemon_repair(struct rm_backend *b, const struct rm_repair *repair)
{
    base_assert(!b->started);
    b->repair = *repair;
}

void rm_daemon_set_url(struct rm_backend *b, const char *url)
{
    base_assert(!atomic_load(&b->url));
    atomic_store(&b->url, base_strdup(url));
}

void rm_daemon_start(struct rm_backend *b)
{
    struct rm_leadership *t = b->term;

    rm_roles_start(b);
    b->watch = rm_watch_start();
    if (t)
        rm_leadership_prepare(t);
    b->started = true;
    for (int i = 0; i < RM_SLOW_KINDS; i++)
        rm_worker_start(b->slow[i]);
    rm_relay_start(b->relay);
    rm_files_start(b->files);
    if (t)
        rm_leadership_run(t);
}

/* ---------------------------------------------------------------- leaderships of one of several */
static bool free_core(void *user, bool stopping)
{
    (void)stopping;
    rm_core_free(user);
    return false;
}

/* Large ones take a while. */
static void free_core_later(struct rm_backend *b, struct rm_core *core)
{
    rm_backend_slow(b, RM_SLOW_LISTS, free_core, core);
}

static int load_term(struct rm_backend *b, struct rm_leadership *t, struct base_error *err)
{
    struct policy_queues tree = {0};
    int rc = rm_queues_load(b, &tree, err);

    if (rc >= 0)
        rc = rm_leadership_load(t, rc ? &tree : NULL, err);
    policy_queues_free(&tree);
    if (rc == 0 && !rm_role_holds(b, t->rules.epoch))
        rc = base_error_set(err, -BASE_EVERSION, "the leadership ended while the state was being read");
    return rc;
}

static void set_loading(struct rm_backend *b, struct ha_store *store)
{
    pthread_mutex_lock(&b->qlock);
    b->loading = store;
    pthread_mutex_unlock(&b->qlock);
}

static void drop_term(struct rm_backend *b, struct rm_leadership *t)
{
    if (t->core)
        free_core_later(b, t->core);
    t->core = NULL;
    rm_leadership_free(t);
}

/* Holding life. */
static int activate(struct rm_backend *b, struct ha_store *store, int64_t epoch, struct base_error *err)
{
    struct rm_leadership *t;
    int rc;

    if (b->ending || b->term) {
        ha_store_close(store);
        return base_error_set(err, -BASE_ESTATE, b->ending ? STOPPING_TEXT : "this ResourceManager is active already");
    }
    rm_lease_begin(&b->roles.lease);
    t = rm_leadership_new(b, store, epoch);
    set_loading(b, store);
    rm_roles_set(b, RM_ROLE_ACTIVATING);
    rc = load_term(b, t, err);
    set_loading(b, NULL);
    if (rc < 0) {
        rm_roles_set(b, RM_ROLE_STANDBY);
        drop_term(b, t);
        return rc;
    }
    rm_leadership_prepare(t);
    free_core_later(b, rm_leadership_install(t));
    atomic_fetch_add(&b->roles.takeovers, 1);
    atomic_store(&b->roles.role, RM_ROLE_ACTIVE); /* told to who waits when the core is there to serve them */
    rm_leadership_run(t);
    rm_roles_told(b);
    return 0;
}

int rm_daemon_activate(struct rm_backend *b, struct ha_store *store, int64_t epoch, struct base_error *err)
{
    int rc;

    base_assert(b->started && b->roles.ha);
    pthread_mutex_lock(&b->life);
    rc = activate(b, store, epoch, err);
    pthread_mutex_unlock(&b->life);
    return rc;
}

struct stale { /* a core that nobody leads with */
    struct rm_backend *b;
    uint64_t serial;
};

static bool replace_stale(void *user, bool stopping)
{
    struct stale *s = user;
    struct rm_core *empty = NULL, *other;
    struct base_error err = {0};

    if (!stopping && rm_empty_core(s->b, &empty, &err) < 0)
        base_log_warn("rm", "the state of the leadership that is over stays readable: %s", err.text);
    other = empty;
    rm_core_lock_take(&s->b->lock);
    if (empty && s->b->core_serial == s->serial) {
        other = s->b->core;
        s->b->core = empty;
        s->b->core_serial++;
    }
    rm_core_lock_give(&s->b->lock);
    rm_core_free(other);
    free(s);
    return false;
}

static void stale_due(void *user)
{
    rm_backend_slow(((struct stale *)user)->b, RM_SLOW_LISTS, replace_stale, user);
}

static void replace_core_soon(struct rm_backend *b)
{
    struct stale *s = base_alloc(sizeof *s);

    rm_core_lock_take(&b->lock);
    *s = (struct stale){b, b->core_serial};
    rm_core_lock_give(&b->lock);
    rm_backend_wait_role(b, INT64_MAX, rm_watch_mono_us() + STALE_US, stale_due, s);
}

void rm_daemon_deactivate(struct rm_backend *b, const char *why)
{
    rm_role_depose(b);
    pthread_mutex_lock(&b->life); /* an activation under way ends now */
    if (b->term) {
        rm_roles_set(b, RM_ROLE_STANDBY);
        rm_leadership_cut(b->term);
        base_log_info("rm", "standby: %s", why);
        replace_core_soon(b);
    }
    pthread_mutex_unlock(&b->life);
}

int rm_daemon_retire(struct rm_backend *b, const char *why, struct base_error *err)
{
    int rc = 0;

    pthread_mutex_lock(&b->life);
    if (b->term) {
        rc = rm_leadership_finish(b->term, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT, err);
        base_log_info("rm", "standby: %s", why);
        replace_core_soon(b);
    }
    pthread_mutex_unlock(&b->life);
    return rc;
}

/* ---------------------------------------------------------------- alone: a higher epoch */
/* Holding life. Who waits for the core asks again: all that was taken is stored. */
static int lead_above(struct rm_backend *b, int64_t seen, struct base_error *err)
{
    struct ha_store *store = NULL;
    struct rm_leadership *t;
    int64_t epoch;
    int rc = rm_leadership_finish(b->term, -BASE_EVERSION, HIGHER_TEXT, err);

    if (rc == 0)
        rc = ha_store_open(b->ops, b->where, NULL, &store, &epoch, err);
    if (rc < 0)
        return rc;
    if (epoch <= seen) {
        epoch = seen + 1;
        rc = ha_store_raise(store, epoch, err);
    }
    t = rm_leadership_new(b, store, epoch);
    if (rc == 0)
        rc = load_term(b, t, err);
    if (rc < 0) {
        drop_term(b, t);
        return rc;
    }
    rm_leadership_prepare(t);
    free_core_later(b, rm_leadership_install(t));
    rm_leadership_run(t);
    base_log_info("rm", "nodes have obeyed epoch %lld: going on under epoch %lld", (long long)seen, (long long)epoch);
    return 0;
}

struct above {
    struct rm_backend *b;
    int64_t seen;
};

static bool take_above(void *user, bool stopping)
{
    struct above *a = user;
    struct rm_backend *b = a->b;

    (void)stopping; /* there is no term then */
    pthread_mutex_lock(&b->life);
    if (b->term && b->term->rules.epoch <= a->seen && lead_above(b, a->seen, &b->lost) < 0) {
        base_log_error("rm", "%s; nothing can be served any more", b->lost.text);
        kill(getpid(), SIGTERM);
    }
    pthread_mutex_unlock(&b->life);
    free(a);
    return false;
}

void rm_daemon_epoch_above(struct rm_backend *b, int64_t seen)
{
    struct above *a = base_alloc(sizeof *a);

    *a = (struct above){b, seen};
    rm_backend_slow(b, RM_SLOW_FILES, take_above, a);
}

/* ---------------------------------------------------------------- the end */
int rm_daemon_stop(struct rm_backend *b, struct base_error *err)
{
    int rc = 0;

    if (!b->started)
        return 0;
    b->started = false;
    pthread_mutex_lock(&b->life);
    b->ending = true;
    if (b->term)
        rc = rm_leadership_finish(b->term, -BASE_EIO, STOPPING_TEXT, err);
    else if ((rc = b->lost.code) < 0 && err)
        *err = b->lost;
    pthread_mutex_unlock(&b->life);
    for (int i = 0; i < RM_SLOW_KINDS; i++) /* what they still post is refused; history is kept */
        rm_worker_stop(b->slow[i]);
    rm_relay_stop(b->relay);
    b->left_behind = !rm_files_stop(b->files);
    rm_watch_stop(b->watch);
    rm_roles_stop(b);
    return rc;
}

void rm_daemon_free(struct rm_backend *b)
{
    if (!b)
        return;
    rm_leadership_free(b->term); /* one that never ran */
    if (b->watch)
        rm_watch_free(b->watch);
    for (int i = 0; i < RM_SLOW_KINDS; i++)
        rm_worker_free(b->slow[i]);
    rm_relay_free(b->relay);
    rm_files_free(b->files);
    rm_core_free(b->core);
    while (b->keys) {
        struct rm_key *k = b->keys;
        b->keys = k->next;
        free(k);
    }
    free(b->queue);
    free(b->where);
    base_buf_free(&b->queues_good);
    free(atomic_load(&b->url));
    free(b->queues_path);
    rm_roles_free(b);
    if (!b->left_behind)
        rm_groups_free(b->groups);
    rm_history_file_free(b->history);
    rm_core_lock_destroy(&b->lock);
    pthread_cond_destroy(&b->qwake);
    pthread_mutex_destroy(&b->qlock);
    pthread_mutex_destroy(&b->life);
    if (!b->left_behind)
        free(b);
}

#include "rm/rm_daemon.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base_clock.h"
#include "base/base_conf.h"
#include "base/base_log.h"
#include "rm/rm_daemon_internal.h"
#include "rm/rm_groups.h"
#include "rm/rm_options.h"
#include "rm/rm_queues.h"

#define TURN_US 1000   /* the core's thread lets readers in after this long */
#define TURN_EVENTS 256

/* ---------------------------------------------------------------- time */
int64_t rm_backend_now_us(const struct rm_backend *b)
{
    return rm_clock_now(&b->clock);
}

static int64_t core_now(struct rm_backend *b)
{
    return rm_clock_look(&b->clock);
}

/* ---------------------------------------------------------------- tokens */
uint64_t rm_ticket_add(struct rm_backend *b, rm_reply_fn *fn, void *user)
{
    struct rm_ticket *t = base_alloc(sizeof *t);
    uint32_t i;

    *t = (struct rm_ticket){fn, user};
    if (b->free_slot) {
        i = b->free_slot - 1;
        b->free_slot = b->slots[i].next_free;
    } else {
        base_array_grow(&b->slots, b->slots_len, &b->slots_cap);
        i = (uint32_t)b->slots_len++;
        b->slots[i] = (struct rm_slot_entry){.generation = 1};
    }
    b->slots[i].ticket = t;
    return (uint64_t)b->slots[i].generation << 32 | (i + 1);
}

struct rm_ticket *rm_ticket_take(struct rm_backend *b, uint64_t token)
{
    uint32_t i = (uint32_t)token - 1;
    struct rm_ticket *t;

    if (token == 0 || i >= b->slots_len || b->slots[i].generation != token >> 32 || !b->slots[i].ticket)
        return NULL;
    t = b->slots[i].ticket;
    b->slots[i].ticket = NULL;
    b->slots[i].generation++;
    b->slots[i].next_free = b->free_slot;
    b->free_slot = i + 1;
    return t;
}

void rm_ticket_answer(struct rm_ticket *t, const struct rm_effect *fx)
{
    t->fn(t->user, fx);
    free(t);
}

static void fail(rm_reply_fn *fn, void *user, int code, const char *text)
{
    struct rm_effect fx = {.kind = RM_FX_REPLY};

    fx.u.reply.kind = RM_REPLY_ERROR;
    fx.u.reply.code = code;
    fx.u.reply.text = text;
    fn(user, &fx);
}

void rm_ticket_fail(struct rm_ticket *t, int code, const char *text)
{
    fail(t->fn, t->user, code, text);
    free(t);
}

/* ---------------------------------------------------------------- the queue */
/* An event that the core will never see: what it carried to be taken is dropped, who waits is told. */
static void refuse(const struct rm_posted *p, int code, const char *text)
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
        fail(p->fn, p->user, code, text);
    if (p->release)
        p->release(p->user);
}

/* Changes somebody wants acknowledged: pointless while the store cannot write. */
static bool wants_storing(enum rm_event_kind kind)
{
    return kind == RM_EV_SUBMIT_JOB || kind == RM_EV_SUBMIT_APP || kind == RM_EV_KILL_APP ||
           kind == RM_EV_TASK_COMMIT || kind == RM_EV_AM_REGISTER || kind == RM_EV_AM_FINISH;
}

void rm_backend_post(struct rm_backend *b, struct rm_event *ev, rm_reply_fn *fn, void (*release)(void *user),
                     void *user)
{
    struct rm_posted p = {ev, fn, release, user};
    struct base_error why;
    bool closed;

    if (wants_storing(ev->kind) && b->store && rm_store_failing(b->store, &why)) {
        refuse(&p, why.code, why.text);
        return;
    }
    pthread_mutex_lock(&b->qlock);
    closed = b->closed;
    if (!closed) {
        base_array_grow(&b->queue, b->queue_len, &b->queue_cap);
        b->queue[b->queue_len++] = p;
        if (b->queue_len == 1)
            pthread_cond_signal(&b->qwake);
    }
    pthread_mutex_unlock(&b->qlock);
    if (closed)
        refuse(&p, -BASE_EIO, "the ResourceManager is shutting down");
}

static void wait_for_work(struct rm_backend *b)
{
    while (b->queue_len == 0 && !b->stop && b->stored_seq == b->stored_seen) {
        int64_t left;
        struct timespec until;

        if (b->wake_us == 0) {
            pthread_cond_wait(&b->qwake, &b->qlock);
            continue;
        }
        left = b->wake_us - core_now(b);
        if (left <= 0)
            return;
        if (left > 60000000)
            left = 60000000; /* the core's clock may be gaining on the wall: look again */
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += left / 1000000;
        until.tv_nsec += left % 1000000 * 1000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&b->qwake, &b->qlock, &until);
    }
}

/* ---------------------------------------------------------------- the core's thread */
static void step(struct rm_backend *b, struct rm_event *ev)
{
    rm_core_step(b->core, ev, &b->fx);
    atomic_fetch_add_explicit(&b->events, 1, memory_order_relaxed);
    rm_effects_apply(b, &b->fx);
}

static void step_posted(struct rm_backend *b, const struct rm_posted *p, int64_t now)
{
    p->ev->at_us = now;
    p->ev->token = p->fn ? rm_ticket_add(b, p->fn, p->user) : 0;
    step(b, p->ev);
    if (p->release)
        p->release(p->user);
}

static void step_timer(struct rm_backend *b, int64_t now)
{
    if (b->wake_us == 0 || b->wake_us > now)
        return;
    b->wake_us = 0;
    step(b, &(struct rm_event){.kind = RM_EV_TIMER, .at_us = now});
}

/* Runs @n events in turns, so that readers get in between. */
static void run_batch(struct rm_backend *b, size_t n, uint64_t stored)
{
    size_t i = 0;

    do {
        int64_t now, began;

        rm_core_lock_take(&b->lock);
        began = now = core_now(b);
        if (stored != b->stored_seen) {
            struct rm_event ev = {.kind = RM_EV_STORED, .at_us = now};
            ev.u.stored.seq = b->stored_seen = stored;
            step(b, &ev);
        }
        for (size_t turn = 0; i < n && turn < TURN_EVENTS && now - began < TURN_US; turn++) {
            step_posted(b, &b->batch[i++], now);
            now = core_now(b);
        }
        step_timer(b, now);
        rm_core_lock_give(&b->lock);
    } while (i < n);
}

static void *core_main(void *arg)
{
    struct rm_backend *b = arg;

    for (;;) {
        struct rm_posted *swap;
        size_t n, cap;
        uint64_t stored;

        pthread_mutex_lock(&b->qlock);
        wait_for_work(b);
        n = b->queue_len;
        stored = b->stored_seq;
        if (n == 0 && b->stop) {
            b->closed = true;
            pthread_mutex_unlock(&b->qlock);
            return NULL;
        }
        swap = b->batch;
        cap = b->batch_cap;
        b->batch = b->queue;
        b->batch_cap = b->queue_cap;
        b->queue = swap;
        b->queue_cap = cap;
        b->queue_len = 0;
        pthread_mutex_unlock(&b->qlock);
        run_batch(b, n, stored);
    }
}

/* ---------------------------------------------------------------- calls from the helpers */
static void on_stored(void *user, uint64_t seq)
{
    struct rm_backend *b = user;

    pthread_mutex_lock(&b->qlock);
    b->stored_seq = seq;
    pthread_cond_signal(&b->qwake);
    pthread_mutex_unlock(&b->qlock);
}

static void on_release(void *user, void *ticket, const struct rm_effect *fx, int error, const char *text)
{
    struct rm_backend *b = user;

    if (error == 0)
        rm_effect_apply_now(b, ticket, fx);
    else if (ticket)
        rm_ticket_fail(ticket, error, text);
}

struct io_event {
    struct rm_event ev;
    char *diagnostics;
};

static void free_io_event(void *user)
{
    struct io_event *e = user;

    free(e->diagnostics);
    free(e);
}

static void on_job_done(void *user, enum rm_effect_kind what, struct base_app_id id, bool ok,
                        const char *diagnostics)
{
    struct io_event *e = base_alloc(sizeof *e);

    e->diagnostics = base_strdup(diagnostics);
    e->ev.kind = what == RM_FX_JOB_SETUP ? RM_EV_JOB_SET_UP : RM_EV_JOB_COMMITTED;
    e->ev.u.job_done.id = id;
    e->ev.u.job_done.ok = ok;
    e->ev.u.job_done.diagnostics = e->diagnostics;
    rm_backend_post(user, &e->ev, NULL, free_io_event, e);
}

/* ---------------------------------------------------------------- reading */
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
    return b->master_key;
}

const char *rm_backend_url(const struct rm_backend *b)
{
    const char *url = atomic_load(&b->url);

    return url ? url : "";
}

int64_t rm_daemon_epoch(const struct rm_backend *b)
{
    return b->epoch;
}

void rm_backend_watch_outputs(struct rm_backend *b, struct base_app_id id, int64_t version, int64_t deadline_us,
                              void (*fn)(void *user), void *user)
{
    struct rm_views none = {0};
    int64_t newest = version, maps, done;
    int64_t mono = rm_watch_mono_us() + (deadline_us - rm_backend_now_us(b));

    rm_watch_add(b->watch, id, version, mono, fn, user);
    /* What came between the caller's look and the line above is found by looking once more. */
    if (rm_view_map_outputs(rm_backend_hold(b), id, version, &newest, &maps, &done, &none) < 0)
        newest = INT64_MAX; /* the job is gone: no need to wait */
    rm_backend_release(b);
    rm_views_free(&none);
    if (newest > version)
        rm_watch_news(b->watch, id, newest);
}

void rm_backend_slow(struct rm_backend *b, enum rm_slow kind, rm_worker_step *task, void *user)
{
    rm_worker_add(b->slow[kind], task, user);
}

void rm_backend_stats(struct rm_backend *b, struct rm_backend_stats *out)
{
    *out = (struct rm_backend_stats){.events = atomic_load(&b->events), .epoch = b->epoch};
    rm_roles_stats(b, out);
    if (b->store)
        rm_store_counts(b->store, &out->store_commits, &out->store_records);
    pthread_mutex_lock(&b->qlock);
    out->queue_length = (int64_t)b->queue_len;
    pthread_mutex_unlock(&b->qlock);
}

/* ---------------------------------------------------------------- life */
static void core_conf(const struct base_conf *c, int64_t now_us, int64_t epoch, struct rm_core_conf *out)
{
    *out = (struct rm_core_conf){
        .cluster_ts_ms = now_us / 1000,
        .rm_instance_ms = now_us / 1000,
        .epoch = epoch,
        .policy = rm_options_policy(c),
        .queues = base_conf_get(c, "creel.scheduler.queues"),
        .node_expiry_us = base_conf_int(c, "yarn.nm.liveness-monitor.expiry-interval-ms") * 1000,
        .heartbeat_us = base_conf_int(c, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms") * 1000,
        .am_expiry_us = base_conf_int(c, "yarn.am.liveness-monitor.expiry-interval-ms") * 1000,
        .allocation_expiry_us =
            base_conf_int(c, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms") * 1000,
        .slowstart = base_conf_double(c, "creel.scheduler.slowstart"),
        .am_attempts_max = (int32_t)base_conf_int(c, "yarn.resourcemanager.am.max-attempts"),
        .task_attempts_max = (int32_t)base_conf_int(c, "creel.mapreduce.max-attempts"),
        .completed_apps_max = (int32_t)base_conf_int(c, "yarn.resourcemanager.max-completed-applications"),
        .kill_grace_ms = base_conf_int(c, "creel.nodemanager.kill-grace-ms"),
    };
    out->slot_res[RM_SLOT_MAP].v[RM_RES_MEMORY_MB] = base_conf_int(c, "creel.slot.map.memory-mb");
    out->slot_res[RM_SLOT_MAP].v[RM_RES_VCORES] = base_conf_int(c, "creel.slot.map.vcores");
    out->slot_res[RM_SLOT_MAP].v[RM_RES_MAP_SLOTS] = 1;
    out->slot_res[RM_SLOT_REDUCE].v[RM_RES_MEMORY_MB] = base_conf_int(c, "creel.slot.reduce.memory-mb");
    out->slot_res[RM_SLOT_REDUCE].v[RM_RES_VCORES] = base_conf_int(c, "creel.slot.reduce.vcores");
    out->slot_res[RM_SLOT_REDUCE].v[RM_RES_REDUCE_SLOTS] = 1;
}

/* 1: @out is what the allocation file says, 0: there is none. */
static int read_queues(struct rm_backend *b, struct policy_queues *out, struct base_error *err)
{
    bool optional;
    int rc;

    b->queues_path = rm_queues_path(b->conf, &optional);
    if (!b->queues_path || (optional && access(b->queues_path, F_OK) < 0))
        return 0;
    rc = rm_queues_read(b->conf, b->queues_path, out, err);
    if (rc < 0)
        return rc;
    base_log_info("rm", "%s: %zu queues", b->queues_path, out->n);
    atomic_store(&b->wants_groups, rm_groups_wanted(out));
    if (*base_conf_get(b->conf, "creel.scheduler.queues"))
        base_log_warn("rm", "creel.scheduler.queues is passed over: the queues come from %s", b->queues_path);
    return 1;
}

static void queue_init(struct rm_backend *b)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&b->qlock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&b->qwake, &attr);
    pthread_condattr_destroy(&attr);
    rm_core_lock_init(&b->lock);
}

int rm_daemon_new(const struct base_conf *conf, const struct ha_store_ops *ops, const char *where,
                  struct rm_backend **out, struct base_error *err)
{
    struct rm_backend *b = base_alloc(sizeof *b);
    char *path = where ? base_strdup(where) : base_printf("%s/state.db", base_conf_get(conf, "creel.rm.state-dir"));
    struct policy_conf options = {0};
    struct policy_queues tree = {0};
    struct rm_core_conf cc;
    int rc, has_queues = 0;

    queue_init(b);
    rm_roles_init(b);
    b->groups = rm_groups_new();
    b->conf = conf;
    b->ops = ops ? ops : &ha_store_sqlite;
    rm_clock_init(&b->clock, &base_clock_real);
    b->slow[RM_SLOW_LISTS] = rm_worker_new("rm-lists", true);
    b->slow[RM_SLOW_FILES] = rm_worker_new("rm-files", false);
    /* what is wrong with the configuration leaves the store as it is */
    rc = rm_options_read(conf, &options, err);
    if (rc >= 0)
        rc = has_queues = read_queues(b, &tree, err);
    if (rc >= 0)
        rc = b->ops->open(path, &b->opened, &b->epoch, err);
    free(path);
    if (rc < 0)
        goto fail;
    rc = rm_master_key(b->ops, b->opened, b->master_key, err);
    if (rc < 0)
        goto fail;
    core_conf(conf, core_now(b), b->epoch, &cc);
    cc.options = &options;
    cc.tree = has_queues ? &tree : NULL;
    b->core = rm_core_new(&cc, err);
    if (!b->core) {
        rc = -BASE_EINVAL;
        goto fail;
    }
    rc = rm_recover(b->core, b->ops, b->opened, err);
    if (rc < 0)
        goto fail;
    policy_conf_free(&options);
    *out = b;
    return 0;
fail:
    policy_queues_free(&tree);
    policy_conf_free(&options);
    rm_daemon_free(b);
    return rc;
}

void rm_daemon_set_url(struct rm_backend *b, const char *url)
{
    base_assert(!atomic_load(&b->url));
    atomic_store(&b->url, base_strdup(url));
}

void rm_daemon_start(struct rm_backend *b)
{
    const struct rm_store_calls calls = {.user = b, .stored = on_stored, .release = on_release};

    rm_roles_start(b);
    b->watch = rm_watch_start();
    b->io = rm_jobs_io_start(on_job_done, b);
    b->store = rm_store_start(b->ops, b->opened, &calls);
    b->opened = NULL;
    rm_core_lock_take(&b->lock);
    rm_core_recovered(b->core, core_now(b), &b->fx);
    rm_effects_apply(b, &b->fx);
    rm_core_lock_give(&b->lock);
    b->started = true;
    for (int i = 0; i < RM_SLOW_KINDS; i++)
        rm_worker_start(b->slow[i]);
    base_assert(pthread_create(&b->thread, NULL, core_main, b) == 0);
}

int rm_daemon_stop(struct rm_backend *b, struct base_error *err)
{
    int rc;

    if (!b->started)
        return 0;
    b->started = false;
    for (int i = 0; i < RM_SLOW_KINDS; i++) /* first: what they still post is answered below */
        rm_worker_stop(b->slow[i]);
    pthread_mutex_lock(&b->qlock);
    b->stop = true;
    pthread_cond_signal(&b->qwake);
    pthread_mutex_unlock(&b->qlock);
    pthread_join(b->thread, NULL);
    rc = rm_store_stop(b->store, err); /* what it releases may still go to the two helpers */
    rm_jobs_io_stop(b->io);
    rm_watch_stop(b->watch);
    rm_roles_stop(b);
    for (size_t i = 0; i < b->slots_len; i++)
        if (b->slots[i].ticket)
            rm_ticket_fail(b->slots[i].ticket, -BASE_EIO, "the ResourceManager is shutting down");
    return rc;
}

void rm_daemon_free(struct rm_backend *b)
{
    if (!b)
        return;
    if (b->opened)
        b->ops->close(b->opened);
    rm_store_free(b->store);
    if (b->watch)
        rm_watch_free(b->watch);
    for (int i = 0; i < RM_SLOW_KINDS; i++)
        rm_worker_free(b->slow[i]);
    rm_core_free(b->core);
    free(b->fx.v);
    free(b->queue);
    free(b->batch);
    free(b->slots);
    free(atomic_load(&b->url));
    free(b->queues_path);
    rm_roles_free(b);
    rm_groups_free(b->groups);
    rm_core_lock_destroy(&b->lock);
    pthread_cond_destroy(&b->qwake);
    pthread_mutex_destroy(&b->qlock);
    free(b);
}

/* rm/daemon/daemon.c - the life of the process: what outlasts a leadership, and how leaderships
 * begin and end. */
#include "rm/daemon/daemon.h"

#include <stdlib.h>
#include <string.h>

#include "base/acl/groups.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/conf/conf.h"
#include "base/io/log.h"
#include "rm/config/allocation_file.h"
#include "rm/config/policy_options.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/jobs/ended_jobs.h"

#define STALE_US      5000000 /* how long the core stays readable after its leadership */
#define STOPPING_TEXT "the ResourceManager is shutting down"

/* ---------------------------------------------------------------- making a daemon */
struct rm_backend *rm_daemon_new_without_core(const struct base_conf *conf)
{
    struct rm_backend *b = base_alloc(sizeof *b);

    pthread_mutex_init(&b->life, NULL);
    pthread_mutex_init(&b->qlock, NULL);
    base_cond_init(&b->qwake);
    rm_core_lock_init(&b->lock);
    rm_roles_init(b);
    b->groups = base_groups_new_by_conf(conf);
    b->conf = conf;
    b->queues_path = rm_queues_resolve_allocation_path(conf, &b->queues_optional);
    b->capacity_path = rm_queue_conf_resolve_path(conf, &b->capacity_optional);
    rm_clock_init(&b->clock, &base_clock_real);
    b->slow[RM_SLOW_LISTS] = rm_worker_new("rm-lists", true);
    b->slow[RM_SLOW_FILES] = rm_worker_new("rm-slow", false);
    b->slow[RM_SLOW_GROUPS] = rm_worker_new("rm-groups", false);
    b->slow[RM_SLOW_SUBMISSIONS] = rm_worker_new("rm-submit", true);
    b->relay = rm_relay_new();
    b->closed = -BASE_EVERSION;
    b->closed_text = RM_NOT_ACTIVE_TEXT;
    return b;
}

int rm_daemon_new_standby(const struct base_conf *conf, struct rm_backend **out,
                          struct base_error *err)
{
    struct rm_backend *b = rm_daemon_new_without_core(conf);
    struct rm_first_queues queues;
    int rc;

    b->roles.ha = true;
    b->history = rm_history_file_new(base_conf_get(conf, "creel.rm.state-dir"),
                                     base_conf_int(conf, "creel.rm.history-max-mb") << 20);
    rc = rm_queues_load(b, &queues, err);
    rm_first_queues_free(&queues); /* read again when this RM becomes active */
    if (rc >= 0)
        rc = rm_empty_core_new(b, &b->core, err);
    if (rc < 0) {
        rm_daemon_free(b);
        return rc;
    }
    *out = b;
    return 0;
}

void rm_daemon_accept_formatted_store(struct rm_backend *b)
{
    b->repair.format_confirmed = true;
    if (b->term) /* the core has read the store already */
        rm_core_confirm_format(b->core, &b->term->rules.fx);
}

void rm_daemon_set_repair(struct rm_backend *b, const struct rm_repair *repair)
{
    base_assert(!b->started);
    b->repair = *repair;
}

void rm_daemon_set_keys(struct rm_backend *b, struct base_keyring *keys)
{
    b->secret = base_keyring_ref(keys);
    rm_relay_sign_with(b->relay, keys);
}

void rm_daemon_set_own_token(struct rm_backend *b, struct rm_own_token *t)
{
    base_assert(!b->started);
    b->own_token = t;
}

void rm_daemon_set_auth(struct rm_backend *b, const struct api_auth *a)
{
    base_assert(!b->started);
    b->auth = a;
}

void rm_daemon_set_url(struct rm_backend *b, const char *url)
{
    base_assert(!atomic_load(&b->url));
    atomic_store(&b->url, base_strdup(url));
}

/* Starts the threads of a leadership. A leadership entered before the daemon has started gets its
 * threads from rm_daemon_start(). */
static void start_leadership_threads(struct rm_leadership *t)
{
    rm_leadership_start_store(t);
    rm_leadership_start_core_thread(t);
}

void rm_daemon_start(struct rm_backend *b)
{
    rm_roles_start_parking(b);
    b->watch = rm_parking_start();
    b->started = true;
    for (int i = 0; i < RM_SLOW_KINDS; i++)
        rm_worker_start(b->slow[i]);
    rm_relay_start(b->relay);
    if (b->term)
        start_leadership_threads(b->term);
}

/* ---------------------------------------------------------------- leaderships */
static bool free_core_in_worker(void *user, bool stopping)
{
    (void)stopping;
    rm_core_free(user);
    return false;
}

/* Freeing a large core takes a while, so a worker does it. */
static void free_core_later(struct rm_backend *b, struct rm_core *core)
{
    if (core)
        rm_backend_queue_slow_task(b, RM_SLOW_LISTS, free_core_in_worker, core);
}

static int load_leadership(struct rm_backend *b, struct rm_leadership *t,
                           struct rm_first_queues *first, struct base_error *err)
{
    struct rm_first_queues now = {0}, *queues = first ? first : &now;
    int rc = first ? 0 : rm_queues_load(b, &now, err);

    if (rc == 0)
        rc = rm_leadership_load(t, queues, err);
    rm_first_queues_free(queues);
    if (rc == 0 && !rm_role_lease_holds(b, t->rules.epoch))
        rc = base_error_set(err, -BASE_EVERSION,
                            "the leadership ended while the state was being read");
    return rc;
}

static void set_store_being_loaded(struct rm_backend *b, struct ha_store *store)
{
    pthread_mutex_lock(&b->qlock);
    b->loading = store;
    pthread_mutex_unlock(&b->qlock);
}

static void discard_leadership(struct rm_backend *b, struct rm_leadership *t)
{
    if (b->started) {
        free_core_later(b, t->core);
        t->core = NULL;
    }
    rm_leadership_free_without_threads(t);
}

/* The only way into a leadership, whether elected or not. Posts are accepted once the core is
 * installed. Requests that wait for a change of roles are woken after the role has become ACTIVE
 * and the leadership has threads to serve them. */
int rm_daemon_enter_leadership(struct rm_backend *b, struct ha_store *store, int64_t epoch,
                               struct rm_first_queues *queues, struct base_error *err)
{
    struct rm_leadership *t;
    int rc;

    if (b->ending || b->term) {
        ha_store_close(store);
        return base_error_set(err, -BASE_ESTATE,
                              b->ending ? STOPPING_TEXT : "this ResourceManager is active already");
    }
    rm_lease_begin(&b->roles.lease);
    t = rm_leadership_new(b, store, epoch);
    set_store_being_loaded(b, store);
    rm_roles_set_role(b, RM_ROLE_ACTIVATING);
    rc = load_leadership(b, t, queues, err);
    set_store_being_loaded(b, NULL);
    if (rc < 0) {
        rm_roles_set_role(b, RM_ROLE_STANDBY);
        discard_leadership(b, t);
        return rc;
    }
    free_core_later(b, rm_leadership_install_core(t));
    /* an RM that is not one of several takes over from no other */
    atomic_fetch_add(&b->roles.takeovers, b->roles.ha);
    atomic_store(&b->roles.role, RM_ROLE_ACTIVE);
    if (b->started)
        start_leadership_threads(t);
    rm_roles_count_change_and_wake(b);
    return 0;
}

int rm_daemon_activate(struct rm_backend *b, struct ha_store *store, int64_t epoch,
                       struct base_error *err)
{
    int rc;

    base_assert(b->started && b->roles.ha);
    pthread_mutex_lock(&b->life);
    rc = rm_daemon_enter_leadership(b, store, epoch, NULL, err);
    pthread_mutex_unlock(&b->life);
    return rc;
}

struct stale_core { /* the core of a leadership that is over */
    struct rm_backend *b;
    uint64_t serial;
};

static bool replace_stale_core_by_empty(void *user, bool stopping)
{
    struct stale_core *s = user;
    struct rm_core *empty = NULL, *other;
    struct base_error err = {0};

    if (!stopping && rm_empty_core_new(s->b, &empty, &err) < 0)
        base_log_warn("rm", "the state of the leadership that is over stays readable: %s",
                      err.text);
    other = empty;
    rm_core_lock_acquire(&s->b->lock);
    if (empty && s->b->core_serial == s->serial) {
        other = s->b->core;
        s->b->core = empty;
        s->b->core_serial++;
    }
    rm_core_lock_release(&s->b->lock);
    rm_core_free(other);
    free(s);
    return false;
}

static void queue_stale_core_replacement(void *user)
{
    rm_backend_queue_slow_task(((struct stale_core *)user)->b, RM_SLOW_LISTS,
                               replace_stale_core_by_empty, user);
}

static void schedule_stale_core_replacement(struct rm_backend *b)
{
    struct stale_core *s = base_alloc(sizeof *s);

    rm_core_lock_acquire(&b->lock);
    *s = (struct stale_core){b, b->core_serial};
    rm_core_lock_release(&b->lock);
    rm_backend_await_role_change(b, INT64_MAX, rm_parking_mono_us() + STALE_US,
                                 queue_stale_core_replacement, s);
}

void rm_daemon_abort_leadership(struct rm_backend *b, const char *why)
{
    rm_role_depose(b);
    pthread_mutex_lock(&b->life); /* after rm_role_depose() an activation under way ends soon */
    if (b->term) {
        rm_roles_set_role(b, RM_ROLE_STANDBY);
        rm_leadership_abort(b->term);
        base_log_info("rm", "standby: %s", why);
        schedule_stale_core_replacement(b);
    }
    pthread_mutex_unlock(&b->life);
}

int rm_daemon_finish_leadership(struct rm_backend *b, const char *why, struct base_error *err)
{
    int rc = 0;

    pthread_mutex_lock(&b->life);
    if (b->term) {
        rc = rm_leadership_finish(b->term, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT, err);
        base_log_info("rm", "standby: %s", why);
        schedule_stale_core_replacement(b);
    }
    pthread_mutex_unlock(&b->life);
    return rc;
}

/* ---------------------------------------------------------------- the end */
int rm_daemon_stop(struct rm_backend *b, struct base_error *err)
{
    int rc = 0;

    if (!b->started)
        return 0;
    /* Both changes under one lock: a leadership that is being entered gets its threads first, and
     * no other is entered afterwards. */
    pthread_mutex_lock(&b->life);
    b->started = false;
    b->ending = true;
    if (b->term)
        rc = rm_leadership_finish(b->term, -BASE_EIO, STOPPING_TEXT, err);
    else if ((rc = b->lost.code) < 0 && err)
        *err = b->lost;
    pthread_mutex_unlock(&b->life);
    /* events that the workers still post are refused; the history is still written */
    for (int i = 0; i < RM_SLOW_KINDS; i++)
        rm_worker_stop(b->slow[i]);
    rm_relay_stop(b->relay);
    rm_parking_stop(b->watch);
    rm_roles_stop_parking(b);
    return rc;
}

void rm_daemon_free(struct rm_backend *b)
{
    if (!b)
        return;
    rm_leadership_free_without_threads(b->term); /* NULL unless the daemon never started */
    if (b->watch)
        rm_parking_free(b->watch);
    for (int i = 0; i < RM_SLOW_KINDS; i++)
        rm_worker_free(b->slow[i]);
    rm_relay_free(b->relay);
    base_keyring_unref(b->secret);
    rm_core_free(b->core);
    free(b->queue);
    base_buf_free(&b->queues_good);
    rm_properties_free(&b->queue_conf_good);
    free(atomic_load(&b->url));
    free(b->queues_path);
    free(b->capacity_path);
    rm_roles_free(b);
    base_groups_free(b->groups);
    rm_history_file_free(b->history);
    rm_core_lock_destroy(&b->lock);
    pthread_cond_destroy(&b->qwake);
    pthread_mutex_destroy(&b->qlock);
    pthread_mutex_destroy(&b->life);
    free(b);
}

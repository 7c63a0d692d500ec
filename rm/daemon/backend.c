/* rm/daemon/backend.c - access to the daemon's core, clock, threads and figures, for handlers and
 * helpers. No function here begins, drives or ends a leadership. */
#include "rm/daemon/backend.h"

#include <stdlib.h>

#include "base/acl/groups.h"
#include "rm/daemon/daemon_internal.h"

int64_t rm_backend_now_us(const struct rm_backend *b)
{
    return rm_clock_now(&b->clock);
}

const struct rm_core *rm_backend_lock_core(struct rm_backend *b)
{
    rm_core_lock_acquire(&b->lock);
    return b->core;
}

void rm_backend_unlock_core(struct rm_backend *b)
{
    rm_core_lock_release(&b->lock);
}

const struct base_conf *rm_backend_conf(const struct rm_backend *b)
{
    return b->conf;
}

void rm_backend_look_up_groups(struct rm_backend *b, const char *user, struct rm_str_list *out)
{
    struct base_group_names names = {out->v, out->n};

    base_groups_look_up(b->groups, user, rm_backend_now_us(b), &names);
    *out = (struct rm_str_list){names.v, names.n};
}

bool rm_backend_knows_groups(struct rm_backend *b, const char *user)
{
    return base_groups_know(b->groups, user, rm_backend_now_us(b));
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

void rm_backend_await_map_outputs(struct rm_backend *b, struct base_app_id id,
                                  int64_t known_version, int64_t deadline_us,
                                  void (*fn)(void *user), void *user)
{
    struct rm_views none = {0};
    int64_t newest = known_version, maps, done;
    int64_t mono = rm_parking_mono_us() + (deadline_us - rm_backend_now_us(b));

    rm_parking_add(b->watch, id, known_version, mono, fn, user);
    /* Outputs that came after the caller had read the version woke no waiter: read the version
     * again. */
    if (rm_view_map_outputs(rm_backend_lock_core(b), id, known_version, &newest, &maps, &done,
                            &none) < 0 ||
        rm_backend_role(b) != RM_ROLE_ACTIVE)
        newest = INT64_MAX; /* the job or the leadership is gone: do not wait */
    rm_backend_unlock_core(b);
    rm_views_free(&none);
    if (newest > known_version)
        rm_parking_wake_older(b->watch, id, newest);
}

void rm_backend_queue_slow_task(struct rm_backend *b, enum rm_slow kind, rm_worker_step *task,
                                void *user)
{
    rm_worker_add(b->slow[kind], task, user);
}

struct base_keyring *rm_backend_keys(struct rm_backend *b)
{
    return b->secret;
}

const struct api_auth *rm_backend_auth(const struct rm_backend *b)
{
    return b->auth;
}

struct rm_own_token *rm_backend_own_token(struct rm_backend *b)
{
    return b->own_token;
}

struct rm_relay *rm_backend_relay(struct rm_backend *b)
{
    return b->relay;
}

void rm_backend_get_stats(struct rm_backend *b, struct rm_backend_stats *out)
{
    *out = (struct rm_backend_stats){.epoch = rm_daemon_epoch(b)};
    pthread_mutex_lock(&b->qlock);
    if (b->term && b->term->store)
        rm_store_get_counts(b->term->store, &out->store_commits, &out->store_records);
    out->store_commits += b->commits_before;
    out->store_records += b->records_before;
    out->queue_length = (int64_t)b->queue_len;
    pthread_mutex_unlock(&b->qlock);
    rm_roles_add_stats(b, out);
}

bool rm_daemon_is_busy(const struct rm_backend *b, uint64_t *turns)
{
    *turns = atomic_load(&b->turns);
    return atomic_load(&b->busy);
}

/* ---------------------------------------------------------------- the core */
int64_t rm_backend_catch_up_clock(struct rm_backend *b)
{
    return rm_clock_catch_up(&b->clock);
}

struct rm_core *rm_backend_swap_core(struct rm_backend *b, struct rm_core *core)
{
    struct rm_core *old;

    rm_core_lock_acquire(&b->lock);
    old = b->core;
    b->core = core;
    b->core_serial++;
    rm_core_lock_release(&b->lock);
    return old;
}

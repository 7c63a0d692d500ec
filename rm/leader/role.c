/* rm/leader/role.c - the role of this RM, the address of the active one, and requests that wait for
 * either to change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io/log.h"
#include "ha/election/election.h"
#include "rm/daemon/daemon_internal.h"

#define EPOCH_SEEN_MAX (HA_EPOCH_MAX / 2) /* an epoch above this is not believed */

void rm_roles_init(struct rm_backend *b)
{
    pthread_rwlockattr_t attr;

    pthread_mutex_init(&b->roles.lock, NULL);
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&b->roles.source_lock, &attr);
    pthread_rwlockattr_destroy(&attr);
    atomic_init(&b->roles.role, RM_ROLE_STANDBY);
    rm_lease_init(&b->roles.lease);
}

void rm_roles_start_parking(struct rm_backend *b)
{
    b->roles.watch = rm_parking_start();
}

void rm_roles_stop_parking(struct rm_backend *b)
{
    rm_parking_stop(b->roles.watch);
}

void rm_roles_free(struct rm_backend *b)
{
    if (b->roles.source.free)
        b->roles.source.free(b->roles.source.user);
    if (b->roles.watch)
        rm_parking_free(b->roles.watch);
    free(b->roles.rm_id);
    free(b->roles.all_urls);
    pthread_rwlock_destroy(&b->roles.source_lock);
    pthread_mutex_destroy(&b->roles.lock);
}

/* ---------------------------------------------------------------- the source */
static const struct rm_role_source *lock_role_source(const struct rm_backend *b)
{
    struct rm_roles *r = (struct rm_roles *)&b->roles; /* cast, since taking the lock changes it */

    pthread_rwlock_rdlock(&r->source_lock);
    return &r->source;
}

static void unlock_role_source(const struct rm_backend *b)
{
    pthread_rwlock_unlock(&((struct rm_roles *)&b->roles)->source_lock);
}

void rm_role_set_source(struct rm_backend *b, const struct rm_role_source *source)
{
    struct rm_role_source before;

    pthread_rwlock_wrlock(&b->roles.source_lock);
    before = b->roles.source;
    b->roles.source = source ? *source : (struct rm_role_source){0};
    atomic_store(&b->roles.lease_ends, b->roles.source.lease_us);
    pthread_rwlock_unlock(&b->roles.source_lock);
    if (before.free)
        before.free(before.user);
}

/* Called several times for each heartbeat: no lock is taken when the source has no lease function,
 * which makes the lease endless. */
int64_t rm_roles_get_lease_end_us(const struct rm_backend *b, int64_t epoch)
{
    const struct rm_role_source *s;
    int64_t until_us;

    if (!atomic_load(&b->roles.lease_ends))
        return RM_LEASE_ENDLESS;
    s = lock_role_source(b);
    until_us = s->lease_us ? s->lease_us(s->user, epoch) : RM_LEASE_ENDLESS;
    unlock_role_source(b);
    return until_us;
}

bool rm_role_lease_holds(struct rm_backend *b, int64_t epoch)
{
    int64_t until_us = rm_roles_get_lease_end_us(b, epoch);
    int64_t now_us = until_us == RM_LEASE_ENDLESS ? 0 : base_mono_us(&base_clock_real);

    return rm_lease_holds(&b->roles.lease, epoch, until_us, now_us);
}

/* Returns false, and logs an error, for an epoch that no RM can have reached: it comes from a
 * damaged disk or another cluster. Epochs only grow, so such a high one would use them up. */
static bool is_credible_epoch(int64_t epoch_seen)
{
    if (epoch_seen <= EPOCH_SEEN_MAX)
        return true;
    base_log_error("rm",
                   "a node says that it has obeyed epoch %lld; this is not believed, expected up "
                   "to %d: what the node has stored is damaged, or comes from another cluster",
                   (long long)epoch_seen, EPOCH_SEEN_MAX);
    return false;
}

/* The core has found that this RM must not lead with this store, or under this epoch: the source of
 * roles decides what follows. An RM that is not one of several has no function for an unconfirmed
 * store: the RM goes on, and the core refuses the nodes concerned. */
void rm_roles_report_unfit(struct rm_backend *b, const struct rm_effect *fx)
{
    bool low = fx->kind == RM_FX_EPOCH_LOW;
    int64_t seen = low ? fx->u.epoch_low.epoch_seen : fx->u.unconfirmed.epoch_seen;
    const struct rm_role_source *s;

    if (!is_credible_epoch(seen)) {
        if (low)
            return;
        seen = -1;
    }
    s = lock_role_source(b);
    if (low && s->epoch_low)
        s->epoch_low(s->user, seen);
    else if (!low && s->unconfirmed)
        s->unconfirmed(s->user, seen);
    unlock_role_source(b);
}

void rm_roles_add_stats(const struct rm_backend *b, struct rm_backend_stats *out)
{
    const struct rm_role_source *s = lock_role_source(b);

    out->takeovers = atomic_load(&b->roles.takeovers);
    out->late_answers = atomic_load(&b->roles.late_answers);
    if (s->refused_writes)
        out->refused_writes = s->refused_writes(s->user);
    if (s->store_multis)
        out->store_multis = s->store_multis(s->user);
    unlock_role_source(b);
}

void rm_role_set_identity(struct rm_backend *b, const char *rm_id, const char *all_urls)
{
    base_assert(!b->started && b->roles.ha && !b->roles.rm_id);
    b->roles.rm_id = base_strdup(rm_id);
    b->roles.all_urls = base_strdup(all_urls);
}

/* ---------------------------------------------------------------- changes */
void rm_roles_count_change_and_wake(struct rm_backend *b)
{
    int64_t n = atomic_fetch_add(&b->roles.changes, 1) + 1;

    if (b->roles.watch)
        rm_parking_wake_older(b->roles.watch, (struct base_app_id){0}, n);
}

void rm_roles_set_role(struct rm_backend *b, enum rm_role role)
{
    if (atomic_exchange(&b->roles.role, role) != role)
        rm_roles_count_change_and_wake(b);
}

void rm_role_set_active_url(struct rm_backend *b, const char *url)
{
    bool other;

    pthread_mutex_lock(&b->roles.lock);
    other = strcmp(b->roles.active_url, url) != 0;
    if (other)
        snprintf(b->roles.active_url, sizeof b->roles.active_url, "%s", url);
    pthread_mutex_unlock(&b->roles.lock);
    if (other)
        rm_roles_count_change_and_wake(b);
}

void rm_role_depose(struct rm_backend *b)
{
    rm_lease_depose(&b->roles.lease);
    pthread_mutex_lock(&b->qlock);
    if (b->loading)
        ha_store_abort(b->loading);
    pthread_mutex_unlock(&b->qlock);
}

bool rm_role_check_lease_overdue(struct rm_backend *b)
{
    return rm_lease_check_overdue(&b->roles.lease, rm_backend_leads(b));
}

void rm_roles_count_late_answer(struct rm_backend *b)
{
    atomic_fetch_add(&b->roles.late_answers, 1);
}

/* ---------------------------------------------------------------- what handlers ask */
enum rm_role rm_backend_role(const struct rm_backend *b)
{
    return atomic_load(&b->roles.role);
}

bool rm_backend_is_one_of_several(const struct rm_backend *b)
{
    return b->roles.ha;
}

const char *rm_backend_rm_id(const struct rm_backend *b)
{
    return b->roles.rm_id ? b->roles.rm_id : "";
}

const char *rm_backend_all_urls(const struct rm_backend *b)
{
    return b->roles.all_urls ? b->roles.all_urls : rm_backend_url(b);
}

void rm_backend_active_url(const struct rm_backend *b, char out[512])
{
    struct rm_roles *r = (struct rm_roles *)&b->roles;

    pthread_mutex_lock(&r->lock);
    memcpy(out, r->active_url, sizeof r->active_url);
    pthread_mutex_unlock(&r->lock);
}

void rm_backend_zk_text(const struct rm_backend *b, char out[256])
{
    const struct rm_role_source *s = lock_role_source(b);

    out[0] = '\0';
    if (s->zk_text)
        s->zk_text(s->user, out);
    unlock_role_source(b);
}

int64_t rm_backend_get_role_changes(const struct rm_backend *b)
{
    return atomic_load(&b->roles.changes);
}

void rm_backend_await_role_change(struct rm_backend *b, int64_t seen, int64_t deadline_mono_us,
                                  void (*fn)(void *user), void *user)
{
    int64_t changes;

    rm_parking_add(b->roles.watch, (struct base_app_id){0}, seen, deadline_mono_us, fn, user);
    changes = rm_backend_get_role_changes(b); /* a change before the line above woke no waiter */
    if (changes > seen)
        rm_parking_wake_older(b->roles.watch, (struct base_app_id){0}, changes);
}

bool rm_backend_leads(const struct rm_backend *b)
{
    return rm_backend_role(b) == RM_ROLE_ACTIVE &&
           rm_role_lease_holds((struct rm_backend *)b, rm_daemon_epoch(b));
}

int rm_backend_resign(struct rm_backend *b, int64_t hold_us, struct base_error *err)
{
    const struct rm_role_source *s;
    bool can;

    if (!b->roles.ha)
        return base_error_set(err, -BASE_ESTATE,
                              "high availability is not enabled on this ResourceManager");
    s = lock_role_source(b);
    can = rm_backend_role(b) == RM_ROLE_ACTIVE && s->resign;
    if (can)
        s->resign(s->user, hold_us);
    unlock_role_source(b);
    if (can)
        return 0;
    return base_error_set(err, -BASE_ESTATE, "ResourceManager %s is not the active one",
                          rm_backend_rm_id(b));
}

#include "rm/leader/leader.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cond.h"
#include "base/io/log.h"
#include "base/io/watchdog.h"
#include "base/mailbox.h"
#include "ha/election/service.h"
#include "rm/leader/parked.h"
#include "rm/leader/role.h"

#define UNREADABLE_HOLD_US 60000000 /* then this RM claims again: no other may be there */
#define UNFIT_HOLD_US      30000000
#define UNFIT_WAIT_US      5000000 /* slows two RMs that pass an unconfirmed store to and fro */

enum job_kind { LEAD, STOP, CHANGED, RESIGN, QUIT };
/* Work for the lead thread: the service's thread, the core's thread or an HTTP handler posts it. */
struct job {
    struct base_mail mail;
    enum job_kind kind;
    int64_t epoch; /* LEAD */
    struct ha_store *store;
    bool over;              /* LEAD: its STOP is in the mailbox already */
    char *why;              /* STOP, RESIGN */
    int64_t hold_us, least; /* RESIGN; least: lowest epoch of the next claim */
    bool unfit;
};
struct rm_lead {
    const struct rm_ha_conf *conf;
    struct rm_backend *b;
    struct ha_service *service;
    struct base_watchdog
        *watchdog; /* NULL, under the lock of @jobs: no leadership can begin any more */
    void (*ended)(void *user, const struct base_error *why);
    void *user;
    atomic_bool has_ended;
    _Atomic int64_t lease_us;
    pthread_t thread;
    struct base_mailbox jobs;
    bool quitting; /* under the lock of @jobs */
    /* lead thread only */
    bool unfit; /* last time the store was empty although nodes had work */
    char active[256];
};

/* ---------------------------------------------------------------- the mailbox */
/* With the mailbox locked. */
static void put_locked(struct rm_lead *l, const struct job *job)
{
    struct job *j = base_alloc(sizeof *j);

    *j = *job;
    base_mailbox_post_locked(&l->jobs, &j->mail); /* never closed */
}

static void put(struct rm_lead *l, const struct job *job)
{
    base_mailbox_lock(&l->jobs);
    put_locked(l, job);
    base_mailbox_unlock(&l->jobs);
}

/* Waits for a job. NULL: this RM is active, and RM_LEASE_LOOK_US have passed without one. */
static struct job *take(struct rm_lead *l)
{
    bool active = rm_backend_role(l->b) == RM_ROLE_ACTIVE; /* only this thread changes it */

    return (struct job *)base_mailbox_take(&l->jobs, active ? base_cond_now_us() + RM_LEASE_LOOK_US
                                                            : BASE_COND_NO_LIMIT);
}

static void end_process(struct rm_lead *l, const struct base_error *why)
{
    if (!atomic_exchange(&l->has_ended, true))
        l->ended(l->user, why);
}

/* ---------------------------------------------------------------- the service's calls */
static void on_lead(void *user, int64_t epoch, struct ha_store *store)
{
    struct rm_lead *l = user;
    bool quitting;

    base_mailbox_lock(&l->jobs);
    quitting = l->quitting;
    if (!quitting)
        put_locked(l, &(struct job){.kind = LEAD, .epoch = epoch, .store = store});
    base_mailbox_unlock(&l->jobs);
    if (quitting)
        ha_store_close(store);
}

static void on_stop(void *user, const char *why)
{
    struct rm_lead *l = user;

    base_mailbox_lock(&l->jobs);
    if (l->watchdog)
        base_watchdog_ending(l->watchdog);
    base_mailbox_unlock(&l->jobs);
    rm_role_depose(l->b);
    base_mailbox_lock(&l->jobs);
    for (struct base_mail *m = l->jobs.first; m; m = m->next)
        ((struct job *)m)->over = true;
    put_locked(l, &(struct job){.kind = STOP, .why = base_strdup(why)});
    base_mailbox_unlock(&l->jobs);
}

static void on_changed(void *user)
{
    put(user, &(struct job){.kind = CHANGED});
}

static void on_refused(void *user, const struct base_error *why)
{
    end_process(user, why);
}

/* ---------------------------------------------------------------- what the daemon asks */
static int64_t lease_us(void *user, int64_t epoch)
{
    struct rm_lead *l = user;

    return l->conf->lease_off ? RM_LEASE_ENDLESS : ha_service_lease_us(l->service, epoch);
}

static void resign(void *user, int64_t hold_us)
{
    put(user, &(struct job){.kind = RESIGN,
                            .hold_us = hold_us,
                            .why = base_strdup("told to give the leadership up")});
}

static void unconfirmed(void *user, int64_t epoch_seen)
{
    put(user, &(struct job){.kind = RESIGN,
                            .hold_us = UNFIT_HOLD_US,
                            .least = epoch_seen + 1,
                            .unfit = true,
                            .why = base_strdup(
                                "the state in ZooKeeper is empty where nodes work (see above)")});
}

static void epoch_low(void *user, int64_t seen)
{
    char *why =
        base_printf("nodes have obeyed epoch %lld: a higher one is needed", (long long)seen);

    put(user, &(struct job){.kind = RESIGN, .least = seen + 1, .why = why});
}

static void zk_text(void *user, char out[256])
{
    struct ha_service_status s;

    ha_service_get_status(((struct rm_lead *)user)->service, &s);
    snprintf(out, 256, "%s", s.connection);
}

static int64_t refused_writes(void *user)
{
    struct ha_service_status s;

    ha_service_get_status(((struct rm_lead *)user)->service, &s);
    return s.refused_writes;
}

static int64_t store_multis(void *user)
{
    struct ha_service_status s;

    ha_service_get_status(((struct rm_lead *)user)->service, &s);
    return s.log.multis;
}

/* ---------------------------------------------------------------- the lead thread */
static const char *grouped(int64_t n, char out[32])
{
    char digits[24];
    size_t len = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)n), at = 0;

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-')
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

static void log_active(struct rm_lead *l, int64_t epoch, int64_t took_us)
{
    struct rm_cluster_view v;
    char apps[32];

    rm_view_cluster(rm_backend_hold(l->b), &v);
    rm_backend_release(l->b);
    base_log_info(
        "rm", "active, epoch %lld, %s applications, %d nodes awaited, took %lld ms",
        (long long)epoch,
        grouped(v.apps_pending + v.apps_running + v.apps_completed + v.apps_failed + v.apps_killed,
                apps),
        v.nodes[RM_NODE_NEW], (long long)(took_us / 1000));
}

/* Which RM is active has changed. */
static void look_at_active(struct rm_lead *l)
{
    const char *url;
    char id[256];

    ha_service_get_active_rm(l->service, id);
    url = strcmp(id, l->conf->rm_id) == 0 ? "" : rm_ha_conf_find_url(l->conf, id);
    rm_role_set_active_url(l->b, url);
    if (strcmp(id, l->active) == 0)
        return;
    snprintf(l->active, sizeof l->active, "%s", id);
    if (strcmp(id, l->conf->rm_id) == 0)
        return;
    if (*url)
        base_log_info("rm", "standby; %s is active at %s", id, url);
    else if (*id)
        base_log_warn(
            "rm", "standby; %s is active, which is not one of yarn.resourcemanager.ha.rm-ids here",
            id);
    else
        base_log_info("rm", "standby; no ResourceManager is active");
}

static void learn_lease(struct rm_lead *l)
{
    struct ha_service_status s;

    ha_service_get_status(l->service, &s);
    atomic_store(&l->lease_us, s.timeout_us * 2 / 3);
}

/* With the lock held: has the end of the leadership, or of the process, been announced? */
static bool is_over(const struct rm_lead *l)
{
    for (const struct base_mail *m = l->jobs.first; m; m = m->next)
        if (((const struct job *)m)->kind == STOP)
            return true;
    return l->quitting;
}

/* Activation failed. A leadership that ended meanwhile is no fault of the store. Any other failure
 * is: this RM resigns for long, and gives up for good when no retry can help. */
static void not_activated(struct rm_lead *l, int64_t epoch, const struct base_error *err)
{
    bool hopeless = err->code == -BASE_ECORRUPT || err->code == -BASE_EVERSION, over;

    base_mailbox_lock(&l->jobs);
    over = is_over(l);
    base_mailbox_unlock(&l->jobs);
    if (err->code == -BASE_EVERSION && (over || !rm_role_holds(l->b, epoch))) {
        base_log_info("rm", "standby: %s", err->text);
        if (!over)
            ha_service_resign(l->service, 0); /* as in look_at_lease() */
        return;
    }
    base_log_error("rm", "standby: the state of the cluster cannot be taken over: %s", err->text);
    ha_service_resign(l->service, UNREADABLE_HOLD_US);
    if (hopeless)
        end_process(l, err);
}

/* False: the leadership ended before it was activated. Waits a little first if the last one found
 * an unconfirmed store. */
static bool worth_it(struct rm_lead *l, const struct job *job)
{
    const int64_t until_us = base_cond_now_us() + UNFIT_WAIT_US;
    bool over;

    base_mailbox_lock(&l->jobs);
    over = job->over || is_over(l);
    while (l->unfit && !over && base_cond_wait_until(&l->jobs.wake, &l->jobs.lock, until_us))
        over = is_over(l);
    base_mailbox_unlock(&l->jobs);
    return !over;
}

static void lead(struct rm_lead *l, struct job *job)
{
    struct base_error err = {0};
    int64_t began = rm_watch_mono_us();

    if (!worth_it(l, job)) {
        ha_store_close(job->store);
        return;
    }
    l->unfit = false;
    learn_lease(l);
    rm_role_set_active_url(l->b, "");
    if (rm_daemon_activate(l->b, job->store, job->epoch, &err) == 0)
        log_active(l, job->epoch, rm_watch_mono_us() - began);
    else
        not_activated(l, job->epoch, &err);
}

/* Ends the leadership in good order, then resigns: the next leader finds everything written. */
static void give_up(struct rm_lead *l, const struct job *job)
{
    struct base_error err = {0};

    if (job->least)
        ha_service_set_min_epoch(l->service, job->least);
    if (rm_backend_role(l->b) != RM_ROLE_ACTIVE)
        return;
    l->unfit = job->unfit;
    if (rm_daemon_retire(l->b, job->why, &err) < 0)
        base_log_warn("rm", "what was not written was not acknowledged either: %s", err.text);
    ha_service_resign(l->service, job->hold_us);
}

static void stop(struct rm_lead *l, const struct job *job)
{
    rm_daemon_deactivate(l->b, job->why);
    base_watchdog_ended(l->watchdog);
    look_at_active(l);
}

/* The service announces the end of the lease at once, and why; but not while it waits for the names
 * of ZooKeeper's servers to be resolved. */
static void look_at_lease(struct rm_lead *l)
{
    if (!rm_role_is_overdue(l->b))
        return;
    ha_service_resign(l->service, 0); /* no effect unless the service believes that it leads */
    base_watchdog_ending(l->watchdog);
    rm_daemon_deactivate(l->b, "the lease is over");
    base_watchdog_ended(l->watchdog);
}

static void quit(struct rm_lead *l)
{
    struct base_error err = {0};

    if (rm_daemon_retire(l->b, "this process ends", &err) < 0)
        base_log_warn("rm", "what was not written was not acknowledged either: %s", err.text);
}

static void *lead_main(void *arg)
{
    struct rm_lead *l = arg;
    bool more = true;

    pthread_setname_np(pthread_self(), "rm-lead");
    while (more) {
        struct job *j = take(l);

        if (!j) {
            look_at_lease(l);
            continue;
        }
        if (j->kind == LEAD)
            lead(l, j);
        else if (j->kind == STOP)
            stop(l, j);
        else if (j->kind == CHANGED)
            look_at_active(l);
        else if (j->kind == RESIGN)
            give_up(l, j);
        else
            quit(l);
        more = j->kind != QUIT;
        free(j->why);
        free(j);
    }
    return NULL;
}

/* ---------------------------------------------------------------- life */
static bool busy(void *user, uint64_t *turns)
{
    return rm_daemon_is_busy(((struct rm_lead *)user)->b, turns);
}

static int64_t lease_of(void *user)
{
    return atomic_load(&((struct rm_lead *)user)->lease_us);
}

static void expired(void *user, const char *why)
{
    (void)user;
    base_log_error("rm", "%s: this process ends itself", why);
    _exit(BASE_WATCHDOG_EXIT);
}

static void free_lead(struct rm_lead *l)
{
    base_watchdog_stop(l->watchdog);
    for (struct job *j; (j = (struct job *)base_mailbox_take(&l->jobs, 0)) != NULL; free(j))
        free(j->why);
    base_mailbox_destroy(&l->jobs);
    free(l);
}

int rm_lead_start(const struct rm_ha_conf *conf, struct rm_backend *b,
                  void (*ended)(void *user, const struct base_error *why), void *user,
                  struct rm_lead **out, struct base_error *err)
{
    struct rm_lead *l = base_alloc(sizeof *l);
    const struct ha_service_conf sc = {.store = conf->store,
                                       .servers = conf->servers,
                                       .root = conf->root,
                                       .cluster_id = conf->cluster_id,
                                       .rm_id = conf->rm_id,
                                       .auth = conf->auth,
                                       .timeout_us = conf->timeout_us,
                                       .lease_off = conf->lease_off};
    const struct ha_service_calls calls = {.user = l,
                                           .lead = on_lead,
                                           .stop = on_stop,
                                           .active_changed = on_changed,
                                           .refused = on_refused};
    const struct base_watchdog_conf dog = {
        .user = l,
        .busy = busy,
        .limit_us = lease_of,
        .expired = expired,
        .still = "the core's thread stands still for longer than the lease",
        .ending = "the end of the leadership takes longer than a second"};
    const struct rm_role_source source = {.user = l,
                                          .lease_us = lease_us,
                                          .resign = resign,
                                          .zk_text = zk_text,
                                          .refused_writes = refused_writes,
                                          .store_multis = store_multis,
                                          .unconfirmed = unconfirmed,
                                          .epoch_low = epoch_low};
    int rc;

    *l = (struct rm_lead){.conf = conf, .b = b, .ended = ended, .user = user};
    base_mailbox_init(&l->jobs);
    l->watchdog = base_watchdog_start(&dog);
    rc = ha_service_start(&sc, &calls, &l->service, err);
    if (rc < 0) {
        free_lead(l);
        return rc;
    }
    rm_role_set_source(b, &source);
    base_assert(pthread_create(&l->thread, NULL, lead_main, l) == 0);
    *out = l;
    return 0;
}

/* The leadership's threads have ended, so none of them can hang. Closing the session may take as
 * long as ZooKeeper does, which must not look like a hanging deactivation. */
static void end_watch(struct rm_lead *l)
{
    struct base_watchdog *w;

    base_mailbox_lock(&l->jobs);
    w = l->watchdog;
    l->watchdog = NULL;
    base_mailbox_unlock(&l->jobs);
    base_watchdog_stop(w);
}

/* Leaderships that were announced and never taken. */
static void close_stores(struct rm_lead *l)
{
    base_mailbox_lock(&l->jobs);
    for (struct base_mail *m = l->jobs.first; m; m = m->next) {
        struct job *j = (struct job *)m;

        if (j->kind == LEAD && j->store)
            ha_store_close(j->store);
        j->store = NULL;
    }
    base_mailbox_unlock(&l->jobs);
}

void rm_lead_stop(struct rm_lead *l)
{
    if (!l)
        return;
    base_mailbox_lock(&l->jobs);
    l->quitting = true;
    base_mailbox_unlock(&l->jobs);
    if (rm_backend_role(l->b) == RM_ROLE_ACTIVATING)
        rm_role_depose(l->b);
    put(l, &(struct job){.kind = QUIT});
    pthread_join(l->thread, NULL);
    end_watch(l);
    rm_role_set_source(l->b, NULL);
    close_stores(l);
    ha_service_stop(l->service);
    free_lead(l);
}

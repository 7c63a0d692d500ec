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
#include "rm/term/lead_rules.h"

#define NOT_WRITTEN_TEXT "what was not written was not acknowledged either"

/* News for the lead thread. Posted by the election's thread, by the core's thread, by an HTTP
 * handler or by rm_lead_stop(); owned by the lead thread once it is in the mailbox. */
struct news {
    struct base_mail mail;
    struct rm_lead_event ev;
    char *why; /* text of ev.why, owned; NULL: none */
    /* RM_LEAD_EV_ELECTED */
    uint64_t number; /* of the leadership, for rm_lead_news_is_over() */
    int64_t epoch;
    struct ha_store *store; /* NULL: none, or passed on */
};
struct rm_lead {
    const struct rm_ha_conf *conf;
    struct rm_backend *b;
    struct ha_service *service;
    /* under the mailbox's lock; NULL when no leadership can begin any more */
    struct base_watchdog *watchdog;
    void (*fail)(void *user, const struct base_error *why);
    void *user;
    atomic_bool has_failed;
    _Atomic int64_t lease_us;
    pthread_t thread;
    struct base_mailbox mailbox;
    struct rm_lead_news announced; /* under the mailbox's lock */
    /* lead thread only */
    struct rm_lead_rules rules;
    struct base_error failure; /* of the last activation */
    char active_id[256];       /* of the RM that was last shown as active */
};

/* ---------------------------------------------------------------- the mailbox */
static void free_news(struct news *n)
{
    ha_store_close(n->store);
    free(n->why);
    free(n);
}

/* The caller has locked the mailbox. Takes ownership of news->why and news->store. */
static void post_news_locked(struct rm_lead *l, const struct news *news)
{
    struct news *n = base_alloc(sizeof *n);

    *n = *news;
    n->ev.why = n->why;
    base_mailbox_post_locked(&l->mailbox, &n->mail); /* the mailbox is never closed */
}

static void post_news(struct rm_lead *l, const struct news *news)
{
    base_mailbox_lock(&l->mailbox);
    post_news_locked(l, news);
    base_mailbox_unlock(&l->mailbox);
}

/* Waits for news. Returns NULL when this RM is active and has had none for
 * RM_LEASE_CHECK_US. */
static struct news *take_news(struct rm_lead *l)
{
    int64_t until_us = l->rules.state == RM_LEAD_ACTIVE ? base_cond_now_us() + RM_LEASE_CHECK_US
                                                        : BASE_COND_NO_LIMIT;

    return (struct news *)base_mailbox_take(&l->mailbox, until_us);
}

/* Lets the process stop with the error @why; only the first call has an effect. */
static void fail_process(struct rm_lead *l, const struct base_error *why)
{
    if (!atomic_exchange(&l->has_failed, true))
        l->fail(l->user, why);
}

/* ---------------------------------------------------------------- what the election announces */
static void post_election(void *user, int64_t epoch, struct ha_store *store)
{
    struct rm_lead *l = user;
    uint64_t number;

    base_mailbox_lock(&l->mailbox);
    number = rm_lead_news_add_election(&l->announced);
    if (number)
        post_news_locked(l, &(struct news){.ev.kind = RM_LEAD_EV_ELECTED,
                                           .number = number,
                                           .epoch = epoch,
                                           .store = store});
    base_mailbox_unlock(&l->mailbox);
    if (!number)
        ha_store_close(store);
}

/* Deposes this RM before the lead thread gets the news: nothing may be granted or acknowledged from
 * now on, whatever that thread is busy with. */
static void depose_and_post_end(void *user, const char *why)
{
    struct rm_lead *l = user;

    base_mailbox_lock(&l->mailbox);
    if (l->watchdog)
        base_watchdog_arm_end_limit(l->watchdog);
    base_mailbox_unlock(&l->mailbox);
    rm_role_depose(l->b);
    base_mailbox_lock(&l->mailbox);
    rm_lead_news_end_leaderships(&l->announced);
    post_news_locked(l, &(struct news){.ev.kind = RM_LEAD_EV_DEPOSED, .why = base_strdup(why)});
    base_mailbox_unlock(&l->mailbox);
}

static void post_active_rm_changed(void *user)
{
    post_news(user, &(struct news){.ev.kind = RM_LEAD_EV_OTHER_ACTIVE});
}

static void fail_process_on_refusal(void *user, const struct base_error *why)
{
    fail_process(user, why);
}

/* ---------------------------------------------------------------- struct rm_role_source */
static int64_t get_lease_end_us(void *user, int64_t epoch)
{
    struct rm_lead *l = user;

    return l->conf->lease_off ? RM_LEASE_ENDLESS : ha_service_lease_end_us(l->service, epoch);
}

static void post_resign_request(void *user, int64_t hold_us)
{
    post_news(user, &(struct news){.ev = {.kind = RM_LEAD_EV_ASKED_TO_RESIGN, .hold_us = hold_us},
                                   .why = base_strdup("told to give the leadership up")});
}

static void post_store_unconfirmed(void *user, int64_t epoch_seen)
{
    post_news(user,
              &(struct news){.ev = {.kind = RM_LEAD_EV_STORE_UNCONFIRMED, .epoch_seen = epoch_seen},
                             .why = base_strdup(
                                 "the state in ZooKeeper is empty where nodes work (see above)")});
}

static void post_epoch_low(void *user, int64_t epoch_seen)
{
    post_news(user, &(struct news){
                        .ev = {.kind = RM_LEAD_EV_EPOCH_LOW, .epoch_seen = epoch_seen},
                        .why = base_printf("nodes have obeyed epoch %lld: a higher one is needed",
                                           (long long)epoch_seen)});
}

static void get_connection_text(void *user, char out[256])
{
    struct ha_service_status s;

    ha_service_get_status(((struct rm_lead *)user)->service, &s);
    snprintf(out, 256, "%s", s.connection);
}

static int64_t get_refused_writes(void *user)
{
    struct ha_service_status s;

    ha_service_get_status(((struct rm_lead *)user)->service, &s);
    return s.refused_writes;
}

static int64_t get_store_multis(void *user)
{
    struct ha_service_status s;

    ha_service_get_status(((struct rm_lead *)user)->service, &s);
    return s.log.multis;
}

/* ---------------------------------------------------------------- effects of the rules */
/* Writes @n with commas between thousands. Returns @out. */
static const char *group_digits(int64_t n, char out[32])
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

static void log_activation(struct rm_lead *l, int64_t epoch, int64_t took_us)
{
    struct rm_cluster_view v;
    char apps[32];

    rm_view_cluster(rm_backend_lock_core(l->b), &v);
    rm_backend_unlock_core(l->b);
    base_log_info("rm", "active, epoch %lld, %s applications, %d nodes awaited, took %lld ms",
                  (long long)epoch,
                  group_digits(v.apps_pending + v.apps_running + v.apps_completed + v.apps_failed +
                                   v.apps_killed,
                               apps),
                  v.nodes[RM_NODE_NEW], (long long)(took_us / 1000));
}

/* Makes the address of the active RM known to handlers, and logs a change of the active RM unless
 * this one has become active. */
static void publish_and_log_active_rm(struct rm_lead *l)
{
    const char *url;
    char id[256];

    ha_service_get_active_rm(l->service, id);
    url = strcmp(id, l->conf->rm_id) == 0 ? "" : rm_ha_conf_find_url(l->conf, id);
    rm_role_set_active_url(l->b, url);
    if (strcmp(id, l->active_id) == 0)
        return;
    snprintf(l->active_id, sizeof l->active_id, "%s", id);
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

/* Sets the watchdog's limit from the session time-out that ZooKeeper has granted, which may differ
 * from the one that was asked for. */
static void update_watchdog_limit(struct rm_lead *l)
{
    struct ha_service_status s;

    ha_service_get_status(l->service, &s);
    atomic_store(&l->lease_us, s.timeout_us * 2 / 3);
}

static bool leadership_is_over(struct rm_lead *l, uint64_t number)
{
    bool over;

    base_mailbox_lock(&l->mailbox);
    over = rm_lead_news_is_over(&l->announced, number);
    base_mailbox_unlock(&l->mailbox);
    return over;
}

static void pause_unless_over(struct rm_lead *l, uint64_t number)
{
    const int64_t until_us = base_cond_now_us() + RM_LEAD_PAUSE_US;

    base_mailbox_lock(&l->mailbox);
    while (!rm_lead_news_is_over(&l->announced, number) &&
           base_cond_wait_until(&l->mailbox.wake, &l->mailbox.lock, until_us))
        ;
    base_mailbox_unlock(&l->mailbox);
}

/* Returns 0 when the leadership is active; else the error, whose text is in l->failure. */
static int activate_leadership(struct rm_lead *l, struct news *n)
{
    int64_t began_us = rm_parking_mono_us();
    struct ha_store *store = n->store;
    int rc;

    n->store = NULL;
    update_watchdog_limit(l);
    rm_role_set_active_url(l->b, "");
    rc = rm_daemon_activate(l->b, store, n->epoch, &l->failure);
    if (rc == 0)
        log_activation(l, n->epoch, rm_parking_mono_us() - began_us);
    return rc;
}

static void deactivate_under_watchdog(struct rm_lead *l, const char *why)
{
    base_watchdog_arm_end_limit(l->watchdog);
    rm_daemon_abort_leadership(l->b, why);
    base_watchdog_disarm_end_limit(l->watchdog);
}

static void retire_and_log_unwritten(struct rm_lead *l, const char *why)
{
    struct base_error err = {0};

    if (rm_daemon_finish_leadership(l->b, why, &err) < 0)
        base_log_warn("rm", NOT_WRITTEN_TEXT ": %s", err.text);
}

/* @n: the news whose effect this is. A pause or an activation turns @n into its result. */
static void carry_out_effect(struct rm_lead *l, struct news *n, const struct rm_lead_effect *fx)
{
    switch (fx->kind) {
    case RM_LEAD_FX_CLOSE_STORE:
        ha_store_close(n->store);
        n->store = NULL;
        break;
    case RM_LEAD_FX_PAUSE:
        pause_unless_over(l, n->number);
        n->ev.kind = RM_LEAD_EV_PAUSED;
        break;
    case RM_LEAD_FX_ACTIVATE:
        n->ev.code = activate_leadership(l, n);
        n->ev.kind = RM_LEAD_EV_ACTIVATED;
        break;
    case RM_LEAD_FX_DEACTIVATE:
        deactivate_under_watchdog(l, fx->why);
        break;
    case RM_LEAD_FX_RETIRE:
        retire_and_log_unwritten(l, fx->why);
        break;
    case RM_LEAD_FX_RESIGN:
        ha_service_resign(l->service, fx->hold_us);
        break;
    case RM_LEAD_FX_SET_EPOCH:
        ha_service_raise_min_epoch(l->service, fx->epoch);
        break;
    case RM_LEAD_FX_SHOW_ACTIVE:
        publish_and_log_active_rm(l);
        break;
    case RM_LEAD_FX_LOG_OVER:
        base_log_info("rm", "standby: %s", l->failure.text);
        break;
    case RM_LEAD_FX_LOG_FAILURE:
        base_log_error("rm", "standby: the state of the cluster cannot be taken over: %s",
                       l->failure.text);
        break;
    case RM_LEAD_FX_FAIL_PROCESS:
        fail_process(l, &l->failure);
        break;
    }
}

/* ---------------------------------------------------------------- the lead thread */
/* Steps the rules and carries out their effects. The result of a pause or an activation is the next
 * event of the same election. */
static void handle_news(struct rm_lead *l, struct news *n)
{
    struct rm_lead_effects out;
    enum rm_lead_event_kind handled;

    do {
        handled = n->ev.kind;
        n->ev.over = leadership_is_over(l, n->number);
        n->ev.leads = handled == RM_LEAD_EV_ACTIVATED && n->ev.code == -BASE_EVERSION &&
                      rm_role_lease_holds(l->b, n->epoch);
        rm_lead_step(&l->rules, &n->ev, &out);
        for (size_t i = 0; i < out.n; i++)
            carry_out_effect(l, n, &out.v[i]);
    } while (n->ev.kind != handled);
    if (handled == RM_LEAD_EV_DEPOSED)
        base_watchdog_disarm_end_limit(l->watchdog); /* armed by depose_and_post_end() */
}

/* Ends the leadership if its lease is over. Usually the election announces that at once, but not
 * while its thread waits for the names of ZooKeeper's servers to be resolved. */
static void end_leadership_if_lease_overdue(struct rm_lead *l)
{
    if (rm_role_check_lease_overdue(l->b))
        handle_news(l, &(struct news){.ev.kind = RM_LEAD_EV_LEASE_OVERDUE});
}

static void *lead_main(void *arg)
{
    struct rm_lead *l = arg;
    bool more = true;

    pthread_setname_np(pthread_self(), "rm-lead");
    while (more) {
        struct news *n = take_news(l);

        if (!n) {
            end_leadership_if_lease_overdue(l);
            continue;
        }
        more = n->ev.kind != RM_LEAD_EV_QUIT;
        handle_news(l, n);
        free_news(n);
    }
    return NULL;
}

/* ---------------------------------------------------------------- start and stop */
static bool is_core_busy(void *user, uint64_t *turns)
{
    return rm_daemon_is_busy(((struct rm_lead *)user)->b, turns);
}

static int64_t get_watchdog_limit_us(void *user)
{
    return atomic_load(&((struct rm_lead *)user)->lease_us);
}

static void exit_process(void *user, const char *why)
{
    (void)user;
    base_log_error("rm", "%s: this process ends itself", why);
    _exit(BASE_WATCHDOG_EXIT);
}

static void free_lead(struct rm_lead *l)
{
    base_watchdog_stop(l->watchdog);
    for (struct news *n; (n = (struct news *)base_mailbox_take(&l->mailbox, 0)) != NULL;)
        free_news(n);
    base_mailbox_destroy(&l->mailbox);
    free(l);
}

int rm_lead_start(const struct rm_ha_conf *conf, struct rm_backend *b,
                  void (*fail)(void *user, const struct base_error *why), void *user,
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
                                           .lead = post_election,
                                           .stop = depose_and_post_end,
                                           .active_changed = post_active_rm_changed,
                                           .refused = fail_process_on_refusal};
    const struct base_watchdog_conf dog = {
        .user = l,
        .busy = is_core_busy,
        .limit_us = get_watchdog_limit_us,
        .expired = exit_process,
        .still = "the core's thread stands still for longer than the lease",
        .ending = "the end of the leadership takes longer than a second"};
    const struct rm_role_source source = {.user = l,
                                          .lease_us = get_lease_end_us,
                                          .resign = post_resign_request,
                                          .zk_text = get_connection_text,
                                          .refused_writes = get_refused_writes,
                                          .store_multis = get_store_multis,
                                          .unconfirmed = post_store_unconfirmed,
                                          .epoch_low = post_epoch_low};
    int rc;

    *l = (struct rm_lead){.conf = conf, .b = b, .fail = fail, .user = user};
    base_mailbox_init(&l->mailbox);
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
 * long as ZooKeeper takes, which must not look like a hanging deactivation. */
static void stop_watchdog(struct rm_lead *l)
{
    struct base_watchdog *w;

    base_mailbox_lock(&l->mailbox);
    w = l->watchdog;
    l->watchdog = NULL;
    base_mailbox_unlock(&l->mailbox);
    base_watchdog_stop(w);
}

/* The lead thread ends before the election: an orderly end still writes to its store. */
void rm_lead_stop(struct rm_lead *l)
{
    if (!l)
        return;
    base_mailbox_lock(&l->mailbox);
    rm_lead_news_set_quitting(&l->announced);
    base_mailbox_unlock(&l->mailbox);
    if (rm_backend_role(l->b) == RM_ROLE_ACTIVATING)
        rm_role_depose(l->b); /* aborts the reading */
    post_news(l, &(struct news){.ev.kind = RM_LEAD_EV_QUIT});
    pthread_join(l->thread, NULL);
    stop_watchdog(l);
    rm_role_set_source(l->b, NULL);
    ha_service_stop(l->service);
    free_lead(l);
}

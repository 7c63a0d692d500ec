#include "ha/election/service.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/io/log.h"
#include "base/mem.h"
#include "ha/election/instance.h"
#include "ha/log/follow.h"
#include "ha/store/shared.h"
#include "ha/zk/client.h"

/* delay before the first warning that no server answers, and between later warnings */
#define SILENT_FIRST_US 1000000
#define SILENT_AGAIN_US 30000000
#define NO_EPOCH        (-1)

struct ended_leadership { /* kept until no caller on the stack uses its store */
    struct ended_leadership *next;
    struct ha_store *store;
};

struct ha_service {
    struct ha_service_calls calls;
    const struct ha_store_ops *store_ops;
    char *root;
    pthread_t thread;
    /* used by the service thread only */
    struct ha_zk_client *client;
    struct ha_election *election;
    struct ha_store *store; /* store of the current leadership; NULL: none */
    struct ha_log_follow *follow;
    bool follow_logged;
    struct ended_leadership *ended;
    uint64_t leaderships;
    bool connected;
    int64_t session, timeout_us, silent_since_us, silent_next_us;
    struct ha_log_stats log;
    /* used by any thread */
    _Atomic int64_t held_epoch, lease_us, refused_writes;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool woken, stop, resign;
    int64_t hold_us, least;
    struct ha_service_status status; /* as of the last turn */
    char active[256];
};

static int64_t mono_us(void)
{
    return base_mono_us(&base_clock_real);
}

static void wake_service_thread(void *user)
{
    struct ha_service *s = user;

    pthread_mutex_lock(&s->lock);
    s->woken = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

static void publish_lease(struct ha_service *s)
{
    atomic_store(&s->lease_us, s->store ? ha_election_lease_end_us(s->election) : 0);
}

/* ---- callbacks of log and election ---- */

static void send_request(void *user, const struct ha_zk_request *rq)
{
    struct ha_service *s = user;

    ha_zk_client_send_request(s->client, rq);
}

static void depose_after_log_end(void *user, const char *text, bool broken)
{
    struct ha_service *s = user;

    base_log(broken ? BASE_LOG_ERROR : BASE_LOG_WARN, "ha", "%s", text);
    ha_election_on_fenced_write(s->election, mono_us());
}

static void open_store_and_lead(void *user, int64_t epoch, int32_t version)
{
    struct ha_service *s = user;
    struct ha_log_kept kept;
    const struct ha_store_lead lead = {epoch,
                                       version,
                                       ++s->leaderships,
                                       &kept,
                                       send_request,
                                       wake_service_thread,
                                       depose_after_log_end,
                                       s};
    int rc;

    ha_log_follow_stop_and_take(s->follow, &kept);
    s->follow_logged = false;
    base_log_info("ha",
                  "elected: active under epoch %" PRId64 ", %zu segments of the state already read",
                  epoch, kept.n);
    rc = ha_store_open(s->store_ops, s->root, &lead, &s->store, &epoch, NULL);
    base_assert(rc == 0); /* a shared store reports errors at its first load */
    publish_lease(s);
    atomic_store(&s->held_epoch, epoch);
    s->calls.lead(s->calls.user, epoch, s->store);
}

static void abort_store_and_stop(void *user, const char *why)
{
    struct ha_service *s = user;
    struct ended_leadership *d = base_alloc(sizeof *d);

    atomic_store(&s->held_epoch, NO_EPOCH);
    atomic_store(&s->lease_us, 0);
    base_log_info("ha", "standby: %s", why);
    ha_store_abort(s->store);
    d->store = s->store;
    d->next = s->ended;
    s->ended = d;
    s->store = NULL;
    s->calls.stop(s->calls.user, why);
}

static void publish_active_rm(void *user)
{
    struct ha_service *s = user;

    pthread_mutex_lock(&s->lock);
    snprintf(s->active, sizeof s->active, "%s", ha_election_active_rm(s->election));
    pthread_mutex_unlock(&s->lock);
    s->calls.active_changed(s->calls.user);
}

static void report_refusal(void *user, const struct base_error *why)
{
    struct ha_service *s = user;

    s->calls.refused(s->calls.user, why);
}

static bool is_instance_surely_dead(void *user, const char *instance)
{
    (void)user;
    return ha_instance_is_surely_dead(instance);
}

static void log_election_note(void *user, int level, const char *text)
{
    (void)user;
    base_log((enum base_log_level)level, "ha", "%s", text);
}

/* ---- events ---- */

static void record_and_log_connection(struct ha_service *s, const struct ha_zk_event *ev)
{
    char text[sizeof s->status.connection];

    s->connected = true;
    s->session = ev->session;
    s->timeout_us = ev->timeout_us;
    ha_zk_client_describe_connection(s->client, text, sizeof text);
    base_log_info("ha", "%s, time-out %" PRId64 " ms", text, ev->timeout_us / 1000);
}

static void record_disconnection(struct ha_service *s, int64_t now_us)
{
    if (!s->connected)
        return;
    s->connected = false;
    s->silent_since_us = now_us;
    s->silent_next_us = now_us + SILENT_FIRST_US;
}

static void count_refusal_or_extend_lease(struct ha_service *s, const struct ha_zk_event *ev,
                                          int64_t now_us)
{
    if (ev->asked == HA_ZK_MULTI && ev->code == HA_ZK_BADVERSION && ev->failed_op == 0)
        atomic_fetch_add(&s->refused_writes, 1); /* a multi's first operation checks the epoch */
    /* an answer after the end of the lease must not extend it */
    ha_election_run_timers(s->election, now_us);
    if (ev->asked == HA_ZK_MULTI && ev->code == HA_ZK_OK)
        ha_election_extend_lease(s->election, ev->sent_us);
}

static void dispatch_event(void *user, const struct ha_zk_event *ev)
{
    struct ha_service *s = user;
    const int64_t now_us = mono_us();

    if (ev->kind == HA_ZK_CONNECTED)
        record_and_log_connection(s, ev);
    else if (ev->kind == HA_ZK_DISCONNECTED || ev->kind == HA_ZK_SESSION_OVER)
        record_disconnection(s, now_us);
    if (ev->kind != HA_ZK_RESULT || ev->owner == HA_ZK_FOR_FOLLOW)
        ha_log_follow_on_event(s->follow, ev, now_us);
    if (ev->kind != HA_ZK_RESULT || ev->owner == HA_ZK_FOR_ELECTION)
        ha_election_on_event(s->election, ev, now_us);
    else if (ev->owner == HA_ZK_FOR_LOG)
        count_refusal_or_extend_lease(s, ev, now_us);
    publish_lease(s);
    if (s->store && ev->kind != HA_ZK_WATCH &&
        (ev->kind != HA_ZK_RESULT || ev->owner == HA_ZK_FOR_LOG))
        s->store_ops->shared->handle_event(s->store, ev);
}

/* ---- the thread ---- */

static void warn_if_zookeeper_silent(struct ha_service *s, int64_t now_us)
{
    char text[256];

    if (s->connected || now_us < s->silent_next_us)
        return;
    s->silent_next_us = now_us + SILENT_AGAIN_US;
    ha_zk_client_describe_connection(s->client, text, sizeof text);
    base_log_warn("ha", "ZooKeeper has not answered for %" PRId64 " s: %s; trying again (%s)",
                  (now_us - s->silent_since_us) / 1000000, text,
                  s->store ? "active until the lease ends" : "standby");
}

static void publish_status(struct ha_service *s)
{
    struct ha_service_status now = {.state = ha_election_get_state(s->election),
                                    .epoch = ha_election_highest_epoch(s->election),
                                    .session = s->session,
                                    .timeout_us = s->timeout_us,
                                    .read_along = ha_log_follow_reached_end(s->follow)};

    if (s->store)
        s->store_ops->shared->stats(s->store, &s->log);
    else
        s->log = (struct ha_log_stats){0};
    now.log = s->log;
    ha_zk_client_describe_connection(s->client, now.connection, sizeof now.connection);
    pthread_mutex_lock(&s->lock);
    s->status = now;
    pthread_mutex_unlock(&s->lock);
}

static void release_ended_stores(struct ha_service *s)
{
    while (s->ended) {
        struct ended_leadership *d = s->ended;

        s->ended = d->next;
        s->store_ops->shared->release(d->store);
        free(d);
    }
}

static int64_t earlier_time_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Waits until @at_us or the next wake-up. Sets *@resign, *@hold_us and *@least to what other
 * threads have requested. Returns false when the service is to stop. */
static bool wait_for_work(struct ha_service *s, int64_t at_us, bool *resign, int64_t *hold_us,
                          int64_t *least)
{
    bool stop;

    pthread_mutex_lock(&s->lock);
    while (!s->woken) {
        int64_t left = at_us - mono_us();

        if (left <= 0)
            break;
        if (left > SILENT_AGAIN_US)
            left = SILENT_AGAIN_US;
        base_cond_wait_for(&s->wake, &s->lock, left);
    }
    s->woken = false;
    stop = s->stop;
    *resign = s->resign;
    *hold_us = s->hold_us;
    *least = s->least;
    s->resign = false;
    pthread_mutex_unlock(&s->lock);
    return !stop;
}

static void follow_log_on_standby(struct ha_service *s, int64_t now_us)
{
    if (ha_election_get_state(s->election) == HA_WAITING)
        ha_log_follow_start(s->follow, now_us);
    ha_log_follow_run_timers(s->follow, now_us);
    if (ha_log_follow_reached_end(s->follow) && !s->follow_logged)
        base_log_info("ha", "following the leader's state: %zu segments read so far",
                      ha_log_follow_segment_count(s->follow));
    s->follow_logged = ha_log_follow_reached_end(s->follow);
}

/* One turn of the service thread. Timers run before events, so that an event which arrives after
 * the end of the lease cannot extend it, and again after the store's work, which may have taken
 * long. Stores of ended leaderships are released when no callback uses them any more. Returns the
 * time at which the next turn is due. */
static int64_t run_service_turn(struct ha_service *s)
{
    int64_t now_us = mono_us();

    ha_election_run_timers(s->election, now_us);
    publish_lease(s);
    ha_zk_client_deliver_events(s->client, now_us, dispatch_event, s);
    if (s->store)
        s->store_ops->shared->take_write(s->store);
    now_us = mono_us();
    ha_election_run_timers(s->election, now_us);
    publish_lease(s);
    release_ended_stores(s);
    follow_log_on_standby(s, now_us);
    warn_if_zookeeper_silent(s, now_us);
    publish_status(s);
    return earlier_time_of(earlier_time_of(ha_election_next_timer_us(s->election),
                                           ha_log_follow_next_timer_us(s->follow)),
                           earlier_time_of(ha_zk_client_next_timer_us(s->client),
                                           s->connected ? INT64_MAX : s->silent_next_us));
}

static void *service_thread(void *user)
{
    struct ha_service *s = user;
    bool resign;
    int64_t hold_us, least, at_us = 0;

    pthread_setname_np(pthread_self(), "leadership");
    while (wait_for_work(s, at_us, &resign, &hold_us, &least)) {
        ha_election_raise_min_epoch(s->election, least);
        if (resign)
            ha_election_resign(s->election, hold_us, mono_us());
        at_us = run_service_turn(s);
    }
    ha_election_resign(s->election, INT64_MAX, mono_us());
    release_ended_stores(s);
    /* lets requests under way be answered before it closes the session */
    ha_zk_client_free(s->client);
    s->client = NULL;
    return NULL;
}

/* ---- any thread ---- */

static int check_conf(const struct ha_service_conf *conf, struct base_error *err)
{
    size_t root_len = strlen(conf->root);

    if (!conf->rm_id[0] || strpbrk(conf->rm_id, "~/ \t\n") || strlen(conf->rm_id) > 200)
        return base_error_set(
            err, -BASE_EINVAL,
            "rm-id is \"%s\": expected 1 to 200 characters without '~', '/' and spaces",
            conf->rm_id);
    if (!conf->cluster_id[0] || strpbrk(conf->cluster_id, "/ \t\n"))
        return base_error_set(err, -BASE_EINVAL,
                              "cluster-id is \"%s\": expected a word without '/'",
                              conf->cluster_id);
    if (conf->root[0] != '/' || root_len < 2 || conf->root[root_len - 1] == '/' ||
        strstr(conf->root, "//"))
        return base_error_set(err, -BASE_EINVAL,
                              "root in ZooKeeper is \"%s\": expected a path as /creel/cluster",
                              conf->root);
    if (conf->timeout_us < 1000)
        return base_error_set(err, -BASE_EINVAL,
                              "session time-out is %" PRId64 " us: expected 1 ms at least",
                              conf->timeout_us);
    return 0;
}

static struct ha_election *create_election(struct ha_service *s, const struct ha_service_conf *conf)
{
    char instance[HA_INSTANCE_MAX];
    char *auth_as = base_printf("digest:%s", ha_zk_client_short_auth_id(s->client));
    const struct ha_election_conf econf = {.root = conf->root,
                                           .cluster_id = conf->cluster_id,
                                           .rm_id = conf->rm_id,
                                           .instance = instance,
                                           .auth_as = auth_as,
                                           .lease_off = conf->lease_off};
    const struct ha_election_calls calls = {.user = s,
                                            .send = send_request,
                                            .elected = open_store_and_lead,
                                            .deposed = abort_store_and_stop,
                                            .active_changed = publish_active_rm,
                                            .refused = report_refusal,
                                            .surely_dead = is_instance_surely_dead,
                                            .note = log_election_note};
    struct ha_election *e;

    ha_instance_describe_self(instance);
    e = ha_election_new(&econf, &calls);
    free(auth_as);
    return e;
}

static void init_lock_wakeup_and_silence_watch(struct ha_service *s)
{
    pthread_mutex_init(&s->lock, NULL);
    base_cond_init(&s->wake);
    s->silent_since_us = mono_us();
    s->silent_next_us = s->silent_since_us + SILENT_FIRST_US;
}

/* Call after the thread has ended. */
static void service_free(struct ha_service *s)
{
    ha_zk_client_free(s->client);
    ha_election_free(s->election);
    ha_log_follow_free(s->follow);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    free(s->root);
    free(s);
}

int ha_service_start(const struct ha_service_conf *conf, const struct ha_service_calls *calls,
                     struct ha_service **out, struct base_error *err)
{
    struct ha_service *s = base_alloc(sizeof *s);
    const struct ha_zk_client_conf zk = {conf->servers, conf->auth, conf->timeout_us,
                                         wake_service_thread, s};
    sigset_t all, before;
    int rc = check_conf(conf, err);

    if (rc == 0)
        rc = ha_zk_client_new(&zk, &s->client, err);
    if (rc < 0) {
        free(s);
        return rc;
    }
    s->calls = *calls;
    s->store_ops = conf->store;
    s->root = base_strdup(conf->root);
    atomic_init(&s->held_epoch, NO_EPOCH);
    init_lock_wakeup_and_silence_watch(s);
    s->election = create_election(s, conf);
    s->follow = ha_log_follow_new(conf->root, send_request, s);
    publish_status(s);
    /* our thread starts libzookeeper's threads; none of them may receive the process's signals */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&s->thread, NULL, service_thread, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        service_free(s);
        return base_error_sys(err, -BASE_EIO, rc, "cannot start the thread of the leadership");
    }
    *out = s;
    return 0;
}

void ha_service_stop(struct ha_service *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = s->woken = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    service_free(s);
}

/* Each epoch is held only once. If it is held both before and after reading the lease, the lease
 * belongs to this epoch. */
int64_t ha_service_lease_end_us(const struct ha_service *s, int64_t epoch)
{
    int64_t lease_us;

    if (atomic_load(&s->held_epoch) != epoch)
        return 0;
    lease_us = atomic_load(&s->lease_us);
    return atomic_load(&s->held_epoch) == epoch ? lease_us : 0;
}

void ha_service_resign(struct ha_service *s, int64_t hold_us)
{
    pthread_mutex_lock(&s->lock);
    s->resign = s->woken = true;
    s->hold_us = hold_us;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

void ha_service_raise_min_epoch(struct ha_service *s, int64_t epoch)
{
    pthread_mutex_lock(&s->lock);
    if (epoch > s->least)
        s->least = epoch;
    s->woken = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

void ha_service_get_active_rm(const struct ha_service *s, char out[256])
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&s->lock;

    pthread_mutex_lock(lock);
    memcpy(out, s->active, sizeof s->active);
    pthread_mutex_unlock(lock);
}

void ha_service_get_status(const struct ha_service *s, struct ha_service_status *out)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&s->lock;

    pthread_mutex_lock(lock);
    *out = s->status;
    pthread_mutex_unlock(lock);
    out->refused_writes = atomic_load(&s->refused_writes);
    out->lease_us = atomic_load(&s->lease_us);
}

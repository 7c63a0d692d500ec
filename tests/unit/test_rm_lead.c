/* Goal: what the election says is what the daemon does: it leads when elected and no longer than
 * that, gives up in good order when told to, says who else is active, and ends the process where it
 * cannot go on.
 * Method: the lead thread over a service of the test, which elects when it is told to, and memory's
 * store. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/conf/conf.h"
#include "base/io/watchdog.h"
#include "ha/election/service.h"
#include "rm/http/spec_json.h"
#include "rm/leader/leader.h"
#include "rm/leader/role.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

/* ---------------------------------------------------------------- the service of the test */
static struct {
    struct ha_service_calls calls;
    pthread_mutex_t lock;
    char active[256];
    int64_t hold_us, least;
    _Atomic int64_t epoch; /* of the leadership held; -1: none */
    atomic_int resigned, stopped, open_stores, ended, loads;
    atomic_bool corrupt, block, slow_end;
} sv = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct store { /* as ha/store/store.h wants it */
    const struct ha_store_ops *ops;
    struct ha_store *inner;
};

static int zk_load(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                   struct base_error *err)
{
    const struct timespec tick = {0, 1000000};

    atomic_fetch_add(&sv.loads, 1);
    while (atomic_load(&sv.block))
        nanosleep(&tick, NULL);
    if (atomic_load(&sv.corrupt))
        return base_error_set(err, -BASE_ECORRUPT, "/creel/c1/log/0000000003: its sum is wrong");
    return ha_store_load(((struct store *)s)->inner, table, each, user, err);
}

static int zk_write(struct ha_store *s, const struct ha_record *v, size_t n, struct base_error *err)
{
    if (atomic_load(&sv.epoch) < 0)
        return base_error_set(err, -BASE_EVERSION, "deposed");
    return ha_store_write(((struct store *)s)->inner, v, n, err);
}

static void zk_close(struct ha_store *s)
{
    ha_store_close(((struct store *)s)->inner);
    free(s);
    atomic_fetch_sub(&sv.open_stores, 1);
}

static void zk_abort(struct ha_store *s)
{
    (void)s;
    atomic_store(&sv.block, false);
}
static const struct ha_store_ops zk_ops = {
    .name = "zookeeper", .load = zk_load, .write = zk_write, .close = zk_close, .abort = zk_abort};

int ha_service_start(const struct ha_service_conf *conf, const struct ha_service_calls *calls,
                     struct ha_service **out, struct base_error *err)
{
    (void)err;
    CU_ASSERT_STRING_EQUAL(conf->rm_id, "rm1");
    CU_ASSERT_STRING_EQUAL(conf->root, "/creel/c1");
    sv.calls = *calls;
    sv.active[0] = '\0';
    atomic_store(&sv.epoch, -1);
    atomic_store(&sv.resigned, 0);
    *out = (struct ha_service *)&sv;
    return 0;
}

static void say_stop(const char *why)
{
    atomic_store(&sv.epoch, -1);
    sv.calls.stop(sv.calls.user, why);
}

void ha_service_stop(struct ha_service *s)
{
    const struct timespec longer = {BASE_WATCHDOG_END_US / 1000000, 500000000};

    CU_ASSERT_PTR_EQUAL(s, (struct ha_service *)&sv);
    CU_ASSERT_EQUAL(atomic_load(&sv.open_stores), 0); /* all stores were closed before */
    if (atomic_load(&sv.epoch) >= 0)
        say_stop("resigned");
    if (atomic_exchange(&sv.slow_end, false)) /* ZooKeeper does not answer */
        nanosleep(&longer, NULL);
    atomic_fetch_add(&sv.stopped, 1);
}

int64_t ha_service_lease_end_us(const struct ha_service *s, int64_t epoch)
{
    (void)s;
    return atomic_load(&sv.epoch) == epoch ? INT64_MAX : 0;
}

void ha_service_resign(struct ha_service *s, int64_t hold_us)
{
    (void)s;
    pthread_mutex_lock(&sv.lock);
    sv.hold_us = hold_us;
    pthread_mutex_unlock(&sv.lock);
    if (atomic_load(&sv.epoch) >= 0)
        say_stop("resigned");
    atomic_fetch_add(&sv.resigned, 1);
}

void ha_service_raise_min_epoch(struct ha_service *s, int64_t epoch)
{
    (void)s;
    pthread_mutex_lock(&sv.lock);
    sv.least = epoch;
    pthread_mutex_unlock(&sv.lock);
}

void ha_service_get_active_rm(const struct ha_service *s, char out[256])
{
    (void)s;
    pthread_mutex_lock(&sv.lock);
    memcpy(out, sv.active, 256);
    pthread_mutex_unlock(&sv.lock);
}

void ha_service_get_status(const struct ha_service *s, struct ha_service_status *out)
{
    (void)s;
    *out = (struct ha_service_status){
        .timeout_us = 60000000, .refused_writes = 7, .connection = "connected to here"};
}

static void say_active(const char *id)
{
    pthread_mutex_lock(&sv.lock);
    snprintf(sv.active, sizeof sv.active, "%s", id);
    pthread_mutex_unlock(&sv.lock);
    sv.calls.active_changed(sv.calls.user);
}

static void say_lead(void)
{
    struct store *s = base_alloc(sizeof *s);
    int64_t epoch;

    s->ops = &zk_ops;
    s->inner = memory_open("lead", &epoch);
    atomic_fetch_add(&sv.open_stores, 1);
    atomic_store(&sv.epoch, epoch);
    sv.calls.lead(sv.calls.user, epoch, (struct ha_store *)s);
}

/* ---------------------------------------------------------------- the RM */
struct world {
    struct base_conf *conf;
    struct rm_ha_conf ha;
    struct rm_backend *b;
    struct rm_lead *lead;
};

static void on_ended(void *user, const struct base_error *why)
{
    (void)user;
    CU_ASSERT(why->code < 0);
    atomic_fetch_add(&sv.ended, 1);
}

static void open_world(struct world *w)
{
    static const char *const args[] = {"yarn.resourcemanager.ha.rm-ids=rm1,rm2",
                                       "yarn.resourcemanager.webapp.address.rm1=127.0.0.1:1",
                                       "yarn.resourcemanager.webapp.address.rm2=127.0.0.1:2",
                                       "yarn.resourcemanager.ha.id=rm1",
                                       "yarn.resourcemanager.zk-address=127.0.0.1:3",
                                       "yarn.resourcemanager.cluster-id=c1",
                                       "hadoop.zk.auth=digest:creel:s"};
    char *all;

    w->conf = base_conf_new();
    for (size_t i = 0; i < sizeof args / sizeof *args; i++)
        base_assert(base_conf_set_arg(w->conf, args[i], NULL) == 0);
    base_assert(rm_ha_conf_read(w->conf, true, &w->ha, NULL) == 0);
    base_assert(rm_daemon_new_standby(w->conf, &w->b, NULL) == 0);
    all = rm_ha_conf_join_urls_own_first(&w->ha);
    rm_role_set_identity(w->b, w->ha.rm_id, all);
    free(all);
    rm_daemon_start(w->b);
    rm_daemon_set_url(w->b, w->ha.urls[0]);
    atomic_store(&sv.ended, 0);
    atomic_store(&sv.stopped, 0);
    base_assert(rm_lead_start(&w->ha, w->b, on_ended, NULL, &w->lead, NULL) == 0);
}

static void close_world(struct world *w)
{
    rm_lead_stop(w->lead);
    CU_ASSERT_EQUAL(atomic_load(&sv.stopped), 1);
    CU_ASSERT(rm_backend_role(w->b) == RM_ROLE_STANDBY);
    CU_ASSERT_EQUAL(rm_daemon_stop(w->b, NULL), 0);
    rm_daemon_free(w->b);
    rm_ha_conf_free(&w->ha);
    base_conf_free(w->conf);
    stores_forget();
}

static void until_role(struct rm_backend *b, enum rm_role role)
{
    const struct timespec tick = {0, 1000000};

    for (int i = 0; i < 30000 && rm_backend_role(b) != role; i++)
        nanosleep(&tick, NULL);
    CU_ASSERT_EQUAL_FATAL(rm_backend_role(b), role);
}

static void until(const atomic_int *what, int value)
{
    const struct timespec tick = {0, 1000000};

    for (int i = 0; i < 30000 && atomic_load(what) != value; i++)
        nanosleep(&tick, NULL);
    CU_ASSERT_EQUAL_FATAL(atomic_load(what), value);
}

static void until_url(struct rm_backend *b, const char *url)
{
    const struct timespec tick = {0, 1000000};
    char now[512] = "?";

    for (int i = 0; i < 30000 && strcmp(now, url) != 0; i++) {
        rm_backend_active_url(b, now);
        nanosleep(&tick, NULL);
    }
    CU_ASSERT_STRING_EQUAL(now, url);
}

struct post {
    struct rm_event ev;
    atomic_int acknowledged, refused, released;
};

static void on_reply(void *user, const struct rm_effect *fx)
{
    struct post *p = user;

    atomic_fetch_add(fx->u.reply.kind == RM_REPLY_ERROR ? &p->refused : &p->acknowledged, 1);
}

static void on_release(void *user)
{
    atomic_fetch_add(&((struct post *)user)->released, 1);
}

static void submit(struct rm_backend *b, struct post *p)
{
    static const char body[] = "{\"job\":{\"tasks\":[{\"command\":\"true\"}]}}";
    const struct rm_spec_defaults d = {.user = "ann", .split_size = 1, .max_attempts = 4};

    memset(&p->ev, 0, sizeof p->ev);
    p->ev.kind = RM_EV_SUBMIT_JOB;
    p->ev.caller = "ann";
    p->ev.u.submit_job.app_token = "0123456789abcdef0123456789abcdef";
    base_assert(rm_spec_job_decode(body, strlen(body), &d, &p->ev.u.submit_job.spec, NULL) == 0);
    rm_backend_post(b, &p->ev, on_reply, on_release, p);
}

static int64_t count_apps(struct rm_backend *b)
{
    struct rm_cluster_view v;

    rm_view_cluster(rm_backend_lock_core(b), &v);
    rm_backend_unlock_core(b);
    return v.apps_pending + v.apps_running;
}

/* ---------------------------------------------------------------- cases */
static void test_elected_and_deposed(void)
{
    struct post p = {0};
    struct world w;
    char text[512];

    open_world(&w);
    CU_ASSERT_EQUAL(rm_backend_role(w.b), RM_ROLE_STANDBY);
    rm_backend_zk_text(w.b, text);
    CU_ASSERT_STRING_EQUAL(text, "connected to here");
    say_active("rm2");
    until_url(w.b, "http://127.0.0.1:2");
    say_active("rm9"); /* not in our configuration: nowhere to send anybody */
    until_url(w.b, "");
    say_active("rm1");
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    CU_ASSERT(rm_backend_leads(w.b));
    submit(w.b, &p);
    until(&p.acknowledged, 1);
    until(&p.released, 1);
    say_stop("the lease is over");
    CU_ASSERT(!rm_backend_leads(w.b)); /* the RM leads no more from this moment on */
    until_role(w.b, RM_ROLE_STANDBY);
    until(&sv.open_stores, 0);
    say_active("rm2");
    until_url(w.b, "http://127.0.0.1:2");
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    CU_ASSERT_EQUAL(count_apps(w.b), 1);
    rm_backend_active_url(w.b, text);
    CU_ASSERT_STRING_EQUAL(text, "");
    close_world(&w);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

/* Goal: a leadership that is over before it has begun is not begun; one that ends while the store
 * is read ends there. */
static void test_short_ones(void)
{
    struct rm_backend_stats stats;
    struct world w;
    int before;

    open_world(&w);
    atomic_store(&sv.block, true);
    before = atomic_load(&sv.loads);
    say_lead();
    until(&sv.loads, before + 1); /* it reads the store */
    CU_ASSERT_EQUAL(rm_backend_role(w.b), RM_ROLE_ACTIVATING);
    say_stop("the lease is over");
    say_lead();
    say_stop("the lease is over again"); /* its store is closed unread */
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    until(&sv.open_stores, 1);
    rm_backend_get_stats(w.b, &stats);
    CU_ASSERT(stats.takeovers >= 1 && stats.takeovers <= 2);
    CU_ASSERT_EQUAL(stats.refused_writes, 7);
    close_world(&w);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

/* Goal: a leader that is told to give up answers what it has taken, resigns for as long as was
 * said, and can lead again. */
static void test_resign(void)
{
    enum { N = 50 };
    struct post *posts = base_alloc(N * sizeof *posts);
    struct base_error err = {0};
    struct world w;
    int acknowledged = 0;

    open_world(&w);
    CU_ASSERT_EQUAL(rm_backend_resign(w.b, 1, &err), -BASE_ESTATE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "rm1 is not the active one"));
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    for (int i = 0; i < N; i++)
        submit(w.b, &posts[i]);
    CU_ASSERT_EQUAL(rm_backend_resign(w.b, 123, &err), 0);
    until(&sv.resigned, 1);
    CU_ASSERT_EQUAL(sv.hold_us, 123);
    until_role(w.b, RM_ROLE_STANDBY);
    for (int i = 0; i < N; i++) {
        until(&posts[i].released, 1);
        CU_ASSERT_EQUAL(posts[i].refused, 0); /* the submission was queued before */
        acknowledged += posts[i].acknowledged;
    }
    CU_ASSERT_EQUAL(acknowledged, N);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    CU_ASSERT_EQUAL(count_apps(w.b), N);
    close_world(&w);
    free(posts);
}

/* Goal: a leader that is told to stop while it reads the store stops, and that is no error. */
static void test_stopped_while_reading(void)
{
    struct world w;
    int before;

    open_world(&w);
    atomic_store(&sv.block, true);
    before = atomic_load(&sv.loads);
    say_lead();
    until(&sv.loads, before + 1);
    CU_ASSERT_EQUAL(rm_backend_role(w.b), RM_ROLE_ACTIVATING);
    close_world(&w); /* aborts the reading */
    CU_ASSERT(!atomic_load(&sv.block));
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

/* Goal: when ZooKeeper takes long to end the session, an orderly end of the process is no failure:
 * the watchdog has nothing left to wait for. */
static void test_slow_session_end(void)
{
    struct post p = {0};
    struct world w;

    open_world(&w);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    submit(w.b, &p);
    atomic_store(&sv.slow_end, true);
    close_world(&w);
    CU_ASSERT_EQUAL(p.acknowledged, 1);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

/* Goal: a leadership whose lease is over ends, even when the service does not say so; what the
 * service says later changes nothing. */
static void test_lease_over_unsaid(void)
{
    struct world w;

    open_world(&w);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    atomic_store(&sv.epoch, -1);
    until_role(w.b, RM_ROLE_STANDBY);
    until(&sv.open_stores, 0);
    say_stop("the lease is over");
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    close_world(&w);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

/* Goal: a leadership that has refused anything because its lease was over does not go on when the
 * lease is back. */
static void test_lease_back_again(void)
{
    struct post p = {0}, again = {0};
    struct world w;
    int64_t epoch;
    int loads;

    open_world(&w);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    epoch = atomic_exchange(&sv.epoch, -1);
    submit(w.b, &p);
    until(&p.refused, 1);
    atomic_store(&sv.epoch, epoch); /* a late answer has lengthened the lease */
    until(&sv.resigned, 1);
    until_role(w.b, RM_ROLE_STANDBY);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    submit(w.b, &again);
    until(&again.acknowledged, 1);
    say_stop("the lease is over");
    until(&sv.open_stores, 0);
    /* the same while the leader reads the store */
    atomic_store(&sv.block, true);
    loads = atomic_load(&sv.loads);
    say_lead();
    until(&sv.loads, loads + 1);
    atomic_store(&sv.epoch, -1);
    atomic_store(&sv.block, false);
    until(&sv.resigned, 2);
    until_role(w.b, RM_ROLE_STANDBY);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    close_world(&w);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

/* Goal: a state that cannot be read, and a refusal by the election, end the process; that is
 * reported once. */
static void test_ended(void)
{
    struct base_error err;
    struct world w;

    open_world(&w);
    atomic_store(&sv.corrupt, true);
    say_lead();
    until(&sv.resigned, 1);
    until(&sv.ended, 1);
    until_role(w.b, RM_ROLE_STANDBY);
    atomic_store(&sv.corrupt, false);
    base_error_set(&err, -BASE_EPERM, "the ACL of /creel does not let us");
    sv.calls.refused(sv.calls.user, &err);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 1);
    close_world(&w);

    open_world(&w);
    sv.calls.refused(sv.calls.user, &err);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 1);
    close_world(&w);
}

static void post_register(struct rm_backend *b, struct post *p,
                          const struct rm_container_report *report, int64_t epoch_seen)
{
    memset(&p->ev, 0, sizeof p->ev);
    p->ev.kind = RM_EV_NODE_REGISTER;
    p->ev.u.node_register.node_id = p->ev.u.node_register.http_address = "n1:1";
    p->ev.u.node_register.host = "n1";
    p->ev.u.node_register.version = p->ev.u.node_register.boot_id = p->ev.u.node_register.instance =
        "x";
    p->ev.u.node_register.rack = "/r";
    p->ev.u.node_register.map_slots = 1;
    p->ev.u.node_register.epoch_seen = epoch_seen;
    p->ev.u.node_register.reports = report;
    p->ev.u.node_register.reports_n = 1;
    rm_backend_post(b, &p->ev, on_reply, on_release, p);
}

/* Goal: over an empty store an RM does not lead nodes that have work; the epoch that the nodes have
 * seen is passed to the election. */
static void test_unconfirmed(void)
{
    const struct rm_container_report report = {
        .id = {{{1700000000000, 3}, 1}, (INT64_C(41) << 40) | 2},
        .state = RM_CONTAINER_RUNNING,
        .slot = BASE_TASK_MAP};
    struct post p = {0};
    struct world w;

    open_world(&w);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    post_register(w.b, &p, &report, 41);
    until(&sv.resigned, 1);
    until(&p.refused, 1);
    until_role(w.b, RM_ROLE_STANDBY);
    CU_ASSERT_EQUAL(sv.least, 42);
    CU_ASSERT(sv.hold_us > 0);
    say_lead(); /* elected again: it pauses first, and stops all the same when told to */
    close_world(&w);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

/* Goal: over an empty store that was confirmed an RM leads, under an epoch that the nodes obey. */
static void test_confirmed(void)
{
    const struct rm_container_report report = {
        .id = {{{1700000000000, 3}, 1}, (INT64_C(41) << 40) | 2},
        .state = RM_CONTAINER_RUNNING,
        .slot = BASE_TASK_MAP};
    struct post p = {0};
    struct world w;

    open_world(&w);
    rm_daemon_accept_formatted_store(w.b);
    sv.hold_us = -1;
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    post_register(w.b, &p, &report, 41);
    until(&sv.resigned, 1);
    until_role(w.b, RM_ROLE_STANDBY);
    CU_ASSERT_EQUAL(sv.least, 42);
    CU_ASSERT_EQUAL(sv.hold_us, 0); /* it may claim again at once */
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    close_world(&w);
}

/* Goal: an epoch reported by a node that cannot be true does not use up the epochs. */
static void test_epoch_not_believed(void)
{
    const struct rm_container_report report = {
        .id = {{{1700000000000, 3}, 1}, (INT64_C(41) << 40) | 2},
        .state = RM_CONTAINER_RUNNING,
        .slot = BASE_TASK_MAP};
    struct post first = {0}, p = {0}, again = {0};
    struct world w;

    open_world(&w);
    sv.least = 0;
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    post_register(w.b, &first, &report, INT32_MAX);
    until(&sv.resigned, 1); /* because of its containers, not of its epoch */
    until_role(w.b, RM_ROLE_STANDBY);
    CU_ASSERT_EQUAL(sv.least, 0);
    close_world(&w);

    open_world(&w);
    rm_daemon_accept_formatted_store(w.b);
    say_lead();
    until_role(w.b, RM_ROLE_ACTIVE);
    post_register(w.b, &p, &report, HA_EPOCH_MAX);
    until(&p.refused, 1);
    submit(w.b, &again); /* whatever the registration might cause comes before this answer */
    until(&again.released, 1);
    CU_ASSERT_EQUAL(atomic_load(&sv.resigned), 0);
    CU_ASSERT_EQUAL(sv.least, 0);
    close_world(&w);
    CU_ASSERT_EQUAL(atomic_load(&sv.ended), 0);
}

static const struct cunit_case cases[] = {
    {"elected and deposed", test_elected_and_deposed},
    {"short leaderships", test_short_ones},
    {"resigning", test_resign},
    {"a lease that ends unsaid", test_lease_over_unsaid},
    {"a lease that comes back", test_lease_back_again},
    {"stopped while it reads", test_stopped_while_reading},
    {"a session that ends slowly", test_slow_session_end},
    {"what ends the process", test_ended},
    {"an unconfirmed store", test_unconfirmed},
    {"a confirmed one", test_confirmed},
    {"an epoch that is not believed", test_epoch_not_believed}};
CUNIT_MAIN("rm_lead", cases)

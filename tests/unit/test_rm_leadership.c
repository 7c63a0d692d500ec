/* Goal: a daemon lives through several leaderships: nothing acknowledged is lost, nothing is
 * granted or acknowledged once the lease or the leadership is over, and each waiting requester is
 * answered exactly once, with the error RM_NOT_ACTIVE_TEXT when the leadership has ended.
 * Method: one backend in this process over a store of the test (the store in memory, which can be
 * told to wait, to refuse or to be aborted); threads post requests to it (run under TSan). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "rm/daemon/daemon.h"
#include "rm/http/spec_json.h"
#include "rm/leader/parked.h"
#include "rm/leader/role.h"
#include "rm/leader/sole_rm.h"
#include "tests/unit/count_jobs.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

/* ---------------------------------------------------------------- the store */
struct gate { /* an open store; its first member is what ha/store/store.h wants */
    const struct ha_store_ops *ops;
    struct ha_store *inner;
};
static atomic_bool block_writes, block_loads, fence, aborted;
static atomic_int blocked, closes;
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_wake = PTHREAD_COND_INITIALIZER;

static int pass(const atomic_bool *block, struct base_error *err)
{
    int rc = 0;

    pthread_mutex_lock(&gate_lock);
    atomic_fetch_add(&blocked, atomic_load(block));
    while (atomic_load(block) && !atomic_load(&aborted))
        pthread_cond_wait(&gate_wake, &gate_lock);
    if (atomic_load(&aborted) || atomic_load(&fence))
        rc = base_error_set(err, -BASE_EVERSION, "epoch 1 is over");
    pthread_mutex_unlock(&gate_lock);
    return rc;
}

static int gate_load(struct ha_store *s, const char *table, ha_record_fn *each, void *user,
                     struct base_error *err)
{
    int rc = pass(&block_loads, err);

    return rc < 0 ? rc : ha_store_load(((struct gate *)s)->inner, table, each, user, err);
}

static int gate_write(struct ha_store *s, const struct ha_record *v, size_t n,
                      struct base_error *err)
{
    int rc = pass(&block_writes, err);

    return rc < 0 ? rc : ha_store_write(((struct gate *)s)->inner, v, n, err);
}

static void gate_close(struct ha_store *s)
{
    ha_store_close(((struct gate *)s)->inner);
    free(s);
    atomic_fetch_add(&closes, 1);
}

static void turn(atomic_bool *what, bool on)
{
    pthread_mutex_lock(&gate_lock);
    atomic_store(what, on);
    pthread_cond_broadcast(&gate_wake);
    pthread_mutex_unlock(&gate_lock);
}

static void gate_abort(struct ha_store *s)
{
    (void)s;
    turn(&aborted, true);
}
static const struct ha_store_ops gated = {.name = "gated",
                                          .load = gate_load,
                                          .write = gate_write,
                                          .close = gate_close,
                                          .abort = gate_abort};

static struct ha_store *open_gate(int64_t *epoch)
{
    struct gate *g = base_alloc(sizeof *g);

    g->ops = &gated;
    g->inner = memory_open("term", epoch);
    turn(&aborted, false);
    return (struct ha_store *)g;
}

/* ---------------------------------------------------------------- the daemon */
static atomic_bool lease;

static int64_t lease_us(void *user, int64_t epoch)
{
    (void)user;
    return epoch >= 0 && atomic_load(&lease) ? RM_LEASE_ENDLESS : 0;
}

static struct rm_backend *open_standby(const struct base_conf *c)
{
    const struct rm_role_source source = {.lease_us = lease_us};
    struct base_error err = {0};
    struct rm_backend *b = NULL;

    atomic_store(&lease, true);
    atomic_store(&closes, 0);
    atomic_store(&blocked, 0);
    if (rm_daemon_new_standby(c, &b, &err) < 0)
        printf("%s\n", err.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    rm_role_set_identity(b, "rm1", "http://a:1,http://b:2");
    rm_role_set_source(b, &source);
    rm_daemon_start(b);
    rm_daemon_set_url(b, "http://a:1");
    return b;
}

static struct base_conf *conf(void)
{
    struct base_conf *c = base_conf_new();

    base_assert(
        base_conf_set_arg(c, "yarn.resourcemanager.max-completed-applications=10000", NULL) == 0);
    base_assert(base_conf_set_arg(c, "yarn.nm.liveness-monitor.expiry-interval-ms=600000", NULL) ==
                0);
    return c;
}

static int activate(struct rm_backend *b, struct base_error *err)
{
    int64_t epoch = 0;
    struct ha_store *s = open_gate(&epoch);

    return rm_daemon_activate(b, s, epoch, err);
}

static void close_daemon(struct rm_backend *b, struct base_conf *c)
{
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    rm_daemon_free(b);
    stores_forget();
    base_conf_free(c);
}

static void wait_for(const atomic_int *what, int value)
{
    const struct timespec tick = {0, 1000000};

    for (int i = 0; i < 30000 && atomic_load(what) < value; i++)
        nanosleep(&tick, NULL);
    CU_ASSERT_FATAL(atomic_load(what) >= value);
}

/* ---------------------------------------------------------------- posted requests */
struct counts {
    atomic_int posted, replied, released, acknowledged, not_active, other;
};
struct post {
    struct rm_event ev;
    struct counts *counts;
    char text[40];
    atomic_int replies, releases, refs;
};

static void done(struct post *p)
{
    if (atomic_fetch_sub(&p->refs, 1) == 1)
        free(p);
}

static void on_reply(void *user, const struct rm_effect *fx)
{
    struct post *p = user;
    struct counts *c = p->counts;

    base_assert(atomic_fetch_add(&p->replies, 1) == 0);
    if (fx->kind == RM_FX_HEARTBEAT || fx->u.reply.kind != RM_REPLY_ERROR)
        atomic_fetch_add(&c->acknowledged, 1);
    else if (fx->u.reply.code == -BASE_EVERSION && strstr(fx->u.reply.text, RM_NOT_ACTIVE_TEXT))
        atomic_fetch_add(&c->not_active, 1);
    else
        atomic_fetch_add(&c->other, 1);
    atomic_fetch_add(&c->replied, 1);
    done(p);
}

static void on_release(void *user)
{
    struct post *p = user;

    base_assert(atomic_fetch_add(&p->releases, 1) == 0);
    atomic_fetch_add(&p->counts->released, 1);
    done(p);
}

static struct post *new_post(struct counts *c, enum rm_event_kind kind)
{
    struct post *p = base_alloc(sizeof *p);

    p->counts = c;
    p->ev.kind = kind;
    atomic_init(&p->refs, 2);
    return p;
}

static void post(struct rm_backend *b, struct post *p)
{
    atomic_fetch_add(&p->counts->posted, 1);
    rm_backend_post(b, &p->ev, on_reply, on_release, p);
}

static void submit(struct rm_backend *b, struct counts *c)
{
    static const char body[] = "{\"job\":{\"tasks\":[{\"command\":\"true\"}]}}";
    const struct rm_spec_defaults d = {.user = "ann", .split_size = 1, .max_attempts = 4};
    struct post *p = new_post(c, RM_EV_SUBMIT_JOB);

    snprintf(p->text, sizeof p->text, "0123456789abcdef0123456789abcdef");
    p->ev.caller = "ann";
    base_assert(rm_spec_job_decode(body, strlen(body), &d, &p->ev.u.submit_job.spec, NULL) == 0);
    p->ev.u.submit_job.app_token = p->text;
    post(b, p);
}

static void node_that_saw(struct rm_backend *b, struct counts *c, int64_t epoch)
{
    struct post *p = new_post(c, RM_EV_NODE_REGISTER);

    p->ev.u.node_register.node_id = p->ev.u.node_register.http_address =
        p->ev.u.node_register.host = "n1:1";
    p->ev.u.node_register.version = p->ev.u.node_register.boot_id = p->ev.u.node_register.instance =
        "i";
    p->ev.u.node_register.rack = "/r";
    p->ev.u.node_register.map_slots = 1;
    p->ev.u.node_register.epoch_seen = epoch;
    post(b, p);
}

static void node(struct rm_backend *b, struct counts *c, int i, bool registers)
{
    struct post *p = new_post(c, registers ? RM_EV_NODE_REGISTER : RM_EV_NODE_HEARTBEAT);

    snprintf(p->text, sizeof p->text, "n%d:1", i);
    if (registers) {
        p->ev.u.node_register.node_id = p->ev.u.node_register.http_address = p->text;
        p->ev.u.node_register.host = p->ev.u.node_register.version = p->ev.u.node_register.boot_id =
            p->text;
        p->ev.u.node_register.instance = "i";
        p->ev.u.node_register.rack = "/r";
        p->ev.u.node_register.map_slots = 1;
        p->ev.u.node_register.epoch_seen = -1;
    } else {
        p->ev.u.heartbeat.node_id = p->text;
        p->ev.u.heartbeat.instance = "i";
        p->ev.u.heartbeat.healthy = true;
        p->ev.u.heartbeat.hold_us = 600000000;
    }
    post(b, p);
}

#define POSTERS 3
#define EACH    200
struct poster {
    struct rm_backend *b;
    struct counts *counts;
    pthread_t thread;
};

static void *post_all(void *arg)
{
    struct poster *p = arg;

    for (int i = 0; i < EACH; i++)
        submit(p->b, p->counts);
    return NULL;
}

static void start_posters(struct poster v[POSTERS], struct rm_backend *b, struct counts *c)
{
    for (int i = 0; i < POSTERS; i++) {
        v[i] = (struct poster){b, c, 0};
        base_assert(pthread_create(&v[i].thread, NULL, post_all, &v[i]) == 0);
    }
}

static void join_posters(struct poster v[POSTERS])
{
    for (int i = 0; i < POSTERS; i++)
        pthread_join(v[i].thread, NULL);
}

/* ---------------------------------------------------------------- cases */
/* Goal: leaderships begin and end while threads submit jobs; a job acknowledged under any
 * leadership is there under every later one. */
static void test_back_and_forth(void)
{
    struct base_conf *c = conf();
    struct rm_backend *b = open_standby(c);
    struct rm_backend_stats stats;
    struct counts counts = {0};
    int before = 0;

    CU_ASSERT_EQUAL(rm_backend_role(b), RM_ROLE_STANDBY);
    CU_ASSERT(!rm_backend_leads(b));
    submit(b, &counts);
    CU_ASSERT_EQUAL(atomic_load(&counts.not_active), 1);
    for (int round = 0; round < 4; round++) {
        struct poster posters[POSTERS];

        CU_ASSERT_EQUAL_FATAL(activate(b, NULL), 0);
        CU_ASSERT_EQUAL(rm_backend_role(b), RM_ROLE_ACTIVE);
        CU_ASSERT(rm_backend_leads(b));
        CU_ASSERT_EQUAL(rm_daemon_epoch(b), round);
        CU_ASSERT(count_jobs(b) >= (size_t)before);
        start_posters(posters, b, &counts);
        wait_for(&counts.acknowledged, before + 20);
        if (round % 2) {
            CU_ASSERT_EQUAL(rm_daemon_finish_leadership(b, "told to", NULL), 0);
        } else {
            rm_daemon_abort_leadership(b, "told to");
        }
        CU_ASSERT_EQUAL(rm_backend_role(b), RM_ROLE_STANDBY);
        CU_ASSERT(!rm_backend_leads(b));
        CU_ASSERT(count_jobs(b) > 0); /* the core stays readable between leaderships */
        join_posters(posters);
        before = atomic_load(&counts.acknowledged);
        CU_ASSERT_EQUAL(atomic_load(&counts.replied), 1 + (round + 1) * POSTERS * EACH);
        CU_ASSERT_EQUAL(atomic_load(&counts.released), atomic_load(&counts.posted));
    }
    CU_ASSERT_EQUAL(atomic_load(&counts.other), 0);
    CU_ASSERT(atomic_load(&counts.not_active) > 0);
    rm_backend_get_stats(b, &stats);
    CU_ASSERT_EQUAL(stats.takeovers, 4);
    CU_ASSERT(stats.store_records >= before);
    CU_ASSERT_EQUAL(atomic_load(&closes), 4);
    CU_ASSERT_EQUAL_FATAL(activate(b, NULL), 0);
    CU_ASSERT(count_jobs(b) >= (size_t)before);
    close_daemon(b, c);
}

/* Goal: heartbeats that wait for orders, and submissions that wait for the store, are refused as
 * "not active" when the leadership ends. */
static void test_who_waits_is_told(void)
{
    enum { NODES = 300, JOBS = 5 };
    struct base_conf *c = conf();
    struct rm_backend *b = open_standby(c);
    struct counts nodes = {0}, parked = {0}, jobs = {0};

    CU_ASSERT_EQUAL_FATAL(activate(b, NULL), 0);
    for (int i = 0; i < NODES; i++)
        node(b, &nodes, i, true);
    wait_for(&nodes.acknowledged, NODES);
    for (int i = 0; i < NODES; i++)
        node(b, &parked, i, false);
    wait_for(&parked.released, NODES);
    CU_ASSERT_EQUAL(atomic_load(&parked.replied), 0);
    turn(&block_writes, true);
    for (int i = 0; i < JOBS; i++)
        submit(b, &jobs);
    wait_for(&blocked, 1);
    wait_for(&jobs.released, JOBS);
    rm_daemon_abort_leadership(b, "told to");
    turn(&block_writes, false);
    CU_ASSERT_EQUAL(atomic_load(&parked.replied), NODES);
    /* also those whose orders waited for the store */
    CU_ASSERT_EQUAL(atomic_load(&parked.not_active), NODES);
    CU_ASSERT_EQUAL(atomic_load(&jobs.not_active), JOBS);
    close_daemon(b, c);
}

/* Goal: when the lease ends while a write is under way, the write succeeds, but its requester is
 * not told so, and the core handles no further event. */
static void test_lease_ends(void)
{
    struct base_conf *c = conf();
    struct rm_backend *b = open_standby(c);
    struct rm_backend_stats stats;
    struct counts counts = {0};

    CU_ASSERT_EQUAL_FATAL(activate(b, NULL), 0);
    turn(&block_writes, true);
    submit(b, &counts);
    wait_for(&counts.released, 1);
    atomic_store(&lease, false);
    CU_ASSERT(!rm_backend_leads(b));
    turn(&block_writes, false);
    wait_for(&counts.replied, 1);
    CU_ASSERT_EQUAL(atomic_load(&counts.not_active), 1);
    rm_backend_get_stats(b, &stats);
    CU_ASSERT_EQUAL(stats.late_answers, 1);
    submit(b, &counts);
    wait_for(&counts.replied, 2);
    CU_ASSERT_EQUAL(atomic_load(&counts.not_active), 2);
    CU_ASSERT_EQUAL(count_jobs(b), 1); /* the second submission has not reached the core */
    rm_daemon_abort_leadership(b, "lease over");
    CU_ASSERT_EQUAL(count_jobs(b), 1);
    close_daemon(b, c);
}

/* Goal: when the store says that another RM has authority, the RM acknowledges nothing more, even
 * before the leadership is told to end. */
static void test_fenced(void)
{
    struct base_conf *c = conf();
    struct rm_backend *b = open_standby(c);
    struct counts counts = {0};

    CU_ASSERT_EQUAL_FATAL(activate(b, NULL), 0);
    turn(&fence, true);
    submit(b, &counts);
    wait_for(&counts.replied, 1);
    CU_ASSERT_EQUAL(atomic_load(&counts.not_active), 1);
    CU_ASSERT(!rm_backend_leads(b));
    CU_ASSERT_EQUAL(rm_backend_role(b), RM_ROLE_ACTIVE); /* until rm_daemon_abort_leadership() */
    submit(b, &counts);
    wait_for(&counts.replied, 2);
    CU_ASSERT_EQUAL(atomic_load(&counts.not_active), 2);
    rm_daemon_abort_leadership(b, "fenced");
    turn(&fence, false);
    CU_ASSERT_EQUAL_FATAL(activate(b, NULL), 0);
    CU_ASSERT_EQUAL(count_jobs(b), 0);
    CU_ASSERT(rm_backend_leads(b));
    close_daemon(b, c);
}

struct other {
    struct rm_backend *b;
    pthread_t thread;
};

static void *deactivate_main(void *arg)
{
    wait_for(&blocked, 1);
    rm_daemon_abort_leadership(((struct other *)arg)->b, "deposed");
    return NULL;
}

/* Goal: an RM that is deposed while it reads the store stops reading, and can become active
 * later. */
static void test_deposed_while_reading(void)
{
    struct base_conf *c = conf();
    struct rm_backend *b = open_standby(c);
    struct other o = {b, 0};
    struct base_error err = {0};

    turn(&block_loads, true);
    base_assert(pthread_create(&o.thread, NULL, deactivate_main, &o) == 0);
    CU_ASSERT_EQUAL(activate(b, &err), -BASE_EVERSION);
    pthread_join(o.thread, NULL);
    CU_ASSERT_EQUAL(rm_backend_role(b), RM_ROLE_STANDBY);
    CU_ASSERT_EQUAL(atomic_load(&closes), 1);
    CU_ASSERT_EQUAL(count_jobs(b), 0);
    turn(&block_loads, false);
    atomic_store(&lease, false); /* the lease is over before the leadership begins */
    CU_ASSERT_EQUAL(activate(b, &err), -BASE_EVERSION);
    atomic_store(&lease, true);
    CU_ASSERT_EQUAL(activate(b, &err), 0);
    CU_ASSERT_EQUAL(activate(b, &err), -BASE_ESTATE);
    CU_ASSERT_EQUAL(atomic_load(&closes), 3);
    CU_ASSERT(rm_backend_leads(b));
    close_daemon(b, c);
}

static void on_fired(void *user)
{
    atomic_fetch_add((atomic_int *)user, 1);
}

/* Goal: a caller that waits for a change of the role is told of every change, also of one between
 * its look and its wait, and of the daemon's end. */
static void test_wait_role(void)
{
    struct base_conf *c = conf();
    struct rm_backend *b = open_standby(c);
    const int64_t far = rm_parking_mono_us() + 600000000;
    int64_t seen = rm_backend_get_role_changes(b);
    atomic_int fired = 0;
    char url[512];

    rm_backend_await_role_change(b, seen, far, on_fired, &fired);
    rm_backend_await_role_change(b, seen, rm_parking_mono_us() + 1000, on_fired, &fired);
    wait_for(&fired, 1); /* the second wait's time is over */
    rm_role_set_active_url(b, "http://b:2");
    wait_for(&fired, 2);
    rm_backend_active_url(b, url);
    CU_ASSERT_STRING_EQUAL(url, "http://b:2");
    rm_backend_await_role_change(b, seen, far, on_fired, &fired);
    wait_for(&fired, 3); /* at once: the change came before this wait */
    seen = rm_backend_get_role_changes(b);
    rm_role_set_active_url(b, "http://b:2");
    CU_ASSERT_EQUAL(rm_backend_get_role_changes(b), seen);
    CU_ASSERT_EQUAL_FATAL(activate(b, NULL), 0);
    CU_ASSERT(rm_backend_get_role_changes(b) > seen);
    rm_backend_await_role_change(b, rm_backend_get_role_changes(b), far, on_fired, &fired);
    rm_daemon_abort_leadership(b, "told to");
    wait_for(&fired, 4);
    rm_backend_await_role_change(b, rm_backend_get_role_changes(b), far, on_fired, &fired);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    CU_ASSERT_EQUAL(atomic_load(&fired), 5);
    rm_backend_await_role_change(b, rm_backend_get_role_changes(b), far, on_fired, &fired);
    CU_ASSERT_EQUAL(atomic_load(&fired), 6);
    close_daemon(b, c);
}

/* Goal: a sole RM is active and leads from the start, and cannot resign. */
static void test_alone(void)
{
    struct base_conf *c = conf();
    struct base_error err = {0};
    struct rm_backend *b = NULL;
    char text[512];

    CU_ASSERT_EQUAL_FATAL(
        rm_daemon_new_sole(c, NULL, store_kind("memory"), memory_place("alone"), NULL, &b, NULL),
        0);
    rm_daemon_start(b);
    rm_daemon_set_url(b, "http://a:1");
    CU_ASSERT_EQUAL(rm_backend_role(b), RM_ROLE_ACTIVE);
    CU_ASSERT(rm_backend_leads(b));
    CU_ASSERT(!rm_backend_is_one_of_several(b));
    CU_ASSERT_STRING_EQUAL(rm_backend_all_urls(b), "http://a:1");
    CU_ASSERT_STRING_EQUAL(rm_backend_rm_id(b), "");
    rm_backend_active_url(b, text);
    CU_ASSERT_STRING_EQUAL(text, "");
    rm_backend_zk_text(b, text);
    CU_ASSERT_STRING_EQUAL(text, "");
    CU_ASSERT_EQUAL(rm_backend_resign(b, 0, &err), -BASE_ESTATE);
    close_daemon(b, c);
}

static void until_count(const atomic_int *what, int value)
{
    const struct timespec tick = {0, 1000000};

    for (int i = 0; i < 30000 && atomic_load(what) != value; i++)
        nanosleep(&tick, NULL);
    CU_ASSERT_EQUAL_FATAL(atomic_load(what), value);
}

/* Goal: a sole RM that lost its state and was started with --format-confirmed goes on under an
 * epoch higher than the nodes have seen; a job submitted before that is kept, and the next start
 * has a higher epoch again. Without the option the epoch stays. */
static void test_alone_confirmed(void)
{
    const struct timespec tick = {0, 1000000};
    struct base_conf *c = conf();
    struct counts n = {0};
    struct rm_backend *b = NULL;
    char dir[] = "/tmp/creel-test-XXXXXX", *path, *arg;

    base_assert(mkdtemp(dir));
    arg = base_printf("creel.rm.state-dir=%s", dir);
    base_assert(base_conf_set_arg(c, arg, NULL) == 0);
    CU_ASSERT_EQUAL_FATAL(rm_daemon_new_sole(c, NULL, NULL, NULL, NULL, &b, NULL), 0);
    rm_daemon_start(b);
    node_that_saw(b, &n, 41);
    until_count(&n.other, 1);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    CU_ASSERT_EQUAL(rm_daemon_epoch(b), 0);
    rm_daemon_free(b);
    CU_ASSERT_EQUAL_FATAL(rm_daemon_new_sole(c, NULL, NULL, NULL, NULL, &b, NULL), 0);
    rm_daemon_accept_formatted_store(b);
    rm_daemon_start(b);
    submit(b, &n);
    until_count(&n.acknowledged, 1);
    node_that_saw(b, &n, 41);
    until_count(&n.other, 2);
    for (int i = 0; i < 30000 && rm_daemon_epoch(b) != 42; i++)
        nanosleep(&tick, NULL);
    CU_ASSERT_EQUAL(rm_daemon_epoch(b), 42);
    while (atomic_load(&n.acknowledged) < 2 && atomic_load(&n.other) < 1000) {
        /* the node may be refused for a moment more */
        int replied = atomic_load(&n.replied);

        node_that_saw(b, &n, 41);
        until_count(&n.replied, replied + 1);
        nanosleep(&tick, NULL);
    }
    CU_ASSERT_EQUAL(atomic_load(&n.acknowledged), 2);
    CU_ASSERT_EQUAL(count_jobs(b), 1);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    rm_daemon_free(b);
    CU_ASSERT_EQUAL_FATAL(rm_daemon_new_sole(c, NULL, NULL, NULL, NULL, &b, NULL), 0);
    rm_daemon_accept_formatted_store(b);
    CU_ASSERT_EQUAL(rm_daemon_epoch(b), 43);
    rm_daemon_start(b);
    /* some of these are handled only after the helper threads have stopped */
    for (int i = 0; i < 2000; i++)
        node_that_saw(b, &n, 100);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    CU_ASSERT_EQUAL(atomic_load(&n.posted), atomic_load(&n.replied));
    rm_daemon_free(b);
    base_conf_free(c);
    path = base_printf("%s/state.db", dir);
    unlink(path);
    rmdir(dir);
    free(path);
    free(arg);
}

static int64_t cluster_ts(struct rm_backend *b)
{
    struct rm_cluster_view v;

    rm_view_cluster(rm_backend_lock_core(b), &v);
    rm_backend_unlock_core(b);
    return v.cluster_ts_ms;
}

static void keep_cluster_ts(const char *text)
{
    const struct ha_record rec = {"instance", "cluster-ts", text, strlen(text)};
    struct ha_store *s;
    int64_t epoch;

    s = memory_open("term", &epoch);
    base_assert(ha_store_write(s, &rec, 1, NULL) == 0);
    ha_store_close(s);
}

/* Goal: no two leaderships give out the same application id, even when they begin in the same
 * millisecond or the later leader's clock is behind. */
static void test_cluster_timestamps(void)
{
    struct base_conf *c = conf();
    struct rm_backend *b = open_standby(c);
    struct base_error err = {0};
    int64_t last = 0;

    for (int i = 0; i < 20; i++) {
        CU_ASSERT_EQUAL_FATAL(activate(b, &err), 0);
        CU_ASSERT(cluster_ts(b) > last);
        last = cluster_ts(b);
        rm_daemon_abort_leadership(b, "test");
    }
    keep_cluster_ts("99999999999999"); /* kept by a leader whose clock was 3,000 years ahead */
    CU_ASSERT_EQUAL_FATAL(activate(b, &err), 0);
    CU_ASSERT_EQUAL(cluster_ts(b), INT64_C(100000000000000));
    rm_daemon_abort_leadership(b, "test");
    CU_ASSERT_EQUAL_FATAL(activate(b, &err), 0);
    CU_ASSERT_EQUAL(cluster_ts(b), INT64_C(100000000000001));
    rm_daemon_abort_leadership(b, "test");
    /* a damaged record is set aside, and does not keep the cluster from starting */
    keep_cluster_ts("soon");
    CU_ASSERT_EQUAL_FATAL(activate(b, &err), 0);
    last = cluster_ts(b);
    rm_daemon_abort_leadership(b, "test");
    keep_cluster_ts("9223372036854775806"); /* the next number would be out of range */
    CU_ASSERT_EQUAL_FATAL(activate(b, &err), 0);
    CU_ASSERT(cluster_ts(b) >= last);
    CU_ASSERT(cluster_ts(b) < INT64_C(253402300799000));
    rm_daemon_abort_leadership(b, "test");
    close_daemon(b, c);
}

static const struct cunit_case cases[] = {{"leaderships under posts", test_back_and_forth},
                                          {"who waits is told", test_who_waits_is_told},
                                          {"the lease ends", test_lease_ends},
                                          {"fenced by the store", test_fenced},
                                          {"deposed while reading", test_deposed_while_reading},
                                          {"waiting for the role", test_wait_role},
                                          {"alone", test_alone},
                                          {"alone, confirmed", test_alone_confirmed},
                                          {"times of the cluster", test_cluster_timestamps}};
CUNIT_MAIN("rm_leadership", cases)

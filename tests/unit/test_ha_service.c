/* Leadership and the store in ZooKeeper, whole: election, lease, log and libzookeeper against a
 * real server.
 * Run as "test_ha_service hold SERVERS ROOT RM-ID TIMEOUT-MS [lease-off]" it is the other process
 * of some tests, which leads and writes. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADED /* lets zookeeper.h declare the synchronous calls */
#include <zookeeper/zookeeper.h>

#include "base/clock.h"
#include "base/io/log.h"
#include "base/mem.h"
#include "ha/election/service.h"
#include "tests/e2e/zk_fixture.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

#define WAIT_S 60
/* no session expires by itself, unless a test sets a time-out of its own */
#define TIMEOUT_US 60000000

static struct zk_fixture *server;
static char root[64]; /* of the test that runs */

struct rm { /* one ResourceManager: its service, and what the service has told it */
    struct ha_service *service;
    pthread_mutex_t lock;
    pthread_cond_t change;
    int leads, stops, refusals;
    int64_t epoch;
    struct ha_store *store, *deposed; /* of the leadership; of one that is over, until rm_close */
    char active[256], why[sizeof(((struct base_error *)0)->text)];
};

static bool holds_lease(const struct ha_service *s, int64_t epoch)
{
    return base_mono_us(&base_clock_real) < ha_service_lease_end_us(s, epoch);
}

static void on_lead(void *user, int64_t epoch, struct ha_store *store)
{
    struct rm *r = user;

    pthread_mutex_lock(&r->lock);
    r->leads++;
    r->epoch = epoch;
    r->store = store;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

static void on_stop(void *user, const char *why)
{
    struct rm *r = user;

    pthread_mutex_lock(&r->lock);
    r->stops++;
    base_assert(!r->deposed);
    r->deposed = r->store;
    r->store = NULL;
    snprintf(r->why, sizeof r->why, "%s", why);
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

static void on_active_changed(void *user)
{
    struct rm *r = user;

    pthread_mutex_lock(&r->lock);
    if (r->service)
        ha_service_get_active_rm(r->service, r->active);
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

static void on_refused(void *user, const struct base_error *why)
{
    struct rm *r = user;

    pthread_mutex_lock(&r->lock);
    r->refusals++;
    snprintf(r->why, sizeof r->why, "%s", why->text);
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

static struct ha_service_conf conf_of(const char *rm_id)
{
    return (struct ha_service_conf){.store = store_kind("zookeeper"),
                                    .servers = zk_fixture_servers(server),
                                    .root = root,
                                    .cluster_id = "c1",
                                    .rm_id = rm_id,
                                    .auth = "creel:secret",
                                    .timeout_us = TIMEOUT_US};
}

static struct rm *rm_start(const struct ha_service_conf *conf)
{
    struct rm *r = base_alloc(sizeof *r);
    const struct ha_service_calls calls = {r, on_lead, on_stop, on_active_changed, on_refused};
    struct base_error err;

    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->change, NULL);
    pthread_mutex_lock(&r->lock);
    base_assert(ha_service_start(conf, &calls, &r->service, &err) == 0);
    pthread_mutex_unlock(&r->lock);
    return r;
}

static struct rm *rm_new(const char *rm_id)
{
    const struct ha_service_conf conf = conf_of(rm_id);

    return rm_start(&conf);
}

/* Waits until *@n, one of @r's counters, is @least or more. */
static bool await_count(struct rm *r, const int *n, int least)
{
    struct timespec until;
    bool there;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    pthread_mutex_lock(&r->lock);
    while (*n < least && pthread_cond_timedwait(&r->change, &r->lock, &until) != ETIMEDOUT)
        ;
    there = *n >= least;
    pthread_mutex_unlock(&r->lock);
    return there;
}

static bool await_active(struct rm *r, const char *rm_id)
{
    struct timespec until;
    bool there;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        ha_service_get_active_rm(r->service, r->active);
        there = strcmp(r->active, rm_id) == 0;
        if (there || pthread_cond_timedwait(&r->change, &r->lock, &until) == ETIMEDOUT)
            break;
    }
    pthread_mutex_unlock(&r->lock);
    return there;
}

/* The status is of the service's last turn, so it may come a little later: waits for @state with
 * @batches written. */
static struct ha_service_status await_status(struct rm *r, enum ha_election_state state,
                                             int64_t batches)
{
    const int64_t until = base_mono_us(&base_clock_real) + WAIT_S * INT64_C(1000000);
    struct ha_service_status st;

    for (;;) {
        ha_service_get_status(r->service, &st);
        if ((st.state == state && st.log.batches >= batches) ||
            base_mono_us(&base_clock_real) > until)
            break;
        usleep(1000);
    }
    CU_ASSERT_EQUAL(st.state, state);
    CU_ASSERT_EQUAL(st.log.batches, batches);
    return st;
}

/* Returns the store that rm_close() closes next: while the store of a leadership that is over is
 * still open, that one, otherwise the store of the present leadership. */
static struct ha_store *store_of(struct rm *r)
{
    struct ha_store *st;

    pthread_mutex_lock(&r->lock);
    st = r->deposed ? r->deposed : r->store;
    pthread_mutex_unlock(&r->lock);
    return st;
}

/* Closes that store, as a daemon does when it is deposed or ends. */
static void rm_close(struct rm *r)
{
    struct ha_store *st;

    pthread_mutex_lock(&r->lock);
    st = r->deposed ? r->deposed : r->store;
    *(r->deposed ? &r->deposed : &r->store) = NULL;
    pthread_mutex_unlock(&r->lock);
    ha_store_close(st);
}

static void rm_end(struct rm *r)
{
    rm_close(r);
    rm_close(r);
    ha_service_stop(r->service);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->change);
    free(r);
}

static int put_len(struct rm *r, const char *table, const char *key, const char *data, size_t len)
{
    const struct ha_record rec = {table, key, data, len};
    struct base_error err;

    return ha_store_write(store_of(r), &rec, 1, &err);
}

static int put(struct rm *r, const char *table, const char *key, const char *data)
{
    return put_len(r, table, key, data, data ? strlen(data) : 0);
}

static int add_text(void *user, const struct ha_record *rec, struct base_error *err)
{
    (void)err;
    base_buf_addf(user, "%s=%s ", rec->key, rec->data);
    return 0;
}

/* Returns "key=data " of all records, "" for none, "!" when the load fails; the caller frees it. */
static char *table_text(struct rm *r, const char *table)
{
    struct base_buf b = {0};
    struct base_error err;

    if (ha_store_load(store_of(r), table, add_text, &b, &err) < 0) {
        base_buf_clear(&b);
        base_buf_adds(&b, "!");
    }
    return base_buf_take(&b);
}

static void check_table(struct rm *r, const char *table, const char *expected)
{
    char *text = table_text(r, table);

    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

/* One of two leads; when it ends, the other leads at once (sessions would live for a minute), with
 * the same state. */
static void test_two(void)
{
    struct rm *a = rm_new("rm1"), *b;
    struct ha_service_status st;

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(a->epoch, 0);
    CU_ASSERT(holds_lease(a->service, 0));
    CU_ASSERT_FALSE(holds_lease(a->service, 1));
    check_table(a, "app", "");
    CU_ASSERT_EQUAL(put(a, "app", "one", "1"), 0);
    CU_ASSERT_EQUAL(put(a, "app", "two", "2"), 0);
    CU_ASSERT(await_active(a, "rm1"));
    b = rm_new("rm2");
    CU_ASSERT(await_active(b, "rm1"));
    CU_ASSERT_FALSE(holds_lease(b->service, a->epoch));
    st = await_status(b, HA_WAITING, 0);
    CU_ASSERT_EQUAL(st.timeout_us, TIMEOUT_US);
    CU_ASSERT_PTR_NOT_NULL(strstr(st.connection, "connected to 127.0.0.1:"));
    CU_ASSERT_EQUAL(b->leads, 0);
    rm_end(a);
    CU_ASSERT_FATAL(await_count(b, &b->leads, 1));
    CU_ASSERT_EQUAL(b->epoch, 1);
    CU_ASSERT(await_active(b, "rm2"));
    check_table(b, "app", "one=1 two=2 ");
    rm_end(b);
}

/* Goal: the log is cleaned while it is written, and what is read afterwards is what was written
 * last: small records, one that is split over several segments, one that is never written again,
 * none that was removed. */
static void test_cleaned(void)
{
    enum { LEN = 200000, LARGE = 1300000, ROUNDS = 200 };
    struct rm *a = rm_new("rm1"), *b;
    struct ha_service_status st = {0};
    char *data = base_alloc(LARGE), key[16], *before, *after;
    int rounds = 0;

    memset(data, 'x', LARGE);
    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(put(a, "t", "old", "stays"), 0);
    CU_ASSERT_EQUAL(put(a, "t", "gone", "goes"), 0);
    CU_ASSERT_EQUAL(put_len(a, "t", "large", data, LARGE), 0);
    CU_ASSERT_EQUAL(put(a, "t", "gone", NULL), 0);
    for (; rounds < ROUNDS && st.log.cleaned < 8; rounds++) {
        snprintf(key, sizeof key, "k%d", rounds % 4);
        data[0] = (char)('a' + rounds % 26);
        CU_ASSERT_EQUAL_FATAL(put_len(a, "t", key, data, LEN), 0);
        ha_service_get_status(a->service, &st);
    }
    CU_ASSERT(st.log.cleaned >= 8);
    CU_ASSERT(st.log.bytes > 2 * st.log.live_bytes);
    CU_ASSERT_EQUAL(put(a, "t", "last", "is there"), 0);
    b = rm_new("rm2");
    CU_ASSERT_FATAL(await_active(b, "rm1"));
    rm_end(a);
    CU_ASSERT_FATAL(await_count(b, &b->leads, 1));
    before = table_text(b, "t");
    CU_ASSERT_PTR_NOT_NULL(strstr(before, "last=is there old=stays "));
    CU_ASSERT_PTR_NULL(strstr(before, "gone="));
    CU_ASSERT_EQUAL(strlen(before), strlen("last=is there old=stays large= k0= k1= k2= k3= ") +
                                        LARGE + 4 * (size_t)LEN);
    for (int i = rounds - 4; i < rounds; i++) {
        snprintf(key, sizeof key, "k%d=%c", i % 4, 'a' + i % 26);
        CU_ASSERT_PTR_NOT_NULL(strstr(before, key));
    }
    rm_end(b);
    b = rm_new("rm2"); /* another leader reads the same */
    CU_ASSERT_FATAL(await_count(b, &b->leads, 1));
    after = table_text(b, "t");
    CU_ASSERT_EQUAL(strcmp(before, after), 0);
    rm_end(b);
    free(before);
    free(after);
    free(data);
}

/* A leader resigns: the other RM leads, and resigns in its turn. The store of a deposed leader
 * refuses everything. */
static void test_resign(void)
{
    struct rm *a = rm_new("rm1"), *b;
    struct base_error err;

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    b = rm_new("rm2");
    CU_ASSERT_FATAL(await_active(b, "rm1"));
    CU_ASSERT_EQUAL(put(a, "t", "k", "a"), 0);
    ha_service_resign(a->service, INT64_MAX);
    CU_ASSERT_FATAL(await_count(a, &a->stops, 1));
    CU_ASSERT_FALSE(holds_lease(a->service, 0));
    CU_ASSERT_EQUAL(put(a, "t", "k", "late"), -BASE_EVERSION);
    CU_ASSERT_EQUAL(ha_store_load(store_of(a), "t", add_text, NULL, &err), -BASE_EVERSION);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "epoch 0 is over"));
    rm_close(a);
    CU_ASSERT_FATAL(await_count(b, &b->leads, 1));
    check_table(b, "t", "k=a ");
    CU_ASSERT_EQUAL(put(b, "t", "k", "b"), 0);
    CU_ASSERT_FATAL(await_active(a, "rm2"));
    ha_service_resign(b->service, INT64_MAX);
    CU_ASSERT_FATAL(await_count(a, &a->leads, 2));
    CU_ASSERT_EQUAL(a->epoch, 2);
    check_table(a, "t", "k=b ");
    CU_ASSERT_FATAL(await_count(b, &b->stops, 1));
    rm_close(b);
    CU_ASSERT_FATAL(await_active(b, "rm1"));
    /* nodes have seen these epochs: the highest counts, whatever is heard later */
    ha_service_raise_min_epoch(b->service, 40);
    ha_service_raise_min_epoch(b->service, 7);
    ha_service_resign(a->service, INT64_MAX);
    CU_ASSERT_FATAL(await_count(b, &b->leads, 2));
    CU_ASSERT_EQUAL(b->epoch, 40);
    check_table(b, "t", "k=b ");
    rm_end(b);
    rm_end(a);
}

/* ---- other processes ---- */

struct child {
    pid_t pid;
    FILE *out;
};

static struct child child_start(const char *rm_id, const char *timeout_ms, const char *more)
{
    struct child c;
    char line[64] = "";
    int out[2];

    CU_ASSERT_EQUAL_FATAL(pipe(out), 0);
    c.pid = fork();
    if (c.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(out[1], 1);
        close(out[0]);
        execl("/proc/self/exe", "test_ha_service", "hold", zk_fixture_servers(server), root, rm_id,
              timeout_ms, more, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    c.out = fdopen(out[0], "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(fgets(line, sizeof line, c.out));
    CU_ASSERT_STRING_EQUAL_FATAL(line, "leading\n");
    return c;
}

static void child_kill(struct child *c)
{
    kill(c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    fclose(c->out);
}

/* Leads and writes one record after the other; says what became of the first write that failed, and
 * stays. */
static _Noreturn void hold_main(char **argv)
{
    const struct ha_service_conf conf = {.store = store_kind("zookeeper"),
                                         .servers = argv[0],
                                         .root = argv[1],
                                         .cluster_id = "c1",
                                         .rm_id = argv[2],
                                         .auth = "creel:secret",
                                         .timeout_us = atol(argv[3]) * 1000,
                                         .lease_off = argv[4] != NULL};
    struct rm *r = rm_start(&conf);
    struct ha_service_status st;
    int rc = await_count(r, &r->leads, 1) ? 0 : -BASE_ETIMEOUT;
    char n[24];

    for (long i = 0; rc == 0; i++) {
        snprintf(n, sizeof n, "%ld", i);
        rc = put(r, "held", "last", n);
        if (i == 0 && rc == 0) {
            puts("leading");
            fflush(stdout);
        }
    }
    await_count(r, &r->stops, 1);
    ha_service_get_status(r->service, &st);
    printf("%d holds=%d refused=%" PRId64 "\n", rc, holds_lease(r->service, r->epoch),
           st.refused_writes);
    fflush(stdout);
    for (;;)
        pause();
}

/* A leader is killed: when its session has ended the other RM leads, and finds what the first one
 * wrote. */
static void test_killed(void)
{
    struct child c = child_start("rm1", "1000", NULL);
    struct rm *b = rm_new("rm2");
    char *text;

    CU_ASSERT_FATAL(await_active(b, "rm1"));
    child_kill(&c);
    CU_ASSERT_FATAL(await_count(b, &b->leads, 1));
    CU_ASSERT_EQUAL(b->epoch, 1);
    text = table_text(b, "held");
    CU_ASSERT_EQUAL(strncmp(text, "last=", 5), 0);
    free(text);
    rm_end(b);
}

/* An RM that was killed and is started anew on the same host does not wait for the end of the dead
 * process's session, which lives for a minute. */
static void test_same_id(void)
{
    struct child c = child_start("rm1", "60000", NULL);
    struct rm *a;

    child_kill(&c);
    a = rm_new("rm1");
    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(a->epoch, 1);
    rm_end(a);
}

/* A live process of the same rm-id is not pushed aside: the second one is refused. */
static void test_same_id_live(void)
{
    struct child c = child_start("rm1", "400", NULL);
    struct ha_service_conf conf = conf_of("rm1");
    struct rm *again;

    conf.timeout_us = 400000;
    again = rm_start(&conf);
    CU_ASSERT_FATAL(await_count(again, &again->refusals, 1));
    CU_ASSERT_PTR_NOT_NULL(strstr(again->why, "rm1"));
    CU_ASSERT_EQUAL(again->leads, 0);
    rm_end(again);
    child_kill(&c);
}

/* A leader is stopped for longer than its session lives, while another RM takes over; then it goes
 * on, and must not change the store any more. */
static void frozen(const char *more, char line[256], struct rm **b)
{
    struct child c = child_start("rm1", "1000", more);
    char *before, *after;

    *b = rm_new("rm2");
    CU_ASSERT_FATAL(await_active(*b, "rm1"));
    kill(c.pid, SIGSTOP);
    CU_ASSERT_FATAL(await_count(*b, &(*b)->leads, 1));
    free(table_text(*b, "held"));
    CU_ASSERT_EQUAL(put(*b, "held", "mine", "1"), 0);
    before = table_text(*b, "held");
    kill(c.pid, SIGCONT);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fgets(line, 256, c.out));
    /* rm2 leads once more, and reads anew what is in ZooKeeper */
    ha_service_resign((*b)->service, 0);
    CU_ASSERT_FATAL(await_count(*b, &(*b)->stops, 1));
    rm_close(*b);
    child_kill(&c);
    CU_ASSERT_FATAL(await_count(*b, &(*b)->leads, 2));
    after = table_text(*b, "held");
    CU_ASSERT_STRING_EQUAL(after, before);
    free(before);
    free(after);
}

static void test_frozen(void)
{
    char line[256], expected[32];
    struct rm *b;

    frozen(NULL, line, &b);
    snprintf(expected, sizeof expected, "%d holds=0", -BASE_EVERSION);
    CU_ASSERT_EQUAL(strncmp(line, expected, strlen(expected)), 0);
    rm_end(b);
}

/* Without the lease the old leader still believes that it leads, and its late write gets to
 * ZooKeeper, where the check of the epoch refuses it. */
static void test_frozen_without_lease(void)
{
    char line[256];
    int rc = 0, holds = 1, refused = 0;
    struct rm *b;

    frozen("lease-off", line, &b);
    CU_ASSERT_EQUAL(sscanf(line, "%d holds=%d refused=%d", &rc, &holds, &refused), 3);
    CU_ASSERT_EQUAL(rc, -BASE_EVERSION);
    CU_ASSERT_EQUAL(holds, 0);
    CU_ASSERT(refused >= 1);
    rm_end(b);
}

/* ---- ZooKeeper away ---- */

struct writer {
    struct ha_store *store;
    const char *key;
    int rc;
};

static void *write_one(void *user)
{
    struct writer *w = user;
    const struct ha_record rec = {"t", w->key, "v", 1};
    struct base_error err;

    w->rc = ha_store_write(w->store, &rec, 1, &err);
    return NULL;
}

/* The server is killed with a write on its way and started again: the leadership goes on, the write
 * has been done. */
static void test_server_restart(void)
{
    struct rm *a = rm_new("rm1");
    struct writer w = {NULL, "under way", 1};
    struct ha_service_status st;
    pthread_t thread;

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(put(a, "t", "before", "v"), 0);
    zk_fixture_pause(server, 1);
    w.store = store_of(a);
    pthread_create(&thread, NULL, write_one, &w);
    zk_fixture_kill(server, 1);
    zk_fixture_start(server, 1);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(w.rc, 0);
    CU_ASSERT_EQUAL(put(a, "t", "later", "v"), 0);
    CU_ASSERT(holds_lease(a->service, 0));
    st = await_status(a, HA_LEADING, 3);
    CU_ASSERT_EQUAL(st.log.live_records, 3);
    CU_ASSERT_EQUAL(a->stops, 0);
    rm_end(a);
}

/* An answer of ZooKeeper confirms what held when the request was sent: a late answer does not make
 * the lease longer. */
static void test_late_answer(void)
{
    struct rm *a = rm_new("rm1");
    struct writer w = {NULL, "late", 1};
    int64_t before_us, sent_by_us, lease_us;
    struct ha_service_status st;
    pthread_t thread;

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(put(a, "t", "before", "v"), 0);
    st = await_status(a, HA_LEADING, 1);
    lease_us = st.timeout_us * 2 / 3;
    zk_fixture_pause(server, 1);
    before_us = base_mono_us(&base_clock_real);
    w.store = store_of(a);
    pthread_create(&thread, NULL, write_one, &w);
    do /* until the write is under way */
        ha_service_get_status(a->service, &st);
    while (st.log.live_records < 2 && !usleep(1000));
    sent_by_us = base_mono_us(&base_clock_real);
    zk_fixture_continue(server, 1);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(w.rc, 0);
    st = await_status(a, HA_LEADING, 2);
    CU_ASSERT(st.lease_us >= before_us + lease_us);
    CU_ASSERT(st.lease_us <= sent_by_us + lease_us);
    rm_end(a);
}

/* ZooKeeper is silent: the leadership ends with the lease, a write under way is given up, and the
 * next leader finds that write whole or not at all. */
static void test_server_silent(void)
{
    struct ha_service_conf conf = conf_of("rm1");
    struct rm *a;
    struct writer w = {.key = "k", .rc = 1};
    pthread_t thread;
    char *text;

    conf.timeout_us = 1000000;
    a = rm_start(&conf);
    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(put(a, "t", "a", "v"), 0);
    zk_fixture_pause(server, 1);
    w.store = store_of(a);
    pthread_create(&thread, NULL, write_one, &w);
    CU_ASSERT_FATAL(await_count(a, &a->stops, 1));
    CU_ASSERT_FALSE(holds_lease(a->service, a->epoch));
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(w.rc, -BASE_EVERSION);
    rm_close(a);
    zk_fixture_continue(server, 1);
    CU_ASSERT_FATAL(await_count(a, &a->leads, 2));
    text = table_text(a, "t");
    /* nobody was told that the last write is there */
    CU_ASSERT(strcmp(text, "a=v k=v ") == 0 || strcmp(text, "a=v ") == 0);
    free(text);
    rm_end(a);
}

/* A daemon gives up by itself: ha_store_abort() ends a write under way; the leadership goes on. */
static void test_abort(void)
{
    struct rm *a = rm_new("rm1");
    struct writer w = {NULL, "k", 1};
    pthread_t thread;

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    check_table(a, "t", "");
    zk_fixture_pause(server, 1);
    w.store = store_of(a);
    pthread_create(&thread, NULL, write_one, &w);
    ha_store_abort(store_of(a));
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(w.rc, -BASE_EVERSION);
    CU_ASSERT_EQUAL(put(a, "t", "k", "v"), -BASE_EVERSION);
    zk_fixture_continue(server, 1);
    rm_end(a);
}

static void test_late_server(void)
{
    struct ha_service_status st;
    struct rm *a;

    zk_fixture_stop(server, 1);
    a = rm_new("rm1");
    ha_service_get_status(a->service, &st);
    CU_ASSERT_EQUAL(st.state, HA_OFFLINE);
    CU_ASSERT_EQUAL(st.timeout_us, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(st.connection, "no server of 127.0.0.1:"));
    zk_fixture_start(server, 1);
    CU_ASSERT(await_count(a, &a->leads, 1));
    rm_end(a);
}

/* ---- refused ---- */

static void check_refused(const struct ha_service_conf *conf, const char *difference)
{
    struct rm *r = rm_start(conf);

    CU_ASSERT_FATAL(await_count(r, &r->refusals, 1));
    if (!strstr(r->why, difference))
        printf("\n    refused with \"%s\"\n", r->why);
    CU_ASSERT_PTR_NOT_NULL(strstr(r->why, difference));
    CU_ASSERT_EQUAL(r->leads, 0);
    rm_end(r);
}

static void set_node(const char *path, const char *text)
{
    zhandle_t *zh;

    zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
    zh = zookeeper_init(zk_fixture_servers(server), NULL, 10000, NULL, NULL, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(zh);
    CU_ASSERT_EQUAL(zoo_add_auth(zh, "digest", "creel:secret", 12, NULL, NULL), ZOK);
    CU_ASSERT_EQUAL(zoo_set(zh, path, text, (int)strlen(text), -1), ZOK);
    zookeeper_close(zh);
}

static const char *first_segment(void)
{
    static char name[64];
    char path[128];
    struct String_vector names = {0};
    zhandle_t *zh = zookeeper_init(zk_fixture_servers(server), NULL, 10000, NULL, NULL, 0);

    CU_ASSERT_PTR_NOT_NULL_FATAL(zh);
    CU_ASSERT_EQUAL(zoo_add_auth(zh, "digest", "creel:secret", 12, NULL, NULL), ZOK);
    snprintf(path, sizeof path, "%s/log", root);
    CU_ASSERT_EQUAL_FATAL(zoo_get_children(zh, path, 0, &names), ZOK);
    CU_ASSERT_FATAL(names.count > 0);
    snprintf(name, sizeof name, "%s", names.data[0]);
    deallocate_String_vector(&names);
    zookeeper_close(zh);
    return name;
}

static void test_refused(void)
{
    struct ha_service_conf conf = conf_of("rm2");
    struct rm *a = rm_new("rm1");

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    conf.auth = "creel:other";
    check_refused(&conf, "digest:creel:");
    conf.auth = "creel:secret";
    conf.cluster_id = "c2";
    check_refused(&conf, "c1");
    CU_ASSERT(holds_lease(a->service, 0));
    rm_end(a);
    set_node(root, "creel 9 c1\n"); /* as a later version of Creel might leave it */
    conf.cluster_id = "c1";
    check_refused(&conf, "9");
}

/* What the log holds is no segment: loads fail, and say which node it is. */
static void test_damaged_log(void)
{
    struct rm *a = rm_new("rm1");
    struct base_error err;
    char path[192];

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(put(a, "t", "k", "v"), 0);
    rm_end(a);
    snprintf(path, sizeof path, "%s/log/%s", root, first_segment());
    set_node(path, "this is none of ours");
    a = rm_new("rm1");
    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    memset(&err, 0, sizeof err);
    CU_ASSERT_EQUAL(ha_store_load(store_of(a), "t", add_text, NULL, &err), -BASE_ECORRUPT);
    CU_ASSERT_EQUAL(err.code, -BASE_ECORRUPT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, path));
    rm_end(a);
}

/* ---- a standby follows the log ---- */

static void await_read_along(struct rm *r)
{
    const int64_t until = base_mono_us(&base_clock_real) + WAIT_S * INT64_C(1000000);
    struct ha_service_status st;

    do {
        usleep(1000);
        ha_service_get_status(r->service, &st);
    } while (!st.read_along && base_mono_us(&base_clock_real) < until);
    CU_ASSERT(st.read_along);
}

/* What a standby has read is not read again when it leads. */
static void test_read_along(void)
{
    struct rm *a = rm_new("rm1"), *b;

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(put(a, "t", "k", "old"), 0);
    b = rm_new("rm2");
    await_read_along(b);
    CU_ASSERT_EQUAL(put(a, "t", "last", "v"), 0);
    rm_end(a);
    CU_ASSERT_FATAL(await_count(b, &b->leads, 1));
    check_table(b, "t", "k=old last=v ");
    CU_ASSERT_EQUAL(put(b, "t", "k", "new"), 0);
    CU_ASSERT(await_status(b, HA_LEADING, 1).log.kept >= 3);
    rm_end(b);
}

/* ---- volume ---- */

#define MANY  10000
#define LARGE (5u << 20)

static void write_many(struct rm *r, const char *large)
{
    struct ha_record *v = base_alloc(MANY * sizeof *v);
    char(*text)[24] = base_alloc(MANY * sizeof *text);
    struct base_error err;

    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "key_%06d", i);
        v[i] = (struct ha_record){"many", text[i], text[i] + 4, 6};
    }
    CU_ASSERT_EQUAL(ha_store_write(store_of(r), v, MANY / 2, &err), 0);
    CU_ASSERT_EQUAL(put_len(r, "large", "l", large, LARGE), 0);
    CU_ASSERT_EQUAL(ha_store_write(store_of(r), v + MANY / 2, MANY / 2, &err), 0);
    for (int i = 0; i < MANY; i++)
        v[i].data = NULL;
    CU_ASSERT_EQUAL(ha_store_write(store_of(r), v, 10, &err), 0);
    CU_ASSERT_EQUAL(put(r, "many", "key_000010", "new"), 0);
    free(v);
    free(text);
}

struct reading {
    int n, wrong;
    const char *large;
};

static int read_many(void *user, const struct ha_record *rec, struct base_error *err)
{
    struct reading *x = user;
    char key[24];

    (void)err;
    snprintf(key, sizeof key, "key_%06d", x->n + 10);
    x->wrong += strcmp(rec->key, key) != 0;
    x->wrong += strcmp(rec->data, x->n == 0 ? "new" : key + 4) != 0;
    x->n++;
    return 0;
}

static int read_large(void *user, const struct ha_record *rec, struct base_error *err)
{
    struct reading *x = user;

    (void)err;
    x->wrong += rec->len != LARGE || memcmp(rec->data, x->large, LARGE) != 0;
    x->n++;
    return 0;
}

static int stop_reading(void *user, const struct ha_record *rec, struct base_error *err)
{
    (void)rec;
    ++*(int *)user;
    return base_error_set(err, -BASE_ECORRUPT, "enough");
}

/* Many records and a large one are read under a second leadership, in order, without those that
 * were removed. */
static void test_volume(void)
{
    char *large = base_alloc(LARGE);
    struct reading many = {0}, one = {0};
    struct ha_service_status st;
    struct base_error err;
    struct rm *a = rm_new("rm1");
    int n = 0;

    for (size_t i = 0; i < LARGE; i++)
        large[i] = (char)(i * 7 + i / 251);
    one.large = large;
    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    write_many(a, large);
    st = await_status(a, HA_LEADING, 5);
    CU_ASSERT(st.log.multis >= 14);
    /* 10,012 records: batches, not records, are what ZooKeeper sees */
    CU_ASSERT(st.log.multis < 60);
    rm_end(a);
    a = rm_new("rm1");
    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(ha_store_load(store_of(a), "many", read_many, &many, &err), 0);
    CU_ASSERT_EQUAL(many.n, MANY - 10);
    CU_ASSERT_EQUAL(many.wrong, 0);
    /* a write between loads: they go on, and show it */
    CU_ASSERT_EQUAL(put(a, "key", "k", "v"), 0);
    check_table(a, "key", "k=v ");
    CU_ASSERT_EQUAL(ha_store_load(store_of(a), "large", read_large, &one, &err), 0);
    CU_ASSERT_EQUAL(one.n, 1);
    CU_ASSERT_EQUAL(one.wrong, 0);
    CU_ASSERT_EQUAL(ha_store_load(store_of(a), "many", stop_reading, &n, &err), -BASE_ECORRUPT);
    CU_ASSERT_EQUAL(n, 1);
    CU_ASSERT_EQUAL(put(a, "key", "k", "2"), 0);
    CU_ASSERT_EQUAL(put(a, "key", "k", "3"), 0);
    CU_ASSERT_EQUAL(ha_store_load(store_of(a), "many", read_many, &many, &err), -BASE_ESTATE);
    free(large);
    rm_end(a);
}

/* Removed records are deleted from ZooKeeper, too. */
static void test_pruning(void)
{
    char *large = base_alloc(LARGE);
    struct ha_service_status st;
    struct rm *a = rm_new("rm1");

    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    CU_ASSERT_EQUAL(put(a, "t", "kept", "v"), 0);
    memset(large, 'x', LARGE);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(put_len(a, "t", "large", large, LARGE), 0);
        CU_ASSERT_EQUAL(put(a, "t", "large", NULL), 0);
    }
    free(large);
    CU_ASSERT_EQUAL(put(a, "t", "last", "v"), 0);
    st = await_status(a, HA_LEADING, 10);
    CU_ASSERT(st.log.cleaned >= 10);
    CU_ASSERT(st.log.segments < 40);
    CU_ASSERT_EQUAL(st.log.live_records, 2);
    rm_end(a);
    a = rm_new("rm1");
    CU_ASSERT_FATAL(await_count(a, &a->leads, 1));
    check_table(a, "t", "kept=v last=v ");
    rm_end(a);
}

static const struct cunit_case cases[] = {
    {"two", test_two},
    {"resign", test_resign},
    {"killed", test_killed},
    {"the same id after a kill", test_same_id},
    {"the same id, live", test_same_id_live},
    {"frozen", test_frozen},
    {"frozen without lease", test_frozen_without_lease},
    {"server restarted", test_server_restart},
    {"late answer", test_late_answer},
    {"server silent", test_server_silent},
    {"abort", test_abort},
    {"late server", test_late_server},
    {"refused", test_refused},
    {"a damaged log", test_damaged_log},
    {"read along", test_read_along},
    {"volume", test_volume},
    {"pruning", test_pruning},
    {"cleaned", test_cleaned},
};

static struct cunit_case own_root[sizeof cases / sizeof *cases];
static size_t running;

/* Each test has a root of its own. */
static void run_in_own_root(void)
{
    snprintf(root, sizeof root, "/creel/test-%zu", running);
    cases[running++].run();
}

int main(int argc, char **argv)
{
    const size_t n = sizeof cases / sizeof *cases;
    int rc;

    base_log_init("test_ha_service", BASE_LOG_TEXT, BASE_LOG_ERROR);
    if (argc >= 6 && strcmp(argv[1], "hold") == 0) {
        snprintf(root, sizeof root, "%s", argv[3]);
        hold_main(argv + 2);
    }
    zk_fixture_or_skip();
    server = zk_fixture_new(1);
    for (size_t i = 0; i < n; i++)
        own_root[i] = (struct cunit_case){cases[i].name, run_in_own_root};
    rc = cunit_main("ha_service", own_root, n);
    zk_fixture_free(server);
    return rc;
}

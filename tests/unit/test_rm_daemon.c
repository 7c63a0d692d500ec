/* Goal: every event that is posted to the daemon is answered exactly once and released exactly
 * once, even when the daemon stops meanwhile; what was acknowledged is there after a restart;
 * readers and the core do not disturb each other. Method: the daemon in this process over the
 * memory store, hammered by threads (run under TSan). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/conf/conf.h"
#include "rm/daemon/daemon.h"
#include "rm/http/spec_json.h"
#include "rm/leader/sole_rm.h"
#include "rm/term/core_clock.h"
#include "tests/unit/clock_virtual.h"
#include "tests/unit/count_jobs.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

#define POSTERS 4
#define EACH    300

struct counts {
    atomic_int posted, replied, released, acknowledged, errors;
};
struct post {
    struct rm_event ev;
    struct counts *counts;
    char token[33];
    atomic_int replies, releases, refs;
};
struct poster {
    struct rm_backend *b;
    struct counts *counts;
    pthread_t thread;
};

static void done(struct post *p)
{
    if (atomic_fetch_sub(&p->refs, 1) == 1)
        free(p);
}

static void on_reply(void *user, const struct rm_effect *fx)
{
    struct post *p = user;

    base_assert(atomic_fetch_add(&p->replies, 1) == 0);
    atomic_fetch_add(&p->counts->replied, 1);
    if (fx->u.reply.kind == RM_REPLY_JOB)
        atomic_fetch_add(&p->counts->acknowledged, 1);
    else if (fx->u.reply.kind == RM_REPLY_ERROR)
        atomic_fetch_add(&p->counts->errors, 1);
    done(p);
}

static void on_release(void *user)
{
    struct post *p = user;

    base_assert(atomic_fetch_add(&p->releases, 1) == 0);
    atomic_fetch_add(&p->counts->released, 1);
    done(p);
}

static struct rm_job_spec *job(void)
{
    static const char body[] = "{\"job\":{\"tasks\":[{\"command\":\"true\"}]}}";
    const struct rm_spec_defaults d = {.user = "ann", .split_size = 1, .max_attempts = 4};
    struct rm_job_spec *s = NULL;

    base_assert(rm_spec_job_decode(body, strlen(body), &d, &s, NULL) == 0);
    return s;
}

static void submit(struct rm_backend *b, struct counts *c)
{
    struct post *p = base_alloc(sizeof *p);

    p->counts = c;
    atomic_init(&p->refs, 2);
    snprintf(p->token, sizeof p->token, "0123456789abcdef0123456789abcdef");
    p->ev.kind = RM_EV_SUBMIT_JOB;
    p->ev.caller = "ann";
    p->ev.u.submit_job.spec = job();
    p->ev.u.submit_job.app_token = p->token;
    atomic_fetch_add(&c->posted, 1);
    rm_backend_post(b, &p->ev, on_reply, on_release, p);
}

static void *post_all(void *arg)
{
    struct poster *p = arg;

    for (int i = 0; i < EACH; i++)
        submit(p->b, p->counts);
    return NULL;
}

static void *read_all(void *arg)
{
    struct poster *p = arg;
    struct rm_backend_stats stats;

    for (int i = 0; i < 50; i++) {
        count_jobs(p->b);
        rm_backend_get_stats(p->b, &stats);
        rm_backend_now_us(p->b);
    }
    return NULL;
}

static struct base_conf *conf(void)
{
    struct base_conf *c = base_conf_new();

    base_assert(
        base_conf_set_arg(c, "yarn.resourcemanager.max-completed-applications=10000", NULL) == 0);
    return c;
}

static struct rm_backend *open_daemon(const struct base_conf *c)
{
    struct base_error err = {0};
    struct rm_backend *b = NULL;

    if (rm_daemon_new_sole(c, NULL, store_kind("memory"), memory_place("daemon"), NULL, &b, &err) <
        0)
        printf("%s\n", err.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    rm_daemon_start(b);
    rm_daemon_set_url(b, "http://127.0.0.1:1");
    return b;
}

/* @settle: wait for all answers before the stop; otherwise stop in the middle of it all. */
static void hammer(bool settle)
{
    struct base_conf *c = conf();
    struct counts counts = {0};
    struct poster posters[POSTERS], reader;
    struct rm_backend *b;
    const struct timespec tick = {0, 1000000};
    int acknowledged;

    b = open_daemon(c);
    CU_ASSERT_EQUAL(rm_daemon_epoch(b), 0);
    reader = (struct poster){b, &counts, 0};
    pthread_create(&reader.thread, NULL, read_all, &reader);
    for (int i = 0; i < POSTERS; i++) {
        posters[i] = (struct poster){b, &counts, 0};
        pthread_create(&posters[i].thread, NULL, post_all, &posters[i]);
    }
    for (int i = 0; settle && i < 30000 && atomic_load(&counts.replied) < POSTERS * EACH; i++)
        nanosleep(&tick, NULL);
    if (!settle)
        nanosleep(&tick, NULL);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    for (int i = 0; i < POSTERS; i++)
        pthread_join(posters[i].thread, NULL);
    pthread_join(reader.thread, NULL);
    submit(b, &counts); /* too late: refused, but answered */
    rm_daemon_free(b);
    CU_ASSERT_EQUAL(atomic_load(&counts.posted), POSTERS * EACH + 1);
    CU_ASSERT_EQUAL(atomic_load(&counts.replied), POSTERS * EACH + 1);
    CU_ASSERT_EQUAL(atomic_load(&counts.released), POSTERS * EACH + 1);
    acknowledged = atomic_load(&counts.acknowledged);
    CU_ASSERT_EQUAL(acknowledged + atomic_load(&counts.errors), POSTERS * EACH + 1);
    if (settle)
        CU_ASSERT_EQUAL(acknowledged, POSTERS * EACH);

    b = open_daemon(c); /* acknowledged means kept */
    CU_ASSERT_EQUAL(rm_daemon_epoch(b), 1);
    CU_ASSERT(count_jobs(b) >= (size_t)acknowledged);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    rm_daemon_free(b);
    stores_forget();
    base_conf_free(c);
}

static void test_settled(void)
{
    hammer(true);
}

static void test_stopped_in_between(void)
{
    hammer(false);
}

static void on_fired(void *user)
{
    atomic_fetch_add((atomic_int *)user, 1);
}

/* Goal: a wait for map outputs fires once: for a job that does not exist, and on a daemon that has
 * stopped. */
static void test_watch(void)
{
    struct base_conf *c = conf();
    struct rm_backend *b = open_daemon(c);
    const struct timespec tick = {0, 1000000};
    atomic_int fired = 0;

    rm_backend_await_map_outputs(b, (struct base_app_id){1, 1}, 0, rm_backend_now_us(b) + 60000000,
                                 on_fired, &fired);
    for (int i = 0; i < 10000 && atomic_load(&fired) < 1; i++)
        nanosleep(&tick, NULL);
    CU_ASSERT_EQUAL(atomic_load(&fired), 1);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    rm_backend_await_map_outputs(b, (struct base_app_id){1, 1}, 0, rm_backend_now_us(b) + 60000000,
                                 on_fired, &fired);
    CU_ASSERT_EQUAL(atomic_load(&fired), 2);
    rm_daemon_free(b);
    stores_forget();
    base_conf_free(c);
}

/* Goal: the state store is the one that creel.rm.state-store names, and a wrong name is refused
 * with its key. */
static void test_state_store(void)
{
    struct base_conf *c = conf();
    struct base_error err = {0};
    struct rm_backend *b = NULL;

    /* no place for a file */
    base_assert(base_conf_set_arg(c, "creel.rm.state-dir=/dev/null/none", NULL) == 0);
    base_assert(base_conf_set_arg(c, "creel.rm.state-store=memory", NULL) == 0);
    for (int64_t epoch = 0; epoch < 2; epoch++) {
        CU_ASSERT_EQUAL_FATAL(rm_daemon_new_sole(c, NULL, NULL, NULL, NULL, &b, &err), 0);
        CU_ASSERT_EQUAL(rm_daemon_epoch(b), epoch);
        rm_daemon_start(b);
        CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
        rm_daemon_free(b);
    }
    base_assert(base_conf_set_arg(c, "creel.rm.state-store=zookeeper", NULL) == 0);
    CU_ASSERT_EQUAL(rm_daemon_new_sole(c, NULL, NULL, NULL, NULL, &b, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(
        err.text,
        "creel.rm.state-store: \"zookeeper\" is no state store of a single ResourceManager: "
        "expected one of sqlite, memory");
    base_conf_free(c);
}

/* Goal: a wall clock that is set forward or back moves the core's time gently, and never back. */
static void test_clock(void)
{
    struct base_clock v;
    struct rm_clock c;
    int64_t now, before;

    clock_virtual_init(&v, 1000000000);
    rm_clock_init(&c, &v);
    CU_ASSERT_EQUAL(rm_clock_catch_up(&c), 1000000000);
    clock_virtual_advance(&v, 5);
    CU_ASSERT_EQUAL(rm_clock_catch_up(&c), 1000000005);
    v.base_us += 3600 * INT64_C(1000000); /* an hour ahead at once */
    before = now = rm_clock_catch_up(&c);
    CU_ASSERT_EQUAL(now, 1000000005);
    for (int s = 1; s <= 100; s++) {
        for (int i = 0; i < 50; i++) { /* many readings, less than 10 us apart at times */
            clock_virtual_advance(&v, v.now_us + (i % 2 ? 3 : 39997));
            now = rm_clock_catch_up(&c);
            CU_ASSERT(now >= before);
            before = now;
        }
        CU_ASSERT(now - 1000000005 <= s * INT64_C(1100000));
        CU_ASSERT(now - 1000000005 >= s * INT64_C(1099000));
    }
    clock_virtual_advance(&v, v.now_us + 36000 * INT64_C(1000000));
    CU_ASSERT_EQUAL(rm_clock_catch_up(&c), base_wall_us(&v)); /* caught up, and no further */
    v.base_us -= 60 * INT64_C(1000000);
    before = rm_clock_catch_up(&c);
    CU_ASSERT_EQUAL(before, base_wall_us(&v) + 60 * INT64_C(1000000));
    clock_virtual_advance(&v, v.now_us + 30);
    CU_ASSERT_EQUAL(rm_clock_now(&c), before + 30);
}

static const struct cunit_case cases[] = {{"all answered, all kept", test_settled},
                                          {"stopped in between", test_stopped_in_between},
                                          {"watches", test_watch},
                                          {"state store", test_state_store},
                                          {"clock", test_clock}};
CUNIT_MAIN("rm_daemon", cases)

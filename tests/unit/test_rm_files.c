/* Goal: file systems that are slow or never answer hold up those who ask for them, and nobody else,
 * nor the stop.
 * Method: work that waits for the test stands in for a system call that does not return; work that
 * asks rm_file_work_check_cancelled() stands in for a long listing. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"
#include "rm/jobs/file_places.h"
#include "rm/jobs/file_pool.h"
#include "rm/jobs/job_folders.h"
#include "tests/unit/cunit_main.h"

enum { HANG, LONG, QUICK };
struct look {
    struct rm_file_work work;
    int how;
    const char *path; /* it says that it looks there; NULL: nothing */
    sem_t *go;        /* HANG: returns when it is posted */
    sem_t *begun, *answered, *dropped;
    int *code;
    char *text;
};

static int look(struct rm_file_work *w, struct base_error *err)
{
    struct look *l = (struct look *)w;
    int rc = 0;

    if (l->path && (rc = rm_file_work_enter_path(w, l->path, err)) < 0)
        return rc;
    if (l->begun)
        sem_post(l->begun);
    if (l->how == HANG)
        while (sem_wait(l->go) < 0)
            continue;
    while (l->how == LONG && (rc = rm_file_work_check_cancelled(w, err)) == 0)
        usleep(1000);
    return rc;
}

static void done(struct rm_file_work *w, int rc, struct base_error *err)
{
    static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER; /* several works share one text */
    struct look *l = (struct look *)w;

    __atomic_store_n(l->code, rc, __ATOMIC_RELAXED); /* test_places looks before all are answered */
    pthread_mutex_lock(&text_lock);
    if (l->text)
        snprintf(l->text, 200, "%.199s", err->text);
    pthread_mutex_unlock(&text_lock);
    sem_post(l->answered);
}

static void drop(struct rm_file_work *w)
{
    struct look *l = (struct look *)w;

    if (l->dropped)
        sem_post(l->dropped);
    free(l);
}

static void wait_for(sem_t *s, int n)
{
    while (n > 0)
        n -= sem_wait(s) == 0;
}

struct rig {
    struct rm_file_pool *f;
    sem_t go, begun, answered, dropped, quick;
    int codes[64], quick_code;
    char text[200], quick_text[200];
};

#define NEVER (INT64_C(1) << 40)
#define LATER INT64_C(60000000) /* a stop waits so long: for what ends soon */

static void begin(struct rig *r, int64_t limit_us, int64_t slow_us, int64_t grace_us, int most)
{
    const struct rm_file_pool_conf conf = {.limit_us = limit_us,
                                           .slow_us = slow_us,
                                           .grace_us = grace_us,
                                           .quick = 2,
                                           .most = most,
                                           .limit = "the.key"};

    memset(r, 0, sizeof *r);
    sem_init(&r->go, 0, 0);
    sem_init(&r->begun, 0, 0);
    sem_init(&r->answered, 0, 0);
    sem_init(&r->dropped, 0, 0);
    sem_init(&r->quick, 0, 0);
    r->f = rm_file_pool_new(&conf);
    rm_file_pool_start(r->f);
}

static void add_at(struct rig *r, int how, int n, const char *path)
{
    for (int i = 0; i < n; i++) {
        struct look *l = base_alloc(sizeof *l);

        *l = (struct look){.work = {.run = look, .done = done, .drop = drop},
                           .how = how,
                           .path = path,
                           .go = &r->go,
                           .begun = how == QUICK ? NULL : &r->begun,
                           .answered = how == QUICK ? &r->quick : &r->answered,
                           .dropped = how == QUICK ? NULL : &r->dropped,
                           .code = how == QUICK ? &r->quick_code : &r->codes[i],
                           .text = how == QUICK ? r->quick_text : r->text};
        rm_file_pool_submit(r->f, &l->work);
    }
}

static void add(struct rig *r, int how, int n)
{
    add_at(r, how, n, NULL);
}

/* Many that do not come back, and one after them that does. */
static void test_no_starving(void)
{
    struct rig r;

    begin(&r, NEVER, 2000, LATER, 16);
    add(&r, HANG, 14);
    add(&r, QUICK, 1);
    wait_for(&r.quick, 1); /* though none of the others has ended */
    CU_ASSERT_EQUAL(r.quick_code, 0);
    for (int i = 0; i < 14; i++)
        sem_post(&r.go);
    wait_for(&r.answered, 14);
    for (int i = 0; i < 14; i++)
        CU_ASSERT_EQUAL(r.codes[i], 0);
    CU_ASSERT_TRUE(rm_file_pool_stop(r.f));
    rm_file_pool_free(r.f);
}

/* More slow ones than there may be: the last are told to end, and quick ones still get their
 * turn. */
static void test_too_many_slow(void)
{
    struct rig r;
    int again = 0;

    begin(&r, NEVER, 2000, LATER, 4);
    add(&r, LONG, 20);
    add(&r, QUICK, 1);
    wait_for(&r.quick, 1);
    CU_ASSERT_EQUAL(r.quick_code, 0);
    wait_for(&r.answered, 18); /* all but the two that may be slow */
    for (int i = 0; i < 20; i++)
        again += r.codes[i] == -BASE_EAGAIN;
    CU_ASSERT_EQUAL(again, 18);
    CU_ASSERT_TRUE(rm_file_pool_stop(r.f));
    wait_for(&r.answered, 2); /* the stop told them */
    CU_ASSERT_STRING_EQUAL(r.text, "the ResourceManager is shutting down");
    rm_file_pool_free(r.f);
}

static void test_limit(void)
{
    struct rig r;

    begin(&r, 10000, 1000, 3000000, 8);
    add(&r, LONG, 1);
    wait_for(&r.answered, 1);
    CU_ASSERT_EQUAL(r.codes[0], -BASE_ETIMEOUT);
    CU_ASSERT_STRING_EQUAL(r.text, "not done after 10 ms, which is the limit (the.key)");
    add(&r, HANG, 1);
    wait_for(&r.answered, 1); /* it has not come back */
    CU_ASSERT_EQUAL(r.codes[0], -BASE_EAGAIN);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.text, "a file system has not answered"));
    sem_post(&r.go);
    wait_for(&r.dropped, 2);
    CU_ASSERT_TRUE(rm_file_pool_stop(r.f));
    CU_ASSERT_EQUAL(sem_trywait(&r.answered), -1); /* nor was it answered twice */
    rm_file_pool_free(r.f);
}

/* All threads hang: what waits behind them is answered. */
static void test_all_hang(void)
{
    struct rig r;

    begin(&r, 3000000, 1000, LATER, 3); /* far from the moment when the third one has its thread */
    add(&r, HANG, 3);
    wait_for(&r.begun, 3);
    add(&r, QUICK, 1);
    wait_for(&r.quick, 1);
    CU_ASSERT_EQUAL(r.quick_code, -BASE_EAGAIN);
    for (int i = 0; i < 3; i++)
        sem_post(&r.go);
    wait_for(&r.dropped, 3);
    CU_ASSERT_TRUE(rm_file_pool_stop(r.f));
    rm_file_pool_free(r.f);
}

/* As many as want to hang at one place: most of the threads are left for who looks elsewhere. */
static void test_places(void)
{
    struct rig r;
    int refused = 0;

    begin(&r, NEVER, 2000, LATER, 40);
    add_at(&r, HANG, 40, "/dead/a/out");
    wait_for(&r.begun, RM_PLACE_MAX);
    /* one may have come before the last one of them was found to hang */
    wait_for(&r.answered, 40 - RM_PLACE_MAX - 1);
    for (int i = 0; i < 40; i++)
        refused += __atomic_load_n(&r.codes[i], __ATOMIC_RELAXED) == -BASE_EAGAIN;
    CU_ASSERT(refused >= 40 - RM_PLACE_MAX - 1);
    add_at(&r, QUICK, 1, "/dead/b/out");
    wait_for(&r.quick, 1);
    CU_ASSERT_EQUAL(r.quick_code, 0);
    add_at(&r, QUICK, 1, "/dead//./a/other");
    wait_for(&r.quick, 1);
    CU_ASSERT_EQUAL(r.quick_code, -BASE_EAGAIN);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        r.quick_text, " others are already waiting for a file system there that does not answer"));
    for (int i = 0; i < 40; i++)
        sem_post(&r.go);
    wait_for(&r.dropped, 40);
    add_at(&r, QUICK, 1, "/dead/a/other");
    wait_for(&r.quick, 1);
    CU_ASSERT_EQUAL(r.quick_code, 0);
    CU_ASSERT_TRUE(rm_file_pool_stop(r.f));
    rm_file_pool_free(r.f);
}

static void test_stop_while_one_hangs(void)
{
    struct rig r;

    begin(&r, NEVER, 1000, 20000, 8);
    add(&r, HANG, 1);
    wait_for(&r.begun, 1);
    CU_ASSERT_FALSE(rm_file_pool_stop(r.f));
    wait_for(&r.answered, 1);
    CU_ASSERT_EQUAL(r.codes[0], -BASE_EIO);
    add(&r, QUICK, 1); /* after the stop: at once */
    wait_for(&r.quick, 1);
    CU_ASSERT_EQUAL(r.quick_code, -BASE_EIO);
    rm_file_pool_free(r.f);
    sem_post(&r.go); /* the thread frees the pool */
    wait_for(&r.dropped, 1);
}

/* ---- rm_jobs_io: many jobs at once, each in order ---- */
#define JOBS 40
struct finished {
    pthread_mutex_t lock;
    sem_t all;
    int failed;
};

static bool may(void *user)
{
    (void)user;
    return true;
}

static void job_done(void *user, enum rm_effect_kind what, struct base_app_id id, bool ok,
                     const char *diagnostics)
{
    struct finished *f = user;

    (void)what;
    pthread_mutex_lock(&f->lock);
    if (!ok)
        printf("\n  job %d: %s\n", id.seq, diagnostics);
    f->failed += !ok;
    pthread_mutex_unlock(&f->lock);
    sem_post(&f->all);
}

static void put(struct rm_jobs_io *io, enum rm_effect_kind what, struct rm_job_spec *spec)
{
    struct rm_effect fx = {.kind = what};

    fx.u.job.id = spec->id;
    fx.u.job.spec = spec; /* without a task that leaves a part */
    rm_jobs_io_queue_effect(io, &fx);
}

static void test_jobs_in_order(void)
{
    struct finished f = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct rm_jobs_io_calls calls = {.user = &f, .done = job_done, .may = may};
    char dir[] = "/tmp/creel-files-XXXXXX";
    struct rm_jobs_io *io;
    struct stat st;

    sem_init(&f.all, 0, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    io = rm_jobs_io_start(&calls);
    for (int i = 1; i <= JOBS; i++) {
        struct rm_job_spec *spec = base_alloc(sizeof *spec);

        spec->refs = 1;
        spec->id = (struct base_app_id){1, i};
        spec->output = base_printf("%s/out%d", dir, i);
        put(io, RM_FX_JOB_SETUP, spec);
        put(io, RM_FX_JOB_COMMIT, spec);
        rm_job_spec_unref(spec);
    }
    wait_for(&f.all, 2 * JOBS);
    rm_jobs_io_stop(io);
    CU_ASSERT_EQUAL(f.failed, 0);
    for (int i = 1; i <= JOBS; i++) {
        char *success = base_printf("%s/out%d/_SUCCESS", dir, i),
             *temporary = base_printf("%s/out%d/_temporary", dir, i);

        CU_ASSERT_EQUAL(stat(success, &st), 0);
        CU_ASSERT_EQUAL(stat(temporary, &st), -1); /* the set-up did not come after the commit */
        free(success);
        free(temporary);
    }
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

/* ---- file systems that hang: mkdir(2) of what is below /dead… does not return before the test
 * says so ---- */
static sem_t dead_go;
static atomic_int dead_n, dead_most;

int mkdir(const char *path, mode_t mode)
{
    int n, most;

    if (strncmp(path, "/dead", 5) != 0)
        return mkdirat(AT_FDCWD, path, mode);
    n = atomic_fetch_add(&dead_n, 1) + 1;
    for (most = atomic_load(&dead_most);
         most < n && !atomic_compare_exchange_weak(&dead_most, &most, n);)
        continue;
    wait_for(&dead_go, 1);
    atomic_fetch_sub(&dead_n, 1);
    return mkdirat(AT_FDCWD, path, mode); /* there is no such folder */
}

static void set_up(struct rm_jobs_io *io, int job, char *output)
{
    struct rm_job_spec *spec = base_alloc(sizeof *spec);

    spec->refs = 1;
    spec->id = (struct base_app_id){1, job};
    spec->output = output;
    put(io, RM_FX_JOB_SETUP, spec);
    rm_job_spec_unref(spec);
}

/* @places folders below one first name hang, with @each jobs in each; @most of them may: a job
 * elsewhere goes on. */
static void hang(int places, int each, int most)
{
    struct finished f = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct rm_jobs_io_calls calls = {.user = &f, .done = job_done, .may = may};
    char dir[] = "/tmp/creel-files-XXXXXX";
    struct rm_jobs_io *io;
    int job = 0;

    sem_init(&f.all, 0, 0);
    sem_init(&dead_go, 0, 0);
    atomic_store(&dead_most, 0);
    base_assert(mkdtemp(dir));
    io = rm_jobs_io_start(&calls);
    for (int i = 0; i < each; i++)
        for (int place = 0; place < places; place++, job++)
            set_up(io, job + 1, base_printf("/dead/%d/out%d", place, job));
    for (int i = 0; i < 20; i++, job++) {
        set_up(io, job + 1, base_printf("%s/out%d", dir, i));
        wait_for(&f.all, 1);
    }
    CU_ASSERT_EQUAL(f.failed, 0);
    for (int i = 0; i < places * each; i++)
        sem_post(&dead_go);
    wait_for(&f.all, places * each); /* all have had their turn */
    CU_ASSERT_EQUAL(f.failed, places * each);
    CU_ASSERT(atomic_load(&dead_most) <= most);
    rm_jobs_io_stop(io);
    sem_destroy(&f.all);
    sem_destroy(&dead_go);
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static void test_a_place_hangs(void)
{
    hang(1, 40, RM_PLACE_MAX);
}

static void test_places_hang(void)
{
    hang(30, 10, RM_PLACE_TOP_MAX);
}

static bool together(const char *a, const char *b)
{
    const struct rm_file_place p = rm_file_place_from_path(a), q = rm_file_place_from_path(b);

    CU_ASSERT(!rm_file_place_equal(&p, &q) || p.top == q.top);
    return rm_file_place_equal(&p, &q);
}

static void test_place_of(void)
{
    struct rm_file_place a = rm_file_place_from_path("/mnt/a/x"),
                         b = rm_file_place_from_path("/mnt/b/x"),
                         c = rm_file_place_from_path("/home/a/x"), none = {0};
    struct rm_file_place_count n = {0};

    CU_ASSERT_TRUE(together("/mnt/nfs/out", "/mnt/nfs/a/b/c"));
    CU_ASSERT_TRUE(together("/mnt/nfs/out", "//mnt/./nfs///x"));
    CU_ASSERT_TRUE(together("/mnt/nfs/out", "/mnt/a/b/../../nfs/x"));
    CU_ASSERT_TRUE(together("/mnt/nfs/out", "/../mnt/nfs/x/../../nfs/y"));
    CU_ASSERT_TRUE(together("/out", "/../other"));
    CU_ASSERT_TRUE(together("/", "/out"));
    CU_ASSERT_TRUE(together("/tmp/out", "/tmp/other"));
    CU_ASSERT_FALSE(together("/tmp/out", "/tmp/x/out"));
    CU_ASSERT_FALSE(together("/tmp/out", "/out"));
    CU_ASSERT_FALSE(together("/ab/c/x", "/a/bc/x"));
    CU_ASSERT_EQUAL(a.top, b.top);
    CU_ASSERT_NOT_EQUAL(a.whole, b.whole);
    CU_ASSERT_NOT_EQUAL(a.top, c.top);
    for (int i = 0; i < RM_PLACE_TOP_MAX; i++) {
        CU_ASSERT_FALSE(rm_file_place_count_is_full(&n));
        rm_file_place_count_if_shared(&n, &a, &b);
        rm_file_place_count_if_shared(&n, &a, &c);
        rm_file_place_count_if_shared(&n, &none, &none);
    }
    CU_ASSERT_TRUE(rm_file_place_count_is_full(&n));
    n = (struct rm_file_place_count){0};
    for (int i = 0; i < RM_PLACE_MAX; i++) {
        CU_ASSERT_FALSE(rm_file_place_count_is_full(&n));
        rm_file_place_count_if_shared(&n, &a, &a);
    }
    CU_ASSERT_TRUE(rm_file_place_count_is_full(&n));
}

static const struct cunit_case cases[] = {
    {"slow work does not starve quick work", test_no_starving},
    {"too much slow work", test_too_many_slow},
    {"the limit of time", test_limit},
    {"all threads hang", test_all_hang},
    {"one place hangs", test_places},
    {"stop while one hangs", test_stop_while_one_hangs},
    {"output folders: many jobs, each in order", test_jobs_in_order},
    {"output folders: a place hangs", test_a_place_hangs},
    {"output folders: many places hang", test_places_hang},
    {"places of paths", test_place_of},
};
CUNIT_MAIN("rm_file_pool", cases)

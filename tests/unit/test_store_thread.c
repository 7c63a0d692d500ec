/* Goal: group commit acknowledges nothing before it is durable, keeps the order, and goes on after
 * the disk recovers.
 * Method: a store backend of the test that can be told to fail or to be slow. */
#include <CUnit/Basic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "rm/leader/store_thread.h"

static atomic_int written, batches, failing, fenced;
static atomic_ulong stored;
static atomic_int released, refused, early;

static atomic_int hold_writes, entered,
    let_go; /* writes are held until they are let go one by one */

static int fake_write(struct ha_store *s, const struct ha_record *v, size_t n,
                      struct base_error *err)
{
    const struct timespec a_little = {0, 2000000};

    (void)s;
    nanosleep(&a_little, NULL); /* an fsync takes its time */
    atomic_fetch_add(&entered, 1);
    while (atomic_load(&hold_writes) && atomic_load(&let_go) < atomic_load(&entered))
        nanosleep(&a_little, NULL);
    if (atomic_load(&fenced))
        return base_error_set(err, -BASE_EVERSION, "epoch 1 is over");
    if (atomic_load(&failing))
        return base_error_set(err, -BASE_ENOSPC, "state store: No space left on device");
    for (size_t i = 0; i < n; i++)
        CU_ASSERT(v[i].data && strlen(v[i].data) == v[i].len);
    atomic_fetch_add(&written, (int)n);
    atomic_fetch_add(&batches, 1);
    return 0;
}
static void fake_close(struct ha_store *s)
{
    (void)s;
}
static const struct ha_store_ops fake = {.name = "fake", .write = fake_write, .close = fake_close};

static const struct ha_store_ops shared = {.name = "shared",
                                           .write = fake_write,
                                           .close = fake_close,
                                           .gather_us = INT64_C(3600) * 1000000};
static struct ha_store fake_store = {&fake}, shared_store = {&shared};

static void on_stored(void *user, uint64_t seq)
{
    (void)user;
    CU_ASSERT(seq > atomic_load(&stored));
    atomic_store(&stored, seq);
}

static void on_release(void *user, void *ticket, const struct rm_effect *fx, int error,
                       const char *text)
{
    (void)user;
    if (error < 0) /* the core has the change, and the store's thread writes it once it can */
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "may still be carried out"));
    CU_ASSERT_STRING_EQUAL(fx->u.reply.text, "kept");
    if (error < 0)
        atomic_fetch_add(&refused, 1);
    else if ((uintptr_t)ticket > (uintptr_t)atomic_load(&written))
        atomic_fetch_add(&early, 1);
    atomic_fetch_add(&released, 1);
}
static const struct rm_store_calls calls = {.stored = on_stored, .release = on_release};

static void put(struct rm_store *s, uint64_t seq)
{
    char key[32], text[8];
    const struct rm_record rec = {"app", key, "data", 4};
    struct rm_effect fx = {.kind = RM_FX_REPLY};

    snprintf(key, sizeof key, "%llu", (unsigned long long)seq);
    snprintf(text, sizeof text, "kept");
    fx.u.reply.kind = RM_REPLY_ERROR;
    fx.u.reply.text = text;
    rm_store_queue_record(s, seq, &rec);
    if (!rm_store_hold_effect(s, seq, &fx, (void *)(uintptr_t)seq))
        atomic_fetch_add(&released, 1);
    /* the core's text is gone after its step: the held effect must be a copy */
    memset(text, 'x', sizeof text - 1);
}

static void reset(void)
{
    atomic_store(&written, 0);
    atomic_store(&batches, 0);
    atomic_store(&failing, 0);
    atomic_store(&stored, 0);
    atomic_store(&released, 0);
    atomic_store(&refused, 0);
    atomic_store(&early, 0);
}

static void wait_for(atomic_int *what, int value)
{
    const struct timespec a_little = {0, 1000000};

    for (int i = 0; i < 20000 && atomic_load(what) < value; i++)
        nanosleep(&a_little, NULL);
}

static void test_group_commit(void)
{
    struct rm_store *s;

    reset();
    s = rm_store_start(&fake_store, &calls);
    for (uint64_t i = 1; i <= 2000; i++)
        put(s, i);
    CU_ASSERT_EQUAL(rm_store_stop(s, NULL), 0);
    CU_ASSERT_EQUAL(atomic_load(&written), 2000);
    CU_ASSERT_EQUAL(atomic_load(&released), 2000);
    CU_ASSERT_EQUAL(atomic_load(&early), 0);
    CU_ASSERT_EQUAL(atomic_load(&refused), 0);
    CU_ASSERT(atomic_load(&batches) < 200);
    rm_store_free(s);
}

/* Goal: an answer leaves when its own record is durable, not when an earlier batch is.
 * Method: each write is held until the test has seen which answers have left. */
static void test_not_one_early(void)
{
    struct rm_store *s;

    reset();
    atomic_store(&entered, 0);
    atomic_store(&let_go, 0);
    atomic_store(&hold_writes, 1);
    s = rm_store_start(&fake_store, &calls);
    put(s, 1);
    wait_for(&entered, 1);
    for (uint64_t i = 2; i <= 5; i++) /* the second batch, queued while the first is written */
        put(s, i);
    for (int batch = 1; batch <= 2; batch++) {
        atomic_store(&let_go, batch);
        /* the next write has begun, so all that this batch releases has left */
        wait_for(&entered, batch + 1);
        CU_ASSERT_EQUAL(atomic_load(&stored), batch == 1 ? 1 : 5);
        CU_ASSERT_EQUAL(atomic_load(&released), batch == 1 ? 1 : 5);
        if (batch == 1)
            put(s, 6);
    }
    CU_ASSERT_EQUAL(atomic_load(&early), 0);
    atomic_store(&hold_writes, 0);
    CU_ASSERT_EQUAL(rm_store_stop(s, NULL), 0);
    CU_ASSERT_EQUAL(atomic_load(&released), 6);
    rm_store_free(s);
}

/* Goal: under load, a store with a gather time gets large writes; a stop does not wait for more
 * records. */
static void test_gathering(void)
{
    struct rm_store *s;
    uint64_t seq = 0;

    reset();
    s = rm_store_start(&shared_store, &calls);
    put(s, ++seq); /* without load, a record is written at once */
    wait_for(&written, 1);
    for (int round = 2; round < 5; round++) { /* so many that no write waits for its hour */
        for (int i = 0; i < 4 * RM_STORE_GATHER; i++)
            put(s, ++seq);
        wait_for(&batches, round);
    }
    for (int i = 0; i < 3; i++) /* these might wait for more records, which never come */
        put(s, ++seq);
    CU_ASSERT_EQUAL(rm_store_stop(s, NULL), 0);
    CU_ASSERT_EQUAL(atomic_load(&written), (int)seq);
    CU_ASSERT_EQUAL(atomic_load(&released), (int)seq);
    CU_ASSERT_EQUAL(atomic_load(&early), 0);
    CU_ASSERT(seq > 3 * RM_STORE_GATHER);
    rm_store_free(s);
}

static void on_over(void *user, const char *text)
{
    struct rm_store *s = *(struct rm_store **)user;

    CU_ASSERT_STRING_EQUAL(text, "epoch 1 is over");
    put(s, 3); /* an effect that comes just now is held too, until the leadership has been told */
    CU_ASSERT_EQUAL(atomic_load(&released), 0);
    CU_ASSERT_FALSE(rm_store_is_failing(s, NULL));
}

/* Goal: when another RM has authority, the leadership is told first; only then is every held effect
 * refused, once. */
static void test_fenced(void)
{
    struct rm_store *s;
    const struct rm_store_calls told = {
        .user = &s, .stored = on_stored, .release = on_release, .over = on_over};
    struct base_error err = {0};

    reset();
    atomic_store(&fenced, 1);
    s = rm_store_start(&fake_store, &told);
    put(s, 1);
    put(s, 2);
    wait_for(&refused, 3);
    CU_ASSERT_EQUAL(atomic_load(&refused), 3);
    put(s, 4);
    CU_ASSERT_EQUAL(atomic_load(&refused), 4);
    CU_ASSERT_EQUAL(rm_store_stop(s, &err), -BASE_EVERSION);
    CU_ASSERT_EQUAL(atomic_load(&refused), 4);
    CU_ASSERT_EQUAL(atomic_load(&written), 0);
    rm_store_free(s);
    atomic_store(&fenced, 0);
}

static void test_disk_full(void)
{
    struct base_error why = {0};
    struct rm_store *s;

    reset();
    s = rm_store_start(&fake_store, &calls);
    atomic_store(&failing, 1);
    put(s, 1);
    wait_for(&refused, 1);
    CU_ASSERT_EQUAL(atomic_load(&refused), 1);
    CU_ASSERT(rm_store_is_failing(s, &why));
    CU_ASSERT_EQUAL(why.code, -BASE_ENOSPC);
    put(s, 2);
    CU_ASSERT_EQUAL(atomic_load(&refused), 2);
    CU_ASSERT_EQUAL(atomic_load(&written), 0);
    /* refused records are still written, since the core has made the changes: their outcome was
     * open */
    atomic_store(&failing, 0);
    wait_for(&written, 2);
    CU_ASSERT_EQUAL(atomic_load(&written), 2);
    CU_ASSERT_EQUAL(rm_store_stop(s, NULL), 0);
    CU_ASSERT(!rm_store_is_failing(s, NULL));
    rm_store_free(s);
}

static void test_stop_while_failing(void)
{
    struct base_error err = {0};
    struct rm_store *s;

    reset();
    atomic_store(&failing, 1);
    s = rm_store_start(&fake_store, &calls);
    put(s, 1);
    wait_for(&refused, 1);
    CU_ASSERT_EQUAL(rm_store_stop(s, &err), -BASE_ENOSPC);
    rm_store_free(s);
}

int main(void)
{
    unsigned failed;
    CU_pSuite suite;

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    suite = CU_add_suite("store_thread", NULL, NULL);
    CU_add_test(suite, "group commit", test_group_commit);
    CU_add_test(suite, "not one early", test_not_one_early);
    CU_add_test(suite, "gathering", test_gathering);
    CU_add_test(suite, "fenced", test_fenced);
    CU_add_test(suite, "disk full", test_disk_full);
    CU_add_test(suite, "stop while failing", test_stop_while_failing);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}

/* Goal: waits end by a signal or by monotonic time, and a mailbox gives each message once, in
 * order, also when it is closed. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/cond.h"
#include "base/mailbox.h"
#include "base/mem.h"
#include "tests/unit/cunit_main.h"

#define POSTERS 4
#define EACH    2000

struct message {
    struct base_mail mail;
    int from, number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static bool set;

static void test_time_limit(void)
{
    int64_t until;

    base_cond_init(&wake);
    pthread_mutex_lock(&lock);
    CU_ASSERT(!base_cond_wait_until(&wake, &lock, -1));
    CU_ASSERT(!base_cond_wait_until(&wake, &lock, base_cond_now_us()));
    CU_ASSERT(!base_cond_wait_for(&wake, &lock, -5000000));
    until = base_cond_now_us() + 20000;
    while (base_cond_wait_until(&wake, &lock, until))
        continue;
    /* if the condition used another clock, the wait would have ended at once */
    CU_ASSERT(base_cond_now_us() >= until);
    until = base_cond_now_us() + 20000;
    while (base_cond_wait_for(&wake, &lock, 20000))
        continue;
    CU_ASSERT(base_cond_now_us() >= until);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&wake);
}

static void *signal_all(void *user)
{
    (void)user;
    pthread_mutex_lock(&lock);
    set = true;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void test_signal(void)
{
    const int64_t limits[] = {BASE_COND_NO_LIMIT, BASE_COND_NO_LIMIT - 1,
                              base_cond_now_us() + INT64_C(86400000000)};
    pthread_t thread;

    base_cond_init(&wake);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        set = false;
        pthread_mutex_lock(&lock);
        CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, signal_all, NULL), 0);
        while (!set)
            CU_ASSERT(i % 2 ? base_cond_wait_for(&wake, &lock, limits[i])
                            : base_cond_wait_until(&wake, &lock, limits[i]));
        pthread_mutex_unlock(&lock);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&wake);
}

static void test_order(void)
{
    struct base_mailbox box;
    struct message m[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    int n = 0;

    base_mailbox_init(&box);
    CU_ASSERT_PTR_NULL(base_mailbox_take(&box, 0));
    for (int round = 0; round < 2; round++) { /* an emptied mailbox takes more */
        CU_ASSERT(base_mailbox_post(&box, &m[0].mail));
        CU_ASSERT(base_mailbox_post(&box, &m[1].mail));
        base_mailbox_lock(&box);
        CU_ASSERT(base_mailbox_post_locked(&box, &m[2].mail));
        n = 0;
        for (struct base_mail *at = box.first; at; at = at->next)
            CU_ASSERT_EQUAL(((struct message *)at)->number, n++);
        base_mailbox_unlock(&box);
        CU_ASSERT_EQUAL(n, 3);
        for (int i = 0; i < 3; i++)
            CU_ASSERT_PTR_EQUAL(base_mailbox_take(&box, BASE_COND_NO_LIMIT), &m[i]);
        CU_ASSERT_PTR_NULL(base_mailbox_take(&box, base_cond_now_us() + 1000));
    }
    CU_ASSERT(base_mailbox_post(&box, &m[0].mail));
    base_mailbox_close(&box);
    CU_ASSERT(!base_mailbox_post(&box, &m[1].mail));
    CU_ASSERT_PTR_EQUAL(base_mailbox_take(&box, BASE_COND_NO_LIMIT), &m[0]);
    CU_ASSERT_PTR_NULL(base_mailbox_take(&box, BASE_COND_NO_LIMIT));
    base_mailbox_destroy(&box);
}

static struct base_mailbox shared;

static void *post_all(void *user)
{
    for (int i = 0; i < EACH; i++) {
        struct message *m = base_alloc(sizeof *m);

        m->from = *(int *)user;
        m->number = i;
        CU_ASSERT(base_mailbox_post(&shared, &m->mail));
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[POSTERS];
    int numbers[POSTERS], seen[POSTERS] = {0};

    base_mailbox_init(&shared);
    for (int i = 0; i < POSTERS; i++) {
        numbers[i] = i;
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, post_all, &numbers[i]), 0);
    }
    for (int i = 0; i < POSTERS * EACH; i++) {
        struct message *m = (struct message *)base_mailbox_take(&shared, BASE_COND_NO_LIMIT);

        CU_ASSERT_EQUAL(m->number, seen[m->from]++);
        free(m);
    }
    for (int i = 0; i < POSTERS; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_PTR_NULL(base_mailbox_take(&shared, 0));
    base_mailbox_destroy(&shared);
}

static void *take_one(void *user)
{
    *(struct base_mail **)user = base_mailbox_take(&shared, BASE_COND_NO_LIMIT);
    return NULL;
}

static void test_close_wakes(void)
{
    struct base_mail none = {0}, *got = &none;
    pthread_t thread;

    base_mailbox_init(&shared);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, take_one, &got), 0);
    base_mailbox_close(&shared);
    pthread_join(thread, NULL);
    CU_ASSERT_PTR_NULL(got);
    base_mailbox_destroy(&shared);
}

static const struct cunit_case cases[] = {{"time limit", test_time_limit},
                                          {"signal", test_signal},
                                          {"order and close", test_order},
                                          {"threads", test_threads},
                                          {"close wakes", test_close_wakes}};
CUNIT_MAIN("base_mailbox", cases)

/* Goal: the core's names, pools, timers and scratch hold what is put in. Method: random use
 * against plain arrays. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/step_memory.h"
#include "tests/unit/cunit_main.h"

static uint64_t state = 7;

static uint32_t rnd(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static void test_names(void)
{
    struct rm_names t = {0};
    char name[16];

    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 500; i++) {
            CU_ASSERT(snprintf(name, sizeof name, "host%u", i) > 0);
            CU_ASSERT_EQUAL(rm_names_add(&t, name), i);
        }
    CU_ASSERT_EQUAL(rm_names_find(&t, "host499"), 499);
    CU_ASSERT_EQUAL(rm_names_find(&t, "host500"), UINT32_MAX);
    CU_ASSERT_EQUAL(rm_names_add_bounded(&t, "host500", 500), UINT32_MAX); /* full */
    CU_ASSERT_EQUAL(rm_names_add_bounded(&t, "host499", 500), 499);
    CU_ASSERT_EQUAL(rm_names_add_bounded(&t, "host500", 501), 500);
    CU_ASSERT_STRING_EQUAL(t.v[7], "host7");
    rm_names_ref(&t, 7);
    rm_names_ref(&t, 7);
    CU_ASSERT(!rm_names_unref(&t, 7));
    CU_ASSERT_EQUAL(rm_names_find(&t, "host7"), 7);
    CU_ASSERT(rm_names_unref(&t, 7));
    CU_ASSERT_EQUAL(rm_names_find(&t, "host7"), UINT32_MAX);
    CU_ASSERT_EQUAL(rm_names_add_bounded(&t, "another", 501), 7); /* the freed name makes room */
    CU_ASSERT_EQUAL(rm_names_add_bounded(&t, "host7", 501), UINT32_MAX);
    CU_ASSERT_STRING_EQUAL(t.v[7], "another");
    rm_names_free(&t);
}

static void test_timers(void)
{
    static struct rm_timer t[100];
    struct rm_timers h = {0};
    int64_t last = 0;
    size_t n = 0;

    for (int i = 0; i < 20000; i++) {
        struct rm_timer *x = &t[rnd(100)];

        if (rnd(3))
            rm_timer_set(&h, x, (int64_t)rnd(1000));
        else
            rm_timer_cancel(&h, x);
    }
    for (int i = 0; i < 100; i++)
        n += t[i].place != 0;
    CU_ASSERT_EQUAL(h.n, n);
    while (h.n) {
        CU_ASSERT(h.v[0]->at_us >= last);
        last = h.v[0]->at_us;
        rm_timer_cancel(&h, h.v[0]);
    }
    free(h.v);
}

static void test_scratch(void)
{
    struct rm_step_arena a = {0};

    for (int step = 0; step < 50; step++) {
        char *p[100];
        size_t size[100];

        rm_step_arena_reset(&a);
        for (int i = 0; i < 100; i++) {
            size[i] = rnd(i % 10 ? 3000 : 200000) + 1;
            p[i] = rm_step_arena_alloc(&a, size[i]);
            CU_ASSERT_EQUAL((uintptr_t)p[i] % 16, 0);
            memset(p[i], i, size[i]);
        }
        for (int i = 0; i < 100; i++)
            CU_ASSERT(p[i][0] == i && p[i][size[i] - 1] == i);
    }
    rm_step_arena_free(&a);
}

/* Goal: the memory that is held follows what a step needs, not the number of different sizes that
 * came. */
static void test_scratch_bounded(void)
{
    struct rm_step_arena a = {0};
    size_t size = 64 * 1024, most = 0;

    for (int i = 0; i < 3000; i++, size += 16) { /* each record a little larger than any before */
        rm_step_arena_reset(&a);
        memset(rm_step_arena_alloc(&a, 100), 1, 100);
        memset(rm_step_arena_alloc(&a, size), 2, size);
        most = a.held > most ? a.held : most;
    }
    CU_ASSERT(most <= 8 * size);
    size = (size_t)40 << 20; /* one large record, and many small ones: neither is kept for good */
    rm_step_arena_reset(&a);
    *(char *)rm_step_arena_alloc(&a, size) = 1;
    CU_ASSERT(a.held >= size);
    rm_step_arena_reset(&a);
    CU_ASSERT(a.held <= RM_STEPS_CHUNK_KEPT);
    for (int i = 0; i < 1000; i++)
        *(char *)rm_step_arena_alloc(&a, 60000) = 1;
    rm_step_arena_reset(&a);
    CU_ASSERT(a.held <= RM_STEPS_KEPT && a.held >= RM_STEPS_KEPT / 2);
    for (int step = 0; step < 1000; step++) { /* the order of the sizes does not matter */
        rm_step_arena_reset(&a);
        for (int i = 0; i < 10; i++)
            *(char *)rm_step_arena_alloc(&a, (size_t)(64 * 1024) << rnd(5)) = 1;
        most = a.held;
    }
    CU_ASSERT(most <= RM_STEPS_KEPT + ((size_t)10 << 20));
    rm_step_arena_free(&a);
}

static void test_pool(void)
{
    struct rm_pool p = {.size = 48};
    static char *o[1000];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
            o[i] = rm_pool_get(&p);
            for (int j = 0; j < 48; j++)
                CU_ASSERT_FATAL(o[i][j] == 0);
            memset(o[i], 0xff, 48);
        }
        for (int i = 0; i < 1000; i++)
            rm_pool_put(&p, o[i]);
    }
    CU_ASSERT_EQUAL(p.slabs_n, 4);
    rm_pool_free(&p);
}

static const struct cunit_case cases[] = {{"names", test_names},
                                          {"timers", test_timers},
                                          {"scratch", test_scratch},
                                          {"scratch is bounded", test_scratch_bounded},
                                          {"pool", test_pool}};

CUNIT_MAIN("core memory", cases)

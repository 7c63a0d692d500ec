/* Goal: logs of ended applications are found in the order of their ends, whatever the clock does
 * and whatever was found in the folders meanwhile. */
#include <stdlib.h>

#include "nodemanager/container/logs/ended_logs.h"
#include "tests/unit/cunit_main.h"

static struct base_app_id app(int n)
{
    return (struct base_app_id){.cluster_ts = 1, .seq = n};
}

static void add(struct nm_ended_logs *r, int n, int64_t ended_s)
{
    struct base_app_id id = app(n);
    nm_ended_logs_add(r, &id, ended_s);
}

static void expect(struct nm_ended_logs *r, int n)
{
    const struct nm_ended_app *first = nm_ended_logs_oldest(r);
    CU_ASSERT_PTR_NOT_NULL_FATAL(first);
    CU_ASSERT_EQUAL(first->app.seq, n);
    nm_ended_logs_drop_oldest_entry(r);
}

static void test_order(void)
{
    struct nm_ended_logs r = {0};
    CU_ASSERT_PTR_NULL(nm_ended_logs_oldest(&r));
    add(&r, 1, 10);
    add(&r, 2, 20);
    add(&r, 3, 5); /* the clock was set back */
    add(&r, 4, 20);
    expect(&r, 3);
    expect(&r, 1);
    expect(&r, 2);
    expect(&r, 4);
    CU_ASSERT_PTR_NULL(nm_ended_logs_oldest(&r));
    nm_ended_logs_free(&r);
}

/* More entries than several rings hold, with the ring's head at every place. */
static void test_ring(void)
{
    struct nm_ended_logs r = {0};
    int in = 0, out = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 7; i++, in++)
            add(&r, in, in);
        for (int i = 0; i < 5; i++, out++)
            expect(&r, out);
    }
    while (out < in)
        expect(&r, out++);
    CU_ASSERT_PTR_NULL(nm_ended_logs_oldest(&r));
    nm_ended_logs_free(&r);
}

static void test_seed(void)
{
    struct nm_ended_logs r = {0};
    struct nm_ended_app found[] = {{.app = app(2), .ended_s = 30},
                                   {.app = app(1), .ended_s = 10},
                                   {.app = app(4), .ended_s = 60}};
    add(&r, 3, 50);
    add(&r, 5, 70);
    nm_ended_logs_add_scanned(&r, found, 3);
    for (int n = 1; n <= 5; n++)
        expect(&r, n);
    nm_ended_logs_add_scanned(&r, NULL, 0);
    CU_ASSERT_PTR_NULL(nm_ended_logs_oldest(&r));
    nm_ended_logs_free(&r);
}

static const struct cunit_case cases[] = {
    {"order of the ends", test_order}, {"many", test_ring}, {"found in the folders", test_seed}};
CUNIT_MAIN("nm_ended_logs", cases)

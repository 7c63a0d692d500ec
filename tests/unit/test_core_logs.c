/* Goal: an application says that its logs are copied only when no node has any left to copy, from
 * its very end on. Method: event sequences on a small world. */
#include <string.h>

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;
static struct world_node *n;
static struct base_app_id id;
static struct rm_log_report report;

/* Runs a job of one task to its end. The node has not been ordered to clean up then, but will be
 * with the answer to its next heartbeat. */
static void begin(bool aggregates)
{
    struct world_container *ct;

    world_init(&w, "fifo");
    w.conf.aggregates_logs = aggregates;
    world_renew(&w);
    n = world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 0, 1, NULL); /* which keeps the cluster from losing all its nodes */
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, n, 0);
    ct = world_task(&w, id, BASE_TASK_MAP, 0, &n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    ct->ended = true;
    ct->exit_code = 0;
    while (n->cleanups == 0 && world_app(&w, id).logs.nodes[RM_LOGS_COPYING] == 0 && aggregates)
        world_beat(&w, n, 0);
    report = (struct rm_log_report){.app = id};
}

static void check(int32_t copying, int32_t failing, int32_t missing)
{
    struct rm_app_view v = world_app(&w, id);

    CU_ASSERT_EQUAL(v.logs.nodes[RM_LOGS_COPYING], copying);
    CU_ASSERT_EQUAL(v.logs.nodes[RM_LOGS_FAILING], failing);
    CU_ASSERT_EQUAL(v.logs.nodes[RM_LOGS_MISSING], missing);
    CU_ASSERT_EQUAL(v.logs.nodes[RM_LOGS_FAILED], 0);
}

static void beat_with(enum rm_log_state state)
{
    report.state = state;
    n->logs = &report;
    n->logs_n = 1;
    world_beat(&w, n, 0);
}

static void beat_without(void)
{
    n->logs_n = 0;
    world_beat(&w, n, 0);
}

static void order_cleanup(void)
{
    for (int i = 0; n->cleanups == 0 && i < 5; i++)
        world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->cleanups, 1);
}

static void test_copied(void)
{
    begin(true);
    CU_ASSERT_EQUAL(world_app(&w, id).state, RM_APP_FINISHED);
    check(1, 0, 0); /* the node does not know yet */
    order_cleanup();
    check(1, 0, 0);
    beat_with(RM_LOGS_COPYING);
    check(1, 0, 0);
    beat_with(RM_LOGS_FAILING);
    check(0, 1, 0);
    beat_with(RM_LOGS_COPYING);
    check(1, 0, 0);
    beat_without();
    check(0, 0, 0);
    CU_ASSERT_FALSE(world_app(&w, id).logs.failed);
    world_free(&w);
}

/* A node that has more to copy than it reports says nothing of the others: they are not copied. */
static void test_more_than_reported(void)
{
    begin(true);
    order_cleanup();
    n->logs_more = true;
    beat_without();
    check(1, 0, 0);
    beat_with(RM_LOGS_FAILING);
    check(0, 1, 0); /* what is reported replaces what was known */
    beat_without();
    check(0, 1, 0);
    n->registered = false;
    world_register(&w, n);
    check(0, 1, 0);
    n->logs_more = false;
    beat_without();
    check(0, 0, 0);
    world_free(&w);
}

/* A node without a folder to copy to reports nothing. */
static void test_nothing_to_copy(void)
{
    begin(true);
    order_cleanup();
    check(1, 0, 0);
    beat_without();
    check(0, 0, 0);
    world_free(&w);
}

static void test_lost_logs(void)
{
    begin(true);
    order_cleanup();
    beat_with(RM_LOGS_FAILED);
    check(0, 0, 0);
    CU_ASSERT_TRUE(world_app(&w, id).logs.failed);
    beat_without();
    CU_ASSERT_TRUE(world_app(&w, id).logs.failed);
    world_free(&w);
}

static void lose_node(void)
{
    n->up = false;
    for (int i = 0; i < 31; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[1], 0);
    }
    n->up = true;
    n->registered = false;
}

static void test_lost_node(void)
{
    begin(true);
    order_cleanup();
    beat_with(RM_LOGS_COPYING);
    lose_node();
    check(0, 0, 1);
    world_register(&w, n);
    check(1, 0, 0);
    beat_without();
    check(0, 0, 0);
    world_free(&w);
}

/* What a node reports about applications that are not there, or twice, harms nobody. */
static void test_foreign(void)
{
    struct rm_log_report v[3];

    begin(true);
    order_cleanup();
    v[0] = v[1] = report;
    v[2] = (struct rm_log_report){.app = {1, 99}, .state = RM_LOGS_FAILED};
    n->logs = v;
    n->logs_n = 3;
    world_beat(&w, n, 0);
    check(2, 0, 0);
    beat_without();
    check(0, 0, 0);
    world_free(&w);
}

static void test_off(void)
{
    begin(false);
    for (int i = 0; i < 3; i++)
        beat_with(RM_LOGS_FAILED);
    check(0, 0, 0);
    CU_ASSERT_FALSE(world_app(&w, id).logs.failed);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"copied", test_copied},
    {"more than reported", test_more_than_reported},
    {"nothing to copy", test_nothing_to_copy},
    {"logs that are lost", test_lost_logs},
    {"a node that is lost", test_lost_node},
    {"what makes no sense", test_foreign},
    {"not aggregated", test_off},
};
CUNIT_MAIN("logs of ended applications", cases)

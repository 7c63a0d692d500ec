/* Goal: a node that is given other resources has at once the slots that fit into them, loses the
 * containers that do not fit, and keeps the resources over a failover, but not over a restart of
 * its process. Method: event sequences on a small world with slots of 1024 MiB and one vcore. */
#include <stdio.h>
#include <string.h>

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;

static struct rm_node_view node_view(size_t i)
{
    struct rm_views v = {0};
    struct rm_node_view n;

    base_assert(rm_view_node(w.core, w.nodes[i].id, &v) == 0);
    n = v.nodes[0];
    rm_views_free(&v);
    return n;
}

static void check_slots(int32_t maps, int32_t reduces)
{
    struct rm_node_view n = node_view(0);

    CU_ASSERT_EQUAL(n.slots[BASE_TASK_MAP], maps);
    CU_ASSERT_EQUAL(n.slots[BASE_TASK_REDUCE], reduces);
}

static void begin(int32_t maps, int32_t reduces)
{
    world_init(&w, "fifo");
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        w.conf.slot_res[k].v[RM_RES_MEMORY_MB] = 1024;
        w.conf.slot_res[k].v[RM_RES_VCORES] = 1;
    }
    world_renew(&w);
    world_add_node(&w, maps, reduces, NULL);
}

static void test_proportion(void)
{
    begin(2, 1);
    world_give(&w, "node0:8042", 4096, 4, -1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    check_slots(3, 1);
    world_give(&w, "node0:8042", 6144, 6, -1);
    check_slots(4, 2);
    world_give(&w, "node0:8042", 6144, 3, -1); /* too few vcores for more */
    check_slots(2, 1);
    world_give(&w, "node0:8042", 1500, 9, -1);
    check_slots(1, 0);
    CU_ASSERT_EQUAL(node_view(0).total.v[RM_RES_MEMORY_MB], 1500);
    CU_ASSERT_EQUAL(node_view(0).total.v[RM_RES_VCORES], 9);
    world_give(&w, "node0:8042", 0, 0, -1);
    check_slots(0, 0);
    world_give(&w, "node0:8042", INT32_MAX, INT32_MAX, -1);
    check_slots(10000, 10000);
    world_free(&w);
    begin(0, 0);
    world_give(&w, "node0:8042", 2048, 2, -1);
    check_slots(2, 0);
    world_free(&w);
}

static void test_unknown(void)
{
    begin(2, 1);
    world_give(&w, "nobody:1", 1, 1, -1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ENOTFOUND);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "nodeId, nobody:1, is not found");
    world_free(&w);
}

static int64_t live_containers(void)
{
    int64_t n = 0;

    for (size_t i = 0; i < w.nodes[0].n; i++)
        n += !w.nodes[0].v[i].ended;
    return n;
}

static void test_more_slots_at_once(void)
{
    begin(1, 0);
    world_submit(&w, "a 3 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 1);
    world_beat(&w, &w.nodes[0], 100 * S);
    world_give(&w, "node0:8042", 3072, 3, -1);
    CU_ASSERT_EQUAL(live_containers(), 3); /* in the answer to the held heartbeat */
    world_run_dry(&w);
    world_free(&w);
}

static void test_kills(void)
{
    begin(3, 0);
    world_submit(&w, "a 3 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 3);
    /* without a time: the containers end by themselves */
    world_give(&w, "node0:8042", 2048, 2, -1);
    world_advance(&w, 5 * S);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 3);
    world_give(&w, "node0:8042", 2048, 2, 3 * S);
    world_advance(&w, 2 * S);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 3);
    world_advance(&w, 2 * S);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 2);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 1);
    world_give(&w, "node0:8042", 0, 0, 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 0);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    CU_ASSERT_EQUAL(node_view(0).used.v[RM_RES_MEMORY_MB], 0);
    world_give(&w, "node0:8042", 3072, 3, 0);
    world_run_dry(&w);
    world_free(&w);
}

/* A later update replaces the earlier one, and with it the time after which containers are
 * killed. */
static void test_kill_called_off(void)
{
    begin(2, 0);
    world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_give(&w, "node0:8042", 1024, 1, 3 * S);
    world_give(&w, "node0:8042", 2048, 2, -1);
    world_advance(&w, 5 * S);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 2);
    world_run_dry(&w);
    world_free(&w);
}

static void register_again(void)
{
    struct world_node *n = &w.nodes[0];

    n->registered = false;
    n->token = 0;
    world_register(&w, n);
}

static void test_survives(void)
{
    begin(2, 1);
    world_give(&w, "node0:8042", 1024, 1, -1);
    register_again(); /* the same process registers again */
    check_slots(1, 0);
    world_crash(&w, w.journal_n);
    register_again();
    check_slots(1, 0);
    CU_ASSERT_EQUAL(node_view(0).total.v[RM_RES_MEMORY_MB], 1024);
    world_restart_node(&w, &w.nodes[0]); /* another process registers */
    check_slots(2, 1);
    world_crash(&w, w.journal_n);
    register_again();
    check_slots(2, 1);
    world_free(&w);
}

/* The time left to containers without a slot goes on while no RM leads. */
static void test_deadline_survives(void)
{
    begin(3, 0);
    world_submit(&w, "a 3 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_give(&w, "node0:8042", 2048, 2, 10 * S);
    world_crash(&w, w.journal_n);
    register_again();
    world_advance(&w, 7 * S);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 3);
    world_advance(&w, 4 * S);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 2);
    world_give(&w, "node0:8042", 1024, 1, 3 * S);
    world_advance(&w, 2 * S);
    world_crash(&w, w.journal_n);
    world_advance(&w, 2 * S); /* the time is over before the node registers */
    register_again();
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 1);
    world_give(&w, "node0:8042", 0, 0, 3 * S);
    world_give(&w, "node0:8042", 0, 0, -1); /* called off: the next RM kills nothing either */
    world_crash(&w, w.journal_n);
    world_advance(&w, 4 * S);
    register_again();
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(live_containers(), 1);
    world_give(&w, "node0:8042", 3072, 3, -1);
    world_run_dry(&w);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"slots in proportion", test_proportion},          {"an unknown node", test_unknown},
    {"more slots at once", test_more_slots_at_once},   {"containers without a slot", test_kills},
    {"killing is called off", test_kill_called_off},   {"what it survives", test_survives},
    {"the time survives too", test_deadline_survives},
};

int main(void)
{
    return cunit_main("resources of nodes", cases, sizeof cases / sizeof *cases);
}

/* Goal: a NodeManager of Hadoop runs containers of masters that speak Hadoop RPC and nothing else;
 * its orders wait for a heartbeat, since its registration's answer has no place for them; it gets
 * keys of its own, and masters tokens made with these. Method: a small world with one node of
 * Hadoop and one of Creel. */
#include "tests/unit/core_masters.h"

static struct world_node *creel, *hadoop;

static void begin_mixed(void)
{
    world_init(&w, "fifo");
    creel = world_add_node(&w, 4, 2, "/a");
    hadoop = world_add_hadoop_node(&w, 4, 2, "/a");
}

static void beat_both(void)
{
    world_beat(&w, hadoop, 0);
    world_beat(&w, creel, 0);
}

static void register_by_rpc(bool by_rpc)
{
    struct rm_event ev = {0};

    ev.u.am_register.host = "h";
    ev.u.am_register.rpc_port = 99;
    ev.u.am_register.by_rpc = by_rpc;
    master(1, RM_EV_AM_REGISTER, &ev);
}

static void test_jobs(void)
{
    begin_mixed();
    world_submit(&w, "a 4 2 0 4 0 0");
    for (int i = 0; i < 4; i++)
        world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->launches, 0);
    for (int i = 0; i < 4; i++)
        beat_both();
    CU_ASSERT_EQUAL(creel->launches, 4);
    CU_ASSERT_EQUAL(hadoop->launches, 0);
    CU_ASSERT_EQUAL(w.core->live_nodes[BASE_TASK_MAP], 1); /* where jobs could run again */
    world_free(&w);
}

/* Starts an application whose master asks for @n containers. */
static void begin_master(bool by_rpc, int32_t n)
{
    struct rm_ask asks[1];

    begin_mixed();
    id = world_submit_app(&w, "app 1024 2 0");
    for (int i = 0; i < 3; i++)
        world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->launches, 0);
    beat_both();
    beat_both();
    register_by_rpc(by_rpc);
    asks[0] = ask("*", n);
    if (by_rpc) {
        rm_launch_unref(asks[0].launch);
        asks[0].launch = NULL;
    }
    allocate(0, asks, 1, NULL, 0);
    for (int i = 0; i < 3; i++)
        world_beat(&w, hadoop, 0);
}

static void test_masters_over_http(void)
{
    begin_master(false, 2);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    world_beat(&w, creel, 0);
    allocate(2, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 2);
    world_free(&w);
}

static void test_masters_over_rpc(void)
{
    begin_master(true, 2);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 2);
    CU_ASSERT(w.reply.allocated[0].is_hadoop);
    CU_ASSERT_EQUAL(w.reply.allocated[0].hadoop_port, 45454);
    CU_ASSERT_STRING_EQUAL(w.reply.allocated[0].node_id, hadoop->id);
    CU_ASSERT_EQUAL(hadoop->launches, 0); /* it is the master that starts them */
    world_free(&w);
}

/* An application ends while its node is about to register again: the order to clean up is not lost
 * with an answer that cannot carry it. */
static void test_orders_wait(void)
{
    begin_master(true, 1);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 1);
    finish(RM_FINAL_SUCCEEDED);
    end_master(0);
    CU_ASSERT_EQUAL(hadoop->cleanups, 0);
    world_register(&w, hadoop);
    CU_ASSERT_EQUAL(hadoop->cleanups, 0);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->cleanups, 1);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->cleanups, 1);
    world_free(&w);
}

static void test_other_kind(void)
{
    begin_mixed();
    hadoop->is_hadoop = false;
    world_register(&w, hadoop);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    world_free(&w);
}

static void test_keys(void)
{
    world_init(&w, "fifo");
    w.conf.hands_out_keys = true;
    for (int k = 0; k < RM_MASTER_KEYS; k++)
        w.conf.new_keys[k].id = k + 1;
    world_crash(&w, w.journal_n);
    creel = world_add_node(&w, 4, 2, "/a");
    hadoop = world_add_hadoop_node(&w, 4, 2, "/a");
    CU_ASSERT_EQUAL(creel->nm_key_id, RM_KEY_NM + 1);
    CU_ASSERT_EQUAL(creel->container_key_id, RM_KEY_CONTAINER + 1);
    CU_ASSERT_EQUAL(hadoop->nm_key_id, RM_KEY_HADOOP_NM + 1);
    CU_ASSERT_EQUAL(hadoop->container_key_id, RM_KEY_HADOOP_CONTAINER + 1);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"jobs run on Creel's nodes", test_jobs},
    {"masters over HTTP get containers on Creel's nodes", test_masters_over_http},
    {"masters over Hadoop RPC get containers on both", test_masters_over_rpc},
    {"orders wait for a heartbeat", test_orders_wait},
    {"a node does not change its kind", test_other_kind},
    {"keys", test_keys},
};

CUNIT_MAIN("core: NodeManagers of Hadoop", cases)

/* Goal: nodes are drained and decommissioned as operators expect: no container starts there, those
 * that run go on or end at once as asked, and a failover changes nothing of that.
 * Method: event sequences on a small world. */
#include <stdio.h>
#include <string.h>

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;

static enum rm_node_state state_of(const char *id)
{
    struct rm_views v = {0};
    enum rm_node_state s = RM_NODE_NEW;

    if (rm_view_node(w.core, id, &v) == 0)
        s = v.nodes[0].state;
    rm_views_free(&v);
    return s;
}

static int32_t count_nodes(enum rm_node_state s)
{
    struct rm_cluster_view v;

    rm_view_cluster(w.core, &v);
    return v.nodes[s];
}

static int64_t total_mb(void)
{
    struct rm_cluster_view v;

    rm_view_cluster(w.core, &v);
    return v.total.v[RM_RES_MEMORY_MB];
}

/* Two nodes of two map slots, and a job of six maps of which four run. */
static struct base_app_id begin(void)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 0, NULL);
    world_add_node(&w, 2, 0, NULL);
    id = world_submit(&w, "a 6 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    CU_ASSERT_EQUAL(w.nodes[1].n, 2);
    return id;
}

static void end_containers(struct world_node *n)
{
    for (size_t i = 0; i < n->n; i++) {
        n->v[i].ended = true;
        n->v[i].exit_code = 0;
    }
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
}

static void test_drain(void)
{
    int64_t before;

    begin();
    before = total_mb();
    world_drain(&w, &w.nodes[0], true);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(state_of(w.nodes[0].id), RM_NODE_DECOMMISSIONING);
    CU_ASSERT_EQUAL(total_mb(), before); /* both slots are used */
    end_containers(&w.nodes[0]);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0); /* though two maps wait */
    CU_ASSERT_EQUAL(total_mb(), before / 2);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 0);
    world_beat(&w, &w.nodes[0], 10 * S);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    /* the held heartbeat is answered with work at once */
    world_drain(&w, &w.nodes[0], false);
    CU_ASSERT_EQUAL(state_of(w.nodes[0].id), RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    CU_ASSERT_EQUAL(total_mb(), before);
    world_run_dry(&w);
    world_free(&w);
}

/* A node that is unhealthy when its draining ends gets no container until it is healthy again. */
static void test_undrain_unhealthy(void)
{
    begin();
    world_drain(&w, &w.nodes[0], true);
    end_containers(&w.nodes[0]);
    w.nodes[0].healthy = false;
    world_beat(&w, &w.nodes[0], 10 * S);
    world_drain(&w, &w.nodes[0], false);
    CU_ASSERT_EQUAL(state_of(w.nodes[0].id), RM_NODE_UNHEALTHY);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    w.nodes[0].healthy = true;
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(state_of(w.nodes[0].id), RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    world_run_dry(&w);
    world_free(&w);
}

static void test_drain_unknown(void)
{
    struct world_node nobody = {.id = "nobody:1"};

    begin();
    world_drain(&w, &nobody, true);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ENOTFOUND);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "nodeId, nobody:1, is not found");
    world_run_dry(&w);
    world_free(&w);
}

static void test_drain_failover(void)
{
    begin();
    world_drain(&w, &w.nodes[0], true);
    world_crash(&w, w.journal_n);
    world_restart_node(&w, &w.nodes[0]);
    world_restart_node(&w, &w.nodes[1]);
    CU_ASSERT_EQUAL(state_of(w.nodes[0].id), RM_NODE_DECOMMISSIONING);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    end_containers(&w.nodes[0]);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    world_drain(&w, &w.nodes[0], false);
    world_crash(&w, w.journal_n);
    world_restart_node(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(state_of(w.nodes[0].id), RM_NODE_RUNNING);
    world_restart_node(&w, &w.nodes[1]);
    world_run_dry(&w);
    world_free(&w);
}

/* The reply waits until the store has the change. */
static void test_drain_durable(void)
{
    begin();
    w.auto_store = false;
    world_drain(&w, &w.nodes[0], true);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    CU_ASSERT(w.stored < w.seq);
    world_store(&w, w.seq);
    w.auto_store = true;
    world_run_dry(&w);
    world_free(&w);
}

static void test_at_once(void)
{
    begin();
    world_beat(&w, &w.nodes[0], 10 * S);
    world_refresh(&w, NULL, "node0", 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONED);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 1); /* in the answer to the held heartbeat */
    CU_ASSERT_EQUAL(count_nodes(RM_NODE_DECOMMISSIONED), 1);
    /* the node registers, and is ordered again to shut down */
    w.nodes[0].up = true;
    world_restart_node(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 2);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONED);
    world_run_dry(&w); /* all six maps run on the other node */
    CU_ASSERT_EQUAL(w.nodes[1].launches, 6);
    /* a node that is allowed again may register */
    world_refresh(&w, NULL, NULL, 0);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONED);
    w.nodes[0].up = true;
    world_restart_node(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_RUNNING);
    world_run_dry(&w);
    world_free(&w);
}

/* Where no heartbeat was held, the answer to the next one has the order to shut down. So the order
 * cannot get lost: every later heartbeat would get it. */
static void test_shutdown_repeated(void)
{
    begin();
    world_refresh(&w, NULL, "node0", 0);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 0); /* no heartbeat was held that could be answered */
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 1);
    world_run_dry(&w);
    world_free(&w);
}

static void test_graceful(void)
{
    begin();
    world_refresh(&w, NULL, "node0", -1);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONING);
    end_containers(&w.nodes[0]);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    /* the node's application still runs, and may need what it left on the node */
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONING);
    world_beat(&w, &w.nodes[0], 100 * S);
    end_containers(&w.nodes[1]);
    end_containers(&w.nodes[1]);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONED);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 1);
    world_free(&w);
}

static void test_graceful_timeout(void)
{
    begin();
    world_refresh(&w, NULL, "node0", 60 * S);
    world_advance(&w, 30 * S);
    world_beat_all(&w, 0);
    world_refresh(&w, NULL, "node0", 60 * S); /* the same request again does not extend the time */
    world_advance(&w, 29 * S);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONING);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    world_advance(&w, 2 * S);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONED);
    world_beat_all(&w, 0);
    world_run_dry(&w);
    world_free(&w);
}

static void test_graceful_then_allowed(void)
{
    begin();
    world_refresh(&w, NULL, "node0", 60 * S);
    world_refresh(&w, NULL, NULL, 60 * S);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_RUNNING);
    world_advance(&w, 20 * S);
    world_beat_all(&w, 0);
    world_advance(&w, 20 * S);
    world_beat_all(&w, 0);
    world_advance(&w, 25 * S);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_RUNNING);
    world_run_dry(&w);
    world_free(&w);
}

/* A node that is decommissioned gracefully may register with the next RM, and its time goes on. */
static void test_graceful_failover(void)
{
    begin();
    world_refresh(&w, NULL, "node0", 60 * S);
    world_advance(&w, 5 * S);
    world_crash(&w, w.journal_n);
    world_restart_node(&w, &w.nodes[0]);
    world_restart_node(&w, &w.nodes[1]);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONING);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    for (int i = 0; i < 5; i++) {
        world_advance(&w, 10 * S);
        world_beat_all(&w, 0);
    }
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONING);
    world_advance(&w, 6 * S);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONED);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 1);
    world_run_dry(&w);
    world_free(&w);
}

/* A node that was excluded while no RM led is sent away when it registers. */
static void test_excluded_meanwhile(void)
{
    begin();
    snprintf(w.excluded, sizeof w.excluded, "node0");
    world_crash(&w, w.journal_n);
    world_restart_node(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_DECOMMISSIONED);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 1);
    world_restart_node(&w, &w.nodes[1]);
    world_run_dry(&w);
    world_free(&w);
}

static void test_include(void)
{
    begin();
    world_refresh(&w, "node1:8042", NULL, 0); /* an entry for one node */
    CU_ASSERT_EQUAL(state_of("node1:8042"), RM_NODE_RUNNING);
    /* not in the list, so not tracked any more */
    CU_ASSERT_EQUAL(state_of("node0:8042"), RM_NODE_SHUTDOWN);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].shutdowns, 1);
    world_run_dry(&w);
    world_free(&w);
}

static void test_unseen(void)
{
    struct rm_views v = {0};

    begin();
    world_refresh(&w, NULL, "elsewhere", -1);
    CU_ASSERT_EQUAL(count_nodes(RM_NODE_DECOMMISSIONED), 1);
    CU_ASSERT_EQUAL_FATAL(rm_view_node(w.core, "elsewhere:-1", &v), 0);
    CU_ASSERT_PTR_NULL(v.nodes[0].rack);
    CU_ASSERT_STRING_EQUAL(v.nodes[0].version, "unknown");
    CU_ASSERT_STRING_EQUAL(v.nodes[0].health_report, "Healthy");
    CU_ASSERT_STRING_EQUAL(v.nodes[0].host, "elsewhere");
    rm_views_free(&v);
    world_refresh(&w, NULL, "elsewhere", 0); /* the same entry again adds nothing */
    CU_ASSERT_EQUAL(count_nodes(RM_NODE_DECOMMISSIONED), 1);
    world_refresh(&w, NULL, NULL, 0);
    CU_ASSERT_EQUAL(count_nodes(RM_NODE_DECOMMISSIONED), 0);
    for (size_t i = 0; i < w.journal_n; i++)
        CU_ASSERT_STRING_NOT_EQUAL(w.journal[i].key, "elsewhere:-1");
    world_run_dry(&w);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"drain and undrain", test_drain},
    {"no longer drained, but unhealthy", test_undrain_unhealthy},
    {"an unknown node", test_drain_unknown},
    {"drained over a failover", test_drain_failover},
    {"acknowledged when durable", test_drain_durable},
    {"at once", test_at_once},
    {"the order to shut down is repeated", test_shutdown_repeated},
    {"gracefully", test_graceful},
    {"gracefully, until the time is over", test_graceful_timeout},
    {"gracefully, then allowed again", test_graceful_then_allowed},
    {"gracefully, over a failover", test_graceful_failover},
    {"excluded meanwhile", test_excluded_meanwhile},
    {"an include list", test_include},
    {"a host never seen", test_unseen},
};

int main(void)
{
    return cunit_main("nodes out of service", cases, sizeof cases / sizeof *cases);
}

/* Goal: nodes come, are silent, come back; heartbeats are held, repeated, overtaken; nothing is
 * done twice.
 * Method: event sequences on a small world. */
#include <stdio.h>
#include <string.h>

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;

static enum rm_node_state node_state(size_t i)
{
    struct rm_views v = {0};
    enum rm_node_state s = RM_NODE_NEW;

    if (rm_view_node(w.core, w.nodes[i].id, &v) == 0)
        s = v.nodes[0].state;
    rm_views_free(&v);
    return s;
}

static void check_utilization(size_t i, const struct base_utilization *want)
{
    struct rm_views v = {0};

    CU_ASSERT_EQUAL_FATAL(rm_view_node(w.core, w.nodes[i].id, &v), 0);
    CU_ASSERT(memcmp(&v.nodes[0].utilization, want, sizeof *want) == 0);
    rm_views_free(&v);
}

/* What a node measured is shown until it has measured again, or has registered anew. */
static void test_utilization(void)
{
    static const struct base_utilization none, first = {1, 2, 3, 4, 5, 6, 7, 8},
                                               second = {9, 10, 0, 12, 13, 14, 15, 16};
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    check_utilization(0, &none);
    n->utilization = &first;
    world_beat(&w, n, 0);
    check_utilization(0, &first);
    n->utilization = NULL;
    world_beat(&w, n, 0);
    check_utilization(0, &first);
    n->utilization = &second;
    world_beat(&w, n, 0);
    check_utilization(0, &second);
    world_restart_node(&w, n);
    check_utilization(0, &none);
    world_free(&w);
}

static void end_task(struct base_app_id id, enum base_task_kind kind, int32_t index)
{
    struct world_node *n;
    struct world_container *ct = world_task(&w, id, kind, index, &n);

    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    ct->ended = true;
    ct->exit_code = 0;
    world_beat(&w, n, 0);
}

/* A held heartbeat is answered the moment there is work, and when its time is over. */
static void test_held(void)
{
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    world_beat(&w, n, 1 * S);
    CU_ASSERT(n->token != 0);
    world_submit(&w, "a 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(n->token, 0);
    CU_ASSERT_EQUAL(n->launches, 1);
    world_beat(&w, n, 1 * S);
    world_advance(&w, S / 2);
    CU_ASSERT(n->token != 0);
    world_advance(&w, S / 2);
    CU_ASSERT_EQUAL(n->token, 0);
    world_free(&w);
}

static void test_wake(void)
{
    struct rm_event ev = {.kind = RM_EV_NODE_WAKE};
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    world_beat(&w, n, 1 * S);
    ev.token = ++w.token;
    ev.u.node.node_id = n->id;
    ev.u.node.instance = n->instance;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(n->token, 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(n->response_id, 1);
    ev.u.node.instance = "another";
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    world_free(&w);
}

/* Tasks go one at a time to the node with the most free slots. */
static void test_spread(void)
{
    world_init(&w, "fifo");
    world_add_node(&w, 4, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 4, 1, NULL);
    world_beat_all(&w, 10 * S);
    world_submit(&w, "a 6 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.nodes[0].n, 3);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    CU_ASSERT_EQUAL(w.nodes[2].n, 2);
    world_free(&w);
}

static void test_repeat(void)
{
    struct world_node *n;
    struct rm_event ev = {.kind = RM_EV_NODE_HEARTBEAT};

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    world_submit(&w, "a 5 0 0 4 0 0");
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->launches, 2);
    world_repeat(&w, n);
    CU_ASSERT_EQUAL(n->launches, 4);
    CU_ASSERT_EQUAL(n->repeats, 2); /* the same containers are ordered again */
    CU_ASSERT_EQUAL(n->n, 2);
    world_repeat(&w, n);
    CU_ASSERT_EQUAL(n->n, 2);
    ev.token = ++w.token;
    ev.u.heartbeat.node_id = n->id;
    ev.u.heartbeat.instance = n->instance;
    ev.u.heartbeat.response_id = 77;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    ev.u.heartbeat.node_id = "stranger:1";
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    world_free(&w);
}

/* Two heartbeats with the same response id: the older request is answered without orders. */
static void test_overtaken(void)
{
    struct world_node *n;
    uint64_t first;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    world_beat(&w, n, 1 * S);
    first = n->token;
    world_beat(&w, n, 1 * S);
    CU_ASSERT(n->token != 0 && n->token != first);
    CU_ASSERT_EQUAL(n->response_id, 0);
    world_submit(&w, "a 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(n->launches, 1);
    CU_ASSERT_EQUAL(n->response_id, 1);
    world_run_dry(&w);
    world_free(&w);
}

static void test_lost(void)
{
    struct base_app_id id;
    struct world_node *n;
    struct world_container old;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 3 1 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    end_task(id, BASE_TASK_MAP, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(world_task(&w, id, BASE_TASK_MAP, 1, &n));
    CU_ASSERT(n == &w.nodes[0]);
    old = *world_task(&w, id, BASE_TASK_MAP, 1, &n);
    w.nodes[0].up = false;
    for (int i = 0; i < 31; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[1], 0);
    }
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_LOST);
    CU_ASSERT_EQUAL(node_state(1), RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 0); /* its output went with the node */
    CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_FAILED_MAPS], 0);
    w.nodes[0].registered = false;
    /* the node comes back with a container's end for which nobody waits any more */
    w.nodes[0].v[0].ended = true;
    w.nodes[0].v[0].exit_code = 0;
    w.nodes[0].up = true;
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_RUNNING);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 3);
    CU_ASSERT(world_find(&w, &old.id, &n) == NULL);
    world_free(&w);
}

/* Outputs of a job without reduces are in its folder: nothing is run again. */
static void test_lost_map_only(void)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 1, 1, NULL);
    id = world_submit(&w, "a 3 0 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[1], 0);
    end_task(id, BASE_TASK_MAP, 0);
    end_task(id, BASE_TASK_MAP, 1);
    w.nodes[0].up = false;
    for (int i = 0; i < 31; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[1], 0);
    }
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 2);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_TOTAL_LAUNCHED_MAPS], 3);
    world_free(&w);
}

/* An NM that is started again keeps its containers; those that it does not report are lost; outputs
 * of maps stay. */
static void test_nm_restart(void)
{
    struct base_app_id id;
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 4, 1, NULL);
    id = world_submit(&w, "a 4 1 0 4 0 0");
    world_beat(&w, n, 0);
    end_task(id, BASE_TASK_MAP, 0);
    CU_ASSERT_EQUAL(n->launches, 5);
    for (size_t i = 0; i < n->n; i++) /* one ended meanwhile, one has vanished */
        if (n->v[i].task.index == 1 && n->v[i].task.kind == BASE_TASK_MAP) {
            n->v[i].ended = true;
            n->v[i].exit_code = 0;
        }
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].task.index == 2 && n->v[i].task.kind == BASE_TASK_MAP) {
            n->v[i] = n->v[--n->n];
            break;
        }
    world_restart_node(&w, n);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 2);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].running, 1);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].pending, 1);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[1].running, 1);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_TOTAL_LAUNCHED_MAPS], 5);
    CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_KILLED_MAPS], 1);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

static void test_reboot(void)
{
    struct base_app_id id;
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 4, 1, NULL);
    id = world_submit(&w, "a 4 1 0 4 0 0");
    world_beat(&w, n, 0);
    end_task(id, BASE_TASK_MAP, 0);
    world_reboot_node(&w, n);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 0);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].pending, 4);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

static void test_gone(void)
{
    struct rm_event ev = {.kind = RM_EV_NODE_GONE};
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    ev.token = ++w.token;
    ev.u.node.node_id = w.nodes[0].id;
    ev.u.node.instance = w.nodes[0].instance;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_SHUTDOWN);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].pending, 2);
    w.nodes[0].n = 0;
    world_restart_node(&w, &w.nodes[0]);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* Containers that nobody knows are killed and forgotten, and what is left of their application is
 * removed. */
static void test_strangers(void)
{
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    n->v = base_alloc(2 * sizeof *n->v);
    n->cap = n->n = 2;
    n->v[0].id = (struct base_container_id){{{5, 5}, 1}, 2};
    n->v[1].id = (struct base_container_id){{{5, 5}, 1}, 3};
    n->v[1].ended = true;
    world_restart_node(&w, n);
    CU_ASSERT_EQUAL(n->kills, 1);
    CU_ASSERT_EQUAL(n->forgets, 1);
    CU_ASSERT(n->cleanups > 0);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->n, 0);
    world_free(&w);
}

static void test_locality(void)
{
    struct base_app_id id;
    struct rm_app_view a;

    world_init(&w, "fifo");
    for (int i = 0; i < 9; i++)
        world_add_node(&w, 2, 1, i < 5 ? "/a" : "/b");
    id = world_submit(&w, "a 9 0 1 4 3 0"); /* data on nodes 0, 1, 2: rack /a */
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[4], 0);
    world_beat(&w, &w.nodes[8], 0);
    a = world_app(&w, id);
    CU_ASSERT_EQUAL(a.counters[RM_C_DATA_LOCAL_MAPS], 2);
    CU_ASSERT_EQUAL(a.counters[RM_C_RACK_LOCAL_MAPS], 2);
    CU_ASSERT_EQUAL(a.counters[RM_C_OTHER_LOCAL_MAPS], 2);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* With delay scheduling a node on another rack than the data gets nothing until W1 + W2 have
 * passed. */
static void test_delay(void)
{
    struct base_app_id id;

    world_init(&w, "naive-fair");
    world_option(&w, "delay.w1", "5");
    world_option(&w, "delay.w2", "5");
    world_renew(&w);
    for (int i = 0; i < 4; i++)
        world_add_node(&w, 2, 1, i < 2 ? "/a" : "/b");
    id = world_submit(&w, "a 8 0 1 4 1 0"); /* all its data is on node 0 */
    for (int t = 0; t < 4; t++) {
        world_beat(&w, &w.nodes[3], 0);
        CU_ASSERT_EQUAL(w.nodes[3].launches, 0);
        world_advance(&w, 3 * S);
    }
    world_beat(&w, &w.nodes[3], 0); /* 12 s: over W1 + W2 */
    CU_ASSERT_EQUAL(w.nodes[3].launches, 2);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].launches, 2);
    world_beat(&w, &w.nodes[1], 0); /* a local launch begins the wait anew */
    CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].running, 4);
    world_free(&w);
}

static void register_at(struct world_node *n, int64_t sent_us)
{
    struct rm_event ev = {.kind = RM_EV_NODE_REGISTER, .token = ++w.token};

    ev.u.node_register.node_id = ev.u.node_register.http_address = n->id;
    ev.u.node_register.host = n->host;
    ev.u.node_register.rack = n->rack;
    ev.u.node_register.version = "0.1.0";
    ev.u.node_register.boot_id = n->boot;
    ev.u.node_register.instance = n->instance;
    ev.u.node_register.map_slots = 2;
    ev.u.node_register.sent_us = sent_us;
    n->token = w.token;
    world_step(&w, &ev);
}

/* A registration that the node has given up arrives after its next one, and after the work that was
 * ordered since: it is refused. */
static void test_late_registration(void)
{
    struct base_app_id id;
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    register_at(n, 2);
    id = world_submit(&w, "a 1 0 0 4 0 0");
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->launches, 1);
    register_at(n, 1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    register_at(n, 2);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    n->registered = true;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 0);
    CU_ASSERT_EQUAL(n->launches, 1);
    end_task(id, BASE_TASK_MAP, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    n->token = 0;
    register_at(n, 3);
    CU_ASSERT(n->registered);
    snprintf(n->instance, sizeof n->instance, "another");
    n->registered = false;
    register_at(n, 2); /* sent before the NodeManager was started again */
    CU_ASSERT_FALSE(n->registered);
    register_at(n, 4);
    CU_ASSERT(n->registered);
    snprintf(n->boot, sizeof n->boot, "another");
    n->registered = false;
    register_at(n, 1);
    CU_ASSERT(n->registered);
    world_free(&w);
}

#define NOBODY UINT64_MAX

/* @token: 0: a new one, whose answer the node waits for; NOBODY: the node has given the request
 * up. */
static void beat_at(struct world_node *n, int64_t response_id, int64_t sent_us, int64_t hold_us,
                    uint64_t token)
{
    struct rm_event ev = {.kind = RM_EV_NODE_HEARTBEAT, .token = token ? token : ++w.token};
    struct rm_container_report r[4] = {0};

    for (size_t i = 0; i < n->n && i < 4; i++)
        r[i] = (struct rm_container_report){.id = n->v[i].id, .state = RM_CONTAINER_RUNNING};
    ev.u.heartbeat.node_id = n->id;
    ev.u.heartbeat.instance = n->instance;
    ev.u.heartbeat.response_id = response_id;
    ev.u.heartbeat.sent_us = sent_us;
    ev.u.heartbeat.healthy = true;
    ev.u.heartbeat.hold_us = hold_us;
    ev.u.heartbeat.reports = r;
    ev.u.heartbeat.reports_n = n->n;
    if (!token)
        n->token = w.token;
    w.reply = (struct world_reply){0};
    world_step(&w, &ev);
}

static bool put_back(void)
{
    return w.reply.token == NOBODY && w.reply.kind == RM_REPLY_RESYNC;
}

/* A late heartbeat of an earlier registration has the response id of the answer that the node waits
 * for just now. It must not count as the acknowledgement of that answer, whose orders would be
 * lost. */
static void test_late_heartbeat(void)
{
    struct world_node *n;
    struct rm_node *known;
    int64_t heard;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    known = w.core->nodes[0];
    register_at(n, 10);
    beat_at(n, 0, 11, 0, 0);
    CU_ASSERT_EQUAL(n->response_id, 1);
    register_at(n, 20);
    CU_ASSERT_EQUAL(n->response_id, 0);
    world_submit(&w, "a 1 0 0 4 0 0");
    beat_at(n, 0, 21, 0, NOBODY); /* its answer, with the launch, is lost */
    CU_ASSERT_EQUAL(n->launches, 0);
    CU_ASSERT_EQUAL(known->response_id, 1);
    heard = known->last_us;
    w.now += S;
    beat_at(n, 1, 12, 0, NOBODY);
    CU_ASSERT(put_back());
    CU_ASSERT_EQUAL(known->last_us, heard);
    CU_ASSERT_EQUAL(known->response_id, 1);
    beat_at(n, 0, 22, 0, 0);
    CU_ASSERT_EQUAL(n->launches, 1);
    CU_ASSERT_EQUAL(n->response_id, 1);
    /* held; a heartbeat that was sent before it does not take its place */
    beat_at(n, 1, 23, 5 * S, 0);
    beat_at(n, 1, 22, 0, NOBODY);
    CU_ASSERT(put_back());
    CU_ASSERT_EQUAL(known->parked, n->token);
    /* another copy of the same heartbeat does: its sender may get the answer */
    beat_at(n, 1, 23, 5 * S, 0);
    CU_ASSERT_EQUAL(known->parked, n->token);
    CU_ASSERT(n->registered);
    register_at(n, 23);
    CU_ASSERT_FALSE(n->registered);
    world_free(&w);
}

/* All requests of a machine whose clock went back seem to be late. It may register once it is given
 * up as lost. */
static void test_clock_went_back(void)
{
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    register_at(n, 1000 * S);
    CU_ASSERT(n->registered);
    for (int i = 0; i < 29; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[1], 0);
        world_beat(&w, &w.nodes[2], 0);
        register_at(n, (10 + i) * S);
        CU_ASSERT_FALSE(n->registered);
        CU_ASSERT_EQUAL(node_state(0), RM_NODE_RUNNING);
    }
    world_advance(&w, S);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_LOST);
    register_at(n, 40 * S);
    CU_ASSERT(n->registered);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_RUNNING);
    beat_at(n, 0, 41 * S, 0, 0);
    CU_ASSERT_EQUAL(n->response_id, 1);
    world_free(&w);
}

/* ---------------------------------------------------------------- nodes that have gone */
#define FAKES 20000
#define HOUR  (3600 * S)

static void forgetting_world(int64_t after_us, int32_t max)
{
    world_init(&w, "hfsp");
    w.conf.gone_nodes_us = after_us;
    w.conf.gone_nodes_max = max;
    world_renew(&w);
}

/* Lets time pass, in which the nodes that are up send heartbeats. */
static void pass(int64_t us)
{
    for (; us > 0; us -= 10 * S) {
        world_advance(&w, us < 10 * S ? us : 10 * S);
        for (size_t i = 0; i < w.nodes_n; i++)
            if (w.nodes[i].up)
                world_beat(&w, &w.nodes[i], 0);
    }
}

static void lose(struct world_node *n)
{
    n->up = false;
    pass(60 * S);
}

static void add_fakes(char kind)
{
    char id[32], host[32], rack[32];
    struct rm_event ev = {.kind = RM_EV_NODE_REGISTER};

    ev.u.node_register.node_id = id;
    ev.u.node_register.host = host;
    ev.u.node_register.rack = rack;
    ev.u.node_register.instance = "one";
    ev.u.node_register.map_slots = 2;
    for (int i = 0; i < FAKES; i++) {
        snprintf(id, sizeof id, "%c%d:1", kind, i);
        snprintf(host, sizeof host, "%c%d", kind, i);
        snprintf(rack, sizeof rack, "/%c%d", kind, i);
        world_step(&w, &ev);
    }
}

/* Checks the sizes of all that grows with the number of nodes. */
static void expect_held(size_t nodes, size_t gone)
{
    struct rm_views v = {0};
    size_t pos = 0;

    CU_ASSERT_EQUAL(w.core->nodes_by_id.n, nodes);
    CU_ASSERT_EQUAL(w.core->nodes_n - w.core->nodes_free_n, nodes);
    CU_ASSERT_EQUAL(w.core->hosts.map.n, nodes);
    CU_ASSERT_EQUAL(w.core->hosts.n - w.core->hosts.free_n, nodes);
    CU_ASSERT_EQUAL(w.core->racks.map.n, nodes);
    CU_ASSERT_EQUAL(w.core->racks.n - w.core->racks.free_n, nodes);
    CU_ASSERT_EQUAL(w.core->gone_n, gone);
    while (rm_view_nodes(w.core, &pos, 1000, &v))
        ;
    CU_ASSERT_EQUAL(v.nodes_n, nodes);
    rm_views_free(&v);
}

static size_t lost_nodes(void)
{
    struct rm_cluster_view v = {0};

    rm_view_cluster(w.core, &v);
    return (size_t)v.nodes[RM_NODE_LOST];
}

/* A caller that registers nodes without end takes no memory for good: such nodes are forgotten, and
 * their indexes are used again. */
static void test_forget_fakes(void)
{
    size_t indexes;

    forgetting_world(HOUR, 0);
    world_add_node(&w, 2, 1, "/real");
    add_fakes('a');
    expect_held(FAKES + 1, 0);
    pass(70 * S); /* where most nodes are silent, they are spared for one period */
    expect_held(FAKES + 1, FAKES);
    CU_ASSERT_EQUAL(lost_nodes(), FAKES); /* lost nodes are shown for gone_nodes_us */
    pass(HOUR - 60 * S);
    CU_ASSERT(lost_nodes() > 0);
    pass(60 * S);
    expect_held(1, 0);
    CU_ASSERT_EQUAL(lost_nodes(), 0);
    indexes = w.core->nodes_n;
    add_fakes('b');
    CU_ASSERT_EQUAL(w.core->nodes_n, indexes);
    CU_ASSERT_EQUAL(w.core->hosts.n, indexes);
    CU_ASSERT_EQUAL(w.core->racks.n, indexes);
    pass(HOUR + 70 * S);
    expect_held(1, 0);
    world_crash(&w, w.journal_n); /* the records of forgotten nodes are gone, too */
    CU_ASSERT_EQUAL(w.core->nodes_by_id.n, 1);
    world_free(&w);
}

/* When there are more gone nodes than are kept, the longest gone make room at once. */
static void test_forget_oldest(void)
{
    forgetting_world(0, 2);
    for (int i = 0; i < 5; i++)
        world_add_node(&w, 2, 1, NULL);
    lose(&w.nodes[3]);
    lose(&w.nodes[1]);
    CU_ASSERT_EQUAL(w.core->gone_n, 2);
    CU_ASSERT_EQUAL(node_state(3), RM_NODE_LOST);
    lose(&w.nodes[0]);
    CU_ASSERT_EQUAL(w.core->gone_n, 2);
    CU_ASSERT_PTR_NULL(rm_node_find(w.core, w.nodes[3].id));
    CU_ASSERT_EQUAL(node_state(1), RM_NODE_LOST);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_LOST);
    pass(HOUR); /* without gone_nodes_us no time counts */
    CU_ASSERT_EQUAL(w.core->gone_n, 2);
    world_crash(&w, w.journal_n); /* lost nodes are gone for the next instance as well */
    CU_ASSERT_EQUAL(w.core->gone_n, 2);
    world_free(&w);
}

static bool task_has_node(struct base_app_id id, int64_t map)
{
    struct rm_views v = {0};
    bool has;

    CU_ASSERT_FATAL(rm_view_tasks(w.core, id, BASE_TASK_MAP, UINT32_MAX, &map, 1, &v) >= 0 &&
                    v.tasks_n == 1);
    has = v.tasks[0].node_id != NULL;
    rm_views_free(&v);
    return has;
}

/* A lost node is kept as long as a job goes on that ran something there. Later another node may
 * have the index that the job's tasks have, and must not be shown for them. */
static void test_forget_held(void)
{
    struct base_app_id id;
    struct world_node *n;
    uint32_t index;

    forgetting_world(HOUR, 0);
    world_add_node(&w, 1, 1, NULL);
    world_add_node(&w, 1, 1, NULL);
    id = world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(world_task(&w, id, BASE_TASK_MAP, 0, &n));
    CU_ASSERT(n == &w.nodes[0]);
    index = rm_node_find(w.core, n->id)->index;
    end_task(id, BASE_TASK_MAP, 0);
    lose(&w.nodes[0]);
    pass(3 * HOUR);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_LOST);
    CU_ASSERT_EQUAL(w.core->gone_n, 0);
    world_crash(&w, w.journal_n); /* the next instance keeps the node, too */
    world_register(&w, &w.nodes[1]);
    pass(3 * HOUR);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_LOST);
    end_task(id, BASE_TASK_MAP, 1);
    CU_ASSERT(rm_app_state_is_final(world_state(&w, id)));
    CU_ASSERT_EQUAL(w.core->gone_n, 1);
    CU_ASSERT(task_has_node(id, 0));
    pass(HOUR + 10 * S);
    CU_ASSERT_PTR_NULL(rm_node_find(w.core, w.nodes[0].id));
    CU_ASSERT(!task_has_node(id, 0));
    CU_ASSERT(task_has_node(id, 1));
    n = world_add_node(&w, 1, 1, NULL);
    CU_ASSERT_EQUAL(rm_node_find(w.core, n->id)->index, index);
    CU_ASSERT(!task_has_node(id, 0));
    world_crash(&w, w.journal_n); /* the name in the task's record does not bring the node back */
    CU_ASSERT_PTR_NULL(rm_node_find(w.core, w.nodes[0].id));
    CU_ASSERT(!task_has_node(id, 0));
    CU_ASSERT(task_has_node(id, 1));
    world_free(&w);
}

static uint32_t told_of;

static void note_forgotten(struct policy *self, uint32_t node)
{
    (void)self;
    told_of = node;
}

/* The policy is told that a node is forgotten before another node gets its index. */
static void test_forget_told(void)
{
    const struct policy_ops *before;
    struct policy_ops ops;

    forgetting_world(HOUR, 0);
    before = w.core->ops;
    ops = *before;
    ops.on_node_forgotten = note_forgotten;
    w.core->ops = &ops;
    told_of = UINT32_MAX;
    world_add_node(&w, 1, 1, NULL);
    world_add_node(&w, 1, 1, NULL);
    lose(&w.nodes[1]);
    CU_ASSERT_EQUAL(told_of, UINT32_MAX);
    pass(HOUR);
    CU_ASSERT_EQUAL(told_of, 1);
    w.core->ops = before;
    world_free(&w);
}

/* A node that was forgotten while it was only away comes back as a new node, with any index. The
 * index that its heartbeats give as a hint may be another node's by then. */
static void test_forget_returns(void)
{
    struct rm_event ev = {.kind = RM_EV_NODE_HEARTBEAT};
    struct base_app_id id;
    struct world_node *n;
    uint32_t place;

    forgetting_world(HOUR, 0);
    world_add_node(&w, 1, 1, NULL);
    world_add_node(&w, 1, 1, NULL);
    place = rm_node_find(w.core, w.nodes[0].id)->index + 1;
    lose(&w.nodes[0]);
    pass(HOUR);
    CU_ASSERT_PTR_NULL(rm_node_find(w.core, w.nodes[0].id));
    ev.token = ++w.token;
    ev.u.heartbeat.node_id = w.nodes[0].id;
    ev.u.heartbeat.instance = w.nodes[0].instance;
    ev.u.heartbeat.node_hint = place; /* the hint is nobody's index */
    rm_core_prefetch_node(w.core, place, 0);
    rm_core_prefetch_node(w.core, place, 1);
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    n = world_add_node(&w, 0, 0, NULL);
    CU_ASSERT_EQUAL(rm_node_find(w.core, n->id)->index + 1, place);
    ev.token = ++w.token; /* the hint is another node's index */
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    CU_ASSERT_EQUAL(w.reply.token, ev.token);
    w.nodes[0].up = true;
    w.nodes[0].response_id = 0;
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(node_state(0), RM_NODE_RUNNING);
    id = world_submit(&w, "a 4 1 0 4 0 0");
    pass(20 * S);
    CU_ASSERT(w.nodes[0].n > 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* A job's data lies on a host whose node was forgotten: the host keeps its number until the job has
 * ended. */
static void test_forget_hosts(void)
{
    struct base_app_id id;
    uint32_t host, index;
    struct world_node *n;

    forgetting_world(HOUR, 0);
    for (int i = 0; i < 4; i++)
        world_add_node(&w, i < 3, 1, i < 3 ? "/data" : "/other");
    host = rm_names_find(&w.core->hosts, "node0");
    lose(&w.nodes[0]);
    id = world_submit(&w, "a 3 0 0 4 3 0");
    pass(HOUR + 10 * S);
    CU_ASSERT_PTR_NULL(rm_node_find(w.core, w.nodes[0].id));
    CU_ASSERT_EQUAL(rm_names_find(&w.core->hosts, "node0"), host);
    /* the new node has that node's index, and a host of its own */
    n = world_add_node(&w, 1, 1, "/third");
    index = rm_node_find(w.core, n->id)->index;
    CU_ASSERT_EQUAL(index, 0);
    CU_ASSERT(rm_node_find(w.core, n->id)->host != host);
    w.nodes[0].up = true;
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(rm_node_find(w.core, w.nodes[0].id)->host, host);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(w.core->hosts.map.n, 5);
    CU_ASSERT_EQUAL(w.core->racks.map.n, 3);
    for (int i = 0; i < 3; i++)
        lose(&w.nodes[i]);
    pass(HOUR);
    CU_ASSERT_EQUAL(w.core->hosts.map.n, 2);
    CU_ASSERT_EQUAL(w.core->racks.map.n, 2);
    CU_ASSERT_EQUAL(rm_names_find(&w.core->racks, "/data"), UINT32_MAX);
    world_free(&w);
}

/* A node that was refused and has been silent since is forgotten: it was never more than a name. */
static void test_forget_refused(void)
{
    struct world_node *n;

    forgetting_world(HOUR, 0);
    n = world_add_node(&w, 1, 1, NULL);
    lose(n);
    pass(HOUR);
    n->epoch_seen = 99;
    world_register(&w, n);
    CU_ASSERT_EQUAL(w.core->refused_n, 1);
    CU_ASSERT_EQUAL(w.core->gone_n, 0);
    pass(40 * S);
    CU_ASSERT_EQUAL(w.core->refused_n, 0);
    expect_held(1, 1);
    pass(HOUR);
    expect_held(0, 0);
    world_free(&w);
}

static const struct cunit_case cases[] = {{"utilization", test_utilization},
                                          {"held heartbeat", test_held},
                                          {"wake", test_wake},
                                          {"spread", test_spread},
                                          {"repeated heartbeat", test_repeat},
                                          {"overtaken heartbeat", test_overtaken},
                                          {"lost node", test_lost},
                                          {"lost node, maps only", test_lost_map_only},
                                          {"NM restarted", test_nm_restart},
                                          {"node rebooted", test_reboot},
                                          {"node unregisters", test_gone},
                                          {"unknown containers", test_strangers},
                                          {"locality", test_locality},
                                          {"late registration", test_late_registration},
                                          {"late heartbeat", test_late_heartbeat},
                                          {"a node's clock went back", test_clock_went_back},
                                          {"delay scheduling", test_delay},
                                          {"20,000 nodes are forgotten", test_forget_fakes},
                                          {"the longest gone are forgotten", test_forget_oldest},
                                          {"a job holds its nodes", test_forget_held},
                                          {"the policy is told", test_forget_told},
                                          {"a forgotten node returns", test_forget_returns},
                                          {"a job holds its hosts", test_forget_hosts},
                                          {"refused nodes are forgotten", test_forget_refused}};

CUNIT_MAIN("nodes", cases)

/* Goal: what becomes of masters and their containers when another ResourceManager takes over, and
 * when a node is lost or cleans up. Method: event sequences; over a takeover the store and the
 * nodes keep what they have. */
#include <string.h>

#include "rm/core/record/takeover.h"
#include "rm/core/view/view.h"
#include "tests/unit/core_masters.h"

/* The master's first calls to a new RM: it allocates, is told to resync, and registers. @n: how
 * many containers the answer has to list; returns the first of them. */
static struct base_container_id register_again(size_t n)
{
    allocate(7, NULL, 0, NULL, 0); /* whatever the response id */
    CU_ASSERT_STRING_EQUAL(w.reply.command, "resync");
    do_register(1);
    CU_ASSERT_EQUAL_FATAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    CU_ASSERT_EQUAL_FATAL(w.reply.previous_n, n);
    return w.reply.previous[0].id;
}

static bool same(const struct base_container_id *a, const struct base_container_id *b)
{
    return base_container_id_cmp(a, b) == 0;
}

static void test_restart(void)
{
    struct base_container_id got = one_container();
    struct rm_ask asks[1];

    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    /* until the master has registered, the RM takes nothing from it */
    for (int i = 0; i < 2; i++) {
        asks[0] = ask("*", 2);
        allocate(2, asks, 1, &got, 1);
        CU_ASSERT_STRING_EQUAL(w.reply.command, "resync");
        CU_ASSERT_EQUAL(w.reply.response_id, 0);
        CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    }
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    CU_ASSERT_EQUAL(core_app()->asks_n, 0);
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    CU_ASSERT_EQUAL_FATAL(w.reply.previous_n, 1);
    CU_ASSERT(same(&w.reply.previous[0].id, &got));
    CU_ASSERT_EQUAL(w.reply.previous[0].priority, 1);
    CU_ASSERT_EQUAL(w.reply.previous[0].allocation_request_id, 6);
    do_register(1); /* the answer was lost: the same again */
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    CU_ASSERT_EQUAL(w.reply.previous_n, 1);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.response_id, 1);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0); /* the container was listed at the registration */
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    end(&got, 4);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.completed_n, 1);
    CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, 4);
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    do_register(1); /* then it finishes without having allocated */
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    finish(RM_FINAL_SUCCEEDED);
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    end_master(0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* Two containers were started, but no answer told the master of them, over two failovers: it is
 * told of these, and no third one is started. */
static void test_never_heard(void)
{
    struct base_container_id first;
    struct rm_ask asks[1];

    begin("app 1024 2 0");
    do_register(1);
    asks[0] = ask("*", 2);
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].launches, 3);
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    first = register_again(2);
    world_crash(&w, w.journal_n); /* that answer may have been lost as well */
    world_beat_all(&w, 0);
    register_again(2);
    end(&first, 0);
    /* the same again, when one has ended meanwhile: it is still listed, and its end is reported
     * next */
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.previous_n, 2);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.completed_n, 1);
    CU_ASSERT(same(&w.reply.completed[0].id, &first));
    world_crash(&w, w.journal_n); /* the end was not acknowledged */
    world_beat_all(&w, 0);
    register_again(2);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.completed_n, 1);
    allocate(1, NULL, 0, NULL, 0); /* the end is acknowledged: the node forgets the container */
    CU_ASSERT_EQUAL(w.reply.completed_n, 0);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    register_again(1);
    CU_ASSERT_EQUAL(w.nodes[0].launches + w.nodes[1].launches, 3);
    world_free(&w);
}

/* A master waits until all nodes have reported what they run, but not for ever. A container that is
 * reported later is announced to the master like a new one, once. */
static void test_late_node(void)
{
    struct base_container_id late = one_container();

    w.nodes[0].up = false;
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EAGAIN);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "1 nodes"));
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_STRING_EQUAL(w.reply.command, "resync");
    for (int i = 0; i < 5; i++) {
        CU_ASSERT(rm_takeover_delays_master_registration(w.core));
        world_advance(&w, S);
        world_beat(&w, &w.nodes[1], 0);
    }
    register_again(0);
    allocate(0, NULL, 0, NULL, 0);
    w.nodes[0].up = true;
    world_beat(&w, &w.nodes[0], 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 1);
    CU_ASSERT(same(&w.reply.allocated[0].id, &late));
    allocate(2, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    end(&late, 0);
    allocate(3, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.completed_n, 1);
    world_free(&w);
}

/* The first registration of an attempt waits for no node, unless containers of an earlier attempt
 * go on. */
static void test_who_waits(void)
{
    begin("app 1024 2 0");
    w.nodes[1].up = false;
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    world_free(&w);
    begin("keep 1024 3 0");
    end_master(1);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    w.nodes[1].up = false;
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EAGAIN);
    w.nodes[1].up = true;
    world_beat_all(&w, 0);
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    world_free(&w);
}

/* The end of an application is stored: a restart shows it ended, and it counts among those that are
 * kept. */
static void test_finished_stays(void)
{
    struct rm_cluster_view v;

    begin("app 1024 2 0");
    do_register(1);
    finish(RM_FINAL_SUCCEEDED);
    end_master(0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    rm_view_cluster(w.core, &v);
    CU_ASSERT_EQUAL(v.apps_completed, 1);
    CU_ASSERT_EQUAL(v.apps_running, 0);
    w.conf.completed_apps_max = 1;
    world_submit_app(&w, "lost 1024 1 0");
    world_crash(&w, w.journal_n);
    /* of two ended applications the older one was removed */
    CU_ASSERT_EQUAL(world_app(&w, id).id.seq, 0);
    world_free(&w);
}

/* A master that was recorded and never launched is given up when its node registers, and does not
 * count as a failure. */
static void test_never_launched(void)
{
    struct rm_views v = {0};
    size_t durable;

    world_init(&w, "fifo");
    world_add_node(&w, 4, 2, "/a");
    id = world_submit_app(&w, "app 1024 1 0");
    w.auto_store = false;
    world_beat(&w, &w.nodes[0], 0);
    durable = w.journal_n;
    CU_ASSERT_EQUAL(w.nodes[0].launches, 0);
    w.auto_store = true;
    world_crash(&w, durable);
    for (int i = 0; i < 4; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].launches, 1);
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    rm_view_attempts(w.core, id, &v);
    CU_ASSERT_EQUAL_FATAL(v.attempts_n, 2);
    CU_ASSERT_EQUAL(v.attempts[0].state, RM_ATTEMPT_FAILED);
    rm_views_free(&v);
    world_free(&w);
}

/* A master whose node is lost while the RM is down is replaced; an application whose master had
 * unregistered ends without its node. */
static void test_lost_meanwhile(void)
{
    begin("app 1024 1 0");
    do_register(1);
    w.nodes[0].up = false;
    world_crash(&w, w.journal_n);
    for (int i = 0; i < 40; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[1], 0);
    }
    CU_ASSERT_EQUAL(w.nodes[1].launches, 1);
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    finish(RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHING);
    w.nodes[1].n = 0; /* its container vanishes while the RM is down */
    world_crash(&w, w.journal_n);
    world_restart_node(&w, &w.nodes[1]);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    world_free(&w);
}

/* An ended application is not removed while it has a container that may still run; younger ones are
 * removed in its place, as only one is kept. */
static void test_stuck_one_stays(void)
{
    struct rm_ask asks[1];
    struct base_app_id stuck;

    begin("app 1024 1 0");
    w.conf.completed_apps_max = 1;
    rm_core_free(w.core);
    w.core = rm_core_new(&w.conf, NULL);
    w.seq = w.stored = 0;
    w.nodes[0].registered = w.nodes[1].registered = false;
    w.nodes[0].n = 0;
    id = stuck = world_submit_app(&w, "app 1024 1 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    do_register(1);
    asks[0] = ask("*", 1);
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    world_beat(&w, &w.nodes[1], 0);
    finish(RM_FINAL_SUCCEEDED);
    end_master(0);
    CU_ASSERT_EQUAL(world_state(&w, stuck), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, stuck).running_containers, 1);
    for (int i = 0; i < 3; i++)
        id = world_submit_app(&w, "lost 1024 1 0"); /* ended at once */
    CU_ASSERT_EQUAL(world_app(&w, stuck).id.seq, stuck.seq);
    CU_ASSERT_EQUAL(world_app(&w, id).id.seq, 0);
    world_beat(&w, &w.nodes[1], 0);
    world_beat(&w, &w.nodes[1], 0);
    id = world_submit_app(&w, "lost 1024 1 0");
    CU_ASSERT_EQUAL(world_app(&w, stuck).id.seq, 0);
    CU_ASSERT_EQUAL(world_app(&w, id).id.seq, id.seq);
    world_free(&w);
}

/* A node that has cleaned up after an application reports nothing more of it: so it is ordered to
 * do that only when it has reported everything. */
static void test_cleanup_waits(void)
{
    struct base_container_id left = one_container();
    struct world_node *n;
    struct world_container *ct;

    finish(RM_FINAL_SUCCEEDED);
    end_master(0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    ct = world_find(&w, &left, &n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    ct->ended = false; /* it takes its time to end */
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 1);
    CU_ASSERT_EQUAL(n->cleanups, 0);
    world_restart_node(&w, n); /* nor is it ordered when the node registers */
    CU_ASSERT_EQUAL(n->cleanups, 0);
    ct = world_find(&w, &left, &n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    CU_ASSERT(ct->killed); /* the kill is ordered again: the first order may not have arrived */
    ct->ended = true;
    for (int i = 0; i < 3; i++)
        world_beat(&w, n, 0);
    CU_ASSERT(n->cleanups > 0);
    CU_ASSERT_EQUAL(n->apps_n, 0);
    CU_ASSERT_EQUAL(w.core->nodes[0]->used[BASE_TASK_MAP], 0);
    world_free(&w);
}

/* A node that was given up registers with a container of whose loss its master has not been told
 * yet: the container is killed, so that it does not hold a slot beside its successor. */
static void test_back_from_the_lost(void)
{
    struct base_container_id left = one_container();
    struct world_container *ct;
    struct world_node *n;

    world_advance(&w, 20 * S);
    world_beat(&w, &w.nodes[1], 0);
    world_advance(&w, 15 * S); /* the first node is lost, the second is not */
    CU_ASSERT_EQUAL(w.core->nodes[0]->state, RM_NODE_LOST);
    world_register(&w, &w.nodes[0]);
    ct = world_find(&w, &left, &n);
    CU_ASSERT(ct && ct->killed);
    world_free(&w);
}

/* After a takeover an application is killed when one node with its containers has registered and
 * the other one has not: the containers on both are killed. */
static void test_killed_before_it_is_known(void)
{
    struct rm_ask asks[1];

    one_container();
    asks[0] = ask("*", 1);
    allocate(2, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL_FATAL(w.nodes[1].n, 1);
    world_crash(&w, w.durable);
    world_register(&w, &w.nodes[1]);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    for (int i = 0; i < 4; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 2);
    for (int i = 0; i < 4; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.nodes[0].n + w.nodes[1].n, 0);
    world_free(&w);
}

/* A node whose clock says 1970 does not make a container 54 years old. */
static void test_node_clock(void)
{
    struct base_container_id left = one_container();
    struct rm_container_report r = {.id = left,
                                    .state = RM_CONTAINER_RUNNING,
                                    .started_us = 1000,
                                    .resource = {{1024, 1, 1, 0}}};
    struct rm_event ev = {.kind = RM_EV_NODE_REGISTER, .token = ++w.token};

    world_crash(&w, w.durable);
    ev.u.node_register.node_id = ev.u.node_register.http_address = w.nodes[0].id;
    ev.u.node_register.host = w.nodes[0].host;
    ev.u.node_register.rack = w.nodes[0].rack;
    ev.u.node_register.version = "0.1.0";
    ev.u.node_register.boot_id = w.nodes[0].boot;
    ev.u.node_register.instance = w.nodes[0].instance;
    ev.u.node_register.map_slots = 4;
    ev.u.node_register.reports = &r;
    ev.u.node_register.reports_n = 1;
    world_step(&w, &ev);
    CU_ASSERT_PTR_NOT_NULL_FATAL(core_app()->containers);
    CU_ASSERT(core_app()->containers->start_us >= core_app()->submit_us);
    world_free(&w);
}
static const struct cunit_case cases[] = {
    {"RM restarted", test_restart},
    {"containers it never heard of", test_never_heard},
    {"a node that is late", test_late_node},
    {"who waits for nodes", test_who_waits},
    {"the end is stored", test_finished_stays},
    {"never launched", test_never_launched},
    {"lost meanwhile", test_lost_meanwhile},
    {"a stuck one stays", test_stuck_one_stays},
    {"nodes clean up when all is told", test_cleanup_waits},
    {"back from a lost node", test_back_from_the_lost},
    {"killed before it is known", test_killed_before_it_is_known},
    {"a node's clock", test_node_clock}};

CUNIT_MAIN("masters and another ResourceManager", cases)

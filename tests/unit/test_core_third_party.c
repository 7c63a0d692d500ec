/* Goal: containers that a master starts itself, over Hadoop RPC, are known to the core from their
 * node's reports alone: they run when the node says so, end with the status that the node says, and
 * are killed there when the core has given them up before, whatever comes first; a new
 * ResourceManager takes them over. Method: the small world, in which the test puts containers on
 * nodes that no order has launched. */
#include "tests/unit/core_masters.h"

/* Starts an application whose master has one container without a launch context. Returns its id. */
static struct base_container_id acquired_container(void)
{
    struct rm_ask asks[1];

    begin("app 1024 2 0");
    do_register(1);
    asks[0] = ask("*", 1);
    rm_launch_unref(asks[0].launch);
    asks[0].launch = NULL;
    asks[0].allocation_request_id = -1;
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 1);
    return w.reply.allocated[0].id;
}

/* The master starts the container on the second node. */
static struct world_container *start(const struct base_container_id *ct)
{
    struct world_node *n = &w.nodes[1];

    base_array_grow(&n->v, n->n, &n->cap);
    n->v[n->n] = (struct world_container){.id = *ct,
                                          .priority = 1,
                                          .allocation_request_id = -1,
                                          .resource = {{1024, 1, 0, 0}},
                                          .exit_code = RM_EXIT_INVALID};
    return &n->v[n->n++];
}

static enum rm_container_state state_of(const struct base_container_id *ct)
{
    const struct rm_container *c = rm_container_find(w.core, ct);

    return c ? c->state : RM_CONTAINER_COMPLETED;
}

static void test_life(void)
{
    struct base_container_id ct = acquired_container();

    CU_ASSERT_EQUAL(state_of(&ct), RM_CONTAINER_ACQUIRED);
    CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
    start(&ct);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(state_of(&ct), RM_CONTAINER_RUNNING);
    end(&ct, 7);
    allocate(2, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.completed_n, 1);
    CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, 7);
    allocate(3, NULL, 0, NULL, 0); /* acknowledges the end */
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].forgets, 1);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 0);
    world_free(&w);
}

/* A short container may end before the node's first report of it. */
static void test_ends_before_report(void)
{
    struct base_container_id ct = acquired_container();

    start(&ct);
    end(&ct, 3);
    allocate(2, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.completed_n, 1);
    CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, 3);
    world_free(&w);
}

/* The container is released; the master starts it before the node hears of that, or after. */
static void test_released(void)
{
    for (int after = 0; after <= 1; after++) {
        struct base_container_id ct = acquired_container();
        size_t kills;

        if (!after)
            start(&ct);
        allocate(2, NULL, 0, &ct, 1);
        CU_ASSERT_EQUAL_FATAL(w.reply.completed_n, 1);
        CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, RM_EXIT_ABORTED);
        world_beat(&w, &w.nodes[1], 0);
        kills = w.nodes[1].kills;
        CU_ASSERT(kills > 0);
        if (after) {
            start(&ct);
            world_beat(&w, &w.nodes[1], 0);
            CU_ASSERT_EQUAL(w.nodes[1].kills, kills + 1);
        }
        for (int i = 3; i < 5; i++)
            allocate(i, NULL, 0, NULL, 0);
        world_beat(&w, &w.nodes[1], 0);
        world_beat(&w, &w.nodes[1], 0);
        CU_ASSERT_EQUAL(w.nodes[1].n > 0 && !w.nodes[1].v[0].ended, false);
        world_free(&w);
    }
}

/* Nobody starts what the core has forgotten: the node is told to kill it. */
static void test_started_after_end_was_acknowledged(void)
{
    struct base_container_id ct = acquired_container();
    size_t kills;

    allocate(2, NULL, 0, &ct, 1);
    allocate(3, NULL, 0, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    kills = w.nodes[1].kills;
    start(&ct);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].kills, kills + 1);
    world_free(&w);
}

/* The application is killed when its master has just started the container. */
static void test_app_killed(void)
{
    struct base_container_id ct = acquired_container();
    struct world_container *c = start(&ct);

    world_kill(&w, id);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_TRUE(c->killed);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_free(&w);
}

/* A restarted ResourceManager learns of the container from its node, and tells the master. */
static void test_takeover(void)
{
    struct base_container_id ct = acquired_container();

    start(&ct);
    world_beat(&w, &w.nodes[1], 0);
    world_crash(&w, w.journal_n);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(state_of(&ct), RM_CONTAINER_RUNNING);
    do_register(1);
    CU_ASSERT_EQUAL_FATAL(w.reply.previous_n, 1);
    CU_ASSERT_EQUAL(w.reply.previous[0].id.num, ct.num);
    CU_ASSERT_EQUAL(w.reply.previous[0].allocation_request_id, -1);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"life", test_life},
    {"an end before the first report", test_ends_before_report},
    {"released", test_released},
    {"started after its end", test_started_after_end_was_acknowledged},
    {"application killed", test_app_killed},
    {"takeover", test_takeover}};
CUNIT_MAIN("core_third_party", cases)

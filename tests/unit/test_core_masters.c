/* Goal: the life of a plain application's master, and its protocol, are as in YARN. Method: event
 * sequences. */
#include <string.h>

#include "rm/core/view/view.h"
#include "tests/unit/core_masters.h"

/* Returns the free slots that the latest answer told the master. */
static int64_t count_available(enum base_task_kind k)
{
    return w.reply.available.v[RM_RES_MAP_SLOTS + k];
}

static void test_whole_life(void)
{
    struct base_container_id got[4];
    struct rm_views v = {0};
    struct rm_ask asks[2];

    begin("app 1024 2 0");
    CU_ASSERT_EQUAL(w.nodes[0].n, 1);
    CU_ASSERT_EQUAL(w.nodes[0].v[0].id.num, 1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    do_register(1); /* the first answer was lost */
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    register_at(1, 98); /* another process */
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    asks[0] = ask("*", 4);
    allocate(0, asks, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.response_id, 1);
    CU_ASSERT_EQUAL(count_available(BASE_TASK_MAP), 7); /* of 4 on each of 2 nodes, less its own */
    CU_ASSERT_EQUAL(count_available(BASE_TASK_REDUCE), 4);
    CU_ASSERT_EQUAL(w.reply.available.v[RM_RES_MEMORY_MB],
                    7 * w.conf.slot_res[BASE_TASK_MAP].v[RM_RES_MEMORY_MB] +
                        4 * w.conf.slot_res[BASE_TASK_REDUCE].v[RM_RES_MEMORY_MB]);
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    world_beat(&w, &w.nodes[0], 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 3); /* the node has three slots left */
    CU_ASSERT_EQUAL(count_available(BASE_TASK_MAP), 4);
    for (int i = 0; i < 3; i++)
        got[i] = w.reply.allocated[i].id;
    allocate(1, NULL, 0, NULL, 0); /* the same request again: the same answer */
    CU_ASSERT_EQUAL(w.reply.response_id, 2);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 3);
    allocate(7, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    world_beat(&w, &w.nodes[1], 0);
    allocate(2, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 1);
    got[3] = w.reply.allocated[0].id;
    CU_ASSERT_EQUAL(w.nodes[0].n, 4);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    end(&got[0], 0);
    end(&got[1], 5);
    CU_ASSERT_EQUAL(w.nodes[0].forgets, 0); /* its master has not heard of them */
    allocate(3, NULL, 0, &got[2], 1);
    CU_ASSERT_EQUAL(w.reply.completed_n, 2);
    CU_ASSERT_EQUAL(w.reply.completed[1].exit_status, 5);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 1);
    world_beat(&w, &w.nodes[0], 0);
    allocate(4, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.completed_n, 1);
    CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, RM_EXIT_ABORTED);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].forgets, 2);
    CU_ASSERT_EQUAL(rm_view_containers(w.core, (struct base_attempt_id){id, 1}, &v), 0);
    CU_ASSERT_EQUAL(v.containers_n, 2);
    rm_views_free(&v);
    finish(RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_FINISHED);
    CU_ASSERT(w.reply.flag);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHING);
    finish(RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_FINISHED);
    end_master(0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    /* what was left over is killed and forgotten */
    CU_ASSERT_EQUAL(w.nodes[0].n + w.nodes[1].n, 0);
    world_free(&w);
}

/* A container that a free slot allows at once is in the answer to the request that asked for it,
 * and again in the answer to its repetition. */
static void test_asked_and_given_at_once(void)
{
    struct rm_ask asks[1];

    begin("app 1024 2 0");
    do_register(1);
    world_beat(&w, &w.nodes[0], S); /* held: the node could be told to start something */
    asks[0] = ask("*", 5);
    allocate(0, asks, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.response_id, 1);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 3); /* the node has three slots left */
    CU_ASSERT_EQUAL(count_available(BASE_TASK_MAP), 4);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.response_id, 1);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 3);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    world_beat(&w, &w.nodes[1], 0);
    allocate(2, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 2);
    world_free(&w);
}

static void test_attempts(void)
{
    struct rm_views v = {0};

    begin("app 1024 2 0");
    do_register(1);
    end_master(3);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    do_register(1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    end_master(3);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FAILED);
    rm_view_app(w.core, id, &v);
    CU_ASSERT_STRING_EQUAL(
        v.apps[0].diagnostics,
        "Application application_1700000000000_0001 failed 2 times due to AM Container for "
        "appattempt_1700000000000_0001_000002 exited with  exitCode: 3. Failing the application.");
    rm_view_attempts(w.core, id, &v);
    CU_ASSERT_EQUAL(v.attempts_n, 2);
    CU_ASSERT_EQUAL(v.attempts[0].state, RM_ATTEMPT_FAILED);
    rm_views_free(&v);
    world_free(&w);
}

/* The diagnostics name a limit of the application's own, and have what the node reported of the
 * end. */
static void test_limit_of_its_own(void)
{
    struct rm_views v = {0};
    struct world_container *m;
    struct world_node *n;

    begin("app 1024 1 0");
    m = the_master(&n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    strcpy(m->diagnostics, "Exit code 3");
    end_master(3);
    rm_view_app(w.core, id, &v);
    CU_ASSERT_STRING_EQUAL(
        v.apps[0].diagnostics,
        "Application application_1700000000000_0001 failed 1 times (global limit =2; local limit "
        "is =1) due to AM Container for appattempt_1700000000000_0001_000001 exited with  "
        "exitCode: 3\nFailing this attempt.Diagnostics: Exit code 3. Failing the application.");
    rm_views_free(&v);
    world_free(&w);
}

static void fail_attempt(int32_t attempt)
{
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    do_register(attempt);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    end_master(3);
}

/* Only failures within the last minute count, including those that an earlier RM has seen. */
static void test_failures_that_age(void)
{
    struct rm_views v = {0};

    begin("app 1024 3 0 60000");
    w.core->conf.am_attempts_max = w.conf.am_attempts_max = 4;
    fail_attempt(1);
    world_advance(&w, 20 * S);
    fail_attempt(2);
    world_advance(&w, 45 * S);
    fail_attempt(3); /* the first failure is older than a minute */
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    world_crash(&w, w.durable);
    world_register(&w, &w.nodes[0]);
    world_register(&w, &w.nodes[1]);
    world_advance(&w, 20 * S);
    fail_attempt(4); /* the second failure is older, too */
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    fail_attempt(5);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FAILED);
    rm_view_app(w.core, id, &v);
    CU_ASSERT_STRING_EQUAL(
        v.apps[0].diagnostics,
        "Application application_1700000000000_0001 failed 3 times in previous 60000 milliseconds "
        "(global limit =4; local limit is =3) due to AM Container for "
        "appattempt_1700000000000_0001_000005 exited with  exitCode: 3. Failing the application.");
    rm_views_free(&v);
    world_free(&w);
}

static void test_times_out(void)
{
    struct rm_views v = {0};

    begin("app 1024 1 0");
    do_register(1);
    for (int i = 0; i < 61; i++) {
        world_advance(&w, 10 * S);
        world_beat_all(&w, 0);
    }
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FAILED);
    rm_view_attempts(w.core, id, &v);
    CU_ASSERT_STRING_EQUAL(
        v.attempts[0].diagnostics,
        "ApplicationMaster for attempt appattempt_1700000000000_0001_000001 timed out");
    rm_views_free(&v);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 1);
    world_free(&w);
}

static void test_refused(void)
{
    struct rm_ask asks[1];
    struct rm_views v = {0};

    begin("app 1024 1 0");
    do_register(1);
    asks[0] = ask("*", 1);
    asks[0].capability.v[RM_RES_MEMORY_MB] = 1 << 20;
    allocate(0, asks, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    asks[0] = ask("*", -1);
    allocate(0, asks, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    id = world_submit_app(&w, "big 1048576 1 0");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "Requested more memory than configured max");
    id = world_submit_app(&w, "lost 1024 1 0");
    rm_view_app(w.core, id, &v);
    CU_ASSERT_EQUAL(v.apps[0].state, RM_APP_FAILED);
    CU_ASSERT_STRING_EQUAL(v.apps[0].diagnostics, "Application application_1700000000000_0002 "
                                                  "submitted by user ann to unknown queue: nosuch");
    rm_views_free(&v);
    world_free(&w);
}

static void test_kill(void)
{
    struct rm_ask asks[1];
    struct rm_views v = {0};

    begin("app 1024 2 0");
    do_register(1);
    asks[0] = ask("*", 2);
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[0], 0);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_STRING_EQUAL(w.reply.command, "shutdown");
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    /* a killed application whose master had a container shows 100 % */
    CU_ASSERT_EQUAL(world_app(&w, id).progress, 1);
    rm_view_attempts(w.core, id, &v);
    CU_ASSERT_EQUAL_FATAL(v.attempts_n, 1);
    CU_ASSERT_EQUAL(v.attempts[0].state, RM_ATTEMPT_KILLED);
    /* the diagnostics are the application's */
    CU_ASSERT_STRING_EQUAL(v.attempts[0].diagnostics, "");
    rm_views_free(&v);
    world_free(&w);
}

/* keep-containers-across-application-attempts: containers that run go on, and the next attempt is
 * told of them. */
static void test_keep(void)
{
    struct rm_ask asks[1];
    struct base_container_id got[2];

    begin("keep 1024 3 0");
    do_register(1);
    asks[0] = ask("*", 2);
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 2);
    got[0] = w.reply.allocated[0].id;
    got[1] = w.reply.allocated[1].id;
    world_beat(&w, &w.nodes[1], 0);
    end_master(3);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 0);
    end(&got[0], 7); /* no master is registered to hear of it */
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.previous_n, 1);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.completed_n, 1);
    CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, 7);
    allocate(1, NULL, 0, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    world_crash(&w, w.journal_n); /* its node tells of a container of the first attempt */
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 0);
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.previous_n, 1);
    end(&got[1], 0);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.completed_n, 1);
    finish(RM_FINAL_SUCCEEDED);
    end_master(0);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(w.nodes[0].n + w.nodes[1].n, 0);
    world_free(&w);
}

/* Without that option containers end with their master; those that nobody has started end at
 * once. */
static void test_not_kept(void)
{
    struct rm_ask asks[1];

    begin("app 1024 3 0");
    do_register(1);
    asks[0] = ask("*", 2);
    rm_launch_unref(asks[0].launch);
    asks[0].launch = NULL;
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(world_app(&w, id).running_containers, 3);
    end_master(3);
    CU_ASSERT(world_app(&w, id).running_containers <= 1); /* no more than the next master */
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    do_register(2);
    CU_ASSERT_EQUAL(w.reply.previous_n, 0);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n + w.reply.completed_n, 0);
    world_free(&w);
}

/* A master fails before it has learned of a container's end. The container's node keeps reporting
 * the end until the failure is durable: if the record is lost in a failover, the attempt goes on,
 * and its master would otherwise ask for that container again. */
static void test_unreported_end(void)
{
    for (int max_attempts = 1; max_attempts <= 2; max_attempts++) {
        struct rm_ask asks[1];

        begin(max_attempts == 1 ? "app 1024 1 0" : "app 1024 2 0");
        do_register(1);
        asks[0] = ask("node1", 1);
        allocate(0, asks, 1, NULL, 0);
        world_beat(&w, &w.nodes[1], 0);
        allocate(1, NULL, 0, NULL, 0);
        CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 1);
        end(&w.reply.allocated[0].id, 0);
        w.auto_store = false;
        end_master(3);
        for (int i = 0; i < 3; i++)
            world_beat(&w, &w.nodes[1], 0);
        CU_ASSERT_EQUAL(w.nodes[1].forgets, 0);
        w.auto_store = true;
        world_store(&w, w.seq);
        world_settle(&w);
        world_beat(&w, &w.nodes[1], 0);
        CU_ASSERT_EQUAL(w.nodes[1].forgets, 1);
        world_free(&w);
    }
}

/* Attempts that end by a fault of a node's disks do not count, up to RM_AM_DISK_FAILURES_FREE of
 * them: the application ends some time, whatever the fault is. */
static void test_disk_failures(void)
{
    for (int max = 1; max <= 2; max++) {
        struct world_node *n;
        int ends = 0;

        begin(max == 1 ? "app 1024 1 0" : "app 1024 2 0");
        for (; the_master(&n) && ends < 100; ends++) {
            end_master(RM_EXIT_DISKS_FAILED);
            CU_ASSERT_EQUAL(world_state(&w, id) == RM_APP_FAILED,
                            ends + 1 == RM_AM_DISK_FAILURES_FREE + max);
            for (int i = 0; i < 3; i++)
                world_beat_all(&w, 0);
        }
        CU_ASSERT_EQUAL(ends, RM_AM_DISK_FAILURES_FREE + max);
        CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FAILED);
        world_free(&w);
    }
}

/* The master's container is allocated, but its record is not yet durable when the kill comes: it is
 * never started. */
static void test_kill_before_launch(void)
{
    world_init(&w, "fifo");
    world_add_node(&w, 4, 2, "/a");
    id = world_submit_app(&w, "app 1024 2 0");
    w.auto_store = false;
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, id).running_containers, 1);
    world_kill(&w, id);
    world_beat(&w, &w.nodes[0], 0);
    world_store(&w, w.seq);
    w.auto_store = true;
    world_settle(&w);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.nodes[0].launches, 0);
    world_free(&w);
}

/* Containers that were allocated but never started do not keep an application from ending. */
static void test_kill_unstarted(void)
{
    struct rm_ask asks[1];

    begin("app 1024 2 0");
    do_register(1);
    asks[0] = ask("*", 2);
    rm_launch_unref(asks[0].launch);
    asks[0].launch = NULL;
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[1], 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 2);
    world_kill(&w, id);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_free(&w);
}

static void test_unmanaged(void)
{
    begin("app 1024 1 1");
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    do_register(1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    finish(RM_FINAL_FAILED);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_FAILED);
    world_free(&w);
}

/* Asks for hosts, racks and any node; strict asks wait for their place; reduce slots are asked for
 * on their own. */
static void test_places(void)
{
    struct rm_ask asks[3];

    begin("app 1024 1 0");
    do_register(1);
    asks[0] = ask("node1", 1);
    asks[1] = ask("/b", 1);
    asks[2] = ask("*", 1);
    asks[2].relax_locality = asks[1].relax_locality = false;
    allocate(0, asks, 3, NULL, 0);
    world_beat(&w, &w.nodes[0], 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    world_beat(&w, &w.nodes[1], 0);
    allocate(2, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 1);
    asks[0] = ask("*", 3);
    asks[0].priority = 2;
    asks[0].capability.v[RM_RES_REDUCE_SLOTS] = 1;
    allocate(3, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[0], 0);
    allocate(4, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 2); /* the nodes have two reduce slots */
    asks[0] = ask("*", 0);
    asks[0].priority = 2;
    asks[0].capability.v[RM_RES_REDUCE_SLOTS] = 1;
    allocate(5, asks, 1, NULL, 0); /* counts are absolute: no more wanted */
    world_beat(&w, &w.nodes[1], 0);
    allocate(6, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    world_free(&w);
}

static struct rm_ask plain(const char *name, int64_t group, int32_t n)
{
    return (struct rm_ask){.priority = 1,
                           .allocation_request_id = group,
                           .resource_name = name,
                           .capability = {{1024, 1, 0, 0}},
                           .containers = n,
                           .relax_locality = true};
}

/* Asks that are withdrawn leave nothing behind, and no master can ask for more than a million
 * containers. */
static void test_asks_bounded(void)
{
    static struct rm_ask asks[200];

    begin("app 1024 1 0");
    do_register(1);
    for (int i = 0; i < 200; i++)
        asks[i] = plain("*", i + 1, 0);
    allocate(0, asks, 200, NULL, 0);
    CU_ASSERT_EQUAL(core_app()->asks_n, 0);
    for (int i = 0; i < 100; i++)
        asks[i] = plain("*", i + 1, 10000);
    allocate(1, asks, 100, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ALLOCATED);
    CU_ASSERT_EQUAL(core_app()->asked[BASE_TASK_MAP], 1000000);
    asks[0] = plain("*", 101, 1);
    allocate(2, asks, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "1000000"));
    CU_ASSERT_EQUAL(core_app()->asks_n, 100);
    asks[0] = plain("*", 1, 1); /* asking for fewer makes room */
    asks[1] = plain("*", 101, 9999);
    asks[2] = plain("node0", 101, 9999); /* names a place, adds no containers */
    allocate(2, asks, 3, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ALLOCATED);
    CU_ASSERT_EQUAL(core_app()->asked[BASE_TASK_MAP], 1000000);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(core_app()->asks_n, 100); /* the first group has got its container */
    CU_ASSERT_EQUAL(core_app()->asked[BASE_TASK_MAP], 999996);
    for (int i = 0; i < 101; i++)
        asks[i] = plain("*", i + 1, 0);
    allocate(3, asks, 101, NULL, 0);
    CU_ASSERT_EQUAL(core_app()->asks_n, 0);
    CU_ASSERT_EQUAL(core_app()->ask_rows, 0);
    CU_ASSERT_EQUAL(core_app()->asked[BASE_TASK_MAP], 0);
    world_free(&w);
}

/* Masters hold at most half of the map slots. */
static void test_masters_max(void)
{
    size_t masters = 0;

    world_init(&w, "fifo");
    world_add_node(&w, 4, 1, NULL);
    for (int i = 0; i < 5; i++)
        world_submit_app(&w, "app 1024 1 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    masters = w.nodes[0].n;
    CU_ASSERT_EQUAL(masters, 2);
    id = w.nodes[0].v[0].id.attempt.app;
    do_register(1);
    finish(RM_FINAL_SUCCEEDED);
    end(&w.nodes[0].v[0].id, 0);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"whole life", test_whole_life},
    {"asked and given at once", test_asked_and_given_at_once},
    {"attempts", test_attempts},
    {"limit of its own", test_limit_of_its_own},
    {"failures that age", test_failures_that_age},
    {"times out", test_times_out},
    {"refused", test_refused},
    {"kill", test_kill},
    {"containers are kept", test_keep},
    {"containers are not kept", test_not_kept},
    {"an end that the failed master never learned", test_unreported_end},
    {"failures of disks", test_disk_failures},
    {"kill before the launch", test_kill_before_launch},
    {"kill of what was not started", test_kill_unstarted},
    {"unmanaged", test_unmanaged},
    {"places", test_places},
    {"asks are bounded", test_asks_bounded},
    {"masters hold half of the map slots", test_masters_max}};

CUNIT_MAIN("masters", cases)

/* Goal: users can change the priority and the lifetime of a live application, and signal its
 * containers. Each change survives a restart once it is durable. Method: event sequences. */
#include "rm/core/view/view.h"
#include "tests/unit/core_masters.h"

static void set_priority(struct base_app_id app, int32_t priority)
{
    struct rm_event ev = {.kind = RM_EV_SET_PRIORITY, .token = ++w.token};

    ev.u.priority.id = app;
    ev.u.priority.priority = priority;
    world_step(&w, &ev);
}

static void set_lifetime(struct base_app_id app, int64_t end_us)
{
    struct rm_event ev = {.kind = RM_EV_SET_LIFETIME, .token = ++w.token};

    ev.u.lifetime.id = app;
    ev.u.lifetime.end_us = end_us;
    world_step(&w, &ev);
}

static void begin_with_priorities(int32_t most)
{
    world_init(&w, "fifo");
    w.conf.app_priority_max = most;
    world_renew(&w);
    world_register(&w, world_add_node(&w, 2, 0, "/r"));
}

static void test_priority(void)
{
    struct base_app_id job;

    begin_with_priorities(10);
    job = world_submit(&w, "job 3 0 0 4 0 2");
    id = world_submit_app(&w, "app 1024 2 0");
    CU_ASSERT_EQUAL(world_app(&w, job).priority, 2);
    CU_ASSERT_EQUAL(world_app(&w, id).priority, 0);
    set_priority(id, 5);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.reply.value, 5);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    set_priority(id, 100);
    CU_ASSERT_EQUAL(w.reply.value, 10);
    CU_ASSERT_EQUAL(rm_app_find(w.core, id)->pj.priority, 10);
    set_priority(job, 7);
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(world_app(&w, id).priority, 10);
    CU_ASSERT_EQUAL(world_app(&w, job).priority, 7);
    CU_ASSERT_EQUAL(rm_app_find(w.core, job)->pj.priority, 7);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    set_priority(id, 1);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.reply.value, 10); /* the priority of an ended application stays */
    set_priority((struct base_app_id){1, 99}, 1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ENOTFOUND);
    world_free(&w);
}

static void test_priority_before_acceptance(void)
{
    begin_with_priorities(10);
    w.auto_store = false;
    id = world_submit_app(&w, "app 1024 2 0");
    set_priority(id, 5);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "Application in NEW_SAVING state cannot update priority.");
    world_free(&w);
}

/* What waits is served by the new priorities: tasks, and masters whose turn has not come. */
static void test_order(void)
{
    struct base_app_id first, second, app[3];

    begin_with_priorities(10);
    first = world_submit(&w, "a 4 0 0 4 0 0");
    second = world_submit(&w, "b 4 0 0 4 0 0");
    set_priority(second, 1);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, second).running_containers, 2);
    CU_ASSERT_EQUAL(world_app(&w, first).running_containers, 0);
    world_free(&w);
    begin_with_priorities(10);
    for (int i = 0; i < 3; i++) /* one master at a time, on two slots */
        app[i] = world_submit_app(&w, "app 1024 2 0");
    set_priority(app[2], 3);
    set_priority(app[1], 4);
    set_priority(app[2], 5);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT(world_app(&w, app[0]).has_master); /* this master's turn had come */
    world_kill(&w, app[0]);
    for (int i = 0; i < 3; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT(world_app(&w, app[2]).has_master);
    CU_ASSERT_FALSE(world_app(&w, app[1]).has_master);
    world_free(&w);
}

/* Lets @seconds pass, in which nodes and master stay alive. */
static void live(int seconds)
{
    for (int i = 0; i < seconds; i++) {
        world_advance(&w, S);
        world_beat_all(&w, 0);
    }
}

static void test_lifetime(void)
{
    int64_t end;

    begin("app 1024 2 0");
    do_register(1);
    end = w.now + 100 * S;
    set_lifetime(id, end);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.reply.value, end);
    CU_ASSERT_FALSE(w.reply.flag);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    CU_ASSERT_EQUAL(world_app(&w, id).lifetime_end_us, end);
    live(99);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    set_lifetime(id, w.now - 1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    set_lifetime(id, end + 10 * S); /* a longer lifetime */
    live(10);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    live(3);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_STRING_EQUAL(
        rm_app_find(w.core, id)->diagnostics,
        "Application is killed by ResourceManager as it has exceeded the lifetime period.");
    set_lifetime(id, w.now + S);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.reply.value, end + 10 * S);
    CU_ASSERT_TRUE(w.reply.flag);
    set_lifetime((struct base_app_id){1, 99}, w.now + S);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ENOTFOUND);
    world_free(&w);
}

/* A submission may bring a lifetime, which counts from the submission on, also after a restart. */
static void test_lifetime_from_submission(void)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP, .token = 7};
    struct rm_app_spec *spec = world_app_spec("app 1024 2 0");
    int64_t end;

    world_init(&w, "fifo");
    world_register(&w, world_add_node(&w, 2, 0, "/r"));
    spec->lifetime_s = 100;
    ev.u.submit_app.spec = spec;
    ev.u.submit_app.app_token = "secret";
    end = w.now + 100 * S;
    world_step(&w, &ev);
    id = w.reply.app_id;
    CU_ASSERT_EQUAL(world_app(&w, id).lifetime_end_us, end);
    live(50);
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(world_app(&w, id).lifetime_end_us, end);
    world_register(&w, &w.nodes[0]);
    live(49);
    CU_ASSERT_FALSE(world_app(&w, id).finish_us);
    live(3);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_free(&w);
}

/* The next leader ends the application in time, also when its lifetime was over while there was no
 * leader. */
static void test_lifetime_after_restart(void)
{
    struct base_app_id job;

    world_init(&w, "fifo");
    world_register(&w, world_add_node(&w, 4, 0, "/r"));
    job = world_submit(&w, "job 1 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    set_lifetime(job, w.now + 100 * S);
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(world_app(&w, job).lifetime_end_us, w.now + 100 * S);
    world_register(&w, &w.nodes[0]);
    live(99);
    CU_ASSERT_EQUAL(world_state(&w, job), RM_APP_RUNNING);
    world_crash(&w, w.durable);
    w.now += 5 * S;
    world_register(&w, &w.nodes[0]);
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, job), RM_APP_KILLED);
    world_free(&w);
}

static void test_signal(void)
{
    struct rm_event ev = {.kind = RM_EV_SIGNAL_CONTAINER, .token = 0};

    begin("app 1024 2 0");
    do_register(1);
    ev.token = ++w.token;
    ev.u.signal.id = w.nodes[0].v[0].id;
    ev.u.signal.command = BASE_SIGNAL_GRACEFUL_SHUTDOWN;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.reply.after_seq, 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].signals[BASE_SIGNAL_GRACEFUL_SHUTDOWN], 1);
    ev.token = ++w.token;
    ev.u.signal.id.num = 99;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ENOTFOUND);
    CU_ASSERT_STRING_EQUAL(
        w.reply.text,
        "Trying to signal an absent container container_1700000000000_0001_01_000099");
    world_free(&w);
}

/* A node that does not fetch its orders gets each command for a container only once. */
static void test_signals_repeated(void)
{
    struct rm_event ev = {.kind = RM_EV_SIGNAL_CONTAINER, .token = 0};
    struct world_node *n;
    size_t queued;

    begin("app 1024 2 0");
    do_register(1);
    n = &w.nodes[0];
    ev.u.signal.id = n->v[0].id;
    queued = w.core->nodes[0]->queue.len;
    for (int i = 0; i < 1000; i++) {
        ev.token = ++w.token;
        ev.u.signal.command =
            i % 2 ? BASE_SIGNAL_GRACEFUL_SHUTDOWN : BASE_SIGNAL_OUTPUT_THREAD_DUMP;
        world_step(&w, &ev);
        CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    }
    CU_ASSERT_EQUAL(w.core->nodes[0]->queue.len, queued + 2);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->signals[BASE_SIGNAL_GRACEFUL_SHUTDOWN], 1);
    CU_ASSERT_EQUAL(n->signals[BASE_SIGNAL_OUTPUT_THREAD_DUMP], 1);
    ev.token = ++w.token; /* the same signal again, after the node has been told */
    world_step(&w, &ev);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->signals[BASE_SIGNAL_GRACEFUL_SHUTDOWN], 2);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"priority", test_priority},
    {"priority before acceptance", test_priority_before_acceptance},
    {"order by priority", test_order},
    {"lifetime", test_lifetime},
    {"lifetime from submission", test_lifetime_from_submission},
    {"lifetime and another ResourceManager", test_lifetime_after_restart},
    {"signal", test_signal},
    {"signals repeated", test_signals_repeated}};

CUNIT_MAIN("changes of live applications", cases)

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

/* ---- what policies are told, which preempt for those that would take a slot ---- */

static void check_takes(enum base_task_kind k, bool on_creel, bool on_hadoop)
{
    const struct policy_env *env = &w.core->env;
    const struct policy_job *job = &core_app()->pj;

    CU_ASSERT_EQUAL(env->takes(w.core, job, k, rm_node_find(w.core, creel->id)->index),
                    on_creel ? POLICY_TAKES : POLICY_DECLINES);
    CU_ASSERT_EQUAL(env->takes(w.core, job, k, rm_node_find(w.core, hadoop->id)->index),
                    on_hadoop ? POLICY_TAKES : POLICY_DECLINES);
}

/* Starts an application's master on the node of Creel. */
static void begin_asking(const char *app, bool by_rpc)
{
    begin_mixed();
    id = world_submit_app(&w, app);
    beat_both();
    beat_both();
    register_by_rpc(by_rpc);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
}

static void ask_for_two(int32_t priority, const char *place)
{
    struct rm_ask a = {.priority = priority,
                       .resource_name = place,
                       .capability = {{1024, 1, 0, 0}},
                       .containers = 2,
                       .relax_locality = true};

    allocate(0, &a, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ALLOCATED);
}

static void submit(const char *app, int64_t map_slots, bool speaks_hadoop)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP, .token = ++w.token};

    ev.u.submit_app.spec = world_app_spec(app);
    ev.u.submit_app.spec->resource.v[RM_RES_MAP_SLOTS] = map_slots;
    ev.u.submit_app.spec->speaks_hadoop = speaks_hadoop;
    ev.u.submit_app.app_token = "token";
    world_feed(&w, &ev);
    id = w.reply.app_id;
    world_settle(&w);
}

static void test_waiting_masters_take(void)
{
    begin_mixed();
    submit("app 1024 1 0", 0, false);
    check_takes(BASE_TASK_MAP, true, false);
    world_free(&w);
    begin_mixed();
    submit("app 1024 1 0", 0, true);
    check_takes(BASE_TASK_MAP, true, true);
    world_free(&w);
}

static void test_containers_take(void)
{
    begin_asking("app 1024 2 0", false);
    ask_for_two(1, "*");
    check_takes(BASE_TASK_MAP, true, false);
    world_free(&w);
    begin_asking("app 1024 2 0", true);
    ask_for_two(1, "*");
    check_takes(BASE_TASK_MAP, false, true);
    check_takes(BASE_TASK_REDUCE, false, false); /* it asks for none */
    world_free(&w);
    begin_asking("app 1024 2 0", true);
    ask_for_two(1, "elsewhere"); /* and nowhere else */
    check_takes(BASE_TASK_MAP, false, false);
    world_free(&w);
}

static void test_reduces_take(void)
{
    begin_asking("mr 1024 2 0", true);
    ask_for_two(10, "*");
    CU_ASSERT(core_app()->pj.is_job);
    check_takes(BASE_TASK_REDUCE, false, true);
    world_free(&w);
}

/* ---- what fits on this node alone ---- */

static void begin_with_large_hadoop_node(void)
{
    world_init(&w, "fifo");
    creel = world_add_node(&w, 4, 2, "/a");
    hadoop = world_add_hadoop_node(&w, 20, 8, "/a");
}

static void check_refused(const char *why)
{
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text, why);
}

static void test_wide_submissions(void)
{
    begin_with_large_hadoop_node();
    world_submit(&w, "wide5 1 0 0 4 0 0");
    check_refused("job.slots: 5: the largest node has 4 slots for maps");
    submit("app 10240 1 0", 0, false);
    check_refused("Requested more memory than configured max");
    submit("app 1024 1 0", 5, false);
    check_refused("Requested more map-slots than configured max");
    submit("app 10240 1 0", 5, true);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    world_free(&w);
}

/* @refused_why: NULL: the asks are accepted. */
static void check_answer(const char *refused_why)
{
    if (refused_why) {
        check_refused(refused_why);
        return;
    }
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ALLOCATED);
}

static void check_wide_asks(bool by_rpc)
{
    struct rm_ask a = {.priority = 1,
                       .resource_name = "*",
                       .capability = {{1024, 1, 5, 0}},
                       .containers = 1,
                       .relax_locality = true};

    begin_with_large_hadoop_node();
    id = world_submit_app(&w, "app 1024 2 0");
    beat_both();
    beat_both();
    register_by_rpc(by_rpc);
    CU_ASSERT_EQUAL(w.reply.max_capability.v[RM_RES_MAP_SLOTS], by_rpc ? 20 : 4);
    CU_ASSERT_EQUAL(w.reply.max_capability.v[RM_RES_REDUCE_SLOTS], by_rpc ? 8 : 2);
    allocate(0, &a, 1, NULL, 0);
    check_answer(by_rpc ? NULL : "Requested more map-slots than configured max");
    a.capability = (struct rm_res){{10240, 1, 0, 0}};
    allocate(by_rpc, &a, 1, NULL, 0);
    check_answer(by_rpc ? NULL : "Requested more memory than configured max");
    world_free(&w);
}

static void test_wide_asks(void)
{
    check_wide_asks(false);
    check_wide_asks(true);
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

/* ---- masters on such a node ---- */

static struct base_container_id started_master;

static void end_start(bool started)
{
    struct rm_event ev = {.kind = RM_EV_START_ENDED};

    ev.u.start_ended.container = started_master;
    ev.u.start_ended.started = started;
    ev.u.start_ended.why = "no connection";
    world_step(&w, &ev);
}

/* Submits an application whose master speaks Hadoop RPC; the only node is one of Hadoop. */
static void submit_hadoop_master(void)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP};

    world_init(&w, "fifo");
    hadoop = world_add_hadoop_node(&w, 4, 2, "/a");
    ev.token = ++w.token;
    ev.u.submit_app.spec = world_app_spec("app 1024 1 0");
    ev.u.submit_app.spec->speaks_hadoop = true;
    ev.u.submit_app.app_token = "token";
    world_feed(&w, &ev);
    id = w.reply.app_id;
    world_settle(&w);
}

static void begin_hadoop_master(void)
{
    submit_hadoop_master();
    world_beat(&w, hadoop, 0);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL_FATAL(hadoop->launches, 1);
    started_master = hadoop->v[0].id;
}

/* The answer with the launch is lost: the shell has it, and must not get it again. */
static void test_launch_is_given_once(void)
{
    begin_hadoop_master();
    world_repeat(&w, hadoop);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->launches, 1);
    CU_ASSERT_EQUAL(hadoop->repeats, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    world_free(&w);
}

static void test_launch_fails(void)
{
    begin_hadoop_master();
    end_start(false);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FAILED); /* it had one attempt */
    CU_ASSERT_PTR_NOT_NULL(strstr(core_app()->diagnostics, "no connection"));
    CU_ASSERT_EQUAL(hadoop->launches, 1);
    world_free(&w);
}

/* The node says that the container runs before its start is known to have failed. */
static void test_late_failure(void)
{
    begin_hadoop_master();
    world_beat(&w, hadoop, 0);
    end_start(false);
    register_by_rpc(true);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    world_free(&w);
}

/* The order to end it reaches the node before the container does. */
static void test_kill_while_it_starts(void)
{
    begin_hadoop_master();
    hadoop->n = 0;
    world_kill(&w, id);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->kills, 1);
    end_start(true);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->kills, 2);
    world_free(&w);
}

/* ---- a restart of the ResourceManager ---- */

static struct base_container_id start_by_master(const struct rm_allocated *a)
{
    struct world_container *ct;

    base_array_grow(&hadoop->v, hadoop->n, &hadoop->cap);
    ct = &hadoop->v[hadoop->n++];
    *ct = (struct world_container){.id = a->id, .resource = a->capability};
    return ct->id;
}

/* The master knows the containers that it has started: it is not given them again. */
static void test_containers_are_not_announced_twice(void)
{
    struct base_container_id ct;

    begin_hadoop_master();
    register_by_rpc(true);
    allocate(0,
             &(struct rm_ask){.priority = 1,
                              .resource_name = "*",
                              .capability = {{1024, 1, 0, 0}},
                              .containers = 1,
                              .relax_locality = true},
             1, NULL, 0);
    world_beat(&w, hadoop, 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 1);
    ct = start_by_master(&w.reply.allocated[0]);
    world_beat(&w, hadoop, 0);
    world_crash(&w, w.journal_n);
    world_register(&w, hadoop);
    register_by_rpc(true);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    allocate(0, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.allocated_n, 0);
    end(&ct, 3);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.completed_n, 1);
    CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, 3);
    world_free(&w);
}

/* Has the master start two containers on the node; then the ResourceManager restarts, and the node
 * reports them with @memory_mb each. */
static void report_after_restart(int64_t memory_mb)
{
    begin_hadoop_master();
    register_by_rpc(true);
    allocate(0,
             &(struct rm_ask){.priority = 1,
                              .resource_name = "*",
                              .capability = {{1024, 1, 0, 0}},
                              .containers = 2,
                              .relax_locality = true},
             1, NULL, 0);
    world_beat(&w, hadoop, 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 2);
    for (size_t i = 0; i < 2; i++)
        start_by_master(&w.reply.allocated[i]);
    world_beat(&w, hadoop, 0);
    for (size_t i = 0; i < hadoop->n; i++)
        if (!hadoop->v[i].master)
            hadoop->v[i].resource.v[RM_RES_MEMORY_MB] = memory_mb;
    world_crash(&w, w.journal_n);
    world_register(&w, hadoop);
    world_beat(&w, hadoop, 0);
}

static int32_t used_map_slots(void)
{
    return rm_node_find(w.core, hadoop->id)->used[BASE_TASK_MAP];
}

static size_t killed_on_node(void)
{
    size_t n = 0;

    for (size_t i = 0; i < hadoop->n; i++)
        n += hadoop->v[i].killed;
    return n;
}

static void test_amounts_beyond_any_node(void)
{
    report_after_restart(INT64_MAX);
    CU_ASSERT_EQUAL(killed_on_node(), 2);
    CU_ASSERT_EQUAL(used_map_slots(), 1); /* the master */
    world_free(&w);
}

/* Each of them alone could be on a node. */
static void test_sum_beyond_any_node(void)
{
    report_after_restart(INT64_C(6000) * 2048);
    CU_ASSERT_EQUAL(killed_on_node(), 1);
    CU_ASSERT_EQUAL(used_map_slots(), 6001);
    world_free(&w);
}

/* Both could be the master's by their attempt; but the first one would have been given by the
 * instance that runs, which knows better, and no other one was there before. */
static void test_invented_containers(void)
{
    struct base_container_id invented;

    begin_hadoop_master();
    register_by_rpc(true);
    invented = hadoop->v[0].id;
    for (int i = 0; i < 2; i++) {
        struct world_container *ct;

        invented.num = i ? -5 : 999;
        base_array_grow(&hadoop->v, hadoop->n, &hadoop->cap);
        ct = &hadoop->v[hadoop->n++];
        *ct = (struct world_container){.id = invented, .resource = {{1024, 1, 0, 0}}};
    }
    world_register(&w, hadoop);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(used_map_slots(), 1); /* the master */
    CU_ASSERT_EQUAL(killed_on_node(), 2);
    world_free(&w);
}

/* ---- containers and applications that nobody has started ---- */

static void report_stranger(struct world_node *n, int64_t num, bool ended)
{
    struct world_container *ct;

    base_array_grow(&n->v, n->n, &n->cap);
    ct = &n->v[n->n++];
    *ct = (struct world_container){.id = {{{1, 1}, 1}, num}, .ended = ended};
}

static void check_forgets_once(struct world_node *n)
{
    for (size_t round = 1; round <= 3; round++) {
        for (int64_t i = 0; i < 100; i++)
            report_stranger(n, i, true);
        world_beat(&w, n, S);
        world_beat(&w, n, S); /* in place of the first, whose answer has no orders */
        CU_ASSERT_EQUAL(n->n, 100);
        world_advance(&w, 2 * S);
        CU_ASSERT_EQUAL(n->forgets, round * 100);
        CU_ASSERT_EQUAL(n->n, 0);
    }
}

/* A long queue finds the orders that it has as a short one does. */
static void test_forgets_once(void)
{
    begin_mixed();
    check_forgets_once(hadoop);
    check_forgets_once(creel);
    world_free(&w);
}

/* Each of them reports another container that has ended. */
static void test_repeated_registrations(void)
{
    begin_mixed();
    report_stranger(hadoop, 1, true);
    report_stranger(hadoop, 2, false);
    for (int i = 0; i < 5; i++) {
        hadoop->v[0].id.num = 10 + i;
        world_register(&w, hadoop);
    }
    CU_ASSERT_EQUAL(rm_node_find(w.core, hadoop->id)->queue.len, 3);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->forgets, 1);
    CU_ASSERT_EQUAL(killed_on_node(), 1);
    CU_ASSERT_EQUAL(hadoop->cleanups, 1);
    world_free(&w);
}

/* A registration does not restate launches. */
static void test_launch_survives_registration(void)
{
    submit_hadoop_master();
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->launches, 0);
    world_register(&w, hadoop);
    world_beat(&w, hadoop, 0);
    CU_ASSERT_EQUAL(hadoop->launches, 1);
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

static void check_change_of_kind_is_refused(struct world_node *n)
{
    n->is_hadoop = !n->is_hadoop;
    world_register(&w, n);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    n->is_hadoop = !n->is_hadoop;
    w.reply.kind = RM_REPLY_OK;
    world_register(&w, n);
    CU_ASSERT_NOT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
}

/* Nor does it after a restart of the ResourceManager, which awaits its nodes. */
static void test_other_kind_of_awaited_node(void)
{
    begin_mixed();
    world_crash(&w, w.journal_n);
    check_change_of_kind_is_refused(creel);
    check_change_of_kind_is_refused(hadoop);
    world_free(&w);
}

/* Nor for a node that registered with an earlier version, whose records lack its address. */
static void test_other_kind_of_node_without_address(void)
{
    begin_mixed();
    snprintf(hadoop->instance, sizeof hadoop->instance, "hadoop");
    world_register(&w, hadoop);
    world_crash(&w, w.journal_n);
    check_change_of_kind_is_refused(hadoop);
    world_free(&w);
}

static bool is_strange_noted(void)
{
    bool noted = strstr(w.note, "reports containers that are not known as its own") != NULL;

    w.note[0] = '\0';
    return noted;
}

/* A registration tells again of containers that have ended. */
static void test_note_of_strange_containers(void)
{
    begin_mixed();
    report_stranger(hadoop, 1, true);
    world_register(&w, hadoop);
    CU_ASSERT_FALSE(is_strange_noted());
    report_stranger(hadoop, 2, false);
    world_register(&w, hadoop);
    CU_ASSERT(is_strange_noted());
    world_beat(&w, hadoop, 0);
    world_advance(&w, 2 * S);
    report_stranger(hadoop, 3, true);
    world_beat(&w, hadoop, 0);
    CU_ASSERT(is_strange_noted());
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
    CU_ASSERT_EQUAL(creel->nm_keys[0], RM_KEY_NM + 1);
    CU_ASSERT_EQUAL(creel->container_key_id, RM_KEY_CONTAINER + 1);
    CU_ASSERT_EQUAL(hadoop->nm_keys[0], RM_KEY_HADOOP_NM + 1);
    CU_ASSERT_EQUAL(hadoop->container_key_id, RM_KEY_HADOOP_CONTAINER + 1);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"jobs run on Creel's nodes", test_jobs},
    {"masters over HTTP get containers on Creel's nodes", test_masters_over_http},
    {"masters over Hadoop RPC get containers on both", test_masters_over_rpc},
    {"where waiting masters take a slot", test_waiting_masters_take},
    {"where containers take a slot", test_containers_take},
    {"where reduces take a slot", test_reduces_take},
    {"submissions that fit on such a node alone", test_wide_submissions},
    {"asks that fit on such a node alone", test_wide_asks},
    {"orders wait for a heartbeat", test_orders_wait},
    {"a launch is given once", test_launch_is_given_once},
    {"a launch that fails", test_launch_fails},
    {"a failure that comes late", test_late_failure},
    {"killed while it starts", test_kill_while_it_starts},
    {"containers are not announced twice", test_containers_are_not_announced_twice},
    {"amounts beyond any node", test_amounts_beyond_any_node},
    {"a sum beyond any node", test_sum_beyond_any_node},
    {"containers that were never given", test_invented_containers},
    {"containers are forgotten once", test_forgets_once},
    {"repeated registrations", test_repeated_registrations},
    {"a launch survives a registration", test_launch_survives_registration},
    {"a node does not change its kind", test_other_kind},
    {"an awaited node does not change its kind", test_other_kind_of_awaited_node},
    {"other kind of a node without an address", test_other_kind_of_node_without_address},
    {"note of strange containers", test_note_of_strange_containers},
    {"keys", test_keys},
};

CUNIT_MAIN("core: NodeManagers of Hadoop", cases)

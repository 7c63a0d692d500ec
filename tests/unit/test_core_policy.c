/* Goal: the core asks policies rightly, checks what they say, and is not stopped by a faulty one.
 * Method: shares under naive fair, change on a running cluster, a policy that answers nothing. */
#include <string.h>

#include "policies/registry.h"
#include "rm/core/schedule/offer.h"
#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

static struct world w;

static void set_policy(const char *name)
{
    struct rm_event ev = {.kind = RM_EV_SET_POLICY, .token = ++w.token};

    ev.u.policy.name = name;
    world_step(&w, &ev);
}

static void test_naive_fair_shares(void)
{
    struct base_app_id a, b;

    world_init(&w, "naive-fair");
    world_add_node(&w, 10, 4, NULL);
    a = world_submit(&w, "a 20 0 0 4 0 0");
    b = world_submit(&w, "b 20 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, a).phase[0].running, 5);
    CU_ASSERT_EQUAL(world_app(&w, b).phase[0].running, 5);
    world_free(&w);
}

static void test_fifo_order(void)
{
    struct base_app_id a, b, c;

    world_init(&w, "fifo");
    world_add_node(&w, 10, 4, NULL);
    a = world_submit(&w, "a 6 0 0 4 0 0");
    b = world_submit(&w, "b 6 0 0 4 0 0");
    c = world_submit(&w, "c 2 0 0 4 0 5");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, c).phase[0].running, 2);
    CU_ASSERT_EQUAL(world_app(&w, a).phase[0].running, 6);
    CU_ASSERT_EQUAL(world_app(&w, b).phase[0].running, 2);
    world_free(&w);
}

static void test_change(void)
{
    struct rm_cluster_view v;
    struct base_app_id a, b;

    world_init(&w, "fifo");
    world_add_node(&w, 4, 1, NULL);
    a = world_submit(&w, "a 20 0 0 4 0 0");
    b = world_submit(&w, "b 20 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, a).phase[0].running, 4);
    set_policy("nosuch");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "naive-fair"));
    set_policy("naive-fair");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    rm_view_cluster(w.core, &v);
    CU_ASSERT_STRING_EQUAL(v.policy, "naive-fair");
    CU_ASSERT_EQUAL(world_app(&w, a).phase[0].running, 4); /* running tasks stay */
    for (int i = 0; i < 2; i++) {
        w.nodes[0].v[i].ended = true;
        w.nodes[0].v[i].exit_code = 0;
    }
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, a).phase[0].running, 2);
    CU_ASSERT_EQUAL(world_app(&w, b).phase[0].running, 2);
    world_free(&w);
}

static struct policy_job *says_nothing(struct policy *self, struct policy_offer *offer,
                                       struct policy_job *prev)
{
    (void)self;
    (void)offer;
    (void)prev;
    return NULL;
}

static void test_faulty(void)
{
    struct policy_ops lazy = policy_naive_fair;
    struct rm_cluster_view v;
    struct base_app_id a;

    world_init(&w, "naive-fair");
    world_add_node(&w, 2, 1, NULL);
    lazy.name = "lazy";
    lazy.next = says_nothing;
    w.core->ops = &lazy;
    a = world_submit(&w, "a 2 0 0 4 0 0");
    for (int i = 0; i < RM_POLICY_FAULTS_MAX + 1; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, a).phase[0].running, 2);
    rm_view_cluster(w.core, &v);
    CU_ASSERT_STRING_EQUAL(v.policy, "fifo");
    CU_ASSERT_EQUAL(v.policy_fallbacks, 1);
    CU_ASSERT(v.policy_overruled >= RM_POLICY_FAULTS_MAX);
    world_free(&w);
}

static struct policy_job *forever(struct policy *self, struct policy_offer *offer,
                                  struct policy_job *prev)
{
    (void)prev;
    return policy_naive_fair.next(self, offer, NULL);
}

/* A policy that names the same job again and again is stopped. */
static void test_endless(void)
{
    struct policy_ops endless = policy_naive_fair;
    struct rm_cluster_view v;

    world_init(&w, "naive-fair");
    world_option(&w, "delay.w1", "1");
    world_option(&w, "delay.w2", "1");
    world_renew(&w);
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, "/b");
    endless.next = forever;
    w.core->ops = &endless;
    world_submit(&w, "a 2 0 1 4 1 0"); /* the job declines slots on the second node */
    world_beat(&w, &w.nodes[1], 0);
    rm_view_cluster(w.core, &v);
    CU_ASSERT(v.policy_overruled > 0);
    CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
    w.core->ops = &policy_naive_fair;
    world_free(&w);
}

/* The only task fails on the only host of its split. */
static void fail_on_its_host(const char *policy, const char *option, const char *value)
{
    struct world_node *n = w.nodes;

    world_init(&w, policy);
    world_option(&w, option, value);
    world_option(&w, "delay.w2", "0");
    world_renew(&w);
    for (int i = 0; i < 3; i++)
        world_add_node(&w, 1, 0, NULL);
    world_submit(&w, "a 1 0 0 4 1 0");
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL_FATAL(n->n, 1);
    n->v[0].ended = true;
    n->v[0].exit_code = 1;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->launches, 1); /* the task is not run there again */
}

/* The wait of a task goes on while it is offered slots on a node that it avoids, here nearly all
 * the time. */
static void test_delay_where_it_failed(void)
{
    static const char *const policies[] = {"naive-fair", "fair", "hfsp"};

    for (size_t p = 0; p < 3; p++) {
        fail_on_its_host(policies[p], "delay.w1", "5");
        for (int t = 0; t < 5; t++) {
            world_advance(&w, 980000);
            world_beat(&w, &w.nodes[1], 0);
            CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
            world_advance(&w, 20000);
            /* the task avoids this node: the 5 s are over at its last heartbeat */
            world_beat(&w, &w.nodes[0], 0);
            CU_ASSERT_EQUAL(w.nodes[0].launches, 1);
        }
        world_beat(&w, &w.nodes[1], 0);
        CU_ASSERT_EQUAL(w.nodes[1].launches, 1);
        world_run_dry(&w);
        world_free(&w);
    }
}

/* The same with a number of offers instead of a time. */
static void test_skips_where_it_failed(void)
{
    fail_on_its_host("naive-fair", "delay.skips", "3");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].launches, 1);
    world_run_dry(&w);
    world_free(&w);
}

static void test_unknown_at_start(void)
{
    struct base_error err;

    world_init(&w, "fifo");
    w.conf.policy = "nosuch";
    CU_ASSERT_PTR_NULL(rm_core_new(&w.conf, &err));
    CU_ASSERT_EQUAL(err.code, -BASE_EINVAL);
    w.conf.policy = "fifo";
    w.conf.slowstart = 2;
    CU_ASSERT_PTR_NULL(rm_core_new(&w.conf, &err));
    world_free(&w);
}

/* At one instant a submission comes before the policy's timer: the wake-up is asked for again, and
 * not skipped. */
static void test_timer_after_submission(void)
{
    int64_t due;

    world_init(&w, "hsrtf-pu");
    world_register(&w, world_add_node(&w, 1, 0, "/r"));
    due = w.wake;
    CU_ASSERT_FATAL(due > w.now);
    w.now = due;
    w.wake = 0;
    w.auto_store = false; /* the store's answer would be an event of its own */
    world_submit(&w, "a 1 0 0 1 0 0");
    CU_ASSERT_EQUAL(w.wake, due);
    w.auto_store = true;
    world_settle(&w);
    world_advance(&w, 0);
    CU_ASSERT(w.wake > due);
    world_run_dry(&w);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"naive fair shares", test_naive_fair_shares},
    {"a submission and the timer at one instant", test_timer_after_submission},
    {"FIFO order", test_fifo_order},
    {"changed while running", test_change},
    {"answers nothing", test_faulty},
    {"answers for ever", test_endless},
    {"delay where a task has failed", test_delay_where_it_failed},
    {"skips where a task has failed", test_skips_where_it_failed},
    {"impossible settings", test_unknown_at_start}};

CUNIT_MAIN("core and policies", cases)

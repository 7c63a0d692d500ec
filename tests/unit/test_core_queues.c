/* Goal: an application is in the queue that the rules gave it, through changes of queues and restarts; queues count what is
 * in them; submissions that cannot be counted with are refused.
 * Method: a small world under the fair scheduler, whose queues the test changes. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/rm_internal.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

static struct world w;

static void begin(const char *queues)
{
    world_init(&w, "fair");
    w.conf.queues = queues;
    world_renew(&w);
    world_add_node(&w, 4, 1, NULL);
}

static const char *queue_of(struct base_app_id id)
{
    return rm_app_find(w.core, id)->queue;
}

static int64_t active_in(const char *queue)
{
    return w.core->queues[policy_queues_find(&w.core->tree, queue)].active_apps;
}

/* The queue is no longer configured when the ResourceManager comes back. */
static void test_queue_gone(void)
{
    struct base_app_id running, waiting, ended;

    begin("dev,old");
    ended = world_submit(&w, "e 1 0 0 4 0 0 0 old");
    world_beat(&w, &w.nodes[0], 0);
    world_run_dry(&w);
    running = world_submit(&w, "r 2 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    waiting = world_submit(&w, "s 9 0 0 4 0 0 0 dev");
    CU_ASSERT_EQUAL(active_in("dev"), 1);
    w.conf.queues = NULL;
    world_crash(&w, w.durable);
    CU_ASSERT_STRING_EQUAL(queue_of(running), "dev");
    CU_ASSERT_STRING_EQUAL(queue_of(waiting), "dev");
    CU_ASSERT_STRING_EQUAL(queue_of(ended), "old");
    CU_ASSERT_EQUAL(active_in("dev"), 1);
    CU_ASSERT_EQUAL(policy_queues_find(&w.core->tree, "old"), -1); /* nobody needs it */
    world_register(&w, &w.nodes[0]);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, running), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_state(&w, waiting), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(active_in("dev"), 0);
    world_free(&w);
}

static void set_rules(enum policy_rule_kind kind, bool create)
{
    struct policy_queues q;
    struct rm_event ev = {.kind = RM_EV_SET_QUEUES, .token = ++w.token};

    policy_queues_init(&q, "hpc");
    q.strict = false;
    q.rules[0] = (struct policy_rule){.kind = kind, .create = create};
    ev.u.queues.queues = &q;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
}

static struct base_app_id submit_in_groups(const char *text, const char *first, const char *second)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++w.token};
    struct rm_str_list *groups;

    ev.u.submit_job.spec = world_spec(text);
    groups = &ev.u.submit_job.spec->user_groups;
    groups->v = base_alloc(2 * sizeof *groups->v);
    groups->v[0] = base_strdup(first);
    groups->v[1] = base_strdup(second);
    groups->n = 2;
    world_step(&w, &ev);
    return w.reply.app_id;
}

/* Groups are told at submission alone: after a restart the application is where it was. */
static void test_groups(void)
{
    struct base_app_id primary, secondary, none;

    begin(NULL);
    set_rules(POLICY_RULE_PRIMARY_GROUP, true);
    primary = submit_in_groups("p 1 0 0 4 0 0", "eng", "hpc");
    CU_ASSERT_STRING_EQUAL(queue_of(primary), "eng");
    set_rules(POLICY_RULE_SECONDARY_GROUP, false);
    secondary = submit_in_groups("s 1 0 0 4 0 0", "eng", "hpc");
    CU_ASSERT_STRING_EQUAL(queue_of(secondary), "hpc");
    none = world_submit(&w, "n 1 0 0 4 0 0");
    CU_ASSERT_STRING_EQUAL(queue_of(none), "default");
    world_crash(&w, w.durable);
    CU_ASSERT_STRING_EQUAL(queue_of(primary), "eng");
    CU_ASSERT_STRING_EQUAL(queue_of(secondary), "hpc");
    CU_ASSERT_STRING_EQUAL(queue_of(none), "default");
    world_register(&w, &w.nodes[0]);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, secondary), RM_APP_FINISHED);
    world_free(&w);
}

/* Sums of what tasks are expected to take must stay numbers. */
static void test_expected(void)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++w.token};
    size_t queues;

    begin(NULL);
    set_rules(POLICY_RULE_USER, true);
    queues = w.core->tree.n;
    ev.u.submit_job.spec = world_spec("x 1000000 0 0 4 0 0");
    ev.u.submit_job.spec->groups[0].expected_us = INT64_C(1000000000000000);
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "expected-s"));
    CU_ASSERT_EQUAL(w.core->tree.n, queues); /* no queue is made for what is refused */
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"a queue that has gone", test_queue_gone}, {"groups", test_groups}, {"expected times", test_expected}};

CUNIT_MAIN("core: queues", cases)

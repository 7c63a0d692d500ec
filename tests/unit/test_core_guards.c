/* Goal: what the core does in rare cases works: containers that are never started expire, kills are
 * repeated, old heartbeats are refused, an attempt that is being killed may not commit, isolated
 * faults of a policy are forgiven, preemption reaches nodes far down the list, reduces wait for
 * nodes that ran their maps. Method: each case by itself, in a small world in which nothing else
 * goes wrong. */
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "rm/core/schedule/offer.h"
#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;
static struct policy_ops ops;

static struct rm_phase_view maps(struct base_app_id id)
{
    return world_app(&w, id).phase[BASE_TASK_MAP];
}

static void drop_containers(struct world_node *n)
{
    n->n = 0; /* the node has never started them, and does not know them */
}

static void beat_for(struct world_node *n, int64_t us)
{
    for (int64_t t = 0; t < us; t += 5 * S) {
        world_advance(&w, 5 * S);
        world_beat(&w, n, 0);
    }
}

static void begin_expiry(int64_t expiry_us)
{
    world_init(&w, "fifo");
    w.conf.allocation_expiry_us = expiry_us;
    world_renew(&w);
    world_add_node(&w, 4, 1, NULL);
}

/* Each allocation expires at its own time. Its node is ordered to kill the container, since the
 * launch may only be late, and the task does not count as failed. */
static void test_expiry(void)
{
    struct world_node *n;
    struct base_app_id id, later;
    struct rm_app_view v;

    begin_expiry(60 * S);
    n = &w.nodes[0];
    id = world_submit(&w, "a 2 0 0 1 0 0"); /* a single failure would end the job */
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->launches, 2);
    drop_containers(n);
    beat_for(n, 30 * S);
    later = world_submit(&w, "b 1 0 0 1 0 0");
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->launches, 3);
    drop_containers(n);
    beat_for(n, 25 * S); /* 55 s after the first launches */
    CU_ASSERT_EQUAL(n->kills, 0);
    CU_ASSERT_EQUAL(maps(id).running, 2);
    world_advance(&w, 5 * S);
    CU_ASSERT_EQUAL(maps(id).running, 0);
    CU_ASSERT_EQUAL(maps(id).pending, 2);
    CU_ASSERT_EQUAL(maps(later).running, 1);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 2);
    CU_ASSERT_EQUAL(maps(id).running, 2); /* by new attempts */
    CU_ASSERT_EQUAL(n->launches, 5);
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.counters[RM_C_KILLED_MAPS], 2);
    CU_ASSERT_EQUAL(v.counters[RM_C_FAILED_MAPS], 0);
    beat_for(n, 25 * S);
    CU_ASSERT_EQUAL(maps(later).running, 1);
    world_advance(&w, 5 * S); /* the later allocation, 60 s after it was made */
    CU_ASSERT_EQUAL(maps(later).running, 0);
    CU_ASSERT_EQUAL(maps(later).pending, 1);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 3);
    CU_ASSERT_EQUAL(maps(later).running, 1);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(world_app(&w, later).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* A container that was reported once does not expire, wherever in the list of allocations it is. */
static void test_expiry_of_some(void)
{
    struct world_node *n;
    struct base_app_id id;

    for (size_t left_out = 0; left_out < 3; left_out++) {
        begin_expiry(60 * S);
        n = &w.nodes[0];
        id = world_submit(&w, "a 3 0 0 1 0 0");
        world_beat(&w, n, 0);
        CU_ASSERT_EQUAL_FATAL(n->n, 3);
        n->v[left_out] = n->v[--n->n];
        beat_for(n, 60 * S);
        CU_ASSERT_EQUAL(n->kills, 1);
        CU_ASSERT_EQUAL(n->launches, 4);
        CU_ASSERT_EQUAL(maps(id).running, 3);
        beat_for(n, 120 * S); /* all have been reported now */
        CU_ASSERT_EQUAL(n->kills, 1);
        CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_KILLED_MAPS], 1);
        world_run_dry(&w);
        CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
        world_free(&w);
    }
}

static void test_expiry_off(void)
{
    struct world_node *n;
    struct base_app_id id;

    begin_expiry(0);
    n = &w.nodes[0];
    id = world_submit(&w, "a 1 0 0 1 0 0");
    world_beat(&w, n, 0);
    drop_containers(n);
    beat_for(n, 1000 * S);
    CU_ASSERT_EQUAL(n->kills, 0);
    CU_ASSERT_EQUAL(maps(id).running, 1);
    world_free(&w);
}

/* The answer with a kill order was lost, and the NodeManager was started again: the order is
 * repeated when the node registers. */
static void test_kill_repeated(void)
{
    struct world_node *n;
    struct base_app_id id;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 1 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    world_kill(&w, id);
    n->up = false; /* the answer with the kill order does not arrive */
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    world_restart_node(&w, n);
    CU_ASSERT_EQUAL(n->kills, 1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    /* the container takes its time to die: nothing is ordered again meanwhile */
    n->v[0].ended = false;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 1);
    n->v[0].ended = true;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_free(&w);
}

static void beat_as(struct world_node *n, int64_t response_id)
{
    struct rm_event ev = {.kind = RM_EV_NODE_HEARTBEAT, .token = ++w.token};

    ev.u.heartbeat.node_id = n->id;
    ev.u.heartbeat.instance = n->instance;
    ev.u.heartbeat.response_id = response_id;
    ev.u.heartbeat.healthy = true;
    w.reply = (struct world_reply){0};
    world_step(&w, &ev);
}

/* Of all response ids, a heartbeat may have two: that of the last answer (the next heartbeat) and
 * the one before (the last heartbeat again). */
static void test_response_ids(void)
{
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 2, 1, NULL);
    for (int i = 0; i < 5; i++)
        world_beat(&w, n, 0);
    CU_ASSERT_EQUAL_FATAL(n->response_id, 5);
    for (int64_t id = -1; id <= 9; id++) {
        if (id == 4 || id == 5)
            continue;
        beat_as(n, id);
        CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
        CU_ASSERT_EQUAL(w.core->nodes[0]->response_id, 5);
    }
    beat_as(n, 4);
    CU_ASSERT_NOT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    CU_ASSERT_EQUAL(w.core->nodes[0]->response_id, 5);
    beat_as(n, 5);
    CU_ASSERT_NOT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    CU_ASSERT_EQUAL(w.core->nodes[0]->response_id, 6);
    world_free(&w);
}

/* ---------------------------------------------------------------- preemption */
static uint32_t victim_node;
static int victims_left;
static enum policy_victim_how how;
static size_t asked_n;

static void victims(struct policy *self, const struct policy_offer *offer,
                    const struct policy_running *here, size_t n, struct policy_plan *plan)
{
    (void)self;
    asked_n++;
    if (offer->kind != BASE_TASK_MAP || offer->node != victim_node || !n || victims_left <= 0)
        return;
    victims_left--;
    policy_plan_add(plan, here[0].container, how);
}

static void begin_preemption(uint32_t node, enum policy_victim_how what)
{
    world_init(&w, "fifo");
    ops = policy_fifo;
    ops.victims = victims;
    w.core->ops = &ops;
    victim_node = node;
    victims_left = 0;
    asked_n = 0;
    how = what;
}

static bool commit(struct base_app_id app, int32_t attempt)
{
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT, .token = ++w.token};

    ev.u.task_commit.task = (struct base_task_id){app, BASE_TASK_MAP, 0};
    ev.u.task_commit.attempt = attempt;
    world_step(&w, &ev);
    return w.reply.flag;
}

/* An attempt whose kill is under way may not commit: otherwise the next attempt would wait for a
 * rename that may never come, or write over the result. */
static void test_no_commit_when_killed(void)
{
    struct world_node *n;
    struct base_app_id a;

    begin_preemption(0, POLICY_VICTIM_KILL);
    n = world_add_node(&w, 1, 1, NULL);
    a = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0); /* reported as running */
    world_submit(&w, "b 1 0 0 4 0 5");
    victims_left = 1;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 1);
    CU_ASSERT_EQUAL(maps(a).running, 1);
    CU_ASSERT_FALSE(commit(a, 0));
    world_beat(&w, n, 0); /* the attempt has ended: its slot goes to the other job */
    CU_ASSERT_EQUAL(maps(a).pending, 1);
    for (int i = 0; i < 4 && !maps(a).running; i++) {
        for (size_t j = 0; j < n->n; j++)
            n->v[j].ended = true, n->v[j].exit_code = 0;
        world_beat(&w, n, 0);
    }
    CU_ASSERT_EQUAL(maps(a).running, 1);
    CU_ASSERT_FALSE(commit(a, 0));
    CU_ASSERT(commit(a, 1));
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, a).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* An attempt that had the right to commit fails: the store has a record that the right is gone. So
 * after a restart the task does not wait for a node that might report that attempt. */
static void test_right_goes(void)
{
    const struct world_record *last = NULL;
    const struct world_container *again;
    struct world_node *n;
    struct base_app_id a;

    world_init(&w, "fifo");
    w.conf.takeover_grace_us = 20 * S;
    world_renew(&w);
    n = world_add_node(&w, 1, 1, NULL);
    a = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    CU_ASSERT(commit(a, 0));
    n->slots[BASE_TASK_MAP] = 0; /* nothing is started again yet */
    n->v[0].ended = true;
    n->v[0].exit_code = 1;
    world_restart_node(&w, n);
    CU_ASSERT_EQUAL(maps(a).pending, 1);
    for (size_t i = 0; i < w.journal_n; i++)
        if (strcmp(w.journal[i].table, "commit") == 0)
            last = &w.journal[i];
    CU_ASSERT_PTR_NOT_NULL_FATAL(last);
    CU_ASSERT_STRING_EQUAL(last->data, "c1 -1 ");
    world_crash(&w, w.journal_n);
    n->slots[BASE_TASK_MAP] = 1;
    world_restart_node(&w, n);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(maps(a).running, 1);
    CU_ASSERT_FALSE(commit(a, 0));
    again = world_task(&w, a, BASE_TASK_MAP, 0, &n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    CU_ASSERT(commit(a, again->attempt));
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, a).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* For new work the policy is asked about at most 64 full nodes in vain; for the next work it is
 * asked about the nodes after those, not about the first ones again. */
static void test_preempt_goes_on(void)
{
    struct base_app_id urgent[2];

    begin_preemption(100, POLICY_VICTIM_SUSPEND);
    for (int i = 0; i < 110; i++)
        world_add_node(&w, 1, 1, NULL);
    world_submit(&w, "a 110 0 0 4 0 0");
    world_beat_all(&w, 0);
    world_beat_all(&w, 1000 * S); /* reported as running, and held */
    CU_ASSERT_EQUAL(w.core->capacity.used[BASE_TASK_MAP], 110);
    victims_left = 1;
    asked_n = 0;
    urgent[0] = world_submit(&w, "b 1 0 0 4 0 5");
    CU_ASSERT_EQUAL(asked_n, 64);
    CU_ASSERT_EQUAL(maps(urgent[0]).running, 0);
    CU_ASSERT_EQUAL(victims_left, 1);
    urgent[1] = world_submit(&w, "c 1 0 0 4 0 5");
    CU_ASSERT_EQUAL(victims_left, 0);
    CU_ASSERT_EQUAL(w.nodes[100].suspends, 1);
    CU_ASSERT_EQUAL(maps(urgent[0]).running + maps(urgent[1]).running, 1);
    world_free(&w);
}

/* ---------------------------------------------------------------- a policy's faults */
static bool silent;

static struct policy_job *now_and_then(struct policy *self, struct policy_offer *offer,
                                       struct policy_job *prev)
{
    return silent ? NULL : policy_fifo.next(self, offer, prev);
}

/* Only RM_POLICY_FAULTS_MAX empty answers in a row have the policy replaced: empty answers with an
 * assignment between them are forgiven. */
static void test_isolated_faults(void)
{
    struct rm_cluster_view v;
    struct base_app_id id;
    struct world_node *n;

    world_init(&w, "fifo");
    n = world_add_node(&w, 4 * RM_POLICY_FAULTS_MAX, 1, NULL);
    w.core->ops = &ops;
    ops = policy_fifo;
    ops.name = "absent-minded";
    ops.next = now_and_then;
    for (int i = 0; i < 2 * RM_POLICY_FAULTS_MAX; i++) {
        silent = true;
        id = world_submit(&w, "a 1 0 0 4 0 0");
        world_beat(&w, n, 0);
        CU_ASSERT_EQUAL(maps(id).running, 0);
        silent = false;
        world_beat(&w, n, 0);
        CU_ASSERT_EQUAL(maps(id).running, 1);
    }
    rm_view_cluster(w.core, &v);
    CU_ASSERT_STRING_EQUAL(v.policy, "absent-minded");
    CU_ASSERT_EQUAL(v.policy_fallbacks, 0);
    CU_ASSERT_EQUAL(v.policy_overruled, 2 * RM_POLICY_FAULTS_MAX);
    silent = true;
    world_submit(&w, "a 1 0 0 4 0 0");
    for (int i = 0; i < RM_POLICY_FAULTS_MAX - 1; i++) {
        world_beat(&w, n, 0);
        rm_view_cluster(w.core, &v);
        CU_ASSERT_EQUAL(v.policy_fallbacks, 0);
    }
    world_beat(&w, n, 0);
    rm_view_cluster(w.core, &v);
    CU_ASSERT_STRING_EQUAL(v.policy, "fifo");
    CU_ASSERT_EQUAL(v.policy_fallbacks, 1);
    world_free(&w);
}

/* ---------------------------------------------------------------- co-location */
static int64_t reduces_on(const struct world_node *n)
{
    int64_t found = 0;

    for (size_t i = 0; i < n->n; i++)
        found += !n->v[i].ended && n->v[i].task.kind == BASE_TASK_REDUCE;
    return found;
}

/* The maps of one job ran on node 0; its reduces are offered node 1. @wait: seconds, as an operator
 * sets them. */
static struct base_app_id begin_colocation(const char *wait)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_option(&w, "colo_wait", wait);
    world_renew(&w);
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 2, NULL);
    w.nodes[0].slots[BASE_TASK_REDUCE] = 0; /* the node gets its reduce slot later */
    world_register(&w, &w.nodes[0]);
    id = world_submit(&w, "a 2 2 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    for (size_t i = 0; i < w.nodes[0].n; i++)
        w.nodes[0].v[i].ended = true, w.nodes[0].v[i].exit_code = 0;
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(maps(id).succeeded, 2);
    CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
    return id;
}

static void test_colocation(void)
{
    struct base_app_id id = begin_colocation("6");

    world_beat(&w, &w.nodes[1], 0); /* the job's wait begins with the first slot that it declines */
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[1]), 0);
    world_advance(&w, 5 * S);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[1]), 0);
    /* the node where the maps ran gets a reduce at once, and the wait begins anew */
    w.nodes[0].slots[BASE_TASK_REDUCE] = 1;
    world_restart_node(&w, &w.nodes[0]);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[0]), 1);
    world_advance(&w, 2 * S);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[1]), 0);
    world_advance(&w, 6 * S - 1);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[1]), 0);
    world_advance(&w, 1);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[1]), 1);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* Reduces do not wait where co-location is off, nor do those of a job without maps: no node could
 * be better than another. */
static void test_no_colocation(void)
{
    struct base_app_id id = begin_colocation("0");

    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[1]), 2);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
    begin_colocation("6");
    id = world_submit(&w, "b 0 1 0 4 0 5");
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(reduces_on(&w.nodes[1]), 1);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[BASE_TASK_REDUCE].running, 1);
    world_free(&w);
}

/* ---------------------------------------------------------------- damaged records */
static const struct world_record *record(const char *table, const char *key_begin)
{
    const struct world_record *last = NULL;

    for (size_t i = 0; i < w.journal_n; i++)
        if (strcmp(w.journal[i].table, table) == 0 &&
            strncmp(w.journal[i].key, key_begin, strlen(key_begin)) == 0 && w.journal[i].data)
            last = &w.journal[i];
    CU_ASSERT_PTR_NOT_NULL_FATAL(last);
    return last;
}

/* A list of splits that was cut off anywhere costs its job at most: nothing is freed twice, nothing
 * is read beyond its end (the sanitizer would see it). */
static void test_damaged_splits(void)
{
    static const char spec[] = "a 6 2 1 4 2 0";
    const struct world_record *splits, *app;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    world_submit(&w, spec);
    splits = record("meta", "splits_");
    app = record("app", "application_");
    for (size_t cut = 0; cut <= splits->len; cut++) {
        struct rm_core *core = rm_core_new(&w.conf, NULL);
        struct rm_record damaged = {splits->table, splits->key, splits->data, cut},
                         whole = {app->table, app->key, app->data, app->len};
        struct base_error err;
        int rc;

        (void)rm_core_recover_record(core, &damaged, &err);
        rm_core_provide_job_spec_for_recovery(core, world_spec(spec));
        rc = rm_core_recover_record(core, &whole, &err);
        if (cut == splits->len)
            CU_ASSERT_EQUAL(rc, 0);
        rm_core_free(core);
    }
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"allocations that are never started", test_expiry},
    {"one of them is not started", test_expiry_of_some},
    {"no expiry of allocations", test_expiry_off},
    {"kill again when a node registers", test_kill_repeated},
    {"numbers of heartbeats", test_response_ids},
    {"no commit under a kill", test_no_commit_when_killed},
    {"a right to commit goes with its attempt", test_right_goes},
    {"preemption beyond the first nodes", test_preempt_goes_on},
    {"isolated faults", test_isolated_faults},
    {"reduces wait for their maps' nodes", test_colocation},
    {"reduces that need not wait", test_no_colocation},
    {"damaged lists of splits", test_damaged_splits}};

CUNIT_MAIN("guards", cases)

/* Goal: attempts are suspended, resumed and killed for others as the policy says, counts stay
 * right, nothing is lost when nodes or the ResourceManager are restarted meanwhile; a job with a
 * deadline is let in or refused.
 * Method: naive fair sharing with victims and admission that the test decides, in a small world. */
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "rm/core/schedule/active_policy.h"
#include "rm/core/state.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

static struct world w;
static struct policy_ops ops;
static enum policy_victim_how how;
static int wanted; /* how many victims to name when asked next */
static bool let_in;
static int asked;

static void victims(struct policy *self, const struct policy_offer *offer,
                    const struct policy_running *here, size_t n, struct policy_plan *plan)
{
    (void)self;
    (void)offer;
    for (size_t i = 0; i < n && (int)i < wanted; i++) {
        CU_ASSERT(i == 0 || here[i - 1].started_us >= here[i].started_us); /* newest first */
        policy_plan_add(plan, here[i].container, how);
    }
    wanted = 0;
}

static bool admit(struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct policy_promise *out)
{
    (void)self;
    (void)job;
    asked++;
    out->finish_us = now_us + 2500000;
    out->ask_us = now_us + 7500000;
    snprintf(out->why, sizeof out->why, "too much is promised already");
    return let_in;
}

/* Makes a node of @slots map slots. The policy is naive fair sharing, but the test decides about
 * victims. */
static void begin(int32_t slots)
{
    world_init(&w, "naive-fair");
    world_add_node(&w, slots, 1, NULL);
    ops = policy_naive_fair;
    ops.victims = victims;
    w.core->ops = &ops;
    wanted = 0;
    how = POLICY_VICTIM_SUSPEND;
}

static const struct rm_phase_view *maps(struct base_app_id id)
{
    static struct rm_app_view v;

    v = world_app(&w, id);
    return &v.phase[BASE_TASK_MAP];
}

static void check_capacity(int64_t used, int64_t freeing)
{
    CU_ASSERT_EQUAL(w.core->capacity.used[BASE_TASK_MAP], used);
    CU_ASSERT_EQUAL(w.core->capacity.freeing[BASE_TASK_MAP], freeing);
}

/* Two of four slots go to a new job at once; the suspended attempts go on when there is room, and
 * end once. */
static void test_suspend(void)
{
    struct world_node *n = &w.nodes[0];
    struct base_app_id a, b;

    begin(4);
    a = world_submit(&w, "a 4 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0); /* reported as running */
    b = world_submit(&w, "b 2 0 0 4 0 0");
    wanted = 2;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->suspends, 2);
    CU_ASSERT_EQUAL(maps(a)->running, 2);
    CU_ASSERT_EQUAL(maps(a)->suspended, 2);
    CU_ASSERT_EQUAL(maps(b)->running, 2);
    check_capacity(4, 0);
    for (size_t i = 0; i < n->n; i++) /* the new job ends */
        if (n->v[i].task.app.seq == b.seq)
            n->v[i].ended = true, n->v[i].exit_code = 0;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(world_state(&w, b), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(n->resumes, 2);
    CU_ASSERT_EQUAL(maps(a)->running, 4);
    CU_ASSERT_EQUAL(maps(a)->suspended, 0);
    CU_ASSERT_EQUAL(n->launches, 6); /* nothing was started again */
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, a), RM_APP_FINISHED);
    check_capacity(0, 0);
    world_free(&w);
}

/* The time for which an attempt was suspended is no part of its work. */
static void test_time(void)
{
    struct world_node *n = &w.nodes[0];
    struct base_app_id a;

    begin(1);
    CU_ASSERT_EQUAL(rm_policy_set(w.core, "fifo", NULL, NULL), 0);
    ops = policy_fifo;
    ops.victims = victims;
    w.core->ops = &ops;
    a = world_submit(&w, "a 1 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_advance(&w, 2000000);
    world_beat(&w, n, 0);
    world_submit(&w, "b 1 0 0 4 0 5");
    wanted = 1;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(maps(a)->suspended, 1);
    world_advance(&w, 10000000);
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].task.app.seq != a.seq)
            n->v[i].ended = true, n->v[i].exit_code = 0;
    world_beat(&w, n, 0);
    world_advance(&w, 3000000);
    n->v[0].ended = true;
    n->v[0].exit_code = 0;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(world_state(&w, a), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(rm_app_find(w.core, a)->pj.seen[BASE_TASK_MAP].work_us, 5000000);
    world_free(&w);
}

static void test_kill(void)
{
    struct world_node *n = &w.nodes[0];
    struct base_app_id a, b;
    struct rm_app_view v;

    begin(2);
    a = world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    b = world_submit(&w, "b 1 0 0 4 0 0");
    how = POLICY_VICTIM_KILL;
    wanted = 1;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->kills, 1);
    check_capacity(2, 1); /* the slot is free when the killed process has ended, not before */
    CU_ASSERT_EQUAL(maps(b)->running, 0);
    world_beat(&w, n, 0);
    check_capacity(2, 0);
    CU_ASSERT_EQUAL(maps(b)->running, 1);
    v = world_app(&w, a);
    CU_ASSERT_EQUAL(v.phase[BASE_TASK_MAP].pending, 1);
    CU_ASSERT_EQUAL(v.counters[RM_C_KILLED_MAPS], 1);
    /* being preempted is no failure of the task */
    CU_ASSERT_EQUAL(v.counters[RM_C_FAILED_MAPS], 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, a), RM_APP_FINISHED);
    world_free(&w);
}

/* A job with suspended attempts is killed: these end, too, and hold nothing. */
static void test_kill_job(void)
{
    struct world_node *n = &w.nodes[0];
    struct base_app_id a;

    begin(2);
    a = world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    world_submit(&w, "b 1 0 0 4 0 0");
    wanted = 1;
    world_beat(&w, n, 0);
    world_kill(&w, a);
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(world_state(&w, a), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.core->suspended[BASE_TASK_MAP], 0);
    check_capacity(1, 0);
    world_free(&w);
}

/* The order to suspend was lost with the NodeManager, or the ResourceManager is new: an attempt
 * that is suspended stays so, and is known to be. */
static void test_restarts(void)
{
    struct world_node *n = &w.nodes[0];
    struct base_app_id a, b;

    begin(2);
    a = world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    b = world_submit(&w, "b 1 0 0 4 0 0");
    wanted = 1;
    world_beat(&w, n, 0);
    for (size_t i = 0; i < n->n; i++)
        n->v[i].suspended = false; /* the order to suspend never arrived */
    world_restart_node(&w, n);
    CU_ASSERT_EQUAL(n->suspends, 2); /* the order is repeated */
    CU_ASSERT_EQUAL(maps(a)->suspended, 1);
    world_crash(&w, w.durable);
    world_register(&w, n);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(maps(a)->suspended, 1);
    CU_ASSERT_EQUAL(maps(a)->running, 1);
    CU_ASSERT_EQUAL(maps(b)->running, 1);
    check_capacity(2, 0);
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].task.app.seq == b.seq)
            n->v[i].ended = true, n->v[i].exit_code = 0;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(maps(a)->suspended, 0);
    CU_ASSERT_EQUAL(maps(a)->running, 2);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, a), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(n->launches, 3);
    world_free(&w);
}

/* A node has no slot any more: a task that is suspended there is run on another node. */
static void suspended_lost(void (*trouble)(struct world_node *))
{
    struct world_node *n = &w.nodes[0];
    struct base_app_id a;

    begin(2);
    a = world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    world_submit(&w, "b 1 0 0 4 0 0");
    wanted = 1;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(maps(a)->suspended, 1);
    trouble(n);
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(maps(a)->suspended, 0);
    CU_ASSERT_EQUAL(maps(a)->pending, 1);
    CU_ASSERT_EQUAL(maps(a)->running, 1); /* the other attempt goes on */
    CU_ASSERT_EQUAL(w.core->suspended[BASE_TASK_MAP], 0);
    world_add_node(&w, 1, 1, NULL);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(maps(a)->running, 2);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, a), RM_APP_FINISHED);
    world_free(&w);
}

static void becomes_unhealthy(struct world_node *n)
{
    n->healthy = false;
}

static void loses_its_slots(struct world_node *n)
{
    n->slots[BASE_TASK_MAP] = 0;
    world_restart_node(&w, n);
}

static void test_no_slot_comes(void)
{
    suspended_lost(becomes_unhealthy);
    suspended_lost(loses_its_slots);
}

/* After a restart, too, the time for which an attempt was suspended is no part of its work. */
static void test_recalled(void)
{
    struct world_node *n = &w.nodes[0];
    struct base_app_id a;

    begin(1);
    CU_ASSERT_EQUAL(rm_policy_set(w.core, "fifo", NULL, NULL), 0);
    ops = policy_fifo;
    ops.victims = victims;
    w.core->ops = &ops;
    a = world_submit(&w, "a 2 0 0 4 0 0");
    world_beat(&w, n, 0);
    world_advance(&w, 2000000);
    world_beat(&w, n, 0);
    world_submit(&w, "b 1 0 0 4 0 5");
    wanted = 1;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(maps(a)->suspended, 1);
    world_advance(&w, 10000000);
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].task.app.seq != a.seq)
            n->v[i].ended = true, n->v[i].exit_code = 0;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->resumes, 1);
    world_advance(&w, 3000000);
    n->v[0].ended = true;
    n->v[0].exit_code = 0;
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(rm_app_find(w.core, a)->pj.seen[BASE_TASK_MAP].work_us, 5000000);
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(rm_app_find(w.core, a)->pj.seen[BASE_TASK_MAP].work_us, 5000000);
    world_free(&w);
}

/* What policies are told of a job's past after a restart: when the job began; and the whole work of
 * its reduces, which had no maps to wait for. */
static void test_past(void)
{
    struct world_node *n = &w.nodes[0];
    int64_t first;
    struct base_app_id id;

    begin(1);
    id = world_submit(&w, "r 0 2 0 4 0 0");
    world_beat(&w, n, 0);
    first = rm_app_find(w.core, id)->pj.first_us;
    CU_ASSERT_EQUAL(first, w.now);
    world_advance(&w, 4000000);
    world_beat(&w, n, 0);
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(rm_app_find(w.core, id)->pj.first_us, first);
    world_register(&w, n);
    world_advance(&w, 1000000);
    n->v[0].ended = true;
    n->v[0].exit_code = 0;
    world_beat(&w, n, 0);
    /* when it registered, the node reported that the attempt had run for 1 ms; 1 s has passed
     * since */
    CU_ASSERT_EQUAL(rm_app_find(w.core, id)->pj.seen[BASE_TASK_REDUCE].work_us, 1001000);
    world_free(&w);
}

/* ---------------------------------------------------------------- deadlines */
static struct base_app_id submit_by(int64_t deadline_us, int64_t deadline_at_us)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++w.token};

    ev.u.submit_job.spec = world_spec("d 2 0 0 4 0 0");
    ev.u.submit_job.spec->deadline_us = deadline_us;
    ev.u.submit_job.spec->deadline_at_us = deadline_at_us;
    world_step(&w, &ev);
    return w.reply.app_id;
}

static void test_admission(void)
{
    struct base_app_id id;
    struct rm_app_view v;

    begin(2);
    ops.admit = admit;
    asked = 0;
    let_in = true;
    id = world_submit(&w, "a 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(asked, 0); /* without a deadline the policy is not asked */
    id = submit_by(9000000, 0);
    CU_ASSERT_EQUAL(asked, 1);
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.state, RM_APP_ACCEPTED);
    CU_ASSERT_EQUAL(v.promised_us, w.now + 2500000);
    CU_ASSERT_EQUAL(v.deadline_us, w.now + 9000000);
    CU_ASSERT_EQUAL(v.earliest_us, 0);
    let_in = false;
    submit_by(0, w.now);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "job.deadline-at-ms: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, " is in the past: it is "));
    id = submit_by(0, w.now + 1000000);
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.state, RM_APP_FAILED);
    CU_ASSERT_EQUAL(v.final_status, RM_FINAL_FAILED);
    CU_ASSERT_EQUAL(v.result, RM_RESULT_REFUSED);
    CU_ASSERT_EQUAL(v.phase[BASE_TASK_MAP].running, 0);
    /* in whole seconds, and not before what the policy said */
    CU_ASSERT_EQUAL(v.earliest_us % 1000000, 0);
    CU_ASSERT(v.earliest_us >= w.now + 7500000 && v.earliest_us < w.now + 8500000);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(rm_app_find(w.core, id)->diagnostics, "too much is promised already"));
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[BASE_TASK_MAP].running, 0);
    world_free(&w);
}

/* Promise and refusal survive a restart; the policy is not asked again. */
static void test_admission_kept(void)
{
    struct base_app_id in, out;
    int64_t promised, earliest;

    begin(2);
    ops.admit = admit;
    let_in = true;
    in = submit_by(9000000, 0);
    let_in = false;
    out = submit_by(9000000, 0);
    promised = world_app(&w, in).promised_us;
    earliest = world_app(&w, out).earliest_us;
    asked = 0;
    world_crash(&w, w.durable);
    CU_ASSERT_EQUAL(asked, 0);
    CU_ASSERT_EQUAL(world_app(&w, in).promised_us, promised);
    CU_ASSERT_EQUAL(world_app(&w, out).earliest_us, earliest);
    CU_ASSERT_EQUAL(world_app(&w, out).state, RM_APP_FAILED);
    world_free(&w);
}

/* A job that was not accepted when the ResourceManager stopped is judged when the nodes that may
 * come back have registered. */
static void test_admission_later(void)
{
    struct base_app_id id;

    world_init(&w, "rtmr");
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    w.auto_store = false;
    id = world_submit(&w, "d 2 0 0 4 0 0 3600");
    world_crash(&w, w.journal_n);
    w.auto_store = true;
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_NEW_SAVING);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_NEW_SAVING);
    world_register(&w, &w.nodes[1]);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    CU_ASSERT(world_app(&w, id).promised_us > w.now);
    world_beat_all(&w, 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"suspend and resume", test_suspend},
    {"time suspended is no work", test_time},
    {"kill", test_kill},
    {"a job with suspended attempts is killed", test_kill_job},
    {"restarts", test_restarts},
    {"no slot comes", test_no_slot_comes},
    {"what was seen, after a restart", test_recalled},
    {"the past of a job", test_past},
    {"admission", test_admission},
    {"admission after a restart", test_admission_later},
    {"admission survives a restart", test_admission_kept}};

CUNIT_MAIN("core: preemption and admission", cases)

/* Goal: containers of several slots are counted everywhere by their slots; a request too wide for
 * any node gets one reserved, and starts although narrow ones take every slot that comes free; and
 * a reservation moves, ends, gives up and comes back as rm/core/node/reserved.h says. Method: small
 * worlds in which the test decides which task ends when. */
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "rm/core/job/suspend.h"
#include "rm/core/ledger.h"
#include "rm/core/schedule/active_policy.h"
#include "rm/core/state.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define MAP BASE_TASK_MAP
#define S   INT64_C(1000000)

static struct world w;

static struct rm_app *app_of(struct base_app_id id)
{
    return rm_app_find(w.core, id);
}

static struct rm_node *node(int i)
{
    return rm_node_find(w.core, w.nodes[i].id);
}

static int32_t used(int i)
{
    return node(i)->used[MAP];
}

static int32_t running(struct base_app_id id)
{
    return app_of(id)->pj.phase[MAP].running;
}

static bool is_reserved_for(int i, struct base_app_id id)
{
    return node(i)->reserved[MAP] == app_of(id) && app_of(id)->wide[MAP].node == node(i);
}

static void begin(const char *policy, int nodes, int32_t slots)
{
    world_init(&w, policy);
    for (int i = 0; i < nodes; i++)
        world_add_node(&w, slots, 1, NULL);
    world_beat_all(&w, 0);
}

static void finish(void)
{
    rm_ledger_check(w.core);
    world_free(&w);
}

/* Ends @n running tasks of @id on node @i, and sends the node's heartbeat. */
static void end_tasks(int i, struct base_app_id id, int n)
{
    struct world_node *at = &w.nodes[i];

    for (size_t j = 0; j < at->n && n > 0; j++)
        if (!at->v[j].ended && base_app_id_cmp(&at->v[j].task.app, &id) == 0) {
            at->v[j].ended = true;
            at->v[j].exit_code = 0;
            n--;
        }
    CU_ASSERT_EQUAL(n, 0);
    world_beat(&w, at, 0);
    rm_ledger_check(w.core);
}

/* ---------------------------------------------------------------- how many slots */
static void test_width(void)
{
    struct rm_res r = {{2048, 1, 0, 0}};

    begin("fifo", 1, 4);
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), 1);
    r.v[RM_RES_MEMORY_MB] = 2049;
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), 2);
    r.v[RM_RES_MEMORY_MB] = 8192;
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), 4);
    r.v[RM_RES_VCORES] = 7;
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), 4);
    w.core->conf.slots_by_vcores = true;
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), 7);
    r.v[RM_RES_MAP_SLOTS] = 9;
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), 9);
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, BASE_TASK_REDUCE, &r), 7);
    r.v[RM_RES_MEMORY_MB] = INT64_MAX;
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), INT32_MAX);
    r = (struct rm_res){{0}};
    CU_ASSERT_EQUAL(rm_slots_for_resource(w.core, MAP, &r), 1);
    finish();
}

static void test_largest(void)
{
    struct rm_cluster_view v;

    world_init(&w, "fifo");
    rm_view_cluster(w.core, &v);
    CU_ASSERT_EQUAL(v.max_capability.v[RM_RES_MEMORY_MB], 2048);
    world_add_node(&w, 4, 1, NULL);
    world_add_node(&w, 7, 2, NULL);
    world_beat_all(&w, 0);
    rm_view_cluster(w.core, &v);
    CU_ASSERT_EQUAL(v.max_capability.v[RM_RES_MEMORY_MB], 7 * 2048);
    CU_ASSERT_EQUAL(v.max_capability.v[RM_RES_VCORES], 7);
    CU_ASSERT_EQUAL(v.max_capability.v[RM_RES_MAP_SLOTS], 7);
    CU_ASSERT_EQUAL(v.max_capability.v[RM_RES_REDUCE_SLOTS], 2);
    world_crash(&w, w.journal_n); /* awaited nodes count: masters may ask again before they come */
    rm_view_cluster(w.core, &v);
    CU_ASSERT_EQUAL(v.max_capability.v[RM_RES_MAP_SLOTS], 7);
    finish();
}

static void test_counts(void)
{
    struct base_app_id a;

    begin("fifo", 1, 8);
    a = world_submit(&w, "wide3 3 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(used(0), 6);
    CU_ASSERT_EQUAL(node(0)->containers_n, 2);
    CU_ASSERT_EQUAL(node(0)->used_res.v[RM_RES_MEMORY_MB], 6 * 2048);
    CU_ASSERT_EQUAL(node(0)->used_res.v[RM_RES_VCORES], 6);
    CU_ASSERT_EQUAL(app_of(a)->pj.phase[MAP].total, 9);
    CU_ASSERT_EQUAL(running(a), 6);
    CU_ASSERT_EQUAL(app_of(a)->pj.phase[MAP].pending, 3);
    CU_ASSERT_EQUAL(w.nodes[0].v[0].resource.v[RM_RES_MEMORY_MB], 3 * 2048);
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(used(0), 6); /* the same containers, attached again */
    CU_ASSERT_EQUAL(running(a), 6);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, a), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(used(0), 0);
    finish();
}

/* ---------------------------------------------------------------- reservations */
/* A node of four slots is full of tasks of an earlier job that has more. */
static struct base_app_id fill(int nodes)
{
    struct base_app_id narrow;

    begin("naive-fair", nodes, 4);
    narrow = world_submit(&w, "narrow 40 0 0 4 0 0");
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    return narrow;
}

static void test_not_starved(void)
{
    struct base_app_id narrow = fill(1), wide = world_submit(&w, "wide3 2 0 0 4 0 0");

    CU_ASSERT_PTR_NULL(node(0)->reserved[MAP]);
    end_tasks(0, narrow, 1); /* held, although the narrow job has tasks to start */
    CU_ASSERT(is_reserved_for(0, wide));
    CU_ASSERT_EQUAL(used(0), 3);
    CU_ASSERT_EQUAL(w.core->capacity.held[MAP], 1);
    CU_ASSERT_EQUAL(app_of(wide)->pj.reserved[MAP].missing, 2);
    end_tasks(0, narrow, 1);
    CU_ASSERT_EQUAL(used(0), 2);
    CU_ASSERT_EQUAL(running(wide), 0);
    end_tasks(0, narrow, 1);
    CU_ASSERT_EQUAL(running(wide), 3);
    CU_ASSERT_EQUAL(used(0), 4);
    CU_ASSERT_PTR_NULL(node(0)->reserved[MAP]);
    CU_ASSERT_EQUAL(w.core->capacity.held[MAP], 0);
    end_tasks(0, wide, 1); /* the narrow job runs less: its turn, until the next wide task holds */
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, wide), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_state(&w, narrow), RM_APP_FINISHED);
    finish();
}

/* What readers see of it: tasks and containers by number, resources by slots. */
static void test_views(void)
{
    struct base_app_id narrow = fill(1), wide = world_submit(&w, "wide3 2 0 0 4 0 0");
    struct rm_cluster_view c;
    struct rm_app_view v;
    struct base_buf why = {0};

    end_tasks(0, narrow, 1);
    v = world_app(&w, wide);
    CU_ASSERT_EQUAL(v.phase[MAP].pending, 2);
    CU_ASSERT_EQUAL(v.pending.v[RM_RES_MEMORY_MB], 6 * 2048);
    CU_ASSERT_EQUAL(v.reserved.v[RM_RES_MEMORY_MB], 3 * 2048);
    rm_view_cluster(w.core, &c);
    CU_ASSERT_EQUAL(c.containers_reserved, 1);
    CU_ASSERT_EQUAL(c.reserved.v[RM_RES_VCORES], 3);
    CU_ASSERT_EQUAL(c.containers_pending, 36 + 2);
    CU_ASSERT_EQUAL(c.used.v[RM_RES_MAP_SLOTS], 3);
    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, wide, w.now, &why), 0);
    CU_ASSERT(strstr(why.data,
                     "1 of 4 map slots are free, and it needs 3 of one node at once: "
                     "node0:8042 is reserved for it, where 2 of 3 have yet to come free") != NULL);
    base_buf_free(&why);
    end_tasks(0, narrow, 2);
    v = world_app(&w, wide);
    CU_ASSERT_EQUAL(v.phase[MAP].running, 1);
    CU_ASSERT_EQUAL(v.allocated.v[RM_RES_MAP_SLOTS], 3);
    CU_ASSERT_EQUAL(v.allocated.v[RM_RES_MEMORY_MB], 3 * 2048);
    finish();
}

/* One node is reserved; what comes free on the other goes to the narrow job. */
static void test_one_node(void)
{
    struct base_app_id narrow = fill(2), wide = world_submit(&w, "wide3 5 0 0 4 0 0");

    end_tasks(0, narrow, 1);
    CU_ASSERT(is_reserved_for(0, wide));
    end_tasks(1, narrow, 1);
    CU_ASSERT(is_reserved_for(0, wide));
    CU_ASSERT_EQUAL(used(1), 4);
    CU_ASSERT_EQUAL(w.core->reserved_n[MAP], 1);
    finish();
}

/* The other node has more free slots: the reservation moves there, and what it held is given
 * away. */
static void test_moves(void)
{
    struct base_app_id narrow = fill(2), wide = world_submit(&w, "wide3 1 0 0 4 0 0");

    end_tasks(0, narrow, 1);
    CU_ASSERT(is_reserved_for(0, wide));
    end_tasks(1, narrow, 2);
    CU_ASSERT(is_reserved_for(1, wide));
    CU_ASSERT_EQUAL(used(1), 2);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(used(0), 4);
    end_tasks(0, narrow, 4); /* room for all of it, at once */
    CU_ASSERT_EQUAL(running(wide), 3);
    CU_ASSERT_PTR_NULL(node(1)->reserved[MAP]);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(used(1), 4);
    finish();
}

/* Nothing is held once the request is gone. */
static void test_killed(void)
{
    struct base_app_id narrow = fill(1), wide = world_submit(&w, "wide3 1 0 0 4 0 0");

    end_tasks(0, narrow, 2);
    CU_ASSERT_EQUAL(used(0), 2);
    world_kill(&w, wide);
    CU_ASSERT_PTR_NULL(node(0)->reserved[MAP]);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(used(0), 4);
    finish();
}

/* The job whose node left goes before a wide job that had none. */
static void test_seniority(void)
{
    struct base_app_id narrow = fill(3), first, second;

    first = world_submit(&w, "wide3 1 0 0 4 0 0");
    end_tasks(0, narrow, 1);
    CU_ASSERT(is_reserved_for(0, first));
    second = world_submit(&w, "wide4 1 0 0 4 0 5");
    world_drain(&w, &w.nodes[0], true);
    CU_ASSERT_PTR_NULL(app_of(first)->wide[MAP].node);
    CU_ASSERT(app_of(first)->wide[MAP].lost);
    end_tasks(1, narrow, 1);
    CU_ASSERT(is_reserved_for(1, first));
    CU_ASSERT(!app_of(first)->wide[MAP].lost);
    end_tasks(2, narrow, 1);
    CU_ASSERT(is_reserved_for(2, second));
    finish();
}

/* What runs on the node may run forever: after the patience others get its free slots, for as long;
 * then the job tries again, and waits for twice as long. */
static void test_patience(void)
{
    struct base_app_id narrow = fill(1), wide = world_submit(&w, "wide3 1 0 0 4 0 0");

    end_tasks(0, narrow, 1);
    for (int i = 0; i < 599; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[0], 0);
    }
    CU_ASSERT(is_reserved_for(0, wide));
    CU_ASSERT_EQUAL(used(0), 3);
    for (int i = 0; i < 2; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[0], 0);
    }
    CU_ASSERT_PTR_NULL(node(0)->reserved[MAP]);
    CU_ASSERT_EQUAL(used(0), 4);
    end_tasks(0, narrow, 1); /* it rests */
    CU_ASSERT_EQUAL(used(0), 4);
    for (int i = 0; i < 600; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[0], 0);
    }
    end_tasks(0, narrow, 1);
    CU_ASSERT(is_reserved_for(0, wide));
    CU_ASSERT_EQUAL(app_of(wide)->wide[MAP].patience_us, 2 * RM_RESERVED_PATIENCE_US);
    end_tasks(0, narrow, 2);
    CU_ASSERT_EQUAL(running(wide), 3);
    CU_ASSERT_EQUAL(app_of(wide)->wide[MAP].patience_us, 0);
    finish();
}

/* ---------------------------------------------------------------- masters */
static struct rm_ask ask(int64_t memory_mb, int32_t n, int32_t priority)
{
    return (struct rm_ask){.priority = priority,
                           .resource_name = "*",
                           .capability = {{memory_mb, 1, 0, 0}},
                           .containers = n,
                           .relax_locality = true};
}

static void allocate(struct base_app_id id, int64_t response_id, struct rm_ask *asks, size_t n)
{
    struct rm_event ev = {.kind = RM_EV_AM_ALLOCATE, .token = ++w.token};

    ev.u.am_allocate.attempt = (struct base_attempt_id){id, 1};
    ev.u.am_allocate.response_id = response_id;
    ev.u.am_allocate.asks = asks;
    ev.u.am_allocate.asks_n = n;
    world_step(&w, &ev);
}

static struct base_app_id start_master(const char *text)
{
    struct base_app_id id = world_submit_app(&w, text);
    struct rm_event ev = {.kind = RM_EV_AM_REGISTER, .token = ++w.token};

    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    ev.u.am_register.attempt = (struct base_attempt_id){id, 1};
    ev.u.am_register.host = "h";
    ev.u.am_register.tracking_url = "";
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    return id;
}

/* A container takes the slots that its memory needs; narrower ones of the same application start
 * meanwhile on other nodes. */
static void test_asks(void)
{
    struct rm_ask asks[2] = {ask(6000, 1, 1), ask(1024, 3, 2)};
    struct base_app_id a;

    begin("fifo", 2, 4);
    a = start_master("app 1024 1 0"); /* on node 0 */
    CU_ASSERT_EQUAL(used(0) + used(1), 1);
    allocate(a, 0, asks, 2);
    CU_ASSERT_EQUAL(app_of(a)->pj.phase[MAP].pending, 6);
    CU_ASSERT_EQUAL(app_of(a)->pj.width[MAP], 1);
    CU_ASSERT_EQUAL(app_of(a)->pj.widest[MAP], 3);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(running(a), 6);
    CU_ASSERT_EQUAL(used(0) + used(1), 7);
    CU_ASSERT(app_of(a)->pj.widest[MAP] <= 1);
    asks[0] = ask(8193, 1, 3); /* wider than any node */
    allocate(a, 1, asks, 1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "Requested more memory than configured max");
    asks[0].capability = (struct rm_res){{1024, 1, 5, 0}};
    allocate(a, 1, asks, 1);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "Requested more map-slots than configured max");
    finish();
}

/* A node whose masters leave too few slots is not reserved: they may wait for what would be
 * held. */
static void test_own_master(void)
{
    struct rm_ask asks[1] = {ask(8192, 1, 1)};
    struct base_app_id a, narrow;

    begin("fifo", 1, 4);
    a = start_master("app 1024 1 0");
    allocate(a, 0, asks, 1);
    world_beat_all(&w, 0);
    CU_ASSERT_PTR_NULL(node(0)->reserved[MAP]);
    narrow = world_submit(&w, "narrow 3 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(running(narrow), 3);
    finish();
}

/* Masters may hold half of the map slots, counted by their slots. */
static void test_wide_masters(void)
{
    struct base_app_id a, b;

    begin("fifo", 2, 4);
    a = world_submit_app(&w, "app 6000 1 0");
    b = world_submit_app(&w, "app 4096 1 0");
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(app_of(a)->containers_n, 1);
    CU_ASSERT_EQUAL(app_of(b)->containers_n, 0); /* 3 + 2 > 4 */
    CU_ASSERT_EQUAL(w.core->masters_active, 3);
    world_kill(&w, a);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(app_of(b)->containers_n, 1);
    CU_ASSERT_EQUAL(w.core->masters_active, 2);
    finish();
}

/* ---------------------------------------------------------------- preemption */
static struct policy_ops ops;
static int asked;
static int32_t missing;

/* Names as many attempts of a node that is reserved as slots are missing there; no others. */
static void victims_if_reserved(struct policy *self, const struct policy_offer *offer,
                                const struct policy_running *here, size_t n,
                                struct policy_plan *plan)
{
    (void)self;
    if (!offer->reserved_for || !n)
        return;
    asked++;
    missing = offer->reserved_for->reserved[offer->kind].missing;
    for (size_t i = 0; i < n && (int32_t)i < missing; i++)
        policy_plan_add(plan, here[i].container, POLICY_VICTIM_SUSPEND);
}

/* The policy is asked about a reserved node, on behalf of its job, although it is not full. */
static void test_preempt(void)
{
    struct base_app_id narrow = fill(1), wide;

    ops = policy_naive_fair;
    ops.victims = victims_if_reserved;
    w.core->ops = &ops;
    wide = world_submit(&w, "wide3 1 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(asked, 0); /* full, not reserved */
    end_tasks(0, narrow, 1);
    CU_ASSERT_EQUAL(asked, 1);
    CU_ASSERT_EQUAL(missing, 2);
    CU_ASSERT_EQUAL(running(wide), 3);
    CU_ASSERT_EQUAL(node(0)->suspended[MAP], 2);
    ops.victims = NULL;
    finish();
}

static void test_resume(void)
{
    struct rm_container *ct;
    struct rm_effects fx = {0};
    struct base_app_id wide, narrow;

    begin("naive-fair", 2, 4);
    wide = world_submit(&w, "wide3 1 0 0 4 0 0");
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    ct = app_of(wide)->containers;
    narrow = world_submit(&w, "narrow 40 0 0 4 0 0");
    world_beat_all(&w, 0);
    w.core->out = &fx;
    rm_container_suspend(w.core, ct);
    w.core->out = NULL;
    free(fx.v);
    CU_ASSERT_EQUAL(app_of(wide)->pj.phase[MAP].suspended, 3);
    world_beat(&w, &w.nodes[ct->node->index], 0); /* resumes at once: three slots are free */
    CU_ASSERT_EQUAL(app_of(wide)->pj.phase[MAP].suspended, 0);
    CU_ASSERT_EQUAL(running(wide), 3);
    CU_ASSERT(running(narrow) > 0);
    finish();
}

/* ---------------------------------------------------------------- refusals */
static void test_refused(void)
{
    struct base_app_id wide;
    struct base_error err;

    begin("fifo", 1, 4);
    world_submit(&w, "wide5 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "job.slots: 5: the largest node has 4 slots for maps");
    world_submit(&w, "wide2 1 1 0 4 0 0");
    CU_ASSERT_STRING_EQUAL(w.reply.text, "job.slots: 2: the largest node has 1 slot for reduces");
    wide = world_submit(&w, "wide4 1 0 0 4 0 0");
    CU_ASSERT(rm_policy_set(w.core, "rtmr", NULL, &err) == -BASE_EINVAL);
    CU_ASSERT(strstr(err.text, "gives single slots") != NULL);
    world_kill(&w, wide);
    world_run_dry(&w);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT(rm_policy_set(w.core, i ? "dc" : "rtmr", NULL, &err) == 0);
        world_submit(&w, "wide2 1 0 0 4 0 0 1000");
        CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
        CU_ASSERT_STRING_EQUAL(w.reply.text,
                               i ? "job.slots: 2: the policy dc gives each task one slot"
                                 : "job.slots: 2: the policy rtmr gives each task one slot");
        world_submit_app(&w, "app 4096 1 0");
        CU_ASSERT_STRING_EQUAL(w.reply.text, "Requested more memory than configured max");
    }
    finish();
}

static const struct cunit_case cases[] = {
    {"slots of a resource", test_width},
    {"the largest node", test_largest},
    {"counts", test_counts},
    {"a wide task is not starved", test_not_starved},
    {"views", test_views},
    {"one node is reserved", test_one_node},
    {"a reservation moves", test_moves},
    {"nothing is held without need", test_killed},
    {"seniority", test_seniority},
    {"patience", test_patience},
    {"asks", test_asks},
    {"a node with masters", test_own_master},
    {"wide masters", test_wide_masters},
    {"a reserved node is cleared", test_preempt},
    {"a wide attempt resumes", test_resume},
    {"refusals", test_refused},
};

CUNIT_MAIN("containers of several slots", cases)

/* tests/unit/test_nm_link.c - the NodeManager's pure core and its ResourceManager: what a heartbeat
 * carries and when it goes, answers, and silence. Links with the core and base's pure part alone.
 */
#include "tests/unit/cunit_main.h"
#include "tests/unit/nm_core_world.h"

/* Goal: a container that has changed is reported once, one that has ended until it is forgotten; a
 * registration carries all. */
static void test_heartbeat_contents(void)
{
    struct world w;
    world_up(&w);
    carried(&w);
    launch(&w, 1);
    CU_ASSERT_EQUAL(carried(&w), 2);
    spawned(&w, 1); /* changed after the beat in flight was made */
    w.now += 1000000;
    answer(&w, 1, NULL, 0);
    CU_ASSERT_EQUAL(carried(&w), 2);
    w.now += 1000000;
    answer(&w, 1, NULL, 0);
    CU_ASSERT_EQUAL(carried(&w), 0);
    struct nm_event p = {.kind = NM_EV_PROGRESS, .container = cid(1, 1)};
    p.u.progress.progress = 0.5;
    step(&w, p);
    w.now += 1000000;
    answer(&w, 1, NULL, 0);
    CU_ASSERT_EQUAL(carried(&w), 2);
    ended(&w, 1, 0);
    for (int i = 0; i < 3; i++) {
        w.now += 1000000;
        answer(&w, 1, NULL, 0);
        CU_ASSERT_EQUAL(carried(&w), 2);
    }
    on(&w, BASE_ORDER_FORGET, 1);
    CU_ASSERT_EQUAL(carried(&w), 0);
    launch(&w, 2);
    carried(&w);
    order(&w, (struct nm_order){.kind = BASE_ORDER_RESYNC});
    CU_ASSERT_TRUE(find(&w, NM_FX_BEAT)->registering);
    CU_ASSERT_EQUAL(carried(&w), 4);
    world_free(&w);
}

/* Goal: a container's end during a parked heartbeat wakes the RM once; the next heartbeat goes at
 * once and carries the end. */
static void test_wake(void)
{
    struct world w;
    world_up(&w);
    for (int i = 1; i <= 3; i++) {
        launch(&w, i);
        spawned(&w, i);
    }
    carried(&w);
    ended(&w, 1, 0);
    CU_ASSERT_EQUAL(count(&w, NM_FX_WAKE), 1);
    ended(&w, 2, 0);
    CU_ASSERT_EQUAL(count(&w, NM_FX_WAKE), 0); /* one wake-up is enough */
    CU_ASSERT_EQUAL(nm_core_next_timer_us(w.core), w.now + NM_WAKE_AGAIN_US);
    w.now += NM_WAKE_AGAIN_US; /* ... unless it overtook the heartbeat */
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_EQUAL(count(&w, NM_FX_WAKE), 1);
    answer(&w, 1, NULL, 0);
    CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 1);
    CU_ASSERT_EQUAL(carried(&w) & 6, 6);
    ended(&w, 3, 0); /* another heartbeat, another wake-up */
    CU_ASSERT_EQUAL(count(&w, NM_FX_WAKE), 1);
    world_free(&w);
}

/* Goal: the interval is what the RM said last; an answer that names none leaves it. */
static void test_interval(void)
{
    static const int64_t said[] = {1000, 250, 0, 0, 4000, 0},
                         holds[] = {1000, 250, 250, 250, 4000, 4000};
    struct world w;
    world_up(&w);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        struct nm_event ev = {.kind = NM_EV_ANSWER};
        ev.u.answer.epoch = 1;
        ev.u.answer.response_id = nm_core_response_id(w.core) + 1;
        ev.u.answer.heartbeat_ms = said[i];
        w.now += 5000000; /* the heartbeat was held: the next one goes at once */
        step(&w, ev);
        CU_ASSERT_EQUAL_FATAL(count(&w, NM_FX_BEAT), 1);
        CU_ASSERT_EQUAL(find(&w, NM_FX_BEAT)->hold_ms, holds[i]);
    }
    world_free(&w);
}

/* Goal: effects name what they are about, and a container is what its order said. */
static void test_what_is_said(void)
{
    struct world w;
    struct nm_order o = launch_order(1, 7);
    world_new(&w);
    const char *report;
    int64_t free_mb;
    CU_ASSERT_TRUE(nm_core_is_healthy(w.core, &report, &free_mb));
    world_free(&w);
    world_up(&w);
    o.launch.kind = BASE_CONTAINER_REDUCE;
    o.launch.slot = BASE_TASK_REDUCE;
    o.launch.name = "sums";
    o.launch.task = "task_1_0001_r_000003";
    o.launch.task_attempt = 2;
    o.launch.memory_mb = 300;
    o.launch.vcores = 4;
    o.launch.priority = 5;
    o.launch.allocation_request_id = 6;
    order(&w, o);
    struct nm_container *c = nm_core_find_container(w.core, &o.launch.id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find(&w, NM_FX_LAUNCH));
    CU_ASSERT_PTR_EQUAL(find(&w, NM_FX_LAUNCH)->container, c);
    CU_ASSERT_PTR_NOT_NULL(find(&w, NM_FX_LAUNCH)->launch);
    const struct nm_container_view *v = nm_core_view(c);
    CU_ASSERT_EQUAL(v->kind, BASE_CONTAINER_REDUCE);
    CU_ASSERT_EQUAL(v->slot, BASE_TASK_REDUCE);
    CU_ASSERT_STRING_EQUAL(v->name, "sums");
    CU_ASSERT_STRING_EQUAL(v->task, "task_1_0001_r_000003");
    CU_ASSERT_EQUAL(v->task_attempt, 2);
    CU_ASSERT_EQUAL(v->memory_mb, 300);
    CU_ASSERT_EQUAL(v->vcores, 4);
    CU_ASSERT_EQUAL(v->priority, 5);
    CU_ASSERT_EQUAL(v->allocation_request_id, 6);
    CU_ASSERT_EQUAL(v->exit_code, NM_EXIT_NONE);
    CU_ASSERT_PTR_EQUAL(v->app, nm_core_app_find(w.core, &o.launch.id.attempt.app));
    spawned(&w, 7);
    order(&w, (struct nm_order){.kind = BASE_ORDER_SUSPEND, .container = o.launch.id});
    CU_ASSERT_PTR_NOT_NULL_FATAL(find(&w, NM_FX_MARK));
    CU_ASSERT_EQUAL(find(&w, NM_FX_MARK)->mark, NM_MARK_SUSPENDED);
    CU_ASSERT_PTR_EQUAL(find(&w, NM_FX_MARK)->container, c);
    order(&w, (struct nm_order){.kind = BASE_ORDER_RESUME, .container = o.launch.id});
    CU_ASSERT_PTR_NOT_NULL_FATAL(find(&w, NM_FX_MARK));
    CU_ASSERT_EQUAL(find(&w, NM_FX_MARK)->mark, NM_MARK_RESUMED);
    CU_ASSERT_PTR_EQUAL(find(&w, NM_FX_MARK)->container, c);
    ended(&w, 7, 0);
    for (int app = 1; app <= 3; app++) { /* of the last two applications nothing was ever here */
        struct nm_order clean = {
            .kind = BASE_ORDER_CLEANUP_APP, .app = cid(app, 1).attempt.app, .keep_logs = app != 2};
        order(&w, clean);
        const struct nm_effect *fx = find(&w, NM_FX_CLEANUP);
        CU_ASSERT_PTR_NOT_NULL_FATAL(fx);
        CU_ASSERT_EQUAL(base_app_id_cmp(&fx->app, &clean.app), 0);
        CU_ASSERT_EQUAL(fx->keep_logs, app != 2);
    }
    world_free(&w);
}

/* Goal: while the RM is away, pauses grow from 50 ms to 1 s; a repeated heartbeat keeps its
 * response id, and reports again what the first one reported. */
static void test_rm_away(void)
{
    struct world w;
    world_up(&w);
    launch(&w, 1);
    carried(&w);
    int64_t id = nm_core_response_id(w.core),
            pauses[] = {50000, 100000, 200000, 400000, 800000, 1000000, 1000000};
    for (size_t i = 0; i < 7; i++) {
        int64_t sent = w.now;
        w.now += 500; /* the RM tells requests apart by when they were sent */
        fail(&w, false, false);
        CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 0);
        CU_ASSERT_EQUAL(nm_core_request_sent_us(w.core), sent);
        CU_ASSERT(nm_core_next_timer_us(w.core) - w.now <= pauses[i]);
        CU_ASSERT(nm_core_next_timer_us(w.core) - w.now >= pauses[i] / 2);
        ended(&w, 1, 4); /* urgent, but there is nobody to tell */
        CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 0);
        w.now = nm_core_next_timer_us(w.core);
        step(&w, (struct nm_event){.kind = NM_EV_TIMER});
        CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 1);
        CU_ASSERT_EQUAL(nm_core_request_sent_us(w.core), w.now);
        CU_ASSERT_EQUAL(nm_core_response_id(w.core), id);
        CU_ASSERT_EQUAL(carried(&w), 2);
    }
    answer(&w, 1, NULL, 0);
    CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 1); /* at once: the end may not have been heard */
    CU_ASSERT_EQUAL(carried(&w), 2);
    fail(&w, false, true); /* another RM is left to try */
    CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 1);
    fail(&w, true, false);
    w.now = nm_core_next_timer_us(w.core);
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_TRUE(find(&w, NM_FX_BEAT)->registering);
    CU_ASSERT_EQUAL(nm_core_request_sent_us(w.core), w.now);
    world_free(&w);
}

/* Goal: nodes that lose their RM at the same time do not ask again at the same time. */
static void test_pauses_differ(void)
{
    enum { NODES = 200 };
    int64_t at[NODES], low = INT64_MAX, high = 0;
    for (int i = 0; i < NODES; i++) {
        struct world w;
        world_up(&w);
        nm_core_seed_random(w.core, (uint64_t)i);
        for (int k = 0; k < 6; k++) {
            fail(&w, false, false);
            at[i] = nm_core_next_timer_us(w.core) - w.now;
            w.now = nm_core_next_timer_us(w.core);
            step(&w, (struct nm_event){.kind = NM_EV_TIMER});
        }
        low = at[i] < low ? at[i] : low;
        high = at[i] > high ? at[i] : high;
        world_free(&w);
    }
    CU_ASSERT(low >= 500000 && low < 550000);
    CU_ASSERT(high <= 1000000 && high > 950000);
}

/* Goal: an RM that may hold our request until it leads is not woken; what changes meanwhile goes
 * into the next request. */
static void test_no_wake_elsewhere(void)
{
    struct world w;
    world_up(&w);
    launch(&w, 1);
    spawned(&w, 1);
    carried(&w);
    fail(&w, false, true);
    CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 1);
    carried(&w);
    ended(&w, 1, 0);
    CU_ASSERT_EQUAL(count(&w, NM_FX_WAKE), 0);
    CU_ASSERT_EQUAL(nm_core_next_timer_us(w.core), INT64_MAX);
    w.now += 9000000; /* parked, until that RM leads and asks for a registration */
    struct nm_order resync = {.kind = BASE_ORDER_RESYNC};
    answer(&w, 2, &resync, 1);
    CU_ASSERT_TRUE(find(&w, NM_FX_BEAT) && find(&w, NM_FX_BEAT)->registering);
    CU_ASSERT_EQUAL(carried(&w), 2);
    answer(&w, 2, NULL, 0);
    CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 1);
    CU_ASSERT_EQUAL(carried(&w), 2);
    launch(&w, 2);
    spawned(&w, 2);
    ended(&w, 2, 0); /* this one leads: it is woken again */
    CU_ASSERT_EQUAL(count(&w, NM_FX_WAKE), 1);
    world_free(&w);
}

/* Goal: an RM that answers at once with nothing is not flooded. */
static void test_rm_does_not_park(void)
{
    struct world w;
    world_up(&w);
    int64_t t0 = w.now;
    int beats = 0;
    while (w.now < t0 + 20000000) {
        answer(&w, 1, NULL, 0);
        if (!count(&w, NM_FX_BEAT)) {
            w.now = nm_core_next_timer_us(w.core);
            step(&w, (struct nm_event){.kind = NM_EV_TIMER});
        }
        beats += (int)count(&w, NM_FX_BEAT);
        w.now += 1000;
    }
    CU_ASSERT(beats >= 18 && beats <= 30);
    world_free(&w);
}

/* Goal: a launch that is refused, for what it says or because there are too many containers, ends
 * at once with NM_EXIT_REFUSED. */
static void test_refused(void)
{
    struct world w;
    enum { N = NM_CONTAINERS_MAX + 1 };
    struct nm_order *orders = base_alloc(N * sizeof *orders), bad = launch_order(1, N + 1);
    world_up(&w);
    bad.launch.refused = "memoryMb: not a number";
    order(&w, bad);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 0);
    CU_ASSERT_EQUAL(view(&w, N + 1)->state, NM_COMPLETE);
    CU_ASSERT_EQUAL(view(&w, N + 1)->exit_code, NM_EXIT_REFUSED);
    CU_ASSERT_STRING_EQUAL(view(&w, N + 1)->diagnostics, bad.launch.refused);
    for (int i = 0; i < N; i++)
        orders[i] = launch_order(1, i + 1);
    answer(&w, 1, orders, N);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), NM_CONTAINERS_MAX);
    CU_ASSERT_EQUAL(nm_core_alive_count(w.core), NM_CONTAINERS_MAX);
    CU_ASSERT_EQUAL(view(&w, N)->exit_code, NM_EXIT_REFUSED);
    free(orders);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"what a heartbeat carries", test_heartbeat_contents},
    {"wake", test_wake},
    {"interval", test_interval},
    {"what is said", test_what_is_said},
    {"RM away", test_rm_away},
    {"pauses differ", test_pauses_differ},
    {"no wake elsewhere", test_no_wake_elsewhere},
    {"RM that does not park", test_rm_does_not_park},
    {"refused", test_refused},
};
CUNIT_MAIN("the NodeManager's link", cases)

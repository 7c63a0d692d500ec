/* Goal: containers that masters start and stop live like ordered ones: no id is started twice, none
 * after its application's end or when the node shuts down or is full; a stop ends with the status
 * of a stop, over a restart too, and is reported at once; orders of the RM hold for such containers
 * as well. Method: the pure core. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/nm_core_world.h"

static enum nm_start_refusal judge(struct world *w, int n)
{
    struct base_container_id id = cid(1, n);

    return nm_core_judge_start(w->core, &id);
}

static void launch_by_master(struct world *w, int n)
{
    struct nm_event ev = {.kind = NM_EV_MASTER_LAUNCH};

    CU_ASSERT_EQUAL_FATAL(judge(w, n), NM_START_ALLOWED);
    ev.u.master_launch = launch_order(1, n).launch;
    step(w, ev);
}

static void stop_by_master(struct world *w, int n)
{
    struct nm_event ev = {.kind = NM_EV_MASTER_STOP, .container = cid(1, n)};

    ev.u.master_stop.reason = "the master's";
    ev.u.master_stop.grace_ms = 250;
    step(w, ev);
}

static void clean_up(struct world *w)
{
    order(w, (struct nm_order){.kind = BASE_ORDER_CLEANUP_APP, .app = cid(1, 0).attempt.app});
}

static void test_life(void)
{
    struct world w;

    world_up(&w);
    launch_by_master(&w, 2);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 1);
    CU_ASSERT_EQUAL(find(&w, NM_FX_LAUNCH)->launch->id.num, 2);
    CU_ASSERT_EQUAL(state(&w, 2), NM_LAUNCHING);
    CU_ASSERT_EQUAL(judge(&w, 2), NM_START_REPEATED);
    spawned(&w, 2);
    CU_ASSERT_EQUAL(state(&w, 2), NM_RUNNING);
    answer(&w, 1, NULL, 0);
    CU_ASSERT_EQUAL(carried(&w), 1u << 2); /* the RM learns of it */
    ended(&w, 2, 7);
    CU_ASSERT_EQUAL(count(&w, NM_FX_WAKE) + count(&w, NM_FX_BEAT), 1); /* at once */
    CU_ASSERT_EQUAL(view(&w, 2)->exit_code, 7);
    CU_ASSERT_EQUAL(judge(&w, 2), NM_START_REPEATED);
    on(&w, BASE_ORDER_FORGET, 2);
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_EQUAL(state(&w, 2), NM_NEW);
    CU_ASSERT_EQUAL(judge(&w, 2), NM_START_REPEATED);
    CU_ASSERT_EQUAL(judge(&w, 3), NM_START_ALLOWED);
    world_free(&w);
}

static void test_stop(void)
{
    struct world w;

    world_up(&w);
    launch_by_master(&w, 2);
    spawned(&w, 2);
    stop_by_master(&w, 2);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_TERM), 1);
    CU_ASSERT_EQUAL_FATAL(count(&w, NM_FX_MARK), 1);
    CU_ASSERT_EQUAL(view(&w, 2)->kill_status, NM_EXIT_STOPPED);
    on(&w, BASE_ORDER_KILL, 2); /* comes second: the status stays */
    ended(&w, 2, 143);
    CU_ASSERT_EQUAL(view(&w, 2)->exit_code, NM_EXIT_STOPPED);
    CU_ASSERT_STRING_EQUAL(view(&w, 2)->diagnostics, "the master's");
    stop_by_master(&w, 2); /* changes nothing */
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    stop_by_master(&w, 9); /* not here */
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    launch_by_master(&w, 3);
    spawned(&w, 3);
    on(&w, BASE_ORDER_KILL, 3);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_TERM), 1);
    ended(&w, 3, 143);
    CU_ASSERT_EQUAL(view(&w, 3)->exit_code, NM_EXIT_KILLED);
    world_free(&w);
}

static void test_refusals(void)
{
    struct world w;

    world_up(&w);
    launch_by_master(&w, 2);
    spawned(&w, 2);
    clean_up(&w);
    CU_ASSERT_EQUAL(judge(&w, 3), NM_START_APP_ENDED); /* container 2 still lives */
    ended(&w, 2, 137);
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 1);
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_EQUAL(judge(&w, 3), NM_START_APP_ENDED);
    world_free(&w);

    world_up(&w);
    order(&w, (struct nm_order){.kind = BASE_ORDER_SHUTDOWN, .reason = "why"});
    CU_ASSERT_EQUAL(judge(&w, 2), NM_START_STOPPING);
    world_free(&w);

    world_up(&w);
    for (int i = 0; i < NM_CONTAINERS_MAX; i++)
        launch_by_master(&w, i + 2);
    CU_ASSERT_EQUAL(judge(&w, NM_CONTAINERS_MAX + 2), NM_START_FULL);
    spawned(&w, 2);
    ended(&w, 2, 0);
    CU_ASSERT_EQUAL(judge(&w, NM_CONTAINERS_MAX + 2), NM_START_ALLOWED);
    world_free(&w);
}

static void test_recovered_stop(void)
{
    struct world w;

    world_new(&w);
    for (int i = 1; i <= 2; i++) {
        struct nm_event ev = {.kind = NM_EV_RECOVERED};

        ev.u.recovered.launch = launch_order(1, i).launch;
        ev.u.recovered.state = NM_KILLING;
        ev.u.recovered.kill_reason = "why";
        ev.u.recovered.kill_status = i == 1 ? NM_EXIT_STOPPED : 0;
        step(&w, ev);
        ended(&w, i, 143);
    }
    CU_ASSERT_EQUAL(view(&w, 1)->exit_code, NM_EXIT_STOPPED);
    CU_ASSERT_EQUAL(view(&w, 2)->exit_code, NM_EXIT_KILLED);
    CU_ASSERT_EQUAL(judge(&w, 1), NM_START_REPEATED);
    world_free(&w);
}

static const struct cunit_case cases[] = {{"life", test_life},
                                          {"stop", test_stop},
                                          {"refusals", test_refusals},
                                          {"recovered stop", test_recovered_stop}};
CUNIT_MAIN("nm_masters", cases)

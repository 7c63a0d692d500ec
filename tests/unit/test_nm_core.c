/* tests/unit/test_nm_core.c - the NodeManager's pure core: every edge of a container, idempotent
 * orders, and random life by seed with invariants. Links with the core and base's pure part alone.
 */
#include "tests/unit/cunit_main.h"
#include "tests/unit/nm_core_world.h"

/* Goal: the table is the diagram of the header, and nothing else is an edge. */
static void test_edges(void)
{
    int edges = 0;
    for (int s = 0; s < NM_STATES; s++)
        for (int i = 0; i < NM_INPUTS; i++)
            edges += nm_state_after((enum nm_state)s, (enum nm_input)i) != NM_STATES;
    CU_ASSERT_EQUAL(edges, 15);
    CU_ASSERT_EQUAL(nm_state_after(NM_NEW, NM_IN_LAUNCH), NM_LAUNCHING);
    CU_ASSERT_EQUAL(nm_state_after(NM_LAUNCHING, NM_IN_SPAWNED), NM_RUNNING);
    CU_ASSERT_EQUAL(nm_state_after(NM_LAUNCHING, NM_IN_KILL), NM_KILLING);
    CU_ASSERT_EQUAL(nm_state_after(NM_LAUNCHING, NM_IN_ENDED), NM_COMPLETE);
    CU_ASSERT_EQUAL(nm_state_after(NM_RUNNING, NM_IN_SUSPEND), NM_SUSPENDED);
    CU_ASSERT_EQUAL(nm_state_after(NM_RUNNING, NM_IN_KILL), NM_KILLING);
    CU_ASSERT_EQUAL(nm_state_after(NM_RUNNING, NM_IN_ENDED), NM_COMPLETE);
    CU_ASSERT_EQUAL(nm_state_after(NM_SUSPENDED, NM_IN_RESUME), NM_RUNNING);
    CU_ASSERT_EQUAL(nm_state_after(NM_SUSPENDED, NM_IN_KILL), NM_KILLING);
    CU_ASSERT_EQUAL(nm_state_after(NM_SUSPENDED, NM_IN_ENDED), NM_COMPLETE);
    CU_ASSERT_EQUAL(nm_state_after(NM_KILLING, NM_IN_ENDED), NM_COMPLETE);
    CU_ASSERT_EQUAL(nm_state_after(NM_COMPLETE, NM_IN_FORGET), NM_FORGOTTEN);
    CU_ASSERT_EQUAL(nm_state_after(NM_FORGOTTEN, NM_IN_LAUNCH), NM_STATES);
    CU_ASSERT_EQUAL(nm_state_after(NM_COMPLETE, NM_IN_KILL), NM_STATES);
}

static void test_life(void)
{
    struct world w;
    world_up(&w);
    launch(&w, 1);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 1);
    CU_ASSERT_EQUAL(state(&w, 1), NM_LAUNCHING);
    launch(&w, 1); /* a repeat */
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 0);
    spawned(&w, 1);
    CU_ASSERT_EQUAL(state(&w, 1), NM_RUNNING);
    on(&w, BASE_ORDER_SUSPEND, 1);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_STOP), 1);
    CU_ASSERT_EQUAL(state(&w, 1), NM_SUSPENDED);
    on(&w, BASE_ORDER_SUSPEND, 1);
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    on(&w, BASE_ORDER_RESUME, 1);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_CONT), 1);
    on(&w, BASE_ORDER_FORGET, 1); /* a container is not forgotten before its end */
    CU_ASSERT_EQUAL(state(&w, 1), NM_RUNNING);
    ended(&w, 1, 3);
    CU_ASSERT_EQUAL(state(&w, 1), NM_COMPLETE);
    CU_ASSERT_EQUAL(view(&w, 1)->exit_code, 3);
    on(&w, BASE_ORDER_KILL, 1); /* too late: the container has ended */
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    on(&w, BASE_ORDER_FORGET, 1);
    CU_ASSERT_EQUAL(state(&w, 1), NM_FORGOTTEN);
    CU_ASSERT_EQUAL(find(&w, NM_FX_MARK)->mark, NM_MARK_FORGOTTEN);
    launch(&w, 1);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 0);
    CU_ASSERT_PTR_NULL(view(&w, 1)); /* freed; only the id is kept */
    struct base_container_id id = cid(1, 1);
    CU_ASSERT_TRUE(nm_core_has_forgotten(w.core, &id));
    ended(&w, 1, 9);
    on(&w, BASE_ORDER_KILL, 77); /* a container never heard of */
    CU_ASSERT_EQUAL(nm_core_alive_count(w.core), 0);
    world_free(&w);
}

/* Goal: a user's signals reach a container that runs, once, and change nothing else. */
static void test_signals_of_users(void)
{
    static const enum nm_signal sent[BASE_SIGNAL_COMMANDS] = {NM_SIGNAL_DUMP, NM_SIGNAL_TERM,
                                                              NM_SIGNAL_KILL};
    struct world w;
    world_up(&w);
    launch(&w, 1);
    on(&w, BASE_ORDER_SIGNAL, 1); /* no process yet */
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    spawned(&w, 1);
    for (enum base_signal_command c = 0; c < BASE_SIGNAL_COMMANDS; c++) {
        order(&w,
              (struct nm_order){.kind = BASE_ORDER_SIGNAL, .container = cid(1, 1), .signal = c});
        CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 1);
        CU_ASSERT_EQUAL(signals(&w, sent[c]), 1);
        CU_ASSERT_EQUAL(state(&w, 1), NM_RUNNING);
        step(&w, (struct nm_event){.kind = NM_EV_SIGNALLED,
                                   .container = cid(1, 1),
                                   .u.signalled.signal = sent[c]}); /* the signal reached nobody */
        CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    }
    ended(&w, 1, 137);
    CU_ASSERT_EQUAL(view(&w, 1)->exit_code, 137); /* as if it had died by itself */
    CU_ASSERT_PTR_NULL(view(&w, 1)->kill_reason);
    on(&w, BASE_ORDER_SIGNAL, 1);
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    world_free(&w);
}

/* Goal: a kill is TERM, a grace, KILL, and KILL again; the exit code is NM_EXIT_KILLED, with the
 * order's reason, whatever code the process ended with. */
static void test_kill(void)
{
    struct world w;
    world_up(&w);
    launch(&w, 1);
    spawned(&w, 1);
    on(&w, BASE_ORDER_KILL, 1);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_TERM), 1);
    CU_ASSERT_EQUAL(find(&w, NM_FX_MARK)->mark, NM_MARK_KILLED);
    on(&w, BASE_ORDER_KILL, 1);
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    w.now += 249999;
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    w.now += 1;
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_KILL), 1);
    w.now += NM_KILL_AGAIN_US;
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_KILL), 1);
    ended(&w, 1, 0);
    CU_ASSERT_EQUAL(view(&w, 1)->exit_code, NM_EXIT_KILLED);
    CU_ASSERT_STRING_EQUAL(view(&w, 1)->diagnostics, "why");
    /* Killed before its shim has started: the signal waits for the shim, and is sent again while
     * the command is not started yet. */
    launch(&w, 2);
    on(&w, BASE_ORDER_KILL, 2);
    CU_ASSERT_EQUAL(count(&w, NM_FX_SIGNAL), 0);
    spawned(&w, 2);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_TERM), 1);
    struct nm_event none = {.kind = NM_EV_SIGNALLED, .container = cid(1, 2)};
    none.u.signalled.signal = NM_SIGNAL_TERM;
    step(&w, none);
    CU_ASSERT(nm_core_next_timer_us(w.core) <= w.now + NM_SIGNAL_AGAIN_US);
    w.now += NM_SIGNAL_AGAIN_US;
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_TERM), 1);
    /* A suspended process has to run to receive TERM. */
    launch(&w, 3);
    spawned(&w, 3);
    on(&w, BASE_ORDER_SUSPEND, 3);
    on(&w, BASE_ORDER_KILL, 3);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_TERM), 1);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_CONT), 1);
    world_free(&w);
}

static void test_suspend_while_launching(void)
{
    struct world w;
    world_up(&w);
    launch(&w, 1);
    on(&w, BASE_ORDER_SUSPEND, 1);
    CU_ASSERT_EQUAL(state(&w, 1), NM_LAUNCHING);
    spawned(&w, 1);
    CU_ASSERT_EQUAL(state(&w, 1), NM_SUSPENDED);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_STOP), 1);
    launch(&w, 2);
    on(&w, BASE_ORDER_SUSPEND, 2);
    on(&w, BASE_ORDER_RESUME, 2);
    spawned(&w, 2);
    CU_ASSERT_EQUAL(state(&w, 2), NM_RUNNING);
    world_free(&w);
}

/* Goal: a higher epoch counts from when it is stored; answers of a lower one are refused whole,
 * counted, logged once for each highest epoch, and followed by a registration: at once where
 * another RM is left to ask. */
static void test_epochs(void)
{
    struct world w;
    world_up(&w);
    step(&w, (struct nm_event){.kind = NM_EV_EPOCH_SAVED, .u.epoch_saved = 7});
    CU_ASSERT_EQUAL(w.fx.len, 0);
    CU_ASSERT_EQUAL(nm_core_epoch(w.core), 7);
    step(&w, (struct nm_event){.kind = NM_EV_EPOCH_SAVED, .u.epoch_saved = 5});
    CU_ASSERT_EQUAL(nm_core_epoch(w.core), 7); /* the epoch never goes back */
    struct nm_order o[] = {launch_order(1, 1), launch_order(1, 2)};
    answer(&w, 7, o, 1);
    CU_ASSERT_EQUAL(state(&w, 1), NM_LAUNCHING);
    for (int i = 0; i < 3; i++) {
        answer(&w, i ? 5 : 6, o + 1, 1);
        CU_ASSERT_EQUAL(state(&w, 2), NM_NEW);
        CU_ASSERT_EQUAL(nm_core_epoch(w.core), 7);
        CU_ASSERT_EQUAL(nm_core_stats(w.core)->stale_answers, (uint64_t)i + 1);
        CU_ASSERT_EQUAL(nm_core_stats(w.core)->refused_orders, (uint64_t)i + 1);
        CU_ASSERT_EQUAL(count(&w, NM_FX_NOTE), i == 0); /* once for the highest epoch */
        CU_ASSERT_FALSE(nm_core_is_registered(w.core));
        CU_ASSERT_EQUAL(count(&w, NM_FX_BEAT), 0);
        w.now = nm_core_next_timer_us(w.core);
        step(&w, (struct nm_event){.kind = NM_EV_TIMER});
        CU_ASSERT_TRUE(find(&w, NM_FX_BEAT) && find(&w, NM_FX_BEAT)->registering);
    }
    struct nm_event ev = {.kind = NM_EV_ANSWER, .u.answer = {.epoch = 6, .no_pause = true}};
    step(&w, ev); /* answers a registration, and another RM is left to ask */
    CU_ASSERT_TRUE(find(&w, NM_FX_BEAT) && find(&w, NM_FX_BEAT)->registering);
    answer(&w, 7, o + 1, 1);
    CU_ASSERT_EQUAL(state(&w, 2), NM_LAUNCHING);
    CU_ASSERT_TRUE(nm_core_is_registered(w.core));
    world_free(&w);
}

/* The record of an application is written again when a launch brings what was not known. */
static void test_changes_of_app(void)
{
    struct nm_order o = launch_order(1, 1);
    struct world w;

    world_up(&w);
    o.launch.user = "ann";
    o.launch.token = "";
    order(&w, o);
    o = launch_order(1, 2);
    o.launch.token = "secret";
    order(&w, o);
    CU_ASSERT_TRUE(find(&w, NM_FX_LAUNCH)->app_changed);
    o = launch_order(1, 3);
    o.launch.token = "secret";
    order(&w, o);
    CU_ASSERT_FALSE(find(&w, NM_FX_LAUNCH)->app_changed);
    world_free(&w);
}

/* The list of who may see an application comes with its launches, and stays when a later launch has
 * none. */
static void test_acl_of_app(void)
{
    struct nm_order o = launch_order(1, 1);
    struct base_app_id id = cid(1, 1).attempt.app;
    struct world w;

    world_up(&w);
    o.launch.acl_view = "carol";
    order(&w, o);
    CU_ASSERT_STRING_EQUAL(nm_core_app_find(w.core, &id)->acl_view, "carol");
    order(&w, launch_order(1, 2));
    CU_ASSERT_STRING_EQUAL(nm_core_app_find(w.core, &id)->acl_view, "carol");
    order(&w, launch_order(2, 1));
    id = cid(2, 1).attempt.app;
    CU_ASSERT_PTR_NULL(nm_core_app_find(w.core, &id)->acl_view);
    world_free(&w);
}

static void test_cleanup_and_shutdown(void)
{
    struct world w;
    struct base_app_id app = cid(1, 0).attempt.app;
    world_up(&w);
    launch(&w, 1);
    launch(&w, 2);
    spawned(&w, 1);
    spawned(&w, 2);
    ended(&w, 1, 0);
    struct nm_order o = {.kind = BASE_ORDER_CLEANUP_APP, .app = app, .keep_logs = true};
    order(&w, o);
    CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_KILL), 1);
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 0); /* not while a container is alive */
    CU_ASSERT_TRUE(nm_core_app_find(w.core, &app)->cleaning);
    ended(&w, 2, 137);
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 1);
    CU_ASSERT_TRUE(find(&w, NM_FX_CLEANUP)->keep_logs);
    CU_ASSERT_EQUAL(carried(&w), 0);
    CU_ASSERT_TRUE(nm_core_app_find(w.core, &app)->finished);
    order(&w, o);
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 0);
    CU_ASSERT_PTR_NULL(view(&w, 1)); /* freed a step later */
    order(&w, launch_order(2, 1));
    order(&w, (struct nm_order){.kind = BASE_ORDER_SHUTDOWN, .reason = "r", .grace_ms = 250});
    CU_ASSERT_EQUAL(count(&w, NM_FX_STOP), 0);
    struct nm_event ev = {.kind = NM_EV_SPAWN_FAILED, .container = cid(2, 1)};
    ev.u.ended.exit_code = 126;
    step(&w, ev);
    CU_ASSERT_EQUAL(count(&w, NM_FX_STOP), 1);
    CU_ASSERT_EQUAL(nm_core_next_timer_us(w.core), INT64_MAX);
    world_free(&w);
}

static struct nm_order cleanup_order(int app)
{
    return (struct nm_order){.kind = BASE_ORDER_CLEANUP_APP, .app = cid(app, 0).attempt.app};
}

/* Launches container @n of application 1 and ends it. */
static void run_container(struct world *w, int n)
{
    launch(w, n);
    CU_ASSERT_EQUAL(count(w, NM_FX_LAUNCH), 1);
    spawned(w, n);
    ended(w, n, 0);
    CU_ASSERT_EQUAL(state(w, n), NM_COMPLETE);
    CU_ASSERT_EQUAL(carried(w), UINT64_C(1) << n); /* its end is reported */
}

/* Goal: an application that was cleaned up starts again, whether the clean-up found no container of
 * it or ended ones, and is cleaned up again; also when clean-up and launch are orders of one
 * answer. The clean-up comes first then. */
static void test_launch_after_cleanup(void)
{
    struct world w;
    struct base_app_id app = cid(1, 0).attempt.app;
    struct base_container_id first = cid(1, 1);
    struct nm_order both[] = {cleanup_order(1), launch_order(1, 3)};

    world_up(&w);
    run_container(&w, 1);
    on(&w, BASE_ORDER_FORGET, 1);
    step(&w, (struct nm_event){.kind = NM_EV_TIMER}); /* frees it */
    order(&w, cleanup_order(1));
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 1);
    CU_ASSERT_FALSE(nm_core_app_find(w.core, &app)->cleaning);
    CU_ASSERT_FALSE(nm_core_has_forgotten(w.core, &first));
    run_container(&w, 2);
    CU_ASSERT_FALSE(nm_core_app_find(w.core, &app)->finished);
    answer(&w, nm_core_epoch(w.core), both, 2);
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 1);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 1);
    CU_ASSERT_EQUAL(w.fx.v[0].kind, NM_FX_CLEANUP);
    spawned(&w, 3);
    CU_ASSERT_PTR_NULL(view(&w, 2));
    ended(&w, 3, 0);
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 0); /* the clean-up is not repeated */
    CU_ASSERT_EQUAL(carried(&w), 1 << 3);
    order(&w, cleanup_order(1));
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 1);
    CU_ASSERT_TRUE(nm_core_app_find(w.core, &app)->finished);
    world_free(&w);
}

/* Goal: a launch takes back a clean-up that waits for a container which is slow to die: the new
 * container keeps its folders, its end is reported, and the next clean-up is carried out. */
static void test_launch_before_cleanup_is_done(void)
{
    struct world w;
    struct base_app_id app = cid(1, 0).attempt.app;

    world_up(&w);
    launch(&w, 1);
    spawned(&w, 1);
    order(&w, cleanup_order(1));
    CU_ASSERT_EQUAL(state(&w, 1), NM_KILLING);
    CU_ASSERT_TRUE(nm_core_app_find(w.core, &app)->cleaning);
    launch(&w, 2);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 1);
    CU_ASSERT_FALSE(nm_core_app_find(w.core, &app)->cleaning);
    spawned(&w, 2);
    CU_ASSERT_EQUAL(state(&w, 2), NM_RUNNING);
    ended(&w, 2, 0);
    ended(&w, 1, 137);
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 0);
    CU_ASSERT_EQUAL(carried(&w), 1 << 1 | 1 << 2);
    order(&w, cleanup_order(1));
    CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 1);
    CU_ASSERT_TRUE(nm_core_app_find(w.core, &app)->finished);
    world_free(&w);
}

/* Goal: applications that start again count once among the finished ones that stay listed. */
static void test_many_cleanups(void)
{
    struct world w;
    struct base_app_id other = cid(2, 0).attempt.app;

    world_up(&w);
    order(&w, launch_order(2, 1));
    step(&w, (struct nm_event){.kind = NM_EV_SPAWN_FAILED, .container = cid(2, 1)});
    order(&w, cleanup_order(2));
    for (int i = 0; i < NM_APPS_FINISHED_MAX + 1; i++) {
        run_container(&w, 1);
        order(&w, cleanup_order(1));
        CU_ASSERT_EQUAL(count(&w, NM_FX_CLEANUP), 1);
    }
    step(&w, (struct nm_event){.kind = NM_EV_TIMER});
    CU_ASSERT_PTR_NOT_NULL(nm_core_app_find(w.core, &other));
    world_free(&w);
}

static void test_recovered(void)
{
    struct world w;
    world_new(&w);
    for (int i = 0; i < 5; i++) {
        static const enum nm_state states[] = {NM_RUNNING, NM_SUSPENDED, NM_KILLING, NM_COMPLETE,
                                               NM_FORGOTTEN};
        struct nm_event ev = {.kind = NM_EV_RECOVERED};
        ev.u.recovered.launch = launch_order(1, i + 1).launch;
        ev.u.recovered.state = states[i];
        ev.u.recovered.kill_reason = states[i] == NM_KILLING ? "why" : NULL;
        ev.u.recovered.end.exit_code = 5;
        step(&w, ev);
        CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_STOP), i == 1);
        CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_KILL), i == 2);
        /* its resume may have been cut short */
        CU_ASSERT_EQUAL(signals(&w, NM_SIGNAL_CONT), i == 0);
    }
    CU_ASSERT_EQUAL(nm_core_alive_count(w.core), 3);
    step(&w, (struct nm_event){.kind = NM_EV_START});
    CU_ASSERT_EQUAL(carried(&w), 0x1e); /* all but the forgotten one */
    CU_ASSERT_EQUAL(view(&w, 4)->exit_code, 5);
    answer(&w, 1, NULL, 0);
    launch(&w, 5);
    CU_ASSERT_EQUAL(count(&w, NM_FX_LAUNCH), 0);
    world_free(&w);
}

/* Goal: the ids of very many forgotten containers are found again, and no other ids. */
static void test_many_forgotten(void)
{
    struct world w;
    world_new(&w);
    for (int i = 0; i < 200000; i++) {
        struct nm_event ev = {.kind = NM_EV_RECOVERED};
        ev.u.recovered.launch.id = cid(1, i * 7);
        ev.u.recovered.state = NM_FORGOTTEN;
        step(&w, ev);
    }
    for (int i = 0; i < 1400000; i += 3) {
        struct base_container_id id = cid(1, i);
        if (nm_core_has_forgotten(w.core, &id) != (i % 7 == 0))
            CU_FAIL("an id was lost or invented");
    }
    world_free(&w);
}

/* ---- random life ---- */

#define MODEL_MAX 48

struct model { /* what the world outside knows of a container */
    bool spawn_asked, shim, ended, forgot, said_complete;
    int launches;
};
struct chaos {
    struct world w;
    uint64_t seed;
    struct model m[MODEL_MAX];
    uint64_t seen_complete;
    bool beat;
};

static uint32_t dice(struct chaos *x, uint32_t n)
{
    x->seed = x->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(x->seed >> 33) % n;
}

static void beat_look(struct nm_container *c, void *u)
{
    struct chaos *x = u;
    const struct nm_container_view *v = nm_core_view(c);
    struct model *m = &x->m[v->id.num];
    CU_ASSERT_FALSE(m->forgot); /* never reported again */
    CU_ASSERT_EQUAL(v->state == NM_COMPLETE, m->ended);
    if (v->state == NM_COMPLETE)
        x->seen_complete |= UINT64_C(1) << v->id.num;
}

/* Every effect must fit what happened so far. */
static void chaos_check(struct chaos *x)
{
    for (size_t i = 0; i < x->w.fx.len; i++) {
        const struct nm_effect *fx = &x->w.fx.v[i];
        struct model *m = fx->container ? &x->m[nm_core_view(fx->container)->id.num] : NULL;
        if (fx->kind == NM_FX_LAUNCH) {
            CU_ASSERT_EQUAL(m->launches++, 0);
            m->spawn_asked = true;
        } else if (fx->kind == NM_FX_SIGNAL) {
            CU_ASSERT_TRUE(m->shim && !m->ended);
        } else if (fx->kind == NM_FX_MARK && fx->mark == NM_MARK_FORGOTTEN) {
            CU_ASSERT_TRUE(m->ended && !m->forgot);
            m->forgot = true;
        } else if (fx->kind == NM_FX_BEAT) {
            CU_ASSERT_FALSE(x->beat); /* only one heartbeat is in flight */
            x->beat = true;
            nm_core_mark_sent_each_to_report(x->w.core, beat_look, x);
        } else if (fx->kind == NM_FX_WAKE) {
            CU_ASSERT_TRUE(x->beat);
        }
    }
}

static void chaos_orders(struct chaos *x)
{
    struct nm_order o[6];
    size_t n = dice(x, 6);
    for (size_t i = 0; i < n; i++) {
        static const enum base_order_kind types[] = {
            BASE_ORDER_LAUNCH, BASE_ORDER_LAUNCH, BASE_ORDER_KILL,  BASE_ORDER_SUSPEND,
            BASE_ORDER_RESUME, BASE_ORDER_FORGET, BASE_ORDER_RESYNC};
        int c = (int)dice(x, MODEL_MAX);
        o[i] = (struct nm_order){
            .kind = types[dice(x, 7)], .container = cid(1, c), .grace_ms = dice(x, 300)};
        if (o[i].kind == BASE_ORDER_LAUNCH)
            o[i].launch = launch_order(1, c).launch;
        if (o[i].kind == BASE_ORDER_FORGET && !(x->seen_complete >> c & 1))
            /* an RM orders to forget only containers whose end it was told */
            o[i].kind = BASE_ORDER_SUSPEND;
    }
    x->beat = false;
    int64_t epoch = nm_core_epoch(x->w.core) + (int)dice(x, 20) / 19 - (int)dice(x, 20) / 19;
    answer(&x->w, epoch < 0 ? 0 : epoch, o, n);
}

static void chaos_step(struct chaos *x)
{
    int c = (int)dice(x, MODEL_MAX);
    struct model *m = &x->m[c];
    x->w.fx.len = 0;
    x->w.now += dice(x, 30000);
    switch (dice(x, 7)) {
    case 0:
    case 1:
        if (x->beat)
            chaos_orders(x);
        break;
    case 2:
        if (x->beat) {
            x->beat = false;
            fail(&x->w, dice(x, 4) == 0, dice(x, 2));
        }
        break;
    case 3:
        if (m->spawn_asked && !m->shim && !m->ended) {
            m->shim = true;
            spawned(&x->w, c);
        }
        break;
    case 4:
        if (m->spawn_asked && !m->ended) {
            m->ended = true;
            ended(&x->w, c, (int)dice(x, 256));
        }
        break;
    case 5: {
        struct nm_event ev = {.kind = NM_EV_SIGNALLED, .container = cid(1, c)};
        ev.u.signalled.signal = (enum nm_signal)dice(x, 4);
        ev.u.signalled.count = dice(x, 2);
        step(&x->w, ev);
        break;
    }
    default:
        step(&x->w, (struct nm_event){.kind = NM_EV_TIMER});
        break;
    }
    chaos_check(x);
}

/* Invariants under random orders, losses and timings: no container is started twice, signals go to
 * the living only, one request in flight, nothing forgotten is reported, and in the end the end of
 * every container was reported. */
static void test_random(void)
{
    const char *given = getenv("CREEL_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1, n = given ? 1 : 200;
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct chaos x = {.seed = seed};
        unsigned before = CU_get_number_of_failures();
        world_new(&x.w);
        step(&x.w, (struct nm_event){.kind = NM_EV_START});
        chaos_check(&x);
        for (int i = 0; i < 3000; i++)
            chaos_step(&x);
        /* Let it come to rest: everything ends, the RM answers. */
        for (int c = 0; c < MODEL_MAX; c++) {
            if (x.m[c].spawn_asked && !x.m[c].ended) {
                x.m[c].ended = true;
                ended(&x.w, c, 0);
                chaos_check(&x);
            }
        }
        for (int i = 0; i < 20; i++) {
            if (x.beat) {
                x.beat = false;
                answer(&x.w, nm_core_epoch(x.w.core), NULL, 0);
            } else {
                x.w.now = nm_core_next_timer_us(x.w.core);
                step(&x.w, (struct nm_event){.kind = NM_EV_TIMER});
            }
            chaos_check(&x);
        }
        CU_ASSERT_EQUAL(nm_core_alive_count(x.w.core), 0);
        for (int c = 0; c < MODEL_MAX; c++)
            CU_ASSERT_TRUE(!x.m[c].ended || (x.seen_complete >> c & 1));
        if (CU_get_number_of_failures() != before)
            printf("  failed with CREEL_SEED=%llu\n", (unsigned long long)seed);
        world_free(&x.w);
    }
}

static const struct cunit_case cases[] = {
    {"edges", test_edges},
    {"life", test_life},
    {"signals of users", test_signals_of_users},
    {"kill", test_kill},
    {"suspend while launching", test_suspend_while_launching},
    {"epochs", test_epochs},
    {"cleanup-app, shutdown", test_cleanup_and_shutdown},
    {"launch after a clean-up", test_launch_after_cleanup},
    {"launch before a clean-up is done", test_launch_before_cleanup_is_done},
    {"very many clean-ups of one application", test_many_cleanups},
    {"changes of an application", test_changes_of_app},
    {"who may see an application", test_acl_of_app},
    {"recovered", test_recovered},
    {"many forgotten", test_many_forgotten},
    {"random life by seed", test_random},
};
CUNIT_MAIN("the NodeManager's core", cases)

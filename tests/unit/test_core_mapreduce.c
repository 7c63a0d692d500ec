/* Goal: policies see a MapReduce application of Hadoop as a job with maps and reduces. Method:
 * event sequences of a master, and exact counts and durations. */
#include <string.h>

#include "tests/unit/core_masters.h"

#define MAP    BASE_TASK_MAP
#define REDUCE BASE_TASK_REDUCE

static int64_t response;

/* @options: "name=value ..." */
static void begin_under(const char *policy, const char *options, const char *app)
{
    char name[64], value[64];
    int n = 0;

    world_init(&w, policy);
    for (; sscanf(options, " %63[^=]=%63s%n", name, value, &n) == 2; options += n)
        world_option(&w, name, value);
    world_renew(&w);
    world_add_node(&w, 4, 2, "/a");
    world_add_node(&w, 4, 2, "/b");
    world_beat_all(&w, 0);
    id = world_submit_app(&w, app);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    do_register(1);
    CU_ASSERT_EQUAL_FATAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    response = 0;
}

static struct rm_ask ask_at(int32_t priority, const char *name, int32_t n)
{
    struct rm_ask a = ask(name, n);

    a.priority = priority;
    return a;
}

/* The master's next call, with @n asks. */
static void call(struct rm_ask *asks, size_t n)
{
    allocate(response, asks, n, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ALLOCATED);
    response = w.reply.response_id;
}

static void call_with(int32_t maps, int32_t reduces, int32_t failed_maps)
{
    struct rm_ask asks[3];
    size_t n = 0;

    if (maps >= 0)
        asks[n++] = ask_at(20, "*", maps);
    if (reduces >= 0)
        asks[n++] = ask_at(10, "*", reduces);
    if (failed_maps >= 0)
        asks[n++] = ask_at(5, "*", failed_maps);
    call(asks, n);
}

static void is_phase(enum base_task_kind k, int total, int pending, int running, int done)
{
    const struct policy_phase *p = &core_app()->pj.phase[k];

    CU_ASSERT_EQUAL(p->total, total);
    CU_ASSERT_EQUAL(p->pending, pending);
    CU_ASSERT_EQUAL(p->running, running);
    CU_ASSERT_EQUAL(p->done, done);
}

/* Returns the newest container of kind @k, not a master's, that has not ended. */
static struct base_container_id newest(enum base_task_kind k)
{
    struct rm_container *ct = core_app()->containers;

    while (ct && (ct->master || (int)ct->slot != (int)k))
        ct = ct->app_next;
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    return ct->id;
}

static void end_newest(enum base_task_kind k, int32_t code)
{
    struct base_container_id ct = newest(k);

    end(&ct, code);
}

/* Priorities tell maps from reduces; ends with code 0 are samples, whose length is the time from
 * start to end, of reduces from the end of the maps. */
static void test_counts_and_samples(void)
{
    const struct policy_job *pj;

    begin_under("fifo", "", "mr 1024 2 0");
    pj = &core_app()->pj;
    CU_ASSERT_FALSE(pj->is_job);
    call_with(-1, -1, -1);
    CU_ASSERT_FALSE(pj->is_job);
    call_with(3, -1, -1);
    CU_ASSERT(pj->is_job && pj->never_suspended);
    is_phase(MAP, 3, 3, 0, 0);
    world_beat(&w, &w.nodes[0], 0);
    is_phase(MAP, 3, 0, 3, 0);
    CU_ASSERT_EQUAL(pj->first_us, w.now);
    world_advance(&w, 30 * S);
    end_newest(MAP, 0);
    is_phase(MAP, 3, 0, 2, 1);
    CU_ASSERT_EQUAL(pj->seen[MAP].n, 1);
    CU_ASSERT_EQUAL(pj->seen[MAP].work_us, 30 * S);
    call_with(0, 2, -1);
    is_phase(REDUCE, 2, 2, 0, 0);
    world_beat(&w, &w.nodes[0], 0);
    is_phase(REDUCE, 2, 0, 2, 0);
    CU_ASSERT_EQUAL(w.nodes[0].v[w.nodes[0].n - 1].slot, REDUCE); /* its node knows that, too */
    CU_ASSERT_EQUAL(pj->maps_done_us, 0);
    world_advance(&w, 10 * S);
    end_newest(MAP, 0);
    end_newest(MAP, 0);
    is_phase(MAP, 3, 0, 0, 3);
    CU_ASSERT_EQUAL(pj->maps_done_us, w.now);
    CU_ASSERT_EQUAL(pj->seen[MAP].work_us, (30 + 40 + 40) * S);
    world_advance(&w, 7 * S);
    end_newest(REDUCE, 0);
    CU_ASSERT_EQUAL(pj->seen[REDUCE].work_us, 7 * S); /* it had been running for 17 s */
    CU_ASSERT_EQUAL(policy_learned_recent_mean_us(&w.core->learned, MAP), 110 * S / 3);
    is_phase(REDUCE, 2, 0, 1, 1);
    world_free(&w);
}

/* A failed map is owed until the master asks for it again, or has acknowledged its end. */
static void test_owed_maps(void)
{
    const struct policy_job *pj;

    begin_under("fifo", "", "mr 1024 2 0");
    pj = &core_app()->pj;
    call_with(2, -1, -1);
    world_beat(&w, &w.nodes[0], 0);
    call_with(0, -1, -1);
    end_newest(MAP, 0);
    end_newest(MAP, 143);
    is_phase(MAP, 2, 0, 0, 1);
    CU_ASSERT_EQUAL(pj->maps_done_us, 0); /* one is owed */
    CU_ASSERT_EQUAL(pj->seen[MAP].n, 1);
    call_with(-1, -1, -1); /* the answer tells the end */
    is_phase(MAP, 2, 0, 0, 1);
    call_with(-1, -1, 1); /* asked again at once */
    is_phase(MAP, 2, 1, 0, 1);
    CU_ASSERT_EQUAL(pj->maps_done_us, 0);
    world_beat(&w, &w.nodes[0], 0);
    call_with(-1, -1, 0);
    end_newest(MAP, 143);
    is_phase(MAP, 2, 0, 0, 1);
    call_with(-1, -1, -1);
    CU_ASSERT_EQUAL(pj->maps_done_us, 0);
    world_advance(&w, 5 * S);
    call_with(-1, -1, -1); /* acknowledged, and not asked again */
    is_phase(MAP, 1, 0, 0, 1);
    CU_ASSERT_EQUAL(pj->maps_done_us, w.now - 5 * S);
    call_with(-1, -1, 1); /* ended with code 0, and has failed for all that */
    is_phase(MAP, 1, 1, 0, 0);
    CU_ASSERT_EQUAL(pj->maps_done_us, 0);
    world_free(&w);
}

/* A container too many counts until its release is acknowledged. */
static void test_released_container(void)
{
    struct base_container_id one;

    begin_under("fifo", "", "mr 1024 2 0");
    call_with(1, -1, -1);
    world_beat(&w, &w.nodes[0], 0);
    call_with(1, -1, -1); /* sent before the answer had arrived */
    world_beat(&w, &w.nodes[0], 0);
    is_phase(MAP, 2, 0, 2, 0);
    one = newest(MAP);
    allocate(response++, NULL, 0, &one, 1);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    is_phase(MAP, 2, 0, 1, 0);
    call_with(-1, -1, -1);
    call_with(-1, -1, -1);
    is_phase(MAP, 1, 0, 1, 0);
    world_free(&w);
}

static void test_reduces_from_tag(void)
{
    begin_under("fifo", "", "mr-0-7 1024 2 0");
    is_phase(REDUCE, 0, 0, 0, 0);
    call_with(1, -1, -1);
    is_phase(REDUCE, 7, 0, 0, 0);
    call_with(-1, 2, -1);
    is_phase(REDUCE, 7, 2, 0, 0);
    call_with(-1, 9, -1); /* the tag was wrong */
    is_phase(REDUCE, 9, 9, 0, 0);
    world_free(&w);
}

static void test_kinds_of_slots(void)
{
    struct rm_ask named;

    begin_under("fifo", "", "app 1024 2 0"); /* of another type */
    call_with(1, 2, -1);
    CU_ASSERT_FALSE(core_app()->pj.is_job);
    is_phase(MAP, 3, 3, 0, 0);
    is_phase(REDUCE, 0, 0, 0, 0);
    world_free(&w);
    begin_under("fifo", "", "mr 1024 2 0"); /* asks at no priority of tasks */
    named = ask_at(1, "*", 2);
    call(&named, 1);
    CU_ASSERT_FALSE(core_app()->pj.is_job);
    is_phase(MAP, 2, 2, 0, 0);
    named = ask_at(10, "*", 2); /* its resource decides */
    named.capability.v[RM_RES_MAP_SLOTS] = 1;
    call(&named, 1);
    is_phase(MAP, 4, 4, 0, 0);
    is_phase(REDUCE, 0, 0, 0, 0);
    world_free(&w);
    world_init(&w, "fifo"); /* no reduce slots at all */
    world_add_node(&w, 4, 0, "/a");
    id = world_submit_app(&w, "mr 1024 2 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    do_register(1);
    response = 0;
    call_with(-1, 2, -1);
    is_phase(MAP, 2, 2, 0, 0);
    world_free(&w);
}

static bool has_answer_of_end(void)
{
    return strcmp(w.reply.command, "shutdown") == 0;
}

/* RTMR is asked when the master has named all its maps; until then no container is given. */
static void test_deadline_kept(void)
{
    const struct rm_app *a;

    begin_under("rtmr", "", "mr-600-1 1024 2 0");
    a = core_app();
    call_with(2, -1, -1);
    world_beat_all(&w, 0);
    CU_ASSERT_FALSE(a->pj.is_job);
    is_phase(MAP, 0, 0, 0, 0);
    call_with(3, -1, -1); /* still growing */
    world_beat_all(&w, 0);
    CU_ASSERT_FALSE(a->pj.is_job);
    CU_ASSERT_EQUAL(a->promised_us, 0);
    call_with(-1, -1, -1);
    CU_ASSERT_TRUE(a->pj.is_job);
    /* 3 maps at once on 7 free slots, then one reduce: 60 s each, and a heartbeat for each */
    CU_ASSERT_EQUAL(a->promised_us, w.now + 2 * (60 + 1) * S);
    is_phase(MAP, 3, 3, 0, 0);
    is_phase(REDUCE, 1, 0, 0, 0);
    world_beat_all(&w, 0);
    is_phase(MAP, 3, 0, 3, 0);
    call_with(0, 1, -1);
    world_beat_all(&w, 0);
    is_phase(REDUCE, 1, 0, 0, 0); /* reduces start last */
    for (int i = 0; i < 3; i++)
        end_newest(MAP, 0);
    is_phase(REDUCE, 1, 0, 1, 0); /* in the heartbeat with the end of the last map */
    world_free(&w);
}

/* RTMR plans anew when a master asks for reduces that no tag had told of. */
static void test_deadline_with_unknown_reduces(void)
{
    struct base_app_id later;

    for (int reduces = 0; reduces <= 4; reduces += 4) {
        begin_under("rtmr", "", "mr-600 1024 2 0");
        call_with(2, -1, -1);
        call_with(-1, -1, -1);
        CU_ASSERT_EQUAL(core_app()->promised_us, w.now + 61 * S);
        call_with(-1, reduces, -1); /* all the reduce slots that there are */
        later = world_submit(&w, "later 1 1 0 4 0 0 700");
        CU_ASSERT_EQUAL(world_app(&w, later).promised_us, w.now + (reduces ? 3 : 2) * 61 * S);
        world_free(&w);
    }
}

static void test_deadline_refused(void)
{
    struct rm_app_view v;

    begin_under("rtmr", "", "mr-90-1 1024 2 0"); /* two rounds of 61 s do not fit */
    call_with(3, -1, -1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    call_with(-1, -1, -1);
    CU_ASSERT_TRUE(has_answer_of_end());
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.state, RM_APP_FAILED);
    CU_ASSERT_EQUAL(v.final_status, RM_FINAL_FAILED);
    CU_ASSERT_EQUAL(v.result, RM_RESULT_REFUSED);
    CU_ASSERT(v.earliest_us >= w.now + 122 * S && v.earliest_us < w.now + 140 * S);
    CU_ASSERT_PTR_NOT_NULL(strstr(core_app()->diagnostics, "deadline: refused by rtmr: "));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(core_app()->diagnostics, "Submitted again now with the deadline"));
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0); /* its master was killed */
    CU_ASSERT_EQUAL(core_app()->attempts_n, 1);
    world_free(&w);
}

/* The promise survives a failover; the containers keep their kinds, and the policy is not asked
 * again. */
static void test_failover(void)
{
    int64_t promised;

    begin_under("rtmr", "", "mr-600-1 1024 2 0");
    call_with(2, 1, -1);
    call_with(-1, -1, -1);
    promised = core_app()->promised_us;
    CU_ASSERT(promised > 0);
    world_beat(&w, &w.nodes[0], 0);
    call_with(0, -1, -1);
    end_newest(MAP, 0);
    end_newest(MAP, 0);
    world_beat_all(&w, 0);
    is_phase(REDUCE, 1, 0, 1, 0);
    call_with(-1, 0, -1);
    world_crash(&w, w.durable);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(core_app()->promised_us, promised);
    CU_ASSERT_FALSE(core_app()->pj.is_job);
    CU_ASSERT_EQUAL(core_app()->phase[REDUCE].running, 1);
    do_register(1);
    response = 0;
    call_with(-1, -1, -1);
    CU_ASSERT_TRUE(core_app()->pj.is_job);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    is_phase(REDUCE, 1, 0, 1, 0);
    CU_ASSERT(core_app()->pj.maps_done_us > 0);
    world_free(&w);
}

/* A job that was promised a date before the failover is not tested again, though nothing of it
 * runs. */
static void test_promise_kept(void)
{
    int64_t promised;

    begin_under("rtmr", "", "mr-600-1 1024 2 0");
    call_with(2, -1, -1);
    call_with(-1, -1, -1);
    promised = core_app()->promised_us;
    CU_ASSERT_EQUAL(promised, w.now + 122 * S);
    world_crash(&w, w.durable);
    world_beat_all(&w, 0);
    world_advance(&w, 10 * S);
    do_register(1);
    response = 0;
    call_with(2, -1, -1);
    CU_ASSERT_TRUE(core_app()->pj.is_job); /* at once: there is nothing to decide */
    CU_ASSERT_EQUAL(core_app()->promised_us, promised);
    world_free(&w);
}

/* The next attempt begins as an application again; what was learned stays. */
static void test_attempt_ends(void)
{
    static const char *const policies[] = {"fifo", "fair", "hfsp", "hsrtf-pu", "rtmr", "las"};

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        begin_under(policies[i], "", "mr 1024 3 0");
        call_with(3, -1, -1);
        world_beat(&w, &w.nodes[0], 0);
        end_newest(MAP, 0);
        is_phase(MAP, 3, 0, 2, 1);
        end_master(3);
        CU_ASSERT_FALSE(core_app()->pj.is_job);
        for (int j = 0; j < 4; j++)
            world_beat_all(&w, 0);
        is_phase(MAP, 0, 0, 0, 0);
        CU_ASSERT_EQUAL(core_app()->pj.seen[MAP].n, 1);
        do_register(2);
        CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
        response = 0;
        call_with(2, -1, -1);
        is_phase(MAP, 2, 2, 0, 0);
        CU_ASSERT_TRUE(core_app()->pj.is_job);
        world_free(&w);
    }
}

/* Maps with hosts wait for a node near their data, as long as delay scheduling says. */
static void test_delay_scheduling(void)
{
    struct rm_ask asks[3];

    begin_under("fifo", "delay.w1=5", "mr 1024 2 0");
    asks[0] = ask_at(20, "node1", 1);
    asks[1] = ask_at(20, "/b", 1);
    asks[2] = ask_at(20, "*", 1);
    call(asks, 3);
    for (int i = 0; i < 5; i++) {
        world_advance(&w, 1 * S);
        world_beat(&w, &w.nodes[0], 0);
        is_phase(MAP, 1, 1, 0, 0);
    }
    world_beat(&w, &w.nodes[1], 0);
    is_phase(MAP, 1, 0, 1, 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    world_free(&w);
    begin_under("fifo", "delay.w1=5", "mr 1024 2 0");
    asks[0] = ask_at(20, "node7", 1); /* which there is not */
    asks[1] = ask_at(20, "*", 1);
    call(asks, 2);
    for (int i = 0; i < 11; i++) { /* w1 + w2 */
        is_phase(MAP, 1, 1, 0, 0);
        world_advance(&w, 1 * S);
        world_beat(&w, &w.nodes[0], 0);
    }
    is_phase(MAP, 1, 0, 1, 0);
    world_free(&w);
}

/* HFSP measures the first maps of an unknown job, and learns its size from them. */
static void test_hfsp_size(void)
{
    struct base_buf why = {0};

    begin_under("hfsp", "", "mr 1024 2 0");
    call_with(7, -1, -1);
    world_beat_all(&w, 0);
    is_phase(MAP, 7, 0, 7, 0);
    call_with(0, -1, -1);
    w.core->ops->explain(w.core->policy, &core_app()->pj, w.now, &why);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.data, "size guessed as 420.0 s: in training, 0 of 5 "));
    base_buf_free(&why);
    world_advance(&w, 20 * S);
    for (int i = 0; i < 5; i++)
        end_newest(MAP, 0);
    w.core->ops->explain(w.core->policy, &core_app()->pj, w.now, &why);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.data, "size guessed as 420.0 s: in training, 3 of 5 "));
    base_buf_free(&why); /* the newest two were no sample */
    end_newest(MAP, 0);
    end_newest(MAP, 0);
    CU_ASSERT_EQUAL(core_app()->pj.seen[MAP].work_us, 7 * 20 * S);
    world_free(&w);
}

/* Containers of masters are never suspended: others wait for them, unless victims are killed. */
static void test_hfsp_preemption(void)
{
    for (int kill = 0; kill < 2; kill++) {
        struct base_app_id small;

        begin_under("hfsp", kill ? "hfsp.preemption=kill hfsp.promise=none" : "hfsp.promise=none",
                    "mr 1024 2 0");
        call_with(20, -1, -1);
        world_beat_all(&w, 0);
        world_advance(&w, 1 * S);
        small = world_submit(&w, "small 1 0 0 4 0 0");
        world_beat_all(&w, 0);
        CU_ASSERT_EQUAL(w.nodes[0].suspends + w.nodes[1].suspends, 0);
        CU_ASSERT_EQUAL(w.core->stats.overruled, 0);
        CU_ASSERT_EQUAL(w.nodes[0].kills + w.nodes[1].kills, kill);
        for (int i = 0; i < 3; i++)
            world_beat_all(&w, 0);
        CU_ASSERT_EQUAL(world_app(&w, small).phase[MAP].running, kill);
        is_phase(MAP, 20, 13, 7 - kill, 0);
        call_with(-1, -1, -1);
        CU_ASSERT_EQUAL(w.reply.completed_n, kill);
        if (kill)
            CU_ASSERT_EQUAL(w.reply.completed[0].exit_status, RM_EXIT_PREEMPTED);
        call_with(13 + kill, -1, -1); /* a kill is no failure: asked at 20 again */
        is_phase(MAP, 20, 13 + kill, 7 - kill, 0);
        world_free(&w);
    }
}

/* Under fair sharing, a job of Hadoop and one of Creel get the same share of the maps. */
static void test_fair_shares(void)
{
    struct base_app_id own;

    begin_under("fair", "", "mr 1024 2 0");
    call_with(20, -1, -1);
    own = world_submit(&w, "own 20 0 0 4 0 0");
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    /* 7 slots beside the master's */
    CU_ASSERT_EQUAL(core_app()->phase[MAP].running + world_app(&w, own).phase[MAP].running, 7);
    CU_ASSERT(core_app()->phase[MAP].running >= 3 && core_app()->phase[MAP].running <= 4);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"counts and samples", test_counts_and_samples},
    {"owed maps", test_owed_maps},
    {"released container", test_released_container},
    {"reduces from the tag", test_reduces_from_tag},
    {"kinds of slots", test_kinds_of_slots},
    {"deadline kept", test_deadline_kept},
    {"deadline refused", test_deadline_refused},
    {"reduces without a tag", test_deadline_with_unknown_reduces},
    {"failover", test_failover},
    {"promise kept", test_promise_kept},
    {"attempt ends", test_attempt_ends},
    {"delay scheduling", test_delay_scheduling},
    {"HFSP learns the size", test_hfsp_size},
    {"HFSP kills or waits", test_hfsp_preemption},
    {"fair shares", test_fair_shares}};

CUNIT_MAIN("mapreduce", cases)

/* Goal: what becomes of free slots is recorded when somebody asks, and only then: the next round of
 * a node, a number of rounds, all rounds for a time.
 * Method: a small world; offers are counted by hand. */
#include <string.h>

#include "rm/core/schedule/activity.h"
#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;
static struct rm_views v;

static void begin(const char *policy)
{
    world_init(&w, policy);
    world_renew(&w);
    world_add_node(&w, 2, 1, "/a");
    world_add_node(&w, 2, 1, "/b");
}

static void end(void)
{
    rm_views_free(&v);
    world_free(&w);
}

static void record(const struct rm_event *wanted)
{
    struct rm_event ev = *wanted;

    ev.kind = RM_EV_RECORD_ACTIVITIES;
    ev.token = ++w.token;
    world_step(&w, &ev);
}

static void record_next(const char *node_id)
{
    struct rm_event ev = {0};

    ev.u.record.node_id = node_id;
    ev.u.record.next = true;
    record(&ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
}

static size_t rounds(const struct rm_round_filter *f)
{
    rm_views_free(&v);
    rm_view_rounds(w.core, f, &v);
    return v.rounds_n;
}

static void test_nothing_without_a_request(void)
{
    begin("fifo");
    world_submit(&w, "a 9 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(rm_view_last_round_number(w.core), 0);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){0}), 0);
    CU_ASSERT_PTR_NULL(w.core->activities);
    end();
}

static void test_next_round(void)
{
    struct base_app_id first, second;

    begin("fifo");
    first = world_submit(&w, "a 1 0 0 4 0 0");
    second = world_submit(&w, "b 9 0 0 4 0 0 0 prod");
    record_next(NULL);
    CU_ASSERT_TRUE(w.core->recording);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_FALSE(w.core->recording); /* one round was recorded, and no more are */
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL_FATAL(rounds(&(struct rm_round_filter){0}), 1);
    CU_ASSERT_STRING_EQUAL(v.rounds[0].node_id, w.nodes[1].id);
    CU_ASSERT_EQUAL(v.rounds[0].at_us, w.now);
    CU_ASSERT_FALSE(v.rounds[0].full);
    CU_ASSERT_EQUAL(v.rounds[0].wanting_n, 2);
    CU_ASSERT_EQUAL_FATAL(v.rounds[0].offers_n, 2);
    CU_ASSERT_TRUE(v.rounds[0].offers[0].taken);
    CU_ASSERT_TRUE(v.rounds[0].offers[0].has_container);
    CU_ASSERT_EQUAL(v.rounds[0].offers[0].app.seq, first.seq);
    CU_ASSERT_EQUAL(v.rounds[0].offers[0].container.attempt.app.seq, first.seq);
    CU_ASSERT_STRING_EQUAL(v.rounds[0].offers[0].queue, "root.default");
    CU_ASSERT_EQUAL(v.rounds[0].offers[0].allocation_request_id, -1);
    CU_ASSERT_EQUAL(v.rounds[0].offers[1].app.seq, second.seq);
    CU_ASSERT_STRING_EQUAL(v.rounds[0].offers[1].queue, "root.prod");
    /* for one node: rounds of other nodes are not recorded */
    record_next(w.nodes[0].id);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_TRUE(w.core->recording);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_FALSE(w.core->recording);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){.node_id = w.nodes[1].id}), 1);
    CU_ASSERT_EQUAL_FATAL(rounds(&(struct rm_round_filter){.node_id = w.nodes[0].id}), 1);
    /* its map slots are taken, and no reduce wants its reduce slot */
    CU_ASSERT_TRUE(v.rounds[0].full);
    CU_ASSERT_EQUAL(v.rounds[0].offers_n, 0);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){.app = &first}), 1);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){.max = 1}), 1);
    CU_ASSERT_EQUAL(v.rounds[0].number, 2);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){.after = 1}), 1);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){.since_us = w.now + 1}), 0);
    end();
}

/* Where a node has no free slot for those that wait, the running applications of their queues are
 * listed as wanting nothing. */
static void test_apps_that_want_nothing(void)
{
    struct base_app_id busy;

    begin("fifo");
    busy = world_submit(&w, "a 4 0 0 4 0 0");
    world_submit(&w, "other 1 0 0 4 0 0 0 prod");
    world_submit(&w, "waiting 1 0 0 4 0 0");
    world_beat_all(&w, 0); /* all map slots are taken by the first */
    record_next(NULL);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL_FATAL(rounds(&(struct rm_round_filter){0}), 1);
    CU_ASSERT_TRUE(v.rounds[0].full);
    CU_ASSERT_EQUAL_FATAL(v.rounds[0].offers_n, 1);
    CU_ASSERT_EQUAL(v.rounds[0].offers[0].app.seq, busy.seq);
    CU_ASSERT_TRUE(v.rounds[0].offers[0].wants_nothing);
    CU_ASSERT_FALSE(v.rounds[0].offers[0].taken);
    end();
}

/* A request for a node that sends no heartbeat ends after the time in which a node is given up as
 * lost. */
static void test_lost_node(void)
{
    begin("fifo");
    record_next("gone:1");
    world_beat_all(&w, 0);
    CU_ASSERT_TRUE(w.core->recording);
    w.now += w.core->conf.node_expiry_us / 2;
    world_beat_all(&w, 0);
    w.now += w.core->conf.node_expiry_us / 2;
    world_beat_all(&w, 0);
    CU_ASSERT_FALSE(w.core->recording);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){0}), 0);
    end();
}

/* On request, the rounds with an application are kept for a time, or everything is logged for a
 * time. */
static void test_for_a_time(void)
{
    struct rm_event ev = {0};
    struct base_app_id first, second;
    int64_t notes;

    begin("fifo");
    first = world_submit(&w, "a 1 0 0 4 0 0");
    second = world_submit(&w, "b 1 0 0 4 0 0");
    ev.u.record.app = second;
    ev.u.record.for_us = 3 * S;
    record(&ev);
    world_beat_all(&w, 0);
    /* of two rounds, the one with an offer to it */
    CU_ASSERT_EQUAL_FATAL(rounds(&(struct rm_round_filter){0}), 1);
    /* both applications got slots there */
    CU_ASSERT_EQUAL(v.rounds[0].offers_n, 2);
    CU_ASSERT_EQUAL(v.rounds[0].offers[0].app.seq, first.seq);
    CU_ASSERT_EQUAL(v.rounds[0].offers[1].app.seq, second.seq);
    w.now += S;
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){0}), 1);
    CU_ASSERT_TRUE(w.core->recording);
    w.now += 2 * S;
    world_beat_all(&w, 0);
    CU_ASSERT_FALSE(w.core->recording);
    notes = w.notes;
    ev.u.record.for_us = 0;
    ev.u.record.log_us = S;
    record(&ev);
    world_submit(&w, "c 1 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.notes, notes + 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.note, "took a slot of "));
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){0}), 1);
    /* at most RM_APP_WATCHES_MAX applications are watched at a time, each once */
    for (int i = 0; i < 2 * RM_APP_WATCHES_MAX; i++) {
        ev = (struct rm_event){0};
        ev.u.record.app = (struct base_app_id){1, i / 2 + 1};
        ev.u.record.for_us = S + i;
        record(&ev);
    }
    CU_ASSERT_EQUAL(w.core->activities->watches_n, RM_APP_WATCHES_MAX);
    ev.u.record.app = second;
    record(&ev);
    CU_ASSERT_EQUAL(w.core->activities->watches_n, RM_APP_WATCHES_MAX);
    CU_ASSERT_EQUAL(w.core->activities->watches[0].app.seq, second.seq);
    end();
}

/* A reader is answered after its rounds, or when it has waited long enough. */
static void test_readers(void)
{
    struct rm_event ev = {0};

    begin("fifo");
    ev.u.record.rounds = 3;
    memset(&w.reply, 0, sizeof w.reply);
    record(&ev);
    CU_ASSERT_NOT_EQUAL(w.reply.token, w.token);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.core->activities->readers_n, 1);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.core->activities->readers_n, 0);
    CU_ASSERT_FALSE(w.core->recording);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){0}), 3);
    record(&ev);
    w.now += w.conf.activities_wait_us - 1;
    ev = (struct rm_event){.kind = RM_EV_TIMER};
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.core->activities->readers_n, 1);
    w.now++;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.core->activities->readers_n, 0);
    CU_ASSERT_FALSE(w.core->recording);
    end();
}

/* When more rounds are recorded than are kept, the oldest make room. */
static void test_many_rounds(void)
{
    struct rm_event ev = {0};

    begin("fifo");
    ev.u.record.rounds = 2 * RM_ROUNDS_KEPT;
    record(&ev);
    for (int i = 0; i < RM_ROUNDS_KEPT; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(rm_view_last_round_number(w.core), 2 * RM_ROUNDS_KEPT);
    CU_ASSERT_EQUAL(rounds(&(struct rm_round_filter){0}), RM_ROUNDS_KEPT);
    CU_ASSERT_EQUAL(v.rounds[0].number, RM_ROUNDS_KEPT + 1);
    end();
}

static const struct cunit_case cases[] = {
    {"nothing without a request", test_nothing_without_a_request},
    {"the next round", test_next_round},
    {"applications that want nothing", test_apps_that_want_nothing},
    {"a node that does not come back", test_lost_node},
    {"for a time, and logged", test_for_a_time},
    {"readers wait for rounds", test_readers},
    {"the oldest rounds make room", test_many_rounds},
};
CUNIT_MAIN("core activity", cases)

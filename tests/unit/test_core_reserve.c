/* Goal: reservations are taken, changed and refused in YARN's words, kept through failovers, used
 * by their own jobs alone, and forgotten at the end. Method: event sequences on a small world of
 * one node with four map slots; a task ends when the test says so. */
#include <stdio.h>
#include <string.h>

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S     INT64_C(1000000)
#define FIRST "reservation_1700000000000_0001"

static struct world w;
static int64_t begin_us; /* when the test began, a whole second */

static void begin(const char *policy)
{
    world_init(&w, policy);
    world_add_node(&w, 4, 2, NULL);
    world_beat_all(&w, 0);
    begin_us = w.now;
}

/* Lets time pass until @at_s seconds after the beginning. No task ends; the node sends a heartbeat
 * every five seconds, and at the end. */
static void pass_to(int64_t at_s)
{
    while (w.now < begin_us + at_s * S) {
        int64_t left = begin_us + at_s * S - w.now;

        world_advance(&w, left < 5 * S ? left : 5 * S);
        world_beat_all(&w, 0);
    }
}

static void end_all_tasks(void)
{
    for (size_t i = 0; i < w.nodes[0].n; i++) {
        w.nodes[0].v[i].ended = true;
        w.nodes[0].v[i].exit_code = 0;
    }
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
}

static struct base_app_id reservation_id(int32_t seq)
{
    return (struct base_app_id){1700000000000, seq};
}

/* Sends an event of @kind: @n containers at once for a minute, some time from @from_s to
 * @until_s. */
static void ask(enum rm_event_kind kind, int32_t seq, const char *queue, int64_t n, int64_t from_s,
                int64_t until_s)
{
    struct rm_reservation_request q = {
        .capability = {{1024, 1, 1, 0}}, .containers = n, .width = n, .duration_us = 60 * S};
    struct rm_event ev = {.kind = kind, .token = ++w.token, .caller = "ann"};

    ev.u.reservation.id = reservation_id(seq);
    ev.u.reservation.queue = queue;
    ev.u.reservation.name = "mine";
    ev.u.reservation.recurrence = "0";
    ev.u.reservation.reservable = queue && strcmp(queue, "batch") == 0;
    ev.u.reservation.arrival_us = begin_us + from_s * S;
    ev.u.reservation.deadline_us = begin_us + until_s * S;
    ev.u.reservation.interpreter = POLICY_STAGES_ALL;
    ev.u.reservation.requests = &q;
    ev.u.reservation.n = 1;
    world_step(&w, &ev);
}

static void submit(int32_t seq, int64_t n, int64_t from_s, int64_t until_s)
{
    ask(RM_EV_SUBMIT_RESERVATION, seq, "batch", n, from_s, until_s);
}

static void erase(int32_t seq)
{
    struct rm_event ev = {.kind = RM_EV_DELETE_RESERVATION, .token = ++w.token};

    ev.u.reservation.id = reservation_id(seq);
    world_step(&w, &ev);
}

static void check_refused(int code, const char *text)
{
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, code);
    if (!strstr(w.reply.text, text))
        fprintf(stderr, "\"%s\" lacks \"%s\"\n", w.reply.text, text);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, text));
}

static void check_ok(void)
{
    if (w.reply.kind == RM_REPLY_ERROR)
        fprintf(stderr, "refused: %s\n", w.reply.text);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
}

/* Checks that reservation @seq is there, with @n slots from @from_s to @until_s. */
static void check_booked(int32_t seq, int64_t n, int64_t from_s, int64_t until_s)
{
    struct rm_views v = {0};

    rm_view_reservations(w.core, "root.batch", reservation_id(seq), 0, INT64_MAX, &v);
    CU_ASSERT_EQUAL_FATAL(v.reservations_n, 1);
    CU_ASSERT_STRING_EQUAL(v.reservations[0].user, "ann");
    CU_ASSERT_STRING_EQUAL(v.reservations[0].name, "mine");
    CU_ASSERT_EQUAL_FATAL(v.reservations[0].bookings_n, 1);
    CU_ASSERT_EQUAL(v.reservations[0].bookings[0].n, n);
    CU_ASSERT_EQUAL(v.reservations[0].bookings[0].start_us, begin_us + from_s * S);
    CU_ASSERT_EQUAL(v.reservations[0].bookings[0].end_us, begin_us + until_s * S);
    rm_views_free(&v);
}

static size_t count_listed(int64_t from_s, int64_t until_s)
{
    struct rm_views v = {0};
    size_t n;

    rm_view_reservations(w.core, "batch", (struct base_app_id){0}, begin_us + from_s * S,
                         begin_us + until_s * S, &v);
    n = v.reservations_n;
    rm_views_free(&v);
    return n;
}

static int64_t count_running(struct base_app_id id)
{
    return world_app(&w, id).phase[BASE_TASK_MAP].running;
}

static void test_words(void)
{
    struct rm_event ev = {.kind = RM_EV_NEW_RESERVATION_ID};

    begin("rtmr");
    ev.token = ++w.token;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP_ID);
    CU_ASSERT_EQUAL(w.reply.app_id.cluster_ts, 1700000000000);
    CU_ASSERT_EQUAL(w.reply.app_id.seq, 1);
    ask(RM_EV_SUBMIT_RESERVATION, 1, NULL, 1, 100, 200);
    check_refused(-BASE_EINVAL, "The queue is not specified. Please try again with a valid "
                                "reservable queue.");
    ask(RM_EV_SUBMIT_RESERVATION, 1, "prod", 1, 100, 200);
    check_refused(-BASE_EINVAL, "The specified queue: prod is not managed by reservation system. "
                                "Please try again with a valid reservable queue.");
    submit(1, 1, -100, 0);
    check_refused(-BASE_EINVAL, "The specified deadline: 1700000000000 is the past. Please try "
                                "again with deadline in the future.");
    submit(1, 1, 100, 159);
    check_refused(-BASE_EINVAL, "The time difference (59000) between arrival (1700000100000) and "
                                "deadline (1700000159000) must  be greater or equal to the minimum "
                                "resource duration (60000)");
    submit(1, 5, 100, 200);
    check_refused(-BASE_EINVAL, "The size of the largest gang in the reservation refinition "
                                "(<memory:5120, vCores:5>) exceed the capacity available "
                                "(<memory:8192, vCores:4> )");
    submit(1, 0, 100, 200);
    check_refused(-BASE_EINVAL, "reservation-request 1: num-containers is 0, a number from 1 to");
    ask(RM_EV_UPDATE_RESERVATION, 1, NULL, 1, 100, 200);
    check_refused(-BASE_EINVAL, "The specified reservation with ID: " FIRST
                                " is unknown. Please try again with a valid reservation.");
    CU_ASSERT_EQUAL(count_listed(0, 1000), 0);
    submit(1, 4, 100, 160);
    check_ok();
    check_booked(1, 4, 100, 160);
    submit(1, 4, 100, 160); /* again, as clients do whose answer was lost */
    check_ok();
    submit(1, 3, 100, 160);
    check_refused(-BASE_EINVAL,
                  "Reservation allocation already exists with the reservation id " FIRST
                  ", but a different reservation definition was provided.");
    submit(2, 1, 100, 190);
    check_refused(-BASE_EINVAL, "org.apache.hadoop.yarn.server.resourcemanager.reservation."
                                "exceptions.PlanningException: The planning algorithm could not "
                                "find a valid allocation for your request");
    erase(1);
    check_ok();
    erase(1);
    check_refused(-BASE_ENOTFOUND,
                  "The specified Reservation with ID " FIRST " does not exist in the plan");
    submit(2, 1, 100, 190);
    check_ok();
    world_free(&w);
}

/* Of two alternatives, a gang that is too wide leaves the other one; but a container that no slot
 * can hold is refused, since the policy would book a slot for it. */
static void test_any(void)
{
    struct rm_reservation_request q[] = {
        {.capability = {{1024, 1, 1, 0}}, .containers = 5, .width = 5, .duration_us = 60 * S},
        {.capability = {{1024, 1, 1, 0}}, .containers = 2, .width = 2, .duration_us = 60 * S}};
    struct rm_event ev = {.kind = RM_EV_SUBMIT_RESERVATION, .caller = "ann"};

    begin("rtmr");
    ev.u.reservation.id = reservation_id(1);
    ev.u.reservation.queue = "batch";
    ev.u.reservation.name = "mine";
    ev.u.reservation.recurrence = "0";
    ev.u.reservation.reservable = true;
    ev.u.reservation.arrival_us = begin_us + 100 * S;
    ev.u.reservation.deadline_us = begin_us + 160 * S;
    ev.u.reservation.interpreter = POLICY_STAGES_ANY;
    ev.u.reservation.requests = q;
    ev.u.reservation.n = 2;
    for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++) {
        int64_t fits = q[1].capability.v[r];

        q[1].capability.v[r] = 1000000;
        ev.token = ++w.token;
        world_step(&w, &ev);
        check_refused(-BASE_EINVAL, "exceed the capacity available");
        CU_ASSERT_EQUAL(count_listed(0, 1000), 0);
        q[1].capability.v[r] = fits;
    }
    ev.token = ++w.token;
    world_step(&w, &ev);
    check_ok();
    check_booked(1, 2, 100, 160);
    world_free(&w);
}

static void test_policies_that_cannot_promise(void)
{
    begin("fifo");
    CU_ASSERT_FALSE(rm_view_can_reserve(w.core));
    submit(1, 1, 100, 200);
    check_refused(-BASE_EINVAL, "Reservation is not enabled. Please enable & try again");
    erase(1);
    check_refused(-BASE_EINVAL, "Reservation is not enabled. Please enable & try again");
    world_submit(&w, "a 1 0 0 4 0 0 0 batch ann " FIRST);
    check_refused(-BASE_EINVAL,
                  "job.reservation-id: the policy fifo promises nothing to reservations");
    world_free(&w);
}

static void test_list(void)
{
    begin("rtmr");
    submit(1, 1, 100, 160);
    submit(2, 1, 300, 360);
    CU_ASSERT_EQUAL(count_listed(0, 99), 0);
    CU_ASSERT_EQUAL(count_listed(0, 100), 1);
    CU_ASSERT_EQUAL(count_listed(159, 299), 1);
    CU_ASSERT_EQUAL(count_listed(160, 299), 0);
    CU_ASSERT_EQUAL(count_listed(0, 300), 2);
    world_free(&w);
}

/* A client that names an id of its own, far from the ids given so far, does not use up the ids. */
static void test_far_id(void)
{
    struct rm_event ev = {.kind = RM_EV_NEW_RESERVATION_ID};

    begin("rtmr");
    submit(INT32_MAX, 1, 100, 160);
    check_ok();
    submit(2, 1, 300, 360); /* near: the id is taken, and not given to anybody else */
    check_ok();
    for (int32_t seq = 3; seq < 5; seq++) {
        ev.token = ++w.token;
        world_step(&w, &ev);
        CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP_ID);
        CU_ASSERT_EQUAL(w.reply.app_id.seq, seq);
    }
    world_free(&w);
}

/* Three slots are reserved from 100 s to 160 s. As far as is known, tasks take 38 s and a heartbeat
 * at most: from 62 s on only one task of other jobs is started. */
static void test_use(void)
{
    struct base_app_id others, mine;

    begin("rtmr");
    submit(1, 3, 100, 160);
    others = world_submit(&w, "others 20 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(count_running(others), 4);
    world_submit(&w, "early 9 0 0 4 0 0 0 batch ann " FIRST);
    check_refused(-BASE_EINVAL, "job.reservation-id: Application early submitted to a reservation "
                                "which is not yet currently active: " FIRST);
    pass_to(38);
    end_all_tasks();
    CU_ASSERT_EQUAL(count_running(others), 4);
    pass_to(62);
    end_all_tasks();
    CU_ASSERT_EQUAL(count_running(others), 1);
    pass_to(100);
    CU_ASSERT_EQUAL(count_running(others), 1);
    world_submit(&w, "lost 9 0 0 4 0 0 0 prod ann " FIRST);
    check_refused(-BASE_EINVAL, "Application: lost submitted to a reservation " FIRST
                                " which does not belong to the specified queue: root.prod");
    mine = world_submit(&w, "mine 9 0 0 4 0 0 0 batch ann " FIRST);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(count_running(mine), 3);
    CU_ASSERT_EQUAL(count_running(others), 1);
    pass_to(130);
    end_all_tasks();
    CU_ASSERT_EQUAL(count_running(mine), 3);
    CU_ASSERT_EQUAL(count_running(others), 1);
    pass_to(160);
    CU_ASSERT_EQUAL(count_listed(0, 1000), 0);
    erase(1);
    check_refused(-BASE_ENOTFOUND, "does not exist in the plan");
    end_all_tasks(); /* no job has a reservation now: the older job goes first */
    CU_ASSERT_EQUAL(count_running(others), 4);
    world_free(&w);
}

/* What was acknowledged is there after a failover, and nothing else. */
static void test_failover(void)
{
    struct base_app_id mine;
    size_t before;

    begin("rtmr");
    submit(1, 3, 100, 160);
    submit(2, 1, 500, 560);
    ask(RM_EV_UPDATE_RESERVATION, 1, NULL, 2, 100, 160);
    check_ok();
    submit(3, 1, 600, 660);
    erase(3);
    check_ok();
    before = w.journal_n;
    w.auto_store = false;
    submit(4, 1, 700, 760);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    CU_ASSERT(w.stored < w.seq);
    w.auto_store = true;
    world_crash(&w, before);
    CU_ASSERT_EQUAL(count_listed(0, 1000), 2);
    check_booked(1, 2, 100, 160);
    check_booked(2, 1, 500, 560);
    world_beat_all(&w, 0);
    pass_to(100);
    world_submit(&w, "others 20 0 0 4 0 0");
    mine = world_submit(&w, "mine 9 0 0 4 0 0 0 batch ann " FIRST);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(count_running(mine), 2);
    world_crash(&w, w.journal_n); /* while the reservation is in use */
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    pass_to(120);
    end_all_tasks();
    CU_ASSERT_EQUAL(count_running(mine), 2);
    world_advance(&w, 25 * S); /* the node is not lost yet; no leader meanwhile */
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    pass_to(200);
    CU_ASSERT_EQUAL(count_listed(0, 1000), 1);
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(count_listed(0, 1000), 1); /* its record is removed */
    world_beat_all(&w, 0);
    world_free(&w);
}

/* A reservation that ended while no RM led is forgotten at once. */
static void test_ended_before_the_failover(void)
{
    begin("rtmr");
    submit(1, 3, 100, 160);
    w.now += 200 * S;
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(count_listed(0, 1000), 0);
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(count_listed(0, 1000), 0);
    world_free(&w);
}

static void test_damaged_record(void)
{
    begin("rtmr");
    submit(1, 3, 100, 160);
    submit(2, 1, 500, 560);
    for (size_t i = 0; i < w.journal_n; i++)
        if (strcmp(w.journal[i].key, FIRST) == 0)
            w.journal[i].data[w.journal[i].len -= 5] = '\0';
    w.may_be_damaged = true;
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(w.damaged, 1);
    CU_ASSERT_EQUAL(count_listed(0, 1000), 1);
    check_booked(2, 1, 500, 560);
    world_free(&w);
}

/* Another policy keeps nothing free; when RTMR is back, so are the promises. */
static void test_change_of_policy(void)
{
    struct rm_event ev = {.kind = RM_EV_SET_POLICY};
    struct base_app_id others;

    begin("rtmr");
    submit(1, 3, 100, 160);
    ev.token = ++w.token;
    ev.u.policy.name = "fifo";
    world_step(&w, &ev);
    CU_ASSERT_FALSE(rm_view_can_reserve(w.core));
    pass_to(90);
    ev.token = ++w.token;
    ev.u.policy.name = "rtmr";
    world_step(&w, &ev);
    check_ok();
    check_booked(1, 3, 100, 160);
    others = world_submit(&w, "others 20 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(count_running(others), 1);
    world_free(&w);
}

/* A plain application with a reservation that is not active yet is accepted, then fails in YARN's
 * words. */
static void test_application(void)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP};
    struct rm_views v = {0};

    begin("rtmr");
    submit(1, 3, 100, 160);
    ev.token = ++w.token;
    ev.u.submit_app.spec = world_app_spec("app 1024 1 0");
    ev.u.submit_app.spec->reservation = reservation_id(1);
    ev.u.submit_app.app_token = "0123456789abcdef0123456789abcdef";
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    CU_ASSERT_EQUAL_FATAL(rm_view_app(w.core, w.reply.app_id, &v), 0);
    CU_ASSERT_EQUAL(v.apps[0].state, RM_APP_FAILED);
    CU_ASSERT_STRING_EQUAL(v.apps[0].diagnostics,
                           "Application application_1700000000000_0001 submitted to a reservation "
                           "which is not yet currently active: " FIRST);
    rm_views_free(&v);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"words", test_words},
    {"alternatives", test_any},
    {"policies that cannot promise", test_policies_that_cannot_promise},
    {"list", test_list},
    {"an id far away", test_far_id},
    {"use", test_use},
    {"failover", test_failover},
    {"ended before the failover", test_ended_before_the_failover},
    {"damaged record", test_damaged_record},
    {"change of policy", test_change_of_policy},
    {"application", test_application},
};

CUNIT_MAIN("core_reserve", cases)

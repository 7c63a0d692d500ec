/* Goal: rm/term/lead_rules.h keeps to its life cycle: which effects each event has in each state,
 * and in which order.
 * Method: every event is stepped and its effects are compared with a text that lists them. */
#include "tests/unit/cunit_main.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "rm/term/lead_rules.h"

static const char *const names[] = {
    [RM_LEAD_FX_CLOSE_STORE] = "close",   [RM_LEAD_FX_PAUSE] = "pause",
    [RM_LEAD_FX_ACTIVATE] = "activate",   [RM_LEAD_FX_DEACTIVATE] = "deactivate",
    [RM_LEAD_FX_RETIRE] = "retire",       [RM_LEAD_FX_RESIGN] = "resign",
    [RM_LEAD_FX_SET_EPOCH] = "epoch",     [RM_LEAD_FX_SHOW_ACTIVE] = "show",
    [RM_LEAD_FX_LOG_OVER] = "log over",   [RM_LEAD_FX_LOG_FAILURE] = "log failure",
    [RM_LEAD_FX_FAIL_PROCESS] = "give up"};

/* Steps @ev and compares its effects with @wanted, a list such as "retire told to, resign 7". */
static void expect(struct rm_lead_rules *r, struct rm_lead_event ev, const char *wanted)
{
    struct rm_lead_effects out = {.n = 99};
    char text[256] = "";
    size_t len = 0;

    rm_lead_step(r, &ev, &out);
    for (size_t i = 0; i < out.n; i++) {
        const struct rm_lead_effect *fx = &out.v[i];

        len +=
            (size_t)snprintf(text + len, sizeof text - len, "%s%s", i ? ", " : "", names[fx->kind]);
        if (fx->kind == RM_LEAD_FX_RESIGN)
            len += (size_t)snprintf(text + len, sizeof text - len, " %" PRId64, fx->hold_us);
        else if (fx->kind == RM_LEAD_FX_SET_EPOCH)
            len += (size_t)snprintf(text + len, sizeof text - len, " %" PRId64, fx->epoch);
        else if (fx->why)
            len += (size_t)snprintf(text + len, sizeof text - len, " %s", fx->why);
    }
    CU_ASSERT_STRING_EQUAL(text, wanted);
}

#define EV(k, ...)                                                                                 \
    (struct rm_lead_event)                                                                         \
    {                                                                                              \
        .kind = RM_LEAD_EV_##k, __VA_ARGS__                                                        \
    }

static void make_active(struct rm_lead_rules *r)
{
    expect(r, EV(ELECTED, ), "activate");
    expect(r, EV(ACTIVATED, ), "");
    CU_ASSERT_EQUAL(r->state, RM_LEAD_ACTIVE);
}

/* ---------------------------------------------------------------- announcements */
static void test_news(void)
{
    struct rm_lead_news n = {0};
    uint64_t first = rm_lead_news_add_election(&n), second;

    CU_ASSERT_NOT_EQUAL(first, 0);
    CU_ASSERT_FALSE(rm_lead_news_is_over(&n, first));
    rm_lead_news_end_leaderships(&n);
    CU_ASSERT_TRUE(rm_lead_news_is_over(&n, first));
    second = rm_lead_news_add_election(&n);
    CU_ASSERT_TRUE(rm_lead_news_is_over(&n, first)); /* the first leadership stays over */
    CU_ASSERT_FALSE(rm_lead_news_is_over(&n, second));
    rm_lead_news_set_quitting(&n);
    CU_ASSERT_TRUE(rm_lead_news_is_over(&n, second));
    CU_ASSERT_EQUAL(rm_lead_news_add_election(&n), 0);
}

/* ---------------------------------------------------------------- into a leadership */
static void test_over_before_entered(void)
{
    struct rm_lead_rules r = {0};

    expect(&r, EV(ELECTED, .over = true), "close");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    expect(&r, EV(DEPOSED, .why = "lost"), "show");
    make_active(&r);
}

static void test_over_while_entering(void)
{
    struct rm_lead_rules r = {0};

    expect(&r, EV(ELECTED, ), "activate");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_ENTERING);
    expect(&r, EV(ACTIVATED, .code = -BASE_EVERSION, .over = true, .leads = true), "log over");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    /* the lease lapsed, and the election does not know yet */
    expect(&r, EV(ELECTED, ), "activate");
    expect(&r, EV(ACTIVATED, .code = -BASE_EVERSION), "log over, resign 0");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    make_active(&r);
}

static void test_failures(void)
{
    struct rm_lead_rules r = {0};

    expect(&r, EV(ELECTED, ), "activate");
    expect(&r, EV(ACTIVATED, .code = -BASE_EIO), "log failure, resign 60000000");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    expect(&r, EV(ELECTED, ), "activate");
    expect(&r, EV(ACTIVATED, .code = -BASE_ECORRUPT), "log failure, resign 60000000, give up");
    expect(&r, EV(ELECTED, ), "activate"); /* a store of a newer version */
    expect(&r, EV(ACTIVATED, .code = -BASE_EVERSION, .leads = true),
           "log failure, resign 60000000, give up");
    expect(&r, EV(ELECTED, ), "activate"); /* an end meanwhile excuses no other error */
    expect(&r, EV(ACTIVATED, .code = -BASE_EIO, .over = true), "log failure, resign 60000000");
}

/* ---------------------------------------------------------------- out of a leadership */
static void test_deposed(void)
{
    struct rm_lead_rules r = {0};

    make_active(&r);
    expect(&r, EV(DEPOSED, .why = "lost"), "deactivate lost, show");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    expect(&r, EV(DEPOSED, .why = "lost"), "show");
}

static void test_lease_overdue(void)
{
    struct rm_lead_rules r = {0};

    expect(&r, EV(LEASE_OVERDUE, ), "");
    make_active(&r);
    expect(&r, EV(LEASE_OVERDUE, ), "resign 0, deactivate the lease is over");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    /* the end of the leadership is announced late */
    expect(&r, EV(DEPOSED, .why = "resigned"), "show");
}

static void test_asked_to_resign(void)
{
    struct rm_lead_rules r = {0};

    expect(&r, EV(ASKED_TO_RESIGN, .hold_us = 7, .why = "told to"), "");
    make_active(&r);
    expect(&r, EV(ASKED_TO_RESIGN, .hold_us = 7, .why = "told to"), "retire told to, resign 7");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    expect(&r, EV(ASKED_TO_RESIGN, .hold_us = 7, .why = "told to"), "");
}

static void test_epoch_low(void)
{
    struct rm_lead_rules r = {0};

    make_active(&r);
    expect(&r, EV(EPOCH_LOW, .epoch_seen = 4, .why = "low"), "epoch 5, retire low, resign 0");
    expect(&r, EV(EPOCH_LOW, .epoch_seen = 0, .why = "low"), "epoch 1"); /* said twice */
    make_active(&r);                                                     /* without a pause */
}

/* After a store that is not confirmed, a leader pauses before it leads again: two ResourceManagers
 * must not hand such a store to each other at full speed. */
static void test_unconfirmed(void)
{
    struct rm_lead_rules r = {0};

    expect(&r, EV(STORE_UNCONFIRMED, .epoch_seen = 4), "epoch 5");
    make_active(&r); /* on a standby the news is of an earlier leadership: no pause */
    expect(&r, EV(STORE_UNCONFIRMED, .epoch_seen = -1, .why = "empty"),
           "retire empty, resign 30000000");
    expect(&r, EV(ELECTED, .over = true), "close"); /* no pause for what is over */
    expect(&r, EV(ELECTED, ), "pause");
    expect(&r, EV(PAUSED, .over = true), "close");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
    expect(&r, EV(ELECTED, ), "pause");
    expect(&r, EV(PAUSED, ), "activate");
    expect(&r, EV(ACTIVATED, ), "");
    expect(&r, EV(ASKED_TO_RESIGN, .hold_us = 7, .why = "told to"), "retire told to, resign 7");
    make_active(&r); /* only one pause */
}

static void test_others(void)
{
    struct rm_lead_rules r = {0};

    expect(&r, EV(OTHER_ACTIVE, ), "show");
    expect(&r, EV(QUIT, ), "");
    make_active(&r);
    expect(&r, EV(OTHER_ACTIVE, ), "show");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_ACTIVE);
    expect(&r, EV(QUIT, ), "retire this process ends");
    CU_ASSERT_EQUAL(r.state, RM_LEAD_STANDBY);
}

static const struct cunit_case cases[] = {
    {"announcements", test_news},
    {"over before it is entered", test_over_before_entered},
    {"over while it is being entered", test_over_while_entering},
    {"failures of an activation", test_failures},
    {"deposed", test_deposed},
    {"lease overdue", test_lease_overdue},
    {"asked to resign", test_asked_to_resign},
    {"an epoch that is too low", test_epoch_low},
    {"an unconfirmed store", test_unconfirmed},
    {"other news", test_others},
};
CUNIT_MAIN("rules of the lead thread", cases)

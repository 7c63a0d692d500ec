/* Goal: nodemanager/core/rm_search.h sends each request to the right ResourceManager, waits for it
 * as long as it says, and leaves it for another one exactly when that leads. Method: exact times
 * and addresses, no threads. */
#include "tests/unit/cunit_main.h"

#include <string.h>

#include "nodemanager/core/rm_search.h"

#define A "http://a:1"
#define B "http://b:2"
#define C "http://c:3"
#define S INT64_C(1000000)

static char a[] = A, b[] = B, c[] = C;
static const struct base_rm_list one = {{a}, 1}, three = {{a, b, c}, 3};

static const char *url(const struct nm_rm_search *s)
{
    return base_rm_cursor_url(&s->turn);
}

static struct nm_retry ended(struct nm_rm_search *s, enum nm_outcome how, const char *location)
{
    struct nm_retry retry = {0};

    nm_rm_search_note_request_ended(s, how, location, &retry);
    return retry;
}

static void test_judge(void)
{
    CU_ASSERT_EQUAL(nm_rm_search_judge_epoch(4, 5), NM_WORTH_STALE);
    CU_ASSERT_EQUAL(nm_rm_search_judge_epoch(5, 5), NM_WORTH_OBEYED);
    CU_ASSERT_EQUAL(nm_rm_search_judge_epoch(6, 5), NM_WORTH_HIGHER);
}

static void test_timeouts(void)
{
    struct nm_rm_search s;

    nm_rm_search_init(&s, &one);
    CU_ASSERT_EQUAL(nm_rm_search_timeout_us(&s, true, 0), 10 * S);
    CU_ASSERT_EQUAL(nm_rm_search_timeout_us(&s, false, 2 * S), 12 * S);
    nm_rm_search_free(&s);
    nm_rm_search_init(&s, &three);
    CU_ASSERT_EQUAL(nm_rm_search_timeout_us(&s, true, 0), 20 * S); /* a standby may park it */
    CU_ASSERT_EQUAL(nm_rm_search_timeout_us(&s, false, 2 * S), 15 * S);
    nm_rm_search_note_good_answer(&s, 7);
    CU_ASSERT_EQUAL(nm_rm_search_timeout_us(&s, true, 0), 10 * S);
    CU_ASSERT_EQUAL(nm_rm_search_timeout_us(&s, false, 2 * S), 5 * S);
    nm_rm_search_free(&s);
}

/* To which ResourceManager the next request goes, and when. */
static void test_outcomes(void)
{
    struct nm_rm_search s;
    struct nm_retry r;

    nm_rm_search_init(&s, &three);
    CU_ASSERT_STRING_EQUAL(url(&s), A);
    r = ended(&s, NM_OUTCOME_ERROR, NULL);
    CU_ASSERT_TRUE(r.at_once && r.elsewhere);
    CU_ASSERT_STRING_EQUAL(url(&s), B);
    r = ended(&s, NM_OUTCOME_MOVED, C "/ws");
    CU_ASSERT_TRUE(r.at_once);
    CU_ASSERT_STRING_EQUAL(url(&s), C);
    r = ended(&s, NM_OUTCOME_MOVED, "http://elsewhere:4"); /* the secret stays within the list */
    CU_ASSERT_STRING_EQUAL(url(&s), B);
    r = ended(&s, NM_OUTCOME_SILENT, NULL);
    CU_ASSERT_FALSE(r.at_once); /* the round is over */
    CU_ASSERT_TRUE(r.elsewhere);
    nm_rm_search_note_good_answer(&s, 1);
    nm_rm_search_note_bad_answer(&s, &r);
    CU_ASSERT_TRUE(r.at_once && r.elsewhere);
    CU_ASSERT_FALSE(s.turn.answered);
    nm_rm_search_free(&s);
}

/* The node stood still after it had sent the request: the answer counts up to the time-out. */
static void test_late(void)
{
    struct nm_rm_search s;

    nm_rm_search_init(&s, &one);
    nm_rm_search_note_request_sent(&s, false, 1 * S, 5 * S, 0);
    CU_ASSERT_FALSE(nm_rm_search_answer_is_late(&s, 16 * S));
    CU_ASSERT_TRUE(nm_rm_search_answer_is_late(&s, 16 * S + 1));
    nm_rm_search_note_request_sent(&s, true, 0, 7 * S, 0); /* a registration is not held */
    CU_ASSERT_FALSE(nm_rm_search_answer_is_late(&s, 17 * S));
    CU_ASSERT_TRUE(nm_rm_search_answer_is_late(&s, 17 * S + 1));
    nm_rm_search_free(&s);
}

static void test_alone(void)
{
    struct nm_rm_search s;
    struct nm_retry r;

    nm_rm_search_init(&s, &one);
    nm_rm_search_note_request_sent(&s, false, 1 * S, 0, 0);
    CU_ASSERT_EQUAL(s.look_us, INT64_MAX); /* there is nobody to be asked */
    r = ended(&s, NM_OUTCOME_SILENT, NULL);
    CU_ASSERT_FALSE(r.at_once || r.elsewhere);
    CU_ASSERT_STRING_EQUAL(url(&s), A);
    nm_rm_search_free(&s);
}

/* The grace before a look for another leader doubles with each look in vain, also from one request
 * to the next; one answer in time resets it. Chance keeps nodes from looking at the same time. */
static void test_grace(void)
{
    static const int64_t grace_us[] = {300000, 600000, 1200000, 2400000, 2400000};
    struct nm_rm_search s;

    nm_rm_search_init(&s, &three);
    nm_rm_search_note_request_sent(&s, true, 0, 5 * S, 0);
    CU_ASSERT_EQUAL(s.look_us, 6 * S + 300000);
    nm_rm_search_note_request_sent(&s, false, 2 * S, 5 * S, 0);
    CU_ASSERT_EQUAL(s.look_us, 7 * S + 300000);
    /* the most that chance adds ... */
    nm_rm_search_note_request_sent(&s, false, 2 * S, 5 * S, 150000);
    CU_ASSERT_EQUAL(s.look_us, 7 * S + 450000);
    nm_rm_search_note_request_sent(&s, false, 2 * S, 5 * S,
                                   150001); /* ... then from the beginning */
    CU_ASSERT_EQUAL(s.look_us, 7 * S + 300000);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(s.grace_us, grace_us[i]);
        CU_ASSERT_FALSE(nm_rm_search_note_look_result(&s, s.asked, NULL, 9 * S, 0));
        CU_ASSERT_EQUAL(s.look_us, 9 * S + grace_us[i + 1]);
    }
    ended(&s, NM_OUTCOME_OK, NULL); /* late: the leader is slow */
    CU_ASSERT_EQUAL(s.grace_us, NM_LOOK_GRACE_MAX_US);
    CU_ASSERT_EQUAL(s.look_us, INT64_MAX);
    nm_rm_search_note_request_sent(&s, false, 0, 9 * S, 0);
    ended(&s, NM_OUTCOME_SILENT, NULL);
    CU_ASSERT_EQUAL(s.grace_us, NM_LOOK_GRACE_MAX_US);
    nm_rm_search_note_request_sent(&s, false, 0, 9 * S, 0);
    ended(&s, NM_OUTCOME_OK, NULL);
    CU_ASSERT_EQUAL(s.grace_us, NM_LOOK_GRACE_US);
    nm_rm_search_free(&s);
}

static void test_others(void)
{
    struct nm_rm_search s;
    size_t at = 0;

    nm_rm_search_init(&s, &three);
    nm_rm_search_note_bad_answer(&s, &(struct nm_retry){0});
    CU_ASSERT_STRING_EQUAL(url(&s), B);
    CU_ASSERT_STRING_EQUAL(nm_rm_search_next_rm_but_current(&s, &at), A);
    CU_ASSERT_STRING_EQUAL(nm_rm_search_next_rm_but_current(&s, &at), C);
    CU_ASSERT_PTR_NULL(nm_rm_search_next_rm_but_current(&s, &at));
    nm_rm_search_free(&s);
}

static void test_leads(void)
{
    struct nm_rm_search s;

    nm_rm_search_init(&s, &three);
    nm_rm_search_note_good_answer(&s, 5);
    /* the RM that we wait for leads with epoch 5 */
    CU_ASSERT_EQUAL(nm_rm_search_least_leader_epoch(&s), 6);
    nm_rm_search_note_bad_answer(&s, &(struct nm_retry){0});
    CU_ASSERT_EQUAL(nm_rm_search_least_leader_epoch(&s), 5);
    CU_ASSERT_TRUE(nm_rm_search_state_is_leader("active", 5, 5));
    CU_ASSERT_FALSE(nm_rm_search_state_is_leader("active", 4, 5));
    CU_ASSERT_TRUE(
        nm_rm_search_state_is_leader("initializing", 0, 5)); /* its epoch is not served yet */
    CU_ASSERT_FALSE(nm_rm_search_state_is_leader("standby", 9, 5));
    nm_rm_search_free(&s);
}

/* Another RM leads: the request is abandoned for it, whatever has failed in this round. */
static void test_abandoned(void)
{
    struct nm_rm_search s;
    struct nm_retry r;

    nm_rm_search_init(&s, &three);
    CU_ASSERT_FALSE(nm_rm_search_note_look_result(&s, s.asked, C, 0, 0)); /* nothing is in flight */
    nm_rm_search_note_request_sent(&s, false, 0, 0, 0);
    CU_ASSERT_TRUE(nm_rm_search_is_request_in_flight(&s, s.asked));
    CU_ASSERT_FALSE(nm_rm_search_is_request_in_flight(&s, s.asked - 1));
    CU_ASSERT_FALSE(
        nm_rm_search_note_look_result(&s, s.asked - 1, C, 0, 0)); /* of an earlier request */
    CU_ASSERT_TRUE(nm_rm_search_note_look_result(&s, s.asked, c, 0, 0));
    CU_ASSERT_EQUAL(s.look_us, INT64_MAX);
    r = ended(&s, NM_OUTCOME_SILENT, NULL);
    CU_ASSERT_TRUE(r.at_once && r.elsewhere);
    CU_ASSERT_STRING_EQUAL(url(&s), C);
    CU_ASSERT_STRING_EQUAL(base_rm_cursor_failed_urls(&s.turn), A);
    CU_ASSERT_PTR_NULL(s.leader);
    CU_ASSERT_FALSE(nm_rm_search_is_request_in_flight(&s, s.asked));
    nm_rm_search_free(&s);
}

/* An answer that comes after the decision to abandon its request, but before the request has ended,
 * counts. */
static void test_crossing(void)
{
    struct nm_rm_search s;

    nm_rm_search_init(&s, &three);
    nm_rm_search_note_request_sent(&s, false, 0, 0, 0);
    CU_ASSERT_TRUE(nm_rm_search_note_look_result(&s, s.asked, c, 0, 0));
    ended(&s, NM_OUTCOME_OK, NULL);
    CU_ASSERT_STRING_EQUAL(url(&s), A);
    CU_ASSERT_PTR_NULL(s.leader);
    nm_rm_search_note_request_sent(&s, false, 0, 0, 0);
    ended(&s, NM_OUTCOME_SILENT, NULL); /* nobody is known to lead any more */
    CU_ASSERT_STRING_EQUAL(url(&s), B);
    nm_rm_search_free(&s);
}

static const struct cunit_case cases[] = {
    {"epochs fence", test_judge},
    {"how long an answer may take", test_timeouts},
    {"late answers", test_late},
    {"outcomes", test_outcomes},
    {"alone", test_alone},
    {"the grace", test_grace},
    {"the others", test_others},
    {"which of them leads", test_leads},
    {"abandoned for another one", test_abandoned},
    {"an answer that crosses", test_crossing},
};
CUNIT_MAIN("nm_rm_search", cases)

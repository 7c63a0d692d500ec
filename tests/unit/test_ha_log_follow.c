/* A standby that follows the log (ha/log/follow.h): which segments it keeps, which it drops, and
 * that a new leader has to read only the rest. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ha/log/follow.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/log_rig.h"

#define ROOMY ((struct ha_log_limits){512, 1000, 1 << 20}) /* never cleans */

struct pair { /* a leader's log, and a standby with a connection of its own to the same server */
    struct rig g;
    struct log_zk_link link;
    struct ha_log_follow *f;
};

static void event(struct pair *p, enum ha_zk_event_kind kind)
{
    ha_log_follow_on_event(p->f, &(struct ha_zk_event){.kind = kind}, p->link.now_us);
}

static void pair_open(struct pair *p, const struct ha_log_limits *limits)
{
    rig_open(&p->g, limits);
    p->g.zk.log_zxid = 77;
    log_zk_link_init(&p->link, &p->g.zk);
    p->f = p->link.follow = ha_log_follow_new(LOG_ZK_ROOT, log_zk_send, &p->link);
    event(p, HA_ZK_CONNECTED);
}

static void pair_close(struct pair *p)
{
    ha_log_follow_free(p->f);
    log_zk_link_free(&p->link);
    rig_close(&p->g);
}

static void write_some(struct pair *p, int from, int to)
{
    char key[16];

    for (int i = from; i < to; i++) {
        snprintf(key, sizeof key, "k%03d", i);
        rig_put_long(&p->g, key, 400, 'a'); /* one record to a segment */
        log_zk_run(&p->g.link);
    }
}

/* Time goes on to when the follower has something to do, and its requests are answered. */
static void follow_once(struct pair *p)
{
    int64_t at = ha_log_follow_next_timer_us(p->f);

    CU_ASSERT_NOT_EQUAL_FATAL(at, INT64_MAX);
    ha_log_follow_run_timers(p->f, at - 1); /* nothing is due yet */
    CU_ASSERT_EQUAL(p->link.waiting, 0);
    p->link.now_us = at;
    ha_log_follow_run_timers(p->f, at);
    CU_ASSERT_EQUAL(p->link.waiting > 0, true);
    log_zk_run(&p->link);
}

static void begin(struct pair *p)
{
    ha_log_follow_start(p->f, p->link.now_us);
    CU_ASSERT_EQUAL(ha_log_follow_next_timer_us(p->f), p->link.now_us + HA_LOG_FOLLOW_FIRST_US);
    follow_once(p);
}

/* Begins to follow, up to when the first request is under way. */
static void ask_for_list(struct pair *p)
{
    ha_log_follow_start(p->f, 0);
    p->link.now_us = HA_LOG_FOLLOW_FIRST_US;
    ha_log_follow_run_timers(p->f, p->link.now_us);
}

/* Makes the standby the leader, which loads the log with the segments that it has kept. Returns how
 * many segments it had to read; *@kept: how many it had. */
static int64_t succeed(struct pair *p, int64_t *kept)
{
    struct ha_log_kept k;
    int64_t gets = p->g.zk.gets;

    ha_log_follow_stop_and_take(p->f, &k);
    CU_ASSERT_EQUAL(ha_log_follow_next_timer_us(p->f), INT64_MAX);
    rig_stop(&p->g);
    p->g.kept = &k;
    rig_start(&p->g, EPOCH + 1, NULL);
    p->g.kept = NULL;
    log_zk_run(&p->g.link);
    CU_ASSERT_EQUAL(p->g.loads, 1);
    *kept = rig_stats(&p->g).kept;
    return p->g.zk.gets - gets;
}

static void expect_records(struct pair *p, int from, int to)
{
    struct base_buf all = {0};
    struct base_error err;

    CU_ASSERT_EQUAL_FATAL(p->g.rc, 0);
    CU_ASSERT_EQUAL(ha_log_for_each_record(p->g.log, "t", rig_append, &all, &err), 0);
    for (int i = from; i < to; i++) {
        char key[24];

        snprintf(key, sizeof key, "k%03d=aaaa", i);
        CU_ASSERT_PTR_NOT_NULL(strstr(all.data ? all.data : "", key));
    }
    base_buf_free(&all);
}

static void test_little_is_left(void)
{
    struct pair p;
    int64_t kept;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 30);
    CU_ASSERT_FALSE(ha_log_follow_reached_end(p.f));
    begin(&p);
    CU_ASSERT(ha_log_follow_reached_end(p.f));
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 30);
    CU_ASSERT_EQUAL(ha_log_follow_next_timer_us(p.f), p.link.now_us + HA_LOG_FOLLOW_POLL_US);
    write_some(&p, 30, 35);
    follow_once(&p); /* one after the other, behind what was listed */
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 35);
    write_some(&p, 35, 37);
    CU_ASSERT_EQUAL(succeed(&p, &kept), 2);
    CU_ASSERT_EQUAL(kept, 35);
    expect_records(&p, 0, 37);
    pair_close(&p);
}

static void test_few_at_once(void)
{
    struct pair p;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 30);
    ha_log_follow_start(p.f, 0);
    ha_log_follow_start(p.f, 5); /* it follows already */
    p.link.now_us = HA_LOG_FOLLOW_FIRST_US;
    ha_log_follow_run_timers(p.f, p.link.now_us);
    CU_ASSERT_EQUAL(p.link.waiting, 1); /* the request for the list */
    do {
        log_zk_execute(&p.link);
        log_zk_answer(&p.link);
        CU_ASSERT(p.link.waiting <= HA_LOG_FOLLOW_READS);
    } while (p.link.waiting > 0);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 30);
    CU_ASSERT_EQUAL(p.g.zk.gets, 31); /* the last GET finds nothing */
    pair_close(&p);
}

/* Segments that the leader cleans are dropped with the next list; those that it has cleaned before
 * they were read are passed over. */
static void test_cleaned(void)
{
    struct pair p;
    int64_t kept;
    uint64_t first;

    pair_open(&p, &SMALL);
    write_some(&p, 0, 4);
    begin(&p);
    for (int k = 0; k < 12; k++)
        write_some(&p, 0, 4);
    first = p.g.zk.first;
    while (first < p.g.zk.first + p.g.zk.n && !log_zk_node(&p.g.zk, first))
        first++;
    CU_ASSERT(first > 4); /* the leader has cleaned */
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 4);
    for (int64_t until = p.link.now_us + HA_LOG_FOLLOW_LIST_US; p.link.now_us < until;)
        follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), log_zk_count(&p.g.zk));
    CU_ASSERT_EQUAL(succeed(&p, &kept), 0);
    CU_ASSERT(kept > 0);
    expect_records(&p, 0, 4);
    pair_close(&p);
}

static void test_gone_while_read(void)
{
    struct pair p;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 20);
    ask_for_list(&p);
    for (int k = 0; k < 3; k++) { /* the list, and two segments */
        log_zk_execute(&p.link);
        log_zk_answer(&p.link);
    }
    for (uint64_t i = 1; i <= 10; i++)
        log_zk_delete(&p.g.zk, i);
    log_zk_run(&p.link);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 10);
    pair_close(&p);
}

/* The leader writes whenever the standby reads, so that there is always one segment more; cleaned
 * segments are dropped all the same. */
static void test_never_at_the_end(void)
{
    const struct ha_log_limits limits = {512, 200, 1 << 20};
    struct pair p;

    pair_open(&p, &limits);
    ha_log_follow_start(p.f, 0);
    p.link.now_us = HA_LOG_FOLLOW_FIRST_US;
    for (uint64_t k = 0; k < 400; k++) {
        while (p.g.zk.first + p.g.zk.n < k + 3)
            write_some(&p, 0, 1);
        ha_log_follow_run_timers(p.f, p.link.now_us);
        log_zk_execute(&p.link);
        log_zk_answer(&p.link);
        p.link.now_us += HA_LOG_FOLLOW_LIST_US / 20;
    }
    CU_ASSERT(p.g.zk.first + p.g.zk.n > 400);
    CU_ASSERT(ha_log_follow_segment_count(p.f) > 0);
    CU_ASSERT(ha_log_follow_segment_count(p.f) < 300);
    pair_close(&p);
}

/* <root>/log was deleted and made anew: the numbers begin again, the segments are others. */
static void test_another_log(void)
{
    struct pair p;
    int64_t kept;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 10);
    begin(&p);
    p.g.zk.log_zxid = 78;
    CU_ASSERT_EQUAL(succeed(&p, &kept), 10);
    CU_ASSERT_EQUAL(kept, 0);
    expect_records(&p, 0, 10);
    pair_close(&p);

    pair_open(&p, &ROOMY); /* the same, noticed by the follower itself */
    write_some(&p, 0, 10);
    begin(&p);
    p.g.zk.log_zxid = 78;
    for (uint64_t i = 4; i <= 10; i++)
        log_zk_delete(&p.g.zk, i);
    for (int64_t until = p.link.now_us + HA_LOG_FOLLOW_LIST_US; p.link.now_us < until;)
        follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 3);
    pair_close(&p);
}

/* A new log with as many segments as the one that was read, and the same numbers: only the log's
 * node tells that it is another log. Segments of the first one must not be taken for those of the
 * second. */
static void test_another_as_long(void)
{
    struct pair p;
    struct base_buf all = {0};
    struct base_error err;
    int64_t kept;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 10);
    begin(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 10);
    p.g.zk.log_zxid = 78;
    for (uint64_t number = 1; number <= 10; number++)
        PUT(&p.g, EPOCH, number, A_1);
    for (int64_t until = p.link.now_us + HA_LOG_FOLLOW_LIST_US; p.link.now_us < until;)
        follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 10);
    (void)succeed(&p, &kept);
    CU_ASSERT_EQUAL_FATAL(p.g.rc, 0);
    CU_ASSERT_EQUAL(ha_log_for_each_record(p.g.log, "t", rig_append, &all, &err), 0);
    CU_ASSERT_STRING_EQUAL(all.data ? all.data : "", "a=1 ");
    base_buf_free(&all);
    pair_close(&p);
}

static void test_connection(void)
{
    struct pair p;
    int64_t kept;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 10);
    begin(&p);
    event(&p, HA_ZK_DISCONNECTED);
    CU_ASSERT_EQUAL(ha_log_follow_next_timer_us(p.f), INT64_MAX);
    write_some(&p, 10, 12);
    event(&p, HA_ZK_CONNECTED);
    ha_log_follow_run_timers(p.f, ha_log_follow_next_timer_us(p.f));
    CU_ASSERT_EQUAL(p.link.waiting, 1);
    log_zk_execute(&p.link);
    log_zk_lose(&p.link, HA_ZK_LOSS, NULL); /* carried out, never answered */
    CU_ASSERT_EQUAL(ha_log_follow_next_timer_us(p.f), INT64_MAX);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 10);
    event(&p, HA_ZK_CONNECTED);
    follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 12);
    event(&p, HA_ZK_SESSION_OVER); /* the next session may meet another log */
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 0);
    event(&p, HA_ZK_CONNECTED);
    follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 12);
    CU_ASSERT_EQUAL(succeed(&p, &kept), 0);
    expect_records(&p, 0, 12);
    pair_close(&p);
}

/* The connection is lost before the first list has come: the follower knows nothing of the log,
 * least of all that it has read it. */
static void test_first_list_lost(void)
{
    struct pair p;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 10);
    ask_for_list(&p);
    log_zk_execute(&p.link);
    log_zk_lose(&p.link, HA_ZK_LOSS, NULL);
    event(&p, HA_ZK_CONNECTED);
    follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 10);
    CU_ASSERT(ha_log_follow_reached_end(p.f));
    pair_close(&p);
}

/* Late answers to requests from before the kept segments were taken do nothing. */
static void test_late_answers(void)
{
    struct pair p;
    struct ha_log_kept k;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 10);
    ask_for_list(&p);
    log_zk_execute(&p.link);
    log_zk_answer(&p.link);
    CU_ASSERT_EQUAL(p.link.waiting, HA_LOG_FOLLOW_READS);
    ha_log_follow_stop_and_take(p.f, &k);
    CU_ASSERT_EQUAL(k.n, 0);
    ha_log_kept_free(&k);
    log_zk_run(&p.link);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 0);
    ha_log_follow_start(p.f, p.link.now_us); /* deposed: it follows anew */
    follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 10);
    pair_close(&p);
}

static void test_nothing_there(void)
{
    struct pair p;

    pair_open(&p, &ROOMY);
    p.g.zk.has_log = false;
    begin(&p);
    CU_ASSERT_EQUAL(ha_log_follow_next_timer_us(p.f), p.link.now_us + HA_LOG_FOLLOW_AGAIN_US);
    p.g.zk.has_log = true; /* the log exists, but is empty */
    follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_next_timer_us(p.f), p.link.now_us + HA_LOG_FOLLOW_AGAIN_US);
    p.g.zk.stranger = base_strdup("notes.txt");
    write_some(&p, 0, 2);
    follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 0);
    free(p.g.zk.stranger);
    p.g.zk.stranger = NULL;
    follow_once(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 2);
    pair_close(&p);
}

/* Many kept segments are taken over in portions; to lose the connection between two portions
 * changes nothing. */
static void test_in_portions(void)
{
    const struct ha_log_limits limits = {HA_LOG_SEGMENT_MAX, 1000, INT64_C(1) << 40};
    struct ha_log_kept k;
    struct pair p;
    char key[16];

    pair_open(&p, &limits);
    for (int i = 0; i < 25; i++) { /* 10 MB */
        snprintf(key, sizeof key, "k%03d", i);
        rig_put_long(&p.g, key, 400000, 'a');
        log_zk_run(&p.g.link);
    }
    begin(&p);
    CU_ASSERT_EQUAL(ha_log_follow_segment_count(p.f), 25);
    write_some(&p, 25, 27);
    ha_log_follow_stop_and_take(p.f, &k);
    rig_stop(&p.g);
    p.g.kept = &k;
    rig_start(&p.g, EPOCH + 1, NULL);
    for (int i = 0; i < 2; i++) { /* the list, and the request between the first two portions */
        log_zk_execute(&p.g.link);
        log_zk_answer(&p.g.link);
        CU_ASSERT_EQUAL(p.g.loads, 0);
        CU_ASSERT_EQUAL(p.g.link.waiting, 1);
        CU_ASSERT(rig_stats(&p.g).kept < 25);
    }
    log_zk_execute(&p.g.link);
    log_zk_lose(&p.g.link, HA_ZK_LOSS, NULL);
    ha_log_on_event(p.g.log, &(struct ha_zk_event){.kind = HA_ZK_DISCONNECTED});
    ha_log_on_event(p.g.log, &(struct ha_zk_event){.kind = HA_ZK_CONNECTED});
    log_zk_run(&p.g.link);
    CU_ASSERT_EQUAL(p.g.loads, 1);
    CU_ASSERT_EQUAL(rig_stats(&p.g).kept, 25);
    expect_records(&p, 0, 27);
    p.g.kept = NULL;
    pair_close(&p);
}

/* What is kept is checked like what is read. */
static void test_damaged(void)
{
    struct pair p;
    int64_t kept;

    pair_open(&p, &ROOMY);
    write_some(&p, 0, 5);
    log_zk_node(&p.g.zk, 3)->data[60] ^= 1;
    begin(&p);
    succeed(&p, &kept);
    CU_ASSERT_EQUAL(p.g.rc, -BASE_ECORRUPT);
    CU_ASSERT_PTR_NOT_NULL(strstr(p.g.text, SEG "03"));
    pair_close(&p);
}

static const struct cunit_case cases[] = {
    {"little is left to read", test_little_is_left},
    {"a few reads at once", test_few_at_once},
    {"cleaned segments", test_cleaned},
    {"gone while read", test_gone_while_read},
    {"never at the end", test_never_at_the_end},
    {"another log", test_another_log},
    {"another log, as long", test_another_as_long},
    {"connections", test_connection},
    {"the first list is lost", test_first_list_lost},
    {"late answers", test_late_answers},
    {"nothing to follow", test_nothing_there},
    {"in portions", test_in_portions},
    {"damage", test_damaged},
};
CUNIT_MAIN("ha_log_follow", cases)

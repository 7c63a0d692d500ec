/* The log of ha/log/log.h as it writes: what it sends and when, lost connections, cleaning, and
 * every way in which a log can end (fenced or broken), with its message. Reading:
 * test_ha_log_read.c; random histories, one for each seed: test_ha_log_history.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ha/log/log_internal.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/log_rig.h"

/* ---- writing ---- */

static void test_grouping(void)
{
    struct rig g;

    rig_open(&g, NULL);
    rig_put(&g, "a", "1");
    CU_ASSERT_EQUAL(g.link.waiting, 1);
    for (int i = 0; i < 100; i++)
        /* while one multi is under way, the other batches are grouped */
        rig_put(&g, "b", i % 2 ? "x" : "y");
    CU_ASSERT_EQUAL(g.link.waiting, 1);
    CU_ASSERT_EQUAL(g.written, 0);
    log_zk_execute(&g.link);
    log_zk_answer(&g.link);
    CU_ASSERT_EQUAL(g.written, 1);
    CU_ASSERT_EQUAL(g.link.waiting, 1);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 101);
    CU_ASSERT_EQUAL(rig_stats(&g).multis, 2);
    CU_ASSERT_EQUAL(rig_stats(&g).records, 101);
    CU_ASSERT_EQUAL(rig_stats(&g).live_records, 2);
    rig_expect(&g, "a=1 b=x ");
    rig_close(&g);
}

static void test_window(void)
{
    struct rig g;

    rig_open(&g, NULL);
    for (int i = 0; i < 30; i++)
        rig_put_long(&g, "k", 100 << 10, (char)('a' + i));
    CU_ASSERT_EQUAL(g.link.waiting, HA_LOG_WINDOW); /* the first record alone, then full segments */
    while (log_zk_execute(&g.link))
        ;
    CU_ASSERT_EQUAL(g.written, 0);
    log_zk_answer(&g.link);
    CU_ASSERT_EQUAL(g.written, 1);
    log_zk_answer(&g.link);
    CU_ASSERT_EQUAL(g.written, 6);
    CU_ASSERT_EQUAL(g.link.waiting, 2);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 30);
    CU_ASSERT_EQUAL(rig_stats(&g).multis, 7);
    rig_close(&g);
}

static void test_empty_batches(void)
{
    struct rig g;

    rig_open(&g, NULL);
    CU_ASSERT_EQUAL(ha_log_write_batch(g.log, NULL, 0), 1);
    CU_ASSERT_EQUAL(g.written, 0); /* not before ZooKeeper has said that the epoch is ours */
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 1);
    CU_ASSERT_EQUAL(rig_put(&g, "unknown", NULL), 2);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 2);
    CU_ASSERT_EQUAL(rig_stats(&g).records, 0);
    rig_put(&g, "k", "1");
    rig_put(&g, "k", NULL);
    rig_put(&g, "k", NULL); /* this record is removed already */
    rig_put(&g, "e", "");
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 6);
    CU_ASSERT_EQUAL(rig_stats(&g).records, 3);
    rig_expect(&g, "e= ");
    g.zk.epoch_version++;
    ha_log_write_batch(g.log, NULL, 0);
    log_zk_run(&g.link);
    CU_ASSERT(g.fences == 1 && g.written == 6);
    rig_close(&g);
}

static int refuse(void *user, const struct ha_record *rec, struct base_error *err)
{
    (void)user;
    return base_error_set(err, -BASE_EINVAL, "not %s", rec->key);
}

static void test_each(void)
{
    struct base_buf out = {0};
    struct base_error err;
    struct rig g;

    rig_open(&g, &SMALL);
    for (int i = 50; i-- > 0;) {
        char key[16];
        snprintf(key, sizeof key, "k%02d", i);
        rig_put(&g, key, "old");
    }
    rig_put(&g, "k07", NULL);
    rig_put_long(&g, "k03", 1000, 'x');
    log_zk_run(&g.link);
    rig_stop(&g);
    rig_start(&g, EPOCH + 1, &SMALL);
    log_zk_run(&g.link);
    /* what is written after the load is shown, and cleaning takes nothing away */
    for (int i = 10; i < 50; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%02d", i);
        rig_put(&g, key, i == 10 ? "new" : NULL);
        log_zk_run(&g.link);
    }
    CU_ASSERT(rig_stats(&g).cleaned > 0);
    rig_put(&g, "k03", "short");
    CU_ASSERT_EQUAL(ha_log_for_each_record(g.log, "t", rig_append, &out, NULL), 0);
    CU_ASSERT_STRING_EQUAL(
        out.data,
        "k00=old k01=old k02=old k03=short k04=old k05=old k06=old k08=old k09=old k10=new ");
    base_buf_free(&out);
    CU_ASSERT_EQUAL(ha_log_for_each_record(g.log, "none", rig_append, &out, NULL), 0);
    CU_ASSERT_EQUAL(out.len, 0);
    CU_ASSERT_EQUAL(ha_log_for_each_record(g.log, "t", refuse, NULL, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "not k00");
    rig_close(&g);
}

/* ---- lost connections ---- */

static void test_lost(void)
{
    struct rig g;

    rig_open(&g, NULL);
    for (int carried_out = 0; carried_out < 2; carried_out++) {
        int64_t multis = g.zk.multis;

        rig_put(&g, "a", carried_out ? "2" : "1");
        rig_put(&g, "b", "1");
        if (carried_out)
            log_zk_execute(&g.link);
        log_zk_lose(&g.link, carried_out ? HA_ZK_EXPIRED : HA_ZK_LOSS, NULL);
        rig_put(&g, "c", "1");
        CU_ASSERT_EQUAL(g.link.waiting, 0); /* nothing is sent without a connection */
        log_zk_connect(&g.link);
        log_zk_run(&g.link);
        CU_ASSERT_EQUAL(g.written, 3 * (uint64_t)(carried_out + 1));
        CU_ASSERT_EQUAL(g.zk.multis - multis, 3); /* two segments and the check of the epoch */
        CU_ASSERT_EQUAL(rig_stats(&g).read_back, carried_out + 1);
        rig_expect(&g, carried_out ? "a=2 b=1 c=1 " : "a=1 b=1 c=1 ");
    }
    CU_ASSERT(g.fences == 0 && g.breaks == 0);
    rig_close(&g);
}

/* A segment is not there when it is read back, and is sent again; then both copies arrive. */
static void test_arrives_late(void)
{
    struct log_zk_link late;
    struct rig g;

    rig_open(&g, NULL);
    log_zk_link_init(&late, &g.zk);
    late.log = g.log;
    rig_put(&g, "a", "1");
    log_zk_lose(&g.link, HA_ZK_LOSS, &late);
    log_zk_connect(&g.link);
    log_zk_execute(&g.link); /* sync */
    log_zk_answer(&g.link);
    log_zk_execute(&g.link); /* get */
    log_zk_answer(&g.link);
    CU_ASSERT(log_zk_execute(&late));
    CU_ASSERT_EQUAL(log_zk_count(&g.zk), 1);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 1);
    rig_put(&g, "b", "2");
    log_zk_run(&g.link);
    rig_put(&g, "c", "3");
    log_zk_lose(&g.link, HA_ZK_LOSS, &late);
    log_zk_connect(&g.link);
    rig_run_to_gets(&g, 3);
    CU_ASSERT(log_zk_execute(&late));
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 3);
    CU_ASSERT_EQUAL(g.zk.refused, 2);
    CU_ASSERT_EQUAL(rig_stats(&g).read_back, 4);
    CU_ASSERT(g.fences == 0 && g.breaks == 0);
    rig_expect(&g, "a=1 b=2 c=3 ");
    log_zk_link_free(&late);
    rig_close(&g);
}

/* The same where the first copy has deleted all that was before it. */
static void test_late_deletes_all_before(void)
{
    struct log_zk_link late;
    struct rig g;

    rig_open(&g, &SMALL);
    log_zk_link_init(&late, &g.zk);
    late.log = g.log;
    for (int i = 0; i < 6; i++) {
        ha_log_write_batch(g.log, NULL, 0);
        log_zk_run(&g.link);
    }
    CU_ASSERT_EQUAL(log_zk_count(&g.zk), 6);
    ha_log_write_batch(g.log, NULL, 0);
    log_zk_lose(&g.link, HA_ZK_LOSS, &late);
    log_zk_connect(&g.link);
    rig_run_to_gets(&g, 1); /* the segment is not there, and is sent again */
    CU_ASSERT(log_zk_execute(&late));
    CU_ASSERT(log_zk_count(&g.zk) == 1 && log_zk_node(&g.zk, 7) != NULL);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 7);
    CU_ASSERT(g.fences == 0 && g.breaks == 0);
    log_zk_link_free(&late);
    rig_close(&g);
}

/* Of several writes under way one gets no answer and was not carried out: the writes after it fail
 * because of that, which is no damage. */
static void test_one_lost_of_several(void)
{
    struct rig g;

    rig_open(&g, NULL);
    for (int i = 0; i < 20; i++)
        rig_put_long(&g, "k", 100 << 10, (char)('a' + i));
    g.link.fail = true;
    g.link.fail_kind = HA_ZK_MULTI;
    g.link.fail_number = 2;
    g.link.fail_code = HA_ZK_LOSS;
    log_zk_run(&g.link);
    CU_ASSERT(g.fences == 0 && g.breaks == 0);
    CU_ASSERT_EQUAL(g.written, 1);
    log_zk_connect(&g.link);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 20);
    CU_ASSERT(g.fences == 0 && g.breaks == 0);
    rig_close(&g);
}

/* The second of several segments exists already, since we wrote it ourselves: the segments behind
 * it are not acknowledged before that is known. */
static void test_order_of_acknowledgement(void)
{
    struct log_zk_link late;
    struct rig g;

    rig_open(&g, NULL);
    log_zk_link_init(&late, &g.zk);
    late.log = g.log;
    for (int i = 0; i < 17; i++)
        rig_put_long(&g, "k", 100 << 10, (char)('a' + i));
    log_zk_execute(&g.link);
    log_zk_lose(&g.link, HA_ZK_LOSS, &late);
    log_zk_connect(&g.link);
    rig_run_to_gets(&g, 2); /* the first segment is there, the second is not */
    CU_ASSERT_EQUAL(g.written, 1);
    log_zk_execute(&late); /* now the second is there */
    while (log_zk_execute(&g.link))
        ;
    while (log_zk_answer(&g.link))
        ;
    CU_ASSERT_EQUAL(log_zk_count(&g.zk), 4);
    /* three more are there, but the answer to "what is in the second" is not */
    CU_ASSERT_EQUAL(g.written, 1);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 17);
    log_zk_link_free(&late);
    rig_close(&g);
}

/* ---- ends of the log ---- */

/* Makes a log of three segments, then a write of which operation @op fails with @code. The log has
 * to end: fenced, or broken with @rc, and with @text. */
static void end_by(enum ha_zk_code code, int op, bool fenced, int rc, const char *text)
{
    struct rig g;

    rig_open(&g, NULL);
    for (int i = 0; i < 3; i++) {
        rig_put(&g, "a", "1");
        log_zk_run(&g.link);
    }
    rig_put(&g, "b", "2");
    rig_fail_next(&g, HA_ZK_MULTI, 4, code, op);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.fences, fenced);
    CU_ASSERT_EQUAL(g.breaks, !fenced);
    CU_ASSERT_EQUAL(g.rc, rc);
    CU_ASSERT_STRING_EQUAL(g.text, text);
    CU_ASSERT_EQUAL(rig_put(&g, "c", "3"), 5); /* nothing is sent any more, nothing acknowledged */
    log_zk_connect(&g.link);
    CU_ASSERT_EQUAL(g.link.waiting, 0);
    CU_ASSERT_EQUAL(g.written, 3);
    rig_close(&g);
}

static void test_ends_of_writing(void)
{
    end_by(HA_ZK_BADVERSION, 0, true, 0,
           "/creel/c1/epoch has another version than 3: epoch 5 is over");
    end_by(HA_ZK_NONODE, 0, false, -BASE_ECORRUPT,
           "/creel/c1/epoch: cannot be checked: as the test says");
    end_by(HA_ZK_NOAUTH, -1, false, -BASE_EPERM, SEG "04: cannot be written: as the test says");
    end_by(HA_ZK_FAILED, -1, false, -BASE_EIO, SEG "04: cannot be written: as the test says");
    end_by(HA_ZK_NONODE, 2, false, -BASE_ECORRUPT, SEG "04: cannot be written: as the test says");
    end_by(HA_ZK_NONODE, 1, false, -BASE_ECORRUPT,
           SEG "03 is not as it was left: 0000000004 cannot follow it");
    end_by(HA_ZK_BADVERSION, 1, false, -BASE_ECORRUPT,
           SEG "03 is not as it was left: 0000000004 cannot follow it");
    end_by(HA_ZK_NODEEXISTS, 2, false, -BASE_ECORRUPT,
           SEG "03 is not as it was left: 0000000004 cannot follow it");
}

/* Somebody else has made our segment: another leader, by whom we are fenced, or somebody who must
 * not, which breaks the log. */
static void test_other_bytes(void)
{
    for (int fenced = 0; fenced < 2; fenced++)
        for (int lost = 0; lost < 2; lost++) {
            struct rig g;

            rig_open(&g, NULL);
            rig_put(&g, "a", "1");
            log_zk_run(&g.link);
            rig_put(&g, "a", "2");
            if (lost)
                log_zk_lose(&g.link, HA_ZK_LOSS, NULL);
            log_zk_put(&g.zk, 2, "somebody's", 10);
            if (lost)
                log_zk_connect(&g.link);
            rig_run_to_gets(&g, 1);
            g.zk.epoch_version += fenced;
            CU_ASSERT(g.fences == 0 && g.breaks == 0);
            log_zk_run(&g.link);
            CU_ASSERT_EQUAL(g.fences, fenced);
            CU_ASSERT_EQUAL(g.breaks, !fenced);
            CU_ASSERT_STRING_EQUAL(
                g.text, fenced ? "/creel/c1/epoch has another version than 3: epoch 5 is over"
                               : SEG "02 holds other bytes than epoch 5 wrote there");
            CU_ASSERT_EQUAL(g.written, 1);
            rig_close(&g);
        }
}

/* The connection is lost while it is in doubt whether a segment is ours: the question is asked
 * again. */
static void test_doubt_survives(void)
{
    struct rig g;

    rig_open(&g, NULL);
    rig_put(&g, "a", "1");
    log_zk_put(&g.zk, 1, "somebody's", 10);
    g.zk.log_version = 1;
    rig_run_to_gets(&g, 1);
    CU_ASSERT_EQUAL(g.link.waiting, 1);
    log_zk_lose(&g.link, HA_ZK_LOSS, NULL);
    CU_ASSERT(g.fences == 0 && g.breaks == 0);
    log_zk_connect(&g.link);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.breaks, 1);
    CU_ASSERT_STRING_EQUAL(g.text, SEG "01 holds other bytes than epoch 5 wrote there");
    rig_close(&g);
}

/* A write was done, its answer was lost, and another leader began an epoch before we reconnected:
 * we must not act on the write any more. */
static void test_done_but_deposed(void)
{
    struct rig g;

    rig_open(&g, NULL);
    rig_put(&g, "a", "1");
    log_zk_execute(&g.link);
    log_zk_lose(&g.link, HA_ZK_LOSS, NULL);
    g.zk.epoch_version++;
    log_zk_connect(&g.link);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.fences, 1);
    CU_ASSERT_EQUAL(g.breaks, 0);
    CU_ASSERT_EQUAL(g.written, 0);
    rig_close(&g);
}

static void test_ends_of_reading_back(void)
{
    static const enum ha_zk_code codes[] = {HA_ZK_NOAUTH, HA_ZK_FAILED};

    for (int i = 0; i < 2; i++) {
        struct rig g;

        rig_open(&g, NULL);
        rig_put(&g, "a", "1");
        log_zk_lose(&g.link, HA_ZK_LOSS, NULL);
        log_zk_connect(&g.link);
        rig_fail_next(&g, i ? HA_ZK_MULTI : HA_ZK_GET, i ? 0 : 1, codes[i], i ? 0 : -1);
        log_zk_run(&g.link);
        CU_ASSERT_EQUAL(g.breaks, 1);
        CU_ASSERT_EQUAL(g.rc, i ? -BASE_EIO : -BASE_EPERM);
        CU_ASSERT_STRING_EQUAL(g.text, i ? "/creel/c1/epoch: cannot be checked: as the test says"
                                         : SEG "01: cannot be read back: as the test says");
        rig_close(&g);
    }
}

/* ---- cleaning ---- */

/* Writes until a cleaning has read a segment. */
static void run_to_cleaning(struct rig *g)
{
    int64_t gets = g->zk.gets;

    for (int i = 0; i < 100 && g->zk.gets == gets; i++) {
        rig_put(g, "filler", "0123456789");
        while (g->zk.gets == gets && log_zk_execute(&g->link))
            if (g->zk.gets == gets)
                log_zk_answer(&g->link);
    }
    CU_ASSERT(g->zk.gets > gets);
}

static void test_nothing_comes_back(void)
{
    struct rig g;

    rig_open(&g, &SMALL);
    rig_put(&g, "kept", "1");
    rig_put(&g, "changed", "1");
    rig_put(&g, "removed", "1");
    rig_put_long(&g, "large", 900, 'x');
    run_to_cleaning(&g);
    rig_put(&g, "changed", "2"); /* between the reading and the writing of the cleaning */
    rig_put(&g, "removed", NULL);
    rig_put(&g, "large", NULL);
    log_zk_run(&g.link);
    CU_ASSERT(rig_stats(&g).cleaned > 0);
    rig_expect(&g, "changed=2 filler=0123456789 kept=1 ");
    rig_close(&g);
}

/* When all records are removed, the segments that are left are few, and the next leader finds no
 * record. */
static void test_removals_are_forgotten(void)
{
    struct rig g;

    rig_open(&g, &SMALL);
    for (int i = 0; i < 1000; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%d", i);
        rig_put(&g, key, "some data");
        log_zk_run(&g.link);
        rig_put(&g, key, NULL);
        log_zk_run(&g.link);
    }
    CU_ASSERT_EQUAL(rig_stats(&g).live_records, 0);
    CU_ASSERT_EQUAL(rig_stats(&g).live_bytes, 0);
    CU_ASSERT(rig_stats(&g).segments <= 6);
    CU_ASSERT(rig_stats(&g).records < 2100); /* 2,000 were given: few were written again */
    CU_ASSERT_EQUAL(rig_stats(&g).cleaned + rig_stats(&g).segments, rig_stats(&g).multis);
    rig_expect(&g, "");
    rig_close(&g);
}

/* The first write of a new leader cleans up thousands of small segments that its predecessor
 * left. */
static void test_predecessor_is_cleaned(void)
{
    const struct ha_log_limits never = {HA_LOG_SEGMENT_MAX, 1 << 20, INT64_C(1) << 40};
    struct base_buf expected = {0};
    struct rig g;

    rig_open(&g, &never);
    for (int i = 0; i < 3000; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%02d", i % 100);
        rig_put(&g, key, "x");
        log_zk_run(&g.link);
    }
    for (int i = 0; i < 100; i++)
        base_buf_addf(&expected, "key%02d=x ", i);
    CU_ASSERT_EQUAL(log_zk_count(&g.zk), 3000);
    rig_stop(&g);
    rig_start(&g, EPOCH + 1, NULL);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.link.waiting, 0); /* nothing is cleaned before the first write */
    CU_ASSERT_EQUAL(log_zk_count(&g.zk), 3000);
    rig_put(&g, "key00", "x");
    log_zk_run(&g.link);
    CU_ASSERT(log_zk_count(&g.zk) <= 1026);
    CU_ASSERT(rig_stats(&g).multis < 25);
    CU_ASSERT_EQUAL(g.zk.gets, 3000); /* dead segments are not read again */
    rig_expect(&g, expected.data);
    base_buf_free(&expected);
    rig_close(&g);
}

/* A multi stays under ZooKeeper's 1 MB, whatever comes together: a full segment, and all deletions
 * that there may be.
 */
static void test_multi_is_bounded(void)
{
    const struct ha_log_limits few = {HA_LOG_SEGMENT_MAX, 10, 1 << 20};
    struct rig g;

    rig_open(&g, &few);
    for (int i = 0; i < 400; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%d", i % 7);
        rig_put_long(&g, key, i % 50 == 0 ? 20 << 20 : 5000, 'x');
        if (i % 3 == 0)
            log_zk_run(&g.link);
    }
    for (int i = 0; i < 7; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%d", i);
        rig_put_long(&g, key, 600 << 10, 'y');
    }
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.written, 407);
    CU_ASSERT(g.zk.largest > 500 << 10);
    CU_ASSERT(g.zk.largest < 600 << 10);
    CU_ASSERT(rig_stats(&g).cleaned > 300);
    rig_close(&g);
}

/* A large record that goes on beyond what one cleaning takes is cleaned as a whole: with its last
 * part left behind, it would be written twice, and whoever loads the log would find the end of a
 * record in the middle of another. */
static void test_cleaning_ends_in_a_record(void)
{
    for (size_t before = HA_LOG_CLEAN_MAX - 4; before <= HA_LOG_CLEAN_MAX + 1; before++) {
        const struct ha_log_limits few = {512, 4, 1000};
        struct rig g;

        rig_open(&g, &(struct ha_log_limits){512, 100000, 1 << 30});
        /* a segment each, without a live record but for the last */
        for (size_t i = 0; i < before; i++) {
            rig_put_long(&g, "filler", 400, 'f');
            log_zk_run(&g.link);
        }
        rig_put_long(&g, "large", 1500, 'x'); /* a record of four parts */
        log_zk_run(&g.link);
        rig_put(&g, "small", "1");
        log_zk_run(&g.link);
        rig_stop(&g);
        rig_start(&g, EPOCH, &few);
        log_zk_run(&g.link);
        CU_ASSERT_EQUAL_FATAL(g.rc, 0);
        for (int i = 0; i < 6; i++) {
            rig_put(&g, "more", "2");
            log_zk_run(&g.link);
        }
        CU_ASSERT_EQUAL(g.breaks, 0);
        CU_ASSERT(rig_stats(&g).cleaned > 100);
        rig_stop(&g);
        rig_start(&g, EPOCH + 1, &few);
        log_zk_run(&g.link);
        CU_ASSERT_EQUAL(g.loads, 1);
        CU_ASSERT_EQUAL(g.rc, 0);
        if (g.rc == 0) {
            struct base_buf all = {0};
            struct base_error err;

            CU_ASSERT_EQUAL(ha_log_for_each_record(g.log, "t", rig_append, &all, &err), 0);
            CU_ASSERT_EQUAL(all.len, strlen("filler= large= more=2 small=1 ") + 400 + 1500);
            base_buf_free(&all);
        }
        rig_close(&g);
    }
}

/* The log ends when cleaning cannot read back what was written. */
static void test_ends_of_cleaning(void)
{
    static const struct {
        enum ha_zk_code code;
        int rc;
        const char *text;
    } ends[] = {
        {HA_ZK_NONODE, -BASE_ECORRUPT, SEG "01 is gone, although only we may delete it"},
        {HA_ZK_NOAUTH, -BASE_EPERM, SEG "01: cannot be read: as the test says"},
        {HA_ZK_OK, -BASE_ECORRUPT, SEG "01 lacks records that were written there"},
        {HA_ZK_OK, -BASE_ECORRUPT, SEG "01: damaged: checksum 3f4446d8, its header says 00000000"}};

    for (int i = 0; i < 4; i++) {
        struct rig g;

        rig_open(&g, &SMALL);
        rig_put(&g, "kept", "1");
        log_zk_run(&g.link);
        if (i == 2)
            PUT(&g, EPOCH, 1, A_1);
        if (i == 3)
            log_zk_put(&g.zk, 1, "creel-log 1 5 1 00000000 0\n", 27);
        if (i < 2)
            rig_fail_next(&g, HA_ZK_GET, 1, ends[i].code, -1);
        for (int k = 0; k < 100 && !g.breaks; k++) {
            rig_put(&g, "filler", "0123456789");
            log_zk_run(&g.link);
        }
        CU_ASSERT_EQUAL(g.breaks, 1);
        CU_ASSERT_EQUAL(g.rc, ends[i].rc);
        CU_ASSERT_STRING_EQUAL(g.text, ends[i].text);
        rig_close(&g);
    }
}

static void test_deletion_fails(void)
{
    struct rig g;
    uint64_t number = 0;

    rig_open(&g, &SMALL);
    rig_put(&g, "kept", "1");
    run_to_cleaning(&g);
    /* one multi is under way; what is read is written with the next one */
    number = log_zk_count(&g.zk) + 2;
    rig_fail_next(&g, HA_ZK_MULTI, number, HA_ZK_NONODE, 4);
    log_zk_run(&g.link);
    CU_ASSERT_EQUAL(g.breaks, 1);
    CU_ASSERT_STRING_EQUAL(g.text, SEG "02: cannot be deleted: as the test says");
    rig_close(&g);
}

int main(void)
{
    static const struct cunit_case cases[] = {
        {"cleaning ends in a large record", test_cleaning_ends_in_a_record},
        {"what comes meanwhile goes together", test_grouping},
        {"several at once", test_window},
        {"batches without records", test_empty_batches},
        {"records in key order, with what was written since", test_each},
        {"lost before and after", test_lost},
        {"the copy arrives late", test_arrives_late},
        {"the copy arrives late and deletes all before it", test_late_deletes_all_before},
        {"one lost of several", test_one_lost_of_several},
        {"acknowledged in order", test_order_of_acknowledgement},
        {"ends of writing", test_ends_of_writing},
        {"other bytes in our place", test_other_bytes},
        {"a doubt survives a lost connection", test_doubt_survives},
        {"done, then deposed", test_done_but_deposed},
        {"ends of reading back", test_ends_of_reading_back},
        {"nothing comes back", test_nothing_comes_back},
        {"removals are forgotten", test_removals_are_forgotten},
        {"a predecessor's segments are cleaned", test_predecessor_is_cleaned},
        {"a multi is bounded", test_multi_is_bounded},
        {"ends of cleaning", test_ends_of_cleaning},
        {"a deletion fails", test_deletion_fails},
    };

    return cunit_main("ha_log", cases, sizeof cases / sizeof *cases);
}

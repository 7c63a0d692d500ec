/* The bytes of the log of ha/log/log.h, and its reading: every damage with its text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ha/log/crc32c.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/log_rig.h"

/* ---- bytes ---- */

static void test_crc(void)
{
    char b[32], ascending[32];

    memset(b, 0, sizeof b);
    CU_ASSERT_EQUAL(ha_crc32c_update(0, b, 32), 0x8a9136aa); /* RFC 3720, B.4 */
    memset(b, 0xff, sizeof b);
    CU_ASSERT_EQUAL(ha_crc32c_update(0, b, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++)
        ascending[i] = (char)i;
    CU_ASSERT_EQUAL(ha_crc32c_update(0, ascending, 32), 0x46dd794e);
    CU_ASSERT_EQUAL(ha_crc32c_update(0, "123456789", 9), 0xe3069283);
    for (size_t n = 0; n <= 32; n++)
        CU_ASSERT_EQUAL(ha_crc32c_update(ha_crc32c_update(0, ascending, n), ascending + n, 32 - n),
                        0x46dd794e);
}

static void test_bytes(void)
{
    static const char entries[] = "\1\1\2\3t\0k1\0abc\0\2\1\2t\0k1";
    char head[96];
    struct rig g;
    struct log_zk_node *at;
    struct ha_log_segment s;
    int n;

    rig_open(&g, NULL);
    ha_log_write_batch(g.log, (struct ha_record[]){{"t", "k1", "abc", 3}, {"t", "k1", NULL, 0}}, 2);
    log_zk_run(&g.link);
    at = log_zk_node(&g.zk, 1);
    n = snprintf(head, sizeof head, "creel-log 1 5 1 %08" PRIx32 " %zu\n",
                 ha_crc32c_update(0,
                                  "\5\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\1\2\3t\0k1\0abc\0\2\1\2t\0k1",
                                  16 + sizeof entries),
                 sizeof entries);
    CU_ASSERT_FATAL(at != NULL && at->len == (size_t)n + sizeof entries);
    CU_ASSERT_EQUAL(memcmp(at->data, head, (size_t)n), 0);
    CU_ASSERT_EQUAL(memcmp(at->data + n, entries, sizeof entries), 0);
    CU_ASSERT_EQUAL(ha_log_segment_parse("p", 1, at->data, at->len, &s, NULL), 0);
    for (size_t i = 0; i < at->len; i++) { /* whatever byte is damaged or missing, it is seen */
        at->data[i] ^= 4;
        CU_ASSERT(ha_log_segment_parse("p", 1, at->data, at->len, &s, NULL) < 0);
        at->data[i] ^= 4;
        CU_ASSERT(ha_log_segment_parse("p", 1, at->data, i, &s, NULL) < 0);
    }
    rig_close(&g);
}

/* Records around every size at which something changes: the segment's room, parts, varints. */
static void test_sizes(void)
{
    struct ha_log_limits small = {600, 1000, 1 << 20};

    for (size_t len = 380; len<1700; len += len> 620 && len < 900 ? 40 : 1) {
        struct base_buf expected = {0};
        struct rig g;

        rig_open(&g, &small);
        rig_put(&g, "a", "1");
        rig_put_long(&g, "b", len, 'b');
        rig_put(&g, "c", "3");
        log_zk_run(&g.link);
        CU_ASSERT_EQUAL(g.written, 3);
        for (uint64_t i = 1; i <= log_zk_count(&g.zk); i++)
            CU_ASSERT(log_zk_node(&g.zk, i)->len <= 600);
        base_buf_adds(&expected, "a=1 b=");
        for (size_t i = 0; i < len; i++)
            base_buf_adds(&expected, "b");
        base_buf_adds(&expected, " c=3 ");
        rig_expect(&g, expected.data);
        base_buf_free(&expected);
        rig_close(&g);
    }
}

/* ---- reading ---- */

static void load_by(struct rig *g, bool fenced, int rc, const char *text)
{
    rig_start(g, EPOCH, NULL);
    log_zk_run(&g->link);
    CU_ASSERT_EQUAL(g->loads, 1);
    CU_ASSERT_EQUAL(g->rc, rc);
    CU_ASSERT_EQUAL(g->fences, fenced);
    CU_ASSERT_EQUAL(g->breaks, 0);
    CU_ASSERT_STRING_EQUAL(g->text, text);
    rig_stop(g);
}

static void load_text(const char *segment, int rc, const char *text)
{
    struct rig g = {.zk = {.has_log = true, .epoch_version = 3}};

    PUT(&g, 1, 1, A_1);
    log_zk_put(&g.zk, 2, segment, strlen(segment));
    load_by(&g, false, rc, text);
    rig_close(&g);
}

static void test_headers(void)
{
    load_text("", -BASE_ECORRUPT,
              SEG "02: not a segment of a log: it does not begin with \"creel-log 1\"");
    load_text("creel-log 1 1 2 00000000 0", -BASE_ECORRUPT,
              SEG "02: not a segment of a log: it does not begin with \"creel-log 1\"");
    load_text("creel-log 2 anything\n", -BASE_EVERSION,
              SEG "02: format 2, this Creel reads format 1: a newer Creel wrote it");
    load_text(
        "creel-log 1 x\n", -BASE_ECORRUPT,
        SEG
        "02: header \"creel-log 1 x\", expected \"creel-log 1 <epoch> <number> <crc32c> <bytes>\"");
    load_text("creel-log 1 1 3 00000000 0\n", -BASE_ECORRUPT,
              SEG "02: its header says number 3, its name 2");
    load_text("creel-log 1 1 2 00000000 7\nabc", -BASE_ECORRUPT,
              SEG "02: 3 bytes of entries, its header says 7");
    load_text("creel-log 1 1 2 00000000 0\n", -BASE_ECORRUPT,
              SEG "02: damaged: checksum 22046d5a, its header says 00000000");
    load_text("creel-log 1 1 2 22046D5A 0\n", -BASE_ECORRUPT,
              SEG "02: its header is not in canonical form");
}

static void load_entries(const char *entries, size_t len, const char *text)
{
    struct rig g = {.zk = {.has_log = true, .epoch_version = 3}};

    PUT(&g, 1, 1, A_1);
    rig_put_segment(&g, 1, 2, entries, len);
    load_by(&g, false, text[0] ? -BASE_ECORRUPT : 0, text);
    rig_close(&g);
}
#define LOAD_ENTRIES(entries, text) load_entries(entries, sizeof(entries) - 1, text)

static void test_entries(void)
{
    LOAD_ENTRIES(A_1 A_1, "");
    LOAD_ENTRIES(A_1 "\7", SEG "02: byte 10 of its entries: an entry of kind 7, expected 1 to 3");
    LOAD_ENTRIES("\2\1", SEG "02: byte 0 of its entries: an entry's lengths exceed it");
    LOAD_ENTRIES("\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\3t\0a\0",
                 SEG "02: byte 0 of its entries: an entry's lengths exceed it");
    LOAD_ENTRIES("\2\1\1t\0aa",
                 SEG "02: byte 0 of its entries: an entry's texts exceed it or are not terminated");
    LOAD_ENTRIES("\1\1\1\2t\0a\0001\0",
                 SEG "02: byte 0 of its entries: an entry's texts exceed it or are not terminated");
    LOAD_ENTRIES("\2\2\1t\0\0a\0", /* a NUL within a name */
                 SEG "02: byte 0 of its entries: an entry's texts exceed it or are not terminated");
    LOAD_ENTRIES("\3\1\1\4\2\2\2t\0p\0xy\0",
                 SEG "02: byte 0 of its entries: part 2 of 2 with 2 of 4 bytes cannot be");
    LOAD_ENTRIES(A_1 PART("\0", "\2"), SEG "02: part of record t/p is not the first entry");
    LOAD_ENTRIES(PART("\1", "\2"), SEG "02: part 1 of 2 of record t/p does not follow part 0");
    LOAD_ENTRIES(PART("\0", "\2") A_1,
                 SEG "02: part 1 of 2 of record t/p is missing, no other epoch began");
}

/* Goal: more tables than there can be are reported as damage, and do not end the process. */
static void test_tables(void)
{
    struct base_buf b = {0};

    for (int i = 0; i < 256; i++) { /* 256 tables besides "t" */
        const char entry[] = {1,   2, 1,   1, (char)('A' + i / 26), (char)('A' + i % 26), 0,
                              'k', 0, '1', 0};

        if (i == 255)
            load_entries(b.data, b.len, "");
        base_buf_add(&b, entry, sizeof entry);
    }
    load_entries(b.data, b.len, SEG "02: table JV is one more than the 256 that there can be");
    base_buf_free(&b);
}

static void test_parts(void)
{
    struct rig g = {.zk = {.has_log = true, .epoch_version = 3}};

    PUT(&g, 1, 7, PART("\1", "\2") A_1); /* part of a record whose beginning was cleaned away */
    PUT(&g, 1, 8, PART("\0", "\2"));
    PUT(&g, 1, 9, PART("\1", "\2"));
    rig_expect(&g, "a=1 p=xyxy ");
    PUT(&g, 1, 10, PART("\0", "\2")); /* a record torn at the end of the log */
    rig_expect(&g, "a=1 p=xyxy ");
    PUT(&g, 2, 11, "\1\1\1\1t\0b\0002\0"); /* the record stays torn when another epoch goes on */
    rig_expect(&g, "a=1 b=2 p=xyxy ");
    PUT(&g, 2, 11, PART("\1", "\2")); /* a part of that epoch does not complete it */
    load_by(&g, false, -BASE_ECORRUPT, SEG "11: part 1 of 2 of record t/p does not follow part 0");
    PUT(&g, 1, 11, A_1);
    load_by(&g, false, -BASE_ECORRUPT,
            SEG "11: part 1 of 2 of record t/p is missing, no other epoch began");
    PUT(&g, 1, 11, "");
    load_by(&g, false, -BASE_ECORRUPT,
            SEG "11: part 1 of 2 of record t/p is missing, no other epoch began");
    rig_close(&g);
}

static void test_listing(void)
{
    static const struct {
        const char *name, *text;
    } bad[] = {{"7", "/creel/c1/log/7: not a segment's name (10 digits)"},
               {"00000000002", "/creel/c1/log/00000000002: not a segment's name (10 digits)"},
               {"0000000000", "/creel/c1/log/0000000000: not a segment's name (10 digits)"},
               {"00000000x2", "/creel/c1/log/00000000x2: not a segment's name (10 digits)"},
               {"0000000004", "/creel/c1/log: 0000000003 is missing, 0000000004 is there"}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        /* in our own epoch it is damage; after its end, the work of others */
        for (int fenced = 0; fenced < 2; fenced++) {
            struct rig g = {.zk = {.has_log = true, .epoch_version = 3}};

            PUT(&g, 1, 1, A_1);
            PUT(&g, 1, 2, A_1);
            g.zk.stranger = (char *)(uintptr_t)bad[i].name;
            rig_start(&g, EPOCH, NULL);
            g.zk.epoch_version += fenced;
            log_zk_run(&g.link);
            CU_ASSERT_EQUAL(g.loads, 1);
            CU_ASSERT_EQUAL(g.fences, fenced);
            CU_ASSERT_EQUAL(g.rc, fenced ? -BASE_EVERSION : -BASE_ECORRUPT);
            CU_ASSERT_STRING_EQUAL(
                g.text, fenced ? "/creel/c1/epoch has another version than 3: epoch 5 is over"
                               : bad[i].text);
            rig_close(&g);
        }
}

static void test_ends_of_loading(void)
{
    struct rig g = {.zk = {.has_log = true, .epoch_version = 3}};

    PUT(&g, 2, 1, A_1);
    rig_start(&g, EPOCH, NULL);
    rig_fail_next(&g, HA_ZK_GET, 1, HA_ZK_NONODE, -1);
    log_zk_run(&g.link);
    CU_ASSERT_STRING_EQUAL(g.text, SEG "01 was listed but is gone");
    rig_stop(&g);
    rig_start(&g, EPOCH, NULL);
    rig_fail_next(&g, HA_ZK_GET, 1, HA_ZK_NOAUTH, -1);
    log_zk_run(&g.link);
    CU_ASSERT_STRING_EQUAL(g.text, SEG "01: cannot be read: as the test says");
    CU_ASSERT(g.rc == -BASE_EPERM && g.loads == 1);
    rig_stop(&g);
    rig_start(&g, EPOCH, NULL);
    rig_fail_next(&g, HA_ZK_CHILDREN, 0, HA_ZK_NOAUTH, -1);
    log_zk_run(&g.link);
    CU_ASSERT_STRING_EQUAL(g.text, "/creel/c1/log: cannot be listed: as the test says");
    CU_ASSERT(g.rc == -BASE_EPERM && g.loads == 1);
    rig_stop(&g);
    PUT(&g, 1, 2, A_1);
    load_by(&g, false, -BASE_ECORRUPT,
            SEG "02: of epoch 1, expected 2 (the segment before) to 5 (ours)");
    PUT(&g, 6, 2, A_1);
    load_by(&g, false, -BASE_ECORRUPT,
            SEG "02: of epoch 6, expected 2 (the segment before) to 5 (ours)");
    rig_close(&g);
}

static void test_log_is_made(void)
{
    struct rig g = {.zk = {.epoch_version = 3}};

    rig_start(&g, EPOCH, NULL);
    log_zk_run(&g.link);
    CU_ASSERT(g.loads == 1 && g.rc == 0 && g.zk.has_log);
    rig_stop(&g);
    g.zk.has_log = false;
    rig_start(&g, EPOCH, NULL);
    log_zk_execute(&g.link);
    log_zk_answer(&g.link);
    g.zk.has_log = true; /* another RM has made the log first */
    log_zk_run(&g.link);
    CU_ASSERT(g.loads == 1 && g.rc == 0);
    rig_stop(&g);
    g.zk.has_log = false;
    rig_start(&g, EPOCH, NULL);
    g.zk.epoch_version++;
    log_zk_run(&g.link);
    CU_ASSERT(g.loads == 1 && g.rc == -BASE_EVERSION && g.fences == 1 && !g.zk.has_log);
    rig_stop(&g);
    rig_start(&g, EPOCH, NULL);
    rig_fail_next(&g, HA_ZK_MULTI, 0, HA_ZK_NOAUTH, -1);
    log_zk_run(&g.link);
    CU_ASSERT(g.loads == 1 && g.rc == -BASE_EPERM);
    CU_ASSERT_STRING_EQUAL(g.text, "/creel/c1/log: cannot be made: as the test says");
    rig_close(&g);
}

/* The connection is lost at many requests of a load: the load goes on where it was. */
static void test_lost_while_loading(void)
{
    struct rig g;

    rig_open(&g, NULL);
    for (int i = 0; i < 150; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%03d", i);
        rig_put(&g, key, "1");
        log_zk_run(&g.link);
    }
    for (int at = 0; at < 152; at += 5)
        for (int carried_out = 0; carried_out < 2; carried_out++) {
            int64_t gets = g.zk.gets;

            rig_stop(&g);
            rig_start(&g, EPOCH, NULL);
            for (int i = 0; i < at; i++) {
                log_zk_execute(&g.link);
                log_zk_answer(&g.link);
                CU_ASSERT(g.link.waiting <= 64);
            }
            if (carried_out)
                log_zk_execute(&g.link);
            log_zk_lose(&g.link, HA_ZK_LOSS, NULL);
            CU_ASSERT_EQUAL(g.link.waiting, 0);
            log_zk_connect(&g.link);
            log_zk_run(&g.link);
            CU_ASSERT(g.loads == 1 && g.rc == 0);
            CU_ASSERT_EQUAL(rig_stats(&g).live_records, 150);
            CU_ASSERT(g.zk.gets - gets <= 151);
        }
    rig_close(&g);
}

int main(void)
{
    static const struct cunit_case cases[] = {
        {"CRC-32C", test_crc},
        {"bytes of a segment", test_bytes},
        {"records of every size", test_sizes},
        {"headers", test_headers},
        {"entries", test_entries},
        {"tables", test_tables},
        {"parts", test_parts},
        {"listing", test_listing},
        {"ends of loading", test_ends_of_loading},
        {"the log is made", test_log_is_made},
        {"lost while loading", test_lost_while_loading},
    };

    return cunit_main("ha_log reading", cases, sizeof cases / sizeof *cases);
}

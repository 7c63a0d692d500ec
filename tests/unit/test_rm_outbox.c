/* Goal: rm/term/outbox.h releases each effect when its state machine says so, in order, or refuses
 * it with the right error; rm/term/batch.h returns the records as they were added.
 * Method: exact expectations, no threads. */
#include "tests/unit/cunit_main.h"

#include <stdlib.h>
#include <string.h>

#include "rm/term/batch.h"
#include "rm/term/outbox.h"
#include "rm/term/term.h"

static struct rm_outbox box;
static struct rm_released ready;
static char names[16]; /* tickets are addresses of these */

static struct rm_effect reply(void)
{
    struct rm_effect fx = {.kind = RM_FX_REPLY};

    fx.u.reply.kind = RM_REPLY_OK;
    return fx;
}

static struct rm_effect heartbeat(void)
{
    return (struct rm_effect){.kind = RM_FX_HEARTBEAT};
}

static enum rm_outbox_verdict hold(uint64_t seq, struct rm_effect fx, char name)
{
    struct rm_refusal refusal = {0};
    enum rm_outbox_verdict verdict;

    names[name - 'a'] = name;
    verdict = rm_outbox_hold(&box, seq, &fx, &names[name - 'a'], &refusal);
    CU_ASSERT_EQUAL(verdict == RM_OUTBOX_REFUSED, refusal.text != NULL);
    free(refusal.text);
    return verdict;
}

/* Expects the effects that were let go: their tickets in order, such as "ac", and the error @code
 * (0: none) with @text. */
static void expect(const char *tickets, int code, const char *text)
{
    CU_ASSERT_EQUAL_FATAL(ready.len, strlen(tickets));
    for (size_t i = 0; i < ready.len; i++) {
        CU_ASSERT_EQUAL(*(char *)ready.v[i].ticket, tickets[i]);
        CU_ASSERT_PTR_NOT_NULL(ready.v[i].fx);
    }
    CU_ASSERT_EQUAL(ready.code, code);
    if (text)
        CU_ASSERT_STRING_EQUAL(ready.text, text)
    else
        CU_ASSERT_PTR_NULL(ready.text);
}

static void end(void)
{
    rm_outbox_free(&box);
    rm_released_free(&ready);
}

#define OPEN                                                                                       \
    "; it may still be carried out: look at the jobs, or repeat it (a submission with the same "   \
    "job.id)"

static void test_held_until_stored(void)
{
    CU_ASSERT_EQUAL(hold(1, reply(), 'a'), RM_OUTBOX_HELD);
    CU_ASSERT_EQUAL(hold(3, reply(), 'b'), RM_OUTBOX_HELD);
    CU_ASSERT_EQUAL(hold(2, heartbeat(), 'c'), RM_OUTBOX_HELD);
    rm_outbox_release_stored(&box, 2, &ready);
    expect("ac", 0, NULL);
    CU_ASSERT_EQUAL(hold(2, reply(), 'd'), RM_OUTBOX_DURABLE);
    CU_ASSERT_EQUAL(hold(3, reply(), 'e'), RM_OUTBOX_HELD);
    rm_outbox_release_stored(&box, 3, &ready);
    expect("be", 0, NULL);
    rm_outbox_release_stored(&box, 4, &ready);
    expect("", 0, NULL);
    end();
}

/* While the disk refuses writes, replies to clients are refused and heartbeats stay held; these
 * leave when the disk writes again. */
static void test_failing(void)
{
    const struct base_error full = {-BASE_ENOSPC, "no space"};

    hold(1, reply(), 'a');
    hold(1, heartbeat(), 'b');
    rm_outbox_refuse_replies(&box, &full, &ready);
    expect("a", -BASE_ENOSPC, "no space" OPEN);
    CU_ASSERT_EQUAL(box.state, RM_OUTBOX_FAILING);
    CU_ASSERT_EQUAL(hold(2, reply(), 'c'), RM_OUTBOX_REFUSED);
    CU_ASSERT_EQUAL(hold(2, heartbeat(), 'd'), RM_OUTBOX_HELD);
    /* an effect that waits for no record leaves */
    CU_ASSERT_EQUAL(hold(0, reply(), 'e'), RM_OUTBOX_DURABLE);
    rm_outbox_refuse_replies(&box, &full, &ready);
    expect("", -BASE_ENOSPC, "no space" OPEN);
    rm_outbox_release_stored(&box, 2, &ready);
    expect("bd", 0, NULL);
    CU_ASSERT_EQUAL(box.state, RM_OUTBOX_WRITABLE);
    CU_ASSERT_EQUAL(hold(3, reply(), 'f'), RM_OUTBOX_HELD);
    rm_outbox_release_stored(&box, 3, &ready);
    end();
}

static void test_refusal_says_why(void)
{
    const struct base_error full = {-BASE_ENOSPC, "no space"};
    struct rm_refusal refusal = {0};
    struct rm_effect fx = reply();

    rm_outbox_refuse_replies(&box, &full, &ready);
    CU_ASSERT_EQUAL(rm_outbox_hold(&box, 1, &fx, names, &refusal), RM_OUTBOX_REFUSED);
    CU_ASSERT_EQUAL(refusal.code, -BASE_ENOSPC);
    CU_ASSERT_STRING_EQUAL(refusal.text, "no space" OPEN);
    free(refusal.text);
    end();
}

/* Another RM has authority: heartbeats are refused too, and nothing makes this store writable
 * again. */
static void test_over(void)
{
    const struct base_error full = {-BASE_ENOSPC, "no space"};

    hold(1, reply(), 'a');
    hold(2, heartbeat(), 'b');
    rm_outbox_refuse_all(&box, &ready);
    expect("ab", -BASE_EVERSION, RM_NOT_ACTIVE_TEXT OPEN);
    CU_ASSERT_EQUAL(hold(3, heartbeat(), 'c'), RM_OUTBOX_REFUSED);
    rm_outbox_release_stored(&box, 2, &ready); /* a write that was under way */
    expect("", 0, NULL);
    CU_ASSERT_EQUAL(box.state, RM_OUTBOX_OVER);
    rm_outbox_refuse_replies(&box, &full, &ready);
    CU_ASSERT_EQUAL(box.why.code, -BASE_EVERSION);
    CU_ASSERT_EQUAL(hold(3, heartbeat(), 'c'), RM_OUTBOX_REFUSED);
    CU_ASSERT_EQUAL(rm_outbox_close(&box, &ready, NULL), -BASE_EVERSION);
    expect("", -BASE_EVERSION, RM_NOT_ACTIVE_TEXT OPEN);
    end();
}

/* When the RM is deposed, the effects still held are refused when the store is closed, heartbeats
 * too. */
static void test_abandoned(void)
{
    struct base_error err = {0};

    hold(1, reply(), 'a');
    hold(2, heartbeat(), 'b');
    rm_outbox_set_over(&box);
    CU_ASSERT_EQUAL(hold(3, reply(), 'c'), RM_OUTBOX_REFUSED);
    CU_ASSERT_EQUAL(rm_outbox_close(&box, &ready, &err), -BASE_EVERSION);
    CU_ASSERT_STRING_EQUAL(err.text, RM_NOT_ACTIVE_TEXT);
    expect("ab", -BASE_EVERSION, RM_NOT_ACTIVE_TEXT OPEN);
    end();
}

static void test_closed(void)
{
    const struct base_error full = {-BASE_ENOSPC, "no space"};
    struct base_error err = {0};

    CU_ASSERT_EQUAL(rm_outbox_close(&box, &ready, &err), 0);
    CU_ASSERT_EQUAL(err.code, 0);
    hold(1, reply(), 'a');
    hold(1, heartbeat(), 'b');
    CU_ASSERT_EQUAL(rm_outbox_close(&box, &ready, NULL), 0);
    expect("ab", -BASE_EIO, "the ResourceManager is shutting down" OPEN);
    hold(1, heartbeat(), 'b');
    rm_outbox_refuse_replies(&box, &full, &ready);
    CU_ASSERT_EQUAL(rm_outbox_close(&box, &ready, &err), -BASE_ENOSPC);
    CU_ASSERT_EQUAL(err.code, -BASE_ENOSPC);
    expect("b", -BASE_EIO, "the ResourceManager is shutting down" OPEN);
    end();
}

/* ---------------------------------------------------------------- records */
static void test_batch(void)
{
    struct rm_batch b = {0}, other = {0};
    struct rm_record r;

    rm_batch_add(&b, 4, &(struct rm_record){"app", "a1", "x\0y", 3});
    rm_batch_add(&b, 7, &(struct rm_record){"task", "t1", NULL, 0});
    rm_batch_add(&b, 8, &(struct rm_record){"meta", "m", "", 0});
    CU_ASSERT_EQUAL(b.len, 3);
    CU_ASSERT_EQUAL(b.last_seq, 8);
    r = rm_batch_get_record(&b, 0);
    CU_ASSERT_STRING_EQUAL(r.table, "app");
    CU_ASSERT_STRING_EQUAL(r.key, "a1");
    CU_ASSERT_EQUAL(r.len, 3);
    CU_ASSERT_EQUAL(memcmp(r.data, "x\0y", 4), 0);
    r = rm_batch_get_record(&b, 1);
    CU_ASSERT_STRING_EQUAL(r.table, "task");
    CU_ASSERT_PTR_NULL(r.data); /* a removal */
    r = rm_batch_get_record(&b, 2);
    CU_ASSERT_STRING_EQUAL(r.key, "m");
    CU_ASSERT_STRING_EQUAL(r.data, "");
    rm_batch_swap(&b, &other);
    CU_ASSERT_EQUAL(b.len, 0);
    CU_ASSERT_EQUAL(other.len, 3);
    rm_batch_clear(&other);
    CU_ASSERT_EQUAL(other.len, 0);
    CU_ASSERT_EQUAL(other.bytes.len, 0);
    CU_ASSERT(other.bytes.cap > 0); /* kept: the next batch is as large */
    rm_batch_free(&b);
    rm_batch_free(&other);
}

static void test_large_batch_is_given_back(void)
{
    const size_t len = 5u << 20;
    char *data = calloc(1, len);
    struct rm_batch b = {0};

    rm_batch_add(&b, 1, &(struct rm_record){"app", "a", data, len});
    rm_batch_clear(&b);
    CU_ASSERT_EQUAL(b.bytes.cap, 0);
    rm_batch_add(&b, 2, &(struct rm_record){"app", "b", "c", 1});
    CU_ASSERT_STRING_EQUAL(rm_batch_get_record(&b, 0).key, "b");
    rm_batch_free(&b);
    free(data);
}

static const struct cunit_case cases[] = {
    {"held until stored, in order", test_held_until_stored},
    {"a failing store refuses clients alone", test_failing},
    {"a refusal says why", test_refusal_says_why},
    {"another RM has authority", test_over},
    {"abandoned", test_abandoned},
    {"closed", test_closed},
    {"records as they were", test_batch},
    {"a large batch is given back", test_large_batch_is_given_back},
};
CUNIT_MAIN("rm_outbox", cases)

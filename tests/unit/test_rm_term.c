/* Goal: rm/term/term.h, lease.h and tickets.h keep to their state machines: nothing is decided and
 * no answer leaves after the lease, a refusal is latched, each requester is answered once.
 * Method: a real core, calls that log what they are asked for, a clock and a lease of the test. */
#include "tests/unit/cunit_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rm/term/effect_copy.h"
#include "rm/term/term.h"
#include "tests/sim/core_world.h"

/* ---------------------------------------------------------------- the lease */
static void test_lease(void)
{
    struct rm_lease l;

    rm_lease_init(&l);
    CU_ASSERT_TRUE(rm_lease_holds(&l, 3, 100, 99));
    CU_ASSERT_FALSE(rm_lease_would_hold(&l, 3, 100, 100));
    /* the refusal of would_hold() is not latched */
    CU_ASSERT_TRUE(rm_lease_holds(&l, 3, 101, 100));
    CU_ASSERT_FALSE(rm_lease_holds(&l, 3, 101, 101));
    /* extended too late: the refusal is latched */
    CU_ASSERT_FALSE(rm_lease_holds(&l, 3, 200, 102));
    CU_ASSERT_FALSE(rm_lease_would_hold(&l, 3, 200, 102));
    CU_ASSERT_TRUE(rm_lease_holds(&l, 4, 200, 102));
    CU_ASSERT_FALSE(rm_lease_holds(&l, 0, 0, 0)); /* until 0: no such leadership */
}

static void test_lease_endless(void)
{
    struct rm_lease l;

    rm_lease_init(&l);
    CU_ASSERT_TRUE(rm_lease_holds(&l, 0, RM_LEASE_ENDLESS, RM_LEASE_ENDLESS - 1));
    rm_lease_depose(&l);
    CU_ASSERT_FALSE(rm_lease_holds(&l, 0, RM_LEASE_ENDLESS, 0));
}

static void test_lease_deposed(void)
{
    struct rm_lease l;

    rm_lease_init(&l);
    rm_lease_depose(&l);
    CU_ASSERT_TRUE(rm_lease_is_deposed(&l));
    CU_ASSERT_FALSE(rm_lease_holds(&l, 3, 100, 0));
    CU_ASSERT_FALSE(rm_lease_holds(&l, 4, 100, 0)); /* nor one that is being taken over */
    rm_lease_begin(&l);
    CU_ASSERT_FALSE(rm_lease_is_deposed(&l));
    /* though epoch 4 was refused: epochs may begin anew */
    CU_ASSERT_TRUE(rm_lease_holds(&l, 4, 100, 0));
}

static void test_lease_looked_at(void)
{
    struct rm_lease l;

    rm_lease_init(&l);
    CU_ASSERT_FALSE(rm_lease_check_overdue(&l, true));
    CU_ASSERT_FALSE(rm_lease_check_overdue(&l, false));
    CU_ASSERT_FALSE(rm_lease_check_overdue(&l, true));
    CU_ASSERT_FALSE(rm_lease_check_overdue(&l, false));
    CU_ASSERT_TRUE(rm_lease_check_overdue(&l, false));
    /* after it was found overdue, the count begins anew */
    CU_ASSERT_FALSE(rm_lease_check_overdue(&l, false));
    rm_lease_begin(&l); /* a look under an earlier leadership does not count */
    CU_ASSERT_FALSE(rm_lease_check_overdue(&l, false));
    CU_ASSERT_TRUE(rm_lease_check_overdue(&l, false));
}

/* ---------------------------------------------------------------- tickets */
static void test_tickets(void)
{
    struct rm_tickets t = {0};
    char a, b, c;
    uint64_t of_a = rm_tickets_add(&t, &a), of_b = rm_tickets_add(&t, &b), of_c;

    CU_ASSERT_NOT_EQUAL(of_a, 0);
    CU_ASSERT_NOT_EQUAL(of_a, of_b);
    CU_ASSERT_PTR_EQUAL(rm_tickets_take(&t, of_a), &a);
    CU_ASSERT_PTR_NULL(rm_tickets_take(&t, of_a));
    of_c = rm_tickets_add(&t, &c);
    CU_ASSERT_EQUAL((uint32_t)of_c, (uint32_t)of_a); /* the same place, */
    CU_ASSERT_NOT_EQUAL(of_c, of_a);                 /* with another token */
    CU_ASSERT_PTR_NULL(rm_tickets_take(&t, of_a));
    CU_ASSERT_PTR_NULL(rm_tickets_take(&t, 0));
    CU_ASSERT_PTR_NULL(rm_tickets_take(&t, of_b + 1));
    CU_ASSERT_PTR_EQUAL(rm_tickets_take(&t, of_c), &c);
    CU_ASSERT_PTR_EQUAL(rm_tickets_take(&t, of_b), &b);
    rm_tickets_free(&t);
}

static void test_tickets_left(void)
{
    struct rm_tickets t = {0};
    char v[4];
    uint64_t token[4];
    size_t at = 0;

    for (int i = 0; i < 3; i++)
        token[i] = rm_tickets_add(&t, &v[i]);
    rm_tickets_take(&t, token[1]);
    CU_ASSERT_PTR_EQUAL(rm_tickets_take_next(&t, &at), &v[0]);
    CU_ASSERT_PTR_EQUAL(rm_tickets_take_next(&t, &at), &v[2]);
    CU_ASSERT_PTR_NULL(rm_tickets_take_next(&t, &at));
    CU_ASSERT_PTR_NULL(rm_tickets_take(&t, token[0]));
    for (int i = 0; i < 4; i++) /* the three places, and one more */
        token[i] = rm_tickets_add(&t, &v[i]);
    CU_ASSERT_EQUAL(t.len, 4);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_PTR_EQUAL(rm_tickets_take(&t, token[i]), &v[i]);
    rm_tickets_free(&t);
}

/* ---------------------------------------------------------------- a leadership */
struct scene {
    struct rm_lease lease;
    struct rm_term term;
    struct rm_core *core;
    /* looks_left: looks at the lease until it is over; -1: it stays */
    int64_t until_us, now_us, looks_left;
    bool durable; /* no effect has to wait for the store */
    struct base_buf log;
    uint64_t last_seq;
};

static int64_t lease_us(void *user, int64_t epoch)
{
    struct scene *s = user;

    CU_ASSERT_EQUAL(epoch, 5);
    if (s->looks_left > 0 && --s->looks_left == 0)
        s->now_us = s->until_us;
    return s->until_us;
}

static int64_t mono_us(void *user)
{
    return ((struct scene *)user)->now_us;
}

static void store(void *user, uint64_t seq, const struct rm_record *rec)
{
    struct scene *s = user;

    s->last_seq = seq;
    base_buf_addf(&s->log, "store:%s ", rec->table);
}

static bool hold(void *user, uint64_t after_seq, const struct rm_effect *fx, void *ticket)
{
    struct scene *s = user;

    if (s->durable)
        return false;
    base_buf_addf(&s->log, "hold:%d%s ", (int)(s->last_seq - after_seq),
                  ticket ? (const char *)ticket : "-");
    (void)fx;
    return true;
}

static void answer(void *user, void *ticket, const struct rm_effect *fx)
{
    struct scene *s = user;

    base_buf_addf(&s->log, "answer:%s%s ", (const char *)ticket,
                  fx->kind == RM_FX_HEARTBEAT ? "*" : "");
}

static void refuse(void *user, void *ticket, int code, const char *text)
{
    struct scene *s = user;

    base_buf_addf(&s->log, "refuse:%s,%d,%s ", (const char *)ticket, code,
                  strcmp(text, RM_NOT_ACTIVE_TEXT) == 0 ? "over" : text);
}

static void late(void *user)
{
    base_buf_adds(&((struct scene *)user)->log, "late ");
}

static void outputs(void *user, const struct rm_effect *fx)
{
    base_buf_addf(&((struct scene *)user)->log, "outputs:%d ", (int)fx->u.map_output.version);
}

static void tell(void *user, const struct rm_effect *fx)
{
    base_buf_addf(&((struct scene *)user)->log, "tell:%d ", (int)fx->kind - (int)RM_FX_NOTE);
}

static void begin(struct scene *s)
{
    const struct rm_term_calls calls = {.user = s,
                                        .lease_us = lease_us,
                                        .mono_us = mono_us,
                                        .store = store,
                                        .hold = hold,
                                        .answer = answer,
                                        .refuse = refuse,
                                        .late = late,
                                        .outputs = outputs,
                                        .tell = tell};
    const struct rm_core_conf conf = {.cluster_ts_ms = 1,
                                      .epoch = 5,
                                      .policy = "fifo",
                                      .node_expiry_us = 10000000,
                                      .heartbeat_us = 1000000,
                                      .am_attempts_max = 1,
                                      .task_attempts_max = 1,
                                      .completed_apps_max = 10};
    struct base_error err;

    *s = (struct scene){.until_us = 1000, .now_us = 10, .looks_left = -1};
    rm_lease_init(&s->lease);
    s->core = rm_core_new(&conf, &err);
    rm_term_init(&s->term, 5, &s->lease, &calls);
    rm_core_finish_recovery(s->core, 1, &s->term.fx);
    rm_term_start_with_core(&s->term, s->core);
    base_buf_clear(&s->log);
    base_buf_adds(&s->log, "");
}

static void expect(struct scene *s, const char *log)
{
    if (strcmp(s->log.data, log) != 0)
        printf("\n expected %s\n      got %s\n", log, s->log.data);
    CU_ASSERT_STRING_EQUAL(s->log.data, log);
    base_buf_clear(&s->log);
    base_buf_adds(&s->log, "");
}

static void end(struct scene *s)
{
    rm_term_free(&s->term);
    rm_core_free(s->core);
    base_buf_free(&s->log);
}

static bool ask_id(struct scene *s, int64_t at_us, const char *ticket)
{
    struct rm_event ev = {.kind = RM_EV_NEW_APP_ID, .at_us = at_us};

    return rm_term_step_request(&s->term, &ev, (void *)ticket);
}

static bool submit(struct scene *s, int64_t at_us, const char *ticket)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .at_us = at_us};

    ev.u.submit_job.spec = world_spec("j 1 0 1 1 0 0");
    ev.u.submit_job.app_token = "0123456789abcdef0123456789abcdef";
    return rm_term_step_request(&s->term, &ev, (void *)ticket);
}

static void test_term_answers(void)
{
    struct scene s;

    begin(&s);
    CU_ASSERT_TRUE(ask_id(&s, 2, "a"));
    expect(&s, "answer:a ");
    CU_ASSERT_TRUE(ask_id(&s, 2, NULL)); /* nobody waits */
    expect(&s, "");
    end(&s);
}

static void test_term_holds(void)
{
    const struct rm_effect reply = {.kind = RM_FX_REPLY};
    struct scene s;

    begin(&s);
    CU_ASSERT_TRUE(submit(&s, 2, "a"));
    expect(&s, "store:meta store:app hold:0a ");
    rm_term_release_effect(&s.term, (void *)"a", &reply, 0, NULL);
    expect(&s, "answer:a ");
    /* a held reply belongs to the outbox, which answers it */
    rm_term_refuse_waiting(&s.term, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    expect(&s, "");
    s.durable = true;
    CU_ASSERT_TRUE(submit(&s, 3, "b"));
    expect(&s, "store:meta store:app answer:b ");
    end(&s);
}

/* The first look at the lease comes before the core decides anything. */
static void test_term_decides_nothing_late(void)
{
    struct scene s;

    begin(&s);
    s.now_us = 1000;
    CU_ASSERT_FALSE(ask_id(&s, 2, "a"));
    expect(&s, "");
    s.until_us = 2000; /* extended too late: latched */
    CU_ASSERT_FALSE(ask_id(&s, 2, "a"));
    /* nobody waits: the caller refuses the request itself */
    rm_term_refuse_waiting(&s.term, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    expect(&s, "");
    end(&s);
}

/* The last look at the lease comes after the step: an answer that outlasts the lease is refused. */
static void test_term_answers_nothing_late(void)
{
    struct scene s;

    begin(&s);
    s.looks_left = 2;
    CU_ASSERT_TRUE(ask_id(&s, 2, "a"));
    expect(&s, "late refuse:a,-12,over ");
    end(&s);
}

/* Effects leave after their wait for the store, are refused when the write failed, and are too late
 * when the lease ended meanwhile; a refused map output is dropped without a word. */
static void test_term_releases(void)
{
    struct rm_effect fx[] = {
        {.kind = RM_FX_REPLY}, {.kind = RM_FX_HEARTBEAT}, {.kind = RM_FX_MAP_OUTPUT}};
    struct scene s;

    begin(&s);
    fx[2].u.map_output.version = 7;
    for (size_t i = 0; i < 3; i++)
        rm_term_release_effect(&s.term, i < 2 ? (void *)"a" : NULL, &fx[i], 0, NULL);
    expect(&s, "answer:a answer:a* outputs:7 ");
    for (size_t i = 0; i < 3; i++)
        rm_term_release_effect(&s.term, i < 2 ? (void *)"a" : NULL, &fx[i], -BASE_EIO, "disk");
    expect(&s, "refuse:a,-6,disk refuse:a,-6,disk ");
    s.now_us = 1000;
    for (size_t i = 0; i < 3; i++)
        rm_term_release_effect(&s.term, i < 2 ? (void *)"a" : NULL, &fx[i], 0, NULL);
    expect(&s, "late refuse:a,-12,over late refuse:a,-12,over ");
    end(&s);
}

static void test_term_stored(void)
{
    struct scene s;

    begin(&s);
    submit(&s, 2, "a");
    expect(&s, "store:meta store:app hold:0a ");
    rm_term_step_stored(&s.term, s.last_seq, 3);
    CU_ASSERT_EQUAL(s.term.stored_seq, s.last_seq);
    expect(&s, "");
    submit(&s, 4, "b");
    expect(&s, "store:meta store:app hold:0b ");
    s.now_us = 1000;
    rm_term_step_stored(&s.term, s.last_seq, 5);
    /* the lease is over: stored_seq is updated, but the core decides nothing */
    CU_ASSERT_EQUAL(s.term.stored_seq, s.last_seq);
    expect(&s, "");
    end(&s);
}

static void test_term_timer(void)
{
    struct scene s;

    begin(&s);
    s.term.wake_us = 0;
    rm_term_step_timer(&s.term, 50);
    s.term.wake_us = 100;
    rm_term_step_timer(&s.term, 99);
    CU_ASSERT_EQUAL(s.term.wake_us, 100);
    rm_term_step_timer(&s.term, 100);
    CU_ASSERT_EQUAL(s.term.wake_us, 0); /* the core has nothing due at a time */
    s.term.wake_us = 200;
    s.now_us = 1000;
    rm_term_step_timer(&s.term, 200);
    CU_ASSERT_EQUAL(s.term.wake_us, 200 + RM_TERM_TIMER_AGAIN_US);
    end(&s);
}

static void test_term_dismisses(void)
{
    struct scene s;

    begin(&s);
    rm_tickets_add(&s.term.tickets, (void *)"a");
    rm_tickets_add(&s.term.tickets, (void *)"b");
    rm_term_refuse_waiting(&s.term, -BASE_EIO, "stopping");
    expect(&s, "refuse:a,-6,stopping refuse:b,-6,stopping ");
    rm_term_refuse_waiting(&s.term, -BASE_EIO, "stopping");
    expect(&s, "");
    end(&s);
}

/* A sole RM's leadership reads no lease and no clock. */
static void test_term_alone(void)
{
    struct scene s;

    begin(&s);
    s.term.calls.lease_us = NULL;
    s.term.calls.mono_us = NULL;
    CU_ASSERT_TRUE(ask_id(&s, 2, "a"));
    expect(&s, "answer:a ");
    rm_lease_depose(&s.lease);
    CU_ASSERT_FALSE(ask_id(&s, 3, "b"));
    end(&s);
}

/* An application may be freed while a heartbeat that holds its order waits for the store: the copy
 * must refer to none of the application's texts. */
static void test_copied_order(void)
{
    char *texts[7];
    struct rm_order order = {.kind = BASE_ORDER_LAUNCH};
    const char **members[7] = {&order.reason,   &order.user,        &order.name,       &order.token,
                               &order.acl_view, &order.log_include, &order.log_exclude};
    struct rm_effect fx = {.kind = RM_FX_HEARTBEAT}, *copy;
    const struct rm_order *o;

    for (int i = 0; i < 7; i++)
        *members[i] = texts[i] = base_printf("text %d", i);
    fx.u.heartbeat.orders = &order;
    fx.u.heartbeat.orders_n = 1;
    copy = rm_effect_copy(&fx);
    for (int i = 0; i < 7; i++)
        free(texts[i]);
    o = copy->u.heartbeat.orders;
    CU_ASSERT_STRING_EQUAL(o->reason, "text 0");
    CU_ASSERT_STRING_EQUAL(o->user, "text 1");
    CU_ASSERT_STRING_EQUAL(o->name, "text 2");
    CU_ASSERT_STRING_EQUAL(o->token, "text 3");
    CU_ASSERT_STRING_EQUAL(o->acl_view, "text 4");
    CU_ASSERT_STRING_EQUAL(o->log_include, "text 5");
    CU_ASSERT_STRING_EQUAL(o->log_exclude, "text 6");
    rm_effect_copy_free(copy);
}

/* The same for the answer to a master that registers or asks: neither texts nor keys of the core.
 */
static void test_copied_reply(void)
{
    char *texts[7];
    struct rm_master_key *key = base_alloc(sizeof *key);
    struct rm_effect fx = {.kind = RM_FX_REPLY}, *copy;
    struct rm_changed_node *node = base_alloc(sizeof *node);

    for (int i = 0; i < 7; i++)
        texts[i] = base_printf("text %d", i);
    key->id = 42;
    fx.u.reply.kind = RM_REPLY_AM_REGISTERED;
    fx.u.reply.tokens.nm_key = fx.u.reply.tokens.container_key = key;
    fx.u.reply.tokens.user = texts[0];
    fx.u.reply.am.acl_view = texts[1];
    fx.u.reply.am.acl_modify = texts[2];
    copy = rm_effect_copy(&fx);
    memset(texts[0], 'x', 6);
    memset(texts[1], 'x', 6);
    memset(texts[2], 'x', 6);
    key->id = 0;
    CU_ASSERT_EQUAL(copy->u.reply.tokens.nm_key->id, 42);
    CU_ASSERT_EQUAL(copy->u.reply.tokens.container_key->id, 42);
    CU_ASSERT_STRING_EQUAL(copy->u.reply.tokens.user, "text 0");
    CU_ASSERT_STRING_EQUAL(copy->u.reply.am.acl_view, "text 1");
    CU_ASSERT_STRING_EQUAL(copy->u.reply.am.acl_modify, "text 2");
    rm_effect_copy_free(copy);

    fx = (struct rm_effect){.kind = RM_FX_REPLY};
    fx.u.reply.kind = RM_REPLY_ALLOCATED;
    *node = (struct rm_changed_node){texts[3], texts[4], texts[5], texts[6], .containers = 7};
    fx.u.reply.allocate.changed = node;
    fx.u.reply.allocate.changed_n = 1;
    copy = rm_effect_copy(&fx);
    node->containers = 0;
    for (int i = 3; i < 7; i++)
        memset(texts[i], 'x', 6);
    CU_ASSERT_EQUAL(copy->u.reply.allocate.changed[0].containers, 7);
    CU_ASSERT_STRING_EQUAL(copy->u.reply.allocate.changed[0].id, "text 3");
    CU_ASSERT_STRING_EQUAL(copy->u.reply.allocate.changed[0].http, "text 4");
    CU_ASSERT_STRING_EQUAL(copy->u.reply.allocate.changed[0].rack, "text 5");
    CU_ASSERT_STRING_EQUAL(copy->u.reply.allocate.changed[0].health_report, "text 6");
    rm_effect_copy_free(copy);
    for (int i = 0; i < 7; i++)
        free(texts[i]);
    free(key);
    free(node);
}

static const struct cunit_case cases[] = {
    {"the lease latches a refusal", test_lease},
    {"an endless lease", test_lease_endless},
    {"deposed", test_lease_deposed},
    {"an overdue end", test_lease_looked_at},
    {"tickets", test_tickets},
    {"tickets that are left", test_tickets_left},
    {"an answer", test_term_answers},
    {"an answer that waits for its record", test_term_holds},
    {"nothing is decided past the lease", test_term_decides_nothing_late},
    {"nothing is answered past the lease", test_term_answers_nothing_late},
    {"nothing is released past the lease", test_term_releases},
    {"records are stored", test_term_stored},
    {"the timer", test_term_timer},
    {"everybody is dismissed", test_term_dismisses},
    {"alone", test_term_alone},
    {"a copied order", test_copied_order},
    {"a copied reply", test_copied_reply},
};
CUNIT_MAIN("rm_term", cases)

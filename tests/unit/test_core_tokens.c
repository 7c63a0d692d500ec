/* Goal: tokens of users are there once they are durable, over a failover too, until they are
 * revoked or expire; there cannot be too many; a damaged record costs one token. Method: event
 * sequences on a small world. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/admin/tokens.h"
#include "rm/core/view/view.h"
#include "tests/unit/core_masters.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HOUR   INT64_C(3600000000)

static void set_token(uint64_t token, const char *user, const char *digest, int64_t expires_us)
{
    struct rm_event ev = {.kind = RM_EV_SET_TOKEN, .token = ++w.token};

    ev.u.user_token.id = token;
    ev.u.user_token.user = user;
    ev.u.user_token.digest = digest;
    ev.u.user_token.expires_us = expires_us;
    world_step(&w, &ev);
}

static void add(uint64_t token, const char *user, int64_t lifetime_us)
{
    set_token(token, user, DIGEST, w.now + lifetime_us);
}

static void revoke(uint64_t token)
{
    set_token(token, NULL, NULL, 0);
}

static void check_ok(void)
{
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
}

static void check_refused(int code)
{
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, code);
}

/* Checks that @token is @user's. @user NULL: that there is no such token. */
static void check_user(uint64_t token, const char *user)
{
    struct rm_token_view v = {0};

    CU_ASSERT_EQUAL(rm_view_user_token(w.core, token, &v), user ? 0 : -BASE_ENOTFOUND);
    if (user && v.user) {
        CU_ASSERT_STRING_EQUAL(v.user, user);
        CU_ASSERT_STRING_EQUAL(v.digest, DIGEST);
        CU_ASSERT_EQUAL(v.id, token);
    }
    free(v.user);
}

static size_t count(const char *user)
{
    size_t n;
    struct rm_token_view *v = rm_view_user_tokens(w.core, user, &n);

    for (size_t i = 0; i < n; i++)
        free(v[i].user);
    free(v);
    return n;
}

static void test_life(void)
{
    world_init(&w, "fifo");
    add(7, "ann", HOUR);
    check_ok();
    add(3, "bob", HOUR);
    add(5, "ann", HOUR);
    check_user(7, "ann");
    check_user(3, "bob");
    check_user(5, "ann");
    check_user(4, NULL);
    CU_ASSERT_EQUAL(count(NULL), 3);
    CU_ASSERT_EQUAL(count("ann"), 2);
    add(5, "eve", HOUR); /* nobody can take the id of another user's token */
    check_refused(-BASE_EEXIST);
    check_user(5, "ann");
    revoke(5);
    check_ok();
    check_user(5, NULL);
    revoke(5);
    check_refused(-BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(count("ann"), 1);
    world_free(&w);
}

static void test_failover(void)
{
    int64_t expires_us;
    struct rm_token_view v = {0};

    world_init(&w, "fifo");
    add(UINT64_C(0xfedcba9876543210), "ann with a blank", HOUR);
    expires_us = w.now + HOUR;
    add(2, "bob", HOUR);
    add(3, "eve", HOUR);
    revoke(2);
    world_crash(&w, w.journal_n);
    check_user(UINT64_C(0xfedcba9876543210), "ann with a blank");
    check_user(2, NULL);
    check_user(3, "eve");
    CU_ASSERT_EQUAL_FATAL(rm_view_user_token(w.core, UINT64_C(0xfedcba9876543210), &v), 0);
    CU_ASSERT_EQUAL(v.expires_us, expires_us);
    free(v.user);
    world_free(&w);
}

/* A token whose record was not durable is not there after a crash. */
static void test_not_durable(void)
{
    size_t before;

    world_init(&w, "fifo");
    add(1, "ann", HOUR);
    before = w.journal_n;
    add(2, "ann", HOUR);
    CU_ASSERT_EQUAL(w.journal_n, before + 1);
    world_crash(&w, before);
    check_user(1, "ann");
    check_user(2, NULL);
    world_free(&w);
}

/* Expired tokens are removed, with their records, when another token is made. */
static void test_expired(void)
{
    world_init(&w, "fifo");
    add(1, "ann", 1000);
    add(2, "ann", HOUR);
    world_advance(&w, 2000);
    CU_ASSERT_EQUAL(count("ann"), 2);
    add(3, "bob", HOUR);
    check_user(1, NULL);
    check_user(2, "ann");
    world_crash(&w, w.journal_n);
    check_user(1, NULL);
    check_user(2, "ann");
    world_free(&w);
}

static void test_bounds(void)
{
    char user[16];

    world_init(&w, "fifo");
    for (uint64_t i = 1; i <= RM_TOKENS_OF_USER_MAX; i++)
        add(i, "ann", HOUR);
    check_ok();
    add(1000000, "ann", HOUR);
    check_refused(-BASE_ELIMIT);
    add(1000000, "bob", HOUR);
    check_ok();
    for (uint64_t i = RM_TOKENS_OF_USER_MAX + 1; i < RM_TOKENS_MAX; i++) {
        snprintf(user, sizeof user, "u%d", (int)(i / 50));
        add(i, user, HOUR);
    }
    check_ok();
    CU_ASSERT_EQUAL(count(NULL), RM_TOKENS_MAX);
    add(2000000, "eve", HOUR);
    check_refused(-BASE_ELIMIT);
    revoke(1);
    add(2000000, "eve", HOUR);
    check_ok();
    world_free(&w);
}

static void test_damaged(void)
{
    static const struct {
        const char *key, *data;
    } bad[] = {
        {"token_0000000000000000", "k1 3:ann 64:" DIGEST " 1 2 "},
        {"token_00000000000000001", "k1 3:ann 64:" DIGEST " 1 2 "},
        {"token_000000000000000G", "k1 3:ann 64:" DIGEST " 1 2 "},
        {"token_0000000000000001", "k2 3:ann 64:" DIGEST " 1 2 "},
        {"token_0000000000000001", "k1 3:ann 63:123 1 2 "},
        {"token_0000000000000001", "k1 3:ann 3:abc 1 2 "},
        {"token_0000000000000001", "k1 0: 64:" DIGEST " 1 2 "},
        {"token_0000000000000001", "k1 - 64:" DIGEST " 1 2 "},
        {"token_0000000000000001", "k1 3:ann 64:" DIGEST " 1 2 3 "},
        {"token_0000000000000001", "k1 3:ann 64:" DIGEST " 1 "},
        {"token_0000000000000001", "k1 3:ann 64:" DIGEST " 1 -2 "},
        {"token_0000000000000001", ""},
    };
    const char *good = "k1 3:ann 64:" DIGEST " 1 2 ";
    struct rm_record rec = {"meta", "token_0000000000000001", good, strlen(good)};
    struct base_error err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rm_record damaged = {"meta", bad[i].key, bad[i].data, strlen(bad[i].data)};

        world_init(&w, "fifo");
        CU_ASSERT_EQUAL(rm_core_recover_record(w.core, &damaged, &err), 0);
        CU_ASSERT_EQUAL(count(NULL), 0);
        world_free(&w);
    }
    world_init(&w, "fifo");
    CU_ASSERT_EQUAL(rm_core_recover_record(w.core, &rec, &err), 0);
    check_user(1, "ann");
    CU_ASSERT_EQUAL(rm_core_recover_record(w.core, &rec, &err), 0); /* a duplicate is put aside */
    CU_ASSERT_EQUAL(count(NULL), 1);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"made, read, revoked", test_life},
    {"over a failover", test_failover},
    {"not durable yet", test_not_durable},
    {"expired", test_expired},
    {"bounds", test_bounds},
    {"damaged records", test_damaged},
};

int main(void)
{
    return cunit_main("tokens of users", cases, sizeof cases / sizeof *cases);
}

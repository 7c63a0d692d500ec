/* Goal: a log token opens the logs that it names, for its time and under the keys in force, and a
 * token that was changed in any place opens nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/log_token.h"
#include "base/io/io.h"
#include "cunit_main.h"

#define APP       "application_1700000000000_0007"
#define OTHER_APP "application_1700000000000_0008"
#define ONE       "container_1700000000000_0007_01_000002"
#define TWO       "container_1700000000000_0007_01_000003"
#define OTHER_ONE "container_1700000000000_0008_01_000002"
#define NOW       INT64_C(1700000100000)
#define LIFE      INT64_C(300000)

static const struct base_key key = {.id = "01234567", .bytes = {1, 2, 3}};
static struct base_keyring *keys;

/* The caller frees the text. */
static char *make(const char *scope, const char *user, int64_t life_ms)
{
    struct base_buf text = {0};

    base_log_token_make(&key, scope, user, NOW + life_ms, &text);
    return base_buf_take(&text);
}

static void expect(const char *token, int rc, const char *says)
{
    struct base_log_token t;
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_log_token_read(keys, token, NOW, &t, &err), rc);
    if (says && !strstr(err.text, says))
        printf("\n    %s: \"%s\" does not say %s\n", token, err.text, says);
    CU_ASSERT_TRUE(!says || strstr(err.text, says));
}

static void test_whole(void)
{
    static const char *const users[] = {"ann", "ann@EXAMPLE.ORG", "a.b", "\xc3\xa9"};
    struct base_log_token t;

    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        char *token = make(APP, users[i], LIFE);

        CU_ASSERT_TRUE(base_has_log_token_form(token));
        CU_ASSERT_EQUAL(base_log_token_read(keys, token, NOW, &t, NULL), 0);
        CU_ASSERT_STRING_EQUAL(t.user, users[i]);
        CU_ASSERT_STRING_EQUAL(t.scope, APP);
        free(token);
    }
}

static void test_longest_user(void)
{
    char user[BASE_NAME_MAX + 1], *token;
    struct base_log_token t;

    memset(user, 'u', sizeof user - 1);
    user[sizeof user - 1] = '\0';
    token = make(APP, user, LIFE);
    CU_ASSERT_EQUAL(base_log_token_read(keys, token, NOW, &t, NULL), 0);
    CU_ASSERT_STRING_EQUAL(t.user, user);
    free(token);
}

static void test_scope(void)
{
    struct base_log_token t = {.scope = APP};

    CU_ASSERT_TRUE(base_log_token_opens(&t, APP));
    CU_ASSERT_TRUE(base_log_token_opens(&t, ONE));
    CU_ASSERT_TRUE(base_log_token_opens(&t, TWO));
    CU_ASSERT_FALSE(base_log_token_opens(&t, OTHER_APP));
    CU_ASSERT_FALSE(base_log_token_opens(&t, OTHER_ONE));
    CU_ASSERT_FALSE(base_log_token_opens(&t, "conf"));
    t = (struct base_log_token){.scope = ONE};
    CU_ASSERT_TRUE(base_log_token_opens(&t, ONE));
    CU_ASSERT_FALSE(base_log_token_opens(&t, TWO));
    CU_ASSERT_FALSE(base_log_token_opens(&t, APP));
    CU_ASSERT_FALSE(base_log_token_opens(&t, OTHER_ONE));
    t = (struct base_log_token){.scope = "none"};
    CU_ASSERT_FALSE(base_log_token_opens(&t, ONE));
}

static void test_time(void)
{
    static const struct {
        int64_t life_ms;
        int rc;
    } lives[] = {{1, 0},
                 {0, -BASE_EPERM},
                 {-1, -BASE_EPERM},
                 {BASE_LOG_TOKEN_LIFE_MAX_MS, 0},
                 {BASE_LOG_TOKEN_LIFE_MAX_MS + 1, -BASE_EPERM}};

    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        char *token = make(APP, "ann", lives[i].life_ms);

        expect(token, lives[i].rc, lives[i].rc < 0 ? "ann for " APP " has expired" : NULL);
        free(token);
    }
}

/* Each byte of the token is replaced, the token is cut off at each, and has one more. */
static void test_changed(void)
{
    char *token = make(ONE, "ann", LIFE);
    size_t len = strlen(token);

    for (size_t i = 0; i < len; i++) {
        char was = token[i];

        token[i] = was == '1' ? '2' : '1';
        expect(token, -BASE_EPERM, NULL);
        token[i] = '\0';
        expect(token, -BASE_EPERM, NULL);
        token[i] = was;
    }
    expect(token, 0, NULL);
    {
        char *more = base_printf("%s0", token);

        expect(more, -BASE_EPERM, "form");
        free(more);
    }
    expect("", -BASE_EPERM, "form");
    expect("log.", -BASE_EPERM, "form");
    expect("log.....", -BASE_EPERM, "form");
    expect("0123456789abcdef.0123", -BASE_EPERM, "form");
    CU_ASSERT_FALSE(base_has_log_token_form("0123456789abcdef.0123"));
    free(token);
}

static void test_other_key(void)
{
    struct base_key other = key;
    struct base_keyring *mine = keys;
    char *token = make(APP, "ann", LIFE);

    other.bytes[0]++;
    keys = base_keyring_new_of_key(&other); /* the same name for another key */
    expect(token, -BASE_EPERM, "changed");
    base_keyring_unref(keys);
    snprintf(other.id, sizeof other.id, "89abcdef");
    keys = base_keyring_new_of_key(&other);
    expect(token, -BASE_EPERM, "another key");
    base_keyring_unref(keys);
    keys = mine;
    free(token);
}

/* The secret's file is replaced twice: after the first time the token still counts. */
static void test_rolled(void)
{
    char path[] = "/tmp/creel-log-token-XXXXXX", *token;
    struct base_buf text = {0};
    struct base_keyring *mine = keys;
    struct base_key signing;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(path));
    base_buf_addf(&text, "%s/secret", path);
    CU_ASSERT_EQUAL_FATAL(base_secret_file_make(text.data, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(base_keyring_open(text.data, &keys, NULL), 0);
    base_keyring_get_signing_key(keys, &signing);
    {
        struct base_buf made = {0};

        base_log_token_make(&signing, APP, "ann", NOW + LIFE, &made);
        token = base_buf_take(&made);
    }
    expect(token, 0, NULL);
    for (int turn = 0; turn < 2; turn++) {
        CU_ASSERT_EQUAL(base_secret_file_rotate(text.data, true, NULL), 0);
        CU_ASSERT_EQUAL(base_keyring_refresh(keys, NULL), 1);
        expect(token, turn ? -BASE_EPERM : 0, turn ? "another key" : NULL);
    }
    base_keyring_unref(keys);
    keys = mine;
    free(token);
    base_buf_free(&text);
    CU_ASSERT_EQUAL(base_rmtree(path, NULL), 0);
}

static const struct cunit_case cases[] = {{"one as it was made", test_whole},
                                          {"the longest name of a user", test_longest_user},
                                          {"what it opens", test_scope},
                                          {"its time", test_time},
                                          {"changed in each place", test_changed},
                                          {"other keys", test_other_key},
                                          {"a secret that is replaced", test_rolled}};

int main(void)
{
    int rc;

    keys = base_keyring_new_of_key(&key);
    rc = cunit_main("log tokens", cases, sizeof cases / sizeof *cases);
    base_keyring_unref(keys);
    return rc;
}

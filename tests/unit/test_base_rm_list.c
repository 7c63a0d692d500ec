/* Addresses of ResourceManagers: as people write them, as the configuration has them; and which one
 * to ask next, when some are dead or standbys, or send us back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf/rm_list.h"
#include "tests/unit/cunit_main.h"

static void test_parse(void)
{
    struct base_rm_list l = {0};
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_rm_list_add_text(
                        "x", " a:1, http://b/ ,HTTPS://[::1]:8090//\nc.d-e_f:65535/gate", &l, &err),
                    0);
    char *text = base_rm_list_to_text(&l);
    CU_ASSERT_STRING_EQUAL(text,
                           "http://a:1,http://b,HTTPS://[::1]:8090,http://c.d-e_f:65535/gate");
    free(text);
    base_rm_list_free(&l);
    CU_ASSERT_EQUAL(l.n, 0);
}

static void test_parse_refused(void)
{
    static const char *const bad[] = {
        "a:0",          "a:65536", "a:b",  ":1",      "ftp://a:1", "http://",
        "http://a:1?x", "a b:",    "[::1", "a:1,b:c", "a:1#f",     "[:]:1"};
    struct base_error err = {0};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct base_rm_list l = {0};
        CU_ASSERT_EQUAL(base_rm_list_add_text("some.key", bad[i], &l, &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "some.key: \""));
        base_rm_list_free(&l);
    }
    struct base_rm_list l = {0};
    CU_ASSERT_EQUAL(base_rm_list_add_text("some.key", " , ", &l, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "some.key: no address given");
    struct base_buf many = {0};
    for (int i = 0; i <= BASE_RM_LIST_MAX; i++)
        base_buf_addf(&many, "h%d:1,", i);
    CU_ASSERT_EQUAL(base_rm_list_add_text("some.key", many.data, &l, &err), -BASE_ELIMIT);
    CU_ASSERT_EQUAL(l.n, BASE_RM_LIST_MAX);
    base_rm_list_free(&l);
    base_buf_free(&many);
}

static char *read_list(const char *const *args, struct base_error *err)
{
    struct base_conf *conf = base_conf_new();
    struct base_rm_list l = {0};

    for (size_t i = 0; args[i]; i++)
        CU_ASSERT_EQUAL(base_conf_set_arg(conf, args[i], err), 0);
    char *text = base_rm_list_add_configured(conf, &l, err) < 0 ? NULL : base_rm_list_to_text(&l);
    base_rm_list_free(&l);
    base_conf_free(conf);
    return text;
}

#define ADDRESS       "yarn.resourcemanager.webapp.address."
#define HOST          "yarn.resourcemanager.hostname."
#define HTTPS         "yarn.http.policy=HTTPS_ONLY"
#define HTTPS_ADDRESS "yarn.resourcemanager.webapp.https.address."
#define IDS           "yarn.resourcemanager.ha.rm-ids=rm1, rm2"

/* Goal: our own key wins; else YARN's ids and their addresses, in their order; else the default. */
static void test_read(void)
{
    static const struct {
        const char *args[5], *want;
    } cases[] = {
        {{NULL}, "http://127.0.0.1:8088"},
        {{"creel.nodemanager.rm=a:1,b:2", NULL}, "http://a:1,http://b:2"},
        {{IDS, ADDRESS "rm2=two:8088", ADDRESS "rm1=one:8088", NULL},
         "http://one:8088,http://two:8088"},
        {{IDS, ADDRESS "rm2=two:8088", ADDRESS "rm1=one:8088", "creel.nodemanager.rm=own:1", NULL},
         "http://own:1"},
        {{"yarn.resourcemanager.ha.rm-ids=", NULL}, "http://127.0.0.1:8088"},
        {{HTTPS, NULL}, "https://127.0.0.1:8090"},
        {{HTTPS, "creel.nodemanager.rm=a:1,http://b:2", NULL}, "https://a:1,http://b:2"},
        {{HTTPS, IDS, HTTPS_ADDRESS "rm2=two:7", HOST "rm1=one", NULL},
         "https://one:8090,https://two:7"},
        {{IDS, HOST "rm1=one", HOST "rm2=::1", NULL}, "http://one:8088,http://[::1]:8088"},
        {{IDS, HOST "rm1=one", ADDRESS "rm1=uno:1", HOST "rm2=two", NULL},
         "http://uno:1,http://two:8088"},
    };
    struct base_error err = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = read_list(cases[i].args, &err);
        CU_ASSERT_PTR_NOT_NULL(text);
        CU_ASSERT_STRING_EQUAL(text ? text : "", cases[i].want);
        free(text);
    }
    CU_ASSERT_PTR_NULL(read_list((const char *const[]){IDS, ADDRESS "rm1=one:8088", NULL}, &err));
    CU_ASSERT_STRING_EQUAL(err.text, ADDRESS
                           "rm2 is not set, though yarn.resourcemanager.ha.rm-ids names rm2");
    CU_ASSERT_PTR_NULL(read_list((const char *const[]){IDS, ADDRESS "rm1=one:x", NULL}, &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, ADDRESS "rm1: \"one:x\""));
}

static void test_among(void)
{
    CU_ASSERT_TRUE(base_rm_url_is_in_list("http://a:1", "http://A:1/"));
    CU_ASSERT_TRUE(base_rm_url_is_in_list("http://a:1/, http://b:2", "http://b:2"));
    CU_ASSERT_FALSE(base_rm_url_is_in_list("http://a:1", "http://a:11"));
    CU_ASSERT_FALSE(base_rm_url_is_in_list("http://a:11", "http://a:1"));
    CU_ASSERT_FALSE(base_rm_url_is_in_list("", "http://a:1"));
    CU_ASSERT_FALSE(base_rm_url_is_in_list(" ,,", ""));
    CU_ASSERT_EQUAL(base_rm_url_base_len("http://h:1/ws?x"), strlen("http://h:1"));
    CU_ASSERT_EQUAL(base_rm_url_base_len("https://h"), strlen("https://h"));
    CU_ASSERT_EQUAL(base_rm_url_base_len("http://"), 0);
    CU_ASSERT_EQUAL(base_rm_url_base_len("/ws/v1"), 0);
}

struct asking {
    struct base_rm_list list;
    struct base_rm_cursor turn;
};

static void asking_new(struct asking *a, const char *rms)
{
    *a = (struct asking){0};
    CU_ASSERT_EQUAL(base_rm_list_add_text("x", rms, &a->list, NULL), 0);
    base_rm_cursor_init(&a->turn, &a->list);
}

static void asking_free(struct asking *a)
{
    base_rm_cursor_free(&a->turn);
    base_rm_list_free(&a->list);
}

#define ASKS(a, who)   CU_ASSERT_STRING_EQUAL(base_rm_cursor_url(&(a).turn), "http://" who)
#define FAILED(a, who) CU_ASSERT_STRING_EQUAL(base_rm_cursor_failed_urls(&(a).turn), who)

/* Goal: one RM is asked until it fails; then each of the others once, and then there is a pause. */
static void test_rounds(void)
{
    struct asking a;

    asking_new(&a, "a:1,b:2,c:3");
    ASKS(a, "a:1");
    CU_ASSERT_PTR_NULL(base_rm_cursor_failed_urls(&a.turn));
    base_rm_cursor_note_success(&a.turn);
    CU_ASSERT_TRUE(a.turn.answered);
    CU_ASSERT_TRUE(base_rm_cursor_fail_and_advance(&a.turn));
    CU_ASSERT_FALSE(a.turn.answered);
    ASKS(a, "b:2");
    FAILED(a, "http://a:1");
    CU_ASSERT_TRUE(base_rm_cursor_fail_and_advance(&a.turn));
    ASKS(a, "c:3");
    FAILED(a, "http://a:1,http://b:2");
    CU_ASSERT_FALSE(base_rm_cursor_fail_and_advance(&a.turn)); /* the round is over: a pause */
    ASKS(a, "a:1");
    CU_ASSERT_PTR_NULL(base_rm_cursor_failed_urls(&a.turn));
    CU_ASSERT_TRUE(base_rm_cursor_fail_and_advance(&a.turn));
    base_rm_cursor_note_success(&a.turn);
    ASKS(a, "b:2");
    CU_ASSERT_PTR_NULL(base_rm_cursor_failed_urls(&a.turn));
    asking_free(&a);
    asking_new(&a, "a:1"); /* a single RM: a pause each time */
    CU_ASSERT_FALSE(base_rm_cursor_fail_and_advance(&a.turn));
    CU_ASSERT_FALSE(base_rm_cursor_fail_and_advance(&a.turn));
    ASKS(a, "a:1");
    asking_free(&a);
}

/* Goal: a standby's redirect is followed, but not to an RM that has just failed; the RM that is
 * asked next is told which RMs have failed. */
static void test_moved(void)
{
    struct asking a;

    asking_new(&a, "a:1,b:2,c:3");
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://C:3/ws/v1/x?y"));
    ASKS(a, "c:3");
    CU_ASSERT_TRUE(
        base_rm_cursor_fail_and_advance(&a.turn)); /* ... which is dead: on to the next */
    ASKS(a, "a:1");
    FAILED(a, "http://c:3");
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://c:3/"));
    ASKS(a, "b:2"); /* a names c, which has just failed: on to the next */
    FAILED(a, "http://c:3,http://a:1");
    CU_ASSERT_TRUE(
        base_rm_cursor_follow_redirect(&a.turn, "http://other:9/x")); /* not one of the list */
    ASKS(a, "other:9");
    CU_ASSERT_TRUE(base_rm_cursor_fail_and_advance(&a.turn));
    ASKS(a, "b:2"); /* the RM that sent us there is told that it failed */
    FAILED(a, "http://c:3,http://a:1,http://other:9");
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://other2:9/x"));
    base_rm_cursor_note_success(&a.turn);
    ASKS(a, "other2:9");
    CU_ASSERT_TRUE(base_rm_cursor_fail_and_advance(&a.turn));
    ASKS(a, "b:2");
    asking_free(&a);
}

/* Goal: where requests carry a secret (listed_only), redirects lead only to RMs of the list, and to
 * their URLs as the list has them. */
static void test_listed_only(void)
{
    struct asking a;

    asking_new(&a, "a:1,b:2/path,c:3");
    a.turn.listed_only = true;
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://evil:3/ws/v1/x"));
    ASKS(a, "b:2/path"); /* the next RM of the list instead */
    FAILED(a, "http://a:1");
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://C:3/ws/v1/x"));
    ASKS(a, "c:3");
    base_rm_cursor_note_success(&a.turn);
    /* the list has a path for this RM */
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://B:2/ws/v1/x"));
    ASKS(a, "b:2/path");
    base_rm_cursor_note_success(&a.turn);
    /* another scheme is another server */
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "https://c:3/x"));
    ASKS(a, "c:3");
    FAILED(a, "http://b:2/path");
    base_rm_cursor_note_success(&a.turn);
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://b:22/x"));
    ASKS(a, "a:1");
    asking_free(&a);
    asking_new(&a, "a:1");
    a.turn.listed_only = true;
    CU_ASSERT_FALSE(base_rm_cursor_follow_redirect(&a.turn, "http://b:2/x"));
    ASKS(a, "a:1");
    asking_free(&a);
}

/* Goal: standbys that send us in circles, or nowhere, cost a bounded number of requests before the
 * pause. */
static void test_circles(void)
{
    struct asking a;
    int asked = 0;

    asking_new(&a, "a:1,b:2");
    for (;;) {
        const char *to =
            strcmp(base_rm_cursor_url(&a.turn), "http://a:1") == 0 ? "http://b:2/" : "http://a:1/";
        asked++;
        if (!base_rm_cursor_follow_redirect(&a.turn, to))
            break;
        CU_ASSERT_FATAL(asked < 20);
    }
    CU_ASSERT(asked >= 3);
    asking_free(&a);
    asking_new(&a, "a:1,b:2");
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, ""));
    ASKS(a, "b:2");
    /* the redirect names no address */
    CU_ASSERT_FALSE(base_rm_cursor_follow_redirect(&a.turn, "/ws/v1/cluster"));
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://a:1/x")); /* the RM itself */
    ASKS(a, "b:2");
    asking_free(&a);
}

/* Goal: an RM that says that it leads is asked next, even when it has failed a moment ago; the RM
 * that was being asked counts as failed. */
static void test_leads(void)
{
    struct asking a;

    asking_new(&a, "a:1,b:2,c:3");
    base_rm_cursor_note_success(&a.turn);
    base_rm_cursor_jump_to_leader(&a.turn, "http://c:3");
    ASKS(a, "c:3");
    FAILED(a, "http://a:1");
    CU_ASSERT_FALSE(a.turn.answered);
    CU_ASSERT_TRUE(base_rm_cursor_fail_and_advance(&a.turn));
    ASKS(a, "b:2");
    base_rm_cursor_jump_to_leader(&a.turn, "http://c:3");
    ASKS(a, "c:3");
    FAILED(a, "http://b:2");
    CU_ASSERT_TRUE(base_rm_cursor_follow_redirect(&a.turn, "http://other:9/x"));
    base_rm_cursor_jump_to_leader(&a.turn, "http://a:1");
    ASKS(a, "a:1");
    FAILED(a, "http://other:9");
    asking_free(&a);
}

static const struct cunit_case cases[] = {
    {"parse", test_parse},
    {"parse: refused", test_parse_refused},
    {"configuration", test_read},
    {"among", test_among},
    {"rounds", test_rounds},
    {"moved", test_moved},
    {"moved out of the list", test_listed_only},
    {"circles", test_circles},
    {"leads", test_leads},
};
CUNIT_MAIN("base_rm_list", cases)

/* Goal: a Kerberos principal is the user that Hadoop's rules make it, and nobody when no rule fits
 * or its name could be mistaken for something else. Method: rules and principals from Hadoop's
 * TestKerberosName and documentation (hadoop-auth), and some with odd characters. */
#include <stdlib.h>
#include <string.h>

#include "api/server/access/principals.h"
#include "base/mem.h"
#include "tests/unit/cunit_main.h"

#define REALM "APACHE.ORG"

static void check(const char *rules, const char *principal, const char *expected)
{
    struct base_error err = {0};
    struct api_principals *p;
    char *user;

    CU_ASSERT_EQUAL_FATAL(api_principals_new(rules, REALM, &p, &err), 0);
    user = api_principals_find_user(p, principal);
    if (!expected) {
        CU_ASSERT_PTR_NULL(user);
    } else if (user) {
        CU_ASSERT_STRING_EQUAL(user, expected);
    } else {
        CU_FAIL("no user");
    }
    free(user);
    api_principals_free(p);
}

static void test_default(void)
{
    static const char *const empty[] = {"", "DEFAULT", " DEFAULT\n", "DEFAULT DEFAULT"};

    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        check(empty[i], "ann@" REALM, "ann");
        check(empty[i], "HTTP/abc.com@" REALM, "HTTP");
        check(empty[i], "ann@OTHER.ORG", NULL);
    }
    check("DEFAULT/L", "ANN@" REALM, "ann");
    check("DEFAULTL", "ANN@" REALM, "ann");
}

/* SOURCE: TestKerberosName.setUp() and its tests. */
static void test_rules(void)
{
    static const char rules[] = "RULE:[1:$1@$0](.*@YAHOO\\.COM)s/@.*//\n"
                                "RULE:[2:$1](johndoe)s/^.*$/guest/\n"
                                "RULE:[2:$1;$2](^.*;admin$)s/;admin$//\n"
                                "RULE:[2:$2](root)\n"
                                "DEFAULT";

    check(rules, "omalley@" REALM, "omalley");
    check(rules, "hdfs/10.0.0.1@" REALM, "hdfs");
    check(rules, "oom@YAHOO.COM", "oom");
    check(rules, "johndoe/zoo@FOO.COM", "guest");
    check(rules, "joe/admin@FOO.COM", "joe");
    check(rules, "joe/root@FOO.COM", "root");
    check(rules, "foo@ACME.COM", NULL);
    check(rules, "root/joe@FOO.COM", NULL);
    check("RULE:[1:$1](user-.*)s/-/_/ DEFAULT", "user-a-b@" REALM, "user_a-b");
    check("RULE:[1:$1](user-.*)s/-/_/g DEFAULT", "user-a-b@" REALM, "user_a_b");
    check("RULE:[1:$1](A.*)s/A/B/g/L", "AAxA@" REALM, "bbxb");
    check("RULE:[1:$1]/L", "ANN@ANY.ORG", "ann");
    check("RULE:[1:$1]", "ann@ANY.ORG", "ann");
    /* a pattern matches the whole text, or does not */
    check("RULE:[1:$1](an)", "ann@" REALM, NULL);
    check("RULE:[1:$1](x|ann)", "ann@" REALM, "ann");
    check("RULE:[1:$1](x|ann)", "annx@" REALM, NULL);
    /* brackets, and characters that mean nothing behind a backslash or between brackets */
    check("RULE:[1:$1](user[-.|]x)s/[-.|]/_/", "user.x@" REALM, "user_x");
    check("RULE:[1:$1@$0](x[^@]*@A\\.ORG)s/@.*//", "xy@A.ORG", "xy");
    check("RULE:[1:$1@$0](x[^@]*@A\\.ORG)s/@.*//", "xy@AxORG", NULL);
    check("RULE:[1:$1]([]a]*)", "aa@" REALM, "aa");
    check("RULE:[1:$1](a-b)s/\\|?-/_/", "a-b@" REALM, "a_b");
    check("RULE:[1:$1](a[*]?[+]*b)", "ab@" REALM, "ab");
    /* the first rule that fits counts, even if its name is none */
    check("RULE:[1:$1@$0] DEFAULT", "ann@" REALM, NULL);
    check("RULE:[1:$1](ann)s/ann// DEFAULT", "ann@" REALM, NULL);
    /* what replaces an empty text would go on for ever */
    check("RULE:[1:$1](ann)s/x*/y/g", "ann@" REALM, "ann");
}

static void test_odd_principals(void)
{
    static const char *const odd[] = {"",
                                      "ann",
                                      "@" REALM,
                                      "ann@",
                                      "/a@" REALM,
                                      "ann/@" REALM,
                                      "ann/a/b@" REALM,
                                      "ann@" REALM "@" REALM,
                                      "ann@" REALM "/a",
                                      "ann\\@x@" REALM,
                                      "ann&u=root@" REALM,
                                      "ann\"@" REALM,
                                      "ann;@" REALM,
                                      "an n@" REALM,
                                      "ann\n@" REALM,
                                      "\xc3\xa4nn@" REALM};

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        check("DEFAULT", odd[i], NULL);
        check("RULE:[1:$1] RULE:[2:$1]", odd[i], NULL);
    }
}

static void test_wrong_rules(void)
{
    static const char *const wrong[] = {"default",
                                        "DEFAULTx",
                                        "RULE:",
                                        "RULE:[3:$1]",
                                        "RULE:[1:$1",
                                        "RULE:[1:$2]",
                                        "RULE:[1:$]",
                                        "RULE:[1:$x]",
                                        "RULE:[1:$10]",
                                        "RULE:[1:$1](a",
                                        "RULE:[1:$1]([a)",
                                        "RULE:[1:$1](a\\d)",
                                        "RULE:[1:$1](a.*?)",
                                        "RULE:[1:$1](a++)",
                                        "RULE:[1:$1]([a-z&&[^b]])",
                                        "RULE:[1:$1]([a\\]])",
                                        "RULE:[1:$1]([^\\.])",
                                        "RULE:[1:$1]([\\w])",
                                        "RULE:[1:$1]([a[b])",
                                        "RULE:[1:$1]([[:alpha:]])",
                                        "RULE:[1:$1](\\<a)",
                                        "RULE:[1:$1](a\\>)",
                                        "RULE:[1:$1](\\`a)",
                                        "RULE:[1:$1](a\\')",
                                        "RULE:[1:$1](a)s/a|ab/b/",
                                        "RULE:[1:$1](a)s/x\\\\|ab/b/",
                                        "RULE:[1:$1](a\\\\**)",
                                        "RULE:[1:$1](a)s/[a\\-]/b/",
                                        "RULE:[1:$1](a)s/\\<a/b/",
                                        "RULE:[1:$1](a)s/a",
                                        "RULE:[1:$1](a)s/a/b",
                                        "RULE:[1:$1](a)s//b/",
                                        "RULE:[1:$1](a)s/(a)/$1/",
                                        "RULE:[1:$1](a)s/a/b/x",
                                        "DEFAULT RULE"};
    struct api_principals *p;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct base_error err = {0};

        CU_ASSERT_EQUAL(api_principals_new(wrong[i], REALM, &p, &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "hadoop.security.auth_to_local"));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, strrchr(wrong[i], ' ') ? "RULE" : wrong[i]));
    }
}

static const struct cunit_case cases[] = {
    {"the default rule", test_default},
    {"other rules", test_rules},
    {"odd principals", test_odd_principals},
    {"wrong rules", test_wrong_rules},
};

int main(void)
{
    return cunit_main("users of Kerberos principals", cases, sizeof cases / sizeof *cases);
}

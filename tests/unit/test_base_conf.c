#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/io.h"
#include "tests/unit/cunit_main.h"

static char dir[256];

static char *file(const char *name, const char *text)
{
    static char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(path, text, strlen(text), 0644, false, NULL), 0);
    return path;
}

static struct base_conf *loaded(const char *text)
{
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};
    int rc = base_conf_load_file(c, file("c.xml", text), &err);

    CU_ASSERT_EQUAL(rc, 0);
    if (rc)
        printf("\n  %s\n", err.text);
    return c;
}

static void says(const struct base_error *err, const char *want)
{
    if (!strstr(err->text, want)) {
        CU_FAIL("another message");
        printf("\n  %s\n  instead of %s\n", err->text, want);
    }
}

static void load_refused(const char *text, const char *want)
{
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_conf_load_file(c, file("bad.xml", text), &err), -BASE_EINVAL);
    says(&err, want);
    base_conf_free(c);
}

static bool begins_with_lifo(const char *name)
{
    return strncmp(name, "creel.lifo.", 11) == 0;
}

static int check_arg(const char *arg, bool (*is_known_elsewhere)(const char *name))
{
    struct base_conf *c = base_conf_new();
    int rc;

    CU_ASSERT_EQUAL(base_conf_set_arg(c, arg, NULL), 0);
    rc = base_conf_check(c, is_known_elsewhere, NULL);
    base_conf_free(c);
    return rc;
}

static void check_refused(const char *arg, const char *want)
{
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_conf_set_arg(c, arg, &err), 0);
    CU_ASSERT_EQUAL(base_conf_check(c, begins_with_lifo, &err), -BASE_EINVAL);
    says(&err, want);
    base_conf_free(c);
}

static void is(const struct base_conf *c, const char *key, const char *want)
{
    const char *got = base_conf_get(c, key);

    if (!got || strcmp(got, want) != 0) {
        CU_FAIL("another value");
        printf("\n  %s: %s instead of %s\n", key, got ? got : "(none)", want);
    }
}

#define P(name, value) "<property><name>" name "</name><value>" value "</value></property>\n"
#define C(inside)      "<?xml version=\"1.0\"?>\n<configuration>\n" inside "</configuration>\n"

static void test_defaults(void)
{
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), 0);
    CU_ASSERT_EQUAL(base_conf_int(c, "creel.rm.port"), 8088);
    CU_ASSERT_EQUAL(base_conf_bool(c, "creel.rm.insecure"), false);
    CU_ASSERT_EQUAL(base_conf_double(c, "creel.scheduler.slowstart"), 0.05);
    is(c, "creel.scheduler.policy", "fifo");
    is(c, "creel.cluster.secret-file", "");
    CU_ASSERT_PTR_NULL(base_conf_get(c, "some.other.key"));
    base_conf_free(c);
    /* every key is described, and none is there twice */
    for (const struct base_conf_key *k = base_conf_keys; k->name; k++) {
        CU_ASSERT(k->help && k->value && strlen(k->help) > 5);
        for (const struct base_conf_key *other = k + 1; other->name; other++)
            CU_ASSERT_STRING_NOT_EQUAL(k->name, other->name);
    }
}

static void test_property(void)
{
    struct base_conf *c = loaded(C("<!-- comment -->" P("creel.rm.port", " 9 ") P(
        "any.key",
        "a &lt;b&gt; <![CDATA[<c>]]>") "<property name=\"attr.key\" value=\"v\" final=\"true\"/>"
                                       "<property><name>a</name><value/><description>d</"
                                       "description><tag>t</tag></property>"
                                       "<property><name>no.value</name><description>as in "
                                       "yarn-default</description></property>" P(
                                           "attr.key", "later") P("creel.rm.port", "10")));

    CU_ASSERT_EQUAL(base_conf_check(c, NULL, NULL), 0);
    /* of several values in a file, the last one counts */
    CU_ASSERT_EQUAL(base_conf_int(c, "creel.rm.port"), 10);
    is(c, "any.key", "a <b> <c>");
    is(c, "attr.key", "v"); /* the earlier value was final */
    is(c, "a", "");
    CU_ASSERT_PTR_NULL(base_conf_get(c, "no.value"));
    base_conf_free(c);
}

static void test_final_and_arguments(void)
{
    struct base_conf *c = loaded(
        C("<property><name>creel.rm.port</name><value>1</value><final>true</final></property>" P(
            "creel.rm.bind", "one")));
    struct base_error err = {0};

    CU_ASSERT_EQUAL(
        base_conf_load_file(c, file("d.xml", C(P("creel.rm.port", "2") P("creel.rm.bind", "two"))),
                            &err),
        0);
    CU_ASSERT_EQUAL(base_conf_int(c, "creel.rm.port"), 1);
    is(c, "creel.rm.bind", "two");
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "creel.rm.port=3", &err), 0);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "creel.rm.bind=three=3", &err), 0);
    CU_ASSERT_EQUAL(base_conf_load_file(c, file("e.xml", C(P("creel.rm.bind", "four"))), &err), 0);
    /* an argument overrides even a final value */
    CU_ASSERT_EQUAL(base_conf_int(c, "creel.rm.port"), 3);
    is(c, "creel.rm.bind", "three=3"); /* an argument overrides a file that is loaded later */
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "novalue", &err), -BASE_EINVAL);
    says(&err, "expected key=value");
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "=x", &err), -BASE_EINVAL);
    base_conf_free(c);
}

/* In a list of users and groups a blank in front says that it names no user. */
static void test_lists(void)
{
    struct base_conf *c = loaded(C(P("yarn.admin.acl", " ops") P("q.acl_submit_applications", "   ")
                                       P("q.acl_administer_queue", "ann staff ") P("x", " y ")
                                           P("other.acl", "\n ann ")));

    is(c, "yarn.admin.acl", " ops");
    is(c, "q.acl_submit_applications", " ");
    is(c, "q.acl_administer_queue", "ann staff");
    is(c, "x", "y");
    is(c, "other.acl", "ann");
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "yarn.admin.acl= wheel ", NULL), 0);
    is(c, "yarn.admin.acl", " wheel");
    base_conf_free(c);
}

static void test_expansion(void)
{
    struct base_conf *c;

    setenv("CREEL_TEST_SET", "env", 1);
    setenv("CREEL_TEST_EMPTY", "", 1);
    unsetenv("CREEL_TEST_UNSET");
    c = loaded(C(
        P("a", "1") P("b", "${a}2") P("c", "${b}-${b}") P("which", "b") P(
            "nested", "${${which}}") P("unbound",
                                       "x ${nobody} y") P("blank", "${a b}") P("open",
                                                                               "${a") P("dollar",
                                                                                        "$a $$ ${}")
            P("or", "${nobody:-else}/${a:-else}") P("env", "${env.CREEL_TEST_SET}") P(
                "env.or",
                "${env.CREEL_TEST_UNSET-d1},${env.CREEL_TEST_EMPTY-d2},${env.CREEL_TEST_EMPTY:-d3},"
                "${env.CREEL_TEST_SET:-d4}") P("known", "${creel.rm.port}")
                P("home", "${user.home}")));
    is(c, "b", "12");
    is(c, "c", "12-12");
    is(c, "nested", "12");
    is(c, "unbound", "x ${nobody} y");
    is(c, "blank", "${a b}");
    is(c, "open", "${a");
    is(c, "dollar", "$a $$ ${}");
    is(c, "or", "else/1");
    is(c, "env", "env");
    is(c, "env.or", "d1,,d3,env");
    is(c, "known", "8088");
    CU_ASSERT_EQUAL(base_conf_get(c, "home")[0], '/');
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "a=9", NULL), 0); /* values that refer to it follow */
    is(c, "c", "92-92");
    base_conf_free(c);
}

static void test_expansion_loops(void)
{
    struct base_conf *c =
        loaded(C(P("self", "x${self}") P("a", "${b}") P("b", "${a}") P("creel.rm.bind", "${a}")
                     P("g0", "${g1}${g1}") P("g1", "${g2}${g2}") P("g2", "${g3}${g3}")
                         P("g3", "${g4}${g4}") P("g4", "${g0}")));
    struct base_error err = {0};

    is(c, "self", "x${self}");
    is(c, "a", "${b}");
    is(c, "g0", "${g1}${g1}");
    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err),
                    -BASE_EINVAL); /* a loop is an error in a key that Creel reads */
    says(&err, "creel.rm.bind: \"${a}\" does not expand within 20 substitutions");
    says(&err, "c.xml, line 6");
    base_conf_free(c);
}

static void test_xinclude(void)
{
    struct base_conf *c;

    file("part.xml",
         "<configuration>\n" P("from.part", "p") P("creel.rm.port", "77") "</configuration>");
    c = loaded("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n"
               "<xi:include href=\"part.xml\"/>\n"
               "<xi:include href=\"absent.xml\"><xi:fallback>" P(
                   "from.fallback", "f") "</xi:fallback></xi:include>\n"
                                         "</configuration>");
    is(c, "from.part", "p");
    is(c, "from.fallback", "f");
    CU_ASSERT_EQUAL(base_conf_int(c, "creel.rm.port"), 77);
    base_conf_free(c);
    load_refused("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n<xi:include "
                 "href=\"absent.xml\"/>\n"
                 "</configuration>",
                 "absent.xml");
    load_refused("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n"
                 "<xi:include href=\"http://127.0.0.1:9/x.xml\"/>\n</configuration>",
                 "not valid XML");
    load_refused("<configuration "
                 "xmlns:xi=\"http://www.w3.org/2001/XInclude\"><property><name>n</name><value>"
                 "<xi:include parse=\"text\" "
                 "href=\"http://127.0.0.1:9/x.txt\"/></value></property></configuration>",
                 "not valid XML");
    file(
        "loop.xml",
        "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"bad.xml\"/>"
        "</configuration>");
    load_refused("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include "
                 "href=\"loop.xml\"/>"
                 "</configuration>",
                 ", line 1: ");
}

/* An error within an included file names that file. */
static void test_xinclude_lines(void)
{
    struct base_conf *c;
    struct base_error err = {0};

    file("part.xml", "<configuration>\n\n" P("creel.rm.prot", "77") "</configuration>");
    c = loaded("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include "
               "href=\"part.xml\"/>"
               "</configuration>");
    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), -BASE_EINVAL);
    says(&err, "part.xml, line 3: unknown key creel.rm.prot; did you mean creel.rm.port?");
    base_conf_free(c);
}

static void test_bad_xml(void)
{
    load_refused("", "bad.xml");
    load_refused("no xml", "bad.xml, line 1");
    load_refused("<configuration>\n<property>\n</configuration>\n", "bad.xml, line 3");
    load_refused("<other/>", "line 1: the outermost element is not <configuration>");
    load_refused("<configuration>\n<propery/>\n</configuration>", "line 2: expected <property>");
    load_refused("<configuration>\n<property><value>1</value></property></configuration>",
                 "line 2: a <property> without a <name>");
    load_refused(
        "<configuration>\n\n<property><name>creel.rm.port</name></property></configuration>",
        "line 3: a <property> without a <value>");
    load_refused(
        "<configuration>\n<property><name>a</name><value>1<b/></value></property></configuration>",
        "line 2: an element inside a text");
    load_refused("<configuration>\n<property><name>a</name><value>1</value><final>yes</final></"
                 "property></configuration>",
                 "line 2: <final>");
    load_refused("<configuration>\n" P("a", "1") "stray</configuration>", "text outside");
    load_refused("<!DOCTYPE configuration [<!ENTITY e \"v\">]>\n<configuration>\n" P(
                     "a", "&e;") "</configuration>",
                 "line 3: an entity reference");
    load_refused("<configuration>" P("a", "&nobody;") "</configuration>", "line 1");
}

static void test_check(void)
{
    struct base_conf *c = loaded(C("\n" P("creel.rm.port", "70000")));
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), -BASE_EINVAL);
    says(&err, "c.xml, line 4: creel.rm.port: \"70000\" is not an integer from 0 to 65535");
    base_conf_free(c);
    check_refused("creel.rm.port=x", "-D: creel.rm.port: \"x\" is not an integer");
    check_refused("creel.rm.port=1k", "is not an integer");
    check_refused("creel.rm.insecure=yes", "creel.rm.insecure: \"yes\" is neither true nor false");
    check_refused("creel.scheduler.slowstart=half", "\"half\" is not a number");
    check_refused("creel.scheduler.slowstart=nan", "\"nan\" is not a number");
    check_refused("creel.mapreduce.split-size=64X", "creel.mapreduce.split-size: \"64X\"");
    check_refused("creel.cluster.secret=hush", "-D: creel.cluster.secret: a secret is not taken");
    check_refused("creel.cluster.secret=", "name that in creel.cluster.secret-file");
    check_refused("creel.shceduler.policy=fifo", "did you mean creel.scheduler.policy?");
    check_refused("creel.completely.different.and.far=1",
                  "-D: unknown key creel.completely.different.and.far");
    c = base_conf_new();
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "creel.mapreduce.split-size=64M", NULL), 0);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "creel.rm.insecure=TRUE", NULL), 0);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, "yarn.unknown.to.us=kept", NULL), 0);
    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), 0);
    CU_ASSERT_EQUAL(base_conf_int(c, "creel.mapreduce.split-size"), 64 << 20);
    CU_ASSERT(base_conf_bool(c, "creel.rm.insecure"));
    is(c, "yarn.unknown.to.us", "kept");
    base_conf_free(c);
}

/* Keys that belong to a policy: programs with policies know them, programs without let them
 * pass. */
static void test_keys_of_others(void)
{
    CU_ASSERT_EQUAL(check_arg("creel.lifo.slots=1", begins_with_lifo), 0);
    CU_ASSERT_EQUAL(check_arg("creel.filo.slots=1", begins_with_lifo), -BASE_EINVAL);
    CU_ASSERT_EQUAL(check_arg("creel.lifo.slots=1", NULL), 0);
    CU_ASSERT_EQUAL(check_arg("creel.commit_delay=1", NULL), 0);
    CU_ASSERT_EQUAL(check_arg("creel.rm.completely-different-and-far=1", NULL),
                    -BASE_EINVAL); /* "creel.rm." is a family of Creel's own keys */
    CU_ASSERT_EQUAL(check_arg("creel.shceduler.policy=fifo", NULL), -BASE_EINVAL);
    CU_ASSERT_EQUAL(check_arg("creel.rm.port=x", NULL), -BASE_EINVAL);
}

static void test_default_files(void)
{
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};

    setenv("CREEL_CONF_DIR", "/nonexistent", 1);
    CU_ASSERT_EQUAL(base_conf_load_default_files(c, &err), 0);
    setenv("CREEL_CONF_DIR", dir, 1);
    file("yarn-site.xml", C(P("creel.rm.bind", "yarn")));
    CU_ASSERT_EQUAL(base_conf_load_default_files(c, &err), 0);
    is(c, "creel.rm.bind", "yarn");
    file("creel-site.xml", C(P("creel.rm.port", "5")));
    CU_ASSERT_EQUAL(base_conf_load_default_files(c, &err), 0);
    CU_ASSERT_EQUAL(base_conf_int(c, "creel.rm.port"), 5);
    file("creel-site.xml", "<broken");
    CU_ASSERT_EQUAL(base_conf_load_default_files(c, &err), -BASE_EINVAL);
    says(&err, "creel-site.xml, line 1");
    CU_ASSERT_EQUAL(base_conf_load_file(c, "/nonexistent/x.xml", &err), -BASE_ENOTFOUND);
    base_conf_free(c);
}

/* Goal: a user's command leaves out a configuration file that the user may not read. Method: root
 * may read any file, so as root the test has another real user for a moment. */
static void test_hidden_files(void)
{
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};
    char *path = base_printf("%s/creel-site.xml", dir), *left_out = NULL;

    setenv("CREEL_CONF_DIR", dir, 1);
    file("yarn-site.xml", C(P("creel.rm.bind", "seen")));
    file("creel-site.xml", C(P("creel.rm.port", "5")));
    CU_ASSERT_EQUAL(base_conf_load_readable_files(c, &left_out, &err), 0);
    CU_ASSERT_PTR_NULL(left_out);
    CU_ASSERT_TRUE(base_conf_is_set(c, "creel.rm.port"));
    CU_ASSERT_FALSE(base_conf_is_set(c, "creel.rm.insecure"));
    base_conf_free(c);

    c = base_conf_new();
    CU_ASSERT_EQUAL(chmod(path, 0), 0);
    if (geteuid() == 0)
        CU_ASSERT_EQUAL_FATAL(setresuid(65534, 0, 0), 0); /* access() asks for the real user */
    CU_ASSERT_EQUAL(chmod(dir, 0755), 0);
    CU_ASSERT_EQUAL(base_conf_load_readable_files(c, &left_out, &err), 0);
    if (getuid() != geteuid())
        CU_ASSERT_EQUAL_FATAL(setresuid(0, 0, 0), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(left_out);
    CU_ASSERT_STRING_EQUAL(left_out, path);
    is(c, "creel.rm.bind", "seen");
    CU_ASSERT_FALSE(base_conf_is_set(c, "creel.rm.port"));
    free(left_out);
    base_conf_free(c);
    CU_ASSERT_EQUAL(unlink(path), 0);
    free(path);
}

static void test_listing(void)
{
    struct base_conf *c = loaded(C(P("z.last", "${a}") P("a", "1")));
    struct base_conf_item item, before = {0};
    size_t n = 0;

    for (; base_conf_item_at(c, n, &item); n++) {
        if (n)
            CU_ASSERT(strcmp(before.name, item.name) < 0);
        if (strcmp(item.name, "z.last") == 0) {
            CU_ASSERT_STRING_EQUAL(item.value, "1");
            CU_ASSERT_PTR_NOT_NULL(strstr(item.source, "c.xml, line 3"));
        }
        if (strcmp(item.name, "creel.rm.port") == 0)
            CU_ASSERT_PTR_NULL(item.source);
        before = item;
    }
    CU_ASSERT(n > 30);
    base_conf_free(c);
}

static const struct cunit_case cases[] = {
    {"defaults", test_defaults},
    {"property", test_property},
    {"final and -D", test_final_and_arguments},
    {"lists of users", test_lists},
    {"expansion", test_expansion},
    {"expansion loops", test_expansion_loops},
    {"XInclude", test_xinclude},
    {"lines of included files", test_xinclude_lines},
    {"bad XML", test_bad_xml},
    {"check", test_check},
    {"keys of others", test_keys_of_others},
    {"default files", test_default_files},
    {"files that may not be read", test_hidden_files},
    {"listing", test_listing},
};

int main(void)
{
    int rc;

    snprintf(dir, sizeof dir, "/tmp/creel-conf-XXXXXX");
    if (!mkdtemp(dir))
        return 2;
    rc = cunit_main("base_conf", cases, sizeof cases / sizeof *cases);
    base_rmtree(dir, NULL);
    return rc;
}

/* Goal: files of hosts are read as Hadoop reads them, and mistakes are named.
 * Method: texts in both forms. */
#include <stdlib.h>
#include <string.h>

#include "rm/config/host_lists.h"
#include "tests/unit/cunit_main.h"

static struct rm_listed_host *v;
static size_t n;
static struct base_error err;

static int parse(const char *file, const char *text)
{
    return rm_host_list_parse(file, text, strlen(text), &v, &n, &err);
}

static void forget(void)
{
    for (size_t i = 0; i < n; i++)
        free(v[i].name);
    free(v);
    v = NULL;
    n = 0;
}

static void test_lines(void)
{
    CU_ASSERT_EQUAL(parse("exclude", "# all\nhost1 host2\t# two\n\n  host3:8041\r\nhost4"), 0);
    CU_ASSERT_EQUAL_FATAL(n, 4);
    CU_ASSERT_STRING_EQUAL(v[0].name, "host1");
    CU_ASSERT_STRING_EQUAL(v[1].name, "host2");
    CU_ASSERT_STRING_EQUAL(v[2].name, "host3:8041");
    CU_ASSERT_STRING_EQUAL(v[3].name, "host4");
    CU_ASSERT_EQUAL(v[3].timeout_us, -1);
    forget();
    CU_ASSERT_EQUAL(parse("exclude", ""), 0);
    CU_ASSERT_EQUAL(n, 0);
    forget();
}

static void test_xml(void)
{
    CU_ASSERT_EQUAL(parse("exclude.xml",
                          "<?xml version=\"1.0\"?>\n<hosts>\n<host><name>host1</name></host>\n"
                          "<host><name> host2, host3\nhost4 </name><timeout> 90 </timeout></host>\n"
                          "<host><name>host5</name><timeout>-1</timeout></host></hosts>"),
                    0);
    CU_ASSERT_EQUAL_FATAL(n, 5);
    CU_ASSERT_STRING_EQUAL(v[0].name, "host1");
    CU_ASSERT_EQUAL(v[0].timeout_us, -1);
    CU_ASSERT_STRING_EQUAL(v[3].name, "host4");
    CU_ASSERT_EQUAL(v[1].timeout_us, 90000000);
    CU_ASSERT_EQUAL(v[3].timeout_us, 90000000);
    CU_ASSERT_EQUAL(v[4].timeout_us, -1);
    forget();
}

static void test_mistakes(void)
{
    CU_ASSERT_EQUAL(
        parse("e.xml", "<hosts>\n<host><name>a</name>\n<timeout>soon</timeout></host></hosts>"),
        -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "e.xml:3: timeout: \"soon\" is not a number of seconds");
    forget();
    CU_ASSERT_EQUAL(parse("e.xml", "<hosts>"), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "e.xml: is not well-formed XML");
    forget();
}

static const struct cunit_case cases[] = {
    {"names between blanks", test_lines},
    {"XML", test_xml},
    {"mistakes", test_mistakes},
};

int main(void)
{
    return cunit_main("lists of hosts", cases, sizeof cases / sizeof *cases);
}

/* Goal: what people see is aligned, harmless and readable. Method: widths of ASCII, combining, wide
 * and broken text; control characters; figures at the borders of their units. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/text/text.h"
#include "tests/unit/cunit_main.h"

static size_t width(const char *s)
{
    return cli_text_width(s, strlen(s));
}

static void test_width(void)
{
    CU_ASSERT_EQUAL(width(""), 0);
    CU_ASSERT_EQUAL(width("abc"), 3);
    CU_ASSERT_EQUAL(width("Zürich"), 6);
    CU_ASSERT_EQUAL(width("e\xcc\x81"), 1); /* e and a combining acute accent */
    CU_ASSERT_EQUAL(width("語"), 2);
    CU_ASSERT_EQUAL(width("한글"), 4);
    CU_ASSERT_EQUAL(width("\xff\xfe"), 2); /* broken bytes take a column each */
    CU_ASSERT_EQUAL(width("\xe8\xaa"), 2); /* cut inside a character */
    CU_ASSERT_EQUAL(width("\xc0\x80"), 2); /* overlong */
}

static void test_fit(void)
{
    CU_ASSERT_EQUAL(cli_text_prefix_fitting("abcdef", 4), 4);
    CU_ASSERT_EQUAL(cli_text_prefix_fitting("abc", 10), 3);
    CU_ASSERT_EQUAL(cli_text_prefix_fitting("語語", 3),
                    3); /* one whole character, not one and a half */
    CU_ASSERT_EQUAL(cli_text_prefix_fitting("é", 0), 0);
}

static void clean_is(const char *in, const char *expected)
{
    struct base_buf b = {0};
    cli_text_add_clean(in, &b);
    CU_ASSERT_STRING_EQUAL(b.data, expected);
    base_buf_free(&b);
}

static void test_clean(void)
{
    clean_is("", "");
    clean_is("plain", "plain");
    clean_is("two\nlines\r\n\tof text\n", "two lines of text");
    clean_is("\033[2Jgone", "[2Jgone");
    clean_is("a\x7f"
             "b",
             "a b");
    clean_is("c1\xc2\x9b"
             "2J",
             "c1 2J"); /* U+009B starts a sequence too */
    clean_is("bad\xff", "bad?");
    clean_is("Zürich 語", "Zürich 語");
}

static void figure_is(void (*add)(int64_t, struct base_buf *), int64_t n, const char *expected)
{
    struct base_buf b = {0};
    add(n, &b);
    CU_ASSERT_STRING_EQUAL(b.data, expected);
    base_buf_free(&b);
}

static void test_figures(void)
{
    figure_is(cli_text_add_duration, -5, "0.0 s");
    figure_is(cli_text_add_duration, 349, "0.3 s");
    figure_is(cli_text_add_duration, 59999, "59.9 s");
    figure_is(cli_text_add_duration, 60000, "1m00s");
    figure_is(cli_text_add_duration, 185000, "3m05s");
    figure_is(cli_text_add_duration, 7620000, "2h07m");
    figure_is(cli_text_add_bytes, 0, "0 B");
    figure_is(cli_text_add_bytes, 999, "999 B");
    figure_is(cli_text_add_bytes, 1000, "1.0 kB");
    figure_is(cli_text_add_bytes, 999960, "1.0 MB");
    figure_is(cli_text_add_bytes, INT64_MAX, "9.2 EB");
    figure_is(cli_text_add_grouped_count, 0, "0");
    figure_is(cli_text_add_grouped_count, 999, "999");
    figure_is(cli_text_add_grouped_count, 1234567, "1,234,567");
    figure_is(cli_text_add_grouped_count, -123456, "-123,456");
    figure_is(cli_text_add_time, 0, "-");
}

static void test_time(void)
{
    setenv("TZ", "UTC", 1);
    figure_is(cli_text_add_time, 1700000000000, "2023-11-14 22:13:20");
}

static void test_utf8_made(void)
{
    static const struct {
        const char *in, *out;
    } cases_[] = {
        {"a\nb", "a\nb"},
        {"Z\xc3\xbcrich", "Z\xc3\xbcrich"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"\xc3", "\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases_ / sizeof cases_[0]; i++) {
        struct base_buf b = {0};
        cli_text_add_as_valid_utf8(cases_[i].in, strlen(cases_[i].in), &b);
        CU_ASSERT_STRING_EQUAL(b.data, cases_[i].out);
        base_buf_free(&b);
    }
}

static const struct cunit_case cases[] = {
    {"bytes that are no UTF-8", test_utf8_made},
    {"widths", test_width},
    {"prefixes that fit", test_fit},
    {"cleaning", test_clean},
    {"figures", test_figures},
    {"times", test_time},
};
CUNIT_MAIN("cli_text", cases)

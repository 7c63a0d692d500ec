/* Goal: no text can do harm in a page: neither as an element's text nor in an attribute, however
 * long and whatever its bytes are; and what is harmless stays as it is. Method: texts with their
 * escaped forms, written by hand; pages of hostile texts, read by an HTML parser. */
#include <stdlib.h>

#include "api/pages/escape.h"
#include "api/pages/page.h"
#include "base/utf8.h"
#include "tests/unit/html_check.h"

#define R "\xEF\xBF\xBD" /* U+FFFD */

static void test_texts(void)
{
    static const struct {
        const char *text, *escaped;
    } cases[] = {
        {"", ""},
        {"plain text, 1 2 3", "plain text, 1 2 3"},
        {"<script>alert('1')</script>", "&lt;script&gt;alert(&apos;1&apos;)&lt;/script&gt;"},
        {"a\" onload=\"x & y &lt;", "a&quot; onload=&quot;x &amp; y &amp;lt;"},
        {"lines\nand\ttabs\r", "lines\nand\ttabs" R},
        {"\x01\x1b[31m\x7f", R R "[31m" R},
        {"caf\xC3\xA9 \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xF0\x9F\x98\x80",
         "caf\xC3\xA9 \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xF0\x9F\x98\x80"},
        {"\xE2\x80\xAEgnp.exe", R "gnp.exe"}, /* right-to-left override */
        {"\xE2\x80\xAA\xE2\x80\xAB\xE2\x80\xAC\xE2\x80\xAD", R R R R},
        {"\xE2\x81\xA6\xE2\x81\xA7\xE2\x81\xA8\xE2\x81\xA9", R R R R},
        {"\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C", R R R},
        {"\xE2\x80\x8D", "\xE2\x80\x8D"}, /* joins letters: harmless */
        {"\xE2\x80\xA8\xE2\x80\xA9\xC2\x85", R R R},
        {"\xFF\xC3(\xE2\x80", R R "(" R R},
        {"\xC0\xBC\xED\xA0\x80", R R R R R}, /* an overlong '<'; a surrogate */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_buf out = {0};

        base_buf_adds(&out, "");
        api_html_add_escaped(&out, cases[i].text);
        CU_ASSERT_STRING_EQUAL(out.data, cases[i].escaped);
        base_buf_free(&out);
    }
}

static void test_cut(void)
{
    static const struct {
        const char *text;
        size_t max;
        const char *escaped;
    } cases[] = {
        {"abc", 3, "abc"},
        {"abcd", 3, "abc\xE2\x80\xA6"},
        {"a<b", 2, "a&lt;\xE2\x80\xA6"},
        {"ab\xC3\xA9", 3, "ab\xE2\x80\xA6"}, /* never cut inside of a character */
        {"ab\xC3\xA9", 4, "ab\xC3\xA9"},
        {"abc", 0, "\xE2\x80\xA6"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_buf out = {0};

        api_html_add_escaped_cut(&out, cases[i].text, cases[i].max);
        CU_ASSERT_STRING_EQUAL(out.data, cases[i].escaped);
        base_buf_free(&out);
    }
}

static const struct api_page_link links[] = {{"/a", "A"}, {"/b", "B & C"}};
static const struct api_page_site site = {"Daemon", links, 2};

/* Writes a page with @text in every place that takes one. */
static void write_page(const char *text, struct base_buf *page)
{
    const struct api_column columns[] = {{.heading = text, .key = "k"}, {.heading = text}};
    struct api_table t = {.out = page, .columns = columns, .columns_n = 2};

    t.order_link = "/a?sort=";
    t.order = "k";
    api_page_open(page, &site, "/a", text);
    api_page_open_live(page);
    api_page_open_properties(page);
    api_page_add_property(page, text, "%s", text);
    api_page_open_property(page, text);
    api_page_add_link(page, "/x?a=b&c=d", text);
    api_page_close_property(page);
    api_page_close_properties(page);
    api_table_open(&t, text);
    api_table_open_row(&t, text);
    api_table_add_cell(&t, "%s", text);
    api_table_add_link_cell(&t, "/y", text);
    api_table_close_row(&t);
    api_table_close(&t);
    api_page_addf_escaped(page, "%s", text);
    api_page_close_live(page);
    api_page_close(page);
}

/* A page with hostile texts has as many elements as one with harmless texts. */
static void test_pages(void)
{
    static const char *const hostile[] = {
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</title></table></main></body><iframe src=//evil.example>",
        "<!--",
        "]]><b>",
        "&#60;script&#62;alert(1)&#60;/script&#62;",
        "javascript:alert(1)",
        "\xE2\x80\xAE\xE2\x81\xA6<b>\xFF",
        "%s%n%x",
    };
    struct base_buf page = {0};
    size_t elements;
    char *long_text = base_alloc(10241);

    write_page("harmless", &page);
    CU_ASSERT_PTR_NOT_NULL(strstr(page.data, "<a href=\"/a\" aria-current=\"page\">A</a>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(page.data, "<a href=\"/b\">B &amp; C</a>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(page.data, "<a href=\"/x?a=b&amp;c=d\">harmless</a>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(page.data, "<th scope=\"col\" aria-sort=\"ascending\">"
                                             "<a href=\"/a?sort=-k\">harmless</a></th>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(page.data, "<td data-label=\"harmless\">harmless</td>"));
    elements = html_check_page(page.data, page.len);
    CU_ASSERT(elements > 30);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        base_buf_clear(&page);
        write_page(hostile[i], &page);
        CU_ASSERT_EQUAL(html_check_page(page.data, page.len), elements);
        CU_ASSERT_TRUE(base_utf8_valid(page.data));
    }
    memset(long_text, '<', 10240);
    base_buf_clear(&page);
    write_page(long_text, &page);
    CU_ASSERT_EQUAL(html_check_page(page.data, page.len), elements);
    base_buf_free(&page);
    free(long_text);
}

static const struct cunit_case cases[] = {
    {"texts", test_texts}, {"texts that are cut", test_cut}, {"pages", test_pages}};
CUNIT_MAIN("api_pages", cases)

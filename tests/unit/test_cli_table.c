/* Goal: tables are aligned whatever their cells hold, and never wider than the terminal. */
#include <string.h>

#include "api/cli/cli_table.h"
#include "api/cli/cli_text.h"
#include "tests/unit/cunit_main.h"

static void renders(struct cli_table *t, size_t width, const char *expected)
{
    struct base_buf b = {0};
    cli_table_render(t, width, &b);
    CU_ASSERT_STRING_EQUAL(b.data, expected);
    if (strcmp(b.data, expected) != 0)
        printf("\ngot:\n%s", b.data);
    base_buf_free(&b);
}

static void test_alignment(void)
{
    struct cli_table *t = cli_table_new("NAME", "<", "SIZE", ">", NULL);
    cli_table_row(t, "a", "1", NULL);
    cli_table_row(t, "long name", "12345", NULL);
    renders(t, 0,
            "NAME        SIZE\n"
            "a              1\n"
            "long name  12345\n");
    cli_table_free(t);
}

static void test_utf8(void)
{
    struct cli_table *t = cli_table_new("N", "<", "V", "<", NULL);
    cli_table_row(t, "Zürich", "1", NULL);
    cli_table_row(t, "語", "2", NULL);
    renders(t, 0,
            "N       V\n"
            "Zürich  1\n"
            "語      2\n");
    cli_table_free(t);
}

static void test_cleaned(void)
{
    struct cli_table *t = cli_table_new("N", "<", "V", "<", NULL);
    cli_table_row(t, "a\033[31mb\nc", "1", NULL);
    cli_table_row(t, "", NULL);
    renders(t, 0,
            "N          V\n"
            "a [31mb c  1\n"
            "\n");
    cli_table_free(t);
}

static void test_titles_only(void)
{
    struct cli_table *t = cli_table_new("ID", "<", "NAME", "~", NULL);
    renders(t, 80, "ID  NAME\n");
    cli_table_free(t);
}

static void test_cut(void)
{
    struct cli_table *t = cli_table_new("ID", "<", "NAME", "~", "STATE", "<", NULL);
    cli_table_row(t, "application_1_0001", "a name that is much too long", "RUNNING", NULL);
    renders(t, 40,
            "ID                  NAME         STATE\n"
            "application_1_0001  a name tha+  RUNNING\n");
    cli_table_free(t);
}

/* Every width from 1 on: no line is wider. */
static void test_never_wider(void)
{
    struct cli_table *t = cli_table_new("ID", "<", "名前", "~", "N", ">", NULL);
    cli_table_row(t, "application_1_0001", "語語語語語語語語", "123456789012", NULL);
    for (size_t width = 1; width < 60; width++) {
        struct base_buf b = {0};
        cli_table_render(t, width, &b);
        for (const char *at = b.data; *at; at = strchr(at, '\n') + 1)
            CU_ASSERT_TRUE(cli_text_width(at, strcspn(at, "\n")) <= width);
        base_buf_free(&b);
    }
    cli_table_free(t);
}

static const struct cunit_case cases[] = {
    {"alignment", test_alignment},
    {"UTF-8", test_utf8},
    {"cells cannot move the cursor", test_cleaned},
    {"titles only", test_titles_only},
    {"cut to the terminal", test_cut},
    {"never wider", test_never_wider},
};
CUNIT_MAIN("cli_table", cases)

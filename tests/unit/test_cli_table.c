/* Goal: tables are aligned whatever their cells hold, and fit the terminal with whole keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "base/error.h"
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
    cli_table_add_row(t, "a", "1", NULL);
    cli_table_add_row(t, "long name", "12345", NULL);
    renders(t, 0,
            "NAME        SIZE\n"
            "a              1\n"
            "long name  12345\n");
    cli_table_free(t);
}

static void test_utf8(void)
{
    struct cli_table *t = cli_table_new("N", "<", "V", "<", NULL);
    cli_table_add_row(t, "Zürich", "1", NULL);
    cli_table_add_row(t, "語", "2", NULL);
    renders(t, 0,
            "N       V\n"
            "Zürich  1\n"
            "語      2\n");
    cli_table_free(t);
}

static void test_cleaned(void)
{
    struct cli_table *t = cli_table_new("N", "<", "V", "<", NULL);
    cli_table_add_row(t, "a\033[31mb\nc", "1", NULL);
    cli_table_add_row(t, "", NULL);
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
    cli_table_add_row(t, "application_1_0001", "a name that is much too long", "RUNNING", NULL);
    renders(t, 40,
            "ID                  NAME         STATE\n"
            "application_1_0001  a name tha+  RUNNING\n");
    cli_table_free(t);
}

/* Every width from 1 on: no line is wider, unless the key alone is. */
static void test_never_wider(void)
{
    struct cli_table *t = cli_table_new("ID", "<", "名前", "~", "N", ">", NULL);
    cli_table_add_row(t, "application_1_0001", "語語語語語語語語", "123456789012", NULL);
    for (size_t width = 1; width < 60; width++) {
        struct base_buf b = {0};
        cli_table_render(t, width, &b);
        for (const char *at = b.data; *at; at = strchr(at, '\n') + 1)
            CU_ASSERT_TRUE(cli_text_width(at, strcspn(at, "\n")) <= (width < 18 ? 18 : width));
        base_buf_free(&b);
    }
    cli_table_free(t);
}

#define APP  "application_1700000000000_10001"
#define TASK "task_1700000000000_0001_m_000001"

/* The column sets of job list, application -list and job status --tasks. */
static struct cli_table *real_table(int which)
{
    struct cli_table *t;
    if (which == 0) {
        t = cli_table_new("ID", "<", "NAME", "~", "USER", "<3", "QUEUE", "<2", "STATE", "<",
                          "RESULT", "<4", "MAP", ">", "REDUCE", ">", "SUBMITTED", "<1", "TIME", ">",
                          NULL);
        cli_table_add_row(t, APP, "wordcount of everything", "ann-marie", "default", "FINISHED",
                          "SUCCEEDED", "100%", "100%", "2026-05-01 10:11:12", "12m03s", NULL);
    } else if (which == 1) {
        t = cli_table_new("ID", "<", "NAME", "~", "TYPE", "<3", "USER", "<", "QUEUE", "<4", "STATE",
                          "<", "RESULT", "<", "PROGRESS", ">", "CONTAINERS", ">2", "TRACKING", "<1",
                          NULL);
        cli_table_add_row(t, APP, "wordcount of everything", "MAPREDUCE", "ann", "default",
                          "FINISHED", "SUCCEEDED", "100%", "12",
                          "http://127.0.0.1:8088/proxy/" APP "/", NULL);
    } else {
        t = cli_table_new("TASK", "<", "STATE", "<", "PROGRESS", ">2", "ATTEMPTS", ">", "EXIT", ">",
                          "TIME", ">", "NODE", "~", "CONTAINER", "<1", NULL);
        cli_table_add_row(t, TASK, "SUCCEEDED", "100%", "1", "0", "12.3 s", "127.0.0.1:40405",
                          "container_1700000000000_0001_01_000005", NULL);
    }
    return t;
}

static void test_whole_keys(void)
{
    for (int which = 0; which < 3; which++) {
        const char *key = which == 2 ? TASK : APP;
        for (size_t width = 80; width <= 100; width += 20) {
            struct cli_table *t = real_table(which);
            struct base_buf b = {0};
            cli_table_render(t, width, &b);
            const char *row = strchr(b.data, '\n') + 1;
            CU_ASSERT_EQUAL(strncmp(row, key, strlen(key)), 0);
            CU_ASSERT_EQUAL(row[strlen(key)], ' ');
            CU_ASSERT_TRUE(cli_text_width(row, strcspn(row, "\n")) <= width);
            CU_ASSERT_PTR_NOT_NULL(strstr(b.data, "STATE"));
            CU_ASSERT_PTR_NULL(strstr(b.data, "CONTAINER "));
            CU_ASSERT_PTR_NULL(strstr(b.data, "TRACKING"));
            if (which < 2)
                CU_ASSERT_PTR_NOT_NULL(strstr(row, "FINISHED"));
            base_buf_free(&b);
            cli_table_free(t);
        }
    }
}

static void test_left_out(void)
{
    struct cli_table *t = cli_table_new("ID", "<", "A", "<2", "B", "<1", "C", "<", NULL);
    cli_table_add_row(t, "application_1_0001", "aaaaaaaa", "bbbbbbbb", "cccccccc", NULL);
    renders(t, 38,
            "ID                  A         C\n"
            "application_1_0001  aaaaaaaa  cccccccc\n");
    renders(t, 37,
            "ID                  C\n"
            "application_1_0001  cccccccc\n");
    renders(t, 20, "ID\napplication_1_0001\n");
    renders(t, 5, "ID\napplication_1_0001\n");
    cli_table_free(t);
}

/* A list that is printed page by page looks like one table; the table keeps no row of an earlier
 * page. */
static void test_pages(void)
{
    struct cli_table *t = cli_table_new("KEY", "<", "N", ">", NULL);
    char *text = NULL;
    size_t len = 0;
    FILE *out = tmpfile();

    base_assert(out);
    for (int page = 0; page < 3; page++) {
        cli_table_add_row(t, page == 1 ? "longer" : "a", "1", NULL);
        cli_table_add_row(t, "b", page == 2 ? "1000" : "2", NULL);
        cli_table_print_page(t, out);
    }
    cli_table_print_page(t, out); /* a page without rows prints nothing */
    cli_table_free(t);
    rewind(out);
    base_assert(getdelim(&text, &len, '\0', out) > 0);
    CU_ASSERT_STRING_EQUAL(text, "KEY  N\n"
                                 "a    1\n"
                                 "b    2\n"
                                 "longer  1\n"
                                 "b       2\n"
                                 "a          1\n"
                                 "b       1000\n");
    free(text);
    fclose(out);
}

static const struct cunit_case cases[] = {
    {"pages", test_pages},
    {"alignment", test_alignment},
    {"UTF-8", test_utf8},
    {"cells cannot move the cursor", test_cleaned},
    {"titles only", test_titles_only},
    {"cut to the terminal", test_cut},
    {"never wider", test_never_wider},
    {"keys stay whole", test_whole_keys},
    {"what is left out first", test_left_out},
};
CUNIT_MAIN("cli_table", cases)

/* Goal: the bars of a running job tell the truth and fit. Method: fixed pictures; every width; odd
 * percentages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/text/progress.h"
#include "api/cli/text/text.h"
#include "tests/unit/cunit_main.h"

static struct cli_progress picture(double map, double reduce)
{
    return (struct cli_progress){
        .id = "application_1_0001",
        .name = "wordcount",
        .state = "RUNNING",
        .elapsed_ms = 63500,
        .bars = {{"map", map, 5, 12, 3, 0, 1}, {"reduce", reduce, 0, 3, 0, 0, 0}},
        .n = 2,
    };
}

static void test_ascii(void)
{
    struct cli_progress p = picture(50, 0);
    struct base_buf b = {0};
    CU_ASSERT_EQUAL(cli_progress_add_bars(&p, 70, false, &b), 3);
    CU_ASSERT_STRING_EQUAL(b.data, "application_1_0001  RUNNING  1:03  wordcount\n"
                                   "map     [########--------]  50%  5 of 12, 3 running, 1 failed\n"
                                   "reduce  [----------------]   0%  0 of 3\n");
    base_buf_free(&b);
}

static void test_utf8(void)
{
    struct cli_progress p = picture(100.0 * 3 / 128, 100);
    struct base_buf b = {0};
    cli_progress_add_bars(&p, 70, true, &b);
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data, "map     │▍               │   2%"));
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data, "reduce  │████████████████│ 100%"));
    base_buf_free(&b);
}

static void test_every_width(void)
{
    struct cli_progress p = picture(33.3, 66.6);
    for (size_t width = 1; width < 200; width++) {
        struct base_buf b = {0};
        cli_progress_add_bars(&p, width, width % 2, &b);
        for (const char *at = b.data; *at; at = strchr(at, '\n') + 1)
            CU_ASSERT_TRUE(cli_text_width(at, strcspn(at, "\n")) <= width);
        base_buf_free(&b);
    }
}

static void test_long_name(void)
{
    struct cli_progress p = picture(33.3, 66.6);
    struct base_buf b = {0};
    p.id = "application_1700000000000_0001";
    p.name = "a name that is longer than the terminal is wide, as the ones that programs make up "
             "often are";
    cli_progress_add_bars(&p, 79, false, &b);
    CU_ASSERT_EQUAL(
        strncmp(b.data, "application_1700000000000_0001  RUNNING  1:03  a name that", 57), 0);
    CU_ASSERT_EQUAL(strcspn(b.data, "\n"), 79);
    base_buf_free(&b);
}

static void test_odd_percentages(void)
{
    const double odd[] = {-1, 100.5, 1e300, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct cli_progress p = picture(odd[i], 0);
        struct base_buf b = {0};
        cli_progress_add_bars(&p, 80, true, &b);
        CU_ASSERT_TRUE(strstr(b.data, "   0%") || strstr(b.data, " 100%"));
        base_buf_free(&b);
    }
}

static void test_line(void)
{
    struct cli_progress p = picture(45.9, 0);
    struct base_buf b = {0};
    cli_progress_add_line(&p, &b);
    CU_ASSERT_STRING_EQUAL(
        b.data, "1:03 RUNNING map 45% (5 of 12, 3 running, 1 failed) reduce 0% (0 of 3)");
    base_buf_free(&b);
}

static void test_name_is_cleaned(void)
{
    struct cli_progress p = picture(0, 0);
    struct base_buf b = {0};
    p.name = "bad\033[2J\nname";
    cli_progress_add_bars(&p, 0, false, &b);
    CU_ASSERT_PTR_NULL(strchr(b.data, '\033'));
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data, "  bad [2J name\n"));
    base_buf_free(&b);
}

/* No bar goes back for a while after another ResourceManager has taken over; then it shows what is
 * there. */
static void test_hold(void)
{
    static const struct {
        int64_t ms, failed_requests;
        double map, want;
        int64_t done, want_done;
        bool last;
    } steps[] = {
        {0, 0, 40, 40, 4, 4, false},
        /* the output of a map was lost: the bar shows it, since no RM has taken over */
        {100, 0, 30, 30, 3, 3, false},
        {200, 1, 5, 30, 0, 3, false},
        {300, 1, 20, 30, 2, 3, false},
        {400, 1, 35, 35, 4, 4, false},
        {400 + CLI_PROGRESS_HOLD_MS, 1, 20, 20, 2, 2, false},
        {500 + CLI_PROGRESS_HOLD_MS, 2, 10, 20, 1, 2, false},
        /* the job was killed: its last picture is the truth */
        {600 + CLI_PROGRESS_HOLD_MS, 2, 0, 0, 0, 0, true},
    };
    struct cli_progress_hold hold = {0};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct cli_progress p = picture(steps[i].map, 0);
        p.elapsed_ms = steps[i].ms;
        p.last = steps[i].last;
        p.bars[0].done = steps[i].done;
        cli_progress_keep_from_falling(&hold, steps[i].failed_requests, &p);
        CU_ASSERT_EQUAL(p.bars[0].percent, steps[i].want);
        CU_ASSERT_EQUAL(p.bars[0].done, steps[i].want_done);
        CU_ASSERT_EQUAL(p.n, 2);
    }
    struct cli_progress empty = {
        .elapsed_ms = 1000 + CLI_PROGRESS_HOLD_MS}; /* the job's tasks are not known yet */
    cli_progress_keep_from_falling(&hold, 3, &empty);
    CU_ASSERT_EQUAL(empty.n, 2);
    CU_ASSERT_EQUAL(empty.bars[0].total, 12);
}

/* A terminal as far as the bars need one: \r, \n, ESC[nA, ESC[K, ESC[J. */
enum { ROWS = 10, COLUMNS = 130 };
struct terminal {
    char cell[ROWS][COLUMNS + 1];
    size_t row, column;
};

static void terminal_show(struct terminal *t, const char *text)
{
    for (; *text; text++) {
        if (*text == '\r') {
            t->column = 0;
        } else if (*text == '\n') {
            t->row++; /* a terminal's driver puts a carriage return before it */
            t->column = 0;
        } else if (*text == '\033') {
            size_t n = strtoul(text + 2, (char **)&text, 10);
            if (*text == 'A')
                t->row -= n < t->row ? n : t->row;
            else /* K clears to the end of the line, J to the end of the screen */
                for (size_t r = t->row; r < (*text == 'J' ? ROWS : t->row + 1); r++)
                    for (size_t c = r == t->row ? t->column : 0; c < COLUMNS; c++)
                        t->cell[r][c] = ' ';
        } else if (t->row < ROWS && t->column < COLUMNS) {
            t->cell[t->row][t->column++] = *text;
        }
    }
}

/* Ctrl-C puts "^C" where the cursor is, below the bars: no bar, and no part of one, may stay
 * behind. */
static void test_interrupt_clears_all(void)
{
    struct cli_progress p = picture(50, 0);
    struct terminal t = {0};
    char *text = NULL;
    size_t len;
    struct cli_progress_screen s = {.out = open_memstream(&text, &len), .terminal = true};

    for (size_t r = 0; r < ROWS; r++)
        memset(t.cell[r], ' ', COLUMNS);
    cli_progress_draw(&s, &p);
    terminal_show(&t, text);
    CU_ASSERT_EQUAL(memcmp(t.cell[0], "application_1_0001  RUNNING", 27), 0);
    CU_ASSERT_EQUAL(t.row, 3);
    /* drawn once more behind the first ^C, then taken away */
    for (int again = 0; again < 2; again++) {
        terminal_show(&t, "^C");
        rewind(s.out);
        again ? cli_progress_clear(&s) : cli_progress_draw(&s, &p);
        fflush(s.out);
        text[len] = '\0';
        terminal_show(&t, text);
        if (!again) {
            CU_ASSERT_EQUAL(memcmp(t.cell[0], "application_1_0001  RUNNING", 27), 0);
            CU_ASSERT_EQUAL(memcmp(t.cell[2], "reduce  [", 9), 0);
        }
    }
    for (size_t r = 0; r < ROWS; r++)
        CU_ASSERT_EQUAL(strspn(t.cell[r], " "), COLUMNS);
    CU_ASSERT_EQUAL(t.row, 0);
    CU_ASSERT_EQUAL(t.column, 0);
    fclose(s.out);
    free(text);
}

static const struct cunit_case cases[] = {
    {"nothing of the bars stays behind a Ctrl-C", test_interrupt_clears_all},
    {"plain characters", test_ascii},
    {"block characters", test_utf8},
    {"every width", test_every_width},
    {"odd percentages", test_odd_percentages},
    {"a long name", test_long_name},
    {"a line for logs", test_line},
    {"the name cannot move the cursor", test_name_is_cleaned},
    {"no bar goes back while another RM takes over", test_hold},
};
CUNIT_MAIN("cli_progress", cases)

/* Goal: spans and dates are read as people write them, and what is shown reads back.
 * Method: tables of both, in two time zones. */
#include <CUnit/Basic.h>
#include <stdlib.h>
#include <time.h>

#include "api/cli/text/text.h"
#include "tests/unit/cunit_main.h"

static void test_spans(void)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"90", 90000},     {"90s", 90000},      {"1.5", 1500},
                {"+5m", 300000},   {"1h30m", 5400000},  {"0.25s", 250},
                {"2d", 172800000}, {"250ms", 250},      {"10min", 600000},
                {"0.001", 1},      {"1h0m1s", 3601000}, {"1000000000", 1000000000000}};
    static const char *const bad[] = {"",    "+",   "0",   "-5", "5x",          "5 m",   "m",
                                      "1e3", "inf", "nan", ".5", "99999999999", "1h-5m", "0.0001"};
    bool relative;
    int64_t ms;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CU_ASSERT_TRUE(cli_when_parse(good[i].text, &relative, &ms));
        CU_ASSERT_TRUE(relative);
        CU_ASSERT_EQUAL(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(cli_when_parse(bad[i], &relative, &ms));
}

static void zone(const char *name)
{
    setenv("TZ", name, 1);
    tzset();
}

static void test_dates(void)
{
    static const struct {
        const char *text;
        int64_t ms; /* in a zone two hours east */
    } good[] = {
        {"2023-11-14T22:13:20Z", 1700000000000}, {"2023-11-14T22:13:20+00:00", 1700000000000},
        {"2023-11-15T00:13:20", 1700000000000},  {"2023-11-15 00:13:20", 1700000000000},
        {"2023-11-15T00:13", 1699999980000},     {"2023-11-14T16:43:20-0530", 1700000000000}};
    static const char *const bad[] = {"2023-11-14",
                                      "2023-13-01T00:00",
                                      "2023-02-30T00:00",
                                      "2023-11-14T25:00",
                                      "2023-11-14T22:13:20X",
                                      "2023-11-14T22:13:20+2",
                                      "tomorrow",
                                      "20:00",
                                      "2023-11-14T22:13:20+15:00",
                                      "1969-01-01T00:00Z",
                                      "2023-11-14T22:13:",
                                      "2023-11-14T22:13:20+-2:00",
                                      "2023-11-14T22:13:20+ 200",
                                      "2023- 1- 4T22:13",
                                      "2023-11-14T 2: 3",
                                      "2023-11-14T22:13:+5",
                                      "2023-11-1",
                                      "2023-11-14T",
                                      "+023-11-14T22:13",
                                      "2023-11-14T22:13:20+"};
    bool relative;
    int64_t ms;

    zone("EET-2");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CU_ASSERT_TRUE(cli_when_parse(good[i].text, &relative, &ms));
        CU_ASSERT_FALSE(relative);
        CU_ASSERT_EQUAL(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(cli_when_parse(bad[i], &relative, &ms));
}

static void test_shown(void)
{
    static const char *const zones[] = {"UTC0", "EET-2", "NST3:30"};
    static const char *const want[] = {"2023-11-14T22:13:20Z", "2023-11-15T00:13:20+02:00",
                                       "2023-11-14T18:43:20-03:30"};
    struct base_buf b = {0};
    bool relative;
    int64_t ms;

    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        zone(zones[i]);
        base_buf_clear(&b);
        cli_when_add_iso(1700000000000, &b);
        CU_ASSERT_STRING_EQUAL(b.data, want[i]);
        CU_ASSERT_TRUE(cli_when_parse(b.data, &relative, &ms));
        CU_ASSERT_EQUAL(ms, 1700000000000);
    }
    base_buf_clear(&b);
    cli_when_add_distance(5000, 1000, &b);
    CU_ASSERT_STRING_EQUAL(b.data, "in 4.0 s");
    base_buf_clear(&b);
    cli_when_add_distance(1000, 5000, &b);
    CU_ASSERT_STRING_EQUAL(b.data, "4.0 s ago");
    base_buf_free(&b);
}

static const struct cunit_case cases[] = {
    {"spans", test_spans},
    {"dates", test_dates},
    {"what is shown reads back", test_shown},
};
CUNIT_MAIN("cli_when", cases)

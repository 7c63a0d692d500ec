/* Goal: --split-size takes what people write and refuses the rest. */
#include "base/io/io.h"
#include "tests/unit/cunit_main.h"

static void test_taken(void)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"1", 1},
                {"4096", 4096},
                {"64M", INT64_C(64) << 20},
                {"64m", INT64_C(64) << 20},
                {"1g", INT64_C(1) << 30},
                {"2K", 2048}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t n = 0;
        CU_ASSERT_EQUAL(base_size_parse(good[i].text, &n), 0);
        CU_ASSERT_EQUAL(n, good[i].bytes);
    }
}

static void test_refused(void)
{
    static const char *const bad[] = {"",    "M", "-1", "64Mx", "1.5G", " 1", "9999999999999G",
                                      "0x10"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t n = 0;
        CU_ASSERT_TRUE(base_size_parse(bad[i], &n) < 0);
    }
}

static const struct cunit_case cases[] = {{"taken", test_taken}, {"refused", test_refused}};
CUNIT_MAIN("cli_size", cases)

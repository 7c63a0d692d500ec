#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "tests/unit/cunit_main.h"

static void test_app(void)
{
    struct base_app_id id;
    char buf[BASE_ID_TEXT_MAX];

    CU_ASSERT_EQUAL(base_app_id_parse("application_1700000000000_0042", &id, NULL), 0);
    CU_ASSERT_EQUAL(id.cluster_ts, 1700000000000);
    CU_ASSERT_EQUAL(id.seq, 42);
    CU_ASSERT_STRING_EQUAL(base_app_id_text(&id, buf), "application_1700000000000_0042");
    CU_ASSERT_EQUAL(base_app_id_parse("application_5_123456", &id, NULL), 0); /* any digit count */
    CU_ASSERT_STRING_EQUAL(base_app_id_text(&id, buf), "application_5_123456");
    CU_ASSERT_EQUAL(base_app_id_parse("application_9223372036854775807_2147483647", &id, NULL), 0);
    CU_ASSERT_STRING_EQUAL(base_app_id_text(&id, buf),
                           "application_9223372036854775807_2147483647");
}

static void test_attempt_and_task(void)
{
    struct base_attempt_id at;
    struct base_task_id task;
    char buf[BASE_ID_TEXT_MAX];

    CU_ASSERT_EQUAL(base_attempt_id_parse("appattempt_17_0001_000002", &at, NULL), 0);
    CU_ASSERT_EQUAL(at.attempt, 2);
    CU_ASSERT_STRING_EQUAL(base_attempt_id_text(&at, buf), "appattempt_17_0001_000002");
    CU_ASSERT_EQUAL(base_task_id_parse("task_17_0001_m_000003", &task, NULL), 0);
    CU_ASSERT(task.kind == BASE_TASK_MAP && task.index == 3);
    CU_ASSERT_STRING_EQUAL(base_task_id_text(&task, buf), "task_17_0001_m_000003");
    CU_ASSERT_EQUAL(base_task_id_parse("task_17_0001_r_999999", &task, NULL), 0);
    CU_ASSERT(task.kind == BASE_TASK_REDUCE && task.index == 999999);
    CU_ASSERT_STRING_EQUAL(base_task_id_text(&task, buf), "task_17_0001_r_999999");
}

static void test_container(void)
{
    struct base_container_id id;
    char buf[BASE_ID_TEXT_MAX];

    CU_ASSERT_EQUAL(base_container_id_parse("container_17_0001_01_000003", &id, NULL), 0);
    CU_ASSERT(id.num == 3 && BASE_CONTAINER_EPOCH(id.num) == 0);
    CU_ASSERT_STRING_EQUAL(base_container_id_text(&id, buf), "container_17_0001_01_000003");
    CU_ASSERT_EQUAL(base_container_id_parse("container_e17_17_0001_01_000003", &id, NULL), 0);
    CU_ASSERT(BASE_CONTAINER_EPOCH(id.num) == 17 && BASE_CONTAINER_COUNTER(id.num) == 3);
    CU_ASSERT_STRING_EQUAL(base_container_id_text(&id, buf), "container_e17_17_0001_01_000003");
    id.num = (INT64_C(3) << 40) | 12345678;
    CU_ASSERT_STRING_EQUAL(base_container_id_text(&id, buf), "container_e03_17_0001_01_12345678");
    CU_ASSERT_EQUAL(base_container_id_parse("container_e8388607_1_1_1_1099511627775", &id, NULL),
                    0);
    CU_ASSERT_EQUAL(id.num, INT64_MAX);
    CU_ASSERT_STRING_EQUAL(base_container_id_text(&id, buf),
                           "container_e8388607_1_0001_01_1099511627775");
}

static void check_digits(uint64_t v)
{
    for (int width = 1; width <= 20; width++) {
        char expected[32], got[32] = "";
        char *end = base_write_digits(got, v, width);

        snprintf(expected, sizeof expected, "%0*" PRIu64, width, v);
        CU_ASSERT_STRING_EQUAL(got, expected); /* and nothing is written after the last digit */
        CU_ASSERT_PTR_EQUAL(end, got + strlen(expected));
    }
}

/* Numbers on both sides of each change of length, at all widths, as printf writes them. */
static void test_digits(void)
{
    for (uint64_t v = 0; v < 200; v++)
        check_digits(v);
    for (uint64_t power = 10; power < UINT64_MAX / 10; power *= 10) {
        check_digits(power - 1);
        check_digits(power);
        check_digits(power + 1);
    }
    check_digits(UINT64_C(12345678901234567890));
    check_digits(INT64_MAX);
    check_digits(UINT64_MAX);
}

/* A text that is refused leaves the output alone, and the error says what was expected. */
static void test_bad(void)
{
    static const char *const bad[] = {
        "",
        "application",
        "application_",
        "application_1",
        "application_1_",
        "application__1",
        "application_1_2_3",
        "application_-1_1",
        "application_1_-1",
        "application_+1_1",
        "application_ 1_1",
        "application_1_1 ",
        "application_1_2147483648",
        "application_9223372036854775808_1",
        "application_1_0x1",
        "Application_1_1",
        "appattempt_1_1",
        "appattempt_1_1_1_1",
        "container_1_1_1",
        "container_e_1_1_1_1",
        "container_e1_1_1_1",
        "container_e8388608_1_1_1_1",
        "container_1_1_1_1099511627776",
        "container_e-1_1_1_1_1",
        "task_1_1_x_1",
        "task_1_1_m",
        "task_1_1_m_",
        "task_1_1_mr_1",
        "task_1_1_m_2147483648",
        "\xff\xfe",
        "%s%n",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct base_app_id app = {7, 7};
        struct base_attempt_id at;
        struct base_container_id ct;
        struct base_task_id task;
        struct base_error err = {0};

        CU_ASSERT_EQUAL(base_app_id_parse(bad[i], &app, &err), -BASE_EINVAL);
        CU_ASSERT(app.cluster_ts == 7 && app.seq == 7);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "is not an application id"));
        CU_ASSERT_EQUAL(base_attempt_id_parse(bad[i], &at, NULL), -BASE_EINVAL);
        CU_ASSERT_EQUAL(base_container_id_parse(bad[i], &ct, NULL), -BASE_EINVAL);
        CU_ASSERT_EQUAL(base_task_id_parse(bad[i], &task, NULL), -BASE_EINVAL);
    }
}

static void test_order(void)
{
    struct base_app_id a = {1, 9}, b = {2, 1}, c = {2, 2};
    struct base_container_id x = {{a, 1}, 5}, y = {{a, 1}, 6}, z = {{a, 2}, 1};

    CU_ASSERT(base_app_id_cmp(&a, &b) < 0 && base_app_id_cmp(&c, &b) > 0 &&
              base_app_id_cmp(&b, &b) == 0);
    CU_ASSERT(base_container_id_cmp(&x, &y) < 0 && base_container_id_cmp(&z, &y) > 0);
    CU_ASSERT_EQUAL(base_container_id_cmp(&x, &x), 0);
}

static const struct cunit_case cases[] = {
    {"application", test_app},     {"attempt and task", test_attempt_and_task},
    {"container", test_container}, {"bad texts", test_bad},
    {"digits", test_digits},       {"order", test_order},
};
CUNIT_MAIN("base_id", cases)

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "tests/unit/cunit_main.h"

static void test_set(void)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_error_set(&err, -BASE_EINVAL, "port %d\n", 70000), -BASE_EINVAL);
    CU_ASSERT_EQUAL(err.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "port 70000"); /* no newline at the end */
    CU_ASSERT_EQUAL(base_error_set(NULL, -BASE_EIO, "nobody listens"), -BASE_EIO);
}

static void test_wrap(void)
{
    struct base_error err = {0};

    base_error_set(&err, -BASE_EIO, "disk");
    CU_ASSERT_EQUAL(base_error_wrap(&err, -BASE_ECORRUPT, "app %d", 7), -BASE_ECORRUPT);
    CU_ASSERT_STRING_EQUAL(err.text, "app 7: disk");
    CU_ASSERT_EQUAL(err.code, -BASE_ECORRUPT);
    /* an argument may point into the error itself */
    base_error_set(&err, -BASE_EINVAL, "again %s", err.text);
    CU_ASSERT_STRING_EQUAL(err.text, "again app 7: disk");
    err.text[0] = '\0';
    base_error_wrap(&err, -BASE_EIO, "alone");
    CU_ASSERT_STRING_EQUAL(err.text, "alone");
    CU_ASSERT_EQUAL(base_error_wrap(NULL, -BASE_EIO, "nobody"), -BASE_EIO);
}

static void test_sys(void)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_error_sys(&err, -BASE_EIO, ENOENT, "open %s", "/x"), -BASE_EIO);
    CU_ASSERT_STRING_EQUAL(err.text, "open /x: No such file or directory");
    CU_ASSERT_EQUAL(base_error_sys(&err, -BASE_EIO, ENOSPC, "write"), -BASE_ENOSPC);
    CU_ASSERT_EQUAL(err.code, -BASE_ENOSPC);
    CU_ASSERT_EQUAL(base_error_sys(NULL, -BASE_EIO, EDQUOT, "write"), -BASE_ENOSPC);
}

/* A long text is cut with "..." and never within a UTF-8 sequence, for every alignment. */
static void test_cut(void)
{
    for (int shift = 0; shift < 4; shift++) {
        struct base_error err = {0};
        char text[2001];
        size_t len;

        memset(text, 'x', sizeof text);
        for (size_t i = (size_t)shift; i + 2 < sizeof text; i += 2)
            memcpy(text + i, "\xc3\xa9", 2);
        text[2000] = '\0';
        base_error_set(&err, -BASE_EINVAL, "%s", text);
        len = strlen(err.text);
        CU_ASSERT(len < sizeof err.text && len > 1000);
        CU_ASSERT_STRING_EQUAL(err.text + len - 3, "...");
        CU_ASSERT_NOT_EQUAL((unsigned char)err.text[len - 4], 0xC3);
        base_error_wrap(&err, -BASE_EINVAL, "%s", "context");
        CU_ASSERT_EQUAL(strncmp(err.text, "context: ", 9), 0);
        len = strlen(err.text);
        CU_ASSERT(len < sizeof err.text);
        CU_ASSERT_STRING_EQUAL(err.text + len - 3, "...");
    }
}

static void test_nearest(void)
{
    const char *best = NULL;
    size_t d = 0;

    CU_ASSERT_EQUAL(base_edit_distance("kitten", "sitting"), 3);
    CU_ASSERT_EQUAL(base_edit_distance("ab", "ba"), 1);
    CU_ASSERT_EQUAL(base_edit_distance("", "abc"), 3);
    CU_ASSERT_EQUAL(base_edit_distance("same", "same"), 0);
    base_nearest_take_if_closer("reduce", "output", &best, &d);
    CU_ASSERT_PTR_NULL(best);
    base_nearest_take_if_closer("reduce", "reducer", &best, &d);
    base_nearest_take_if_closer("reduce", "reduces-x", &best, &d);
    CU_ASSERT_PTR_NOT_NULL_FATAL(best);
    CU_ASSERT_STRING_EQUAL(best, "reducer");
}

static const struct cunit_case cases[] = {
    {"set", test_set}, {"wrap", test_wrap},       {"sys", test_sys},
    {"cut", test_cut}, {"nearest", test_nearest},
};
CUNIT_MAIN("base_error", cases)

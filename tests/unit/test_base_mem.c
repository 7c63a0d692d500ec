#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/cunit_main.h"

static void test_strings(void)
{
    char *s = base_strndup("abcdef", 3);

    CU_ASSERT_STRING_EQUAL(s, "abc");
    free(s);
    s = base_strndup("ab", 100);
    CU_ASSERT_STRING_EQUAL(s, "ab");
    free(s);
    CU_ASSERT_PTR_NULL(base_strdup(NULL));
    s = base_printf("%s-%05d", "x", 42);
    CU_ASSERT_STRING_EQUAL(s, "x-00042");
    free(s);
    s = base_alloc(0);
    CU_ASSERT_EQUAL(s[0], 0);
    free(s);
}

static void test_buf(void)
{
    struct base_buf b = {0};
    char *s;

    s = base_buf_take(&b); /* never NULL */
    CU_ASSERT_STRING_EQUAL(s, "");
    free(s);
    base_buf_add(&b, "a\0b", 3);
    CU_ASSERT_EQUAL(b.len, 3);
    CU_ASSERT_EQUAL(memcmp(b.data, "a\0b", 4), 0);
    base_buf_clear(&b);
    CU_ASSERT_EQUAL(b.len, 0);
    for (int i = 0; i < 1000; i++)
        base_buf_addf(&b, "%04d;", i);
    base_buf_adds(&b, "end");
    CU_ASSERT_EQUAL(b.len, 5003);
    CU_ASSERT_STRING_EQUAL(b.data + 4995, "0999;end");
    CU_ASSERT(b.cap > b.len);
    s = base_buf_take(&b);
    CU_ASSERT_PTR_NULL(b.data);
    CU_ASSERT_EQUAL(b.cap, 0);
    free(s);
    base_buf_free(&b);
    base_buf_add(&b, NULL, 0);
    CU_ASSERT_STRING_EQUAL(b.data, "");
    base_buf_free(&b);
    base_buf_free(&b);
}

static void test_buf_numbers(void)
{
    static const int64_t numbers[] = {0, 7, -7, 10, INT64_MAX, INT64_MIN};
    struct base_buf b = {0};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        base_buf_add_int(&b, numbers[i]);
        base_buf_adds(&b, ";");
    }
    CU_ASSERT_STRING_EQUAL(b.data, "0;7;-7;10;9223372036854775807;-9223372036854775808;");
    base_buf_free(&b);
}

/* A formatted text around every size of the buffer: the second vsnprintf must see its arguments. */
static void test_buf_formats_at_every_edge(void)
{
    char text[200];

    for (int n = 0; n < 199; n++) {
        struct base_buf b = {0};
        memset(text, 'y', (size_t)n);
        text[n] = '\0';
        base_buf_addf(&b, "%s%d", text, 7);
        CU_ASSERT_EQUAL(b.len, (size_t)n + 1);
        CU_ASSERT_EQUAL(b.data[n], '7');
        base_buf_free(&b);
    }
}

static void test_array(void)
{
    struct {
        int *v;
        size_t len, cap;
    } a = {0};

    for (int i = 0; i < 100; i++) {
        base_array_grow(&a.v, a.len, &a.cap);
        a.v[a.len++] = i;
    }
    CU_ASSERT_EQUAL(a.v[99], 99);
    CU_ASSERT(a.cap >= 100);
    free(a.v);
}

static const struct cunit_case cases[] = {
    {"strings", test_strings},
    {"buffer", test_buf},
    {"buffer takes numbers", test_buf_numbers},
    {"buffer formats at every edge", test_buf_formats_at_every_edge},
    {"array", test_array},
};
CUNIT_MAIN("base_mem", cases)

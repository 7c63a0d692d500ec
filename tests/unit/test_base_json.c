#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "tests/unit/cunit_main.h"

static json_t *parse(const char *text)
{
    struct base_error err = {0};
    json_t *j = NULL;

    CU_ASSERT_EQUAL_FATAL(base_json_parse(text, strlen(text), &j, &err), 0);
    return j;
}

static void refused(const char *text, int code, const char *says)
{
    struct base_error err = {0};
    json_t *j = NULL;

    CU_ASSERT_EQUAL(base_json_parse(text, strlen(text), &j, &err), code);
    CU_ASSERT_PTR_NULL(j);
    if (!strstr(err.text, says)) {
        CU_FAIL("another message");
        printf("\n  %s\n", err.text);
    }
}

static void test_parse(void)
{
    struct base_buf deep = {0}, out = {0};
    json_t *j;

    refused("", -BASE_EINVAL, "not valid JSON");
    refused("{", -BASE_EINVAL, "line 1");
    refused("{\"a\":1,\n\"a\":2}", -BASE_EINVAL, "duplicate");
    refused("{} x", -BASE_EINVAL, "line 1, column 4");
    refused("{\"a\":\"\\u0000\"}", -BASE_EINVAL, "not valid JSON");
    refused("{\"a\":01}", -BASE_EINVAL, "not valid JSON");
    refused("{\"a\":\"\xff\"}", -BASE_EINVAL, "not valid JSON");
    for (int i = 0; i < BASE_JSON_DEPTH_MAX; i++)
        base_buf_adds(&deep, "[");
    for (int i = 0; i < BASE_JSON_DEPTH_MAX; i++)
        base_buf_adds(&deep, "]");
    j = parse(deep.data);
    json_decref(j);
    base_buf_clear(&deep);
    for (int i = 0; i < BASE_JSON_DEPTH_MAX + 1; i++)
        base_buf_adds(&deep, "[");
    refused(deep.data, -BASE_ELIMIT, "deeper than 64");
    base_buf_free(&deep);
    j = parse("{\"brackets\" : \"[[[[\\\"{{\"}"); /* within strings, brackets do not count */
    base_json_dump(j, &out);
    CU_ASSERT_STRING_EQUAL(out.data, "{\"brackets\":\"[[[[\\\"{{\"}");
    base_buf_free(&out);
    json_decref(j);
}

/* base_json_read_plain() reads what it takes as jansson would, and leaves the rest to jansson. */
static void test_read_plain(void)
{
    static const char *const plain[] = {"{}",
                                        "[]",
                                        " [ ] ",
                                        "{\"a\":1}",
                                        "\t{ \"a\" : [ true , false,null ] }\r\n",
                                        "[0,-0,7,-7,999999999999999999,-999999999999999999]",
                                        "[0.5,-0.0,0.1,123456789.012345,1.0]",
                                        "[\"\",\"plain \x7f text\",\"'\"]",
                                        "{\"a\":{\"b\":{\"a\":[{\"a\":1},{\"a\":2}]}},\"\":0}"};
    static const char *const other[] = {"",
                                        " ",
                                        "1",
                                        "\"a\"",
                                        "true",
                                        "[",
                                        "[1",
                                        "[1,",
                                        "[1,]",
                                        "[,1]",
                                        "[1]]",
                                        "[1] x",
                                        "[1 2]",
                                        "{",
                                        "{\"a\"",
                                        "{\"a\":",
                                        "{\"a\":1",
                                        "{\"a\":1,",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{\"a\" 1}",
                                        "{\"a\":1,\"a\":1}",
                                        "{\"a\":1,\"b\":2,\"a\":{}}",
                                        "[\"a",
                                        "[\"\\n\"]",
                                        "[\"\n\"]",
                                        "[\"\xC3\xB6\"]",
                                        "[01]",
                                        "[-01]",
                                        "[-]",
                                        "[+1]",
                                        "[.5]",
                                        "[1.]",
                                        "[1e2]",
                                        "[1.5e2]",
                                        "[1E2]",
                                        "[1234567890123456789]",
                                        "[0.1234567890123456]",
                                        "[1234567890123456.5]",
                                        "[tru]",
                                        "[truee]",
                                        "[nul",
                                        "[x]",
                                        "[1}",
                                        "{\"a\":1]"};
    char deep[2 * BASE_JSON_DEPTH_MAX + 3];

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        json_t *j = base_json_read_plain(plain[i], strlen(plain[i]));
        json_t *same = json_loads(plain[i], JSON_REJECT_DUPLICATES, NULL);
        struct base_buf a = {0}, b = {0};

        CU_ASSERT_PTR_NOT_NULL_FATAL(j);
        base_json_dump(j, &a);
        base_json_dump(same, &b);
        CU_ASSERT_STRING_EQUAL(a.data, b.data);
        base_buf_free(&a);
        base_buf_free(&b);
        json_decref(j);
        json_decref(same);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        CU_ASSERT_PTR_NULL(base_json_read_plain(other[i], strlen(other[i])));
    CU_ASSERT_PTR_NULL(base_json_read_plain("[]\0", 3));
    for (size_t n = BASE_JSON_DEPTH_MAX; n <= BASE_JSON_DEPTH_MAX + 1; n++) {
        json_t *j;

        memset(deep, '[', n);
        memset(deep + n, ']', n);
        j = base_json_read_plain(deep, 2 * n);
        CU_ASSERT_EQUAL(j != NULL, n == BASE_JSON_DEPTH_MAX);
        json_decref(j);
    }
}

static void test_int(void)
{
    json_t *j =
        parse("{\"reduces\":-1,\"text\":\"12\",\"half\":1.5,\"null\":null,\"ok\":7,\"list\":[1]}");
    struct base_error err = {0};
    int64_t v = 3;

    CU_ASSERT_EQUAL(base_json_int(j, "", "reduces", false, 0, 1000000, &v, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "reduces: -1 is not an integer from 0 to 1000000");
    CU_ASSERT_EQUAL(base_json_int(j, "job.", "text", false, 0, 20, &v, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "job.text: \"12\" is not an integer from 0 to 20");
    CU_ASSERT_EQUAL(base_json_int(j, "tasks[2].", "half", false, 0, 20, &v, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "tasks[2].half: 1.5 is not an integer from 0 to 20");
    CU_ASSERT_EQUAL(base_json_int(j, "", "list", false, 0, 20, &v, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "list: an array is not an integer from 0 to 20");
    CU_ASSERT_EQUAL(base_json_int(j, "", "null", false, 0, 20, &v, &err), 0);
    CU_ASSERT_EQUAL(base_json_int(j, "", "absent", false, 0, 20, &v, &err), 0);
    CU_ASSERT_EQUAL(v, 3); /* the default stays */
    CU_ASSERT_EQUAL(base_json_int(j, "job.", "absent", true, 0, 20, &v, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "job.absent: is required");
    CU_ASSERT_EQUAL(base_json_int(j, "", "null", true, 0, 20, &v, NULL), -BASE_EINVAL);
    CU_ASSERT_EQUAL(base_json_int(j, "", "ok", true, 7, 7, &v, &err), 0);
    CU_ASSERT_EQUAL(v, 7);
    json_decref(j);
}

static void test_others(void)
{
    json_t *j = parse("{\"s\":\"abc\",\"b\":true,\"n\":0.25,\"i\":2,\"a\":[1,2,3],\"o\":{}}");
    struct base_error err = {0};
    const char *s = "default";
    bool b = false;
    double d = 0;
    json_t *a = NULL;

    CU_ASSERT_EQUAL(base_json_str(j, "", "s", true, 3, &s, &err), 0);
    CU_ASSERT_STRING_EQUAL(s, "abc");
    CU_ASSERT_EQUAL(base_json_str(j, "", "s", true, 2, &s, &err), -BASE_ELIMIT);
    CU_ASSERT_STRING_EQUAL(err.text, "s: 3 bytes are more than 2");
    CU_ASSERT_EQUAL(base_json_str(j, "", "b", true, 9, &s, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "b: true is not a string");
    CU_ASSERT_EQUAL(base_json_bool(j, "", "b", true, &b, &err), 0);
    CU_ASSERT_TRUE(b);
    CU_ASSERT_EQUAL(base_json_bool(j, "", "i", true, &b, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "i: 2 is not true or false");
    CU_ASSERT_EQUAL(base_json_num(j, "", "n", true, 0, 1, &d, &err), 0);
    CU_ASSERT_EQUAL(d, 0.25);
    CU_ASSERT_EQUAL(base_json_num(j, "", "i", true, 0, 1, &d, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "i: 2 is not a number from 0 to 1");
    CU_ASSERT_EQUAL(base_json_num(j, "", "i", true, 0, 5, &d, &err), 0);
    CU_ASSERT_EQUAL(d, 2.0);
    CU_ASSERT_EQUAL(base_json_arr(j, "", "a", true, 3, &a, &err), 0);
    CU_ASSERT_EQUAL(json_array_size(a), 3);
    CU_ASSERT_EQUAL(base_json_arr(j, "", "a", true, 2, &a, &err), -BASE_ELIMIT);
    CU_ASSERT_EQUAL(base_json_arr(j, "", "o", true, 2, &a, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "o: an object is not an array");
    /* an array has no members */
    CU_ASSERT_EQUAL(base_json_str(a, "", "x", false, 9, &s, &err), -BASE_EINVAL);
    json_decref(j);
}

static void test_long_values_are_cut(void)
{
    json_t *j = parse(
        "{\"s\":"
        "\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\""
        "}");
    struct base_error err = {0};
    int64_t v;
    json_t *utf8;

    CU_ASSERT_EQUAL(base_json_int(j, "", "s", true, 0, 1, &v, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "... is not an integer"));
    utf8 = json_string(err.text);
    CU_ASSERT_PTR_NOT_NULL(utf8);
    json_decref(utf8);
    json_decref(j);
}

static void test_known(void)
{
    static const char *const names[] = {"name", "reduces", "output", NULL};
    json_t *j = parse("{\"name\":1,\"reduces\":2}");
    struct base_error err = {0};

    CU_ASSERT_EQUAL(base_json_refuse_unknown_members(j, "job.", names, &err), 0);
    json_object_set_new(j, "reducers", json_true());
    CU_ASSERT_EQUAL(base_json_refuse_unknown_members(j, "job.", names, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "job.reducers: unknown member; did you mean \"reduces\"?");
    json_object_del(j, "reducers");
    json_object_set_new(j, "zzzzzzzz", json_true());
    CU_ASSERT_EQUAL(base_json_refuse_unknown_members(j, "", names, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "zzzzzzzz: unknown member");
    json_decref(j);
}

static void test_cut(void)
{
    CU_ASSERT_EQUAL(base_utf8_cut("abc", 9), 3);
    CU_ASSERT_EQUAL(base_utf8_cut("abc", 2), 2);
    CU_ASSERT_EQUAL(base_utf8_cut("a\xc3\xa9z", 3), 3); /* a, e with an accent, z */
    CU_ASSERT_EQUAL(base_utf8_cut("a\xc3\xa9z", 2), 1);
    CU_ASSERT_EQUAL(base_utf8_cut("\xe2\x82\xac", 2), 0);
    CU_ASSERT_EQUAL(base_utf8_cut("", 4), 0);
}

static void test_utf8(void)
{
    static const char *const good[] = {"", "a", "\xC3\xB6", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    static const char *const bad[] = {
        "\xFF", "a\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"};
    char *shown = base_utf8_escape_for_message("a\xFF\n\xC3\xB6"
                                               "b",
                                               100);

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CU_ASSERT_TRUE(base_utf8_valid_without_controls(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(base_utf8_valid(bad[i]));
    CU_ASSERT_TRUE(base_utf8_valid("a\n"));
    CU_ASSERT_FALSE(base_utf8_valid_without_controls("a\n"));
    CU_ASSERT_FALSE(base_utf8_valid_without_controls("a\x7f"));
    CU_ASSERT_STRING_EQUAL(shown, "a%FF%0A\xC3\xB6"
                                  "b");
    free(shown);
    shown = base_utf8_escape_for_message("abcdef", 3);
    CU_ASSERT_STRING_EQUAL(shown, "abc...");
    free(shown);
}

static const struct cunit_case cases[] = {
    {"parse", test_parse},
    {"read plain", test_read_plain},
    {"integers", test_int},
    {"others", test_others},
    {"long values are cut", test_long_values_are_cut},
    {"known", test_known},
    {"UTF-8", test_utf8},
    {"texts are cut between characters", test_cut},
};
CUNIT_MAIN("base_json", cases)

/* Any bytes as JSON: parsed within bounds or refused with a message; dumping and parsing again
 * changes nothing; what is read without jansson is what jansson reads. */
#include <string.h>

#include "base/io/json.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "{\"job\":{\"name\":\"wc\",\"reduces\":3,\"slowstart\":0.05,\"tasks\":[{\"command\":\"true\"}],"
    "\"wait\":false}}",
    "{\"name\":\"a\",\"reduces\":-1,\"slowstart\":1e300,\"wait\":null,\"tasks\":[]}",
    "{\"reduces\":9223372036854775807,\"name\":\"\\u00e9\\ud83d\\ude00\",\"wait\":true}",
    "[[[[[[[[1]]]]]]]]",
    "{\"a\":{\"a\":{\"a\":{\"a\":[{},[],\"\",0,-0.0]}}}}",
    NULL,
};

static void read_members(const json_t *j)
{
    static const char *const names[] = {"name", "reduces", "slowstart", "wait", "tasks", NULL};
    struct base_error err = {0};
    const char *s = "";
    int64_t i = 7;
    double d = 0.5;
    bool b = false;
    json_t *a = NULL;

    if (base_json_str(j, "job.", "name", true, 100, &s, &err) == 0)
        base_assert(strlen(s) <= 100);
    if (base_json_int(j, "job.", "reduces", false, 0, 1000, &i, &err) == 0)
        base_assert(i >= 0 && i <= 1000);
    if (base_json_num(j, "job.", "slowstart", false, 0, 1, &d, &err) == 0)
        base_assert(d >= 0 && d <= 1);
    base_json_bool(j, "job.", "wait", false, &b, &err);
    if (base_json_arr(j, "job.", "tasks", false, 10, &a, &err) == 0 && a)
        base_assert(json_array_size(a) <= 10);
    base_json_refuse_unknown_members(j, "job.", names, &err);
    base_assert(strlen(err.text) < sizeof err.text);
}

static void compare_with_jansson(const char *text, size_t len)
{
    json_t *j = base_json_read_plain(text, len);
    json_t *same = j ? json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL) : NULL;

    base_assert(!j || json_equal(j, same));
    json_decref(same);
    json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct base_error err = {0};
    struct base_buf text = {0};
    json_t *j, *again;

    compare_with_jansson((const char *)data, size);
    if (base_json_parse((const char *)data, size, &j, &err) < 0) {
        base_assert(err.text[0]);
        return 0;
    }
    read_members(j);
    if (json_object_get(j, "job"))
        read_members(json_object_get(j, "job"));
    base_json_dump(j, &text);
    base_assert(base_json_parse(text.data, text.len, &again, NULL) == 0);
    json_decref(again);
    json_decref(j);
    base_buf_free(&text);
    return 0;
}

/* Goal: a job's JSON is decoded exactly or refused with field, value and expectation; what is
 * stored reads back as the same job.
 * Method: a table of bad bodies with the words their message must have; round trips of good
 * ones. */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "rm/http/spec_json.h"

static const struct rm_spec_defaults defaults = {
    .user = "dr.who", .split_size = 1 << 27, .max_attempts = 4};

static int decode(const char *text, struct rm_job_spec **out, struct base_error *err)
{
    return rm_spec_job_decode(text, strlen(text), &defaults, out, err);
}

#define MR "\"input\":[\"/in\"],\"output\":\"/out\",\"map\":\"cat\""

static const struct {
    const char *body, *word1, *word2;
} bad[] = {
    {"", "JSON", ""},
    {"{\"job\":", "line", "JSON"},
    {"[]", "the body: an array is not an object", ""},
    {"{}", "job", "required"},
    {"{\"job\":1}", "job: 1 is not an object", ""},
    {"{\"job\":{}}", "no work", "tasks"},
    {"{\"jobs\":{}}", "jobs", "\"job\""},
    {"{\"job\":{" MR ",\"reducers\":1}}", "reducers", "\"reduces\""},
    {"{\"job\":{" MR ",\"id\":\"job_1_1\"}}", "job.id", "job_1_1"},
    {"{\"job\":{" MR ",\"id\":5}}", "id: 5", "string"},
    {"{\"job\":{" MR ",\"name\":\"\"}}", "name", "1 to"},
    {"{\"job\":{" MR ",\"name\":\"a\\u0001b\"}}", "name", "control"},
    {"{\"job\":{" MR ",\"user\":[]}}", "user", "string"},
    {"{\"job\":{" MR ",\"queue\":\" \"}}", "queue", ""},
    {"{\"job\":{" MR ",\"priority\":-1}}", "priority: -1", "integer from 0"},
    {"{\"job\":{" MR ",\"priority\":1.5}}", "priority: 1.5", "integer"},
    {"{\"job\":{\"input\":\"/in\",\"output\":\"/out\",\"map\":\"cat\"}}", "input", "array"},
    {"{\"job\":{\"input\":[],\"output\":\"/out\",\"map\":\"cat\"}}", "input", "at least one"},
    {"{\"job\":{\"input\":[1],\"output\":\"/out\",\"map\":\"cat\"}}", "job.input[0]: 1 is not",
     "string"},
    {"{\"job\":{\"input\":[\"\"],\"output\":\"/out\",\"map\":\"cat\"}}", "input[0]", "non-empty"},
    {"{\"job\":{\"input\":[\"/in\"],\"map\":\"cat\"}}", "output", "required"},
    {"{\"job\":{\"input\":[\"/in\"],\"output\":\"\",\"map\":\"cat\"}}", "output", "folder"},
    {"{\"job\":{\"input\":[\"/in\"],\"output\":\"/out\"}}", "map", "required"},
    {"{\"job\":{\"input\":[\"/in\"],\"output\":\"/out\",\"map\":\" \\t\"}}", "map", "command"},
    {"{\"job\":{" MR ",\"reduce\":\"\"}}", "reduce", "command"},
    {"{\"job\":{" MR ",\"reduces\":2}}", "reduce", "required when reduces is 2"},
    {"{\"job\":{" MR ",\"reduce\":\"cat\",\"reduces\":-1}}", "reduces: -1", "integer from 0"},
    {"{\"job\":{" MR ",\"reduce\":\"cat\",\"reduces\":99999999999}}", "reduces: 99999999999",
     "1000000"},
    {"{\"job\":{" MR ",\"reduce\":\"cat\",\"reduces\":999999999999999999999999}}", "JSON", ""},
    {"{\"job\":{" MR ",\"combine\":\"cat\"}}", "combine", "reduces is 0"},
    {"{\"job\":{" MR ",\"split-size\":0}}", "split-size: 0", "integer from 1"},
    {"{\"job\":{" MR ",\"split-size\":\"64M\"}}", "split-size: \"64M\"", "integer"},
    {"{\"job\":{" MR ",\"max-attempts\":0}}", "max-attempts: 0", "from 1"},
    {"{\"job\":{" MR ",\"max-attempts\":101}}", "max-attempts: 101", "to 100"},
    {"{\"job\":{" MR ",\"slots\":0}}", "slots: 0", "from 1"},
    {"{\"job\":{" MR ",\"slots\":1001}}", "slots: 1001", "to 1000"},
    {"{\"job\":{" MR ",\"slots\":\"2\"}}", "slots: \"2\"", "integer"},
    {"{\"job\":{" MR ",\"env\":[]}}", "job.env: an array is not", "object"},
    {"{\"job\":{" MR ",\"env\":{\"A\":1}}}", "job.env.A: 1 is not", "string"},
    {"{\"job\":{" MR ",\"env\":{\"A=B\":\"1\"}}}", "env", "A=B"},
    {"{\"job\":{" MR ",\"env\":{\"\":\"1\"}}}", "env", "name"},
    {"{\"job\":{" MR ",\"deadline-s\":-5}}", "deadline-s: -5", "number from 0"},
    {"{\"job\":{" MR ",\"deadline-s\":\"5\"}}", "deadline-s", "number"},
    {"{\"job\":{" MR ",\"deadline-s\":0}}", "job.deadline-s: 0 is not", "greater than 0"},
    {"{\"job\":{" MR ",\"deadline-s\":2e9}}", "deadline-s: ", "to 1e+09"},
    {"{\"job\":{" MR ",\"deadline-at-ms\":0}}", "deadline-at-ms: 0", "integer from 1"},
    {"{\"job\":{" MR ",\"deadline-at-ms\":\"2026-11-21\"}}", "deadline-at-ms", "integer"},
    {"{\"job\":{" MR ",\"deadline-s\":5,\"deadline-at-ms\":1700000000000}}",
     "deadline-at-ms: not allowed beside", "deadline-s"},
    {"{\"job\":{" MR ",\"acl-view\":7}}", "job.acl-view", "string"},
    {"{\"job\":{" MR ",\"acl-modify\":[]}}", "job.acl-modify", "string"},
    {"{\"job\":{" MR ",\"weight\":0}}", "job.weight: 0 is not", "greater than 0"},
    {"{\"job\":{" MR ",\"weight\":-1}}", "weight: -1", "number from 0"},
    {"{\"job\":{" MR ",\"weight\":\"2\"}}", "weight", "number"},
    {"{\"job\":{" MR ",\"tasks\":[{\"command\":\"x\"}]}}", "input", "tasks"},
    {"{\"job\":{\"tasks\":{}}}", "tasks", "array"},
    {"{\"job\":{\"tasks\":[]}}", "tasks", "at least one"},
    {"{\"job\":{\"tasks\":[1]}}", "job.tasks[0]: 1 is not", "object"},
    {"{\"job\":{\"tasks\":[{}]}}", "tasks[0].command", "required"},
    {"{\"job\":{\"tasks\":[{\"command\":\"\"}]}}", "tasks[0].command", "not a command"},
    {"{\"job\":{\"tasks\":[{\"command\":\"x\",\"kind\":\"Map\"}]}}", "tasks[0].kind: \"Map\"",
     "reduce"},
    {"{\"job\":{\"tasks\":[{\"command\":\"x\",\"count\":0}]}}", "tasks[0].count: 0", "from 1"},
    {"{\"job\":{\"tasks\":[{\"command\":\"x\",\"host\":[]}]}}", "host", "\"hosts\""},
    {"{\"job\":{\"tasks\":[{\"command\":\"x\",\"hosts\":[\"\"]}]}}", "hosts[0]", "non-empty"},
    {"{\"job\":{\"tasks\":[{\"command\":\"x\",\"expected-s\":-1}]}}", "expected-s: -1", "number"},
    {"{\"job\":{\"tasks\":[{\"command\":\"x\",\"count\":600000},{\"command\":\"x\",\"count\":"
     "600000}]}}",
     "tasks[1]", "1000000"},
    {"{\"job\":{\"tasks\":[{\"command\":\"x\"}],\"tasks\":[]}}", "duplicate", ""},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct base_error err = {0};
        struct rm_job_spec *spec = NULL;
        int rc = decode(bad[i].body, &spec, &err);

        if (rc >= 0 || !strstr(err.text, bad[i].word1) || !strstr(err.text, bad[i].word2))
            printf("\n  %s\n  -> %d %s\n", bad[i].body, rc, err.text);
        CU_ASSERT(rc < 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].word1));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].word2));
        rm_job_spec_unref(spec);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void round_trip(const char *body)
{
    struct base_error err = {0};
    struct rm_job_spec *spec = NULL, *back = NULL;
    const struct base_app_id id = {1700000000000, 7};

    CU_ASSERT_EQUAL_FATAL(decode(body, &spec, &err), 0);
    CU_ASSERT_EQUAL_FATAL(
        rm_spec_job_from_stored_json(spec->json, strlen(spec->json), id, &back, &err), 0);
    CU_ASSERT_STRING_EQUAL(spec->json, back->json);
    CU_ASSERT_EQUAL(back->id.seq, 7);
    CU_ASSERT_EQUAL(back->deadline_us, spec->deadline_us);
    CU_ASSERT_EQUAL(back->deadline_at_us, spec->deadline_at_us);
    CU_ASSERT_EQUAL(back->weight, spec->weight);
    CU_ASSERT(same_text(back->acl_view, spec->acl_view));
    CU_ASSERT(same_text(back->acl_modify, spec->acl_modify));
    CU_ASSERT_EQUAL(back->max_attempts, spec->max_attempts);
    CU_ASSERT_EQUAL(back->slots, spec->slots);
    CU_ASSERT_EQUAL(back->split_size, spec->split_size);
    rm_job_spec_unref(spec);
    rm_job_spec_unref(back);
}

static void test_round_trip(void)
{
    round_trip("{\"job\":{" MR "}}");
    round_trip("{\"job\":{\"name\":\"w\\u00f6rter "
               "\\\"x\\\"\",\"user\":\"ann\",\"queue\":\"q\",\"priority\":3," MR
               ",\"combine\":\"c\\n\\td\",\"reduce\":\"r\",\"reduces\":7,\"split-size\":10,\"max-"
               "attempts\":1,"
               "\"env\":{\"B\":\"2\",\"A\":\"1=1\",\"E\":\"\"},\"deadline-s\":0.25}}");
    round_trip("{\"job\":{" MR ",\"acl-view\":\"carol ops\",\"acl-modify\":\" \"}}");
    round_trip("{\"job\":{" MR ",\"deadline-s\":0.000001,\"weight\":0.000001}}");
    round_trip("{\"job\":{" MR ",\"deadline-at-ms\":1700000000123,\"weight\":2.1234567}}");
    round_trip("{\"job\":{" MR ",\"slots\":3}}");
    round_trip("{\"job\":{\"tasks\":[{\"kind\":\"reduce\",\"command\":\"sleep "
               "5\",\"hosts\":[\"n1\",\"n2\"],"
               "\"count\":20,\"expected-s\":2.5},{\"command\":\"true\"}]}}");
}

static void test_defaults(void)
{
    struct base_error err = {0};
    struct rm_job_spec *a = NULL, *b = NULL;

    CU_ASSERT_EQUAL_FATAL(decode("{\"job\":{" MR ",\"reduce\":\"cat\"}}", &a, &err), 0);
    CU_ASSERT_STRING_EQUAL(a->name, "job");
    CU_ASSERT_STRING_EQUAL(a->user, "dr.who");
    CU_ASSERT_STRING_EQUAL(a->queue, "default");
    CU_ASSERT_EQUAL(a->reduces, 1);
    CU_ASSERT_EQUAL(a->split_size, 1 << 27);
    CU_ASSERT_EQUAL(a->id.seq, 0);
    /* The same job with its defaults written out and in another order has the same text. */
    CU_ASSERT_EQUAL_FATAL(
        decode(
            "{\"job\":{\"id\":\"application_1_0001\",\"reduces\":1,\"reduce\":\"cat\",\"priority\":"
            "null,\"queue\":\"default\"," MR "}}",
            &b, &err),
        0);
    CU_ASSERT_STRING_EQUAL(a->json, b->json);
    CU_ASSERT_EQUAL(b->id.seq, 1);
    rm_job_spec_unref(a);
    rm_job_spec_unref(b);
}

/* Goal: when a job names no user, the name of its sender is taken; a sender's name that could not
 * be read back is refused. */
static void test_fallback_user(void)
{
    char *longer = base_alloc(3001);
    const char *const users[] = {"\xFF", "a\nb", "", memset(longer, 'u', 3000)};
    static const char body[] = "{\"job\":{" MR "}}";

    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        struct rm_spec_defaults d = defaults;
        struct base_error err = {0};
        struct rm_job_spec *s = NULL;

        d.user = users[i];
        CU_ASSERT(rm_spec_job_decode(body, sizeof body - 1, &d, &s, &err) < 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "job.user"));
    }
    free(longer);
}

static void test_task_command(void)
{
    struct base_error err = {0};
    struct rm_job_spec *s = NULL;

    CU_ASSERT_EQUAL_FATAL(
        decode(
            "{\"job\":{\"tasks\":[{\"command\":\"a\",\"count\":2},{\"kind\":\"reduce\",\"command\":"
            "\"r\"},{\"command\":\"b\"}]}}",
            &s, &err),
        0);
    CU_ASSERT_STRING_EQUAL(rm_spec_task_command(s, BASE_TASK_MAP, 1), "a");
    CU_ASSERT_STRING_EQUAL(rm_spec_task_command(s, BASE_TASK_MAP, 2), "b");
    CU_ASSERT_PTR_NULL(rm_spec_task_command(s, BASE_TASK_MAP, 3));
    CU_ASSERT_STRING_EQUAL(rm_spec_task_command(s, BASE_TASK_REDUCE, 0), "r");
    rm_job_spec_unref(s);
}

/* The spelling of paths is checked at once; whether they exist is found by the setup of the job. */
static void test_paths(void)
{
    static const char *const wrong[][2] = {
        {"{\"job\":{\"input\":[\"/a\",\"x/y\"],\"output\":\"/out\",\"map\":\"cat\"}}",
         "job.input[1]: \"x/y\" is neither an absolute path nor a file:// URI"},
        {"{\"job\":{\"input\":[\"/a\"],\"output\":\"file:///a%2\",\"map\":\"cat\"}}",
         "job.output: \"/a%2\" has a wrong percent escape"}};
    struct base_error err = {0};
    struct rm_job_spec *s = NULL;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(decode(wrong[i][0], &s, &err), -BASE_EINVAL);
        CU_ASSERT_STRING_EQUAL(err.text, wrong[i][1]);
        CU_ASSERT_PTR_NULL(s);
    }
    CU_ASSERT_EQUAL_FATAL(
        decode("{\"job\":{\"input\":[\"/no/such\"],\"output\":\"/no/out\",\"map\":\"cat\"}}", &s,
               &err),
        0);
    CU_ASSERT_EQUAL(s->splits_n, 0);
    rm_job_spec_unref(s);
}

int main(void)
{
    unsigned failed;
    CU_pSuite suite;

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    suite = CU_add_suite("spec_json", NULL, NULL);
    CU_add_test(suite, "bad bodies", test_bad);
    CU_add_test(suite, "round trip", test_round_trip);
    CU_add_test(suite, "defaults", test_defaults);
    CU_add_test(suite, "user by default", test_fallback_user);
    CU_add_test(suite, "task commands", test_task_command);
    CU_add_test(suite, "paths", test_paths);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failed ? 1 : 0;
}

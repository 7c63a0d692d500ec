/* Goal: what creel-task writes about a task is read back whole; whatever a job's own commands write
 * in its place is read without harm; the texts are those that earlier versions wrote. */
#include <math.h>
#include <string.h>

#include "api/wire/task_file.h"
#include "tests/unit/cunit_main.h"

static const struct wire_counters counted = {
    .known = true, .v = {[BASE_COUNT_SPILLS] = 9, [BASE_COUNT_CPU_MILLIS] = 10}};

static void check_text(struct base_buf *b, const char *wanted)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(b->data);
    CU_ASSERT_STRING_EQUAL(b->data, wanted);
    base_buf_free(b);
}

static void test_progress(void)
{
    static const char text[] = "{\"progress\":0.2500,\"phase\":\"sort\",\"counters\":{\"SPILLS\":9,"
                               "\"CPU_MILLIS\":10}}";
    struct wire_task_progress p = {.progress = 0.25, .phase = "sort", .counters = counted};
    struct base_buf b = {0};

    wire_task_progress_put(&p, &b);
    check_text(&b, text);
    CU_ASSERT_EQUAL_FATAL(wire_task_progress_get(text, strlen(text), &p, NULL), 0);
    CU_ASSERT_EQUAL(p.progress, 0.25);
    CU_ASSERT_STRING_EQUAL(p.phase, "sort");
    wire_task_progress_put(&p, &b);
    check_text(&b, text);
    wire_task_progress_free(&p);
    CU_ASSERT_PTR_NULL(p.phase);
}

static void test_result(void)
{
    static const char text[] = "{\"outputBytes\":19,\"counters\":{\"SPILLS\":9,"
                               "\"CPU_MILLIS\":10}}";
    struct wire_task_result r = {.output_bytes = 19, .counters = counted};
    struct base_buf b = {0};

    wire_task_result_put(&r, &b);
    check_text(&b, text);
    CU_ASSERT_EQUAL_FATAL(wire_task_result_get(text, strlen(text), &r, NULL), 0);
    CU_ASSERT_EQUAL(r.output_bytes, 19);
    wire_task_result_put(&r, &b);
    check_text(&b, text);
    wire_task_result_free(&r);
}

static void test_failure(void)
{
    static const char text[] = "{\"exitCode\":-101,\"diagnostics\":\"\\\"no\\\" room\\n\"}";
    struct wire_task_failure f = {.exit_code = WIRE_TASK_EXIT_NO_SPACE,
                                  .diagnostics = "\"no\" room\n"};
    struct base_buf b = {0};

    wire_task_failure_put(&f, &b);
    check_text(&b, text);
    CU_ASSERT_EQUAL_FATAL(wire_task_failure_get(text, strlen(text), &f, NULL), 0);
    CU_ASSERT_EQUAL(f.exit_code, -101);
    CU_ASSERT_STRING_EQUAL(f.diagnostics, "\"no\" room\n");
    wire_task_failure_free(&f);
}

/* Texts as versions up to 0.1.0 wrote them are read: members in another order, and progress with
 * all digits. */
static void test_earlier(void)
{
    static const char progress[] = "{\"progress\":0.33333333333333331,\"phase\":\"shuffle\","
                                   "\"counters\":{\"SHUFFLED_MAPS\":1}}\n";
    static const char result[] = "{\"counters\":{\"SPILLS\":2},\"outputBytes\":7}\n";
    struct wire_task_progress p;
    struct wire_task_result r;

    CU_ASSERT_EQUAL_FATAL(wire_task_progress_get(progress, strlen(progress), &p, NULL), 0);
    CU_ASSERT(fabs(p.progress - 1.0 / 3) < 1e-12);
    CU_ASSERT_STRING_EQUAL(p.counters.text, "{\"SHUFFLED_MAPS\":1}");
    wire_task_progress_free(&p);
    CU_ASSERT_EQUAL_FATAL(wire_task_result_get(result, strlen(result), &r, NULL), 0);
    CU_ASSERT_EQUAL(r.output_bytes, 7);
    CU_ASSERT_STRING_EQUAL(r.counters.text, "{\"SPILLS\":2}");
    wire_task_result_free(&r);
}

/* Members that are unknown, missing or of the wrong type are ignored; numbers beyond their bounds
 * are cut or ignored. */
static void test_tolerance(void)
{
    static const struct {
        const char *text;
        double progress;
        const char *phase, *counters;
    } cases[] = {
        {"{}", 0, NULL, NULL},
        {"{\"progress\":1e300,\"later\":[1]}", 1, NULL, NULL},
        {"{\"progress\":-0.5,\"phase\":7,\"counters\":[]}", 0, NULL, NULL},
        {"{\"progress\":\"1\",\"phase\":\"own\",\"counters\":{}}", 0, "own", "{}"},
        {"{\"counters\":{\"ROWS\":1200,\"LESS\":-1,\"TEXT\":\"x\",\"\":5,\"HALF\":0.5,"
         "\"MOST\":2305843009213693951,\"MORE\":2305843009213693952}}",
         0, NULL, "{\"ROWS\":1200,\"MOST\":2305843009213693951}"},
    };
    static const char far[] = "{\"outputBytes\":2305843009213693952}";
    static const char odd[] = "{\"exitCode\":-9223372036854775808,\"diagnostics\":[]}";
    struct wire_task_result r;
    struct wire_task_failure f;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wire_task_progress p;

        CU_ASSERT_EQUAL_FATAL(
            wire_task_progress_get(cases[i].text, strlen(cases[i].text), &p, NULL), 0);
        CU_ASSERT_EQUAL(p.progress, cases[i].progress);
        CU_ASSERT_STRING_EQUAL(p.phase ? p.phase : "-", cases[i].phase ? cases[i].phase : "-");
        CU_ASSERT_STRING_EQUAL(p.counters.text ? p.counters.text : "-",
                               cases[i].counters ? cases[i].counters : "-");
        wire_task_progress_free(&p);
    }
    CU_ASSERT_EQUAL_FATAL(wire_task_result_get(far, strlen(far), &r, NULL), 0);
    CU_ASSERT_EQUAL(r.output_bytes, 0);
    wire_task_result_free(&r);
    CU_ASSERT_EQUAL_FATAL(wire_task_failure_get(odd, strlen(odd), &f, NULL), 0);
    CU_ASSERT_EQUAL(f.exit_code, 0);
    CU_ASSERT_PTR_NULL(f.diagnostics);
    wire_task_failure_free(&f);
}

static void test_refused(void)
{
    static const char *const texts[] = {"", "{", "[]", "\"x\"", "0.5", "{} x", "{\"a\":1,\"a\":2}"};
    struct wire_task_progress p;
    struct wire_task_result r;
    struct wire_task_failure f;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t len = strlen(texts[i]);

        CU_ASSERT_EQUAL(wire_task_progress_get(texts[i], len, &p, NULL), -BASE_EINVAL);
        CU_ASSERT_EQUAL(wire_task_result_get(texts[i], len, &r, NULL), -BASE_EINVAL);
        CU_ASSERT_EQUAL(wire_task_failure_get(texts[i], len, &f, NULL), -BASE_EINVAL);
    }
}

/* No more counters, and no longer names, are read than a ResourceManager accepts. */
static void test_counter_limits(void)
{
    struct base_buf b = {0};
    struct wire_task_result r;
    size_t n = 0;

    base_buf_addf(&b, "{\"counters\":{\"%065d\":1,\"%064d\":1", 7, 7);
    for (int i = 0; i < 100; i++)
        base_buf_addf(&b, ",\"C%d\":1", i);
    base_buf_adds(&b, "}}");
    CU_ASSERT_EQUAL_FATAL(wire_task_result_get(b.data, b.len, &r, NULL), 0);
    for (const char *c = r.counters.text; *c; c++)
        n += *c == ':';
    CU_ASSERT_EQUAL(n, 64);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.counters.text, ",\"C62\":1}"));
    CU_ASSERT_EQUAL(strcspn(r.counters.text + 2, "\""), 64);
    wire_task_result_free(&r);
    base_buf_free(&b);
}

static const struct cunit_case cases[] = {
    {"progress, written and read", test_progress},   {"result, written and read", test_result},
    {"failure, written and read", test_failure},     {"files of earlier versions", test_earlier},
    {"members that cannot be read", test_tolerance}, {"texts that are no object", test_refused},
    {"limits of counters", test_counter_limits},
};
CUNIT_MAIN("files of tasks", cases)

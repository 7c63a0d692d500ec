/* The log's lines as they reach stderr, also from several threads. */
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/log_limit.h"
#include "base/mem.h"
#include "tests/unit/cunit_main.h"

#define THREADS 4
#define LINES   50

static char path[64];
static int saved_stderr;

static void capture_start(void)
{
    int fd;

    snprintf(path, sizeof path, "/tmp/creel-log-XXXXXX");
    fd = mkstemp(path);
    CU_ASSERT_FATAL(fd >= 0);
    saved_stderr = dup(STDERR_FILENO);
    dup2(fd, STDERR_FILENO);
    close(fd);
}

static void capture_end(struct base_buf *out)
{
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    CU_ASSERT_EQUAL(base_file_read(path, 1 << 20, out, NULL), 0);
    unlink(path);
}

static void test_limit(void)
{
    struct base_log_limit l = {0};
    int64_t left_out = -1;

    CU_ASSERT(base_log_limit_allows(&l, 5, 1000, &left_out));
    CU_ASSERT_EQUAL(left_out, 0);
    CU_ASSERT_FALSE(base_log_limit_allows(&l, 5, 1000, &left_out));
    CU_ASSERT_FALSE(base_log_limit_allows(&l, 1004, 1000, NULL));
    CU_ASSERT(base_log_limit_allows(&l, 1005, 1000, &left_out));
    CU_ASSERT_EQUAL(left_out, 2);
    /* the interval starts at each line that was allowed */
    CU_ASSERT(base_log_limit_allows(&l, 2005, 1000, NULL));
    CU_ASSERT_FALSE(base_log_limit_allows(&l, 3004, 1000, &left_out));
    CU_ASSERT(base_log_limit_allows(&l, 9000, 1000, &left_out));
    CU_ASSERT_EQUAL(left_out, 1);
}

static struct base_log_limit shared_limit;
static _Atomic int64_t allowed, reported;

static void *ask_limit_thread(void *u)
{
    int64_t left_out;

    for (int64_t at = 1; at <= LINES; at++)
        if (base_log_limit_allows(&shared_limit, at, LINES, &left_out)) {
            atomic_fetch_add(&allowed, 1);
            atomic_fetch_add(&reported, left_out);
        }
    return u;
}

/* One line is allowed, and each of the others is counted as left out once. */
static void test_limit_of_threads(void)
{
    pthread_t t[THREADS];
    int64_t left_out = 0;

    for (int i = 0; i < THREADS; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&t[i], NULL, ask_limit_thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    CU_ASSERT_EQUAL(allowed, 1);
    CU_ASSERT(base_log_limit_allows(&shared_limit, 3 * LINES, LINES, &left_out));
    CU_ASSERT_EQUAL(reported + left_out, THREADS * LINES - 1);
}

static void test_text(void)
{
    struct base_buf out = {0};

    capture_start();
    base_log_init("test", BASE_LOG_TEXT, BASE_LOG_INFO);
    base_log_warn("area", "node %d\nsecond line\x1b[31m", 7);
    base_log_debug("area", "not shown");
    capture_end(&out);
    CU_ASSERT_EQUAL(strncmp(out.data, "<4>20", 5), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "Z area: node 7 second line [31m\n"));
    CU_ASSERT_PTR_NULL(strstr(out.data, "not shown"));
    base_buf_free(&out);
}

static void test_json(void)
{
    struct base_buf out = {0};
    json_t *j;

    capture_start();
    base_log_init("test", BASE_LOG_JSON, BASE_LOG_INFO);
    base_log_error("area", "quote \" and \xff");
    capture_end(&out);
    j = json_loads(out.data, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(j);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(j, "message")), "quote \" and ?");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(j, "level")), "error");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(j, "area")), "area");
    json_decref(j);
    base_buf_free(&out);
}

static void *talk(void *arg)
{
    for (int i = 0; i < LINES; i++)
        base_log_info("thread", "from %s number %d", (const char *)arg, i);
    return NULL;
}

static void test_threads(void)
{
    struct base_buf out = {0};
    pthread_t t[THREADS];
    size_t lines = 0;

    capture_start();
    base_log_init("test", BASE_LOG_TEXT, BASE_LOG_INFO);
    for (int i = 0; i < THREADS; i++)
        CU_ASSERT_EQUAL(pthread_create(&t[i], NULL, talk, "somebody"), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    capture_end(&out);
    for (char *p = out.data, *end; (end = strchr(p, '\n')); p = end + 1, lines++)
        CU_ASSERT_EQUAL(strncmp(p, "<6>", 3), 0);
    CU_ASSERT_EQUAL(lines, THREADS * LINES);
    base_buf_free(&out);
}

static void test_formats(void)
{
    enum base_log_format f = BASE_LOG_AUTO;

    CU_ASSERT_EQUAL(base_log_format_parse("json", &f), 0);
    CU_ASSERT_EQUAL(f, BASE_LOG_JSON);
    CU_ASSERT_EQUAL(base_log_format_parse("xml", &f), -BASE_EINVAL);
}

static void log_one_of_each(const char *area)
{
    base_log_error(area, "%s error", area);
    base_log_info(area, "%s info", area);
    base_log_debug(area, "%s debug", area);
}

static void test_levels(void)
{
    static const struct {
        const char *text;
        bool there;
    } lines[] = {
        {" http: http error\n", true},        {" http: http info\n", true},
        {" http: http debug\n", true},        {" http.x: http.x debug\n", true},
        {" http.quiet: http.quiet e", false}, {" httpd: httpd info\n", false},
        {" httpd: httpd error\n", true},      {" core: core info\n", false},
    };
    struct base_error err = {0};
    struct base_buf out = {0};
    char name[32];

    capture_start();
    base_log_init("test", BASE_LOG_TEXT, BASE_LOG_INFO);
    CU_ASSERT_EQUAL(base_log_get_level("http"), BASE_LOG_INFO);
    CU_ASSERT_EQUAL(base_log_set_level("http", BASE_LOG_DEBUG, &err), 0);
    CU_ASSERT_EQUAL(base_log_set_level("", BASE_LOG_WARN, &err), 0);
    CU_ASSERT_EQUAL(base_log_set_level("http.quiet", BASE_LOG_OFF, &err), 0);
    CU_ASSERT_EQUAL(base_log_get_level("http.x"), BASE_LOG_DEBUG);
    CU_ASSERT_EQUAL(base_log_get_level("httpd"), BASE_LOG_WARN);
    CU_ASSERT_EQUAL(base_log_get_level("http.quiet"), BASE_LOG_OFF);
    log_one_of_each("http");
    log_one_of_each("http.x");
    log_one_of_each("http.quiet");
    log_one_of_each("httpd");
    log_one_of_each("core");
    capture_end(&out);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        CU_ASSERT_EQUAL(strstr(out.data, lines[i].text) != NULL, lines[i].there);
    base_buf_free(&out);

    for (int i = 2; i < BASE_LOG_NAMES_MAX; i++) {
        snprintf(name, sizeof name, "name-%d", i);
        CU_ASSERT_EQUAL(base_log_set_level(name, BASE_LOG_ALL, &err), 0);
    }
    CU_ASSERT_EQUAL(base_log_set_level("one-more", BASE_LOG_ALL, &err), -BASE_ELIMIT);
    CU_ASSERT_EQUAL(base_log_set_level("http", BASE_LOG_ERROR, &err), 0);
    CU_ASSERT_EQUAL(base_log_get_level("http"), BASE_LOG_ERROR);
    CU_ASSERT_EQUAL(base_log_set_level("", BASE_LOG_OFF, &err), 0);
    CU_ASSERT_EQUAL(base_log_get_level("other"), BASE_LOG_OFF);
    base_log_init("test", BASE_LOG_TEXT, BASE_LOG_INFO); /* levels begin anew */
    CU_ASSERT_EQUAL(base_log_get_level("http"), BASE_LOG_INFO);
}

static const struct cunit_case cases[] = {{"limit", test_limit},
                                          {"limit of threads", test_limit_of_threads},
                                          {"text", test_text},
                                          {"json", test_json},
                                          {"threads", test_threads},
                                          {"formats", test_formats},
                                          {"levels by name", test_levels}};
CUNIT_MAIN("base_log", cases)

/* Goal: each audited operation has one line that says who, from where, what and with which result;
 * no name can make another line or member. Method: a daemon over the store in memory, asked over
 * HTTP; the file of audit lines is compared with what was done. */
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/audit/limit.h"
#include "base/conf/conf.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "rm/daemon/audit.h"
#include "rm/daemon/daemon.h"
#include "rm/http/routes.h"
#include "rm/leader/sole_rm.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/simple_conf.h"
#include "tests/unit/stores.h"

#define PORT    api_server_port(server)
#define CLUSTER "/ws/v1/cluster"
#define TIME    "^20[0-9-]*T[0-9:.]*Z "
#define JSON    "Content-Type: application/json\r\n"

static struct rm_backend *b;
static struct api_server *server;
static struct base_conf *conf;
static struct api_route *routes;
static char folder[] = "/tmp/creel-audit-XXXXXX", *path, id[64];
static struct base_buf text;

/* Opens the audit log at @at. */
static int open_audit(const char *at, struct base_error *err)
{
    struct base_conf *with_path = base_conf_new();
    char *setting = base_printf("creel.rm.audit-log=%s", at);
    int rc = base_conf_set_arg(with_path, setting, err);

    free(setting);
    if (rc == 0)
        rc = rm_audit_open(with_path, err);
    base_conf_free(with_path);
    return rc;
}

static void start(void)
{
    struct api_server_conf sc = {.bind = "127.0.0.1",
                                 .threads = 1,
                                 .static_user = "dr.who",
                                 .keys = client_keys(),
                                 .on_answer = api_audit_log_answer};
    struct base_error err = {0};
    size_t n;

    conf = simple_conf_new();
    char *setting = base_printf("creel.rm.state-dir=%s", folder);
    base_assert(base_conf_set_arg(conf, setting, &err) == 0);
    free(setting);
    routes = rm_routes_new(&n);
    base_assert(open_audit(path, &err) == 0);
    base_assert(rm_daemon_new_sole(conf, NULL, store_kind("memory"), memory_place("audit"), NULL,
                                   &b, &err) == 0);
    base_assert(api_server_start(&sc, routes, n, b, &server, &err) == 0);
    rm_daemon_set_url(b, "http://127.0.0.1:1");
    rm_daemon_start(b);
}

static void stop(void)
{
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    api_server_stop(server);
    rm_daemon_free(b);
    api_audit_close();
    free(routes);
    base_conf_free(conf);
}

/* Reads the lines written so far into text; returns how many there are. */
static size_t lines(void)
{
    size_t n = 0;
    FILE *f = fopen(path, "r");

    base_assert(f);
    base_buf_clear(&text);
    base_buf_adds(&text, "");
    for (int c; (c = getc(f)) != EOF;) {
        base_buf_add(&text, &(char){(char)c}, 1);
        n += c == '\n';
    }
    fclose(f);
    return n;
}

static const char *line(size_t i)
{
    static char one[4096];
    const char *at = text.data;

    while (i-- && at)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    snprintf(one, sizeof one, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
    return one;
}

/* Sends a request, which has to leave just one line that matches @pattern (an extended regular
 * expression), or none (NULL). */
static void leaves(const char *method, const char *what, const char *headers, const char *body,
                   const char *pattern)
{
    struct client_answer a = {0};
    size_t before = lines(), after;
    regex_t re;

    client_do(PORT, method, what, headers, body, &a);
    after = lines();
    CU_ASSERT_EQUAL(after, before + (pattern != NULL));
    if (pattern) {
        base_assert(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) == 0);
        if (regexec(&re, line(before), 0, NULL, 0) != 0) {
            fprintf(stderr, "'%s' does not match '%s'\n", line(before), pattern);
            CU_FAIL("a line");
        }
        regfree(&re);
    }
    if (a.body.data && strstr(a.body.data, "\"id\":\"application_"))
        snprintf(id, sizeof id, "%.*s", (int)strcspn(strstr(a.body.data, "application_"), "\""),
                 strstr(a.body.data, "application_"));
    client_free(&a);
}

static char *of_id(const char *format)
{
    return base_printf(format, id);
}

static void test_facts(void)
{
    char *p, *pattern;

    start();
    leaves("GET", CLUSTER "/jobs", NULL, NULL, NULL); /* reads are not audited */
    leaves("POST", CLUSTER "/jobs?user.name=ann", JSON,
           "{\"job\":{\"name\":\"naps\",\"tasks\":[{\"kind\":\"map\",\"command\":\"true\"}]}}",
           TIME
           "op=submit-job user=ann ip=127.0.0.1 result=success status=201 name=naps queue=default "
           "app=application_[0-9_]*$");
    leaves("POST", CLUSTER "/jobs?user.name=ann", JSON, "{\"job\":{}}",
           TIME "op=submit-job user=ann ip=127.0.0.1 result=refused status=400 why=\"job");
    leaves("POST", CLUSTER "/apps/new-application?user.name=ann", NULL, NULL, NULL);
    leaves("POST", CLUSTER "/apps?user.name=ann", JSON, "{}",
           TIME "op=submit-app user=ann ip=[^ ]* result=refused ");
    leaves("PUT", CLUSTER "/scheduler/policy?user.name=root", JSON, "{\"policy\":\"hfsp\"}",
           TIME "op=set-policy user=root ip=127.0.0.1 result=success status=200 policy=hfsp$");
    leaves("PUT", CLUSTER "/scheduler/policy?user.name=root", JSON, "{\"policy\":\"lottery\"}",
           TIME "op=set-policy user=root ip=127.0.0.1 result=refused status=400 why=\"policy: ");
    p = of_id(CLUSTER "/apps/%s/queue?user.name=bob");
    leaves("PUT", p, JSON, "{\"queue\":\"elsewhere\"}",
           TIME "op=move user=bob ip=[^ ]* result=(refused|failed) ");
    free(p);
    p = of_id(CLUSTER "/apps/%s/state?user.name=bob");
    pattern = of_id(TIME "op=(kill user=bob ip=127.0.0.1 result=success status=20[02]|end user=ann "
                         "result=killed) app=%s");
    base_assert(lines() == 6);
    {
        struct client_answer a = {0};

        client_do(PORT, "PUT", p, JSON, "{\"state\":\"KILLED\"}", &a);
        client_free(&a);
    }
    /* waits for the lines of the kill and of the end, in either order */
    for (int tries = 0; lines() < 8 && tries < 2000; tries++)
        usleep(10000);
    CU_ASSERT_EQUAL(lines(), 8);
    for (size_t i = 6; i < 8; i++) {
        regex_t re;

        base_assert(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) == 0);
        CU_ASSERT_EQUAL(regexec(&re, line(i), 0, NULL, 0), 0);
        regfree(&re);
    }
    CU_ASSERT_PTR_NOT_NULL(
        strstr(text.data, " name=naps queue=default state=KILLED why=\"Application "));
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, " op=kill "));
    free(p);
    free(pattern);
    leaves("PUT", CLUSTER "/apps/application_1_0099/state?user.name=bob", JSON,
           "{\"state\":\"KILLED\"}",
           TIME
           "op=kill user=bob ip=127.0.0.1 result=refused status=404 app=application_1_0099 why=");
    stop();
}

static void test_nodes(void)
{
    start();
    leaves("POST", "/ws/v1/nodetracker/register", JSON, "{}",
           TIME "op=register-node user=dr.who ip=127.0.0.1 result=refused status=401 why=\"the "
                "request is not signed\"");
    leaves("POST", "/ws/v1/nodetracker/heartbeat", JSON "Authorization: Bearer guess\r\n", "{}",
           TIME "op=heartbeat user=dr.who ip=127.0.0.1 result=refused status=401 why=");
    leaves("POST", "/ws/v1/nodetracker/register", JSON CLIENT_SIGNED, "{}",
           TIME "op=register-node user=dr.who ip=127.0.0.1 result=refused status=400 why=");
    leaves("POST", CLUSTER "/apps/application_1_0001/master/allocate",
           JSON "Authorization: Bearer x\r\n", "{}",
           TIME "op=allocate user=dr.who ip=127.0.0.1 result=refused status=404 "
                "app=application_1_0001 why=");
    stop();
}

/* Names that try to look like lines or members of their own. */
static void test_forgery(void)
{
    start();
    leaves("POST", CLUSTER "/jobs?user.name=eve%0A2026-01-01T00:00:00.000Z%20op=kill", JSON,
           "{\"job\":{}}",
           TIME "op=submit-job user=\"eve\\\\x0a2026-01-01T00:00:00.000Z op=kill\" ip=127.0.0.1 "
                "result=refused ");
    leaves("POST", CLUSTER "/jobs?user.name=eve%22%20result=success", JSON, "{\"job\":{}}",
           TIME "op=submit-job user=\"eve\\\\x22 result=success\" ip=127.0.0.1 result=refused ");
    leaves("POST", CLUSTER "/jobs?user.name=ann", JSON,
           "{\"job\":{\"name\":\"x "
           "op=end\\\\\\u00e9\\\"\",\"tasks\":[{\"kind\":\"map\",\"command\":\"true\"}]}}",
           TIME "op=submit-job user=ann ip=127.0.0.1 result=(success|refused) status=[0-9]* "
                "name=\"x op=end\\\\x5c\\\\xc3\\\\xa9\\\\x22\" ");
    stop();
}

static void test_values(void)
{
    struct base_buf out = {0};
    char big[2 * API_AUDIT_VALUE_MAX];

    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    api_audit_append_member(&out, "a", "plain-1.2:3/x@y,z");
    api_audit_append_member(&out, "b", "");
    api_audit_append_member(&out, "c", "two words=3\t\x7f");
    CU_ASSERT_STRING_EQUAL(out.data, "a=plain-1.2:3/x@y,z b=\"\" c=\"two words=3\\x09\\x7f\"");
    base_buf_clear(&out);
    api_audit_append_member(&out, "d", big);
    CU_ASSERT_EQUAL(out.len, 3 + API_AUDIT_VALUE_MAX + 4);
    base_buf_free(&out);
}

/* The file was moved away, as a rotation of logs does, and is opened anew. */
static void test_reopen(void)
{
    struct base_error err = {0};
    char *old = base_printf("%s.1", path);

    base_assert(open_audit(path, &err) == 0);
    base_assert(rename(path, old) == 0);
    api_audit_log_own_operation("refresh-queues", "SIGHUP", NULL);
    api_audit_reopen();
    api_audit_log_own_operation("refresh-queues", "changed", "line 7: no");
    CU_ASSERT_EQUAL(lines(), 1);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(text.data, "Z op=refresh-queues by=changed result=refused why=\"line 7: no\"\n"));
    api_audit_close();
    CU_ASSERT_EQUAL(open_audit("/nonexistent/audit", &err), -BASE_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.rm.audit-log: /nonexistent/audit"));
    unlink(old);
    free(old);
}

/* What the client is answered is what the line says. */
static void test_unacceptable(void)
{
    start();
    leaves("PUT", CLUSTER "/apps/application_1_0001/state?user.name=bob",
           JSON "Accept: text/html\r\n", "{}",
           TIME "op=kill user=bob ip=127.0.0.1 result=refused status=406 app=application_1_0001$");
    leaves("PUT", CLUSTER "/apps/application_1_0001/state?user.name=bob",
           JSON "Accept: text/xml\r\n", "{}",
           TIME "op=kill user=bob ip=127.0.0.1 result=failed status=503 app=application_1_0001$");
    leaves("PUT", CLUSTER "/apps/application_1_0001/state?user.name=bob",
           JSON "Accept: text/plain\r\n", "{}",
           TIME "op=kill user=bob ip=127.0.0.1 result=refused status=406 app=application_1_0001$");
    stop();
}

/* Returns the sum of the counts in lines about refusals that were left out. @others: the number of
 * other lines, but for ends of jobs. */
static long left_out(size_t *others)
{
    size_t n = lines();
    long sum = 0, count;

    *others = 0;
    for (size_t i = 0; i < n; i++) {
        if (sscanf(
                line(i),
                "%*s op=left-out ip=127.0.0.1 result=refused count=%ld why=\"more than 20 refusals",
                &count) == 1)
            sum += count;
        else if (!strstr(line(i), " op=end ")) /* not about the end of a job of an earlier case */
            ++*others;
    }
    return sum;
}

static void ask(const char *method, const char *what, const char *headers, const char *body)
{
    struct client_answer a = {0};

    client_do(PORT, method, what, headers, body, &a);
    client_free(&a);
}

/* A loop of refusals under ever new names leaves few lines, which say how many there were; each
 * success has a line of its own. */
static void test_many_refusals(void)
{
    enum { ASKED = 300, DONE = 30 };
    size_t others;
    char what[200];

    unlink(path);
    start();
    for (int i = 0; i < ASKED; i++) {
        snprintf(what, sizeof what, CLUSTER "/apps/application_1_%04d/state?user.name=eve%d", i + 1,
                 i);
        ask("PUT", what, i % 3 ? JSON : JSON "Accept: text/plain\r\n", "{\"state\":\"KILLED\"}");
    }
    for (int i = 0; i < DONE; i++)
        ask("PUT", CLUSTER "/scheduler/policy?user.name=root", JSON, "{\"policy\":\"fair\"}");
    stop();
    CU_ASSERT_EQUAL((size_t)left_out(&others) + others, ASKED + DONE);
    CU_ASSERT_TRUE(others <= DONE + 2 * API_AUDIT_REFUSALS); /* should a minute end meanwhile */
    others = 0;
    for (const char *at = text.data;
         (at = strstr(at, " op=set-policy user=root ip=127.0.0.1 result=success")); at++)
        others++;
    CU_ASSERT_EQUAL(others, DONE);
}

static void test_limit(void)
{
    struct api_audit_limit l = {0};
    char ip[32];

    CU_ASSERT_FALSE(api_audit_limit_window_is_over(&l, INT64_MAX));
    for (int i = 0; i < API_AUDIT_REFUSALS; i++)
        CU_ASSERT_TRUE(api_audit_limit_count_and_may_log(&l, "10.0.0.1", 7));
    CU_ASSERT_FALSE(api_audit_limit_count_and_may_log(&l, "10.0.0.1", 8));
    /* each address has a count of its own */
    CU_ASSERT_TRUE(api_audit_limit_count_and_may_log(&l, "10.0.0.2", 9));
    CU_ASSERT_EQUAL(l.of[0].left_out, 1);
    CU_ASSERT_FALSE(api_audit_limit_window_is_over(&l, 6 + API_AUDIT_WINDOW_S * INT64_C(1000000)));
    CU_ASSERT_TRUE(api_audit_limit_window_is_over(&l, 7 + API_AUDIT_WINDOW_S * INT64_C(1000000)));
    for (int i = 3; i <= API_AUDIT_ADDRESSES; i++) {
        snprintf(ip, sizeof ip, "10.0.0.%d", i);
        CU_ASSERT_TRUE(api_audit_limit_count_and_may_log(&l, ip, 9));
    }
    for (int i = 0; i < API_AUDIT_REFUSALS; i++) { /* more addresses than there is room for */
        snprintf(ip, sizeof ip, "10.0.1.%d", i);
        CU_ASSERT_TRUE(api_audit_limit_count_and_may_log(&l, ip, 9));
    }
    CU_ASSERT_FALSE(api_audit_limit_count_and_may_log(&l, "10.0.2.1", 9));
    CU_ASSERT_FALSE(api_audit_limit_count_and_may_log(&l, "others", 9));
    CU_ASSERT_EQUAL(l.n, API_AUDIT_ADDRESSES + 1);
    CU_ASSERT_STRING_EQUAL(l.of[API_AUDIT_ADDRESSES].ip, "others");
    CU_ASSERT_EQUAL(l.of[API_AUDIT_ADDRESSES].left_out, 2);
    /* an address that has a count keeps it */
    CU_ASSERT_TRUE(api_audit_limit_count_and_may_log(&l, "10.0.0.2", 9));
}

static int64_t size_of_file(void)
{
    struct stat st;

    base_assert(stat(path, &st) == 0);
    return st.st_size;
}

/* A full disk takes a part of a line; the next line that fits is whole, also after a restart. */
static void test_half_a_line(void)
{
    static const char half[] = "2026-01-01T00:00:00.000Z op=ki";
    struct base_error err = {0};
    struct rlimit was, full;
    size_t n;
    int fd;

    unlink(path);
    base_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && getrlimit(RLIMIT_FSIZE, &was) == 0);
    base_assert(open_audit(path, &err) == 0);
    api_audit_log_own_operation("refresh-queues", "first", NULL);
    full = (struct rlimit){(rlim_t)size_of_file() + 30, was.rlim_max};
    base_assert(setrlimit(RLIMIT_FSIZE, &full) == 0);
    api_audit_log_own_operation("refresh-queues", "second", NULL);
    /* no byte of this line is written */
    api_audit_log_own_operation("refresh-queues", "third", NULL);
    base_assert(setrlimit(RLIMIT_FSIZE, &was) == 0);
    CU_ASSERT_EQUAL(size_of_file(), (int64_t)full.rlim_cur);
    api_audit_log_own_operation("refresh-queues", "fourth", NULL);
    api_audit_close();
    n = lines();
    CU_ASSERT_EQUAL(n, 3);
    CU_ASSERT_EQUAL(strlen(line(1)), 30);
    CU_ASSERT_PTR_NOT_NULL(strstr(line(2), "Z op=refresh-queues by=fourth result=success"));
    fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    base_assert(fd >= 0 && write(fd, half, sizeof half - 1) == sizeof half - 1);
    close(fd);
    base_assert(open_audit(path, &err) == 0);
    api_audit_log_own_operation("refresh-queues", "fifth", NULL);
    api_audit_log_own_operation("refresh-queues", "sixth", NULL);
    api_audit_close();
    n = lines();
    CU_ASSERT_EQUAL(n, 6);
    CU_ASSERT_STRING_EQUAL(line(3), half);
    CU_ASSERT_PTR_NOT_NULL(strstr(line(4), "Z op=refresh-queues by=fifth result=success"));
    CU_ASSERT_PTR_NOT_NULL(strstr(line(5), "Z op=refresh-queues by=sixth result=success"));
}

/* Where there is no audit file, or the file takes nothing, the log has the line, whatever its level
 * leaves out otherwise. */
static void test_log_alone(void)
{
    struct base_error err = {0};
    int old = dup(STDERR_FILENO), fd;

    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    base_assert(fd >= 0 && old >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    close(fd);
    base_log_init("test", BASE_LOG_TEXT, BASE_LOG_ERROR);
    base_log_info("rm", "not this one");
    api_audit_log_own_operation("refresh-queues", "nowhere else", NULL);
    base_assert(open_audit("/dev/full", &err) == 0);
    api_audit_log_own_operation("refresh-queues", "full", NULL);
    api_audit_close();
    base_assert(open_audit("/dev/null", &err) == 0);
    api_audit_log_own_operation("refresh-queues", "it has a file", NULL);
    api_audit_close();
    base_log_init("creel", BASE_LOG_TEXT, BASE_LOG_INFO);
    base_assert(dup2(old, STDERR_FILENO) >= 0);
    close(old);
    CU_ASSERT_EQUAL(lines(), 3);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(line(0), " audit: op=refresh-queues by=\"nowhere else\" result=success"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(line(1), " audit: creel.rm.audit-log: /dev/full cannot be written: No space left"));
    CU_ASSERT_PTR_NOT_NULL(strstr(line(2), " audit: op=refresh-queues by=full result=success"));
}

static const struct cunit_case cases[] = {
    {"facts", test_facts},
    {"nodes and masters", test_nodes},
    {"forged lines", test_forgery},
    {"values", test_values},
    {"the file is moved", test_reopen},
    {"answers that nobody takes", test_unacceptable},
    {"many refusals", test_many_refusals},
    {"refusals of an address", test_limit},
    {"half a line", test_half_a_line},
    {"the log alone", test_log_alone},
};

int main(void)
{
    int rc;

    base_assert(mkdtemp(folder));
    path = base_printf("%s/audit.log", folder);
    rc = cunit_main("rm audit", cases, sizeof cases / sizeof *cases);
    unlink(path);
    rmdir(folder);
    free(path);
    base_buf_free(&text);
    return rc;
}

/* What administrators read outside of REST: /conf, /logLevel, /stacks, /logs, and the root.
 * Expected texts follow recordings of YARN 3.4.2. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/admin/configuration.h"
#include "api/admin/log_folder.h"
#include "api/admin/log_level.h"
#include "api/admin/stacks.h"
#include "api/admin/web_root.h"
#include "api/server/access/admin_pages.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

#define PACKAGE "org.apache.hadoop.yarn.server.resourcemanager"
#define XML     "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><configuration>\n"

static struct base_conf *conf;
static struct api_server *server;
static uint16_t port;
static char folder[] = "/tmp/creel-servlets-XXXXXX";

static const struct api_yarn_key keys[] = {
    {"aaa.first", "1"},
    {"hadoop.security.authentication", "simple"},
    {"yarn.resourcemanager.cluster-id", "not shown: set"},
    {"yarn.resourcemanager.scheduler.class", "CapacityScheduler"},
    {"zzz.last", "9"},
    {NULL, NULL},
};

static void on_conf(struct api_request *rq, void *user)
{
    (void)user;
    api_configuration_answer(rq, conf, keys);
}

static void on_log_level(struct api_request *rq, void *user)
{
    (void)user;
    api_log_level_answer(rq, PACKAGE);
}

static void on_logs(struct api_request *rq, void *user)
{
    (void)user;
    api_log_folder_answer(rq, folder, api_path_arg(rq, 0));
}

static void on_no_logs(struct api_request *rq, void *user)
{
    (void)user;
    api_log_folder_answer(rq, "", api_path_arg(rq, 0));
}

static void on_root(struct api_request *rq, void *user)
{
    (void)user;
    api_web_root_redirect(rq, "/cluster", "elsewhere:1");
}

static struct base_conf *strict;
static bool caller_is_admin;
static int asked;

static bool is_admin(struct api_request *rq, void *user)
{
    (void)rq;
    (void)user;
    asked++;
    return caller_is_admin;
}

static void on_page(struct api_request *rq, void *user)
{
    enum api_admin_page page = (enum api_admin_page)atoi(api_path_arg(rq, 0));

    if (!api_admin_refuse_page_unless_admin(rq, strict, page, is_admin, user))
        api_answer(rq, 200, API_TEXT, NULL);
}

static const struct api_route routes[] = {
    {"GET", "/page/{page}", API_ROLE_READ, 0, on_page, API_ROUTE_SERVLET},
    {"GET", "/", API_ROLE_READ, 0, on_root, API_ROUTE_SERVLET},
    {"GET", "/conf", API_ROLE_READ, 0, on_conf, API_ROUTE_SERVLET},
    {"GET", "/logLevel", API_ROLE_READ, 0, on_log_level, API_ROUTE_SERVLET},
    {"GET", "/logs", API_ROLE_READ, 0, on_logs, API_ROUTE_CREEL},
    {"GET", "/logs/{file}", API_ROLE_READ, 0, on_logs, API_ROUTE_CREEL},
    {"GET", "/nologs", API_ROLE_READ, 0, on_no_logs, API_ROUTE_CREEL},
};

static int start(void)
{
    static const char site[] =
        "<configuration>"
        "<property><name>my.password</name><value>very secret</value></property>"
        "<property><name>my.url</name><value>x://${my.password}@h</value></property>"
        "<property><name>short.password</name><value>in</value></property>"
        "<property><name>plain</name><value>in a &lt;b&gt; &amp; \"c\"</value><final>true</final>"
        "</property>"
        "<property><name>our.token.key</name><value>hidden</value></property>"
        "<property><name>hadoop.security.sensitive-config-keys</name>"
        "<value>^our\\.token, (?i)odd</value></property>"
        "<property><name>some.(?i)odd.key</name><value>hidden</value></property>"
        "<property><name>yarn.resourcemanager.cluster-id</name><value>c1</value></property>"
        "</configuration>";
    struct api_server_conf sc = {.static_user = "dr.who"};
    struct base_error err = {0};

    conf = base_conf_new();
    if (base_conf_load_text(conf, "/etc/creel/creel-site.xml", site, strlen(site), &err) < 0 ||
        base_conf_set_arg(conf, "given=by hand", &err) < 0 || !mkdtemp(folder) ||
        api_server_start(&sc, routes, sizeof routes / sizeof *routes, NULL, &server, &err) < 0)
        return -1;
    port = api_server_port(server);
    return 0;
}

static int stop(void)
{
    api_server_stop(server);
    base_conf_free(conf);
    return rmdir(folder);
}

/* ---- /conf ---- */

static void expect_key(const char *name, const char *json, const char *xml)
{
    struct base_buf out = {0};

    CU_ASSERT_EQUAL(api_configuration_encode(conf, keys, name, true, &out), json != NULL);
    CU_ASSERT_STRING_EQUAL(out.len ? out.data : "", json ? json : "");
    base_buf_free(&out);
    CU_ASSERT_EQUAL(api_configuration_encode(conf, keys, name, false, &out), json != NULL);
    if (xml)
        CU_ASSERT_STRING_EQUAL(out.data, xml);
    base_buf_free(&out);
}

static void test_one_key(void)
{
    expect_key("plain",
               "{\"property\":{\"key\":\"plain\",\"value\":\"in a <b> & \\\"c\\\"\","
               "\"isFinal\":true,\"resource\":\"creel-site.xml\"}}",
               XML "<property><name>plain</name><value>in a &lt;b&gt; &amp; \"c\"</value>"
                   "<final>true</final><source>creel-site.xml</source></property>\n"
                   "</configuration>\n");
    expect_key("given",
               "{\"property\":{\"key\":\"given\",\"value\":\"by hand\",\"isFinal\":false,"
               "\"resource\":\"programmatically\"}}",
               NULL);
    expect_key("creel.rm.port",
               "{\"property\":{\"key\":\"creel.rm.port\",\"value\":\"8088\",\"isFinal\":false,"
               "\"resource\":\"creel-default.xml\"}}",
               NULL);
    expect_key("hadoop.security.authentication",
               "{\"property\":{\"key\":\"hadoop.security.authentication\",\"value\":\"simple\","
               "\"isFinal\":false,\"resource\":\"yarn-default.xml\"}}",
               NULL);
    /* a key of Creel's, too, but empty by default: YARN's default is shown */
    expect_key("yarn.resourcemanager.scheduler.class",
               "{\"property\":{\"key\":\"yarn.resourcemanager.scheduler.class\","
               "\"value\":\"CapacityScheduler\",\"isFinal\":false,"
               "\"resource\":\"yarn-default.xml\"}}",
               NULL);
    expect_key("yarn.resourcemanager.cluster-id",
               "{\"property\":{\"key\":\"yarn.resourcemanager.cluster-id\",\"value\":\"c1\","
               "\"isFinal\":false,\"resource\":\"creel-site.xml\"}}",
               NULL);
    expect_key("no.such.key", NULL, NULL);
}

static void test_secrets(void)
{
    static const char *const hidden[] = {"my.password",   "my.url",         "short.password",
                                         "our.token.key", "hadoop.zk.auth", "some.(?i)odd.key"};
    struct base_buf out = {0};

    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        CU_ASSERT_TRUE(api_configuration_encode(conf, keys, hidden[i], true, &out));
        CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "\"value\":\"<redacted>\""));
        base_buf_free(&out);
    }
    CU_ASSERT_TRUE(api_configuration_encode(conf, keys, NULL, false, &out));
    CU_ASSERT_PTR_NULL(strstr(out.data, "very secret"));
    CU_ASSERT_PTR_NULL(strstr(out.data, "hidden"));
    base_buf_free(&out);
}

/* Every key is there once, in order. */
static void test_all_keys(void)
{
    struct base_buf out = {0};
    char last[256] = "";
    size_t n = 0;

    CU_ASSERT_TRUE(api_configuration_encode(conf, keys, NULL, true, &out));
    CU_ASSERT_PTR_EQUAL(strstr(out.data, "{\"properties\":[{\"key\":\"aaa.first\","), out.data);
    for (const char *p = out.data; (p = strstr(p, "\"key\":\"")); n++) {
        char name[256];

        p += strlen("\"key\":\"");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, "\""), p);
        CU_ASSERT_TRUE(strcmp(last, name) < 0);
        memcpy(last, name, sizeof last);
    }
    CU_ASSERT_STRING_EQUAL(last, "zzz.last");
    CU_ASSERT_TRUE(n > 100);
    base_buf_free(&out);
}

static void test_conf_over_http(void)
{
    struct client_answer a;

    client_do(port, "GET", "/conf?name=plain", "Accept: application/json\r\n", NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json;charset=utf-8"));
    client_free(&a);
    client_do(port, "GET", "/conf?format=json", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/xml;charset=utf-8"));
    CU_ASSERT_EQUAL(strncmp(a.body.data, XML, strlen(XML)), 0);
    client_free(&a);
    client_do(port, "GET", "/conf?name=no.such.key", "Accept: application/json\r\n", NULL, &a);
    CU_ASSERT_EQUAL(a.status, 404);
    CU_ASSERT_EQUAL(a.body.len, 0);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json;charset=utf-8"));
    client_free(&a);
}

/* ---- /logLevel ---- */

static void test_names_of_loggers(void)
{
    static const struct {
        const char *name, *area;
    } cases[] = {
        {"", ""},
        {"root", ""},
        {"org", ""},
        {"org.apache.hadoop.yarn", ""},
        {PACKAGE, ""},
        {PACKAGE ".http", "http"},
        {"http", "http"},
        {"org.apache.hadoop.ya", "org.apache.hadoop.ya"},
        {"org.apache.hadoop.hdfs", "org.apache.hadoop.hdfs"},
        {PACKAGE "x", PACKAGE "x"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CU_ASSERT_STRING_EQUAL(api_log_level_find_area(cases[i].name, PACKAGE), cases[i].area);
}

static void expect_lines(const char *path, const char *lines)
{
    struct client_answer a;

    client_do(port, "GET", path, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html;charset=utf-8"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, lines));
    client_free(&a);
}

static void expect_status(const char *path, const char *headers, int status)
{
    struct client_answer a;

    client_do(port, "GET", path, headers, NULL, &a);
    CU_ASSERT_EQUAL(a.status, status);
    client_free(&a);
}

/* ---- pages for administrators ---- */

/* @expected: a character for each page of enum api_admin_page, 'x' if it is for administrators
 * only. */
static void expect_restricted(const char *const *settings, const char *expected)
{
    strict = base_conf_new();
    for (; *settings; settings++)
        CU_ASSERT_EQUAL(base_conf_set_arg(strict, *settings, NULL), 0);
    for (size_t i = 0; expected[i]; i++) {
        char path[] = {'/', 'p', 'a', 'g', 'e', '/', (char)('0' + i), '\0'};

        asked = 0;
        caller_is_admin = false;
        expect_status(path, NULL, expected[i] == 'x' ? 403 : 200);
        CU_ASSERT_EQUAL(asked, expected[i] == 'x');
        caller_is_admin = true;
        expect_status(path, NULL, 200);
    }
    base_conf_free(strict);
}

static void test_administrators(void)
{
    static const char *const none[] = {NULL};
    static const char *const admins[] = {"hadoop.security.instrumentation.requires.admin=true",
                                         NULL};
    static const char *const authorized[] = {"hadoop.security.authorization=true", NULL};
    static const char *const both[] = {"hadoop.security.authorization=true",
                                       "hadoop.security.instrumentation.requires.admin=true", NULL};

    CU_ASSERT_EQUAL(API_ADMIN_LOGS * 100 + API_ADMIN_INSTRUMENTS * 10 + API_ADMIN_CHANGE, 12);
    expect_restricted(none, "--x");
    expect_restricted(admins, "--x");
    expect_restricted(authorized, "x-x");
    expect_restricted(both, "xxx");
}

static void test_log_level(void)
{
    static char long_name[400] = "/logLevel?level=OFF&log=";
    struct client_answer a;

    base_log_init("test", BASE_LOG_TEXT, BASE_LOG_WARN);
    client_do(port, "GET", "/logLevel", NULL, NULL, &a);
    CU_ASSERT_PTR_NULL(strstr(a.body.data, "Results"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "<form>"));
    client_free(&a);
    expect_lines("/logLevel?log=http", "<h3>Results</h3>\n"
                                       "<!-- OUTPUT -->Submitted Class Name: <b>http</b><br />\n"
                                       "<!-- OUTPUT -->Log Class: <b>creel.base.io.log</b><br />\n"
                                       "<!-- OUTPUT -->Effective Level: <b>WARN</b><br />\n");
    expect_lines("/logLevel?log=+" PACKAGE ".http&level=debug",
                 "<!-- OUTPUT -->Submitted Class Name: <b>" PACKAGE ".http</b><br />\n"
                 "<!-- OUTPUT -->Log Class: <b>creel.base.io.log</b><br />\n"
                 "<!-- OUTPUT -->Submitted Level: <b>debug</b><br />\n"
                 "<!-- OUTPUT -->Setting Level to debug ...<br />\n"
                 "<!-- OUTPUT -->Effective Level: <b>DEBUG</b><br />\n");
    CU_ASSERT_EQUAL(base_log_get_level("http"), BASE_LOG_DEBUG);
    CU_ASSERT_EQUAL(base_log_get_level("core"), BASE_LOG_WARN);
    expect_lines("/logLevel?log=%3Cb%3E&level=%3Ci%3E",
                 "<b>&lt;b&gt;</b><br />\n"
                 "<!-- OUTPUT -->Log Class: <b>creel.base.io.log</b><br />\n"
                 "<!-- OUTPUT -->Submitted Level: <b>&lt;i&gt;</b><br />\n"
                 "<!-- OUTPUT -->Bad Level : <b>&lt;i&gt;</b><br />\n"
                 "<!-- OUTPUT -->Effective Level: <b>WARN</b><br />\n");
    expect_lines("/logLevel?log=org.apache.hadoop&level=TRACE", "Effective Level: <b>TRACE</b>");
    CU_ASSERT_EQUAL(base_log_get_level("core"), BASE_LOG_TRACE);
    expect_status("/logLevel?log=root&level=OFF", "Sec-Fetch-Site: cross-site\r\n", 403);
    expect_status("/logLevel?log=root", "Sec-Fetch-Site: cross-site\r\n", 200);
    memset(long_name + strlen(long_name), 'x', API_LOG_NAME_MAX + 1);
    expect_status(long_name, NULL, 400);
    CU_ASSERT_EQUAL(base_log_get_level("core"), BASE_LOG_TRACE);
    base_log_init("test", BASE_LOG_TEXT, BASE_LOG_INFO);
}

/* ---- /stacks ---- */

static sem_t begun, end;

static void *wait_in_thread(void *u)
{
    (void)u;
    pthread_setname_np(pthread_self(), "waits-here");
    sem_post(&begun);
    while (sem_wait(&end) < 0)
        ;
    return NULL;
}

static void test_stacks(void)
{
    struct base_buf out = {0};
    pthread_t thread;
    bool waits = false;

    sem_init(&begun, 0, 0);
    sem_init(&end, 0, 0);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, wait_in_thread, NULL), 0);
    while (sem_wait(&begun) < 0)
        ;
    while (!waits) { /* until the thread waits for the semaphore */
        const char *at;

        base_buf_free(&out);
        api_stacks_encode(&out);
        at = strstr(out.data, " (waits-here):\n  State: ");
        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
        waits = strncmp(strstr(at, "State: "), "State: WAITING", 14) == 0;
    }
    CU_ASSERT_EQUAL(strncmp(out.data, "Process Thread Dump: \n", 22), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "  State: RUNNABLE\n")); /* the thread of this test */
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "  Waited count: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "  CPU time: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "(http-helper):\n"));
    base_buf_free(&out);
    sem_post(&end);
    pthread_join(thread, NULL);
    sem_destroy(&begun);
    sem_destroy(&end);
}

/* ---- /logs ---- */

static void write_in_folder(const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    CU_ASSERT_EQUAL(base_file_write_atomic(path, text, strlen(text), 0600, false, NULL), 0);
}

static void test_logs(void)
{
    static const char *const hostile[] = {"/logs/link", "/logs/.hidden", "/logs/folder",
                                          "/logs/fifo", "/logs/none",    "/logs/folder/x",
                                          "/nologs"};
    static const char *const refused[] = {"/logs/..%2fx", "/logs/%2e%2e", "/logs/a%00b"};
    static const char *const made[] = {"link", ".hidden", "fifo", "<rm>.log"};
    struct client_answer a;
    char path[200];

    write_in_folder("<rm>.log", "one\ntwo\n");
    write_in_folder(".hidden", "no");
    snprintf(path, sizeof path, "%s/link", folder);
    CU_ASSERT_EQUAL(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof path, "%s/folder", folder);
    CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/fifo", folder);
    CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);

    client_do(port, "GET", "/logs/", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data,
                                  "<a href=\"/logs/%3Crm%3E.log\">&lt;rm&gt;.log</a></td>"
                                  "<td align=\"right\">8 bytes</td>"));
    CU_ASSERT_PTR_NULL(strstr(a.body.data, "link"));
    CU_ASSERT_PTR_NULL(strstr(a.body.data, "hidden"));
    CU_ASSERT_PTR_NULL(strstr(a.body.data, "fifo"));
    client_free(&a);
    client_do(port, "GET", "/logs/%3Crm%3E.log", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/plain;charset=utf-8"));
    CU_ASSERT_STRING_EQUAL(a.body.data, "one\ntwo\n");
    client_free(&a);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        expect_status(hostile[i], NULL, 404);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_status(refused[i], NULL, 400);

    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/folder", folder);
    rmdir(path);
}

static void test_root(void)
{
    struct client_answer a;

    client_do(port, "GET", "/?a=b&c=%20d", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 302);
    CU_ASSERT_TRUE(client_has(&a, "Location: http://localhost/cluster?a=b&c=%20d"));
    client_free(&a);
}

static const struct cunit_case cases[] = {
    {"/conf, one key", test_one_key},
    {"/conf hides secrets", test_secrets},
    {"/conf, all keys", test_all_keys},
    {"/conf over HTTP", test_conf_over_http},
    {"names of loggers", test_names_of_loggers},
    {"pages for administrators", test_administrators},
    {"/logLevel", test_log_level},
    {"/stacks", test_stacks},
    {"/logs", test_logs},
    {"the root", test_root},
};

int main(void)
{
    int rc;

    if (start() < 0)
        return 1;
    rc = cunit_main("servlets", cases, sizeof cases / sizeof *cases);
    return stop() == 0 ? rc : 1;
}

/* tests/e2e/test_nm_yarn.c - what clients of YARN's NodeManager find besides its lists of
 * applications and containers: redirects to a log server, the manifest of auxiliary services,
 * documents for containers, pages, beans.
 *
 * Method: two real NodeManagers with the fake ResourceManager. Node 0 has no log server; node 1
 * has one, and the manifest enabled. */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "tests/fault/nm_fixture.h"
#include "tests/unit/api_client.h"

#define APP    "application_7_0001"
#define CT1    "container_7_0001_01_000001"
#define CT2    "container_7_0001_01_000002"
#define NONE   "container_1_0099_01_000001"
#define NODE   "/ws/v1/node"
#define JSON   "Content-Type: application/json\r\n"
#define SERVER "http://logs.example:19888"
#define UNKNOWN                                                                                    \
    "Unknown container. Container either has not started or has already completed or doesn't "     \
    "belong to this node at all."

static struct fx *fx;

static uint16_t port_of(int node)
{
    return (uint16_t)atoi(strrchr(fake_rm_node_id(fx->rm, (size_t)node), ':') + 1);
}

static void ask(int node, const char *method, const char *path, const char *headers,
                const char *body, struct client_answer *a)
{
    client_do(port_of(node), method, path, headers, body, a);
}

/* Checks status and body (NULL: any). */
static void check(int node, const char *method, const char *path, const char *body, int status,
                  const char *want)
{
    struct client_answer a;

    ask(node, method, path, body ? JSON : NULL, body, &a);
    if (a.status != status || (want && strcmp(a.body.data ? a.body.data : "", want) != 0))
        printf("\n  %s %s: %d\n  got  %s\n  want %s\n", method, path, a.status,
               a.body.data ? a.body.data : "", want ? want : "");
    CU_ASSERT_EQUAL(a.status, status);
    if (want)
        CU_ASSERT_STRING_EQUAL(a.body.data ? a.body.data : "", want);
    client_free(&a);
}

static void redirects(int node, const char *path, int status, const char *to)
{
    char *line = base_printf("Location: %s", to);
    struct client_answer a;

    ask(node, "GET", path, NULL, NULL, &a);
    if (a.status != status || !client_has(&a, line))
        printf("\n  %s: wanted %d %s\n%s\n", path, status, to, a.head);
    CU_ASSERT_EQUAL(a.status, status);
    CU_ASSERT(client_has(&a, line));
    client_free(&a);
    free(line);
}

/* Goal: logs that this node does not have are looked for at the log server, with the client's
 * query, in the form that YARN's log server expects. */
static void test_log_server(void)
{
    char *to;

    redirects(1, NODE "/containers/" NONE "/logs", 307,
              SERVER "/ws/v1/history/containers/" NONE "/logs?redirected_from_node=true");
    redirects(1, NODE "/containers/" NONE "/logs/stdout?size=5&nm.id=h%3A1&x=a%20b%26c", 307,
              SERVER "/ws/v1/history/containers/" NONE
                     "/logs/stdout?size=5&x=a%20b%26c&redirected_from_node=true");
    redirects(1, NODE "/containers/" CT2 "/logs/no%0D%0Asuch%3Ffile", 307,
              SERVER "/ws/v1/history/containers/" CT2
                     "/logs/no%0D%0Asuch%3Ffile?redirected_from_node=true");
    to = base_printf(SERVER "/jobhistory/logs/%s/" NONE "/" NONE "/ann/stdout",
                     fake_rm_node_id(fx->rm, 1));
    redirects(1, "/node/containerlogs/" NONE "/ann/stdout", 307, to);
    free(to);
    check(1, "GET", NODE "/containers/nonsense/logs", NULL, 400, NULL);
    check(0, "GET", NODE "/containers/" NONE "/logs/stdout", NULL, 404,
          "java.lang.Exception: " UNKNOWN);
    check(0, "GET", NODE "/containers/" CT1 "/logs/nosuch", NULL, 404,
          "java.lang.Exception: Cannot find this log on the local disk.");
}

/* Goal: mistakes are found in YARN's order: the type, the container, the file, the size, the
 * format. */
static void test_order_of_mistakes(void)
{
    check(0, "GET", NODE "/containers/nonsense/logs/stdout?size=x&format=y", NULL, 400, "");
    check(0, "GET", NODE "/containers/" NONE "/logs/stdout?size=x&format=y", NULL, 404, NULL);
    check(0, "GET", NODE "/containers/" CT1 "/logs/nosuch?size=x", NULL, 404, NULL);
    check(0, "GET", NODE "/containers/" CT1 "/logs/stdout?size=x&format=y", NULL, 503, NULL);
    check(0, "GET", NODE "/containers/" CT1 "/logs/stdout?size=1&format=y", NULL, 400,
          "The valid values for the parameter : format are [text, octet-stream]");
}

/* Goal: a finished container's log is complete, and says nothing about running. */
static void test_finished(void)
{
    struct client_answer a;

    fake_rm_launch(fx->rm, 0, "container_7_0001_01_000003", "echo over; exit 3");
    CU_ASSERT_EQUAL(fx_exit_code(fx, "container_7_0001_01_000003"), 3);
    ask(0, "GET", NODE "/containers/container_7_0001_01_000003/logs/stdout", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "LogContents:\nover\nEnd of LogType:stdout.\n*"));
    client_free(&a);
}

/* Goal: a file that the NodeManager may not read is refused, not missing. */
static void test_unreadable(void)
{
    char *path = base_printf("%s/logs/" APP "/" CT1 "/secret", fx->local[0]);

    CU_ASSERT_EQUAL(base_file_write_atomic(path, "x", 1, 0000, false, NULL), 0);
    if (geteuid() != 0) /* root may read everything */
        check(0, "GET", NODE "/containers/" CT1 "/logs/secret", NULL, 403,
              "Exception reading log file. Application submitted by 'ann' doesn't own requested "
              "log file : secret");
    unlink(path);
    free(path);
}

/* ---- documents for containers ---- */

static void test_sysfs(void)
{
    static const char put[] = NODE "/yarn/sysfs/ann/" APP "?user.name=ann";
    char *folder = base_printf("%s/apps/" APP "/sysfs", fx->local[0]);
    char *file = base_printf("%s/app.json", folder), *other = base_printf("%s/other", fx->dir);
    char *text, *stolen;

    check(0, "PUT", put, "{\"a\":1}", 200, "");
    text = fx_file("%s", file);
    CU_ASSERT_STRING_EQUAL(text, "{\"a\":1}");
    free(text);
    check(0, "PUT", put, "{\"a\":22}", 200, "");
    text = fx_file("%s", file);
    CU_ASSERT_STRING_EQUAL(text, "{\"a\":22}");
    free(text);
    check(0, "PUT", NODE "/yarn/sysfs/bob/" APP, "{}", 404, NULL);
    check(0, "PUT", NODE "/yarn/sysfs/ann/application_1_0099", "{}", 404, NULL);
    check(0, "PUT", NODE "/yarn/sysfs/ann/nonsense", "{}", 400, NULL);
    /* a link that a container has put in place of the folder is neither followed nor written to */
    CU_ASSERT_EQUAL(mkdir(other, 0700), 0);
    base_rmtree(folder, NULL);
    CU_ASSERT_EQUAL(symlink(other, folder), 0);
    check(0, "PUT", put, "{}", 503, NULL);
    stolen = base_printf("%s/app.json", other);
    CU_ASSERT_NOT_EQUAL(access(stolen, F_OK), 0);
    unlink(folder);
    free(stolen);
    free(other);
    free(file);
    free(folder);
}

/* ---- auxiliary services ---- */

#define AUX NODE "/auxiliaryservices"
#define SHUFFLE                                                                                    \
    "{\"services\":[{\"name\":\"mapreduce_shuffle\",\"version\":\"%s\",\"configuration\":"         \
    "{\"properties\":{\"class.name\":\"%s\"}}}]}"
#define HANDLER "org.apache.hadoop.mapred.ShuffleHandler"

static void put_manifest(const char *user, const char *version, const char *class, int status)
{
    char *body = base_printf(SHUFFLE, version, class);
    char *path = base_printf(AUX "%s", user);

    check(1, "PUT", path, body, status, NULL);
    free(path);
    free(body);
}

static void test_aux_services(void)
{
    struct client_answer a;
    int year;

    check(0, "PUT", AUX "?user.name=ann", "{\"services\":[]}", 400, NULL);
    check(1, "GET", AUX, NULL, 200, "{\"services\":{}}");
    put_manifest("", "1", HANDLER, 403);
    put_manifest("?user.name=ann", "1", "org.example.Other", 400);
    check(1, "PUT", AUX "?user.name=ann", "{\"services\":[{\"name\":\"1x\"}]}", 400, NULL);
    check(1, "PUT", AUX "?user.name=ann", "{\"services\":[7]}", 400, NULL);
    check(1, "PUT", AUX "?user.name=ann", "{", 400, NULL);
    check(1, "GET", AUX, NULL, 200, "{\"services\":{}}");
    put_manifest("?user.name=ann", "1", HANDLER, 200);
    ask(1, "GET", AUX, NULL, NULL, &a);
    CU_ASSERT_EQUAL(
        sscanf(a.body.data,
               "{\"services\":{\"service\":[{\"name\":\"mapreduce_shuffle\",\"version\":\"1\","
               "\"startTime\":\"%4d-",
               &year),
        1);
    put_manifest("?user.name=ann", "1", HANDLER, 200); /* nothing new: nothing starts again */
    check(1, "GET", AUX, NULL, 200, a.body.data);
    client_free(&a);
    check(1, "PUT", AUX "?user.name=ann", "{\"services\":[]}", 200, NULL);
    check(1, "GET", AUX, NULL, 200, "{\"services\":{}}");
}

/* ---- pages ---- */

static void page_shows(const char *path, const char *text)
{
    struct client_answer a;

    ask(0, "GET", path, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT(client_has(&a, "Content-Type: text/html;charset=utf-8"));
    if (a.status != 200 || !a.body.data || !strstr(a.body.data, text))
        printf("\n  %s: %d, without %s\n%s\n", path, a.status, text, a.body.data);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data ? a.body.data : "", text));
    client_free(&a);
}

static void test_pages(void)
{
    redirects(0, "/?x=1&y", 302, "http://localhost/node?x=1&y");
    page_shows("/node", "NodeManager information");
    page_shows("/node/node", fake_rm_node_id(fx->rm, 0));
    page_shows("/node/allApplications", "<a href=\"/node/application/" APP "\">" APP "</a>");
    page_shows("/node/allContainers", "<a href=\"/node/container/" CT1 "\">" CT1 "</a>");
    page_shows("/node/application/" APP, "<a href=\"/node/containerlogs/" CT1 "/ann\">logs</a>");
    page_shows("/node/application/application_1_0099", "does not know");
    page_shows("/node/application/%3Cb%3E", "not the id");
    page_shows("/node/container/" CT1, "RUNNING");
    page_shows("/node/container/" NONE, "does not have");
    page_shows("/node/containerlogs/" NONE "/ann", "Unknown container.");
    page_shows("/node/containerlogs/" CT1 "/ann", "stdout : Total file length is 18 bytes.");
    page_shows("/node/containerlogs/" CT1 "/ann/stdout", "<pre>&lt;b&gt;&amp;&quot;hello&quot;\n"
                                                         "world\n</pre>");
    page_shows("/node/containerlogs/" CT1 "/ann/stdout?start=-6&end=-1", "<pre>world</pre>");
    page_shows("/node/containerlogs/" CT1 "/ann/stdout?start=99", "<pre></pre>");
    page_shows("/node/containerlogs/" CT1 "/ann/nosuch", "Cannot find this log");
}

/* Goal: a page of a long file full of characters to escape is whole. */
static void test_long_page(void)
{
    char *path = base_printf("%s/logs/" APP "/" CT1 "/long", fx->local[0]);
    struct base_buf text = {0}, want = {0};
    struct client_answer a;

    for (int i = 0; i < 20000; i++) {
        base_buf_addf(&text, "%d\"<", i);
        base_buf_addf(&want, "%d&quot;&lt;", i);
    }
    CU_ASSERT_EQUAL(base_file_write_atomic(path, text.data, text.len, 0600, false, NULL), 0);
    ask(0, "GET", "/node/containerlogs/" CT1 "/ann/long?start=0", NULL, NULL, &a);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, want.data));
    client_free(&a);
    base_buf_free(&text);
    base_buf_free(&want);
    unlink(path);
    free(path);
}

/* ---- beans ---- */

#define BEANS "/jmx?qry=Hadoop:service=NodeManager,name="

static void bean_shows(const char *query, const char *text)
{
    char *path = base_printf(BEANS "%s", query);
    struct client_answer a;

    ask(0, "GET", path, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    if (!a.body.data || !strstr(a.body.data, text))
        printf("\n  %s: without %s\n%s\n", query, text, a.body.data ? a.body.data : "");
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data ? a.body.data : "", text));
    client_free(&a);
    free(path);
}

/* Goal: the beans count what has happened: CT1 runs; of three other containers one failed, one was
 * killed and one succeeded; one map output was served and two were refused. */
static void test_beans(void)
{
    static const char *const node[] = {
        "\"AllocatedContainers\" : 1,", "\"AllocatedGB\" : 1,",
        "\"AllocatedVCores\" : 1,",     "\"ApplicationsRunning\" : 1,",
        "\"AvailableGB\" : 5,",         "\"AvailableVCores\" : 2,",
        "\"BadLocalDirs\" : 0,",        "\"ContainerLaunchDurationNumOps\" : 4,",
        "\"ContainersCompleted\" : 1,", "\"ContainersFailed\" : 1,",
        "\"ContainersIniting\" : 0,",   "\"ContainersKilled\" : 1,",
        "\"ContainersLaunched\" : 4,",  "\"ContainersPaused\" : 0,",
        "\"ContainersRunning\" : 1,",
    };
    char *output = base_printf("%s/apps/" APP "/" CT1 "/output", fx->local[0]);
    char *out = base_printf("%s/file.out", output), *index = base_printf("%s/file.index", output);
    struct base_buf b = {0};
    const char *token;

    fake_rm_launch(fx->rm, 0, "container_7_0001_01_000004", "exec sleep 1000");
    json_decref(fake_rm_wait_state(fx->rm, "container_7_0001_01_000004", "running", FX_WAIT_MS));
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"container_7_0001_01_000004\"}");
    CU_ASSERT_EQUAL(fx_exit_code(fx, "container_7_0001_01_000004"), -106);
    fake_rm_launch(fx->rm, 0, "container_7_0001_01_000005", "true");
    CU_ASSERT_EQUAL(fx_exit_code(fx, "container_7_0001_01_000005"), 0);
    for (size_t i = 0; i < sizeof node / sizeof *node; i++)
        bean_shows("NodeManagerMetrics", node[i]);
    bean_shows("ContainerResource_*", "name=ContainerResource_" CT1 "\"");
    mkdir(output, 0700);
    CU_ASSERT_EQUAL(base_file_write_atomic(out, "a\t1\n", 4, 0600, false, NULL), 0);
    CU_ASSERT_EQUAL(base_file_write_atomic(index, "0 4 1\n", 6, 0600, false, NULL), 0);
    token = fx_container_token("s3cret", "container_7_0001_01_000099", 3600000);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0", token, &b), 200);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/1", token, &b), 404);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0", "wrong", &b), 403);
    bean_shows("ShuffleMetrics", "\"ShuffleOutputBytes\" : 4,\n    \"ShuffleOutputsFailed\" : 2,"
                                 "\n    \"ShuffleOutputsOK\" : 1\n");
    bean_shows("JvmMetrics", "\"tag.ProcessName\" : \"NodeManager\"");
    check(0, "GET", "/prom", NULL, 404, NULL);
    base_buf_free(&b);
    free(index);
    free(out);
    free(output);
}

static bool has_log(void *u)
{
    struct client_answer a;
    bool yes;

    ask(0, "GET", u, NULL, NULL, &a);
    yes = a.status == 200 && strstr(a.body.data, "world");
    client_free(&a);
    return yes;
}

int main(int argc, char **argv)
{
    unsigned failed;
    CU_pSuite s;

    fx_programs(argc, argv);
    fx = fx_new();
    fx->conf[1][0] = "yarn.log.server.web-service.url=" SERVER "/ws/v1/history/";
    fx->conf[1][1] = "yarn.log.server.url=" SERVER "/jobhistory/logs";
    fx->conf[1][2] = "yarn.nodemanager.aux-services.manifest.enabled=true";
    fx_start(fx, 0);
    fx_start(fx, 1);
    fake_rm_launch(fx->rm, 0, CT1, "echo '<b>&\"hello\"'; echo world; exec sleep 1000");
    fake_rm_launch(fx->rm, 1, CT2, "exec sleep 1000");
    json_decref(fake_rm_wait_state(fx->rm, CT1, "running", FX_WAIT_MS));
    json_decref(fake_rm_wait_state(fx->rm, CT2, "running", FX_WAIT_MS));
    fx_until(has_log, NODE "/containers/" CT1 "/logs/stdout");
    CU_initialize_registry();
    s = CU_add_suite("the NodeManager as YARN's", NULL, NULL);
    CU_add_test(s, "log server", test_log_server);
    CU_add_test(s, "order of mistakes", test_order_of_mistakes);
    CU_add_test(s, "finished container", test_finished);
    CU_add_test(s, "unreadable log", test_unreadable);
    CU_add_test(s, "documents for containers", test_sysfs);
    CU_add_test(s, "auxiliary services", test_aux_services);
    CU_add_test(s, "beans", test_beans);
    CU_add_test(s, "pages", test_pages);
    CU_add_test(s, "a long page", test_long_page);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    fx_free(fx);
    return failed != 0;
}

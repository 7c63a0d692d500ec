/* tests/e2e/test_nm_rest.c - the NodeManager's HTTP surface: YARN's answers as a real one gives
 * them, raw and followed logs, map outputs behind the application's token, and paths that lead out
 * of the log folder. */
#include <CUnit/Basic.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "tests/fault/nm_fixture.h"

#define APP  "application_4_0001"
#define CT1  "container_4_0001_01_000001"
#define CT2  "container_4_0001_01_000002"
#define NODE "/ws/v1/node"

static struct fx *fx;

static void check(const char *path, long status, const char *body)
{
    struct base_buf b = {0};
    long got = fx_get(fx, 0, path, NULL, &b);
    CU_ASSERT_EQUAL(got, status);
    if (got != status || (body && strcmp(b.data ? b.data : "", body) != 0))
        printf("\n  %s: %ld\n  got  %s\n  want %s\n", path, got, b.data ? b.data : "",
               body ? body : "");
    if (body)
        CU_ASSERT_STRING_EQUAL(b.data ? b.data : "", body);
    base_buf_free(&b);
}

static char *error_text(const char *exception, const char *message, const char *class)
{
    return base_printf(
        "{\"RemoteException\":{\"exception\":\"%s\",\"message\":\"%s\",\"javaClassName\":\"%s\"}}",
        exception, message, class);
}

static void check_error(const char *path, long status, const char *exception, const char *message,
                        const char *class)
{
    char *want = error_text(exception, message, class);
    check(path, status, want);
    free(want);
}

#define WEBAPP "org.apache.hadoop.yarn.webapp."

static void test_idle(void)
{
    check(NODE "/apps", 200, "{\"apps\":{}}");
    check(NODE "/apps?state=FOO", 200, "{\"apps\":{}}"); /* not checked without applications */
    check(NODE "/containers", 200, "{\"containers\":{}}");
    check(NODE "/resources/yarn.io%2Fgpu", 200, "{}");
    check_error(NODE "/auxiliaryservices", 400, "BadRequestException",
                "java.lang.Exception: Auxiliary services manifest is not enabled",
                WEBAPP "BadRequestException");
    check("/isActive", 404, NULL);
    check(NODE "/bogus", 404, NULL);
}

static void test_info(void)
{
    static const char *const members[] = {"healthReport",
                                          "totalVmemAllocatedContainersMB",
                                          "totalPmemAllocatedContainersMB",
                                          "totalVCoresAllocatedContainers",
                                          "vmemCheckEnabled",
                                          "pmemCheckEnabled",
                                          "lastNodeUpdateTime",
                                          "resourceTypes",
                                          "nodeHealthy",
                                          "nodeManagerVersion",
                                          "nodeManagerBuildVersion",
                                          "nodeManagerVersionBuiltOn",
                                          "hadoopVersion",
                                          "hadoopBuildVersion",
                                          "hadoopVersionBuiltOn",
                                          "id",
                                          "nodeHostName",
                                          "nmStartupTime",
                                          "containersRunAs"};
    static const char *const paths[] = {NODE, NODE "/info", NODE "/"};
    for (size_t k = 0; k < 3; k++) {
        struct base_buf b = {0};
        json_error_t e;
        CU_ASSERT_EQUAL(fx_get(fx, 0, paths[k], NULL, &b), 200);
        json_t *j = json_loads(b.data ? b.data : "", 0, &e), *info = json_object_get(j, "nodeInfo");
        CU_ASSERT_EQUAL(json_object_size(info), sizeof members / sizeof members[0]);
        size_t i = 0;
        const char *name;
        json_t *v;
        json_object_foreach(info, name, v)
        {
            CU_ASSERT_STRING_EQUAL(name, i < sizeof members / sizeof members[0] ? members[i] : "?");
            i++;
        }
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(info, "id")),
                               fake_rm_node_id(fx->rm, 0));
        json_decref(j);
        base_buf_free(&b);
    }
}

/* Launched is not yet running: the process has to be there. */
static bool runs(void *u)
{
    struct base_buf b = {0};
    bool yes = fx_get(fx, 0, u, NULL, &b) == 200 && b.data && strstr(b.data, "\"RUNNING\"");

    base_buf_free(&b);
    return yes;
}

static void test_containers(void)
{
    char *link =
        base_printf("http://%s/node/containerlogs/" CT1 "/ann", fake_rm_node_id(fx->rm, 0));
    char *one = base_printf(
        "{\"id\":\"" CT1
        "\",\"state\":\"RUNNING\",\"exitCode\":-1000,\"diagnostics\":\"\",\"user\":\"ann\","
        "\"totalMemoryNeededMB\":128,\"totalVCoresNeeded\":1,\"executionType\":\"GUARANTEED\","
        "\"containerLogsLink\":\"%s\",\"nodeId\":\"%s\",\"containerLogFiles\":[\"stderr\","
        "\"stdout\"]}",
        link, fake_rm_node_id(fx->rm, 0));
    char *want = base_printf("{\"container\":%s}", one);

    CU_ASSERT(fx_until(runs, NODE "/containers/" CT1));
    check(NODE "/containers/" CT1, 200, want);
    free(want);
    want = base_printf("{\"containers\":{\"container\":[%s]}}", one);
    check(NODE "/containers", 200, want);
    free(want);
    free(one);
    free(link);
    check(NODE "/apps", 200,
          "{\"apps\":{\"app\":[{\"id\":\"" APP
          "\",\"state\":\"RUNNING\",\"user\":\"ann\",\"containerids\":[\"" CT1 "\"]}]}}");
    check(NODE "/apps/" APP, 200,
          "{\"app\":{\"id\":\"" APP
          "\",\"state\":\"RUNNING\",\"user\":\"ann\",\"containerids\":[\"" CT1 "\"]}}");
    check(NODE "/apps?user=nobody", 200, "{\"apps\":{}}");
    check(NODE "/apps?state=FINISHED", 200, "{\"apps\":{}}");
    check(NODE "/apps?state=&user=nobody", 200, "{\"apps\":{}}"); /* as if it were absent */
    check_error(
        NODE "/apps?state=FOO", 400, "IllegalArgumentException",
        "No enum constant org.apache.hadoop.yarn.server.nodemanager.containermanager.application."
        "ApplicationState.FOO",
        "java.lang.IllegalArgumentException");
    check_error(NODE "/apps?user=", 400, "BadRequestException",
                "java.lang.Exception: Error: You must specify a non-empty string for the user",
                WEBAPP "BadRequestException");
    check_error(NODE "/apps/nonsense", 400, "BadRequestException",
                "java.lang.IllegalArgumentException: Invalid ApplicationId prefix: nonsense. The "
                "valid ApplicationId "
                "should start with prefix application",
                WEBAPP "BadRequestException");
    check_error(NODE "/apps/application_1_0099", 404, "NotFoundException",
                "java.lang.Exception: app with id application_1_0099 not found",
                WEBAPP "NotFoundException");
    check_error(NODE "/containers/nonsense", 400, "BadRequestException",
                "java.lang.Exception: invalid container id, nonsense",
                WEBAPP "BadRequestException");
    check_error(NODE "/containers/container_1_0099_01_000001", 404, "NotFoundException",
                "java.lang.Exception: container with id, container_1_0099_01_000001, not found",
                WEBAPP "NotFoundException");
}

/* Checks a log in YARN's frame, except for the time after "LogLastModifiedTime:". */
static void check_frame(const char *path, const char *contents, int64_t length)
{
    struct base_buf b = {0};
    CU_ASSERT_EQUAL(fx_get(fx, 0, path, NULL, &b), 200);
    char *time = b.data ? strstr(b.data, "LogLastModifiedTime:") : NULL;
    char *nl = time ? strchr(time, '\n') : NULL;
    CU_ASSERT_PTR_NOT_NULL_FATAL(nl);
    int year;
    char zone[8];
    CU_ASSERT_EQUAL(
        sscanf(time, "LogLastModifiedTime:%*3s %*3s %*d %*d:%*d:%*d %6s %d", zone, &year), 2);
    memmove(time + strlen("LogLastModifiedTime:"), nl, strlen(nl) + 1);
    char *first = base_printf("Container: " CT1 " on %s", fake_rm_node_id(fx->rm, 0));
    char *bar = base_alloc(strlen(first) + 1);
    memset(bar, '=', strlen(first));
    char *want = base_printf(
        "%s\nLogAggregationType: LOCAL\n%s\nLogType:stdout\nLogLastModifiedTime:\nLogLength:%lld\n"
        "LogContents:\n%sEnd of LogType:stdout.This log file belongs to a running container (" CT1
        ") and so may not be complete.\n"
        "***********************************************************************\n\n",
        first, bar, (long long)length, contents);
    CU_ASSERT_STRING_EQUAL(b.data, want);
    if (strcmp(b.data, want) != 0)
        printf("\n%s\n%s\n", b.data, want);
    free(first);
    free(bar);
    free(want);
    base_buf_free(&b);
}

static void test_logs(void)
{
    check_frame(NODE "/containers/" CT1 "/logs/stdout", "hello world\n", 12);
    check_frame(NODE "/containerlogs/" CT1 "/stdout", "hello world\n", 12);
    check_frame(NODE "/containers/" CT1 "/logs/stdout?size=5", "hello", 12);
    check_frame(NODE "/containers/" CT1 "/logs/stdout?size=-5", "orld\n", 12);
    check_frame(NODE "/containers/" CT1 "/logs/stdout?size=0", "", 12);
    check_frame(NODE "/containers/" CT1 "/logs/stdout?size=99999&format=octet-stream",
                "hello world\n", 12);
    check(NODE "/containers/" CT1 "/logs/stdout?format=foo", 400,
          "The valid values for the parameter : format are [text, octet-stream]");
    check(NODE "/containers/" CT1 "/logs/stdout?size=x", 503, NULL);
    check(NODE "/containers/nonsense/logs/stdout", 400, "");
    check(NODE "/containers/" CT1 "/logs/nosuch", 404,
          "java.lang.Exception: Cannot find this log on the local disk.");
    check(NODE "/containers/container_1_0099_01_000001/logs/stdout", 404,
          "java.lang.Exception: Unknown container. Container either has not started or has already "
          "completed or "
          "doesn't belong to this node at all.");
    check_error(
        NODE "/containers/container_1_0099_01_000001/logs", 503, "WebApplicationException",
        "org.apache.hadoop.yarn.webapp.NotFoundException: java.lang.Exception: Unknown container. "
        "Container "
        "either has not started or has already completed or doesn't belong to this node at all.",
        "javax.ws.rs.WebApplicationException");
    char *want =
        base_printf("{\"containerLogsInfo\":{\"logAggregationType\":\"LOCAL\",\"containerId\":"
                    "\"container_4_0001_01_000009\",\"nodeId\":\"%s\"}}",
                    fake_rm_node_id(fx->rm, 0));
    check(NODE "/containers/container_4_0001_01_000009/logs", 200, want);
    free(want);
    struct base_buf b = {0};
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/containers/" CT1 "/logs", NULL, &b), 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        b.data,
        "{\"containerLogsInfo\":{\"containerLogInfo\":[{\"fileName\":\"stderr\",\"fileSize\":"
        "\"0\",\"lastModifiedTime\":\""));
    base_buf_free(&b);
}

/* Goal: nothing outside the container's log folder is reachable, by whatever spelling, nor through
 * links or pipes. */
static void test_traversal(void)
{
    static const char *const names[] = {
        "..%2F..%2Fx",     "..",   ".",    "%2e%2e", "..%2f..%2f..%2f..%2fstate.json",
        "%2fetc%2fpasswd", "link", "fifo", "%00",    ".hidden"};
    char *dir = base_printf("%s/logs/" APP "/" CT1, fx->local[0]);
    char *link = base_printf("%s/link", dir), *fifo = base_printf("%s/fifo", dir),
         *hidden = base_printf("%s/.hidden", dir);
    CU_ASSERT_EQUAL(symlink("/etc/passwd", link), 0);
    CU_ASSERT_EQUAL(mkfifo(fifo, 0600), 0);
    close(open(hidden, O_CREAT | O_WRONLY, 0600));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static const char *const routes[] = {
            NODE "/containers/" CT1 "/logs/", NODE "/containerlogs/" CT1 "/",
            NODE "/raw-logs/" CT1 "/", "/node/containerlogs/" CT1 "/ann/"};
        for (size_t k = 0; k < 4; k++) {
            char *path = base_printf("%s%s", routes[k], names[i]);
            struct base_buf b = {0};
            fx_get(fx, 0, path, NULL, &b);
            CU_ASSERT_PTR_NULL(strstr(b.data ? b.data : "", "root:"));
            CU_ASSERT_PTR_NULL(strstr(b.data ? b.data : "", "epoch"));
            base_buf_free(&b);
            free(path);
        }
    }
    unlink(link);
    unlink(fifo);
    unlink(hidden);
    free(link);
    free(fifo);
    free(hidden);
    free(dir);
}

/* Goal: a followed log comes whole, ends when the container has ended, and starts at its offset. */
static void test_raw_and_follow(void)
{
    check(NODE "/raw-logs/" CT1 "/stdout", 200, "hello world\n");
    check(NODE "/raw-logs/" CT1 "/stdout?offset=6", 200, "world\n");
    check(NODE "/raw-logs/" CT1 "/stdout?offset=600", 200, "");
    check(NODE "/raw-logs/" CT1 "/stdout?offset=-1", 400, NULL);
    check(NODE "/raw-logs/" CT1 "/nosuch", 404, NULL);
    check(NODE "/raw-logs/container_1_0099_01_000001/stdout?follow=1", 404, NULL);
    fake_rm_launch(fx->rm, 0, CT2, "for i in 1 2 3 4 5; do echo line $i; sleep 0.1; done");
    json_decref(fake_rm_wait_state(fx->rm, CT2, "running", FX_WAIT_MS));
    free(fx_file("%s/records/" APP "/" CT2 "/launch.json", fx->local[0]));
    check(NODE "/raw-logs/" CT2 "/stdout?follow=1", 200,
          "line 1\nline 2\nline 3\nline 4\nline 5\n");
    CU_ASSERT_EQUAL(fx_exit_code(fx, CT2), 0);
}

static void put(const char *path, const char *text)
{
    CU_ASSERT_EQUAL(base_file_write_atomic(path, text, strlen(text), 0600, false, NULL), 0);
}

#define OTHER   "container_4_0001_01_000099" /* a reduce's, on another node */
#define HOUR_MS INT64_C(3600000)

static void test_map_output(void)
{
    struct base_buf b = {0};
    char *dir = base_printf("%s/apps/" APP "/" CT1 "/output", fx->local[0]);
    char *out = base_printf("%s/file.out", dir), *index = base_printf("%s/file.index", dir);
    mkdir(dir, 0700);
    put(out, "a\t1\nb\t2\n");
    /* no index yet */
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    put(index, "0 4 1\n4 0 0\n4 4 1\n4 99 1\n");
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    200);
    CU_ASSERT_STRING_EQUAL(b.data ? b.data : "", "a\t1\n");
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/1",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    200);
    CU_ASSERT_EQUAL(b.len, 0);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/2",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    200);
    CU_ASSERT_STRING_EQUAL(b.data ? b.data : "", "b\t2\n");
    /* longer than the file */
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/3",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/4",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    put(index, "0 4 1\n4 8 1\n-1 4 1\n4 -1 1\n0 8 2\n9 0 0\n0\n0 4");
    /* ends after the end of the file */
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/1",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/2",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/3",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/4",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    200); /* all of it */
    CU_ASSERT_STRING_EQUAL(b.data ? b.data : "", "a\t1\nb\t2\n");
    /* begins after the end of the file */
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/5",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/6",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    /* no newline: not whole */
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/7",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    const struct {
        const char *secret, *container;
        int64_t life_ms;
    } wrong[] = {
        {"s3cretx", OTHER, HOUR_MS},                       /* of another application's secret */
        {"s3cret", "container_4_0002_01_000099", HOUR_MS}, /* another application */
        {"s3cret", OTHER, -1000},                          /* expired */
        {"s3cret", OTHER, 25 * HOUR_MS},                   /* nobody makes such tokens */
        {"s3cret", CT2, HOUR_MS},                          /* it has ended here */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CU_ASSERT_EQUAL(
            fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0",
                   fx_container_token(wrong[i].secret, wrong[i].container, wrong[i].life_ms), &b),
            403);
    /* the secret itself is no token */
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0", "s3cret", &b), 403);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0", "x.y", &b), 403);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0", NULL, &b), 401);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/container_1_0002_01_000001/0",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    404);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/x",
                           fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                    400);
    base_buf_free(&b);
    free(dir);
    free(out);
    free(index);
}

/* Goal: the line is found in an index of any length, also when it spans two of the pieces in which
 * the index is read; a line that is too long ends the index, so a huge file without lines is
 * answered at once. */
static void test_map_index(void)
{
    enum { LINES = 5000 };
    struct base_buf b = {0}, text = {0};
    char *index = base_printf("%s/apps/" APP "/" CT1 "/output/file.index", fx->local[0]);
    for (int i = 0; i < LINES; i++)
        base_buf_addf(&text, "%d %d %d\n", i % 8, i % 3 == 0, i);
    base_buf_addf(&text, "%0100d 1 1\n0 2 1\n", 0);
    put(index, text.data);
    for (int i = 0; i < LINES + 2; i += i < LINES - 7 ? 97 : 1) {
        static const char all[] = "a\t1\nb\t2\n";
        char *path = base_printf(NODE "/mapoutput/" CT1 "/%d", i);
        long status = fx_get(fx, 0, path, fx_container_token("s3cret", OTHER, HOUR_MS), &b);
        CU_ASSERT_EQUAL(status, i < LINES ? 200 : 404);
        if (i < LINES)
            CU_ASSERT(b.len == (i % 3 == 0) && (b.len == 0 || b.data[0] == all[i % 8]));
        free(path);
    }
    CU_ASSERT_EQUAL(truncate(index, 0), 0);
    if (truncate(index, (off_t)1 << 43) == 0) /* ext4: 16 TB at most */
        CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/1",
                               fx_container_token("s3cret", OTHER, HOUR_MS), &b),
                        404);
    base_buf_free(&text);
    base_buf_free(&b);
    free(index);
}

/* Goal: only a plain file in the container's own folder is an output: no FIFO, folder or link is
 * one, nor is a file in a folder that is a link. */
static void test_map_output_others(void)
{
    static const char *const names[] = {"file.index", "file.out"};
    char *ct = base_printf("%s/apps/" APP "/" CT1, fx->local[0]);
    char *make =
        base_printf("cd %s && rm -rf output elsewhere && mkdir elsewhere && cd elsewhere && "
                    "printf '0 4 1\\n' > file.index && printf 'a\t1\\n' > file.out",
                    ct);
    for (size_t n = 0; n < 2; n++) {
        for (size_t k = 0; k < 3; k++) {
            char *what = k == 0   ? base_printf("mkfifo %s", names[n])
                         : k == 1 ? base_printf("mkdir %s", names[n])
                                  : base_printf("ln -s ../elsewhere/%s %s", names[n], names[n]);
            char *cmd =
                base_printf("%s && cp -r ../elsewhere ../output && cd ../output && rm %s && %s",
                            make, names[n], what);
            CU_ASSERT_EQUAL(system(cmd), 0);
            CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0",
                                   fx_container_token("s3cret", OTHER, HOUR_MS), NULL),
                            404);
            free(what);
            free(cmd);
        }
    }
    char *link = base_printf("%s && cd .. && ln -s elsewhere output", make);
    char *good = base_printf("%s && mv ../elsewhere ../output", make);
    CU_ASSERT_EQUAL(system(link), 0);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0",
                           fx_container_token("s3cret", OTHER, HOUR_MS), NULL),
                    404);
    CU_ASSERT_EQUAL(system(good), 0);
    CU_ASSERT_EQUAL(fx_get(fx, 0, NODE "/mapoutput/" CT1 "/0",
                           fx_container_token("s3cret", OTHER, HOUR_MS), NULL),
                    200);
    free(ct);
    free(make);
    free(link);
    free(good);
}

int main(int argc, char **argv)
{
    fx_programs(argc, argv);
    fx = fx_new();
    fx_start(fx, 0);
    CU_initialize_registry();
    CU_pSuite s = CU_add_suite("the NodeManager over HTTP", NULL, NULL);
    CU_add_test(s, "idle", test_idle);
    CU_add_test(s, "info", test_info);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    fake_rm_launch(fx->rm, 0, CT1, "echo hello world; exec sleep 1000");
    free(fx_file("%s/logs/" APP "/" CT1 "/stdout", fx->local[0]));
    json_decref(fake_rm_wait_state(fx->rm, CT1, "running", FX_WAIT_MS));
    CU_initialize_registry();
    s = CU_add_suite("the NodeManager over HTTP, with containers", NULL, NULL);
    CU_add_test(s, "containers", test_containers);
    CU_add_test(s, "logs", test_logs);
    CU_add_test(s, "paths that lead out", test_traversal);
    CU_add_test(s, "raw and followed logs", test_raw_and_follow);
    CU_add_test(s, "map output", test_map_output);
    CU_add_test(s, "a long index", test_map_index);
    CU_add_test(s, "no plain output", test_map_output_others);
    CU_basic_run_tests();
    failed += CU_get_number_of_failures();
    CU_cleanup_registry();
    fx_free(fx);
    return failed != 0;
}

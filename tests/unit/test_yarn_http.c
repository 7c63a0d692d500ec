/* Goal: over HTTP, mistakes get YARN's answers to the byte, and filters and writes behave as its
 * documentation says.
 * Method: the RM's daemon with a store in memory and no nodes, behind the real server, holding the
 * applications that the recordings name; every recorded mistake (tests/interop/yarn/fifo/errors)
 * and move is sent again as it was, and status, Content-Type and body are compared. */
#include "tests/unit/yarn_http_fixture.h"

/* ---- recorded mistakes ---- */

/* Recordings, by the beginnings of their names, that differ here, and why; "there" is the recorded
 * cluster. */
static const struct {
    const char *name, *reason;
} others[] = {
    {"err-short-app-id", "an ordinary answer about an application that runs there"},
    {"err-state-running", "target is the state it is in, there"},
    {"state-same", "RUNNING there"},
    {"state-finished", "FINISHED there"},
    {"err-queue-finished", "FINISHED there"},
    {"err-submit-dr-who", "ordinary answer with ids of that cluster"},
    {"err-submit-local-", "the message prints a protocol buffer"},
    {"err-signal-bad-", "500 there, 400 here"},
    {"err-signal-unknown-", "500 there, 404 here"},
    {"timeout-finished", "FINISHED there"},
    {NULL, NULL},
};

/* Recordings, by the beginnings of their names, that tests/interop compares with a whole
 * cluster. */
static const char *const asked_there[] = {
    "accept-",          "bulk-",       "err-accept-",       "err-delete-",
    "err-get-",         "err-labels-", "err-node-singular", "err-node-resource-",
    "err-patch-",       "err-path-",   "err-post-",         "err-put-",
    "err-reservation-", "err-static-", "err-trace",
};

static bool differs_by_nature(const char *name, const struct golden *g)
{
    for (int i = 0; others[i].name; i++)
        if (strncmp(name, others[i].name, strlen(others[i].name)) == 0)
            return true;
    for (size_t i = 0; i < sizeof asked_there / sizeof *asked_there; i++)
        if (strncmp(name, asked_there[i], strlen(asked_there[i])) == 0)
            return true;
    /* where YARN would answer 404, an XML client gets an empty 500, which Creel does not copy */
    return strstr(name, ".xml.http") && g->status == 500;
}

static char *headers_of(const struct golden *g)
{
    static const char *const wanted[] = {"\nAccept: ", "\nContent-Type: "};
    struct base_buf b = {0};

    for (int i = 0; i < 2; i++) {
        char *value = golden_header(g->request_head, wanted[i]);
        if (value)
            base_buf_addf(&b, "%s%s\r\n", wanted[i] + 1, value);
        free(value);
    }
    return base_buf_take(&b);
}

/* Sends the recorded request of @name ("fifo/errors/err-state-foo.http") again, and compares the
 * answers. */
static void replay(const char *name)
{
    char *headers, *type, *line;
    struct client_answer a;
    struct golden g;

    golden_read(name, &g);
    if (differs_by_nature(strrchr(name, '/') + 1, &g)) {
        golden_free(&g);
        return;
    }
    headers = headers_of(&g);
    ask(g.method, g.path, headers, strcmp(g.method, "GET") == 0 ? NULL : g.request_body, &a);
    type = golden_header(g.head, "\nContent-Type: ");
    line = base_printf("Content-Type: %s", type ? type : "");
    base_buf_add(&a.body, "", 0);
    if (a.status != g.status || strcmp(a.body.data ? a.body.data : "", g.body) != 0 ||
        !client_has(&a, line))
        fprintf(stderr, "%s: %s %s\n  here %d %.600s\n  real %d %s %.600s\n", name, g.method,
                g.path, a.status, a.body.data ? a.body.data : "", g.status, line, g.body);
    CU_ASSERT_EQUAL(a.status, g.status);
    CU_ASSERT_STRING_EQUAL(a.body.data ? a.body.data : "", g.body);
    CU_ASSERT_TRUE(client_has(&a, line));
    free(line);
    free(type);
    free(headers);
    client_free(&a);
    golden_free(&g);
}

static void test_mistakes(void)
{
    glob_t files;
    size_t n = 0;

    start("fifo");
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"" THERE "0001\"}"), 202);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"" THERE "0002\"}"), 202);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"" THERE "0003\"}"), 202);
    becomes(APPS "/" THERE "0003/state", "state", "ACCEPTED");
    base_assert(glob(GOLDEN_DIR "/fifo/errors/*.http", 0, NULL, &files) == 0);
    for (; n < files.gl_pathc; n++)
        replay(files.gl_pathv[n] + strlen(GOLDEN_DIR) + 1);
    CU_ASSERT_TRUE(n > 90);
    globfree(&files);
    stop();
}

/* ---- lists ---- */
static void test_filters(void)
{
    start_as("capacity", "fifo", "", 0);
    CU_ASSERT_EQUAL(listed(""), 0);
    submit("{\"application-id\":\"" THERE
           "0001\",\"application-name\":\"one\",\"application-type\":\"SPARK\","
           "\"application-tags\":{\"tag\":[\"Red\",\"blue\"]}}");
    submit("{\"application-id\":\"" THERE
           "0002\",\"application-name\":\"two\",\"application-type\":\"Tez\","
           "\"application-tags\":{\"tag\":\"red\"}}");
    submit("{\"application-id\":\"" THERE
           "0003\",\"application-name\":\"three\",\"queue\":\"nosuch\"}");
    becomes(APPS "/" THERE "0002/state", "state", "ACCEPTED");
    becomes(APPS "/" THERE "0003/state", "state", "FAILED");
    is(APPS "/" THERE "0003", "app.queue", "nosuch");
    is(APPS "/" THERE "0003", "app.finalStatus", "FAILED");
    is(APPS "/" THERE "0003", "app.trackingUI", "UNASSIGNED");
    CU_ASSERT_EQUAL(listed(""), 3);
    CU_ASSERT_EQUAL(listed("?limit=2"), 2);
    CU_ASSERT_EQUAL(listed("?limit="), 3);
    CU_ASSERT_EQUAL(listed("?name=two"), 1);
    CU_ASSERT_EQUAL(listed("?user=hadoop"), 3);
    CU_ASSERT_EQUAL(listed("?user=ann"), 0);
    CU_ASSERT_EQUAL(listed("?queue=default"), 2);
    CU_ASSERT_EQUAL(listed("?queue=root.default"), 2);
    CU_ASSERT_EQUAL(listed("?states=accepted"), 2);
    CU_ASSERT_EQUAL(listed("?state=FAILED&states=accepted,%20running"), 3);
    CU_ASSERT_EQUAL(listed("?finalStatus=FAILED"), 1);
    /* the newest application has failed: the limit counts before this filter */
    CU_ASSERT_EQUAL(listed("?finalStatus=UNDEFINED&limit=1"), 0);
    CU_ASSERT_EQUAL(listed("?applicationTypes=spark,TEZ"), 2);
    CU_ASSERT_EQUAL(listed("?applicationTags=RED"), 2);
    CU_ASSERT_EQUAL(listed("?applicationTags=blue&applicationTags=green"), 1);
    CU_ASSERT_EQUAL(listed("?startedTimeBegin=1"), 3);
    CU_ASSERT_EQUAL(listed("?startedTimeEnd=1"), 0);
    CU_ASSERT_EQUAL(listed("?finishedTimeBegin=1"), 1);
    CU_ASSERT_EQUAL(listed("?finishedTimeEnd=0"), 2);
    is(APPS "?name=two&deSelects=timeouts,RESOURCErequests", "apps.app.0.timeouts.timeout.0.type",
       "");
    is(APPS "?name=two", "apps.app.0.timeouts.timeout.0.type", "LIFETIME");
    is("/ws/v1/cluster/appstatistics?applicationTypes=Spark&states=accepted",
       "appStatInfo.statItem.0.type", "spark");
    is("/ws/v1/cluster/appstatistics?states=accepted", "appStatInfo.statItem.0.count", "2");
    is("/ws/v1/cluster/metrics", "clusterMetrics.appsSubmitted", "3");
    stop();
}

static void test_long_list(void)
{
    enum { MANY = 1250 };
    struct client_answer a;
    char body[128];
    size_t n = 0;

    start("fifo");
    for (int i = 1; i <= MANY; i++) {
        snprintf(body, sizeof body, "{\"application-id\":\"" THERE "%04d\",\"unmanaged-AM\":true}",
                 i);
        CU_ASSERT_EQUAL(submit(body), 202);
    }
    CU_ASSERT_EQUAL(listed(""), MANY);
    CU_ASSERT_EQUAL(listed("?limit=777"), 777);
    CU_ASSERT_EQUAL(ask("GET", APPS, "Accept: application/xml\r\n", NULL, &a), 200);
    for (const char *p = a.body.data; (p = strstr(p, "<app>")); p++)
        n++;
    CU_ASSERT_EQUAL(n, MANY);
    client_free(&a);
    stop();
}

/* Returns the list under @key of the answer, which is asked for compressed if @packed. The caller
 * drops the reference. */
static json_t *whole_list(const char *url, bool packed, const char *key)
{
    static char text[1 << 20];
    z_stream z = {0};
    struct client_answer a;
    json_error_t why;
    json_t *root, *list;
    size_t len;

    CU_ASSERT_EQUAL(ask("GET", url, packed ? "Accept-Encoding: gzip\r\n" : NULL, NULL, &a), 200);
    CU_ASSERT_EQUAL(client_has(&a, "Content-Encoding: gzip"), packed);
    if (packed) {
        z.next_in = (Bytef *)a.body.data;
        z.avail_in = (uInt)a.body.len;
        z.next_out = (Bytef *)text;
        z.avail_out = sizeof text;
        CU_ASSERT_EQUAL(inflateInit2(&z, 15 + 16), Z_OK);
        CU_ASSERT_EQUAL(inflate(&z, Z_FINISH), Z_STREAM_END);
        inflateEnd(&z);
    }
    len = packed ? z.total_out : a.body.len;
    CU_ASSERT(len > 3 * 32 * 1024); /* long enough to be sent in pieces */
    root = json_loadb(packed ? text : a.body.data, len, 0, &why);
    if (!root)
        fprintf(stderr, "%s: %s at %d\n", url, why.text, why.position);
    list = json_incref(json_object_get(root, key));
    json_decref(root);
    client_free(&a);
    return list;
}

static void test_long_job_lists(void)
{
    enum { JOBS_N = 150, TASKS_N = 700 };
    char body[1200];
    json_t *list;
    int n;

    start("fifo");
    for (int i = 0; i < JOBS_N; i++) {
        struct client_answer a;
        n = snprintf(body, sizeof body,
                     "{\"job\":{\"id\":\"application_5_%04d\",\"tasks\":[{\"command\":\"true\","
                     "\"count\":%d}],\"name\":\"",
                     i + 1, i ? 1 : TASKS_N);
        memset(body + n, 'n', 600);
        memcpy(body + n + 600, "\"}}", sizeof "\"}}");
        CU_ASSERT_EQUAL(ask("POST", JOBS, JSON, body, &a), 201);
        client_free(&a);
    }
    n = client_connect(port); /* a client that ends its sending direction still gets its list */
    client_sends(n, "GET " JOBS "?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    shutdown(n, SHUT_WR);
    expect(n, 200);
    for (int packed = 0; packed < 2; packed++) {
        list = whole_list(JOBS "?limit=1000", packed, "jobs");
        CU_ASSERT_EQUAL(json_array_size(list), JOBS_N);
        json_decref(list);
        list = whole_list(JOBS "/application_5_0001/tasks", packed, "tasks");
        CU_ASSERT_EQUAL(json_array_size(list), TASKS_N);
        json_decref(list);
    }
    stop();
}

/* ---- moves ---- */

/* Sends the recorded moves of @policy again, in their order. */
static void replay_moves(const char *policy)
{
    static const char *const names[] = {"queue-same.json",  "queue-same.xml",   "queue-move.json",
                                        "queue-move.xml",   "queue-move-xml",   "queue-move-parent",
                                        "queue-move-short", "queue-after.json", "queue-after.xml"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = base_printf("%s/write/%s.http", policy, names[i]);
        replay(name);
        free(name);
    }
}

static void test_moves(void)
{
    static const char *const queue = APPS "/application_1795244424805_0009/queue?user.name=bob";
    struct client_answer a;
    glob_t files;

    start_with("fifo", "org.eng,org.ops", 0);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"" THERE "0009\",\"queue\":\"root.org.eng\"}"),
                    202);
    becomes(APPS "/" THERE "0009/state", "state", "ACCEPTED");
    replay_moves("fifo");
    stop();
    start_with("fair", "org.eng,org.ops", 0);
    CU_ASSERT_EQUAL(
        submit(
            "{\"application-id\":\"application_1795244424805_0009\",\"queue\":\"root.org.eng\"}"),
        202);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"application_1795244424805_0001\"}"), 202);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"application_1795244424805_0003\"}"), 202);
    becomes(APPS "/application_1795244424805_0003/state", "state", "ACCEPTED");
    replay_moves("fair");
    base_assert(glob(GOLDEN_DIR "/fair/errors/err-queue-*.http", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        replay(files.gl_pathv[i] + strlen(GOLDEN_DIR) + 1);
    CU_ASSERT_EQUAL(files.gl_pathc, 9);
    globfree(&files);
    CU_ASSERT_EQUAL(ask("PUT", queue, JSON, "{\"queue\":\"org.ops\"}", &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "{\"queue\":\"root.org.ops\"}");
    client_free(&a);
    /* the same move once more */
    CU_ASSERT_EQUAL(ask("PUT", queue, JSON, "{\"queue\":\"org.ops\"}", &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "{\"queue\":\"root.org.ops\"}");
    client_free(&a);
    is(APPS "/application_1795244424805_0009", "app.queue", "root.org.ops");
    CU_ASSERT_EQUAL(listed("?queue=root.org.ops"), 1);
    CU_ASSERT_EQUAL(ask("PUT", queue, JSON, "{\"queue\":\"org\\r\\nX: y\"}", &a), 503);
    CU_ASSERT_TRUE(
        client_has(&a, "X-Creel-Reason: queue \"org  X: y\" does not exist; applications go to: "
                       "root.default, root.org.eng, root.org.ops"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("PUT", APPS "/application_1795244424805_0009/state?user.name=bob", JSON,
                        "{\"state\":\"KILLED\"}", &a),
                    202);
    client_free(&a);
    becomes(APPS "/application_1795244424805_0009/state", "state", "KILLED");
    CU_ASSERT_EQUAL(ask("PUT", queue, JSON, "{\"queue\":\"root.org.eng\"}", &a), 400);
    CU_ASSERT_STRING_EQUAL(a.body.data, "App in KILLED state cannot be moved.");
    client_free(&a);
    CU_ASSERT_EQUAL(ask("PUT", queue, JSON, "{\"queue\":\"root.org.ops\"}", &a), 200);
    client_free(&a);
    stop();
}

static void test_capacity_shape(void)
{
    static const char *const app = APPS "/application_1795244424900_0009";
    static const char *const scheduler = "/ws/v1/cluster/scheduler";
    struct client_answer a;
    glob_t files;

    start_as("capacity", "fair", "org.eng,org.ops", 0);
    is(scheduler, "scheduler.schedulerInfo.type", "capacityScheduler");
    is(scheduler, "scheduler.schedulerInfo.queues.queue.0.queuePath", "root.default");
    is(scheduler, "scheduler.schedulerInfo.queues.queue.1.queuePath", "root.org");
    is(scheduler, "scheduler.schedulerInfo.queues.queue.1.queues.queue.0.orderingPolicyInfo",
       "fair");
    is(scheduler, "scheduler.schedulerInfo.health.operationsInfo.0.nodeId", "N/A");
    CU_ASSERT_EQUAL(
        submit(
            "{\"application-id\":\"application_1795244424900_0009\",\"queue\":\"root.org.eng\"}"),
        202);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"application_1795244424900_0001\"}"), 202);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"application_1795244424900_0003\"}"), 202);
    becomes(APPS "/application_1795244424900_0003/state", "state", "ACCEPTED");
    replay_moves("capacity");
    base_assert(glob(GOLDEN_DIR "/capacity/errors/err-queue-*.http", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        replay(files.gl_pathv[i] + strlen(GOLDEN_DIR) + 1);
    CU_ASSERT_EQUAL(files.gl_pathc, 9);
    globfree(&files);
    is(app, "app.priority", "-1");
    is(app, "app.queue", "root.default");
    is(app, "app.resourceInfo.resourceUsagesByPartition.0.partitionName", "");
    is(app, "app.resourceInfo.resourceUsagesByPartition.0.amUsed.memory", "0");
    CU_ASSERT_EQUAL(ask("GET", APPS "?deSelects=resourceInfo", NULL, NULL, &a), 200);
    CU_ASSERT_PTR_NULL(strstr(a.body.data, "resourceInfo\":"));
    client_free(&a);
    is(scheduler, "scheduler.schedulerInfo.queues.queue.0.users.user.0.username", "hadoop");
    is(scheduler, "scheduler.schedulerInfo.queues.queue.0.users.user.0.numPendingApplications",
       "3");
    is(scheduler, "scheduler.schedulerInfo.queues.queue.0.numPendingApplications", "3");
    /* a queue is known by its last name too, and an unknown one refused */
    CU_ASSERT_EQUAL(ask("PUT", APPS "/application_1795244424900_0009/queue?user.name=bob", JSON,
                        "{\"queue\":\"ops\"}", &a),
                    200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "{\"queue\":\"root.org.ops\"}");
    client_free(&a);
    CU_ASSERT_EQUAL(listed("?queue=ops"), 1);
    CU_ASSERT_EQUAL(listed("?queue=root.org.ops"), 1);
    CU_ASSERT_EQUAL(listed("?queue=default"), 2);
    replay("capacity/running/apps-queue-unknown.json.http");
    replay("capacity/running/apps-queue-unknown.xml.http");
    is("/ws/v1/cluster/metrics", "clusterMetrics.totalUsedResourcesAcrossPartition.memory", "0");
    stop();
}

/* The overview and the answers about access are alike in each shape, except for the type and for a
 * queue that does not exist. */
static void test_overview_and_access(void)
{
    static const char *const shapes[] = {"capacity", "fair", "fifo"};
    glob_t files;

    for (size_t s = 0; s < 3; s++) {
        char *pattern = base_printf(GOLDEN_DIR "/%s/idle/access-*.http", shapes[s]);

        start_as(shapes[s], "fifo", "org.eng,org.ops", 0);
        base_assert(glob(pattern, 0, NULL, &files) == 0);
        CU_ASSERT_EQUAL(files.gl_pathc, 10);
        for (size_t i = 0; i < files.gl_pathc; i++)
            replay(files.gl_pathv[i] + strlen(GOLDEN_DIR) + 1);
        globfree(&files);
        free(pattern);
        is("/ws/v1/cluster/scheduler-overview", "schedulerType",
           s == 0   ? "Capacity Scheduler"
           : s == 1 ? "Fair Scheduler"
                    : "Fifo Scheduler");
        is("/ws/v1/cluster/scheduler-overview", "minimumAllocation.memory", "2048");
        is("/ws/v1/cluster/scheduler-overview", "maximumAllocation.vCores", "1");
        is("/ws/v1/cluster/scheduler-overview", "schedulerBusy", "0");
        stop();
    }
}

/* Activities without nodes, asked for wrongly, and in shapes other than capacity's; tests/e2e and
 * tests/interop ask for them with nodes. */
static void test_activities(void)
{
    static const char *const shapes[] = {"capacity", "fair", "fifo"};
    static const char *const wrong[] = {"activities-bad-group", "bulk-bad-count",
                                        "bulk-bad-group.json", "bulk-bad-group.xml"};
    static const char *const logs[] = {"", "-query", "-word", "-zero"};

    for (size_t s = 0; s < 3; s++) {
        char *name = base_printf("%s/nonode/activities-none.json.http", shapes[s]);

        start_as(shapes[s], "fifo", "", 0);
        replay(name);
        free(name);
        for (size_t i = 0; i < 4; i++) {
            name = base_printf("%s/%s/%s.http", shapes[s], i == 0 ? "idle" : "errors", wrong[i]);
            replay(name);
            free(name);
        }
        for (size_t i = 0; i < 4; i++) {
            name = base_printf("special/plain-capacity/plain/scheduler-logs%s.http", logs[i]);
            replay(name);
            free(name);
        }
        stop();
    }
}

/* Expects @want as the diagnostic in the activities of application @seq. */
static void says(const char *query, int seq, const char *want)
{
    char *url =
        base_printf("/ws/v1/cluster/scheduler/app-activities/application_5_%d%s", seq, query);

    is(url, "appActivities.diagnostic", want);
    free(url);
}

static void test_app_activities(void)
{
    struct client_answer a;

    start_as("capacity", "fifo", "", 0);
    submit("{\"application-id\":\"application_5_1\"}");
    submit("{\"application-id\":\"application_5_2\",\"queue\":\"nosuch\"}");
    becomes(APPS "/application_5_1/state", "state", "ACCEPTED");
    becomes(APPS "/application_5_2/state", "state", "FAILED");
    says("", 1, "waiting for display");
    says("?maxTime=10&requestPriorities=1,x&allocationRequestIds=-1&summarize=true", 1,
         "waiting for display");
    says("?actions=refresh", 1, "Successfully received action: refresh");
    says("?actions=GET,refresh", 1, "waiting for display");
    says("?actions=foo", 1, "Got invalid action: foo, valid actions: [REFRESH, GET]");
    says("?limit=0", 1, "limit must be greater than 0!");
    says("?limit=x", 1, "limit must be integer!");
    says("?limit=99999999999", 1, "limit must be integer!");
    says("?groupBy=x", 1, "Got invalid groupBy: x, valid groupBy types: [DIAGNOSTIC]");
    says("", 2, "fail to get application activities after finished");
    says("", 99, "fail to get application activities after finished");
    is("/ws/v1/cluster/scheduler/app-activities/nonsense", "appActivities.diagnostic",
       "Cannot find application with given appId");
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/scheduler/app-activities/application_5_1?maxTime=x",
                        NULL, NULL, &a),
                    400);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "\"NumberFormatException\""));
    client_free(&a);
    stop();
    start_as("fair", "fair", "", 0);
    says("?limit=x", 1, "Not Capacity Scheduler");
    stop();
}

static void test_policy(void)
{
    static const char *const path = "/ws/v1/cluster/scheduler/policy";
    struct client_answer a;

    start("fifo");
    is(path, "policy", "fifo");
    is("/ws/v1/cluster/scheduler", "scheduler.schedulerInfo.type", "fifoScheduler");
    CU_ASSERT_EQUAL(ask("PUT", path, JSON, "{\"policy\":\"naive-fair\"}", &a), 200);
    client_free(&a);
    is(path, "policy", "naive-fair");
    /* the shape does not depend on the policy */
    is("/ws/v1/cluster/scheduler", "scheduler.schedulerInfo.type", "fifoScheduler");
    CU_ASSERT_EQUAL(ask("PUT", path, JSON,
                        "{\"policy\":\"org.apache.hadoop.yarn.server.resourcemanager.scheduler."
                        "fair.FairScheduler\"}",
                        &a),
                    200);
    /* the policy is shown by this name from now on */
    CU_ASSERT_STRING_EQUAL(a.body.data, "{\"policy\":\"fair\"}");
    client_free(&a);
    CU_ASSERT_EQUAL(ask("PUT", path, JSON, "{\"policy\":\"naive-fair\"}", &a), 200);
    client_free(&a);
    CU_ASSERT_EQUAL(ask("PUT", path, JSON, "{\"policy\":\"lottery\"}", &a), 400);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "lottery"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("PUT", path, JSON, "{\"polcy\":\"fifo\"}", &a), 400);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "polcy"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("PUT", path, JSON, "[", &a), 400);
    client_free(&a);
    CU_ASSERT_EQUAL(ask("POST", path, JSON, "{}", &a), 405);
    client_free(&a);
    is(path, "policy", "naive-fair");
    stop();
}

static void test_small_ones(void)
{
    struct client_answer a;

    start("fifo");
    CU_ASSERT_EQUAL(ask("GET", "/isActive", NULL, NULL, &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "I am Active!");
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/plain;charset=utf-8"));
    CU_ASSERT_TRUE(client_has(&a, "Connection: close"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("GET", "/metrics", NULL, NULL, &a), 200);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(a.body.data, "\n# TYPE creel_nodes gauge\ncreel_nodes{state=\"NEW\"} 0\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "\ncreel_apps_submitted_total 0\n"));
    client_free(&a);
    is("/ws/v1/cluster", "clusterInfo.hadoopVersion", "3.4.2");
    is("/ws/v1/cluster/info/", "clusterInfo.haState", "ACTIVE");
    is("/ws/v1/cluster/userinfo?user.name=alice", "requestedUser", "alice");
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/nodes", NULL, NULL, &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "{\"nodes\":{}}");
    client_free(&a);
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/nodes?states=RUNNING,LOST,",
                        "Accept: application/xml\r\n", NULL, &a),
                    200);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "<nodes/>"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/nodes?states=RUNNING,,LOST", NULL, NULL, &a), 400);
    client_free(&a);
    stop();
}

/* YARN lets pages of all sites read its metrics; Creel does so only when configured to. */
static void test_jmx_from_other_sites(void)
{
    struct base_error err = {0};
    struct client_answer a;

    start("fifo");
    CU_ASSERT_EQUAL(ask("GET", "/jmx", "Origin: http://evil.example\r\n", NULL, &a), 200);
    CU_ASSERT_PTR_NULL(strstr(a.head, "Access-Control"));
    client_free(&a);
    CU_ASSERT_EQUAL(base_conf_set_arg(conf, "creel.http.jmx-any-origin=true", &err), 0);
    CU_ASSERT_EQUAL(ask("GET", "/jmx", NULL, NULL, &a), 200);
    CU_ASSERT_TRUE(client_has(&a, "Access-Control-Allow-Origin: *"));
    CU_ASSERT_TRUE(client_has(&a, "Access-Control-Allow-Methods: GET"));
    client_free(&a);
    stop();
}

/* Lists that nobody reads could take all memory: the memory of long answers is bounded, and is free
 * again once an answer was sent. */
static void test_lists_in_bounded_memory(void)
{
    static const char tasks[] = JOBS "/application_5_0001/tasks?limit=";
    struct client_answer a;

    start_with("fifo", "", 512 * 1024); /* bytes; one address may use half of it */
    CU_ASSERT_EQUAL(ask("POST", JOBS, JSON,
                        "{\"job\":{\"id\":\"application_5_0001\",\"name\":\"j\",\"tasks\":"
                        "[{\"kind\":\"map\",\"command\":\"true\",\"count\":2000}]}}",
                        &a),
                    201);
    client_free(&a);
    for (int i = 0; i < 5; i++) {
        char *few = base_printf("%s400", tasks), *many = base_printf("%s2000", tasks);

        CU_ASSERT_EQUAL(ask("GET", few, NULL, NULL, &a), 200);
        /* sent in pieces; five such answers at once are more than the bound */
        CU_ASSERT_TRUE(a.body.len > 64 * 1024);
        client_free(&a);
        CU_ASSERT_EQUAL(ask("GET", many, NULL, NULL, &a), 503);
        CU_ASSERT_TRUE(client_has(&a, "Retry-After: 2"));
        CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "Too many long answers"));
        client_free(&a);
        free(few);
        free(many);
    }
    stop();
}

static const struct cunit_case cases[] = {
    {"lists in bounded memory", test_lists_in_bounded_memory},
    {"recorded mistakes", test_mistakes},
    {"filters", test_filters},
    {"long list", test_long_list},
    {"long lists of jobs", test_long_job_lists},
    {"moves", test_moves},
    {"in the shape of the capacity scheduler", test_capacity_shape},
    {"overview, access to queues", test_overview_and_access},
    {"activities, asked wrongly", test_activities},
    {"activities of applications", test_app_activities},
    {"policy", test_policy},
    {"info, liveness, nodes", test_small_ones},
    {"jmx from other sites", test_jmx_from_other_sites},
};

int main(void)
{
    base_log_init("test_yarn_http", BASE_LOG_TEXT, BASE_LOG_ERROR);
    return cunit_main("yarn over http", cases, sizeof cases / sizeof *cases);
}

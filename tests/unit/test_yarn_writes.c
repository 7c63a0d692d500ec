/* Goal: over HTTP, changes to applications behave as YARN's documentation says, also while the
 * store has not taken them yet.
 * Method: that of test_yarn_http. */
#include "tests/unit/yarn_http_fixture.h"

static void send_job(int fd, const char *body)
{
    char *request = base_printf("POST " JOBS " HTTP/1.1\r\nHost: localhost\r\n" JSON
                                "Content-Length: %zu\r\n\r\n%s",
                                strlen(body), body);

    client_sends(fd, request);
    free(request);
}

/* Goal: the same submission, sent again while the first is being stored, makes one job: 201 and
 * 200, though the output folder exists by then. Another job under the same id gets 409. */
static void test_repeated_in_flight(void)
{
    char dir[] = "/tmp/creel-repeat-XXXXXX", *body, *out;
    int first, second, other;

    base_assert(mkdtemp(dir));
    out = base_printf("%s/out", dir);
    body = base_printf("{\"job\":{\"id\":\"application_5_1\",\"input\":[\"/etc/passwd\"],"
                       "\"output\":\"%s\",\"map\":\"cat\"}}",
                       out);
    start("fifo");
    first = client_connect(port);
    second = client_connect(port);
    other = client_connect(port);
    gate_set(true);
    send_job(first, body);
    becomes(JOBS "/application_5_1", "job.state", "NEW_SAVING");
    base_assert(mkdir(out, 0755) == 0);
    send_job(second, body);
    send_job(other, "{\"job\":{\"id\":\"application_5_1\",\"tasks\":[{\"command\":\"true\"}]}}");
    expect(other, 409);
    gate_set(false);
    expect(first, 201);
    expect(second, 200);
    stop();
    rmdir(out);
    rmdir(dir);
    free(out);
    free(body);
}

static void test_submission(void)
{
    struct client_answer a;
    char *line, id[512];

    start("naive-fair");
    CU_ASSERT_EQUAL(ask("POST", APPS "/new-application?user.name=ann", NULL, NULL, &a), 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "{\"application-id\":\"application_"));
    snprintf(id, sizeof id, "%.*s", (int)strcspn(a.body.data + 19, "\""), a.body.data + 19);
    client_free(&a);
    CU_ASSERT_EQUAL(
        ask("POST", APPS "/?user.name=ann",
            "Host: creel.example:80\r\nContent-Type: application/xml\r\n",
            "<application-submission-context><application-id>application_5_7</application-id>"
            "<application-name>x</application-name></application-submission-context>",
            &a),
        202);
    CU_ASSERT_EQUAL(a.body.len, 0);
    line = golden_header(a.head, "\r\nLocation: ");
    /* a trailing slash of the request is doubled in Location */
    CU_ASSERT_PTR_NOT_NULL(line ? strstr(line, APPS "//application_5_0007") : NULL);
    free(line);
    client_free(&a);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"application_5_7\",\"application-name\":\"y\"}"),
                    202);
    is(APPS "/application_5_0007", "app.name", "x"); /* the first submission stands */
    is(APPS "/application_5_7", "app.user", "ann");
    is(APPS "/application_5_7", "app.queue", "root.default"); /* the full path, as under fair */
    becomes(APPS "/application_5_7/state", "state", "ACCEPTED");
    is("/ws/v1/cluster/scheduler", "scheduler.schedulerInfo.type", "fairScheduler");
    is("/ws/v1/cluster/scheduler", "scheduler.schedulerInfo.rootQueue.queueName", "root");
    is("/ws/v1/cluster/scheduler",
       "scheduler.schedulerInfo.rootQueue.childQueues.queue.0.queueName", "root.default");
    is("/ws/v1/cluster/scheduler", "scheduler.schedulerInfo.rootQueue.childQueues.queue.0.type",
       "fairSchedulerLeafQueueInfo");
    stop();
}

static void test_user_name(void)
{
    char many[3100] = APPS "/new-application?user.name=";
    static const char *const bad[] = {APPS "?user.name=%ff", APPS "?user.name=a%0ab",
                                      APPS "/new-application?user.name=%c3"};
    struct client_answer a;

    start("fifo");
    memset(many + strlen(many), 'u', 3000);
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(ask("POST", i < 3 ? bad[i] : many, JSON,
                            "{\"application-id\":\"application_5_1\"}", &a),
                        400);
        CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "user.name: "));
        client_free(&a);
    }
    CU_ASSERT_EQUAL(listed(""), 0);
    stop();
}

static void test_kill(void)
{
    static const char *const state = APPS "/application_5_0001/state?user.name=bob";
    struct client_answer a;
    char *line;

    start("fifo");
    submit("{\"application-id\":\"application_5_1\"}");
    submit("{\"application-id\":\"application_5_2\",\"unmanaged-AM\":true}");
    becomes(APPS "/application_5_0001/state", "state", "ACCEPTED");
    /* the state in which it is already */
    CU_ASSERT_EQUAL(ask("PUT", state, JSON, "{\"x\":1,\"state\":\"ACCEPTED\"}", &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "{\"state\":\"ACCEPTED\"}");
    client_free(&a);
    CU_ASSERT_EQUAL(
        ask("PUT", state, "Content-Type: application/xml\r\n",
            "<appstate><state>KILLED</state><diagnostics>no use</diagnostics></appstate>", &a),
        202);
    line = golden_header(a.head, "\r\nLocation: ");
    /* Location is without the query */
    CU_ASSERT_PTR_NOT_NULL(line ? strstr(line, APPS "/application_5_0001/state\r") : NULL);
    free(line);
    client_free(&a);
    becomes(state, "state", "KILLED");
    is(APPS "/application_5_0001", "app.diagnostics",
       "Application application_5_0001 was killed by user bob with diagnostic message: no use");
    is(APPS "/application_5_0001", "app.finalStatus", "KILLED");
    CU_ASSERT_EQUAL(ask("PUT", state, JSON, "{\"state\":\"KILLED\"}", &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "{\"state\":\"KILLED\"}");
    client_free(&a);
    /* an unmanaged application is killed at once */
    CU_ASSERT_EQUAL(ask("PUT", APPS "/application_5_2/state", JSON, "{\"state\":\"KILLED\"}", &a),
                    200);
    client_free(&a);
    stop();
}

/* Sends @body to @path. The answer must have @status and be @want up to the first '*'. */
static void put_gets(const char *path, const char *headers, const char *body, int status,
                     const char *want)
{
    struct client_answer a;
    size_t n = strcspn(want, "*");

    ask("PUT", path, headers, body, &a);
    base_buf_add(&a.body, "", 0);
    if (a.status != status || !a.body.data || strncmp(a.body.data, want, n) != 0)
        fprintf(stderr, "PUT %s %s: %d %s\n", path, body, a.status, a.body.data ? a.body.data : "");
    CU_ASSERT_EQUAL(a.status, status);
    CU_ASSERT_TRUE(a.body.data && strncmp(a.body.data, want, n) == 0);
    client_free(&a);
}

#define APP5    APPS "/application_5_1"
#define TIMEOUT APP5 "/timeout?user.name=bob"

static void test_timeouts(void)
{
    setenv("TZ", "UTC", 1);
    start("fifo");
    submit("{\"application-id\":\"application_5_1\"}");
    becomes(APP5 "/state", "state", "ACCEPTED");
    is(APP5 "/timeouts", "timeouts.timeout.0.expiryTime", "UNLIMITED");
    is(APP5 "/timeouts/lifetime", "timeout.remainingTimeInSeconds", "-1");
    put_gets(TIMEOUT, JSON,
             "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":"
             "\"2237-01-01T00:00:00.000+0530\"}}",
             200,
             "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"2236-12-31T18:30:00.000+0000\","
             "\"remainingTimeInSeconds\":*");
    put_gets(TIMEOUT, "Content-Type: application/xml\r\nAccept: application/xml\r\n",
             "<timeout><type>LIFETIME</type><expiryTime>2236-01-01T00:00:00.120+0000</expiryTime>"
             "</timeout>",
             200,
             "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><timeout><type>LIFETIME"
             "</type><expiryTime>2236-01-01T00:00:00.120+0000</expiryTime>*");
    is(APP5, "app.timeouts.timeout.0.expiryTime", "2236-01-01T00:00:00.120+0000");
    put_gets(TIMEOUT, JSON,
             "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"2037-02-30T00:00:00.000Z\"}}",
             503,
             "{\"RemoteException\":{\"exception\":\"DateTimeParseException\",\"message\":\"Text "
             "'2037-02-30T00:00:00.000Z' could not be parsed at index 23\"*");
    put_gets(TIMEOUT, JSON,
             "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":"
             "\"2037-13-01T00:00:00.000+0000\"}}",
             503,
             "{\"RemoteException\":{\"exception\":\"DateTimeParseException\",\"message\":\"Text "
             "'2037-13-01T00:00:00.000+0000' could not be parsed: Invalid value for "
             "MonthOfYear (valid values 1 - 12): 13\"*");
    put_gets(APP5 "/state?user.name=bob", JSON, "{\"state\":\"KILLED\"}", 202, "{*");
    becomes(APP5 "/state", "state", "KILLED");
    put_gets(TIMEOUT, JSON, "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"tomorrow\"}}",
             200,
             "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"2236-01-01T00:00:00.120+0000\","
             "\"remainingTimeInSeconds\":0}}");
    stop();
}

static void test_priority(void)
{
    static const char *const path = APP5 "/priority?user.name=bob";

    start("fair");
    submit("{\"application-id\":\"application_5_1\",\"priority\":3}");
    becomes(APP5 "/state", "state", "ACCEPTED");
    is(APP5, "app.priority", "0");
    put_gets(path, JSON, "{\"priority\":5}", 503,
             "{\"RemoteException\":{\"exception\":\"UndeclaredThrowableException\","
             "\"javaClassName\":\"java.lang.reflect.UndeclaredThrowableException\"}}");
    put_gets(path, JSON, "{\"priority\":\"0\"}", 200, "{\"priority\":0}");
    stop();
    start("fifo");
    submit("{\"application-id\":\"application_5_1\"}");
    becomes(APP5 "/state", "state", "ACCEPTED");
    put_gets(path, "Content-Type: application/xml\r\nAccept: application/xml\r\n",
             "<applicationpriority><priority>6</priority></applicationpriority>", 200,
             "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><applicationpriority>"
             "<priority>0</priority></applicationpriority>");
    stop();
    start_as("capacity", "fifo", "", 0); /* no priorities, since no highest one is configured */
    submit("{\"application-id\":\"application_5_1\",\"priority\":3}");
    submit("{\"application-id\":\"application_5_2\"}");
    becomes(APP5 "/state", "state", "ACCEPTED");
    becomes(APPS "/application_5_2/state", "state", "ACCEPTED");
    is(APP5, "app.priority", "0");
    is(APPS "/application_5_2", "app.priority", "-1");
    put_gets(path, JSON, "{\"priority\":5}", 200, "{\"priority\":0}");
    put_gets(path, JSON, "{\"priority\":-7}", 200, "{\"priority\":-7}");
    is(APP5 "/priority", "priority", "-7");
    put_gets(path, JSON, "{\"priority\":\"x\"}", 200, "{\"priority\":0}");
    stop();
}

static void test_signal(void)
{
    static const char *const answers[][3] = {
        {"nonsense/signal/OUTPUT_THREAD_DUMP", "400", "Invalid ContainerId prefix: nonsense"},
        {"container_x/signal/OUTPUT_THREAD_DUMP", "400", "Invalid ContainerId: container_x"},
        {"container_5_0001_01_000001/signal/graceful_shutdown", "404",
         "Trying to signal an absent container container_5_0001_01_000001"}};

    start("fifo");
    for (size_t i = 0; i < 3; i++) {
        char *path = base_printf("/ws/v1/cluster/containers/%s?user.name=bob", answers[i][0]);
        struct client_answer a;

        CU_ASSERT_EQUAL(ask("POST", path, NULL, NULL, &a), atoi(answers[i][1]));
        CU_ASSERT_STRING_EQUAL(a.body.data, answers[i][2]);
        client_free(&a);
        free(path);
    }
    stop();
}

static void sends_move(int fd)
{
    client_sends(fd, "PUT " APPS
                     "/application_5_0001/queue?user.name=bob HTTP/1.1\r\nHost: localhost\r\n" JSON
                     "Content-Length: 18\r\n\r\n{\"queue\":\"root.b\"}");
}

static bool silent(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 0;
}

/* Goal: a move is acknowledged only when the store has it; so is a repeated request for the same
 * move. */
static void test_move_in_flight(void)
{
    struct client_answer a;
    int first, second;

    start_with("fair", "b", 0);
    CU_ASSERT_EQUAL(submit("{\"application-id\":\"application_5_1\"}"), 202);
    becomes(APPS "/application_5_1/state", "state", "ACCEPTED");
    first = client_connect(port);
    second = client_connect(port);
    gate_set(true);
    sends_move(first);
    becomes(APPS "/application_5_1/queue", "queue", "root.b");
    sends_move(second);
    for (int i = 0; i < 3; i++) { /* other requests are answered meanwhile */
        CU_ASSERT_EQUAL(ask("POST", APPS "/new-application?user.name=bob", NULL, NULL, &a), 200);
        client_free(&a);
    }
    CU_ASSERT_TRUE(silent(first));
    CU_ASSERT_TRUE(silent(second));
    gate_set(false);
    expect(first, 200);
    expect(second, 200);
    stop();
}

static const struct cunit_case cases[] = {
    {"submission", test_submission},
    {"user.name", test_user_name},
    {"repeated in flight", test_repeated_in_flight},
    {"kill", test_kill},
    {"a move in flight", test_move_in_flight},
    {"timeouts", test_timeouts},
    {"priority", test_priority},
    {"signal", test_signal},
};

int main(void)
{
    base_log_init("test_yarn_writes", BASE_LOG_TEXT, BASE_LOG_ERROR);
    return cunit_main("yarn over http", cases, sizeof cases / sizeof *cases);
}

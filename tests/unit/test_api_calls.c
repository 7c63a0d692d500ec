/* What a server counts of its calls, and the beans that show it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/admin/call_beans.h"
#include "api/admin/jmx.h"
#include "api/admin/prom.h"
#include "api/server/server.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

static struct api_server *server;
static uint16_t port;

static void answer_text(struct api_request *rq)
{
    struct base_buf b = {0};

    base_buf_adds(&b, "0123456789");
    api_answer(rq, 200, API_TEXT, &b);
}

static void on_get(struct api_request *rq, void *user)
{
    (void)user;
    answer_text(rq);
}

/* Holds the request for a while. */
static void on_held(struct api_request *rq, void *user)
{
    (void)user;
    api_park(rq);
    usleep(2000);
    answer_text(rq);
}

static int64_t read_letters(void *u, char *buf, size_t max)
{
    int *left = u;

    if (*left == 0)
        return -1;
    *left = 0;
    memset(buf, 'x', max < 100 ? max : 100);
    return max < 100 ? (int64_t)max : 100;
}

static void on_stream(struct api_request *rq, void *user)
{
    int *left = base_alloc(sizeof *left);

    (void)user;
    *left = 1;
    api_answer_stream(rq, 200, "text/plain", read_letters, left, free);
}

static void on_refuse(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_error(rq, 403, "ForbiddenException", "no");
}

/* Lets requests of one route wait for a while before their handler. */
static bool prepare(struct api_request *rq, void *user)
{
    (void)user;
    if (strcmp(api_route_of(rq)->path, "/prepared") != 0)
        return false;
    api_park(rq);
    usleep(2000);
    api_continue_handling(rq);
    return true;
}

static const struct api_route routes[] = {
    {"GET", "/get", API_ROLE_READ, 0, on_get, API_ROUTE_CREEL},
    {"POST", "/held", API_ROLE_WRITE, 1000, on_held, API_ROUTE_CREEL},
    {"GET", "/stream", API_ROLE_READ, 0, on_stream, API_ROUTE_CREEL},
    {"GET", "/refuse", API_ROLE_READ, 0, on_refuse, API_ROUTE_CREEL},
    {"GET", "/jmx", API_ROLE_READ, 0, on_get, API_ROUTE_CREEL},
    {"GET", "/prepared", API_ROLE_READ, 0, on_get, API_ROUTE_CREEL},
};
enum { GET, HELD, STREAM, REFUSE, PREPARED = 5, NONE };

static int start(void)
{
    struct api_server_conf conf = {.static_user = "dr.who", .prepare = prepare, .threads = 2};
    struct base_error err = {0};

    if (api_server_start(&conf, routes, sizeof routes / sizeof *routes, NULL, &server, &err) < 0)
        return -1;
    port = api_server_port(server);
    return 0;
}

static void ask(const char *method, const char *path, const char *body, int status)
{
    struct client_answer a;

    client_do(port, method, path, body ? "Content-Type: application/json\r\n" : NULL, body, &a);
    CU_ASSERT_EQUAL(a.status, status);
    client_free(&a);
}

static struct api_call_figures got[7];

static void keep(const struct api_route *route, const struct api_call_figures *f, void *u)
{
    size_t *n = u;

    CU_ASSERT_PTR_EQUAL(route, *n < 6 ? &routes[*n] : NULL);
    got[(*n)++] = *f;
}

static void read_all(void)
{
    size_t n = 0;

    api_server_each_route_figures(server, keep, &n);
    CU_ASSERT_EQUAL(n, 7);
}

static void test_counts(void)
{
    struct api_server_figures s;

    for (int i = 0; i < 3; i++)
        ask("GET", "/get", NULL, 200);
    ask("POST", "/held", "{\"a\":1}", 200);
    ask("GET", "/stream", NULL, 200);
    ask("GET", "/refuse", NULL, 403);
    ask("GET", "/prepared", NULL, 200);
    ask("GET", "/nothing", NULL, 404);
    ask("DELETE", "/get", NULL, 405);
    read_all();
    CU_ASSERT_EQUAL(got[GET].all.calls, 3);
    CU_ASSERT_EQUAL(got[GET].all.held_calls, 0);
    CU_ASSERT_EQUAL(got[GET].by_class[2], 3);
    CU_ASSERT_EQUAL(got[GET].sent, 30);
    CU_ASSERT_EQUAL(got[GET].received, 0);
    CU_ASSERT_EQUAL(got[GET].window.calls, 3);
    CU_ASSERT_TRUE(got[GET].all.handling_us <= got[GET].all.whole_us);
    CU_ASSERT_TRUE(got[GET].longest_us <= got[GET].all.whole_us);
    CU_ASSERT_EQUAL(got[HELD].all.held_calls, 1);
    CU_ASSERT_TRUE(got[HELD].all.held_us >= 2000);
    CU_ASSERT_TRUE(got[HELD].all.handling_us + got[HELD].all.held_us <= got[HELD].all.whole_us);
    CU_ASSERT_EQUAL(got[HELD].longest_us, got[HELD].all.whole_us);
    CU_ASSERT_EQUAL(got[HELD].longest_handling_us, got[HELD].all.handling_us);
    CU_ASSERT_EQUAL(got[HELD].received, 7);
    CU_ASSERT_EQUAL(got[STREAM].sent, 100);
    CU_ASSERT_EQUAL(got[REFUSE].refused, 1);
    CU_ASSERT_EQUAL(got[REFUSE].by_class[4], 1);
    /* the wait before the handler counts neither as handling nor as holding, only in the whole
     * time */
    CU_ASSERT_TRUE(got[PREPARED].all.handling_us >= 0);
    CU_ASSERT_EQUAL(got[PREPARED].all.held_calls, 0);
    CU_ASSERT_TRUE(got[PREPARED].all.whole_us >= got[PREPARED].all.handling_us + 2000);
    CU_ASSERT_EQUAL(got[NONE].all.calls, 2);
    CU_ASSERT_EQUAL(got[NONE].by_class[4], 2);
    CU_ASSERT_EQUAL(got[NONE].all.handling_us, 0);
    api_server_read_figures(server, &s);
    CU_ASSERT_TRUE(s.active_max >= 1);
    CU_ASSERT_EQUAL(s.held, 0);
    CU_ASSERT_EQUAL(s.turned_away, 0);
    CU_ASSERT_TRUE(s.up_ms >= 2);
}

static void test_connections(void)
{
    struct api_server_figures s;
    struct client_answer a;
    int fd = client_connect(port);

    client_sends(fd, "GET /get HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_TRUE(client_read(fd, false, &a));
    client_free(&a);
    api_server_read_figures(server, &s);
    CU_ASSERT_TRUE(s.connections >= 1);
    close(fd);
    do
        api_server_read_figures(server, &s);
    while (s.connections > 0); /* until the server notices the end of the connection */
}

static void test_windows(void)
{
    struct api_call_windows w = {.now_since_us = 100};
    const struct api_call_times t = {.calls = 1, .whole_us = 7};
    const int64_t next = 100 + API_CALLS_WINDOW_US;

    api_call_windows_add(&w, &t, 100);
    api_call_windows_add(&w, &t, next - 1);
    CU_ASSERT_EQUAL(api_call_windows_get_last(&w, next - 1)->calls, 2);
    CU_ASSERT_EQUAL(api_call_windows_get_last(&w, next)->whole_us, 14); /* the window is complete */
    api_call_windows_add(&w, &t, next + 5);
    /* still the last complete window */
    CU_ASSERT_EQUAL(api_call_windows_get_last(&w, next + 5)->calls, 2);
    CU_ASSERT_EQUAL(api_call_windows_get_last(&w, next + API_CALLS_WINDOW_US)->calls, 1);
    /* windows without calls do not replace the last one that has calls */
    CU_ASSERT_EQUAL(api_call_windows_get_last(&w, next + 5 * API_CALLS_WINDOW_US)->calls, 1);
}

/* ---- beans ---- */

static void list_one_service(const struct api_bean_service *service, api_rpc_add *add, void *u)
{
    struct api_rpc_figures f = {
        .port = "8032",
        .service = "Protocol",
        .calls = {.all = {.calls = 50, .held_calls = 4},
                  .window = {.calls = 40, .held_calls = 2, .handling_us = 60000, .held_us = 9000},
                  .by_class = {0, 0, 43, 2, 4, 1},
                  .refused = 3,
                  .received = 1000,
                  .sent = 2000},
        .queue_length = 6};

    (void)service;
    add(&f, u);
}

static const struct api_bean_kind *const kinds[] = {API_CALL_BEANS, NULL};

static void has(const char *text, const char *line)
{
    if (!strstr(text, line))
        fprintf(stderr, "not there: %s in\n%s\n", line, text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, line));
}

static void test_beans(void)
{
    struct api_bean_service service = {.name = "Daemon",
                                       .prefix = "Hadoop:service=Daemon,name=",
                                       .kinds = kinds,
                                       .server = server,
                                       .each_rpc = list_one_service};
    struct base_buf out = {0};
    char line[100];

    api_jmx_encode(&service, NULL, NULL, &out);
    snprintf(line, sizeof line, "\"modelerType\" : \"HttpServer2-%u\"", port);
    has(out.data, line);
    has(out.data, "\"Requests\" : 10\n"); /* the requests of test_counts and test_connections */
    has(out.data, "\"Dispatched\" : 10,\n");
    has(out.data, "\"Responses2xx\" : 7,\n");
    has(out.data, "\"Responses4xx\" : 3,\n");
    has(out.data, "\"AsyncRequests\" : 1,\n");
    has(out.data, "\"modelerType\" : \"RpcActivityForPort8032\",\n    \"tag.port\" : \"8032\",\n"
                  "    \"tag.serverName\" : \"Protocol\",\n    \"tag.Context\" : \"rpc\",\n"
                  "    \"tag.NumOpenConnectionsPerUser\" : \"{}\",\n");
    has(out.data, "\"DeferredRpcProcessingTimeNumOps\" : 4,\n"
                  "    \"DeferredRpcProcessingTimeAvgTime\" : 4.5,\n"
                  "    \"ReceivedBytes\" : 1000,\n");
    has(out.data, "\"RpcAuthorizationFailures\" : 3,\n    \"RpcAuthorizationSuccesses\" : 47,\n"
                  "    \"RpcCallSuccesses\" : 45,\n");
    has(out.data, "\"RpcProcessingTimeNumOps\" : 50,\n    \"RpcProcessingTimeAvgTime\" : 1.5,\n");
    has(out.data, "\"SentBytes\" : 2000,\n");
    has(out.data, "\"TotalRequests\" : 50,\n    \"TotalRequestsPerSecond\" : 4,\n");
    has(out.data, "\"CallQueueLength\" : 6,\n");
    base_buf_free(&out);
    api_prom_encode(&service, &out);
    has(out.data, "\nrpc_received_bytes{port=\"8032\",servername=\"Protocol\",context=\"rpc\",");
    has(out.data, "\nhttp_server2_responses2xx{context=\"http\",");
    base_buf_free(&out);
    service.server = NULL;
    api_jmx_encode(&service, NULL, NULL, &out);
    CU_ASSERT_STRING_EQUAL(out.data, "{\n  \"beans\" : [ ]\n}");
    base_buf_free(&out);
}

static const struct cunit_case cases[] = {{"counts by route", test_counts},
                                          {"connections", test_connections},
                                          {"windows", test_windows},
                                          {"beans", test_beans}};

int main(void)
{
    int rc;

    if (start() < 0)
        return 1;
    rc = cunit_main("calls", cases, sizeof cases / sizeof *cases);
    api_server_stop(server);
    return rc;
}

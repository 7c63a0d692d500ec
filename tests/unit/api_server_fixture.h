/* tests/unit/api_server_fixture.h - the HTTP server on a free port, with handlers that show what
 * they were asked. */
#ifndef CREEL_TESTS_API_SERVER_FIXTURE_H
#define CREEL_TESTS_API_SERVER_FIXTURE_H

#include "api/server/server.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define JSON "Content-Type: application/json\r\n"
#define XML_503                                                                                    \
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><RemoteException><exception>"    \
    "WebApplicationException</exception><javaClassName>javax.ws.rs.WebApplicationException</"      \
    "javaClassName>"                                                                               \
    "</RemoteException>"
#define JSON_503                                                                                   \
    "{\"RemoteException\":{\"exception\":\"WebApplicationException\","                             \
    "\"javaClassName\":\"javax.ws.rs.WebApplicationException\"}}"

static struct api_server *server;
static uint16_t port;

/* ---- handlers ---- */

static inline void on_echo(struct api_request *rq, void *user)
{
    struct base_buf b = {0};
    size_t len;
    const char *body = api_body(rq, &len);

    CU_ASSERT_PTR_EQUAL(user, &server);
    CU_ASSERT_EQUAL(strlen(body), len);
    base_buf_addf(&b, "%s %s args=%s,%s user=%s q=%s bearer=%s body=%s", api_method(rq),
                  api_path(rq), api_path_arg(rq, 0) ? api_path_arg(rq, 0) : "-",
                  api_path_arg(rq, 1) ? api_path_arg(rq, 1) : "-",
                  api_caller(rq) ? api_caller(rq) : "-",
                  api_query(rq, "q") ? api_query(rq, "q") : "-",
                  api_bearer_token(rq) ? api_bearer_token(rq) : "-", len > 200 ? "long" : body);
    api_answer(rq, 200, API_TEXT, &b);
}

static inline void on_json(struct api_request *rq, void *user)
{
    struct base_buf b = {0};

    (void)user;
    base_buf_adds(&b, api_wanted_type(rq) == API_XML ? "<a/>" : "{\"a\":1}");
    api_answer(rq, 200, api_wanted_type(rq), &b);
}

static inline void on_big(struct api_request *rq, void *user)
{
    const char *given = api_query(rq, "n");
    int n = given ? atoi(given) : 100000;
    struct base_buf b = {0};

    (void)user;
    base_buf_adds(&b, "[");
    for (int i = 0; i < n; i++)
        base_buf_addf(&b, "%d,", i);
    base_buf_adds(&b, "0]");
    api_answer(rq, 200, API_JSON, &b);
}

static inline void on_empty(struct api_request *rq, void *user)
{
    (void)user;
    api_answer(rq, api_query(rq, "status") ? (unsigned)atoi(api_query(rq, "status")) : 200,
               API_JSON, NULL);
}

static inline void on_missing(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_error(rq, 404, "NotFoundException", "java.lang.Exception: app with id: %s not found",
                     api_path_arg(rq, 0));
}

static inline void on_base_error(struct api_request *rq, void *user)
{
    struct base_error err;

    (void)user;
    base_error_set(&err, -atoi(api_query(rq, "code")), "reduces: -1 is \"wrong\"");
    api_answer_base_error(rq, &err);
}

static inline void on_redirect(struct api_request *rq, void *user)
{
    (void)user;
    api_add_header(rq, "Location", "http://localhost/x\r\nX-Smuggled: 1");
    api_add_header(rq, "Content-Type", "text/html; charset=utf-8");
    api_answer(rq, 307, API_TEXT, NULL);
}

static inline void on_nothing(struct api_request *rq, void *user)
{
    (void)rq;
    (void)user;
}

static inline void on_file(struct api_request *rq, void *user)
{
    static const char text[] = "0123456789abcdef";
    int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

    (void)user;
    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT_EQUAL(write(fd, text, 16), 16);
    api_add_header(rq, "X-Creel-Records", "3");
    api_answer_file(rq, 200, "application/octet-stream", fd, 4,
                    (uint64_t)atoi(api_query(rq, "len")));
}

struct feed {
    int calls;
};

static inline int64_t feed_read(void *u, char *buf, size_t max)
{
    struct feed *feed = u;

    CU_ASSERT(max >= 6);
    switch (feed->calls++) {
    case 0:
    case 3:
        memcpy(buf, "line1\n", 6);
        return 6;
    case 4:
        return -1;
    default:
        return 0; /* nothing yet */
    }
}

static inline int64_t endless_read(void *u, char *buf, size_t max)
{
    struct feed *feed = u;

    if (feed->calls++ > 0)
        return 0;
    memset(buf, 'x', max);
    return (int64_t)max;
}

static inline void on_stream(struct api_request *rq, void *user)
{
    bool endless = api_query(rq, "endless") != NULL;

    (void)user;
    api_answer_stream(rq, 200, "text/plain;charset=utf-8", endless ? endless_read : feed_read,
                      base_alloc(sizeof(struct feed)), free);
}

static const struct api_route routes[] = {
    {"GET", "/", API_ROLE_READ, 0, on_echo, 0},
    {"GET", "/ws/v1/cluster/info", API_ROLE_READ, 0, on_json, 0},
    {"GET", "/ws/v1/cluster/apps", API_ROLE_READ, 0, on_big, 0},
    {"POST", "/ws/v1/cluster/apps", API_ROLE_WRITE, 1000, on_echo, 0},
    {"POST", "/ws/v1/cluster/apps/new-application", API_ROLE_WRITE, 0, on_echo, 0},
    {"GET", "/ws/v1/cluster/apps/{appid}", API_ROLE_READ, 0, on_missing, 0},
    {"PUT", "/ws/v1/cluster/apps/{appid}/state", API_ROLE_WRITE, 1000, on_echo, 0},
    {"GET", "/ws/v1/cluster/echo/{a}/{b}", API_ROLE_READ, 0, on_echo, 0},
    {"GET", "/ws/v1/cluster/empty", API_ROLE_READ, 0, on_empty, 0},
    {"GET", "/ws/v1/cluster/redirect", API_ROLE_READ, 0, on_redirect, 0},
    {"GET", "/ws/v1/cluster/nothing", API_ROLE_READ, 0, on_nothing, 0},
    {"GET", "/ws/v1/node/info", API_ROLE_READ, 0, on_json, 0},
    {"GET", "/ws/v1/node/file", API_ROLE_MASTER, 0, on_file, API_ROUTE_CREEL},
    {"GET", "/ws/v1/node/stream", API_ROLE_READ, 0, on_stream, API_ROUTE_CREEL},
    {"GET", "/proxy/{appid}/{rest*}", API_ROLE_READ, 0, on_echo, 0},
    {"GET", "/creel/json", API_ROLE_READ, 0, on_json, API_ROUTE_CREEL},
    {"GET", "/creel/big", API_ROLE_READ, 0, on_big, API_ROUTE_CREEL},
    {"GET", "/creel/error", API_ROLE_READ, 0, on_base_error, API_ROUTE_CREEL},
    {"POST", "/creel/job", API_ROLE_WRITE, 100000, on_echo, API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/heartbeat", API_ROLE_NODE, 1000, on_echo, API_ROUTE_CREEL},
};

static inline void start(unsigned idle_s)
{
    struct api_server_conf conf = {.bind = "127.0.0.1",
                                   .threads = 2,
                                   .idle_timeout_s = idle_s,
                                   .head_timeout_ms = idle_s * 1000,
                                   .body_rate = idle_s ? 100 : 0,
                                   .body_window_ms = idle_s * 1000,
                                   .keys = client_keys(),
                                   .static_user = "dr.who"};
    struct base_error err;

    if (api_server_start(&conf, routes, sizeof routes / sizeof routes[0], &server, &server, &err) <
        0) {
        printf("%s\n", err.text);
        abort();
    }
    port = api_server_port(server);
}

/* Checks status and body; @body NULL: any. The caller may check @a further, and frees it. */
static inline void check(struct client_answer *a, int status, const char *body)
{
    if (a->status != status || (body && strcmp(a->body.data, body) != 0))
        printf("\n  %s\n%s\n", a->head, a->body.data);
    CU_ASSERT_EQUAL(a->status, status);
    if (body)
        CU_ASSERT_STRING_EQUAL(a->body.data, body);
}

static inline void get(const char *path, const char *headers, int status, const char *body)
{
    struct client_answer a;

    client_do(port, "GET", path, headers, NULL, &a);
    check(&a, status, body);
    client_free(&a);
}

static inline char *long_text(size_t n)
{
    char *s = base_alloc(n + 1);

    memset(s, 'x', n);
    return s;
}

#endif

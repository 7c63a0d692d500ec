/* Goal: api_answer_long_text() sends what the writer wrote, plain or compressed, cuts the answer
 * when the writer fails or the server stops, writes no faster than the client reads, and frees the
 * writer's data in all cases (leaks are seen by the sanitizer). api_answer_pieces() sends what was
 * collected. Method: a server on a free port, with a writer of numbered lines. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "api/server/server.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

#define BEGUN "begun"

static struct api_server *server;
static uint16_t port;
static atomic_int alive;          /* lines objects that are not freed yet */
static atomic_long endless_parts; /* written for answers without an end */

struct lines {
    int next, end, broken_at; /* numbers of lines; -1: never */
};

static enum api_write_next write_line(void *u, struct base_buf *out)
{
    struct lines *l = u;

    /* a writer of JSON looks at the last byte written so far */
    CU_ASSERT_FATAL(out->len > 0);
    CU_ASSERT_EQUAL(out->data[out->len - 1], l->next == 0 ? 'n' : ';');
    if (l->next == l->broken_at)
        return API_WRITE_BROKEN;
    if (l->end < 0)
        atomic_fetch_add(&endless_parts, 1);
    base_buf_addf(out, "line %d;", l->next++);
    return l->next == l->end ? API_WRITE_END : API_WRITE_MORE;
}

static void free_lines(void *u)
{
    atomic_fetch_sub(&alive, 1);
    free(u);
}

static void on_lines(struct api_request *rq, void *user)
{
    struct lines *l = base_alloc(sizeof *l);
    const char *broken = api_query(rq, "broken");
    struct base_buf begun = {0};

    (void)user;
    atomic_fetch_add(&alive, 1);
    l->end = atoi(api_query(rq, "n"));
    l->broken_at = broken ? atoi(broken) : -1;
    base_buf_adds(&begun, BEGUN);
    api_answer_long_text(rq, 200, api_wanted_type(rq), &begun, write_line, l, free_lines);
}

/* Collects the lines in pieces of 20 KB and more. */
static void on_pieces(struct api_request *rq, void *user)
{
    struct api_pieces *pieces = api_pieces_new(rq);
    struct base_buf piece = {0};
    int n = atoi(api_query(rq, "n"));

    (void)user;
    base_buf_adds(&piece, BEGUN);
    for (int i = 0; i < n; i++) {
        base_buf_addf(&piece, "line %d;", i);
        if (piece.len > 20000)
            api_pieces_add(pieces, &piece);
    }
    api_pieces_add(pieces, &piece);
    base_buf_free(&piece);
    api_answer_pieces(rq, 200, API_JSON, &pieces);
}

static void on_ping(struct api_request *rq, void *user)
{
    struct base_buf body = {0};

    (void)user;
    base_buf_adds(&body, "pong");
    api_answer(rq, 200, API_TEXT, &body);
}

static const struct api_route routes[] = {
    {"GET", "/ws/v1/lines", API_ROLE_READ, 0, on_lines, 0},
    {"GET", "/ws/v1/pieces", API_ROLE_READ, 0, on_pieces, 0},
    {"GET", "/ping", API_ROLE_READ, 0, on_ping, API_ROUTE_CREEL},
};

static void start(void)
{
    struct api_server_conf conf = {.bind = "127.0.0.1", .threads = 2, .static_user = "dr.who"};
    struct base_error err;

    if (api_server_start(&conf, routes, sizeof routes / sizeof routes[0], NULL, &server, &err) < 0)
        abort();
    port = api_server_port(server);
}

static void stop(void)
{
    api_server_stop(server);
    CU_ASSERT_EQUAL(atomic_load(&alive), 0);
}

static void expect_lines(const struct base_buf *body, int n)
{
    struct base_buf all = {0};

    base_buf_adds(&all, BEGUN);
    for (int i = 0; i < n; i++)
        base_buf_addf(&all, "line %d;", i);
    CU_ASSERT_EQUAL_FATAL(body->len, all.len);
    CU_ASSERT_EQUAL(memcmp(body->data, all.data, all.len), 0);
    base_buf_free(&all);
}

static void unpack(const struct base_buf *in, struct base_buf *out)
{
    z_stream z = {0};

    CU_ASSERT_EQUAL_FATAL(inflateInit2(&z, 31), Z_OK);
    base_buf_reserve(out, 20000000);
    z.next_in = (Bytef *)in->data;
    z.avail_in = (uInt)in->len;
    z.next_out = (Bytef *)out->data;
    z.avail_out = 20000000;
    CU_ASSERT_EQUAL(inflate(&z, Z_FINISH), Z_STREAM_END);
    CU_ASSERT_EQUAL(z.avail_in, 0);
    out->len = z.total_out;
    inflateEnd(&z);
}

/* Checks answers from one line up to a length that takes many turns of a server thread; each length
 * plain and compressed. */
static void check_whole_answers(const char *resource)
{
    static const int counts[] = {1, 2, 100, 5000, 500000};

    start();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct base_buf unpacked = {0};
        struct client_answer a;
        char path[64];

        snprintf(path, sizeof path, "/ws/v1/%s?n=%d", resource, counts[i]);
        client_do(port, "GET", path, NULL, NULL, &a);
        CU_ASSERT_EQUAL(a.status, 200);
        CU_ASSERT_TRUE(a.chunked);
        CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json;charset=utf-8"));
        CU_ASSERT_PTR_NULL(strstr(a.head, "Content-Encoding"));
        expect_lines(&a.body, counts[i]);
        client_free(&a);
        client_do(port, "GET", path, "Accept-Encoding: gzip\r\n", NULL, &a);
        CU_ASSERT_TRUE(client_has(&a, "Content-Encoding: gzip"));
        unpack(&a.body, &unpacked);
        expect_lines(&unpacked, counts[i]);
        base_buf_free(&unpacked);
        client_free(&a);
    }
    stop();
}

static void test_whole(void)
{
    check_whole_answers("lines");
}

static void test_pieces(void)
{
    check_whole_answers("pieces");
}

static void test_head(void)
{
    struct client_answer a;

    start();
    client_do(port, "HEAD", "/ws/v1/lines?n=100000", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_EQUAL(a.body.len, 0);
    client_free(&a);
    stop();
}

/* Returns true when the answer to @path ends with the last chunk of a complete body. */
static bool is_complete(const char *path)
{
    char request[256], buf[65536], tail[6] = "";
    int fd = client_connect(port);
    ssize_t n;

    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    client_sends(fd, request);
    while ((n = recv(fd, buf, sizeof buf, 0)) > 0)
        if (n >= 5)
            memcpy(tail, buf + n - 5, 5);
    close(fd);
    return strcmp(tail, "0\r\n\r\n") == 0;
}

static void test_broken(void)
{
    start();
    CU_ASSERT_TRUE(is_complete("/ws/v1/lines?n=50000"));
    CU_ASSERT_FALSE(is_complete("/ws/v1/lines?n=50000&broken=49999"));
    CU_ASSERT_FALSE(is_complete("/ws/v1/lines?n=50000&broken=0"));
    stop();
}

/* A client that does not read gets no more than fits the socket's buffers, and others are served
 * meanwhile. */
static void test_slow_client(void)
{
    int fd, small = 4096;
    char c;

    start();
    atomic_store(&endless_parts, 0);
    fd = client_connect(port);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    client_sends(fd, "GET /ws/v1/lines?n=-1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_EQUAL(recv(fd, &c, 1, 0), 1);
    for (int i = 0; i < 500; i++) {
        struct client_answer a;

        client_do(port, "GET", "/ping", NULL, NULL, &a);
        CU_ASSERT_EQUAL(a.status, 200);
        client_free(&a);
    }
    /* nearly all lines have 10 bytes or more; the kernel's buffers hold a few MiB */
    CU_ASSERT(atomic_load(&endless_parts) < 3000000);
    close(fd);
    stop();
}

/* A stop of the server cuts an answer that has no end. */
static void test_stop(void)
{
    int fd;
    char buf[65536];

    start();
    fd = client_connect(port);
    client_sends(fd, "GET /ws/v1/lines?n=-1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_EQUAL(recv(fd, buf, 1, 0), 1);
    stop();
    while (recv(fd, buf, sizeof buf, 0) > 0)
        ;
    close(fd);
}

static const struct cunit_case cases[] = {
    {"whole answers", test_whole},   {"pieces", test_pieces},           {"HEAD", test_head},
    {"broken answers", test_broken}, {"slow client", test_slow_client}, {"stop", test_stop},
};
CUNIT_MAIN("api_long_text", cases)

/* Limits of requests a second, and of the time that clients take for answers: the table of rates
 * alone, then the server on the wire. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/server/limits/peers.h"
#include "api/server/limits/rate.h"
#include "api/server/server.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

/* ---- the table ---- */

static bool take(struct api_rate *r, const char *key, int64_t now_us)
{
    return api_rate_take(r, key, strlen(key), now_us);
}

static unsigned take_all(struct api_rate *r, const char *key, int64_t now_us)
{
    unsigned n = 0;

    while (n < 10000 && take(r, key, now_us))
        n++;
    return n;
}

/* At 100 requests a second, each request uses up 10 ms. */
static void test_rate(void)
{
    struct api_rate *r = api_rate_new(100);
    int64_t t = 5000000;

    CU_ASSERT_EQUAL(take_all(r, "ann", t), 100); /* a second's worth at once */
    CU_ASSERT_FALSE(take(r, "ann", t + 9999));   /* the next is due 10 ms later */
    CU_ASSERT_TRUE(take(r, "ann", t + 10000));
    CU_ASSERT_FALSE(take(r, "ann", t + 10000));
    CU_ASSERT_EQUAL(take_all(r, "bob", t + 10000), 100); /* a key of its own */
    CU_ASSERT_EQUAL(take_all(r, "ann", t + 510000), 50); /* half a second later */
    /* a longer silence saves up no more than a second's worth */
    CU_ASSERT_EQUAL(take_all(r, "ann", t + 60000000), 100);
    api_rate_free(r);
    CU_ASSERT_TRUE(take(NULL, "ann", t));
    api_rate_free(NULL);
}

static void test_fastest_rate(void)
{
    struct api_rate *r = api_rate_new(API_RATE_MAX);

    for (int i = 0; i < API_RATE_MAX; i++)
        if (!take(r, "ann", 1000))
            CU_FAIL_FATAL("refused within the rate");
    CU_ASSERT_FALSE(take(r, "ann", 1000));
    CU_ASSERT_TRUE(take(r, "ann", 1001));
    api_rate_free(r);
}

/* Keys that differ in one byte, wherever it is, are told apart; a prefix is another key. */
static void test_keys_are_told_apart(void)
{
    char key[17] = "0123456789abcdef";
    struct api_rate *r = api_rate_new(1);

    CU_ASSERT_TRUE(take(r, key, 1));
    for (size_t i = 0; i < 16; i++) {
        char was = key[i];

        key[i] = '!';
        CU_ASSERT_TRUE(take(r, key, 1));
        CU_ASSERT_FALSE(take(r, key, 1));
        key[i] = was;
    }
    CU_ASSERT_FALSE(take(r, key, 1));
    for (size_t len = 1; len < 16; len++)
        CU_ASSERT_TRUE(api_rate_take(r, key, len, 1));
    api_rate_free(r);
}

/* Even with more keys than the table has places, no key is refused that has not used up its
 * rate. */
static void test_many_keys(void)
{
    struct api_rate *r = api_rate_new(2);
    int refused = 0;

    for (uint32_t i = 0; i < 10 * API_RATE_SETS * API_RATE_WAYS; i++)
        refused += !api_rate_take(r, &i, sizeof i, 1);
    CU_ASSERT_EQUAL(refused, 0);
    api_rate_free(r);
}

static void test_loopback(void)
{
    static const struct {
        const char *address;
        bool loopback;
    } cases[] = {{"::1", true},
                 {"::ffff:127.0.0.1", true},
                 {"::ffff:127.255.0.9", true},
                 {"::ffff:126.0.0.1", false},
                 {"::ffff:10.0.0.127", false},
                 {"::2", false},
                 {"fe80::1", false},
                 {"7f00::1", false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct in6_addr a;

        CU_ASSERT_EQUAL_FATAL(inet_pton(AF_INET6, cases[i].address, &a), 1);
        CU_ASSERT_EQUAL(api_peers_is_loopback(&a), cases[i].loopback);
    }
}

/* ---- on the wire ---- */

#define LONG_BODY (32u << 20) /* more than the kernel buffers between two sockets */

static struct api_server *server;
static uint16_t port;
static atomic_bool stream_may_end;

static void on_any(struct api_request *rq, void *user)
{
    (void)user;
    api_answer(rq, 200, API_JSON, NULL);
}

static void on_long(struct api_request *rq, void *user)
{
    struct base_buf body = {0};
    char *text = base_alloc(LONG_BODY);

    (void)user;
    memset(text, 'x', LONG_BODY);
    base_buf_add(&body, text, LONG_BODY);
    free(text);
    api_answer(rq, 200, API_TEXT, &body);
}

/* Sends a byte, then nothing until the test says so, then the end. */
static int64_t read_seldom(void *u, char *buf, size_t max)
{
    bool *begun = u;

    (void)max;
    if (!*begun) {
        *begun = true;
        buf[0] = 'a';
        return 1;
    }
    return atomic_load(&stream_may_end) ? -1 : 0;
}

static void on_stream(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_stream(rq, 200, "text/plain", read_seldom, base_alloc(sizeof(bool)), free);
}

/* Fills whatever it is given, for ever. */
static atomic_llong bytes_made;

static int64_t read_zeros(void *u, char *buf, size_t max)
{
    (void)u;
    memset(buf, 0, max);
    atomic_fetch_add(&bytes_made, (long long)max);
    return (int64_t)max;
}

static void on_zeros(struct api_request *rq, void *user)
{
    (void)user;
    api_answer_stream(rq, 200, "text/plain", read_zeros, base_alloc(1), free);
}

static const struct api_route routes[] = {
    {"GET", "/ws/v1/cluster/info", API_ROLE_READ, 0, on_any, 0},
    {"GET", "/ws/v1/cluster/long", API_ROLE_READ, 0, on_long, 0},
    {"GET", "/ws/v1/cluster/stream", API_ROLE_READ, 0, on_stream, 0},
    {"GET", "/ws/v1/cluster/zeros", API_ROLE_READ, 0, on_zeros, 0},
};

static void start(struct api_server_conf conf)
{
    struct base_error err;

    conf.bind = "127.0.0.1";
    conf.threads = 2;
    conf.static_user = "dr.who";
    base_assert(api_server_start(&conf, routes, sizeof routes / sizeof routes[0], NULL, &server,
                                 &err) == 0);
    port = api_server_port(server);
}

static int get_as(const char *query)
{
    struct client_answer a;
    char path[200];
    int status;

    snprintf(path, sizeof path, "/ws/v1/cluster/info%s", query);
    client_do(port, "GET", path, NULL, NULL, &a);
    status = a.status;
    if (status == 429) {
        CU_ASSERT_TRUE(client_has(&a, "Retry-After: 1"));
        CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "LimitException"));
    }
    client_free(&a);
    return status;
}

/* At one request a second, a user's second request is refused when it comes within a second of the
 * first. A busy machine may be too slow for that: so ask until it happens. */
static bool is_refused_soon(const char *query)
{
    for (int64_t until = client_now_ms() + 60000; client_now_ms() < until;)
        if (get_as(query) == 429)
            return true;
    return false;
}

static void test_users_on_the_wire(void)
{
    start((struct api_server_conf){.requests_per_user = 1});
    CU_ASSERT_EQUAL(get_as("?user.name=ann"), 200);
    CU_ASSERT_TRUE(is_refused_soon("?user.name=ann"));
    CU_ASSERT_EQUAL(get_as("?user.name=bob"), 200); /* each user has a rate of their own */
    for (int i = 0; i < 20; i++)
        /* the limit of users does not concern callers without a name */
        CU_ASSERT_EQUAL(get_as(""), 200);
    api_server_stop(server);
}

static void test_loopback_on_the_wire(void)
{
    start((struct api_server_conf){.requests_per_address = 1});
    for (int i = 0; i < 20; i++)
        CU_ASSERT_EQUAL(get_as("?user.name=ann"), 200);
    api_server_stop(server);
}

static int begin_reading(const char *path)
{
    char request[200];
    int fd = client_connect(port);

    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    client_sends(fd, request);
    return fd;
}

/* Waits, without reading, until the server has reset the connection. */
static bool is_reset(int fd)
{
    struct pollfd p = {.fd = fd};

    return poll(&p, 1, 60000) == 1 && (p.revents & POLLERR);
}

static size_t read_body(int fd)
{
    struct client_answer a;
    size_t len = client_read(fd, false, &a) ? a.body.len : 0;

    client_free(&a);
    close(fd);
    return len;
}

/* A client is slow when it leaves bytes unread, not when its answer takes long: the follower, which
 * has read all there was, is not cut while another client is found to be slow, which takes longer
 * than a window. */
static void test_slow_readers(void)
{
    int follower, slow;

    start(
        (struct api_server_conf){.answer_rate = 1, .body_window_ms = 1000, .idle_timeout_s = 3000});
    follower = begin_reading("/ws/v1/cluster/stream");
    slow = begin_reading("/ws/v1/cluster/long");
    CU_ASSERT_TRUE(is_reset(slow));
    close(slow);
    CU_ASSERT_EQUAL(read_body(begin_reading("/ws/v1/cluster/long")), LONG_BODY);
    atomic_store(&stream_may_end, true);
    CU_ASSERT_EQUAL(read_body(follower), 1);
    api_server_stop(server);
}

/* Little of an answer is made for a client that does not read it: what the kernel keeps of it on
 * both sides, which would be megabytes if the sender could fill its side. */
static void test_no_readers(void)
{
    int fd;

    start(
        (struct api_server_conf){.answer_rate = 1, .body_window_ms = 1000, .idle_timeout_s = 3000});
    fd = begin_reading("/ws/v1/cluster/zeros");
    CU_ASSERT_TRUE(is_reset(fd));
    close(fd);
    CU_ASSERT(atomic_load(&bytes_made) > 0 && atomic_load(&bytes_made) < 1 << 20);
    api_server_stop(server);
}

static const struct cunit_case cases[] = {
    {"rate", test_rate},
    {"fastest rate", test_fastest_rate},
    {"keys are told apart", test_keys_are_told_apart},
    {"many keys", test_many_keys},
    {"loopback", test_loopback},
    {"users on the wire", test_users_on_the_wire},
    {"loopback on the wire", test_loopback_on_the_wire},
    {"slow readers", test_slow_readers},
    {"no readers", test_no_readers},
};
CUNIT_MAIN("api_limits", cases)

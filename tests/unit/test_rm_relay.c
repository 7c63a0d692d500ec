/* Goal: a node's answer passes through the ResourceManager whole, or the client sees that it is
 * cut; nothing but answers of the node asked for passes; slow and many clients cost a bounded
 * buffer each.
 * Method: an HTTP server whose one handler relays requests, and a node in this process that follows
 * a script. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rm/daemon/relay.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/start_namer.h"

#define NODE     "n1:8041"
#define SIGNED   "X-Creel-Node: " NODE "\r\n"
#define LONG     (4 << 20) /* in bytes: far more than the relay and the sockets hold */
#define PORT     api_server_port(server)
#define OK(rest) "HTTP/1.1 200 OK\r\n" rest "Connection: close\r\n\r\n"

static struct rm_relay *relay;
static struct api_server *server;
static char address[64];
static int node_fd;
static const char *node_says; /* NULL: the connection stays silent; "long": LONG bytes */
static atomic_size_t node_sent;
static atomic_int silent[2 * RM_RELAY_PEER_MAX], n_silent;
static char asked[1024];
static bool signs; /* the relay signs its requests */

static void send_long(int fd)
{
    static char block[64 * 1024];
    static const char head[] = OK(SIGNED "Content-Length: 4194304\r\n");

    memset(block, 'x', sizeof block);
    (void)!write(fd, head, sizeof head - 1);
    for (size_t sent = 0; sent < LONG; sent += sizeof block)
        for (size_t at = 0; at < sizeof block;) {
            ssize_t n = send(fd, block + at, sizeof block - at, MSG_NOSIGNAL);
            if (n <= 0)
                return;
            at += (size_t)n;
            atomic_fetch_add(&node_sent, (size_t)n);
        }
}

static void *node_main(void *arg)
{
    int fd;

    (void)arg;
    while ((fd = accept(node_fd, NULL, NULL)) >= 0) {
        ssize_t n = read(fd, asked, sizeof asked - 1);

        asked[n > 0 ? n : 0] = '\0';
        if (!node_says) {
            silent[n_silent++] = fd;
            continue;
        }
        if (strcmp(node_says, "long") == 0)
            send_long(fd);
        else
            (void)!write(fd, node_says, strlen(node_says));
        close(fd);
    }
    return NULL;
}

static void on_get(struct api_request *rq, void *user)
{
    (void)user;
    rm_relay_get_from_node(relay, rq, NODE, address, "raw-logs/c/stdout?offset=3",
                           "application/octet-stream");
}

static const struct api_route routes[] = {
    {"GET", "/relay", API_ROLE_READ, 0, on_get, API_ROUTE_CREEL}};

static pthread_t node_thread;

static void start(void)
{
    struct api_server_conf conf = {.bind = "127.0.0.1", .threads = 1, .static_user = "dr.who"};
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;

    node_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    base_assert(bind(node_fd, (struct sockaddr *)&a, len) == 0 && listen(node_fd, 256) == 0);
    base_assert(getsockname(node_fd, (struct sockaddr *)&a, &len) == 0);
    snprintf(address, sizeof address, "127.0.0.1:%u", ntohs(a.sin_port));
    node_sent = 0;
    n_silent = 0;
    base_assert(pthread_create(&node_thread, NULL, node_main, NULL) == 0);
    relay = rm_relay_new();
    if (signs)
        rm_relay_sign_with(relay, client_keys());
    rm_relay_start(relay);
    base_assert(api_server_start(&conf, routes, 1, NULL, &server, NULL) == 0);
}

static void stop(void)
{
    shutdown(node_fd, SHUT_RDWR);
    rm_relay_stop(relay);
    api_server_stop(server);
    rm_relay_free(relay);
    pthread_join(node_thread, NULL);
    for (int i = 0; i < n_silent; i++)
        close(silent[i]);
    close(node_fd);
}

static void get(struct client_answer *a)
{
    client_do(PORT, "GET", "/relay", NULL, NULL, a);
}

/* Expects the relay to answer with @status, and with @body in the text unless NULL, when the node
 * answers @says. */
static void expect(const char *says, int status, const char *body)
{
    struct client_answer a = {0};

    node_says = says;
    get(&a);
    CU_ASSERT_EQUAL(a.status, status);
    CU_ASSERT_TRUE(!body || (a.body.data && strstr(a.body.data, body)));
    CU_ASSERT_EQUAL(status == 200 || status == 404, client_has(&a, "X-Creel-Node: " NODE));
    client_free(&a);
}

static void test_answers(void)
{
    start();
    expect(OK(SIGNED "Content-Length: 5\r\n") "bytes", 200, "bytes");
    CU_ASSERT_TRUE(strncmp(asked, "GET /ws/v1/node/raw-logs/c/stdout?offset=3 HTTP/1.1\r\n", 53) ==
                   0);
    expect("HTTP/1.1 404 Not Found\r\n" SIGNED "Content-Length: 6\r\n\r\nsecret", 404,
           "no such log");
    expect("HTTP/1.1 500 Oops\r\n" SIGNED "Content-Length: 0\r\n\r\n", 502,
           "answers with an error");
    stop();
}

static void test_another_server(void)
{
    struct client_answer a = {0};

    start();
    expect(OK("Content-Length: 6\r\n") "secret", 502, "another server");
    expect(OK("X-Creel-Node: n1:80411\r\nContent-Length: 6\r\n") "secret", 502, "another server");
    expect("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 502, "another server");
    expect("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n" SIGNED
           "Content-Length: 0\r\n\r\n",
           502, NULL);
    snprintf(address, sizeof address, "127.0.0.1:1"); /* nobody listens there */
    get(&a);
    CU_ASSERT_EQUAL(a.status, 502);
    client_free(&a);
    stop();
}

static void test_addresses(void)
{
    static const char *const good[] = {"h:1", "a-b.c_d:65535", "10.0.0.1:8042", "[::1]:8042"};
    static const char *const bad[] = {"",      "h",       "h:",       "h:0",       "h:65536",
                                      "h:1/x", ":1",      "u@h:1",    "h:1?x",     "h:1#x",
                                      "h/x:1", "[::1]",   "[]:1",     "h:+1",      "h: 1",
                                      "h:1 ",  "h\r\n:1", "[::1]x:1", "[::1@h]:1", "h\\:1"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CU_ASSERT_TRUE(rm_relay_is_host_and_port(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_FALSE(rm_relay_is_host_and_port(bad[i]));
    start();
    snprintf(address, sizeof address, "h:1/ws/v1/x?y=");
    expect("", 502, "is not host:port");
    stop();
}

/* A client can tell a connection of the node that breaks from the end of the log. */
static void test_broken(void)
{
    struct client_answer a = {0};
    int fd;

    start();
    node_says = OK(SIGNED "Content-Length: 100\r\n") "some";
    fd = client_connect(PORT);
    client_sends(fd, "GET /relay HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    CU_ASSERT_FALSE(client_read(fd, false, &a)); /* the last chunk is missing */
    CU_ASSERT_EQUAL(a.status, 200);
    client_free(&a);
    close(fd);
    stop();
}

/* A client that does not read makes the node's sending stop, and gets the whole log once it
 * reads. */
static void test_slow_client(void)
{
    struct client_answer a = {0};
    size_t sent = 0;
    int fd;

    start();
    node_says = "long";
    fd = client_connect(PORT);
    client_sends(fd, "GET /relay HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    do { /* until the node's sending stands still */
        sent = atomic_load(&node_sent);
        usleep(200000);
    } while (sent == 0 || atomic_load(&node_sent) != sent);
    CU_ASSERT_TRUE(client_read(fd, false, &a));
    CU_ASSERT_EQUAL(a.body.len, LONG);
    client_free(&a);
    close(fd);
    stop();
}

/* Requests beyond RM_RELAY_PEER_MAX of one client are refused; a stop ends those that wait and
 * those whose answer flows. */
static void test_bounds_and_stop(void)
{
    struct client_answer a = {0};
    int fds[RM_RELAY_PEER_MAX];

    start();
    node_says = NULL;
    for (int i = 0; i < RM_RELAY_PEER_MAX; i++) {
        fds[i] = client_connect(PORT);
        client_sends(fds[i], "GET /relay HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    }
    while (n_silent < RM_RELAY_PEER_MAX)
        usleep(1000);
    get(&a);
    CU_ASSERT_EQUAL(a.status, 503);
    client_free(&a);
    /* this node's answer flows */
    (void)!write(silent[0], OK(SIGNED) "x", sizeof(OK(SIGNED) "x") - 1);
    stop();
    for (int i = 0; i < RM_RELAY_PEER_MAX; i++) {
        CU_ASSERT_TRUE(!client_read(fds[i], false, &a) || a.status == 503 || a.status == 200);
        client_free(&a);
        close(fds[i]);
    }
}

static struct api_server *signed_node;
static unsigned n_carried_out;

static int64_t read_log(void *user, char *buf, size_t max)
{
    bool *read = user;

    if (*read)
        return -1;
    base_assert(max >= 4);
    memcpy(buf, "log\n", 4);
    *read = true;
    return 4;
}

static void on_log(struct api_request *rq, void *user)
{
    (void)user;
    n_carried_out++;
    api_add_header(rq, "X-Creel-Node", NODE);
    api_answer_stream(rq, 200, "text/plain", read_log, base_alloc(sizeof(bool)), free);
}

static const struct api_route node_routes[] = {
    {"GET", "/ws/v1/node/raw-logs/c/stdout", API_ROLE_NODE, 0, on_log, API_ROUTE_CREEL}};

static void start_signed_node(uint16_t port)
{
    struct api_server_conf conf = {
        .bind = "127.0.0.1", .port = port, .threads = 1, .keys = client_keys()};

    base_assert(api_server_start(&conf, node_routes, 1, NULL, &signed_node, NULL) == 0);
    snprintf(address, sizeof address, "127.0.0.1:%u", api_server_port(signed_node));
}

/* The relay learns a node's start id with its first request, and again after a restart. */
static void test_restarted_node(void)
{
    struct client_answer a = {0};

    signs = true;
    start();
    start_signed_node(0);
    for (unsigned i = 0; i < 4; i++) {
        n_carried_out = 0;
        get(&a);
        CU_ASSERT_EQUAL(a.status, 200);
        CU_ASSERT_TRUE(a.body.len == 4 && memcmp(a.body.data, "log\n", 4) == 0);
        CU_ASSERT_EQUAL(n_carried_out, 1);
        client_free(&a);
        if (i == 1) {
            uint16_t port = api_server_port(signed_node);

            api_server_stop(signed_node);
            start_signed_node(port);
        }
    }
    api_server_stop(signed_node);
    get(&a);
    CU_ASSERT_EQUAL(a.status, 502);
    client_free(&a);
    stop();
    signs = false;
}

/* Nobody makes the relay ask more than twice, and nobody without the key more than once. */
static void test_asks_at_most_twice(void)
{
    static const struct {
        enum start_namer_way way;
        unsigned requests;
    } rows[] = {{NAMER_NO_MAC, 1},     {NAMER_OTHER_KEY, 1}, {NAMER_OTHER_NONCE, 1},
                {NAMER_CHANGED_ID, 1}, {NAMER_SAME_ID, 1},   {NAMER_STATUS_200, 1},
                {NAMER_STATUS_403, 1}, {NAMER_NEW_ID, 2},    {NAMER_NEW_ID, 2}};
    struct client_answer a = {0};

    signs = true;
    start();
    snprintf(address, sizeof address, "127.0.0.1:%u", start_namer_start());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start_namer_set_way(rows[i].way);
        get(&a);
        CU_ASSERT_EQUAL(a.status, 502);
        CU_ASSERT_EQUAL(start_namer_count_requests(), rows[i].requests);
        client_free(&a);
    }
    start_namer_stop();
    stop();
    signs = false;
}

static const struct cunit_case cases[] = {
    {"answers of the node", test_answers},
    {"another server there", test_another_server},
    {"addresses", test_addresses},
    {"a broken answer is cut", test_broken},
    {"a slow client", test_slow_client},
    {"bounds, and the stop", test_bounds_and_stop},
    {"a restarted node", test_restarted_node},
    {"two requests at most", test_asks_at_most_twice},
};

int main(void)
{
    return cunit_main("rm relay", cases, sizeof cases / sizeof *cases);
}

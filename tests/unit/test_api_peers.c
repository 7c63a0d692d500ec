/* Limits of connections and of bodies' memory, by address: the table alone, then the server on
 * the wire. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/server/conf.h"
#include "api/server/limits/pace.h"
#include "api/server/limits/peers.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

#define JSON "Content-Type: application/json\r\n"

/* ---- the table ---- */

struct place {
    struct api_seat seat;
    int ends[2]; /* a socket pair: the second end sees the shutdown */
};

static void address(const char *text, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)out;

    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        out->ss_family = AF_INET;
    } else {
        CU_ASSERT_EQUAL_FATAL(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
        out->ss_family = AF_INET6;
    }
}

static bool has_room(struct api_peers *p, const char *from, int64_t now)
{
    struct sockaddr_storage a;

    address(from, &a);
    return api_peers_have_room_for(p, (struct sockaddr *)&a, now);
}

static void enter(struct api_peers *p, struct place *place, const char *from, int64_t now)
{
    struct sockaddr_storage a;

    address(from, &a);
    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, place->ends), 0);
    api_peers_seat_connection(p, &place->seat, (struct sockaddr *)&a, place->ends[0], now);
}

static void enter_and_speak(struct api_peers *p, struct place *place, const char *from, int64_t now)
{
    enter(p, place, from, now);
    api_peers_mark_spoken(p, &place->seat);
}

static bool is_cut(const struct place *place)
{
    char c;

    return recv(place->ends[1], &c, 1, MSG_DONTWAIT) == 0;
}

static void leave(struct api_peers *p, struct place *place, int64_t now)
{
    api_peers_unseat_connection(p, &place->seat, now);
    close(place->ends[0]);
    close(place->ends[1]);
}

/* Half-open connections of an address push out each other, the oldest first, and no connection of
 * another address. */
static void test_one_address(void)
{
    struct api_peers *p =
        api_peers_new(&(struct api_peer_limits){.connections = 100, .per_address = 3});
    struct place a[5], other;

    enter(p, &other, "192.0.2.9", 0);
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_TRUE(has_room(p, "192.0.2.1", 0));
        enter(p, &a[i], "192.0.2.1", 0);
        CU_ASSERT_EQUAL(is_cut(&a[0]), i >= 3);
        CU_ASSERT_EQUAL(is_cut(&a[1]), i >= 4);
    }
    CU_ASSERT_FALSE(is_cut(&a[2]));
    CU_ASSERT_FALSE(is_cut(&other));
    /* it gave way a moment ago, so speaking changes nothing */
    api_peers_mark_spoken(p, &a[0].seat);
    for (int i = 2; i < 5; i++)
        api_peers_mark_spoken(p, &a[i].seat);
    CU_ASSERT_FALSE(has_room(p, "192.0.2.1", 0)); /* all three speak: nobody gives way */
    CU_ASSERT_TRUE(has_room(p, "192.0.2.2", 0));
    leave(p, &a[0], 0); /* a connection that gave way does not count any more: no room */
    CU_ASSERT_FALSE(has_room(p, "192.0.2.1", 0));
    leave(p, &a[3], 0);
    CU_ASSERT_TRUE(has_room(p, "192.0.2.1", 0));
    leave(p, &a[1], 0);
    leave(p, &a[2], 0);
    leave(p, &a[4], 0);
    leave(p, &other, 0);
    api_peers_free(p);
}

static void test_all(void)
{
    struct api_peers *p =
        api_peers_new(&(struct api_peer_limits){.connections = 4, .for_nodes = 1});
    struct place a[6];

    enter_and_speak(p, &a[0], "192.0.2.1", 0);
    enter(p, &a[1], "192.0.2.2", 0);
    enter(p, &a[2], "192.0.2.3", 0);
    CU_ASSERT_TRUE(has_room(p, "192.0.2.4", 0));
    enter_and_speak(p, &a[3], "192.0.2.4", 0);
    /* the oldest connection that has not spoken, whatever its address */
    CU_ASSERT_TRUE(is_cut(&a[1]));
    CU_ASSERT_FALSE(is_cut(&a[0]));
    CU_ASSERT_FALSE(is_cut(&a[2]));
    api_peers_mark_spoken(p, &a[2].seat);
    CU_ASSERT_FALSE(has_room(p, "192.0.2.5", 0)); /* the fourth place is kept for nodes */
    api_peers_mark_node(p, &a[0].seat, true, 0);  /* the first connection moves to that place */
    CU_ASSERT_TRUE(has_room(p, "192.0.2.5", 0));
    enter_and_speak(p, &a[4], "192.0.2.5", 0);
    CU_ASSERT_FALSE(has_room(p, "192.0.2.6", 0));
    leave(p, &a[0], 0); /* the node's connection ends: only its address may connect again */
    CU_ASSERT_FALSE(has_room(p, "192.0.2.6", 0));
    CU_ASSERT_FALSE(has_room(p, "192.0.2.1", API_PEER_NODE_MS));
    CU_ASSERT_TRUE(has_room(p, "192.0.2.1", API_PEER_NODE_MS - 1));
    enter_and_speak(p, &a[0], "192.0.2.1", API_PEER_NODE_MS - 1);
    /* all four places are taken by others that have spoken */
    enter(p, &a[5], "192.0.2.1", API_PEER_NODE_MS - 1);
    CU_ASSERT_TRUE(is_cut(&a[5]));
    for (int i = 0; i < 6; i++)
        leave(p, &a[i], 0);
    api_peers_free(p);
}

static void test_nodes(void)
{
    struct api_peers *p =
        api_peers_new(&(struct api_peer_limits){.connections = 100, .per_address = 2});
    struct place node[5], a[3];

    /* connections signed with the secret do not count against their address */
    for (int i = 0; i < 5; i++) {
        enter_and_speak(p, &node[i], "192.0.2.1", 0);
        api_peers_mark_node(p, &node[i].seat, true, 0);
        api_peers_mark_node(p, &node[i].seat, true, 0); /* again, as at each heartbeat */
        CU_ASSERT_TRUE(has_room(p, "192.0.2.1", 0));
    }
    for (int i = 0; i < 2; i++) {
        enter_and_speak(p, &a[i], "192.0.2.1", 0);
        /* without the secret anybody can send heartbeats: the connection still counts */
        api_peers_mark_node(p, &a[i].seat, false, 0);
    }
    CU_ASSERT_FALSE(has_room(p, "192.0.2.1", 0));
    for (int i = 0; i < 5; i++)
        leave(p, &node[i], 0);
    CU_ASSERT_FALSE(has_room(p, "192.0.2.1", 0));
    leave(p, &a[0], 0);
    CU_ASSERT_TRUE(has_room(p, "192.0.2.1", 0));
    leave(p, &a[1], 0);
    /* The address is remembered as a node's, and forgotten once API_PEER_NODE_MS have passed (leaks
     * are seen by the sanitizer). */
    enter(p, &a[2], "192.0.2.2", 2 * API_PEER_NODE_MS);
    leave(p, &a[2], 2 * API_PEER_NODE_MS);
    api_peers_free(p);
}

static void test_networks(void)
{
    static const struct {
        const char *one, *two;
        bool same;
    } cases_[] = {
        {"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
        {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
        {"192.0.2.1", "::ffff:192.0.2.1", true},
        {"192.0.2.1", "192.0.2.2", false},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
        {"::1", "::2", false},
    };

    for (size_t i = 0; i < sizeof cases_ / sizeof cases_[0]; i++) {
        struct api_peers *p =
            api_peers_new(&(struct api_peer_limits){.connections = 9, .per_address = 1});
        struct place a;

        enter_and_speak(p, &a, cases_[i].one, 0);
        CU_ASSERT_FALSE(has_room(p, cases_[i].one, 0));
        CU_ASSERT_EQUAL(has_room(p, cases_[i].two, 0), !cases_[i].same);
        leave(p, &a, 0);
        api_peers_free(p);
    }
}

static void test_budget(void)
{
    struct api_peers *p =
        api_peers_new(&(struct api_peer_limits){.connections = 9, .body_bytes = 400});
    struct place a, b, c, node;

    enter_and_speak(p, &a, "192.0.2.1", 0);
    enter_and_speak(p, &b, "192.0.2.1", 0);
    enter_and_speak(p, &c, "192.0.2.2", 0);
    enter_and_speak(p, &node, "192.0.2.3", 0);
    CU_ASSERT_TRUE(api_peers_charge_body_memory(p, &a.seat, 150));
    /* one address gets at most half, over all its connections */
    CU_ASSERT_FALSE(api_peers_charge_body_memory(p, &b.seat, 51));
    CU_ASSERT_TRUE(api_peers_charge_body_memory(p, &b.seat, 50));
    CU_ASSERT_FALSE(api_peers_charge_body_memory(p, &a.seat, 1));
    /* a quarter is kept for nodes */
    CU_ASSERT_FALSE(api_peers_charge_body_memory(p, &c.seat, 101));
    CU_ASSERT_TRUE(api_peers_charge_body_memory(p, &c.seat, 100));
    CU_ASSERT_FALSE(api_peers_charge_body_memory(p, &node.seat, 1));
    api_peers_mark_node(p, &node.seat, false, 0);
    CU_ASSERT_FALSE(api_peers_charge_body_memory(p, &node.seat, 1));
    api_peers_mark_node(p, &node.seat, true, 0);
    CU_ASSERT_FALSE(api_peers_charge_body_memory(p, &node.seat, 101));
    CU_ASSERT_TRUE(api_peers_charge_body_memory(p, &node.seat, 100));
    api_peers_release_body_memory(p, &a.seat, 150);
    CU_ASSERT_TRUE(api_peers_charge_body_memory(p, &c.seat, 50));
    /* three quarters are taken, the node's part included */
    CU_ASSERT_FALSE(api_peers_charge_body_memory(p, &c.seat, 1));
    api_peers_release_body_memory(p, &b.seat, 50);
    api_peers_release_body_memory(p, &c.seat, 150);
    api_peers_release_body_memory(p, &node.seat, 100);
    leave(p, &a, 0);
    leave(p, &b, 0);
    leave(p, &c, 0);
    leave(p, &node, 0);
    api_peers_free(p);
}

/* Windows of 10 s, 100 bytes a second. */
static void test_pace(void)
{
    struct api_pace p = {0};

#define LATE(since, received, now) api_pace_is_late(&p, since, received, now, 10000, 100)
    CU_ASSERT_FALSE(LATE(5000, 0, 5500));     /* the first look begins the window */
    CU_ASSERT_FALSE(LATE(5000, 0, 15499));    /* the window is not over */
    CU_ASSERT_FALSE(LATE(5000, 1000, 15500)); /* just enough for a window */
    CU_ASSERT_FALSE(LATE(5000, 1999, 25499));
    CU_ASSERT_TRUE(LATE(5000, 1999, 25500)); /* one byte less than a window needs */
    CU_ASSERT_FALSE(LATE(5000, 1000000, 35500));
    CU_ASSERT_TRUE(LATE(5000, 1000000, 45500)); /* much at once is no credit for later */
    /* the next look comes after 20 s: 2,000 bytes are enough */
    CU_ASSERT_FALSE(LATE(5000, 1002000, 65500));
    CU_ASSERT_TRUE(LATE(5000, 1003999, 85501));
    CU_ASSERT_FALSE(LATE(90000, 1003999, 95501)); /* the count begins anew with the next body */
    CU_ASSERT_FALSE(LATE(90000, 1004999, 105501));
#undef LATE
}

static void test_keys(void)
{
    struct base_conf *conf = base_conf_new();
    struct api_server_conf sc = {0};
    struct base_error err;

    CU_ASSERT_EQUAL(api_conf_read(conf, "resourcemanager", &sc, &err), 0);
    CU_ASSERT_EQUAL(sc.connections_max, 10000);
    CU_ASSERT_EQUAL(sc.connections_per_address, 2500);
    CU_ASSERT_EQUAL(sc.connections_for_nodes, 1000);
    CU_ASSERT_EQUAL(sc.head_timeout_ms, 30000);
    CU_ASSERT_EQUAL(sc.body_rate, 4096);
    CU_ASSERT_EQUAL(sc.answer_rate, 4096);
    CU_ASSERT_EQUAL(sc.requests_per_address, 2000);
    CU_ASSERT_EQUAL(sc.requests_per_user, 2000);
    CU_ASSERT_EQUAL(sc.body_memory, 256 << 20);
    api_conf_free(&sc);
    CU_ASSERT_EQUAL(base_conf_set_arg(conf, "creel.http.connections=1000", &err), 0);
    CU_ASSERT_EQUAL(api_conf_read(conf, "resourcemanager", &sc, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.http.connections-for-nodes: 1000"));
    api_conf_free(&sc);
    base_conf_free(conf);
}

/* ---- on the wire ---- */

static struct api_server *server;
static uint16_t port;

static void on_any(struct api_request *rq, void *user)
{
    (void)user;
    api_answer(rq, 200, API_JSON, NULL);
}

static struct api_request *held[8];
static atomic_uint n_held;

static void on_held(struct api_request *rq, void *user)
{
    (void)user;
    api_park(rq);
    held[atomic_load(&n_held)] = rq;
    atomic_fetch_add(&n_held, 1);
}

static const struct api_route routes[] = {
    {"POST", "/ws/v1/cluster/held", API_ROLE_WRITE, 1 << 20, on_held, API_ROUTE_CREEL},
    {"GET", "/ws/v1/cluster/info", API_ROLE_READ, 0, on_any, 0},
    {"POST", "/ws/v1/cluster/jobs", API_ROLE_WRITE, 1 << 20, on_any, API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/heartbeat", API_ROLE_NODE, 1 << 20, on_any, API_ROUTE_CREEL},
};

static void start(struct api_server_conf conf)
{
    struct base_error err;

    conf.bind = "127.0.0.1";
    conf.threads = 2;
    conf.static_user = "u";
    conf.keys = client_keys();
    base_assert(api_server_start(&conf, routes, sizeof routes / sizeof routes[0], NULL, &server,
                                 &err) == 0);
    port = api_server_port(server);
    client_forget_start_id(port);
}

/* Each 127.0.0.x is a peer of its own. */
static int connect_from(int x)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(0x7f000000u + (unsigned)x)}};
    struct timeval timeout = {.tv_sec = 60};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    base_assert(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons(port);
    base_assert(connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
    return fd;
}

/* Returns the status of the answer over @fd; 0: the connection was cut. */
static int ask_on(int fd, const char *request)
{
    struct client_answer a;
    int status;

    client_sends(fd, request);
    status = client_read(fd, false, &a) ? a.status : 0;
    client_free(&a);
    return status;
}

static const char get[] = "GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n\r\n";
/* Sends a heartbeat over @fd, signed anew; returns the status. */
static int beat_on(int fd)
{
    char *line = client_sign(port, "POST", "/ws/v1/nodetracker/heartbeat", "{}", 2);
    char *request = base_printf("POST /ws/v1/nodetracker/heartbeat HTTP/1.1\r\nHost: "
                                "localhost:%u\r\n%s" JSON "Content-Length: 2\r\n\r\n{}",
                                port, line);
    int status = ask_on(fd, request);

    free(request);
    free(line);
    return status;
}

static int get_from(int x)
{
    int fd = connect_from(x), status = ask_on(fd, get);

    close(fd);
    return status;
}

/* Asks from 127.0.0.@x until the answer is @status: the server may not have seen yet that
 * connections were closed here. */
static bool comes_to(int x, int status)
{
    for (int64_t until = client_now_ms() + 60000; client_now_ms() < until; poll(NULL, 0, 5))
        if (get_from(x) == status)
            return true;
    return false;
}

#define HALF_OPEN 300

static void test_half_open_on_the_wire(void)
{
    int fds[HALF_OPEN], node;

    start((struct api_server_conf){
        .connections_max = 60, .connections_per_address = 20, .connections_for_nodes = 10});
    node = connect_from(7);
    CU_ASSERT_EQUAL(beat_on(node), 200);
    for (int i = 0; i < HALF_OPEN; i++) {
        fds[i] = connect_from(1);
        if (i % 2)
            client_sends(fds[i], "GET /ws/v1/cl");
    }
    CU_ASSERT_EQUAL(get_from(2), 200); /* other addresses are not touched */
    CU_ASSERT_EQUAL(get_from(1), 200); /* and the peer itself is still served */
    CU_ASSERT_EQUAL(beat_on(node), 200);
    CU_ASSERT_EQUAL(ask_on(fds[0], get), 0); /* the oldest connection gave way */
    for (int i = 0; i < HALF_OPEN; i++)
        close(fds[i]);
    close(node);
    api_server_stop(server);
}

static void test_spoken_on_the_wire(void)
{
    int fds[60], nodes[30], n = 0;

    start((struct api_server_conf){
        .connections_max = 60, .connections_per_address = 10, .connections_for_nodes = 35});
    for (int i = 0; i < 30; i++) { /* nodes are not counted against their address */
        nodes[i] = connect_from(7);
        CU_ASSERT_EQUAL(beat_on(nodes[i]), 200);
    }
    for (int i = 0; i < 10; i++) {
        fds[n] = connect_from(1);
        CU_ASSERT_EQUAL(ask_on(fds[n++], get), 200);
    }
    CU_ASSERT_EQUAL(get_from(1), 0); /* the address has used its share */
    for (int x = 2; x <= 3; x++)
        for (int i = 0; i < 10 && n < 25; i++) {
            fds[n] = connect_from(x);
            CU_ASSERT_EQUAL(ask_on(fds[n++], get), 200);
        }
    CU_ASSERT_EQUAL(get_from(9), 0); /* of 60 places, 35 are kept for nodes and 25 are taken */
    CU_ASSERT_EQUAL(get_from(7), 200);
    for (int i = 0; i < 30; i++)
        CU_ASSERT_EQUAL(beat_on(nodes[i]), 200);
    close(fds[--n]);
    CU_ASSERT_TRUE(comes_to(9, 200));
    while (n > 0)
        close(fds[--n]);
    for (int i = 0; i < 30; i++)
        close(nodes[i]);
    api_server_stop(server);
}

/* Sends a signed request with a body of @len bytes, but for the last byte; returns the socket. */
static int stall_from(int x, const char *path, size_t len)
{
    int fd = connect_from(x);
    char *body = base_alloc(len), *line, *head;

    memset(body, ' ', len);
    line = client_sign(port, "POST", path, body, len);
    head = base_printf("POST %s HTTP/1.1\r\nHost: localhost:%u\r\n%s" JSON
                       "Content-Length: %zu\r\n\r\n",
                       path, port, line, len);
    free(line);
    client_sends(fd, head);
    client_send(fd, body, len - 1);
    free(head);
    free(body);
    return fd;
}

/* Sends the body's last byte and closes @fd. Returns the status; @retry becomes the Retry-After
 * header ("": none). */
static int finish(int fd, char *retry, size_t max)
{
    struct client_answer a;
    const char *at;
    int status;

    client_send(fd, " ", 1);
    status = client_read(fd, false, &a) ? a.status : 0;
    at = a.head ? strstr(a.head, "\r\nRetry-After: ") : NULL;
    snprintf(retry, max, "%.*s", at ? (int)strcspn(at + 15, "\r") : 0, at ? at + 15 : "");
    client_free(&a);
    close(fd);
    return status;
}

#define JOBS      "/ws/v1/cluster/jobs"
#define HELD      "/ws/v1/cluster/held"
#define HEARTBEAT "/ws/v1/nodetracker/heartbeat"

static int post_from(int x, const char *path, size_t len, char *retry, size_t max)
{
    return finish(stall_from(x, path, len), retry, max);
}

/* Sends a request, and returns when its body has been read; the answer is held back. */
static int hold_from(int x, size_t len)
{
    unsigned before = atomic_load(&n_held);
    int fd = stall_from(x, HELD, len);

    client_send(fd, " ", 1);
    while (atomic_load(&n_held) == before)
        poll(NULL, 0, 1);
    return fd;
}

static void test_bodies_on_the_wire(void)
{
    /* of 1 MiB, two such bodies fit for an address, three for all, four with a node's */
    const size_t len = 250000;
    char retry[20];
    int fds[3];

    /* libmicrohttpd may overlook the end of a client that comes together with its last bytes: then
     * the least rate of bodies ends the request. */
    start((struct api_server_conf){
        .connections_max = 60, .body_memory = 1 << 20, .body_rate = 1, .body_window_ms = 5000});
    for (int i = 0; i < 2; i++)
        fds[i] = hold_from(1, len);
    CU_ASSERT_EQUAL(post_from(1, JOBS, len, retry, sizeof retry), 503);
    CU_ASSERT_STRING_EQUAL(retry, "2");
    /* a body that still fits is taken */
    CU_ASSERT_EQUAL(post_from(1, JOBS, 1000, retry, sizeof retry), 200);
    fds[2] = hold_from(2, len);
    CU_ASSERT_EQUAL(post_from(3, JOBS, len, retry, sizeof retry), 503);
    CU_ASSERT_EQUAL(post_from(4, HEARTBEAT, len, retry, sizeof retry), 200);
    for (unsigned i = 0; i < 3; i++) {
        struct client_answer a;

        api_answer(held[i], 200, API_JSON, NULL);
        CU_ASSERT_TRUE(client_read(fds[i], false, &a));
        CU_ASSERT_EQUAL(a.status, 200);
        client_free(&a);
        close(fds[i]);
    }
    /* the memory for a body is given back, too, when its client has gone */
    close(stall_from(1, JOBS, len * 2));
    for (int64_t until = client_now_ms() + 60000; client_now_ms() < until; poll(NULL, 0, 5))
        if (post_from(1, JOBS, len * 2, retry, sizeof retry) == 200)
            break;
    CU_ASSERT_STRING_EQUAL(retry, "");
    api_server_stop(server);
}

static bool is_cut_off(int fd)
{
    char c;
    ssize_t n = recv(fd, &c, 1, 0); /* waits up to the socket's time-out */
    bool cut = n == 0 || (n < 0 && errno == ECONNRESET);

    close(fd);
    return cut;
}

/* Each slow sender is cut off by one limit; the other limits are set out of reach. */
static void test_slow_senders(void)
{
    int fd, idle;

    start((struct api_server_conf){.head_timeout_ms = 200, .idle_timeout_s = 3000});
    fd = connect_from(1);
    CU_ASSERT_TRUE(is_cut_off(fd)); /* this client sends nothing at all */
    fd = connect_from(1);
    client_sends(fd, "GET /ws/v1/cl");
    CU_ASSERT_TRUE(is_cut_off(fd));
    idle = connect_from(1);
    CU_ASSERT_EQUAL(ask_on(idle, get), 200);
    fd = connect_from(1);
    CU_ASSERT_EQUAL(ask_on(fd, get), 200);
    client_sends(fd, "GET /ws/v1/cluster/info HTTP/1.1\r\nHost: loc");
    /* on a kept connection, the time for a head counts from the start of that head */
    CU_ASSERT_TRUE(is_cut_off(fd));
    CU_ASSERT_EQUAL(ask_on(idle, get), 200); /* between two requests only the idle timeout counts */
    close(idle);
    api_server_stop(server);

    start((struct api_server_conf){.body_rate = 1000000,
                                   .body_window_ms = 200,
                                   .idle_timeout_s = 3000,
                                   .head_timeout_ms = 1000000});
    fd = connect_from(1);
    CU_ASSERT_EQUAL(ask_on(fd, get), 200);
    CU_ASSERT_TRUE(is_cut_off(stall_from(1, JOBS, 1000)));
    /* nearly all at once is no credit for later */
    CU_ASSERT_TRUE(is_cut_off(stall_from(1, JOBS, 900000)));
    CU_ASSERT_EQUAL(ask_on(fd, get), 200);
    close(fd);
    api_server_stop(server);
}

/* With fewer descriptors than connections the limits shrink with them: one peer does not take the
 * last descriptor. In a process of its own, since a lowered RLIMIT_NOFILE cannot be raised
 * again. */
static void test_few_descriptors(void)
{
    enum { CONNECTIONS = 400, DESCRIPTORS = 1000 };
    int status, fds[CONNECTIONS];
    pid_t child = fork();

    CU_ASSERT_FATAL(child >= 0);
    if (child == 0) {
        bool ok = setrlimit(RLIMIT_NOFILE, &(struct rlimit){DESCRIPTORS, DESCRIPTORS}) == 0;

        /* 1,000 - 448 for other things leave 552; a quarter of them for an address */
        start((struct api_server_conf){.connections_max = 10000, .connections_per_address = 2500});
        for (int i = 0; i < CONNECTIONS; i++)
            fds[i] = connect_from(1);
        ok = ok && get_from(2) == 200 && get_from(1) == 200;
        ok = ok && ask_on(fds[CONNECTIONS - 139], get) == 0 &&
             ask_on(fds[CONNECTIONS - 130], get) == 200;
        _exit(ok ? 0 : 1);
    }
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_EQUAL(status, 0);
}

static const struct cunit_case cases[] = {
    {"one address", test_one_address},
    {"all addresses", test_all},
    {"nodes", test_nodes},
    {"networks", test_networks},
    {"budget for bodies", test_budget},
    {"pace of bodies", test_pace},
    {"keys", test_keys},
    {"half-open on the wire", test_half_open_on_the_wire},
    {"spoken on the wire", test_spoken_on_the_wire},
    {"bodies on the wire", test_bodies_on_the_wire},
    {"slow senders", test_slow_senders},
    {"few descriptors", test_few_descriptors},
};
CUNIT_MAIN("api_peers", cases)

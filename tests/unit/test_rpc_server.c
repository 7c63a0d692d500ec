/* Goal: the server carries out calls side by side, goes on with calls that were held up, and keeps
 * to its bounds. Method: a protocol made for the test, real sockets, handlers that wait for the
 * test. */
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/rpc/rpc.h"
#include "api/rpc/slow.h"

#define PROTOCOL "test.Protocol"

static struct { /* what handlers have left for the test's own thread */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct api_rpc_call *kept, *held;
    atomic_int handled;
    atomic_bool gate_shut;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void keep(struct api_rpc_call **place, struct api_rpc_call *call)
{
    pthread_mutex_lock(&shared.lock);
    *place = call;
    pthread_cond_signal(&shared.changed);
    pthread_mutex_unlock(&shared.lock);
}

static struct api_rpc_call *await(struct api_rpc_call **place)
{
    struct api_rpc_call *call;

    pthread_mutex_lock(&shared.lock);
    while (!*place)
        pthread_cond_wait(&shared.changed, &shared.lock);
    call = *place;
    *place = NULL;
    pthread_mutex_unlock(&shared.lock);
    return call;
}

static void answer_user(struct api_rpc_call *call)
{
    Rpc__User user = RPC__USER__INIT;

    user.effective = (char *)api_rpc_caller(call);
    api_rpc_answer(call, &user.base);
}

static void handle_now(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    (void)user;
    shared.handled++;
    CU_ASSERT_STRING_EQUAL(((const Rpc__User *)request)->effective, "who");
    CU_ASSERT_STRING_EQUAL(api_rpc_peer(call), "127.0.0.1");
    answer_user(call);
}

static void handle_later(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    (void)request;
    (void)user;
    keep(&shared.kept, call);
}

static void handle_slow(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    if (api_rpc_begin_slow(call))
        handle_later(call, request, user);
}

static void handle_large(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    struct base_buf out = {0};

    (void)request;
    (void)user;
    base_buf_reserve(&out, 4 << 20);
    memset(out.data, 0, 4 << 20);
    out.len = 4 << 20;
    api_rpc_answer_encoded(call, &out);
}

static bool answer_if_shut(struct api_rpc_call *call, void *user)
{
    (void)user;
    if (shared.gate_shut)
        api_rpc_answer_error(call, "x.Shut", "%s is shut", api_rpc_method_name(call));
    return shared.gate_shut;
}

static bool hold_if_user_is_new(struct api_rpc_call *call, void *user)
{
    (void)user;
    bool slow = strcmp(api_rpc_caller(call), "slow") == 0;

    if (!slow && strcmp(api_rpc_caller(call), "new") != 0)
        return false;
    if (slow && !api_rpc_begin_slow(call))
        return true;
    keep(&shared.held, call);
    return true;
}

static const struct api_rpc_method methods[] = {
    {"now", &rpc__user__descriptor, handle_now, 0},
    {"later", &rpc__user__descriptor, handle_later, 0},
    {"large", &rpc__user__descriptor, handle_large, 0},
    {"short", &rpc__user__descriptor, handle_now, 4},
    {"slow", &rpc__user__descriptor, handle_slow, 0},
    {"wide", &rpc__user__descriptor, handle_now, 64 << 20},
};
static const struct api_rpc_protocol protocol = {.name = PROTOCOL,
                                                 .methods = methods,
                                                 .methods_n = 6,
                                                 .gate = answer_if_shut,
                                                 .prepare = hold_if_user_is_new};
/* the same without the method that takes large requests */
static const struct api_rpc_protocol narrow_protocol = {
    .name = PROTOCOL, .methods = methods, .methods_n = 5};

struct fx {
    struct api_rpc_server *server;
    uint16_t port;
};

/* The shared limits of the test: two connections. */
static struct {
    atomic_int taken, spoken, given_back, calls;
    const char *limit; /* NULL: none is reached */
    bool knows_caller; /* of the last call */
} seats;

static bool limits_no_user; /* at the next port that is opened */

static void *take_seat(void *user, const struct sockaddr *from, int fd)
{
    CU_ASSERT(user == &seats && from->sa_family == AF_INET && fd >= 0);
    if (seats.taken - seats.given_back == 2)
        return NULL;
    seats.taken++;
    return &seats;
}

static void note_spoken(void *user, void *seat)
{
    CU_ASSERT(user == &seats && seat == &seats);
    seats.spoken++;
}

static void give_seat_back(void *user, void *seat)
{
    CU_ASSERT(user == &seats && seat == &seats);
    seats.given_back++;
}

static const char *count_call(void *user, void *seat, const char *caller)
{
    CU_ASSERT(user == &seats && seat == &seats && (!caller || *caller));
    seats.calls++;
    seats.knows_caller = caller != NULL;
    return seats.limit;
}

static void begin_with(struct fx *fx, const struct api_rpc_protocol *served, int64_t connections,
                       int64_t memory)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    struct api_rpc_server_conf conf = {.connections_max = connections,
                                       .memory_max = memory,
                                       .seats = {.user = &seats,
                                                 .take = take_seat,
                                                 .mark_spoken = note_spoken,
                                                 .give_back = give_seat_back,
                                                 .count_call = count_call}};
    struct base_error err;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    CU_ASSERT_FATAL(bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 100) == 0);
    getsockname(fd, (struct sockaddr *)&a, &len);
    fx->port = ntohs(a.sin_port);
    conf.ports[0] = (struct api_rpc_port){.listener = fd,
                                          .protocols = served,
                                          .protocols_n = 1,
                                          .limits_no_user = limits_no_user,
                                          .session = {.simple = true, .frame_max = 64 << 20}};
    conf.ports_n = 1;
    CU_ASSERT_EQUAL_FATAL(api_rpc_server_start(&conf, &fx->server, &err), 0);
}

static void begin(struct fx *fx, int64_t connections, int64_t memory)
{
    begin_with(fx, &protocol, connections, memory);
}

static int connect_to(const struct fx *fx)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons(fx->port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static void send_all(int fd, struct base_buf *b)
{
    for (size_t at = 0; at < b->len;) {
        ssize_t n = send(fd, b->data + at, b->len - at, MSG_NOSIGNAL);

        if (n <= 0)
            break; /* the server has closed the connection */
        at += (size_t)n;
    }
    base_buf_free(b);
}

static int greet(const struct fx *fx, const char *user)
{
    struct base_buf b = {0};
    int fd = connect_to(fx);

    base_buf_add(&b, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
    rpc_context_add(&b, user, NULL);
    send_all(fd, &b);
    return fd;
}

static void call(int fd, int32_t id, const char *method)
{
    struct base_buf b = {0};
    Rpc__User request = RPC__USER__INIT;

    request.effective = "who";
    rpc_call_add(&b, id, PROTOCOL, method, &request.base);
    send_all(fd, &b);
}

/* Reads the next answer; without a header when the connection has ended. */
static struct rpc_answer read_answer(int fd, struct base_buf *in)
{
    for (;;) {
        struct rpc_answer a = rpc_answer_take(in);
        char bytes[65536];
        ssize_t n;

        if (a.header)
            return a;
        n = recv(fd, bytes, sizeof bytes, 0);
        if (n <= 0)
            return (struct rpc_answer){0};
        base_buf_add(in, bytes, (size_t)n);
    }
}

static void expect(int fd, struct base_buf *in, uint32_t id, const char *exception)
{
    struct rpc_answer a = read_answer(fd, in);

    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    CU_ASSERT_EQUAL(a.header->call_id, id);
    CU_ASSERT_EQUAL(a.header->status, exception ? API_RPC_ERROR : API_RPC_SUCCESS);
    CU_ASSERT_EQUAL(
        strcmp(a.header->exception ? a.header->exception : "", exception ? exception : ""), 0);
    rpc_answer_free(&a);
}

/* A call that takes long does not keep the next one waiting, and is answered from another thread.
 */
static void test_out_of_order(void)
{
    struct base_buf in = {0};
    struct fx fx;
    int fd;

    begin(&fx, 100, 1 << 20);
    fd = greet(&fx, "ann");
    call(fd, 1, "later");
    call(fd, 2, "now");
    expect(fd, &in, 2, NULL);
    answer_user(await(&shared.kept));
    expect(fd, &in, 1, NULL);
    close(fd);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
}

/* What cannot be carried out is answered, and the connection goes on. */
static void test_refusals(void)
{
    int calls = seats.calls;
    struct base_buf in = {0}, b = {0};
    Rpc__CallHeader header = RPC__CALL_HEADER__INIT;
    struct fx fx;
    int fd;

    begin(&fx, 100, 1 << 20);
    fd = greet(&fx, "ann");
    call(fd, 1, "unknown");
    expect(fd, &in, 1, "org.apache.hadoop.ipc.RpcNoSuchMethodException");
    rpc_call_add(&b, 2, "no.Protocol", "now", NULL);
    header.method = "now";
    header.protocol = PROTOCOL;
    header.version = 2;
    rpc_frame_add(&b, 3, 2, &header.base, NULL);
    header.version = 1;
    rpc_frame_add(&b, 4, 1, &header.base, NULL); /* without a request */
    send_all(fd, &b);
    expect(fd, &in, 2, "org.apache.hadoop.ipc.RpcNoSuchProtocolException");
    expect(fd, &in, 3, "org.apache.hadoop.ipc.RPC$VersionMismatch");
    expect(fd, &in, 4, "org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException");
    call(fd, 5, "short"); /* its request has 5 bytes, and may have 4 */
    expect(fd, &in, 5, "org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException");
    CU_ASSERT_EQUAL(seats.calls, calls + 5); /* all count */
    seats.limit = "creel.http.requests-per-user";
    call(fd, 5, "unknown");
    expect(fd, &in, 5, API_RPC_COME_AGAIN);
    seats.limit = NULL;
    shared.gate_shut = true;
    call(fd, 6, "now");
    expect(fd, &in, 6, "x.Shut");
    shared.gate_shut = false;
    call(fd, 7, "now");
    expect(fd, &in, 7, NULL);
    close(fd);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
}

/* A call that was held up goes on, with its request. */
static void test_held_up(void)
{
    struct base_buf in = {0};
    int before = shared.handled;
    struct fx fx;
    int fd;

    begin(&fx, 100, 1 << 20);
    fd = greet(&fx, "new");
    call(fd, 1, "now");
    api_rpc_continue(await(&shared.held));
    expect(fd, &in, 1, NULL);
    CU_ASSERT_EQUAL(shared.handled, before + 1);
    close(fd);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
}

static void answer_with_error(struct api_rpc_call *call)
{
    api_rpc_answer_error(call, "x.NotFound", "what was read is not there");
}

static void answer_durable(struct api_rpc_call *call)
{
    api_rpc_note_durable(call);
    answer_user(call);
}

static void answer_encoded_result(struct api_rpc_call *call)
{
    struct base_buf out = {0};

    api_rpc_answer_encoded(call, &out);
}

/* When the gate shuts while a call is carried out, neither what was read nor that it was not found
 * is answered; what is durable is. */
static void test_gate_shuts_meanwhile(void)
{
    void (*const answers[])(struct api_rpc_call *) = {answer_user, answer_encoded_result,
                                                      answer_with_error, answer_durable};
    struct base_buf in = {0};
    struct fx fx;
    int fd;

    begin(&fx, 100, 1 << 20);
    fd = greet(&fx, "ann");
    for (uint32_t i = 0; i < 4; i++) {
        call(fd, (int32_t)i, "later");
        shared.gate_shut = false;
        struct api_rpc_call *kept = await(&shared.kept);

        shared.gate_shut = true;
        answers[i](kept);
        expect(fd, &in, i, i < 3 ? "x.Shut" : NULL);
        shared.gate_shut = false;
    }
    close(fd);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
}

/* Calls that wait hold memory, with the requests of those that were held up and the answers that
 * are being made; when it is used up others are sent away, until they are answered. */
static void test_memory_of_calls(void)
{
    struct base_buf in = {0};
    struct api_rpc_call *kept;
    size_t fits = 1 << 20;
    struct fx fx;
    int fd;

    begin(&fx, 100, 1 << 20);
    fd = greet(&fx, "ann");
    call(fd, 1, "later");
    kept = await(&shared.kept);
    CU_ASSERT_FALSE(api_rpc_charge_answer(kept, 1 << 20));
    CU_ASSERT_TRUE(api_rpc_charge_answer(kept, 1000000));
    CU_ASSERT_TRUE(api_rpc_charge_answer(kept, 1000000)); /* in place of the former */
    while (!api_rpc_charge_answer(kept, fits))
        fits--;
    call(fd, 2, "now");
    expect(fd, &in, 2, "org.apache.hadoop.ipc.RetriableException");
    answer_user(kept);
    expect(fd, &in, 1, NULL);
    call(fd, 3, "now");
    expect(fd, &in, 3, NULL);
    close(fd);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
}

/* A client has a limited number of slow calls under way, over all its connections; one that was
 * held up counts until it goes on. */
static void test_slow_calls(void)
{
    struct api_rpc_call *kept[API_RPC_SLOW_MAX];
    struct base_buf in = {0}, other = {0};
    struct fx fx;
    int fds[2];

    begin(&fx, 100, 1 << 20);
    fds[0] = greet(&fx, "ann");
    fds[1] = greet(&fx, "slow");
    call(fds[1], 0, "later");
    api_rpc_continue(await(&shared.held));
    kept[0] = await(&shared.kept);
    for (int i = 0; i < API_RPC_SLOW_MAX; i++) {
        if (i == 0)
            answer_user(kept[0]);
        call(fds[0], i, "slow");
        kept[i] = await(&shared.kept);
    }
    expect(fds[1], &other, 0, NULL);
    call(fds[1], 1, "later");
    expect(fds[1], &other, 1, API_RPC_COME_AGAIN);
    call(fds[0], 100, "slow");
    expect(fds[0], &in, 100, API_RPC_COME_AGAIN);
    call(fds[0], 101, "now");
    expect(fds[0], &in, 101, NULL);
    answer_user(kept[0]);
    expect(fds[0], &in, 0, NULL);
    call(fds[0], 102, "slow");
    kept[0] = await(&shared.kept);
    for (int i = 0; i < API_RPC_SLOW_MAX; i++)
        answer_user(kept[i]);
    for (int i = 0; i < 2; i++)
        close(fds[i]);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
    base_buf_free(&other);
}

static void *stop_server(void *server)
{
    api_rpc_server_stop(server);
    return NULL;
}

/* The client has gone before its call is answered; and the server stops before that. */
static void test_client_gone_and_stop(void)
{
    struct fx fx;
    struct api_rpc_call *kept;
    struct base_buf in = {0};
    int fd, other;
    pthread_t stopper;

    begin(&fx, 100, 1 << 20);
    fd = greet(&fx, "ann");
    call(fd, 1, "later");
    kept = await(&shared.kept);
    CU_ASSERT_FALSE(api_rpc_client_is_gone(kept));
    close(fd);
    other = greet(&fx, "bob"); /* the server is still there */
    call(other, 1, "now");
    expect(other, &in, 1, NULL);
    CU_ASSERT_TRUE(api_rpc_client_is_gone(kept));
    CU_ASSERT_EQUAL_FATAL(pthread_create(&stopper, NULL, stop_server, fx.server), 0);
    answer_user(kept);
    pthread_join(stopper, NULL);
    close(other);
    base_buf_free(&in);
}

/* The connection beyond the limit is closed; when another one has ended there is room again. */
static void test_connection_limit(void)
{
    struct base_buf in = {0}, none = {0};
    struct rpc_answer a;
    int one, two;
    struct fx fx;

    begin(&fx, 1, 1 << 20);
    one = greet(&fx, "ann");
    call(one, 1, "now");
    expect(one, &in, 1, NULL);
    two = greet(&fx, "bob");
    a = read_answer(two, &none);
    CU_ASSERT_PTR_NULL(a.header);
    close(two);
    close(one);
    for (;;) { /* until the server has noticed */
        base_buf_clear(&in);
        one = greet(&fx, "ann");
        call(one, 1, "now");
        a = read_answer(one, &in);
        close(one);
        if (a.header)
            break;
    }
    rpc_answer_free(&a);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
    base_buf_free(&none);
}

/* A connection takes a seat among those that the daemon's ports share, is no longer silent once its
 * context has come, and gives the seat back. Without one it is closed. */
static void test_shared_seats(void)
{
    int taken = seats.taken, spoken = seats.spoken, calls = seats.calls, fds[3];
    struct base_buf in = {0};
    struct rpc_answer a;
    struct fx fx;

    begin(&fx, 100, 1 << 20);
    fds[0] = connect_to(&fx); /* and says nothing */
    fds[1] = greet(&fx, "ann");
    call(fds[1], 1, "now");
    expect(fds[1], &in, 1, NULL);
    call(fds[1], 2, "now");
    expect(fds[1], &in, 2, NULL);
    CU_ASSERT(seats.taken == taken + 2 && seats.spoken == spoken + 1);
    CU_ASSERT_EQUAL(seats.calls, calls + 2);
    CU_ASSERT_TRUE(seats.knows_caller);
    seats.limit = "creel.http.requests-per-user";
    call(fds[1], 3, "now");
    expect(fds[1], &in, 3, API_RPC_COME_AGAIN);
    seats.limit = NULL;
    call(fds[1], 4, "now");
    expect(fds[1], &in, 4, NULL);
    fds[2] = greet(&fx, "bob");
    a = read_answer(fds[2], &in);
    CU_ASSERT_PTR_NULL(a.header);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    api_rpc_server_stop(fx.server);
    CU_ASSERT(seats.taken == taken + 2 && seats.spoken == spoken + 1);
    CU_ASSERT_EQUAL(seats.given_back, seats.taken);
    base_buf_free(&in);
}

/* Where all callers may name the same user, calls count for their address alone. */
static void test_no_limit_of_users(void)
{
    int calls = seats.calls;
    struct base_buf in = {0};
    struct fx fx;
    int fd;

    limits_no_user = true;
    begin(&fx, 100, 1 << 20);
    limits_no_user = false;
    fd = greet(&fx, "yarn");
    call(fd, 1, "now");
    expect(fd, &in, 1, NULL);
    CU_ASSERT_EQUAL(seats.calls, calls + 1);
    CU_ASSERT_FALSE(seats.knows_caller);
    close(fd);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
}

/* A client that goes on sending after what is fatal still gets the answer that says so. */
static void test_last_answer_arrives(void)
{
    struct base_buf in = {0}, b = {0};
    struct rpc_answer a;
    struct fx fx;
    int fd;

    begin(&fx, 100, 16 << 20);
    fd = greet(&fx, "ann");
    base_buf_add(&b, "\0\0\0\0", 4); /* a frame without a header */
    base_buf_reserve(&b, 1 << 20);
    memset(b.data + b.len, 0, 1 << 20);
    b.len += 1 << 20;
    send_all(fd, &b);
    CU_ASSERT_EQUAL(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 10000), 1);
    a = read_answer(fd, &in);
    CU_ASSERT_PTR_NOT_NULL_FATAL(a.header);
    CU_ASSERT_EQUAL(a.header->status, API_RPC_FATAL);
    rpc_answer_free(&a);
    a = read_answer(fd, &in); /* and then nothing more */
    CU_ASSERT_PTR_NULL(a.header);
    close(fd);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
}

/* A frame that is longer than any request of the port ends its connection before it has arrived; a
 * frame with the longest request and its headers does not. */
static void test_frame_limit(void)
{
    static const char frames[2][4] = {{0, 2, 0, 1}, {0, 2, 0, 0}}; /* 64 KiB twice, and one more */
    struct base_buf in = {0}, b = {0};
    struct rpc_answer a;
    struct fx fx;

    for (int fits = 0; fits < 2; fits++) {
        int fd;

        begin_with(&fx, &narrow_protocol, 100, 64 << 20);
        fd = greet(&fx, "ann");
        call(fd, 1, "now");
        expect(fd, &in, 1, NULL);
        base_buf_add(&b, frames[fits], 4);
        base_buf_reserve(&b, 2 << 16);
        memset(b.data + b.len, 0, 2 << 16);
        b.len += 2 << 16;
        base_buf_add(&b, "", fits ? 0 : 1);
        send_all(fd, &b);
        a = read_answer(fd, &in);
        CU_ASSERT_EQUAL(a.header != NULL, fits); /* that it is malformed */
        rpc_answer_free(&a);
        close(fd);
        api_rpc_server_stop(fx.server);
        base_buf_clear(&in);
    }
    base_buf_free(&in);
}

/* A frame that would need more memory than there is ends its connection, and no other. */
static void test_memory_limit(void)
{
    struct base_buf in = {0}, none = {0}, b = {0};
    struct rpc_answer a;
    struct fx fx;
    int one, two;

    begin(&fx, 100, 1 << 20);
    one = greet(&fx, "ann");
    two = greet(&fx, "bob");
    base_buf_add(&b, "\2\0\0\0", 4); /* 32 MiB will follow */
    base_buf_reserve(&b, 4 << 20);
    memset(b.data + b.len, 0, 4 << 20);
    b.len += 4 << 20;
    send_all(one, &b);
    a = read_answer(one, &none);
    CU_ASSERT_PTR_NULL(a.header);
    call(two, 1, "now");
    expect(two, &in, 1, NULL);
    close(one);
    close(two);
    api_rpc_server_stop(fx.server);
    base_buf_free(&in);
    base_buf_free(&none);
}

/* A client that takes its answers late gets them all, unless they need more memory than there is.
 */
static void test_answers_taken_late(void)
{
    for (int room = 0; room < 2; room++) {
        struct base_buf in = {0};
        struct rpc_answer a;
        struct fx fx;
        int fd;

        begin(&fx, 100, room ? 512 << 20 : 8 << 20);
        fd = greet(&fx, "ann");
        for (int32_t i = 0; i < 50; i++)
            call(fd, i, "large");
        for (uint32_t i = 0; room && i < 50; i++)
            expect(fd, &in, i, NULL);
        /* without room some come, or all, when the client was fast enough */
        for (int i = 0; !room && i < 50 && (a = read_answer(fd, &in)).header; i++)
            rpc_answer_free(&a);
        close(fd);
        api_rpc_server_stop(fx.server);
        base_buf_free(&in);
    }
}

static const struct cunit_case cases[] = {
    {"out of order", test_out_of_order},
    {"refusals", test_refusals},
    {"held up", test_held_up},
    {"gate shuts meanwhile", test_gate_shuts_meanwhile},
    {"memory of calls", test_memory_of_calls},
    {"slow calls", test_slow_calls},
    {"client gone, and stop", test_client_gone_and_stop},
    {"connection limit", test_connection_limit},
    {"shared seats", test_shared_seats},
    {"no limit of users", test_no_limit_of_users},
    {"last answer arrives", test_last_answer_arrives},
    {"frame limit", test_frame_limit},
    {"memory limit", test_memory_limit},
    {"answers taken late", test_answers_taken_late},
};
CUNIT_MAIN("Hadoop RPC: server", cases)

#include "rm/rpc/start/talk.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/crypto/hex.h"
#include "base/crypto/random.h"
#include "base/utf8.h"
#include "rm/rpc/start.pb-c.h"

#define PROTOCOL   "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB"
#define CONNECT_MS 10000
#define TALK_MS    60000 /* a NodeManager that has just begun needs seconds */
#define READ_BYTES 16384
#define NONCE      16   /* bytes */
#define SHOWN_MAX  1000 /* bytes of what a node says */

struct rm_talk *rm_talk_new(struct rm_start *start, int64_t now_ms, int64_t max_wait_ms)
{
    struct rm_talk *t = base_alloc(sizeof *t);

    t->start = start;
    t->fd = -1;
    t->at_ms = now_ms;
    t->give_up_ms = now_ms + max_wait_ms;
    return t;
}

/* Ends a try, and what belongs to it alone. */
static void end_try(struct rm_talk *t)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
    if (t->has_client)
        api_rpc_client_free(&t->client);
    t->has_client = false;
    base_buf_free(&t->in);
    if (t->out.data)
        explicit_bzero(t->out.data, t->out.len);
    base_buf_free(&t->out);
    t->sent = 0;
}

void rm_talk_free(struct rm_talk *t)
{
    end_try(t);
    rm_start_free(t->start);
    free(t->why);
    free(t);
}

static void __attribute__((format(printf, 3, 4)))
end_with(struct rm_talk *t, enum rm_talk_state state, const char *fmt, ...)
{
    struct base_buf text = {0};
    char *shown;
    va_list args;

    va_start(args, fmt);
    base_buf_vaddf(&text, fmt, args);
    va_end(args);
    shown = base_utf8_escape_for_message(text.data, SHOWN_MAX); /* the node may say anything */
    free(t->why);
    t->why = base_printf("node %s:%d: %s", t->start->host, t->start->port, shown);
    t->state = state;
    free(shown);
    base_buf_free(&text);
    end_try(t);
}

/* Whether the call may have been carried out. */
static bool was_sent(const struct rm_talk *t)
{
    return t->has_client && t->client.state == API_RPC_CLIENT_ANSWER;
}

static void end_connection(struct rm_talk *t, const char *why)
{
    end_with(t, was_sent(t) ? RM_TALK_FAILED : RM_TALK_AGAIN, "%s", why);
}

/* ---- connecting ---- */

static void begin_client(struct rm_talk *t)
{
    const struct rm_start *s = t->start;
    const struct api_rpc_client_token token = {
        .identifier = {(const uint8_t *)s->nm_identifier.data, s->nm_identifier.len},
        .password = {s->nm_password, sizeof s->nm_password}};
    const struct api_rpc_bytes request = {(const uint8_t *)s->request.data, s->request.len};
    unsigned char random[NONCE];
    char cnonce[2 * NONCE + 1];

    base_random_bytes(random, sizeof random);
    base_hex_encode(random, sizeof random, cnonce);
    api_rpc_client_begin(&t->client, &token, cnonce, PROTOCOL, "startContainers", &request,
                         &t->out);
    t->has_client = true;
}

static int open_socket(const struct rm_talk *t)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                             .ai_socktype = SOCK_STREAM},
                    *found;
    char port[16];
    int fd;

    snprintf(port, sizeof port, "%d", t->start->port);
    if (getaddrinfo(t->start->address, port, &hints, &found) != 0)
        return -EINVAL;
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        fd = -errno;
    } else if (connect(fd, found->ai_addr, found->ai_addrlen) < 0 && errno != EINPROGRESS) {
        int error = errno;

        close(fd);
        fd = -error;
    }
    freeaddrinfo(found);
    return fd;
}

void rm_talk_begin(struct rm_talk *t, int64_t now_ms)
{
    struct base_error err = {0};
    int fd;

    if (rm_start_encode(t->start, &err) < 0) {
        end_with(t, RM_TALK_FAILED, "%s", err.text);
        return;
    }
    fd = open_socket(t);
    if (fd < 0) {
        end_with(t, RM_TALK_AGAIN, "%s", strerror(-fd));
        return;
    }
    t->fd = fd;
    t->heard = false;
    t->state = RM_TALK_CONNECTING;
    t->at_ms = now_ms + CONNECT_MS;
}

static void finish_connecting(struct rm_talk *t, int64_t now_ms)
{
    socklen_t len = sizeof(int);
    int error = 0;

    if (getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        error = errno;
    if (error) {
        end_connection(t, strerror(error));
        return;
    }
    t->state = RM_TALK_TALKING;
    t->at_ms = now_ms + TALK_MS;
    begin_client(t);
}

/* ---- talking ---- */

/* Exceptions by which a node says that it will serve the same call later. */
static bool is_passing(const char *exception)
{
    static const char *const passing[] = {
        "org.apache.hadoop.ipc.RetriableException",
        "org.apache.hadoop.yarn.exceptions.NMNotYetReadyException"};

    for (size_t i = 0; exception && i < sizeof passing / sizeof *passing; i++)
        if (strcmp(exception, passing[i]) == 0)
            return true;
    return false;
}

static void end_with_exception(struct rm_talk *t, const char *exception, const char *why)
{
    end_with(t, is_passing(exception) ? RM_TALK_AGAIN : RM_TALK_FAILED, "%s%s%s",
             exception ? exception : "", exception ? ": " : "", why ? why : "no reason given");
}

static void read_answer(struct rm_talk *t)
{
    const struct base_buf *result = &t->client.result;
    Start__Answer *a = start__answer__unpack(NULL, result->len, (const uint8_t *)result->data);

    if (a && a->n_failed) {
        const Start__Failure none = START__FAILURE__INIT;
        const Start__Failure *f = a->failed[0]->failure ? a->failed[0]->failure : &none;

        end_with_exception(t, f->class_name, f->message);
    } else if (a && a->n_started) {
        end_try(t);
        t->state = RM_TALK_STARTED;
    } else {
        end_with(t, RM_TALK_FAILED, "its answer does not say whether the container was started");
    }
    if (a)
        start__answer__free_unpacked(a, NULL);
}

static void take_frames(struct rm_talk *t)
{
    size_t at = 0, used = 1;

    while (used && t->client.state < API_RPC_CLIENT_DONE) {
        used = api_rpc_client_take(&t->client, t->in.data + at, t->in.len - at, &t->out);
        at += used;
    }
    if (t->client.state == API_RPC_CLIENT_DONE) {
        read_answer(t);
    } else if (t->client.state == API_RPC_CLIENT_FAILED) {
        end_with_exception(t, t->client.exception, t->client.why);
    } else {
        memmove(t->in.data, t->in.data + at, t->in.len - at);
        t->in.len -= at;
    }
}

static void receive(struct rm_talk *t)
{
    char bytes[READ_BYTES];
    ssize_t n = recv(t->fd, bytes, sizeof bytes, 0);

    if (n > 0) {
        t->heard = true;
        base_buf_add(&t->in, bytes, (size_t)n);
        take_frames(t);
    } else if (n == 0) {
        end_connection(t, "it has closed the connection");
    } else if (errno != EAGAIN && errno != EINTR) {
        end_connection(t, strerror(errno));
    }
}

static void send_rest(struct rm_talk *t)
{
    while (t->sent < t->out.len) {
        ssize_t n = send(t->fd, t->out.data + t->sent, t->out.len - t->sent, MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN && errno != EINTR)
            end_connection(t, strerror(errno));
        if (n < 0)
            return;
        t->sent += (size_t)n;
    }
}

void rm_talk_work(struct rm_talk *t, int64_t now_ms)
{
    if (t->state == RM_TALK_CONNECTING)
        finish_connecting(t, now_ms);
    else if (t->state == RM_TALK_TALKING)
        receive(t);
    if (t->state == RM_TALK_TALKING)
        send_rest(t);
}

void rm_talk_check_time(struct rm_talk *t, int64_t now_ms)
{
    if (now_ms < t->at_ms)
        return;
    if (t->state == RM_TALK_CONNECTING)
        end_connection(t, "no connection within 10 s");
    else if (t->state == RM_TALK_TALKING)
        end_connection(t, "no answer within a minute");
    else if (t->state == RM_TALK_WAITING && now_ms > t->give_up_ms && t->why)
        t->state = RM_TALK_FAILED; /* as its last try has */
    else if (t->state == RM_TALK_WAITING && now_ms > t->give_up_ms)
        end_with(t, RM_TALK_FAILED, "too many other starts were under way all the time");
}

short rm_talk_events(const struct rm_talk *t)
{
    if (t->state == RM_TALK_CONNECTING)
        return POLLOUT;
    return t->sent < t->out.len ? POLLIN | POLLOUT : POLLIN;
}

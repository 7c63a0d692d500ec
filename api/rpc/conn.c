/* api/rpc/conn.c - one connection: what has arrived is given to the session, calls are carried out,
 * and answers are sent as fast as the client takes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/rpc/server_internal.h"
#include "base/io/peer_key.h"
#include "base/utf8.h"

#define KEPT_BYTES     ((size_t)4 << 10) /* of a buffer that is empty */
#define OUT_FULL       ((size_t)1 << 20) /* no frame is carried out while as much is not sent */
#define CALLS_MAX      100               /* of one connection, not answered */
#define DRAIN_MS       2000
#define HANDSHAKE_MS   30000
#define PATIENCE_MS    30000 /* how far a frame or an answer may fall behind ... */
#define BYTES_PER_MS   4     /* ... this pace */
#define IDLE_MS        600000
#define TOKEN_MS       60000 /* after so long a token is looked at again, as nodes do */
#define SHOWN_MAX      200   /* bytes of a client's text in a message */
#define PROTOBUF_FAULT "org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException"

/* ---- beginning and end ---- */

static void charge_memory(struct api_rpc_conn *c)
{
    size_t now = c->in.cap + c->out.cap;

    atomic_fetch_add(&c->server->memory, (int64_t)now - (int64_t)c->charged);
    c->charged = now;
}

void api_rpc_conn_new(struct api_rpc_server *s, const struct api_rpc_port *port, int fd,
                      const struct sockaddr *from, const char *peer, void *seat)
{
    struct api_rpc_conn *c = base_alloc(sizeof *c);
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = c};

    c->server = s;
    c->port = port;
    c->fd = fd;
    c->seat = seat;
    c->events = EPOLLIN;
    c->begun = c->active = c->token_checked = api_rpc_now_ms();
    memcpy(c->peer, peer, sizeof c->peer);
    c->is_listed = !port->lists_peer || port->lists_peer(port->list, peer);
    c->peer_key = base_peer_key(from);
    api_rpc_session_init(&c->session, &port->session);
    c->next = s->conns;
    c->prev_next = &s->conns;
    if (c->next)
        c->next->prev_next = &c->next;
    s->conns = c;
    s->conns_n++;
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) < 0) {
        api_rpc_conn_close(c, "no memory in the kernel");
        api_rpc_conn_free_if_done(c);
    }
}

void api_rpc_conn_close(struct api_rpc_conn *c, const char *why)
{
    if (c->fd < 0)
        return;
    /* A client that is cut off is reset: what it does not take would stay with the kernel. */
    if (why)
        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1},
                   sizeof(struct linger));
    if (c->seat)
        c->server->conf.seats.give_back(c->server->conf.seats.user, c->seat);
    close(c->fd); /* which takes it out of the epoll, too */
    c->fd = -1;
    atomic_store(&c->gone, true);
    c->server->conns_n--;
    base_buf_free(&c->in);
    base_buf_free(&c->out);
    charge_memory(c);
    if (why)
        api_rpc_log_end(c->server, c->peer, why);
}

void api_rpc_conn_free_if_done(struct api_rpc_conn *c)
{
    if (c->fd >= 0 || c->calls || c->touched)
        return;
    *c->prev_next = c->next;
    if (c->next)
        c->next->prev_next = c->prev_next;
    api_rpc_session_free(&c->session);
    free(c);
}

static bool is_slow(int64_t since, int64_t now)
{
    return since && now - since > PATIENCE_MS;
}

/* Gives a peer that has sent or taken @n bytes so much more time for the rest. */
static void move_on(int64_t *since, size_t n, int64_t now)
{
    if (*since)
        *since += (int64_t)(n / BYTES_PER_MS);
    if (*since > now)
        *since = now;
}

void api_rpc_conn_close_if_slow(struct api_rpc_conn *c, int64_t now)
{
    bool greets = c->session.state != API_RPC_CALLS;

    if (c->drains && now - c->active > DRAIN_MS)
        api_rpc_conn_close(c, NULL);
    else if (is_slow(c->in_since, now))
        api_rpc_conn_close(c, "a request arrives too slowly");
    else if (is_slow(c->out_since, now))
        api_rpc_conn_close(c, "an answer is taken too slowly");
    else if (greets && now - c->begun > HANDSHAKE_MS) /* pings do not prolong it */
        api_rpc_conn_close(c, "the connection's context has not come in time");
    else if (!c->calls && now - c->active > IDLE_MS)
        api_rpc_conn_close(c, NULL);
}

/* ---- carrying out ---- */

static const struct api_rpc_protocol *find_protocol(const struct api_rpc_conn *c, const char *name)
{
    for (size_t i = 0; i < c->port->protocols_n; i++)
        if (strcmp(c->port->protocols[i].name, name) == 0)
            return &c->port->protocols[i];
    return NULL;
}

static const struct api_rpc_method *find_method(const struct api_rpc_protocol *p, const char *name)
{
    for (size_t i = 0; i < p->methods_n; i++)
        if (strcmp(p->methods[i].name, name) == 0)
            return &p->methods[i];
    return NULL;
}

/* Answers that a call is refused, and returns the message, which the caller frees. */
static char *add_refusal(struct api_rpc_conn *c, const struct api_rpc_incoming *in,
                         enum api_rpc_detail detail, const char *exception, const char *fmt,
                         const char *first, const char *second)
{
    char *a = base_utf8_escape_for_message(first, SHOWN_MAX),
         *b = base_utf8_escape_for_message(second, SHOWN_MAX);
    struct base_buf text = {0};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    base_buf_addf(&text, fmt, a, b);
#pragma GCC diagnostic pop
    api_rpc_add_error(&c->out, &in->echo, API_RPC_ERROR, detail, exception, text.data);
    free(a);
    free(b);
    return base_buf_take(&text);
}

/* The same for a call that no client of Hadoop sends: the log has a line. */
static void refuse_bad_call(struct api_rpc_conn *c, const struct api_rpc_incoming *in,
                            enum api_rpc_detail detail, const char *exception, const char *fmt,
                            const char *name)
{
    char *text = add_refusal(c, in, detail, exception, fmt, name, "");

    api_rpc_log_bad_call(c->server, c->peer, text);
    free(text);
}

/* Decodes the request and calls the handler. */
static void call_handler(struct api_rpc_call *call, const void *request, size_t len)
{
    const ProtobufCMessage *message;
    struct api_rpc_arena arena;

    api_rpc_arena_init(&arena, api_rpc_arena_room(len));
    message = api_rpc_decode(call->method->request, request, len, &arena);
    if (message)
        call->method->handle(call, message, api_rpc_user_of(call->conn));
    else {
        char *text = base_printf("The request of %s is malformed", call->method->name);

        api_rpc_log_bad_call(call->conn->server, call->conn->peer, text);
        api_rpc_answer_error(call, PROTOBUF_FAULT, "%s", text);
        free(text);
    }
    api_rpc_arena_free(&arena);
}

static void begin_call(struct api_rpc_conn *c, const struct api_rpc_protocol *protocol,
                       const struct api_rpc_method *method, const struct api_rpc_incoming *in)
{
    struct api_rpc_call *call = api_rpc_call_new(c, protocol, method, &in->echo);
    void *user = api_rpc_user_of(c);

    if (protocol->gate && protocol->gate(call, user))
        return;
    call->asks_gate = protocol->gate != NULL;
    if (api_rpc_memory_is_short(c->server, in->request.len)) {
        api_rpc_answer_error(call, API_RPC_COME_AGAIN, "creel.rpc.memory-mb is used up");
        return;
    }
    /* The copy is in time: whatever thread lets the call go on, it goes on in this one. */
    if (protocol->prepare && protocol->prepare(call, user)) {
        base_buf_add(&call->request, in->request.data, in->request.len);
        api_rpc_call_charge(call, sizeof *call + call->request.cap);
    } else {
        api_rpc_call_charge(call, sizeof *call + in->request.len); /* as what is made of it waits */
        call_handler(call, in->request.data, in->request.len);
    }
}

/* Returns the key of the limit of calls a second that is reached; NULL: none. */
static const char *count_call(const struct api_rpc_conn *c)
{
    const struct api_rpc_seats *seats = &c->server->conf.seats;

    if (!c->seat)
        return NULL;
    return seats->count_call(seats->user, c->seat,
                             c->port->limits_no_user ? NULL : c->session.user);
}

/* Hands a call to its handler, or answers why it cannot. The connection goes on in any case. */
static void carry_out(struct api_rpc_conn *c, const struct api_rpc_incoming *in)
{
    const struct api_rpc_protocol *protocol = find_protocol(c, in->protocol);
    const struct api_rpc_method *method = protocol ? find_method(protocol, in->method) : NULL;
    const char *limit = count_call(c); /* calls that are refused count, too */

    if (limit) {
        free(add_refusal(c, in, API_RPC_APPLICATION, API_RPC_COME_AGAIN,
                         "%s has sent more calls in a second than %s lets it", c->session.user,
                         limit));
        return;
    }
    if (!protocol) {
        refuse_bad_call(c, in, API_RPC_NO_SUCH_PROTOCOL,
                        "org.apache.hadoop.ipc.RpcNoSuchProtocolException", "Unknown protocol: %s",
                        in->protocol);
        return;
    }
    if (in->version != 1) {
        refuse_bad_call(c, in, API_RPC_PROTOCOL_VERSION,
                        "org.apache.hadoop.ipc.RPC$VersionMismatch",
                        "Protocol %s version mismatch: the server has version 1", in->protocol);
        return;
    }
    if (!method) { /* newer clients ask for such, and go on without */
        free(add_refusal(c, in, API_RPC_NO_SUCH_METHOD,
                         "org.apache.hadoop.ipc.RpcNoSuchMethodException",
                         "Unknown method %s called on %s protocol.", in->method, in->protocol));
        return;
    }
    if (!in->request.data || in->request.len > api_rpc_get_request_max(method)) {
        refuse_bad_call(c, in, API_RPC_APPLICATION, PROTOBUF_FAULT,
                        "The request of %s is missing, cut off or too large", in->method);
        return;
    }
    begin_call(c, protocol, method, in);
}

/* ---- reading ---- */

static bool is_full(const struct api_rpc_conn *c)
{
    return c->calls >= CALLS_MAX || c->out.len - c->out_at > OUT_FULL;
}

static void drop_used_input(struct api_rpc_conn *c)
{
    if (c->in_at == c->in.len && c->in.cap > KEPT_BYTES)
        base_buf_free(&c->in);
    else if (c->in_at)
        memmove(c->in.data, c->in.data + c->in_at, c->in.len - c->in_at);
    if (c->in.data)
        c->in.len -= c->in_at;
    c->in_at = 0;
}

/* Closes a connection whose token has expired or was revoked meanwhile. */
static void check_token_again(struct api_rpc_conn *c)
{
    if (c->session.proven && c->active - c->token_checked > TOKEN_MS) {
        c->token_checked = c->active;
        if (!api_rpc_session_token_is_still_valid(&c->session))
            api_rpc_conn_close(c, "the token has expired or was revoked");
    }
}

static void note_refusal(const struct api_rpc_conn *c)
{
    const struct api_rpc_server_conf *conf = &c->server->conf;

    if (c->session.unproven && conf->note_refusal)
        conf->note_refusal(conf->user, c->session.user, c->peer, c->session.why.data);
}

/* Gives what has arrived to the session, frame by frame, until no whole one is left. Returns true
 * when it stopped before that, since the connection is full. */
static bool take_frames(struct api_rpc_conn *c)
{
    const struct api_rpc_seats *seats = &c->server->conf.seats;

    check_token_again(c);
    while (c->fd >= 0 && !c->ends && !is_full(c) && !c->server->stop) {
        struct api_rpc_incoming call;
        struct api_rpc_arena arena;
        enum api_rpc_next next;
        size_t used, left = c->in.len - c->in_at;

        api_rpc_arena_init(
            &arena, api_rpc_arena_room(left < API_RPC_HEADERS_MAX ? left : API_RPC_HEADERS_MAX));
        next = api_rpc_session_take_frame(&c->session, left ? c->in.data + c->in_at : "", left,
                                          &used, &c->out, &arena, &call);
        if (next == API_RPC_CALL)
            carry_out(c, &call);
        api_rpc_arena_free(&arena);
        if (next == API_RPC_WAIT)
            break;
        c->in_at += used;
        c->in_since = c->active;
        c->ends = next == API_RPC_CLOSE;
        if (c->ends)
            note_refusal(c);
    }
    if (!c->has_context && c->session.state == API_RPC_CALLS) {
        c->has_context = true;
        if (c->fd >= 0 && c->seat)
            seats->mark_spoken(seats->user, c->seat);
    }
    drop_used_input(c);
    if (c->in.len == 0 || is_full(c)) /* while it is full the client waits, not the server */
        c->in_since = 0;
    return is_full(c);
}

/* Reads what has arrived, some at a time, so that no connection keeps the others waiting. */
static void read_input(struct api_rpc_conn *c)
{
    struct api_rpc_server *s = c->server;
    ssize_t n = recv(c->fd, s->scratch, API_RPC_READ_BYTES, 0);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        if (n == 0 && c->in.len)
            api_rpc_log_end(s, c->peer, "the client has left in the middle of a frame");
        /* Calls that are under way are carried out; nobody will get their answers. */
        api_rpc_conn_close(c, NULL);
        return;
    }
    if (n < 0)
        return;
    c->active = api_rpc_now_ms();
    if (!c->in_since)
        c->in_since = c->active;
    move_on(&c->in_since, (size_t)n, c->active);
    /* a buffer doubles when it grows */
    if (c->in.len > KEPT_BYTES && api_rpc_memory_is_short(s, 2 * c->in.len))
        api_rpc_conn_close(c, "creel.rpc.memory-mb is used up");
    else
        base_buf_add(&c->in, s->scratch, (size_t)n);
}

/* ---- writing ---- */

static void note_taken(struct api_rpc_conn *c, size_t n)
{
    c->active = api_rpc_now_ms();
    c->out_at += n;
    move_on(&c->out_since, n, c->active);
}

/* Closes the sending side. To close both at once, with input that nobody has read, would reset the
 * connection, and the client might never see the last answer, which says why. */
static void begin_to_drain(struct api_rpc_conn *c)
{
    shutdown(c->fd, SHUT_WR);
    c->drains = true;
    base_buf_free(&c->in);
    c->in_since = 0;
    c->active = api_rpc_now_ms();
    if (c->session.why.len)
        api_rpc_log_end(c->server, c->peer, c->session.why.data);
}

static void throw_input_away(struct api_rpc_conn *c)
{
    ssize_t n = recv(c->fd, c->server->scratch, API_RPC_READ_BYTES, 0);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        api_rpc_conn_close(c, NULL);
}

static void send_output(struct api_rpc_conn *c)
{
    while (c->fd >= 0 && c->out_at < c->out.len) {
        ssize_t n = send(c->fd, c->out.data + c->out_at, c->out.len - c->out_at, MSG_NOSIGNAL);

        if (n > 0) {
            note_taken(c, (size_t)n);
        } else if (errno == EAGAIN) {
            if (!c->out_since)
                c->out_since = api_rpc_now_ms();
            return;
        } else if (errno != EINTR) {
            api_rpc_conn_close(c, NULL);
        }
    }
    if (c->fd < 0)
        return;
    c->out_at = 0;
    c->out_since = 0;
    if (c->out.cap > KEPT_BYTES)
        base_buf_free(&c->out);
    else
        base_buf_clear(&c->out);
    if (c->ends && !c->drains)
        begin_to_drain(c);
}

static void wait_for_events(struct api_rpc_conn *c)
{
    struct epoll_event ev = {.data.ptr = c};

    if (c->fd < 0)
        return;
    ev.events = (uint32_t)(c->drains || (!c->ends && !is_full(c)) ? EPOLLIN : 0) |
                (uint32_t)(c->out_at < c->out.len ? EPOLLOUT : 0);
    if (ev.events == c->events)
        return;
    c->events = ev.events;
    if (epoll_ctl(c->server->epoll, EPOLL_CTL_MOD, c->fd, &ev) < 0)
        api_rpc_conn_close(c, "no memory in the kernel");
}

void api_rpc_conn_work(struct api_rpc_conn *c, bool readable)
{
    bool stopped;

    if (readable && c->fd >= 0 && c->drains)
        throw_input_away(c);
    else if (readable && c->fd >= 0 && !c->ends && !is_full(c))
        read_input(c);
    do { /* what waited because the connection was full goes on as soon as there is room */
        stopped = take_frames(c);
        send_output(c);
    } while (stopped && c->fd >= 0 && !c->ends && !is_full(c));
    if (c->fd >= 0 && c->out.len > OUT_FULL && api_rpc_memory_is_short(c->server, 0))
        api_rpc_conn_close(c, "creel.rpc.memory-mb is used up");
    charge_memory(c);
    wait_for_events(c);
}

/* Appends the answer of @call to what its connection sends, and frees the call. */
static void deliver_answer(struct api_rpc_server *s, struct api_rpc_call *call)
{
    struct api_rpc_conn *c = call->conn;

    c->calls--;
    s->calls_n--;
    if (c->fd >= 0)
        base_buf_add(&c->out, call->frame.data, call->frame.len);
    api_rpc_call_end_slow(call);
    api_rpc_call_charge(call, 0);
    base_buf_free(&call->frame);
    base_buf_free(&call->request);
    free(call);
    if (!c->touched) {
        c->touched = true;
        c->next_touched = s->touched;
        s->touched = c;
    }
}

static void work_on_touched_connections(struct api_rpc_server *s)
{
    while (s->touched) {
        struct api_rpc_conn *c = s->touched;

        s->touched = c->next_touched;
        c->touched = false;
        api_rpc_conn_work(c, false);
        api_rpc_conn_free_if_done(c);
    }
}

/* Frames that waited for answers are carried out in here, whose answers are in the next list: the
 * thread would not be woken for them. */
void api_rpc_deliver_answers(struct api_rpc_server *s)
{
    struct api_rpc_call *call, *next;

    while ((call = api_rpc_take_answered(s))) {
        for (; call; call = next) {
            next = call->next;
            if (call->frame.len)
                deliver_answer(s, call);
            else { /* it goes on */
                api_rpc_call_end_slow(call);
                call_handler(call, call->request.data, call->request.len);
            }
        }
        work_on_touched_connections(s);
    }
}

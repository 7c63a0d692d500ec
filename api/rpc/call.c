/* api/rpc/call.c - calls, and their answers from any thread. */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/rpc/server_internal.h"
#include "base/error.h"

/* The server whose thread this is; NULL on all others. */
static _Thread_local const struct api_rpc_server *server_of_thread;

void api_rpc_note_thread_of(const struct api_rpc_server *s)
{
    server_of_thread = s;
}

struct api_rpc_call *api_rpc_call_new(struct api_rpc_conn *c,
                                      const struct api_rpc_protocol *protocol,
                                      const struct api_rpc_method *method,
                                      const struct api_rpc_echo *echo)
{
    struct api_rpc_call *call = base_alloc(sizeof *call);

    call->conn = c;
    call->protocol = protocol;
    call->method = method;
    call->echo = *echo;
    api_rpc_call_charge(call, sizeof *call);
    c->calls++;
    c->server->calls_n++;
    return call;
}

void api_rpc_call_charge(struct api_rpc_call *call, size_t bytes)
{
    atomic_fetch_add(&call->conn->server->memory, (int64_t)bytes - (int64_t)call->charged);
    call->charged = bytes;
}

bool api_rpc_begin_slow(struct api_rpc_call *call)
{
    struct api_rpc_server *s = call->conn->server;

    base_assert(server_of_thread == s && !call->is_slow);
    call->is_slow = api_rpc_slow_begin(&s->slow, &call->conn->peer_key);
    if (!call->is_slow)
        api_rpc_answer_error(call, API_RPC_COME_AGAIN,
                             "%s has %d calls under way that take long: at most as many are "
                             "carried out at a time",
                             call->conn->peer, API_RPC_SLOW_MAX);
    return call->is_slow;
}

void api_rpc_call_end_slow(struct api_rpc_call *call)
{
    if (call->is_slow)
        api_rpc_slow_end(&call->conn->server->slow, &call->conn->peer_key);
    call->is_slow = false;
}

bool api_rpc_client_is_gone(const struct api_rpc_call *call)
{
    return atomic_load(&call->conn->gone);
}

bool api_rpc_charge_answer(struct api_rpc_call *call, size_t bytes)
{
    size_t all = sizeof *call + call->request.cap + bytes;

    if (all > call->charged && api_rpc_memory_is_short(call->conn->server, all - call->charged))
        return false;
    api_rpc_call_charge(call, all);
    return true;
}

const char *api_rpc_caller(const struct api_rpc_call *call)
{
    return call->conn->session.user;
}

const char *api_rpc_peer(const struct api_rpc_call *call)
{
    return call->conn->peer;
}

bool api_rpc_is_peer_listed(const struct api_rpc_call *call)
{
    return call->conn->is_listed;
}

const char *api_rpc_method_name(const struct api_rpc_call *call)
{
    return call->method->name;
}

/* Hands the call, with its answer or to go on, to the server's thread, which may free the call at
 * once. */
static void hand_over(struct api_rpc_call *call)
{
    struct api_rpc_server *s = call->conn->server;
    bool first;

    call->next = NULL;
    pthread_mutex_lock(&s->lock);
    first = !s->answered;
    *s->answered_end = call;
    s->answered_end = &call->next;
    /* Within the lock: after the last answer the server may be freed. The thread itself looks at
     * the list before it sleeps. */
    if (first && server_of_thread != s)
        base_assert(write(s->wake, &(uint64_t){1}, sizeof(uint64_t)) == sizeof(uint64_t));
    pthread_mutex_unlock(&s->lock);
}

struct api_rpc_call *api_rpc_take_answered(struct api_rpc_server *s)
{
    struct api_rpc_call *list;

    pthread_mutex_lock(&s->lock);
    list = s->answered;
    s->answered = NULL;
    s->answered_end = &s->answered;
    pthread_mutex_unlock(&s->lock);
    return list;
}

static void hand_over_answer(struct api_rpc_call *call)
{
    api_rpc_call_charge(call, sizeof *call + call->request.cap + call->frame.cap);
    hand_over(call);
}

void api_rpc_continue(struct api_rpc_call *call)
{
    hand_over(call);
}

void api_rpc_note_durable(struct api_rpc_call *call)
{
    call->asks_gate = false;
}

/* Returns true after the gate, which was open when the call came, has answered it. */
static bool is_answered_by_gate(struct api_rpc_call *call)
{
    bool asks = call->asks_gate;

    call->asks_gate = false; /* for the gate's own answer */
    return asks && call->protocol->gate(call, api_rpc_user_of(call->conn));
}

void api_rpc_answer(struct api_rpc_call *call, const ProtobufCMessage *result)
{
    if (is_answered_by_gate(call))
        return;
    api_rpc_add_success(&call->frame, &call->echo, result);
    hand_over_answer(call);
}

void api_rpc_answer_encoded(struct api_rpc_call *call, struct base_buf *result)
{
    if (!is_answered_by_gate(call)) {
        api_rpc_add_encoded_success(&call->frame, &call->echo, result->data, result->len);
        hand_over_answer(call);
    }
    base_buf_free(result);
}

void api_rpc_answer_error(struct api_rpc_call *call, const char *exception, const char *fmt, ...)
{
    struct base_buf text = {0};
    va_list ap;

    if (is_answered_by_gate(call))
        return;
    va_start(ap, fmt);
    base_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    api_rpc_add_error(&call->frame, &call->echo, API_RPC_ERROR, API_RPC_APPLICATION, exception,
                      text.data ? text.data : "");
    base_buf_free(&text);
    hand_over_answer(call);
}

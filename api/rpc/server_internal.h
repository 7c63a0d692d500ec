/* api/rpc/server_internal.h - what the files of the server share.
 *
 *   server.c  the thread: waits for sockets, accepts, closes what is too slow
 *   conn.c    one connection: reading, carrying out, writing
 *   call.c    calls and their answers, which may come from other threads
 *
 * All members are for the server's thread alone, but for those under the lock. */
#ifndef CREEL_API_RPC_SERVER_INTERNAL_H
#define CREEL_API_RPC_SERVER_INTERNAL_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>

#include "api/rpc/rpc.h"
#include "api/rpc/slow.h"

#define API_RPC_READ_BYTES  ((size_t)64 << 10) /* at a time, from one connection */
#define API_RPC_REQUEST_MAX ((size_t)64 << 10) /* bytes, unless the method has its own limit */
#define API_RPC_HEADERS_MAX ((size_t)64 << 10) /* bytes of a frame besides the request */

struct api_rpc_conn {
    struct api_rpc_conn *next, **prev_next; /* list of the server */
    struct api_rpc_server *server;
    const struct api_rpc_port *port;
    int fd; /* -1: closed; the rest waits for calls that are not answered */
    char peer[INET6_ADDRSTRLEN];
    struct in6_addr peer_key; /* base/io/peer_key.h */
    bool is_listed;           /* by the port's list of addresses */
    void *seat;               /* NULL: none */
    bool has_context;         /* and the seat is marked */
    struct api_rpc_session session;
    struct base_buf in, out;
    size_t in_at, out_at; /* what is before was carried out, or sent */
    size_t charged;       /* bytes of the server's memory, without those of calls */
    atomic_bool gone;     /* nobody will take answers any more */
    unsigned calls;       /* not answered yet */
    uint32_t events;      /* for which the thread waits */
    bool ends;            /* once @out is sent */
    bool drains;  /* all is sent; what still comes is thrown away, until the client has closed */
    bool touched; /* in the server's list of connections that have something to send */
    struct api_rpc_conn *next_touched;
    /* Times in ms of a clock that nobody sets. in_since: since when a frame has been arriving;
     * out_since: since when the client has not taken what waits; both move on with each byte, by
     * the pace that is asked for, and are 0 while nothing is awaited. active: when something
     * happened last. */
    int64_t in_since, out_since, active;
    int64_t begun;         /* when the connection was accepted */
    int64_t token_checked; /* when the token was last found to be valid */
};

struct api_rpc_call {
    struct api_rpc_call *next; /* list of those that are answered, or go on */
    struct api_rpc_conn *conn;
    const struct api_rpc_protocol *protocol;
    const struct api_rpc_method *method;
    struct api_rpc_echo echo;
    bool is_slow;            /* and counts as such */
    bool asks_gate;          /* once more, before the answer */
    size_t charged;          /* bytes of the server's memory */
    struct base_buf frame;   /* the answer; empty while there is none */
    struct base_buf request; /* a copy, of a call that was held up */
};

struct api_rpc_server {
    struct api_rpc_server_conf conf;
    pthread_t thread;
    int epoll, wake;
    atomic_bool stop;
    struct api_rpc_conn *conns, *touched;
    int64_t conns_n, calls_n;
    _Atomic int64_t memory;    /* bytes that connections and calls hold */
    bool accepts;              /* false: no descriptor was left, until the next second */
    struct api_rpc_slow *slow; /* slow calls under way */
    char *scratch;             /* API_RPC_READ_BYTES, for what is read */
    unsigned lines_left;       /* that may be logged within this second */
    unsigned lines_left_out;
    pthread_mutex_t lock;
    struct api_rpc_call *answered, **answered_end; /* under lock; also those that go on */
};

/* ---- server.c ---- */
int64_t api_rpc_now_ms(void);
/* Logs why a connection was closed. */
void api_rpc_log_end(struct api_rpc_server *s, const char *peer, const char *why);
/* Logs why a call was refused that no client of Hadoop sends. */
void api_rpc_log_bad_call(struct api_rpc_server *s, const char *peer, const char *why);

/* Returns true when @bytes more would exceed the memory of @s. */
static inline bool api_rpc_memory_is_short(const struct api_rpc_server *s, size_t bytes)
{
    return atomic_load(&s->memory) + (int64_t)bytes > s->conf.memory_max;
}

/* ---- call.c ---- */
/* Returns how many bytes a request of @method may have. */
static inline size_t api_rpc_get_request_max(const struct api_rpc_method *method)
{
    return method->request_max ? method->request_max : API_RPC_REQUEST_MAX;
}
struct api_rpc_call *api_rpc_call_new(struct api_rpc_conn *c,
                                      const struct api_rpc_protocol *protocol,
                                      const struct api_rpc_method *method,
                                      const struct api_rpc_echo *echo);
/* Counts @call no longer as slow, if it was. */
void api_rpc_call_end_slow(struct api_rpc_call *call);
/* Makes @call hold @bytes of the server's memory, in place of what it has held. */
void api_rpc_call_charge(struct api_rpc_call *call, size_t bytes);
/* Notes that the calling thread is that of @s, which need not be woken for its own answers. */
void api_rpc_note_thread_of(const struct api_rpc_server *s);
/* Returns the calls that were answered, or may go on, since the last time. */
struct api_rpc_call *api_rpc_take_answered(struct api_rpc_server *s);

/* ---- conn.c ---- */
/* Returns what handlers of calls of @c get. */
static inline void *api_rpc_user_of(const struct api_rpc_conn *c)
{
    return c->port->user ? c->port->user : c->server->conf.user;
}
/* Takes a connected socket, and its @seat. @from: the client; @peer: the same as text. */
void api_rpc_conn_new(struct api_rpc_server *s, const struct api_rpc_port *port, int fd,
                      const struct sockaddr *from, const char *peer, void *seat);
/* Reads, carries out and sends as far as possible. @readable: there is something to read. */
void api_rpc_conn_work(struct api_rpc_conn *c, bool readable);
/* Appends the answers to what their connections send, and frees the calls. */
void api_rpc_deliver_answers(struct api_rpc_server *s);
/* Closes the socket. @why: for the log; NULL: nothing to report. */
void api_rpc_conn_close(struct api_rpc_conn *c, const char *why);
/* Frees a closed connection unless calls of it are not answered yet. */
void api_rpc_conn_free_if_done(struct api_rpc_conn *c);
/* Closes the connection if what it receives or takes comes too slowly, or if nothing has happened
 * on it for long. */
void api_rpc_conn_close_if_slow(struct api_rpc_conn *c, int64_t now);

#endif

/* api/server/server.h - the HTTP server both daemons use: libmicrohttpd with epoll, a thread pool, TURBO and
 * suspend/resume, one route table, bounds on everything.
 *
 *   connection --> check Host --> match route --> authorise (role) --> read body (bounded) --> handler
 *        handler answers at once:        api_answer_*()                     \
 *        handler parks the request:      api_park(), later api_answer_*()    > --> encode, send
 *        from any thread, exactly once                                      /
 *
 * A parked request costs no thread. The request stays valid from the handler's call until the answer was given;
 * after api_answer_*() the caller must not touch it. When the server stops, parked requests are answered 503. */
#ifndef CREEL_API_SERVER_SERVER_H
#define CREEL_API_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

struct api_hosts; /* api/server/hosts.h */

enum api_role {
    API_ROLE_NONE = 0, /* forbidden in a table: a route without a role is refused by a static check */
    API_ROLE_READ,     /* anybody who may look */
    API_ROLE_WRITE,    /* needs a caller (user.name, or the static user dr.who) */
    API_ROLE_NODE,     /* NodeManagers: the cluster's node secret as bearer token, when one is configured */
    API_ROLE_MASTER,   /* a token of an application or its master; the handler checks whose */
};
enum api_type { API_JSON, API_XML, API_TEXT, API_BYTES };

struct api_request; /* opaque */
typedef void api_handler(struct api_request *rq, void *user);

/* Path segments in {braces} are captured, in order: api_path_arg(rq, 0). "{rest*}" as the last one takes all. */
struct api_route {
    const char *method; /* "GET", "POST", "PUT", "DELETE"; HEAD is served from GET */
    const char *path;   /* "/ws/v1/cluster/apps/{appid}" */
    enum api_role role;
    uint32_t body_max; /* bytes; 0: the route takes no body */
    api_handler *handler;
    unsigned flags; /* API_ROUTE_* */
};
#define API_ROUTE_CREEL 1u /* Creel's own: wrong method is 405 with Allow; else YARN's way (503) */

/* A filter in front of the handlers: called once the request's headers are there and its role is checked, for every
 * path, served or not, and every method. True: it has answered (the body is then read and dropped); false: the request
 * goes on to its handler. Must not park. */
typedef bool api_gate(struct api_request *rq, void *user);

/* Called with every answer, before it is sent, on the thread that gives it: what the request asks is still there. For a
 * record of what was done; must not answer, park or block. */
typedef void api_on_answer(struct api_request *rq, unsigned status, void *user);

struct api_server_conf {
    const char *bind;  /* "127.0.0.1"; other than loopback is refused unless insecure */
    uint16_t port;     /* 0: any */
    bool insecure;
    int listener;            /* of api_listen(), taken over in any case; 0: the server opens its own */
    unsigned threads;        /* 0: number of cores */
    unsigned connections_max; /* 0: 10000 */
    unsigned connections_per_address; /* api/server/peers.h says who counts; 0: no limit */
    unsigned connections_for_nodes;   /* of connections_max, kept back for nodes */
    int64_t body_memory;              /* bytes for all bodies and long answers; beyond it 503; 0: no limit */
    unsigned idle_timeout_s;  /* 0: 120; silent connections are cut off; parked requests are exempt */
    unsigned head_timeout_ms; /* 0: 30000; for a request's head, from its start */
    unsigned body_rate;       /* bytes a second a body must bring in each window; 0: any */
    unsigned body_window_ms;  /* 0: 10000 */
    const char *node_secret;  /* for API_ROLE_NODE; NULL: not checked */
    const char *static_user;  /* "dr.who" */
    api_gate *gate;           /* NULL: none */
    api_on_answer *on_answer; /* NULL: nobody is told */
    /* Names it answers to, beside @bind; borrowed until the server has started. NULL: api_hosts_new(). */
    struct api_hosts *hosts;
};
struct api_server;
/* Opens what a server will listen on, so that a wrong address is known before anything else is begun: a descriptor, or
 * negative. Who connects meanwhile waits. */
int api_listen(const struct api_server_conf *conf, struct base_error *err);
/* @routes: table of @n, must outlive the server; matched by a prepared trie, never by scanning. */
int api_server_start(const struct api_server_conf *conf, const struct api_route *routes, size_t n, void *user,
                     struct api_server **out, struct base_error *err);
uint16_t api_server_port(const struct api_server *s);
/* First half of the stop, optional and immediate: no new connections, parked requests get 503, streams end. Requests
 * the daemon still holds stay valid: it may (and may as well not) answer them, until api_server_stop() is called. */
void api_server_stop_begin(struct api_server *s);
/* Answers parked requests 503, joins, frees; afterwards no request is valid. So before the call no thread of the daemon
 * may hold a parked request that it could still answer, be it one whose client left long ago: the thread has ended, or
 * has forgotten it. Handlers, which run on the server's own threads, may answer until the server has joined them. */
void api_server_stop(struct api_server *s);

/* ---- what a handler may ask (all borrowed, valid until the answer) ---- */
const char *api_method(const struct api_request *rq);
const char *api_path(const struct api_request *rq); /* as sent, without the query */
/* Percent-decoded; may hold '/' (from %2F) but never a component "." or "..". {rest*} is the last one, without its
 * leading slash. NULL: no such capture. */
const char *api_path_arg(const struct api_request *rq, unsigned i);
const char *api_query(const struct api_request *rq, const char *name); /* first value, decoded; NULL when absent */
/* Calls @each for every value of @name, in order. */
void api_query_each(const struct api_request *rq, const char *name, void (*each)(const char *value, void *u), void *u);
/* Every pair of the query, in order; @value is NULL where there was no '='. */
void api_query_pairs(const struct api_request *rq, void (*each)(const char *name, const char *value, void *u), void *u);
const char *api_header(const struct api_request *rq, const char *name);
const char *api_body(const struct api_request *rq, size_t *len); /* NUL-terminated; gzip already decoded */
const char *api_caller(const struct api_request *rq); /* user.name or the static user */
/* The route that serves it, NULL: none does; and in api_on_answer, the text of an error answer, NULL: it is none. */
const struct api_route *api_route_of(const struct api_request *rq);
const char *api_refusal(const struct api_request *rq);
const char *api_peer(const struct api_request *rq);   /* the client's address without its port; "-": not known */
const char *api_bearer(const struct api_request *rq); /* token, or NULL */
/* What the client wants of JSON and XML, as api/server/accept.h decides. */
enum api_type api_want(const struct api_request *rq);
void *api_server_user(const struct api_request *rq);       /* what api_server_start() was given */
void *api_request_slot(struct api_request *rq);            /* handler's own pointer across parking */
void api_request_set_slot(struct api_request *rq, void *p, void (*free_fn)(void *));

/* Before the handler lets another thread know the request. Afterwards other threads may use what is above except
 * api_header(), whose text is the connection's. */
void api_park(struct api_request *rq);
/* True once the connection of a parked request was reset (its answer will be dropped, but must still be given). A
 * client that only ended its own direction still reads. */
bool api_gone(const struct api_request *rq);

/* ---- answers: exactly one of them per request, any thread ---- */
/* Before the answer, at most 16. Content-Type and Cache-Control (which then stands alone) replace the usual ones. */
void api_add_header(struct api_request *rq, const char *name, const char *value);
/* Takes @body's memory (body is zeroed). Compressed when asked for, chunked or with length as YARN does. */
void api_answer(struct api_request *rq, unsigned status, enum api_type type, struct base_buf *body);
/* A long body, collected outside of the server's threads: there it is sent, and given back to the allocator, piece by
 * piece; and it was packed before, where the client wants that. */
struct api_pieces;
struct api_pieces *api_pieces_new(const struct api_request *rq);
void api_pieces_add(struct api_pieces *p, struct base_buf *piece); /* takes its memory (zeroed); best 32 to 128 KiB */
void api_pieces_free(struct api_pieces *p);                        /* NULL-safe */
size_t api_pieces_memory(const struct api_pieces *p);              /* bytes it holds now */
/* Takes @bytes of the memory for bodies (api_server_conf.body_memory) for the answer that is made
 * for @rq; given back once that is sent. False: there are not so many left, and @rq is answered:
 * 503. */
bool api_charge_answer(struct api_request *rq, size_t bytes);
/* Takes the pieces (*p is NULL afterwards). */
void api_answer_pieces(struct api_request *rq, unsigned status, enum api_type type, struct api_pieces **p);
/* YARN's RemoteException in the wanted type. @exception is the short name; java class is derived by table. The message
 * goes out as it is: YARN's "java.lang.Exception: " is the caller's. Empty: no message member. */
void api_answer_error(struct api_request *rq, unsigned status, const char *exception, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* BASE_E* -> status and exception: EINVAL 400 BadRequestException, ENOTFOUND 404 NotFoundException, EEXIST 409,
 * ELIMIT 413, EPERM 403 ForbiddenException, ESTATE 409, else 503. Creel's own resources use this. */
void api_answer_base_error(struct api_request *rq, const struct base_error *err);
/* A gate's answer: text/plain whatever was asked for, with its length (to HEAD too), never compressed, without Vary.
 * Takes @body's memory (zeroed). */
void api_answer_gate(struct api_request *rq, unsigned status, struct base_buf *body);
/* The servlet engine's HTML page of an error. @servlet: its name there, NULL: not shown. */
void api_answer_page(struct api_request *rq, unsigned status, const char *message, const char *servlet);
/* @len bytes of @fd from @offset; takes the descriptor. */
void api_answer_file(struct api_request *rq, unsigned status, const char *content_type, int fd, uint64_t offset,
                     uint64_t len);
/* Body made piece by piece on a server thread: @read fills up to @max bytes, returns count, 0 = wait and be called
 * again (after 2 ms, doubling to 50 ms while nothing comes), -1 = end, API_STREAM_BROKEN = cut the connection, so that
 * the client sees that bytes are missing. A stop of the server cuts streams too. For following logs. */
#define API_STREAM_BROKEN (-2)
void api_answer_stream(struct api_request *rq, unsigned status, const char *content_type,
                       int64_t (*read)(void *u, char *buf, size_t max), void *u, void (*free_fn)(void *));

#endif

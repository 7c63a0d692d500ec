/* api/server/server.h - the HTTP server that both daemons use: libmicrohttpd with epoll, a thread
 * pool, TURBO and suspend/resume, one route table, bounds on everything.
 *
 *   connection --> check Host --> match route --> authorise (role) --> read body --> handler
 *        handler answers at once:      api_answer_*()                    \
 *        handler parks the request:    api_park(), later api_answer_*()   > --> encode, send
 *        from any thread, exactly once                                   /
 *
 * A parked request costs no thread. The request stays valid from the handler's call until it is
 * answered; after api_answer_*() the caller must not touch it. When the server stops, parked
 * requests are answered 503. */
#ifndef CREEL_API_SERVER_SERVER_H
#define CREEL_API_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/mem.h"

struct api_hosts;    /* api/server/hosts.h */
struct api_auth;     /* api/server/access/auth.h */
struct api_cors;     /* api/server/access/cors.h */
struct api_kerberos; /* api/server/access/kerberos.h */
struct api_tls;      /* api/server/tls/tls.h */
struct base_key;     /* base/crypto/secret_file.h */
struct base_keyring;

enum api_role {
    API_ROLE_NONE = 0, /* not allowed in a table: the server refuses to start with such a route */
    API_ROLE_READ,     /* anybody who may read */
    API_ROLE_WRITE,    /* needs a caller, who may be the static user */
    API_ROLE_NODE,     /* daemons of the cluster: the request is signed with its secret */
    API_ROLE_MASTER,   /* masters and tasks: a container's token; the handler checks whose */
};
enum api_type { API_JSON, API_XML, API_TEXT, API_BYTES };

/* How callers prove who they are (creel.auth). */
enum api_auth_method {
    API_AUTH_SIMPLE, /* they name themselves, by user.name or a signed cookie */
    API_AUTH_TOKEN,  /* by a bearer token, which stands for a user */
    API_AUTH_SPNEGO, /* by a Kerberos ticket, or a bearer token */
};

struct api_request; /* opaque */
typedef void api_handler(struct api_request *rq, void *user);

/* Path segments in {braces} are captured in order: api_path_arg(rq, 0). A last segment "{rest*}"
 * captures the rest of the path. */
struct api_route {
    const char *method; /* "GET", "POST", "PUT", "DELETE"; HEAD is served from GET */
    const char *path;   /* "/ws/v1/cluster/apps/{appid}" */
    enum api_role role;
    uint32_t body_max; /* most bytes of a body; 0: the route takes none */
    api_handler *handler;
    unsigned flags; /* API_ROUTE_* */
};
/* A route of Creel's own: a wrong method is answered 405 with Allow, not in YARN's way (503). */
#define API_ROUTE_CREEL 1u
/* The body may be of any type or absent. A browser sends such a body for a page of another site
 * without asking first, so only the check of the request's origin protects the route. */
#define API_ROUTE_FORM 2u
/* A route that is a servlet of Hadoop's outside of REST: its path is matched exactly, without a
 * trailing slash; a wrong method is answered 405 with the servlet engine's page; Accept is not
 * considered. */
#define API_ROUTE_SERVLET 4u
/* Files that never change while the daemon runs: answers may be cached, are the same for every
 * client, and are not compressed, so they lack Cache-Control, Expires, Pragma and Vary. */
#define API_ROUTE_PLAIN_FILE 8u
/* A route that shows what only users may see, such as logs: where users prove who they are, it
 * needs one although it only reads, and although the server listens on a loopback address. */
#define API_ROUTE_PRIVATE 16u
/* A route that needs no user anywhere: programs ask whether the daemon is alive, people log in. */
#define API_ROUTE_FOR_ALL 32u
/* A route that shows logs of the container or application that its first segment in braces names,
 * or which containers have some: a log token (base/crypto/log_token.h) opens it, also in the query,
 * for clients that follow a redirect or a link. Tokens of users count in the header alone. */
#define API_ROUTE_LOGS 64u

/* A filter in front of the handlers: called for every path, known or not, and every method, when a
 * request's headers have arrived and, if it has a route, the caller's right to use the route has
 * been checked. Returns true when the filter has answered (the body is then read and dropped),
 * false to pass the request on to its handler. Must not park. */
typedef bool api_gate(struct api_request *rq, void *user);

/* Fetches what the handler of a complete request would otherwise have to wait for, such as the
 * caller's groups: called before the handler, unless the request is answered. Returns false when
 * there is nothing to wait for; true when the request is parked, and another thread will call
 * api_continue_handling(). */
typedef bool api_prepare(struct api_request *rq, void *user);
/* Lets the handler run, on a thread of the server. The caller must not touch @rq afterwards. */
void api_continue_handling(struct api_request *rq);

/* Finds the user of a bearer token, unless callers name themselves, when a request's headers have
 * arrived. Must not block. The client is not told why its token is refused: the function logs the
 * reason.
 *
 *   API_TOKEN_VALID    *@name is the user; the server frees it
 *   API_TOKEN_REFUSED  the token is wrong, has expired or was revoked
 *   API_TOKEN_UNKNOWN  this daemon cannot tell now. The gate may answer the request, or @prepare
 *                      may find out and call api_settle_user(); otherwise the request is treated
 *                      as one without a token, and refused where a user is needed */
enum api_token { API_TOKEN_VALID, API_TOKEN_REFUSED, API_TOKEN_UNKNOWN };
typedef enum api_token api_check_token(struct api_request *rq, const char *token, void *user,
                                       char **name);

/* Called for every answer but those that only tell a daemon or task the server's start id
 * (base/crypto/signature.h), before it is sent, on the answering thread, while the request can
 * still be read: for an audit log. A parked request that is answered 503 because the server stops
 * is reported only if its handler answers later. Must not answer, park or block. */
typedef void api_on_answer(struct api_request *rq, unsigned status, void *user);

/* Finds the key called @id, of a container's token, with which a request is signed. Returns false
 * when there is none. Called on the server's threads; must not block. */
typedef bool api_find_key(const char *id, struct base_key *out, void *user);

struct api_server_conf {
    /* NULL: 127.0.0.1. Addresses other than loopback need @insecure, or @keys and users who prove
     * who they are. */
    const char *bind;
    uint16_t port; /* 0: any */
    bool insecure;
    /* a descriptor of api_open_listener(), taken in any case; 0: the server opens its own */
    int listener;
    unsigned threads;         /* 0: number of usable cores; never more than 64 */
    unsigned connections_max; /* 0: 10000 */
    /* 0: no limit; api/server/limits/peers.h explains which connections count */
    unsigned connections_per_address;
    unsigned connections_for_nodes; /* how many of connections_max are for nodes only */
    /* bytes for all bodies and long answers, beyond which requests get 503; 0: no limit */
    int64_t body_memory;
    /* most requests a second of one address (loopback and nodes excepted) and of one caller who
     * gives a name; up to API_RATE_MAX, 0: no limit */
    unsigned requests_per_address, requests_per_user;
    /* 0: 120; a connection idle for this long is closed, except while its request is parked */
    unsigned idle_timeout_s;
    /* 0: 30000; time for a request's head, from its first line or the connection's start */
    unsigned head_timeout_ms;
    unsigned body_rate;      /* least bytes per second of a body, in each window; 0: any */
    unsigned answer_rate;    /* least bytes per second that a client takes of an answer; 0: any */
    unsigned body_window_ms; /* 0: 10000; for answers too */
    /* The cluster's secret, by which requests for API_ROLE_NODE are signed; the server takes a
     * reference. NULL: no signature is checked or made, and API_ROLE_NODE is open to all. */
    struct base_keyring *keys;
    int64_t max_skew_ms;     /* 0: 300000; how far the time of a signed request may be from now */
    api_find_key *find_key;  /* other keys; NULL: none */
    const char *static_user; /* caller of requests without user.name: "dr.who"; NULL: none */
    enum api_auth_method method;
    api_check_token *check_token;  /* unless @method is API_AUTH_SIMPLE */
    struct api_kerberos *kerberos; /* for API_AUTH_SPNEGO; the server takes a reference */
    api_gate *gate;                /* NULL: none */
    api_prepare *prepare;          /* NULL: none */
    api_on_answer *on_answer;      /* NULL: none */
    /* Answers 401 to a person whose browser has asked for a page that needs a user: with a page of
     * their own. NULL: they get what programs get */
    api_handler *answer_login_needed;
    /* Names the server answers to besides @bind; borrowed until the server has started. NULL:
     * api_hosts_new(). */
    struct api_hosts *hosts;
    /* Authenticates callers; the server takes a reference. NULL, with API_AUTH_SIMPLE:
     * callers name themselves by user.name, without cookies, and none is refused. */
    struct api_auth *auth;
    /* A request signed by a daemon may use the routes of users, in the name that it gives: on a
     * NodeManager, whose ResourceManager has checked the caller. Elsewhere the signature shows
     * which daemon sent the request, but stands for no user. */
    bool trusts_daemons;
    bool reads_do_as;      /* accept doAs, by which a caller acts for another user */
    struct api_cors *cors; /* NULL: pages of other sites may read nothing */
    struct api_tls *tls;   /* the server takes a reference; NULL: plain HTTP */
};
struct api_server;
/* Returns true when a server with this @bind can be reached from this host alone; also when @bind
 * does not resolve, which starting the server reports. */
bool api_bind_is_loopback(const char *bind);
/* Opens the socket that a server will listen on, so that a wrong address is found before anything
 * else starts. Returns a descriptor or a negative BASE_E*. Clients that connect before the server
 * starts wait in the socket's queue. */
int api_open_listener(const struct api_server_conf *conf, struct base_error *err);
/* Starts a server. @routes, a table of @n, must outlive the server; requests are matched with a
 * prepared trie, never by scanning the table. @user is passed to handlers, gate and on_answer. */
int api_server_start(const struct api_server_conf *conf, const struct api_route *routes, size_t n,
                     void *user, struct api_server **out, struct base_error *err);
uint16_t api_server_port(const struct api_server *s); /* the port it listens on */
/* ---- connections at the daemon's other ports, which count against the same limits, in all and per
 * address. @server: struct api_server *. All must be given back before the server stops. ---- */
/* Takes a place for the socket @fd, which may be shut down with shutdown(2) to make room as long as
 * it is silent. Returns what the functions below take; NULL: a limit is reached. */
void *api_server_take_seat(void *server, const struct sockaddr *from, int fd);
void api_server_mark_seat_spoken(void *server, void *seat); /* it is no longer silent */
void api_server_give_back_seat(void *server, void *seat);   /* before @fd is closed */
/* Counts a request at that port against the limits of its address, unless this is a loopback
 * address, and of its @caller (NULL: of no user). Returns the key of the limit that is reached;
 * NULL: none. */
const char *api_server_count_call(void *server, void *seat, const char *caller);
/* Begins a stop, without waiting; optional, as api_server_stop() does the same first. From now on
 * no connection is accepted; parked requests are answered 503, and streams are cut. Requests that
 * the daemon still holds stay valid until api_server_stop() is called; the daemon may answer them
 * or not. */
void api_server_stop_begin(struct api_server *s);
/* Answers parked requests 503, joins the threads, frees everything; afterwards no request is valid.
 * Before the call, no thread of the daemon may hold a parked request that it could still answer,
 * even one whose client left long ago: the thread must have ended or have dropped the request.
 * Handlers, which run on the server's own threads, may answer until the server has joined these. */
void api_server_stop(struct api_server *s);

/* ---- for handlers: all results are borrowed and valid until the answer ---- */
const char *api_method(const struct api_request *rq);
const char *api_path(const struct api_request *rq); /* the path as sent, without the query */
/* Capture @i, percent-decoded; may hold '/' (from %2F) but never a component "." or "..". {rest*}
 * is the last capture, without its leading slash. NULL: no such capture. */
const char *api_path_arg(const struct api_request *rq, unsigned i);
/* Returns the first value of @name in the query, decoded; NULL when absent. */
const char *api_query(const struct api_request *rq, const char *name);
/* Calls @each for every value of @name, in order. */
void api_query_each_value(const struct api_request *rq, const char *name,
                          void (*each)(const char *value, void *u), void *u);
/* Calls @each for every pair of the query, in order; @value is NULL where there was no '='. */
void api_query_each_pair(const struct api_request *rq,
                         void (*each)(const char *name, const char *value, void *u), void *u);
/* Returns the first value of header @name, as sent; NULL when absent. */
const char *api_header(const struct api_request *rq, const char *name);
/* Returns the body, decompressed and NUL-terminated; "" when there is none. @len: its length (NULL:
 * not wanted). */
const char *api_body(const struct api_request *rq, size_t *len);
/* Returns the caller's name: that of the user who has proven it, with API_AUTH_SIMPLE from
 * the cookie, else from user.name in the query; else the static user; NULL: unknown. With doAs: the
 * user for whom the caller acts. */
const char *api_caller(const struct api_request *rq);
/* Returns true when the request itself names its sender, by a token, user.name or a valid cookie;
 * false when the caller is the static user. */
bool api_caller_is_named(const struct api_request *rq);
/* Returns true while the user of the request's token is to be found by api_prepare. */
bool api_user_is_unsettled(const struct api_request *rq);
/* For api_prepare, before api_continue_handling() or within api_prepare itself: the token is that
 * of @name (copied), or with NULL, of no user: the request will be refused. */
void api_settle_user(struct api_request *rq, const char *name);
/* Returns the route that the request has matched; NULL: none. */
const struct api_route *api_route_of(const struct api_request *rq);
/* Returns the message given to api_answer_error(), for use in api_on_answer; NULL: the request was
 * answered in another way. */
const char *api_refusal_text(const struct api_request *rq);
/* Returns "https://" when the request came over TLS, else "http://". */
const char *api_scheme(const struct api_request *rq);
/* Returns the client's address without its port; "-" when unknown. */
const char *api_peer(const struct api_request *rq);
/* Returns true when a page of another site has made a browser send the request, and cross-origin
 * settings do not allow the site. The server refuses such requests other than GET itself. */
bool api_is_from_other_site(const struct api_request *rq);
/* Returns the bearer token of the Authorization header, or the log token of the query where the
 * route takes one; NULL: none. */
const char *api_bearer_token(const struct api_request *rq);
/* Returns true when the request is signed with the cluster's secret. */
bool api_is_signed_by_node(const struct api_request *rq);
/* Returns the name of the key, found by api_find_key, that has signed the request; NULL: none. */
const char *api_signing_key_id(const struct api_request *rq);
/* Returns which of JSON and XML the client prefers, as api/server/accept.h decides; JSON when it
 * accepts neither. */
enum api_type api_wanted_type(const struct api_request *rq);
/* Returns the server that the request came to. */
struct api_server *api_server_of(const struct api_request *rq);
/* Returns the user pointer given to api_server_start(). */
void *api_server_user_data(const struct api_request *rq);
/* Return and set a pointer that a handler keeps in the request while the request is parked. The
 * request frees it with @free_fn (NULL: not at all) when the request ends, or when another pointer
 * is set. */
void *api_request_slot(struct api_request *rq);
void api_request_set_slot(struct api_request *rq, void *p, void (*free_fn)(void *));

/* Parks the request; call this function before another thread can see the request. Afterwards other
 * threads may use the functions above, except api_header(), whose text belongs to the
 * connection. */
void api_park(struct api_request *rq);
/* Returns true when the connection of a parked request was reset or is closed in both directions,
 * or the server is stopping. The request must still be answered; the answer will be dropped. A
 * client that closed only its sending side is not gone. */
bool api_client_is_gone(const struct api_request *rq);

/* ---- answers: exactly one of them per request, any thread ---- */
/* Adds a header to the coming answer, at most 16 in all; it replaces one of the same name, except
 * Set-Cookie. Content-Type and Cache-Control replace the usual ones; Expires and Pragma are left
 * out with the latter. */
void api_add_header(struct api_request *rq, const char *name, const char *value);
/* Answers with @body (NULL: empty), taking its memory (@body is zeroed). The body is compressed
 * when the client accepts gzip, except a short one of Creel's own resources, and is sent chunked or
 * with a length, as in YARN. */
void api_answer(struct api_request *rq, unsigned status, enum api_type type, struct base_buf *body);
/* A long body, collected outside the server's threads, which only send it and free it piece by
 * piece. The body is compressed while it is collected if the client accepts gzip. */
struct api_pieces;
struct api_pieces *api_pieces_new(const struct api_request *rq);
/* Adds @piece, ideally 32 to 128 KiB long. Afterwards @piece is empty; if the answer is compressed,
 * it may still have memory, which the caller frees. */
void api_pieces_add(struct api_pieces *p, struct base_buf *piece);
void api_pieces_free(struct api_pieces *p);           /* NULL-safe */
size_t api_pieces_memory(const struct api_pieces *p); /* bytes of memory that @p holds now */
/* Charges @bytes of an answer to @rq to the memory for bodies (api_server_conf.body_memory), until
 * the answer is sent. Returns false when fewer bytes are left; @rq has then been answered with
 * 503. */
bool api_charge_answer_memory(struct api_request *rq, size_t bytes);
/* Answers with the pieces, taking them (*p is NULL afterwards). */
void api_answer_pieces(struct api_request *rq, unsigned status, enum api_type type,
                       struct api_pieces **p);
/* Answers with YARN's RemoteException in the wanted type. @exception is the short name; a table
 * gives the Java class. The message is sent unchanged: callers write a leading
 * "java.lang.Exception: " themselves. An empty message leaves the member out. */
void api_answer_error(struct api_request *rq, unsigned status, const char *exception,
                      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Answers with the status and exception of a BASE_E* code: EINVAL 400 BadRequestException,
 * ENOTFOUND 404 NotFoundException, EEXIST 409, ELIMIT and ETOOLARGE 413, EPERM 403
 * ForbiddenException, ESTATE 409, otherwise 503. For Creel's own resources. */
void api_answer_base_error(struct api_request *rq, const struct base_error *err);
/* Answers from a gate: text/plain whatever the client accepts, with Content-Length (also for HEAD),
 * never compressed, without Vary. Takes @body's memory (zeroed). */
void api_answer_from_gate(struct api_request *rq, unsigned status, struct base_buf *body);
/* Answers with the servlet engine's HTML page of an error. @servlet: the servlet's name shown there
 * (NULL: none). */
void api_answer_html_error_page(struct api_request *rq, unsigned status, const char *message,
                                const char *servlet);
/* Answers with the description of all routes of YARN's REST, as Jersey's /application.wadl. */
void api_answer_wadl(struct api_request *rq);
/* Answers as the servlet engine does when it refuses a method for which it makes no page: no body,
 * no type, no Cache-Control. */
void api_answer_empty_page(struct api_request *rq, unsigned status);
/* Answers with @len bytes of @fd from @offset; takes the descriptor. */
void api_answer_file(struct api_request *rq, unsigned status, const char *content_type, int fd,
                     uint64_t offset, uint64_t len);
/* Answers with a body made piece by piece on a server thread, for following logs. @read fills up to
 * @max bytes and returns their number; 0 to be called again later (after 2 ms, doubling to 50 ms
 * while nothing comes); -1 at the end; or API_STREAM_BROKEN to cut the connection, so that the
 * client notices that bytes are missing. A stop of the server cuts streams too. @free_fn frees @u
 * in any case (NULL: not needed). */
#define API_STREAM_BROKEN (-2)
void api_answer_stream(struct api_request *rq, unsigned status, const char *content_type,
                       int64_t (*read)(void *u, char *buf, size_t max), void *u,
                       void (*free_fn)(void *));

/* Writes the next part of a long answer: appends text to @out, which still holds the last byte of
 * the earlier text, or more of it. Returns API_WRITE_BROKEN when the answer cannot be completed:
 * the connection is cut then, so that the client notices. */
enum api_write_next { API_WRITE_MORE, API_WRITE_END, API_WRITE_BROKEN };
typedef enum api_write_next api_write_text(void *u, struct base_buf *out);
/* Answers with a text that is written while it is sent, as fast as the client takes it: first
 * @begun, taking its memory (@begun is zeroed), then what @write appends. Server threads call
 * @write, for one part at a time; parts should take 0.1 ms at most. The text is compressed when the
 * client accepts gzip. @free_fn frees @u in any case (NULL: not needed). */
void api_answer_long_text(struct api_request *rq, unsigned status, enum api_type type,
                          struct base_buf *begun, api_write_text *write, void *u,
                          void (*free_fn)(void *));

#endif

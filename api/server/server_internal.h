/* api/server/server_internal.h - what the files of the HTTP server share. Nobody else includes it.
 *
 * Life of a request (all edges under server->lock; "MHD" is a thread of libmicrohttpd that owns the connection):
 *
 *            +--------------------- answer in the handler ----------------------+
 *            |                                                                  v
 *   (new) HANDLING --api_park()--> PARKING --answer by another thread--> ANSWERED --MHD sends--> gone
 *                                    |                                     ^
 *                       handler returns: MHD suspends                      | resume
 *                                    v                                     |
 *                                  PARKED ----------- answer --------------+
 *                                    |
 *                               server stops: resume, MHD sends 503
 *                                    v
 *                                 ABORTED --late answer--> dropped; memory goes when both have happened
 *
 * PARKING exists because the answer may come before the handler has returned: then MHD never suspends. The suspend
 * happens before the edge to PARKED, so whoever sees PARKED may resume. `reply` is written by the answering thread
 * before the edge to ANSWERED and read by MHD after it. In ABORTED the two sides share nothing but the lock.
 * PARKED requests are in server->parked, ABORTED ones in server->aborted.
 *
 * A client that goes away ends neither: libmicrohttpd does not look at suspended connections, so the request stays
 * PARKED until it is answered or the server stops. It ends, and `completed` is set, when libmicrohttpd gives up its
 * part in on_completed(): after the answer is sent (a client may have it before that), or the connection is cut.
 *
 * Stop: api_server_stop_begin() aborts all that is parked. api_server_stop() waits until nobody is within
 * MHD_resume_connection() (`resuming`; libmicrohttpd aborts the process when it is stopped with connections suspended),
 * and a while for answers under way; joins the helper and libmicrohttpd's threads, which completes every request; frees
 * what is still in server->aborted, the requests the daemon never answered; and then the server. An answer that comes
 * after that uses freed memory: nothing here can tell, see api_server_stop() for what the caller owes. */
#ifndef CREEL_API_SERVER_SERVER_INTERNAL_H
#define CREEL_API_SERVER_SERVER_INTERNAL_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <zlib.h>

#include "api/server/accept.h"
#include "api/server/hosts.h"
#include "api/server/pace.h"
#include "api/server/peers.h"
#include "api/server/route.h"
#include "api/server/server.h"
#include "api/server/uri.h"

#define API_HEADERS_MAX 16
/* Body bytes read and thrown away so that the client gets its error over a connection that stays usable. */
#define API_DRAIN_MAX (64 << 20)
/* Request line and headers have to fit in one connection's memory, together with the answer's head (431 otherwise).
 * libmicrohttpd clears all of it between two requests: it costs time and, times connections, real memory. */
#define API_CONNECTION_MEMORY (16 * 1024)
/* What one turn of a server thread hands to a socket: others on the same thread wait meanwhile. */
#define API_TURN_MAX (32 * 1024)
/* A stream without bytes is looked at again after the first, then twice as long each time up to the second: the end of
 * a short command is seen at once, a long silence costs little. */
#define API_STREAM_POLL_FIRST_MS 2
#define API_STREAM_POLL_MAX_MS   50

/* What a connection does, and since when. A thread of libmicrohttpd writes the time first, then the phase; the helper
 * reads them in the other order, so that it never sees a phase with an older time. */
enum api_phase {
    API_PHASE_HEAD, /* a request's head is awaited on a new connection, or has begun on a kept one */
    API_PHASE_BODY, /* the head has come, the body is on its way */
    API_PHASE_BUSY, /* a whole request has arrived and is not completed */
    API_PHASE_IDLE, /* between two requests */
};
struct api_conn {
    struct api_link link;
    struct api_seat seat;
    int fd;
    _Atomic int64_t since_ms;
    _Atomic int phase;          /* enum api_phase */
    _Atomic uint64_t received;  /* body bytes, of all its requests */
    bool spoke;                 /* a whole head has come; its own thread's, as the next */
    int64_t node_told_ms;       /* when it was last said to be a node's; 0: never */
    struct api_pace pace;       /* the helper's */
};

enum api_state { API_ST_HANDLING, API_ST_PARKING, API_ST_PARKED, API_ST_ANSWERED, API_ST_ABORTED };
enum api_reply_kind { API_REPLY_BODY, API_REPLY_FILE, API_REPLY_STREAM, API_REPLY_PIECES };

struct api_header {
    char *name, *value;
};
struct api_reply {
    enum api_reply_kind kind;
    unsigned status;
    enum api_type type;
    const char *content_type; /* static text; NULL: by type. A Content-Type given by api_add_header wins */
    bool page;                /* server error page: its own Cache-Control, never compressed */
    bool final;               /* made by the server itself: Accept is not looked at again */
    bool gate;                /* made by a filter in front: HEAD tells the body's length, never compressed */
    bool close;
    struct base_buf body;
    struct api_pieces *pieces; /* PIECES, whole */
    char *type_text;           /* FILE, STREAM */
    int fd;
    uint64_t offset, len;
    int64_t (*read)(void *u, char *buf, size_t max);
    void *u;
    void (*free_fn)(void *);
};

struct api_request {
    struct api_link parked;
    struct api_server *server;
    struct MHD_Connection *connection;
    struct api_conn *conn;
    enum api_state state;
    bool completed;   /* ABORTED only: MHD is done with it */
    bool late_answer; /* ABORTED only: the daemon is done with it */

    const char *method; /* static text, or the next */
    char unknown_method[24];
    bool head, begun, handled, drain, close;
    int uri_error;
    struct api_uri uri;
    struct api_match match;
    const struct api_route *route; /* NULL until matched */
    const char *host; /* Host, once it is checked; the connection's memory */
    char *rest;
    char *caller, *bearer;
    char peer[INET6_ADDRSTRLEN];
    char *refusal; /* text of the error that is answered */
    enum api_accept accept;
    bool accept_named, accept_gzip;

    struct base_buf body;
    size_t charged;    /* bytes of the budget for bodies, for its own and a long answer */
    uint64_t received; /* body bytes as sent */
    z_stream *inflate; /* non-NULL while a gzip body is read */
    bool inflate_done;

    struct api_header headers[API_HEADERS_MAX];
    unsigned n_headers;
    struct api_reply reply;
    void *slot;
    void (*slot_free)(void *);
};

struct api_stream {
    struct api_link link; /* in server->waiting while suspended */
    struct api_server *server;
    struct MHD_Connection *connection;
    int fd;
    int64_t wait_ms, wake_at_ms; /* how long the last wait was (0: bytes came since), and when this one ends */
    int64_t (*read)(void *u, char *buf, size_t max);
    void *u;
    void (*free_fn)(void *);
};

struct api_server {
    struct MHD_Daemon *mhd;
    struct api_router *router;
    void *user;
    char *node_secret, *static_user;
    struct api_hosts *hosts;
    _Atomic int64_t host_warned_ms; /* 0: not yet */
    api_gate *gate;
    api_on_answer *on_answer;
    int64_t idle_timeout_ms, head_timeout_ms, body_window_ms, body_rate; /* body_rate: bytes a second, 0: none */
    int64_t tick_ms; /* how often the helper looks who is late */
    struct api_peers *peers;
    uint16_t port;
    int listen_fd;

    pthread_mutex_t lock;
    pthread_cond_t wake; /* the helper thread and stop() wait here; CLOCK_MONOTONIC */
    struct api_link conns, parked, aborted, waiting;
    unsigned n_requests; /* alive within MHD */
    unsigned resuming;   /* threads between an edge and the end of MHD_resume_connection */
    atomic_bool stopping;
    bool helper_stop;
    int64_t helper_wakes_ms; /* when the helper looks next */
    pthread_t helper;
};

int64_t api_mono_ms(void);
void api_conn_phase(struct api_conn *conn, enum api_phase phase); /* its own thread alone */
bool api_fd_gone(int fd);

/* api/server/request.c: reading a request. begin: after the headers; piece: body bytes; end: whole body is there, calls the
 * handler unless an answer is there already. */
struct api_request *api_request_new(struct api_server *s, struct MHD_Connection *c, const char *raw_uri);
void api_request_begin(struct api_request *rq, const char *method);
bool api_request_piece(struct api_request *rq, const char *data, size_t len); /* false: cut the connection */
void api_request_end(struct api_request *rq);
void api_request_discharge(struct api_request *rq); /* its body's memory is given back to the budget */
void api_request_free(struct api_request *rq);

/* api/server/origin.c. check_host: exactly one Host, and a name of ours; else it is answered (400, 421). is_foreign: a page of
 * another site made its reader's browser send this, and the browser says so; other clients send neither header. SOURCE:
 * W3C Fetch Metadata Request Headers (Sec-Fetch-Site); RFC 6454 (Origin). */
bool api_origin_check_host(struct api_request *rq);
bool api_origin_is_foreign(const struct api_request *rq);

/* api/server/reply.c: hands a finished reply over (from any thread), sends it (MHD's thread only). */
void api_reply_give(struct api_request *rq, struct api_reply *reply);
enum MHD_Result api_reply_send(struct api_request *rq);
enum MHD_Result api_reply_send_stopping(struct api_request *rq);
void api_reply_free(struct api_reply *reply);

/* api/server/error.c: answers the server itself gives. */
void api_error_document(struct base_buf *out, enum api_type type, const char *exception, const char *message);
void api_error_not_found_page(struct api_request *rq);
void api_error_server_page(struct api_request *rq, unsigned status, const char *message);
void api_error_wrong_method(struct api_request *rq);
void api_error_no_content_type(struct api_request *rq);
void api_error_options(struct api_request *rq);
/* Replaces a JSON or XML reply that the client said it does not take (YARN routes only). True when it did. */
bool api_error_unacceptable(struct api_request *rq, struct api_reply *reply);
unsigned api_error_unacceptable_status(const struct api_request *rq); /* with which status it does */

/* api/server/gzip.c */
bool api_gzip_pack(const struct base_buf *in, struct base_buf *out);
z_stream *api_gunzip_new(void);
void api_gunzip_free(z_stream *z);
/* Appends the unpacked bytes; 0, -BASE_EINVAL (broken) or -BASE_ELIMIT (more than @max in @out). */
int api_gunzip_piece(z_stream *z, const char *data, size_t len, size_t max, struct base_buf *out, bool *done);

/* api/server/pieces.c */
void api_pieces_finish(struct api_pieces *p); /* before it is handed to a server thread */
struct MHD_Response *api_pieces_response(struct api_pieces **p, bool chunked, bool *packed); /* takes the pieces */
struct MHD_Response *api_pieces_of_body(struct base_buf *body, bool chunked);                /* takes the body */

/* api/server/server.c: suspends a stream that has nothing to say; false when it should end instead. */
bool api_stream_wait(struct api_stream *st);

#endif

/* api/server/server_internal.h - what the files of the HTTP server share. Only they include it.
 *
 * Life of a request (all edges under server->lock; "MHD" is a thread of libmicrohttpd that owns the
 * connection):
 *
 *            +------------------- answer in the handler ---------------------+
 *            |                                                               v
 *   (new) HANDLING --api_park()--> PARKING --answer by a thread--> ANSWERED --MHD sends--> gone
 *                                    |                                ^
 *                       handler returns: MHD suspends                 | resume
 *                                    v                                |
 *                                  PARKED ---------- answer ----------+
 *                                    |
 *                               server stops: resume, MHD sends 503
 *                                    v
 *                                 ABORTED --late answer--> dropped; freed when both have happened
 *
 * PARKING exists because the answer may come before the handler has returned; then MHD never
 * suspends. The suspend happens before the edge to PARKED, so a thread that sees PARKED may resume.
 * `reply` is written by the answering thread before the edge to ANSWERED and read by MHD after it.
 * In ABORTED the two sides share nothing but the lock. PARKED requests are listed in
 * server->parked, ABORTED ones in server->aborted.
 *
 * A client that disconnects ends neither PARKING nor PARKED: libmicrohttpd does not look at
 * suspended connections, so the request stays PARKED until it is answered or the server stops. A
 * request ends when libmicrohttpd calls on_completed(): after the answer was sent (a client may
 * have it before that), or when the connection is closed. An ABORTED request is then marked
 * `completed`.
 *
 * Stop: api_server_stop_begin() aborts all parked requests. api_server_stop() waits until no thread
 * is inside MHD_resume_connection() (`resuming`; libmicrohttpd aborts the process when it is
 * stopped with suspended connections), and a while for answers under way. It then joins the helper
 * and libmicrohttpd's threads, which completes every request; frees what is still in
 * server->aborted, the requests that the daemon never answered; and finally the server. A later
 * answer would use freed memory, which nothing here can detect: api_server_stop() says what the
 * caller has to ensure. */
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
/* Most bytes of an unwanted body that are read and dropped, so that the client gets its error over
 * a connection that stays usable. */
#define API_DRAIN_MAX (64 << 20)
/* Memory of one connection: request line, headers and the answer's head have to fit (431
 * otherwise). libmicrohttpd clears all of it between two requests: it costs time and, times
 * connections, real memory. */
#define API_CONNECTION_MEMORY (16 * 1024)
/* Most bytes that one turn of a server thread hands to a socket, since other connections of the
 * thread wait meanwhile. */
#define API_TURN_MAX (32 * 1024)
/* An idle stream is polled after the first interval, then after twice as long each time up to the
 * second: the end of a short command is seen at once, a long silence costs little. */
#define API_STREAM_POLL_FIRST_MS 2
#define API_STREAM_POLL_MAX_MS   50

/* The phase of a connection, and when it began. A thread of libmicrohttpd writes the time first,
 * then the phase; the helper reads them in the opposite order, so that it never sees a phase with
 * an older time. */
enum api_phase {
    /* waiting for a request's head on a new connection, or reading it on a kept one */
    API_PHASE_HEAD,
    API_PHASE_BODY, /* the head has come, the body is being read */
    API_PHASE_BUSY, /* a whole request has arrived and is not completed */
    API_PHASE_IDLE, /* between two requests */
};
struct api_conn {
    struct api_link link;
    struct api_seat seat;
    int fd;
    _Atomic int64_t since_ms;
    _Atomic int phase;         /* enum api_phase */
    _Atomic uint64_t received; /* body bytes of all its requests */
    /* a whole head has come; only its own thread uses this and the next member */
    bool spoke;
    int64_t node_told_ms; /* when it was last marked as a node's; 0: never */
    struct api_pace pace; /* only the helper uses it */
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
    /* static text; NULL: chosen by @type; a Content-Type added by the handler wins */
    const char *content_type;
    bool page;  /* server error page: its own Cache-Control, never compressed */
    bool final; /* made by the server itself: Accept is not considered again */
    /* made by a gate: a HEAD answer gives the body's length; never compressed */
    bool gate;
    bool close;
    struct base_buf body;
    struct api_pieces *pieces; /* PIECES: all of them */
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
    bool completed;   /* ABORTED only: MHD has finished with the request */
    bool late_answer; /* ABORTED only: the daemon has finished with the request */

    const char *method; /* static text, or unknown_method */
    char unknown_method[24];
    bool head, begun, handled, drain, close;
    int uri_error;
    struct api_uri uri;
    struct api_match match;
    const struct api_route *route; /* NULL until matched */
    const char *host; /* value of Host once it is checked, in the connection's memory */
    char *rest;
    char *caller, *bearer;
    char peer[INET6_ADDRSTRLEN];
    char *refusal; /* message of the error answer */
    enum api_accept accept;
    bool accept_named, accept_gzip;

    struct base_buf body;
    size_t charged;    /* bytes charged to the budget for its body and a long answer */
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
    struct api_link link; /* listed in server->waiting while suspended */
    struct api_server *server;
    struct MHD_Connection *connection;
    int fd;
    /* length of the current wait (0: bytes came since), and when it ends */
    int64_t wait_ms, wake_at_ms;
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
    int64_t idle_timeout_ms, head_timeout_ms, body_window_ms,
        body_rate;   /* body_rate: bytes a second, 0: none */
    int64_t tick_ms; /* how often the helper looks for late connections */
    struct api_peers *peers;
    uint16_t port;
    int listen_fd;

    pthread_mutex_t lock;
    pthread_cond_t wake; /* the helper thread and api_server_stop() wait for it; CLOCK_MONOTONIC */
    struct api_link conns, parked, aborted, waiting;
    unsigned n_requests; /* requests alive within MHD */
    unsigned resuming;   /* threads between a state change and the end of MHD_resume_connection() */
    atomic_bool stopping;
    bool helper_stop;
    int64_t helper_wakes_ms; /* when the helper wakes next */
    pthread_t helper;
};

int64_t api_read_mono_ms(void);
/* called by the connection's own thread only */
void api_conn_set_phase(struct api_conn *conn, enum api_phase phase);
bool api_fd_is_closed_by_peer(int fd);

/* api/server/request/request.c: reading a request. api_request_handle_head() comes after the
 * headers, api_request_add_body_piece() with body bytes, api_request_finish_body() once the whole
 * body is there; it calls the handler unless the request is answered already. */
struct api_request *api_request_new(struct api_server *s, struct MHD_Connection *c,
                                    const char *raw_uri);
void api_request_handle_head(struct api_request *rq, const char *method);
/* false: close the connection */
bool api_request_add_body_piece(struct api_request *rq, const char *data, size_t len);
void api_request_finish_body(struct api_request *rq);
/* gives the memory of its body back to the budget */
void api_request_release_body_memory(struct api_request *rq);
void api_request_free(struct api_request *rq);

/* api/server/request/origin.c. The first function checks that there is exactly one Host with a name
 * of ours, and otherwise answers (400, 421). The second tells whether a page of another site made
 * its reader's browser send the request, as the browser then says; other clients send neither
 * header. SOURCE: W3C Fetch Metadata Request Headers (Sec-Fetch-Site); RFC 6454 (Origin). */
bool api_origin_check_host(struct api_request *rq);
bool api_origin_is_foreign(const struct api_request *rq);

/* api/server/answer/send.c: hands over a finished reply (from any thread); sends it (on MHD's
 * thread only). */
void api_reply_hand_over(struct api_request *rq, struct api_reply *reply);
enum MHD_Result api_reply_send(struct api_request *rq);
enum MHD_Result api_reply_send_stopping_error(struct api_request *rq);
void api_reply_free(struct api_reply *reply);

/* api/server/answer/error.c: answers that the server itself gives. */
void api_error_encode_document(struct base_buf *out, enum api_type type, const char *exception,
                               const char *message);
void api_error_answer_not_found(struct api_request *rq);
void api_error_answer_server_page(struct api_request *rq, unsigned status, const char *message);
void api_error_answer_wrong_method(struct api_request *rq);
void api_error_answer_no_content_type(struct api_request *rq);
void api_error_answer_options(struct api_request *rq);
/* Replaces a JSON or XML reply that the client does not accept (YARN routes only). Returns true
 * when it did. */
bool api_error_replace_unacceptable(struct api_request *rq, struct api_reply *reply);
/* the status that such a reply gets */
unsigned api_error_get_unacceptable_status(const struct api_request *rq);

/* api/server/answer/gzip.c */
bool api_gzip_compress(const struct base_buf *in, struct base_buf *out);
z_stream *api_gunzip_new(void);
void api_gunzip_free(z_stream *z);
/* Appends the decompressed bytes to @out. Returns 0, -BASE_EINVAL (broken) or -BASE_ELIMIT (more
 * than @max in @out). */
int api_gunzip_add_piece(z_stream *z, const char *data, size_t len, size_t max,
                         struct base_buf *out, bool *done);

/* api/server/answer/pieces.c */
/* ends the compression; call before the pieces go to a server thread */
void api_pieces_finish(struct api_pieces *p);
/* takes the pieces */
struct MHD_Response *api_pieces_create_response(struct api_pieces **p, bool chunked, bool *packed);
/* takes the body */
struct MHD_Response *api_pieces_create_body_response(struct base_buf *body, bool chunked);

/* api/server/server.c: suspends a stream that has no bytes now; false when the stream should end
 * instead. */
bool api_stream_suspend(struct api_stream *st);

#endif

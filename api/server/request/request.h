/* api/server/request/request.h - a request: its parsed parts and its answer. What handlers may ask
 * about a request is in api/server/server.h; its life is in api/server/request/lifecycle.h. */
#ifndef CREEL_API_SERVER_REQUEST_REQUEST_H
#define CREEL_API_SERVER_REQUEST_REQUEST_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <zlib.h>

#include "api/server/accept.h"
#include "api/server/access/signature.h"
#include "api/server/answer/reply.h"
#include "api/server/conn.h"
#include "api/server/route.h"

/* most headers that are added to an answer: 16 by a handler, and the server's own */
#define API_HEADERS_MAX 24

enum api_state { API_ST_HANDLING, API_ST_PARKING, API_ST_PARKED, API_ST_ANSWERED, API_ST_ABORTED };

struct api_header {
    char *name, *value;
};

struct api_request {
    struct api_link parked; /* listed in server->parked or server->aborted */
    struct api_server *server;
    struct MHD_Connection *connection;
    struct api_conn *conn;
    enum api_state state;
    bool completed;   /* ABORTED only: MHD has finished with the request */
    bool late_answer; /* ABORTED only: the daemon has finished with the request */

    const char *method; /* static text, or unknown_method */
    char unknown_method[24];
    bool head;    /* the method is HEAD */
    bool begun;   /* the head has been handled */
    bool handled; /* the body is complete; the handler runs unless an error was answered */
    bool run;     /* the handler has been called */
    bool drain;   /* read the body's remaining bytes and drop them */
    bool close;   /* close the connection after the answer */
    int uri_error;
    char *target; /* as sent; NULL: the server checks no signatures */
    struct api_signer signer;
    bool asks_start_id; /* refused, as its signature is right, but its sender asks for the start id
                         */
    struct api_uri uri;
    struct api_match match;
    const struct api_route *route; /* NULL until matched */
    const char
        *host;  /* value of the only Host header, in the connection's memory; NULL: not read */
    char *rest; /* what {rest*} captured; NULL: the route has none */
    char *caller, *bearer;
    bool named;      /* the request says who the caller is */
    bool unsettled;  /* the user of its token has not been found yet */
    bool refused;    /* its token is that of no user */
    bool in_session; /* its token is the text of a session, from a cookie */
    char peer[INET6_ADDRSTRLEN];
    char *refusal; /* message of the error answer, kept for on_answer */
    enum api_accept accept;
    bool accept_named, accept_gzip;

    int64_t begun_us, handling_since_us, parked_us; /* 0: not yet */
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

/* Begins a request for the target @raw_uri on connection @c; an error in the target is kept for
 * api_request_handle_head(). */
struct api_request *api_request_new(struct api_server *s, struct MHD_Connection *c,
                                    const char *raw_uri);
/* Frees the request; its body's memory must have been given back to the budget before. */
void api_request_free(struct api_request *rq);
/* Gives the memory of the request's body and answer back to the budget. */
void api_request_release_memory(struct api_request *rq);
/* Appends the values of all headers @name to @out, joined with commas; nothing when there is no
 * such header. */
void api_request_join_headers(const struct api_request *rq, const char *name, struct base_buf *out);
/* Returns how many bytes of the connection's memory the request's head leaves for that of the
 * answer. */
size_t api_request_get_memory_left(const struct api_request *rq);

#endif

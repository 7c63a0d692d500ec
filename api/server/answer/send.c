/* Turns a reply into libmicrohttpd's response and sends it. */
#include "api/server/answer/send.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "api/server/answer/error.h"
#include "api/server/answer/gzip.h"
#include "api/server/answer/http_date.h"
#include "api/server/answer/pieces.h"
#include "api/server/answer/stream.h"
#include "api/server/server_internal.h"

static struct MHD_Response *create_file_response(struct api_reply *reply)
{
    struct MHD_Response *response;

    if (reply->len == 0)
        return MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    response = MHD_create_response_from_fd_at_offset64(reply->len, reply->fd, reply->offset);
    if (response)
        reply->fd = -1;
    return response;
}

static bool is_creel_route(const struct api_request *rq)
{
    return rq->route && (rq->route->flags & API_ROUTE_CREEL);
}

static bool is_plain_file(const struct api_request *rq)
{
    return rq->route && (rq->route->flags & API_ROUTE_PLAIN_FILE);
}

/* Compresses the reply's body if the client accepts gzip and YARN would compress it. Returns true
 * when the body is compressed now. */
static bool compress_body_if_wanted(struct api_request *rq)
{
    struct api_reply *reply = &rq->reply;
    struct base_buf packed = {0};

    /* YARN compresses all REST answers except empty bodies and pages. Small answers of Creel's own
     * routes are not worth the effort. */
    if (!rq->accept_gzip || reply->page || reply->gate || is_plain_file(rq) ||
        (rq->route && (rq->route->flags & API_ROUTE_SERVLET)) ||
        (reply->final && reply->type == API_TEXT) ||
        (is_creel_route(rq) && reply->body.len < 1024) ||
        !api_gzip_compress(&reply->body, &packed)) {
        base_buf_free(&packed);
        return false;
    }
    base_buf_free(&reply->body);
    reply->body = packed;
    return true;
}

/* Returns true when a long body is sent without Content-Length, as YARN sends its JSON. */
static bool is_sent_chunked(const struct api_request *rq)
{
    return rq->reply.type == API_JSON && !is_creel_route(rq) && !rq->reply.page;
}

static struct MHD_Response *create_body_response(struct api_request *rq, bool *packed)
{
    struct api_reply *reply = &rq->reply;
    struct MHD_Response *response;

    *packed = false;
    if (reply->body.len == 0)
        return MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    *packed = compress_body_if_wanted(rq);
    api_calls_count_sent(rq->server->calls, rq->route, reply->body.len);
    /* All but long bodies have a length even where YARN sends chunks: head and body then leave in
     * one system call, which saves half of the kernel's part of the cost or more. */
    if (reply->body.len > API_ONE_SEND_MAX)
        return api_pieces_create_body_response(&reply->body, is_sent_chunked(rq));
    response =
        MHD_create_response_from_buffer_with_free_callback(reply->body.len, reply->body.data, free);
    if (response && rq->conn)
        api_tls_cork_short_answer(&rq->conn->tls, reply->body.len);
    if (response)
        memset(&reply->body, 0, sizeof reply->body);
    return response;
}

static struct MHD_Response *create_counted_file_response(struct api_request *rq)
{
    api_calls_count_sent(rq->server->calls, rq->route, rq->reply.len);
    return create_file_response(&rq->reply);
}

static struct MHD_Response *create_pieces_response(struct api_request *rq, bool *packed)
{
    api_calls_count_sent(rq->server->calls, rq->route, api_pieces_length(rq->reply.pieces));
    return api_pieces_create_response(&rq->reply.pieces, is_sent_chunked(rq), packed);
}

static const char *find_added_header(const struct api_request *rq, const char *name)
{
    for (unsigned i = 0; i < rq->n_headers; i++)
        if (strcasecmp(rq->headers[i].name, name) == 0)
            return rq->headers[i].value;
    return NULL;
}

/* Returns the present time. Each thread formats it at most once a second. */
static const char *get_http_date(void)
{
    static _Thread_local time_t at;
    static _Thread_local char text[API_HTTP_DATE_MAX];
    time_t now = time(NULL);

    if (now != at || !text[0]) {
        api_http_date_text(now, text);
        at = now;
    }
    return text;
}

static const char *get_content_type(const struct api_reply *reply)
{
    static const char *const texts[] = {
        [API_JSON] = "application/json;charset=utf-8",
        [API_XML] = "application/xml; charset=utf-8",
        [API_TEXT] = "text/plain;charset=utf-8",
        [API_BYTES] = "application/octet-stream",
    };

    if (reply->content_type)
        return reply->content_type;
    return reply->type_text ? reply->type_text : texts[reply->type];
}

/* Adds the headers in YARN's order. SOURCE: YARN 3.4.2 as recorded. libmicrohttpd adds "Date"
 * itself. */
static void add_response_headers(struct api_request *rq, struct MHD_Response *r, bool packed,
                                 const char *signature)
{
    const struct api_reply *reply = &rq->reply;
    const char *type = get_content_type(reply);

    if (is_plain_file(rq)) {
        /* nothing about caches */
    } else if (!reply->page && !find_added_header(rq, "Cache-Control")) {
        MHD_add_response_header(r, "Cache-Control", "no-cache");
        MHD_add_response_header(r, "Expires", get_http_date());
        MHD_add_response_header(r, "Pragma", "no-cache");
    } else if (reply->page) {
        MHD_add_response_header(r, "Pragma", "no-cache");
    }
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "X-FRAME-OPTIONS", "SAMEORIGIN");
    MHD_add_response_header(r, "X-XSS-Protection", "1; mode=block");
    for (unsigned i = 0; i < rq->n_headers; i++)
        MHD_add_response_header(r, rq->headers[i].name, rq->headers[i].value);
    if (signature)
        MHD_add_response_header(r, BASE_ANSWER_SIGNATURE, signature);
    if (reply->page && !reply->uncached)
        MHD_add_response_header(r, "Cache-Control", "must-revalidate,no-cache,no-store");
    if (type && type[0] && reply->status != 204 && !find_added_header(rq, "Content-Type"))
        MHD_add_response_header(r, "Content-Type", type);
    if (!reply->page && !reply->gate && reply->status != 307 && !is_plain_file(rq))
        MHD_add_response_header(r, "Vary", "Accept-Encoding");
    if (packed)
        MHD_add_response_header(r, "Content-Encoding", "gzip");
    if (reply->close || rq->close)
        MHD_add_response_header(r, "Connection", "close");
}

static enum MHD_Result queue_response(struct api_request *rq, struct MHD_Response *response,
                                      unsigned status)
{
    enum MHD_Result rc;

    if (!response)
        return MHD_NO;
    rc = MHD_queue_response(rq->connection, status, response);
    MHD_destroy_response(response);
    return rc;
}

/* Refuses the request if the answer's head is too long, which only headers that repeat a part of
 * the request, such as Location, can cause. */
static void refuse_unless_head_fits(struct api_request *rq)
{
    size_t left = api_request_get_memory_left(rq), added = 0;

    for (unsigned i = 0; i < rq->n_headers; i++)
        added += strlen(rq->headers[i].name) + strlen(rq->headers[i].value) + strlen(": \r\n");
    if (left >= API_ANSWER_HEAD_MIN && added <= left - API_ANSWER_HEAD_MIN / 2)
        return;
    for (; rq->n_headers > 0; rq->n_headers--) {
        free(rq->headers[rq->n_headers - 1].name);
        free(rq->headers[rq->n_headers - 1].value);
    }
    api_reply_clear(&rq->reply);
    rq->reply.status = 414;
    rq->close = true;
}

enum MHD_Result api_send_reply(struct api_request *rq)
{
    struct api_reply *reply = &rq->reply;
    struct MHD_Response *response;
    char signature[BASE_ANSWER_SIGNATURE_MAX];
    bool packed, is_signed;

    if (rq->n_headers > 0)
        refuse_unless_head_fits(rq);
    packed = reply->compressed;
    if (!reply->final)
        api_error_replace_unacceptable_reply(rq, reply);
    is_signed = api_signature_sign_reply(rq, signature);
    if (rq->head && !reply->gate)
        response = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    else if (reply->kind == API_REPLY_STREAM)
        response = api_stream_create_response(rq);
    else if (reply->kind == API_REPLY_FILE)
        response = create_counted_file_response(rq);
    else if (reply->kind == API_REPLY_PIECES)
        response = create_pieces_response(rq, &packed);
    else
        response = create_body_response(rq, &packed);
    if (response)
        add_response_headers(rq, response, packed, is_signed ? signature : NULL);
    return queue_response(rq, response, reply->status);
}

enum MHD_Result api_send_stopping_error(struct api_request *rq)
{
    static const char text[] =
        "{\"RemoteException\":{\"exception\":\"ServiceUnavailableException\","
        "\"message\":\"The server is stopping\","
        "\"javaClassName\":\"creel.ServiceUnavailableException\"}}";
    struct MHD_Response *r =
        MHD_create_response_from_buffer(sizeof text - 1, (void *)text, MHD_RESPMEM_PERSISTENT);
    char signature[BASE_ANSWER_SIGNATURE_MAX];

    if (r && api_signature_sign_text(rq, 503, text, sizeof text - 1, signature))
        MHD_add_response_header(r, BASE_ANSWER_SIGNATURE, signature);
    if (r) {
        MHD_add_response_header(r, "Cache-Control", "no-cache");
        MHD_add_response_header(r, "Content-Type", "application/json;charset=utf-8");
        MHD_add_response_header(r, "Connection", "close");
    }
    return queue_response(rq, r, 503);
}

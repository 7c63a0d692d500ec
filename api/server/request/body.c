/* Reads the body of a request within its limits of length and memory. */
#include "api/server/request/body.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/answer/error.h"
#include "api/server/answer/gzip.h"
#include "api/server/server_internal.h"
#include "base/io/io.h"
#include "base/utf8.h"

/* Retry-After, in seconds, when request bodies and long answers have used up their memory budget */
#define BODY_RETRY_S "2"

/* Returns true when the headers announce a body. *@length: its length, 0 when it is chunked. */
static bool has_body(const struct api_request *rq, uint64_t *length)
{
    const char *text = api_header(rq, "Content-Length");
    int64_t n = 0;

    *length = 0;
    if (api_header(rq, "Transfer-Encoding"))
        return true;
    if (text && base_int_parse(text, 0, INT64_MAX, &n) == 0)
        *length = (uint64_t)n;
    return n > 0;
}

static void answer_too_large(struct api_request *rq)
{
    api_answer_error(rq, 413, "LimitException",
                     "The body is larger than the %u bytes this resource takes",
                     rq->route->body_max);
}

/* Two Content-Type headers are joined to a list, which no resource accepts as a type. */
static enum api_content parse_content_type(const struct api_request *rq)
{
    struct base_buf type = {0};
    enum api_content content;

    api_request_join_headers(rq, "Content-Type", &type);
    content = api_content_parse(type.data);
    base_buf_free(&type);
    return content;
}

/* Answers 415: the body is not declared as JSON. A page of another site can make its reader's
 * browser send text/plain, a form, or no type without asking us first (Fetch, "simple" requests),
 * so Creel's own resources accept only a body that is declared as JSON. */
static void answer_wrong_type(struct api_request *rq)
{
    const char *type = api_header(rq, "Content-Type");
    char *shown = base_utf8_escape_for_message(type ? type : "", 100);

    api_answer_error(rq, 415, "UnsupportedMediaTypeException",
                     "Content-Type: \"%s\": expected application/json", shown);
    free(shown);
}

static void answer_no_memory(struct api_request *rq, const char *what)
{
    api_add_header(rq, "Retry-After", BODY_RETRY_S);
    api_answer_error(rq, 503, "ServiceUnavailableException",
                     "Too many %s at once; try again in " BODY_RETRY_S " s", what);
}

bool api_request_check_body_headers(struct api_request *rq)
{
    enum api_content content;
    const char *encoding;
    uint64_t length;
    bool body;

    if (rq->route->body_max == 0) {
        rq->drain = true; /* the body will be dropped, so its headers do not matter */
        return true;
    }
    body = has_body(rq, &length);
    encoding = api_header(rq, "Content-Encoding");
    content = parse_content_type(rq);
    if (rq->route->flags & API_ROUTE_FORM) {
        /* any type, or none */
    } else if (rq->route->flags & API_ROUTE_CREEL) {
        if (body && content != API_CONTENT_JSON) {
            answer_wrong_type(rq);
            return false;
        }
    } else if (content == API_CONTENT_OTHER) {
        api_error_answer_wrong_method(rq);
        return false;
    } else if (content == API_CONTENT_NONE && strcmp(rq->method, "DELETE") != 0) {
        api_error_answer_no_content_type(rq);
        return false;
    }
    if (length > rq->route->body_max) {
        answer_too_large(rq);
        return false;
    }
    if (body && encoding && strcasecmp(encoding, "identity") != 0) {
        if (strcasecmp(encoding, "gzip") != 0 && strcasecmp(encoding, "x-gzip") != 0) {
            api_answer_error(rq, 415, "UnsupportedMediaTypeException",
                             "Content-Encoding %s is not known", encoding);
            return false;
        }
        rq->inflate = api_gunzip_new();
        if (!rq->inflate) { /* else the compressed bytes would be read as the body */
            answer_no_memory(rq, "bodies are being read");
            return false;
        }
    }
    return true;
}

static bool charge_request_memory(struct api_request *rq, size_t bytes)
{
    if (!rq->conn || bytes == 0)
        return true;
    if (!api_peers_charge_body_memory(rq->server->peers, &rq->conn->seat, bytes))
        return false;
    rq->charged += bytes;
    return true;
}

/* Called on any thread. The lock keeps the request from becoming ABORTED meanwhile, which would
 * take away its connection and the connection's seat. */
bool api_charge_answer_memory(struct api_request *rq, size_t bytes)
{
    bool ok;

    pthread_mutex_lock(&rq->server->lock);
    ok = rq->state == API_ST_ABORTED || charge_request_memory(rq, bytes);
    pthread_mutex_unlock(&rq->server->lock);
    if (!ok)
        answer_no_memory(rq, "long answers are being made or sent");
    return ok;
}

bool api_request_add_body_piece(struct api_request *rq, const char *data, size_t len)
{
    size_t max, before = rq->body.len;
    int rc = 0;

    rq->received += len;
    if (rq->conn)
        atomic_fetch_add(&rq->conn->received, len);
    if (rq->drain)
        return rq->received <= API_DRAIN_MAX;
    max = rq->route->body_max;
    if (rq->inflate) {
        if (rq->inflate_done && len > 0)
            rc = -BASE_EINVAL;
        else
            rc = api_gunzip_add_piece(rq->inflate, data, len, max, &rq->body, &rq->inflate_done);
    } else if (len > max - rq->body.len) {
        rc = -BASE_ELIMIT;
    } else {
        base_buf_add(&rq->body, data, len);
    }
    if (rc == 0 && !charge_request_memory(rq, rq->body.len - before))
        rc = -BASE_EAGAIN;
    if (rc == 0)
        return true;
    if (rc == -BASE_ELIMIT)
        answer_too_large(rq);
    else if (rc == -BASE_EAGAIN)
        answer_no_memory(rq, "bodies are being read");
    else
        api_answer_error(rq, 400, "BadRequestException", "The body is not in gzip format");
    base_buf_free(&rq->body);
    api_request_release_memory(rq);
    rq->received = 0; /* bytes of the wanted body do not count against the limit of dropped bytes */
    rq->drain = true;
    return true;
}

bool api_request_check_body_complete(struct api_request *rq)
{
    if (rq->inflate && !rq->inflate_done) {
        api_answer_error(rq, 400, "BadRequestException", "The gzip body ends early");
        return false;
    }
    return api_signature_check_body(rq);
}

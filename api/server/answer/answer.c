/* Answers by handlers, from any thread: each makes a reply and hands it over to be sent. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/answer/pieces.h"
#include "api/server/request/lifecycle.h"

void api_add_header(struct api_request *rq, const char *name, const char *value)
{
    struct api_header *h = NULL;

    bool repeats = strcasecmp(name, "Set-Cookie") == 0 || strcasecmp(name, "WWW-Authenticate") == 0;

    for (unsigned i = 0; i < rq->n_headers && !repeats; i++)
        if (strcasecmp(rq->headers[i].name, name) == 0)
            h = &rq->headers[i];
    if (!h) {
        base_assert(rq->n_headers < API_HEADERS_MAX);
        h = &rq->headers[rq->n_headers++];
        h->name = base_strdup(name);
    }
    free(h->value);
    h->value = base_strdup(value);
    for (char *c = h->value; *c; c++) /* prevents header injection */
        if (*c == '\r' || *c == '\n')
            *c = ' ';
}

void api_answer(struct api_request *rq, unsigned status, enum api_type type, struct base_buf *body)
{
    struct api_reply reply = {.kind = API_REPLY_BODY, .status = status, .type = type};

    if (body) {
        reply.body = *body;
        memset(body, 0, sizeof *body);
    }
    api_request_hand_over_reply(rq, &reply);
}

void api_answer_from_gate(struct api_request *rq, unsigned status, struct base_buf *body)
{
    struct api_reply reply = {.kind = API_REPLY_BODY,
                              .status = status,
                              .type = API_TEXT,
                              .final = true,
                              .gate = true,
                              .body = *body};

    memset(body, 0, sizeof *body);
    api_request_hand_over_reply(rq, &reply);
}

void api_answer_pieces(struct api_request *rq, unsigned status, enum api_type type,
                       struct api_pieces **p)
{
    struct api_reply reply = {
        .kind = API_REPLY_PIECES, .status = status, .type = type, .pieces = *p};

    *p = NULL;
    api_pieces_finish(reply.pieces);
    api_request_hand_over_reply(rq, &reply);
}

void api_answer_file(struct api_request *rq, unsigned status, const char *content_type, int fd,
                     uint64_t offset, uint64_t len)
{
    struct api_reply reply = {.kind = API_REPLY_FILE,
                              .status = status,
                              .type_text = base_strdup(content_type),
                              .fd = fd,
                              .offset = offset,
                              .len = len};

    api_request_hand_over_reply(rq, &reply);
}

void api_answer_stream(struct api_request *rq, unsigned status, const char *content_type,
                       int64_t (*read)(void *u, char *buf, size_t max), void *u,
                       void (*free_fn)(void *))
{
    struct api_reply reply = {.kind = API_REPLY_STREAM,
                              .status = status,
                              .type_text = base_strdup(content_type),
                              .read = read,
                              .u = u,
                              .free_fn = free_fn};

    api_request_hand_over_reply(rq, &reply);
}

#include "api/server/answer/pieces.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "api/server/answer/gzip.h"
#include "api/server/request/request.h"

#define PACKED_STEP    (8 * 1024)
#define DEFLATE_MEMORY (256 * 1024) /* SOURCE: zconf.h, for windowBits 15 and memLevel 8 */
#define PACKED_FULL    (32 * 1024)  /* a compressed piece of this length does not grow any more */

struct api_pieces {
    struct base_buf *v;
    size_t n, cap;
    uint64_t len;      /* length of all pieces */
    z_stream *deflate; /* NULL: not compressed */
    size_t at, sent;   /* piece being sent, and how many of its bytes are sent */
};

struct api_pieces *api_pieces_new(const struct api_request *rq)
{
    struct api_pieces *p = base_alloc(sizeof *p);

    if (!rq->accept_gzip)
        return p;
    p->deflate = api_deflate_new();
    return p;
}

static struct base_buf *add_empty_piece(struct api_pieces *p)
{
    base_array_grow(&p->v, p->n, &p->cap);
    p->v[p->n] = (struct base_buf){0};
    return &p->v[p->n++];
}

/* Compresses @in to the end of the last piece, and into new pieces where that one is full. */
static void compress_into_pieces(struct api_pieces *p, const struct base_buf *in, int flush)
{
    z_stream *z = p->deflate;
    int rc;

    z->next_in = (Bytef *)in->data;
    z->avail_in = (uInt)in->len;
    do {
        struct base_buf *out =
            p->n && p->v[p->n - 1].len < PACKED_FULL ? &p->v[p->n - 1] : add_empty_piece(p);

        base_buf_reserve(out, PACKED_STEP);
        z->next_out = (Bytef *)out->data + out->len;
        z->avail_out = PACKED_STEP;
        rc = deflate(z, flush);
        base_assert(rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR);
        out->len += PACKED_STEP - z->avail_out;
        out->data[out->len] = '\0';
        p->len += PACKED_STEP - z->avail_out;
    } while (z->avail_out == 0);
}

void api_pieces_add(struct api_pieces *p, struct base_buf *piece)
{
    if (piece->len == 0) {
        base_buf_free(piece);
    } else if (p->deflate) {
        compress_into_pieces(p, piece, Z_NO_FLUSH);
        base_buf_clear(piece); /* the caller reuses its memory for the next piece */
    } else {
        p->len += piece->len;
        *add_empty_piece(p) = *piece;
        memset(piece, 0, sizeof *piece);
    }
}

uint64_t api_pieces_length(const struct api_pieces *p)
{
    return p->len;
}

size_t api_pieces_memory(const struct api_pieces *p)
{
    size_t bytes = p->cap * sizeof *p->v + (p->deflate ? DEFLATE_MEMORY : 0);

    for (size_t i = p->at; i < p->n; i++)
        bytes += p->v[i].cap;
    return bytes;
}

void api_pieces_finish(struct api_pieces *p)
{
    static const struct base_buf none;

    if (p->deflate)
        compress_into_pieces(p, &none, Z_FINISH);
}

void api_pieces_free(struct api_pieces *p)
{
    if (!p)
        return;
    for (size_t i = p->at; i < p->n; i++)
        base_buf_free(&p->v[i]);
    free(p->v);
    if (p->deflate)
        deflateEnd(p->deflate);
    free(p->deflate);
    free(p);
}

static ssize_t read_pieces(void *cls, uint64_t pos, char *buf, size_t max)
{
    struct api_pieces *p = cls;
    size_t n = 0;

    if (max > API_TURN_MAX)
        max = API_TURN_MAX;
    /* @pos > 0: a turn is over. A fast client would keep this thread sending for many turns, so let
     * other threads run in between. */
    if (pos > 0)
        sched_yield();
    while (p->at < p->n && n < max) {
        struct base_buf *b = &p->v[p->at];
        size_t more = b->len - p->sent < max - n ? b->len - p->sent : max - n;

        memcpy(buf + n, b->data + p->sent, more);
        n += more;
        p->sent += more;
        if (p->sent == b->len) {
            base_buf_free(b);
            p->at++;
            p->sent = 0;
        }
    }
    return n ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static void free_pieces(void *cls)
{
    api_pieces_free(cls);
}

struct MHD_Response *api_pieces_create_response(struct api_pieces **p, bool chunked, bool *packed)
{
    struct api_pieces *taken = *p;
    uint64_t size = chunked ? MHD_SIZE_UNKNOWN : taken->len;

    *p = NULL;
    *packed = taken->deflate != NULL;
    return MHD_create_response_from_callback(size, API_TURN_MAX, read_pieces, taken, free_pieces);
}

struct MHD_Response *api_pieces_create_body_response(struct base_buf *body, bool chunked)
{
    struct api_pieces *p = base_alloc(sizeof *p);
    bool packed;

    api_pieces_add(p, body);
    return api_pieces_create_response(&p, chunked, &packed);
}

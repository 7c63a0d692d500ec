/* Long answers that are written while they are sent, on top of a stream: the writer is asked for
 * more text when the client has taken most of what there is, so an answer needs the memory of a
 * few pieces, whatever its length. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "api/server/answer/gzip.h"
#include "api/server/answer/pieces.h"
#include "api/server/request/lifecycle.h"

#define PIECE_MIN (16 * 1024) /* the writer is asked for more while less text is unsent */

struct long_text {
    api_write_text *write;
    void *u;
    void (*free_fn)(void *);
    struct base_buf text; /* written and not yet compressed or sent, from @at on */
    size_t at;
    bool complete;     /* nothing more will be written */
    z_stream *deflate; /* NULL: not compressed */
    bool deflated;     /* the compression has ended too */
    bool begun;        /* bytes were sent in an earlier turn */
};

static void free_long_text(void *u)
{
    struct long_text *t = u;

    if (t->free_fn)
        t->free_fn(t->u);
    if (t->deflate)
        deflateEnd(t->deflate);
    free(t->deflate);
    base_buf_free(&t->text);
    free(t);
}

/* Returns how many bytes may leave the buffer. The last byte stays until the text is complete: a
 * writer of JSON looks at that byte to decide whether a comma comes next. */
static size_t count_ready_bytes(const struct long_text *t)
{
    size_t n = t->text.len - t->at;

    return t->complete || n == 0 ? n : n - 1;
}

/* Calls the writer until there is a piece of text, or the text is complete. Returns false when the
 * writer has failed. */
static bool write_until_piece_ready(struct long_text *t)
{
    while (!t->complete && count_ready_bytes(t) < PIECE_MIN) {
        enum api_write_next next;

        if (t->at > 0) {
            memmove(t->text.data, t->text.data + t->at, t->text.len - t->at);
            t->text.len -= t->at;
            t->text.data[t->text.len] = '\0';
            t->at = 0;
        }
        next = t->write(t->u, &t->text);
        if (next == API_WRITE_BROKEN)
            return false;
        t->complete = next == API_WRITE_END;
    }
    return true;
}

/* Compresses the bytes that are ready into @buf. Returns the number of bytes written to @buf:
 * possibly 0, while the compressor buffers its input. */
static size_t compress_ready_bytes(struct long_text *t, char *buf, size_t max)
{
    z_stream *z = t->deflate;
    size_t n = count_ready_bytes(t);
    int rc;

    z->next_in = (Bytef *)t->text.data + t->at;
    z->avail_in = (uInt)n;
    z->next_out = (Bytef *)buf;
    z->avail_out = (uInt)max;
    rc = deflate(z, t->complete ? Z_FINISH : Z_NO_FLUSH);
    base_assert(rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR);
    t->at += n - z->avail_in;
    t->deflated = rc == Z_STREAM_END;
    return max - z->avail_out;
}

static size_t copy_ready_bytes(struct long_text *t, char *buf, size_t max)
{
    size_t n = count_ready_bytes(t) < max ? count_ready_bytes(t) : max;

    memcpy(buf, t->text.data + t->at, n);
    t->at += n;
    return n;
}

static bool is_sent_whole(const struct long_text *t)
{
    return t->deflate ? t->deflated : t->complete && count_ready_bytes(t) == 0;
}

static int64_t read_long_text(void *u, char *buf, size_t max)
{
    struct long_text *t = u;
    size_t n = 0;

    if (max > API_TURN_MAX)
        max = API_TURN_MAX;
    /* A fast client would keep this thread sending for many turns, so let other threads run. */
    if (t->begun)
        sched_yield();
    t->begun = true;
    while (n == 0 && !is_sent_whole(t)) {
        if (!write_until_piece_ready(t))
            return API_STREAM_BROKEN;
        n = t->deflate ? compress_ready_bytes(t, buf, max) : copy_ready_bytes(t, buf, max);
    }
    return n ? (int64_t)n : -1;
}

void api_answer_long_text(struct api_request *rq, unsigned status, enum api_type type,
                          struct base_buf *begun, api_write_text *write, void *u,
                          void (*free_fn)(void *))
{
    struct long_text *t = base_alloc(sizeof *t);
    struct api_reply reply = {.kind = API_REPLY_STREAM,
                              .status = status,
                              .type = type,
                              .read = read_long_text,
                              .u = t,
                              .free_fn = free_long_text};

    *t = (struct long_text){.write = write, .u = u, .free_fn = free_fn, .text = *begun};
    memset(begun, 0, sizeof *begun);
    if (rq->accept_gzip)
        t->deflate = api_deflate_new();
    reply.compressed = t->deflate != NULL;
    api_request_hand_over_reply(rq, &reply);
}

#include "nodemanager/http/framed_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/pages/escape.h"
#include "base/error.h"

#define ESCAPED_MAX 6 /* bytes of the longest escape, "&quot;" or "&apos;" */

/* Copies the next bytes of @part, from *@at on. */
static size_t copy_rest_of_text(const struct base_buf *part, size_t *at, char *buf, size_t max)
{
    size_t n = part->len - *at < max ? part->len - *at : max;

    memcpy(buf, part->data + *at, n);
    *at += n;
    return n;
}

/* Escapes the @n bytes at the end of @buf, of which @size bytes may be written, into its start. The
 * caller leaves room: @size is at least ESCAPED_MAX times @n. */
static size_t escape_html_in_place(char *buf, size_t size, size_t n)
{
    const char *from = buf + size - n;
    size_t len = 0;

    for (size_t i = 0; i < n; i++) {
        char c = from[i];
        const char *escape = api_html_find_entity(c);

        if (escape) {
            size_t escape_len = strlen(escape);

            memcpy(buf + len, escape, escape_len);
            len += escape_len;
        } else {
            buf[len++] = c;
        }
    }
    return len;
}

/* Returns how many bytes were put into @buf, 0 at the end of the part or of the file. */
static size_t read_file_part(struct nm_framed_log *f, char *buf, size_t max)
{
    size_t want = f->html ? max / ESCAPED_MAX : max;
    char *to = f->html ? buf + max - want : buf;

    base_assert(want > 0); /* libmicrohttpd asks for more than 100 bytes at a time */
    while (f->left > 0) {
        ssize_t n = pread(f->fd, to, (int64_t)want < f->left ? want : (size_t)f->left, f->at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* the file has been truncated in the meantime */
            break;
        f->at += n;
        f->left -= n;
        if (f->html && (size_t)n < want)
            memmove(buf + max - n, to, (size_t)n);
        return f->html ? escape_html_in_place(buf, max, (size_t)n) : (size_t)n;
    }
    f->left = 0;
    return 0;
}

static int64_t read_framed_log(void *u, char *buf, size_t max)
{
    struct nm_framed_log *f = u;
    size_t n;

    if (f->head_at < f->head.len)
        return (int64_t)copy_rest_of_text(&f->head, &f->head_at, buf, max);
    if (f->left > 0 && (n = read_file_part(f, buf, max)) > 0)
        return (int64_t)n;
    n = copy_rest_of_text(&f->tail, &f->tail_at, buf, max);
    return n ? (int64_t)n : -1;
}

static void free_framed_log(void *u)
{
    struct nm_framed_log *f = u;

    base_buf_free(&f->head);
    base_buf_free(&f->tail);
    close(f->fd);
    free(f);
}

void nm_answer_framed_log(struct api_request *rq, const char *content_type,
                          struct nm_framed_log *log)
{
    struct nm_framed_log *f = base_alloc(sizeof *f);

    *f = *log;
    log->head = log->tail = (struct base_buf){0};
    api_answer_stream(rq, 200, content_type, read_framed_log, f, free_framed_log);
}

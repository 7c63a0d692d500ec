#include "nodemanager/task/split.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "nodemanager/task/child.h"

struct task_split {
    const struct task_spec *spec;
    int fd;
    int64_t start, end, size; /* size of the file; the split is [start,end) */
    int64_t pos;              /* offset of the next read */
    bool skipping;            /* the line of the previous split has not ended yet */
    bool ended;
    bool in_member; /* gzip: inside a member */
    z_stream z;
    char *in, *out;
};

int task_split_open(const struct task_spec *spec, struct task_split **out, struct base_error *err)
{
    struct task_split *s = base_alloc(sizeof *s);
    struct stat st;
    int rc;

    s->spec = spec;
    /* links are followed, because users may name their data by links */
    s->fd = open(spec->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &st) < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "input %s", spec->path);
        goto fail;
    }
    if (!S_ISREG(st.st_mode)) {
        rc = base_error_set(err, -BASE_EINVAL, "input %s: a plain file was expected", spec->path);
        goto fail;
    }
    s->size = st.st_size;
    s->start = spec->gzip ? 0 : spec->offset;
    s->end = spec->gzip || spec->length > s->size - s->start ? s->size : s->start + spec->length;
    s->pos = s->start > 0 ? s->start - 1 : 0;
    s->skipping = s->start > 0;
    s->ended = s->start >= s->end;
    s->in = base_alloc(TASK_IO_BYTES);
    if (spec->gzip) {
        s->out = base_alloc(TASK_IO_BYTES);
        if (inflateInit2(&s->z, 15 + 16) != Z_OK) {
            rc = base_error_set(err, -BASE_ENOMEM, "zlib: cannot start");
            goto fail;
        }
    }
    (void)posix_fadvise(s->fd, s->pos, 0, POSIX_FADV_SEQUENTIAL);
    *out = s;
    return 0;

fail:
    task_split_free(s);
    return rc;
}

static ssize_t fill_input_buffer(struct task_split *s, struct base_error *err)
{
    ssize_t n;

    do
        n = pread(s->fd, s->in, TASK_IO_BYTES, s->pos);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return base_error_sys(err, -BASE_EIO, errno, "input %s", s->spec->path);
    s->pos += n;
    return n;
}

/* Delivers the part of the next buffer that belongs to the lines of the split. Reading begins one
 * byte before the split: if that byte is a newline, the split's first line begins right at its
 * start and must not be skipped. */
static ssize_t read_plain_chunk(struct task_split *s, const char **data, struct base_error *err)
{
    while (!s->ended) {
        int64_t at = s->pos; /* offset of in[0] */
        ssize_t n = fill_input_buffer(s, err);
        const char *from = s->in, *to;

        if (n < 0)
            return n;
        if (n == 0)
            break;
        to = s->in + n;
        if (s->skipping) {
            const char *nl = memchr(from, '\n', (size_t)n);

            if (nl == NULL) {
                s->ended = s->pos >= s->end;
                continue;
            }
            s->skipping = false;
            from = nl + 1;
            if (at + (from - s->in) >= s->end)
                break;
        }
        /* The last line of the split is the one that contains byte end - 1. */
        if (s->pos >= s->end) {
            int64_t last = s->end - 1 - at;
            const char *seek = last > from - s->in ? s->in + last : from;
            const char *nl = memchr(seek, '\n', (size_t)(to - seek));

            if (nl != NULL) {
                to = nl + 1;
                s->ended = true;
            }
        }
        if (to > from) {
            *data = from;
            return to - from;
        }
    }
    s->ended = true;
    return 0;
}

static ssize_t refuse_gzip_data(struct task_split *s, const char *what, struct base_error *err)
{
    return base_error_set(err, -BASE_ECORRUPT, "input %s: %s near byte %lld", s->spec->path, what,
                          (long long)(s->pos - s->z.avail_in));
}

/* After a gzip member, skips zero padding (tape blocks) and starts the next member, if there is
 * one. Anything else is damage and fails. */
static int start_next_gzip_member(struct task_split *s, struct base_error *err)
{
    while (s->z.avail_in > 0 && *s->z.next_in == 0 && s->pos > (int64_t)s->z.avail_in) {
        s->z.next_in++;
        s->z.avail_in--;
    }
    if (s->z.avail_in == 0)
        return 0;
    if (*s->z.next_in != 0x1f)
        return (int)refuse_gzip_data(s, "not gzip data", err);
    inflateReset(&s->z);
    s->in_member = true;
    return 0;
}

static ssize_t read_gzip_chunk(struct task_split *s, const char **data, struct base_error *err)
{
    s->z.next_out = (Bytef *)s->out;
    s->z.avail_out = TASK_IO_BYTES;
    while (s->z.avail_out > 0 && !s->ended) {
        int rc;

        if (s->z.avail_in == 0) {
            ssize_t n = fill_input_buffer(s, err);

            if (n < 0)
                return n;
            if (n == 0 && s->in_member)
                return refuse_gzip_data(s, "gzip data ends too early", err);
            s->ended = n == 0;
            s->z.next_in = (Bytef *)s->in;
            s->z.avail_in = (uInt)n;
            continue;
        }
        if (!s->in_member) {
            rc = start_next_gzip_member(s, err);
            if (rc < 0)
                return rc;
            continue;
        }
        rc = inflate(&s->z, Z_NO_FLUSH);
        if (rc == Z_STREAM_END)
            s->in_member = false;
        else if (rc != Z_OK && rc != Z_BUF_ERROR)
            return refuse_gzip_data(s, s->z.msg != NULL ? s->z.msg : "corrupt gzip data", err);
    }
    *data = s->out;
    return (ssize_t)(TASK_IO_BYTES - s->z.avail_out);
}

ssize_t task_split_read_chunk(struct task_split *s, const char **data, struct base_error *err)
{
    return s->spec->gzip ? read_gzip_chunk(s, data, err) : read_plain_chunk(s, data, err);
}

int64_t task_split_consumed_bytes(const struct task_split *s)
{
    int64_t n = (s->pos < s->end ? s->pos : s->end) - s->start;

    return s->ended ? s->end - s->start : n > 0 ? n : 0;
}

int64_t task_split_length_bytes(const struct task_split *s)
{
    return s->end > s->start ? s->end - s->start : 0;
}

void task_split_free(struct task_split *s)
{
    if (s == NULL)
        return;
    if (s->out != NULL)
        inflateEnd(&s->z);
    if (s->fd >= 0)
        close(s->fd);
    free(s->in);
    free(s->out);
    free(s);
}

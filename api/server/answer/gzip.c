/* Compression and decompression with gzip. Each thread keeps a prepared deflate state, because
 * setting one up costs more than compressing most answers. */
#include "api/server/answer/gzip.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_key_t deflate_key;
static pthread_once_t deflate_once = PTHREAD_ONCE_INIT;

static void free_deflate_state(void *p)
{
    deflateEnd(p);
    free(p);
}

static void make_deflate_key(void)
{
    base_assert(pthread_key_create(&deflate_key, free_deflate_state) == 0);
}

static z_stream *get_thread_deflate_state(void)
{
    z_stream *z;

    pthread_once(&deflate_once, make_deflate_key);
    z = pthread_getspecific(deflate_key);
    if (z)
        return deflateReset(z) == Z_OK ? z : NULL;
    z = api_deflate_new();
    if (z)
        pthread_setspecific(deflate_key, z);
    return z;
}

bool api_gzip_compress(const struct base_buf *in, struct base_buf *out)
{
    z_stream *z = get_thread_deflate_state();

    if (!z || in->len > UINT32_MAX / 2)
        return false;
    base_buf_reserve(out, deflateBound(z, (uLong)in->len));
    z->next_in = (Bytef *)in->data;
    z->avail_in = (uInt)in->len;
    z->next_out = (Bytef *)out->data + out->len;
    z->avail_out = (uInt)(out->cap - out->len - 1);
    if (deflate(z, Z_FINISH) != Z_STREAM_END)
        return false;
    out->len += z->total_out;
    out->data[out->len] = '\0';
    return true;
}

z_stream *api_deflate_new(void)
{
    z_stream *z = base_alloc(sizeof *z);

    if (deflateInit2(z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(z);
        return NULL;
    }
    return z;
}

z_stream *api_gunzip_new(void)
{
    z_stream *z = base_alloc(sizeof *z);

    if (inflateInit2(z, 15 + 16) != Z_OK) {
        free(z);
        return NULL;
    }
    return z;
}

void api_gunzip_free(z_stream *z)
{
    if (!z)
        return;
    inflateEnd(z);
    free(z);
}

int api_gunzip_add_piece(z_stream *z, const char *data, size_t len, size_t max,
                         struct base_buf *out, bool *done)
{
    char buf[16 * 1024];

    z->next_in = (Bytef *)data;
    z->avail_in = (uInt)len;
    while (!*done) {
        int rc;

        z->next_out = (Bytef *)buf;
        z->avail_out = sizeof buf;
        rc = inflate(z, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            return -BASE_EINVAL;
        if (sizeof buf - z->avail_out > max - out->len)
            return -BASE_ELIMIT;
        base_buf_add(out, buf, sizeof buf - z->avail_out);
        *done = rc == Z_STREAM_END;
        if (z->avail_out > 0)
            break; /* all input is used, or the end is reached */
    }
    return *done && z->avail_in > 0 ? -BASE_EINVAL : 0;
}

/* api/server/answer/gzip.h - compresses answers and decompresses bodies in gzip format. */
#ifndef CREEL_API_SERVER_ANSWER_GZIP_H
#define CREEL_API_SERVER_ANSWER_GZIP_H

#include <stdbool.h>
#include <zlib.h>

#include "base/error.h"
#include "base/mem.h"

/* Appends @in, compressed, to @out. Returns false when zlib fails or @in has 2 GiB or more; @out
 * may then have grown in capacity, not in length. */
bool api_gzip_compress(const struct base_buf *in, struct base_buf *out);
/* Returns the state of a compression in parts, for zlib's deflate(); NULL when zlib fails. The
 * caller ends it with deflateEnd() and frees it. */
z_stream *api_deflate_new(void);
/* Returns the state of a decompression; NULL when zlib fails. */
z_stream *api_gunzip_new(void);
void api_gunzip_free(z_stream *z); /* NULL-safe */
/* Appends the decompressed bytes to @out and sets *@done at the end of the gzip member. Returns 0,
 * -BASE_EINVAL (broken, or bytes after the end) or -BASE_ELIMIT (more than @max in @out). */
int api_gunzip_add_piece(z_stream *z, const char *data, size_t len, size_t max,
                         struct base_buf *out, bool *done);

#endif

/* tests/unit/shuffle_index.h - writes file.out.index as a map of MapReduce does. */
#ifndef CREEL_TESTS_SHUFFLE_INDEX_H
#define CREEL_TESTS_SHUFFLE_INDEX_H

#include <zlib.h>

#include "base/mem.h"

static inline void shuffle_index_add_number(struct base_buf *out, int64_t v)
{
    for (int i = 56; i >= 0; i -= 8)
        base_buf_add(out, &(uint8_t){(uint8_t)((uint64_t)v >> i)}, 1);
}

/* Appends the record of the next reduce. */
static inline void shuffle_index_add(struct base_buf *out, int64_t offset, int64_t raw_len,
                                     int64_t len)
{
    shuffle_index_add_number(out, offset);
    shuffle_index_add_number(out, raw_len);
    shuffle_index_add_number(out, len);
}

static inline void shuffle_index_end(struct base_buf *out)
{
    shuffle_index_add_number(
        out, (int64_t)crc32(crc32(0, NULL, 0), (const Bytef *)out->data, (uInt)out->len));
}

#endif

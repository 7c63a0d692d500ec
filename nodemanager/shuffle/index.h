/* nodemanager/shuffle/index.h - file.out.index: where each reduce's part of a map output lies in
 * file.out.
 *
 *    per reduce   offset, length when decompressed, length: 64 bits each, big-endian
 *    at the end   CRC-32 of all that, in 64 bits
 *
 * The map has written the file and is not trusted: what is returned has been checked against the
 * size of file.out. SOURCE: indexes that Hadoop 3.4.2 has written. */
#ifndef CREEL_NODEMANAGER_SHUFFLE_INDEX_H
#define CREEL_NODEMANAGER_SHUFFLE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define NM_SHUFFLE_REDUCES_MAX 1000000

struct nm_shuffle_part { /* bytes */
    int64_t offset, raw_len, len;
};
/* Reads the part of @reduce from the index @fd, which has @size bytes. @data_size: that of
 * file.out. Returns 0; -BASE_ENOTFOUND: the map has made no such part; -BASE_ECORRUPT; -BASE_EIO.
 */
int nm_shuffle_index_read(int fd, int64_t size, int32_t reduce, int64_t data_size,
                          struct nm_shuffle_part *out, struct base_error *err);

#endif

#include "nodemanager/shuffle/index.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define RECORD 24
#define CRC    8
#define CHUNK  (RECORD * 1024)

static int64_t get_big_endian(const unsigned char *p)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

/* Reads exactly @len bytes at @offset. */
static int read_at(int fd, int64_t offset, unsigned char *out, size_t len, struct base_error *err)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(fd, out + done, len - done, offset + (int64_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return base_error_sys(err, -BASE_EIO, errno, "the index");
        if (n == 0)
            return base_error_set(err, -BASE_ECORRUPT, "the index has become shorter");
        done += (size_t)n;
    }
    return 0;
}

static int read_all_records(int fd, int64_t size, int32_t reduce, struct nm_shuffle_part *out,
                            struct base_error *err)
{
    unsigned char buf[CHUNK];
    int64_t records_end = size - CRC, wanted = (int64_t)reduce * RECORD;
    uLong sum = crc32(0, NULL, 0);

    for (int64_t at = 0; at < records_end; at += CHUNK) {
        size_t n = records_end - at < CHUNK ? (size_t)(records_end - at) : CHUNK;
        int rc = read_at(fd, at, buf, n, err);

        if (rc < 0)
            return rc;
        sum = crc32(sum, buf, (uInt)n);
        if (wanted >= at && wanted < at + (int64_t)n) {
            const unsigned char *record = buf + (wanted - at);

            *out = (struct nm_shuffle_part){.offset = get_big_endian(record),
                                            .raw_len = get_big_endian(record + 8),
                                            .len = get_big_endian(record + 16)};
        }
    }
    int rc = read_at(fd, records_end, buf, CRC, err);
    if (rc == 0 && get_big_endian(buf) != (int64_t)sum)
        rc = base_error_set(err, -BASE_ECORRUPT, "the checksum of the index is wrong");
    return rc;
}

int nm_shuffle_index_read(int fd, int64_t size, int32_t reduce, int64_t data_size,
                          struct nm_shuffle_part *out, struct base_error *err)
{
    int64_t n = (size - CRC) / RECORD;
    int rc;

    *out = (struct nm_shuffle_part){0};
    if (size < CRC || (size - CRC) % RECORD != 0 || n > NM_SHUFFLE_REDUCES_MAX)
        return base_error_set(
            err, -BASE_ECORRUPT,
            "the index has %lld bytes; expected %d for each of at most %d reduces "
            "and %d",
            (long long)size, RECORD, NM_SHUFFLE_REDUCES_MAX, CRC);
    if (reduce < 0 || reduce >= n)
        return base_error_set(err, -BASE_ENOTFOUND, "reduce %d: the map has written %lld parts",
                              reduce, (long long)n);
    rc = read_all_records(fd, size, reduce, out, err);
    if (rc == 0 && (out->offset < 0 || out->len < 0 || out->raw_len < 0 || out->len > data_size ||
                    out->offset > data_size - out->len))
        rc = base_error_set(err, -BASE_ECORRUPT,
                            "reduce %d: offset %lld and length %lld are not within the %lld bytes "
                            "of the output",
                            reduce, (long long)out->offset, (long long)out->len,
                            (long long)data_size);
    return rc;
}

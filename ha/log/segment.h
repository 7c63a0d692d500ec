/* ha/log/segment.h - encodes and decodes one segment of the log (ha/log/log.h). Pure.
 *
 *   segment  "creel-log 1 <epoch> <number> <crc32c, 8 hex digits> <bytes>\n", then <bytes> bytes of
 *            entries
 *   entry    kind (1 byte), length of table, length of key (varints)
 *            part only: total length, index of the part from 0, number of parts (varints)
 *            upsert and part: length of data (varint)
 *            table NUL key NUL, and for upsert and part: data NUL
 *
 * Varints are little-endian with 7 bits per byte (LEB128), at most 64 bits. The CRC covers epoch
 * and number (8 bytes each, little-endian) and the entries. Texts and data end with a NUL so that
 * they can be used in place.
 *
 * A large record begins a segment: its parts are the first entries of consecutive segments of one
 * epoch, and each part but the last is the only entry of its segment. If the next part is missing,
 * the record is torn, because its writer died or was deposed. A torn record may stand at the end of
 * the log or before a segment of a higher epoch. A log may also begin with the end of a large
 * record whose beginning was cleaned away. A missing part anywhere else is damage. */
#ifndef CREEL_HA_LOG_SEGMENT_H
#define CREEL_HA_LOG_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

#define HA_LOG_FORMAT   1
#define HA_LOG_HEAD_MAX 96 /* maximum length of the header line */

enum ha_log_kind { HA_LOG_UPSERT = 1, HA_LOG_REMOVAL, HA_LOG_PART };
struct ha_log_entry { /* texts are borrowed */
    enum ha_log_kind kind;
    const char *table, *key, *data; /* data is NULL for REMOVAL */
    size_t table_len, key_len, len;
    uint64_t total; /* PART: length of the whole record */
    uint32_t part, parts;
};
/* Returns the number of bytes that ha_log_entry_encode() writes. */
size_t ha_log_entry_encoded_size(const struct ha_log_entry *e);
/* Writes entry @e at @at; returns the end of the written bytes. */
char *ha_log_entry_encode(char *at, const struct ha_log_entry *e);
/* Decodes the entry at *@at, which must be below @end, and advances *@at past it. Returns 0, or
 * -BASE_ECORRUPT; the message does not name the place. */
int ha_log_entry_decode(const char **at, const char *end, struct ha_log_entry *out,
                        struct base_error *err);

struct ha_log_segment {
    int64_t epoch;
    uint64_t number;
    const char *entries; /* borrowed */
    size_t len;
};
/* Writes the header so that it ends where @s->entries begins; HA_LOG_HEAD_MAX bytes before that
 * must be free. Returns the beginning of the segment. */
char *ha_log_segment_write_header(const struct ha_log_segment *s);
/* Checks header and CRC. @number is the number in the segment's name. Fails with -BASE_ECORRUPT or
 * -BASE_EVERSION; the message begins with @path. */
int ha_log_segment_parse(const char *path, uint64_t number, const char *data, size_t len,
                         struct ha_log_segment *out, struct base_error *err);

/* The reader takes consecutive segments and calls found() for each record, with the parts of a
 * large record joined. */
struct ha_log_found { /* borrowed for the call, except @whole */
    const char *table, *key;
    const char *data; /* NULL: a removal */
    size_t table_len, key_len, len;
    uint64_t segment; /* where the record begins */
    uint32_t off;     /* offset from the first entry of that segment */
    uint32_t parts;   /* number of segments that hold the record; 1 unless it is large */
    /* the data of a large record; the callback may keep it by setting this to NULL and must then
     * free it */
    char *whole;
};
/* A negative return value stops the reader. */
typedef int ha_log_found_fn(void *user, struct ha_log_found *f, struct base_error *err);
struct ha_log_reader {
    ha_log_found_fn *found;
    void *user;
    bool gaps; /* some segments are left out: ignore parts without a beginning or an end */
    /* private: */
    bool begun, open;
    int64_t epoch;
    /* first part of the large record being read; its texts are in names */
    struct ha_log_entry first;
    struct base_buf names;
    uint64_t first_number, number;
    uint32_t next_part;
    char *whole;
    size_t have;
};
/* Reads the parsed segment @s. Sets *@continues to whether the segment ends within a large record.
 * Returns 0, or a negative BASE_E* when the segment is damaged or found() fails. */
int ha_log_reader_read_segment(struct ha_log_reader *r, const char *path,
                               const struct ha_log_segment *s, bool *continues,
                               struct base_error *err);
void ha_log_reader_free(struct ha_log_reader *r); /* discards a torn record and frees memory */

#endif

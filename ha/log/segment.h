/* ha/log/segment.h - the bytes of one segment of the log (ha/log/log.h), written and read. Pure.
 *
 *   segment  "creel-log 1 <epoch> <number> <crc32c, 8 hex digits> <bytes>\n", then <bytes> bytes of entries
 *   entry    kind (1 byte)  table's length, key's length (varints)
 *            part alone: total length, part's place from 0, parts (varints)
 *            upsert and part: data's length (varint)
 *            table NUL key NUL, and for upsert and part: data NUL
 * Varints are little-endian, 7 bits a byte (LEB128), at most 64 bits. The CRC covers epoch and number (8 bytes each,
 * little-endian) and the entries. Texts and data end with a NUL, so that they can be used where they lie. A large
 * record begins a segment: its parts are the first entries of consecutive segments of one epoch, each but the last the
 * only entry there. Parts that are not followed by the next one are torn: their writer died or was deposed. They are
 * what the log ends with, or what is followed by a segment of a higher epoch; a log may begin with the end of a large
 * record whose beginning was cleaned away. Anywhere else a missing part is damage. */
#ifndef CREEL_HA_LOG_SEGMENT_H
#define CREEL_HA_LOG_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

#define HA_LOG_FORMAT   1
#define HA_LOG_HEAD_MAX 96 /* bytes of the header line, at most */

enum ha_log_kind { HA_LOG_UPSERT = 1, HA_LOG_REMOVAL, HA_LOG_PART };
struct ha_log_entry { /* texts borrowed */
    enum ha_log_kind kind;
    const char *table, *key, *data; /* REMOVAL: data is NULL */
    size_t table_len, key_len, len;
    uint64_t total; /* PART: of the whole record */
    uint32_t part, parts;
};
/* Bytes that ha_log_entry_put writes. */
size_t ha_log_entry_size(const struct ha_log_entry *e);
char *ha_log_entry_put(char *at, const struct ha_log_entry *e); /* returns its end */
/* The entry at *@at, which moves behind it. -BASE_ECORRUPT says what is wrong, without the place. */
int ha_log_entry_take(const char **at, const char *end, struct ha_log_entry *out, struct base_error *err);

struct ha_log_segment {
    int64_t epoch;
    uint64_t number;
    const char *entries; /* borrowed */
    size_t len;
};
/* Writes the header so that it ends where @s->entries begins; HA_LOG_HEAD_MAX bytes must be free there. Returns where
 * the segment begins. */
char *ha_log_segment_head(const struct ha_log_segment *s);
/* Checks header and CRC; @number: by its name. -BASE_ECORRUPT, -BASE_EVERSION; the message begins with @path. */
int ha_log_segment_parse(const char *path, uint64_t number, const char *data, size_t len, struct ha_log_segment *out,
                         struct base_error *err);

/* Segments in order, records out: parts put together. */
struct ha_log_found { /* borrowed for the call, except: */
    const char *table, *key;
    const char *data; /* NULL: removed */
    size_t table_len, key_len, len;
    uint64_t segment; /* that it begins in */
    uint32_t off;     /* there, from the first entry on */
    uint32_t parts;   /* segments that hold it; 1: not a large one */
    char *whole;      /* a large one's data: taken by setting it to NULL, then the taker frees it */
};
/* A negative return stops the reading. */
typedef int ha_log_found_fn(void *user, struct ha_log_found *f, struct base_error *err);
struct ha_log_reader {
    ha_log_found_fn *found;
    void *user;
    bool gaps; /* not all segments are given: parts without a beginning or an end are passed over */
    /* its own: */
    bool begun, open;
    int64_t epoch;
    struct ha_log_entry first; /* of the large record under way; its texts are in names */
    struct base_buf names;
    uint64_t first_number, number;
    uint32_t next_part;
    char *whole;
    size_t have;
};
/* @s: parsed. @continues gets whether the segment ends within a large record. */
int ha_log_reader_feed(struct ha_log_reader *r, const char *path, const struct ha_log_segment *s, bool *continues,
                       struct base_error *err);
void ha_log_reader_end(struct ha_log_reader *r); /* drops what is torn, frees */

#endif

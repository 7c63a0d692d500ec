#include "ha/log/segment.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ha/log/crc32c.h"

#define MAGIC "creel-log "

static size_t varint_size(uint64_t v)
{
    size_t n = 1;

    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

static char *varint_write(char *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *at++ = (char)((v & 0x7F) | 0x80);
    *at++ = (char)v;
    return at;
}

static bool varint_read(const char **at, const char *end, uint64_t *out)
{
    uint64_t v = 0;

    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char c = (unsigned char)*(*at)++;
        if (shift == 63 && c > 1)
            return false;
        v |= (uint64_t)(c & 0x7F) << shift;
        if (c < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

size_t ha_log_entry_encoded_size(const struct ha_log_entry *e)
{
    size_t n =
        1 + varint_size(e->table_len) + varint_size(e->key_len) + e->table_len + 1 + e->key_len + 1;

    if (e->kind == HA_LOG_PART)
        n += varint_size(e->total) + varint_size(e->part) + varint_size(e->parts);
    if (e->kind != HA_LOG_REMOVAL)
        n += varint_size(e->len) + e->len + 1;
    return n;
}

static char *write_terminated_bytes(char *at, const char *p, size_t n)
{
    if (n > 0)
        memcpy(at, p, n);
    at[n] = '\0';
    return at + n + 1;
}

char *ha_log_entry_encode(char *at, const struct ha_log_entry *e)
{
    *at++ = (char)e->kind;
    at = varint_write(at, e->table_len);
    at = varint_write(at, e->key_len);
    if (e->kind == HA_LOG_PART) {
        at = varint_write(at, e->total);
        at = varint_write(at, e->part);
        at = varint_write(at, e->parts);
    }
    if (e->kind != HA_LOG_REMOVAL)
        at = varint_write(at, e->len);
    at = write_terminated_bytes(at, e->table, e->table_len);
    at = write_terminated_bytes(at, e->key, e->key_len);
    return e->kind == HA_LOG_REMOVAL ? at : write_terminated_bytes(at, e->data, e->len);
}

/* Returns the next @n bytes, if a NUL follows them before @end, and advances past it; else NULL. */
static const char *read_terminated_bytes(const char **at, const char *end, size_t n)
{
    const char *p = *at;

    if (n >= (size_t)(end - p) || p[n] != '\0')
        return NULL;
    *at = p + n + 1;
    return p;
}

static const char *read_name_without_nul(const char **at, const char *end, size_t n)
{
    const char *p = read_terminated_bytes(at, end, n);

    return p && !memchr(p, '\0', n) ? p : NULL;
}

/* Returns true when the numbers of a part are consistent and within bounds, so that other code may
 * rely on them. */
static bool part_numbers_are_valid(const struct ha_log_entry *e)
{
    return e->parts >= 2 && e->part < e->parts && e->len > 0 && e->len <= e->total &&
           e->total <= UINT32_MAX;
}

int ha_log_entry_decode(const char **at, const char *end, struct ha_log_entry *out,
                        struct base_error *err)
{
    uint64_t table_len, key_len, len = 0, part = 0, parts = 1;

    *out = (struct ha_log_entry){.kind = (enum ha_log_kind)(unsigned char)*(*at)++};
    if (out->kind < HA_LOG_UPSERT || out->kind > HA_LOG_PART)
        return base_error_set(err, -BASE_ECORRUPT, "an entry of kind %d, expected 1 to 3",
                              (int)out->kind);
    if (!varint_read(at, end, &table_len) || !varint_read(at, end, &key_len) ||
        (out->kind == HA_LOG_PART &&
         (!varint_read(at, end, &out->total) || !varint_read(at, end, &part) ||
          !varint_read(at, end, &parts))) ||
        (out->kind != HA_LOG_REMOVAL && !varint_read(at, end, &len)))
        return base_error_set(err, -BASE_ECORRUPT, "an entry's lengths exceed it");
    out->table_len = table_len;
    out->key_len = key_len;
    out->len = len;
    out->part = part > UINT16_MAX ? UINT32_MAX : (uint32_t)part;
    out->parts = parts > UINT16_MAX ? 0 : (uint32_t)parts;
    out->table = read_name_without_nul(at, end, table_len);
    out->key = out->table ? read_name_without_nul(at, end, key_len) : NULL;
    if (out->key && out->kind != HA_LOG_REMOVAL)
        out->data = read_terminated_bytes(at, end, len);
    if (!out->key || table_len > UINT16_MAX || key_len > UINT16_MAX ||
        (out->kind != HA_LOG_REMOVAL && !out->data))
        return base_error_set(err, -BASE_ECORRUPT,
                              "an entry's texts exceed it or are not terminated");
    if (out->kind == HA_LOG_PART && !part_numbers_are_valid(out))
        return base_error_set(err, -BASE_ECORRUPT,
                              "part %" PRIu64 " of %" PRIu64 " with %zu of %" PRIu64
                              " bytes cannot be",
                              part, parts, out->len, out->total);
    return 0;
}

static uint32_t segment_checksum(const struct ha_log_segment *s)
{
    unsigned char b[16];
    uint32_t c;

    for (int i = 0; i < 8; i++) {
        b[i] = (unsigned char)((uint64_t)s->epoch >> (8 * i));
        b[8 + i] = (unsigned char)(s->number >> (8 * i));
    }
    c = ha_crc32c_update(0, b, sizeof b);
    return ha_crc32c_update(c, s->entries, s->len);
}

static int format_header(char out[static HA_LOG_HEAD_MAX], const struct ha_log_segment *s,
                         uint32_t crc)
{
    return snprintf(out, HA_LOG_HEAD_MAX, MAGIC "%d %" PRId64 " %" PRIu64 " %08" PRIx32 " %zu\n",
                    HA_LOG_FORMAT, s->epoch, s->number, crc, s->len);
}

char *ha_log_segment_write_header(const struct ha_log_segment *s)
{
    char text[HA_LOG_HEAD_MAX];
    int n = format_header(text, s, segment_checksum(s));
    char *at = (char *)(uintptr_t)s->entries - n;

    base_assert(n > 0 && n < HA_LOG_HEAD_MAX);
    memcpy(at, text, (size_t)n);
    return at;
}

/* Parses the header line. */
static int parse_header(const char *path, const char *data, size_t len, struct ha_log_segment *out,
                        uint32_t *crc, size_t *bytes, struct base_error *err)
{
    const char *nl = memchr(data, '\n', len < HA_LOG_HEAD_MAX ? len : HA_LOG_HEAD_MAX);
    char line[HA_LOG_HEAD_MAX];
    int64_t format = 0;

    if (!nl || strncmp(data, MAGIC, strlen(MAGIC)) != 0)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: not a segment of a log: it does not begin with \"" MAGIC "%d\"",
                              path, HA_LOG_FORMAT);
    memcpy(line, data, (size_t)(nl - data));
    line[nl - data] = '\0';
    if (sscanf(line, MAGIC "%" SCNd64, &format) == 1 && format > HA_LOG_FORMAT)
        return base_error_set(err, -BASE_EVERSION,
                              "%s: format %" PRId64
                              ", this Creel reads format %d: a newer Creel wrote it",
                              path, format, HA_LOG_FORMAT);
    if (sscanf(line, MAGIC "%" SCNd64 " %" SCNd64 " %" SCNu64 " %" SCNx32 " %zu", &format,
               &out->epoch, &out->number, crc, bytes) != 5 ||
        format != HA_LOG_FORMAT)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: header \"%s\", expected \"" MAGIC
                              "%d <epoch> <number> <crc32c> <bytes>\"",
                              path, line, HA_LOG_FORMAT);
    out->entries = nl + 1;
    out->len = len - (size_t)(nl + 1 - data);
    return 0;
}

int ha_log_segment_parse(const char *path, uint64_t number, const char *data, size_t len,
                         struct ha_log_segment *out, struct base_error *err)
{
    char again[HA_LOG_HEAD_MAX];
    uint32_t crc, real;
    size_t bytes;
    int rc = parse_header(path, data, len, out, &crc, &bytes, err), n;

    if (rc < 0)
        return rc;
    if (out->number != number)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: its header says number %" PRIu64 ", its name %" PRIu64, path,
                              out->number, number);
    if (out->len != bytes)
        return base_error_set(err, -BASE_ECORRUPT, "%s: %zu bytes of entries, its header says %zu",
                              path, out->len, bytes);
    real = segment_checksum(out);
    if (real != crc)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: damaged: checksum %08" PRIx32 ", its header says %08" PRIx32,
                              path, real, crc);
    n = format_header(again, out, crc);
    if (out->epoch < 0 || n != (int)(out->entries - data) || memcmp(again, data, (size_t)n) != 0)
        return base_error_set(err, -BASE_ECORRUPT, "%s: its header is not in canonical form", path);
    return 0;
}

static void discard_open_record(struct ha_log_reader *r)
{
    free(r->whole);
    r->whole = NULL;
    r->open = false;
}

static void begin_open_record(struct ha_log_reader *r, const struct ha_log_segment *s,
                              const struct ha_log_entry *e)
{
    r->open = true;
    r->epoch = s->epoch;
    r->first_number = s->number;
    r->first = *e;
    base_buf_clear(&r->names);
    base_buf_add(&r->names, e->table, e->table_len + 1);
    base_buf_add(&r->names, e->key, e->key_len + 1);
    r->next_part = 0;
    r->whole = NULL;
    r->have = 0;
}

static bool part_continues_record(const struct ha_log_reader *r, const struct ha_log_segment *s,
                                  const struct ha_log_entry *e)
{
    return r->open && e->part == r->next_part && e->parts == r->first.parts &&
           e->total == r->first.total && e->table_len == r->first.table_len &&
           e->key_len == r->first.key_len && s->epoch == r->epoch &&
           s->number == r->first_number + e->part &&
           memcmp(r->names.data, e->table, e->table_len) == 0 &&
           memcmp(r->names.data + e->table_len + 1, e->key, e->key_len) == 0 &&
           e->len <= e->total - r->have && (e->part + 1 < e->parts || e->len == e->total - r->have);
}

/* Appends a part to the large record being read. The last part completes the record, which is then
 * passed to found(). */
static int add_part_to_record(struct ha_log_reader *r, const struct ha_log_entry *e,
                              struct base_error *err)
{
    struct ha_log_found f;
    int rc;

    /* Grow only by the bytes that are there, so that a false total cannot exhaust the memory. */
    r->whole = base_realloc_array(r->whole, r->have + e->len + 1, 1);
    memcpy(r->whole + r->have, e->data, e->len);
    r->have += e->len;
    r->whole[r->have] = '\0';
    if (++r->next_part < e->parts)
        return 0;
    f = (struct ha_log_found){.table = e->table,
                              .key = e->key,
                              .data = r->whole,
                              .table_len = e->table_len,
                              .key_len = e->key_len,
                              .len = r->have,
                              .segment = r->first_number,
                              .parts = e->parts,
                              .whole = r->whole};
    rc = r->found(r->user, &f, err);
    r->whole = f.whole;
    discard_open_record(r);
    return rc;
}

static int set_misplaced_part_error(const struct ha_log_reader *r, const char *path,
                                    const struct ha_log_entry *e, struct base_error *err)
{
    (void)r;
    return base_error_set(err, -BASE_ECORRUPT,
                          "%s: part %" PRIu32 " of %" PRIu32
                          " of record %s/%s does not follow part %" PRId64,
                          path, e->part, e->parts, e->table, e->key, (int64_t)e->part - 1);
}

static int read_part_of_large_record(struct ha_log_reader *r, const char *path,
                                     const struct ha_log_segment *s, const struct ha_log_entry *e,
                                     bool at_start, struct base_error *err)
{
    if (!at_start)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: part of record %s/%s is not the first entry", path, e->table,
                              e->key);
    if (e->part == 0)
        begin_open_record(r, s, e);
    else if (!r->open && (r->gaps || !r->begun))
        return 0; /* the beginning of the record was cleaned away */
    if (!part_continues_record(r, s, e))
        return set_misplaced_part_error(r, path, e, err);
    return add_part_to_record(r, e, err);
}

/* If @e (NULL: @s is empty) does not continue the open large record, discards that record as torn.
 * Returns 0, or -BASE_ECORRUPT when no new epoch explains the tear and no segments are left out
 * (gaps). */
static int discard_record_if_torn(struct ha_log_reader *r, const char *path,
                                  const struct ha_log_segment *s, const struct ha_log_entry *e,
                                  struct base_error *err)
{
    if (!r->open || (e && e->kind == HA_LOG_PART && part_continues_record(r, s, e)))
        return 0;
    if (!r->gaps && s->epoch <= r->epoch)
        return base_error_set(err, -BASE_ECORRUPT,
                              "%s: part %" PRIu32 " of %" PRIu32
                              " of record %s/%s is missing, no other epoch began",
                              path, r->next_part, r->first.parts, r->names.data,
                              r->names.data + r->first.table_len + 1);
    discard_open_record(r);
    return 0;
}

/* An entry that does not continue an open large record ends that record as torn, so this is checked
 * before each entry, and once for an empty segment. */
int ha_log_reader_read_segment(struct ha_log_reader *r, const char *path,
                               const struct ha_log_segment *s, bool *continues,
                               struct base_error *err)
{
    const char *at = s->entries, *end = s->entries + s->len;
    int rc = 0;

    if (s->len == 0)
        rc = discard_record_if_torn(r, path, s, NULL, err);
    while (rc >= 0 && at < end) {
        const char *start = at;
        struct ha_log_entry e;

        rc = ha_log_entry_decode(&at, end, &e, err);
        if (rc < 0)
            return base_error_wrap(err, rc, "%s: byte %zu of its entries", path,
                                   (size_t)(start - s->entries));
        rc = discard_record_if_torn(r, path, s, &e, err);
        if (rc >= 0 && e.kind == HA_LOG_PART) {
            rc = read_part_of_large_record(r, path, s, &e, start == s->entries, err);
        } else if (rc >= 0) {
            struct ha_log_found f = {e.table,   e.key, e.data,    e.table_len,
                                     e.key_len, e.len, s->number, (uint32_t)(start - s->entries),
                                     1,         NULL};
            rc = r->found(r->user, &f, err);
        }
    }
    r->begun = true;
    *continues = r->open;
    return rc;
}

void ha_log_reader_free(struct ha_log_reader *r)
{
    discard_open_record(r);
    base_buf_free(&r->names);
}

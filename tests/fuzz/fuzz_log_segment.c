/* Any bytes as segments of the log: as they are, and as entries behind a header that is right.
 * Refused with the place and a reason, or records whose texts end with a NUL within the input; an
 * entry that was read is written as the same bytes again. Segments are separated by '|', '_' stands
 * for NUL and '^' for a byte of 0x80 (samples are texts); the first byte of each is its epoch. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ha/log/segment.h"
#include "tests/fuzz/fuzz.h"

#define SEGMENTS_MAX 64

const char *const creel_fuzz_samples[] = {
    "1\1\1\2\3t_k1_abc_\2\1\2t_k1_|1\1\3\1_app_k__",
    "1\3\1\1\4_\2\2t_p_xy_|1\3\1\1\4\1\2\2t_p_zw_\1\1\1\1t_a_1_",
    "1\3\1\1\6_\3\2t_p_xy_|1\3\1\1\6\1\3\2t_p_zw_|2\1\1\1\1t_a_1_|2",
    "1\3\1\1\4\1\2\2t_p_xy_\2\1\1t_b_|3\3\1\1\4_\2\2t_p_xy_",
    "1\1^\1",
    "creel-log 1 5 1 3fd49fbb 0\n",
    "creel-log 2 5 1 3fd49fbb 0\n",
    NULL,
};

static int found(void *user, struct ha_log_found *f, struct base_error *err)
{
    size_t *bytes = user;

    (void)err;
    base_assert(strlen(f->table) == f->table_len && strlen(f->key) == f->key_len);
    base_assert(!f->data || f->data[f->len] == '\0');
    base_assert(f->segment >= 1 && f->parts >= 1 && (f->parts > 1) == (f->whole != NULL));
    if (f->len > 0)
        *bytes += (unsigned char)f->data[0] + (unsigned char)f->data[f->len - 1];
    return 0;
}

/* Checks that every entry that can be read is written, and read again, as the same entry. */
static void check_entries(const struct ha_log_segment *s)
{
    const char *at = s->entries, *end = s->entries + s->len;
    struct ha_log_entry e, again;

    while (at < end && ha_log_entry_decode(&at, end, &e, NULL) == 0) {
        size_t size = ha_log_entry_encoded_size(&e);
        char *buf = base_alloc(size);
        const char *p = buf;

        base_assert(ha_log_entry_encode(buf, &e) == buf + size);
        base_assert(ha_log_entry_decode(&p, buf + size, &again, NULL) == 0 && p == buf + size);
        base_assert(again.kind == e.kind && again.len == e.len && again.total == e.total &&
                    again.part == e.part && again.parts == e.parts &&
                    strcmp(again.table, e.table) == 0 && strcmp(again.key, e.key) == 0);
        base_assert(e.len == 0 || memcmp(again.data, e.data, e.len) == 0);
        free(buf);
    }
}

/* @from to @to as segment @number behind a right header; it must be read as one. The caller frees
 * *@buf. */
static struct ha_log_segment build(const uint8_t *from, const uint8_t *to, uint64_t number,
                                   char **buf)
{
    size_t len = from < to ? (size_t)(to - from) - 1 : 0;
    struct ha_log_segment s = {from < to ? *from : 0, number, NULL, len}, parsed;
    struct base_error err;
    char *at;

    *buf = base_alloc(HA_LOG_HEAD_MAX + len + 1); /* the byte behind is not part of it */
    s.entries = *buf + HA_LOG_HEAD_MAX;
    for (size_t i = 0; i < len; i++)
        (*buf)[HA_LOG_HEAD_MAX + i] = from[1 + i] == '_'   ? '\0'
                                      : from[1 + i] == '^' ? '\x80'
                                                           : (char)from[1 + i];
    at = ha_log_segment_write_header(&s);
    base_assert(
        ha_log_segment_parse("p", number, at, (size_t)(s.entries + len - at), &parsed, &err) == 0);
    base_assert(parsed.epoch == s.epoch && parsed.entries == s.entries && parsed.len == len);
    return s;
}

static void read_as(const uint8_t *data, size_t size, bool gaps)
{
    size_t bytes = 0;
    struct ha_log_reader r = {.found = found, .user = &bytes, .gaps = gaps};
    const uint8_t *at = data, *end = data + size;
    int rc = 0;

    for (uint64_t n = 1; n <= SEGMENTS_MAX && at < end && rc >= 0; n++) {
        const uint8_t *to = memchr(at, '|', (size_t)(end - at));
        struct base_error err = {0};
        struct ha_log_segment s;
        bool continues;
        char *buf;

        to = to ? to : end;
        s = build(at, to, n, &buf);
        check_entries(&s);
        rc = ha_log_reader_read_segment(&r, "p", &s, &continues, &err);
        base_assert(rc >= 0 || (rc == -BASE_ECORRUPT && strncmp(err.text, "p: ", 3) == 0));
        free(buf);
        at = to + 1;
    }
    ha_log_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ha_log_segment s;
    struct base_error err = {0};
    char *copy = base_alloc(size + 1);
    int rc;

    memcpy(copy, data, size);
    rc = ha_log_segment_parse("p", 1, copy, size, &s, &err);
    base_assert(rc == 0 || (err.text[0] && err.code == rc));
    free(copy);
    read_as(data, size, false);
    read_as(data, size, true);
    return 0;
}

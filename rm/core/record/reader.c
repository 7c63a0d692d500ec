/* Fields of a record, read one after the other. A field that cannot be read makes the reader bad
 * for good, so callers need to check only once, after the last field. */
#include "rm/core/record/reader.h"

#include <string.h>

int64_t rm_get_int(struct rm_reader *r)
{
    bool negative = r->p < r->end && *r->p == '-', digits = false;
    uint64_t v = 0;

    r->p += negative;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++, digits = true) {
        r->bad = r->bad || v > (UINT64_C(1) << 63) / 10;
        v = v * 10 + (uint64_t)(*r->p - '0');
    }
    if (!digits || r->p == r->end || (*r->p != ' ' && *r->p != ':') ||
        v > (uint64_t)INT64_MAX + negative) {
        r->bad = true;
        r->p = r->end;
        return 0;
    }
    r->p++;
    return negative ? (int64_t)(0 - v) : (int64_t)v;
}

int64_t rm_get_int_in(struct rm_reader *r, int64_t low, int64_t high)
{
    int64_t v = rm_get_int(r);

    if (v < low || v > high) {
        r->bad = true;
        r->p = r->end;
        return low;
    }
    return r->bad ? low : v;
}

bool rm_get_slice(struct rm_reader *r, const char **text, size_t *n)
{
    int64_t len;

    if (r->end - r->p >= 2 && r->p[0] == '-' && r->p[1] == ' ') {
        r->p += 2;
        return false;
    }
    len = rm_get_int(r);
    if (r->bad || len < 0 || r->p[-1] != ':' || len >= r->end - r->p || r->p[len] != ' ') {
        r->bad = true;
        r->p = r->end;
        return false;
    }
    *text = r->p;
    *n = (size_t)len;
    r->p += len + 1;
    return true;
}

char *rm_get_text(struct rm_reader *r)
{
    const char *text;
    size_t n;

    return rm_get_slice(r, &text, &n) ? base_strndup(text, n) : NULL;
}

bool rm_skip_word(struct rm_reader *r, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(r->end - r->p) <= n || memcmp(r->p, word, n) != 0 || r->p[n] != ' ') {
        r->bad = true;
        return false;
    }
    r->p += n + 1;
    return true;
}

int64_t rm_get_time(struct rm_reader *r)
{
    return rm_get_int_in(r, 0, RM_TIME_MAX);
}

struct rm_reader rm_reader_of_record(const struct rm_record *rec)
{
    return (struct rm_reader){
        .p = rec->data, .end = rec->data + rec->len, .bad = rec->data == NULL};
}

int rm_record_set_corrupt_error(const struct rm_record *rec, struct base_error *err,
                                const char *what)
{
    return base_error_set(err, -BASE_ECORRUPT, "record %s/%s cannot be read back: %s", rec->table,
                          rec->key, what);
}

#include "base/io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "base/utf8.h"

/* ---- plain JSON ---- */

/* jansson takes a text byte by byte through several functions, which costs four times as much as
 * the tree that it builds. So the plain JSON that programs mostly send is read here. */

/* the largest numbers of digits that fit into an int64_t, and into a double without loss */
enum { INT_DIGITS = 18, REAL_DIGITS = 15 };

struct reader {
    const char *at, *end;
    unsigned depth;
};

/* Skips blanks. Returns the next byte without taking it; '\0' at the end. */
static char peek_after_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool take_if_next(struct reader *r, char wanted)
{
    if (peek_after_blanks(r) != wanted)
        return false;
    r->at++;
    return true;
}

/* Reads a text in quotes. */
static bool read_text(struct reader *r, const char **text, size_t *len)
{
    if (!take_if_next(r, '"'))
        return false;
    *text = r->at;
    /* bytes beyond ASCII are negative */
    while (r->at < r->end && (signed char)*r->at >= 0x20 && *r->at != '"' && *r->at != '\\')
        r->at++;
    *len = (size_t)(r->at - *text);
    return r->at < r->end && *r->at++ == '"';
}

/* Appends at most @max digits to *@v, and returns how many. If the number has more digits, the next
 * reader finds a digit where none may be, and refuses the text. */
static unsigned read_digits(struct reader *r, unsigned max, int64_t *v)
{
    unsigned n = 0;

    for (; n < max && r->at < r->end && *r->at >= '0' && *r->at <= '9'; n++)
        *v = *v * 10 + (*r->at++ - '0');
    return n;
}

static json_t *read_number(struct reader *r)
{
    bool negative = *r->at == '-';
    const char *first = r->at += negative;
    int64_t v = 0, scale = 1;
    unsigned whole = read_digits(r, INT_DIGITS, &v), parts;
    double real;

    if (whole == 0 || (*first == '0' && whole > 1))
        return NULL;
    if (r->at == r->end || (*r->at != '.' && *r->at != 'e' && *r->at != 'E'))
        return json_integer(negative ? -v : v);
    if (*r->at++ != '.' || whole >= REAL_DIGITS)
        return NULL;
    parts = read_digits(r, REAL_DIGITS - whole, &v);
    if (parts == 0 || (r->at < r->end && (*r->at == 'e' || *r->at == 'E')))
        return NULL;
    for (; parts > 0; parts--)
        scale *= 10;
    real = (double)v / (double)scale; /* both are exact, so the quotient is rounded once */
    return json_real(negative ? -real : real);
}

static json_t *read_true_false_or_null(struct reader *r)
{
    static const struct {
        const char *text;
        size_t len;
        json_t *(*value)(void);
    } words[] = {{"true", 4, json_true}, {"false", 5, json_false}, {"null", 4, json_null}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((size_t)(r->end - r->at) >= words[i].len &&
            memcmp(r->at, words[i].text, words[i].len) == 0) {
            r->at += words[i].len;
            return words[i].value();
        }
    return NULL;
}

static json_t *read_value(struct reader *r);

static bool read_members(struct reader *r, json_t *object)
{
    size_t n = 0, len;
    const char *name;

    do {
        json_t *value = NULL;

        if (read_text(r, &name, &len) && take_if_next(r, ':'))
            value = read_value(r);
        /* a member that occurs twice does not make the object larger */
        if (!value || json_object_setn_new_nocheck(object, name, len, value) < 0 ||
            json_object_size(object) != ++n)
            return false;
    } while (take_if_next(r, ','));
    return take_if_next(r, '}');
}

static bool read_elements(struct reader *r, json_t *array)
{
    do {
        json_t *value = read_value(r);

        if (!value || json_array_append_new(array, value) < 0)
            return false;
    } while (take_if_next(r, ','));
    return take_if_next(r, ']');
}

/* Reads an object or array whose opening bracket has been read. */
static json_t *read_nested(struct reader *r, bool object)
{
    json_t *j = object ? json_object() : json_array();
    bool ok =
        ++r->depth <= BASE_JSON_DEPTH_MAX && (take_if_next(r, object ? '}' : ']') ||
                                              (object ? read_members(r, j) : read_elements(r, j)));

    r->depth--;
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *read_value(struct reader *r)
{
    const char *text;
    size_t len;

    switch (peek_after_blanks(r)) {
    case '{':
    case '[':
        return read_nested(r, *r->at++ == '{');
    case '"':
        return read_text(r, &text, &len) ? json_stringn_nocheck(text, len) : NULL;
    case 't':
    case 'f':
    case 'n':
        return read_true_false_or_null(r);
    default:
        return r->at < r->end ? read_number(r) : NULL;
    }
}

json_t *base_json_read_plain(const char *text, size_t len)
{
    struct reader r = {.at = text, .end = text + len};
    char first = peek_after_blanks(&r);
    json_t *j = first == '{' || first == '[' ? read_value(&r) : NULL;

    if (j && (peek_after_blanks(&r) != '\0' || r.at < r.end)) {
        json_decref(j);
        return NULL;
    }
    return j;
}

/* ---- any JSON ---- */

/* Returns the depth of nesting, found without parsing: jansson parses recursively, and its own
 * bound (2048) is too large for the stacks of our threads. */
static size_t measure_nesting(const char *text, size_t len)
{
    size_t depth = 0, max = 0;
    bool in_string = false;

    for (size_t i = 0; i < len; i++) {
        char ch = text[i];
        if (in_string) {
            if (ch == '\\')
                i++;
            else if (ch == '"')
                in_string = false;
        } else if (ch == '"') {
            in_string = true;
        } else if (ch == '{' || ch == '[') {
            if (++depth > max)
                max = depth;
        } else if ((ch == '}' || ch == ']') && depth > 0) {
            depth--;
        }
    }
    return max;
}

int base_json_parse(const char *text, size_t len, json_t **out, struct base_error *err)
{
    json_t *j = base_json_read_plain(text, len);
    json_error_t je;

    if (j) {
        *out = j;
        return 0;
    }
    if (measure_nesting(text, len) > BASE_JSON_DEPTH_MAX)
        return base_error_set(err, -BASE_ELIMIT, "JSON is nested deeper than %d levels",
                              BASE_JSON_DEPTH_MAX);
    j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
    if (!j)
        return base_error_set(err, -BASE_EINVAL, "not valid JSON: line %d, column %d: %s", je.line,
                              je.column, je.text);
    *out = j;
    return 0;
}

static int append_dumped_part(const char *buffer, size_t size, void *arg)
{
    base_buf_add(arg, buffer, size);
    return 0;
}

void base_json_dump(const json_t *j, struct base_buf *out)
{
    base_assert(json_dump_callback(j, append_dumped_part, out, JSON_COMPACT | JSON_ENCODE_ANY) ==
                0);
}

#define SHOWN_MAX 60

int base_json_set_value_error(const json_t *j, const char *where, const char *name,
                              const char *wanted, struct base_error *err)
{
    struct base_buf shown = {0};
    size_t n = strlen(where);
    int rc;

    if (!err)
        return -BASE_EINVAL;
    if (json_is_object(j) || json_is_array(j))
        base_buf_adds(&shown, json_is_object(j) ? "an object" : "an array");
    else
        base_json_dump(j, &shown);
    if (shown.len > SHOWN_MAX) {
        shown.len = base_utf8_cut(shown.data, SHOWN_MAX);
        base_buf_adds(&shown, "...");
    }
    if (!*name && n == 0)
        where = "the body";
    if (!*name && n > 0 && where[n - 1] == '.')
        rc = base_error_set(err, -BASE_EINVAL, "%.*s: %s is not %s", (int)n - 1, where, shown.data,
                            wanted);
    else
        rc = base_error_set(err, -BASE_EINVAL, "%s%s: %s is not %s", where, name, shown.data,
                            wanted);
    base_buf_free(&shown);
    return rc;
}

/* Returns the member, or NULL with *@rc set to the value that the caller must return. */
static json_t *find_member(const json_t *obj, const char *where, const char *name, bool required,
                           int *rc, struct base_error *err)
{
    json_t *j = json_object_get(obj, name);

    *rc = 0;
    if (j && !json_is_null(j))
        return j;
    if (obj && !json_is_object(obj))
        *rc = base_error_set(err, -BASE_EINVAL, "%s%s: is not inside an object", where, name);
    else if (required)
        *rc = base_error_set(err, -BASE_EINVAL, "%s%s: is required", where, name);
    return NULL;
}

int base_json_str(const json_t *obj, const char *where, const char *name, bool required, size_t max,
                  const char **out, struct base_error *err)
{
    int rc;
    json_t *j = find_member(obj, where, name, required, &rc, err);

    if (!j)
        return rc;
    if (!json_is_string(j))
        return base_json_set_value_error(j, where, name, "a string", err);
    if (json_string_length(j) > max)
        return base_error_set(err, -BASE_ELIMIT, "%s%s: %zu bytes are more than %zu", where, name,
                              json_string_length(j), max);
    *out = json_string_value(j);
    return 0;
}

int base_json_int(const json_t *obj, const char *where, const char *name, bool required,
                  int64_t min, int64_t max, int64_t *out, struct base_error *err)
{
    int rc;
    json_t *j = find_member(obj, where, name, required, &rc, err);

    if (!j)
        return rc;
    if (!json_is_integer(j) || json_integer_value(j) < min || json_integer_value(j) > max) {
        char *wanted = base_printf("an integer from %lld to %lld", (long long)min, (long long)max);
        rc = base_json_set_value_error(j, where, name, wanted, err);
        free(wanted);
        return rc;
    }
    *out = json_integer_value(j);
    return 0;
}

int base_json_num(const json_t *obj, const char *where, const char *name, bool required, double min,
                  double max, double *out, struct base_error *err)
{
    int rc;
    json_t *j = find_member(obj, where, name, required, &rc, err);
    double v;

    if (!j)
        return rc;
    v = json_number_value(j);
    if (!json_is_number(j) || !isfinite(v) || v < min || v > max) {
        char *wanted = base_printf("a number from %g to %g", min, max);
        rc = base_json_set_value_error(j, where, name, wanted, err);
        free(wanted);
        return rc;
    }
    *out = v;
    return 0;
}

int base_json_bool(const json_t *obj, const char *where, const char *name, bool required, bool *out,
                   struct base_error *err)
{
    int rc;
    json_t *j = find_member(obj, where, name, required, &rc, err);

    if (!j)
        return rc;
    if (!json_is_boolean(j))
        return base_json_set_value_error(j, where, name, "true or false", err);
    *out = json_is_true(j);
    return 0;
}

int base_json_arr(const json_t *obj, const char *where, const char *name, bool required, size_t max,
                  json_t **out, struct base_error *err)
{
    int rc;
    json_t *j = find_member(obj, where, name, required, &rc, err);

    if (!j)
        return rc;
    if (!json_is_array(j))
        return base_json_set_value_error(j, where, name, "an array", err);
    if (json_array_size(j) > max)
        return base_error_set(err, -BASE_ELIMIT, "%s%s: %zu elements are more than %zu", where,
                              name, json_array_size(j), max);
    *out = j;
    return 0;
}

int base_json_refuse_unknown_members(const json_t *obj, const char *where, const char *const *names,
                                     struct base_error *err)
{
    const char *name;
    json_t *value;

    if (!json_is_object(obj))
        return base_json_set_value_error(obj, where, "", "an object", err);
    json_object_foreach((json_t *)obj, name, value)
    {
        const char *best = NULL;
        size_t distance = 0, i;

        for (i = 0; names[i] && strcmp(names[i], name) != 0; i++)
            base_nearest_take_if_closer(name, names[i], &best, &distance);
        if (names[i])
            continue;
        if (best)
            return base_error_set(err, -BASE_EINVAL,
                                  "%s%.200s: unknown member; did you mean \"%s\"?", where, name,
                                  best);
        return base_error_set(err, -BASE_EINVAL, "%s%.200s: unknown member", where, name);
    }
    return 0;
}

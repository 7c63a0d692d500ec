#include "base/io/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

/* Returns the escape sequence of @c in a JSON string, or NULL when @c needs none. */
static const char *json_escape(unsigned char c, char buf[static 7])
{
    static const char digits[] = "0123456789abcdef";

    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        break;
    }
    if (c >= 0x20)
        return NULL;
    memcpy(buf, "\\u00", 4);
    buf[4] = digits[c >> 4];
    buf[5] = digits[c & 15];
    buf[6] = '\0';
    return buf;
}

/* Returns true when each of the eight bytes of @w is ASCII and needs no escape. */
static bool eight_need_no_escape(uint64_t w)
{
    const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    uint64_t quote = w ^ ones * '"', slash = w ^ ones * '\\';

    /* the high bit of a difference shows a byte below 0x20, or one that is zero */
    return ((w | ((w - ones * 0x20) & ~w) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) &
            highs) == 0;
}

/* Returns true when all @n bytes of @s are ASCII and need no escape. */
static bool needs_no_escape(const char *s, size_t n)
{
    uint64_t w;
    uint32_t half[2];

    if (n >= sizeof w) {
        for (size_t at = 0; at < n - sizeof w; at += sizeof w) {
            memcpy(&w, s + at, sizeof w);
            if (!eight_need_no_escape(w))
                return false;
        }
        memcpy(&w, s + n - sizeof w, sizeof w); /* may repeat some bytes */
        return eight_need_no_escape(w);
    }
    if (n >= sizeof *half) {
        memcpy(&half[0], s, sizeof *half);
        memcpy(&half[1], s + n - sizeof *half, sizeof *half);
        return eight_need_no_escape((uint64_t)half[0] << 32 | half[1]);
    }
    for (w = 0x6161616161616161; n > 0; n--)
        w = w << 8 | (unsigned char)s[n - 1];
    return eight_need_no_escape(w);
}

/* Most strings are plain from end to end: these are copied at once. */
void base_json_quote(struct base_buf *out, const char *s)
{
    size_t n = strlen(s);
    char *at;

    if (out->cap - out->len <= n + 2)
        base_buf_reserve(out, n + 2);
    at = out->data + out->len;
    *at++ = '"';
    if (needs_no_escape(s, n)) {
        memcpy(at, s, n);
        memcpy(at + n, "\"", 2);
        out->len += n + 2;
        return;
    }
    out->len++;
    base_escape_add(out, s, json_escape);
    base_buf_add(out, "\"", 1);
}

static void add_comma_if_needed(struct base_buf *b)
{
    char last = b->len ? b->data[b->len - 1] : '{';

    if (last != '{' && last != '[' && last != ':')
        base_buf_add(b, ",", 1);
}

void base_json_open(struct base_buf *b, char bracket)
{
    add_comma_if_needed(b);
    base_buf_add(b, &bracket, 1);
}

void base_json_close(struct base_buf *b, char bracket)
{
    base_buf_add(b, &bracket, 1);
}

void base_json_key(struct base_buf *b, const char *key)
{
    add_comma_if_needed(b);
    base_buf_add(b, "\"", 1);
    base_buf_adds(b, key);
    base_buf_add(b, "\":", 2);
}

void base_json_value_str(struct base_buf *b, const char *v)
{
    add_comma_if_needed(b);
    if (v)
        base_json_quote(b, v);
    else
        base_buf_adds(b, "null");
}

void base_json_value_int(struct base_buf *b, int64_t v)
{
    add_comma_if_needed(b);
    base_buf_add_int(b, v);
}

void base_json_value_num(struct base_buf *b, double v)
{
    char text[64];
    int n;

    if (!isfinite(v))
        v = 0;
    if (fabs(v) < 9e15 && v == (double)(int64_t)v) {
        base_json_value_int(b, (int64_t)v);
        return;
    }
    add_comma_if_needed(b);
    n = snprintf(text, sizeof text, "%.6f", v > 1e30 ? 1e30 : v < -1e30 ? -1e30 : v);
    while (n > 1 && text[n - 1] == '0' && text[n - 2] != '.')
        n--;
    base_buf_add(b, text, (size_t)n);
}

void base_json_value_bool(struct base_buf *b, bool v)
{
    add_comma_if_needed(b);
    base_buf_adds(b, v ? "true" : "false");
}

void base_json_put_str(struct base_buf *b, const char *key, const char *v)
{
    base_json_key(b, key);
    base_json_value_str(b, v);
}

void base_json_put_str_opt(struct base_buf *b, const char *key, const char *v)
{
    if (v)
        base_json_put_str(b, key, v);
}

void base_json_put_int(struct base_buf *b, const char *key, int64_t v)
{
    base_json_key(b, key);
    base_json_value_int(b, v);
}

void base_json_put_num(struct base_buf *b, const char *key, double v)
{
    base_json_key(b, key);
    base_json_value_num(b, v);
}

void base_json_put_bool(struct base_buf *b, const char *key, bool v)
{
    base_json_key(b, key);
    base_json_value_bool(b, v);
}

#include "rm/http/json_text.h"

#include <math.h>
#include <stdio.h>

#include "api/yarn/shape.h"

static void separate(struct base_buf *b)
{
    char last = b->len ? b->data[b->len - 1] : '{';

    if (last != '{' && last != '[' && last != ':')
        base_buf_add(b, ",", 1);
}

void rm_json_open(struct base_buf *b, char bracket)
{
    separate(b);
    base_buf_add(b, &bracket, 1);
}

void rm_json_close(struct base_buf *b, char bracket)
{
    base_buf_add(b, &bracket, 1);
}

void rm_json_key(struct base_buf *b, const char *key)
{
    separate(b);
    base_buf_add(b, "\"", 1);
    base_buf_adds(b, key);
    base_buf_add(b, "\":", 2);
}

void rm_json_str(struct base_buf *b, const char *v)
{
    separate(b);
    if (v)
        api_json_string(b, v);
    else
        base_buf_adds(b, "null");
}

void rm_json_int(struct base_buf *b, int64_t v)
{
    char text[24], *p = text + sizeof text;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

    separate(b);
    do
        *--p = (char)('0' + u % 10);
    while ((u /= 10) > 0);
    if (v < 0)
        *--p = '-';
    base_buf_add(b, p, (size_t)(text + sizeof text - p));
}

void rm_json_num(struct base_buf *b, double v)
{
    char text[64];
    int n;

    if (!isfinite(v))
        v = 0;
    if (fabs(v) < 9e15 && v == (double)(int64_t)v) {
        rm_json_int(b, (int64_t)v);
        return;
    }
    separate(b);
    n = snprintf(text, sizeof text, "%.6f", v > 1e30 ? 1e30 : v < -1e30 ? -1e30 : v);
    while (n > 1 && text[n - 1] == '0' && text[n - 2] != '.')
        n--;
    base_buf_add(b, text, (size_t)n);
}

void rm_json_bool(struct base_buf *b, bool v)
{
    separate(b);
    base_buf_adds(b, v ? "true" : "false");
}

void rm_json_kstr(struct base_buf *b, const char *key, const char *v)
{
    rm_json_key(b, key);
    rm_json_str(b, v);
}

void rm_json_kstr_opt(struct base_buf *b, const char *key, const char *v)
{
    if (v)
        rm_json_kstr(b, key, v);
}

void rm_json_kint(struct base_buf *b, const char *key, int64_t v)
{
    rm_json_key(b, key);
    rm_json_int(b, v);
}

void rm_json_knum(struct base_buf *b, const char *key, double v)
{
    rm_json_key(b, key);
    rm_json_num(b, v);
}

void rm_json_kbool(struct base_buf *b, const char *key, bool v)
{
    rm_json_key(b, key);
    rm_json_bool(b, v);
}

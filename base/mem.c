#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static _Noreturn void abort_out_of_memory(size_t size)
{
    fprintf(stderr, "creel: out of memory (asked for %zu bytes)\n", size);
    abort();
}

void *base_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p)
        abort_out_of_memory(size);
    return p;
}

void *base_realloc_array(void *old, size_t n, size_t el)
{
    size_t size;
    void *p;

    if (__builtin_mul_overflow(n, el, &size))
        abort_out_of_memory(SIZE_MAX);
    p = realloc(old, size ? size : 1);
    if (!p)
        abort_out_of_memory(size);
    return p;
}

char *base_strdup(const char *s)
{
    return s ? base_strndup(s, strlen(s)) : NULL;
}

char *base_strndup(const char *s, size_t n)
{
    char *p;

    if (!s)
        return NULL;
    n = strnlen(s, n);
    p = base_realloc_array(NULL, n + 1, 1);
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *base_printf(const char *fmt, ...)
{
    struct base_buf b = {0};
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    return base_buf_take(&b);
}

void base_buf_grow(struct base_buf *b, size_t more)
{
    size_t need, cap;

    if (__builtin_add_overflow(b->len, more, &need) || need >= SIZE_MAX / 2)
        abort_out_of_memory(SIZE_MAX);
    need++;
    cap = b->cap ? b->cap : 64;
    while (cap < need)
        cap *= 2;
    b->data = base_realloc_array(b->data, cap, 1);
    b->cap = cap;
}

void base_buf_add(struct base_buf *b, const void *p, size_t n)
{
    base_buf_reserve(b, n);
    if (n)
        memcpy(b->data + b->len, p, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void base_buf_adds(struct base_buf *b, const char *s)
{
    base_buf_add(b, s, strlen(s));
}

void base_buf_add_int(struct base_buf *b, int64_t v)
{
    char text[24], *at = text + sizeof text;
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (v < 0)
        *--at = '-';
    base_buf_add(b, at, (size_t)(text + sizeof text - at));
}

void base_buf_addf(struct base_buf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(b, fmt, ap);
    va_end(ap);
}

void base_buf_vaddf(struct base_buf *b, const char *fmt, va_list ap)
{
    va_list again;
    int n;

    va_copy(again, ap);
    base_buf_reserve(b, 0);
    n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
    base_assert(n >= 0);
    if ((size_t)n >= b->cap - b->len) {
        base_buf_reserve(b, (size_t)n);
        n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
        base_assert(n >= 0);
    }
    va_end(again);
    b->len += (size_t)n;
}

void base_buf_clear(struct base_buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

void base_buf_free(struct base_buf *b)
{
    free(b->data);
    *b = (struct base_buf){0};
}

char *base_buf_take(struct base_buf *b)
{
    char *data;

    base_buf_reserve(b, 0);
    data = b->data;
    data[b->len] = '\0';
    *b = (struct base_buf){0};
    return data;
}

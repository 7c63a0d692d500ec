/* base/mem.h - allocation that never returns NULL, growing byte buffers, growing arrays. A process
 * that runs out of memory aborts. */
#ifndef CREEL_BASE_MEM_H
#define CREEL_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

void *base_alloc(size_t size); /* zeroed; size 0 allocates 1 byte */
/* Resizes @old (NULL: a new array) to @n elements of @el bytes; checks for overflow and does not
 * zero the new bytes. */
void *base_realloc_array(void *old, size_t n, size_t el);
char *base_strdup(const char *s); /* NULL for NULL */
char *base_strndup(const char *s, size_t n);
char *base_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* caller frees */

/* A growing byte buffer. After the first addition, data is NUL-terminated; len does not count the
 * NUL. */
struct base_buf {
    char *data;
    size_t len, cap;
};
void base_buf_add(struct base_buf *b, const void *p, size_t n);
void base_buf_adds(struct base_buf *b, const char *s);
void base_buf_add_int(struct base_buf *b, int64_t v); /* in decimal */
void base_buf_addf(struct base_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void base_buf_vaddf(struct base_buf *b, const char *fmt, va_list ap);
void base_buf_grow(struct base_buf *b, size_t more); /* the part of base_buf_reserve() below */
/* Makes room for @more bytes and the NUL. Inline, since there nearly always is room. */
static inline void base_buf_reserve(struct base_buf *b, size_t more)
{
    if (b->cap - b->len <= more)
        base_buf_grow(b, more);
}
void base_buf_clear(struct base_buf *b); /* len = 0, memory kept */
void base_buf_free(struct base_buf *b);  /* frees the data; @b is all zero then */
/* Returns the content, never NULL; caller frees. @b is empty afterwards. */
char *base_buf_take(struct base_buf *b);

/* Makes room for one more element in a {v, len, cap} array:
 * base_array_grow(&a->v, a->len, &a->cap). */
#define base_array_grow(v, len, cap)                                                               \
    do {                                                                                           \
        if ((len) == *(cap)) {                                                                     \
            *(cap) = *(cap) ? *(cap)*2 : 8;                                                        \
            *(v) = base_realloc_array(*(v), *(cap), sizeof **(v));                                 \
        }                                                                                          \
    } while (0)

/* Asks the processor to bring the @size bytes at @p, and up to 255 after them, into its cache. A
 * prefetch of memory that is not mapped does nothing. */
static inline void base_prefetch(const void *p, size_t size)
{
    const char *at = p;

    /* four cache lines at a time: the loop itself would cost three times as much as a prefetch */
    for (size_t line = 0; line < size; line += 256) {
        __builtin_prefetch(at + line);
        __builtin_prefetch(at + line + 64);
        __builtin_prefetch(at + line + 128);
        __builtin_prefetch(at + line + 192);
    }
}

#endif

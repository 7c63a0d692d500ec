/* base/escape.h - escapes the characters of a text that have a meaning in a format such as JSON or
 * XML. Bytes that are not UTF-8 become U+FFFD, since both formats require valid text. */
#ifndef CREEL_BASE_ESCAPE_H
#define CREEL_BASE_ESCAPE_H

#include "base/mem.h"
#include "base/utf8.h"

#define BASE_ESCAPE_REPLACEMENT "\xEF\xBF\xBD"

/* Returns the replacement for the one-byte character @c, or NULL to keep the character. The
 * replacement may be built in @buf. */
typedef const char *base_escape_fn(unsigned char c, char buf[static 7]);

/* Appends @text to @out, escaped. Always inlined, so that @escape is inlined too: it is called for
 * each ASCII byte of lists with a million rows. */
static inline __attribute__((always_inline)) void
base_escape_add(struct base_buf *out, const char *text, base_escape_fn *escape)
{
    const unsigned char *s = (const unsigned char *)text;
    const unsigned char *plain = s; /* start of the bytes that can be copied unchanged */
    char buf[7];

    while (*s) {
        size_t n = *s < 0x80 ? 1 : base_utf8_sequence_len((const char *)s);
        const char *instead = n == 0 ? BASE_ESCAPE_REPLACEMENT : n == 1 ? escape(*s, buf) : NULL;

        if (instead) {
            base_buf_add(out, plain, (size_t)(s - plain));
            base_buf_adds(out, instead);
            plain = s + 1;
        }
        s += n ? n : 1;
    }
    base_buf_add(out, plain, (size_t)(s - plain));
}

#endif

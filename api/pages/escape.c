#include "api/pages/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"

/* Returns the code point of the valid sequence of @n bytes at @s. */
static uint32_t decode_utf8_sequence(const char *s, size_t n)
{
    static const uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = (unsigned char)s[0] & first_bits[n];

    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)s[i] & 0x3f);
    return c;
}

static bool is_control_but_newline_and_tab(uint32_t c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f) || c == 0x2028 ||
           c == 0x2029; /* separators of lines and paragraphs */
}

/* Marks, embeddings, overrides and isolates of the bidirectional algorithm (Unicode, annex 9). */
static bool changes_direction(uint32_t c)
{
    return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

const char *api_html_find_entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&apos;";
    default:
        return NULL;
    }
}

/* Returns the replacement of character @c; NULL: it stays. */
static const char *find_replacement(uint32_t c)
{
    if (c < 0x80 && api_html_find_entity((char)c))
        return api_html_find_entity((char)c);
    return is_control_but_newline_and_tab(c) || changes_direction(c) ? BASE_ESCAPE_REPLACEMENT
                                                                     : NULL;
}

void api_html_add_escaped_cut(struct base_buf *out, const char *text, size_t max)
{
    const char *s = text, *plain = text; /* start of the bytes that can be copied unchanged */

    while (*s) {
        size_t n = base_utf8_sequence_len(s);
        const char *instead =
            n ? find_replacement(decode_utf8_sequence(s, n)) : BASE_ESCAPE_REPLACEMENT;

        n = n ? n : 1;
        if ((size_t)(s - text) + n > max)
            break;
        if (instead) {
            base_buf_add(out, plain, (size_t)(s - plain));
            base_buf_adds(out, instead);
            plain = s + n;
        }
        s += n;
    }
    base_buf_add(out, plain, (size_t)(s - plain));
    if (*s)
        base_buf_adds(out, "\xE2\x80\xA6");
}

void api_html_add_escaped(struct base_buf *out, const char *text)
{
    api_html_add_escaped_cut(out, text, SIZE_MAX);
}

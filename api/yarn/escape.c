/* Text as YARN writes it: JSON strings, XML text. Bytes that are no UTF-8 become U+FFFD: both formats demand it. */
#include <stdbool.h>
#include <string.h>

#include "api/yarn/shape.h"
#include "base/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* What stands for the control character or sign @c in JSON; NULL: itself. */
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

static const char *xml_escape(unsigned char c, char buf[static 7])
{
    (void)buf;
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '\r':
        return "&#13;";
    case '\n':
    case '\t':
        return NULL;
    default:
        return c < 0x20 ? REPLACEMENT : NULL; /* not allowed in XML 1.0, not even escaped */
    }
}

/* Inlined, so that @escape is too: lists of a million rows are made of plain bytes. */
static inline __attribute__((always_inline)) void add_escaped(struct base_buf *out, const char *text,
                                                              const char *(*escape)(unsigned char, char *))
{
    const unsigned char *s = (const unsigned char *)text;
    const unsigned char *plain = s; /* start of what can be copied as it is */
    char buf[7];

    while (*s) {
        size_t n = *s < 0x80 ? 1 : base_utf8_len((const char *)s);
        const char *instead = n == 0 ? REPLACEMENT : n == 1 ? escape(*s, buf) : NULL;

        if (instead) {
            base_buf_add(out, plain, (size_t)(s - plain));
            base_buf_adds(out, instead);
            plain = s + 1;
        }
        s += n ? n : 1;
    }
    base_buf_add(out, plain, (size_t)(s - plain));
}

void api_json_string(struct base_buf *out, const char *s)
{
    base_buf_add(out, "\"", 1);
    add_escaped(out, s, json_escape);
    base_buf_add(out, "\"", 1);
}

void api_xml_text(struct base_buf *out, const char *s)
{
    add_escaped(out, s, xml_escape);
}

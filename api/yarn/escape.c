/* Escapes the text of XML elements as YARN does. */
#include "base/escape.h"
#include "api/yarn/shape.h"

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
        /* not allowed in XML 1.0, not even escaped */
        return c < 0x20 ? BASE_ESCAPE_REPLACEMENT : NULL;
    }
}

void api_xml_add_text(struct base_buf *out, const char *s)
{
    base_escape_add(out, s, xml_escape);
}

#include "base/conf/percent.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static int parse_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

char *base_percent_decode(const char *from, const char *end, char *to, bool plus_is_space)
{
    while (from < end) {
        char c = *from++;

        if (c == '%') {
            int high, low;

            if (end - from < 2)
                return NULL;
            high = parse_hex_digit(from[0]);
            low = parse_hex_digit(from[1]);
            if (high < 0 || low < 0 || (high == 0 && low == 0))
                return NULL;
            c = (char)(high << 4 | low);
            from += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        *to++ = c;
    }
    *to++ = '\0';
    return to;
}

/* @plain_signs: what stays as it is, besides letters. */
static void encode(const char *text, const char *plain_signs, struct base_buf *out)
{
    for (; *text; text++) {
        bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                     strchr(plain_signs, *text);

        if (plain)
            base_buf_add(out, text, 1);
        else
            base_buf_addf(out, "%%%02X", (unsigned char)*text);
    }
}

void base_percent_encode(const char *text, struct base_buf *out)
{
    encode(text, "0123456789-._~", out);
}

/* SOURCE: RFC 3986, 3.3 (pchar). */
void base_percent_encode_path(const char *text, struct base_buf *out)
{
    encode(text, "0123456789/-._~!$&'()*+,;=:@", out);
}

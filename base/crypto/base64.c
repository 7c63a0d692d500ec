#include "base/crypto/base64.h"

#include <stdint.h>

static const char classic[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base_base64_encode(const void *bytes, size_t len, struct base_buf *out)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t v = (uint32_t)p[i] << 16;
        char four[4];

        v |= n > 1 ? (uint32_t)p[i + 1] << 8 : 0;
        v |= n > 2 ? p[i + 2] : 0;
        for (size_t k = 0; k < 4; k++)
            four[k] = k <= n ? classic[v >> (18 - 6 * k) & 63] : '=';
        base_buf_add(out, four, sizeof four);
    }
}

/* Returns the value of a character, or -1 when it is in neither alphabet. */
static int base64_digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

void base_base64_decode(const char *text, struct base_buf *out)
{
    uint32_t bits = 0;
    int n = 0;

    for (; *text && *text != '='; text++) {
        int v = base64_digit_value(*text);

        if (v < 0)
            continue;
        bits = bits << 6 | (uint32_t)v;
        n += 6;
        if (n >= 8) {
            char byte = (char)(bits >> (n - 8) & 0xFF);

            base_buf_add(out, &byte, 1);
            n -= 8;
        }
    }
}

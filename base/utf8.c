#include "base/utf8.h"

#include <string.h>

#include "base/mem.h"

size_t base_utf8_sequence_len(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n;

    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        n = 2;
    else if (s[0] >= 0xE0 && s[0] <= 0xEF)
        n = 3;
    else if (s[0] >= 0xF0 && s[0] <= 0xF4)
        n = 4;
    else
        return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) /* also true for the terminating NUL */
            return 0;
    return n;
}

bool base_utf8_valid(const char *s)
{
    size_t n;

    for (; *s; s += n)
        if ((n = base_utf8_sequence_len(s)) == 0)
            return false;
    return true;
}

static bool is_control(const char *s)
{
    return (unsigned char)*s < 0x20 || *s == 0x7f;
}

bool base_utf8_valid_without_controls(const char *s)
{
    for (const char *p = s; *p; p++)
        if (is_control(p))
            return false;
    return base_utf8_valid(s);
}

char *base_utf8_escape_for_message(const char *s, size_t max)
{
    struct base_buf b = {0};

    while (*s && b.len < max) {
        size_t n = base_utf8_sequence_len(s);
        if (n == 0 || is_control(s)) {
            base_buf_addf(&b, "%%%02X", (unsigned)(unsigned char)*s);
            n = 1;
        } else {
            base_buf_add(&b, s, n);
        }
        s += n;
    }
    if (*s)
        base_buf_adds(&b, "...");
    return base_buf_take(&b);
}

size_t base_utf8_cut(const char *s, size_t max)
{
    size_t end = strnlen(s, max);

    while (end > 0 && ((unsigned char)s[end] & 0xC0) == 0x80)
        end--;
    return end;
}

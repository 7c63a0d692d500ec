/* api/cli/text/text.c - measures widths, cleans texts, and formats figures for people. */
#include "api/cli/text/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Decodes the character at @s, where at least one byte is left. Returns its code point, even if
 * that is a surrogate or above U+10FFFF; -1 for a broken byte. *len becomes the number of bytes
 * used. */
static int32_t decode_utf8(const unsigned char *s, size_t left, size_t *len)
{
    static const int32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80             ? 1
               : (s[0] & 0xe0) == 0xc0 ? 2
               : (s[0] & 0xf0) == 0xe0 ? 3
               : (s[0] & 0xf8) == 0xf0 ? 4
                                       : 0;
    *len = 1;
    if (n == 0 || n > left)
        return -1;
    int32_t c = n == 1 ? s[0] : s[0] & (0xff >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (n > 1 && c < min[n])
        return -1;
    *len = n;
    return c;
}

/* Returns the width of a character in columns, by the part of Unicode's East Asian Width that names
 * of jobs and people need. */
static size_t get_char_width(int32_t c)
{
    static const struct {
        int32_t first, last;
        size_t columns;
    } ranges[] = {
        {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0}, {0x0591, 0x05bd, 0},   {0x200b, 0x200f, 0},
        {0x20d0, 0x20ff, 0},   {0xfe00, 0xfe0f, 0}, {0xfe20, 0xfe2f, 0},   {0x1100, 0x115f, 2},
        {0x2e80, 0x303e, 2},   {0x3041, 0x33ff, 2}, {0x3400, 0x4dbf, 2},   {0x4e00, 0x9fff, 2},
        {0xa000, 0xa4cf, 2},   {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2},
        {0x20000, 0x3fffd, 2},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return ranges[i].columns;
    return 1;
}

/* Returns the length of the prefix that is printable ASCII: a fast path for most texts, of which a
 * list may have millions. */
static size_t count_printable_ascii(const char *s, size_t len)
{
    size_t n = 0;
    while (n < len && s[n] >= 0x20 && s[n] < 0x7f)
        n++;
    return n;
}

size_t cli_text_width(const char *s, size_t len)
{
    size_t width = count_printable_ascii(s, len), step;
    for (size_t i = width; i < len; i += step)
        width += get_char_width(decode_utf8((const unsigned char *)s + i, len - i, &step));
    return width;
}

size_t cli_text_prefix_fitting(const char *s, size_t columns)
{
    size_t len = strlen(s), at = 0, width = 0, step;
    while (at < len) {
        width += get_char_width(decode_utf8((const unsigned char *)s + at, len - at, &step));
        if (width > columns)
            break;
        at += step;
    }
    return at;
}

void cli_text_add_as_valid_utf8(const char *s, size_t len, struct base_buf *out)
{
    size_t step;
    for (size_t i = 0; i < len; i += step) {
        int32_t c = decode_utf8((const unsigned char *)s + i, len - i, &step);
        bool broken = c < 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff);
        if (broken) {
            step = 1;
            base_buf_adds(out, "\xef\xbf\xbd");
        } else {
            base_buf_add(out, s + i, step);
        }
    }
}

void cli_text_add_clean(const char *s, struct base_buf *out)
{
    size_t start = out->len;
    size_t len = strlen(s), step;
    size_t plain = count_printable_ascii(s, len);
    base_buf_add(out, s, plain);
    for (size_t i = plain; i < len; i += step) {
        int32_t c = decode_utf8((const unsigned char *)s + i, len - i, &step);
        if (c < 0) {
            base_buf_adds(out, "?");
        } else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
            if (out->len > start && out->data[out->len - 1] != ' ')
                base_buf_adds(out, " ");
        } else {
            base_buf_add(out, s + i, step);
        }
    }
    while (out->len > start && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

void cli_text_add_duration(int64_t ms, struct base_buf *out)
{
    if (ms < 0)
        ms = 0;
    int64_t s = ms / 1000;
    if (s < 60)
        base_buf_addf(out, "%lld.%lld s", (long long)s, (long long)(ms % 1000 / 100));
    else if (s < 3600)
        base_buf_addf(out, "%lldm%02llds", (long long)(s / 60), (long long)(s % 60));
    else
        base_buf_addf(out, "%lldh%02lldm", (long long)(s / 3600), (long long)(s / 60 % 60));
}

void cli_text_add_bytes(int64_t bytes, struct base_buf *out)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double v = (double)bytes;
    size_t u = 0;
    while (v >= 999.95 && u + 1 < sizeof units / sizeof units[0]) {
        v /= 1000;
        u++;
    }
    if (u == 0)
        base_buf_addf(out, "%lld B", (long long)bytes);
    else
        base_buf_addf(out, "%.1f %s", v, units[u]);
}

void cli_text_add_grouped_count(int64_t n, struct base_buf *out)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%lld", (long long)n);
    for (int i = 0; i < len; i++) {
        base_buf_add(out, digits + i, 1);
        int left = len - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-')
            base_buf_adds(out, ",");
    }
}

void cli_text_add_time(int64_t epoch_ms, struct base_buf *out)
{
    if (epoch_ms <= 0) {
        base_buf_adds(out, "-");
        return;
    }
    time_t t = (time_t)(epoch_ms / 1000);
    struct tm tm;
    char text[64];
    localtime_r(&t, &tm);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
    base_buf_adds(out, text);
}

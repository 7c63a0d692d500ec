/* api/cli/yarn/format.c - numbers, times and sets as Java prints them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/cli/text/text.h"
#include "api/cli/yarn/yarn.h"

void cli_yarn_add_decimal(double v, int min_int, int min, int max, struct base_buf *out)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.*f", max, v); /* rounds halves to even, as Java does */
    char *point = strchr(text, '.'), *start = text;
    if (n < 0 || (size_t)n >= sizeof text)
        return;
    for (int digits = max; point && digits > min && text[n - 1] == '0'; digits--)
        text[--n] = '\0';
    if (point && !point[1])
        *point = '\0';
    bool negative = *text == '-';
    start += negative;
    if (negative) /* even in "-0", as in Java */
        base_buf_adds(out, "-");
    if (min_int == 0 && start[0] == '0' && start[1] == '.')
        start++;
    base_buf_adds(out, start);
}

void cli_yarn_add_java_float(double v, struct base_buf *out)
{
    char text[64] = "0";
    for (int digits = 1; digits <= 9; digits++) { /* 9 digits distinguish any two floats */
        snprintf(text, sizeof text, "%.*g", digits, (double)(float)v);
        if (strtof(text, NULL) == (float)v)
            break;
    }
    base_buf_addf(out, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

void cli_yarn_add_time(int64_t ms, struct base_buf *out)
{
    char text[64];
    time_t s = (time_t)(ms / 1000);
    struct tm tm;
    if (ms <= 0) {
        base_buf_adds(out, "N/A");
        return;
    }
    localtime_r(&s, &tm);
    strftime(text, sizeof text, "%a %b %d %H:%M:%S %z %Y", &tm);
    base_buf_adds(out, text);
}

/* Java's String.hashCode() for ASCII, spread as HashMap does. */
static uint32_t java_hashmap_hash(const char *s)
{
    uint32_t h = 0;
    for (; *s; s++)
        h = 31 * h + (unsigned char)*s;
    return h ^ (h >> 16);
}

void cli_yarn_add_java_hash_set(char *const *names, size_t n, struct base_buf *out)
{
    size_t buckets = 16, distinct = 0;
    bool *repeated = base_alloc((n + 1) * sizeof *repeated);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i && !repeated[i]; k++)
            repeated[i] = strcmp(names[i], names[k]) == 0;
        distinct += !repeated[i];
    }
    while (distinct * 4 > buckets * 3) /* HashMap's load factor */
        buckets *= 2;
    const char *between = "[";
    for (size_t b = 0; b < buckets; b++)
        for (size_t i = 0; i < n; i++)
            if (!repeated[i] && (java_hashmap_hash(names[i]) & (buckets - 1)) == b) {
                base_buf_addf(out, "%s%s", between, names[i]);
                between = ", ";
            }
    base_buf_adds(out, distinct ? "]" : "[]");
    free(repeated);
}

/* Returns the number of characters in @s, which is UTF-8. */
static int count_characters(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

void cli_yarn_print_cell(int width, const char *text, const char *end)
{
    struct base_buf clean = {0};
    cli_text_add_clean(text, &clean);
    const char *shown = clean.data ? clean.data : "";
    int pad = width - count_characters(shown);
    printf("%*s%s%s", pad > 0 ? pad : 0, "", shown, end);
    base_buf_free(&clean);
}

void cli_yarn_print_line(const char *label, const char *text)
{
    struct base_buf clean = {0};
    cli_text_add_clean(text, &clean);
    printf("%s%s\n", label, clean.data ? clean.data : "");
    base_buf_free(&clean);
}

void cli_yarn_print_lines(const char *label, const char *text)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1, label = "") {
        char *one = base_strndup(text, (size_t)(end - text));
        cli_yarn_print_line(label, one);
        free(one);
    }
    cli_yarn_print_line(label, text);
}

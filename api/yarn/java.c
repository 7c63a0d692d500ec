/* Prints numbers as Java does. Source: java.lang.Float.toString and Double.toString: as few digits
 * as distinguish the value from its neighbours, at least one after the point; plain between 1e-3
 * and 1e7, otherwise d.dddE[-]n. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/yarn/shape.h"

#define DOUBLE_DIGITS 17
#define FLOAT_DIGITS  9

enum fit { FITS, FITS_NOT, UNCERTAIN };

/* Tells whether the decimal number @n / @scale, both whole and exact, reads back as @v. The
 * quotient is a double that differs from that number by at most half a unit in its last place. As a
 * double the number therefore reads back as the quotient. As a float it reads back as @v if both
 * neighbours of the quotient do, and does not if neither does; otherwise the answer is
 * UNCERTAIN. */
static enum fit reads_back(double n, double scale, double v, bool is_float)
{
    double q = n / scale;
    int same;

    if (!is_float)
        return q == v ? FITS : FITS_NOT;
    same = ((float)(q - q * DBL_EPSILON) == (float)v) + ((float)(q + q * DBL_EPSILON) == (float)v);
    return same == 2 ? FITS : same == 0 ? FITS_NOT : UNCERTAIN;
}

/* Writes the digits of @v in front of @end, and returns where they begin. */
static char *write_digits_before(char *end, long v)
{
    do
        *--end = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    return end;
}

/* Moves the text from @at to @end to @out, and returns its length. */
static size_t copy_text_range(char *out, const char *at, const char *end)
{
    memcpy(out, at, (size_t)(end - at));
    return (size_t)(end - at);
}

/* Formats a whole number. Most values are whole, so they have this fast way of their own. */
static size_t format_whole_float(char *out, long v)
{
    char text[24], *end = text + sizeof text;

    end[-2] = '.';
    end[-1] = '0';
    return copy_text_range(out, write_digits_before(end - 2, v), end);
}

/* Writes @v (from 1e-3 to 1e7, not whole) with as many decimals as it needs. Returns the length; 0
 * when double arithmetic cannot determine the decimals. The candidate with k decimals is found
 * without error: a float times 10^11 is exact, since 5^11 has 26 bits; a double's product may be
 * inexact, which does no harm while the candidate stays below 2^51. */
static size_t format_few_decimals(char *out, double v, bool is_float)
{
    double scale = 10, limit = is_float ? 1e9 : 1e15;

    for (int k = 1; k <= 11; k++, scale *= 10) {
        double n = rint(v * scale);
        enum fit fit;
        char text[24], *end = text + sizeof text, *at = end;
        long left = (long)n;

        if (n >= limit || (fit = reads_back(n, scale, v, is_float)) == UNCERTAIN)
            return 0;
        if (fit == FITS_NOT)
            continue;
        for (int i = 0; i < k; i++, left /= 10)
            *--at = (char)('0' + left % 10);
        *--at = '.';
        return copy_text_range(out, write_digits_before(at, left), end);
    }
    return 0;
}

/* Finds the fewest digits of @v (> 0) that read back as @v, and the exponent of the first digit.
 * Returns the number of digits. */
static int find_shortest_digits(double v, bool is_float, char digits[static DOUBLE_DIGITS + 1],
                                int *exponent)
{
    int most = is_float ? FLOAT_DIGITS : DOUBLE_DIGITS;
    char text[40];
    int n = 0;

    for (int p = 0; p < most; p++) {
        snprintf(text, sizeof text, "%.*e", p, v);
        if (is_float ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
            break;
    }
    for (const char *s = text; *s && *s != 'e'; s++)
        if (*s >= '0' && *s <= '9' && n < DOUBLE_DIGITS)
            digits[n++] = *s;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = '\0';
    *exponent = atoi(strchr(text, 'e') + 1);
    return n;
}

static size_t format_plain_number(char *out, const char *digits, int n, int exponent)
{
    char *at = out;

    if (exponent < 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = -1; i > exponent; i--)
            *at++ = '0';
        memcpy(at, digits, (size_t)n);
        return (size_t)(at + n - out);
    }
    for (int i = 0; i <= exponent; i++)
        *at++ = i < n ? digits[i] : '0';
    *at++ = '.';
    if (n <= exponent + 1)
        *at++ = '0';
    for (int i = exponent + 1; i < n; i++)
        *at++ = digits[i];
    return (size_t)(at - out);
}

/* @v > 0 */
static size_t format_positive_number(char *out, double v, bool is_float)
{
    char digits[DOUBLE_DIGITS + 1];
    int exponent, n = find_shortest_digits(v, is_float, digits, &exponent);

    if (exponent >= -3 && exponent < 7)
        return format_plain_number(out, digits, n, exponent);
    return (size_t)snprintf(out, API_JAVA_FLOAT_MAX - 1, "%c.%sE%d", digits[0],
                            n > 1 ? digits + 1 : "0", exponent);
}

size_t api_java_format_float(char out[static API_JAVA_FLOAT_MAX], double v, bool is_float)
{
    size_t sign = 0, n;

    if (isnan(v)) {
        memcpy(out, "NaN", 3);
        return 3;
    }
    if (signbit(v))
        out[sign++] = '-';
    v = fabs(is_float ? (double)(float)v : v);
    if (isinf(v)) {
        memcpy(out + sign, "Infinity", 8);
        return sign + 8;
    }
    if (v < 1e7 && v == (double)(long)v)
        return sign + format_whole_float(out + sign, (long)v);
    n = v >= 1e-3 && v < 1e7 ? format_few_decimals(out + sign, v, is_float) : 0;
    return sign + (n ? n : format_positive_number(out + sign, v, is_float));
}

void api_java_add_float(struct base_buf *out, double v, bool is_float)
{
    base_buf_reserve(out, API_JAVA_FLOAT_MAX);
    out->len += api_java_format_float(out->data + out->len, v, is_float);
    out->data[out->len] = '\0';
}

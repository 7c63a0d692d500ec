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
 * quotient is at most half a unit of a double from that number: for a double it reads back as the
 * quotient, for a float only when the quotient's neighbours do, too. */
static enum fit reads_back(double n, double scale, double v, bool is_float)
{
    double q = n / scale;
    int same;

    if (!is_float)
        return q == v ? FITS : FITS_NOT;
    same = ((float)(q - q * DBL_EPSILON) == (float)v) + ((float)(q + q * DBL_EPSILON) == (float)v);
    return same == 2 ? FITS : same == 0 ? FITS_NOT : UNCERTAIN;
}

/* Most values are whole. */
static void add_whole_number(struct base_buf *out, long v)
{
    char text[24], *at = text + sizeof text;

    *--at = '0';
    *--at = '.';
    do
        *--at = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    base_buf_add(out, at, (size_t)(text + sizeof text - at));
}

/* Appends @v (from 1e-3 to 1e7, not whole) with as many decimals as it needs. Returns false, with
 * nothing appended, when double arithmetic cannot determine them. The candidate with k decimals is
 * found without error: a float times 10^11 is exact, since 5^11 has 26 bits, and for a double it
 * need not be, while the candidate stays below 2^51. */
static bool add_with_few_decimals(struct base_buf *out, double v, bool is_float)
{
    double scale = 10, limit = is_float ? 1e9 : 1e15;

    for (int k = 1; k <= 11; k++, scale *= 10) {
        double n = rint(v * scale);
        enum fit fit;
        char text[24], *at = text + sizeof text;
        long left = (long)n;

        if (n >= limit || (fit = reads_back(n, scale, v, is_float)) == UNCERTAIN)
            return false;
        if (fit == FITS_NOT)
            continue;
        for (int i = 0; i < k; i++, left /= 10)
            *--at = (char)('0' + left % 10);
        *--at = '.';
        do
            *--at = (char)('0' + left % 10);
        while ((left /= 10) > 0);
        base_buf_add(out, at, (size_t)(text + sizeof text - at));
        return true;
    }
    return false;
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

static void add_plain_number(struct base_buf *out, const char *digits, int n, int exponent)
{
    if (exponent < 0) {
        base_buf_adds(out, "0.");
        for (int i = -1; i > exponent; i--)
            base_buf_add(out, "0", 1);
        base_buf_add(out, digits, (size_t)n);
        return;
    }
    for (int i = 0; i <= exponent; i++)
        base_buf_add(out, i < n ? &digits[i] : "0", 1);
    base_buf_add(out, ".", 1);
    if (n > exponent + 1)
        base_buf_add(out, digits + exponent + 1, (size_t)(n - exponent - 1));
    else
        base_buf_add(out, "0", 1);
}

void api_java_add_float(struct base_buf *out, double v, int is_float)
{
    char digits[DOUBLE_DIGITS + 1];
    int exponent, n;

    if (isnan(v)) {
        base_buf_adds(out, "NaN");
        return;
    }
    if (signbit(v))
        base_buf_add(out, "-", 1);
    v = fabs(is_float ? (double)(float)v : v);
    if (isinf(v)) {
        base_buf_adds(out, "Infinity");
        return;
    }
    if (v < 1e7 && v == (double)(long)v) {
        add_whole_number(out, (long)v);
        return;
    }
    if (v >= 1e-3 && v < 1e7 && add_with_few_decimals(out, v, is_float))
        return;
    n = find_shortest_digits(v, is_float, digits, &exponent);
    if (exponent >= -3 && exponent < 7) {
        add_plain_number(out, digits, n, exponent);
        return;
    }
    base_buf_addf(out, "%c.%sE%d", digits[0], n > 1 ? digits + 1 : "0", exponent);
}

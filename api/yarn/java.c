/* Prints numbers as Java does. Source: java.lang.Float.toString and Double.toString: as few digits
 * as distinguish the value from its neighbours, at least one after the point; plain between 1e-3
 * and 1e7, otherwise d.dddE[-]n. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/yarn/shape.h"

#define DOUBLE_DIGITS 17
#define FLOAT_DIGITS  9

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
    if (v < 1e7 && v == (double)(long)v) { /* the most frequent values, such as 0.0 and 100.0 */
        base_buf_addf(out, "%ld.0", (long)v);
        return;
    }
    n = find_shortest_digits(v, is_float, digits, &exponent);
    if (exponent >= -3 && exponent < 7) {
        add_plain_number(out, digits, n, exponent);
        return;
    }
    base_buf_addf(out, "%c.%sE%d", digits[0], n > 1 ? digits + 1 : "0", exponent);
}

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Replaces the end of @text, which fills its @cap bytes, with "...", without leaving half a UTF-8
 * sequence before the dots. */
static void truncate_with_dots(char *text, size_t cap)
{
    size_t end = base_utf8_cut(text, cap - 4);

    memcpy(text + end, "...", 4);
}

static void strip_trailing_newlines(char *text)
{
    size_t len = strlen(text);

    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = '\0';
}

static void set_error_text(struct base_error *err, int code, const char *head, const char *tail)
{
    /* The arguments may point into err->text, so build the new text in a buffer of its own. */
    char text[sizeof err->text];
    int n = snprintf(text, sizeof text, "%s%s%s", head, *head && *tail ? ": " : "", tail);

    if (n < 0)
        text[0] = '\0';
    else if ((size_t)n >= sizeof text)
        truncate_with_dots(text, sizeof text);
    strip_trailing_newlines(text);
    err->code = code;
    memcpy(err->text, text, sizeof text);
}

/* Formats into @out, truncating with "...". */
static void format_truncated(char *out, size_t cap, const char *fmt, va_list ap)
{
    int n = vsnprintf(out, cap, fmt, ap);

    if (n < 0)
        out[0] = '\0';
    else if ((size_t)n >= cap)
        truncate_with_dots(out, cap);
}

int base_error_set(struct base_error *err, int code, const char *fmt, ...)
{
    char text[sizeof err->text];
    va_list ap;

    base_assert(code < 0);
    if (!err)
        return code;
    va_start(ap, fmt);
    format_truncated(text, sizeof text, fmt, ap);
    va_end(ap);
    set_error_text(err, code, text, "");
    return code;
}

int base_error_sys(struct base_error *err, int code, int sys, const char *fmt, ...)
{
    char text[sizeof err->text];
    char why[128];
    va_list ap;

    base_assert(code < 0);
    if (sys == ENOSPC || sys == EDQUOT)
        code = -BASE_ENOSPC;
    if (!err)
        return code;
    va_start(ap, fmt);
    format_truncated(text, sizeof text, fmt, ap);
    va_end(ap);
    set_error_text(err, code, text, strerror_r(sys, why, sizeof why));
    return code;
}

int base_error_wrap(struct base_error *err, int code, const char *fmt, ...)
{
    char text[sizeof err->text];
    char old[sizeof err->text];
    va_list ap;

    base_assert(code < 0);
    if (!err)
        return code;
    va_start(ap, fmt);
    format_truncated(text, sizeof text, fmt, ap);
    va_end(ap);
    memcpy(old, err->text, sizeof old);
    set_error_text(err, code, text, old);
    return code;
}

_Noreturn void base_assert_failed(const char *cond, const char *file, int line, const char *func)
{
    fprintf(stderr, "creel: %s:%d: %s: assertion failed: %s\n", file, line, func, cond);
    abort();
}

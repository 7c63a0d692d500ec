/* api/cli/error.c - the error line, and what a parser of options has to say. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "api/cli/cli.h"
#include "api/cli/text/text.h"

static char bad_text[1024]; /* the last complaint of a parser; argp itself is kept silent, so that there is one line */

static void vline(struct base_buf *out, const char *fmt, va_list ap)
{
    struct base_buf raw = {0};
    base_buf_vaddf(&raw, fmt, ap);
    cli_text_clean(raw.data ? raw.data : "", out);
    base_buf_free(&raw);
}

int cli_error(int code, const char *fmt, ...)
{
    struct base_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    vline(&b, fmt, ap);
    va_end(ap);
    fflush(stdout);
    fprintf(stderr, "creel: %s\n", b.data);
    base_buf_free(&b);
    return code;
}

error_t cli_bad(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(bad_text, sizeof bad_text, fmt, ap);
    va_end(ap);
    return EINVAL;
}

void cli_bad_clear(void)
{
    bad_text[0] = '\0';
}

const char *cli_bad_text(void)
{
    return bad_text;
}

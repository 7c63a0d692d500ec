/* api/cli/error.c - prints the error line, and keeps the last error of an option parser. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "api/cli/cli.h"
#include "api/cli/text/text.h"

static char option_error_text[1024]; /* the last error of an option parser; argp itself prints
                                        nothing, so that an error is one line */

static void add_formatted_clean(struct base_buf *out, const char *fmt, va_list ap)
{
    struct base_buf raw = {0};
    base_buf_vaddf(&raw, fmt, ap);
    cli_text_add_clean(raw.data ? raw.data : "", out);
    base_buf_free(&raw);
}

int cli_error(int code, const char *fmt, ...)
{
    struct base_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    add_formatted_clean(&b, fmt, ap);
    va_end(ap);
    fflush(stdout);
    fprintf(stderr, "creel: %s\n", b.data);
    base_buf_free(&b);
    return code;
}

error_t cli_option_set_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(option_error_text, sizeof option_error_text, fmt, ap);
    va_end(ap);
    return EINVAL;
}

void cli_option_error_clear(void)
{
    option_error_text[0] = '\0';
}

const char *cli_option_error_text(void)
{
    return option_error_text;
}

/* api/cli/output.c - guards standard output and standard error: a command that cannot write all of
 * its output fails. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/cli.h"
#include "api/cli/text/text.h"
#include "base/io/io.h"

static bool write_failed;

int cli_write_all_or_print_error(int fd, const void *data, size_t len)
{
    int rc = base_write_all(fd, data, len);
    if (rc < 0 && rc != -EPIPE && !write_failed) {
        write_failed = true;
        cli_error(CLI_FAILED, "cannot write to standard %s: %s",
                  fd == STDOUT_FILENO ? "output" : "error", strerror(-rc));
    }
    return rc;
}

bool cli_write_failed(void)
{
    return write_failed;
}

void cli_print_field(int width, const char *label, const char *text)
{
    struct base_buf b = {0};
    cli_text_add_clean(text, &b);
    printf("%-*s %s\n", width, label, b.data ? b.data : "");
    base_buf_free(&b);
}

void cli_print_clean(const char *fmt, const char *text)
{
    struct base_buf b = {0};
    cli_text_add_clean(text, &b);
    printf(fmt, b.data ? b.data : "");
    base_buf_free(&b);
}

/* Exits with an error when stdout could not be written: a script must not take a truncated result
 * for a whole one. Registered with atexit(), so that it runs after every subcommand. */
static void fail_if_stdout_is_incomplete(void)
{
    bool failed = ferror(stdout) != 0;

    errno = 0;
    failed |= fclose(stdout) != 0;
    if (!failed)
        return;
    if (errno != EPIPE)
        fprintf(stderr, "creel: cannot write to standard output%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
    _exit(CLI_FAILED);
}

/* Fails silently when the reader has gone, as after `creel job list | head -1`. */
static void exit_on_sigpipe(int sig)
{
    (void)sig;
    _exit(CLI_FAILED);
}

/* If descriptor 1 or 2 were closed, the next file or socket opened would take its number, and
 * output would go there. */
static void occupy_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

void cli_output_install_guards(void)
{
    occupy_standard_descriptors();
    signal(SIGPIPE, exit_on_sigpipe);
    atexit(fail_if_stdout_is_incomplete);
}

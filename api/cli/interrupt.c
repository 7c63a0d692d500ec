/* api/cli/interrupt.c - catches signals: the handler writes a signal's number into a pipe that
 * every wait polls.
 */
#include "api/cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io/http_client.h"

enum { CAUGHT_MAX = 4 };

static int pipe_ends[2] = {-1, -1};
static struct base_http *volatile guarded;
static volatile sig_atomic_t came_while_guarded;
static struct {
    int sig;
    struct sigaction old;
} caught[CAUGHT_MAX];
static size_t caught_n;

/* Async-signal-safe: base_http_cancel() only sets a flag and writes to a descriptor. */
static void write_signal_to_pipe(int sig)
{
    int saved = errno;
    unsigned char byte = (unsigned char)sig;
    struct base_http *http = guarded;
    ssize_t n =
        write(pipe_ends[1], &byte, 1); /* a full pipe holds enough signals to end every wait */
    (void)n;
    if (http) {
        came_while_guarded = 1;
        base_http_cancel(http);
    }
    errno = saved;
}

void cli_interrupt_catch(const int *signals, size_t n)
{
    struct sigaction act = {.sa_handler = write_signal_to_pipe};
    base_assert(pipe_ends[0] < 0 && n <= CAUGHT_MAX &&
                pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0);
    for (size_t i = 0; i < n; i++)
        sigaddset(&act.sa_mask, signals[i]);
    for (caught_n = 0; caught_n < n; caught_n++) {
        caught[caught_n].sig = signals[caught_n];
        sigaction(signals[caught_n], &act, &caught[caught_n].old);
    }
}

void cli_interrupt_release(void)
{
    for (size_t i = 0; i < caught_n; i++)
        sigaction(caught[i].sig, &caught[i].old, NULL);
    caught_n = 0;
    for (size_t i = 0; i < 2; i++) {
        if (pipe_ends[i] >= 0)
            close(pipe_ends[i]);
        pipe_ends[i] = -1;
    }
}

int cli_interrupt_fd(void)
{
    return pipe_ends[0];
}

bool cli_interrupt_pending(void)
{
    struct pollfd p = {.fd = pipe_ends[0], .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

int cli_interrupt_take_signal(void)
{
    unsigned char byte;
    return pipe_ends[0] >= 0 && read(pipe_ends[0], &byte, 1) == 1 ? byte : 0;
}

bool cli_interrupt_sleep(int64_t ms)
{
    struct pollfd p = {.fd = pipe_ends[0], .events = POLLIN};
    return poll(&p, 1, (int)ms) > 0 || cli_interrupt_pending();
}

void cli_interrupt_cancel_on_signal(struct base_http *http)
{
    came_while_guarded = 0;
    guarded = http;
}

bool cli_interrupt_stop_cancelling(void)
{
    guarded = NULL;
    return came_while_guarded != 0;
}

/* api/cli/dev/supervisor.c - the supervisor of `creel dev`: reports daemons that die or are
 * restarted. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "api/cli/text/text.h"

enum { RELOAD_MS = 500 };

struct watched {
    struct cli_proc proc;
    int fd; /* pidfd of @proc; -1: the process has ended */
};

int cli_dev_open_signal_fd(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Prints how a daemon ended: a daemon that this supervisor started is its child, and so has an exit
 * status here; a daemon that --restart started has none. */
static void report_daemon_death(const struct cli_dev *d, const struct cli_dev_daemon *x)
{
    int status;
    struct base_buf quoted = {0};
    cli_shell_quote(d->dir, &quoted);
    if (waitpid(x->proc.pid, &status, WNOHANG) != x->proc.pid)
        fprintf(stderr, "creel: %s (pid %d) died; ", x->name, (int)x->proc.pid);
    else if (WIFSIGNALED(status))
        fprintf(stderr, "creel: %s (pid %d) was killed by signal %d (%s); ", x->name,
                (int)x->proc.pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        fprintf(stderr, "creel: %s (pid %d) exited with status %d; ", x->name, (int)x->proc.pid,
                WEXITSTATUS(status));
    fprintf(stderr, "restart it with: creel dev --restart %s --dir %s\n", x->name, quoted.data);
    cli_dev_print_log_tail(d, x->name, stderr);
    fflush(stderr);
    base_buf_free(&quoted);
}

static bool is_same_process(const struct cli_proc *a, const struct cli_proc *b)
{
    return a->pid == b->pid && a->start == b->start;
}

/* Reads dev.json again, and watches the new processes of daemons that --restart has started. */
static void watch_restarted_daemons(struct cli_dev *d, struct watched *w)
{
    cli_dev_load(d, NULL);
    for (size_t i = 0; i < d->n; i++) {
        if (is_same_process(&w[i].proc, &d->v[i].proc))
            continue;
        if (w[i].fd >= 0)
            close(w[i].fd);
        waitpid(w[i].proc.pid, NULL, WNOHANG);
        w[i].proc = d->v[i].proc;
        w[i].fd = cli_proc_open_pidfd(&w[i].proc);
        if (w[i].fd < 0 && !d->v[i].stopping)
            report_daemon_death(d, &d->v[i]);
        else if (w[i].fd >= 0)
            fprintf(stderr, "creel: %s is running again (pid %d)\n", d->v[i].name,
                    (int)w[i].proc.pid);
    }
    fflush(stderr);
}

/* poll() ends when a daemon dies, on a signal, and every RELOAD_MS to look for daemons that
 * --restart has started: dev.json is read again before a death is reported, so that a daemon that
 * is being restarted on purpose (stopping) is not reported. */
int cli_dev_supervise(struct cli_dev *d, int signal_fd)
{
    struct watched w[CLI_DEV_DAEMONS_MAX];
    struct pollfd p[CLI_DEV_DAEMONS_MAX + 1];
    for (size_t i = 0; i < d->n; i++)
        w[i] = (struct watched){d->v[i].proc, cli_proc_open_pidfd(&d->v[i].proc)};
    for (;;) {
        p[0] = (struct pollfd){.fd = signal_fd, .events = POLLIN};
        for (size_t i = 0; i < d->n; i++)
            p[i + 1] = (struct pollfd){.fd = w[i].fd, .events = POLLIN};
        int rc = poll(p, d->n + 1, RELOAD_MS);
        if (rc > 0 && p[0].revents)
            break;
        watch_restarted_daemons(d, w);
        for (size_t i = 0; rc > 0 && i < d->n; i++) {
            if (!p[i + 1].revents || w[i].fd != p[i + 1].fd)
                continue;
            close(w[i].fd);
            w[i].fd = -1;
            if (!d->v[i].stopping)
                report_daemon_death(d, &d->v[i]);
            else
                waitpid(w[i].proc.pid, NULL, WNOHANG);
        }
    }
    for (size_t i = 0; i < d->n; i++)
        if (w[i].fd >= 0)
            close(w[i].fd);
    return CLI_OK;
}

/* api/cli/dev/process.c - identifies processes by /proc, and signals them through pidfds. */
#include "api/cli/dev/process.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "base/mem.h"

struct cli_proc cli_proc_identify(pid_t pid)
{
    struct cli_proc p = {.pid = pid, .start = base_proc_start_time(pid)};
    snprintf(p.boot, sizeof p.boot, "%s", base_boot_id());
    return p;
}

/* Reads the state letter and the parent of @pid from /proc/PID/stat. Returns false when the process
 * has ended. */
static bool read_stat(pid_t pid, char *state, pid_t *parent)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    const char *end = strrchr(text, ')'); /* the process's name may contain any character */
    int ppid;
    if (!end || sscanf(end + 1, " %c %d", state, &ppid) != 2)
        return false;
    *parent = ppid;
    return true;
}

bool cli_proc_is_alive(const struct cli_proc *p)
{
    char state;
    pid_t parent;
    return p->pid > 0 && strcmp(p->boot, base_boot_id()) == 0 &&
           base_proc_start_time(p->pid) == p->start && read_stat(p->pid, &state, &parent) &&
           state != 'Z' && state != 'X';
}

int cli_proc_open_pidfd(const struct cli_proc *p)
{
    if (!cli_proc_is_alive(p))
        return -1;
    int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    if (fd >= 0 && !cli_proc_is_alive(p)) { /* the pid may have been reused before the open */
        close(fd);
        return -1;
    }
    return fd;
}

bool cli_proc_signal(const struct cli_proc *p, int sig)
{
    int fd = cli_proc_open_pidfd(p);
    if (fd < 0)
        return false;
    bool sent = syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) == 0;
    close(fd);
    return sent;
}

bool cli_proc_wait_for_end(const struct cli_proc *p, int timeout_ms)
{
    int fd = cli_proc_open_pidfd(p);
    if (fd < 0)
        return true;
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    int64_t until = base_mono_us(&base_clock_real) + timeout_ms * INT64_C(1000);
    int rc;
    do {
        int64_t left = (until - base_mono_us(&base_clock_real)) / 1000;
        rc = poll(&poll_fd, 1, left > 0 ? (int)left : 0);
    } while (rc < 0 && errno == EINTR);
    close(fd);
    return rc > 0;
}

struct process_link {
    pid_t pid, parent;
};

static struct process_link *list_processes(size_t *n)
{
    struct process_link *v = NULL;
    size_t cap = 0;
    DIR *dir = opendir("/proc");
    *n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char state;
        struct process_link p = {.pid = (pid_t)strtol(e->d_name, NULL, 10)};
        if (p.pid <= 0 || !read_stat(p.pid, &state, &p.parent) || state == 'Z')
            continue;
        base_array_grow(&v, *n, &cap);
        v[(*n)++] = p;
    }
    if (dir)
        closedir(dir);
    return v;
}

/* Takes a snapshot of all processes, walks it from @p downwards, and signals from the leaves
 * upwards. Identities guard against reused pids. */
unsigned cli_proc_signal_tree(const struct cli_proc *p, int sig, bool itself)
{
    size_t n, found = 0, cap = 0;
    pid_t *tree = NULL; /* @p first, parents before children */
    unsigned sent = 0;
    if (!cli_proc_is_alive(p))
        return 0;
    struct process_link *all = list_processes(&n);
    base_array_grow(&tree, found, &cap);
    tree[found++] = p->pid;
    for (size_t i = 0; i < found; i++) {
        for (size_t k = 0; k < n; k++) {
            if (all[k].parent != tree[i])
                continue;
            base_array_grow(&tree, found, &cap);
            tree[found++] = all[k].pid;
        }
    }
    while (found > 0) {
        struct cli_proc one = cli_proc_identify(tree[--found]);
        /* a process is not older than its ancestors */
        if ((found > 0 || itself) && one.start >= p->start)
            sent += cli_proc_signal(&one, sig);
    }
    free(all);
    free(tree);
    return sent;
}

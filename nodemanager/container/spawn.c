/* The spawner process, and the daemon's side of the socket to it. */
#include "nodemanager/container/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"

struct nm_spawn {
    int fd;
    pid_t pid;
};
/* A request consists of this header and argc + envc NUL-terminated strings. */
struct request {
    uint64_t tag;
    uint32_t bytes, argc, envc, zero;
};
struct answer {
    uint64_t tag;
    int32_t pid, zero;
};

/* ---- the spawner's side ---- */

static bool read_all(int fd, void *p, size_t n)
{
    char *at = p;
    while (n > 0) {
        ssize_t r = read(fd, at, n);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return false;
        at += r;
        n -= (size_t)r;
    }
    return true;
}

static bool send_answer(int fd, const struct answer *a, int pidfd)
{
    struct iovec iov = {.iov_base = (void *)a, .iov_len = sizeof *a};
    union {
        char buf[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    if (pidfd >= 0) {
        memset(&control, 0, sizeof control);
        m.msg_control = control.buf;
        m.msg_controllen = sizeof control.buf;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &pidfd, sizeof pidfd);
    }
    ssize_t n;
    do
        n = sendmsg(fd, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *a;
}

/* Splits @n strings off *p. Returns false if the text ends too early. */
static bool split_strings(char **p, char *end, uint32_t n, char **v)
{
    for (uint32_t i = 0; i < n; i++) {
        char *nul = memchr(*p, 0, (size_t)(end - *p));
        if (!nul)
            return false;
        v[i] = *p;
        *p = nul + 1;
    }
    v[n] = NULL;
    return true;
}

static bool serve_request(int fd, const posix_spawnattr_t *attr)
{
    struct request rq;
    if (!read_all(fd, &rq, sizeof rq) || rq.bytes > NM_SPAWN_REQUEST_MAX || rq.argc < 1 ||
        rq.argc > rq.bytes || rq.envc > rq.bytes)
        return false;
    char *text = malloc(rq.bytes), *p = text;
    char **v = malloc(((size_t)rq.argc + rq.envc + 2) * sizeof *v);
    bool ok = text && v && read_all(fd, text, rq.bytes) &&
              split_strings(&p, text + rq.bytes, rq.argc, v) &&
              split_strings(&p, text + rq.bytes, rq.envc, v + rq.argc + 1);
    if (ok) {
        pid_t pid = -1;
        int rc = posix_spawn(&pid, v[0], NULL, attr, v, v + rq.argc + 1);
        /* the process is not reaped yet, so its pid cannot have been reused */
        int pidfd = rc == 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
        struct answer a = {.tag = rq.tag, .pid = rc == 0 ? pid : -rc};
        /* ignore errors: if the daemon has ended, the new process runs nevertheless */
        send_answer(fd, &a, pidfd);
        if (pidfd >= 0)
            close(pidfd);
    }
    free(text);
    free(v);
    return ok;
}

static void on_ignored_signal(int sig)
{
    (void)sig;
}

_Noreturn static void run_spawner(int fd, int keep_fd)
{
    posix_spawnattr_t attr;
    sigset_t all, none;
    prctl(PR_SET_NAME, "creel-nm-spawn");
    /* trees whose shim was killed become our children, so that we reap them */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    if (fd != 3) {
        if (keep_fd == 3)
            keep_fd = fcntl(keep_fd, F_DUPFD_CLOEXEC, 10);
        dup2(fd, 3);
        fd = 3;
    }
    if (keep_fd >= 0 && keep_fd != 4)
        dup2(keep_fd, 4);
    fcntl(3, F_SETFD, FD_CLOEXEC);
    if (keep_fd >= 0)
        fcntl(4, F_SETFD, FD_CLOEXEC);
    close_range(keep_fd >= 0 ? 5 : 4, ~0u, 0);
    sigemptyset(&none);
    sigfillset(&all);
    struct sigaction sa = {.sa_handler = on_ignored_signal};
    sigaction(SIGCHLD, &sa, NULL); /* so that SIGCHLD interrupts poll() */
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN); /* the spawner ends when the daemon's socket closes */
    signal(SIGHUP, SIG_IGN);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, 1000);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (n > 0 && !serve_request(fd, &attr))
            _exit(0);
    }
}

/* ---- the daemon's side ---- */

int nm_spawn_start(int keep_fd, struct nm_spawn **out, struct base_error *err)
{
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "socketpair for the spawner");
    pid_t pid = fork();
    if (pid < 0) {
        int sys = errno;
        close(sv[0]);
        close(sv[1]);
        return base_error_sys(err, -BASE_EIO, sys, "fork of the spawner");
    }
    if (pid == 0)
        run_spawner(sv[1], keep_fd);
    close(sv[1]);
    struct nm_spawn *s = base_alloc(sizeof *s);
    s->fd = sv[0];
    s->pid = pid;
    *out = s;
    return 0;
}

void nm_spawn_free(struct nm_spawn *s)
{
    if (!s)
        return;
    close(s->fd);
    free(s);
}

int nm_spawn_fd(const struct nm_spawn *s)
{
    return s->fd;
}

pid_t nm_spawn_pid(const struct nm_spawn *s)
{
    return s->pid;
}

static uint32_t append_strings(struct base_buf *b, const char *const *v)
{
    uint32_t n = 0;
    for (; v[n]; n++)
        base_buf_add(b, v[n], strlen(v[n]) + 1);
    return n;
}

int nm_spawn_request(struct nm_spawn *s, uint64_t tag, const char *const *argv,
                     const char *const *envp, struct base_error *err)
{
    struct base_buf b = {0};
    struct request rq = {.tag = tag};
    base_buf_add(&b, &rq, sizeof rq);
    rq.argc = append_strings(&b, argv);
    rq.envc = append_strings(&b, envp);
    int rc = 0;
    if (b.len - sizeof rq > NM_SPAWN_REQUEST_MAX) {
        rc = base_error_set(err, -BASE_ELIMIT, "command and environment take more than %u bytes",
                            NM_SPAWN_REQUEST_MAX);
    } else {
        rq.bytes = (uint32_t)(b.len - sizeof rq);
        memcpy(b.data, &rq, sizeof rq);
        for (size_t at = 0; at < b.len && rc == 0;) {
            ssize_t n = send(s->fd, b.data + at, b.len - at, MSG_NOSIGNAL);
            if (n >= 0)
                at += (size_t)n;
            else if (errno != EINTR)
                rc = base_error_sys(err, -BASE_EIO, errno, "asking the spawner");
        }
    }
    base_buf_free(&b);
    return rc;
}

int nm_spawn_receive_answer(struct nm_spawn *s, struct nm_spawned *out, struct base_error *err)
{
    struct answer a = {0};
    union {
        char buf[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = &a, .iov_len = sizeof a};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.buf,
                       .msg_controllen = sizeof control.buf};
    ssize_t n = recvmsg(s->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n != (ssize_t)sizeof a)
        return base_error_set(err, -BASE_EIO, "the spawner is gone");
    *out = (struct nm_spawned){.tag = a.tag, .pid = a.pid, .pidfd = -1};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(&out->pidfd, CMSG_DATA(c), sizeof out->pidfd);
    return 1;
}

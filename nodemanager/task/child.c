#include "nodemanager/task/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"

#define ARG_STRING_MAX (128 * 1024 - 1) /* the kernel's MAX_ARG_STRLEN without the NUL */

extern char **environ;

/* Running children, for the signal thread. A pid leaves the list before the child is reaped, so the
 * list never contains a pid that was reused. */
#define CHILDREN_MAX 16
static pthread_mutex_t children_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t children[CHILDREN_MAX];
static bool children_closed;

static void register_child(pid_t pid)
{
    pthread_mutex_lock(&children_lock);
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i] == 0) {
            children[i] = pid;
            break;
        }
    if (children_closed)
        kill(pid, SIGKILL);
    pthread_mutex_unlock(&children_lock);
}

static void unregister_child(pid_t pid)
{
    pthread_mutex_lock(&children_lock);
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i] == pid)
            children[i] = 0;
    pthread_mutex_unlock(&children_lock);
}

void task_children_send_signal(int sig)
{
    pthread_mutex_lock(&children_lock);
    children_closed = true;
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i] != 0)
            kill(children[i], sig);
    pthread_mutex_unlock(&children_lock);
}

int task_pipe_create(int fds[2], struct base_error *err)
{
    if (pipe2(fds, O_CLOEXEC) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "pipe");
    /* An unprivileged user's pipes share a quota of memory; a smaller pipe is slower but works. */
    (void)fcntl(fds[1], F_SETPIPE_SZ, (int)TASK_IO_BYTES);
    return 0;
}

ssize_t task_read_retrying(int fd, void *buf, size_t n)
{
    ssize_t got;

    do
        got = read(fd, buf, n);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

static void append_stderr_tail(struct task_child *c, const char *p, size_t n)
{
    if (n >= sizeof c->tail) {
        p += n - sizeof c->tail;
        n = sizeof c->tail;
    }
    if (c->tail_len + n > sizeof c->tail) {
        size_t drop = c->tail_len + n - sizeof c->tail;
        memmove(c->tail, c->tail + drop, c->tail_len - drop);
        c->tail_len -= drop;
    }
    memcpy(c->tail + c->tail_len, p, n);
    c->tail_len += n;
}

/* Forwards the child's stderr. After the child's end, descendants may hold the pipe open
 * indefinitely: read what is already there, but do not wait for more. */
static void *forward_stderr_thread(void *arg)
{
    struct task_child *c = arg;
    char buf[16384];
    bool ended = false;

    for (;;) {
        struct pollfd p[2] = {{.fd = c->stderr_fd, .events = POLLIN},
                              {.fd = c->stop_fd, .events = POLLIN}};
        ssize_t n;

        if (poll(p, ended ? 1 : 2, ended ? 0 : -1) < 0 && errno == EINTR)
            continue;
        if (p[0].revents != 0) {
            n = task_read_retrying(c->stderr_fd, buf, sizeof buf);
            if (n <= 0)
                break;
            (void)base_write_all(STDERR_FILENO, buf, (size_t)n);
            append_stderr_tail(c, buf, (size_t)n);
        } else if (ended) {
            break;
        } else if (p[1].revents != 0) {
            ended = true;
        }
    }
    return NULL;
}

static char **build_environment(bool c_locale)
{
    size_t n = 0, k = 0;
    char **env;

    while (environ[n] != NULL)
        n++;
    env = base_realloc_array(NULL, n + 2, sizeof *env);
    for (size_t i = 0; i < n; i++)
        if (!c_locale ||
            (strncmp(environ[i], "LC_ALL=", 7) != 0 && strncmp(environ[i], "TMPDIR=", 7) != 0))
            env[k++] = environ[i];
    if (c_locale)
        env[k++] = "LC_ALL=C";
    env[k] = NULL;
    return env;
}

static int spawn_process(pid_t *pid, const char *const *argv, int in, int out, int err_fd,
                         const char *cwd, bool c_locale)
{
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    sigset_t none, all;
    char **env = build_environment(c_locale);
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&fa);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&fa, err_fd, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&fa, cwd);
    rc = posix_spawnp(pid, argv[0], &fa, &attr, (char *const *)argv, env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&fa);
    free(env);
    return rc;
}

int task_child_start(struct task_child *c, const char *what, const char *const *argv, int in,
                     int out, const char *cwd, bool c_locale, struct base_error *err)
{
    int fds[2], rc;

    memset(c, 0, sizeof *c);
    strncpy(c->what, what, sizeof c->what - 1);
    if (pipe2(fds, O_CLOEXEC) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "pipe");
    c->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (c->stop_fd < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "eventfd");
        goto close_pipe;
    }
    c->stderr_fd = fds[0];
    rc = spawn_process(&c->pid, argv, in, out, fds[1], cwd, c_locale);
    if (rc != 0) {
        c->pid = 0;
        rc = base_error_sys(err, -BASE_EIO, rc, "cannot start %s (%s)", what, argv[0]);
        goto close_stop;
    }
    close(fds[1]);
    register_child(c->pid);
    base_assert(pthread_create(&c->tail_thread, NULL, forward_stderr_thread, c) == 0);
    return 0;

close_stop:
    close(c->stop_fd);
close_pipe:
    close(fds[0]);
    close(fds[1]);
    return rc;
}

/* Writes a command that is too long for an argument to a script in the task's tmp folder. The
 * caller frees *@path, even after an error. */
static int write_script(const struct task *t, const char *what, const char *command, char **path,
                        struct base_error *err)
{
    *path = base_printf("%s/%s.sh", t->tmp, what);
    return base_file_write_atomic(*path, command, strlen(command), 0600, false, err);
}

int task_child_start_shell(struct task *t, struct task_child *c, const char *what,
                           const char *command, int in, int out, struct base_error *err)
{
    const char *argv[] = {"/bin/sh", "-c", command, NULL}, *script[] = {"/bin/sh", NULL, NULL};
    char *path = NULL;
    int rc = 0;

    if (strlen(command) <= ARG_STRING_MAX)
        return task_child_start(c, what, argv, in, out, t->work, false, err);
    rc = write_script(t, what, command, &path, err);
    script[1] = path;
    if (rc == 0)
        rc = task_child_start(c, what, script, in, out, t->work, false, err);
    free(path);
    return rc;
}

/* The order matters: WNOWAIT keeps the pid reserved until it has left the list, so that
 * task_children_send_signal() cannot hit a process that reused it. */
static void reap_child(struct task_child *c)
{
    siginfo_t info;
    uint64_t one = 1;

    while (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    unregister_child(c->pid);
    while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
        continue;
    c->pid = 0;
    (void)base_write_all(c->stop_fd, &one, sizeof one);
    pthread_join(c->tail_thread, NULL);
    close(c->stop_fd);
    close(c->stderr_fd);
}

/* Selects the last TASK_TAIL_LINES lines within the last TASK_TAIL_BYTES bytes. A truncated first
 * line is left out if another line follows. */
static const char *select_stderr_tail(struct task_child *c, size_t *len)
{
    const char *end, *p;
    size_t n = c->tail_len;
    int lines = 0;

    while (n > 0 && (c->tail[n - 1] == '\n' || c->tail[n - 1] == ' '))
        n--;
    end = c->tail + n;
    p = end;
    while (p > c->tail && end - p < TASK_TAIL_BYTES) {
        if (p[-1] == '\n' && ++lines == TASK_TAIL_LINES)
            break;
        p--;
    }
    if (p > c->tail && p[-1] != '\n') {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        if (nl != NULL)
            p = nl + 1;
    }
    *len = (size_t)(end - p);
    return p;
}

int task_child_wait(struct task *t, struct task_child *c, struct base_error *err)
{
    const char *tail;
    size_t len;
    int code;

    if (c->pid == 0)
        return 0;
    reap_child(c);
    if ((WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0) ||
        (c->sigpipe_ok && WIFSIGNALED(c->status) && WTERMSIG(c->status) == SIGPIPE))
        return 0;
    tail = select_stderr_tail(c, &len);
    if (strcmp(c->what, "sort") == 0 && memmem(tail, len, "No space left", 13) != NULL)
        return base_error_set(err, -BASE_ENOSPC, "sort: No space left on device");
    if (WIFSIGNALED(c->status)) {
        code = 128 + WTERMSIG(c->status);
        task_record_failure_with_stderr(t, code, tail, len, "%s was killed by signal %d (%s)",
                                        c->what, WTERMSIG(c->status),
                                        strsignal(WTERMSIG(c->status)));
    } else {
        code = WEXITSTATUS(c->status);
        task_record_failure_with_stderr(t, code, tail, len, "%s exited with %d", c->what, code);
    }
    return base_error_set(err, -BASE_EIO, "%s failed", c->what);
}

void task_child_kill_and_reap(struct task_child *c)
{
    if (c->pid == 0)
        return;
    kill(c->pid, SIGKILL);
    reap_child(c);
}

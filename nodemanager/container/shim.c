/* creel-shim: the process that accompanies one container from its start to its end.
 *
 *   creel-shim ISOLATION PLACE DIR RECORD LOGS MAX DISK LAUNCHER USER KIND COMMAND
 *
 *   KIND sh      run "sh -c COMMAND" in DIR/work
 *   KIND file    run "sh COMMAND" there, for a command too long for an argument
 *   KIND task    run "COMMAND --dir DIR" there
 *
 * The shim is started as leader of its own session with the container's environment; it outlives
 * the NodeManager and holds none of its descriptors. It copies stdout and stderr into LOGS, at most
 * MAX bytes each (the command continues, the rest is dropped). It reaps every descendant (child
 * subreaper). When the command has ended, it kills the rest of the tree and writes
 * RECORD/exit.json, the authoritative report of the end. If RECORD/killed shows that a kill was
 * ordered, the rest of the tree gets a grace period first, which ends when the NodeManager sends
 * SIGKILL, at the latest after GRACE_MAX_MS. Only SIGKILL can end the shim itself early; the
 * command then dies too (PR_SET_PDEATHSIG), and the NodeManager cleans up.
 *
 * With a LAUNCHER, creel-exec, the command runs as USER, and creel-exec signals it, too
 * (nodemanager/exec/exec.h).
 *
 * The folders DIR and LOGS are measured from time to time. If they have more than DISK MB (0: no
 * limit), everything is killed, and exit.json says why.
 *
 * No file is synced: after a crash of the machine no processes are left to account for. Space for
 * exit.json is allocated at the start, so that a full disk cannot hide how a container ended. Needs
 * libc only, and is linked statically because most of its cost is its exec. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io/plain.h"
#include "nodemanager/container/isolation/isolation.h"
#include "nodemanager/container/launcher/shim_side.h"
#include "nodemanager/container/process_tree.h"
#include "nodemanager/exec/orders.h"
#include "nodemanager/exec/user/user.h"

#define LAST_ROUND_MS 50 /* between attempts to kill the rest of the tree */
/* after the command's end, in case the NodeManager never sends its KILL */
#define GRACE_MAX_MS   30000
#define EXIT_FILE_ROOM 512 /* bytes allocated in advance for exit.json */
#define AGAIN_MS       20  /* until an order that reached no process is carried out again */
/* When the folders are first measured; the longest pause between two measurements, up to which
 * pauses double; and how many times as long as a measurement the pause after it must be. */
#define MEASURE_FIRST_MS 500
#define MEASURE_MAX_MS   10000
#define MEASURE_PART     20

struct stream {
    int in, out;
    int64_t left; /* bytes left until the limit */
    bool noted;
};

enum argument {
    ARG_ISOLATION = 1,
    ARG_PLACE,
    ARG_DIR,
    ARG_RECORD,
    ARG_LOGS,
    ARG_MAX,
    ARG_DISK,
    ARG_LAUNCHER,
    ARG_USER,
    ARG_KIND,
    ARG_COMMAND,
    ARGS
};

struct shim {
    const struct nm_isolation_ops *isolation;
    struct nm_isolated self;
    int dir_fd, record_fd;
    const char *dir, *logs;
    struct nm_launched *launched; /* NULL: the command runs as our user */
    enum exec_order order; /* the NodeManager's order that has reached no process yet; 0: none */
    pid_t command;
    int status;
    bool ended, no_space;
    const char *disk_mb; /* limit of the folders, "0": none */
    bool disk_exceeded;
    pid_t measuring; /* process that measures the folders; 0: none */
    int64_t measure_began_ms, measure_next_ms, measure_pause_ms;
    int64_t limit;
    struct stream streams[2];
    int64_t started_us;
    int64_t ended_ms; /* when the command ended, monotonic */
    char reason[256];
};

static int64_t wall_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t mono_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return -errno;
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

/* Once the command runs, the temporary file exists with its space allocated. So the file is
 * overwritten, truncated and renamed. */
static void write_exit_file(struct shim *s, const char *text, size_t len)
{
    int fd = base_plain_open(s->record_fd, "exit.json.tmp", O_WRONLY | O_CREAT, 0600, NULL);
    if (fd < 0)
        return;
    if (write_all(fd, text, len) == 0 && ftruncate(fd, (off_t)len) == 0)
        renameat(s->record_fd, "exit.json.tmp", s->record_fd, "exit.json");
    close(fd);
}

static int reserve_space_for_exit_file(const struct shim *s)
{
    char room[EXIT_FILE_ROOM];
    memset(room, ' ', sizeof room);
    int fd = base_plain_open(s->record_fd, "exit.json.tmp", O_WRONLY | O_CREAT, 0600, NULL);
    if (fd < 0)
        return fd;
    int rc = write_all(fd, room, sizeof room);
    close(fd);
    return rc;
}

static void write_pid_file(const struct shim *s)
{
    struct nm_proc me, child;
    char boot[64] = "", text[768 + NM_ISOLATION_PLACE_MAX];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = read(fd, boot, sizeof boot - 1);
        close(fd);
        boot[n > 0 ? n : 0] = 0;
        boot[strcspn(boot, "\n")] = 0;
    }
    if (!nm_proc_read_stat(getpid(), &me) || !nm_proc_read_stat(s->command, &child))
        return;
    int len =
        snprintf(text, sizeof text,
                 "{\"bootId\":\"%s\",\"shimPid\":%d,\"shimStart\":%lld,\"pid\":%d,\"start\":%lld,"
                 "\"isolation\":\"%.40s\",\"place\":\"%.*s\",\"user\":\"%.256s\"}\n",
                 boot, (int)getpid(), (long long)me.start, (int)s->command, (long long)child.start,
                 s->isolation->name, NM_ISOLATION_PLACE_MAX - 1, s->self.place,
                 s->launched ? s->launched->user : "");
    fd = base_plain_open(s->record_fd, "pid.json.tmp", O_WRONLY | O_CREAT, 0600, NULL);
    if (fd < 0)
        return;
    if (write_all(fd, text, (size_t)len) == 0 && ftruncate(fd, len) == 0)
        renameat(s->record_fd, "pid.json.tmp", s->record_fd, "pid.json");
    close(fd);
}

__attribute__((format(printf, 2, 3))) static void set_reason(struct shim *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->reason, sizeof s->reason, fmt, ap);
    va_end(ap);
    for (char *p = s->reason; *p; p++) { /* the text goes into JSON without escaping */
        if (*p == '"' || *p == '\\' || (unsigned char)*p < 32 || (unsigned char)*p > 126)
            *p = '?';
    }
}

static void write_end_report(struct shim *s, int exit_code, int sig)
{
    struct nm_usage used;
    char text[EXIT_FILE_ROOM], limit[64] = "";
    nm_isolation_usage(s->isolation, &s->self, &used);
    /* The memory limit did not end a command that succeeds although the kernel killed one of its
     * processes. */
    if (s->disk_exceeded)
        snprintf(limit, sizeof limit, ",\"limit\":\"disk\",\"limitBytes\":%lld",
                 strtoll(s->disk_mb, NULL, 10) << 20);
    else if (used.memory_kills > 0 && exit_code != 0)
        snprintf(limit, sizeof limit, ",\"limit\":\"memory\",\"limitBytes\":%lld",
                 (long long)used.memory_limit);
    if (s->no_space && !s->reason[0])
        set_reason(s, "%s", strerror(ENOSPC));
    int len = snprintf(
        text, sizeof text,
        "{\"exitCode\":%d,\"signal\":%d,\"reason\":\"%s\",\"startedUs\":%lld,\"endedUs\":%lld,"
        "\"cpuMs\":%lld,\"maxRssKb\":%lld,\"pid\":%d%s}\n",
        exit_code, sig, s->reason, (long long)s->started_us, (long long)wall_us(),
        (long long)((used.cpu_us + 500) / 1000), (long long)used.max_rss_kb, (int)s->command,
        limit);
    write_exit_file(s, text, (size_t)len);
}

/* ---- logs ---- */

static int open_log(const char *logs, const char *name)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", logs, name) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = base_plain_open(AT_FDCWD, path, O_WRONLY | O_CREAT, 0640, NULL);
    errno = fd == -BASE_PLAIN_OTHER ? EINVAL : fd < 0 ? -fd : 0;
    return fd < 0 ? -1 : fd;
}

static void write_log(struct shim *s, struct stream *st, const char *p, size_t n)
{
    size_t take = (int64_t)n < st->left ? n : (size_t)st->left;
    int rc = write_all(st->out, p, take);
    st->left -= (int64_t)take;
    if (take < n && !st->noted && rc == 0) {
        char note[128];
        int len =
            snprintf(note, sizeof note,
                     "\n[creel: this log reached its limit of %lld bytes; the rest is dropped]\n",
                     (long long)s->limit);
        rc = write_all(st->out, note, (size_t)len);
        st->noted = true;
    }
    if (rc == -ENOSPC || rc == -EDQUOT)
        s->no_space = true;
}

/* Copies the available data of a pipe to its log. Returns false once the pipe's writers have closed
 * it, or after an error. */
static bool copy_pipe_to_log(struct shim *s, struct stream *st)
{
    static char buf[65536];
    ssize_t n = read(st->in, buf, sizeof buf);
    if (n > 0)
        write_log(s, st, buf, (size_t)n);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static void close_log_pipe(struct stream *st)
{
    if (st->in >= 0)
        close(st->in);
    st->in = -1;
}

/* Copies what the pipes still contain after the last writer has ended. */
static void drain_pipes_into_logs(struct shim *s)
{
    for (int i = 0; i < 2; i++) {
        struct stream *st = &s->streams[i];
        if (st->in < 0)
            continue;
        fcntl(st->in, F_SETFL, O_NONBLOCK);
        struct pollfd p = {.fd = st->in, .events = POLLIN};
        while (poll(&p, 1, 0) == 1 && (p.revents & POLLIN) && copy_pipe_to_log(s, st))
            ;
        close_log_pipe(st);
    }
}

/* ---- the command ---- */

static char **build_command_argv(char **argv, const char *dir)
{
    static char *v[4];
    char *const kind = argv[ARG_KIND], *const arg = argv[ARG_COMMAND];
    if (strcmp(kind, "task") == 0) {
        v[0] = arg;
        v[1] = "--dir";
        v[2] = (char *)dir;
    } else {
        v[0] = "/bin/sh";
        v[1] = strcmp(kind, "sh") == 0 ? "-c" : arg;
        v[2] = strcmp(kind, "sh") == 0 ? arg : NULL;
    }
    return v;
}

static struct nm_launched launched;

static size_t signal_by_launcher(int sig)
{
    return nm_launched_signal(&launched, sig);
}

/* Lets the launcher inherit @fd, to which it writes why it refuses, as EXEC_REASON_FD. */
static int pass_reason_fd(int fd)
{
    return fd == EXEC_REASON_FD ? fcntl(fd, F_SETFD, 0) : dup2(fd, EXEC_REASON_FD);
}

static volatile int exec_errno; /* written by the vfork child in our memory */
static const char *volatile exec_step;

/* vfork, because every container pays for the shim's start. The child may only make system calls,
 * and reports errors through the volatile variables above. */
__attribute__((noinline)) static pid_t start_command(const struct shim *s, char *const argv[],
                                                     int work_fd, int in, int out, int err)
{
    static char *const nothing[] = {NULL};
    char *const *envp = s->launched ? nothing : environ;

    pid_t shim = getpid(), pid = vfork();
    if (pid != 0)
        return pid;
    sigset_t none;
    sigemptyset(&none);
    exec_step = "enter the working folder";
    if (fchdir(work_fd) == 0 && (exec_step = "enter the isolation") &&
        nm_isolation_enter(s->isolation, &s->self) == 0) {
        exec_step = "run";
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == shim && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0 &&
            (!s->launched || pass_reason_fd(s->launched->reason_write_fd) >= 0)) {
            sigprocmask(SIG_SETMASK, &none, NULL);
            execve(argv[0], argv, envp);
        }
    }
    exec_errno = errno ? errno : EIO;
    _exit(127);
}

/* ---- the folders' size ---- */

/* A process of its own measures, so that the command's output does not wait for that. */
static pid_t start_measuring(const struct shim *s)
{
    pid_t pid;
    int logs_fd;

    if (s->launched)
        return nm_launched_start_measuring(s->launched, s->disk_mb);
    pid = fork();
    if (pid != 0)
        return pid;
    logs_fd = open(s->logs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    _exit(user_measure_folder(dup(s->dir_fd)) + user_measure_folder(logs_fd) >
                  strtoll(s->disk_mb, NULL, 10) << 20
              ? EXEC_NONE
              : 0);
}

static void measure_when_due(struct shim *s)
{
    if (s->measuring || s->ended || s->measure_next_ms == 0 || mono_ms() < s->measure_next_ms)
        return;
    s->measure_began_ms = mono_ms();
    s->measuring = start_measuring(s);
    if (s->measuring < 0)
        s->measuring = 0;
    s->measure_next_ms = s->measure_began_ms + s->measure_pause_ms;
}

static void on_measuring_ended(struct shim *s, int status)
{
    int64_t took = mono_ms() - s->measure_began_ms, pause = s->measure_pause_ms * 2;

    s->measuring = 0;
    s->disk_exceeded = WIFEXITED(status) && WEXITSTATUS(status) == EXEC_NONE;
    if (pause > MEASURE_MAX_MS)
        pause = MEASURE_MAX_MS;
    if (pause < took * MEASURE_PART)
        pause = took * MEASURE_PART;
    s->measure_pause_ms = pause;
    s->measure_next_ms = mono_ms() + pause;
}

/* ---- orders of the NodeManager, for a container that runs as its user ---- */

static size_t carry_out_order(const struct shim *s, enum exec_order order)
{
    switch (order) {
    case EXEC_ORDER_TERM:
        return nm_isolation_kill(s->isolation, &s->self, NM_KILL_TERM);
    case EXEC_ORDER_KILL:
        return nm_isolation_kill(s->isolation, &s->self, NM_KILL_NOW);
    case EXEC_ORDER_STOP:
        return nm_isolation_suspend(s->isolation, &s->self);
    case EXEC_ORDER_CONT:
        return nm_isolation_resume(s->isolation, &s->self);
    case EXEC_ORDER_DUMP:
        nm_isolation_kill(s->isolation, &s->self, NM_KILL_DUMP);
        return 1; /* not to be repeated: perhaps no process handles SIGQUIT */
    }
    return 1;
}

/* Carries out the order until it has reached a process: the first attempt fails if the launcher has
 * not become the user yet. */
static void carry_out_pending_order(struct shim *s)
{
    if (s->order && (s->ended || carry_out_order(s, s->order) > 0))
        s->order = 0;
}

static void carry_out_signalled_orders(struct shim *s, const struct signalfd_siginfo *si,
                                       ssize_t bytes)
{
    for (; bytes >= (ssize_t)sizeof *si; si++, bytes -= (ssize_t)sizeof *si) {
        if ((int)si->ssi_signo != EXEC_ORDER_SIGNAL || si->ssi_uid != getuid())
            continue;
        carry_out_pending_order(s);
        s->order = (enum exec_order)si->ssi_int;
        carry_out_pending_order(s);
    }
}

/* Reaps all ended children. Returns true while other children remain. */
static bool reap_children(struct shim *s)
{
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid == s->command) {
            s->ended = true;
            s->ended_ms = mono_ms();
            s->status = status;
        } else if (pid > 0 && pid == s->measuring) {
            on_measuring_ended(s, status);
        } else if (pid == 0) {
            return true;
        } else if (pid < 0 && errno != EINTR) {
            return false;
        }
    }
}

/* Returns true while the rest of the tree still has its grace period after an ordered kill. The
 * NodeManager's SIGKILL ends this period; GRACE_MAX_MS is the limit if none arrives. */
static bool is_in_kill_grace_period(const struct shim *s)
{
    return faccessat(s->record_fd, "killed", F_OK, 0) == 0 &&
           mono_ms() - s->ended_ms < GRACE_MAX_MS;
}

static int compute_wait_ms(const struct shim *s)
{
    int64_t wait = s->measure_next_ms && !s->measuring ? s->measure_next_ms - mono_ms() : INT_MAX;
    if (s->order)
        return AGAIN_MS;
    if (s->ended || s->disk_exceeded)
        return LAST_ROUND_MS;
    return wait == INT_MAX ? -1 : wait < 0 ? 0 : (int)wait;
}

/* The shim's main loop: copies logs and reaps children until no child is left. Once the command has
 * ended, the loop runs periodically to kill the remaining processes, since a killed process may
 * have started others. */
static void copy_logs_and_reap_until_tree_ends(struct shim *s, int sig_fd)
{
    bool more = true;
    while (more) {
        struct pollfd p[3] = {{.fd = sig_fd, .events = POLLIN},
                              {.fd = s->streams[0].in, .events = POLLIN},
                              {.fd = s->streams[1].in, .events = POLLIN}};
        int n = poll(p, 3, compute_wait_ms(s));
        if (n < 0 && errno != EINTR)
            break;
        for (int i = 0; n > 0 && i < 2; i++) {
            if (p[i + 1].revents && !copy_pipe_to_log(s, &s->streams[i]))
                close_log_pipe(&s->streams[i]);
        }
        if (n > 0 && p[0].revents) {
            struct signalfd_siginfo si[8];
            ssize_t got = read(sig_fd, si, sizeof si);
            if (got < 0 && errno != EAGAIN && errno != EINTR)
                break;
            carry_out_signalled_orders(s, si, got);
        }
        if ((n > 0 && p[0].revents) || s->ended)
            more = reap_children(s);
        carry_out_pending_order(s);
        measure_when_due(s);
        if (more && (s->disk_exceeded || (s->ended && !is_in_kill_grace_period(s)))) {
            nm_isolation_kill(s->isolation, &s->self, NM_KILL_NOW);
            more = reap_children(s);
        }
    }
}

static int report_start_failure(struct shim *s, int exit_code, int sys, const char *what)
{
    if (sys == ENOSPC || sys == EDQUOT)
        s->no_space = true;
    else
        set_reason(s, "cannot %s: %s", what, strerror(sys));
    write_end_report(s, exit_code, 0);
    return 0;
}

/* Notes why the launcher refused; if it did not, lets the NodeManager read what the command has
 * left. */
static void note_refusal_or_share_logs(struct shim *s)
{
    char reason[sizeof s->reason];
    nm_launched_read_reason(s->launched, reason, sizeof reason);
    if (reason[0])
        set_reason(s, "%s", reason);
    else
        nm_launched_share_if_unreadable(s->launched, s->logs);
}

static int run_command(struct shim *s, char **argv, int null_fd)
{
    static const char *const names[2] = {"stdout", "stderr"};
    int write_end[2];
    for (int i = 0; i < 2; i++) {
        int ends[2];
        s->streams[i].left = s->limit;
        s->streams[i].out = open_log(s->logs, names[i]);
        if (s->streams[i].out < 0)
            return report_start_failure(s, 126, errno, "open the log files");
        if (pipe2(ends, O_CLOEXEC) < 0)
            return report_start_failure(s, 126, errno, "make a pipe");
        s->streams[i].in = ends[0];
        write_end[i] = ends[1];
    }
    int work_fd = openat(s->dir_fd, "work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (work_fd < 0)
        return report_start_failure(s, 126, errno, "open the working folder");
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    if (*argv[ARG_LAUNCHER])
        sigaddset(&chld, EXEC_ORDER_SIGNAL);
    int sig_fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
    if (sig_fd < 0)
        return report_start_failure(s, 126, errno, "wait for children");
    char **cmd = build_command_argv(argv, s->dir);
    if (*argv[ARG_LAUNCHER]) {
        if (nm_launched_init(&launched, argv[ARG_LAUNCHER], argv[ARG_USER], s->dir, cmd, environ) <
            0)
            return report_start_failure(s, 126, errno, "prepare the launch");
        s->launched = &launched;
        s->self.signal = signal_by_launcher;
        cmd = launched.argv;
    }
    s->command = start_command(s, cmd, work_fd, s->launched ? launched.text_fd : null_fd,
                               write_end[0], write_end[1]);
    if (s->command < 0)
        return report_start_failure(s, 126, errno, "start a process");
    close(write_end[0]);
    close(write_end[1]);
    if (s->launched)
        nm_launched_close_own_ends(&launched);
    if (exec_errno) {
        char what[200];
        snprintf(what, sizeof what, "%s %.150s", exec_step,
                 strcmp(exec_step, "run") == 0 ? cmd[0] : "");
        return report_start_failure(s, exec_errno == ENOENT ? 127 : 126, exec_errno, what);
    }
    /* The allocation runs concurrently with the command instead of delaying it. A container without
     * space for its report must not go on. If the report cannot be written afterwards either, the
     * NodeManager sees an end without exit.json and a full disk. */
    if (reserve_space_for_exit_file(s) < 0)
        nm_isolation_kill(s->isolation, &s->self, NM_KILL_NOW);
    write_pid_file(s);
    if (strtoll(s->disk_mb, NULL, 10) > 0) {
        s->measure_pause_ms = MEASURE_FIRST_MS;
        s->measure_next_ms = mono_ms() + MEASURE_FIRST_MS;
    }
    copy_logs_and_reap_until_tree_ends(s, sig_fd);
    drain_pipes_into_logs(s);
    if (s->launched)
        note_refusal_or_share_logs(s);
    int sig = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0;
    write_end_report(s, sig ? 128 + sig : WEXITSTATUS(s->status), sig);
    return 0;
}

int main(int argc, char **argv)
{
    struct shim s = {.streams = {{.in = -1, .out = -1}, {.in = -1, .out = -1}}};
    sigset_t all;
    if (argc != ARGS) {
        static const char usage[] = "creel-shim is started by creel-nm; do not run it by hand.\n";
        return write_all(2, usage, sizeof usage - 1) == 0 ? 2 : 1;
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    close_range(3, ~0u, 0);
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0)
        return 1;
    for (int fd = 0; fd < 3; fd++)
        dup2(null_fd, fd);
    if (getsid(0) != getpid())
        setsid();
    umask(022);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    s.started_us = wall_us();
    s.dir = argv[ARG_DIR];
    s.logs = argv[ARG_LOGS];
    s.disk_mb = argv[ARG_DISK];
    s.limit = strtoll(argv[ARG_MAX], NULL, 10);
    s.dir_fd = open(s.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s.record_fd = open(argv[ARG_RECORD], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s.isolation = nm_isolation_find(argv[ARG_ISOLATION]);
    s.self = (struct nm_isolated){
        .id = getenv("CONTAINER_ID"), .shim = getpid(), .place = argv[ARG_PLACE]};
    if (s.dir_fd < 0 || s.record_fd < 0 || !s.isolation || !s.self.id)
        return 1;
    int rc = run_command(&s, argv, null_fd);
    /* _exit() because there is nothing to clean up; exit handlers that fork (a leak checker) would
     * be killed as leftovers of the container. */
    _exit(rc);
}

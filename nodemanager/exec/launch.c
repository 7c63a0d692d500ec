/* Runs a program as a user, in one of the user's folders and with a clean environment; a
 * container's command is watched by the monitor. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodemanager/exec/exec.h"

struct program {
    char **argv, **envp; /* NULL-terminated */
};

/* Reads all of stdin, NUL-terminated. */
static char *read_stdin(size_t *len)
{
    char *text = malloc(EXEC_TEXT_MAX + 1);
    ssize_t n = 0;

    *len = 0;
    while (text && *len < EXEC_TEXT_MAX && (n = read(0, text + *len, EXEC_TEXT_MAX - *len)) > 0)
        *len += (size_t)n;
    if (!text || n < 0 || *len >= EXEC_TEXT_MAX)
        exec_refuse("the launch text: %s", n < 0 ? strerror(errno) : "too long");
    text[*len] = '\0';
    return text;
}

/* Parses the launch text, strings that each end with NUL: the number of arguments, the arguments,
 * and variables of the environment. The text comes from stdin and not as arguments, since everybody
 * can read the arguments of a process. */
static struct program parse_launch_text(const struct exec_user *u)
{
    size_t len, n = 0, argc;
    char *text = read_stdin(&len), **v, *end;
    bool home = false;
    struct program p;

    for (size_t i = 0; i < len; i++)
        n += !text[i];
    v = calloc(n + 4, sizeof *v);
    argc = strtoul(text, &end, 10);
    if (!v || n < 2 || text[len - 1] || *end || argc < 1 || argc > n - 1)
        exec_refuse("the launch text is not valid");
    p = (struct program){.argv = v, .envp = v + argc + 1};
    end = text;
    for (size_t i = 0; i < n - 1; i++) {
        end += strlen(end) + 1;
        if (i >= argc && (!strchr(end, '=') || *end == '='))
            exec_refuse("the launch text has a variable without a name");
        home = home || (i >= argc && strncmp(end, "HOME=", 5) == 0);
        v[i + (i >= argc)] = end;
    }
    if (!home && asprintf(&v[n], "HOME=%s", u->home) < 0)
        exec_refuse("out of memory");
    if (p.argv[0][0] != '/')
        exec_refuse("'%.100s': the path of a program was expected", p.argv[0]);
    return p;
}

/* Shows the container's own folder tmp as /tmp and /var/tmp. The folder is opened in the new
 * namespace, since the kernel binds nothing from another one. */
static void mount_private_tmp(const struct exec_conf *c, const struct exec_user *u, const char *app,
                              const char *container)
{
    static const char *const places[] = {"/tmp", "/var/tmp"};
    char from[48];
    int fd =
        exec_open_folder(c, exec_open_container(c, "apps", app, container, u->uid), "tmp", u->uid);

    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    for (size_t i = 0; i < 2; i++) {
        if (mount(from, places[i], NULL, MS_BIND, NULL) < 0 ||
            mount(NULL, places[i], NULL, MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV, NULL) < 0)
            exec_refuse("private %s: %s", places[i], strerror(errno));
    }
    close(fd);
}

/* System calls that no job needs and that open large parts of the kernel. */
static const int denied_calls[] = {SYS_acct,
                                   SYS_add_key,
                                   SYS_bpf,
                                   SYS_clock_adjtime,
                                   SYS_clock_settime,
                                   SYS_delete_module,
                                   SYS_finit_module,
                                   SYS_init_module,
                                   SYS_kexec_load,
                                   SYS_keyctl,
                                   SYS_mount,
                                   SYS_move_mount,
                                   SYS_name_to_handle_at,
                                   SYS_open_by_handle_at,
                                   SYS_open_tree,
                                   SYS_perf_event_open,
                                   SYS_pivot_root,
                                   SYS_ptrace,
                                   SYS_quotactl,
                                   SYS_reboot,
                                   SYS_request_key,
                                   SYS_setns,
                                   SYS_swapoff,
                                   SYS_swapon,
                                   SYS_syslog,
                                   SYS_umount2,
                                   SYS_unshare,
                                   SYS_userfaultfd};
#define DENIED (sizeof denied_calls / sizeof *denied_calls)

#if defined __x86_64__
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

/* Makes these calls fail with EPERM, and likewise all calls of other architectures, whose numbers
 * differ. */
static void deny_dangerous_syscalls(void)
{
#ifdef OWN_ARCH
    struct sock_filter f[DENIED * 2 + 16];
    unsigned short n = 0;
    const struct sock_filter deny =
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));

    f[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
    f[n++] = deny;
    f[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32 */
    f[n++] = deny;
    for (size_t i = 0; i < DENIED; i++) {
        f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)denied_calls[i],
                                              0, 1);
        f[n++] = deny;
    }
    /* clone3 hides its flags in memory; libraries then use clone, whose flags can be examined */
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                          offsetof(struct seccomp_data, args[0]));
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1);
    f[n++] = deny;
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){.len = n, .filter = f}) < 0)
        exec_refuse("seccomp: %s", strerror(errno));
#else
    exec_refuse("seccomp is not supported on this architecture");
#endif
}

/* Becomes the user and runs the program. @parent: the process whose death kills the program; 0:
 * none. */
_Noreturn static void become_user_and_exec(const struct exec_conf *c, const struct exec_user *u,
                                           pid_t parent, int folder, const struct program *p)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || dup2(null, 0) < 0)
        exec_refuse("/dev/null: %s", strerror(errno));
    exec_become_user(c, u, true);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the change of user has cleared it */
    if (parent && getppid() != parent)
        _exit(EXEC_REFUSED);
    if (c->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        exec_refuse("no-new-privileges: %s", strerror(errno));
    if (c->seccomp)
        deny_dangerous_syscalls();
    if (fchdir(folder) < 0)
        exec_refuse("the working folder: %s", strerror(errno));
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(p->argv[0], p->argv, p->envp);
    exec_refuse("cannot run %.200s: %s", p->argv[0], strerror(errno));
}

/* Waits for the command and ends as the command did. All signals stay blocked: a SIGTERM is meant
 * for the command. */
_Noreturn static void wait_and_end_as_command(const struct exec_conf *c, const struct exec_user *u,
                                              pid_t shim, pid_t command)
{
    sigset_t one;
    int status;

    exec_become_user(c, u, false);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != shim)
        _exit(EXEC_REFUSED);
    close_range(0, ~0u, 0);
    while (waitpid(command, &status, 0) < 0)
        if (errno != EINTR)
            _exit(EXEC_REFUSED);
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    sigemptyset(&one);
    sigaddset(&one, WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    kill(getpid(), WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

int exec_launch(const struct exec_conf *c, const char *user, const char *app, const char *container)
{
    struct exec_user u;
    struct program p;
    pid_t shim = getppid(), self = getpid(), command;
    int folder;

    exec_user_by_name(c, user, &u);
    p = parse_launch_text(&u);
    if (c->private_tmp &&
        (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_SLAVE | MS_REC, NULL) < 0))
        exec_refuse("private-tmp: %s", strerror(errno));
    exec_give_folder_to_user(c, &u, exec_open_container(c, "logs", app, container, c->nm_uid));
    folder = exec_open_container(c, "apps", app, container, c->nm_uid);
    exec_give_folder_to_user(c, &u, folder);
    exec_give_shared_folder_to_user(c, &u, app);
    if (c->private_tmp)
        mount_private_tmp(c, &u, app, container);
    folder = exec_open_folder(c, folder, "work", u.uid);
    command = fork();
    if (command < 0)
        exec_refuse("fork: %s", strerror(errno));
    if (command == 0)
        become_user_and_exec(c, &u, self, folder, &p);
    wait_and_end_as_command(c, &u, shim, command);
}

int exec_localize(const struct exec_conf *c, const char *user, const char *number, char **argv)
{
    static char *envp[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL};
    struct exec_user u;
    int folder;

    exec_user_by_name(c, user, &u);
    if (!*number || number[strspn(number, "0123456789")] || argv[0][0] != '/')
        exec_refuse("'%.40s', '%.100s': a number and the path of a program were expected", number,
                    argv[0]);
    folder = exec_open_folder(c, exec_open_path_safe_from_others(c->local_dir, c->nm_uid, false),
                              "cache", c->nm_uid);
    folder = exec_open_folder(c, folder, number, c->nm_uid);
    folder = exec_open_folder(c, folder, "own", c->nm_uid);
    exec_give_folder_to_user(c, &u, folder);
    become_user_and_exec(c, &u, 0, folder, &(struct program){.argv = argv, .envp = envp});
}

/* creel-exec: checks who calls, reads the arguments, and dispatches. See exec.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodemanager/exec/exec.h"

/* A setuid program inherits almost everything from its caller: descriptors, environment, limits,
 * signals, umask. Undoes whatever could influence this program. */
static void reset_inherited_state(void)
{
    static char *nothing[] = {NULL};
    struct rlimit none = {0};
    sigset_t all;

    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            _exit(EXEC_REFUSED);
    close_range(EXEC_REASON_FD + 1, ~0u, 0);
    if (fcntl(EXEC_REASON_FD, F_GETFD) >= 0)
        fcntl(EXEC_REASON_FD, F_SETFD, FD_CLOEXEC);
    environ = nothing;
    umask(027);
    setrlimit(RLIMIT_CORE, &none);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (int sig = 1; sig < NSIG; sig++)
        if (sig != SIGKILL && sig != SIGSTOP)
            signal(sig, SIG_DFL);
}

/* Refuses to run unless the program is as it must be installed: owned by root, setuid, and
 * executable by the NodeManager's group alone. */
static void check_installation(const struct exec_conf *c)
{
    struct stat st;

    if (geteuid() != 0)
        exec_refuse("creel-exec is not setuid root");
    if (stat("/proc/self/exe", &st) < 0)
        exec_refuse("creel-exec: /proc/self/exe: %s", strerror(errno));
    if (st.st_uid != 0 || st.st_gid != c->nm_gid || (st.st_mode & 07777) != 04750)
        exec_refuse("creel-exec has owner %u, group %u and mode %04o; expected 0, %u and 4750",
                    (unsigned)st.st_uid, (unsigned)st.st_gid, (unsigned)st.st_mode & 07777,
                    (unsigned)c->nm_gid);
}

static void check_caller(const struct exec_conf *c)
{
    if (getuid() != c->nm_uid || getgid() != c->nm_gid)
        exec_refuse("called by user %u and group %u; expected those of '%s'", (unsigned)getuid(),
                    (unsigned)getgid(), c->nm_user);
}

/* Continues in creel-user, beside this program, as n,user,n. @fds: the folders on which creel-user
 * works, or -1. */
_Noreturn static void exec_creel_user(const struct exec_conf *c, const struct exec_user *u,
                                      const int fds[static 2], char **argv)
{
    static char *envp[] = {NULL};
    char path[EXEC_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "creel-user");
    char *slash;

    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        exec_refuse("creel-exec: /proc/self/exe: %s", strerror(errno));
    strcpy(slash + 1, "creel-user"); /* there is room */
    exec_become_user(c, u, false);
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0 && fcntl(fds[i], F_SETFD, 0) < 0)
            exec_refuse("a folder: %s", strerror(errno));
    argv[0] = path;
    execve(path, argv, envp);
    exec_refuse("cannot run %.200s: %s", path, strerror(errno));
}

/* Opens the folder @path, which belongs to a user; each folder above it must belong to the
 * NodeManager. Sets @u to the user. */
static int open_user_folder_in_trash(const struct exec_conf *c, const char *path,
                                     struct exec_user *u)
{
    char part[256];
    struct stat st;
    int fd = exec_open_path_safe_from_others(c->local_dir, c->nm_uid, false);

    if (strncmp(path, "trash/", 6) != 0)
        exec_refuse("'%.300s': a path below trash/ was expected", path);
    for (const char *at = path; *at;) {
        size_t n = strcspn(at, "/");

        if (snprintf(part, sizeof part, "%.*s", (int)n, at) >= (int)sizeof part)
            exec_refuse("'%.300s': too long a name", path);
        at += n + (at[n] == '/');
        if (fstatat(fd, part, &st, AT_SYMLINK_NOFOLLOW) < 0)
            exec_refuse("'%.300s': %s", path, strerror(errno));
        if (!*at && st.st_uid == c->nm_uid)
            exec_refuse("'%.300s' belongs to the NodeManager", path);
        fd = exec_open_folder(c, fd, part, *at ? c->nm_uid : st.st_uid);
    }
    exec_user_by_id(c, st.st_uid, u);
    return fd;
}

/* Sets *@argv to the number of a descriptor as text. */
static void set_arg_to_number(char **argv, int n)
{
    static char text[2][16];
    static int used;

    snprintf(text[used], sizeof text[used], "%d", n);
    *argv = text[used++];
}

/* Carries out the subcommands that need root only to open folders. */
_Noreturn static void run_user_subcommand(const struct exec_conf *c, int argc, char **argv)
{
    char *args[8] = {NULL, argv[1]};
    int fds[2] = {-1, -1};
    struct exec_user u;
    const char *what = argv[1];

    if (strcmp(what, "delete") == 0 && argc == 3) {
        fds[0] = open_user_folder_in_trash(c, argv[2], &u);
        set_arg_to_number(args + 2, fds[0]);
    } else if ((strcmp(what, "read") == 0 && argc == 5) ||
               (strcmp(what, "measure") == 0 && argc == 6)) {
        exec_user_by_name(c, argv[2], &u);
        fds[0] = exec_open_container(c, "apps", argv[3], argv[4], u.uid);
        fds[1] = exec_open_container(c, "logs", argv[3], argv[4], u.uid);
        set_arg_to_number(args + 2, fds[0]);
        set_arg_to_number(args + 3, fds[1]);
        args[4] = argv[5]; /* NULL for "read" */
    } else if ((strcmp(what, "signal") == 0 && argc == 5) ||
               (strcmp(what, "kill") == 0 && argc == 6)) {
        exec_user_by_name(c, argv[2], &u);
        memcpy(args + 2, argv + 3, (size_t)(argc - 3) * sizeof *args);
    } else {
        exec_refuse("creel-exec is started by creel-nm; do not run it by hand");
    }
    exec_creel_user(c, &u, fds, args);
}

int main(int argc, char **argv)
{
    struct exec_conf c;
    const char *what = argv[1];

    reset_inherited_state();
    if (argc < 2)
        exec_refuse("creel-exec is started by creel-nm; do not run it by hand");
    exec_conf_read(&c);
    check_installation(&c);
    check_caller(&c);
    if (strcmp(what, "launch") == 0 && argc == 5)
        return exec_launch(&c, argv[2], argv[3], argv[4]);
    if (strcmp(what, "localize") == 0 && argc > 4)
        return exec_localize(&c, argv[2], argv[3], argv + 4);
    run_user_subcommand(&c, argc, argv);
}

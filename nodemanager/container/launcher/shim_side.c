#include "nodemanager/container/launcher/shim_side.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodemanager/exec/orders.h"

static int write_bytes(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, p, n);

        if (w < 0 && errno != EINTR)
            return -1;
        p += w > 0 ? w : 0;
        n -= w > 0 ? (size_t)w : 0;
    }
    return 0;
}

static int write_strings(int fd, char *const *v)
{
    int rc = 0;

    for (; rc == 0 && *v; v++)
        rc = write_bytes(fd, *v, strlen(*v) + 1);
    return rc;
}

/* Writes the launch text (nodemanager/exec/launch.c) to a file in memory. */
static int make_launch_text(char *const *argv, char *const *envp)
{
    int fd = memfd_create("launch", MFD_CLOEXEC), argc = 0;
    char number[16];

    while (argv[argc])
        argc++;
    snprintf(number, sizeof number, "%d", argc);
    if (fd >= 0 &&
        (write_bytes(fd, number, strlen(number) + 1) < 0 || write_strings(fd, argv) < 0 ||
         write_strings(fd, envp) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Takes application and container from the folder's path, ".../apps/<app>/<container>". */
static int take_ids_from_path(struct nm_launched *l, const char *dir)
{
    const char *container = strrchr(dir, '/'), *app = container;

    while (app && app > dir && app[-1] != '/')
        app--;
    if (!container || (size_t)(container - app) >= sizeof l->app ||
        strlen(container + 1) >= sizeof l->container) {
        errno = EINVAL;
        return -1;
    }
    snprintf(l->app, sizeof l->app, "%.*s", (int)(container - app), app);
    snprintf(l->container, sizeof l->container, "%s", container + 1);
    return 0;
}

int nm_launched_init(struct nm_launched *l, const char *program, const char *user, const char *dir,
                     char *const *argv, char *const *envp)
{
    int ends[2], dir_fd;

    *l = (struct nm_launched){.program = program, .user = user};
    if (take_ids_from_path(l, dir) < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    l->reason_fd = ends[0];
    l->reason_write_fd = ends[1];
    l->text_fd = make_launch_text(argv, envp);
    l->argv[0] = (char *)program;
    l->argv[1] = "launch";
    l->argv[2] = (char *)user;
    l->argv[3] = l->app;
    l->argv[4] = l->container;
    dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    /* what the user sees as /tmp */
    if (dir_fd < 0 || (mkdirat(dir_fd, "tmp", 0700) < 0 && errno != EEXIST))
        return -1;
    close(dir_fd);
    return l->text_fd < 0 ? -1 : 0;
}

void nm_launched_close_own_ends(struct nm_launched *l)
{
    close(l->text_fd);
    close(l->reason_write_fd);
}

void nm_launched_read_reason(struct nm_launched *l, char *out, size_t size)
{
    ssize_t n = read(l->reason_fd, out, size - 1);

    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

static pid_t start_launcher(char *const *argv)
{
    static char *const nothing[] = {NULL};
    pid_t pid = vfork();

    if (pid == 0) {
        execve(argv[0], argv, nothing);
        _exit(127);
    }
    return pid;
}

int nm_launched_run_subcommand(const struct nm_launched *l, const char *what, const char *a,
                               const char *b)
{
    char *const argv[] = {(char *)l->program, (char *)what, (char *)l->user,
                          (char *)a,          (char *)b,    NULL};
    pid_t pid = start_launcher(argv);
    int status;

    if (pid < 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

pid_t nm_launched_start_measuring(const struct nm_launched *l, const char *mb)
{
    char *const argv[] = {
        (char *)l->program, "measure", (char *)l->user, (char *)l->app, (char *)l->container,
        (char *)mb,         NULL};

    return start_launcher(argv);
}

size_t nm_launched_signal(const struct nm_launched *l, int sig)
{
    char shim[16], number[16];

    snprintf(shim, sizeof shim, "%d", (int)getpid());
    snprintf(number, sizeof number, "%d", sig);
    return nm_launched_run_subcommand(l, "signal", shim, number) == 0;
}

void nm_launched_share_if_unreadable(const struct nm_launched *l, const char *logs)
{
    int fd = open(logs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;
    bool readable = d != NULL;

    while (readable && (e = readdir(d)) != NULL)
        readable = e->d_type == DT_LNK || faccessat(fd, e->d_name, R_OK, 0) == 0;
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    if (!readable)
        nm_launched_run_subcommand(l, "read", l->app, l->container);
}

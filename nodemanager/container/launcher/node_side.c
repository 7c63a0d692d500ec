#include "nodemanager/container/launcher/node_side.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/log.h"

#define KEY            "creel.nodemanager.user-launcher: "
#define HELPER_MAX_MS  60000 /* for one folder to be removed */
#define HELPER_KILL_MS 5000  /* for a killed helper to end */

static const char *const no_environment[] = {NULL};

/* Fails if users can make hard links to files that are not theirs. */
static int check_hardlinks_are_protected(struct base_error *err)
{
    struct base_buf b = {0};
    int rc = base_file_read("/proc/sys/fs/protected_hardlinks", 16, &b, NULL);
    bool safe = rc >= 0 && b.data && b.data[0] == '1';

    base_buf_free(&b);
    return safe ? 0
                : base_error_set(err, -BASE_EINVAL,
                                 KEY "fs.protected_hardlinks is not 1, so users could have the "
                                     "NodeManager read files for them: sysctl "
                                     "fs.protected_hardlinks=1");
}

int nm_launcher_check_installation(const char *path, const char **out, struct base_error *err)
{
    struct stat st;

    *out = NULL;
    if (!path || !*path)
        return 0;
    if (*path != '/' || stat(path, &st) < 0)
        return base_error_sys(err, -BASE_EINVAL, *path == '/' ? errno : EINVAL,
                              KEY "\"%.300s\": an absolute path was expected, of creel-exec", path);
    if (st.st_uid != 0 || st.st_gid != getegid() || (st.st_mode & 07777) != 04750)
        return base_error_set(err, -BASE_EINVAL,
                              KEY
                              "\"%.300s\" has owner %u, group %u and mode %04o; expected 0, our "
                              "group %u and 4750",
                              path, (unsigned)st.st_uid, (unsigned)st.st_gid,
                              (unsigned)st.st_mode & 07777, (unsigned)getegid());
    *out = path;
    return check_hardlinks_are_protected(err);
}

size_t nm_launcher_signal_order(int pidfd, enum exec_order order)
{
    siginfo_t si;

    memset(&si, 0, sizeof si);
    si.si_signo = EXEC_ORDER_SIGNAL;
    si.si_code = SI_QUEUE;
    si.si_pid = getpid();
    si.si_uid = getuid();
    si.si_value.sival_int = (int)order;
    return syscall(SYS_pidfd_send_signal, pidfd, EXEC_ORDER_SIGNAL, &si, 0) == 0;
}

int nm_launcher_request_kill(struct nm_spawn *spawn, uint64_t tag, const char *launcher,
                             const char *user, const char *id, pid_t session, pid_t spawner,
                             struct base_error *err)
{
    char numbers[2][16];
    const char *const argv[] = {launcher, "kill", user, id, numbers[0], numbers[1], NULL};

    snprintf(numbers[0], sizeof numbers[0], "%d", (int)session);
    snprintf(numbers[1], sizeof numbers[1], "%d", (int)spawner);
    return nm_spawn_request(spawn, tag, argv, no_environment, err);
}

/* Waits for the end of the process that was requested last. The process works in a folder of a
 * user, who could stop it or add files without end, and thereby hold up all removals. So it is
 * killed after a while; a later round goes on. */
static void wait_for_or_kill_helper(struct nm_files *f)
{
    struct pollfd p = {.fd = nm_spawn_fd(f->helper), .events = POLLIN};
    struct nm_spawned s;
    int rc;

    while (nm_spawn_receive_answer(f->helper, &s, NULL) == 0)
        poll(&p, 1, -1);
    if (s.pidfd < 0)
        return;
    p.fd = s.pidfd;
    while ((rc = poll(&p, 1, HELPER_MAX_MS)) < 0 && errno == EINTR)
        continue;
    if (rc == 0) {
        base_log_warn("files", "removing a user's folder takes longer than %d s: it goes on later",
                      HELPER_MAX_MS / 1000);
        syscall(SYS_pidfd_send_signal, s.pidfd, SIGKILL, NULL, 0);
        poll(&p, 1, HELPER_KILL_MS);
    }
    close(s.pidfd);
}

static void empty_folder(struct nm_files *f, const char *path)
{
    const char *const argv[] = {f->launcher, "delete", path + strlen(f->root) + 1, NULL};
    struct base_error err;

    if (nm_spawn_request(f->helper, 0, argv, no_environment, &err) < 0)
        base_log_warn("files", "%s: %s", path, err.text);
    else
        wait_for_or_kill_helper(f);
}

static bool is_folder_of_other_user(const char *path, struct stat *st)
{
    return lstat(path, st) == 0 && S_ISDIR(st->st_mode) && st->st_uid != geteuid();
}

void nm_launcher_empty_users_folders(struct nm_files *f, const char *path)
{
    char entry[NM_PATH_MAX];
    const struct dirent *e;
    struct stat st;
    DIR *d;

    if (!f->helper)
        return;
    if (is_folder_of_other_user(path, &st)) {
        empty_folder(f, path);
        return;
    }
    d = opendir(path);
    while (d && (e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            snprintf(entry, sizeof entry, "%s/%s", path, e->d_name) < (int)sizeof entry &&
            is_folder_of_other_user(entry, &st))
            empty_folder(f, entry);
    if (d)
        closedir(d);
}

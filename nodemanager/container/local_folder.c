#include "nodemanager/container/local_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/plain.h"
#include "nodemanager/container/process_tree.h"

#define KEY       "creel.nodemanager.local-dir: "
#define LOCK_TEXT 64
#define LOOK_NS   10000000

int nm_folder_create_and_check_owner(const char *path, mode_t mode, struct base_error *err)
{
    struct stat st;
    int rc = base_mkdirs(path, mode, err);
    if (rc < 0)
        return rc;
    if (lstat(path, &st) < 0)
        return base_error_sys(err, -BASE_EIO, errno, KEY "%s", path);
    if (!S_ISDIR(st.st_mode))
        return base_error_set(err, -BASE_EPERM, KEY "%s is a link; a folder was expected there",
                              path);
    if (st.st_uid != geteuid())
        return base_error_set(err, -BASE_EPERM,
                              KEY "%s belongs to user %u, who could replace its contents; expected "
                                  "a folder of user %u, as "
                                  "which this NodeManager runs",
                              path, (unsigned)st.st_uid, (unsigned)geteuid());
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return base_error_set(
            err, -BASE_EPERM,
            KEY "%s is writable by %s (mode %04o), who could replace its contents; revoke that "
                "permission: chmod go-w",
            path, st.st_mode & S_IWOTH ? "everybody" : "its group", (unsigned)st.st_mode & 07777);
    return 0;
}

int nm_folder_check_parents(const char *path, struct base_error *err)
{
    char above[PATH_MAX];
    struct stat st;
    snprintf(above, sizeof above, "%s", path);
    for (char *slash; (slash = strrchr(above, '/')) != NULL;) {
        slash[slash == above] = 0; /* the last folder checked is "/" itself */
        if (stat(above, &st) == 0 && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
            return base_error_set(
                err, -BASE_EPERM,
                KEY
                "%s lies in %s, where everybody may replace it (mode %04o); choose another place, "
                "or chmod o-w %s",
                path, above, (unsigned)st.st_mode & 07777, above);
        if (slash == above)
            break;
    }
    return 0;
}

/* Returns the pid of the daemon named in the lock file, or 0 if none is named or it has ended. */
static pid_t find_lock_holder(int fd)
{
    char text[LOCK_TEXT] = "";
    struct nm_proc p;
    int pid;
    long long start;
    if (pread(fd, text, sizeof text - 1, 0) <= 0 || sscanf(text, "%d %lld", &pid, &start) != 2 ||
        pid <= 0)
        return 0;
    return nm_proc_read_stat(pid, &p) && p.start == start && p.state != 'Z' && p.state != 'X' ? pid
                                                                                              : 0;
}

static int write_holder_into_lock(int fd, const char *path, struct base_error *err)
{
    char text[LOCK_TEXT];
    struct nm_proc me = {0};
    nm_proc_read_stat(getpid(), &me);
    int len = snprintf(text, sizeof text, "%d %lld\n", (int)getpid(), (long long)me.start);
    if (pwrite(fd, text, (size_t)len, 0) == len && ftruncate(fd, len) == 0)
        return 0;
    /* only daemons that find the folder locked read the text, so a full disk must not prevent the
     * start */
    return errno == ENOSPC || errno == EDQUOT ? 0
                                              : base_error_sys(err, -BASE_EIO, errno, "%s", path);
}

int nm_folder_lock(const char *root, int *out, struct base_error *err)
{
    char path[PATH_MAX];
    int64_t until = base_mono_us(&base_clock_real) + NM_LOCK_WAIT_MS * INT64_C(1000);
    snprintf(path, sizeof path, "%s/lock", root);
    int fd = base_plain_open(AT_FDCWD, path, O_RDWR | O_CREAT, 0600, NULL);
    if (fd < 0)
        return base_error_set(err, -BASE_EIO, "%s: %s", path, base_plain_open_strerror(fd));
    *out = fd;
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return base_error_sys(err, -BASE_EIO, errno, "%s", path);
        pid_t pid = find_lock_holder(fd);
        if (pid > 0)
            return base_error_set(err, -BASE_ESTATE,
                                  KEY "%s is in use by another NodeManager, process %d", root,
                                  (int)pid);
        if (base_mono_us(&base_clock_real) > until)
            return base_error_set(
                err, -BASE_ESTATE,
                KEY
                "%s is in use: its lock is still held %d s after its NodeManager has ended (fuser "
                "%s names the process)",
                root, NM_LOCK_WAIT_MS / 1000, path);
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    return write_holder_into_lock(fd, path, err);
}

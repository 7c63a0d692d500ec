#include "nodemanager/task/job/output_staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/mem.h"

#define OPEN_FOLDER  (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define REMOVE_TRIES 10 /* of a folder to which entries are being added */

int task_output_open_own(const char *path)
{
    int fd = open(path, OPEN_FOLDER), sys;
    struct stat st;

    if (fd < 0)
        return -errno;
    sys = fstat(fd, &st) < 0 ? errno : st.st_uid != geteuid() ? EPERM : 0;
    if (sys == 0)
        return fd;
    close(fd);
    return -sys;
}

char *task_output_name_parent(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == path ? base_strdup("/") : base_strndup(path, (size_t)(slash - path));
}

int task_output_fsync_parent(const char *path, struct base_error *err)
{
    char *parent = task_output_name_parent(path);
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) < 0
                 ? base_error_sys(err, -BASE_EIO, errno, "job.output: folder %s", parent)
                 : 0;

    if (fd >= 0)
        close(fd);
    free(parent);
    return rc;
}

/* Returns the usual name; with @random one that nobody can guess. */
static char *name_folder(const char *path, struct base_app_id id, bool random)
{
    char *parent = task_output_name_parent(path), text[BASE_ID_TEXT_MAX], own[33] = "", *name;

    if (random)
        base_random_hex(own);
    name = base_printf("%s/.creel_%s%s%s", strcmp(parent, "/") == 0 ? "" : parent,
                       base_app_id_text(&id, text), random ? "_" : "", own);
    free(parent);
    return name;
}

/* ---- what is in a folder ---- */

/* Returns true when the folder @fd has no entry, or only one of this name. */
static bool holds_at_most(int fd, const char *name)
{
    int again = openat(fd, ".", OPEN_FOLDER);
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    const struct dirent *e;
    bool more = false;

    if (dir == NULL) {
        if (again >= 0)
            close(again);
        return false;
    }
    while (!more && (e = readdir(dir)) != NULL)
        more = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
               strcmp(e->d_name, name) != 0;
    closedir(dir);
    return !more;
}

/* Returns true when a setup may have made the folder @fd: there is nothing in it but _temporary,
 * and nothing in that but the mark. */
static bool is_unfinished_setup(int fd, const char *mark)
{
    int temporary = openat(fd, TASK_OUTPUT_TEMPORARY, OPEN_FOLDER);
    bool fits;

    if (temporary < 0)
        return errno == ENOENT && holds_at_most(fd, "");
    fits = holds_at_most(fd, TASK_OUTPUT_TEMPORARY) && holds_at_most(temporary, mark);
    close(temporary);
    return fits;
}

static bool is_moved_temporary(int fd, const char *mark)
{
    struct stat st;

    return fstatat(fd, mark, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_uid == geteuid();
}

/* ---- setup ---- */

int task_staging_make(const char *path, struct base_app_id id, struct task_staging *out,
                      struct base_error *err)
{
    char mark[BASE_ID_TEXT_MAX];

    base_app_id_text(&id, mark);
    for (int tries = 0;; tries++) {
        *out = (struct task_staging){.path = name_folder(path, id, tries > 0)};
        if (mkdir(out->path, 0755) < 0 && errno != EEXIST) {
            out->fd = -1;
            return base_error_sys(err, -BASE_EIO, errno, "job.output: %s", out->path);
        }
        out->fd = task_output_open_own(out->path);
        if (out->fd >= 0 && is_unfinished_setup(out->fd, mark))
            return 0;
        if (tries == 1)
            return base_error_set(err, -BASE_EIO, "job.output: %s is not the folder made there",
                                  out->path);
        task_staging_free(out);
    }
}

/* A file system without RENAME_NOREPLACE, such as NFS, would replace an empty folder made since the
 * look. */
static int rename_without_replacing(int from_at, const char *from, const char *to)
{
    struct stat st;

    if (renameat2(from_at, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    if (lstat(to, &st) == 0)
        return -EEXIST;
    return renameat(from_at, from, AT_FDCWD, to) == 0 ? 0 : -errno;
}

int task_staging_rename(const struct task_staging *s, const char *path)
{
    struct stat made, there;
    int rc = rename_without_replacing(AT_FDCWD, s->path, path);

    if (rc < 0)
        return rc;
    if (fstat(s->fd, &made) < 0 || lstat(path, &there) < 0)
        return -errno;
    return made.st_dev == there.st_dev && made.st_ino == there.st_ino ? 0 : -ESTALE;
}

/* Removes what a setup has made, and nothing else: folders go only when they are empty. */
static int remove_unfinished_setup(int fd, const char *name, const char *mark)
{
    int temporary = openat(fd, TASK_OUTPUT_TEMPORARY, OPEN_FOLDER);

    if (temporary >= 0) {
        (void)unlinkat(temporary, mark, 0); /* if this fails, the next one fails too */
        close(temporary);
    }
    if (unlinkat(fd, TASK_OUTPUT_TEMPORARY, AT_REMOVEDIR) < 0 && errno != ENOENT)
        return -errno;
    return rmdir(name) == 0 || errno == ENOENT ? 0 : -errno;
}

void task_staging_remove(const struct task_staging *s, struct base_app_id id)
{
    char mark[BASE_ID_TEXT_MAX];

    (void)remove_unfinished_setup(s->fd, s->path, base_app_id_text(&id, mark));
}

void task_staging_free(struct task_staging *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    *s = (struct task_staging){.fd = -1};
}

/* ---- commit and abort ---- */

/* Creates the mark again in a folder that has turned out not to be empty. */
static int restore_mark(int fd, const char *mark)
{
    int made = openat(fd, mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    return made < 0 || close(made) < 0 ? -errno : 0;
}

/* Removes the moved _temporary @fd, which has this name. The mark goes last, so that what a crash
 * leaves is known for what it is. A task of a lost node may still have the folder open and add
 * entries; whatever is left has the mark, so that the next abort removes it. */
static int remove_moved_temporary(int fd, const char *name, const char *mark,
                                  struct base_error *err)
{
    for (int tries = 0; tries < REMOVE_TRIES; tries++) {
        int rc = base_rmtree_entries(fd, name, &mark, 1, err);

        if (rc < 0)
            return rc;
        if (unlinkat(fd, mark, 0) < 0 && errno != ENOENT)
            break;
        if (rmdir(name) == 0 || errno == ENOENT)
            return 0;
        if (errno != ENOTEMPTY && errno != EEXIST)
            break;
        rc = restore_mark(fd, mark);
        if (rc < 0)
            return base_error_sys(err, -BASE_EIO, -rc, "job.output: %s/%s", name, mark);
        errno = ENOTEMPTY;
    }
    return base_error_sys(err, -BASE_EIO, errno, "job.output: %s", name);
}

/* An abort removes the output folder, if it is empty, while the moved _temporary has the mark. */
static int remove_empty_output(const char *path, struct base_error *err)
{
    if (rmdir(path) == 0 || errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT ||
        errno == ENOTDIR)
        return 0;
    return base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
}

/* Removes the folder @name if a step of the job has left it there. */
static int remove_if_left(const char *path, const char *name, struct base_app_id id, bool abort,
                          struct base_error *err)
{
    char mark[BASE_ID_TEXT_MAX];
    int fd = task_output_open_own(name), rc = 0, sys;

    if (fd < 0)
        return 0;
    base_app_id_text(&id, mark);
    if (is_moved_temporary(fd, mark)) {
        if (abort)
            rc = remove_empty_output(path, err);
        if (rc == 0)
            rc = remove_moved_temporary(fd, name, mark, err);
    } else if (is_unfinished_setup(fd, mark)) {
        sys = remove_unfinished_setup(fd, name, mark);
        rc = sys < 0 ? base_error_sys(err, -BASE_EIO, -sys, "job.output: %s", name) : 0;
    }
    close(fd);
    return rc == 0 && abort ? task_output_fsync_parent(path, err) : rc;
}

int task_staging_remove_left(const char *path, struct base_app_id id, bool abort,
                             struct base_error *err)
{
    char *name = name_folder(path, id, false);
    int rc = remove_if_left(path, name, id, abort, err);

    free(name);
    return rc;
}

int task_staging_remove_temporary(int folder, const char *path, struct base_app_id id, bool abort,
                                  struct base_error *err)
{
    char *name = name_folder(path, id, false);
    int rc = remove_if_left(path, name, id, false, err), sys = 0;

    if (rc == 0)
        sys = rename_without_replacing(folder, TASK_OUTPUT_TEMPORARY, name);
    if (sys == -EEXIST || sys == -ENOTEMPTY) { /* somebody is in the way */
        free(name);
        name = name_folder(path, id, true);
        sys = rename_without_replacing(folder, TASK_OUTPUT_TEMPORARY, name);
    }
    if (sys < 0 && sys != -ENOENT && sys != -ENOTDIR)
        rc = base_error_sys(err, -BASE_EIO, -sys, "job.output: %s/" TASK_OUTPUT_TEMPORARY, path);
    if (rc == 0)
        rc = remove_if_left(path, name, id, abort, err);
    free(name);
    return rc;
}

#include "rm/rm_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"
#include "base/base_mem.h"
#include "rm/rm_input.h"

#define TEMPORARY "_temporary"

int rm_output_path(const char *output, char **out, struct base_error *err)
{
    size_t n;
    int rc = rm_input_path(output, out, err);

    if (rc < 0)
        return base_error_wrap(err, rc, "job.output");
    n = strlen(*out);
    while (n > 1 && (*out)[n - 1] == '/')
        (*out)[--n] = '\0';
    return 0;
}

static int check_parent(const char *path, struct base_error *err)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash == path ? base_strdup("/") : base_strndup(path, (size_t)(slash - path));
    struct stat st;
    int rc = 0;

    if (stat(parent, &st) < 0)
        rc = base_error_set(err, -BASE_EINVAL, "job.output: folder %s: %s", parent,
                            errno == ENOENT ? "does not exist" : strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        rc = base_error_set(err, -BASE_EINVAL, "job.output: %s is not a folder", parent);
    else if (access(parent, W_OK | X_OK) < 0)
        rc = base_error_set(err, -BASE_EINVAL, "job.output: folder %s cannot be written: %s", parent, strerror(errno));
    free(parent);
    return rc;
}

int rm_output_check(const char *output, struct base_error *err)
{
    struct stat st;
    char *path = NULL;
    int rc = rm_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    if (lstat(path, &st) == 0)
        rc = base_error_set(err, -BASE_EEXIST, "job.output: %s already exists", path);
    else if (errno != ENOENT && errno != ENOTDIR)
        rc = base_error_sys(err, -BASE_EINVAL, errno, "job.output: %s", path);
    else
        rc = check_parent(path, err);
    free(path);
    return rc;
}

/* ---- durable names ---- */

static int sync_fd(int fd, const char *path, struct base_error *err)
{
    return fsync(fd) == 0 ? 0 : base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
}

static int sync_parent(const char *path, struct base_error *err)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash == path ? base_strdup("/") : base_strndup(path, (size_t)(slash - path));
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "job.output: folder %s", parent) : sync_fd(fd, parent, err);

    if (fd >= 0)
        close(fd);
    free(parent);
    return rc;
}

static int open_folder(const char *path, int *fd, struct base_error *err)
{
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *fd >= 0 ? 0 : base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
}

/* ---- whose folder it is ---- */

static void mark_of(struct base_app_id id, char out[BASE_ID_TEXT_MAX + 16])
{
    char text[BASE_ID_TEXT_MAX];

    snprintf(out, BASE_ID_TEXT_MAX + 16, TEMPORARY "/%s", base_app_id_text(&id, text));
}

/* Another job's mark is in it. None at all: made by a version of Creel without marks, or not yet marked. */
static bool is_anothers(int folder, struct base_app_id id)
{
    char mark[BASE_ID_TEXT_MAX + 16];
    struct base_app_id other;
    const struct dirent *e;
    bool found = false;
    DIR *d;
    int fd;

    mark_of(id, mark);
    if (faccessat(folder, mark, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return false;
    fd = openat(folder, TEMPORARY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    d = fd < 0 ? NULL : fdopendir(fd);
    if (d == NULL) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while (!found && (e = readdir(d)) != NULL)
        found = base_app_id_parse(e->d_name, &other, NULL) == 0;
    closedir(d);
    return found;
}

/* ---- set-up ---- */

static int make_folder(const char *path, bool again, struct base_error *err)
{
    struct stat st;

    if (mkdir(path, 0755) == 0)
        return 0;
    if (errno == EEXIST && !again)
        return base_error_set(err, -BASE_EEXIST, "job.output: %s already exists", path);
    if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
}

static int make_temporary(int folder, const char *path, struct base_app_id id, struct base_error *err)
{
    char mark[BASE_ID_TEXT_MAX + 16];
    int fd, rc;

    mark_of(id, mark);
    if (is_anothers(folder, id))
        return base_error_set(err, -BASE_EEXIST, "job.output: %s already exists, and is another job's", path);
    if (mkdirat(folder, TEMPORARY, 0755) < 0 && errno != EEXIST)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY, path);
    fd = openat(folder, mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/%s", path, mark);
    close(fd);
    fd = openat(folder, TEMPORARY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY, path);
    rc = sync_fd(fd, path, err);
    close(fd);
    return rc == 0 ? sync_fd(folder, path, err) : rc;
}

static int setup(const char *path, struct base_app_id id, bool again, struct base_error *err)
{
    int fd = -1, rc = make_folder(path, again, err);

    if (rc == 0)
        rc = open_folder(path, &fd, err);
    if (rc < 0)
        return rc;
    rc = make_temporary(fd, path, id, err);
    close(fd);
    return rc == 0 ? sync_parent(path, err) : rc;
}

int rm_output_setup(const char *output, struct base_app_id id, bool again, struct base_error *err)
{
    char *path;
    int rc = rm_output_path(output, &path, err);

    if (rc == 0) {
        rc = setup(path, id, again, err);
        free(path);
    }
    return rc;
}

/* ---- the end ---- */

/* The part of the attempt that counts to its place. */
static int take_part(int folder, const char *path, struct base_app_id id, const struct rm_output_parts *parts, size_t i,
                     struct base_error *err)
{
    const struct base_task_id task = {id, parts->kind, (int32_t)i};
    char text[BASE_ID_TEXT_MAX], from[BASE_ID_TEXT_MAX + 64], to[32];
    struct stat st;

    snprintf(to, sizeof to, "part-%05d", (int)i);
    snprintf(from, sizeof from, TEMPORARY "/%s_%d/%s", base_task_id_text(&task, text), parts->attempts[i], to);
    if (renameat(folder, from, folder, to) == 0)
        return 0;
    if (errno != ENOENT && errno != ENOTDIR)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/%s", path, from);
    if (fstatat(folder, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return 0; /* taken before */
    return base_error_set(err, -BASE_ENOTFOUND, "job.output: %s/%s, the output of %s, is missing", path, from, text);
}

static int remove_temporary(const char *path, struct base_error *err)
{
    char *temporary = base_printf("%s/" TEMPORARY, path);
    int rc = base_rmtree(temporary, err);

    free(temporary);
    return rc;
}

static int commit(const char *path, int folder, struct base_app_id id, const struct rm_output_parts *parts,
                  struct base_error *err)
{
    char *success;
    int rc = 0;

    if (is_anothers(folder, id))
        return base_error_set(err, -BASE_EEXIST, "job.output: %s is another job's by now", path);
    for (size_t i = 0; rc == 0 && i < parts->n; i++)
        rc = take_part(folder, path, id, parts, i, err);
    if (rc == 0)
        rc = sync_fd(folder, path, err); /* before the other names go */
    if (rc == 0)
        rc = remove_temporary(path, err);
    if (rc < 0)
        return rc;
    success = base_printf("%s/_SUCCESS", path);
    rc = base_file_write_atomic(success, "", 0, 0644, true, err);
    free(success);
    return rc;
}

int rm_output_commit(const char *output, struct base_app_id id, const struct rm_output_parts *parts,
                     struct base_error *err)
{
    char *path;
    int fd, rc = rm_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    rc = open_folder(path, &fd, err);
    if (rc == 0) {
        rc = commit(path, fd, id, parts, err);
        close(fd);
    }
    free(path);
    return rc;
}

static int abort_in(const char *path, int folder, struct base_app_id id, struct base_error *err)
{
    int rc;

    if (is_anothers(folder, id))
        return 0;
    rc = remove_temporary(path, err);
    if (rc < 0)
        return rc;
    if (rmdir(path) < 0 && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
    return sync_parent(path, err);
}

int rm_output_abort(const char *output, struct base_app_id id, struct base_error *err)
{
    char *path;
    int fd, rc = rm_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        rc = abort_in(path, fd, id, err);
        close(fd);
    } else if (errno != ENOENT && errno != ENOTDIR) {
        rc = base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
    }
    free(path);
    return rc;
}

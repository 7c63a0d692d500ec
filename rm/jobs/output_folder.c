#include "rm/jobs/output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/limits.h"
#include "base/io/log.h"
#include "base/mem.h"
#include "base/io/plain.h"
#include "rm/jobs/splits.h"
#include "rm/jobs/output_taken.h"

#define TEMPORARY "_temporary"
#define SUCCESS "_SUCCESS"
#define PART_FROM_MAX (BASE_ID_TEXT_MAX + 64)

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

/* The user of the job may well write there: it is this daemon that makes the folder, and the nodes' that fill it. */
static int not_writable(const char *path, int sys, struct base_error *err)
{
    char user[BASE_USER_NAME_MAX];

    return base_error_set(err, -BASE_EINVAL, "job.output: %s cannot be written by the ResourceManager's user %s: %s", path,
                          base_user_name(user), strerror(sys));
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
        rc = not_writable(parent, errno, err);
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
    else if (errno == EACCES)
        rc = not_writable(path, errno, err);
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

/* What a commit or an abort works on. */
struct ending {
    const char *path;
    int folder, temporary; /* temporary: -1 where there is none */
    struct base_app_id id;
};

static bool is_absent(int sys)
{
    return sys == ENOENT || sys == ENOTDIR;
}

static void ending_close(struct ending *e)
{
    if (e->temporary >= 0)
        close(e->temporary);
    if (e->folder >= 0)
        close(e->folder);
}

/* -BASE_ENOTFOUND: there is no such folder. ending_close() also after an error. */
static int ending_open(struct ending *e, const char *path, struct base_app_id id,
                       struct base_error *err)
{
    *e = (struct ending){.path = path, .id = id, .temporary = -1};
    e->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (e->folder < 0)
        return base_error_sys(err, is_absent(errno) ? -BASE_ENOTFOUND : -BASE_EIO, errno,
                              "job.output: %s", path);
    e->temporary = openat(e->folder, TEMPORARY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (e->temporary < 0 && !is_absent(errno) && errno != ELOOP)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY, path);
    return 0;
}

static const char *part_from(const struct ending *e, const struct rm_output_parts *parts, size_t i,
                             char out[static PART_FROM_MAX])
{
    const struct base_task_id task = {e->id, parts->kind, (int32_t)i};
    char text[BASE_ID_TEXT_MAX], part[RM_OUTPUT_PART_MAX];

    snprintf(out, PART_FROM_MAX, "%s_%d/%s", base_task_id_text(&task, text), parts->attempts[i],
             rm_output_part(i, part));
    return out;
}

static bool is_at_place(const struct ending *e, size_t i)
{
    char part[RM_OUTPUT_PART_MAX];
    struct stat st;

    return fstatat(e->folder, rm_output_part(i, part), &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int missing_part(const struct ending *e, const struct rm_output_parts *parts, size_t i,
                        struct base_error *err)
{
    const struct base_task_id task = {e->id, parts->kind, (int32_t)i};
    char text[BASE_ID_TEXT_MAX], from[PART_FROM_MAX];

    return base_error_set(err, -BASE_ENOTFOUND,
                          "job.output: %s/" TEMPORARY "/%s, the output of %s, is missing", e->path,
                          part_from(e, parts, i, from), base_task_id_text(&task, text));
}

/* Finds part i: 1: it waits in its attempt's folder, with *@inode; 0: it was taken before. */
static int find_part(const struct ending *e, const struct rm_output_parts *parts, size_t i,
                     uint64_t *inode, struct base_error *err)
{
    char from[PART_FROM_MAX];
    struct stat st;

    part_from(e, parts, i, from);
    if (e->temporary >= 0 && fstatat(e->temporary, from, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        *inode = st.st_ino;
        return 1;
    }
    if (e->temporary >= 0 && !is_absent(errno))
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY "/%s", e->path,
                              from);
    return is_at_place(e, i) ? 0 : missing_part(e, parts, i, err);
}

static int load_taken(const struct ending *e, struct rm_output_taken *taken, struct base_error *err)
{
    *taken = (struct rm_output_taken){0};
    return e->temporary < 0 ? 0
                            : rm_output_taken_load(e->temporary, e->id, BASE_TASKS_MAX, taken, err);
}

/* Writes down what is going to be taken. A commit that is repeated goes on with its list, in which
 * a part that was taken before stands already; one at its place that is not in it was never this
 * commit's. Nothing is taken unless every part is there. */
static int announce_parts(const struct ending *e, const struct rm_output_parts *parts,
                          struct base_error *err)
{
    struct rm_output_taken taken;
    bool changed = false;
    int rc = load_taken(e, &taken, err);

    if (rc == 0 && !taken.is_there) {
        taken.n = parts->n;
        taken.inodes = base_alloc((parts->n ? parts->n : 1) * sizeof *taken.inodes);
    }
    for (size_t i = 0; rc >= 0 && i < parts->n; i++) {
        uint64_t inode = 0;

        rc = find_part(e, parts, i, &inode, err);
        if (rc == 1 && taken.inodes[i] != inode) {
            taken.inodes[i] = inode;
            changed = true;
        }
    }
    if (rc >= 0 && changed)
        rc = rm_output_taken_save(e->temporary, e->id, &taken, err);
    rm_output_taken_free(&taken);
    return rc < 0 ? rc : 0;
}

/* The part of the attempt that counts to its place. One that is absent was taken before, or somebody
 * has removed it since it was announced: a commit of many parts takes minutes. */
static int take_part(const struct ending *e, const struct rm_output_parts *parts, size_t i,
                     struct base_error *err)
{
    char from[PART_FROM_MAX], part[RM_OUTPUT_PART_MAX];

    part_from(e, parts, i, from);
    if (e->temporary >= 0 &&
        renameat(e->temporary, from, e->folder, rm_output_part(i, part)) == 0)
        return 0;
    if (e->temporary < 0 || is_absent(errno))
        return is_at_place(e, i) ? 0 : missing_part(e, parts, i, err);
    return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY "/%s", e->path, from);
}

static int remove_temporary(const char *path, struct base_error *err)
{
    char *temporary = base_printf("%s/" TEMPORARY, path);
    int rc = base_rmtree(temporary, err);

    free(temporary);
    return rc;
}

/* All of _temporary but the job's mark and the list of what was taken. */
static int remove_attempts(const struct ending *e, struct base_error *err)
{
    char mark[BASE_ID_TEXT_MAX], list[RM_OUTPUT_TAKEN_MAX];
    const struct dirent *d;
    DIR *dir;
    int rc = 0, fd;

    if (e->temporary < 0)
        return 0;
    fd = openat(e->temporary, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        rc = base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY, e->path);
        if (fd >= 0)
            close(fd);
        return rc;
    }
    base_app_id_text(&e->id, mark);
    rm_output_taken_name(e->id, list);
    while (rc == 0 && (d = readdir(dir)) != NULL) {
        char *entry;

        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
            strcmp(d->d_name, mark) == 0 || strcmp(d->d_name, list) == 0)
            continue;
        entry = base_printf("%s/" TEMPORARY "/%s", e->path, d->d_name);
        rc = base_rmtree(entry, err);
        free(entry);
    }
    closedir(dir);
    return rc;
}

/* Empty, and never missing once it was there: people wait for it. What is no plain file is
 * replaced. */
static int write_success(const struct ending *e, struct base_error *err)
{
    int fd = base_plain_open(e->folder, SUCCESS, O_WRONLY | O_CREAT | O_TRUNC, 0644, NULL), rc = 0;

    if (fd == -BASE_PLAIN_OTHER && unlinkat(e->folder, SUCCESS, 0) == 0)
        fd = base_plain_open(e->folder, SUCCESS, O_WRONLY | O_CREAT | O_EXCL, 0644, NULL);
    if (fd == -BASE_PLAIN_OTHER)
        return base_error_set(err, -BASE_EIO, "job.output: %s/" SUCCESS ": %s", e->path,
                              base_plain_text(fd));
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, -fd, "job.output: %s/" SUCCESS, e->path);
    rc = sync_fd(fd, e->path, err);
    close(fd);
    return rc == 0 ? sync_fd(e->folder, e->path, err) : rc;
}

/* The list goes when all is done: until then an abort can take everything back. */
static int commit(const struct ending *e, const struct rm_output_parts *parts,
                  struct base_error *err)
{
    struct base_error left;
    int rc;

    if (is_anothers(e->folder, e->id))
        return base_error_set(err, -BASE_EEXIST, "job.output: %s is another job's by now", e->path);
    rc = announce_parts(e, parts, err);
    for (size_t i = 0; rc == 0 && i < parts->n; i++)
        rc = take_part(e, parts, i, err);
    if (rc == 0)
        rc = sync_fd(e->folder, e->path, err); /* before the other names go */
    /* The output is whole: what cannot be cleared away stays, as a file that an attempt still has
     * open on NFS. */
    if (rc == 0 && remove_attempts(e, &left) < 0)
        base_log_warn("jobs", "clearing away before the end of a commit: %s", left.text);
    if (rc == 0)
        rc = write_success(e, err);
    if (rc == 0 && remove_temporary(e->path, &left) < 0)
        base_log_warn("jobs", "clearing away after a commit: %s", left.text);
    return rc;
}

int rm_output_commit(const char *output, struct base_app_id id, const struct rm_output_parts *parts,
                     struct base_error *err)
{
    struct ending e = {.folder = -1, .temporary = -1};
    char *path;
    int rc = rm_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    rc = ending_open(&e, path, id, err);
    if (rc == 0)
        rc = commit(&e, parts, err);
    ending_close(&e);
    free(path);
    return rc;
}

/* What a commit that did not come to its end has put into the folder. The list of it goes with
 * _temporary, afterwards. */
static int take_back(const struct ending *e, struct base_error *err)
{
    struct rm_output_taken taken;
    struct stat st;
    int rc = load_taken(e, &taken, err);

    if (rc == 0 && taken.is_there) {
        if (fstatat(e->folder, SUCCESS, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
            st.st_size == 0 && unlinkat(e->folder, SUCCESS, 0) < 0 && errno != ENOENT)
            rc = base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" SUCCESS, e->path);
        if (rc == 0)
            rc = rm_output_taken_remove(e->folder, &taken, err);
    }
    rm_output_taken_free(&taken);
    return rc;
}

static int abort_in(const struct ending *e, struct base_error *err)
{
    int rc;

    if (is_anothers(e->folder, e->id))
        return 0;
    rc = take_back(e, err);
    if (rc == 0)
        rc = remove_temporary(e->path, err);
    if (rc < 0)
        return rc;
    if (rmdir(e->path) < 0 && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s", e->path);
    return sync_parent(e->path, err);
}

int rm_output_abort(const char *output, struct base_app_id id, struct base_error *err)
{
    struct ending e = {.folder = -1, .temporary = -1};
    char *path;
    int rc = rm_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    rc = ending_open(&e, path, id, err);
    if (rc == 0)
        rc = abort_in(&e, err);
    else if (rc == -BASE_ENOTFOUND)
        rc = 0;
    ending_close(&e);
    free(path);
    return rc;
}

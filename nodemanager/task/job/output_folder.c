#include "nodemanager/task/job/output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf/file_path.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/limits.h"
#include "base/mem.h"
#include "nodemanager/task/job/output_staging.h"
#include "nodemanager/task/job/output_taken.h"

#define TEMPORARY     TASK_OUTPUT_TEMPORARY
#define SUCCESS       "_SUCCESS"
#define PART_FROM_MAX (BASE_ID_TEXT_MAX + 64)

static int parse_output_path(const char *output, char **out, struct base_error *err)
{
    int rc = base_file_path_parse(output, out, err);

    if (rc < 0)
        return base_error_wrap(err, rc, "job.output");
    base_file_path_strip_trailing_slashes(*out);
    return 0;
}

static int report_not_writable(const char *path, int sys, struct base_error *err)
{
    char user[BASE_USER_NAME_MAX];

    return base_error_set(err, -BASE_EINVAL, "job.output: %s cannot be written by user %s: %s",
                          path, base_effective_user_name(user), strerror(sys));
}

static int check_parent_folder(const char *path, struct base_error *err)
{
    char *parent = task_output_name_parent(path);
    struct stat st;
    int rc = 0;

    if (stat(parent, &st) < 0)
        rc = base_error_set(err, -BASE_EINVAL, "job.output: folder %s: %s", parent,
                            errno == ENOENT ? "does not exist" : strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        rc = base_error_set(err, -BASE_EINVAL, "job.output: %s is not a folder", parent);
    else if (access(parent, W_OK | X_OK) < 0)
        rc = report_not_writable(parent, errno, err);
    free(parent);
    return rc;
}

/* ---- durable names ---- */

static int fsync_folder_fd(int fd, const char *path, struct base_error *err)
{
    return fsync(fd) == 0 ? 0 : base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
}

/* ---- ownership ---- */

static void format_mark_path(struct base_app_id id, char out[BASE_ID_TEXT_MAX + 16])
{
    char text[BASE_ID_TEXT_MAX];

    snprintf(out, BASE_ID_TEXT_MAX + 16, TEMPORARY "/%s", base_app_id_text(&id, text));
}

/* Returns true when the folder carries the mark of job @id. */
static bool has_mark_of_job(int folder, struct base_app_id id)
{
    char mark[BASE_ID_TEXT_MAX + 16];

    format_mark_path(id, mark);
    return faccessat(folder, mark, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Returns true when the folder carries another job's mark and not that of job @id. A folder without
 * any mark was created by an older version of Creel, or its commit is almost complete. */
static bool is_owned_by_other_job(int folder, struct base_app_id id)
{
    struct base_app_id other;
    const struct dirent *e;
    bool found = false;
    DIR *d;
    int fd;

    if (has_mark_of_job(folder, id))
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

/* ---- creation ---- */

/* The folder is made complete, with its mark, under another name (output_staging.h), and then gets
 * its own: so a folder without the job's mark was not made by this job, even if an attempt was
 * killed half way. */
static int mark_folder(int folder, const char *path, struct base_app_id id, struct base_error *err)
{
    char mark[BASE_ID_TEXT_MAX + 16];
    int fd, rc;

    format_mark_path(id, mark);
    if (mkdirat(folder, TEMPORARY, 0755) < 0 && errno != EEXIST)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY, path);
    fd = openat(folder, mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/%s", path, mark);
    close(fd);
    fd = openat(folder, TEMPORARY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY, path);
    rc = fsync_folder_fd(fd, path, err);
    close(fd);
    return rc == 0 ? fsync_folder_fd(folder, path, err) : rc;
}

/* Returns 1 when the folder exists with the job's mark, 0 when it does not exist, -BASE_EEXIST when
 * it exists without the mark, or -BASE_EIO. */
static int has_folder_of_job(const char *path, struct base_app_id id, struct base_error *err)
{
    struct stat st;
    bool ours, others;
    int fd;

    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : base_error_sys(err, -BASE_EIO, errno, "job.output: %s", path);
    fd = task_output_open_own(path);
    ours = fd >= 0 && has_mark_of_job(fd, id);
    others = fd >= 0 && is_owned_by_other_job(fd, id);
    if (fd >= 0)
        close(fd);
    if (ours)
        return 1;
    return base_error_set(err, -BASE_EEXIST, "job.output: %s already exists%s", path,
                          others ? " and belongs to another job" : "");
}

static int make_folder(const char *path, struct base_app_id id, struct base_error *err)
{
    struct task_staging staging;
    int sys = 0, rc = task_staging_make(path, id, &staging, err);

    if (rc == 0)
        rc = mark_folder(staging.fd, staging.path, id, err);
    if (rc == 0)
        sys = task_staging_rename(&staging, path);
    if (rc == 0 && sys < 0) { /* unless another attempt of this job was quicker */
        rc = has_folder_of_job(path, id, err);
        if (rc == 0)
            rc = base_error_sys(err, -BASE_EIO, -sys, "job.output: %s", path);
        else if (rc < 0)
            task_staging_remove(&staging, id);
    }
    task_staging_free(&staging);
    return rc < 0 ? rc : task_output_fsync_parent(path, err);
}

int task_output_check_creatable(const char *output, struct base_app_id id, struct base_error *err)
{
    struct stat st;
    char *path = NULL;
    int rc = parse_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    if (lstat(path, &st) == 0)
        rc = has_folder_of_job(path, id, err);
    else if (errno == EACCES)
        rc = report_not_writable(path, errno, err);
    else if (errno != ENOENT && errno != ENOTDIR)
        rc = base_error_sys(err, -BASE_EINVAL, errno, "job.output: %s", path);
    else
        rc = check_parent_folder(path, err);
    free(path);
    return rc < 0 ? rc : 0;
}

int task_output_create_folder(const char *output, struct base_app_id id, struct base_error *err)
{
    char *path;
    int rc = parse_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    rc = has_folder_of_job(path, id, err);
    if (rc == 0)
        rc = make_folder(path, id, err);
    free(path);
    return rc < 0 ? rc : 0;
}

/* ---- commit and abort ---- */

/* An output folder that is being committed or aborted. */
struct ending {
    const char *path;
    int folder, temporary; /* temporary: -1 when there is none */
    struct base_app_id id;
};

static bool errno_means_absent(int sys)
{
    return sys == ENOENT || sys == ENOTDIR;
}

static void close_output_folders(struct ending *e)
{
    if (e->temporary >= 0)
        close(e->temporary);
    if (e->folder >= 0)
        close(e->folder);
}

/* Opens the folders. Returns 0, -BASE_EIO, or -BASE_ENOTFOUND when the output folder does not
 * exist, or cannot be that of this job, since it is a link or belongs to another user. Call
 * close_output_folders() also after an error. */
static int open_output_folders(struct ending *e, const char *path, struct base_app_id id,
                               struct base_error *err)
{
    *e = (struct ending){.path = path, .id = id, .temporary = -1};
    e->folder = task_output_open_own(path);
    if (e->folder == -EPERM)
        return base_error_set(err, -BASE_ENOTFOUND, "job.output: %s belongs to another user", path);
    if (e->folder == -ELOOP)
        return base_error_set(err, -BASE_ENOTFOUND, "job.output: %s is a link by now", path);
    if (e->folder < 0)
        return base_error_sys(err, errno_means_absent(-e->folder) ? -BASE_ENOTFOUND : -BASE_EIO,
                              -e->folder, "job.output: %s", path);
    e->temporary = openat(e->folder, TEMPORARY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (e->temporary < 0 && !errno_means_absent(errno) && errno != ELOOP)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY, path);
    return 0;
}

static const char *format_attempt_part_path(const struct ending *e,
                                            const struct task_output_parts *parts, size_t i,
                                            char out[static PART_FROM_MAX])
{
    const struct base_task_id task = {e->id, parts->kind, (int32_t)i};
    char text[BASE_ID_TEXT_MAX], part[TASK_OUTPUT_PART_MAX];

    snprintf(out, PART_FROM_MAX, "%s_%d/%s", base_task_id_text(&task, text), parts->attempts[i],
             task_output_format_part_name(i, part));
    return out;
}

static bool part_is_in_place(const struct ending *e, size_t i)
{
    char part[TASK_OUTPUT_PART_MAX];
    struct stat st;

    return fstatat(e->folder, task_output_format_part_name(i, part), &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int report_missing_part(const struct ending *e, const struct task_output_parts *parts,
                               size_t i, struct base_error *err)
{
    const struct base_task_id task = {e->id, parts->kind, (int32_t)i};
    char text[BASE_ID_TEXT_MAX], from[PART_FROM_MAX];

    return base_error_set(
        err, -BASE_ENOTFOUND, "job.output: %s/" TEMPORARY "/%s, the output of %s, is missing",
        e->path, format_attempt_part_path(e, parts, i, from), base_task_id_text(&task, text));
}

/* Finds part @i. Returns 1 and sets *@inode when the part is still in its attempt's folder, 0 when
 * it is in place already, or a negative BASE_E*. */
static int find_part(const struct ending *e, const struct task_output_parts *parts, size_t i,
                     uint64_t *inode, struct base_error *err)
{
    char from[PART_FROM_MAX];
    struct stat st;

    format_attempt_part_path(e, parts, i, from);
    if (e->temporary >= 0 && fstatat(e->temporary, from, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        *inode = st.st_ino;
        return 1;
    }
    if (e->temporary >= 0 && !errno_means_absent(errno))
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY "/%s", e->path,
                              from);
    return part_is_in_place(e, i) ? 0 : report_missing_part(e, parts, i, err);
}

static int load_taken_list(const struct ending *e, struct task_output_taken *taken,
                           struct base_error *err)
{
    *taken = (struct task_output_taken){0};
    return e->temporary < 0
               ? 0
               : task_output_taken_load_list(e->temporary, e->id, BASE_TASKS_MAX, taken, err);
}

/* Checks that every part exists, and records which ones this commit will move; nothing is moved
 * unless all parts exist. A repeated commit extends its list, which names the parts that were moved
 * before. A part in place that is not in the list was not moved by this commit. */
static int record_parts_to_take(const struct ending *e, const struct task_output_parts *parts,
                                struct base_error *err)
{
    struct task_output_taken taken;
    bool changed = false;
    int rc = load_taken_list(e, &taken, err);

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
        rc = task_output_taken_save_list(e->temporary, e->id, &taken, err);
    task_output_taken_free(&taken);
    return rc < 0 ? rc : 0;
}

/* Moves part @i of the attempt that counts into place. If it is absent, either it was moved before,
 * or a user has removed it since it was recorded: a commit of many parts can take minutes. */
static int move_part_into_place(const struct ending *e, const struct task_output_parts *parts,
                                size_t i, struct base_error *err)
{
    char from[PART_FROM_MAX], part[TASK_OUTPUT_PART_MAX];

    format_attempt_part_path(e, parts, i, from);
    if (e->temporary >= 0 &&
        renameat(e->temporary, from, e->folder, task_output_format_part_name(i, part)) == 0)
        return 0;
    if (e->temporary < 0 || errno_means_absent(errno))
        return part_is_in_place(e, i) ? 0 : report_missing_part(e, parts, i, err);
    return base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" TEMPORARY "/%s", e->path, from);
}

/* Removes everything from _temporary except the job's mark and the list of moved parts. */
static int remove_attempt_folders(const struct ending *e, struct base_error *err)
{
    char mark[BASE_ID_TEXT_MAX], list[TASK_OUTPUT_TAKEN_MAX];
    const char *kept[2];
    char *path;
    int rc;

    if (e->temporary < 0)
        return 0;
    kept[0] = base_app_id_text(&e->id, mark);
    kept[1] = task_output_taken_format_list_name(e->id, list);
    path = base_printf("%s/" TEMPORARY, e->path);
    rc = base_rmtree_entries(e->temporary, path, kept, 2, err);
    free(path);
    return rc;
}

/* Writes the empty _SUCCESS. Users wait for it, so it must never disappear once it exists. Replaces
 * a link, a file with several names or a special file of that name; fails when it is a folder. */
static int write_success_file(const struct ending *e, struct base_error *err)
{
    int fd = base_plain_open(e->folder, SUCCESS, O_WRONLY | O_CREAT | O_TRUNC, 0644, NULL), rc = 0;

    if (fd == -BASE_PLAIN_OTHER && unlinkat(e->folder, SUCCESS, 0) == 0)
        fd = base_plain_open(e->folder, SUCCESS, O_WRONLY | O_CREAT | O_EXCL, 0644, NULL);
    if (fd == -BASE_PLAIN_OTHER)
        return base_error_set(err, -BASE_EIO, "job.output: %s/" SUCCESS ": %s", e->path,
                              base_plain_open_strerror(fd));
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, -fd, "job.output: %s/" SUCCESS, e->path);
    rc = fsync_folder_fd(fd, e->path, err);
    close(fd);
    return rc == 0 ? fsync_folder_fd(e->folder, e->path, err) : rc;
}

/* Commits in an order that survives a crash at any point: record the parts, move them, make the
 * moves durable, write _SUCCESS. The list is removed last, with _temporary, so that an abort can
 * undo everything until then. */
static int commit_parts(const struct ending *e, const struct task_output_parts *parts,
                        struct base_error *err)
{
    struct base_error left;
    int rc;

    if (is_owned_by_other_job(e->folder, e->id))
        return base_error_set(err, -BASE_EEXIST, "job.output: %s belongs to another job by now",
                              e->path);
    rc = record_parts_to_take(e, parts, err);
    for (size_t i = 0; rc == 0 && i < parts->n; i++)
        rc = move_part_into_place(e, parts, i, err);
    if (rc == 0)
        rc = fsync_folder_fd(e->folder, e->path, err); /* before attempt folders are removed */
    /* The output is complete. A file that cannot be removed is left, such as one on NFS that an
     * attempt still has open. */
    if (rc == 0 && remove_attempt_folders(e, &left) < 0)
        base_log_warn("jobs", "removing attempt folders during a commit: %s", left.text);
    if (rc == 0)
        rc = write_success_file(e, err);
    if (rc == 0 && task_staging_remove_temporary(e->folder, e->path, e->id, false, &left) < 0)
        base_log_warn("jobs", "removing _temporary after a commit: %s", left.text);
    return rc;
}

int task_output_commit_parts(const char *output, struct base_app_id id,
                             const struct task_output_parts *parts, struct base_error *err)
{
    struct ending e = {.folder = -1, .temporary = -1};
    char *path;
    int rc = parse_output_path(output, &path, err);

    if (rc < 0)
        return rc;
    rc = open_output_folders(&e, path, id, err);
    if (rc == 0)
        rc = commit_parts(&e, parts, err);
    close_output_folders(&e);
    free(path);
    return rc;
}

static bool has_success_file(int folder)
{
    struct stat st;

    return fstatat(folder, SUCCESS, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == 0;
}

/* Removes the files that an incomplete commit has moved into the folder. */
static int undo_partial_commit(const struct ending *e, struct base_error *err)
{
    struct task_output_taken taken;
    int rc = load_taken_list(e, &taken, err);

    if (rc == 0 && taken.is_there) {
        if (has_success_file(e->folder) && unlinkat(e->folder, SUCCESS, 0) < 0 && errno != ENOENT)
            rc = base_error_sys(err, -BASE_EIO, errno, "job.output: %s/" SUCCESS, e->path);
        if (rc == 0)
            rc = task_output_taken_remove_parts(e->folder, &taken, err);
    }
    task_output_taken_free(&taken);
    return rc;
}

static int abort_job_in_folder(const struct ending *e, bool *complete, struct base_error *err)
{
    int rc;

    if (!has_mark_of_job(e->folder, e->id)) {
        *complete = has_success_file(e->folder) && part_is_in_place(e, 0) &&
                    !is_owned_by_other_job(e->folder, e->id);
        return 0;
    }
    rc = undo_partial_commit(e, err);
    if (rc == 0)
        rc = remove_attempt_folders(e, err);
    return rc == 0 ? task_staging_remove_temporary(e->folder, e->path, e->id, true, err) : rc;
}

int task_output_abort_job(const char *output, struct base_app_id id, bool *complete,
                          struct base_error *err)
{
    struct ending e = {.folder = -1, .temporary = -1};
    char *path;
    int rc = parse_output_path(output, &path, err);

    *complete = false;
    if (rc < 0)
        return rc;
    rc = task_staging_remove_left(path, id, true, err);
    if (rc == 0)
        rc = open_output_folders(&e, path, id, err);
    if (rc == 0)
        rc = abort_job_in_folder(&e, complete, err);
    else if (rc == -BASE_ENOTFOUND)
        rc = 0;
    close_output_folders(&e);
    free(path);
    return rc;
}

#include "rm/rm_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"
#include "base/base_mem.h"
#include "rm/rm_input.h"

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

/* "<output>/@name", or <output> itself when @name is empty; caller frees. */
static int below(const char *output, const char *name, char **out, struct base_error *err)
{
    char *path = NULL;
    int rc = rm_output_path(output, &path, err);

    if (rc == 0)
        *out = base_printf("%s%s%s", path, name[0] != '\0' ? "/" : "", name);
    free(path);
    return rc;
}

static int make_below(const char *output, const char *name, bool again, struct base_error *err)
{
    char *path;
    int rc = below(output, name, &path, err);

    if (rc < 0)
        return rc;
    rc = make_folder(path, again, err);
    free(path);
    return rc;
}

int rm_output_setup(const char *output, bool again, struct base_error *err)
{
    int rc = make_below(output, "", again, err);

    return rc == 0 ? make_below(output, "_temporary", again, err) : rc;
}

int rm_output_abort(const char *output, struct base_error *err)
{
    char *temporary;
    int rc = below(output, "_temporary", &temporary, err);

    if (rc < 0)
        return rc;
    rc = base_rmtree(temporary, err);
    free(temporary);
    return rc;
}

int rm_output_commit(const char *output, struct base_error *err)
{
    char *success;
    int rc = rm_output_abort(output, err);

    if (rc == 0)
        rc = below(output, "_SUCCESS", &success, err);
    if (rc < 0)
        return rc;
    rc = base_file_write_atomic(success, "", 0, 0644, true, err);
    free(success);
    return rc;
}

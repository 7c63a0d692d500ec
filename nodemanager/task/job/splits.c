#include "nodemanager/task/job/splits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf/file_path.h"
#include "base/io/io.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"

struct file {
    char *path;
    int64_t size;
};
#define SPLIT_STORED_MIN 10 /* least number of bytes that a split takes in the job's record */

struct files { /* the files of one input, and what all inputs have cost so far */
    struct file *v;
    size_t len, cap, bytes; /* bytes: total length of their paths */
    const struct task_input_bounds *bounds;
    int64_t entries;
    struct base_error over; /* code and message once a bound was reached */
};

static void files_clear(struct files *f)
{
    for (size_t i = 0; i < f->len; i++)
        free(f->v[i].path);
    f->len = f->bytes = 0;
}

/* ---- files ---- */

static int report_unreadable(const char *path, int sys, struct base_error *err)
{
    char user[BASE_USER_NAME_MAX];

    if (sys == ENOENT || sys == ENOTDIR)
        return base_error_set(err, -BASE_EINVAL, "%s does not exist", path);
    if (sys == EACCES || sys == EPERM)
        return base_error_set(err, -BASE_EINVAL, "%s cannot be read by user %s: %s", path,
                              base_effective_user_name(user), strerror(sys));
    if (sys == ELOOP || sys == ENAMETOOLONG)
        return base_error_set(err, -BASE_EINVAL, "%s cannot be read: %s", path, strerror(sys));
    return base_error_sys(err, -BASE_EIO, sys, "%s", path);
}

/* Counts one directory entry against the bounds. Returns 0, or a negative BASE_E*, which then stays
 * the result of all further calls. */
static int count_entry_within_limits(struct files *f, struct base_error *err)
{
    int64_t max = f->bounds->entries_max ? f->bounds->entries_max : TASK_INPUT_ENTRIES_MAX;

    if (f->over.code == 0 && ++f->entries > max)
        base_error_set(&f->over, -BASE_ELIMIT,
                       "more than %lld names had to be looked at, which is the limit: name fewer "
                       "folders or a narrower "
                       "pattern",
                       (long long)max);
    else if (f->over.code == 0 && f->bounds->check != NULL)
        f->over.code = f->bounds->check(f->bounds->user, &f->over);
    if (f->over.code < 0 && err != NULL)
        *err = f->over;
    return f->over.code;
}

static int add_file(struct files *f, const char *path, const struct stat *st,
                    struct base_error *err)
{
    if (f->len >= TASK_INPUT_FILES_MAX)
        return base_error_set(err, -BASE_ELIMIT, "more than %d files", TASK_INPUT_FILES_MAX);
    f->bytes += strlen(path);
    if (f->bytes > BASE_RECORD_MAX)
        return base_error_set(err, -BASE_ETOOLARGE,
                              "the names of its files take more than %d bytes to store",
                              BASE_RECORD_MAX);
    if (base_file_path_check_utf8(path, err) < 0)
        return -BASE_EINVAL;
    if (access(path, R_OK) < 0)
        return report_unreadable(path, errno, err);
    base_array_grow(&f->v, f->len, &f->cap);
    f->v[f->len++] = (struct file){base_strdup(path), st->st_size};
    return 0;
}

static int add_files_in_folder(struct files *f, const char *path, struct base_error *err)
{
    DIR *d = opendir(path);
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    const struct dirent *e;
    int rc = 0;

    if (d == NULL)
        return report_unreadable(path, errno, err);
    while (rc == 0 && (errno = 0, e = readdir(d)) != NULL) {
        struct stat st;
        char *name;

        rc = count_entry_within_limits(f, err);
        if (rc < 0 || e->d_name[0] == '.' || e->d_name[0] == '_' || e->d_type == DT_DIR)
            continue;
        name = base_printf("%s%s%s", path, slash, e->d_name);
        if (stat(name, &st) < 0)
            rc = report_unreadable(name, errno, err);
        else if (S_ISREG(st.st_mode))
            rc = add_file(f, name, &st, err);
        free(name);
    }
    if (rc == 0 && errno != 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", path);
    closedir(d);
    return rc;
}

static int add_files_at_path(struct files *f, const char *path, struct base_error *err)
{
    struct stat st;
    int rc = count_entry_within_limits(f, err);

    if (rc < 0)
        return rc;
    if (stat(path, &st) < 0)
        return report_unreadable(path, errno, err);
    if (S_ISDIR(st.st_mode))
        return add_files_in_folder(f, path, err);
    if (!S_ISREG(st.st_mode))
        return base_error_set(err, -BASE_EINVAL, "%s is neither a file nor a folder", path);
    return add_file(f, path, &st, err);
}

/* Returns true when @path matched a wildcard, but has a hidden name, which add_files_in_folder()
 * would skip. A pattern that begins with the hidden character, such as "_*" or ".*", matches such
 * names. */
static bool is_hidden_match(const char *pattern, const char *path)
{
    const char *want = strrchr(pattern, '/') + 1, *have = strrchr(path, '/') + 1;

    return (have[0] == '.' || have[0] == '_') && want[0] != have[0];
}

/* ---- glob(3) under the bounds ---- A pattern such as a/b/c with wildcards in each part may read
 * every folder of a machine. glob() has no limit of its own, but reads folders through functions
 * that can be replaced. The functions below count entries and, once a bound is reached, fail with
 * ECANCELED, which makes glob() stop at the next folder because of GLOB_ERR. glob() passes them no
 * user argument, hence the thread-local variable. */
static _Thread_local struct files *globbing;

/* Charges one entry. Returns true and sets errno when a bound has been reached. */
static bool glob_must_stop(void)
{
    if (count_entry_within_limits(globbing, NULL) == 0)
        return false;
    errno = ECANCELED;
    return true;
}

static void *glob_opendir(const char *path)
{
    return glob_must_stop() ? NULL : opendir(path);
}

static struct dirent *glob_readdir(void *d)
{
    return glob_must_stop() ? NULL : readdir(d);
}

static void glob_closedir(void *d)
{
    closedir(d);
}

static int glob_stat(const char *path, struct stat *st)
{
    return glob_must_stop() ? -1 : stat(path, st);
}

static int glob_lstat(const char *path, struct stat *st)
{
    return glob_must_stop() ? -1 : lstat(path, st);
}

static int expand_glob(struct files *f, const char *pattern, glob_t *g, struct base_error *err)
{
    int rc, sys;

    *g = (glob_t){.gl_opendir = glob_opendir,
                  .gl_readdir = glob_readdir,
                  .gl_closedir = glob_closedir,
                  .gl_stat = glob_stat,
                  .gl_lstat = glob_lstat};
    globbing = f;
    rc = glob(pattern, GLOB_NOSORT | GLOB_ERR | GLOB_ALTDIRFUNC, NULL, g);
    sys = errno;
    globbing = NULL;
    if (f->over.code < 0) {
        *err = f->over;
        return base_error_wrap(err, f->over.code, "%s", pattern);
    }
    if (rc == GLOB_NOMATCH)
        return base_error_set(err, -BASE_EINVAL, "%s matches no file", pattern);
    if (rc == GLOB_NOSPACE)
        return base_error_set(err, -BASE_ENOMEM, "%s matches too much", pattern);
    return rc != 0 ? report_unreadable(pattern, sys, err) : 0;
}

static int add_matching_files(struct files *f, const char *pattern, struct base_error *err)
{
    glob_t g;
    bool seen = false;
    int rc = expand_glob(f, pattern, &g, err);

    for (size_t i = 0; rc == 0 && i < g.gl_pathc; i++) {
        if (is_hidden_match(pattern, g.gl_pathv[i]))
            continue;
        seen = true;
        rc = add_files_at_path(f, g.gl_pathv[i], err);
    }
    if (rc == 0 && !seen)
        rc = base_error_set(err, -BASE_EINVAL, "%s matches no file", pattern);
    globfree(&g);
    return rc;
}

static int compare_files_by_path(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static int add_input_files(struct files *f, const char *text, struct base_error *err)
{
    struct stat st;
    char *path;
    int rc = base_file_path_parse(text, &path, err);

    if (rc < 0)
        return rc;
    if (strpbrk(path, "*?[") != NULL && lstat(path, &st) < 0)
        rc = add_matching_files(f, path, err);
    else
        rc = add_files_at_path(f, path, err);
    free(path);
    if (rc == 0 && f->len > 1)
        qsort(f->v, f->len, sizeof *f->v, compare_files_by_path);
    return rc;
}

/* ---- splits ---- */

static int add_split(struct task_input *in, int64_t offset, int64_t length, bool gzip,
                     struct base_error *err)
{
    if (in->splits_len >= BASE_TASKS_MAX)
        return base_error_set(err, -BASE_ELIMIT,
                              "more than %d splits: a larger split-size is needed", BASE_TASKS_MAX);
    base_array_grow(&in->splits, in->splits_len, &in->splits_cap);
    in->splits[in->splits_len++] =
        (struct task_input_split){(uint32_t)(in->paths_len - 1), offset, length, gzip};
    return 0;
}

/* Returns 1 for a gzip file (by name and magic number), 0 for any other, or a negative BASE_E* when
 * the file cannot be opened. */
static int is_gzip_file(const char *path, struct base_error *err)
{
    size_t len = strlen(path);
    unsigned char magic[2] = {0, 0};
    ssize_t n;
    int fd;

    if (len < 3 || strcmp(path + len - 3, ".gz") != 0)
        return 0;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return report_unreadable(path, errno, err);
    n = read(fd, magic, sizeof magic);
    close(fd);
    return n == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

static int split_file(struct task_input *in, const struct file *f, int64_t split_size,
                      struct base_error *err)
{
    int64_t offset = 0;
    int rc = is_gzip_file(f->path, err);

    if (rc != 0)
        return rc < 0 ? rc : add_split(in, 0, f->size, true, err);
    /* while the rest is larger than 1.1 * split_size; written so that nothing overflows */
    while (rc == 0 && f->size - offset > split_size &&
           f->size - offset - split_size > split_size / 10) {
        rc = add_split(in, offset, split_size, false, err);
        offset += split_size;
    }
    return rc == 0 ? add_split(in, offset, f->size - offset, false, err) : rc;
}

static void append_path(struct task_input *in, const char *path)
{
    base_array_grow(&in->paths, in->paths_len, &in->paths_cap);
    in->paths[in->paths_len++] = base_strdup(path);
    in->stored += strlen(path) + 2;
}

/* Refuses a list that is too large to be stored with the job, even before it is complete. */
static int check_stored_size(const struct task_input *in, struct base_error *err)
{
    size_t least = in->stored + in->splits_len * SPLIT_STORED_MIN;

    if (least <= BASE_RECORD_MAX)
        return 0;
    return base_error_set(err, -BASE_ETOOLARGE,
                          "the list of files and splits takes more than %d bytes to store (%zu so "
                          "far): fewer inputs or a larger "
                          "split-size are needed",
                          BASE_RECORD_MAX, least);
}

static int append_file_splits(struct task_input *in, const struct files *f, int64_t split_size,
                              char **first_empty, struct base_error *err)
{
    int rc = 0;

    if (in->paths_len + f->len > TASK_INPUT_FILES_MAX)
        return base_error_set(err, -BASE_ELIMIT, "more than %d files", TASK_INPUT_FILES_MAX);
    for (size_t i = 0; rc == 0 && i < f->len; i++) {
        if (f->v[i].size == 0) {
            if (*first_empty == NULL)
                *first_empty = base_strdup(f->v[i].path);
            continue;
        }
        in->bytes += f->v[i].size;
        append_path(in, f->v[i].path);
        rc = split_file(in, &f->v[i], split_size, err);
        if (rc == 0)
            rc = check_stored_size(in, err);
    }
    return rc;
}

struct entry {
    char *path; /* without trailing slashes */
    size_t at;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = strcmp(x->path, y->path);

    return c ? c : (x->at > y->at) - (x->at < y->at);
}

/* Sets @again[i] for each input with the same path as an earlier one. Texts that are not paths are
 * left for add_input_files() to refuse. */
static void mark_repeated_inputs(const char *const *inputs, size_t n, bool *again)
{
    struct entry *v = base_alloc(n * sizeof *v);
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (base_file_path_parse(inputs[i], &v[k].path, NULL) < 0)
            continue;
        base_file_path_strip_trailing_slashes(v[k].path);
        v[k++].at = i;
    }
    qsort(v, k, sizeof *v, compare_entries);
    for (size_t i = 1; i < k; i++)
        again[v[i].at] = strcmp(v[i].path, v[i - 1].path) == 0;
    for (size_t i = 0; i < k; i++)
        free(v[i].path);
    free(v);
}

int task_input_find_splits(const char *const *inputs, size_t n, int64_t split_size,
                           const struct task_input_bounds *bounds, struct task_input *out,
                           struct base_error *err)
{
    static const struct task_input_bounds usual = {0};
    struct files files = {.bounds = bounds != NULL ? bounds : &usual};
    char *first_empty = NULL;
    bool *again;
    int rc = 0;

    memset(out, 0, sizeof *out);
    if (split_size < TASK_INPUT_SPLIT_MIN)
        return base_error_set(err, -BASE_EINVAL, "job.split-size: %lld is not at least %d",
                              (long long)split_size, TASK_INPUT_SPLIT_MIN);
    if (n == 0)
        return base_error_set(err, -BASE_EINVAL,
                              "job.input: at least one file, folder or pattern is needed");
    if (n > BASE_INPUTS_MAX)
        return base_error_set(err, -BASE_ELIMIT, "job.input: %zu entries, at most %d are allowed",
                              n, BASE_INPUTS_MAX);
    again = base_alloc(n * sizeof *again);
    mark_repeated_inputs(inputs, n, again);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (again[i])
            continue;
        rc = add_input_files(&files, inputs[i], err);
        if (rc == 0)
            rc = append_file_splits(out, &files, split_size, &first_empty, err);
        if (rc < 0)
            base_error_wrap(err, rc, "job.input[%zu]", i);
        files_clear(&files);
    }
    if (rc == 0 && out->splits_len == 0 && first_empty != NULL) {
        append_path(out, first_empty);
        rc = add_split(out, 0, 0, false, err);
    } else if (rc == 0 && out->splits_len == 0) {
        rc = base_error_set(err, -BASE_EINVAL, "job.input: there are no files");
    }
    free(again);
    free(first_empty);
    free(files.v);
    if (rc < 0)
        task_input_free(out);
    return rc;
}

void task_input_free(struct task_input *in)
{
    for (size_t i = 0; i < in->paths_len; i++)
        free(in->paths[i]);
    free(in->paths);
    free(in->splits);
    memset(in, 0, sizeof *in);
}

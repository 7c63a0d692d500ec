#include "sim/report/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"

/* Names of the files that reports consist of, apart from pictures and data. Which of them a report
 * contains depends on the command that wrote it and on whether it has finished. */
static const char *const names[] = {"index.html", "summary.csv", "summary.json",  "jobs.csv",
                                    "jobs.json",  "RESULTS.md",  "manifest.json", NULL};

static bool is_named_report_file(const char *name)
{
    for (const char *const *n = names; *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    return false;
}

/* An index.html alone proves nothing: any web site has one. */
static bool identifies_report(const char *name)
{
    return is_named_report_file(name) && strcmp(name, "index.html") != 0;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);

    return n > e && strcmp(name + n - e, end) == 0;
}

static bool is_picture_file(const char *name)
{
    return ends_with(name, ".svg");
}

static bool is_picture_data_file(const char *name)
{
    return ends_with(name, ".dat") || ends_with(name, ".gp");
}

static bool is_report_file(const char *name)
{
    return is_named_report_file(name) || is_picture_file(name);
}

struct found {
    size_t all;
    bool report;
};

/* Counts the entries of @dir, sets out->report if one of them identifies a report, and removes the
 * regular files accepted by @doomed (NULL: removes none). A missing @dir, or one that is not a
 * folder, counts as empty. */
static int count_and_remove_files(const char *dir, bool (*doomed)(const char *name),
                                  struct found *out, struct base_error *err)
{
    DIR *d = opendir(dir);
    int rc = 0;

    *out = (struct found){0};
    if (!d)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : base_error_sys(err, -BASE_EIO, errno, "%s", dir);
    for (struct dirent *e; rc == 0 && (errno = 0, e = readdir(d));) {
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        out->all++;
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
            continue;
        out->report = out->report || identifies_report(e->d_name);
        if (doomed && doomed(e->d_name) && unlinkat(dirfd(d), e->d_name, 0) < 0)
            rc = base_error_sys(err, -BASE_EIO, errno, "%s/%s", dir, e->d_name);
    }
    closedir(d);
    return rc;
}

int sim_report_prepare_folder(const char *dir, bool force, struct base_error *err)
{
    struct found found, data;
    char *inner = base_printf("%s/data", dir);
    struct stat st;
    int rc = count_and_remove_files(dir, NULL, &found, err);

    if (rc == 0 && found.all > 0 && !force)
        rc = base_error_set(err, -BASE_EEXIST,
                            "--out: %s is not empty; --force replaces the report in it", dir);
    else if (rc == 0 && found.all > 0 && !found.report)
        rc = base_error_set(
            err, -BASE_EEXIST,
            "--out: %s contains something other than a report; choose another folder", dir);
    else if (rc == 0 && found.all > 0)
        rc = count_and_remove_files(dir, is_report_file, &found, err);
    if (rc == 0 && lstat(inner, &st) == 0 && S_ISDIR(st.st_mode))
        rc = count_and_remove_files(inner, is_picture_data_file, &data, err);
    free(inner);
    return rc < 0 ? rc : base_mkdirs(dir, 0755, err);
}

int sim_report_check_output_file(const char *option, const char *path, bool force,
                                 struct base_error *err)
{
    struct stat st;

    if (force || lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return 0;
    return base_error_set(err, -BASE_EEXIST, "%s: %s already exists; --force replaces it", option,
                          path);
}

#include "nodemanager/container/spare.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/plain.h"

/* The contents of a spare's folders. The files may contain old text: nm_spare_place() and the shim
 * overwrite them without emptying them first. */
static const struct {
    enum nm_spare_part part;
    const char *name;
    mode_t mode; /* 0: a folder */
} entries[NM_SPARE_KINDS][9] = {
    [NM_SPARE_APP] = {{NM_SPARE_LOGS, ".running", 0600},
                      {NM_SPARE_RECORD, "spec.json", 0600},
                      {NM_SPARE_RECORD, "forgotten", 0600}},
    [NM_SPARE_CONTAINER] = {{NM_SPARE_FILES, "work", 0},
                            {NM_SPARE_FILES, "launch.json", 0600},
                            {NM_SPARE_FILES, "token", 0600},
                            {NM_SPARE_LOGS, "stdout", 0640},
                            {NM_SPARE_LOGS, "stderr", 0640},
                            {NM_SPARE_RECORD, "launch.json", 0600},
                            {NM_SPARE_RECORD, "pid.json.tmp", 0600},
                            {NM_SPARE_RECORD, "exit.json.tmp", 0600}},
};

struct path {
    char text[2048 + 128];
};

static const char *format_spare_path(const struct nm_spares *s, int64_t number,
                                     enum nm_spare_part part, const char *name, struct path *p)
{
    static const char *const parts[NM_SPARE_PARTS] = {
        [NM_SPARE_LOGS] = "logs", [NM_SPARE_FILES] = "files", [NM_SPARE_RECORD] = "record"};
    snprintf(p->text, sizeof p->text, "%s/%lld.%s%s%s", s->dir, (long long)number, parts[part],
             name ? "/" : "", name ? name : "");
    return p->text;
}

static int create_folder(const char *at, struct base_error *err)
{
    return mkdir(at, 0700) < 0 ? base_error_sys(err, -BASE_EIO, errno, "%s", at) : 0;
}

static int create_file(const char *at, mode_t mode, struct base_error *err)
{
    int fd = open(at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", at);
    close(fd);
    return 0;
}

static int create_spare_part_folder(const struct nm_spares *s, enum nm_spare_kind kind,
                                    int64_t number, enum nm_spare_part part, struct base_error *err)
{
    struct path p;
    int rc = create_folder(format_spare_path(s, number, part, NULL, &p), err);
    if (rc == 0 && kind == NM_SPARE_APP && part != NM_SPARE_RECORD && s->app_mode &&
        chmod(p.text, s->app_mode) < 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", p.text);
    for (int i = 0; rc == 0 && entries[kind][i].name; i++) {
        if (entries[kind][i].part != part)
            continue;
        format_spare_path(s, number, part, entries[kind][i].name, &p);
        rc = entries[kind][i].mode ? create_file(p.text, entries[kind][i].mode, err)
                                   : create_folder(p.text, err);
    }
    return rc;
}

int nm_spare_make(struct nm_spares *s, enum nm_spare_kind kind, int64_t *number,
                  struct base_error *err)
{
    int rc = 0;
    *number = atomic_fetch_add(&s->last, 1) + 1;
    for (int part = 0; rc == 0 && part < NM_SPARE_PARTS; part++)
        rc = create_spare_part_folder(s, kind, *number, (enum nm_spare_part)part, err);
    if (rc < 0)
        nm_spare_discard(s, *number);
    return rc;
}

/* Overwrites a file and truncates it if the old text was longer. The file is never emptied first,
 * because some file systems then write to the disk at close. */
static int overwrite_file(const char *at, const struct nm_spare_text *t, struct base_error *err)
{
    struct stat st;
    int fd = base_plain_open(AT_FDCWD, at, O_WRONLY, 0, &st);
    if (fd < 0)
        return fd == -BASE_PLAIN_OTHER
                   ? base_error_set(err, -BASE_EIO, "%s: %s", at, base_plain_open_strerror(fd))
                   : base_error_sys(err, -BASE_EIO, -fd, "%s", at);
    int rc = base_write_all(fd, t->text, t->len);
    if (rc == 0 && st.st_size > (off_t)t->len && ftruncate(fd, (off_t)t->len) < 0)
        rc = -errno;
    close(fd);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "%s", at) : 0;
}

static bool errno_means_name_taken(int sys)
{
    return sys == ENOTEMPTY || sys == EEXIST;
}

static bool try_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

/* Renames; if a crash left something at @to, discards that first. */
static bool rename_over_leftover(const struct nm_spares *s, const char *from, const char *to)
{
    if (try_rename(from, to))
        return true;
    int sys = errno;
    if (errno_means_name_taken(sys) && s->discard(s->user, to))
        return try_rename(from, to);
    errno = sys;
    return false;
}

/* The order makes a crash harmless: the record is moved last, and only what has a record counts. */
int nm_spare_place(const struct nm_spares *s, int64_t number, const struct nm_spare_text *texts,
                   size_t texts_n, const char *const to[static NM_SPARE_PARTS],
                   struct base_error *err)
{
    struct path p;
    const char *record = to[NM_SPARE_RECORD], *logs = to[NM_SPARE_LOGS],
               *files = to[NM_SPARE_FILES];
    if (access(record, F_OK) == 0)
        return base_error_sys(err, -BASE_EEXIST, EEXIST, "%s", record);
    for (size_t i = 0; i < texts_n; i++) {
        int rc = overwrite_file(format_spare_path(s, number, texts[i].part, texts[i].name, &p),
                                &texts[i], err);
        if (rc < 0)
            return rc;
    }
    if (!try_rename(format_spare_path(s, number, NM_SPARE_LOGS, NULL, &p), logs)) {
        if (!errno_means_name_taken(errno))
            return base_error_sys(err, -BASE_EIO, errno, "%s", logs);
        s->discard(s->user, p.text);
    }
    if (!rename_over_leftover(s, format_spare_path(s, number, NM_SPARE_FILES, NULL, &p), files))
        return base_error_sys(err, -BASE_EIO, errno, "%s", files);
    if (try_rename(format_spare_path(s, number, NM_SPARE_RECORD, NULL, &p), record))
        return 0;
    return base_error_sys(err, errno_means_name_taken(errno) ? -BASE_EEXIST : -BASE_EIO, errno,
                          "%s", record);
}

/* Files that an ended container leaves behind, and their names in a spare. */
struct again {
    const char *used, *spare;
};
static const struct again files_again[] = {{"launch.json", "launch.json"}, {"token", "token"}};
static const struct again record_again[] = {
    {"launch.json", "launch.json"}, {"pid.json", "pid.json.tmp"}, {"exit.json", "exit.json.tmp"}};
#define FILES_AGAIN  (sizeof files_again / sizeof files_again[0])
#define RECORD_AGAIN (sizeof record_again / sizeof record_again[0])

static size_t count_entries(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    size_t n = 0;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return SIZE_MAX;
    }
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

/* Returns true if type, mode and owner are as create_spare_part_folder() made them. A container may
 * have changed them, and the next container would inherit the change. */
static bool has_original_mode_and_owner(int dir_fd, const char *name, mode_t mode, struct stat *st)
{
    return fstatat(dir_fd, name, st, AT_SYMLINK_NOFOLLOW) == 0 &&
           (st->st_mode & (S_IFMT | 0777)) == mode && st->st_uid == geteuid();
}

/* Returns true if the folder contains only the @n plain files, each without further links, and the
 * empty @folder (NULL: none), all with their original modes and owner. */
static bool is_folder_untouched(int dir_fd, const struct again *again, size_t n, const char *folder)
{
    struct stat st;
    if (!has_original_mode_and_owner(dir_fd, ".", S_IFDIR | 0700, &st) ||
        (folder && !has_original_mode_and_owner(dir_fd, folder, S_IFDIR | 0700, &st)))
        return false;
    if (count_entries(dir_fd, ".") != n + (folder != NULL) ||
        (folder && count_entries(dir_fd, folder) != 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!has_original_mode_and_owner(dir_fd, again[i].used, S_IFREG | 0600, &st) ||
            st.st_nlink != 1)
            return false;
    }
    return true;
}

static bool rename_files_for_reuse(const char *used, const struct again *again, size_t n,
                                   const char *folder)
{
    int dir_fd = open(used, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir_fd < 0)
        return false;
    bool ok = is_folder_untouched(dir_fd, again, n, folder);
    for (size_t i = 0; ok && i < n; i++)
        ok = strcmp(again[i].used, again[i].spare) == 0 ||
             renameat(dir_fd, again[i].used, dir_fd, again[i].spare) == 0;
    close(dir_fd);
    return ok;
}

/* Reusing the folders of an ended container saves creating and deleting a dozen files per launch.
 * The log folder is new, because the old logs are kept. */
int nm_spare_adopt(struct nm_spares *s, const char *files, const char *record, int64_t *number,
                   struct base_error *err)
{
    struct path p;
    if (!rename_files_for_reuse(files, files_again, FILES_AGAIN, "work") ||
        !rename_files_for_reuse(record, record_again, RECORD_AGAIN, NULL))
        return base_error_set(err, -BASE_ESTATE, "%s: of no use as a spare", files);
    *number = atomic_fetch_add(&s->last, 1) + 1;
    int rc = create_spare_part_folder(s, NM_SPARE_CONTAINER, *number, NM_SPARE_LOGS, err);
    if (rc == 0 && (rename(files, format_spare_path(s, *number, NM_SPARE_FILES, NULL, &p)) < 0 ||
                    rename(record, format_spare_path(s, *number, NM_SPARE_RECORD, NULL, &p)) < 0))
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", files);
    if (rc < 0)
        nm_spare_discard(s, *number);
    return rc;
}

void nm_spare_discard(const struct nm_spares *s, int64_t number)
{
    struct path p;
    for (int part = 0; part < NM_SPARE_PARTS; part++)
        s->discard(s->user, format_spare_path(s, number, (enum nm_spare_part)part, NULL, &p));
}

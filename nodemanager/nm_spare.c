/* nodemanager/nm_spare.c - see the header. */
#include "nodemanager/nm_spare.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"

/* What lies in the two folders of a kind. The shim opens its files without emptying them: they may hold old text. */
static const struct {
    bool logs;
    const char *name;
    mode_t mode; /* 0: a folder */
} entries[NM_SPARE_KINDS][8] = {
    [NM_SPARE_APP] = {{false, "spec.json", 0600},
                      {false, "token", 0600},
                      {false, "forgotten", 0600},
                      {true, ".running", 0600}},
    [NM_SPARE_CONTAINER] = {{false, "work", 0},
                            {false, "launch.json", 0600},
                            {false, "pid.json.tmp", 0600},
                            {false, "exit.json.tmp", 0600},
                            {true, "stdout", 0640},
                            {true, "stderr", 0640}},
};

struct path {
    char text[2048 + 128];
};

static const char *path(const struct nm_spares *s, int64_t number, bool logs, const char *name, struct path *p)
{
    snprintf(p->text, sizeof p->text, "%s/%lld.%s%s%s", s->dir, (long long)number, logs ? "logs" : "files",
             name ? "/" : "", name ? name : "");
    return p->text;
}

static int make_dir(const char *at, struct base_error *err)
{
    return mkdir(at, 0700) < 0 ? base_error_sys(err, -BASE_EIO, errno, "%s", at) : 0;
}

static int make_file(const char *at, mode_t mode, struct base_error *err)
{
    int fd = open(at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", at);
    close(fd);
    return 0;
}

/* Both folders of a kind, or that of the logs alone. */
static int make(const struct nm_spares *s, enum nm_spare_kind kind, int64_t number, bool logs_alone,
                struct base_error *err)
{
    struct path p;
    int rc = make_dir(path(s, number, true, NULL, &p), err);
    if (rc == 0 && !logs_alone)
        rc = make_dir(path(s, number, false, NULL, &p), err);
    for (int i = 0; rc == 0 && entries[kind][i].name; i++) {
        if (logs_alone && !entries[kind][i].logs)
            continue;
        path(s, number, entries[kind][i].logs, entries[kind][i].name, &p);
        rc = entries[kind][i].mode ? make_file(p.text, entries[kind][i].mode, err) : make_dir(p.text, err);
    }
    return rc;
}

int nm_spare_make(struct nm_spares *s, enum nm_spare_kind kind, int64_t *number, struct base_error *err)
{
    *number = atomic_fetch_add(&s->last, 1) + 1;
    int rc = make(s, kind, *number, false, err);
    if (rc < 0)
        nm_spare_drop(s, *number);
    return rc;
}

/* Written over and cut where the old text was longer; never emptied first, which some file systems answer with a write
 * to the disk at close. */
static int fill(const char *at, const struct nm_spare_text *t, struct base_error *err)
{
    int fd = open(at, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", at);
    int rc = base_write_all(fd, t->text, t->len);
    struct stat st;
    if (rc == 0 && fstat(fd, &st) == 0 && st.st_size > (off_t)t->len && ftruncate(fd, (off_t)t->len) < 0)
        rc = -errno;
    close(fd);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "%s", at) : 0;
}

int nm_spare_place(const struct nm_spares *s, int64_t number, const struct nm_spare_text *texts, size_t texts_n,
                   const char *files, const char *logs, struct base_error *err)
{
    struct path p;
    for (size_t i = 0; i < texts_n; i++) {
        int rc = fill(path(s, number, false, texts[i].name, &p), &texts[i], err);
        if (rc < 0)
            return rc;
    }
    if (rename(path(s, number, true, NULL, &p), logs) < 0) {
        if (errno != ENOTEMPTY && errno != EEXIST)
            return base_error_sys(err, -BASE_EIO, errno, "%s", logs);
        base_rmtree(p.text, NULL);
    }
    if (rename(path(s, number, false, NULL, &p), files) == 0)
        return 0;
    return base_error_sys(err, errno == ENOTEMPTY || errno == EEXIST ? -BASE_EEXIST : -BASE_EIO, errno, "%s", files);
}

/* What an ended container leaves in its folder, and what it is in a spare. */
static const struct {
    const char *used, *spare;
} again[] = {{"work", "work"}, {"launch.json", "launch.json"}, {"pid.json", "pid.json.tmp"},
             {"exit.json", "exit.json.tmp"}};
#define AGAIN (sizeof again / sizeof again[0])

static size_t entries_in(int dir_fd, const char *name)
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

/* Nothing but what every container has: an empty work/ and files of its own that no other name leads to. */
static bool untouched(int dir_fd)
{
    struct stat st;
    if (entries_in(dir_fd, ".") != AGAIN || entries_in(dir_fd, "work") != 0)
        return false;
    for (size_t i = 1; i < AGAIN; i++) {
        if (fstatat(dir_fd, again[i].used, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1)
            return false;
    }
    return true;
}

int nm_spare_adopt(struct nm_spares *s, const char *used, int64_t *number, struct base_error *err)
{
    struct path p;
    int dir_fd = open(used, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir_fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", used);
    bool ok = untouched(dir_fd);
    for (size_t i = 0; ok && i < AGAIN; i++)
        ok = strcmp(again[i].used, again[i].spare) == 0 ||
             renameat(dir_fd, again[i].used, dir_fd, again[i].spare) == 0;
    close(dir_fd);
    if (!ok)
        return base_error_set(err, -BASE_ESTATE, "%s: of no use as a spare", used);
    *number = atomic_fetch_add(&s->last, 1) + 1;
    int rc = make(s, NM_SPARE_CONTAINER, *number, true, err);
    if (rc == 0 && rename(used, path(s, *number, false, NULL, &p)) < 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", used);
    if (rc < 0)
        nm_spare_drop(s, *number);
    return rc;
}

void nm_spare_drop(const struct nm_spares *s, int64_t number)
{
    struct path p;
    base_rmtree(path(s, number, false, NULL, &p), NULL);
    base_rmtree(path(s, number, true, NULL, &p), NULL);
}

/* nodemanager/nm_spare.c - see the header. */
#include "nodemanager/nm_spare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"

/* What lies in the two folders of a kind. The shim opens its files without emptying them. */
static const struct {
    bool logs;
    const char *name;
    mode_t mode; /* 0: a folder */
} entries[NM_SPARE_KINDS][8] = {
    [NM_SPARE_APP] = {{false, "spec.json", 0600}, {false, "token", 0600}},
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

int nm_spare_make(struct nm_spares *s, enum nm_spare_kind kind, int64_t *number, struct base_error *err)
{
    struct path p;
    *number = atomic_fetch_add(&s->last, 1) + 1;
    int rc = make_dir(path(s, *number, false, NULL, &p), err);
    if (rc == 0)
        rc = make_dir(path(s, *number, true, NULL, &p), err);
    for (int i = 0; rc == 0 && entries[kind][i].name; i++) {
        path(s, *number, entries[kind][i].logs, entries[kind][i].name, &p);
        rc = entries[kind][i].mode ? make_file(p.text, entries[kind][i].mode, err) : make_dir(p.text, err);
    }
    if (rc < 0)
        nm_spare_drop(s, *number);
    return rc;
}

/* The file is empty: it is not truncated, which some file systems answer with a write to the disk at close. */
static int fill(const char *at, const struct nm_spare_text *t, struct base_error *err)
{
    int fd = open(at, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", at);
    int rc = base_write_all(fd, t->text, t->len);
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

void nm_spare_drop(const struct nm_spares *s, int64_t number)
{
    struct path p;
    base_rmtree(path(s, number, false, NULL, &p), NULL);
    base_rmtree(path(s, number, true, NULL, &p), NULL);
}

#include "nodemanager/shuffle/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io/plain.h"

#define DATA  "file.out"
#define INDEX "file.out.index"

struct place { /* of an attempt's files */
    int folder;
    uid_t owner;
    struct nm_shuffle_slice attempt;
};

/* Opens the folder that the application's containers share. */
static int open_place(const struct nm_files *files, const struct base_app_id *app,
                      struct nm_shuffle_slice attempt, struct place *out, struct base_error *err)
{
    char path[NM_PATH_MAX];
    struct stat st = {0};

    out->attempt = attempt;
    out->folder = nm_files_open_folder(files, nm_path_in_app(files, app, "shared", path));
    if (out->folder < 0)
        return base_error_set(err, -BASE_ENOTFOUND, "%.*s: %s", (int)attempt.len, attempt.at,
                              base_plain_open_strerror(out->folder));
    if (fstat(out->folder, &st) < 0) {
        close(out->folder);
        return base_error_sys(err, -BASE_EIO, errno, "shared");
    }
    out->owner = st.st_uid;
    return 0;
}

static int open_file(const struct place *p, const char *name, int64_t *size, struct base_error *err)
{
    char path[NM_SHUFFLE_ID_MAX + 32];
    struct stat st;
    int fd;

    snprintf(path, sizeof path, "output/%.*s/%s", (int)p->attempt.len, p->attempt.at, name);
    fd = base_plain_open_below(p->folder, path, O_RDONLY, 0, &st);
    if (fd < 0)
        return base_error_set(err, -BASE_ENOTFOUND, "%.*s: %s: %s", (int)p->attempt.len,
                              p->attempt.at, name, base_plain_open_strerror(fd));
    if (st.st_uid != p->owner) {
        close(fd);
        return base_error_set(err, -BASE_EPERM, "%.*s: %s belongs to user %u; %u was expected",
                              (int)p->attempt.len, p->attempt.at, name, (unsigned)st.st_uid,
                              (unsigned)p->owner);
    }
    *size = st.st_size;
    return fd;
}

int nm_shuffle_output_open(const struct nm_files *files, const struct base_app_id *app,
                           struct nm_shuffle_slice attempt, int64_t *size, struct base_error *err)
{
    struct place p;
    int rc = open_place(files, app, attempt, &p, err);

    if (rc < 0)
        return rc;
    rc = open_file(&p, DATA, size, err);
    close(p.folder);
    return rc;
}

static int find_part(const struct place *p, int32_t reduce, int64_t data_size,
                     struct nm_shuffle_part *part, struct base_error *err)
{
    int64_t size = 0;
    int fd = open_file(p, INDEX, &size, err), rc;

    if (fd < 0)
        return fd;
    rc = nm_shuffle_index_read(fd, size, reduce, data_size, part, err);
    close(fd);
    if (rc < 0)
        base_error_wrap(err, rc, "%.*s", (int)p->attempt.len, p->attempt.at);
    return rc;
}

int nm_shuffle_output_open_part(const struct nm_files *files, const struct base_app_id *app,
                                struct nm_shuffle_slice attempt, int32_t reduce,
                                struct nm_shuffle_part *part, struct base_error *err)
{
    struct place p;
    int64_t size = 0;
    int rc = open_place(files, app, attempt, &p, err), fd;

    if (rc < 0)
        return rc;
    fd = open_file(&p, DATA, &size, err);
    rc = fd < 0 ? fd : find_part(&p, reduce, size, part, err);
    close(p.folder);
    if (rc < 0 && fd >= 0)
        close(fd);
    return rc < 0 ? rc : fd;
}

#include "nodemanager/shuffle/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io/plain.h"

#define DATA   "file.out"
#define INDEX  "file.out.index"
#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int nm_shuffle_outputs_open(const struct nm_files *files, const struct base_app_id *app,
                            struct nm_shuffle_outputs *out, struct base_error *err)
{
    char path[NM_PATH_MAX];
    struct stat st = {0};
    int shared = nm_files_open_folder(files, nm_path_in_app(files, app, "shared", path));

    out->folder = -1;
    out->index_bytes = 0;
    if (shared < 0)
        return base_error_set(err, -BASE_ENOTFOUND, "the application's shared folder: %s",
                              base_plain_open_strerror(shared));
    if (fstat(shared, &st) == 0)
        out->folder = openat(shared, "output", FOLDER);
    if (out->folder < 0)
        base_error_set(err, -BASE_ENOTFOUND, "the folder output: %s", strerror(errno));
    out->owner = st.st_uid;
    close(shared);
    return out->folder < 0 ? -BASE_ENOTFOUND : 0;
}

void nm_shuffle_outputs_close(struct nm_shuffle_outputs *o)
{
    if (o->folder >= 0)
        close(o->folder);
    o->folder = -1;
}

/* Opens the folder of the attempt. */
static int open_attempt(const struct nm_shuffle_outputs *o, struct nm_shuffle_slice attempt,
                        struct base_error *err)
{
    char name[NM_SHUFFLE_ID_MAX + 1];
    int fd;

    snprintf(name, sizeof name, "%.*s", (int)attempt.len, attempt.at);
    fd = openat(o->folder, name, FOLDER);
    return fd < 0 ? base_error_set(err, -BASE_ENOTFOUND, "%s: %s", name, strerror(errno)) : fd;
}

static int open_file(const struct nm_shuffle_outputs *o, int folder, const char *name,
                     int64_t *size, struct base_error *err)
{
    struct stat st;
    int fd = base_plain_open(folder, name, O_RDONLY, 0, &st);

    if (fd < 0)
        return base_error_set(err, -BASE_ENOTFOUND, "%s: %s", name, base_plain_open_strerror(fd));
    if (st.st_uid != o->owner) {
        close(fd);
        return base_error_set(err, -BASE_EPERM, "%s belongs to user %u; %u was expected", name,
                              (unsigned)st.st_uid, (unsigned)o->owner);
    }
    *size = st.st_size;
    return fd;
}

static int find_part(struct nm_shuffle_outputs *o, int folder, int32_t reduce, int64_t data_size,
                     struct nm_shuffle_part *part, struct base_error *err)
{
    int64_t size = 0;
    int fd = open_file(o, folder, INDEX, &size, err), rc;

    if (fd < 0)
        return fd;
    if (size > NM_SHUFFLE_INDEXES_MAX - o->index_bytes) {
        rc = base_error_set(err, -BASE_ELIMIT,
                            "the indexes of the request have more than %lld bytes",
                            (long long)NM_SHUFFLE_INDEXES_MAX);
    } else {
        o->index_bytes += size;
        rc = nm_shuffle_index_read(fd, size, reduce, data_size, part, err);
    }
    close(fd);
    return rc;
}

/* @part NULL: is not looked for. */
static int open_output(struct nm_shuffle_outputs *o, struct nm_shuffle_slice attempt,
                       int32_t reduce, struct nm_shuffle_part *part, struct base_error *err)
{
    int folder = open_attempt(o, attempt, err), fd, rc = 0;
    int64_t size = 0;

    if (folder < 0)
        return folder;
    fd = open_file(o, folder, DATA, &size, err);
    if (fd >= 0 && part)
        rc = find_part(o, folder, reduce, size, part, err);
    close(folder);
    if (rc < 0)
        close(fd);
    rc = rc < 0 ? rc : fd;
    return rc < 0 ? base_error_wrap(err, rc, "%.*s", (int)attempt.len, attempt.at) : rc;
}

int nm_shuffle_output_open(struct nm_shuffle_outputs *o, struct nm_shuffle_slice attempt,
                           struct base_error *err)
{
    return open_output(o, attempt, 0, NULL, err);
}

int nm_shuffle_output_open_part(struct nm_shuffle_outputs *o, struct nm_shuffle_slice attempt,
                                int32_t reduce, struct nm_shuffle_part *part,
                                struct base_error *err)
{
    return open_output(o, attempt, reduce, part, err);
}

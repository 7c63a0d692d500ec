#include "nodemanager/shuffle/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io/plain.h"

static int open_file(const struct nm_files *files, const struct base_app_id *app,
                     struct nm_shuffle_slice attempt, const char *name, int64_t *size,
                     struct base_error *err)
{
    char inside[NM_SHUFFLE_ID_MAX + 32], path[NM_PATH_MAX];
    struct stat st;
    int fd;

    snprintf(inside, sizeof inside, "output/%.*s/%s", (int)attempt.len, attempt.at, name);
    fd = nm_files_open_plain(files, nm_path_in_app(files, app, inside, path), O_RDONLY, 0, &st);
    if (fd < 0)
        return base_error_set(err, -BASE_ENOTFOUND, "%.*s: %s: %s", (int)attempt.len, attempt.at,
                              name, base_plain_open_strerror(fd));
    *size = st.st_size;
    return fd;
}

int nm_shuffle_output_open(const struct nm_files *files, const struct base_app_id *app,
                           struct nm_shuffle_slice attempt, int64_t *size, struct base_error *err)
{
    return open_file(files, app, attempt, "file.out", size, err);
}

int nm_shuffle_output_open_part(const struct nm_files *files, const struct base_app_id *app,
                                struct nm_shuffle_slice attempt, int32_t reduce,
                                struct nm_shuffle_part *part, struct base_error *err)
{
    int64_t size = 0, index_size = 0;
    int fd = nm_shuffle_output_open(files, app, attempt, &size, err), index, rc;

    if (fd < 0)
        return fd;
    index = open_file(files, app, attempt, "file.out.index", &index_size, err);
    rc = index < 0 ? index : nm_shuffle_index_read(index, index_size, reduce, size, part, err);
    if (index >= 0)
        close(index);
    if (rc < 0) {
        close(fd);
        return base_error_wrap(err, rc, "%.*s", (int)attempt.len, attempt.at);
    }
    return fd;
}

/* nodemanager/daemon/shuffle.c - a map's output to the reduces, one partition at a time.
 *
 * output/file.out holds all partitions one behind the other, output/file.index says "offset length
 * records" per line and appears, whole, after file.out is complete. Whoever shows the application's
 * token may read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/limits.h"
#include "nodemanager/daemon/rest.h"

#define INDEX_CHUNK    16384
#define LINE_MAX_BYTES 80 /* of the index: three numbers */

struct piece {
    long long offset, length;
};

/* Line @partition of the index, without its newline; false when it is missing or cut short, or when
 * any line up to it is longer than a sound one. Containers can make the file any size: the bound on
 * each line bounds what is read on the way to the one that is asked for. */
static bool index_line(int fd, int64_t partition, char line[static LINE_MAX_BYTES])
{
    char buf[INDEX_CHUNK];
    size_t len = 0;
    ssize_t n;
    while ((n = read(fd, buf, sizeof buf)) > 0) {
        for (const char *p = buf, *end = buf + n; p < end;) {
            const char *nl = memchr(p, '\n', (size_t)(end - p));
            size_t part = (size_t)((nl ? nl : end) - p);
            if (len + part >= LINE_MAX_BYTES)
                return false;
            if (partition == 0)
                memcpy(line + len, p, part);
            len += part;
            if (nl && partition-- == 0) {
                line[len] = 0;
                return true;
            }
            if (nl)
                len = 0;
            p += part + (nl != NULL);
        }
    }
    return false;
}

/* The place of @partition in file.out; false when the index does not tell, or makes no sense. */
static bool piece_of(const struct nm_files *f, const struct base_container_id *id,
                     int64_t partition, struct piece *out)
{
    char path[NM_PATH_MAX], line[LINE_MAX_BYTES];
    int fd = nm_files_open_plain(f, nm_path_in_container(f, id, "output/file.index", path),
                                 O_RDONLY, 0, NULL);
    if (fd < 0)
        return false;
    bool ok = index_line(fd, partition, line) &&
              sscanf(line, "%lld %lld", &out->offset, &out->length) == 2 && out->offset >= 0 &&
              out->length >= 0;
    close(fd);
    return ok;
}

/* 0 when @token is the application's, 403 or 404 otherwise. */
static unsigned token_check(struct nm *nm, const struct base_app_id *id, const char *token)
{
    unsigned status = 404;
    pthread_mutex_lock(&nm->lock);
    const struct nm_app_view *app = nm_core_app_find(nm->core, id);
    if (app && !app->finished)
        status =
            app->token && *app->token && token && base_secret_equal(app->token, token) ? 0 : 403;
    pthread_mutex_unlock(&nm->lock);
    return status;
}

void nm_get_map_output(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_container_id id;
    struct stat st;
    struct piece p;
    char path[NM_PATH_MAX];
    int64_t partition;
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0 ||
        base_int_parse(api_path_arg(rq, 1), 0, BASE_TASKS_MAX, &partition) < 0) {
        api_answer_error(rq, 400, "BadRequestException",
                         "a container id and a partition number were expected");
        return;
    }
    unsigned status = token_check(nm, &id.attempt.app, api_bearer_token(rq));
    if (status == 403) {
        api_answer_error(rq, 403, "ForbiddenException", "this is not the application's token");
        return;
    }
    int fd = -1;
    if (status == 0 && piece_of(&nm->files, &id, partition, &p))
        fd = nm_files_open_plain(&nm->files,
                                 nm_path_in_container(&nm->files, &id, "output/file.out", path),
                                 O_RDONLY, 0, &st);
    if (fd >= 0 && (p.length > st.st_size || p.offset > st.st_size - p.length)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0) {
        api_answer_error(rq, 404, "NotFoundException", "no such map output here");
        return;
    }
    api_answer_file(rq, 200, "application/octet-stream", fd, (uint64_t)p.offset,
                    (uint64_t)p.length);
}

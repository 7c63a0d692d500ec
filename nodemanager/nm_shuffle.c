/* nodemanager/nm_shuffle.c - a map's output to the reduces, one partition at a time.
 *
 * output/file.out holds all partitions one behind the other, output/file.index says "offset length records" per line
 * and appears, whole, after file.out is complete. Whoever shows the application's token may read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"
#include "base/base_limits.h"
#include "nodemanager/nm_rest.h"

#define INDEX_MAX ((size_t)64 * BASE_TASKS_MAX) /* bytes; three numbers per partition */

struct piece {
    long long offset, length;
};

/* Line @partition of the index; false when it is not there or makes no sense. */
static bool index_line(const struct base_buf *b, int64_t partition, struct piece *out)
{
    const char *at = b->data, *end = b->data + b->len;
    for (int64_t i = 0; at && at < end; i++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        if (!nl)
            return false;
        if (i == partition)
            return sscanf(at, "%lld %lld", &out->offset, &out->length) == 2 && out->offset >= 0 && out->length >= 0;
        at = nl + 1;
    }
    return false;
}

/* 0 when @token is the application's, 403 or 404 otherwise. */
static unsigned token_check(struct nm *nm, const struct base_app_id *id, const char *token)
{
    unsigned status = 404;
    pthread_mutex_lock(&nm->lock);
    const struct nm_app_view *app = nm_core_app_find(nm->core, id);
    if (app && !app->finished)
        status = app->token && *app->token && token && base_secret_equal(app->token, token) ? 0 : 403;
    pthread_mutex_unlock(&nm->lock);
    return status;
}

void nm_get_map_output(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_container_id id;
    struct base_buf index = {0};
    struct stat st;
    struct piece p;
    char path[NM_PATH_MAX];
    int64_t partition;
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0 ||
        base_int_parse(api_path_arg(rq, 1), 0, BASE_TASKS_MAX, &partition) < 0) {
        api_answer_error(rq, 400, "BadRequestException", "a container id and a partition number were expected");
        return;
    }
    unsigned status = token_check(nm, &id.attempt.app, api_bearer(rq));
    if (status == 403) {
        api_answer_error(rq, 403, "ForbiddenException", "this is not the application's token");
        return;
    }
    int fd = -1;
    if (status == 0 && nm_files_read(&nm->files, &id, "output/file.index", INDEX_MAX, &index, NULL) >= 0 &&
        index_line(&index, partition, &p))
        fd = open(nm_path_container(&nm->files, &id, "output/file.out", path),
                  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    base_buf_free(&index);
    if (fd >= 0 &&
        (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || p.length > st.st_size || p.offset > st.st_size - p.length)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0) {
        api_answer_error(rq, 404, "NotFoundException", "no such map output here");
        return;
    }
    api_answer_file(rq, 200, "application/octet-stream", fd, (uint64_t)p.offset, (uint64_t)p.length);
}

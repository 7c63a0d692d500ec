/* Serves the output of maps to reduces, one partition per request.
 *
 * output/file.out contains all partitions, one after the other. output/file.index has a line
 * "offset length records" for each; this file appears, complete, after file.out is complete. A
 * request needs the token of a container of the application. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/limits.h"
#include "nodemanager/daemon/container_tokens.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"

#define INDEX_CHUNK    16384
#define LINE_MAX_BYTES 80 /* longest line of the index (three numbers) with its NUL */

static atomic_llong served, bytes_served, failed; /* since the start */

struct piece {
    long long offset, length;
};

/* Copies line @partition of the index, without its newline. Returns false when the line is missing
 * or incomplete, or when any line up to it is too long. Containers can make the file any size; the
 * limit on the length of lines limits how much is read before the requested line. */
static bool read_index_line(int fd, int64_t partition, char line[static LINE_MAX_BYTES])
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

/* Finds the place of @partition in file.out. Returns false when the index has no valid line for
 * it. */
static bool find_partition(const struct nm_files *f, const struct base_container_id *id,
                           int64_t partition, struct piece *out)
{
    char path[NM_PATH_MAX], line[LINE_MAX_BYTES];
    int fd = nm_files_open_plain(f, nm_path_in_container(f, id, "output/file.index", path),
                                 O_RDONLY, 0, NULL);
    if (fd < 0)
        return false;
    bool ok = read_index_line(fd, partition, line) &&
              sscanf(line, "%lld %lld", &out->offset, &out->length) == 2 && out->offset >= 0 &&
              out->length >= 0;
    close(fd);
    return ok;
}

/* Returns 0 if the request has the token of a container of the application, 403 if not, 404 if the
 * application is unknown or has been cleaned up. */
static unsigned token_refusal_status(const struct api_request *rq, struct nm *nm,
                                     const struct base_app_id *id)
{
    pthread_mutex_lock(&nm->lock);
    const struct nm_app_view *app = nm_core_app_find(nm->core, id);
    bool known = app && !app->finished;
    pthread_mutex_unlock(&nm->lock);
    return !known ? 404 : nm_container_token_is_of_app(rq, nm, id) ? 0 : 403;
}

static void get_map_output(struct api_request *rq, void *user)
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
    unsigned status = token_refusal_status(rq, nm, &id.attempt.app);
    if (status == 403) {
        atomic_fetch_add_explicit(&failed, 1, memory_order_relaxed);
        api_answer_error(rq, 403, "ForbiddenException",
                         "this is no token of a container of the application");
        return;
    }
    int fd = -1;
    if (status == 0 && find_partition(&nm->files, &id, partition, &p))
        fd = nm_files_open_plain(&nm->files,
                                 nm_path_in_container(&nm->files, &id, "output/file.out", path),
                                 O_RDONLY, 0, &st);
    if (fd >= 0 && (p.length > st.st_size || p.offset > st.st_size - p.length)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0) {
        atomic_fetch_add_explicit(&failed, 1, memory_order_relaxed);
        api_answer_error(rq, 404, "NotFoundException", "no such map output here");
        return;
    }
    atomic_fetch_add_explicit(&served, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes_served, p.length, memory_order_relaxed);
    api_answer_file(rq, 200, "application/octet-stream", fd, (uint64_t)p.offset,
                    (uint64_t)p.length);
}

void nm_map_output_get_counts(struct nm_map_output_counts *out)
{
    *out = (struct nm_map_output_counts){
        .served = atomic_load_explicit(&served, memory_order_relaxed),
        .bytes = atomic_load_explicit(&bytes_served, memory_order_relaxed),
        .failed = atomic_load_explicit(&failed, memory_order_relaxed),
    };
}

/* clang-format off */
const struct api_route nm_map_output_routes[] = {
    {"GET", NM_NODE "/mapoutput/{containerid}/{partition}", API_ROLE_MASTER, 0, get_map_output,
     API_ROUTE_CREEL},
};
/* clang-format on */
NM_ROUTES_END(nm_map_output_routes);

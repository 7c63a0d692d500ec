/* nodemanager/http/raw_log.c - Creel's own resource for log files: the unchanged bytes from an
 * offset on, and on request whatever is added until the container has ended. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/log_files.h"
#include "nodemanager/http/routes.h"

struct follow {
    struct nm *nm;
    struct base_container_id id;
    char name[256];
    int fd; /* negative: does not exist yet */
    int64_t at;
    bool last; /* the container has ended, so the file is complete */
};

static int64_t read_followed_log(void *u, char *buf, size_t max)
{
    struct follow *f = u;
    struct nm_log_owner owner;
    struct stat st;

    for (;;) {
        ssize_t n;

        if (f->fd < 0)
            f->fd = nm_log_open(&f->nm->files, &f->id, f->name, &st);
        n = f->fd >= 0 ? pread(f->fd, buf, max, f->at) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0) {
            f->at += n;
            return n;
        }
        if (n < 0 || f->last)
            return -1;
        nm_log_find_user_and_state(f->nm, &f->id, &owner);
        if (owner.alive)
            return 0;
        /* the shim writes all output before it reports the end, so read once more */
        f->last = true;
    }
}

static void free_followed_log(void *u)
{
    struct follow *f = u;

    if (f->fd >= 0)
        close(f->fd);
    free(f);
}

static void answer_raw_log(struct api_request *rq, struct nm *nm,
                           const struct base_container_id *id, const char *name, int64_t offset,
                           bool follow)
{
    struct nm_log_owner owner;
    struct stat st;
    int fd = nm_log_open(&nm->files, id, name, &st);

    nm_log_find_user_and_state(nm, id, &owner);
    if (follow && (fd >= 0 || owner.alive) && *name && !strchr(name, '/') && strlen(name) < 256) {
        struct follow *f = base_alloc(sizeof *f);

        f->nm = nm;
        f->id = *id;
        snprintf(f->name, sizeof f->name, "%.255s", name);
        f->fd = fd;
        f->at = offset;
        api_answer_stream(rq, 200, "application/octet-stream", read_followed_log, f,
                          free_followed_log);
    } else if (fd < 0) {
        api_answer_error(rq, 404, "NotFoundException", "%s",
                         owner.known ? "Cannot find this log on the local disk."
                                     : "The container is not known on this node");
    } else {
        int64_t from = offset < st.st_size ? offset : st.st_size;

        api_answer_file(rq, 200, "application/octet-stream", fd, (uint64_t)from,
                        (uint64_t)(st.st_size - from));
    }
}

static void get_raw_log(struct api_request *rq, void *user)
{
    const char *from = api_query(rq, "offset"), *follow = api_query(rq, "follow");
    struct base_container_id id;
    int64_t offset = 0;

    nm_add_node_header(rq, user);
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        api_answer_error(rq, 400, "BadRequestException", "invalid container id, %s",
                         api_path_arg(rq, 0));
        return;
    }
    if (from && *from && base_int_parse(from, 0, INT64_MAX, &offset) < 0) {
        api_answer_error(rq, 400, "BadRequestException", "offset: \"%s\" is not a number of bytes",
                         from);
        return;
    }
    if (!nm_access_may_see_app(rq, user, &id.attempt.app)) {
        nm_access_refuse_raw_log(rq, &id.attempt.app);
        return;
    }
    answer_raw_log(rq, user, &id, api_path_arg(rq, 1), offset,
                   follow && (!strcmp(follow, "1") || !strcmp(follow, "true")));
}

/* clang-format off */
const struct api_route nm_raw_log_routes[] = {
    {"GET", NM_NODE "/raw-logs/{containerid}/{filename}", API_ROLE_READ, 0, get_raw_log,
     API_ROUTE_CREEL | API_ROUTE_PRIVATE | API_ROUTE_LOGS},
};
/* clang-format on */
NM_ROUTES_END(nm_raw_log_routes);

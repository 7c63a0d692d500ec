/* rm/http/queue_refresh.c - POST /ws/v1/cluster/scheduler/queues/refresh: the allocation file is
 * read again.
 * Answer: {"file":"/etc/creel/fair-scheduler.xml","queues":7}; a file with a mistake: 400 with its
 * line, nothing changes. */
#include <stdlib.h>

#include "base/io/json_write.h"
#include "rm/config/allocation_file.h"
#include "rm/http/core_call.h"

struct refresh {
    struct api_request *rq;
    struct rm_backend *b;
    size_t n;
};

static void on_set(void *user, const struct rm_effect *fx)
{
    struct refresh *r = user;
    struct base_buf body = {0};

    if (fx->u.reply.kind == RM_REPLY_ERROR) {
        rm_api_reply_error(r->rq, fx);
    } else {
        base_json_open(&body, '{');
        base_json_put_str(&body, "file", rm_queues_get_file_path(r->b));
        base_json_put_int(&body, "queues", (int64_t)r->n);
        base_json_close(&body, '}');
        rm_api_json(r->rq, 200, &body);
    }
    free(r);
}

static bool read_again(void *user, bool stopping)
{
    struct refresh *r = user;
    struct base_error err = {0};
    int rc = stopping ? base_error_set(&err, -BASE_EIO, "the ResourceManager is shutting down")
                      : rm_queues_reload(r->b, on_set, r, &r->n, &err);

    if (rc == 0)
        return false;
    if (stopping)
        api_answer_base_error(r->rq, &err);
    else
        rm_api_bad_request(r->rq, &err);
    free(r);
    return false;
}

static void do_refresh(struct api_request *rq, void *user)
{
    struct refresh *r = base_alloc(sizeof *r);

    r->rq = rq;
    r->b = user;
    api_park(rq);
    rm_backend_slow(user, RM_SLOW_FILES, read_again, r);
}

const struct api_route rm_api_queues_routes[] = {
    {"POST", "/ws/v1/cluster/scheduler/queues/refresh", API_ROLE_WRITE, 4096, do_refresh,
     API_ROUTE_CREEL},
};
const size_t rm_api_queues_routes_n = sizeof rm_api_queues_routes / sizeof *rm_api_queues_routes;

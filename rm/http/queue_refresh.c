/* rm/http/queue_refresh.c - POST /ws/v1/cluster/scheduler/queues/refresh reads the file with the
 * queues again: the allocation file, or capacity-scheduler.xml. Answer:
 * {"file":"/etc/creel/fair-scheduler.xml","queues":7}. A file with a mistake changes nothing and is
 * answered with 400 and the mistake. */
#include <stdlib.h>

#include "base/io/json_write.h"
#include "rm/config/allocation_file.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"

struct refresh {
    struct api_request *rq;
    struct rm_backend *b;
    size_t n;
};

static void answer_queues_refresh(void *user, const struct rm_effect *fx)
{
    struct refresh *r = user;
    struct base_buf body = {0};

    if (fx->u.reply.kind == RM_REPLY_ERROR) {
        rm_api_answer_core_error(r->rq, fx);
    } else {
        base_json_open(&body, '{');
        base_json_put_str(&body, "file", rm_queues_get_file_path(r->b));
        base_json_put_int(&body, "queues", (int64_t)r->n);
        base_json_close(&body, '}');
        rm_api_answer_json(r->rq, 200, &body);
    }
    free(r);
}

/* Runs on the thread for slow work. Returns false: the work is done, whatever the outcome. */
static bool reload_queues_file(void *user, bool stopping)
{
    struct refresh *r = user;
    struct base_error err = {0};
    int rc = stopping ? base_error_set(&err, -BASE_EIO, "the ResourceManager is shutting down")
                      : rm_queues_reload(r->b, answer_queues_refresh, r, &r->n, &err);

    if (rc == 0)
        return false;
    if (stopping)
        api_answer_base_error(r->rq, &err);
    else
        rm_api_answer_bad_request(r->rq, &err);
    free(r);
    return false;
}

static void refresh_queues(struct api_request *rq, void *user)
{
    struct refresh *r;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_ADMINISTER))
        return;
    r = base_alloc(sizeof *r);
    r->rq = rq;
    r->b = user;
    api_park(rq);
    rm_backend_queue_slow_task(user, RM_SLOW_FILES, reload_queues_file, r);
}

const struct api_route rm_api_queues_routes[] = {
    {"POST", "/ws/v1/cluster/scheduler/queues/refresh", API_ROLE_WRITE, 4096, refresh_queues,
     API_ROUTE_CREEL},
};
const size_t rm_api_queues_routes_n = sizeof rm_api_queues_routes / sizeof *rm_api_queues_routes;

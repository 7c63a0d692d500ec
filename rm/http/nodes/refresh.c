/* rm/http/nodes/refresh.c - PUT /ws/v1/cluster/refresh-nodes reads the lists of included and
 * excluded hosts again. This resource is Creel's own; it corresponds to YARN's command "rmadmin
 * -refreshNodes".
 *
 * Body: {"graceful":true,"timeoutSeconds":600}; both may be absent. A graceful decommissioning
 * lasts until the node's applications have ended, at most for timeoutSeconds (negative: without
 * limit; absent: yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs), or for the
 * time in the exclude list. Answer: {"included":0,"excluded":1,"decommissioning":["host:8041"]},
 * the last with the nodes that wait for their applications. A file with a mistake changes nothing
 * and is answered with 400. */
#include <stdlib.h>

#include "api/audit/audit.h"
#include "base/conf/conf.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "rm/config/host_lists.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"

#define BODY_MAX    4096
#define TIMEOUT_KEY "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs"

struct refresh {
    struct rm_call call;
    struct rm_host_lists lists;
};

static void free_host_lists_of_call(struct rm_call *c)
{
    rm_host_lists_free(&((struct refresh *)c)->lists);
}

static void put_decommissioning_nodes(struct rm_backend *b, struct base_buf *out)
{
    size_t pos = 0;
    bool more = true;

    base_json_key(out, "decommissioning");
    base_json_open(out, '[');
    while (more) {
        struct rm_views v = {0};

        more = rm_view_nodes(rm_backend_lock_core(b), &pos, BASE_VIEW_CHUNK, &v);
        rm_backend_unlock_core(b);
        for (size_t i = 0; i < v.nodes_n; i++)
            if (v.nodes[i].decommissioning)
                base_json_value_str(out, v.nodes[i].id);
        rm_views_free(&v);
    }
    base_json_close(out, ']');
}

static void answer_nodes_refresh(void *user, const struct rm_effect *fx)
{
    struct refresh *r = user;
    struct base_buf body = {0};

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_OK) {
        base_json_open(&body, '{');
        base_json_put_int(&body, "included", (int64_t)r->lists.include_n);
        base_json_put_int(&body, "excluded", (int64_t)r->lists.exclude_n);
        put_decommissioning_nodes(r->call.b, &body);
        base_json_close(&body, '}');
        rm_api_answer_json(r->call.rq, 200, &body);
    } else {
        rm_api_answer_core_error(r->call.rq, fx);
    }
    rm_call_unref(&r->call);
}

/* Runs on the thread for slow work. Returns false: the work is done, whatever the outcome. */
static bool read_host_lists_and_post(void *user, bool stopping)
{
    struct refresh *r = user;
    struct base_error err = {0};

    if (stopping) {
        base_error_set(&err, -BASE_EIO, "the ResourceManager is shutting down");
        api_answer_base_error(r->call.rq, &err);
        free(r);
    } else if (rm_host_lists_read(rm_backend_conf(r->call.b), &r->lists, &err) < 0) {
        rm_api_answer_bad_request(r->call.rq, &err);
        free(r);
    } else {
        r->call.ev.u.refresh.lists = &r->lists;
        rm_call_post_parked(&r->call, answer_nodes_refresh);
    }
    return false;
}

/* Decodes the body, which may be empty. Returns 0 or the error. */
static int decode_refresh_body(struct api_request *rq, bool *graceful, int64_t *timeout_s,
                               struct base_error *err)
{
    static const char *const members[] = {"graceful", "timeoutSeconds", NULL};
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc = len ? base_json_parse(text, len, &body, err) : 0;

    if (rc == 0 && body && !json_is_object(body))
        rc = base_error_set(err, -BASE_EINVAL,
                            "the body is not an object "
                            "{\"graceful\":true|false,\"timeoutSeconds\":<n>}");
    if (rc == 0 && body)
        rc = base_json_refuse_unknown_members(body, "", members, err);
    if (rc == 0 && body)
        rc = base_json_bool(body, "", "graceful", false, graceful, err);
    if (rc == 0 && body)
        rc = base_json_int(body, "", "timeoutSeconds", false, INT32_MIN, INT32_MAX, timeout_s, err);
    json_decref(body);
    return rc;
}

static void refresh_nodes(struct api_request *rq, void *user)
{
    struct base_error err = {0};
    bool graceful = false;
    int64_t timeout_s = base_conf_int(rm_backend_conf(user), TIMEOUT_KEY);
    struct refresh *r;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_ADMINISTER))
        return;
    if (decode_refresh_body(rq, &graceful, &timeout_s, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    api_audit_add_member(rq, "graceful", graceful ? "true" : "false");
    r = base_alloc(sizeof *r);
    r->call = (struct rm_call){.rq = rq, .b = user, .drop = free_host_lists_of_call};
    r->call.ev.kind = RM_EV_REFRESH_NODES;
    r->call.ev.u.refresh.graceful = graceful;
    r->call.ev.u.refresh.timeout_us = timeout_s < 0 ? -1 : timeout_s * 1000000;
    api_park(rq);
    rm_backend_queue_slow_task(user, RM_SLOW_FILES, read_host_lists_and_post, r);
}

const struct api_route rm_api_refresh_nodes_routes[] = {
    {"PUT", "/ws/v1/cluster/refresh-nodes", API_ROLE_WRITE, BODY_MAX, refresh_nodes,
     API_ROUTE_CREEL},
};
const size_t rm_api_refresh_nodes_routes_n =
    sizeof rm_api_refresh_nodes_routes / sizeof *rm_api_refresh_nodes_routes;

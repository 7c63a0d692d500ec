/* rm/http/master.c - serves the protocol of ApplicationMasters over REST: register, allocate,
 * finish. Bodies have the members of YARN's records. The bearer token is that of one attempt's
 * master, and thus identifies the attempt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "rm/http/access/container_token.h"
#include "rm/http/app_json.h"
#include "rm/http/core_call.h"

#define ASKS_MAX     10000
#define RELEASES_MAX 100000

struct master_call {
    struct rm_call call;
    json_t *body; /* the event's texts point into it */
    struct rm_ask *asks;
    struct base_container_id *releases;
};

static void free_master_call_parts(struct rm_call *c)
{
    struct master_call *m = (struct master_call *)c;

    json_decref(m->body);
    free(m->asks);
    free(m->releases);
}

/* ---------------------------------------------------------------- answers */
static void put_resource(struct base_buf *out, const char *key, const struct rm_res *r)
{
    base_json_key(out, key);
    base_json_open(out, '{');
    base_json_put_int(out, "memory", r->v[RM_RES_MEMORY_MB]);
    base_json_put_int(out, "vCores", r->v[RM_RES_VCORES]);
    for (int i = RM_RES_MAP_SLOTS; i < RM_RES_NAMES; i++)
        base_json_put_int(out, rm_res_names[i], r->v[i]);
    base_json_close(out, '}');
}

static void put_allocated_containers(struct base_buf *out, const char *key,
                                     const struct rm_allocated *v, size_t n)
{
    char text[BASE_ID_TEXT_MAX];

    base_json_key(out, key);
    base_json_open(out, '[');
    for (size_t i = 0; i < n; i++) {
        base_json_open(out, '{');
        base_json_put_str(out, "id", base_container_id_text(&v[i].id, text));
        base_json_put_str(out, "nodeId", v[i].node_id);
        base_json_put_str(out, "nodeHttpAddress", v[i].node_http);
        base_json_put_int(out, "priority", v[i].priority);
        base_json_put_int(out, "allocationRequestId", v[i].allocation_request_id);
        put_resource(out, "capability", &v[i].capability);
        base_json_close(out, '}');
    }
    base_json_close(out, ']');
}

static void put_allocate_reply(struct base_buf *out, const struct rm_effect *fx)
{
    const __typeof__(fx->u.reply.allocate) *a = &fx->u.reply.allocate;
    char text[BASE_ID_TEXT_MAX];

    base_json_put_int(out, "responseId", a->response_id);
    put_allocated_containers(out, "allocated", a->allocated, a->allocated_n);
    base_json_key(out, "completed");
    base_json_open(out, '[');
    for (size_t i = 0; i < a->completed_n; i++) {
        base_json_open(out, '{');
        base_json_put_str(out, "id", base_container_id_text(&a->completed[i].id, text));
        base_json_put_int(out, "exitStatus", a->completed[i].exit_status);
        base_json_put_str(out, "diagnostics",
                          a->completed[i].diagnostics ? a->completed[i].diagnostics : "");
        base_json_close(out, '}');
    }
    base_json_close(out, ']');
    put_resource(out, "availableResources", &a->available);
    base_json_put_int(out, "numClusterNodes", a->nodes);
    base_json_put_str(out, "command", a->command);
}

static void answer_master_call(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;
    struct base_buf body = {0};
    bool ok = fx->kind == RM_FX_REPLY;

    base_json_open(&body, '{');
    switch (ok ? fx->u.reply.kind : RM_REPLY_ERROR) {
    case RM_REPLY_AM_REGISTERED:
        put_resource(&body, "maximumCapability", &fx->u.reply.am.max_capability);
        base_json_put_str(&body, "queue", fx->u.reply.am.queue);
        put_allocated_containers(&body, "containersFromPreviousAttempts", fx->u.reply.am.previous,
                                 fx->u.reply.am.previous_n);
        break;
    case RM_REPLY_ALLOCATED:
        put_allocate_reply(&body, fx);
        break;
    case RM_REPLY_RESYNC:
        base_json_put_str(&body, "command", "resync");
        break;
    case RM_REPLY_AM_FINISHED:
    case RM_REPLY_OK:
        base_json_put_bool(&body, "isUnregistered", true);
        break;
    default:
        ok = false;
    }
    base_json_close(&body, '}');
    if (ok) {
        rm_api_answer_json(c->rq, 200, &body);
    } else {
        base_buf_free(&body);
        if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR &&
            fx->u.reply.code == -BASE_EAGAIN)
            api_add_header(c->rq, "Retry-After", "1");
        rm_api_answer_core_error(c->rq, fx);
    }
    rm_call_unref(c);
}

/* ---------------------------------------------------------------- requests */
/* Sets *@out to the attempt whose master has the bearer token. Returns false when there is none;
 * @rq is then answered with 403 or 404. */
static bool read_attempt_of_bearer(struct api_request *rq, struct rm_backend *b,
                                   struct base_app_id id, struct base_attempt_id *out)
{
    struct base_error err = {0};
    struct rm_views views = {0};
    char text[BASE_ID_TEXT_MAX];
    bool known;

    if (rm_container_token_read_master(rq, b, &id, out, &err) == 0)
        return true;
    known = rm_view_app(rm_backend_lock_core(b), id, &views) == 0;
    rm_backend_unlock_core(b);
    rm_views_free(&views);
    api_audit_mark_forbidden(rq, err.text);
    if (known)
        api_answer_error(rq, 403, "ForbiddenException",
                         "the token is not that of an ApplicationMaster of %s",
                         base_app_id_text(&id, text));
    else
        api_answer_error(rq, 404, "NotFoundException", "%s is not known",
                         base_app_id_text(&id, text));
    return false;
}

typedef int reader(struct master_call *m, struct base_attempt_id attempt, struct base_error *err);

static void decode_and_post_master_call(struct api_request *rq, struct rm_backend *b, reader *read)
{
    struct master_call *m;
    struct base_app_id id;
    struct base_attempt_id attempt;
    struct base_error err = {0};
    size_t len;
    const char *body = api_body(rq, &len);
    int rc;

    if (!rm_api_read_app_id(rq, 0, &id) || !read_attempt_of_bearer(rq, b, id, &attempt))
        return;
    m = base_alloc(sizeof *m);
    m->call.drop = free_master_call_parts;
    rc = base_json_parse(body, len, &m->body, &err);
    if (rc == 0)
        rc = read(m, attempt, &err);
    if (rc == 0) {
        rm_call_post(&m->call, b, rq, answer_master_call);
        return;
    }
    rm_api_answer_bad_request(rq, &err);
    free_master_call_parts(&m->call);
    free(m);
}

static int read_register(struct master_call *m, struct base_attempt_id attempt,
                         struct base_error *err)
{
    static const char *const known[] = {"host", "rpcPort", "trackingUrl", NULL};
    struct rm_event *ev = &m->call.ev;
    int64_t port = -1;
    int rc;

    ev->kind = RM_EV_AM_REGISTER;
    ev->u.am_register.attempt = attempt;
    ev->u.am_register.host = "";
    if ((rc = base_json_refuse_unknown_members(m->body, "", known, err)) < 0 ||
        (rc = base_json_str(m->body, "", "host", false, BASE_NAME_MAX, &ev->u.am_register.host,
                            err)) < 0 ||
        (rc = base_json_int(m->body, "", "rpcPort", false, -1, 65535, &port, err)) < 0)
        return rc;
    ev->u.am_register.rpc_port = (int32_t)port;
    return base_json_str(m->body, "", "trackingUrl", false, 4096, &ev->u.am_register.tracking_url,
                         err);
}

static int read_capability(const json_t *ask, const char *where, struct rm_res *out,
                           struct base_error *err)
{
    static const char *const known[] = {"memory",    "vCores",       "memory-mb", "vcores",
                                        "map-slots", "reduce-slots", NULL};
    static const enum rm_res_name names[] = {RM_RES_MEMORY_MB, RM_RES_VCORES,
                                             RM_RES_MEMORY_MB, RM_RES_VCORES,
                                             RM_RES_MAP_SLOTS, RM_RES_REDUCE_SLOTS};
    const json_t *c = json_object_get(ask, "capability");
    char *inner;
    int rc = 0;

    if (!c || json_is_null(c))
        return 0;
    inner = base_printf("%scapability.", where);
    rc = base_json_refuse_unknown_members(c, inner, known, err);
    for (int i = 0; rc == 0 && known[i]; i++)
        rc = base_json_int(c, inner, known[i], false, 0, INT32_MAX, &out->v[names[i]], err);
    free(inner);
    return rc;
}

static int read_ask(const json_t *j, size_t i, struct rm_ask *a, struct base_error *err)
{
    static const char *const known[] = {"priority",   "allocationRequestId", "resourceName",
                                        "capability", "numContainers",       "relaxLocality",
                                        "launch",     "nodeLabelExpression", NULL};
    int64_t priority = 0, count = 1;
    char where[32];
    int rc;

    snprintf(where, sizeof where, "ask[%zu].", i);
    a->resource_name = "*";
    a->relax_locality = true;
    if ((rc = base_json_refuse_unknown_members(j, where, known, err)) < 0 ||
        (rc = base_json_int(j, where, "priority", false, INT32_MIN, INT32_MAX, &priority, err)) <
            0 ||
        (rc = base_json_int(j, where, "allocationRequestId", false, -1, INT64_MAX,
                            &a->allocation_request_id, err)) < 0 ||
        (rc = base_json_str(j, where, "resourceName", false, BASE_NAME_MAX, &a->resource_name,
                            err)) < 0 ||
        (rc = base_json_int(j, where, "numContainers", false, 0, BASE_ASK_MAX, &count, err)) < 0 ||
        (rc = base_json_bool(j, where, "relaxLocality", false, &a->relax_locality, err)) < 0 ||
        (rc = base_json_str(j, where, "nodeLabelExpression", false, BASE_NAME_MAX, &a->label,
                            err)) < 0 ||
        (rc = read_capability(j, where, &a->capability, err)) < 0)
        return rc;
    a->priority = (int32_t)priority;
    a->containers = (int32_t)count;
    rc = rm_launch_decode(json_object_get(j, "launch"), &a->launch, err);
    return rc < 0 ? base_error_wrap(err, rc, "%slaunch", where) : 0;
}

static int read_asks_and_releases(struct master_call *m, struct base_error *err)
{
    json_t *asks = NULL, *releases = NULL, *j;
    size_t i;
    int rc;

    if ((rc = base_json_arr(m->body, "", "ask", false, ASKS_MAX, &asks, err)) < 0 ||
        (rc = base_json_arr(m->body, "", "release", false, RELEASES_MAX, &releases, err)) < 0)
        return rc;
    m->releases = base_alloc(json_array_size(releases) * sizeof *m->releases);
    json_array_foreach(releases, i, j)
    {
        rc = base_container_id_parse(json_is_string(j) ? json_string_value(j) : "", &m->releases[i],
                                     err);
        if (rc < 0)
            return base_error_wrap(err, rc, "release[%zu]", i);
    }
    m->asks = base_alloc(json_array_size(asks) * sizeof *m->asks);
    m->call.ev.u.am_allocate.asks = m->asks;
    m->call.ev.u.am_allocate.releases = m->releases;
    m->call.ev.u.am_allocate.releases_n = json_array_size(releases);
    json_array_foreach(asks, i, j)
    {
        rc = read_ask(j, i, &m->asks[i], err);
        if (rc < 0) {
            for (size_t k = 0; k < i; k++)
                rm_launch_unref(m->asks[k].launch); /* the event, which owns them, is not posted */
            return rc;
        }
    }
    m->call.ev.u.am_allocate.asks_n = json_array_size(asks);
    return 0;
}

static int read_allocate(struct master_call *m, struct base_attempt_id attempt,
                         struct base_error *err)
{
    static const char *const known[] = {"responseId", "progress", "ask", "release", NULL};
    struct rm_event *ev = &m->call.ev;
    double progress = 0;
    int rc;

    ev->kind = RM_EV_AM_ALLOCATE;
    ev->u.am_allocate.attempt = attempt;
    if ((rc = base_json_refuse_unknown_members(m->body, "", known, err)) < 0 ||
        (rc = base_json_int(m->body, "", "responseId", true, 0, INT64_MAX / 2,
                            &ev->u.am_allocate.response_id, err)) < 0 ||
        (rc = base_json_num(m->body, "", "progress", false, 0, 1, &progress, err)) < 0)
        return rc;
    ev->u.am_allocate.progress = (float)progress;
    return read_asks_and_releases(m, err);
}

static int read_finish(struct master_call *m, struct base_attempt_id attempt,
                       struct base_error *err)
{
    static const char *const known[] = {"finalStatus", "diagnostics", "trackingUrl", NULL};
    struct rm_event *ev = &m->call.ev;
    const char *status = NULL;
    int rc, s;

    ev->kind = RM_EV_AM_FINISH;
    ev->u.am_finish.attempt = attempt;
    ev->u.am_finish.diagnostics = "";
    if ((rc = base_json_refuse_unknown_members(m->body, "", known, err)) < 0 ||
        (rc = base_json_str(m->body, "", "finalStatus", true, 32, &status, err)) < 0 ||
        (rc = base_json_str(m->body, "", "diagnostics", false, BASE_DIAGNOSTICS_MAX,
                            &ev->u.am_finish.diagnostics, err)) < 0 ||
        (rc = base_json_str(m->body, "", "trackingUrl", false, 4096, &ev->u.am_finish.tracking_url,
                            err)) < 0)
        return rc;
    for (s = RM_FINAL_SUCCEEDED; s <= RM_FINAL_ENDED; s++)
        if (strcmp(status, rm_final_status_name((enum rm_final_status)s)) == 0)
            break;
    if (s > RM_FINAL_ENDED)
        return base_error_set(err, -BASE_EINVAL,
                              "finalStatus: \"%s\" is not SUCCEEDED, FAILED, KILLED or ENDED",
                              status);
    ev->u.am_finish.status = (enum rm_final_status)s;
    return 0;
}

static void register_master(struct api_request *rq, void *user)
{
    decode_and_post_master_call(rq, user, read_register);
}

static void allocate_for_master(struct api_request *rq, void *user)
{
    decode_and_post_master_call(rq, user, read_allocate);
}

static void finish_master(struct api_request *rq, void *user)
{
    decode_and_post_master_call(rq, user, read_finish);
}

#define MASTER "/ws/v1/cluster/apps/{appid}/master"
const struct api_route rm_api_master_routes[] = {
    {"POST", MASTER "/register", API_ROLE_MASTER, 64 << 10, register_master, API_ROUTE_CREEL},
    {"POST", MASTER "/allocate", API_ROLE_MASTER, BASE_BODY_MAX, allocate_for_master,
     API_ROUTE_CREEL},
    {"POST", MASTER "/finish", API_ROLE_MASTER, 1 << 20, finish_master, API_ROUTE_CREEL},
};
const size_t rm_api_master_routes_n = sizeof rm_api_master_routes / sizeof *rm_api_master_routes;

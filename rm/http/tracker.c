/* rm/http/tracker.c - what NodeManagers and tasks say: registration, heartbeats, commits, map
 * outputs.
 * Nodes come with the cluster's secret, tasks with their application's token.
 *
 * On a standby a node's registration or heartbeat is parked, without a thread, until it is known
 * who leads: so a failover costs nodes no polling, they wait where the next leader will be.
 *
 *   another RM is active, not named in X-Creel-Failed -> 307
 *   else parked for NODE_PARK_US at most:  this RM leads -> as always;  another does -> 307;
 *                                          nobody -> 503
 *   (NODE_DOUBT_US when the active one is named there: it may be dead, or the node's link to it was
 *   cut for a moment)
 *
 * One that this RM holds when it stops leading is parked likewise, for NODE_DOUBT_US: a thousand
 * nodes do not come to the next leader before there is one. If this RM is cut off from ZooKeeper,
 * and would not hear of it, 503.
 *
 * Parked requests are bounded by the server's connections. Everything else here is answered at once
 * by a standby: 307, or 503 to be repeated. */
#include <stdlib.h>
#include <string.h>

#include "api/wire/order.h"
#include "api/wire/task.h"
#include "base/conf/conf.h"
#include "base/conf/rm_list.h"
#include "base/io/log.h"
#include "base/limits.h"
#include "rm/daemon/audit.h"
#include "rm/daemon/daemon.h"
#include "rm/http/core_call.h"
#include "rm/http/node_json.h"
#include "rm/leader/parked.h"
#include "rm/leader/standby.h"

#define HEARTBEAT_BODY_MAX  (64u << 20) /* a node that reports all it has */
#define OUTPUTS_HOLD_MAX_MS 60000
#define NODE_PARK_US        (INT64_C(10) * 1000000)
#define NODE_DOUBT_US       INT64_C(1500000)
#define FAILED_MAX          8192 /* bytes of X-Creel-Failed that are looked at */

/* True: this RM leads. False: the request was answered as by one that does not. */
static bool leads_or_answered(struct api_request *rq, const struct rm_backend *b)
{
    if (rm_standby_is_active(b))
        return true;
    rm_standby_answer_ended(rq, b, RM_NOT_ACTIVE_TEXT);
    return false;
}

/* ---------------------------------------------------------------- nodes */
struct node_call {
    struct rm_call call; /* refs: of whom the answer is up to, and of the posted event */
    struct rm_node_message m;
    char *failed;           /* parked: whom the node could not reach, or NULL */
    int64_t seen, until_us; /* parked: changes of roles seen, on rm_watch_mono_us()'s clock */
};

static void drop_node(struct rm_call *c)
{
    struct node_call *n = (struct node_call *)c;

    rm_node_message_free(&n->m);
    free(n->failed);
}

/* With the epoch, as every order: a node refuses what comes from a lower one than it has seen. */
static void put_resync(const struct rm_backend *b, struct base_buf *out)
{
    wire_answer_open(&(struct wire_answer){.epoch = rm_daemon_epoch(b)}, out);
    wire_order_put(&(struct wire_order){.kind = BASE_ORDER_RESYNC}, out);
    wire_answer_close(out);
}

static void role_changed(void *user);

/* The leadership has ended while it held this request. False: it is to be answered now. */
static bool left_behind(struct node_call *n, const struct rm_effect *fx)
{
    struct rm_backend *b = n->call.b;
    char active[512];

    if (fx->kind != RM_FX_REPLY || fx->u.reply.kind != RM_REPLY_ERROR ||
        fx->u.reply.code != -BASE_EVERSION ||
        (n->call.ev.kind != RM_EV_NODE_HEARTBEAT && n->call.ev.kind != RM_EV_NODE_REGISTER))
        return false;
    n->seen = rm_backend_role_changes(b);
    rm_backend_active_url(b, active);
    if (active[0] || !rm_standby_connected(b))
        return false;
    n->until_us = rm_watch_mono_us() + NODE_DOUBT_US;
    rm_backend_await_role_change(b, n->seen, n->until_us, role_changed, n);
    return true;
}

static void answer_node(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;
    const struct base_conf *conf = rm_backend_conf(c->b);
    struct base_buf body = {0};

    if (left_behind(user, fx))
        return;
    if (fx->kind == RM_FX_HEARTBEAT) {
        const struct rm_order_context cx = {
            .rm_urls = rm_backend_all_urls(c->b),
            .master_key = rm_backend_master_key(c->b),
            .sort_buffer_mb = base_conf_int(conf, "creel.mapreduce.sort-buffer-mb")};
        rm_heartbeat_encode(fx, base_conf_get(conf, "creel.cluster.name"), &cx, &body);
        rm_api_json(c->rq, 200, &body);
    } else if (fx->u.reply.kind == RM_REPLY_RESYNC) {
        put_resync(c->b, &body);
        rm_api_json(c->rq, 200, &body);
    } else if (fx->u.reply.kind == RM_REPLY_OK) {
        rm_api_no_content(c->rq);
    } else {
        rm_api_reply_error(c->rq, fx);
    }
    rm_call_unref(c);
}

static struct node_call *node_call_new(struct api_request *rq, struct rm_backend *b,
                                       const struct rm_node_message *m)
{
    struct node_call *c = base_alloc(sizeof *c);

    c->m = *m;
    c->call.ev = m->ev;
    c->call.drop = drop_node;
    c->call.b = b;
    c->call.rq = rq;
    atomic_init(&c->call.refs, 1);
    return c;
}

static void release_node(void *user)
{
    rm_call_unref(user);
}

/* Perhaps once more: an earlier leadership's release may not have come yet. */
static void post_call(struct node_call *c)
{
    atomic_fetch_add(&c->call.refs, 1);
    rm_backend_post(c->call.b, &c->call.ev, answer_node, release_node, c);
}

static void post_node(struct api_request *rq, struct rm_backend *b, const struct rm_node_message *m)
{
    api_park(rq);
    post_call(node_call_new(rq, b, m));
}

/* Sends the node to the active RM, if that is another one which it has not just failed to reach. */
static bool send_on(struct api_request *rq, const struct rm_backend *b, const char *failed)
{
    char active[512];

    rm_backend_active_url(b, active);
    return !(failed && base_rm_among(failed, active)) && rm_standby_redirect(rq, b);
}

/* Of a parked request: roles have changed, its time is over, or the daemon stops. */
static void role_changed(void *user)
{
    struct node_call *c = user;
    struct rm_backend *b = c->call.b;
    int64_t seen = rm_backend_role_changes(b);

    if (seen != c->seen) { /* whoever leads now has been elected since the node has tried */
        free(c->failed);
        c->failed = NULL;
        c->until_us = rm_watch_mono_us() + NODE_PARK_US;
    }
    if (rm_standby_is_active(b)) {
        post_call(c);
    } else if (send_on(c->call.rq, b, c->failed)) {
        rm_call_unref(&c->call);
    } else if (seen == c->seen || rm_watch_mono_us() >= c->until_us) {
        api_add_header(c->call.rq, "Retry-After", "1");
        api_answer_error(c->call.rq, 503, "StandbyException",
                         "no ResourceManager leads, or none that can be reached");
        rm_call_unref(&c->call);
    } else {
        c->seen = seen;
        rm_backend_await_role_change(b, seen, c->until_us, role_changed, c);
    }
}

/* @seen: taken before the role was looked at. */
static void park_node(struct api_request *rq, struct rm_backend *b, const struct rm_node_message *m,
                      const char *failed, int64_t seen)
{
    struct node_call *c = node_call_new(rq, b, m);
    char active[512];

    c->failed = failed ? base_strdup(failed) : NULL;
    c->seen = seen;
    rm_backend_active_url(b, active);
    c->until_us = rm_watch_mono_us() + (active[0] ? NODE_DOUBT_US : NODE_PARK_US);
    api_park(rq);
    rm_backend_await_role_change(b, seen, c->until_us, role_changed, c);
}

/* A node that was refused comes again within a second: one line a minute is enough for any number
 * of them. */
static void log_other_version(const struct api_request *rq, const struct base_error *err)
{
    static _Atomic int64_t quiet_until_us;
    int64_t now = rm_watch_mono_us(), until = atomic_load(&quiet_until_us);

    if (now >= until &&
        atomic_compare_exchange_strong(&quiet_until_us, &until, now + INT64_C(60000000)))
        base_log_warn("rm", "a registration from %s was refused: %s", api_peer(rq), err->text);
}

typedef int decode_fn(const char *text, size_t len, struct rm_node_message *out,
                      struct base_error *err);

static void do_node(struct api_request *rq, struct rm_backend *b, decode_fn *decode)
{
    int64_t seen = rm_backend_role_changes(b);
    bool leads = rm_standby_is_active(b);
    const char *failed = leads ? NULL : api_header(rq, BASE_RM_FAILED_HEADER);
    struct rm_node_message m;
    struct base_error err = {0};
    size_t len;
    const char *body = api_body(rq, &len);

    if (failed && strlen(failed) > FAILED_MAX)
        failed = NULL;
    if (!leads && send_on(rq, b, failed))
        return;
    int rc = decode(body, len, &m, &err);
    if (rc == 0 && m.ev.kind == RM_EV_NODE_REGISTER)
        rm_audit_note(rq, "node", m.ev.u.node_register.node_id);
    if (rc == -BASE_EVERSION)
        log_other_version(rq, &err);
    if (rc < 0)
        rm_api_bad_request(rq, &err);
    else if (leads)
        post_node(rq, b, &m);
    else
        park_node(rq, b, &m, failed, seen);
}

static void do_register(struct api_request *rq, void *user)
{
    do_node(rq, user, rm_node_decode_register);
}

static void do_heartbeat(struct api_request *rq, void *user)
{
    do_node(rq, user, rm_node_decode_heartbeat);
}

static void do_named(struct api_request *rq, void *user, enum rm_event_kind kind)
{
    struct rm_node_message m;
    struct base_error err = {0};
    size_t len;
    const char *body = api_body(rq, &len);

    if (!leads_or_answered(rq, user))
        return;
    if (rm_node_decode_name(body, len, kind, &m, &err) < 0) {
        rm_api_bad_request(rq, &err);
        return;
    }
    rm_audit_note(rq, "node", m.ev.u.node.node_id);
    post_node(rq, user, &m);
}

static void do_wake(struct api_request *rq, void *user)
{
    do_named(rq, user, RM_EV_NODE_WAKE);
}

static void do_gone(struct api_request *rq, void *user)
{
    do_named(rq, user, RM_EV_NODE_GONE);
}

/* ---------------------------------------------------------------- tasks */
static void answer_flag(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;
    struct base_buf body = {0};

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_FLAG) {
        wire_leave_put(&(struct wire_leave){.commit = fx->u.reply.flag}, &body);
        rm_api_json(c->rq, 200, &body);
    } else {
        rm_api_reply_error(c->rq, fx);
    }
    rm_call_unref(c);
}

static void do_commit(struct api_request *rq, void *user)
{
    struct wire_commit m;
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT};
    struct base_error err = {0};
    struct rm_call *c;
    size_t len;
    const char *body = api_body(rq, &len);
    int rc;

    if (!leads_or_answered(rq, user))
        return;
    rc = wire_commit_get(body, len, &m, &err);
    if (rc == 0) {
        ev.u.task_commit.attempt = m.task_attempt;
        rc = base_task_id_parse(m.task, &ev.u.task_commit.task, &err);
        if (rc < 0)
            base_error_wrap(&err, rc, "task");
        wire_commit_free(&m);
    }
    if (rc < 0) {
        rm_api_bad_request(rq, &err);
        return;
    }
    if (!rm_api_authorised(rq, user, ev.u.task_commit.task.app))
        return;
    c = base_alloc(sizeof *c);
    c->ev = ev;
    rm_call_post(c, user, rq, answer_flag);
}

static void answer_ok(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR)
        rm_api_reply_error(c->rq, fx);
    else
        rm_api_no_content(c->rq);
    rm_call_unref(c);
}

/* A reason that names the 404 says as much as "gone": creel-task gives no more than the reason. */
static int read_failure(const char *text, size_t len, struct rm_event *ev, struct base_error *err)
{
    struct wire_fetch_failure m;
    int rc = wire_fetch_failure_get(text, len, &m, err);

    if (rc < 0)
        return rc;
    ev->kind = RM_EV_FETCH_FAILURE;
    ev->u.fetch_failure.map = m.map;
    ev->u.fetch_failure.attempt = m.attempt;
    ev->u.fetch_failure.gone = m.gone || strstr(m.reason, "404") != NULL;
    rc = base_task_id_parse(m.reduce, &ev->u.fetch_failure.reduce, err);
    wire_fetch_failure_free(&m);
    return rc < 0 ? base_error_wrap(err, rc, "reduce") : 0;
}

static void do_fetch_failure(struct api_request *rq, void *user)
{
    struct base_app_id app;
    struct rm_event ev = {0};
    struct base_error err = {0};
    struct rm_call *c;
    size_t len;
    const char *body = api_body(rq, &len);

    if (!leads_or_answered(rq, user) || !rm_api_app_id(rq, 0, &app) ||
        !rm_api_authorised(rq, user, app))
        return;
    if (read_failure(body, len, &ev, &err) < 0) {
        rm_api_bad_request(rq, &err);
        return;
    }
    ev.u.fetch_failure.app = app;
    c = base_alloc(sizeof *c);
    c->ev = ev;
    rm_call_post(c, user, rq, answer_ok);
}

/* ---------------------------------------------------------------- map outputs */
struct outputs_call {
    struct api_request *rq;
    struct rm_backend *b;
    struct base_app_id id;
    int64_t since;
};

static void put_output(const struct rm_map_output_view *o, struct base_buf *out)
{
    char text[BASE_ID_TEXT_MAX];

    wire_map_output_put(
        &(struct wire_map_output){.map = o->map,
                                  .attempt = o->attempt,
                                  .container = base_container_id_text(&o->container, text),
                                  .node = o->node_http},
        out);
}

/* False and nothing answered: nothing new, and @may_wait. */
static bool answer_outputs(struct api_request *rq, struct rm_backend *b, struct base_app_id id,
                           int64_t since, bool may_wait, int64_t *version)
{
    struct rm_views views = {0};
    struct base_buf body = {0};
    int64_t maps = 0, done = 0;
    int rc = rm_view_map_outputs(rm_backend_hold(b), id, since, version, &maps, &done, &views);

    rm_backend_release(b);
    if (rc == 0 && views.outputs_n == 0 && may_wait) {
        rm_views_free(&views);
        return false;
    }
    if (rc < 0) {
        char text[BASE_ID_TEXT_MAX];
        api_answer_error(rq, 404, "NotFoundException", "%s is not a known job",
                         base_app_id_text(&id, text));
        rm_views_free(&views);
        return true;
    }
    wire_map_outputs_open(
        &(struct wire_map_outputs){.version = *version, .maps = maps, .done = done}, &body);
    for (size_t i = 0; i < views.outputs_n; i++)
        put_output(&views.outputs[i], &body);
    wire_map_outputs_close(&body);
    rm_views_free(&views);
    rm_api_json(rq, 200, &body);
    return true;
}

static void outputs_fired(void *user)
{
    struct outputs_call *c = user;
    int64_t version;

    if (leads_or_answered(c->rq, c->b))
        answer_outputs(c->rq, c->b, c->id, c->since, false, &version);
    free(c);
}

static void do_outputs(struct api_request *rq, void *user)
{
    struct base_app_id id;
    struct outputs_call *c;
    int64_t since = 0, hold_ms = 0, version = 0;

    if (!leads_or_answered(rq, user) || !rm_api_app_id(rq, 0, &id) ||
        !rm_api_authorised(rq, user, id) || !rm_api_query_int(rq, "since", 0, INT64_MAX, &since) ||
        !rm_api_query_int(rq, "hold-ms", 0, OUTPUTS_HOLD_MAX_MS, &hold_ms) ||
        answer_outputs(rq, user, id, since, hold_ms > 0, &version))
        return;
    c = base_alloc(sizeof *c);
    *c = (struct outputs_call){rq, user, id, since};
    api_park(rq);
    rm_backend_await_outputs(user, id, version, rm_backend_now_us(user) + hold_ms * 1000,
                             outputs_fired, c);
}

#define TRACKER "/ws/v1/nodetracker"
const struct api_route rm_api_tracker_routes[] = {
    {"POST", TRACKER "/register", API_ROLE_NODE, HEARTBEAT_BODY_MAX, do_register, API_ROUTE_CREEL},
    {"POST", TRACKER "/heartbeat", API_ROLE_NODE, HEARTBEAT_BODY_MAX, do_heartbeat,
     API_ROUTE_CREEL},
    {"POST", TRACKER "/wake", API_ROLE_NODE, 4096, do_wake, API_ROUTE_CREEL},
    {"POST", TRACKER "/unregister", API_ROLE_NODE, 4096, do_gone, API_ROUTE_CREEL},
    {"POST", TRACKER "/commit", API_ROLE_MASTER, 4096, do_commit, API_ROUTE_CREEL},
    {"GET", TRACKER "/apps/{appid}/mapoutputs", API_ROLE_MASTER, 0, do_outputs, API_ROUTE_CREEL},
    {"POST", TRACKER "/apps/{appid}/fetch-failure", API_ROLE_MASTER, 1 << 20, do_fetch_failure,
     API_ROUTE_CREEL},
};
const size_t rm_api_tracker_routes_n = sizeof rm_api_tracker_routes / sizeof *rm_api_tracker_routes;

/* rm/http/tracker.c - serves the requests of NodeManagers and tasks: registration, heartbeats,
 * commits, map outputs. Nodes authenticate with the cluster's secret, tasks with their
 * application's token.
 *
 * A registration or heartbeat that reaches a standby, or that this RM holds when it stops leading,
 * is parked until a leader is known. rm/term/node_wait.h decides when and how long to wait, and
 * which answer follows: a redirection is a 307, a refusal a 503. The node names the RMs that it
 * could not reach in X-Creel-Failed. The number of connections limits that of parked requests.
 *
 * A standby answers all other requests of this file at once: 307, or 503 with Retry-After. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "api/wire/order.h"
#include "api/wire/task.h"
#include "base/conf/conf.h"
#include "base/conf/rm_list.h"
#include "base/io/log.h"
#include "base/limits.h"
#include "rm/daemon/daemon.h"
#include "rm/http/core_call.h"
#include "rm/http/node_json.h"
#include "rm/leader/parked.h"
#include "rm/leader/standby.h"
#include "rm/term/node_wait.h"

#define HEARTBEAT_BODY_MAX  (64u << 20) /* a node that reports all its containers */
#define OUTPUTS_HOLD_MAX_MS 60000
#define FAILED_MAX          8192 /* bytes; a longer X-Creel-Failed is ignored */
#define NOBODY_LEADS_TEXT   "no ResourceManager leads, or none that can be reached"

static const struct rm_node_wait_conf node_wait_conf = {.wait_us = RM_NODE_WAIT_US,
                                                        .doubt_us = RM_NODE_DOUBT_US};

/* Returns true when this RM leads. Otherwise answers @rq with 307 or 503 and returns false. */
static bool check_rm_leads(struct api_request *rq, const struct rm_backend *b)
{
    if (rm_standby_is_active(b))
        return true;
    rm_standby_answer_leadership_over(rq, b, RM_NOT_ACTIVE_TEXT);
    return false;
}

/* ---------------------------------------------------------------- nodes */
struct node_call {
    struct rm_call call; /* one reference for the responder, one for each posted event */
    struct rm_node_message m;
    struct rm_node_wait wait; /* deadline on rm_parking_mono_us()'s clock */
};

static void free_node_call_parts(struct rm_call *c)
{
    struct node_call *n = (struct node_call *)c;

    rm_node_message_free(&n->m);
    rm_node_wait_free(&n->wait);
}

/* The answer contains the epoch, because a node refuses orders of an epoch below the highest it has
 * seen. */
static void put_resync_answer(const struct rm_backend *b, struct base_buf *out)
{
    wire_answer_open(&(struct wire_answer){.epoch = rm_daemon_epoch(b)}, out);
    wire_order_put(&(struct wire_order){.kind = BASE_ORDER_RESYNC}, out);
    wire_answer_close(out);
}

/* Sets *@out to the roles as known now; out->active points into @active. */
static void read_known_roles(struct rm_backend *b, char active[512], struct rm_roles_known *out)
{
    out->changes = rm_backend_get_role_changes(b); /* first, so that no later change is missed */
    out->leads = rm_standby_is_active(b);
    rm_standby_find_active_url(b, active);
    out->active = active;
    out->now_us = rm_parking_mono_us();
}

static void resume_parked_node(void *user);

static void park_until_role_change(struct node_call *n)
{
    rm_backend_await_role_change(n->call.b, n->wait.seen, n->wait.until_us, resume_parked_node, n);
}

/* When @fx refuses a registration or heartbeat because this RM no longer leads, parks the request
 * if a new leader may soon be known. Returns true when parked; otherwise @fx is the answer. */
static bool park_if_refused_as_not_leading(struct node_call *n, const struct rm_effect *fx)
{
    struct rm_backend *b = n->call.b;
    struct rm_roles_known roles;
    char active[512];

    if (fx->kind != RM_FX_REPLY || fx->u.reply.kind != RM_REPLY_ERROR ||
        fx->u.reply.code != -BASE_EVERSION ||
        (n->call.ev.kind != RM_EV_NODE_HEARTBEAT && n->call.ev.kind != RM_EV_NODE_REGISTER))
        return false;
    read_known_roles(b, active, &roles);
    if (rm_node_wait_after_refusal(&n->wait, &node_wait_conf, &roles,
                                   rm_standby_is_zookeeper_connected(b)) != RM_NODE_WAIT)
        return false;
    park_until_role_change(n);
    return true;
}

static void answer_node_call(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;
    const struct base_conf *conf = rm_backend_conf(c->b);
    struct base_buf body = {0};

    if (park_if_refused_as_not_leading(user, fx))
        return;
    if (fx->kind == RM_FX_HEARTBEAT) {
        const struct rm_order_context cx = {
            .rm_urls = rm_backend_all_urls(c->b),
            .sort_buffer_mb = base_conf_int(conf, "creel.mapreduce.sort-buffer-mb"),
            .input_limit_ms = base_conf_int(conf, "creel.rm.input-timeout-ms")};
        rm_heartbeat_answer_encode(fx, base_conf_get(conf, "creel.cluster.name"), &cx, &body);
        rm_api_answer_json(c->rq, 200, &body);
    } else if (fx->u.reply.kind == RM_REPLY_RESYNC) {
        put_resync_answer(c->b, &body);
        rm_api_answer_json(c->rq, 200, &body);
    } else if (fx->u.reply.kind == RM_REPLY_OK) {
        rm_api_answer_no_content(c->rq);
    } else {
        rm_api_answer_core_error(c->rq, fx);
    }
    rm_call_unref(c);
}

static struct node_call *node_call_new(struct api_request *rq, struct rm_backend *b,
                                       const struct rm_node_message *m)
{
    struct node_call *c = base_alloc(sizeof *c);

    c->m = *m;
    c->call.ev = m->ev;
    c->call.drop = free_node_call_parts;
    c->call.b = b;
    c->call.rq = rq;
    atomic_init(&c->call.refs, 1);
    return c;
}

static void unref_node_call(void *user)
{
    rm_call_unref(user);
}

/* Takes a reference for the daemon's unref_node_call(). A request that was refused and parked may
 * be posted again before the daemon has released its first event. */
static void post_node_event(struct node_call *c)
{
    atomic_fetch_add(&c->call.refs, 1);
    rm_backend_post(c->call.b, &c->call.ev, answer_node_call, unref_node_call, c);
}

static void park_and_post_node_event(struct api_request *rq, struct rm_backend *b,
                                     const struct rm_node_message *m)
{
    api_park(rq);
    post_node_event(node_call_new(rq, b, m));
}

/* Continues a parked request: the roles have changed, its wait is over, or the daemon stops. */
static void resume_parked_node(void *user)
{
    struct node_call *c = user;
    struct rm_backend *b = c->call.b;
    struct rm_roles_known roles;
    char active[512];

    read_known_roles(b, active, &roles);
    switch (rm_node_wait_resume(&c->wait, &node_wait_conf, &roles)) {
    case RM_NODE_HAND_TO_CORE:
        post_node_event(c);
        break;
    case RM_NODE_REDIRECT:
        rm_standby_answer_leadership_over(c->call.rq, b, NOBODY_LEADS_TEXT);
        rm_call_unref(&c->call);
        break;
    case RM_NODE_REFUSE: /* an RM may be active that the node cannot reach: do not redirect */
        api_add_header(c->call.rq, "Retry-After", "1");
        api_answer_error(c->call.rq, 503, "StandbyException", NOBODY_LEADS_TEXT);
        rm_call_unref(&c->call);
        break;
    case RM_NODE_WAIT:
        park_until_role_change(c);
        break;
    }
}

/* Logs at most one refusal per minute, since each refused node tries again within a second. */
static void log_version_refusal_unless_recent(const struct api_request *rq,
                                              const struct base_error *err)
{
    static _Atomic int64_t quiet_until_us;
    int64_t now = rm_parking_mono_us(), until = atomic_load(&quiet_until_us);

    if (now >= until &&
        atomic_compare_exchange_strong(&quiet_until_us, &until, now + INT64_C(60000000)))
        base_log_warn("rm", "a registration from %s was refused: %s", api_peer(rq), err->text);
}

typedef int decode_fn(const char *text, size_t len, struct rm_node_message *out,
                      struct base_error *err);

/* Decides how a standby treats a node's request. The body is not decoded yet, since a redirection
 * does not need it. Returns true when the request has to wait, and initialises @wait; false when it
 * was answered with a redirection. @role_changes: their number, read before the role. */
static bool begin_leader_wait_or_redirect(struct api_request *rq, struct rm_backend *b,
                                          int64_t role_changes, struct rm_node_wait *wait)
{
    const char *failed = api_header(rq, BASE_RM_FAILED_HEADER);
    struct rm_roles_known roles = {.changes = role_changes, .now_us = rm_parking_mono_us()};
    char active[512];

    rm_standby_find_active_url(b, active);
    roles.active = active;
    if (failed && strlen(failed) > FAILED_MAX)
        failed = NULL;
    if (rm_node_wait_begin(wait, &node_wait_conf, &roles, failed) == RM_NODE_WAIT)
        return true;
    rm_node_wait_free(wait);
    rm_standby_answer_leadership_over(rq, b, NOBODY_LEADS_TEXT);
    return false;
}

/* Parks a registration or heartbeat until a leader is known. Takes ownership of what @m and @wait
 * own. */
static void park_node_request_until_leader(struct api_request *rq, struct rm_backend *b,
                                           const struct rm_node_message *m,
                                           const struct rm_node_wait *wait)
{
    struct node_call *c = node_call_new(rq, b, m);

    c->wait = *wait;
    api_park(rq);
    park_until_role_change(c);
}

static void handle_node_message(struct api_request *rq, struct rm_backend *b, decode_fn *decode)
{
    int64_t changes = rm_backend_get_role_changes(b); /* before the role is read */
    bool leads = rm_standby_is_active(b);
    struct rm_node_wait wait = {0};
    struct rm_node_message m;
    struct base_error err = {0};
    size_t len;
    const char *body = api_body(rq, &len);
    int rc;

    if (!leads && !begin_leader_wait_or_redirect(rq, b, changes, &wait))
        return;
    rc = decode(body, len, &m, &err);
    if (rc == 0 && m.ev.kind == RM_EV_NODE_REGISTER)
        api_audit_add_member(rq, "node", m.ev.u.node_register.node_id);
    if (rc == -BASE_EVERSION)
        log_version_refusal_unless_recent(rq, &err);
    if (rc < 0)
        rm_api_answer_bad_request(rq, &err);
    else if (leads)
        park_and_post_node_event(rq, b, &m);
    else
        park_node_request_until_leader(rq, b, &m, &wait);
    if (rc < 0)
        rm_node_wait_free(&wait);
}

static void register_node(struct api_request *rq, void *user)
{
    handle_node_message(rq, user, rm_node_decode_register);
}

static void handle_heartbeat(struct api_request *rq, void *user)
{
    handle_node_message(rq, user, rm_node_decode_heartbeat);
}

static void handle_wake_or_unregister(struct api_request *rq, void *user, enum rm_event_kind kind)
{
    struct rm_node_message m;
    struct base_error err = {0};
    size_t len;
    const char *body = api_body(rq, &len);

    if (!check_rm_leads(rq, user))
        return;
    if (rm_node_decode_wake_or_unregister(body, len, kind, &m, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    api_audit_add_member(rq, "node", m.ev.u.node.node_id);
    park_and_post_node_event(rq, user, &m);
}

static void wake_parked_heartbeat(struct api_request *rq, void *user)
{
    handle_wake_or_unregister(rq, user, RM_EV_NODE_WAKE);
}

static void unregister_node(struct api_request *rq, void *user)
{
    handle_wake_or_unregister(rq, user, RM_EV_NODE_GONE);
}

/* ---------------------------------------------------------------- tasks */
static void answer_commit_permission(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;
    struct base_buf body = {0};

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_FLAG) {
        wire_commit_answer_put(&(struct wire_commit_answer){.commit = fx->u.reply.flag}, &body);
        rm_api_answer_json(c->rq, 200, &body);
    } else {
        rm_api_answer_core_error(c->rq, fx);
    }
    rm_call_unref(c);
}

static void handle_task_commit_request(struct api_request *rq, void *user)
{
    struct wire_commit m;
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT};
    struct base_error err = {0};
    struct rm_call *c;
    size_t len;
    const char *body = api_body(rq, &len);
    int rc;

    if (!check_rm_leads(rq, user))
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
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    if (!rm_api_check_token_of_app_container(rq, user, ev.u.task_commit.task.app))
        return;
    c = base_alloc(sizeof *c);
    c->ev = ev;
    rm_call_post(c, user, rq, answer_commit_permission);
}

static void answer_no_content_or_error(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR)
        rm_api_answer_core_error(c->rq, fx);
    else
        rm_api_answer_no_content(c->rq);
    rm_call_unref(c);
}

/* A reason that contains 404 counts as "gone" too: the node no longer has the map's output. */
static int decode_fetch_failure(const char *text, size_t len, struct rm_event *ev,
                                struct base_error *err)
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

static void handle_fetch_failure(struct api_request *rq, void *user)
{
    struct base_app_id app;
    struct rm_event ev = {0};
    struct base_error err = {0};
    struct rm_call *c;
    size_t len;
    const char *body = api_body(rq, &len);

    if (!check_rm_leads(rq, user) || !rm_api_read_app_id(rq, 0, &app) ||
        !rm_api_check_token_of_app_container(rq, user, app))
        return;
    if (decode_fetch_failure(body, len, &ev, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    ev.u.fetch_failure.app = app;
    c = base_alloc(sizeof *c);
    c->ev = ev;
    rm_call_post(c, user, rq, answer_no_content_or_error);
}

/* ---------------------------------------------------------------- steps of jobs */
struct splits_call {
    struct rm_call call;
    struct rm_split_page page;
};

static void free_splits_of_call(struct rm_call *c)
{
    rm_split_page_clear(&((struct splits_call *)c)->page);
}

static void answer_splits(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;
    struct base_buf body = {0};

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_SPLITS) {
        wire_splits_answer_put(
            &(struct wire_splits_answer){.accepted = fx->u.reply.flag, .splits = fx->u.reply.value},
            &body);
        rm_api_answer_json(c->rq, 200, &body);
    } else {
        rm_api_answer_core_error(c->rq, fx);
    }
    rm_call_unref(c);
}

static void copy_split_page(const struct wire_splits *w, struct rm_split_page *page)
{
    page->first = w->from;
    page->last = w->last;
    page->paths.v = base_alloc((w->paths_n + 1) * sizeof *page->paths.v);
    for (; page->paths.n < w->paths_n; page->paths.n++)
        page->paths.v[page->paths.n] = base_strdup(w->paths[page->paths.n]);
    page->splits = base_alloc((w->splits_n + 1) * sizeof *page->splits);
    for (; page->splits_n < w->splits_n; page->splits_n++) {
        const int64_t *v = w->splits + page->splits_n * WIRE_SPLIT_NUMBERS;

        page->splits[page->splits_n] = (struct rm_split_spec){
            .path = (uint32_t)v[0], .offset = v[1], .length = v[2], .gzip = v[3] == 1};
    }
}

static void handle_splits(struct api_request *rq, void *user)
{
    struct base_app_id app;
    struct wire_splits m;
    struct base_error err = {0};
    struct splits_call *c;
    size_t len;
    const char *body = api_body(rq, &len);

    if (!check_rm_leads(rq, user) || !rm_api_read_app_id(rq, 0, &app) ||
        !rm_api_check_token_of_app_container(rq, user, app))
        return;
    if (wire_splits_get(body, len, &m, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    c = base_alloc(sizeof *c);
    c->call.drop = free_splits_of_call;
    copy_split_page(&m, &c->page);
    c->call.ev.kind = RM_EV_JOB_SPLITS;
    c->call.ev.u.job_splits.id = app;
    c->call.ev.u.job_splits.attempt = m.attempt;
    c->call.ev.u.job_splits.page = &c->page;
    wire_splits_free(&m);
    rm_call_post(&c->call, user, rq, answer_splits);
}

static void answer_job_commit(void *user, const struct rm_effect *fx)
{
    struct rm_call *c = user;
    struct wire_job_commit_answer a = {0};
    struct base_buf body = {0};

    if (fx->kind != RM_FX_REPLY || fx->u.reply.kind != RM_REPLY_FLAG) {
        rm_api_answer_core_error(c->rq, fx);
        rm_call_unref(c);
        return;
    }
    if (fx->u.reply.flag) {
        a.commit = rm_view_attempts_to_commit(rm_backend_lock_core(c->b), c->ev.u.job_may_commit.id,
                                              &a.kind, &a.attempts, &a.attempts_n) == 0;
        rm_backend_unlock_core(c->b);
    }
    wire_job_commit_answer_put(&a, &body);
    wire_job_commit_answer_free(&a);
    rm_api_answer_json(c->rq, 200, &body);
    rm_call_unref(c);
}

static void handle_job_commit(struct api_request *rq, void *user)
{
    struct base_app_id app;
    struct wire_job_commit m;
    struct base_error err = {0};
    struct rm_call *c;
    size_t len;
    const char *body = api_body(rq, &len);

    if (!check_rm_leads(rq, user) || !rm_api_read_app_id(rq, 0, &app) ||
        !rm_api_check_token_of_app_container(rq, user, app))
        return;
    if (wire_job_commit_get(body, len, &m, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    c = base_alloc(sizeof *c);
    c->ev.kind = RM_EV_JOB_MAY_COMMIT;
    c->ev.u.job_may_commit.id = app;
    c->ev.u.job_may_commit.attempt = m.attempt;
    rm_call_post(c, user, rq, answer_job_commit);
}

/* ---------------------------------------------------------------- map outputs */
struct outputs_call {
    struct api_request *rq;
    struct rm_backend *b;
    struct base_app_id id;
    int64_t since;
};

static void put_map_output(const struct rm_map_output_view *o, struct base_buf *out)
{
    char text[BASE_ID_TEXT_MAX];

    wire_map_output_put(
        &(struct wire_map_output){.map = o->map,
                                  .attempt = o->attempt,
                                  .container = base_container_id_text(&o->container, text),
                                  .node = o->node_http},
        out);
}

/* Answers with the map outputs that are newer than version @since, or with 404. Returns false,
 * without an answer, when there are none and @may_wait is true. Sets *@version to the current
 * version. */
static bool answer_map_outputs(struct api_request *rq, struct rm_backend *b, struct base_app_id id,
                               int64_t since, bool may_wait, int64_t *version)
{
    struct rm_views views = {0};
    struct base_buf body = {0};
    int64_t maps = 0, done = 0;
    int rc = rm_view_map_outputs(rm_backend_lock_core(b), id, since, version, &maps, &done, &views);

    rm_backend_unlock_core(b);
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
        put_map_output(&views.outputs[i], &body);
    wire_map_outputs_close(&body);
    rm_views_free(&views);
    rm_api_answer_json(rq, 200, &body);
    return true;
}

static void answer_waiting_map_outputs(void *user)
{
    struct outputs_call *c = user;
    int64_t version;

    if (check_rm_leads(c->rq, c->b))
        answer_map_outputs(c->rq, c->b, c->id, c->since, false, &version);
    free(c);
}

static void get_map_outputs(struct api_request *rq, void *user)
{
    struct base_app_id id;
    struct outputs_call *c;
    int64_t since = 0, hold_ms = 0, version = 0;

    if (!check_rm_leads(rq, user) || !rm_api_read_app_id(rq, 0, &id) ||
        !rm_api_check_token_of_app_container(rq, user, id) ||
        !rm_api_read_query_int(rq, "since", 0, INT64_MAX, &since) ||
        !rm_api_read_query_int(rq, "hold-ms", 0, OUTPUTS_HOLD_MAX_MS, &hold_ms) ||
        answer_map_outputs(rq, user, id, since, hold_ms > 0, &version))
        return;
    c = base_alloc(sizeof *c);
    *c = (struct outputs_call){rq, user, id, since};
    api_park(rq);
    rm_backend_await_map_outputs(user, id, version, rm_backend_now_us(user) + hold_ms * 1000,
                                 answer_waiting_map_outputs, c);
}

#define TRACKER "/ws/v1/nodetracker"
const struct api_route rm_api_tracker_routes[] = {
    {"POST", TRACKER "/register", API_ROLE_NODE, HEARTBEAT_BODY_MAX, register_node,
     API_ROUTE_CREEL},
    {"POST", TRACKER "/heartbeat", API_ROLE_NODE, HEARTBEAT_BODY_MAX, handle_heartbeat,
     API_ROUTE_CREEL},
    {"POST", TRACKER "/wake", API_ROLE_NODE, 4096, wake_parked_heartbeat, API_ROUTE_CREEL},
    {"POST", TRACKER "/unregister", API_ROLE_NODE, 4096, unregister_node, API_ROUTE_CREEL},
    {"POST", TRACKER "/commit", API_ROLE_MASTER, 4096, handle_task_commit_request, API_ROUTE_CREEL},
    {"GET", TRACKER "/apps/{appid}/mapoutputs", API_ROLE_MASTER, 0, get_map_outputs,
     API_ROUTE_CREEL},
    {"POST", TRACKER "/apps/{appid}/splits", API_ROLE_MASTER, WIRE_SPLITS_BODY_MAX, handle_splits,
     API_ROUTE_CREEL},
    {"POST", TRACKER "/apps/{appid}/commit", API_ROLE_MASTER, 4096, handle_job_commit,
     API_ROUTE_CREEL},
    {"POST", TRACKER "/apps/{appid}/fetch-failure", API_ROLE_MASTER, 1 << 20, handle_fetch_failure,
     API_ROUTE_CREEL},
};
const size_t rm_api_tracker_routes_n = sizeof rm_api_tracker_routes / sizeof *rm_api_tracker_routes;

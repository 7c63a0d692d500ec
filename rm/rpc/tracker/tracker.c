/* rm/rpc/tracker/tracker.c - YARN's ResourceTracker: NodeManagers of Hadoop register, send
 * heartbeats and leave, as Creel's own do over HTTP (rm/http/tracker.c). A thin codec over the same
 * events of the core. SOURCE: Hadoop's ResourceTrackerService; Hadoop 3.4.2 as recorded.
 *
 *   registerNodeManager    keys, and the instance that tokens name; orders wait
 *   nodeHeartbeat          the containers' states --> answered at once, with the core's orders
 *     RESYNC: the node is not registered with this ResourceManager, or was from another address, or
 *             answers were lost; it keeps its containers, and reports them when it registers again
 *     SHUTDOWN: its host may not have a node
 *   unRegisterNodeManager  the node leaves */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "rm/leader/standby.h"
#include "rm/rpc/client.h"
#include "rm/rpc/hosts.h"
#include "rm/rpc/ports.h"
#include "rm/rpc/tracker/answer.h"
#include "rm/rpc/tracker/reports.h"
#include "rm/rpc/tracker/tracker.h"

#define REPORT_MAX       (4 << 20) /* bytes: a node that reports all its containers */
#define NO_NODE_ID       "nodeId: expected the name of a host and a port"
#define START_EXPIRY_KEY "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"

static bool answer_unless_listed_and_active(struct api_rpc_call *call, void *user)
{
    const struct rm_tracker *t = user;

    return rm_rpc_refuse_unless_listed(call, RM_RPC_TRACKER_HOSTS_KEY) ||
           rm_rpc_answer_unless_active(call, t->b);
}

/* ---- a call: the event, until the core has processed it, and the reply hold a reference each ----
 */

struct node_call {
    atomic_int refs;
    struct api_rpc_call *call;
    struct rm_tracker *tracker;
    struct rm_backend *b;
    struct rm_event ev; /* points to what follows */
    int port;
    char *address;  /* from which the node calls */
    char *instance; /* RM_HADOOP_INSTANCE with it */
    char *id, *host, *http, *version, *health;
    struct rm_tracker_reports reports;
    struct base_app_id *apps;
    char **diagnostics; /* of the reports */
};

static void release_node_call(void *user)
{
    struct node_call *n = user;

    if (atomic_fetch_sub(&n->refs, 1) != 1)
        return;
    for (size_t i = 0; i < n->reports.n && n->diagnostics; i++)
        free(n->diagnostics[i]);
    free(n->diagnostics);
    free(n->reports.v);
    free(n->apps);
    free(n->address);
    free(n->instance);
    free(n->id);
    free(n->host);
    free(n->http);
    free(n->version);
    free(n->health);
    free(n);
}

static void log_refusal(const struct api_rpc_call *call, const char *why)
{
    api_audit_log_call(api_rpc_method_name(call), api_rpc_caller(call), api_rpc_peer(call), "",
                       why);
}

/* Returns false for a name that could not be part of "host:port", as the core and pages show it. */
static bool is_host_name(const char *host)
{
    size_t len = strlen(host);

    if (len == 0 || len >= BASE_NAME_MAX)
        return false;
    for (const char *p = host; *p; p++)
        if ((unsigned char)*p <= ' ' || (unsigned char)*p > '~' || strchr("/\"\\<>&", *p))
            return false;
    return true;
}

/* Returns a call that owns its texts; NULL after answering that @node is missing or wrong. */
static struct node_call *node_call_new(struct api_rpc_call *call, struct rm_tracker *tracker,
                                       const Yarn__NodeId *node, enum rm_event_kind kind)
{
    struct node_call *n;

    if (!node || !node->host || !is_host_name(node->host) || node->port < 1 || node->port > 65535) {
        log_refusal(call, NO_NODE_ID);
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, NO_NODE_ID);
        return NULL;
    }
    n = base_alloc(sizeof *n);
    atomic_init(&n->refs, 2);
    n->call = call;
    n->tracker = tracker;
    n->b = tracker->b;
    n->ev.kind = kind;
    n->port = node->port;
    n->address = base_strdup(api_rpc_peer(call));
    n->instance = base_printf(RM_HADOOP_INSTANCE "%s", n->address);
    n->host = base_strdup(node->host);
    n->id = base_printf("%s:%d", node->host, (int)node->port);
    return n;
}

/* Refuses a message with longer lists than the core should work through at a time. Returns true
 * after answering. */
static bool answer_if_too_long(struct api_rpc_call *call, size_t containers, size_t apps)
{
    struct base_error err = {0};

    if (rm_tracker_check_list_lengths(containers, apps, &err) == 0)
        return false;
    log_refusal(call, err.text);
    api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, "%s", err.text);
    return true;
}

/* Returns a copy of @text (NULL: none), cut off after @max bytes. */
static char *copy_text(const char *text, size_t max)
{
    return text ? base_strndup(text, base_utf8_cut(text, max)) : base_strdup("");
}

/* Copies the texts of the reports, which are borrowed from the request: the event outlives it. */
static void own_diagnostics(struct node_call *n)
{
    n->diagnostics = base_alloc((n->reports.n + 1) * sizeof *n->diagnostics);
    for (size_t i = 0; i < n->reports.n; i++)
        if (n->reports.v[i].diagnostics)
            n->reports.v[i].diagnostics = n->diagnostics[i] =
                copy_text(n->reports.v[i].diagnostics, BASE_DIAGNOSTICS_MAX);
}

static bool answer_refusal(const struct node_call *n, const struct rm_effect *fx)
{
    if (fx->kind != RM_FX_REPLY || fx->u.reply.kind != RM_REPLY_ERROR)
        return false;
    if (fx->u.reply.code != -BASE_EVERSION) /* a standby has refused nothing */
        log_refusal(n->call, fx->u.reply.text);
    rm_rpc_answer_core_error(n->call, fx);
    return true;
}

/* ---- registration ---- */

static void answer_registration(void *user, const struct rm_effect *fx)
{
    struct node_call *n = user;
    struct rm_tracker_registered answer;
    struct base_buf node = {0};

    if (!answer_refusal(n, fx)) {
        rm_tracker_put_registered(fx, &answer);
        api_audit_append_member(&node, "node", n->id);
        api_audit_log_call_with(api_rpc_method_name(n->call), api_rpc_caller(n->call),
                                api_rpc_peer(n->call), "", node.data, answer.message.diagnostics);
        api_rpc_answer(n->call, &answer.message.base);
        base_buf_free(&node);
    }
    release_node_call(n);
}

static void fill_slots(struct node_call *n, const Tracker__Registration *rq)
{
    const Yarn__Resource none = YARN__RESOURCE__INIT, *r = rq->resource ? rq->resource : &none;
    int32_t slots[BASE_TASK_KINDS];

    rm_tracker_compute_slots(rm_backend_conf(n->b), r->memory, r->vcores, slots);
    n->ev.u.node_register.map_slots = slots[BASE_TASK_MAP];
    n->ev.u.node_register.reduce_slots = slots[BASE_TASK_REDUCE];
}

static void register_node(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Tracker__Registration *rq = (const Tracker__Registration *)request;
    bool has_pages = rq->http_port >= 1 && rq->http_port <= 65535;
    struct node_call *n;
    __typeof__(n->ev.u.node_register) *r;

    if (answer_if_too_long(call, rq->n_containers, rq->n_apps))
        return;
    n = node_call_new(call, user, rq->node, RM_EV_NODE_REGISTER);
    if (!n)
        return;
    n->http = has_pages ? base_printf("%s:%d", n->host, (int)rq->http_port) : base_strdup(n->id);
    n->version = copy_text(rq->version, BASE_NAME_MAX - 1);
    rm_tracker_read_recovered(rq, &n->reports);
    own_diagnostics(n);
    r = &n->ev.u.node_register;
    n->apps = rm_tracker_read_apps(rq, &r->apps_n);
    r->apps = n->apps;
    r->node_id = n->id;
    r->host = n->host;
    r->http_address = n->http;
    r->version = n->version;
    r->instance = n->instance;
    r->is_hadoop = true;
    r->hadoop_port = rq->node->port;
    r->reports = n->reports.v;
    r->reports_n = n->reports.n;
    fill_slots(n, rq);
    rm_backend_post(n->b, &n->ev, answer_registration, release_node_call, n);
}

/* ---- heartbeats ---- */

/* Has the masters started that the core has given to the node. */
static void start_masters(const struct node_call *n, const struct rm_effect *fx)
{
    const struct rm_start_basis basis = {
        .host = n->host,
        .port = n->port,
        .address = n->address,
        .nm_key = fx->u.heartbeat.nm_keys,
        .container_key = fx->u.heartbeat.container_keys,
        .rm_instance_ms = fx->u.heartbeat.rm_instance_ms,
        .now_ms = base_wall_us(&base_clock_real) / 1000,
        .lifetime_ms = base_conf_int(rm_backend_conf(n->b), START_EXPIRY_KEY)};

    for (size_t i = 0; i < fx->u.heartbeat.orders_n; i++) {
        const struct rm_order *o = &fx->u.heartbeat.orders[i];

        if (o->kind == BASE_ORDER_LAUNCH)
            rm_starter_add(n->tracker->starter, rm_start_new(o, &basis));
    }
}

static void answer_heartbeat(void *user, const struct rm_effect *fx)
{
    struct node_call *n = user;
    struct rm_tracker_beat_answer answer;

    if (!answer_refusal(n, fx)) {
        if (fx->kind == RM_FX_HEARTBEAT)
            start_masters(n, fx);
        rm_tracker_put_beat_answer(fx, &answer);
        api_rpc_answer(n->call, &answer.message.base);
        rm_tracker_beat_answer_free(&answer);
    }
    release_node_call(n);
}

static void handle_heartbeat(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Tracker__NodeStatus *s = ((const Tracker__Beat *)request)->status;
    struct node_call *n;
    __typeof__(n->ev.u.heartbeat) *h;

    if (s && answer_if_too_long(call, s->n_containers, 0))
        return;
    n = node_call_new(call, user, s ? s->node : NULL, RM_EV_NODE_HEARTBEAT);
    if (!n)
        return;
    rm_tracker_read_statuses(s, &n->reports);
    own_diagnostics(n);
    n->health = copy_text(s->health ? s->health->report : NULL, BASE_DIAGNOSTICS_MAX);
    h = &n->ev.u.heartbeat;
    h->node_id = n->id;
    h->instance = n->instance;
    h->response_id = s->response_id;
    h->healthy = !s->health || s->health->healthy;
    h->health_report = n->health;
    h->has_utilization = rm_tracker_read_utilization(s, &h->utilization);
    h->reports = n->reports.v;
    h->reports_n = n->reports.n;
    rm_backend_post(n->b, &n->ev, answer_heartbeat, release_node_call, n);
}

/* ---- the end ---- */

/* As in YARN, a node that is not registered is gone already. */
static void answer_unregistration(void *user, const struct rm_effect *fx)
{
    struct node_call *n = user;
    Yarn__Empty none = YARN__EMPTY__INIT;

    if (fx->u.reply.kind == RM_REPLY_ERROR && fx->u.reply.code == -BASE_ENOTFOUND) {
        log_refusal(n->call, fx->u.reply.text);
        api_rpc_answer(n->call, &none.base);
    } else if (!answer_refusal(n, fx)) {
        api_rpc_answer(n->call, &none.base);
    }
    release_node_call(n);
}

static void unregister_node(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Tracker__Unregistration *rq = (const Tracker__Unregistration *)request;
    struct node_call *n = node_call_new(call, user, rq->node, RM_EV_NODE_GONE);

    if (!n)
        return;
    n->ev.u.node.node_id = n->id;
    n->ev.u.node.instance = n->instance;
    rm_backend_post(n->b, &n->ev, answer_unregistration, release_node_call, n);
}

static const struct api_rpc_method methods[] = {
    {"registerNodeManager", &tracker__registration__descriptor, register_node, REPORT_MAX},
    {"nodeHeartbeat", &tracker__beat__descriptor, handle_heartbeat, REPORT_MAX},
    {"unRegisterNodeManager", &tracker__unregistration__descriptor, unregister_node, 0},
};
const struct api_rpc_protocol rm_rpc_tracker_protocol = {
    .name = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB",
    .methods = methods,
    .methods_n = sizeof methods / sizeof *methods,
    .gate = answer_unless_listed_and_active};

/* rm/rpc/admin/refresh.c - files that are read again: those of queues and of hosts; and groups of
 * users. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/conf/conf.h"
#include "base/limits.h"
#include "rm/config/allocation_file.h"
#include "rm/config/host_lists.h"
#include "rm/rpc/admin/admin.h"

#define REFRESH_QUEUES "refresh-queues" /* operations in the audit log, as over REST */
#define REFRESH_NODES  "refresh-nodes"
#define TIMEOUT_KEY    "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs"
#define STOPPING       "the ResourceManager is shutting down"

/* ---- queues ---- */

struct queues_refresh {
    struct api_rpc_call *call;
    struct rm_backend *b;
};

static void answer_queues_refresh(void *user, const struct rm_effect *fx)
{
    struct queues_refresh *r = user;
    Yarn__Empty none = YARN__EMPTY__INIT;
    bool failed = fx->u.reply.kind == RM_REPLY_ERROR;

    api_audit_log_call(REFRESH_QUEUES, api_rpc_caller(r->call), api_rpc_peer(r->call), "",
                       failed ? fx->u.reply.text : NULL);
    if (failed) {
        rm_rpc_answer_core_error(r->call, fx);
    } else {
        api_rpc_note_durable(r->call);
        api_rpc_answer(r->call, &none.base);
    }
    free(r);
}

/* Runs on the thread for slow work. Returns false: the work is done, whatever the outcome. */
static bool reload_queues_file(void *user, bool stopping)
{
    struct queues_refresh *r = user;
    struct base_error err = {0};
    size_t n;
    int rc = stopping ? base_error_set(&err, -BASE_EIO, STOPPING)
                      : rm_queues_reload(r->b, answer_queues_refresh, r, &n, &err);

    if (rc == 0)
        return false;
    rm_rpc_admin_answer_invalid(r->call, REFRESH_QUEUES, err.text);
    free(r);
    return false;
}

void rm_rpc_admin_refresh_queues(struct api_rpc_call *call, const ProtobufCMessage *request,
                                 void *user)
{
    struct queues_refresh *r;

    (void)request;
    if (rm_rpc_admin_refuse(call, user, REFRESH_QUEUES) || !api_rpc_begin_slow(call))
        return;
    r = base_alloc(sizeof *r);
    r->call = call;
    r->b = user;
    rm_backend_queue_slow_task(user, RM_SLOW_FILES, reload_queues_file, r);
}

/* ---- hosts ---- */

enum decommissioning { AT_ONCE = 1, GRACEFUL, AT_ONCE_AFTER_GRACEFUL }; /* as YARN numbers them */

static void drop_host_lists(void *lists)
{
    rm_host_lists_free(lists);
    free(lists);
}

/* Runs on the thread for slow work. Returns false: the work is done, whatever the outcome. */
static bool read_host_lists_and_post(void *user, bool stopping)
{
    struct rm_rpc_change *c = user;
    struct base_error err = {0};
    int rc = stopping ? base_error_set(&err, -BASE_EIO, STOPPING)
                      : rm_host_lists_read(rm_backend_conf(c->b), c->owned, &err);

    if (rc == 0) {
        rm_rpc_change_post(c, NULL, rm_rpc_admin_answer_done);
        return false;
    }
    rm_rpc_admin_answer_invalid(c->call, REFRESH_NODES, err.text);
    rm_rpc_change_free_unposted(c);
    return false;
}

void rm_rpc_admin_refresh_nodes(struct api_rpc_call *call, const ProtobufCMessage *request,
                                void *user)
{
    const Yarn__RefreshNodesRequest *rq = (const Yarn__RefreshNodesRequest *)request;
    int64_t timeout_s =
        rq->has_timeout_s ? rq->timeout_s : base_conf_int(rm_backend_conf(user), TIMEOUT_KEY);
    struct rm_rpc_change *c;

    if (rm_rpc_admin_refuse(call, user, REFRESH_NODES))
        return;
    if (rq->kind < AT_ONCE || rq->kind > AT_ONCE_AFTER_GRACEFUL) {
        char *why = base_printf("decommissionType: %d: expected NORMAL, GRACEFUL or FORCEFUL",
                                (int)rq->kind);

        rm_rpc_admin_refuse_request(call, REFRESH_NODES, why);
        free(why);
        return;
    }
    if (!api_rpc_begin_slow(call))
        return;
    c = rm_rpc_change_new(call, user, RM_EV_REFRESH_NODES, REFRESH_NODES);
    c->owned = base_alloc(sizeof *c->ev.u.refresh.lists);
    c->drop = drop_host_lists;
    c->ev.u.refresh.lists = c->owned;
    c->ev.u.refresh.graceful = rq->kind == GRACEFUL;
    api_audit_append_member(&c->members, "graceful", rq->kind == GRACEFUL ? "true" : "false");
    c->ev.u.refresh.timeout_us = timeout_s < 0 ? -1 : timeout_s * 1000000;
    rm_backend_queue_slow_task(user, RM_SLOW_FILES, read_host_lists_and_post, c);
}

void rm_rpc_admin_get_decommissioning_nodes(struct api_rpc_call *call,
                                            const ProtobufCMessage *request, void *user)
{
    struct base_buf out = {0};
    size_t pos = 0;
    bool more = true;

    (void)request;
    if (rm_rpc_admin_refuse(call, user, api_rpc_method_name(call)))
        return;
    while (more) {
        struct rm_views v = {0};

        more = rm_view_nodes(rm_backend_lock_core(user), &pos, BASE_VIEW_CHUNK, &v);
        rm_backend_unlock_core(user);
        for (size_t i = 0; i < v.nodes_n; i++) {
            char host[BASE_NAME_MAX];
            Yarn__NodeId id;

            if (!v.nodes[i].decommissioning)
                continue;
            rm_rpc_put_node_id(v.nodes[i].id, host, sizeof host, &id);
            api_rpc_add_field(&out, 1, &id.base);
        }
        rm_views_free(&v);
    }
    api_rpc_answer_encoded(call, &out);
}

/* ---- groups ---- */

struct groups_query {
    struct api_rpc_call *call;
    struct rm_backend *b;
    char *user; /* owned */
};

/* Runs on the thread that asks the name service. Returns false: the work is done. */
static bool look_up_and_answer_groups(void *user, bool stopping)
{
    struct groups_query *q = user;
    Yarn__GroupsAnswer answer = YARN__GROUPS_ANSWER__INIT;
    struct rm_str_list groups = {0};

    if (!stopping)
        rm_backend_look_up_groups(q->b, q->user, &groups);
    answer.groups = groups.v;
    answer.n_groups = groups.n;
    api_rpc_answer(q->call, &answer.base);
    for (size_t i = 0; i < groups.n; i++)
        free(groups.v[i]);
    free(groups.v);
    free(q->user);
    free(q);
    return false;
}

/* Everybody may ask, as in YARN. */
void rm_rpc_admin_get_groups(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__GroupsRequest *rq = (const Yarn__GroupsRequest *)request;
    struct groups_query *q;

    if (strlen(rq->user) > BASE_NAME_MAX) {
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION, "user: a name has at most %d bytes",
                             BASE_NAME_MAX);
        return;
    }
    if (!api_rpc_begin_slow(call))
        return;
    q = base_alloc(sizeof *q);
    *q = (struct groups_query){.call = call, .b = user, .user = base_strdup(rq->user)};
    rm_backend_queue_slow_task(user, RM_SLOW_GROUPS, look_up_and_answer_groups, q);
}

/* ---- what Creel has no need to read again, or reads when it starts alone ---- */

/* Returns why the method cannot do what it is called for; NULL: there is nothing to do. */
static const char *find_refusal(const char *method)
{
    static const struct {
        const char *method, *why;
    } refusals[] = {
        {"refreshAdminAcls",
         "the ResourceManager reads its administrators when it starts; restart it"},
        {"refreshServiceAcls",
         "Service Authorization (hadoop.security.authorization) not enabled."},
        {"refreshClusterMaxPriority",
         "the ResourceManager reads the highest priority when it starts; restart it"},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (strcmp(refusals[i].method, method) == 0)
            return refusals[i].why;
    return NULL;
}

void rm_rpc_admin_refresh_nothing(struct api_rpc_call *call, const ProtobufCMessage *request,
                                  void *user)
{
    const char *why = find_refusal(api_rpc_method_name(call));
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)request;
    if (rm_rpc_admin_refuse(call, user, api_rpc_method_name(call)))
        return;
    if (why)
        rm_rpc_admin_answer_invalid(call, api_rpc_method_name(call), why);
    else
        api_rpc_answer(call, &none.base);
}

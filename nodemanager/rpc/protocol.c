/* nodemanager/rpc/protocol.c - the methods, on the server's thread. */
#include "nodemanager/rpc/protocol.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "nodemanager/rpc/launch_context.h"
#include "nodemanager/shuffle/shuffle.h"

#define INVALID_TOKEN   "org.apache.hadoop.security.token.SecretManager$InvalidToken"
#define INVALID_SERVICE NM_RPC_YARN_EXCEPTIONS "InvalidAuxServiceException"
#define CONTAINERS_MAX  200 /* of one call: their states bring diagnostics of up to 64 KiB each */
#define START_MAX       ((size_t)8 << 20) /* bytes: credentials, environment, resources */

void nm_rpc_fail(struct nm_rpc_subject *s, const char *exception, const char *fmt, ...)
{
    struct base_buf text = {0};
    va_list ap;

    if (s->exception)
        return;
    s->exception = exception;
    va_start(ap, fmt);
    base_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    s->why = base_buf_take(&text);
}

void nm_rpc_ask_free(struct nm_rpc_ask *ask)
{
    for (size_t i = 0; i < ask->subjects_n; i++) {
        struct nm_rpc_subject *s = &ask->subjects[i];

        if (s->order) /* has the credentials */
            explicit_bzero(s->order, strlen(s->order));
        free(s->order);
        free(s->why);
    }
    free(ask->subjects);
    free(ask);
}

/* Returns true after refusing a call for more containers than one call may name. */
static bool refuse_too_many(struct api_rpc_call *call, size_t n)
{
    if (n <= CONTAINERS_MAX)
        return false;
    api_rpc_answer_error(call, NM_RPC_YARN_EXCEPTION,
                         "%zu containers: expected at most %d in one call", n, CONTAINERS_MAX);
    return true;
}

static struct nm_rpc_ask *ask_new(struct api_rpc_call *call, bool starts, size_t n)
{
    struct nm_rpc_ask *ask = base_alloc(sizeof *ask);

    ask->call = call;
    ask->starts = starts;
    ask->subjects = base_alloc((n + 1) * sizeof *ask->subjects);
    /* the name comes from a token that has been checked */
    base_assert(base_attempt_id_parse(api_rpc_caller(call), &ask->attempt, NULL) == 0);
    return ask;
}

/* Parts that are missing become 0: there is no such container. */
static struct base_container_id get_container_id(const Nm__ContainerId *id)
{
    const Nm__AttemptId *attempt = id ? id->attempt : NULL;
    const Nm__AppId *app = attempt ? attempt->app : NULL;

    return (struct base_container_id){
        .attempt = {.app = {.cluster_ts = app ? app->cluster : 0, .seq = app ? app->id : 0},
                    .attempt = attempt ? attempt->attempt : 0},
        .num = id ? id->id : 0};
}

/* ---- startContainers ---- */

/* Copies the application's secret, if this node has it; the caller frees it. */
static char *copy_secret(struct nm *nm, const struct base_app_id *id)
{
    const struct nm_app_view *app;
    char *secret;

    pthread_mutex_lock(&nm->lock);
    app = nm_core_app_find(nm->core, id);
    secret = app ? base_strdup(app->token) : NULL;
    pthread_mutex_unlock(&nm->lock);
    return secret;
}

/* Returns true after noting a failure: the context has data for a service that this node does not
 * run. */
static bool fail_unless_services_run(const struct nm *nm, const Nm__LaunchContext *context,
                                     struct nm_rpc_subject *s)
{
    for (size_t i = 0; i < context->n_service_data; i++) {
        const char *key = context->service_data[i]->key;

        if (key && strcmp(key, NM_SHUFFLE_SERVICE) == 0 && nm_shuffle_port(nm->shuffle))
            continue;
        nm_rpc_fail(s, INVALID_SERVICE, "The auxService:%.100s does not exist", key ? key : "null");
        return true;
    }
    return false;
}

static void take_context(struct nm *nm, const Nm__LaunchContext *context, struct nm_rpc_subject *s)
{
    static const Nm__LaunchContext none = NM__LAUNCH_CONTEXT__INIT;
    struct base_error err = {0};
    struct base_buf order = {0};
    char *secret;

    if (context && fail_unless_services_run(nm, context, s))
        return;
    secret = copy_secret(nm, &s->id.attempt.app);
    if (nm_rpc_put_launch_order(context ? context : &none, &s->token, secret, &order, &err) < 0)
        nm_rpc_fail(s, NM_RPC_YARN_EXCEPTION, "%s", err.text);
    s->order = order.data;
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

/* Checks the tokens of all containers. Returns false after answering the call, which has one that
 * is not right. */
static bool check_tokens(struct nm *nm, const Nm__StartContainers *rq, struct nm_rpc_ask *ask)
{
    struct base_error err = {0};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < rq->n_requests; i++) {
        const Nm__Token *token = rq->requests[i]->token;
        struct nm_rpc_subject *s = &ask->subjects[i];

        if (!token)
            rc = base_error_set(&err, -BASE_EINVAL, "Invalid ContainerToken");
        else
            rc = nm_rpc_tokens_check_container(nm_rpc_get_tokens(nm->rpc), token->identifier.data,
                                               token->identifier.len, token->password.data,
                                               token->password.len, &s->token, &err);
        s->id = s->token.container;
        ask->subjects_n += rc == 0;
    }
    if (rc == 0)
        return true;
    api_audit_log_call("startContainers", api_rpc_caller(ask->call), api_rpc_peer(ask->call), "",
                       err.text);
    api_rpc_answer_error(ask->call, rc == -BASE_EPERM ? INVALID_TOKEN : NM_RPC_YARN_EXCEPTION, "%s",
                         err.text);
    return false;
}

static void start_containers(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Nm__StartContainers *rq = (const Nm__StartContainers *)request;
    struct nm_rpc_ask *ask;
    struct nm *nm = user;
    size_t bytes = 0;

    if (refuse_too_many(call, rq->n_requests))
        return;
    ask = ask_new(call, true, rq->n_requests);
    if (!check_tokens(nm, rq, ask)) {
        nm_rpc_ask_free(ask);
        return;
    }
    for (size_t i = 0; i < rq->n_requests; i++) {
        take_context(nm, rq->requests[i]->context, &ask->subjects[i]);
        bytes += ask->subjects[i].order ? strlen(ask->subjects[i].order) : 0;
    }
    if (api_rpc_charge_answer(call, bytes)) { /* the orders wait for the loop */
        nm_rpc_queue_ask(nm->rpc, ask);
        return;
    }
    api_rpc_answer_error(call, NM_RPC_RETRIABLE, "creel.rpc.memory-mb is used up");
    nm_rpc_ask_free(ask);
}

/* ---- stopContainers, getContainerStatuses ---- */

static void stop_containers(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Nm__Containers *rq = (const Nm__Containers *)request;
    struct nm_rpc_ask *ask;
    struct nm *nm = user;

    if (refuse_too_many(call, rq->n_ids))
        return;
    ask = ask_new(call, false, rq->n_ids);
    for (size_t i = 0; i < rq->n_ids; i++)
        ask->subjects[ask->subjects_n++].id = get_container_id(rq->ids[i]);
    nm_rpc_queue_ask(nm->rpc, ask);
}

static void get_statuses(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Nm__Containers *rq = (const Nm__Containers *)request;
    struct base_container_id ids[CONTAINERS_MAX];
    struct base_attempt_id attempt;

    if (refuse_too_many(call, rq->n_ids))
        return;
    base_assert(base_attempt_id_parse(api_rpc_caller(call), &attempt, NULL) == 0);
    for (size_t i = 0; i < rq->n_ids; i++)
        ids[i] = get_container_id(rq->ids[i]);
    nm_rpc_answer_statuses(user, call, &attempt, ids, rq->n_ids);
}

static const struct api_rpc_method methods[] = {
    {"startContainers", &nm__start_containers__descriptor, start_containers, START_MAX},
    {"stopContainers", &nm__containers__descriptor, stop_containers, 0},
    {"getContainerStatuses", &nm__containers__descriptor, get_statuses, 0},
};
const struct api_rpc_protocol nm_rpc_container_protocol = {
    .name = "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB",
    .methods = methods,
    .methods_n = sizeof methods / sizeof *methods,
};

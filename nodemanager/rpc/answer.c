/* nodemanager/rpc/answer.c - answers of the ContainerManagementProtocol. */
#include <stdlib.h>

#include "api/audit/audit.h"
#include "nodemanager/rpc/protocol.h"
#include "nodemanager/shuffle/port_bytes.h"
#include "nodemanager/shuffle/shuffle.h"

/* Sets an optional scalar member of a message. */
#define PUT(message, member, value) ((message)->has_##member = true, (message)->member = (value))

struct id_message {
    Nm__ContainerId id;
    Nm__AttemptId attempt;
    Nm__AppId app;
};

static Nm__ContainerId *put_container_id(const struct base_container_id *id, struct id_message *out)
{
    nm__container_id__init(&out->id);
    nm__attempt_id__init(&out->attempt);
    nm__app_id__init(&out->app);
    PUT(&out->app, id, id->attempt.app.seq);
    PUT(&out->app, cluster, id->attempt.app.cluster_ts);
    out->attempt.app = &out->app;
    PUT(&out->attempt, attempt, id->attempt.attempt);
    out->id.attempt = &out->attempt;
    PUT(&out->id, id, id->num);
    return &out->id;
}

/* A list of failures, and of successes, with room for @n of both together. */
struct outcome {
    struct id_message *ids;
    Nm__ContainerId **succeeded;
    Nm__FailedContainer *failures, **failed;
    Nm__Failure *reasons;
    size_t ids_n, succeeded_n, failed_n;
};

static void outcome_init(struct outcome *o, size_t n)
{
    *o = (struct outcome){.ids = base_alloc((n + 1) * sizeof *o->ids),
                          .succeeded = base_alloc((n + 1) * sizeof *o->succeeded),
                          .failures = base_alloc((n + 1) * sizeof *o->failures),
                          .failed = base_alloc((n + 1) * sizeof *o->failed),
                          .reasons = base_alloc((n + 1) * sizeof *o->reasons)};
}

static void outcome_free(struct outcome *o)
{
    free(o->ids);
    free(o->succeeded);
    free(o->failures);
    free(o->failed);
    free(o->reasons);
}

static void add_success(struct outcome *o, const struct base_container_id *id)
{
    o->succeeded[o->succeeded_n++] = put_container_id(id, &o->ids[o->ids_n++]);
}

/* Borrows the texts. */
static void add_failure(struct outcome *o, const struct base_container_id *id,
                        const char *exception, const char *why)
{
    Nm__FailedContainer *failed = &o->failures[o->failed_n];
    Nm__Failure *reason = &o->reasons[o->failed_n];

    nm__failed_container__init(failed);
    nm__failure__init(reason);
    failed->id = put_container_id(id, &o->ids[o->ids_n++]);
    failed->failure = reason;
    reason->class_name = (char *)exception;
    reason->message = (char *)why;
    o->failed[o->failed_n++] = failed;
}

/* Enters in the audit log what was refused, and what was stopped, once for each container; a start
 * has its line when the container's process runs. */
static void log_subject(const struct nm_rpc_ask *ask, const struct nm_rpc_subject *s)
{
    char app[BASE_ID_TEXT_MAX];

    if (s->exception || s->stopped)
        api_audit_log_call(api_rpc_method_name(ask->call), api_rpc_caller(ask->call),
                           api_rpc_peer(ask->call), base_app_id_text(&s->id.attempt.app, app),
                           s->why);
}

struct service_message {
    Nm__ServiceData data, *list[1];
    uint8_t port[4];
};

/* Adds what clients have to know of the node's services. */
static void put_services(const struct nm *nm, Nm__Started *started, struct service_message *m)
{
    int port = nm_shuffle_port(nm->shuffle);

    if (!port)
        return;
    nm__service_data__init(&m->data);
    m->data.key = NM_SHUFFLE_SERVICE;
    nm_shuffle_put_port(port, m->port);
    m->data.has_value = true;
    m->data.value = (ProtobufCBinaryData){.len = sizeof m->port, .data = m->port};
    m->list[0] = &m->data;
    started->service_meta_data = m->list;
    started->n_service_meta_data = 1;
}

void nm_rpc_answer_ask(const struct nm *nm, struct nm_rpc_ask *ask)
{
    struct service_message services;
    Nm__Started started = NM__STARTED__INIT;
    Nm__Stopped stopped = NM__STOPPED__INIT;
    struct outcome o;

    outcome_init(&o, ask->subjects_n);
    for (size_t i = 0; i < ask->subjects_n; i++) {
        const struct nm_rpc_subject *s = &ask->subjects[i];

        log_subject(ask, s);
        if (s->exception)
            add_failure(&o, &s->id, s->exception, s->why);
        else
            add_success(&o, &s->id);
    }
    put_services(nm, &started, &services);
    started.succeeded = stopped.succeeded = o.succeeded;
    started.n_succeeded = stopped.n_succeeded = o.succeeded_n;
    started.failed = stopped.failed = o.failed;
    started.n_failed = stopped.n_failed = o.failed_n;
    api_rpc_answer(ask->call, ask->starts ? &started.base : &stopped.base);
    outcome_free(&o);
}

/* ---- states ---- */

/* SOURCE: the numbers of YARN's ContainerState and ContainerSubState. A suspended container is
 * what YARN calls a paused one. */
enum { STATE_RUNNING = 2, STATE_COMPLETE = 3 };
static const int32_t sub_states[NM_STATES] = {
    [NM_LAUNCHING] = 1, [NM_RUNNING] = 2, [NM_SUSPENDED] = 3, [NM_KILLING] = 4, [NM_COMPLETE] = 5};

struct status_message {
    Nm__ContainerStatus status;
    struct id_message id;
    Nm__Resource resource;
    Nm__ResourceInfo info[2], *infos[2];
    Nm__Variable host, *attributes[1];
};

static void put_resource(int64_t memory_mb, int64_t vcores, struct status_message *m)
{
    nm__resource__init(&m->resource);
    PUT(&m->resource, memory, memory_mb);
    PUT(&m->resource, vcores, (int32_t)vcores);
    for (int i = 0; i < 2; i++) {
        nm__resource_info__init(&m->info[i]);
        m->info[i].key = i == 0 ? "memory-mb" : "vcores";
        m->info[i].units = i == 0 ? "Mi" : "";
        PUT(&m->info[i], value, i == 0 ? memory_mb : vcores);
        PUT(&m->info[i], type, 0);
        m->infos[i] = &m->info[i];
    }
    m->resource.infos = m->infos;
    m->resource.n_infos = 2;
}

static void put_status(const struct nm *nm, const struct nm_container_view *v,
                       struct status_message *m)
{
    nm__container_status__init(&m->status);
    m->status.id = put_container_id(&v->id, &m->id);
    PUT(&m->status, state, v->state == NM_COMPLETE ? STATE_COMPLETE : STATE_RUNNING);
    PUT(&m->status, sub_state, sub_states[v->state]);
    m->status.diagnostics = v->diagnostics ? v->diagnostics : "";
    PUT(&m->status, exit_status, v->exit_code);
    PUT(&m->status, execution_type, 1);
    put_resource(v->memory_mb, v->vcores, m);
    m->status.capability = &m->resource;
    nm__variable__init(&m->host);
    m->host.key = "HOST";
    m->host.value = (char *)nm->host;
    m->attributes[0] = &m->host;
    m->status.attributes = m->attributes;
    m->status.n_attributes = v->state != NM_LAUNCHING;
}

/* Call with nm->lock held. Returns the container; NULL after adding why its state is not told. */
static const struct nm_container *find_visible(struct nm *nm, struct api_rpc_call *call,
                                               const struct base_attempt_id *attempt,
                                               const struct base_container_id *id,
                                               struct outcome *o, char **why)
{
    const struct nm_container *c = nm_core_find_container(nm->core, id);
    char text[BASE_ID_TEXT_MAX], app[BASE_ID_TEXT_MAX];

    base_container_id_text(id, text);
    if (base_app_id_cmp(&attempt->app, &id->attempt.app) != 0) {
        *why = base_printf("%s attempted to get status for non-application container : %s",
                           api_rpc_caller(call), text);
        api_audit_log_call(api_rpc_method_name(call), api_rpc_caller(call), api_rpc_peer(call),
                           base_app_id_text(&id->attempt.app, app), *why);
    } else if (!c || nm_core_view(c)->state == NM_FORGOTTEN)
        *why = base_printf(nm_core_has_forgotten(nm->core, id)
                               ? "Container %s was recently stopped on node manager."
                               : "Container %s is not handled by this NodeManager",
                           text);
    else
        return c;
    add_failure(o, id, NM_RPC_YARN_EXCEPTION, *why);
    return NULL;
}

void nm_rpc_answer_statuses(struct nm *nm, struct api_rpc_call *call,
                            const struct base_attempt_id *attempt,
                            const struct base_container_id *ids, size_t n)
{
    Nm__Statuses answer = NM__STATUSES__INIT;
    struct status_message *messages = base_alloc((n + 1) * sizeof *messages);
    char **why = base_alloc((n + 1) * sizeof *why);
    struct outcome o;

    answer.statuses = base_alloc((n + 1) * sizeof *answer.statuses);
    outcome_init(&o, n);
    pthread_mutex_lock(&nm->lock); /* views change on the loop's thread */
    for (size_t i = 0; i < n; i++) {
        const struct nm_container *c = find_visible(nm, call, attempt, &ids[i], &o, &why[i]);

        if (!c)
            continue;
        put_status(nm, nm_core_view(c), &messages[i]);
        answer.statuses[answer.n_statuses++] = &messages[i].status;
    }
    answer.failed = o.failed;
    answer.n_failed = o.failed_n;
    api_rpc_answer(call, &answer.base);
    pthread_mutex_unlock(&nm->lock);
    for (size_t i = 0; i < n; i++)
        free(why[i]);
    free(why);
    free(messages);
    free(answer.statuses);
    outcome_free(&o);
}

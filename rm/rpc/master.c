/* rm/rpc/master.c - the methods of YARN's ApplicationMasterProtocol. */
#include "rm/rpc/master.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "api/rpc/rpc.h"
#include "base/conf/conf.h"
#include "base/limits.h"
#include "rm/leader/parked.h"
#include "rm/leader/standby.h"
#include "rm/rpc/client.h"
#include "rm/rpc/ports.h"

#define ATTEMPT_NOT_FOUND RM_RPC_YARN_EXCEPTIONS "ApplicationAttemptNotFoundException"
#define NOT_REGISTERED    RM_RPC_YARN_EXCEPTIONS "ApplicationMasterNotRegisteredException"
#define INVALID_REQUEST   RM_RPC_YARN_EXCEPTIONS "InvalidApplicationMasterRequestException"
#define INVALID_RESOURCE  RM_RPC_YARN_EXCEPTIONS "InvalidResourceRequestException"
#define INVALID_BLACKLIST RM_RPC_YARN_EXCEPTIONS "InvalidResourceBlacklistRequestException"
#define INVALID_RELEASE   RM_RPC_YARN_EXCEPTIONS "InvalidContainerReleaseException"

#define ALLOCATE_MAX (8 << 20) /* bytes: asks for thousands of hosts */
#define COMPLETE     3
#define EXPIRY_KEY   "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"

/* How long a registration is held that has to wait for nodes, and how often it is tried meanwhile:
 * after a takeover all masters of the cluster may be waiting, and each try costs the core an event.
 * Hadoop's clients give a call up after two minutes. */
#define HOLD_US      INT64_C(60000000)
#define TRY_AGAIN_US INT64_C(1000000)

#define PUT(message, member, value) ((message)->has_##member = true, (message)->member = (value))

/* ---- a request on its way to the core, with what its event points to ---- */

struct master_call {
    atomic_int refs; /* one each for the event and the reply */
    struct api_rpc_call *call;
    struct rm_backend *b;
    struct base_attempt_id attempt; /* the caller */
    struct rm_event ev;
    struct rm_ask *asks;
    struct base_container_id *releases;
    char **texts;
    size_t texts_n, texts_cap;
    int64_t held_until_us; /* of rm_parking_mono_us(); a registration that waits for nodes */
};

/* Returns a call of the attempt whose token the connection has shown. */
static struct master_call *master_call_new(struct api_rpc_call *call, struct rm_backend *b,
                                           enum rm_event_kind kind)
{
    struct master_call *m = base_alloc(sizeof *m);

    atomic_init(&m->refs, 2);
    m->call = call;
    m->b = b;
    m->ev.kind = kind;
    /* always an attempt: rm_rpc_find_master_password() has written it */
    base_assert(base_attempt_id_parse(api_rpc_caller(call), &m->attempt, NULL) == 0);
    return m;
}

static void release_call(void *user)
{
    struct master_call *m = user;

    if (atomic_fetch_sub(&m->refs, 1) != 1)
        return;
    for (size_t i = 0; i < m->texts_n; i++)
        free(m->texts[i]);
    free(m->texts);
    free(m->asks);
    free(m->releases);
    free(m);
}

/* Ends a call that is not posted. */
static void drop_call(struct master_call *m)
{
    atomic_store(&m->refs, 1);
    release_call(m);
}

/* Returns a copy that lives as long as the call; NULL for NULL. */
static const char *keep_text(struct master_call *m, const char *text)
{
    if (!text)
        return NULL;
    base_array_grow(&m->texts, m->texts_n, &m->texts_cap);
    m->texts[m->texts_n++] = base_strdup(text);
    return m->texts[m->texts_n - 1];
}

/* ---- refusals ---- */

static void answer_attempt_not_found(struct master_call *m)
{
    char id[BASE_ID_TEXT_MAX];

    api_rpc_answer_error(m->call, ATTEMPT_NOT_FOUND,
                         "Application attempt %s doesn't exist in ApplicationMasterService cache.",
                         base_attempt_id_text(&m->attempt, id));
}

static void answer_not_registered(struct master_call *m)
{
    char id[BASE_ID_TEXT_MAX];

    api_rpc_answer_error(m->call, NOT_REGISTERED,
                         "AM is not registered for known application attempt: %s or RM had "
                         "restarted after AM registered. AM should re-register.",
                         base_attempt_id_text(&m->attempt, id));
}

static const char *find_exception(const struct master_call *m, const struct rm_effect *fx)
{
    switch (fx->u.reply.code) {
    case -BASE_ENOTFOUND:
        return ATTEMPT_NOT_FOUND;
    case -BASE_ESTATE:
        return m->ev.kind == RM_EV_AM_REGISTER ? INVALID_REQUEST : NOT_REGISTERED;
    case -BASE_EINVAL:
        return fx->u.reply.flag ? INVALID_REQUEST : INVALID_RESOURCE;
    case -BASE_ELIMIT:
        return INVALID_BLACKLIST;
    default:
        return NULL;
    }
}

/* Returns true after answering an error of the core. */
static bool answer_if_error(struct master_call *m, const struct rm_effect *fx)
{
    const char *exception;

    if (fx->u.reply.kind != RM_REPLY_ERROR)
        return false;
    exception = find_exception(m, fx);
    if (exception)
        api_rpc_answer_error(m->call, exception, "%s", fx->u.reply.text);
    else
        rm_rpc_answer_core_error(m->call, fx);
    return true;
}

/* ---- containers with their tokens ---- */

struct granted_list {
    struct rm_rpc_granted *v;
    Master__Container **containers;
    Master__NmToken **nm_tokens;
    size_t n, all_n, nm_tokens_n; /* @all_n: of @v, in which those that are not granted come last */
};

/* Lists the containers, and tokens for their nodes; after these, tokens for the nodes of the
 * containers in @renewed. */
static void put_granted_list(struct master_call *m, const struct rm_allocated *v, size_t n,
                             const struct rm_allocated *renewed, size_t renewed_n,
                             const struct rm_token_basis *basis, struct granted_list *out)
{
    int64_t lifetime_ms = base_conf_int(rm_backend_conf(m->b), EXPIRY_KEY);
    size_t all = n + renewed_n;

    *out = (struct granted_list){.n = n, .all_n = all};
    if (all == 0)
        return;
    out->v = base_realloc_array(NULL, all, sizeof *out->v);
    out->containers = base_realloc_array(NULL, all, sizeof *out->containers);
    out->nm_tokens = base_realloc_array(NULL, all, sizeof *out->nm_tokens);
    for (size_t i = 0; i < all; i++) {
        rm_rpc_put_granted(i < n ? &v[i] : &renewed[i - n], basis, lifetime_ms, &out->v[i]);
        out->containers[i] = &out->v[i].container;
        /* a token that is sent twice does no harm; mostly, containers of a node come together */
        if (out->v[i].container.token &&
            (i == 0 || strcmp(out->v[i].address, out->v[i - 1].address) != 0))
            out->nm_tokens[out->nm_tokens_n++] = &out->v[i].node_token;
    }
}

static void free_granted_list(struct granted_list *l)
{
    for (size_t i = 0; i < l->all_n; i++)
        rm_rpc_granted_free(&l->v[i]);
    free(l->v);
    free(l->containers);
    free(l->nm_tokens);
}

/* ---- registerApplicationMaster ---- */

static void put_acl(int32_t type, const char *list, Master__Acl *out)
{
    master__acl__init(out);
    PUT(out, type, type);
    out->acl = (char *)(list ? list : " ");
}

static void put_resource_type(const char *name, const char *units, Master__ResourceType *out)
{
    master__resource_type__init(out);
    out->name = (char *)name;
    out->units = (char *)units;
    PUT(out, type, 0);
}

static void answer_registered(struct master_call *m, const struct rm_effect *fx)
{
    const __typeof__(fx->u.reply.am) *am = &fx->u.reply.am;
    Master__RegisterAnswer answer = MASTER__REGISTER_ANSWER__INIT;
    Master__ResourceType types[2], *type_list[] = {&types[0], &types[1]};
    Master__Acl acls[2], *acl_list[] = {&acls[0], &acls[1]};
    int32_t counted[] = {0, 1}; /* memory, processors */
    struct rm_rpc_resource maximum;
    struct granted_list previous;

    rm_rpc_put_resource(am->max_capability.v[RM_RES_MEMORY_MB], am->max_capability.v[RM_RES_VCORES],
                        &maximum);
    put_acl(1, am->acl_view, &acls[0]);
    put_acl(2, am->acl_modify, &acls[1]);
    put_resource_type("memory-mb", "Mi", &types[0]);
    put_resource_type("vcores", "", &types[1]);
    put_granted_list(m, am->previous, am->previous_n, NULL, 0, &fx->u.reply.tokens, &previous);
    answer.maximum = &maximum.resource;
    answer.acls = acl_list;
    answer.n_acls = 2;
    answer.previous = previous.containers;
    answer.n_previous = previous.n;
    answer.queue = (char *)am->queue;
    answer.previous_nm_tokens = previous.nm_tokens;
    answer.n_previous_nm_tokens = previous.nm_tokens_n;
    answer.scheduler_resource_types = counted;
    answer.n_scheduler_resource_types = 2;
    answer.resource_types = type_list;
    answer.n_resource_types = 2;
    api_rpc_note_durable(m->call);
    api_rpc_answer(m->call, &answer.base);
    free_granted_list(&previous);
}

static void answer_register(void *user, const struct rm_effect *fx);

/* Posts the registration @user once more, with an event of its own: the core may not have released
 * the first event yet. */
static void register_again(void *user)
{
    struct master_call *old = user, *m = base_alloc(sizeof *m);

    atomic_init(&m->refs, 2);
    m->call = old->call;
    m->b = old->b;
    m->attempt = old->attempt;
    m->held_until_us = old->held_until_us;
    m->ev = (struct rm_event){.kind = RM_EV_AM_REGISTER, .u.am_register = old->ev.u.am_register};
    m->ev.u.am_register.host = keep_text(m, old->ev.u.am_register.host);
    m->ev.u.am_register.tracking_url = keep_text(m, old->ev.u.am_register.tracking_url);
    release_call(old);
    rm_backend_post(m->b, &m->ev, answer_register, release_call, m);
}

/* Returns true when the registration has to wait for nodes, and is tried again soon. */
static bool hold_registration(struct master_call *m, const struct rm_effect *fx)
{
    int64_t now_us = rm_parking_mono_us();

    if (fx->u.reply.kind != RM_REPLY_ERROR || fx->u.reply.code != -BASE_EAGAIN ||
        now_us >= m->held_until_us)
        return false;
    rm_backend_await_role_change(m->b, rm_backend_get_role_changes(m->b), now_us + TRY_AGAIN_US,
                                 register_again, m);
    return true;
}

static void answer_register(void *user, const struct rm_effect *fx)
{
    if (hold_registration(user, fx))
        return;
    if (!answer_if_error(user, fx))
        answer_registered(user, fx);
    release_call(user);
}

static void register_master(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Master__RegisterRequest *rq = (const Master__RegisterRequest *)request;
    struct master_call *m = master_call_new(call, user, RM_EV_AM_REGISTER);

    m->ev.u.am_register.attempt = m->attempt;
    m->ev.u.am_register.host = keep_text(m, rq->host ? rq->host : "");
    m->ev.u.am_register.tracking_url = keep_text(m, rq->tracking_url);
    m->ev.u.am_register.rpc_port = rq->has_rpc_port ? rq->rpc_port : -1;
    m->ev.u.am_register.by_rpc = true;
    m->held_until_us = rm_parking_mono_us() + HOLD_US;
    rm_backend_post(user, &m->ev, answer_register, release_call, m);
}

/* ---- allocate: the request ---- */

/* Slots come by name; memory and processors do, too, but then they are the same as in the fields.
 */
static bool read_capability(const Yarn__Resource *r, struct rm_res *out)
{
    if (!r)
        return false;
    out->v[RM_RES_MEMORY_MB] = r->memory;
    out->v[RM_RES_VCORES] = r->vcores;
    for (size_t i = 0; i < r->n_infos; i++)
        for (int k = RM_RES_MAP_SLOTS; k <= RM_RES_REDUCE_SLOTS; k++)
            if (strcmp(r->infos[i]->key, rm_res_names[k]) == 0) {
                if (r->infos[i]->value < 0 || r->infos[i]->value > INT32_MAX)
                    return false;
                out->v[k] = r->infos[i]->value;
            }
    return true;
}

/* Returns false after answering that ask number @i is wrong. */
static bool read_ask(struct master_call *m, const Yarn__ResourceRequest *r, size_t i,
                     struct rm_ask *out)
{
    if (!read_capability(r->capability, &out->capability)) {
        api_rpc_answer_error(m->call, INVALID_RESOURCE,
                             "ask %zu: capability: expected memory, vcores and slots that are "
                             "numbers from 0 on",
                             i);
        return false;
    }
    if (!r->resource_name || !*r->resource_name || strlen(r->resource_name) >= BASE_NAME_MAX) {
        api_rpc_answer_error(m->call, INVALID_RESOURCE,
                             "ask %zu: resource name: expected *, a rack or a host of fewer than "
                             "%d bytes",
                             i, BASE_NAME_MAX);
        return false;
    }
    out->priority = r->priority ? r->priority->priority : 0;
    out->allocation_request_id = r->allocation_request_id;
    out->resource_name = strcmp(r->resource_name, "*") == 0 ? "*" : keep_text(m, r->resource_name);
    out->containers = r->containers;
    out->relax_locality = r->relax_locality;
    out->label = r->label && *r->label ? keep_text(m, r->label) : NULL;
    return true;
}

static bool read_asks(struct master_call *m, const Master__AllocateRequest *rq)
{
    m->asks = base_alloc(rq->n_asks * sizeof *m->asks);
    for (size_t i = 0; i < rq->n_asks; i++)
        if (!read_ask(m, rq->asks[i], i, &m->asks[i]))
            return false;
    m->ev.u.am_allocate.asks = m->asks;
    m->ev.u.am_allocate.asks_n = rq->n_asks;
    return true;
}

static void refuse_release(struct master_call *m, const struct base_container_id *released)
{
    char id[BASE_ID_TEXT_MAX], app[BASE_ID_TEXT_MAX];
    char *why =
        base_printf("Cannot release container : %s not belonging to this application attempt : %s",
                    base_container_id_text(released, id), api_rpc_caller(m->call));

    api_audit_log_call(api_rpc_method_name(m->call), api_rpc_caller(m->call), api_rpc_peer(m->call),
                       base_app_id_text(&released->attempt.app, app), why);
    api_rpc_answer_error(m->call, INVALID_RELEASE, "%s", why);
    free(why);
}

/* Returns false after answering that a release is of no container of the caller's application. */
static bool read_releases(struct master_call *m, const Master__AllocateRequest *rq)
{
    m->releases = base_alloc(rq->n_releases * sizeof *m->releases);
    for (size_t i = 0; i < rq->n_releases; i++) {
        struct base_container_id *r = &m->releases[i];

        if (!rm_rpc_get_container_id(rq->releases[i], r) ||
            base_app_id_cmp(&r->attempt.app, &m->attempt.app) != 0) {
            refuse_release(m, r);
            return false;
        }
    }
    m->ev.u.am_allocate.releases = m->releases;
    m->ev.u.am_allocate.releases_n = rq->n_releases;
    return true;
}

/* Returns false after refusing a list that is too long: the core works it off in one step. */
static bool read_blacklist(struct master_call *m, const Master__Blacklist *list)
{
    size_t first = m->texts_n;

    if (!list)
        return true;
    if (list->n_add > RM_AVOIDED_MAX || list->n_remove > RM_AVOIDED_MAX) {
        api_rpc_answer_error(m->call, INVALID_BLACKLIST,
                             "%zu additions to the blacklist and %zu removals: expected at most %d",
                             list->n_add, list->n_remove, RM_AVOIDED_MAX);
        return false;
    }
    for (size_t i = 0; i < list->n_add; i++)
        keep_text(m, list->add[i]);
    for (size_t i = 0; i < list->n_remove; i++)
        keep_text(m, list->remove[i]);
    /* after the last text was added: the array does not move any more */
    m->ev.u.am_allocate.avoid = m->texts + first;
    m->ev.u.am_allocate.avoid_n = list->n_add;
    m->ev.u.am_allocate.admit = m->texts + first + list->n_add;
    m->ev.u.am_allocate.admit_n = list->n_remove;
    return true;
}

/* ---- allocate: the answer ---- */

struct completed_list {
    struct {
        Master__ContainerStatus status;
        struct rm_rpc_container_id id;
    } * v;
    Master__ContainerStatus **statuses;
};

static void put_completed_list(const struct rm_completed *v, size_t n, struct completed_list *out)
{
    *out = (struct completed_list){0};
    if (n == 0)
        return;
    out->v = base_realloc_array(NULL, n, sizeof *out->v);
    out->statuses = base_realloc_array(NULL, n, sizeof *out->statuses);
    for (size_t i = 0; i < n; i++) {
        Master__ContainerStatus *s = &out->v[i].status;

        master__container_status__init(s);
        rm_rpc_put_container_id(&v[i].id, &out->v[i].id);
        s->id = &out->v[i].id.id;
        PUT(s, state, COMPLETE);
        s->diagnostics = (char *)(v[i].diagnostics ? v[i].diagnostics : "");
        PUT(s, exit_status, v[i].exit_status);
        out->statuses[i] = s;
    }
}

struct changed_list {
    struct rm_rpc_changed_node *v;
    Yarn__NodeReport **reports;
};

static void put_changed_list(const struct rm_changed_node *v, size_t n, struct changed_list *out)
{
    *out = (struct changed_list){0};
    if (n == 0)
        return;
    out->v = base_realloc_array(NULL, n, sizeof *out->v);
    out->reports = base_realloc_array(NULL, n, sizeof *out->reports);
    for (size_t i = 0; i < n; i++) {
        rm_rpc_put_changed_node(&v[i], &out->v[i]);
        out->reports[i] = &out->v[i].report;
    }
}

static void answer_allocated(struct master_call *m, const struct rm_effect *fx)
{
    const __typeof__(fx->u.reply.allocate) *a = &fx->u.reply.allocate;
    Master__AllocateAnswer answer = MASTER__ALLOCATE_ANSWER__INIT;
    Master__PreemptionContract nothing = MASTER__PREEMPTION_CONTRACT__INIT;
    Master__Preemption preemption = MASTER__PREEMPTION__INIT;
    Yarn__Priority priority = YARN__PRIORITY__INIT;
    struct rm_rpc_resource limit;
    struct rm_rpc_amrm_token amrm = {0};
    struct granted_list granted;
    struct completed_list completed;
    struct changed_list changed;

    put_granted_list(m, a->allocated, a->allocated_n, a->renewed, a->renewed_n, &fx->u.reply.tokens,
                     &granted);
    put_completed_list(a->completed, a->completed_n, &completed);
    put_changed_list(a->changed, a->changed_n, &changed);
    rm_rpc_put_resource(a->available.v[RM_RES_MEMORY_MB], a->available.v[RM_RES_VCORES], &limit);
    PUT(&answer, response_id, (int32_t)a->response_id);
    answer.allocated = granted.containers;
    answer.n_allocated = granted.n;
    answer.completed = completed.statuses;
    answer.n_completed = a->completed_n;
    answer.limit = &limit.resource;
    answer.changed_nodes = changed.reports;
    answer.n_changed_nodes = a->changed_n;
    PUT(&answer, nodes, a->nodes);
    preemption.strict = &nothing;
    answer.preemption = &preemption;
    answer.nm_tokens = granted.nm_tokens;
    answer.n_nm_tokens = granted.nm_tokens_n;
    if (fx->u.reply.tokens.amrm_key) {
        rm_rpc_put_amrm_token(&m->attempt, fx->u.reply.tokens.amrm_key, &amrm);
        answer.amrm_token = &amrm.token;
    }
    PUT(&priority, priority, a->priority);
    answer.priority = &priority;
    api_rpc_answer(m->call, &answer.base);
    rm_rpc_amrm_token_free(&amrm);
    free_granted_list(&granted);
    free(completed.v);
    free(completed.statuses);
    free(changed.v);
    free(changed.reports);
}

/* YARN has no commands in answers any more: it throws. */
static void answer_allocate(void *user, const struct rm_effect *fx)
{
    struct master_call *m = user;
    const char *command = fx->u.reply.allocate.command;

    if (answer_if_error(m, fx))
        ;
    else if (command && strcmp(command, "shutdown") == 0)
        answer_attempt_not_found(m);
    else if (command)
        answer_not_registered(m);
    else
        answer_allocated(m, fx);
    release_call(m);
}

static void allocate(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Master__AllocateRequest *rq = (const Master__AllocateRequest *)request;
    struct master_call *m = master_call_new(call, user, RM_EV_AM_ALLOCATE);

    m->ev.u.am_allocate.attempt = m->attempt;
    m->ev.u.am_allocate.response_id = rq->response_id;
    m->ev.u.am_allocate.progress = rq->progress;
    if (rq->n_scheduling_requests) {
        api_rpc_answer_error(call, RM_RPC_YARN_EXCEPTION,
                             "scheduling requests: expected none, since there is no placement "
                             "handler");
        drop_call(m);
    } else if (!read_asks(m, rq) || !read_releases(m, rq) || !read_blacklist(m, rq->blacklist)) {
        drop_call(m);
    } else {
        rm_backend_post(user, &m->ev, answer_allocate, release_call, m);
    }
}

/* ---- finishApplicationMaster ---- */

static void answer_finish(void *user, const struct rm_effect *fx)
{
    struct master_call *m = user;
    Master__FinishAnswer answer = MASTER__FINISH_ANSWER__INIT;

    if (!answer_if_error(m, fx)) {
        PUT(&answer, unregistered, true);
        api_rpc_note_durable(m->call);
        api_rpc_answer(m->call, &answer.base);
    }
    release_call(m);
}

static void finish_master(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Master__FinishRequest *rq = (const Master__FinishRequest *)request;
    struct master_call *m;

    if (rq->status < RM_FINAL_UNDEFINED || rq->status > RM_FINAL_ENDED) {
        api_rpc_answer_error(call, INVALID_REQUEST,
                             "final status: %d: expected a number from 0 to 4", rq->status);
        return;
    }
    m = master_call_new(call, user, RM_EV_AM_FINISH);
    m->ev.u.am_finish.attempt = m->attempt;
    m->ev.u.am_finish.status = (enum rm_final_status)rq->status;
    m->ev.u.am_finish.diagnostics = keep_text(m, rq->diagnostics ? rq->diagnostics : "");
    m->ev.u.am_finish.tracking_url = keep_text(m, rq->tracking_url);
    rm_backend_post(user, &m->ev, answer_finish, release_call, m);
}

/* ---- the protocol ---- */

static bool answer_unless_active(struct api_rpc_call *call, void *user)
{
    if (rm_standby_is_active(user))
        return false;
    api_rpc_answer_error(call, RM_RPC_STANDBY, "this ResourceManager is not active");
    return true;
}

static const struct api_rpc_method methods[] = {
    {"registerApplicationMaster", &master__register_request__descriptor, register_master, 0},
    {"allocate", &master__allocate_request__descriptor, allocate, ALLOCATE_MAX},
    {"finishApplicationMaster", &master__finish_request__descriptor, finish_master, 1 << 20},
};
const struct api_rpc_protocol rm_rpc_master_protocol = {
    .name = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB",
    .methods = methods,
    .methods_n = sizeof methods / sizeof *methods,
    .gate = answer_unless_active};

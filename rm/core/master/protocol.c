/* The protocol with a running master: register, allocate, finish. As in YARN each answer to
 * allocate has a number, and a request that repeats the last number gets the last answer again,
 * since that answer may have been lost. */
#include "rm/core/master/protocol.h"

#include <string.h>

#include "base/limits.h"
#include "rm/core/admin/master_keys.h"
#include "rm/core/emit.h"
#include "rm/core/master/avoided.h"
#include "rm/core/master/master.h"
#include "rm/core/record/takeover.h"
#include "rm/core/state.h"

/* Returns the application whose current attempt is @id (id->attempt 0: any); NULL: there is none,
 * and the request has been answered with the error. */
static struct rm_app *find_app_of_current_attempt(struct rm_core *c, uint64_t token,
                                                  const struct base_attempt_id *id)
{
    struct rm_app *a = rm_app_find(c, id->app);
    struct rm_attempt *at = a ? rm_app_newest_attempt(a) : NULL;
    char text[BASE_ID_TEXT_MAX];

    if (at && (at->id.attempt == id->attempt || !id->attempt))
        return a;
    rm_reply_error(c, token, -BASE_ENOTFOUND,
                   "Application attempt %s doesn't exist in ApplicationMasterService cache.",
                   base_attempt_id_text(id, text));
    return NULL;
}

/* Returns a copy of @s that lives as long as the core: a node may register again with another
 * address while kept answers still point to the old one. */
static const char *intern_text(struct rm_core *c, const char *s)
{
    uint32_t at = rm_names_add(&c->users, s ? s : ""); /* may move the table */

    return c->users.v[at];
}

static struct rm_allocated describe_allocated(struct rm_core *c, const struct rm_container *ct)
{
    return (struct rm_allocated){.id = ct->id,
                                 .node_id = ct->node->id,
                                 .node_http = intern_text(c, ct->node->http),
                                 .priority = ct->priority,
                                 .allocation_request_id = ct->allocation_id,
                                 .capability = ct->resource,
                                 .hadoop_port = ct->node->hadoop_port,
                                 .is_hadoop = ct->node->is_hadoop,
                                 .created_us = ct->start_us};
}

static struct rm_token_basis token_basis(const struct rm_core *c, const struct rm_app *a)
{
    return (struct rm_token_basis){.nm_key = rm_master_key(c, RM_KEY_NM),
                                   .container_key = rm_master_key(c, RM_KEY_CONTAINER),
                                   .hadoop_nm_key = rm_master_key(c, RM_KEY_HADOOP_NM),
                                   .hadoop_container_key =
                                       rm_master_key(c, RM_KEY_HADOOP_CONTAINER),
                                   .amrm_key = rm_master_key_waiting(c, RM_KEY_AMRM),
                                   .user = a->user,
                                   .rm_instance_ms = c->conf.rm_instance_ms};
}

/* Returns true for containers that the answer to a registration lists: live containers of earlier
 * attempts, and, after a takeover, all containers of this attempt; in both cases without those of
 * masters. The master's next asks come on top of these, so the list includes containers whose end
 * the first allocate will report. */
static bool is_listed_at_registration(const struct rm_attempt *at, const struct rm_container *ct)
{
    if (ct->id.attempt.attempt == at->id.attempt)
        return !ct->master;
    return !ct->master && !ct->killing && ct->state != RM_CONTAINER_COMPLETED;
}

static void reply_registered(struct rm_core *c, const struct rm_event *ev, struct rm_app *a)
{
    struct rm_effect *fx = rm_reply(c, ev->token, RM_REPLY_AM_REGISTERED, a->saved_seq);
    size_t most = (size_t)a->containers_n + a->news_n, n = 0;
    struct rm_allocated *previous = rm_step_arena_alloc(&c->scratch, most * sizeof *previous + 1);
    const struct rm_attempt *at = rm_app_newest_attempt(a);

    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (is_listed_at_registration(at, ct))
            previous[n++] = describe_allocated(c, ct);
    for (size_t i = 0; i < a->news_n; i++)
        if (a->news[i]->state == RM_CONTAINER_COMPLETED &&
            is_listed_at_registration(at, a->news[i]))
            previous[n++] = describe_allocated(c, a->news[i]);
    rm_master_mark_containers_announced(a);
    fx->u.reply.app_id = a->id;
    fx->u.reply.am.max_capability = rm_max_capability(c, at->by_rpc);
    fx->u.reply.tokens = token_basis(c, a);
    fx->u.reply.am.queue = a->queue;
    fx->u.reply.am.acl_view = a->app->acl_view;
    fx->u.reply.am.acl_modify = a->app->acl_modify;
    fx->u.reply.am.previous = previous;
    fx->u.reply.am.previous_n = n;
}

static bool texts_equal(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Returns true for a registration with the same contents as the last, before any allocate: the
 * answer may have been lost. Over Hadoop RPC it is refused as in YARN, unless the application keeps
 * its containers: its master may be another process, which has to learn of them. */
static bool is_repeated_registration(const struct rm_app *a, const struct rm_attempt *at,
                                     const struct rm_event *ev)
{
    if (ev->u.am_register.by_rpc && !a->app->keep_containers)
        return false;
    return at->response_id == 0 && texts_equal(at->host, ev->u.am_register.host) &&
           texts_equal(at->tracking_url, ev->u.am_register.tracking_url) &&
           at->rpc_port == ev->u.am_register.rpc_port;
}

/* Returns true while @a may have containers on awaited nodes, of which its master has to learn. */
static bool registration_must_wait_for_nodes(const struct rm_core *c, const struct rm_app *a,
                                             const struct rm_attempt *at)
{
    bool may_have_some =
        (at->registered && at->reregister) || (a->app->keep_containers && at->id.attempt > 1);

    return may_have_some && rm_takeover_delays_master_registration(c);
}

void rm_master_on_register(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = find_app_of_current_attempt(c, ev->token, &ev->u.am_register.attempt);
    struct rm_attempt *at;
    char id[BASE_ID_TEXT_MAX];

    if (!a)
        return;
    at = rm_app_newest_attempt(a);
    if (at->state == RM_ATTEMPT_RUNNING && !at->reregister && is_repeated_registration(a, at, ev)) {
        reply_registered(c, ev, a);
        return;
    }
    if (at->state == RM_ATTEMPT_RUNNING && !at->reregister) {
        rm_reply_error(c, ev->token, -BASE_ESTATE, "Application Master is already registered : %s",
                       base_app_id_text(&a->id, id));
        return;
    }
    if (!rm_app_is_live(a) ||
        (at->state != RM_ATTEMPT_LAUNCHED && at->state != RM_ATTEMPT_RUNNING)) {
        rm_reply_error(c, ev->token, -BASE_ESTATE,
                       "Application attempt %s cannot register in state %s",
                       base_attempt_id_text(&at->id, id), rm_attempt_state_name(at->state));
        return;
    }
    if (registration_must_wait_for_nodes(c, a, at)) {
        rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
        rm_reply_error(c, ev->token, -BASE_EAGAIN,
                       "Application attempt %s cannot register yet: %d nodes have not yet reported "
                       "their containers",
                       base_attempt_id_text(&at->id, id), c->awaited);
        return;
    }
    rm_set_bounded_text(&at->host, ev->u.am_register.host);
    rm_set_bounded_text(&at->tracking_url, ev->u.am_register.tracking_url);
    at->rpc_port = ev->u.am_register.rpc_port;
    at->by_rpc = ev->u.am_register.by_rpc;
    at->nodes_told = at->nodes_told_before = c->node_changes;
    at->nm_renewals_told = at->nm_renewals_told_before = c->master_keys.nm_renewals;
    at->registered = true;
    at->reregister = false;
    at->response_id = 0;
    if (at->state == RM_ATTEMPT_LAUNCHED)
        rm_attempt_set_state(at, RM_ATTEMPT_RUNNING);
    if (a->state == RM_APP_ACCEPTED)
        rm_app_set_state(c, a, RM_APP_RUNNING);
    if (!a->start_us)
        a->start_us = c->now_us;
    if (!a->launch_us)
        a->launch_us = c->now_us;
    rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
    rm_app_store_record(c, a);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
    reply_registered(c, ev, a);
}

static void release_ask_launches(const struct rm_event *ev)
{
    for (size_t i = 0; i < ev->u.am_allocate.asks_n; i++)
        rm_launch_unref(ev->u.am_allocate.asks[i].launch);
}

/* Returns true when the asks are refused; the request has then been answered with the error. */
static bool refuse_asks_if_bad(struct rm_core *c, struct rm_app *a, const struct rm_event *ev)
{
    bool by_rpc = rm_app_newest_attempt(a)->by_rpc;

    for (size_t i = 0; i < ev->u.am_allocate.asks_n; i++) {
        const struct rm_ask *ask = &ev->u.am_allocate.asks[i];
        enum base_task_kind k = rm_mapreduce_slot_kind(a, ask->priority, &ask->capability,
                                                       c->capacity.slots[BASE_TASK_REDUCE]);

        if (!ask->resource_name || !*ask->resource_name) {
            rm_reply_error(c, ev->token, -BASE_EINVAL, "resourceName must be given");
        } else if (!rm_labels_exist(&c->labels, ask->label)) {
            rm_reply_error(c, ev->token, -BASE_EINVAL, RM_NO_SUCH_LABEL, ask->label);
        } else if (ask->label && *ask->label && strcmp(ask->resource_name, "*") != 0) {
            rm_reply_error(c, ev->token, -BASE_EINVAL,
                           "Invalid resource request specified node label expression in a "
                           "resource request has resource name = %s",
                           ask->resource_name);
        } else if (ask->containers < 0 || ask->containers > BASE_ASK_MAX) {
            rm_reply_error(c, ev->token, -BASE_EINVAL,
                           "numContainers must lie between 0 and %d, it is %d", BASE_ASK_MAX,
                           ask->containers);
        } else if (ask->capability.v[RM_RES_MEMORY_MB] < 0 ||
                   rm_resource_is_too_large(c, k, &ask->capability, RM_RES_MEMORY_MB, by_rpc)) {
            rm_reply_error(c, ev->token, -BASE_EINVAL, "Requested more memory than configured max");
        } else if (ask->capability.v[RM_RES_VCORES] < 0 ||
                   rm_resource_is_too_large(c, k, &ask->capability, RM_RES_VCORES, by_rpc)) {
            rm_reply_error(c, ev->token, -BASE_EINVAL, "Requested more cores than configured max");
        } else if (ask->capability.v[RM_RES_MAP_SLOTS + k] > 1 &&
                   ask->capability.v[RM_RES_MAP_SLOTS + k] >
                       rm_slots_of_largest_node(c, k, by_rpc)) {
            rm_reply_error(c, ev->token, -BASE_EINVAL, "Requested more %s than configured max",
                           rm_res_names[RM_RES_MAP_SLOTS + k]);
        } else {
            continue;
        }
        return true;
    }
    if (!rm_asks_fit_limits(a, ev->u.am_allocate.asks, ev->u.am_allocate.asks_n)) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "asks: an application may wait for %d containers, in %d places and groups, "
                       "with %d bytes of launch "
                       "contexts",
                       RM_ASKED_MAX, RM_ASK_ROWS_MAX, RM_ASK_LAUNCH_MAX);
        return true;
    }
    return false;
}

static void put_asks_in_table(struct rm_core *c, struct rm_app *a, const struct rm_event *ev)
{
    size_t n = ev->u.am_allocate.asks_n;
    struct rm_ask *asks = rm_step_arena_alloc(&c->scratch, n * sizeof *asks + 1);

    for (size_t i = 0; i < n; i++) {
        const struct rm_ask *ask = &ev->u.am_allocate.asks[i];
        enum base_task_kind k = rm_mapreduce_slot_kind(a, ask->priority, &ask->capability,
                                                       c->capacity.slots[BASE_TASK_REDUCE]);
        const struct rm_res *slot = &c->conf.slot_res[k];

        asks[i] = *ask;
        asks[i].slot = k;
        asks[i].label_number =
            asks[i].label ? rm_labels_find_or_add(&c->labels, asks[i].label) : a->label;
        a->names_labels = a->names_labels || asks[i].label_number;
        for (int r = 0; r <= RM_RES_VCORES; r++)
            if (!asks[i].capability.v[r])
                asks[i].capability.v[r] = slot->v[r];
        asks[i].slots = rm_slots_for_resource(c, k, &asks[i].capability);
    }
    if (n)
        rm_asks_update(a, asks, n);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
}

static void stop_released_containers(struct rm_core *c, struct rm_app *a, const struct rm_event *ev)
{
    for (size_t i = 0; i < ev->u.am_allocate.releases_n; i++) {
        struct rm_container *ct = rm_container_find(c, &ev->u.am_allocate.releases[i]);

        if (!ct || ct->app != a || ct->master || ct->state == RM_CONTAINER_COMPLETED)
            continue;
        rm_container_kill_or_end(c, ct, RM_EXIT_ABORTED, "Container released by application");
    }
}

/* The previous answer has arrived, so the master knows the ends in it: nodes may forget those
 * containers. */
static void forget_acknowledged_ends(struct rm_core *c, struct rm_app *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->news_n; i++) {
        if (a->news[i]->told)
            rm_defer_until_stored(c, c->seq, RM_ACK_FORGET, a->news[i], 0);
        else
            a->news[kept++] = a->news[i];
    }
    a->news_n = kept;
}

static void add_allocated_to_answer(struct rm_core *c, struct rm_attempt *at,
                                    struct rm_container *ct)
{
    base_array_grow(&at->allocated, at->allocated_n, &at->allocated_cap);
    at->allocated[at->allocated_n++] = describe_allocated(c, ct);
    ct->pulled = true;
    if (ct->state == RM_CONTAINER_ALLOCATED)
        rm_container_set_state(ct, RM_CONTAINER_ACQUIRED);
}

static void fill_allocate_answer(struct rm_core *c, struct rm_app *a, struct rm_attempt *at)
{
    size_t kept = 0;

    at->allocated_n = at->completed_n = 0;
    for (size_t i = 0; i < a->news_n; i++) {
        struct rm_container *ct = a->news[i];

        if (!ct->pulled)
            add_allocated_to_answer(c, at, ct);
        if (ct->state != RM_CONTAINER_COMPLETED)
            continue; /* announced; the container is queued again when it ends */
        base_array_grow(&at->completed, at->completed_n, &at->completed_cap);
        at->completed[at->completed_n++] =
            (struct rm_completed){.id = ct->id,
                                  .exit_status = ct->exit_code,
                                  .diagnostics = ct->diagnostics ? ct->diagnostics : ""};
        ct->told = true;
        a->news[kept++] = ct;
    }
    a->news_n = kept;
}

static struct rm_changed_node describe_changed_node(const struct rm_node *n)
{
    return (struct rm_changed_node){.id = n->id,
                                    .http = n->http,
                                    .rack = n->rack_name,
                                    .health_report = n->health_report,
                                    .hadoop_port = n->hadoop_port,
                                    .containers = n->containers_n,
                                    .state = n->state,
                                    .total = n->total,
                                    .used = n->used_res};
}

/* Lists the nodes that changed between the two answers, as they are now; a repeated answer lists
 * them again. Looks at all nodes only if some have changed. */
static void add_changed_nodes(struct rm_core *c, const struct rm_attempt *at, struct rm_effect *fx)
{
    struct rm_changed_node *v;
    size_t n = 0;

    if (at->nodes_told == at->nodes_told_before)
        return;
    v = rm_step_arena_alloc(&c->scratch, c->nodes_n * sizeof *v + 1);
    for (size_t i = 0; i < c->nodes_n; i++)
        if (c->nodes[i] && c->nodes[i]->changed > at->nodes_told_before &&
            c->nodes[i]->changed <= at->nodes_told)
            v[n++] = describe_changed_node(c->nodes[i]);
    fx->u.reply.allocate.changed = v;
    fx->u.reply.allocate.changed_n = n;
}

/* Lists a container on each node of the master's, if the key of NM tokens has changed between the
 * two answers: the master gets a new token for each of these nodes. */
static void add_renewed_nodes(struct rm_core *c, const struct rm_app *a,
                              const struct rm_attempt *at, struct rm_effect *fx)
{
    struct rm_allocated *v;
    bool *listed;
    size_t n = 0;

    if (!at->by_rpc || at->nm_renewals_told == at->nm_renewals_told_before)
        return;
    v = rm_step_arena_alloc(&c->scratch, (size_t)a->containers_n * sizeof *v + 1);
    listed = rm_step_arena_alloc(&c->scratch, c->nodes_n * sizeof *listed + 1);
    memset(listed, 0, c->nodes_n * sizeof *listed);
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (!ct->master && ct->pulled && !listed[ct->node->index]) {
            listed[ct->node->index] = true;
            v[n++] = describe_allocated(c, ct);
        }
    fx->u.reply.allocate.renewed = v;
    fx->u.reply.allocate.renewed_n = n;
}

/* As in YARN, a response id has 31 bits, and 0 comes after the largest one. */
static int64_t next_response_id(int64_t id)
{
    return (id + 1) & INT32_MAX;
}

static void reply_allocated(struct rm_core *c, uint64_t token, struct rm_app *a,
                            struct rm_attempt *at, const char *command)
{
    struct rm_effect *fx = rm_reply(c, token, RM_REPLY_ALLOCATED, 0);

    fx->u.reply.app_id = at->id.app;
    fx->u.reply.allocate.response_id = at->response_id;
    fx->u.reply.allocate.allocated = at->allocated;
    fx->u.reply.allocate.allocated_n = at->allocated_n;
    fx->u.reply.allocate.completed = at->completed;
    fx->u.reply.allocate.completed_n = at->completed_n;
    fx->u.reply.allocate.nodes = c->capacity.nodes;
    fx->u.reply.allocate.command = command;
    fx->u.reply.allocate.priority = a->priority > 0 ? a->priority : 0;
    fx->u.reply.tokens = token_basis(c, a);
    add_changed_nodes(c, at, fx);
    add_renewed_nodes(c, a, at, fx);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t room = c->capacity.slots[k] - c->capacity.used[k];

        fx->u.reply.allocate.available.v[RM_RES_MAP_SLOTS + k] += room;
        for (int r = 0; r <= RM_RES_VCORES; r++)
            fx->u.reply.allocate.available.v[r] += room * c->conf.slot_res[k].v[r];
    }
}

/* Answers that the application ends. */
static void reply_shutdown(struct rm_core *c, const struct rm_event *ev, struct rm_app *a,
                           struct rm_attempt *at)
{
    at->allocated_n = at->completed_n = 0;
    at->response_id = next_response_id(ev->u.am_allocate.response_id);
    reply_allocated(c, ev->token, a, at, "shutdown");
}

void rm_master_on_allocate(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = find_app_of_current_attempt(c, ev->token, &ev->u.am_allocate.attempt);
    struct rm_attempt *at = a ? rm_app_newest_attempt(a) : NULL;
    int64_t response_id = ev->u.am_allocate.response_id;
    struct rm_mapreduce_wanted wanted;
    char id[BASE_ID_TEXT_MAX];

    if (!a) {
        release_ask_launches(ev);
        return;
    }
    if (at->registered && (a->state == RM_APP_KILLING || a->ending == RM_END_KILL)) {
        release_ask_launches(ev);
        reply_shutdown(c, ev, a, at);
        return;
    }
    if (at->state != RM_ATTEMPT_RUNNING) {
        release_ask_launches(ev);
        rm_reply_error(c, ev->token, -BASE_ESTATE,
                       "AM is not registered for known application attempt: %s or RM had restarted "
                       "after AM registered. "
                       "AM should re-register.",
                       base_attempt_id_text(&at->id, id));
        return;
    }
    /* The master's asks were made to an earlier instance: it has to register and ask again. */
    if (at->reregister) {
        release_ask_launches(ev);
        rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
        reply_allocated(c, ev->token, a, at, "resync");
        return;
    }
    if (next_response_id(response_id) == at->response_id) {
        release_ask_launches(ev);
        reply_allocated(c, ev->token, a, at, NULL);
        return;
    }
    if (response_id != at->response_id) {
        release_ask_launches(ev);
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "Invalid responseId in AllocateRequest from application attempt: %s, expect "
                       "responseId to be "
                       "%lld, but get %lld",
                       base_attempt_id_text(&at->id, id), (long long)at->response_id,
                       (long long)response_id)
            ->u.reply.flag = true;
        return;
    }
    if (refuse_asks_if_bad(c, a, ev) || rm_avoided_refuse_if_bad(c, at, ev)) {
        release_ask_launches(ev);
        return;
    }
    rm_timer_set(&c->timers, &a->timer, c->now_us + c->conf.am_expiry_us);
    a->progress = ev->u.am_allocate.progress > 0 ? (double)ev->u.am_allocate.progress : 0;
    a->progress = a->progress < 1 ? a->progress : 1;
    forget_acknowledged_ends(c, a);
    rm_avoided_update(at, ev);
    wanted = rm_mapreduce_wanted(a);
    put_asks_in_table(c, a, ev);
    if (!rm_mapreduce_update(c, a, &wanted)) {
        rm_plain_app_refuse(c, a);
        reply_shutdown(c, ev, a, at);
        return;
    }
    stop_released_containers(c, a, ev);
    c->due_allocate = (struct rm_due_allocate){.app = a, .token = ev->token};
}

void rm_master_answer_due_allocate(struct rm_core *c)
{
    struct rm_app *a = c->due_allocate.app;
    struct rm_attempt *at;

    if (!a)
        return;
    at = rm_app_newest_attempt(a);
    fill_allocate_answer(c, a, at);
    at->response_id = next_response_id(at->response_id);
    at->nodes_told_before = at->nodes_told;
    at->nodes_told = c->node_changes;
    at->nm_renewals_told_before = at->nm_renewals_told;
    at->nm_renewals_told = c->master_keys.nm_renewals;
    reply_allocated(c, c->due_allocate.token, a, at, NULL);
    c->due_allocate.app = NULL;
}

void rm_master_on_finish(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = find_app_of_current_attempt(c, ev->token, &ev->u.am_finish.attempt);
    struct rm_attempt *at = a ? rm_app_newest_attempt(a) : NULL;
    enum rm_final_status status = ev->u.am_finish.status;
    char id[BASE_ID_TEXT_MAX];
    struct rm_effect *fx;

    if (!a)
        return;
    if (at->state == RM_ATTEMPT_RUNNING) {
        rm_attempt_set_state(at, RM_ATTEMPT_FINAL_SAVING);
        if (ev->u.am_finish.tracking_url)
            rm_set_bounded_text(&at->tracking_url, ev->u.am_finish.tracking_url);
        if (ev->u.am_finish.diagnostics)
            rm_set_bounded_text(&at->diagnostics, ev->u.am_finish.diagnostics);
        a->progress = 1;
        a->ending = RM_END_SUCCEED;
        rm_app_begin_final_save(c, a,
                                at->master || at->reregister ? RM_APP_FINISHING : RM_APP_FINISHED,
                                status, ev->u.am_finish.diagnostics);
    } else if (at->state != RM_ATTEMPT_FINAL_SAVING && at->state != RM_ATTEMPT_FINISHING &&
               at->state != RM_ATTEMPT_FINISHED) {
        rm_reply_error(c, ev->token, -BASE_ESTATE,
                       "Application Master is trying to unregister before registering for: %s",
                       base_app_id_text(&a->id, id));
        return;
    }
    fx = rm_reply(c, ev->token, RM_REPLY_AM_FINISHED, a->saved_seq);
    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = true;
}

/* Nodes: registration, heartbeats with held answers, orders and their replay, loss. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"

static bool id_eq(const void *object, const void *key)
{
    return strcmp(((const struct rm_node *)object)->id, key) == 0;
}

struct rm_node *rm_node_find(const struct rm_core *c, const char *id)
{
    return id ? rm_map_find(&c->nodes_by_id, rm_hash_text(id), id_eq, id) : NULL;
}

struct rm_node *rm_node_new(struct rm_core *c, const char *id)
{
    struct rm_node *n = base_alloc(sizeof *n);

    n->id = base_strdup(id);
    n->host = n->rack = RM_NONE;
    n->born = ++c->nodes_born;
    n->healthy = true;
    n->hold = (struct rm_timer){.kind = RM_TIMER_NODE_HOLD, .owner = n};
    n->expiry = (struct rm_timer){.kind = RM_TIMER_NODE_EXPIRY, .owner = n};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        n->free_bucket[k] = -1;
    if (c->nodes_free_n) {
        n->index = c->nodes_free[--c->nodes_free_n];
    } else {
        base_array_grow(&c->nodes, c->nodes_n, &c->nodes_cap);
        n->index = (uint32_t)c->nodes_n++;
    }
    c->nodes[n->index] = n;
    rm_map_put(&c->nodes_by_id, rm_hash_text(id), n);
    return n;
}

static void set_text(char **at, const char *text)
{
    if (*at && text && strcmp(*at, text) == 0)
        return;
    free(*at);
    *at = base_strdup(text ? text : "");
}

/* ---------------------------------------------------------------- orders */
static void orders_clear(struct rm_orders *q)
{
    for (size_t i = 0; i < q->len; i++) {
        if (q->v[i].app)
            rm_app_unref(q->v[i].app);
        rm_launch_unref(q->v[i].launch);
    }
    q->len = 0;
}

static void orders_free(struct rm_orders *q)
{
    orders_clear(q);
    free(q->v);
}

void rm_node_free(struct rm_node *n)
{
    orders_free(&n->queue);
    orders_free(&n->sent);
    free(n->id);
    free(n->host_name);
    free(n->http);
    free(n->rack_name);
    free(n->version);
    free(n->boot_id);
    free(n->instance);
    free(n->health_report);
    free(n);
}

void rm_node_delete(struct rm_core *c, struct rm_node *n)
{
    base_array_grow(&c->nodes_free, c->nodes_free_n, &c->nodes_free_cap);
    c->nodes_free[c->nodes_free_n++] = n->index;
    c->nodes[n->index] = NULL;
    rm_map_remove(&c->nodes_by_id, rm_hash_text(n->id), n);
    rm_node_free(n);
}

static void mark_dirty(struct rm_core *c, struct rm_node *n)
{
    if (n->dirty)
        return;
    n->dirty = true;
    base_array_grow(&c->dirty, c->dirty_n, &c->dirty_cap);
    c->dirty[c->dirty_n++] = n;
}

/* Such an order is queued and not sent yet. */
bool rm_node_ordered(const struct rm_node *n, enum rm_order_kind kind, const struct base_container_id *id)
{
    for (size_t i = 0; i < n->queue.len; i++)
        if (n->queue.v[i].container.num == id->num && n->queue.v[i].kind == kind &&
            base_container_id_cmp(&n->queue.v[i].container, id) == 0)
            return true;
    return false;
}

/* Borrowed until the next order to this node. */
struct rm_queued *rm_node_order(struct rm_core *c, struct rm_node *n, enum rm_order_kind kind)
{
    struct rm_orders *q = &n->queue;

    base_array_grow(&q->v, q->len, &q->cap);
    q->v[q->len] = (struct rm_queued){.kind = (uint8_t)kind};
    if (kind != RM_ORDER_FORGET && kind != RM_ORDER_CLEANUP_APP) { /* these can wait for the next answer */
        n->urgent = true;
        mark_dirty(c, n);
    }
    return &q->v[q->len++];
}

static void expand_launch(struct rm_order *o, const struct rm_queued *q)
{
    struct rm_app *a = q->app;

    o->slot = q->slot;
    o->resource.v[RM_RES_MEMORY_MB] = q->memory_mb;
    o->resource.v[RM_RES_VCORES] = q->vcores;
    o->priority = q->priority;
    o->user = a->user;
    o->name = a->name;
    o->token = a->token;
    o->launch = q->launch;
    o->master = q->master;
    if (!q->has_task) {
        o->allocation_request_id = q->allocation_id;
        return;
    }
    o->job = a->job;
    o->task = (struct base_task_id){a->id, q->slot, q->task};
    o->task_attempt = q->task_attempt;
}

/* Orders as the shell sees them, in memory of this step. */
static struct rm_order *expand(struct rm_core *c, const struct rm_orders *q)
{
    struct rm_order *v = rm_steps_alloc(&c->scratch, q->len * sizeof *v);

    for (size_t i = 0; i < q->len; i++) {
        v[i] = (struct rm_order){.kind = (enum rm_order_kind)q->v[i].kind,
                                 .container = q->v[i].container,
                                 .app = q->v[i].container.attempt.app,
                                 .reason = q->v[i].reason,
                                 .grace_ms = q->v[i].grace_ms};
        if (v[i].kind == RM_ORDER_LAUNCH)
            expand_launch(&v[i], &q->v[i]);
    }
    return v;
}

/* ---------------------------------------------------------------- place among free nodes */
static void free_remove(struct rm_core *c, struct rm_node *n, int k)
{
    int b = n->free_bucket[k];

    if (n->free_prev[k])
        n->free_prev[k]->free_next[k] = n->free_next[k];
    else
        c->free_first[k][b] = n->free_next[k];
    if (n->free_next[k])
        n->free_next[k]->free_prev[k] = n->free_prev[k];
    else
        c->free_last[k][b] = n->free_prev[k];
    n->free_prev[k] = n->free_next[k] = NULL;
    n->free_bucket[k] = -1;
}

static void free_append(struct rm_core *c, struct rm_node *n, int k, int b)
{
    n->free_prev[k] = c->free_last[k][b];
    n->free_next[k] = NULL;
    if (c->free_last[k][b])
        c->free_last[k][b]->free_next[k] = n;
    else
        c->free_first[k][b] = n;
    c->free_last[k][b] = n;
    n->free_bucket[k] = (int16_t)b;
}

void rm_node_index(struct rm_core *c, struct rm_node *n)
{
    if (n->offering)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int32_t room = n->slots[k] - n->used[k];
        int b = -1;

        if (n->parked && n->state == RM_NODE_RUNNING && n->registered && room > 0)
            b = room < RM_FREE_BUCKETS ? room : RM_FREE_BUCKETS - 1;
        if (b == n->free_bucket[k])
            continue;
        if (n->free_bucket[k] >= 0)
            free_remove(c, n, k);
        if (b >= 0)
            free_append(c, n, k, b);
    }
}

void rm_node_use(struct rm_core *c, struct rm_node *n, enum base_task_kind k, int32_t by)
{
    n->used[k] += by;
    base_assert(n->used[k] >= 0);
    if (n->counted)
        c->capacity.used[k] += by;
    if (!n->parked)
        return;
    if (by < 0)
        c->offer_all[k] = true;
    rm_node_index(c, n);
}

/* ---------------------------------------------------------------- what the cluster has */
static void count_capacity(struct rm_core *c, const struct rm_node *n, int32_t sign)
{
    c->capacity.nodes += sign;
    c->capacity.memory_mb += sign * n->counted_res.v[RM_RES_MEMORY_MB];
    c->capacity.vcores += sign * n->counted_res.v[RM_RES_VCORES];
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        c->capacity.slots[k] += sign * n->counted_slots[k];
        c->capacity.used[k] += sign * n->used[k];
        c->capacity.freeing[k] += sign * n->freeing[k];
        c->live_nodes[k] += n->counted_slots[k] > 0 ? sign : 0;
    }
}

void rm_capacity_changed(struct rm_core *c, struct rm_node *n)
{
    if (n->counted)
        count_capacity(c, n, -1);
    n->counted = n->state == RM_NODE_RUNNING && n->registered;
    memcpy(n->counted_slots, n->slots, sizeof n->slots);
    n->counted_res = n->total;
    if (n->counted)
        count_capacity(c, n, 1);
    if (c->ops->on_capacity)
        c->ops->on_capacity(c->policy, c->now_us);
}

/* What is suspended here would wait for a slot that this node does not give: it is done anew elsewhere. */
static void drop_suspended(struct rm_core *c, struct rm_node *n, enum base_task_kind k, const char *why)
{
    for (struct rm_container *ct = n->suspended[k] ? n->containers : NULL; ct; ct = ct->node_next)
        if (ct->suspended_at_us && ct->slot == (uint8_t)k)
            rm_container_kill(c, ct, RM_EXIT_ABORTED, why);
}

static void set_state(struct rm_core *c, struct rm_node *n, enum rm_node_state s)
{
    if (n->state == s)
        return;
    base_assert(rm_node_edge(n->state, s));
    n->state = s;
    rm_node_index(c, n);
    rm_capacity_changed(c, n);
}

void rm_node_set_place(struct rm_core *c, struct rm_node *n, const char *host, const char *rack)
{
    uint32_t old_host = n->host, old_rack = n->rack;

    set_text(&n->host_name, host);
    set_text(&n->rack_name, rack && *rack ? rack : "/default-rack");
    n->host = rm_names_add(&c->hosts, n->host_name);
    n->rack = rm_names_add(&c->racks, n->rack_name);
    rm_names_hold(&c->hosts, n->host);
    rm_names_hold(&c->racks, n->rack);
    while (c->host_rack_n <= n->host) {
        c->host_rack = base_realloc_array(c->host_rack, c->host_rack_n + 64, sizeof *c->host_rack);
        for (size_t i = 0; i < 64; i++)
            c->host_rack[c->host_rack_n++] = RM_NONE;
    }
    if (c->host_rack[n->host] != n->rack) {
        uint32_t before = c->host_rack[n->host];

        rm_names_hold(&c->racks, n->rack);
        if (before != RM_NONE)
            rm_rack_drop(c, before);
        c->host_rack[n->host] = n->rack;
        c->rack_stamp++;
    }
    if (old_host != RM_NONE) { /* dropped last: they may be the same */
        rm_host_drop(c, old_host);
        rm_rack_drop(c, old_rack);
    }
}

void rm_node_set_slots(struct rm_core *c, struct rm_node *n, int32_t maps, int32_t reduces)
{
    n->slots[BASE_TASK_MAP] = maps > 0 ? maps : 0;
    n->slots[BASE_TASK_REDUCE] = reduces > 0 ? reduces : 0;
    for (int i = 0; i < RM_RES_NAMES; i++) {
        n->total.v[i] = 0;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            n->total.v[i] += n->slots[k] * c->conf.slot_res[k].v[i];
    }
    n->total.v[RM_RES_MAP_SLOTS] = n->slots[BASE_TASK_MAP];
    n->total.v[RM_RES_REDUCE_SLOTS] = n->slots[BASE_TASK_REDUCE];
}

/* ---------------------------------------------------------------- answers */
static void answer(struct rm_core *c, uint64_t token, int64_t response_id, bool registered,
                   const struct rm_orders *orders, uint64_t after)
{
    struct rm_effect *fx;

    if (!token)
        return;
    fx = rm_effect_add(c, RM_FX_HEARTBEAT);
    fx->token = token;
    fx->after_seq = after > c->stored ? after : 0;
    fx->u.heartbeat.epoch = c->conf.epoch;
    fx->u.heartbeat.rm_instance_ms = c->conf.rm_instance_ms;
    fx->u.heartbeat.cluster_ts_ms = c->conf.cluster_ts_ms;
    fx->u.heartbeat.response_id = response_id;
    fx->u.heartbeat.interval_us = c->conf.heartbeat_us;
    fx->u.heartbeat.registered = registered;
    fx->u.heartbeat.orders = orders && orders->len ? expand(c, orders) : NULL;
    fx->u.heartbeat.orders_n = orders ? orders->len : 0;
}

static void unpark(struct rm_core *c, struct rm_node *n)
{
    n->parked = 0;
    rm_timer_cancel(&c->timers, &n->hold);
    rm_node_index(c, n);
}

/* What is queued goes out, and is kept for a repeat of the same heartbeat. */
static void send_orders(struct rm_node *n)
{
    struct rm_orders old = n->sent;

    orders_clear(&old);
    n->sent = n->queue;
    n->queue = old;
    n->urgent = false;
}

static void answer_parked(struct rm_core *c, struct rm_node *n)
{
    uint64_t token = n->parked;

    if (!token)
        return;
    unpark(c, n);
    send_orders(n);
    answer(c, token, ++n->response_id, false, &n->sent, 0);
}

static void answer_resync(struct rm_core *c, uint64_t token)
{
    rm_reply(c, token, RM_REPLY_RESYNC, 0);
}

void rm_node_flush(struct rm_core *c)
{
    for (size_t i = 0; i < c->dirty_n; i++) {
        struct rm_node *n = c->dirty[i];

        n->dirty = false;
        if (n->parked && (n->urgent || !n->hold.place))
            answer_parked(c, n);
    }
    c->dirty_n = 0;
}

void rm_node_hold_over(struct rm_core *c, struct rm_node *n)
{
    mark_dirty(c, n); /* its hold is not set any more: the flush answers it */
}

/* ---------------------------------------------------------------- loss */
static void end_containers(struct rm_core *c, struct rm_node *n, const char *why)
{
    while (n->containers)
        rm_container_end(c, n->containers, RM_EXIT_ABORTED, why, NULL);
}

static void node_down(struct rm_core *c, struct rm_node *n, enum rm_node_state s, const char *why)
{
    if (n->parked) {
        uint64_t token = n->parked;

        unpark(c, n);
        answer_resync(c, token);
    }
    n->registered = false;
    set_state(c, n, s);
    rm_node_index(c, n);
    rm_timer_cancel(&c->timers, &n->expiry);
    rm_confirm_node_gone(c, n);
    end_containers(c, n, why);
    rm_am_masters_missing(c, n);
    rm_task_node_outputs_lost(c, n, why);
    orders_clear(&n->queue);
    orders_clear(&n->sent);
    n->urgent = false;
    rm_record_node(c, n);
    rm_note(c, 4, "node %s: %s", n->id, rm_node_state_name(s));
    rm_node_not_awaited(c, n);
    rm_node_check_gone(c, n);
}

/* Set once per interval, not once per heartbeat: looks when the node was last heard of. */
void rm_node_expired(struct rm_core *c, struct rm_node *n)
{
    int64_t due = n->last_us + c->conf.node_expiry_us;

    if (due > c->now_us) {
        n->spared = false;
        rm_timer_set(&c->timers, &n->expiry, due);
        return;
    }
    if (!n->registered && !n->awaited) { /* it was refused */
        rm_confirm_node_gone(c, n);
        rm_node_check_gone(c, n);
        return;
    }
    if (rm_node_spare(c, n))
        return;
    node_down(c, n, RM_NODE_LOST, "Container released on a *lost* node");
}

void rm_node_on_gone(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = rm_node_find(c, ev->u.node.node_id);

    if (!n || !n->registered || !ev->u.node.instance || strcmp(n->instance, ev->u.node.instance) != 0) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "node-id: %s is not registered",
                       ev->u.node.node_id ? ev->u.node.node_id : "");
        return;
    }
    node_down(c, n, RM_NODE_SHUTDOWN, "Container released on a node that was shut down");
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}

/* ---------------------------------------------------------------- registration */
static int by_id(const void *a, const void *b)
{
    return base_container_id_cmp(*(const struct base_container_id *const *)a,
                                 *(const struct base_container_id *const *)b);
}

/* Containers that should be there and were not reported are lost. */
static void end_missing(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    size_t reports_n = ev->u.node_register.reports_n;
    const struct base_container_id **ids = base_realloc_array(NULL, reports_n ? reports_n : 1, sizeof *ids);
    struct rm_container *next;

    for (size_t i = 0; i < reports_n; i++)
        ids[i] = &ev->u.node_register.reports[i].id;
    qsort(ids, reports_n, sizeof *ids, by_id);
    for (struct rm_container *ct = n->containers; ct; ct = next) {
        const struct base_container_id *id = &ct->id;

        next = ct->node_next;
        if (rm_node_ordered(n, RM_ORDER_LAUNCH, &ct->id) || rm_container_unsent(ct) ||
            bsearch(&id, ids, reports_n, sizeof *ids, by_id))
            continue;
        rm_container_end(c, ct, RM_EXIT_ABORTED, "Container was lost when its node restarted", NULL);
        next = n->containers; /* the end of one can change the list: begin again */
    }
    free(ids);
}

static void take_registration(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    set_text(&n->http, ev->u.node_register.http_address);
    set_text(&n->version, ev->u.node_register.version);
    set_text(&n->boot_id, ev->u.node_register.boot_id);
    set_text(&n->instance, ev->u.node_register.instance);
    set_text(&n->health_report, "");
    n->sent_us = ev->u.node_register.sent_us;
    rm_node_set_place(c, n, ev->u.node_register.host, ev->u.node_register.rack);
    rm_node_set_slots(c, n, ev->u.node_register.map_slots, ev->u.node_register.reduce_slots);
    n->healthy = true;
}

/* What lies on its disk: of applications that have ended while it was away, or while the RM was, nobody else knows. */
static void take_apps(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    for (size_t i = 0; i < ev->u.node_register.apps_n; i++) {
        struct rm_app *a = rm_app_find(c, ev->u.node_register.apps[i]);

        if (a && (!rm_app_ended(a->state) || a->containers))
            rm_app_touch_node(c, a, n);
        else
            rm_node_order(c, n, RM_ORDER_CLEANUP_APP)->container.attempt.app = ev->u.node_register.apps[i];
    }
}

/* A request that the NodeManager has given up, or that it had sent before it was started again: newer ones have been
 * taken, perhaps by an earlier instance of the RM. Times since another boot say nothing, and no time counts when the
 * node is lost: a machine that was put back to an earlier state is let in again then. */
static bool came_late(const struct rm_node *n, const struct rm_event *ev)
{
    return (n->registered || n->awaited) && ev->u.node_register.sent_us &&
           ev->u.node_register.sent_us <= n->sent_us && n->boot_id && ev->u.node_register.boot_id &&
           strcmp(n->boot_id, ev->u.node_register.boot_id) == 0;
}

void rm_node_on_register(struct rm_core *c, const struct rm_event *ev)
{
    const char *id = ev->u.node_register.node_id;
    struct rm_node *n;
    uint64_t after;

    if (!id || !*id || !ev->u.node_register.instance || !ev->u.node_register.host) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, "node-id, host and instance must be given");
        return;
    }
    n = rm_node_find(c, id);
    if (n && came_late(n, ev)) {
        answer_resync(c, ev->token);
        return;
    }
    if (rm_confirm_refuses_node(c, ev))
        return;
    if (!n)
        n = rm_node_new(c, id);
    if (n->parked) { /* given up by the node */
        uint64_t token = n->parked;

        unpark(c, n);
        answer(c, token, n->response_id, false, NULL, 0);
    }
    if ((n->registered || n->awaited) && n->boot_id && ev->u.node_register.boot_id &&
        strcmp(n->boot_id, ev->u.node_register.boot_id) != 0)
        node_down(c, n, RM_NODE_REBOOTED, "Container was lost when its node was started again");
    take_registration(c, n, ev);
    n->registered = true;
    rm_node_check_gone(c, n);
    n->spared = false;
    n->last_us = c->now_us;
    n->response_id = 0;
    if (n->state != RM_NODE_RUNNING) {
        set_state(c, n, RM_NODE_RUNNING);
        rm_note(c, 6, "node %s: RUNNING with %d map and %d reduce slots", n->id, n->slots[0], n->slots[1]);
    }
    rm_capacity_changed(c, n);
    rm_timer_set(&c->timers, &n->expiry, c->now_us + c->conf.node_expiry_us);
    end_missing(c, n, ev);
    for (size_t i = 0; i < ev->u.node_register.reports_n; i++)
        rm_container_report(c, n, &ev->u.node_register.reports[i], true);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (!n->slots[k])
            drop_suspended(c, n, k, "suspended on a node that has no such slots any more");
    rm_node_not_awaited(c, n);
    rm_am_masters_missing(c, n);
    take_apps(c, n, ev);
    after = rm_record_node(c, n);
    send_orders(n);
    answer(c, ev->token, 0, true, &n->sent, after);
}

/* ---------------------------------------------------------------- heartbeat */
static void take_health(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    n->healthy = ev->u.heartbeat.healthy;
    if (ev->u.heartbeat.health_report && (*ev->u.heartbeat.health_report || *n->health_report))
        set_text(&n->health_report, ev->u.heartbeat.health_report);
    if (n->healthy && n->state == RM_NODE_UNHEALTHY)
        set_state(c, n, RM_NODE_RUNNING);
    else if (!n->healthy && n->state == RM_NODE_RUNNING)
        set_state(c, n, RM_NODE_UNHEALTHY);
    if (n->state == RM_NODE_UNHEALTHY)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            drop_suspended(c, n, k, "suspended on a node that became unhealthy");
}

#define AHEAD 8 /* reports whose containers are fetched together */

static struct rm_node *sender(const struct rm_core *c, const struct rm_event *ev)
{
    uint32_t place = ev->u.heartbeat.place;

    if (place && place <= c->nodes_n && c->nodes[place - 1] && ev->u.heartbeat.node_id &&
        strcmp(c->nodes[place - 1]->id, ev->u.heartbeat.node_id) == 0)
        return c->nodes[place - 1];
    return rm_node_find(c, ev->u.heartbeat.node_id);
}

void rm_core_expect(const struct rm_core *c, uint32_t place, int step)
{
    const struct rm_node *n = place && place <= c->nodes_n ? c->nodes[place - 1] : NULL;

    if (!n)
        return;
    if (step == 0) {
        for (size_t line = 0; line < sizeof *n; line += 64)
            __builtin_prefetch((const char *)n + line);
        return;
    }
    __builtin_prefetch(n->id);
    __builtin_prefetch(n->instance);
    __builtin_prefetch(n->health_report);
    if (n->queue.v)
        __builtin_prefetch(n->queue.v);
    if (n->sent.v)
        __builtin_prefetch(n->sent.v);
    if (n->containers)
        for (size_t line = 0; line < sizeof *n->containers; line += 64)
            __builtin_prefetch((const char *)n->containers + line);
}

/* Of the NodeManager that is registered, and sent after what was taken from it: the numbers of answers begin anew with
 * each registration, they alone do not tell a heartbeat of an earlier one. */
static bool may_take(const struct rm_node *n, const struct rm_event *ev)
{
    int64_t sent_us = ev->u.heartbeat.sent_us;

    return n && n->registered && ev->u.heartbeat.instance && strcmp(n->instance, ev->u.heartbeat.instance) == 0 &&
           (!sent_us || sent_us >= n->sent_us);
}

void rm_node_on_heartbeat(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = sender(c, ev);

    c->stats.heartbeats++;
    if (!may_take(n, ev)) {
        answer_resync(c, ev->token);
        return;
    }
    n->last_us = c->now_us;
    if (ev->u.heartbeat.sent_us)
        n->sent_us = ev->u.heartbeat.sent_us;
    if (ev->u.heartbeat.response_id == n->response_id - 1) { /* its answer was lost: the same once more */
        answer(c, ev->token, n->response_id, false, &n->sent, 0);
        return;
    }
    if (ev->u.heartbeat.response_id != n->response_id) {
        answer_resync(c, ev->token);
        return;
    }
    if (n->parked) { /* the node has given that request up: nothing is taken from it */
        uint64_t token = n->parked;

        unpark(c, n);
        answer(c, token, n->response_id, false, NULL, 0);
    }
    take_health(c, n, ev);
    for (size_t i = 0; i < ev->u.heartbeat.reports_n; i++) {
        if (i % AHEAD == 0)
            rm_container_prefetch(c, &ev->u.heartbeat.reports[i],
                                  ev->u.heartbeat.reports_n - i < AHEAD ? ev->u.heartbeat.reports_n - i : AHEAD);
        rm_container_report(c, n, &ev->u.heartbeat.reports[i], false);
    }
    n->parked = ev->token;
    n->offering = true;
    rm_offer_node(c, n);
    n->offering = false;
    if (ev->u.heartbeat.hold_us > 0 && !n->urgent)
        rm_timer_set(&c->timers, &n->hold, c->now_us + ev->u.heartbeat.hold_us);
    if (ev->u.heartbeat.hold_us > 0 && !n->urgent)
        rm_node_index(c, n);
    mark_dirty(c, n);
}

void rm_node_on_wake(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = rm_node_find(c, ev->u.node.node_id);

    if (!n || !n->registered || !ev->u.node.instance || strcmp(n->instance, ev->u.node.instance) != 0) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "node-id: %s is not registered",
                       ev->u.node.node_id ? ev->u.node.node_id : "");
        return;
    }
    answer_parked(c, n);
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}

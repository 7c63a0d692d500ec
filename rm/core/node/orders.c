/* Orders to a node: queued, sent with an answer, and kept until the next answer. */
#include "rm/core/node/orders.h"

#include <stdlib.h>

#include "rm/core/admin/master_keys.h"
#include "rm/core/state.h"

static void drop_references(struct rm_queued *o)
{
    if (o->app)
        rm_app_unref(o->app);
    rm_launch_unref(o->launch);
}

/* To be called before orders are removed, since that changes the places of the others. */
static void drop_index(struct rm_orders *q)
{
    if (q->indexed)
        base_map_free(&q->forgets);
    q->indexed = 0;
}

void rm_orders_clear(struct rm_orders *q)
{
    for (size_t i = 0; i < q->len; i++)
        drop_references(&q->v[i]);
    q->len = 0;
    drop_index(q);
}

void rm_orders_remove_launches(struct rm_orders *q)
{
    size_t kept = 0;

    drop_index(q);
    for (size_t i = 0; i < q->len; i++)
        if (q->v[i].kind == BASE_ORDER_LAUNCH)
            drop_references(&q->v[i]);
        else
            q->v[kept++] = q->v[i];
    q->len = kept;
}

void rm_node_drop_restated_orders(struct rm_node *n)
{
    struct rm_orders *q = &n->queue;
    size_t kept = 0;

    drop_index(q);
    for (size_t i = 0; i < q->len; i++) /* those removed hold no references */
        if (!q->v[i].answers_report && q->v[i].kind != BASE_ORDER_FORGET)
            q->v[kept++] = q->v[i];
    q->len = kept;
    n->urgent = kept > 0;
}

void rm_orders_free(struct rm_orders *q)
{
    rm_orders_clear(q);
    free(q->v);
}

void rm_node_add_to_answer_list(struct rm_core *c, struct rm_node *n)
{
    if (n->dirty)
        return;
    n->dirty = true;
    base_array_grow(&c->dirty, c->dirty_n, &c->dirty_cap);
    c->dirty[c->dirty_n++] = n;
}

bool rm_node_has_queued_order(const struct rm_node *n, enum base_order_kind kind,
                              const struct base_container_id *id)
{
    for (size_t i = 0; i < n->queue.len; i++)
        if (n->queue.v[i].container.num == id->num && n->queue.v[i].kind == kind &&
            base_container_id_cmp(&n->queue.v[i].container, id) == 0)
            return true;
    return false;
}

struct rm_queued *rm_node_enqueue_order(struct rm_core *c, struct rm_node *n,
                                        enum base_order_kind kind)
{
    struct rm_orders *q = &n->queue;

    base_array_grow(&q->v, q->len, &q->cap);
    q->v[q->len] = (struct rm_queued){.kind = (uint8_t)kind};
    /* forgetting and cleaning up can wait for the next answer */
    if (kind != BASE_ORDER_FORGET && kind != BASE_ORDER_CLEANUP_APP) {
        n->urgent = true;
        rm_node_add_to_answer_list(c, n);
    }
    return &q->v[q->len++];
}

static void expand_launch_order(const struct rm_core *c, struct rm_order *o,
                                const struct rm_queued *q)
{
    struct rm_app *a = q->app;

    o->slot = q->slot;
    o->resource.v[RM_RES_MEMORY_MB] = q->memory_mb;
    o->resource.v[RM_RES_VCORES] = q->vcores;
    o->priority = q->priority;
    o->user = a->user;
    o->name = a->name;
    o->token = a->token;
    o->acl_view = a->app ? a->app->acl_view : a->job->acl_view;
    o->launch = q->launch;
    o->master = q->master;
    o->amrm_key = q->master ? rm_master_key(c, RM_KEY_AMRM) : NULL;
    o->submit_us = a->submit_us;
    if (a->app) {
        o->log_include = a->app->log_include;
        o->log_exclude = a->app->log_exclude;
        o->attempts_max = rm_app_master_attempts_limit(c, a);
    }
    if (!q->has_task && !q->step) {
        o->allocation_request_id = q->allocation_id;
        return;
    }
    o->job = a->job;
    o->step = q->step;
    if (q->has_task)
        o->task = (struct base_task_id){a->id, q->slot, q->task};
    o->task_attempt = q->task_attempt;
}

struct rm_order *rm_orders_expand(struct rm_core *c, const struct rm_orders *q)
{
    struct rm_order *v = rm_step_arena_alloc(&c->scratch, q->len * sizeof *v);

    for (size_t i = 0; i < q->len; i++) {
        v[i] = (struct rm_order){.kind = q->v[i].kind,
                                 .container = q->v[i].container,
                                 .app = q->v[i].container.attempt.app,
                                 .reason = q->v[i].reason,
                                 .grace_ms = q->v[i].grace_ms,
                                 .signal = q->v[i].signal};
        if (v[i].kind == BASE_ORDER_LAUNCH)
            expand_launch_order(c, &v[i], &q->v[i]);
    }
    return v;
}

struct rm_queued *rm_node_enqueue_kill(struct rm_core *c, struct rm_node *n,
                                       const struct base_container_id *id, const char *reason)
{
    struct rm_queued *o = rm_node_enqueue_order(c, n, BASE_ORDER_KILL);

    o->container = *id;
    o->reason = reason;
    o->grace_ms = (int32_t)c->conf.kill_grace_ms;
    return o;
}

/* ---- FORGET ----
 *
 * A node may report many ended containers at a time, and again before it gets the orders to forget
 * them. A long queue is therefore not read from its beginning for each of them: an index finds its
 * FORGET orders. Most queues are short and have none. */

#define INDEXED_FROM 64 /* orders in the queue */

struct forget_key {
    const struct rm_orders *q;
    const struct base_container_id *id;
};

static bool is_forget_of(const void *object, const void *key)
{
    const struct forget_key *k = key;

    return base_container_id_cmp(&k->q->v[(uintptr_t)object - 1].container, k->id) == 0;
}

static void extend_index(struct rm_orders *q)
{
    for (; q->indexed < q->len; q->indexed++)
        if (q->v[q->indexed].kind == BASE_ORDER_FORGET)
            base_map_add(&q->forgets, rm_container_id_hash(&q->v[q->indexed].container),
                         (void *)(uintptr_t)(q->indexed + 1));
}

static bool has_queued_forget(struct rm_node *n, const struct base_container_id *id)
{
    const struct forget_key key = {&n->queue, id};

    if (n->queue.len < INDEXED_FROM)
        return rm_node_has_queued_order(n, BASE_ORDER_FORGET, id);
    extend_index(&n->queue);
    return base_map_find(&n->queue.forgets, rm_container_id_hash(id), is_forget_of, &key);
}

void rm_node_enqueue_forget(struct rm_core *c, struct rm_node *n,
                            const struct base_container_id *id)
{
    struct rm_queued *o;

    if (has_queued_forget(n, id))
        return;
    o = rm_node_enqueue_order(c, n, BASE_ORDER_FORGET);
    o->container = *id;
}

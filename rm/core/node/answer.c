/* Answers to heartbeats. A heartbeat is held until an urgent order is queued or its hold time has
 * passed. Sent orders are kept, since the answer may be lost and the heartbeat repeated. */
#include "rm/core/node/answer.h"

#include "rm/core/admin/master_keys.h"
#include "rm/core/emit.h"
#include "rm/core/logs/log_reports.h"
#include "rm/core/node/capacity.h"
#include "rm/core/state.h"

/* Returns the current key, and after it one that waits; a NodeManager of Hadoop keeps the previous
 * key by itself. */
static const struct rm_master_key *list_keys_for_hadoop(struct rm_core *c,
                                                        enum rm_master_key_kind kind, size_t *n)
{
    const struct rm_master_key *keys = rm_master_keys_list_good(c, kind, n);

    *n = rm_master_key_waiting(c, kind) ? 2 : 1;
    return keys;
}

/* Adds the keys of tokens when the node does not know them all. They are sent again until the
 * node's next heartbeat shows that it has received them. A node that is refused gets none. */
static void add_keys_unless_told(struct rm_core *c, struct rm_node *n, bool registered,
                                 struct rm_effect *fx)
{
    __typeof__(fx->u.heartbeat) *h = &fx->u.heartbeat;

    if (!n || !c->conf.hands_out_keys)
        return;
    if (n->is_hadoop) {
        h->nm_keys = list_keys_for_hadoop(c, RM_KEY_HADOOP_NM, &h->nm_keys_n);
        h->container_keys = list_keys_for_hadoop(c, RM_KEY_HADOOP_CONTAINER, &h->container_keys_n);
        return;
    }
    if (!registered && n->keys_told == rm_master_keys_changes(c))
        return;
    n->keys_sent = rm_master_keys_changes(c);
    h->nm_keys = rm_master_keys_list_good(c, RM_KEY_NM, &h->nm_keys_n);
    h->container_keys = rm_master_keys_list_good(c, RM_KEY_CONTAINER, &h->container_keys_n);
}

void rm_node_emit_answer(struct rm_core *c, struct rm_node *n, uint64_t token, int64_t response_id,
                         bool registered, const struct rm_orders *orders, uint64_t after)
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
    add_keys_unless_told(c, n, registered, fx);
    fx->u.heartbeat.resource_given = n && n->resource_given;
    if (fx->u.heartbeat.resource_given) {
        fx->u.heartbeat.given_memory_mb = n->given.v[RM_RES_MEMORY_MB];
        fx->u.heartbeat.given_vcores = n->given.v[RM_RES_VCORES];
    }
    fx->u.heartbeat.orders = orders && orders->len ? rm_orders_expand(c, orders) : NULL;
    fx->u.heartbeat.orders_n = orders ? orders->len : 0;
}

void rm_node_clear_parked_heartbeat(struct rm_core *c, struct rm_node *n)
{
    n->parked = 0;
    rm_timer_cancel(&c->timers, &n->hold);
    rm_node_update_free_lists(c, n);
}

void rm_node_move_queued_orders_to_sent(struct rm_node *n)
{
    struct rm_orders old = n->sent;

    rm_orders_clear(&old);
    n->sent = n->queue;
    n->queue = old;
    n->urgent = false;
    rm_logs_note_orders_sent(n);
}

void rm_node_answer_parked_heartbeat(struct rm_core *c, struct rm_node *n)
{
    uint64_t token = n->parked;

    if (!token)
        return;
    rm_node_clear_parked_heartbeat(c, n);
    rm_node_move_queued_orders_to_sent(n);
    rm_node_emit_answer(c, n, token, ++n->response_id, false, &n->sent, 0);
    /* On a NodeManager of Hadoop the shell carries out launches: a repeated heartbeat must not
     * repeat them. */
    if (n->is_hadoop)
        rm_orders_remove_launches(&n->sent);
}

void rm_reply_resync(struct rm_core *c, uint64_t token)
{
    rm_reply(c, token, RM_REPLY_RESYNC, 0);
}

void rm_nodes_answer_due_heartbeats(struct rm_core *c)
{
    for (size_t i = 0; i < c->dirty_n; i++) {
        struct rm_node *n = c->dirty[i];

        n->dirty = false;
        if (n->parked && (n->urgent || !n->hold.place))
            rm_node_answer_parked_heartbeat(c, n);
    }
    c->dirty_n = 0;
}

void rm_node_end_heartbeat_hold(struct rm_core *c, struct rm_node *n)
{
    /* with no hold timer set any more, rm_nodes_answer_due_heartbeats() answers this node */
    rm_node_add_to_answer_list(c, n);
}

/* Heartbeats: each one delivers reports of containers, causes the node's free slots to be offered
 * to jobs, and is held until it can be answered (rm/core/node/answer.c). */
#include "rm/core/node/heartbeat.h"

#include <string.h>

#include "rm/core/admin/decommission.h"
#include "rm/core/emit.h"
#include "rm/core/logs/log_reports.h"
#include "rm/core/node/answer.h"
#include "rm/core/node/capacity.h"
#include "rm/core/node/loss.h"
#include "rm/core/node/report.h"
#include "rm/core/schedule/offer.h"
#include "rm/core/state.h"

static void update_health_and_state(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    n->healthy = ev->u.heartbeat.healthy;
    if (ev->u.heartbeat.has_utilization)
        n->utilization = ev->u.heartbeat.utilization;
    if (ev->u.heartbeat.health_report && (*ev->u.heartbeat.health_report || *n->health_report))
        rm_node_set_text(&n->health_report, ev->u.heartbeat.health_report);
    if (n->healthy && n->state == RM_NODE_UNHEALTHY)
        rm_node_set_state(c, n, RM_NODE_RUNNING);
    else if (!n->healthy && n->state == RM_NODE_RUNNING)
        rm_node_set_state(c, n, RM_NODE_UNHEALTHY);
    if (n->state == RM_NODE_UNHEALTHY)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            rm_node_kill_suspended(c, n, k, "suspended on a node that became unhealthy");
}

static struct rm_node *find_heartbeat_sender(const struct rm_core *c, const struct rm_event *ev)
{
    uint32_t hint = ev->u.heartbeat.node_hint;

    if (hint && hint <= c->nodes_n && c->nodes[hint - 1] && ev->u.heartbeat.node_id &&
        strcmp(c->nodes[hint - 1]->id, ev->u.heartbeat.node_id) == 0)
        return c->nodes[hint - 1];
    return rm_node_find(c, ev->u.heartbeat.node_id);
}

/* The nodes of a simulated cluster do not fit into the processor's cache, and most heartbeats carry
 * nothing, so they cost little more than the cache misses on the node. The simulator therefore
 * prefetches the next nodes. */
void rm_core_prefetch_node(const struct rm_core *c, uint32_t node_hint, int step)
{
    const struct rm_node *n = node_hint && node_hint <= c->nodes_n ? c->nodes[node_hint - 1] : NULL;

    if (!n)
        return;
    if (step == 0) {
        base_prefetch(n, sizeof *n);
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
        base_prefetch(n->containers, sizeof *n->containers);
}

/* Returns true when the registered NodeManager sent the heartbeat, and not before its last accepted
 * request, as far as the time of sending is known. Response ids do not suffice, since they restart
 * with each registration. */
static bool is_from_registered_instance(const struct rm_node *n, const struct rm_event *ev)
{
    int64_t sent_us = ev->u.heartbeat.sent_us;

    return n && n->registered && ev->u.heartbeat.instance &&
           strcmp(n->instance, ev->u.heartbeat.instance) == 0 &&
           (!sent_us || sent_us >= n->sent_us);
}

/* Another NodeManager, perhaps one that was thought to be gone, speaks in the node's name. */
static void note_foreign_heartbeat(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    if (n && n->registered && ev->u.heartbeat.instance &&
        strcmp(n->instance, ev->u.heartbeat.instance) != 0 && rm_node_may_note_strange(c, n))
        rm_emit_note(c, 4, "node %s: a heartbeat of another NodeManager than the registered one",
                     n->id);
}

void rm_node_on_heartbeat(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = find_heartbeat_sender(c, ev);

    c->stats.heartbeats++;
    if (!is_from_registered_instance(n, ev)) {
        note_foreign_heartbeat(c, n, ev);
        if (!rm_node_repeat_shutdown_answer(c, n, ev))
            rm_reply_resync(c, ev->token);
        return;
    }
    n->last_us = c->now_us;
    if (ev->u.heartbeat.sent_us)
        n->sent_us = ev->u.heartbeat.sent_us;
    /* a repeated heartbeat: the answer may have been lost, and is sent again */
    if (ev->u.heartbeat.response_id == n->response_id - 1) {
        rm_node_emit_answer(c, n, ev->token, n->response_id, false, &n->sent, 0);
        return;
    }
    if (ev->u.heartbeat.response_id != n->response_id) {
        rm_reply_resync(c, ev->token);
        return;
    }
    n->keys_told = n->keys_sent; /* the last answer has arrived */
    if (n->parked) { /* the node has given up the earlier request, which gets no orders */
        uint64_t token = n->parked;

        rm_node_clear_parked_heartbeat(c, n);
        rm_node_emit_answer(c, n, token, n->response_id, false, NULL, 0);
    }
    update_health_and_state(c, n, ev);
    rm_node_process_reports(c, n, ev->u.heartbeat.reports, ev->u.heartbeat.reports_n, false);
    rm_logs_take_reports(c, n, ev->u.heartbeat.logs, ev->u.heartbeat.logs_n,
                         ev->u.heartbeat.logs_more);
    n->parked = ev->token;
    n->offering = true;
    if (n->masters.slots) /* they are offered at the end of the step */
        rm_node_update_free_lists(c, n);
    rm_offer_node_slots(c, n);
    n->offering = false;
    if (ev->u.heartbeat.hold_us > 0 && !n->urgent)
        rm_timer_set(&c->timers, &n->hold, c->now_us + ev->u.heartbeat.hold_us);
    if (ev->u.heartbeat.hold_us > 0 && !n->urgent)
        rm_node_update_free_lists(c, n);
    rm_node_add_to_answer_list(c, n);
}

void rm_node_on_wake_parked_heartbeat(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = rm_node_find(c, ev->u.node.node_id);

    if (!n || !n->registered || !ev->u.node.instance ||
        strcmp(n->instance, ev->u.node.instance) != 0) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "nodeId: %s is not registered",
                       ev->u.node.node_id ? ev->u.node.node_id : "");
        return;
    }
    rm_node_answer_parked_heartbeat(c, n);
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}

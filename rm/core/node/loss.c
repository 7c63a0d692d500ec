/* Nodes that leave: lost, shut down or rebooted. All their containers end, and maps whose output
 * was on them and is still needed run again. */
#include "rm/core/node/loss.h"

#include <string.h>

#include "rm/core/admin/decommission.h"
#include "rm/core/emit.h"
#include "rm/core/job/map_output.h"
#include "rm/core/logs/log_reports.h"
#include "rm/core/master/master.h"
#include "rm/core/node/answer.h"
#include "rm/core/node/capacity.h"
#include "rm/core/node/forget.h"
#include "rm/core/record/confirm.h"
#include "rm/core/record/record.h"
#include "rm/core/record/takeover.h"
#include "rm/core/state.h"

/* A suspended attempt can only resume on its node. When the node offers no slots any more, the
 * attempt is killed, so that its task can run elsewhere. */
void rm_node_kill_suspended(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                            const char *why)
{
    for (struct rm_container *ct = n->suspended[k] ? n->containers : NULL; ct; ct = ct->node_next)
        if (ct->suspended_at_us && ct->slot == (uint8_t)k)
            rm_container_order_kill(c, ct, RM_EXIT_ABORTED, why);
}

static void end_all_containers(struct rm_core *c, struct rm_node *n, const char *why)
{
    while (n->containers)
        rm_container_end(c, n->containers, RM_EXIT_ABORTED, why, NULL);
}

void rm_node_take_down(struct rm_core *c, struct rm_node *n, enum rm_node_state s, const char *why)
{
    if (n->parked) {
        uint64_t token = n->parked;

        rm_node_clear_parked_heartbeat(c, n);
        rm_reply_resync(c, token);
    }
    n->registered = false;
    rm_node_cancel_decommissioning(c, n);
    rm_node_set_state(c, n, s);
    rm_node_update_free_lists(c, n);
    rm_timer_cancel(&c->timers, &n->expiry);
    rm_timer_cancel(&c->timers, &n->overcommit);
    rm_confirm_end_node_refusal(c, n);
    end_all_containers(c, n, why);
    rm_masters_fail_missing_on_node(c, n);
    rm_task_rerun_maps_of_node(c, n, why);
    rm_orders_clear(&n->queue);
    rm_orders_clear(&n->sent);
    rm_logs_note_node_lost(c, n);
    n->urgent = false;
    rm_record_node(c, n);
    rm_emit_note(c, 4, "node %s: %s", n->id, rm_node_state_name(s));
    rm_node_stop_awaiting(c, n);
    rm_node_update_gone_list(c, n);
}

/* The timer is set once per expiry interval, not at each heartbeat, so this function has to check
 * the time of the last heartbeat. */
void rm_node_expire_if_silent(struct rm_core *c, struct rm_node *n)
{
    int64_t due = n->last_us + c->conf.node_expiry_us;

    if (due > c->now_us) {
        n->spared = false;
        rm_timer_set(&c->timers, &n->expiry, due);
        return;
    }
    if (!n->registered && !n->awaited) { /* a refused node */
        rm_confirm_end_node_refusal(c, n);
        rm_node_update_gone_list(c, n);
        return;
    }
    if (rm_node_spare_from_expiry(c, n))
        return;
    rm_node_take_down(c, n, RM_NODE_LOST, "Container released on a *lost* node");
}

void rm_node_on_unregister(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = rm_node_find(c, ev->u.node.node_id);

    if (!n || !n->registered || !ev->u.node.instance ||
        strcmp(n->instance, ev->u.node.instance) != 0) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "nodeId: %s is not registered",
                       ev->u.node.node_id ? ev->u.node.node_id : "");
        return;
    }
    rm_node_take_down(c, n, RM_NODE_SHUTDOWN, "Container released on a node that was shut down");
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}

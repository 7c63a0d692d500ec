/* Registration: the node states its slots and reports every container that it runs or has not been
 * ordered to forget. The order below matters: containers that were lost end first; then reports
 * re-attach the others; only then is the node no longer awaited, which lets held work start. */
#include "rm/core/node/register.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/admin/decommission.h"
#include "rm/core/admin/resource.h"
#include "rm/core/app/app_nodes.h"
#include "rm/core/emit.h"
#include "rm/core/logs/log_reports.h"
#include "rm/core/master/master.h"
#include "rm/core/node/answer.h"
#include "rm/core/node/capacity.h"
#include "rm/core/node/forget.h"
#include "rm/core/node/loss.h"
#include "rm/core/node/report.h"
#include "rm/core/record/confirm.h"
#include "rm/core/record/record.h"
#include "rm/core/record/takeover.h"
#include "rm/core/state.h"

static int compare_container_ids(const void *a, const void *b)
{
    return base_container_id_cmp(*(const struct base_container_id *const *)a,
                                 *(const struct base_container_id *const *)b);
}

/* Ends containers that should run on @n but were not reported. Those whose launch order was not
 * sent yet go on. */
static void end_unreported_containers(struct rm_core *c, struct rm_node *n,
                                      const struct rm_event *ev)
{
    size_t reports_n = ev->u.node_register.reports_n;
    const struct base_container_id **ids =
        base_realloc_array(NULL, reports_n ? reports_n : 1, sizeof *ids);
    struct rm_container *next;

    for (size_t i = 0; i < reports_n; i++)
        ids[i] = &ev->u.node_register.reports[i].id;
    qsort(ids, reports_n, sizeof *ids, compare_container_ids);
    for (struct rm_container *ct = n->containers; ct; ct = next) {
        const struct base_container_id *id = &ct->id;

        next = ct->node_next;
        if (rm_node_has_queued_order(n, BASE_ORDER_LAUNCH, &ct->id) ||
            rm_container_is_unknown_to_node(ct) ||
            bsearch(&id, ids, reports_n, sizeof *ids, compare_container_ids))
            continue;
        rm_container_end(c, ct, RM_EXIT_ABORTED, "Container was lost when its node restarted",
                         NULL);
        next = n->containers; /* ending it may have changed the list: start over */
    }
    free(ids);
}

static void copy_registration_to_node(struct rm_core *c, struct rm_node *n,
                                      const struct rm_event *ev)
{
    /* the NodeManager is another process, which remembers nothing but what it registers */
    if (n->instance && strcmp(n->instance, ev->u.node_register.instance) != 0)
        n->resource_given = false;
    rm_node_set_text(&n->http, ev->u.node_register.http_address);
    rm_node_set_text(&n->version, ev->u.node_register.version);
    rm_node_set_text(&n->boot_id, ev->u.node_register.boot_id);
    rm_node_set_text(&n->instance, ev->u.node_register.instance);
    rm_node_set_text(&n->health_report, "");
    n->is_hadoop = ev->u.node_register.is_hadoop;
    n->hadoop_port = ev->u.node_register.hadoop_port;
    n->sent_us = ev->u.node_register.sent_us;
    rm_node_set_host_and_rack(c, n, ev->u.node_register.host, ev->u.node_register.rack);
    n->registered_slots[BASE_TASK_MAP] =
        ev->u.node_register.map_slots > 0 ? ev->u.node_register.map_slots : 0;
    n->registered_slots[BASE_TASK_REDUCE] =
        ev->u.node_register.reduce_slots > 0 ? ev->u.node_register.reduce_slots : 0;
    n->masters.registered =
        ev->u.node_register.master_slots > 0 ? ev->u.node_register.master_slots : 0;
    rm_node_apply_resource(c, n);
    n->healthy = true;
    n->utilization = (struct base_utilization){0};
}

/* The node names the applications that have folders on its disk. Only in this way can it learn that
 * some of them ended while the node or the RM was away: it is then ordered to clean them up. */
static void order_cleanup_of_ended_apps(struct rm_core *c, struct rm_node *n,
                                        const struct rm_event *ev)
{
    for (size_t i = 0; i < ev->u.node_register.apps_n; i++) {
        struct rm_app *a = rm_app_find(c, ev->u.node_register.apps[i]);

        if (a && rm_app_needs_folders_on_node(a, n)) {
            rm_app_add_used_node(c, a, n);
        } else {
            struct rm_queued *o = rm_node_enqueue_order(c, n, BASE_ORDER_CLEANUP_APP);

            o->container.attempt.app = ev->u.node_register.apps[i];
            o->answers_report = true;
            if (!n->is_hadoop) /* which does not report its logs */
                rm_logs_add_ordered(c, n, &ev->u.node_register.apps[i]);
        }
    }
}

/* Returns true for a request that was not sent after the last one accepted, perhaps by an earlier
 * instance of the RM: the NodeManager has given it up, or has restarted since. Times are only
 * compared within one boot of the machine, and not once the node is lost, so that a machine
 * restored to an earlier state can register again. */
static bool is_outdated_registration(const struct rm_node *n, const struct rm_event *ev)
{
    return (n->registered || n->awaited) && ev->u.node_register.sent_us &&
           ev->u.node_register.sent_us <= n->sent_us && n->boot_id && ev->u.node_register.boot_id &&
           strcmp(n->boot_id, ev->u.node_register.boot_id) == 0;
}

/* Returns true when the node's id belongs to a NodeManager of the other kind, Creel's or Hadoop's:
 * one that is registered, or was with an earlier instance of the RM and may still come back. */
static bool is_of_other_kind(const struct rm_node *n, const struct rm_event *ev)
{
    return (n->registered || (n->awaited && n->instance)) &&
           n->is_hadoop != ev->u.node_register.is_hadoop;
}

void rm_node_on_register(struct rm_core *c, const struct rm_event *ev)
{
    const char *id = ev->u.node_register.node_id;
    struct rm_node *n;
    uint64_t after;

    if (!id || !*id || !ev->u.node_register.instance || !ev->u.node_register.host) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, "nodeId, host and instance must be given");
        return;
    }
    n = rm_node_find(c, id);
    if (n && is_outdated_registration(n, ev)) {
        rm_reply_resync(c, ev->token);
        return;
    }
    if (n && is_of_other_kind(n, ev)) {
        rm_reply_error(c, ev->token, -BASE_EPERM, "nodeId: %s is %s, by a NodeManager of %s", id,
                       n->registered ? "registered" : "still in use",
                       n->is_hadoop ? "Hadoop" : "Creel");
        return;
    }
    if (rm_node_refuse_excluded(c, n, ev) || rm_confirm_refuse_node_if_foreign(c, ev))
        return;
    if (!n)
        n = rm_node_new(c, id);
    if (n->parked) { /* the node has given up the held request, which gets no orders */
        uint64_t token = n->parked;

        rm_node_clear_parked_heartbeat(c, n);
        rm_node_emit_answer(c, n, token, n->response_id, false, NULL, 0);
    }
    if ((n->registered || n->awaited) && n->boot_id && ev->u.node_register.boot_id &&
        strcmp(n->boot_id, ev->u.node_register.boot_id) != 0)
        rm_node_take_down(c, n, RM_NODE_REBOOTED,
                          "Container was lost when its node was started again");
    copy_registration_to_node(c, n, ev);
    n->registered = true;
    rm_node_update_gone_list(c, n);
    n->spared = false;
    n->last_us = c->now_us;
    n->response_id = 0;
    n->keys_told = n->keys_sent = 0;
    if (n->state != RM_NODE_RUNNING) {
        rm_node_set_state(c, n, RM_NODE_RUNNING);
        rm_emit_note(
            c, 6, "node %s: RUNNING with %d map and %d reduce slots%s", n->id, n->slots[0],
            n->slots[1],
            n->masters.slots ? rm_scratch_printf(c, ", and %d for masters", n->masters.slots) : "");
    }
    rm_node_resume_decommissioning(c, n);
    rm_node_recount_capacity(c, n);
    rm_timer_set(&c->timers, &n->expiry, c->now_us + c->conf.node_expiry_us);
    /* Its orders wait for its first heartbeat: without this, each registration before it would add
     * the same ones again. */
    if (n->is_hadoop)
        rm_node_drop_restated_orders(n);
    end_unreported_containers(c, n, ev);
    rm_node_process_reports(c, n, ev->u.node_register.reports, ev->u.node_register.reports_n, true);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (!n->slots[k])
            rm_node_kill_suspended(c, n, k, "suspended on a node that has no such slots any more");
    rm_node_resume_overcommit_timeout(c, n);
    rm_node_stop_awaiting(c, n);
    rm_masters_fail_missing_on_node(c, n);
    rm_logs_take_reports(c, n, ev->u.node_register.logs, ev->u.node_register.logs_n,
                         ev->u.node_register.logs_more);
    order_cleanup_of_ended_apps(c, n, ev);
    after = rm_record_node(c, n);
    if (n->is_hadoop) { /* this answer has no place for orders: they wait for the first heartbeat */
        rm_orders_clear(&n->sent);
        rm_node_emit_answer(c, n, ev->token, 0, true, NULL, after);
        return;
    }
    rm_node_move_queued_orders_to_sent(n);
    rm_node_emit_answer(c, n, ev->token, 0, true, &n->sent, after);
}

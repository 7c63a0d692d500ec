#include "rm/core/admin/decommission.h"

#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/node/answer.h"
#include "rm/core/node/capacity.h"
#include "rm/core/node/forget.h"
#include "rm/core/node/loss.h"
#include "rm/core/record/record.h"

#define DISALLOWED "Disallowed NodeManager: its host is excluded, or not included"
#define RELEASED   "Container released on a *lost* node"
#define DRAINED    "suspended on a node that gets no containers any more"

/* ---------------------------------------------------------------- orders to shut down */
static void answer_with_shutdown(struct rm_core *c, uint64_t token, int64_t response_id,
                                 bool registered)
{
    struct rm_queued order = {.kind = BASE_ORDER_SHUTDOWN,
                              .reason = DISALLOWED,
                              .grace_ms = (int32_t)c->conf.kill_grace_ms};
    const struct rm_orders only = {.v = &order, .len = 1, .cap = 1};

    rm_node_emit_answer(c, NULL, token, response_id, registered, &only, c->seq);
}

static bool node_is_allowed(const struct rm_core *c, const struct rm_node *n)
{
    return rm_hosts_allow(&c->listed, n->id, n->host_name);
}

/* Takes @n out of service for good. A node named in neither the include nor the exclude list
 * becomes SHUTDOWN, as in YARN, which no longer tracks it. */
static void decommission(struct rm_core *c, struct rm_node *n)
{
    bool listed = node_is_allowed(c, n) || rm_hosts_find_excluded(&c->listed, n->id, n->host_name);
    uint64_t token = n->parked;

    if (token)
        rm_node_clear_parked_heartbeat(c, n);
    rm_node_take_down(c, n, listed ? RM_NODE_DECOMMISSIONED : RM_NODE_SHUTDOWN, RELEASED);
    answer_with_shutdown(c, token, ++n->response_id, false);
}

/* ---------------------------------------------------------------- draining, and serving again */
static void stop_offering_node_slots(struct rm_core *c, struct rm_node *n)
{
    if (!n->registered || (n->state != RM_NODE_RUNNING && n->state != RM_NODE_UNHEALTHY))
        return;
    rm_node_set_state(c, n, RM_NODE_DECOMMISSIONING);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_node_kill_suspended(c, n, k, DRAINED);
    rm_emit_note(c, 6, "node %s: DECOMMISSIONING, %s", n->id,
                 n->decommissioning ? "until its applications have ended" : "drained");
}

/* Makes @n RUNNING again, or UNHEALTHY if its last heartbeat said so, unless there is another
 * reason for it to get no containers. */
static void resume_offering_node_slots(struct rm_core *c, struct rm_node *n)
{
    if (n->draining || n->decommissioning || n->state != RM_NODE_DECOMMISSIONING)
        return;
    rm_node_set_state(c, n, RM_NODE_RUNNING);
    if (!n->healthy)
        rm_node_set_state(c, n, RM_NODE_UNHEALTHY);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = c->offer_all[k] || n->healthy;
    rm_emit_note(c, 6, "node %s: %s again", n->id, n->healthy ? "RUNNING" : "UNHEALTHY");
}

void rm_node_resume_decommissioning(struct rm_core *c, struct rm_node *n)
{
    if (n->draining || n->decommissioning)
        stop_offering_node_slots(c, n);
    c->decommission_due = c->decommission_due || n->decommissioning;
}

void rm_node_on_drain(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = rm_node_find(c, ev->u.drain.node_id);

    if (!n || n->unseen) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "nodeId, %s, is not found",
                       ev->u.drain.node_id ? ev->u.drain.node_id : "");
        return;
    }
    if (n->draining != ev->u.drain.drain) {
        n->draining = ev->u.drain.drain;
        if (n->draining)
            stop_offering_node_slots(c, n);
        else
            resume_offering_node_slots(c, n);
        rm_record_node(c, n);
    }
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq); /* an earlier change may not be durable yet */
}

/* ---------------------------------------------------------------- decommissioning gracefully */
void rm_node_cancel_decommissioning(struct rm_core *c, struct rm_node *n)
{
    n->decommissioning = false;
    n->decommission_at_us = 0;
    rm_timer_cancel(&c->timers, &n->decommission);
}

/* @timeout_us: negative for none. A repeated request with the same time-out changes nothing. */
static void begin_decommissioning(struct rm_core *c, struct rm_node *n, int64_t timeout_us)
{
    if (n->decommissioning && n->decommission_timeout_us == timeout_us)
        return;
    rm_node_cancel_decommissioning(c, n);
    n->decommissioning = true;
    n->decommission_timeout_us = timeout_us;
    if (timeout_us >= 0) {
        n->decommission_at_us = c->now_us + timeout_us;
        rm_timer_set(&c->timers, &n->decommission, n->decommission_at_us);
    }
    stop_offering_node_slots(c, n);
    rm_record_node(c, n);
    c->decommission_due = true;
}

void rm_node_complete_decommissioning(struct rm_core *c, struct rm_node *n)
{
    if (n->decommissioning && (n->registered || n->awaited))
        decommission(c, n);
}

void rm_nodes_decommission_idle(struct rm_core *c)
{
    if (!c->decommission_due)
        return;
    c->decommission_due = false;
    for (size_t i = 0; i < c->nodes_n; i++) {
        struct rm_node *n = c->nodes[i];

        if (n && n->decommissioning && n->registered && !n->refs)
            decommission(c, n);
    }
}

/* ---------------------------------------------------------------- registrations and heartbeats */
/* Returns true when the node may register: also one that is being decommissioned gracefully, for
 * example after a failover. */
static bool may_register(const struct rm_core *c, const struct rm_node *n,
                         const struct rm_event *ev)
{
    if (rm_hosts_allow(&c->listed, ev->u.node_register.node_id, ev->u.node_register.host))
        return true;
    return n && n->decommissioning &&
           (!n->boot_id || !ev->u.node_register.boot_id ||
            strcmp(n->boot_id, ev->u.node_register.boot_id) == 0);
}

bool rm_node_refuse_excluded(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    if (may_register(c, n, ev))
        return false;
    if (n && (n->registered || n->awaited))
        decommission(c, n);
    rm_emit_note(c, 5, "node %s may not register: %s", ev->u.node_register.node_id, DISALLOWED);
    answer_with_shutdown(c, ev->token, 0, true);
    return true;
}

bool rm_node_repeat_shutdown_answer(struct rm_core *c, const struct rm_node *n,
                                    const struct rm_event *ev)
{
    if (!n || n->registered || n->awaited ||
        (n->state != RM_NODE_DECOMMISSIONED && n->state != RM_NODE_SHUTDOWN) ||
        node_is_allowed(c, n) || !ev->u.heartbeat.instance ||
        strcmp(n->instance, ev->u.heartbeat.instance) != 0)
        return false;
    answer_with_shutdown(c, ev->token, ev->u.heartbeat.response_id + 1, false);
    return true;
}

/* ---------------------------------------------------------------- hosts never seen */
static bool host_has_node(const struct rm_core *c, const char *host)
{
    for (size_t i = 0; i < c->nodes_n; i++)
        if (c->nodes[i] &&
            (strcmp(c->nodes[i]->host_name, host) == 0 || strcmp(c->nodes[i]->id, host) == 0))
            return true;
    return false;
}

/* Lists every excluded host that has had no node, as YARN does: DECOMMISSIONED, with port -1. Such
 * a node is not stored. */
static void add_unseen_excluded_hosts(struct rm_core *c)
{
    for (size_t i = 0; i < c->listed.exclude.n; i++) {
        const char *host = c->listed.exclude.v[i].name;
        struct rm_node *n;

        if (host_has_node(c, host))
            continue;
        n = rm_node_new(c, strchr(host, ':') ? host : rm_scratch_printf(c, "%s:-1", host));
        n->unseen = true;
        n->state = RM_NODE_DECOMMISSIONED;
        n->last_us = c->now_us;
        rm_node_set_text(&n->version, "unknown");
        rm_node_set_text(&n->health_report, "Healthy");
        rm_node_set_text(&n->instance, "");
        rm_node_set_host_and_rack(
            c, n,
            strchr(host, ':') ? rm_scratch_printf(c, "%.*s", (int)strcspn(host, ":"), host) : host,
            NULL);
    }
}

static void apply_host_lists_to_node(struct rm_core *c, struct rm_node *n,
                                     const struct rm_event *ev)
{
    const struct rm_listed_host *entry = rm_hosts_find_excluded(&c->listed, n->id, n->host_name);

    if (node_is_allowed(c, n)) {
        if (!n->decommissioning)
            return;
        rm_node_cancel_decommissioning(c, n);
        resume_offering_node_slots(c, n);
        rm_record_node(c, n);
    } else if (n->registered || n->awaited) {
        if (ev->u.refresh.graceful)
            begin_decommissioning(c, n,
                                  entry && entry->timeout_us >= 0 ? entry->timeout_us
                                                                  : ev->u.refresh.timeout_us);
        else
            decommission(c, n);
    }
}

void rm_nodes_on_refresh(struct rm_core *c, const struct rm_event *ev)
{
    rm_hosts_set(&c->listed, ev->u.refresh.lists);
    for (size_t i = 0; i < c->nodes_n; i++) {
        struct rm_node *n = c->nodes[i];

        if (n && !n->unseen)
            apply_host_lists_to_node(c, n, ev);
        else if (n && !rm_hosts_find_excluded(&c->listed, n->id, n->host_name))
            rm_node_forget(c, n);
    }
    add_unseen_excluded_hosts(c);
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}

/* A node that was being decommissioned gracefully returns to service when the lists now allow
 * it. */
void rm_nodes_restore_decommissioning(struct rm_core *c)
{
    for (size_t i = 0; i < c->nodes_n; i++) {
        struct rm_node *n = c->nodes[i];

        if (n && n->decommissioning && node_is_allowed(c, n))
            rm_node_cancel_decommissioning(c, n);
        if (n && n->decommissioning && n->decommission_at_us)
            rm_timer_set(&c->timers, &n->decommission, n->decommission_at_us);
    }
    add_unseen_excluded_hosts(c);
}

/* Forgets nodes some time after they have gone. Otherwise a client that registers many names would
 * fill the memory for good.
 *
 * Tasks and sets of nodes refer to a node by its index in c->nodes, containers by its address.
 * rm_node.refs counts the references that matter: live applications that had containers on the node
 * (rm_app.nodes), and containers in memory. A node that is neither registered, awaited nor refused
 * and has no references is in the list of gone nodes, the longest gone first; it leaves the list
 * when one of these changes. So the head of the list is always the next node to be forgotten, and
 * no search is needed.
 *
 * The index of a forgotten node is given to the next new node. Tasks of ended applications may
 * still hold the index; rm_task_latest_node() distinguishes the two nodes by their order of
 * creation. Names of hosts and racks have reference counts of their own (rm_names_ref()): a node
 * references its names, a host its rack, and the index of a live job its hosts
 * (rm/core/job/pick.c). */
#include "rm/core/node/forget.h"

#include "rm/core/emit.h"
#include "rm/core/node/places.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

#define FORGET_STEP    RM_PRUNE_STEP /* nodes forgotten per call */
#define FORGET_NEXT_US INT64_C(1000) /* delay until the next call */

static bool too_many_nodes_are_gone(const struct rm_core *c)
{
    return c->conf.gone_nodes_max > 0 && c->gone_n > (size_t)c->conf.gone_nodes_max;
}

static void set_forget_timer(struct rm_core *c, int64_t earliest_us)
{
    int64_t at = RM_TIME_MAX;

    if (!c->gone)
        return;
    if (too_many_nodes_are_gone(c))
        at = earliest_us;
    else if (c->conf.gone_nodes_us > 0)
        at = c->gone->gone_us + c->conf.gone_nodes_us;
    if (at < earliest_us)
        at = earliest_us;
    if (at < RM_TIME_MAX && (!c->gone_timer.place || c->gone_timer.at_us > at))
        rm_timer_set(&c->timers, &c->gone_timer, at);
}

static void gone_list_remove(struct rm_core *c, struct rm_node *n)
{
    if (n->gone_prev)
        n->gone_prev->gone_next = n->gone_next;
    else
        c->gone = n->gone_next;
    if (n->gone_next)
        n->gone_next->gone_prev = n->gone_prev;
    else
        c->gone_last = n->gone_prev;
    n->gone_prev = n->gone_next = NULL;
    n->gone_us = 0;
    n->gone = false;
    c->gone_n--;
}

static void gone_list_append(struct rm_core *c, struct rm_node *n)
{
    n->gone_prev = c->gone_last;
    if (c->gone_last)
        c->gone_last->gone_next = n;
    else
        c->gone = n;
    c->gone_last = n;
    n->gone_us = c->now_us;
    n->gone = true;
    c->gone_n++;
    set_forget_timer(c, c->now_us);
}

void rm_node_update_gone_list(struct rm_core *c, struct rm_node *n)
{
    bool gone = !n->registered && !n->awaited && !n->refused && !n->refs && !n->unseen;

    if (c->loading || gone == n->gone)
        return;
    if (gone)
        gone_list_append(c, n);
    else
        gone_list_remove(c, n);
}

void rm_node_ref(struct rm_core *c, struct rm_node *n)
{
    n->refs++;
    rm_node_update_gone_list(c, n);
}

void rm_node_unref(struct rm_core *c, struct rm_node *n)
{
    base_assert(n->refs > 0);
    n->refs--;
    c->decommission_due = c->decommission_due || (n->decommissioning && !n->refs);
    rm_node_update_gone_list(c, n);
}

void rm_node_forget(struct rm_core *c, struct rm_node *n)
{
    rm_emit_note(c, 6, "node %s: %s, forgotten", n->id, rm_node_state_name(n->state));
    if (n->gone)
        gone_list_remove(c, n);
    rm_timer_cancel(&c->timers, &n->hold);
    rm_timer_cancel(&c->timers, &n->expiry);
    rm_timer_cancel(&c->timers, &n->decommission);
    rm_timer_cancel(&c->timers, &n->overcommit);
    for (size_t i = 0; n->dirty && i < c->dirty_n; i++)
        if (c->dirty[i] == n) {
            c->dirty[i] = c->dirty[--c->dirty_n];
            n->dirty = false;
        }
    if (!n->unseen)
        rm_record_delete_node(c, n);
    if (c->ops->on_node_forgotten)
        c->ops->on_node_forgotten(c->policy, n->index);
    rm_rack_unref(c, n->rack);
    rm_host_unref(c, n->host);
    rm_node_delete(c, n);
}

void rm_nodes_forget_gone(struct rm_core *c)
{
    for (int i = 0; i < FORGET_STEP && c->gone; i++) {
        bool old =
            c->conf.gone_nodes_us > 0 && c->now_us - c->gone->gone_us >= c->conf.gone_nodes_us;

        if (!old && !too_many_nodes_are_gone(c))
            break;
        /* Not even an effect of this step refers to the node, since timers run before the event. */
        rm_node_forget(c, c->gone);
    }
    set_forget_timer(c, c->now_us + FORGET_NEXT_US);
}

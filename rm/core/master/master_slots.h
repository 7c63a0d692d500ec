/* rm/core/master/master_slots.h - slots of nodes for masters alone.
 *
 * Masters run for as long as their applications, and wait most of that time. On map slots they keep
 * tasks out. A node may therefore register master slots, beside its map and reduce slots: places
 * that only masters of plain applications get. They have the size of map slots; a master takes as
 * many as its resource asks for (rm/core/node/width.h). Policies do not count them: they belong to
 * no capacity, share, demand or limit of running slots.
 *
 * The rule:
 *
 *  1. A node offers its master slots while it is RUNNING and registered, and after a takeover until
 *     it has registered again or is given up. A master waits for master slots, and takes no map
 *     slot, while any node whose label admits it offers as many as it takes. Otherwise it takes map
 *     slots, as if there were no master slots at all, and waits for these beside those that wait
 *     for master slots, not behind them. What each waiting master waits for is decided anew when a
 *     node begins or ceases to offer master slots; a master that has its slots keeps them.
 *  2. Masters that wait for master slots of nodes of one label get them by priority, and then in
 *     the order in which their attempts began (rm/core/master/waiting.h), each on the node with the
 *     most free ones, of those whose heartbeat is held. All master slots may be taken; the limit of
 *     half of the map slots is one for masters in map slots.
 *  3. A master whose application the policy holds back (policy_ops.may_start) is out of that order
 *     until the policy lets the application start, and then has its old place again.
 *  4. A master that takes several slots is passed over while no node has so many free. Of those
 *     nodes that could have, the one with the most free is then held for the first such master of
 *     its label: none behind it gets slots there. So it waits until enough masters on one node have
 *     ended. When RM_MASTERS_PASSED_MAX have been passed over, those behind them wait, too.
 *  5. Everything else is as for map slots: a node that is drained, decommissioned or unhealthy
 *     gives none out, and what runs there goes on. If an operator gives the node other resources
 *     (rm/core/admin/resource.h), the slots of all three kinds become more or fewer in proportion,
 *     and masters in excess are killed when the overcommit time is over.
 *
 *        waits for map slots <---- no node, or one, offers ----> waits for master slots ---> has
 *                 |                enough master slots               |          ^       room  some
 *                 v                                                  v          |
 *        active: is offered map slots                      held back by the policy
 *
 * Memory and vcores of master slots are part of the node's and the cluster's total for display, not
 * of policy_capacity. The record of an attempt says whether its master is in master slots, so that
 * they are found again after a takeover, whatever the node registers by then.
 *
 * Cost: a node without master slots is in none of the lists below. A step in which no node has got
 * free master slots, no such node has come or gone, and no master has begun to wait gives no turns.
 * When an application leaves the policy, those that are held back are asked for in turn. */
#ifndef CREEL_RM_CORE_MASTER_MASTER_SLOTS_H
#define CREEL_RM_CORE_MASTER_MASTER_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "rm/core/master/waiting.h"

struct rm_app;
struct rm_core;
struct rm_node;

#define RM_MASTERS_PASSED_MAX 100

/* Of the cluster. */
struct rm_master_slots {
    int64_t slots, used; /* of RUNNING nodes */
    int32_t most;        /* on a node that offers them and admits masters without a label */
    bool changed;        /* the numbers @most, also of labels, must be computed */
    bool due;            /* masters that wait for master slots may have become able to get some */
    bool ask_policy;     /* the policy may let applications start that it held back */
    struct rm_waiting waiting; /* for master slots of nodes without a label */
    size_t waiting_n;          /* for master slots of all nodes */
    /* Masters that the policy holds back, in no order; the applications are borrowed. */
    struct rm_app **held_back;
    size_t held_back_n, held_back_cap;
};
/* Of a node. */
struct rm_node_masters {
    int32_t slots, used; /* used: held by masters, also while these are being killed */
    int32_t freeing;     /* used slots whose masters are being killed */
    int32_t registered;  /* @slots differ when an operator has given the node other resources */
    int32_t offered;     /* to masters that wait, as included in rm_master_slots.most */
    uint32_t label;      /* of the node, when @offered was counted */
    int32_t counted, counted_used; /* in rm_master_slots.slots and used */
};

/* Updates what the cluster knows of the master slots of @n. Call when its state, registration,
 * label or slots have changed. */
void rm_master_slots_recount_node(struct rm_core *c, struct rm_node *n);
/* A master on @n holds @by more (negative: fewer) master slots, and @freeing more of them belong to
 * masters that are being killed. Called by the ledger. */
void rm_master_slots_change_used(struct rm_core *c, struct rm_node *n, int32_t by, int32_t freeing);
/* Returns whether masters may have become able to get master slots, or have to wait for other slots
 * than before. */
static inline bool rm_master_slots_need_turns(const struct rm_master_slots *m)
{
    return m->changed || (m->due && m->waiting_n) || (m->ask_policy && m->held_back_n);
}
/* Computes how many master slots nodes offer at most, if nodes have changed. */
void rm_master_slots_update_most(struct rm_core *c);
/* Returns whether the master of @a, which has none yet, waits for master slots and not for map
 * slots. */
bool rm_master_slots_are_for_app(const struct rm_core *c, const struct rm_app *a);
/* Returns the node with the most free master slots of those that could launch a master at once,
 * admit requests with @label (0: none) and have at least @slots, free or not; NULL: no such node
 * has a free one. @but: a node that is left out; NULL: none. */
struct rm_node *rm_master_slots_find_node(const struct rm_core *c, uint32_t label, int32_t slots,
                                          const struct rm_node *but);

#endif

#include "rm/core/admin/resource.h"

#include <string.h>

#include "base/limits.h"
#include "rm/core/emit.h"
#include "rm/core/node/capacity.h"
#include "rm/core/node/loss.h"
#include "rm/core/record/record.h"

#define NO_ROOM "Container preempted by scheduler"

static bool slot_fits(const struct rm_res *left, const struct rm_res *slot)
{
    return left->v[RM_RES_MEMORY_MB] >= slot->v[RM_RES_MEMORY_MB] &&
           left->v[RM_RES_VCORES] >= slot->v[RM_RES_VCORES];
}

/* The kinds of slots here: those of tasks, and those for masters alone. */
enum { MASTERS = BASE_TASK_KINDS, KINDS };

/* Returns memory and vcores of a slot of kind @k. */
static const struct rm_res *resource_of_slot(const struct rm_core *c, int k)
{
    return &c->conf.slot_res[k == MASTERS ? BASE_TASK_MAP : k];
}

/* Sets @slots to the slots that fit into n->given. */
static void fit_slots(const struct rm_core *c, const struct rm_node *n, int32_t slots[KINDS])
{
    struct rm_res left = n->given;
    int32_t wanted[KINDS];
    int next;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        wanted[k] = n->registered_slots[k];
    wanted[MASTERS] = n->masters.registered;
    if (!wanted[BASE_TASK_MAP] && !wanted[BASE_TASK_REDUCE] && !wanted[MASTERS])
        wanted[BASE_TASK_MAP] = 1;
    memset(slots, 0, KINDS * sizeof *slots);
    do {
        next = -1;
        for (int k = 0; k < KINDS; k++)
            if (wanted[k] && slots[k] < BASE_NODE_SLOTS_MAX &&
                slot_fits(&left, resource_of_slot(c, k)) &&
                (next < 0 ||
                 (int64_t)(slots[k] + 1) * wanted[next] < (int64_t)(slots[next] + 1) * wanted[k]))
                next = k;
        if (next >= 0) {
            slots[next]++;
            left.v[RM_RES_MEMORY_MB] -= resource_of_slot(c, next)->v[RM_RES_MEMORY_MB];
            left.v[RM_RES_VCORES] -= resource_of_slot(c, next)->v[RM_RES_VCORES];
        }
    } while (next >= 0);
}

void rm_node_apply_resource(struct rm_core *c, struct rm_node *n)
{
    int32_t slots[KINDS];

    if (!n->resource_given) {
        rm_node_set_slots(c, n, n->registered_slots[BASE_TASK_MAP],
                          n->registered_slots[BASE_TASK_REDUCE], n->masters.registered);
        return;
    }
    fit_slots(c, n, slots);
    rm_node_set_slots(c, n, slots[BASE_TASK_MAP], slots[BASE_TASK_REDUCE], slots[MASTERS]);
    n->total.v[RM_RES_MEMORY_MB] = n->given.v[RM_RES_MEMORY_MB];
    n->total.v[RM_RES_VCORES] = n->given.v[RM_RES_VCORES];
}

/* Returns how many slots of kind @k containers hold that are not being killed. */
static int32_t kept_slots(const struct rm_node *n, int k)
{
    return k == MASTERS ? n->masters.used - n->masters.freeing : n->used[k] - n->freeing[k];
}

/* Returns the container to be killed first of those that hold a slot of kind @k: the newest one
 * that is not a master, otherwise the newest master; NULL: all are being killed. */
static struct rm_container *find_excess_container(const struct rm_node *n, int k)
{
    struct rm_container *found = NULL;

    for (struct rm_container *ct = n->containers; ct; ct = ct->node_next) {
        if ((ct->on_master_slots ? MASTERS : ct->slot) != k || ct->killing || ct->suspended_at_us)
            continue;
        if (!found || (found->master && !ct->master) ||
            (found->master == ct->master && ct->start_us > found->start_us))
            found = ct;
    }
    return found;
}

void rm_node_kill_excess(struct rm_core *c, struct rm_node *n)
{
    for (int k = 0; k < KINDS; k++) {
        int32_t slots = k == MASTERS ? n->masters.slots : n->slots[k];
        struct rm_container *ct;

        while (kept_slots(n, k) > slots && (ct = find_excess_container(n, k)))
            rm_container_kill_or_end(c, ct, RM_EXIT_PREEMPTED, NO_ROOM);
        if (!slots && k != MASTERS)
            rm_node_kill_suspended(c, n, (enum base_task_kind)k,
                                   "suspended on a node that has no such slots any more");
    }
}

void rm_node_resume_overcommit_timeout(struct rm_core *c, struct rm_node *n)
{
    if (!n->resource_given || !n->overcommit_at_us)
        return;
    if (n->overcommit_at_us <= c->now_us)
        rm_node_kill_excess(c, n);
    else
        rm_timer_set(&c->timers, &n->overcommit, n->overcommit_at_us);
}

static void set_resource(struct rm_core *c, struct rm_node *n, const struct rm_event *ev)
{
    n->resource_given = true;
    n->given.v[RM_RES_MEMORY_MB] = ev->u.node_resource.memory_mb;
    n->given.v[RM_RES_VCORES] = ev->u.node_resource.vcores;
    rm_node_apply_resource(c, n);
    rm_node_update_free_lists(c, n);
    rm_node_recount_capacity(c, n);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = true; /* there may be more slots now */
    rm_timer_cancel(&c->timers, &n->overcommit);
    n->overcommit_at_us = ev->u.node_resource.overcommit_us < 0
                              ? 0
                              : base_sat_add(c->now_us, ev->u.node_resource.overcommit_us);
    rm_node_resume_overcommit_timeout(c, n);
    rm_record_node(c, n);
    rm_emit_note(
        c, 6, "node %s: set to %lld MiB and %lld vcores, %d map and %d reduce slots%s", n->id,
        (long long)n->given.v[RM_RES_MEMORY_MB], (long long)n->given.v[RM_RES_VCORES],
        n->slots[BASE_TASK_MAP], n->slots[BASE_TASK_REDUCE],
        n->masters.slots ? rm_scratch_printf(c, ", and %d for masters", n->masters.slots) : "");
}

void rm_node_on_resource(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = rm_node_find(c, ev->u.node_resource.node_id);

    if (!n || n->unseen || (!n->registered && !n->awaited)) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "nodeId, %s, is not found",
                       ev->u.node_resource.node_id ? ev->u.node_resource.node_id : "");
        return;
    }
    set_resource(c, n, ev);
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}

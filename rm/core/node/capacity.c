/* Slots of nodes. Nodes with a held heartbeat, which could be ordered to launch at once, are kept
 * in lists by their number of free slots, so that an offer finds the emptiest node without a
 * search. The cluster's capacity is updated with each node. */
#include "rm/core/node/capacity.h"

#include <string.h>

#include "rm/core/job/step/places.h"
#include "rm/core/state.h"

static void free_list_remove(struct rm_core *c, struct rm_node *n, int k)
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

static void free_list_append(struct rm_core *c, struct rm_node *n, int k, int b)
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

void rm_node_move_to_free_list_end(struct rm_core *c, struct rm_node *n, int k, int b)
{
    n->free_round[k] = c->round;
    if (!n->free_next[k])
        return;
    n->free_next[k]->free_prev[k] = n->free_prev[k];
    if (n->free_prev[k])
        n->free_prev[k]->free_next[k] = n->free_next[k];
    else
        c->free_first[k][b] = n->free_next[k];
    n->free_prev[k] = c->free_last[k][b];
    n->free_prev[k]->free_next[k] = n;
    n->free_next[k] = NULL;
    c->free_last[k][b] = n;
}

/* Puts @n into the list of nodes with free master slots to which it belongs now, or into none. */
static void update_list_for_masters(struct rm_core *c, struct rm_node *n)
{
    int32_t room = n->masters.slots - n->masters.used;
    int b = -1;

    if (n->parked && n->state == RM_NODE_RUNNING && n->registered && room > 0)
        b = room < RM_FREE_BUCKETS ? room : RM_FREE_BUCKETS - 1;
    if (b == n->free_bucket[RM_FREE_LIST_MASTERS])
        return;
    if (n->free_bucket[RM_FREE_LIST_MASTERS] >= 0)
        free_list_remove(c, n, RM_FREE_LIST_MASTERS);
    if (b < 0)
        return;
    free_list_append(c, n, RM_FREE_LIST_MASTERS, b);
    c->master_slots.due = true;
}

static void update_lists_for_tasks(struct rm_core *c, struct rm_node *n)
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
            free_list_remove(c, n, k);
        if (b >= 0)
            free_list_append(c, n, k, b);
    }
}

void rm_node_update_free_lists(struct rm_core *c, struct rm_node *n)
{
    if (n->masters.slots || n->free_bucket[RM_FREE_LIST_MASTERS] >= 0)
        update_list_for_masters(c, n);
    update_lists_for_tasks(c, n);
}

void rm_node_change_used_slots(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                               int32_t by)
{
    n->used[k] += by;
    base_assert(n->used[k] >= 0);
    if (n->counted)
        c->capacity.used[k] += by;
    if (n->reserved[k])
        rm_node_update_held_slots(c, n, k, by < 0);
    if (!n->parked)
        return;
    if (by < 0)
        c->offer_all[k] = true;
    update_lists_for_tasks(c, n);
}

static void add_to_cluster_capacity(struct rm_core *c, struct rm_node *n, int32_t sign)
{
    bool for_jobs =
        !n->is_hadoop && (!n->counted_label || !c->labels.v[n->counted_label - 1].exclusive);

    c->capacity.nodes += sign;
    c->capacity.memory_mb += sign * n->counted_res.v[RM_RES_MEMORY_MB];
    c->capacity.vcores += sign * n->counted_res.v[RM_RES_VCORES];
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        c->capacity.slots[k] += sign * n->counted_slots[k];
        if (n->counted_label)
            c->labels.v[n->counted_label - 1].slots[k] += sign * n->counted_slots[k];
        c->capacity.used[k] += sign * n->used[k];
        c->capacity.freeing[k] += sign * n->freeing[k];
        c->live_nodes[k] += for_jobs && n->counted_slots[k] > 0 ? sign : 0;
    }
    if (for_jobs && (n->counted_slots[BASE_TASK_MAP] > 0 || n->counted_slots[BASE_TASK_REDUCE] > 0))
        rm_step_places_count_node(c, n, sign);
}

void rm_node_recount_capacity(struct rm_core *c, struct rm_node *n)
{
    if (n->counted)
        add_to_cluster_capacity(c, n, -1);
    n->counted = n->state == RM_NODE_RUNNING && n->registered;
    memcpy(n->counted_slots, n->slots, sizeof n->slots);
    n->counted_res = n->total;
    for (int i = 0; i <= RM_RES_VCORES; i++) /* of map and reduce slots alone */
        n->counted_res.v[i] -= n->masters.slots * c->conf.slot_res[BASE_TASK_MAP].v[i];
    n->counted_label = n->label;
    if (n->counted)
        add_to_cluster_capacity(c, n, 1);
    rm_master_slots_recount_node(c, n);
    rm_node_release_unusable(c, n);
    if (c->ops->on_capacity)
        c->ops->on_capacity(c->policy, c->now_us);
}

void rm_node_set_state(struct rm_core *c, struct rm_node *n, enum rm_node_state s)
{
    if (n->state == s)
        return;
    base_assert(rm_node_transition_is_legal(n->state, s));
    if ((n->state == RM_NODE_RUNNING) != (s == RM_NODE_RUNNING))
        n->changed = ++c->node_changes;
    n->state = s;
    rm_node_update_free_lists(c, n);
    rm_node_recount_capacity(c, n);
}

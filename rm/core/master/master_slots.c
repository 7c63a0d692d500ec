#include "rm/core/master/master_slots.h"

#include "rm/core/node/capacity.h"
#include "rm/core/state.h"

/* Counts the slots of @n, and the used ones, as those of a RUNNING node, or no longer. */
static void count_in_cluster(struct rm_core *c, struct rm_node *n)
{
    struct rm_node_masters *m = &n->masters;

    c->master_slots.slots -= m->counted;
    c->master_slots.used -= m->counted_used;
    m->counted = n->counted ? m->slots : 0;
    m->counted_used = n->counted ? m->used : 0;
    c->master_slots.slots += m->counted;
    c->master_slots.used += m->counted_used;
}

/* Returns the most master slots that a node which admits requests with @label offers. */
static int32_t most_for_label(const struct rm_core *c, uint32_t label)
{
    if (!label)
        return c->master_slots.most;
    return label <= c->labels.n ? c->labels.v[label - 1].most_master_slots : 0;
}

/* Returns whether nodes with the label of @n could offer more than now if it offers @offered, or
 * less if it does not offer as many as it did. */
static bool may_change_most(const struct rm_core *c, const struct rm_node *n, int32_t offered)
{
    int32_t most = most_for_label(c, n->label);

    if (n->label && rm_node_serves_label(n, 0) && c->master_slots.most < most)
        most = c->master_slots.most;
    return n->label != n->masters.label || offered > most || n->masters.offered >= most;
}

void rm_master_slots_recount_node(struct rm_core *c, struct rm_node *n)
{
    int32_t offered = n->counted || n->awaited ? n->masters.slots : 0;

    count_in_cluster(c, n);
    if (offered == n->masters.offered && (!offered || n->label == n->masters.label))
        return;
    c->master_slots.changed = c->master_slots.changed || may_change_most(c, n, offered);
    n->masters.offered = offered;
    n->masters.label = n->label;
}

void rm_master_slots_change_used(struct rm_core *c, struct rm_node *n, int32_t by, int32_t freeing)
{
    n->masters.used += by;
    n->masters.freeing += freeing;
    base_assert(n->masters.used >= 0 && n->masters.freeing >= 0);
    count_in_cluster(c, n);
    rm_node_update_free_lists(c, n);
}

void rm_master_slots_update_most(struct rm_core *c)
{
    if (!c->master_slots.changed)
        return;
    c->master_slots.changed = false;
    c->master_slots.due = true;
    c->master_slots.most = 0;
    for (uint32_t i = 0; i < c->labels.n; i++)
        c->labels.v[i].most_master_slots = 0;
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];
        int32_t offered = n ? n->masters.offered : 0;

        if (!offered)
            continue;
        if (rm_node_serves_label(n, 0) && offered > c->master_slots.most)
            c->master_slots.most = offered;
        if (n->label && offered > c->labels.v[n->label - 1].most_master_slots)
            c->labels.v[n->label - 1].most_master_slots = offered;
    }
}

bool rm_master_slots_are_for_app(const struct rm_core *c, const struct rm_app *a)
{
    return a->master_slots <= most_for_label(c, a->am_label);
}

static int32_t free_master_slots(const struct rm_node *n)
{
    return n->masters.slots - n->masters.used;
}

struct rm_node *rm_master_slots_find_node(const struct rm_core *c, uint32_t label, int32_t slots,
                                          const struct rm_node *but)
{
    struct rm_node *most = NULL;

    /* The nodes in one list have equally many free slots, except in the one that comes first. */
    for (int b = RM_FREE_BUCKETS - 1; b > 0 && !most; b--)
        for (struct rm_node *n = c->free_first[RM_FREE_LIST_MASTERS][b]; n;
             n = n->free_next[RM_FREE_LIST_MASTERS]) {
            if (n == but || n->masters.slots < slots || !rm_node_serves_label(n, label))
                continue;
            if (!most || free_master_slots(n) > free_master_slots(most))
                most = n;
            if (b < RM_FREE_BUCKETS - 1)
                break;
        }
    return most;
}

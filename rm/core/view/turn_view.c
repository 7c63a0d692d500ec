/* Plain copies for readers: the order in which the policy would offer a free slot. */
#include "rm/core/state.h"
#include "rm/core/view/view_internal.h"

/* Returns the first running node with slots of kind @k; NULL: none. */
static const struct rm_node *find_node_with_slots(const struct rm_core *c, enum base_task_kind k)
{
    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];

        if (n && n->state == RM_NODE_RUNNING && n->registered && n->slots[k] > 0)
            return n;
    }
    return NULL;
}

static bool app_is_in_order(const struct rm_views *out, size_t first, const struct rm_app *a)
{
    for (size_t i = first; i < out->turns_n; i++)
        if (base_app_id_cmp(&out->turns[i].app, &a->id) == 0)
            return true;
    return false;
}

static void append_app_to_order(const struct rm_core *c, const struct rm_app *a,
                                enum base_task_kind k, struct rm_views *out)
{
    const struct policy_phase *p = &a->pj.phase[k];
    struct base_buf why = {0};

    if (c->ops->explain)
        c->ops->explain(c->policy, &a->pj, c->now_us, &why);
    out->turns = rm_view_array_reserve_one(out->turns, out->turns_n, sizeof *out->turns);
    out->turns[out->turns_n++] =
        (struct rm_turn_view){.app = a->id,
                              .user = rm_view_copy_text(out, a->user),
                              .name = rm_view_copy_text(out, a->name),
                              .queue = rm_view_copy_text(out, a->queue),
                              .priority = a->priority,
                              .pending = p->pending,
                              .running = p->running,
                              .suspended = p->suspended,
                              .why = rm_view_copy_text(out, why.data ? why.data : "")};
    base_buf_free(&why);
}

/* Asks the policy as an offer does (rm/core/schedule/offer.c), but grants nothing; a full node
 * counts as having one free slot. */
void rm_view_slot_offer_order(const struct rm_core *c, enum base_task_kind kind, size_t max,
                              struct rm_views *out, struct rm_slot_view *slot)
{
    const struct rm_node *n = find_node_with_slots(c, kind);
    struct policy_offer offer = {.kind = kind, .now_us = c->now_us, .capacity = &c->capacity};
    struct policy_job *pj = NULL;
    size_t first = out->turns_n, asked = 0;

    *slot = (struct rm_slot_view){.waiting = c->runnable[kind]};
    if (!n)
        return;
    slot->node = rm_view_copy_text(out, n->id);
    offer.node = n->index;
    offer.node_slots = n->slots[kind];
    offer.node_used = n->used[kind] < n->slots[kind] ? n->used[kind] : n->slots[kind] - 1;
    offer.node_suspended = n->suspended[kind];
    while (out->turns_n - first < max && asked++ < 2 * c->policy_jobs &&
           (pj = c->ops->next(c->policy, &offer, pj))) {
        const struct rm_app *a =
            (const struct rm_app *)(void *)pj; /* the job is its first member */

        if (!app_is_in_order(out, first, a)) /* a policy may name a job twice */
            append_app_to_order(c, a, kind, out);
    }
}

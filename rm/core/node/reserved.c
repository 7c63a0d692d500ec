#include "rm/core/node/reserved.h"

#include "rm/core/app/kind.h"
#include "rm/core/state.h"

static int32_t free_slots(const struct rm_node *n, enum base_task_kind k)
{
    return n->slots[k] - n->used[k];
}

/* Returns the slots of @n that masters hold. */
static int32_t slots_of_masters(const struct rm_node *n, enum base_task_kind k)
{
    int32_t sum = 0;

    for (const struct rm_container *ct = n->containers; ct; ct = ct->node_next)
        sum += ct->master && !ct->on_master_slots && ct->slot == (uint8_t)k ? ct->slots : 0;
    return sum;
}

static bool node_can_serve(const struct rm_node *n, enum base_task_kind k, int32_t slots)
{
    return n->counted && slots <= n->slots[k] && slots <= n->slots[k] - slots_of_masters(n, k);
}

/* ---- seniority ---- */
static void lost_list_append(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    struct rm_lost *l = &c->lost[k];

    if (a->wide[k].lost)
        return;
    a->wide[k].lost = true;
    a->wide[k].lost_prev = l->last;
    a->wide[k].lost_next = NULL;
    if (l->last)
        l->last->wide[k].lost_next = a;
    else
        l->first = a;
    l->last = a;
}

static void lost_list_remove(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    struct rm_wide *w = &a->wide[k];

    if (!w->lost)
        return;
    w->lost = false;
    if (w->lost_prev)
        w->lost_prev->wide[k].lost_next = w->lost_next;
    else
        c->lost[k].first = w->lost_next;
    if (w->lost_next)
        w->lost_next->wide[k].lost_prev = w->lost_prev;
    else
        c->lost[k].last = w->lost_prev;
    w->lost_prev = w->lost_next = NULL;
}

/* Returns the first of the applications that have lost their nodes whose request @n can serve, but
 * not at once, and sets *@slots to its width; NULL: none. */
static struct rm_app *find_first_lost(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                                      int32_t *slots)
{
    struct rm_app *next;

    for (struct rm_app *a = c->lost[k].first; a; a = next) {
        next = a->wide[k].lost_next;
        if (c->now_us < a->wide[k].rest_until_us)
            continue;
        *slots = a->kind->wide_request(c, a, k, n);
        if (*slots > free_slots(n, k) && node_can_serve(n, k, *slots))
            return a;
    }
    return NULL;
}

/* ---- the reservation ---- */
int32_t rm_node_missing_slots(const struct rm_node *n, enum base_task_kind k)
{
    int32_t missing = n->reserved[k]->wide[k].slots - free_slots(n, k) - n->freeing[k];

    return missing > 0 ? missing : 0;
}

void rm_node_update_held_slots(struct rm_core *c, struct rm_node *n, enum base_task_kind k,
                               bool freed)
{
    struct rm_app *a = n->reserved[k];
    int32_t held = a ? free_slots(n, k) + n->freeing[k] : 0;

    held = held > 0 ? held : 0;
    c->capacity.held[k] += held - n->held[k];
    n->held[k] = held;
    if (!a)
        return;
    a->pj.reserved[k] = (struct policy_reserved_node){
        .some = true, .node = n->index, .missing = rm_node_missing_slots(n, k)};
    if (freed)
        a->wide[k].gained_us = c->now_us;
}

static void release_node(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    struct rm_node *n = a->wide[k].node;

    n->reserved[k] = NULL;
    a->wide[k].node = NULL;
    a->pj.reserved[k] = (struct policy_reserved_node){0};
    c->reserved_n[k]--;
    c->stats.released_nodes++;
    rm_node_update_held_slots(c, n, k, false);
    if (n->parked && free_slots(n, k) > 0)
        c->offer_all[k] = true;
}

static void reserve_node(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                         struct rm_node *n, int32_t slots, bool resumes)
{
    if (a->wide[k].node)
        release_node(c, a, k);
    lost_list_remove(c, a, k);
    a->wide[k].node = n;
    a->wide[k].slots = slots;
    a->wide[k].resumes = resumes;
    n->reserved[k] = a;
    c->reserved_n[k]++;
    rm_node_update_held_slots(c, n, k, true);
}

/* Returns true when @a, which has a node, should keep it instead of taking @n. */
static bool present_node_is_better(const struct rm_wide *w, const struct rm_node *n,
                                   enum base_task_kind k, bool resumes)
{
    return w->resumes || (!resumes && free_slots(n, k) <= free_slots(w->node, k));
}

bool rm_node_reserve_if_due(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                            struct rm_node *n, int32_t slots, bool resumes)
{
    struct rm_app *first;
    int32_t first_slots;

    if (n->reserved[k] == a) {
        a->wide[k].slots = slots;
        a->wide[k].resumes = resumes;
        rm_node_update_held_slots(c, n, k, false);
        return true;
    }
    if (n->reserved[k])
        return false;
    first = c->lost[k].first ? find_first_lost(c, n, k, &first_slots) : NULL;
    if (first && first != a) {
        reserve_node(c, first, k, n, first_slots, false);
        return false;
    }
    if (c->now_us < a->wide[k].rest_until_us || !node_can_serve(n, k, slots) ||
        (a->wide[k].node && present_node_is_better(&a->wide[k], n, k, resumes)))
        return false;
    reserve_node(c, a, k, n, slots, resumes);
    return true;
}

void rm_node_reserve_cleared(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                             struct rm_node *n, int32_t slots, bool resumes)
{
    if (n->reserved[k] || !n->counted || slots > n->slots[k] ||
        (a->wide[k].node && a->wide[k].resumes))
        return;
    reserve_node(c, a, k, n, slots, resumes);
}

void rm_node_release_if_served(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                               const struct rm_node *n, int32_t slots)
{
    struct rm_wide *w = &a->wide[k];

    if (w->node && slots >= w->slots && (w->node == n || !w->resumes))
        rm_node_forget_wide_request(c, a, k);
}

void rm_node_release_of_app(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    if (a->wide[k].node)
        release_node(c, a, k);
    lost_list_remove(c, a, k);
}

void rm_node_forget_wide_request(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    rm_node_release_of_app(c, a, k);
    a->wide[k] = (struct rm_wide){0};
}

void rm_node_release_unusable(struct rm_core *c, struct rm_node *n)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct rm_app *a = n->reserved[k];

        if (!a)
            continue;
        if (!n->counted || a->wide[k].slots > n->slots[k]) {
            release_node(c, a, k);
            lost_list_append(c, a, k);
        } else {
            rm_node_update_held_slots(c, n, k, false);
        }
    }
}

void rm_node_release_if_stuck(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    struct rm_app *a = n->reserved[k];
    struct rm_wide *w = &a->wide[k];
    int64_t patience = w->patience_us ? w->patience_us : RM_RESERVED_PATIENCE_US;

    if (c->now_us - w->gained_us < patience)
        return;
    rm_node_release_of_app(c, a, k);
    w->rest_until_us = c->now_us + patience;
    w->patience_us =
        patience < RM_RESERVED_PATIENCE_MAX_US / 2 ? 2 * patience : RM_RESERVED_PATIENCE_MAX_US;
}

/* The ledger. For containers a single function, change_tally(), knows all counts. It adds the
 * difference between the old and the new tally, so that begin, change and end run the same code
 * with different signs: no count can be raised without being lowered again. */
#include "rm/core/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/app/kind.h"
#include "rm/core/job/step/places.h"
#include "rm/core/node/capacity.h"
#include "rm/core/queue/app_limits.h"

static struct rm_queue *queue_of_app(struct rm_core *c, const struct rm_app *a)
{
    return a->queue_index == RM_NONE ? NULL : &c->queues[a->queue_index];
}

static bool holds_slot(enum rm_tally t)
{
    return t == RM_TALLY_HELD || t == RM_TALLY_FREEING;
}

static void count_app(struct rm_queue *q, enum rm_app_state s, bool runs, int32_t by)
{
    q->pending_apps += by * rm_app_state_counts_as_pending(s, runs);
    q->active_apps += by * rm_app_state_counts_as_active(s, runs);
    q->live_apps += by * !rm_app_state_is_final(s);
}

/* @q: the queue of the application; NULL: none */
static void add_to_container_counts(struct rm_queue *q, const struct rm_container *ct, int32_t by)
{
    bool ran = ct->app->containers_n > 0, runs = ct->app->containers_n + by > 0;

    ct->app->containers_n += by;
    ct->node->containers_n += by;
    if (q)
        q->containers += by;
    if (q && ran != runs) {
        count_app(q, ct->app->state, ran, -1);
        count_app(q, ct->app->state, runs, 1);
    }
    if (ct->app->kind->runs_containers && !ct->master)
        ct->app->phase[ct->slot].running += by * ct->slots;
}

/* @q: as above */
static void add_to_resource_counts(struct rm_queue *q, const struct rm_container *ct, int32_t by)
{
    for (int i = 0; i < RM_RES_NAMES; i++) {
        int64_t amount = by * ct->resource.v[i];

        ct->app->allocated.v[i] += amount;
        ct->node->used_res.v[i] += amount;
        if (q)
            q->used.v[i] += amount;
    }
}

/* Counts @ct as @to instead of ct->tally. A change of used slots also moves the node to the list of
 * nodes with its new number of free slots. */
static void change_tally(struct rm_core *c, struct rm_container *ct, enum rm_tally to)
{
    struct rm_queue *q = queue_of_app(c, ct->app);
    struct rm_node *n = ct->node;
    enum rm_tally from = ct->tally;
    int32_t there = (to != RM_TALLY_NONE) - (from != RM_TALLY_NONE);
    int32_t held = holds_slot(to) - holds_slot(from);
    int32_t suspended = (to == RM_TALLY_SUSPENDED) - (from == RM_TALLY_SUSPENDED);
    int32_t freeing = ((to == RM_TALLY_FREEING) - (from == RM_TALLY_FREEING)) * ct->slots;

    ct->tally = (uint8_t)to;
    if (freeing && ct->step)
        rm_step_places_change_blocking(c, ct, freeing);
    if (from == RM_TALLY_HELD && ct->step)
        rm_step_places_release(c, ct);
    if (there)
        add_to_container_counts(q, ct, there);
    if (ct->on_master_slots) { /* which no policy counts */
        if (held)
            add_to_resource_counts(q, ct, held);
        rm_master_slots_change_used(c, n, held * ct->slots, freeing);
        return;
    }
    if (suspended) {
        n->suspended[ct->slot] += suspended;
        c->suspended[ct->slot] += suspended;
    }
    if (freeing) {
        n->freeing[ct->slot] += freeing;
        if (n->counted)
            c->capacity.freeing[ct->slot] += freeing;
        if (n->reserved[ct->slot])
            rm_node_update_held_slots(c, n, ct->slot, false);
    }
    if (held) {
        add_to_resource_counts(q, ct, held);
        rm_node_change_used_slots(c, n, ct->slot, held * ct->slots);
    }
}

void rm_ledger_begin_container(struct rm_core *c, struct rm_container *ct)
{
    base_assert(ct->tally == RM_TALLY_NONE);
    change_tally(c, ct, RM_TALLY_HELD);
    rm_totals_count_container_begin(c, ct);
}

void rm_ledger_change_container(struct rm_core *c, struct rm_container *ct, enum rm_tally to)
{
    base_assert(ct->tally != RM_TALLY_NONE && to != RM_TALLY_NONE);
    change_tally(c, ct, to);
}

void rm_ledger_end_container(struct rm_core *c, struct rm_container *ct)
{
    struct rm_app *a = ct->app;
    struct rm_preempted *p = &a->preempted;
    int64_t lived = c->now_us - ct->start_us;
    int64_t memory_ms = rm_held_ms(ct->resource.v[RM_RES_MEMORY_MB], lived);
    int64_t vcore_ms = rm_held_ms(ct->resource.v[RM_RES_VCORES], lived);

    base_assert(ct->tally != RM_TALLY_NONE);
    change_tally(c, ct, RM_TALLY_NONE);
    rm_totals_count_container_end(c, ct);
    a->memory_ms = base_sat_add(a->memory_ms, memory_ms);
    a->vcore_ms = base_sat_add(a->vcore_ms, vcore_ms);
    if (ct->exit_code != RM_EXIT_PREEMPTED)
        return;
    p->containers[ct->master]++;
    for (int i = 0; i < RM_RES_NAMES; i++)
        p->resource.v[i] += ct->resource.v[i];
    p->memory_ms = base_sat_add(p->memory_ms, memory_ms);
    p->vcore_ms = base_sat_add(p->vcore_ms, vcore_ms);
}

/* ---------------------------------------------------------------- queues, states, demand */
/* Adds all counts of @a to those of @q (@sign 1), or subtracts them (-1). */
static void add_app_to_queue_counts(struct rm_queue *q, const struct rm_app *a, int32_t sign)
{
    count_app(q, a->state, a->containers_n > 0, sign);
    q->containers += sign * a->containers_n;
    for (int i = 0; i < RM_RES_NAMES; i++)
        q->used.v[i] += sign * a->allocated.v[i];
    for (enum base_task_kind k = 0; a->in_policy && k < BASE_TASK_KINDS; k++)
        q->pending[k] += sign * a->pj.phase[k].pending;
    for (enum base_task_kind k = 0; a->in_policy && k < BASE_TASK_KINDS; k++)
        q->pending_containers += sign * a->pj.phase[k].pending_tasks;
}

void rm_ledger_set_queue(struct rm_core *c, struct rm_app *a, uint32_t index)
{
    bool submitted = a->queue_index == RM_NONE;

    if (!submitted)
        add_app_to_queue_counts(&c->queues[a->queue_index], a, -1);
    if (!rm_app_state_is_final(a->state))
        rm_user_apps_add(&c->user_apps, a->user, (index != RM_NONE) - !submitted);
    rm_totals_add_app_to_partitions(c, a, -1);
    a->queue_index = index;
    if (index != RM_NONE)
        add_app_to_queue_counts(&c->queues[index], a, 1);
    rm_totals_add_app_to_partitions(c, a, 1);
    rm_totals_enter_queue(c, a, submitted);
}

void rm_ledger_count_app_state(struct rm_core *c, const struct rm_app *a, enum rm_app_state to)
{
    struct rm_queue *q = queue_of_app(c, a);

    if (!q)
        return;
    count_app(q, a->state, a->containers_n > 0, -1);
    count_app(q, to, a->containers_n > 0, 1);
    if (rm_app_state_is_final(to) && !rm_app_state_is_final(a->state))
        rm_user_apps_add(&c->user_apps, a->user, -1);
}

void rm_ledger_count_demand(struct rm_core *c, const struct rm_app *a, enum base_task_kind k,
                            const struct policy_phase *from, const struct policy_phase *to)
{
    struct rm_queue *q = queue_of_app(c, a);

    c->capacity.outstanding[k] += (to->total - to->done) - (from->total - from->done);
    c->runnable[k] += (to->pending > 0) - (from->pending > 0);
    if (!q)
        return;
    q->pending[k] += to->pending - from->pending;
    q->pending_containers += to->pending_tasks - from->pending_tasks;
}

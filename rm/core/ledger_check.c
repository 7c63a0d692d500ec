/* The ledger's audit: recomputes the counts from the objects and compares. */
#include <stdlib.h>

#include "rm/core/app/kind.h"
#include "rm/core/ledger.h"
#include "rm/core/queue/app_limits.h"

struct sums {
    int64_t containers, running[BASE_TASK_KINDS], used[BASE_TASK_KINDS], suspended[BASE_TASK_KINDS],
        freeing[BASE_TASK_KINDS];
    int32_t master_slots, master_slots_freeing;
    struct rm_res held;
};

static bool resources_equal(const struct rm_res *a, const struct rm_res *b)
{
    for (int i = 0; i < RM_RES_NAMES; i++)
        if (a->v[i] != b->v[i])
            return false;
    return true;
}

static void add_resource(struct rm_res *to, const struct rm_res *r)
{
    for (int i = 0; i < RM_RES_NAMES; i++)
        to->v[i] += r->v[i];
}

/* Returns the tally that @ct should have according to its state. */
static enum rm_tally expected_tally(const struct rm_container *ct)
{
    if (ct->suspended_at_us)
        return RM_TALLY_SUSPENDED;
    return ct->killing ? RM_TALLY_FREEING : RM_TALLY_HELD;
}

static void check_tally_and_add_to_sums(struct sums *s, const struct rm_container *ct)
{
    enum rm_tally t = expected_tally(ct);

    base_assert(ct->tally == t && ct->state != RM_CONTAINER_COMPLETED);
    s->containers++;
    base_assert(ct->slots > 0);
    if (ct->on_master_slots) {
        base_assert(ct->master && ct->slot == BASE_TASK_MAP && t != RM_TALLY_SUSPENDED);
        s->master_slots += ct->slots;
        s->master_slots_freeing += t == RM_TALLY_FREEING ? ct->slots : 0;
        add_resource(&s->held, &ct->resource);
        return;
    }
    s->running[ct->slot] += ct->master ? 0 : ct->slots;
    s->suspended[ct->slot] += t == RM_TALLY_SUSPENDED;
    s->freeing[ct->slot] += t == RM_TALLY_FREEING ? ct->slots : 0;
    if (t == RM_TALLY_SUSPENDED)
        return;
    s->used[ct->slot] += ct->slots;
    add_resource(&s->held, &ct->resource);
}

static void check_task_counts(const struct rm_app *a, enum base_task_kind k)
{
    const struct rm_phase *p = &a->phase[k];
    int32_t n[RM_TASK_STATES] = {0};

    for (int32_t i = 0; i < p->total; i++)
        n[p->tasks[i].state]++;
    base_assert(n[RM_TASK_PENDING] == p->pending && n[RM_TASK_RUNNING] == p->running);
    base_assert(n[RM_TASK_SUSPENDED] == p->suspended && n[RM_TASK_SUCCEEDED] == p->succeeded);
}

static void check_app_and_add_to_queue_sums(const struct rm_core *c, const struct rm_app *a,
                                            struct rm_queue *sums)
{
    struct sums s = {0};
    struct rm_queue *q;

    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        check_tally_and_add_to_sums(&s, ct);
    base_assert(s.containers == a->containers_n && resources_equal(&s.held, &a->allocated));
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        if (a->kind->runs_containers)
            base_assert(s.running[k] == a->phase[k].running);
        else if (a->phase[k].tasks && !rm_app_end_is_decided(a))
            check_task_counts(a, k);
    }
    if (a->queue_index == RM_NONE)
        return;
    base_assert(a->queue_index < c->queues_n);
    q = &sums[a->queue_index];
    q->pending_apps += rm_app_state_counts_as_pending(a->state, s.containers > 0);
    q->active_apps += rm_app_state_counts_as_active(a->state, s.containers > 0);
    q->live_apps += !rm_app_state_is_final(a->state);
    q->containers += s.containers;
    for (int i = 0; i < RM_RES_NAMES; i++)
        q->used.v[i] += s.held.v[i];
    for (enum base_task_kind k = 0; a->in_policy && k < BASE_TASK_KINDS; k++) {
        q->pending[k] += a->pj.phase[k].pending;
        q->pending_containers += a->pj.phase[k].pending_tasks;
    }
}

static void check_counts_of_queues(const struct rm_core *c)
{
    struct rm_queue *q = base_alloc((c->queues_n + 1) * sizeof *q);

    for (size_t i = 0; i < c->apps_n; i++)
        check_app_and_add_to_queue_sums(c, c->apps[i], q);
    for (size_t i = 0; i < c->queues_n; i++) {
        const struct rm_queue *is = &c->queues[i];

        base_assert(q[i].pending_apps == is->pending_apps && q[i].active_apps == is->active_apps);
        base_assert(q[i].live_apps == is->live_apps);
        base_assert(q[i].pending_containers == is->pending_containers);
        base_assert(q[i].containers == is->containers && resources_equal(&q[i].used, &is->used));
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            base_assert(q[i].pending[k] == is->pending[k]);
    }
    free(q);
}

static void check_app_counts_of_users(const struct rm_core *c)
{
    struct base_map sums = {0};

    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->queue_index != RM_NONE && !rm_app_state_is_final(c->apps[i]->state))
            rm_user_apps_add(&sums, c->apps[i]->user, 1);
    base_assert(rm_user_apps_equal(&sums, &c->user_apps));
    rm_user_apps_free(&sums);
}

/* Checks the totals of queues on nodes with labels. */
static void check_counts_of_partitions(const struct rm_core *c)
{
    for (size_t l = 0; l < c->labels.n; l++) {
        const struct rm_label *label = &c->labels.v[l];
        struct rm_partition *sums = base_alloc((c->queues_n + 1) * sizeof *sums);

        for (size_t i = 0; i < c->apps_n; i++)
            for (const struct rm_container *ct = c->apps[i]->containers; ct; ct = ct->app_next)
                if (ct->label == l + 1 && ct->app->queue_index != RM_NONE) {
                    sums[ct->app->queue_index].containers++;
                    for (int r = 0; r < RM_RES_NAMES; r++)
                        sums[ct->app->queue_index].used.v[r] += ct->resource.v[r];
                }
        for (size_t q = 0; q < c->queues_n; q++) {
            const struct rm_partition none = {0},
                                      *is = q < label->of_queue_n ? &label->of_queue[q] : &none;

            base_assert(sums[q].containers == is->containers &&
                        resources_equal(&sums[q].used, &is->used));
        }
        free(sums);
    }
}

static void check_demand_counts(const struct rm_core *c)
{
    int64_t runnable[BASE_TASK_KINDS] = {0}, outstanding[BASE_TASK_KINDS] = {0}, masters = 0;
    size_t known = 0;

    for (size_t i = 0; i < c->apps_n; i++) {
        const struct rm_app *a = c->apps[i];

        masters += a->activated ? a->master_slots : 0;
        known += a->in_policy;
        for (enum base_task_kind k = 0; a->in_policy && k < BASE_TASK_KINDS; k++) {
            runnable[k] += a->pj.phase[k].pending > 0;
            outstanding[k] += a->pj.phase[k].total - a->pj.phase[k].done;
        }
    }
    for (size_t i = 0; i < c->labels.n; i++)
        masters -= c->labels.v[i].masters_active;
    base_assert(masters == c->masters_active && known == c->policy_jobs);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        base_assert(runnable[k] == c->runnable[k] && outstanding[k] == c->capacity.outstanding[k]);
}

/* Checks what @a asks for on nodes with labels, added up over its ask table, and the part of it
 * that the labels count, which is added to @counted (by the label's number, then by kind). */
static void check_label_demand_of_app(const struct rm_core *c, const struct rm_app *a,
                                      int64_t (*counted)[BASE_TASK_KINDS])
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);
    bool waits = a->in_policy && at && a->ending == RM_END_NONE;
    int64_t labelled[BASE_TASK_KINDS] = {0};
    int64_t slots[BASE_TASK_KINDS] = {0};
    size_t n = 0;

    for (size_t i = 0; i < a->asks_n; i++)
        slots[a->asks[i]->slot] += rm_ask_group_wanted(a->asks[i]) * a->asks[i]->slots;
    for (size_t i = 0; i < a->asks_n; i++)
        if (a->asks[i]->label)
            labelled[a->asks[i]->slot] += rm_ask_group_wanted(a->asks[i]);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        base_assert(labelled[k] == a->asked_labelled[k] && slots[k] == a->asked_slots[k]);
    for (size_t i = 0; i < a->label_demand_n; i++) {
        const struct rm_label_demand *d = &a->label_demand[i];
        int64_t wanted[BASE_TASK_KINDS] = {0};

        base_assert(d->label && (!i || d->label > d[-1].label));
        for (size_t g = 0; g < a->asks_n; g++)
            if (a->asks[g]->label == d->label)
                wanted[a->asks[g]->slot] += rm_ask_group_wanted(a->asks[g]);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            bool master = k == BASE_TASK_MAP && waits && at->state == RM_ATTEMPT_SCHEDULED &&
                          a->activated && a->am_label == d->label;
            bool asks = waits && at->state == RM_ATTEMPT_RUNNING;

            base_assert(wanted[k] == d->wanted[k]);
            labelled[k] -= wanted[k];
            if (d->label > c->labels.n)
                continue;
            base_assert(d->counted[k] == (asks ? wanted[k] : 0) + master);
            counted[d->label][k] += d->counted[k];
            n += master;
        }
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        base_assert(labelled[k] == 0);
    base_assert(n == (waits && at->state == RM_ATTEMPT_SCHEDULED && a->activated && a->am_label &&
                      a->am_label <= c->labels.n));
}

static void check_label_demand_counts(const struct rm_core *c)
{
    int64_t(*counted)[BASE_TASK_KINDS] = base_alloc((c->labels.n + 1) * sizeof *counted);

    for (size_t i = 0; i < c->apps_n; i++)
        check_label_demand_of_app(c, c->apps[i], counted);
    for (size_t i = 0; i < c->labels.n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            base_assert(counted[i + 1][k] == c->labels.v[i].wanted[k]);
    free(counted);
}

static void check_node_and_add_to_sums(const struct rm_node *n, struct policy_capacity *all,
                                       int64_t suspended[BASE_TASK_KINDS])
{
    struct sums s = {0};

    for (const struct rm_container *ct = n->containers; ct; ct = ct->node_next)
        check_tally_and_add_to_sums(&s, ct);
    base_assert(s.containers == n->containers_n && resources_equal(&s.held, &n->used_res));
    all->nodes += n->counted;
    all->memory_mb += n->counted ? n->counted_res.v[RM_RES_MEMORY_MB] : 0;
    all->vcores += n->counted ? n->counted_res.v[RM_RES_VCORES] : 0;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        base_assert(s.used[k] == n->used[k] && s.suspended[k] == n->suspended[k] &&
                    s.freeing[k] == n->freeing[k]);
        suspended[k] += s.suspended[k];
        all->slots[k] += n->counted ? n->counted_slots[k] : 0;
        all->used[k] += n->counted ? s.used[k] : 0;
        all->freeing[k] += n->counted ? s.freeing[k] : 0;
    }
}

static void check_counts_of_nodes(const struct rm_core *c)
{
    struct policy_capacity all = {0};
    int64_t suspended[BASE_TASK_KINDS] = {0};

    for (size_t i = 0; i < c->nodes_n; i++)
        if (c->nodes[i])
            check_node_and_add_to_sums(c->nodes[i], &all, suspended);
    base_assert(all.nodes == c->capacity.nodes && all.memory_mb == c->capacity.memory_mb);
    base_assert(all.vcores == c->capacity.vcores);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        base_assert(all.slots[k] == c->capacity.slots[k] && all.used[k] == c->capacity.used[k]);
        base_assert(all.freeing[k] == c->capacity.freeing[k] && suspended[k] == c->suspended[k]);
    }
}

/* Checks the master slots: what holds them, how many running nodes have, and the most that a node
 * offers. */
static void check_master_slots(const struct rm_core *c)
{
    int64_t slots = 0, used = 0;
    int32_t most = 0;

    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];
        struct sums s = {0};

        for (const struct rm_container *ct = n ? n->containers : NULL; ct; ct = ct->node_next)
            check_tally_and_add_to_sums(&s, ct);
        if (!n)
            continue;
        base_assert(s.master_slots == n->masters.used);
        base_assert(s.master_slots_freeing == n->masters.freeing);
        base_assert(n->masters.offered == (n->counted || n->awaited ? n->masters.slots : 0));
        slots += n->counted ? n->masters.slots : 0;
        used += n->counted ? n->masters.used : 0;
        if (rm_node_serves_label(n, 0) && n->masters.offered > most)
            most = n->masters.offered;
    }
    base_assert(slots == c->master_slots.slots && used == c->master_slots.used);
    base_assert(c->master_slots.changed || most == c->master_slots.most);
}

/* Checks that each waiting master is counted where it waits, and waits for the right slots. */
static void check_waiting_masters(const struct rm_core *c)
{
    size_t for_map_slots = 0, for_master_slots = 0, held_back = 0;

    for (size_t i = 0; i < c->apps_n; i++) {
        const struct rm_app *a = c->apps[i];

        if (!a->waits)
            continue;
        base_assert(a->in_policy && !a->activated);
        base_assert(c->master_slots.changed ||
                    (a->waits_for != RM_WAITS_FOR_MAP_SLOTS) == rm_master_slots_are_for_app(c, a));
        for_map_slots += a->waits_for == RM_WAITS_FOR_MAP_SLOTS;
        for_master_slots += a->waits_for == RM_WAITS_FOR_MASTER_SLOTS;
        held_back += a->waits_for == RM_WAITS_FOR_POLICY;
    }
    base_assert(for_map_slots == c->masters_waiting.n + c->labels.masters_waiting);
    base_assert(for_master_slots == c->master_slots.waiting_n);
    base_assert(held_back == c->master_slots.held_back_n);
}

/* Checks that reservations of nodes for wide requests point to each other, fit their nodes, and
 * hold what capacity.held counts. */
static void check_reserved_nodes(const struct rm_core *c)
{
    int64_t held[BASE_TASK_KINDS] = {0};
    int32_t nodes[BASE_TASK_KINDS] = {0};

    for (size_t i = 0; i < c->nodes_n; i++)
        for (enum base_task_kind k = 0; c->nodes[i] && k < BASE_TASK_KINDS; k++) {
            const struct rm_node *n = c->nodes[i];
            const struct rm_app *a = n->reserved[k];
            int32_t here = n->slots[k] - n->used[k] + n->freeing[k];

            base_assert(n->held[k] == (a && here > 0 ? here : 0));
            held[k] += n->held[k];
            if (!a)
                continue;
            nodes[k]++;
            base_assert(n->counted && a->in_policy && a->wide[k].node == n && !a->wide[k].lost);
            base_assert(a->wide[k].slots > 1 && a->wide[k].slots <= n->slots[k]);
            base_assert(a->pj.reserved[k].some && a->pj.reserved[k].node == n->index &&
                        a->pj.reserved[k].missing == rm_node_missing_slots(n, k));
        }
    for (size_t i = 0; i < c->apps_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            const struct rm_wide *w = &c->apps[i]->wide[k];

            base_assert(!w->node || w->node->reserved[k] == c->apps[i]);
            base_assert(!w->lost || c->apps[i]->in_policy);
        }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        base_assert(held[k] == c->capacity.held[k] && nodes[k] == c->reserved_n[k]);
}

/* Adds the containers of steps that are counted as @tally up in @users, by user. Returns how many
 * there are. */
static int32_t count_step_containers(const struct rm_core *c, enum rm_tally tally,
                                     struct base_map *users)
{
    int32_t n = 0;

    for (size_t i = 0; i < c->nodes_n; i++)
        for (const struct rm_container *ct = c->nodes[i] ? c->nodes[i]->containers : NULL; ct;
             ct = ct->node_next) {
            base_assert((ct->step && ct->tally == RM_TALLY_HELD) == (ct->node->step == ct));
            if (!ct->step || ct->tally != tally)
                continue;
            n++;
            rm_user_apps_add(users, ct->app->user, 1);
        }
    return n;
}

/* Checks the places of steps on nodes: each held by one container that is not being killed, those
 * that are being killed counted as blocking, both for their user as well; and each user with
 * waiting steps in the order. */
static void check_step_places(const struct rm_core *c)
{
    const struct rm_places *p = &c->places;
    struct base_map holders = {0}, blockers = {0};
    int32_t nodes = 0, taken = 0, held = count_step_containers(c, RM_TALLY_HELD, &holders),
            counted = 0;
    int32_t blocking = count_step_containers(c, RM_TALLY_FREEING, &blockers), counted_blocking = 0;
    size_t waiting = 0, listed = 0, heads = 0;

    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_node *n = c->nodes[i];
        bool runs_steps =
            n && n->counted && rm_node_serves_jobs(n) &&
            (n->counted_slots[BASE_TASK_MAP] > 0 || n->counted_slots[BASE_TASK_REDUCE] > 0);

        nodes += runs_steps;
        for (const struct rm_container *ct = runs_steps ? n->containers : NULL; ct;
             ct = ct->node_next)
            taken += ct->step && (ct->tally == RM_TALLY_HELD || ct->tally == RM_TALLY_FREEING);
    }
    for (size_t i = 0; i < c->apps_n; i++)
        waiting += c->apps[i]->step.waits;
    for (size_t i = 0; i < p->users.cap; i++) {
        const struct rm_step_user *u = p->users.slot[i].object;

        if (!u)
            continue;
        base_assert(u->held == rm_user_apps_get(&holders, u->name));
        base_assert(u->blocking == rm_user_apps_get(&blockers, u->name));
        base_assert((u->place > 0) == (u->first[RM_STEP_URGENT] || u->first[RM_STEP_PATIENT]));
        base_assert(u->held > 0 || u->blocking > 0 || u->place > 0);
        counted += u->held;
        counted_blocking += u->blocking;
        heads += u->place > 0;
        for (enum rm_step_rank k = 0; k < RM_STEP_RANKS; k++)
            for (const struct rm_app *a = u->first[k]; a; a = a->step.next)
                listed++;
    }
    base_assert(nodes == p->nodes && taken == p->taken);
    base_assert(held == p->held && held == counted);
    base_assert(blocking == p->blocking && blocking == counted_blocking);
    base_assert(listed == waiting && heads == p->n);
    rm_user_apps_free(&holders);
    rm_user_apps_free(&blockers);
}

void rm_ledger_check(const struct rm_core *c)
{
    check_step_places(c);
    check_reserved_nodes(c);
    check_master_slots(c);
    check_waiting_masters(c);
    check_counts_of_nodes(c);
    check_counts_of_queues(c);
    check_app_counts_of_users(c);
    check_counts_of_partitions(c);
    check_demand_counts(c);
    check_label_demand_counts(c);
}

/* With N objects (nodes, applications, queues, containers), checks in one of N / 4 steps: so a step
 * of a debug build visits about four objects on average, however large the cluster is. */
void rm_ledger_check_sometimes(const struct rm_core *c)
{
    uint64_t objects = 1 + (c->nodes_n + c->apps_n + c->queues_n + c->containers_by_id.n) / 4;

    if ((uint64_t)c->stats.events % objects == 0)
        rm_ledger_check(c);
}

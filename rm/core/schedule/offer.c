/* Offers free slots. For each slot the policy is asked for jobs in its order; each answer is
 * checked, and the job decides whether it takes the slot. A heartbeat offers the slots of its node;
 * when work arrives or slots come free between heartbeats, the slots of nodes with held heartbeats
 * are offered, those of the emptiest node first. */
#include "rm/core/schedule/offer.h"

#include <string.h>

#include "policies/registry.h"
#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/job/pick.h"
#include "rm/core/node/capacity.h"
#include "rm/core/schedule/active_policy.h"
#include "rm/core/schedule/activity.h"
#include "rm/core/schedule/preempt.h"
#include "rm/core/state.h"

/* Counts a fault of the policy, which named no job although work waits; after RM_POLICY_FAULTS_MAX
 * faults in a row, replaces the policy by FIFO. */
static void count_policy_fault_or_fall_back(struct rm_core *c)
{
    struct base_error err;

    c->stats.overruled++;
    if (++c->faults < RM_POLICY_FAULTS_MAX || c->fell_back || c->ops == &policy_fifo)
        return;
    c->fell_back = true;
    c->stats.fallbacks++;
    rm_emit_note(c, 4,
                 "policy %s offers nothing although work waits: FIFO until another policy is set",
                 c->ops->name);
    rm_policy_set(c, "fifo", NULL, &err);
}

/* Returns true when nothing that waits may use a slot of @n: the node serves only requests with its
 * label, and none is waiting. Then no job is asked. */
static bool no_request_may_use_node(const struct rm_core *c, const struct rm_node *n,
                                    enum base_task_kind k)
{
    return n->exclusive && !c->labels.v[n->label - 1].wanted[k] && !n->suspended[k];
}

static struct policy_offer describe_free_slot(const struct rm_core *c, const struct rm_node *n,
                                              enum base_task_kind k)
{
    struct policy_offer offer = {.kind = k,
                                 .now_us = c->now_us,
                                 .node = n->index,
                                 .node_slots = n->slots[k],
                                 .node_used = n->used[k],
                                 .node_suspended = n->suspended[k],
                                 .off_rack = n->round_off_rack,
                                 .room = INT64_MAX,
                                 .capacity = &c->capacity};

    memcpy(offer.assigned, n->round_assigned, sizeof offer.assigned);
    return offer;
}

/* Offers slots of @n to @a, which the policy has named. Returns true when it takes some. */
static bool offer_slot_to_app(struct rm_core *c, struct rm_app *a, struct rm_node *n,
                              enum base_task_kind k, const struct policy_offer *offer)
{
    int32_t before = n->used[k];
    bool taken = a->kind->offer(c, a, k, n, offer->no_delay, offer->room);

    if (c->recording)
        rm_activity_note_offer(c, a, k, taken);
    if (!taken)
        return false;
    if (a->wide[k].node)
        rm_node_release_if_served(c, a, k, n, n->used[k] - before);
    n->round_assigned[k]++;
    c->stats.assignments++;
    c->faults = 0;
    return true;
}

/* Returns true when the policy names @a for a slot of @n. */
static bool policy_names_app(struct rm_core *c, const struct rm_app *a, struct policy_offer *offer)
{
    struct policy_job *pj = NULL;
    size_t asked = 0;

    do
        pj = c->ops->next(c->policy, offer, pj);
    while (pj && pj != &a->pj && ++asked <= 2 * c->policy_jobs);
    return pj == &a->pj;
}

/* What became of the free slots of a reserved node. */
enum holding { HOLDING, SERVED, RELEASED };

/* Offers the free slots of @n to the application for which it is reserved, once they are enough.
 * Releases @n when that application would not take them, however many there were. */
static enum holding offer_reserved_slots(struct rm_core *c, struct rm_node *n,
                                         enum base_task_kind k)
{
    struct policy_offer offer = describe_free_slot(c, n, k);
    struct rm_app *a = n->reserved[k];
    int32_t slots;

    rm_node_release_if_stuck(c, n, k);
    if (!n->reserved[k])
        return RELEASED;
    slots = policy_names_app(c, a, &offer) ? a->kind->wide_request(c, a, k, n) : 0;
    if (slots > 0 && slots <= offer.room && slots > n->slots[k] - n->used[k] &&
        slots <= n->slots[k]) {
        rm_node_reserve_if_due(c, a, k, n, slots, a->wide[k].resumes);
        return HOLDING;
    }
    if (slots > 0 && slots <= offer.room && slots <= n->slots[k] &&
        offer_slot_to_app(c, a, n, k, &offer))
        return SERVED;
    rm_node_release_of_app(c, a, k);
    return RELEASED;
}

/* Offers one free slot of @n to jobs in the policy's order; those with wide tasks may take several.
 * Returns false when no job takes it. */
static bool offer_slot_to_jobs(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    struct policy_offer offer;
    struct policy_job *pj = NULL;
    size_t asked = 0;

    if (no_request_may_use_node(c, n, k))
        return false;
    if (n->reserved[k]) {
        enum holding held = offer_reserved_slots(c, n, k);

        if (held != RELEASED)
            return held == SERVED;
    }
    offer = describe_free_slot(c, n, k);
    for (;;) {
        struct rm_app *a;

        offer.no_delay = false;
        offer.room = INT64_MAX;
        pj = c->ops->next(c->policy, &offer, pj);
        if (!pj)
            break;
        a = (struct rm_app *)(void *)pj; /* the job is its first member */
        if (++asked > 2 * c->policy_jobs || !a->in_policy ||
            (pj->phase[k].pending <= 0 && pj->phase[k].suspended <= 0)) {
            c->stats.overruled++;
            break;
        }
        if (offer_slot_to_app(c, a, n, k, &offer))
            return true;
        if (n->reserved[k]) /* for this job, or one that goes before it */
            return false;
    }
    if (!asked && !offer.held && c->runnable[k] > 0)
        count_policy_fault_or_fall_back(c);
    return false;
}

#define AHEAD 8 /* enough for a node's few slots and some jobs that decline */

/* Prefetches what the next jobs in the policy's order keep about tasks near @n: scattered memory,
 * which is fetched concurrently instead of job by job. */
static void prefetch_for_next_jobs(struct rm_core *c, const struct rm_node *n)
{
    struct policy_offer offer = {.kind = BASE_TASK_MAP,
                                 .now_us = c->now_us,
                                 .node = n->index,
                                 .node_slots = n->slots[BASE_TASK_MAP],
                                 .node_used = n->used[BASE_TASK_MAP],
                                 .capacity = &c->capacity};
    const struct rm_app *ahead[AHEAD];
    struct policy_job *pj = NULL;
    int found = 0;

    while (found < AHEAD && (pj = c->ops->next(c->policy, &offer, pj))) {
        ahead[found] = (struct rm_app *)(void *)pj;
        rm_pick_prefetch_near(ahead[found++], BASE_TASK_MAP, n, 0);
    }
    for (int i = 0; i < found; i++)
        rm_pick_prefetch_near(ahead[i], BASE_TASK_MAP, n, 1);
}

static void begin_delay_round(struct rm_core *c)
{
    if (c->now_us > c->delay.last_us || c->delay.beat == 1)
        delay_on_heartbeat(&c->delay, c->now_us);
}

/* Offers the free slots of @n. Returns true when none is left, false when no job took the next one,
 * or no work waits. */
static bool fill_free_slots(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    while (n->used[k] < n->slots[k]) {
        if (c->runnable[k] <= 0 && !n->suspended[k])
            return false;
        if (!offer_slot_to_jobs(c, n, k))
            return false;
    }
    return true;
}

/* Frees slots of a full node, and offers them, as long as the policy names victims and jobs take
 * the slots. */
static void preempt_and_refill(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    for (int32_t i = 0; i < n->slots[k] && rm_preempt_on_node(c, n, k); i++)
        if (!fill_free_slots(c, n, k))
            break;
}

void rm_offer_node_slots(struct rm_core *c, struct rm_node *n)
{
    delay_on_heartbeat(&c->delay, c->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        n->round_assigned[k] = 0;
        n->round_off_rack = false;
    }
    if (n->state != RM_NODE_RUNNING || !n->registered || !n->parked)
        return;
    if (c->recording)
        rm_activity_begin_round(c, n);
    if (n->used[BASE_TASK_MAP] < n->slots[BASE_TASK_MAP])
        prefetch_for_next_jobs(c, n);
    if (c->places.n)
        rm_step_place_on_node(c, n);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        fill_free_slots(c, n, k);
        if (rm_preempt_is_needed_on_node(c, n, k))
            preempt_and_refill(c, n, k);
    }
    if (c->recording)
        rm_activity_end_round(c);
}

/* Offers one slot of a node with a held heartbeat. Returns false when no job takes it. */
static bool offer_slot_of_held_node(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    bool taken;

    if (c->recording)
        rm_activity_begin_round(c, n);
    taken = offer_slot_to_jobs(c, n, k);
    if (c->recording)
        rm_activity_end_round(c);
    return taken;
}

/* Offers slots of nodes with held heartbeats one at a time, each from the node that is the emptiest
 * at that moment, so that work is spread. Ends when no work waits, or every listed node was
 * declined in this round. */
static void offer_slots_of_kind(struct rm_core *c, int k)
{
    c->offer_all[k] = false;
    if (c->runnable[k] <= 0 && !c->suspended[k])
        return;
    begin_delay_round(c);
    c->round++;
    for (int b = RM_FREE_BUCKETS - 1; b > 0; b--)
        while (c->runnable[k] > 0 || c->suspended[k] > 0) {
            struct rm_node *n = c->free_first[k][b];

            if (!n || n->free_round[k] == c->round)
                break;
            if (!offer_slot_of_held_node(c, n, k) && n->free_bucket[k] == b)
                rm_node_move_to_free_list_end(c, n, k, b);
        }
}

static bool preemption_is_wanted(const struct rm_core *c)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if ((c->runnable[k] > 0 || c->suspended[k] > 0) &&
            (c->reserved_n[k] > 0 || rm_preempt_is_possible(c, k)))
            return true;
    return false;
}

/* Number of full nodes in a row without a victim after which the search ends. The policy is asked
 * about the other nodes at their next heartbeats. */
#define VAIN_MAX 64

/* Searches for nodes with victims until no work waits. Starts where the last search was cut short,
 * so that all nodes are reached in turn. */
void rm_offer_preempt_on_held_nodes(struct rm_core *c)
{
    bool wanted = preemption_is_wanted(c);
    size_t i;

    c->preempt_all = false;
    for (size_t vain = i = 0; i < c->nodes_n && wanted && vain < VAIN_MAX; i++) {
        struct rm_node *n = c->nodes[(c->preempt_at + i) % c->nodes_n];
        int64_t named = c->stats.suspended + c->stats.preempted;
        bool full = false;

        if (!n || n->state != RM_NODE_RUNNING || !n->registered || !n->parked)
            continue;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            full = full || n->reserved[k] || (n->slots[k] && n->used[k] >= n->slots[k]);
            if (rm_preempt_is_needed_on_node(c, n, k))
                preempt_and_refill(c, n, k);
        }
        vain += full;
        if (c->stats.suspended + c->stats.preempted == named)
            continue;
        vain = 0;
        wanted = preemption_is_wanted(c);
    }
    if (i < c->nodes_n && wanted) /* the next search starts there */
        c->preempt_at += i;
}

#define PASSES_MAX 3 /* offers may request another pass, as the fallback to FIFO does */

void rm_offer_free_slots(struct rm_core *c)
{
    if (!c->offer_all[BASE_TASK_MAP] && !c->offer_all[BASE_TASK_REDUCE])
        return;
    for (int pass = 0; pass < PASSES_MAX; pass++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            if (c->offer_all[k])
                offer_slots_of_kind(c, k);
}

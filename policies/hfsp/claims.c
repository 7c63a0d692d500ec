/* Claims of jobs that wait, and the victims they find on a node.
 * SOURCE: Pastorelli et al., HFSP, arXiv:1302.2749, section 3.3 (eager preemption by suspension,
 * wait, kill; hysteresis on the number of suspended tasks of a node). Bounds of the hysteresis are
 * ours: no suspension from twice the slots on, until there are no more than the slots. The order
 * changes with arrivals, ends and sizes alone, never with time, so that nobody is suspended because
 * of a clock.
 *
 * Beyond the paper (hfsp.promise): a suspended attempt goes on nowhere but on its node, behind
 * whatever runs there by then, and with tasks of many minutes that made single jobs up to 50
 * minutes later than under fair sharing. So it is suspended only when it can wait for a task of the
 * claimant and still end in time: by when fair sharing without preemption would end its job
 * (policies/hfsp/virtual_fair.h), or, as long as that is not known, by its projected finish. And it
 * starts anew elsewhere where that is sooner. Of a job in training those tasks are spared that are
 * being measured:
 * the others hold slots on the strength of a guess. */
#include <math.h>
#include <stdlib.h>

#include "policies/hfsp/hfsp_internal.h"

#define CLAIMANTS_MAX 64  /* looked at per call */
#define CLEARLY       1.2 /* longer by that factor is longer, whatever single tasks differ by */
#define TOLERANCE_US                                                                               \
    INT64_C(60000000) /* a job may end so much later: tasks of a minute need not be spared */
#define LOOK_US                                                                                    \
    INT64_C(15000000) /* how often a suspended attempt is looked at for a start elsewhere */

static struct hfsp_node *node_of(struct hfsp_kind *ks, uint32_t node)
{
    if (node >= ks->node_n) {
        size_t n = (size_t)node * 2 + 16;

        ks->node = base_realloc_array(ks->node, n, sizeof *ks->node);
        for (size_t i = ks->node_n; i < n; i++)
            ks->node[i] = (struct hfsp_node){0};
        ks->node_n = n;
    }
    return &ks->node[node];
}

void hfsp_node_forgotten(struct policy *self, uint32_t node)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct hfsp_kind *ks = &self->kind[k];

        if (node >= ks->node_n)
            continue;
        while (ks->node[node].len) /* none: nothing is there any more */
            hfsp_node_count_suspended(self, ks->node[node].v[0].phase, node,
                                      -ks->node[node].v[0].n);
        free(ks->node[node].v);
        ks->node[node] = (struct hfsp_node){0};
    }
}

void hfsp_nodes_free(struct hfsp_kind *ks)
{
    for (size_t i = 0; i < ks->node_n; i++)
        free(ks->node[i].v);
    free(ks->node);
    free(ks->candidate);
}

void hfsp_node_count_suspended(struct policy *self, struct hfsp_phase *p, uint32_t node, int32_t by)
{
    struct hfsp_node *n = node_of(&self->kind[p->kind], node);
    size_t at = 0;

    while (at < n->len && n->v[at].phase != p)
        at++;
    if (at == n->len) {
        if (by < 0)
            return;
        base_array_grow(&n->v, n->len, &n->cap);
        n->v[n->len++] = (struct hfsp_held){.phase = p};
    }
    if (by > 0)
        n->v[at].since_us = self->now_us;
    n->v[at].n += by;
    p->held += by;
    if (n->v[at].n <= 0)
        n->v[at] = n->v[--n->len];
}

static int32_t held_of(const struct hfsp_node *n, const struct hfsp_phase *p)
{
    for (size_t at = 0; at < n->len; at++)
        if (n->v[at].phase == p)
            return n->v[at].n;
    return 0;
}

void hfsp_nodes_drop_phase(struct policy *self, struct hfsp_phase *p)
{
    struct hfsp_kind *ks = &self->kind[p->kind];

    for (uint32_t i = 0; p->held > 0; i++)
        if (held_of(&ks->node[i], p) > 0)
            hfsp_node_count_suspended(self, p, i, -held_of(&ks->node[i], p));
}

/* How many may be preempted on the node now. */
static int64_t room(const struct policy *self, struct hfsp_node *n,
                    const struct policy_offer *offer)
{
    int64_t slots = offer->node_slots;

    if (self->set.preemption == HFSP_KILL)
        return slots;
    if (offer->node_suspended <= slots)
        n->stopped = false;
    else if (offer->node_suspended >= 2 * slots)
        n->stopped = true;
    return n->stopped ? 0 : 2 * slots - offer->node_suspended;
}

/* Attempts here that may be victims, with the rank of their job. */
static size_t candidates(struct hfsp_kind *ks, enum base_task_kind kind,
                         const struct policy_running *here, size_t n)
{
    size_t len = 0;

    if (ks->candidate_cap < n) {
        ks->candidate = base_realloc_array(ks->candidate, n, sizeof *ks->candidate);
        ks->candidate_cap = n;
    }
    for (size_t i = 0; i < n; i++) {
        const struct hfsp_phase *p = hfsp_phase_of(here[i].job, kind);

        if (here[i].task < 0 || here[i].suspended || p->state == HFSP_ABSENT || p->late ||
            hfsp_train_is_sample(p, here[i].task))
            continue;
        ks->candidate[len++] = (struct hfsp_candidate){i, ks->rank.rank[p->virtual]};
    }
    return len;
}

/* Work that an attempt has done; of a reduce: since the last map ended. */
static int64_t done_us(const struct policy *self, const struct policy_running *r)
{
    int64_t from = r->started_us;

    if (r->kind == BASE_TASK_REDUCE && r->job->is_job)
        from = !r->job->maps_done_us         ? self->now_us
               : r->job->maps_done_us > from ? r->job->maps_done_us
                                             : from;
    return self->now_us > from ? self->now_us - from : 0;
}

/* And what is left of it, as far as the size of its job is known. */
static int64_t left_us(const struct policy *self, const struct policy_running *r)
{
    int64_t left = hfsp_whole_us(hfsp_phase_of(r->job, r->kind)->task_us) - done_us(self, r);

    return left > 0 ? left : 0;
}

/* May this attempt wait until a task of @p has run in its slot? It may when the slot comes back
 * clearly sooner than it would become free by itself, or when its job ends in time nevertheless.
 * Else both together end later than if @p waited. How long tasks of a job in training take is a
 * guess: as long as the other's, at least. */
static bool can_wait(const struct policy *self, const struct hfsp_kind *ks,
                     const struct policy_running *r, const struct hfsp_phase *p)
{
    const struct hfsp_phase *own = hfsp_phase_of(r->job, p->kind);
    int64_t left =
        self->set.preemption == HFSP_KILL ? hfsp_whole_us(own->task_us) : left_us(self, r);
    int64_t by = virtual_fair_finish_us(own->own->fair, p->kind);
    double task = p->task_us;

    if (by == VIRTUAL_NEVER)
        by = virtual_cluster_finish_us(ks->vc, own->virtual);
    if (p->state == HFSP_TRAINING && task < own->task_us)
        task = own->task_us;
    return (double)left > CLEARLY * task ||
           (double)(self->now_us + left) + task <= (double)(by + TOLERANCE_US);
}

/* The newest of the last job in order. @len > 0. */
static size_t last_of(const struct hfsp_kind *ks, size_t len)
{
    size_t best = 0;

    for (size_t i = 1; i < len; i++)
        if (ks->candidate[i].rank > ks->candidate[best].rank) /* here[] is newest first */
            best = i;
    return best;
}

static bool is_later(const struct hfsp_kind *ks, int32_t rank, const struct hfsp_phase *than)
{
    return virtual_cluster_key(ks->vc, ks->rank.job[rank]) >
           virtual_cluster_key(ks->vc, than->virtual);
}

static enum policy_take takes(const struct policy *self, const struct hfsp_phase *p, uint32_t node)
{
    return self->env->takes ? self->env->takes(self->env->core, p->own->job, p->kind, node)
                            : POLICY_TAKES;
}

/* Slots that @p waits for. While training is all it gets, no more than that. Nobody is interrupted
 * for a reduce that would only hold the slot until its maps have ended. */
static int64_t wanted(const struct policy *self, const struct hfsp_phase *p)
{
    int64_t pending = p->own->job->phase[p->kind].pending;

    if (p->kind == BASE_TASK_REDUCE && p->own->job->is_job && !p->own->job->maps_done_us)
        return 0;
    if (p->state == HFSP_TRAINING && isinf(self->set.xi))
        return pending < hfsp_train_need(p) ? pending : hfsp_train_need(p);
    return pending;
}

struct claim {
    struct policy *self;
    struct hfsp_kind *ks;
    const struct policy_offer *offer;
    const struct policy_running *here;
    struct policy_plan *plan;
    int64_t room;
    size_t len;    /* of candidates */
    int64_t unmet; /* claims of earlier jobs that found nobody here */
};

/* May a job at @rank be preempted for @p? For a task that could as well start elsewhere not while
 * those behind it, on whatever node, are as many as all that is claimed: they go first. @gone:
 * those of them that are victims already. */
static bool is_prey(const struct claim *c, const struct hfsp_phase *p, int32_t rank, bool here,
                    int64_t starts, int64_t gone)
{
    if (!is_later(c->ks, rank, p))
        return false;
    return here || c->unmet + starts > hfsp_rank_behind(&c->ks->rank, HFSP_PREY, rank) - gone;
}

/* Victims here for @starts tasks of @p that could start anywhere and @resumes that are suspended
 * here. A task whose data is here is asked for one at a time: the next one's may be elsewhere. */
static void take_victims(struct claim *c, const struct hfsp_phase *p, int64_t starts,
                         int64_t resumes)
{
    enum policy_victim_how how =
        c->self->set.preemption == HFSP_KILL ? POLICY_VICTIM_KILL : POLICY_VICTIM_SUSPEND;
    enum policy_take take = POLICY_TAKES_NEAR;
    size_t at = last_of(c->ks, c->len);
    int32_t rank = c->ks->candidate[at].rank;
    int64_t taken = 0, gone = 0;

    if (starts + resumes > 0 && is_later(c->ks, rank, p) && resumes == 0)
        take = takes(c->self, p, c->offer->node);
    for (; starts + resumes > 0 && c->room > 0 && c->len > 0 && take != POLICY_DECLINES;
         taken++, c->room--) {
        at = last_of(c->ks, c->len);
        if (c->ks->candidate[at].rank != rank)
            gone = taken;
        rank = c->ks->candidate[at].rank;
        if ((taken > 0 && resumes == 0 && p->kind == BASE_TASK_MAP && c->self->env->takes) ||
            !is_prey(c, p, rank, resumes > 0 || take == POLICY_TAKES_NEAR, starts, gone) ||
            (c->self->fair && resumes == 0 &&
             !can_wait(c->self, c->ks, &c->here[c->ks->candidate[at].at], p)))
            break;
        policy_plan_add(c->plan, c->here[c->ks->candidate[at].at].container, how);
        for (c->len--; at < c->len; at++)
            c->ks->candidate[at] = c->ks->candidate[at + 1];
        *(resumes > 0 ? &resumes : &starts) -= 1;
    }
    c->unmet += starts;
}

/* Free slots of the cluster serve claims in order: what could start elsewhere first. What is left
 * of @p's claim. */
static void claim_of(const struct policy *self, const struct hfsp_node *node,
                     const struct hfsp_phase *p, int64_t *left, int64_t *starts, int64_t *resumes)
{
    int64_t served;

    *starts = wanted(self, p);
    *resumes = held_of(node, p);
    served = *left < *starts + *resumes ? *left : *starts + *resumes;
    *left -= served;
    *starts -= served;
    if (*starts < 0) {
        *resumes += *starts;
        *starts = 0;
    }
}

/* The next of its attempts suspended on the offer's node; @seen of them were before. */
static bool next_held(const struct policy *self, const struct hfsp_held *held,
                      const struct policy_offer *offer, void **cursor, int32_t *seen,
                      struct policy_running *r)
{
    while (*seen < held->n &&
           self->env->running(self->env->core, held->phase->own->job, offer->kind, cursor, r))
        if (r->suspended && r->node == offer->node) {
            ++*seen;
            return true;
        }
    return false;
}

/* Containers of other applications may run for ever and are not interrupted. What is suspended on a
 * node that has given them all its slots starts anew elsewhere, where @slots are free, when it has
 * waited for as long as it had run. */
static void give_up(const struct policy *self, const struct hfsp_node *node,
                    const struct policy_offer *offer, const struct policy_running *here, size_t n,
                    int64_t slots, struct policy_plan *plan)
{
    for (size_t i = 0; i < n; i++)
        if (here[i].task >= 0)
            return;
    for (size_t at = 0; at < node->len && slots > 0; at++) {
        const struct hfsp_held *held = &node->v[at];
        struct policy_running r;
        void *cursor = NULL;
        int32_t seen = 0;

        while (slots > 0 && next_held(self, held, offer, &cursor, &seen, &r))
            if (held->since_us <= r.started_us) {
                policy_plan_add(plan, r.container, POLICY_VICTIM_KILL);
                slots--;
            }
    }
}

/* When the next slot here is free by itself; 0: a task of a job behind @rank runs here, which could
 * give way. */
static int64_t slot_free_in(const struct policy *self, const struct policy_running *here, size_t n,
                            int32_t rank)
{
    int64_t in = INT64_MAX;

    for (size_t i = 0; i < n; i++) {
        const struct hfsp_phase *p;
        int64_t left;

        if (here[i].task < 0) /* nobody knows when it ends */
            continue;
        p = hfsp_phase_of(here[i].job, here[i].kind);
        left = left_us(self, &here[i]);
        if (p->state != HFSP_ABSENT && self->kind[p->kind].rank.rank[p->virtual] > rank)
            return 0;
        in = left < in ? left : in;
    }
    return in == INT64_MAX ? 0 : in;
}

/* A suspended attempt goes on here alone. When its job could have another slot now, a free one or
 * one of a job behind it, and none here for longer than the attempt had run, the task ends sooner
 * if it starts anew there. A slot counts once, whichever of the jobs gets it; @plan is empty
 * before. */
static void start_anew(const struct policy *self, struct hfsp_node *node,
                       const struct policy_offer *offer, const struct policy_running *here,
                       size_t n, int64_t free, struct policy_plan *plan)
{
    const struct hfsp_rank *rank = &self->kind[offer->kind].rank;

    for (size_t at = 0; at < node->len; at++) {
        struct hfsp_held *held = &node->v[at];
        int32_t own = held->phase->state == HFSP_ABSENT ? -1 : rank->rank[held->phase->virtual],
                seen = 0;
        struct policy_running r;
        void *cursor = NULL;
        int64_t slots, wait;

        if (own < 0 || self->now_us < held->look_us)
            continue;
        held->look_us = self->now_us + LOOK_US;
        slots = free + hfsp_rank_behind(rank, HFSP_PREY, own) -
                hfsp_rank_upto(rank, HFSP_WAITING, own) - (int64_t)plan->len;
        wait = slots > 0 ? slot_free_in(self, here, n, own) : 0;
        while (slots > 0 && wait > 0 && next_held(self, held, offer, &cursor, &seen, &r)) {
            if (done_us(self, &r) + self->env->heartbeat_us >= wait)
                continue;
            policy_plan_add(plan, r.container, POLICY_VICTIM_KILL);
            slots--;
        }
    }
}

void hfsp_victims(struct policy *self, const struct policy_offer *offer,
                  const struct policy_running *here, size_t n, struct policy_plan *plan)
{
    enum base_task_kind kind = offer->kind;
    struct hfsp_kind *ks = &self->kind[kind];
    struct hfsp_node *node;
    struct claim c = {self, ks, offer, here, plan, 0, 0, 0};
    int64_t left, elsewhere, free;
    int32_t rank = -1;

    hfsp_clock_advance(self, offer->now_us);
    if (self->set.preemption == HFSP_WAIT)
        return;
    elsewhere = offer->capacity->slots[kind] - offer->capacity->used[kind];
    left = elsewhere + offer->capacity->freeing[kind];
    free = left;
    if (ks->pending <= left && offer->node_suspended == 0)
        return;
    hfsp_rank_anew(self, kind);
    if (self->fair)
        virtual_fair_advance(self->fair, self->now_us);
    node = node_of(ks, offer->node);
    c.room = room(self, node, offer);
    c.len = c.room > 0 ? candidates(ks, kind, here, n) : 0;
    for (int i = 0; i < CLAIMANTS_MAX && c.len > 0 && c.room > 0; i++) {
        const struct hfsp_phase *p;
        int64_t starts, resumes;

        rank = hfsp_rank_next(&ks->rank, rank + 1, HFSP_CLAIM | (node->len ? HFSP_RESUME : 0));
        if (rank < 0 || rank > ks->candidate[last_of(ks, c.len)].rank)
            break;
        p = ks->phase[ks->rank.job[rank]];
        claim_of(self, node, p, &left, &starts, &resumes);
        take_victims(&c, p, starts, resumes);
    }
    if (self->set.preemption == HFSP_EAGER &&
        offer->node_suspended + (int64_t)plan->len >= 2 * (int64_t)offer->node_slots)
        node->stopped = true;
    give_up(self, node, offer, here, n, elsewhere, plan);
    if (self->fair && plan->len == 0)
        start_anew(self, node, offer, here, n, free, plan);
}

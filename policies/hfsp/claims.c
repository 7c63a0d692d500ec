/* Claims of waiting jobs, and the choice of victims for them on a node.
 * SOURCE: Pastorelli et al., HFSP, arXiv:1302.2749, section 3.3 (eager preemption by suspension,
 * wait, kill; hysteresis on the number of suspended tasks of a node). The bounds of the hysteresis
 * are ours: once a node has twice as many suspended attempts as slots, nothing more is suspended
 * there until there are no more of them than slots. The order changes only with events (arrivals,
 * departures, sizes, capacity), not with time (unless hfsp.update_interval is set), so no attempt
 * is suspended merely because time passes.
 *
 * Beyond the paper (hfsp.promise): a suspended attempt can resume only on its node, after whatever
 * runs there by then. With long tasks this can make individual jobs end much later than under fair
 * sharing. So an attempt is suspended for a task that is to start only if this task takes clearly
 * less time than the attempt still needs, or if the attempt can wait for it and still end in time:
 * before fair sharing without preemption would end its job (policies/hfsp/virtual_fair.h) or, while
 * that is unknown, before the job's projected finish. A suspended task starts again on another node
 * if it then ends sooner. Running sample tasks are never victims; the other tasks of a job in
 * training are, as they hold slots only because of a guess.
 *
 * A wide task needs all its slots on one node: victims are named for it only where later jobs hold
 * so many, for one task at a time, and the core reserves the node. */
#include <math.h>
#include <stdlib.h>

#include "policies/hfsp/hfsp_internal.h"

#define CLAIMANTS_MAX 64  /* claims considered per call */
#define CLEARLY       1.2 /* factor by which a duration must be longer to count as clearly longer */
/* A job may end this much later than promised, so that tasks of a minute need not be spared. */
#define TOLERANCE_US INT64_C(60000000)
/* Interval between checks whether a suspended task should start again on another node. */
#define LOOK_US INT64_C(15000000)

static struct hfsp_node *get_or_add_node(struct hfsp_kind *ks, uint32_t node)
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

void hfsp_on_node_forgotten(struct policy *self, uint32_t node)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct hfsp_kind *ks = &self->kind[k];

        if (node >= ks->node_n)
            continue;
        while (ks->node[node].len) /* every call removes the entry [0] */
            hfsp_node_add_suspended(self, ks->node[node].v[0].phase, node, -ks->node[node].v[0].n);
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

void hfsp_node_add_suspended(struct policy *self, struct hfsp_phase *p, uint32_t node, int32_t by)
{
    struct hfsp_node *n = get_or_add_node(&self->kind[p->kind], node);
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

static int32_t count_suspended_of_phase(const struct hfsp_node *n, const struct hfsp_phase *p)
{
    for (size_t at = 0; at < n->len; at++)
        if (n->v[at].phase == p)
            return n->v[at].n;
    return 0;
}

void hfsp_nodes_forget_phase(struct policy *self, struct hfsp_phase *p)
{
    struct hfsp_kind *ks = &self->kind[p->kind];

    for (uint32_t i = 0; p->held > 0; i++)
        if (count_suspended_of_phase(&ks->node[i], p) > 0)
            hfsp_node_add_suspended(self, p, i, -count_suspended_of_phase(&ks->node[i], p));
}

/* Updates n->stopped, and returns how many attempts may be suspended on the node now, by the
 * hysteresis. For kills there is none: returns the number of slots. */
static int64_t update_hysteresis_and_count_allowed_victims(const struct policy *self,
                                                           struct hfsp_node *n,
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

/* Collects the attempts on the node that may be victims, with the ranks of their jobs. Returns
 * their number. */
static size_t collect_victim_candidates(struct policy *self, enum base_task_kind kind,
                                        const struct policy_running *here, size_t n)
{
    struct hfsp_kind *ks = &self->kind[kind];
    size_t len = 0;

    if (ks->candidate_cap < n) {
        ks->candidate = base_realloc_array(ks->candidate, n, sizeof *ks->candidate);
        ks->candidate_cap = n;
    }
    for (size_t i = 0; i < n; i++) {
        const struct hfsp_phase *p = hfsp_phase_of(here[i].job, kind);

        if (here[i].task < 0 || here[i].suspended || p->state == HFSP_ABSENT ||
            !hfsp_may_interrupt_attempts(self, p) || hfsp_train_is_sample(p, here[i].task))
            continue;
        ks->candidate[len++] = (struct hfsp_candidate){i, ks->rank.rank[p->virtual]};
    }
    return len;
}

/* Returns the work that an attempt has done; a reduce works only after the last map has ended. */
static int64_t attempt_work_done_us(const struct policy *self, const struct policy_running *r)
{
    int64_t from = r->started_us;

    if (r->kind == BASE_TASK_REDUCE && r->job->is_job)
        from = !r->job->maps_done_us         ? self->now_us
               : r->job->maps_done_us > from ? r->job->maps_done_us
                                             : from;
    return self->now_us > from ? self->now_us - from : 0;
}

/* Returns the work left of an attempt, by the expected duration of its task. */
static int64_t attempt_work_left_us(const struct policy *self, const struct policy_running *r)
{
    int64_t left =
        hfsp_bounded_us(hfsp_phase_of(r->job, r->kind)->task_us) - attempt_work_done_us(self, r);

    return left > 0 ? left : 0;
}

/* Returns true when the attempt @r may wait until a task of @p has run in its slot: because the
 * slot comes back clearly sooner than it would become free by itself, or because the attempt's job
 * still ends in time. Otherwise both jobs together would end later than if @p waited. The duration
 * of tasks in training is a guess, and is taken to be at least as long as the attempt's. */
static bool may_yield_slot_to_claimant(const struct policy *self, const struct hfsp_kind *ks,
                                       const struct policy_running *r, const struct hfsp_phase *p)
{
    const struct hfsp_phase *own = hfsp_phase_of(r->job, p->kind);
    int64_t left = self->set.preemption == HFSP_KILL ? hfsp_bounded_us(own->task_us)
                                                     : attempt_work_left_us(self, r);
    int64_t by = virtual_fair_finish_us(own->own->fair, p->kind);
    double task = p->task_us;

    if (by == VIRTUAL_NEVER)
        by = virtual_cluster_finish_us(ks->vc, own->virtual);
    if (p->state == HFSP_TRAINING && task < own->task_us)
        task = own->task_us;
    return (double)left > CLEARLY * task ||
           (double)(self->now_us + left) + task <= (double)(by + TOLERANCE_US);
}

/* Returns the index of the newest candidate of the job that is last in order. @len > 0. */
static size_t last_candidate_in_order(const struct hfsp_kind *ks, size_t len)
{
    size_t best = 0;

    for (size_t i = 1; i < len; i++)
        if (ks->candidate[i].rank > ks->candidate[best].rank) /* here[] is newest first */
            best = i;
    return best;
}

static bool is_later_in_order(const struct hfsp_kind *ks, int32_t rank,
                              const struct hfsp_phase *than)
{
    return virtual_cluster_order_key(ks->vc, ks->rank.job[rank]) >
           virtual_cluster_order_key(ks->vc, than->virtual);
}

static enum policy_take would_take(const struct policy *self, const struct hfsp_phase *p,
                                   uint32_t node)
{
    return self->env->takes ? self->env->takes(self->env->core, p->own->job, p->kind, node)
                            : POLICY_TAKES;
}

/* Returns the number of slots that @p waits for. With an infinite xi, a phase in training waits
 * only for its sample. Returns 0 for reduces that would merely hold their slots until the maps have
 * ended: no attempt is interrupted for them. */
static int64_t slots_claimed_by_phase(const struct policy *self, const struct hfsp_phase *p)
{
    int64_t pending = p->own->job->phase[p->kind].pending;

    if (p->kind == BASE_TASK_REDUCE && p->own->job->is_job && !p->own->job->maps_done_us)
        return 0;
    if (p->state == HFSP_TRAINING && isinf(self->set.xi))
        return pending < hfsp_train_sample_slots_to_launch(p)
                   ? pending
                   : hfsp_train_sample_slots_to_launch(p);
    return pending;
}

struct claim {
    struct policy *self;
    struct hfsp_kind *ks;
    const struct policy_offer *offer;
    const struct policy_running *here;
    struct policy_plan *plan;
    int64_t room;  /* further victims allowed */
    size_t len;    /* number of candidates */
    int64_t unmet; /* slots claimed by earlier jobs that found no victim here */
};

/* Returns true when an attempt of the job at @rank may be preempted for @p. For a task that could
 * start on another node as well (@here false), this is false while later jobs have as many
 * preemptible attempts, on whatever node, as there are claims, @starts of @p included: those are
 * preempted first. @gone: the number of such attempts that are victims already. */
static bool may_be_preempted(const struct claim *c, const struct hfsp_phase *p, int32_t rank,
                             bool here, int64_t starts, int64_t gone)
{
    if (!is_later_in_order(c->ks, rank, p))
        return false;
    return here || c->unmet + starts > hfsp_rank_sum_after(&c->ks->rank, HFSP_PREY, rank) - gone;
}

/* Plans candidate @at as a victim, and removes it from the candidates. */
static void plan_candidate(struct claim *c, size_t at, enum policy_victim_how how)
{
    policy_plan_add(c->plan, c->here[c->ks->candidate[at].at].container, how);
    for (c->len--; at < c->len; at++)
        c->ks->candidate[at] = c->ks->candidate[at + 1];
}

/* Plans victims on this node for @starts tasks of @claimant that could start anywhere, and for
 * @resumes tasks that are suspended here. For starting maps, at most one victim is added per call,
 * since the next map's data may be elsewhere. */
static void plan_victims_for_phase(struct claim *c, const struct hfsp_phase *claimant,
                                   int64_t starts, int64_t resumes)
{
    enum policy_victim_how how =
        c->self->set.preemption == HFSP_KILL ? POLICY_VICTIM_KILL : POLICY_VICTIM_SUSPEND;
    enum policy_take take = POLICY_TAKES_NEAR;
    size_t at = last_candidate_in_order(c->ks, c->len);
    int32_t rank = c->ks->candidate[at].rank;
    int64_t taken = 0, gone = 0;

    if (starts + resumes > 0 && is_later_in_order(c->ks, rank, claimant) && resumes == 0)
        take = would_take(c->self, claimant, c->offer->node);
    for (; starts + resumes > 0 && c->room > 0 && c->len > 0 && take != POLICY_DECLINES;
         c->room--) {
        int32_t slots;

        at = last_candidate_in_order(c->ks, c->len);
        slots = policy_running_slots(&c->here[c->ks->candidate[at].at]);
        if (c->ks->candidate[at].rank != rank)
            gone = taken;
        rank = c->ks->candidate[at].rank;
        if ((taken > 0 && resumes == 0 && claimant->kind == BASE_TASK_MAP && c->self->env->takes) ||
            !may_be_preempted(c, claimant, rank, resumes > 0 || take == POLICY_TAKES_NEAR, starts,
                              gone) ||
            (c->self->fair && resumes == 0 &&
             !may_yield_slot_to_claimant(c->self, c->ks, &c->here[c->ks->candidate[at].at],
                                         claimant)))
            break;
        plan_candidate(c, at, how);
        taken += slots;
        *(resumes > 0 ? &resumes : &starts) -= slots;
    }
    c->unmet += starts > 0 ? starts : 0;
}

/* Returns true when the candidate @at may be preempted for a wide task of @claimant: it comes later
 * in order, and may yield its slots. @resumes: the task is suspended on this node. */
static bool may_yield_to_wide_task(const struct claim *c, size_t at,
                                   const struct hfsp_phase *claimant, bool resumes)
{
    const struct hfsp_candidate *candidate = &c->ks->candidate[at];

    return is_later_in_order(c->ks, candidate->rank, claimant) &&
           (!c->self->fair || resumes ||
            may_yield_slot_to_claimant(c->self, c->ks, &c->here[candidate->at], claimant));
}

/* Returns the index of the newest of these candidates of the job that is last in order; SIZE_MAX:
 * there is none. */
static size_t last_yielding_candidate(const struct claim *c, const struct hfsp_phase *claimant,
                                      bool resumes)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < c->len; i++)
        if ((best == SIZE_MAX || c->ks->candidate[i].rank > c->ks->candidate[best].rank) &&
            may_yield_to_wide_task(c, i, claimant, resumes))
            best = i;
    return best;
}

static int64_t sum_yielding_slots(const struct claim *c, const struct hfsp_phase *claimant,
                                  bool resumes)
{
    int64_t sum = 0;

    for (size_t i = 0; i < c->len; i++)
        if (may_yield_to_wide_task(c, i, claimant, resumes))
            sum += policy_running_slots(&c->here[c->ks->candidate[i].at]);
    return sum;
}

/* Plans victims that free @need slots of this node for one wide task of @claimant; none, if the
 * attempts of later jobs do not hold so many. @resumes: the task is suspended here. */
static void plan_victims_for_wide_task(struct claim *c, const struct hfsp_phase *claimant,
                                       int64_t need, bool resumes)
{
    enum policy_victim_how how =
        c->self->set.preemption == HFSP_KILL ? POLICY_VICTIM_KILL : POLICY_VICTIM_SUSPEND;

    if (need <= 0 || c->plan->wide || sum_yielding_slots(c, claimant, resumes) < need)
        return;
    if (!resumes && would_take(c->self, claimant, c->offer->node) == POLICY_DECLINES)
        return;
    c->plan->wide = claimant->own->job;
    for (; need > 0 && c->len > 0; c->room--) {
        size_t at = last_yielding_candidate(c, claimant, resumes);

        if (at == SIZE_MAX)
            return;
        need -= policy_running_slots(&c->here[c->ks->candidate[at].at]);
        plan_candidate(c, at, how);
    }
}

/* Lets free slots of the cluster serve the claim of @p: first tasks that could start on any node,
 * then tasks suspended here. Sets *@starts and *@resumes to the rest of the claim and reduces
 * *@left, the number of free slots. */
static void serve_claim_by_free_slots(const struct policy *self, const struct hfsp_node *node,
                                      const struct hfsp_phase *p, int64_t *left, int64_t *starts,
                                      int64_t *resumes)
{
    int64_t served;

    *starts = slots_claimed_by_phase(self, p);
    *resumes = count_suspended_of_phase(node, p);
    served = *left < *starts + *resumes ? *left : *starts + *resumes;
    *left -= served;
    *starts -= served;
    if (*starts < 0) {
        *resumes += *starts;
        *starts = 0;
    }
}

/* Iterates over the attempts of held->phase that are suspended on the offering node; *@seen counts
 * them. Returns false at the end. */
static bool next_suspended_here(const struct policy *self, const struct hfsp_held *held,
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

/* Containers of other applications may run forever and are never interrupted. When they hold all
 * slots of this node, attempts that are suspended here could never resume. Such an attempt is
 * killed, so that its task starts again on another node, if there are free @slots elsewhere and if
 * the attempt has waited for as long as it had run. */
static void plan_restart_of_blocked_attempts(const struct policy *self,
                                             const struct hfsp_node *node,
                                             const struct policy_offer *offer,
                                             const struct policy_running *here, size_t n,
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

        while (slots > 0 && next_suspended_here(self, held, offer, &cursor, &seen, &r))
            if (held->since_us <= r.started_us) {
                policy_plan_add(plan, r.container, POLICY_VICTIM_KILL);
                slots--;
            }
    }
}

/* Returns the time until a slot of this node becomes free by itself; 0 when a task of a job after
 * @rank runs here, which could be preempted instead, or when the time is unknown. */
static int64_t time_until_slot_frees_itself_us(const struct policy *self,
                                               const struct policy_running *here, size_t n,
                                               int32_t rank)
{
    int64_t in = INT64_MAX;

    for (size_t i = 0; i < n; i++) {
        const struct hfsp_phase *p;
        int64_t left;

        if (here[i].task < 0) /* the end of such a container is unknown */
            continue;
        p = hfsp_phase_of(here[i].job, here[i].kind);
        left = attempt_work_left_us(self, &here[i]);
        if (p->state != HFSP_ABSENT && self->kind[p->kind].rank.rank[p->virtual] > rank)
            return 0;
        in = left < in ? left : in;
    }
    return in == INT64_MAX ? 0 : in;
}

/* Plans to kill suspended attempts whose tasks end sooner if they start again elsewhere. This is so
 * when the job could get another slot of the cluster now, a free one or that of a later job, and
 * this node has no slot for longer than the attempt has run, plus a heartbeat. A slot counts once,
 * whichever of the jobs gets it; @plan must be empty. */
static void plan_restarts_that_end_sooner(const struct policy *self, struct hfsp_node *node,
                                          const struct policy_offer *offer,
                                          const struct policy_running *here, size_t n, int64_t free,
                                          struct policy_plan *plan)
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
        slots = free + hfsp_rank_sum_after(rank, HFSP_PREY, own) -
                hfsp_rank_sum_up_to(rank, HFSP_WAITING, own) - (int64_t)plan->len;
        wait = slots > 0 ? time_until_slot_frees_itself_us(self, here, n, own) : 0;
        while (slots > 0 && wait > 0 &&
               next_suspended_here(self, held, offer, &cursor, &seen, &r)) {
            if (attempt_work_done_us(self, &r) + self->env->heartbeat_us >= wait)
                continue;
            policy_plan_add(plan, r.container, POLICY_VICTIM_KILL);
            slots--;
        }
    }
}

/* The node is reserved for a wide task of @job: names victims for it alone. */
static void clear_reserved_node(struct claim *c, const struct policy_job *job,
                                const struct hfsp_node *node)
{
    const struct hfsp_phase *p = hfsp_phase_of(job, c->offer->kind);
    bool resumes = count_suspended_of_phase(node, p) > 0;

    if (p->state != HFSP_ABSENT && (resumes || slots_claimed_by_phase(c->self, p) > 0))
        plan_victims_for_wide_task(c, p, job->reserved[c->offer->kind].missing, resumes);
    if (c->self->set.preemption == HFSP_EAGER &&
        c->offer->node_suspended + (int64_t)c->plan->len >= 2 * (int64_t)c->offer->node_slots)
        c->ks->node[c->offer->node].stopped = true;
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
    left = policy_free_slots(offer->capacity, kind);
    free = left;
    if (!offer->reserved_for && ks->pending <= left && offer->node_suspended == 0)
        return;
    hfsp_rank_update_if_stale(self, kind);
    if (self->fair)
        virtual_fair_advance(self->fair, self->now_us);
    node = get_or_add_node(ks, offer->node);
    c.room = update_hysteresis_and_count_allowed_victims(self, node, offer);
    c.len = c.room > 0 ? collect_victim_candidates(self, kind, here, n) : 0;
    if (offer->reserved_for) {
        clear_reserved_node(&c, offer->reserved_for, node);
        return;
    }
    for (int i = 0; i < CLAIMANTS_MAX && c.len > 0 && c.room > 0; i++) {
        const struct hfsp_phase *p;
        int64_t starts, resumes;

        rank =
            hfsp_rank_next_wanting(&ks->rank, rank + 1, HFSP_CLAIM | (node->len ? HFSP_RESUME : 0));
        if (rank < 0 || rank > ks->candidate[last_candidate_in_order(ks, c.len)].rank)
            break;
        p = ks->phase[ks->rank.job[rank]];
        if (p->own->job->width[kind] > 1) {
            bool here_before = count_suspended_of_phase(node, p) > 0;

            if (here_before ||
                (policy_job_needs_node(p->own->job, kind) && slots_claimed_by_phase(self, p) > 0))
                plan_victims_for_wide_task(&c, p, p->own->job->width[kind], here_before);
            continue;
        }
        serve_claim_by_free_slots(self, node, p, &left, &starts, &resumes);
        plan_victims_for_phase(&c, p, starts, resumes);
    }
    if (self->set.preemption == HFSP_EAGER &&
        offer->node_suspended + (int64_t)plan->len >= 2 * (int64_t)offer->node_slots)
        node->stopped = true;
    plan_restart_of_blocked_attempts(self, node, offer, here, n, elsewhere, plan);
    if (self->fair && plan->len == 0)
        plan_restarts_that_end_sooner(self, node, offer, here, n, free, plan);
}

/* The fair scheduler's timer: computes shares, deficits and time-outs. A queue's share is divided
 * among its child queues and, as one more entity, its own jobs; parents come before children.
 * SOURCE: Zaharia et al., EuroSys 2010, section 2; Hadoop 1's FairScheduler.update and its
 * PoolSchedulable; for deficits the same before Hadoop 0.21. */
#include <stdio.h>
#include <stdlib.h>

#include "policies/fair/fair_internal.h"

/* time for which the number of slots must be unchanged before a warning about minima */
#define SETTLED_US 10000000

static void reserve_entities(struct policy *self, size_t n)
{
    if (n <= self->entities_cap)
        return;
    n = n > 2 * self->entities_cap ? n : 2 * self->entities_cap;
    self->entities = base_realloc_array(self->entities, n, sizeof *self->entities);
    self->whole = base_realloc_array(self->whole, n, sizeof *self->whole);
    self->owners = base_realloc_array(self->owners, n, sizeof *self->owners);
    self->entities_cap = n;
}

static double cap_of_share(const struct fair_side *s)
{
    int64_t demand = fair_demand(s);

    return (double)(demand < s->max ? demand : s->max);
}

/* Collects the entities that share a queue's slots: its child queues, and its own jobs as one more
 * entity. Below the children of root, a minimum counts only up to the queue's cap, because the
 * share to divide depends on the demand, too. Returns their number. */
static size_t collect_entities_sharing_queue(struct policy *self, const struct fair_queue *q,
                                             enum base_task_kind kind)
{
    const struct fair_side *own = &q->side[kind];
    size_t n = 0;

    for (int32_t i = q->first; i >= 0; i = self->queues[i].next) {
        struct fair_side *s = &self->queues[i].side[kind];
        double cap = cap_of_share(s), min = (double)s->min_slots;

        reserve_entities(self, n + 1);
        self->owners[n] = s;
        self->entities[n++] = (struct fair_entity){.weight = self->queues[i].weight,
                                                   .cap = cap,
                                                   .min = q->parent < 0 || min < cap ? min : cap};
    }
    reserve_entities(self, n + 1);
    self->owners[n] = NULL;
    self->entities[n++] =
        (struct fair_entity){.weight = 1, .cap = (double)(own->own_running + own->own_wants)};
    return n;
}

static void warn_minima_exceed_slots(struct policy *self, enum base_task_kind kind, double sum,
                                     double total)
{
    char text[200];

    if (self->warned[kind] || self->now_us - self->fits_since_us < SETTLED_US || total <= 0 ||
        !self->env->note)
        return;
    self->warned[kind] = true;
    snprintf(text, sizeof text,
             "minimum shares of the queues add up to %.0f %s slots of %.0f: they are scaled down",
             sum, kind == BASE_TASK_MAP ? "map" : "reduce", total);
    self->env->note(self->env->core, 4, text);
}

static void divide_share_of_queue(struct policy *self, struct fair_queue *q,
                                  enum base_task_kind kind, double total)
{
    struct fair_side *own = &q->side[kind];
    double sum = 0;
    size_t n;

    own->own_share = own->share;
    if (q->first < 0)
        return;
    n = collect_entities_sharing_queue(self, q, kind);
    for (size_t i = 0; i < n; i++)
        sum += self->entities[i].min;
    if (fair_compute_shares(self->entities, n, total, &self->scratch, NULL) && q->parent < 0)
        warn_minima_exceed_slots(self, kind, sum, total);
    fair_round_shares_to_slots(self->entities, n, own->share_slots, self->whole, &self->scratch);
    for (size_t i = 0; i < n; i++) {
        struct fair_side *s = self->owners[i];

        if (s) {
            s->share = self->entities[i].share;
            s->share_slots = self->whole[i];
            s->min = q->parent < 0 ? self->entities[i].min : (double)s->min_slots;
        } else {
            own->own_share = self->entities[i].share;
        }
    }
}

static void compute_shares_of_all_queues(struct policy *self, enum base_task_kind kind)
{
    struct fair_side *root = &self->queues[0].side[kind];
    int64_t total = self->env->capacity->slots[kind];

    if (total > root->max)
        total = root->max;
    root->share_slots = total < fair_demand(root) ? total : fair_demand(root);
    root->share = (double)root->share_slots;
    /* the minima of root's children are compared with all slots, even when the demand is less */
    divide_share_of_queue(self, &self->queues[0], kind, (double)total);
    for (int32_t i = 1; i < self->queues_n; i++) /* parents come before their children */
        divide_share_of_queue(self, &self->queues[i], kind, self->queues[i].side[kind].share);
}

static double limit_to_demand(double x, int64_t demand)
{
    return x < (double)demand ? x : (double)demand;
}

/* Updates the time at which the queue last had its minimum and the time at which it last had its
 * part of the fair share; then whether it has lacked one of them for longer than the time-out that
 * belongs to it. */
static void update_starvation(struct policy *self, struct fair_queue *q, enum base_task_kind kind)
{
    struct fair_side *s = &q->side[kind];
    int64_t demand = fair_demand(s);

    if ((double)s->running >= limit_to_demand(s->min, demand))
        s->at_min_us = self->now_us;
    if (s->running >= fair_starvation_threshold(s->share, q->threshold, demand))
        s->at_fair_us = self->now_us;
    s->starved = self->now_us - s->at_min_us > q->min_timeout_us ||
                 self->now_us - s->at_fair_us > q->fair_timeout_us;
}

/* --- deficits --- */

static size_t collect_active_jobs_as_entities(struct policy *self, int32_t queue,
                                              enum base_task_kind kind)
{
    size_t n = 0;

    for (struct fair_job *fj = self->queues[queue].first_job; fj; fj = fj->queue_next) {
        if (!fj->active)
            continue;
        reserve_entities(self, n + 1);
        self->owners[n] = fj;
        self->entities[n++] = (struct fair_entity){
            .weight = fj->weight[kind], .cap = (double)fj->running[kind] + fj->wants[kind]};
    }
    return n;
}

/* In a pool with fair order, each job gets a part of the pool's minimum; its deficit grows by what
 * it lacks of its share. */
static void update_job_deficits(struct policy *self, int32_t queue, enum base_task_kind kind,
                                int64_t us)
{
    const struct fair_side *s = &self->queues[queue].side[kind];
    size_t n = collect_active_jobs_as_entities(self, queue, kind);

    fair_compute_shares(self->entities, n, s->min, &self->scratch, NULL);
    for (size_t i = 0; i < n; i++) {
        struct fair_job *fj = self->owners[i];

        fj->min[kind] = self->entities[i].min = self->entities[i].share;
    }
    fair_compute_shares(self->entities, n, s->own_share, &self->scratch, NULL);
    for (size_t i = 0; i < n; i++) {
        struct fair_job *fj = self->owners[i];

        fj->deficit[kind] += fair_deficit_growth(self->entities[i].share, fj->running[kind], us);
        fair_job_update_place(self, fj, kind);
    }
}

static void update_deficits(struct policy *self, enum base_task_kind kind, int64_t us)
{
    for (int32_t i = 0; i < self->queues_n; i++) {
        struct fair_queue *q = &self->queues[i];
        struct fair_side *s = &q->side[kind];

        if (fair_demand(s) > 0)
            s->deficit += fair_deficit_growth(s->share, s->running, us);
        else
            s->deficit = 0;
        if (!q->fifo && q->first_job)
            update_job_deficits(self, i, kind, us);
    }
}

/* --- */

static void rearm_warning_if_slots_changed(struct policy *self)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (self->slots[k] != self->env->capacity->slots[k]) {
            self->slots[k] = self->env->capacity->slots[k];
            self->fits_since_us = self->now_us;
            self->warned[k] = false;
        }
}

static void update_all_weights(struct policy *self)
{
    for (struct fair_job *fj = self->first; fj; fj = fj->next) {
        fair_job_update_weight(self, fj);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            fair_job_update_place(self, fj, k);
    }
}

void fair_update_shares(struct policy *self, int64_t now_us)
{
    int64_t us = now_us - self->updated_us;

    self->now_us = now_us;
    rearm_warning_if_slots_changed(self);
    fair_tree_update_limits(self);
    if (self->size_weight)
        update_all_weights(self);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        enum base_task_kind kind = k;

        compute_shares_of_all_queues(self, kind);
        if (self->deficits)
            update_deficits(self, kind, us);
        for (int32_t i = 0; i < self->queues_n; i++) {
            update_starvation(self, &self->queues[i], kind);
            fair_queue_update_place(self, &self->queues[i], kind);
        }
    }
    self->updated_us = now_us;
}

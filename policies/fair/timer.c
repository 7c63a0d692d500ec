/* What the fair scheduler's timer does: shares, deficits, time-outs.
 * SOURCE: Zaharia et al., EuroSys 2010, section 2; Hadoop 1's FairScheduler.update and its
 * PoolSchedulable; for deficits the same before Hadoop 0.21. */
#include <stdio.h>
#include <stdlib.h>

#include "policies/fair/fair_internal.h"

#define SETTLED_US                                                                                 \
    10000000 /* so long the slots must have been the same before minima are complained about */

static void room(struct policy *self, size_t n)
{
    if (n <= self->entities_cap)
        return;
    n = n > 2 * self->entities_cap ? n : 2 * self->entities_cap;
    self->entities = base_realloc_array(self->entities, n, sizeof *self->entities);
    self->whole = base_realloc_array(self->whole, n, sizeof *self->whole);
    self->owners = base_realloc_array(self->owners, n, sizeof *self->owners);
    self->entities_cap = n;
}

static double cap_of(const struct fair_side *s)
{
    int64_t demand = fair_demand(s);

    return (double)(demand < s->max ? demand : s->max);
}

/* What competes in a queue: the queues in it, and its own jobs as if they were one more. Below root
 * minima count as far as they are wanted: what is divided there depends on the demand itself. */
static size_t collect(struct policy *self, const struct fair_queue *q, enum base_task_kind kind)
{
    const struct fair_side *own = &q->side[kind];
    size_t n = 0;

    for (int32_t i = q->first; i >= 0; i = self->queues[i].next) {
        struct fair_side *s = &self->queues[i].side[kind];
        double cap = cap_of(s), min = (double)s->min_slots;

        room(self, n + 1);
        self->owners[n] = s;
        self->entities[n++] = (struct fair_entity){.weight = self->queues[i].weight,
                                                   .cap = cap,
                                                   .min = q->parent < 0 || min < cap ? min : cap};
    }
    room(self, n + 1);
    self->owners[n] = NULL;
    self->entities[n++] =
        (struct fair_entity){.weight = 1, .cap = (double)(own->own_running + own->own_wants)};
    return n;
}

static void complain(struct policy *self, enum base_task_kind kind, double sum, double total)
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

static void divide(struct policy *self, struct fair_queue *q, enum base_task_kind kind,
                   double total)
{
    struct fair_side *own = &q->side[kind];
    double sum = 0;
    size_t n;

    own->own_share = own->share;
    if (q->first < 0)
        return;
    n = collect(self, q, kind);
    for (size_t i = 0; i < n; i++)
        sum += self->entities[i].min;
    if (fair_shares(self->entities, n, total, &self->scratch, NULL) && q->parent < 0)
        complain(self, kind, sum, total);
    fair_shares_round(self->entities, n, own->share_slots, self->whole, &self->scratch);
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

static void shares(struct policy *self, enum base_task_kind kind)
{
    struct fair_side *root = &self->queues[0].side[kind];
    int64_t total = self->env->capacity->slots[kind];

    if (total > root->max)
        total = root->max;
    root->share_slots = total < fair_demand(root) ? total : fair_demand(root);
    root->share = (double)root->share_slots;
    /* root's minima are measured by what there is, also when less is wanted */
    divide(self, &self->queues[0], kind, (double)total);
    for (int32_t i = 1; i < self->queues_n; i++) /* parents come before their children */
        divide(self, &self->queues[i], kind, self->queues[i].side[kind].share);
}

static double wanted(double x, int64_t demand)
{
    return x < (double)demand ? x : (double)demand;
}

/* Since when does it lack its minimum, its part of the fair share? */
static void watch(struct policy *self, struct fair_queue *q, enum base_task_kind kind)
{
    struct fair_side *s = &q->side[kind];
    int64_t demand = fair_demand(s);

    if ((double)s->running >= wanted(s->min, demand))
        s->at_min_us = self->now_us;
    if (s->running >= fair_alarm(s->share, q->threshold, demand))
        s->at_fair_us = self->now_us;
    s->starved = self->now_us - s->at_min_us > q->min_timeout_us ||
                 self->now_us - s->at_fair_us > q->fair_timeout_us;
}

/* --- deficits --- */

static size_t collect_jobs(struct policy *self, int32_t queue, enum base_task_kind kind)
{
    size_t n = 0;

    for (struct fair_job *fj = self->queues[queue].first_job; fj; fj = fj->queue_next) {
        if (!fj->active)
            continue;
        room(self, n + 1);
        self->owners[n] = fj;
        self->entities[n++] = (struct fair_entity){
            .weight = fj->weight[kind], .cap = (double)fj->running[kind] + fj->wants[kind]};
    }
    return n;
}

/* In a fair pool each job gets its part of the pool's minimum; its deficit grows by what it lacks
 * of its share. */
static void job_deficits(struct policy *self, int32_t queue, enum base_task_kind kind, int64_t us)
{
    const struct fair_side *s = &self->queues[queue].side[kind];
    size_t n = collect_jobs(self, queue, kind);

    fair_shares(self->entities, n, s->min, &self->scratch, NULL);
    for (size_t i = 0; i < n; i++) {
        struct fair_job *fj = self->owners[i];

        fj->min[kind] = self->entities[i].min = self->entities[i].share;
    }
    fair_shares(self->entities, n, s->own_share, &self->scratch, NULL);
    for (size_t i = 0; i < n; i++) {
        struct fair_job *fj = self->owners[i];

        fj->deficit[kind] += fair_deficit(self->entities[i].share, fj->running[kind], us);
        fair_job_place(self, fj, kind);
    }
}

static void deficits(struct policy *self, enum base_task_kind kind, int64_t us)
{
    for (int32_t i = 0; i < self->queues_n; i++) {
        struct fair_queue *q = &self->queues[i];
        struct fair_side *s = &q->side[kind];

        if (fair_demand(s) > 0)
            s->deficit += fair_deficit(s->share, s->running, us);
        else
            s->deficit = 0;
        if (!q->fifo && q->first_job)
            job_deficits(self, i, kind, us);
    }
}

/* --- */

static void settle(struct policy *self)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (self->slots[k] != self->env->capacity->slots[k]) {
            self->slots[k] = self->env->capacity->slots[k];
            self->fits_since_us = self->now_us;
            self->warned[k] = false;
        }
}

static void weigh_all(struct policy *self)
{
    for (struct fair_job *fj = self->first; fj; fj = fj->next) {
        fair_job_weigh(self, fj);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            fair_job_place(self, fj, k);
    }
}

void fair_update(struct policy *self, int64_t now_us)
{
    int64_t us = now_us - self->updated_us;

    self->now_us = now_us;
    settle(self);
    fair_tree_limits(self);
    if (self->size_weight)
        weigh_all(self);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        enum base_task_kind kind = k;

        shares(self, kind);
        if (self->deficits)
            deficits(self, kind, us);
        for (int32_t i = 0; i < self->queues_n; i++) {
            watch(self, &self->queues[i], kind);
            fair_queue_place(self, &self->queues[i], kind);
        }
    }
    self->updated_us = now_us;
}

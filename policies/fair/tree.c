/* The queue tree of the fair scheduler: counts, orders, and the choice of a job for a free slot.
 * SOURCE: Zaharia et al., EuroSys 2010, section 2; Hadoop's
 * SchedulingAlgorithms.FairShareComparator. */
#include <math.h>
#include <stdlib.h>

#include "policies/common/spread_cap.h"
#include "policies/fair/fair_internal.h"

/* fixed point of running / weight, so that equal ratios of whole numbers stay equal */
#define RATIO_ONE 4294967296.0
#define RATIO_MAX (INT64_C(1) << 62)
/* subtracted from the keys of jobs and queues below their minimum */
#define NEEDY       (INT64_C(1) << 61)
#define DEFICIT_MAX 1e18

/* --- building the tree --- */

static void init_queue_side(const struct policy *self, struct fair_side *s, int32_t index,
                            const struct fair_side *old)
{
    s->at_min_us = old ? old->at_min_us : self->now_us;
    s->at_fair_us = old ? old->at_fair_us : self->now_us;
    s->deficit = old ? old->deficit : 0;
    s->max = INT64_MAX;
    policy_link_init(&s->link, 0, 0, index);
}

static void queue_init(struct policy *self, int32_t i, const struct policy_queue *from,
                       const struct fair_queue *old)
{
    struct fair_queue *q = &self->queues[i];

    q->born = from ? from->born : 0;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        init_queue_side(self, &q->side[k], i, old ? &old->side[k] : NULL);
    q->parent = from ? from->parent : -1;
    q->first = q->next = -1;
    q->weight = from ? from->weight : 1;
    q->fifo = from && from->order == POLICY_QUEUE_FIFO;
    q->preempt = !from || from->preempt;
    q->max_active = from ? from->max_running : INT32_MAX;
    q->min_timeout_us = from ? from->min_timeout_us : INT64_MAX;
    q->fair_timeout_us = from ? from->fair_timeout_us : INT64_MAX;
    q->threshold = from ? from->fair_threshold : .5;
}

void fair_tree_build(struct policy *self)
{
    const struct policy_queues *from = self->single ? NULL : self->env->queues;
    struct fair_queue *old = self->queues;
    int32_t old_n = self->queues_n, at = 0;

    self->queues_n = from && from->n ? (int32_t)from->n : 1;
    self->queues = base_alloc((size_t)self->queues_n * sizeof *self->queues);
    for (int32_t i = 0; i < self->queues_n; i++) {
        const struct policy_queue *q = from && from->n ? &from->v[i] : NULL;
        uint64_t born = q ? q->born : 0;

        while (at < old_n && old[at].born < born) /* born rises with the index in both arrays */
            at++;
        queue_init(self, i, q, at < old_n && old[at].born == born ? &old[at] : NULL);
    }
    for (int32_t i = self->queues_n - 1; i > 0; i--) {
        struct fair_queue *up = &self->queues[self->queues[i].parent];

        self->queues[i].next = up->first;
        up->first = i;
    }
    free(old);
    fair_tree_update_limits(self);
    for (int32_t i = 0; i < self->queues_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            self->queues[i].side[k].min = (double)self->queues[i].side[k].min_slots;
}

void fair_tree_free(struct policy *self)
{
    free(self->queues);
    self->queues = NULL;
    self->queues_n = 0;
}

void fair_tree_update_limits(struct policy *self)
{
    const struct policy_queues *from = self->single ? NULL : self->env->queues;

    for (int32_t i = 0; from && i < self->queues_n && (size_t)i < from->n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            struct fair_side *s = &self->queues[i].side[k];

            s->min_slots = policy_limit_to_slots(&from->v[i].min, k, self->env->capacity, 0);
            s->max = policy_limit_to_slots(&from->v[i].max, k, self->env->capacity, INT64_MAX);
        }
}

/* --- keys --- */

/* Returns running / weight in fixed point; for weight 0 the largest key. */
static int64_t running_per_weight_key(int64_t running, double weight)
{
    double r = weight > 0 ? (double)running * RATIO_ONE / weight : (double)RATIO_MAX;

    return r < (double)RATIO_MAX ? (int64_t)r : RATIO_MAX;
}

static int64_t deficit_key(double deficit, bool needy)
{
    double d = deficit > DEFICIT_MAX    ? DEFICIT_MAX
               : deficit < -DEFICIT_MAX ? -DEFICIT_MAX
                                        : deficit;

    return -(int64_t)d - (needy ? NEEDY : 0);
}

/* Jobs and queues below their minimum come first, the one with the smallest part of its minimum
 * before the others; the rest by running / weight. In deficit mode, too, those below their minimum
 * come first; in both groups the largest deficit comes first. */
static int64_t fair_order_key(const struct policy *self, int64_t running, int64_t demand,
                              double min, double weight, double deficit)
{
    double m = min < (double)demand ? min : (double)demand;
    bool needy = (double)running < m;

    if (self->deficits)
        return deficit_key(deficit, needy);
    if (needy)
        return running_per_weight_key(running, m > 1 ? m : 1) - NEEDY;
    return running_per_weight_key(running, weight);
}

void fair_job_update_place(struct policy *self, struct fair_job *fj, enum base_task_kind kind)
{
    struct fair_queue *q = &self->queues[fj->queue];
    int64_t running = fj->running[kind];

    policy_order_place(&q->side[kind].jobs, &fj->job->link[kind], fj->wants[kind] > 0,
                       q->fifo
                           ? -(int64_t)fj->priority
                           : fair_order_key(self, running, running + fj->wants[kind], fj->min[kind],
                                            fj->weight[kind], fj->deficit[kind]));
}

void fair_queue_update_place(struct policy *self, struct fair_queue *q, enum base_task_kind kind)
{
    struct fair_side *s = &q->side[kind];

    if (q->parent >= 0)
        policy_order_place(
            &self->queues[q->parent].side[kind].queues, &s->link, s->wants > 0,
            fair_order_key(self, s->running, fair_demand(s), s->min, q->weight, s->deficit));
}

/* --- counts --- */

/* SOURCE: Hadoop 1's FairScheduler: a factor of two per step of priority, for at most two steps. */
static double weight_factor_of_priority(int32_t priority)
{
    return priority >= 0 ? (double)(1 << (priority > 2 ? 2 : priority))
                         : 1.0 / (1 << (priority < -2 ? 2 : -priority));
}

void fair_job_update_weight(const struct policy *self, struct fair_job *fj)
{
    const struct policy_job *job = fj->job;

    fj->priority = job->priority;
    fj->job_weight = job->weight;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int32_t demand = fj->running[k] + fj->wants[k];

        fj->weight[k] = job->weight * weight_factor_of_priority(job->priority);
        if (self->size_weight && demand > 1)
            fj->weight[k] *= log((double)demand + 1) / log(2);
    }
}

static void set_job_counts(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                           int32_t running, int32_t wants)
{
    int32_t more = running - fj->running[kind], want = wants - fj->wants[kind];
    struct fair_side *own = &self->queues[fj->queue].side[kind];

    fj->running[kind] = running;
    fj->wants[kind] = wants;
    own->own_running += more;
    own->own_wants += want;
    fair_job_update_place(self, fj, kind);
    for (int32_t i = fj->queue; i >= 0; i = self->queues[i].parent) {
        struct fair_queue *q = &self->queues[i];

        q->side[kind].running += more;
        q->side[kind].wants += want;
        fair_queue_update_place(self, q, kind);
    }
}

void fair_job_update_counts(struct policy *self, struct fair_job *fj, enum base_task_kind kind)
{
    const struct policy_phase *phase = &fj->job->phase[kind];

    if (fj->priority != fj->job->priority || fj->job_weight != fj->job->weight)
        fair_job_update_weight(self, fj);
    set_job_counts(self, fj, kind, phase->running + fj->ended[kind],
                   fj->active ? phase->pending + phase->suspended : 0);
}

void fair_job_remove_from_counts(struct policy *self, struct fair_job *fj)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        set_job_counts(self, fj, k, 0, 0);
}

/* --- the job for a free slot --- */

struct walk {
    struct policy *self;
    struct policy_offer *offer;
    enum base_task_kind kind;
    bool held;    /* a job or queue was passed over because of a limit */
    int64_t room; /* slots that the job found may take under the maxima of its queues */
};

/* Returns how many slots @q and the queues above it may still get under their maxima. @most is set
 * to the smallest of these maxima. */
static int64_t room_of_queue(const struct policy *self, int32_t queue, enum base_task_kind kind,
                             int64_t *most)
{
    int64_t room = INT64_MAX;

    *most = INT64_MAX;
    for (int32_t i = queue; i >= 0; i = self->queues[i].parent) {
        const struct fair_side *s = &self->queues[i].side[kind];

        if (s->max == INT64_MAX)
            continue;
        *most = s->max < *most ? s->max : *most;
        room = s->max - s->running < room ? s->max - s->running : room;
    }
    return room;
}

/* How a maximum of a job's queues bears on its wide task. */
enum fair_fit {
    FAIR_FITS,
    FAIR_MUST_WAIT, /* until other tasks have ended; later jobs of the queue wait, too */
    FAIR_NEVER_FITS /* wider than the maximum */
};

/* Tasks of one slot fit: the walk enters no queue without room. */
static enum fair_fit fit_of_job(struct walk *w, const struct policy_job *job)
{
    int64_t most, room, width = policy_job_width(job, w->kind);

    if (job->widest[w->kind] <= 1)
        return FAIR_FITS;
    room = room_of_queue(w->self, fair_job_of(job)->queue, w->kind, &most);
    w->room = room;
    return width <= room ? FAIR_FITS : width <= most ? FAIR_MUST_WAIT : FAIR_NEVER_FITS;
}

/* Returns the first job from @l on that may have this slot; NULL: none. A wide task that exceeds
 * the room under a maximum is not passed over by the queue's later jobs, or it might wait forever.
 */
static struct policy_job *first_eligible_job_from(struct walk *w, struct policy_link *l)
{
    for (; l; l = policy_order_next(l)) {
        struct policy_job *job = policy_link_job(l, w->kind);
        enum fair_fit fit = fit_of_job(w, job);

        if (fit != FAIR_FITS) {
            w->held = true;
            if (fit == FAIR_MUST_WAIT)
                return NULL;
            continue;
        }
        if (!w->self->long_tasks || !fair_long_is_node_full(w->self, fair_job_of(job), w->offer))
            return job;
        w->held = true;
    }
    return NULL;
}

static struct policy_job *first_job_in_queue(struct walk *w, const struct fair_queue *q);

static struct policy_job *first_job_of_queues_from(struct walk *w, struct policy_link *l)
{
    struct policy_job *job = NULL;

    for (; l && !job; l = policy_order_next(l))
        job = first_job_in_queue(w, fair_queue_of(l, w->kind));
    return job;
}

static struct policy_job *first_job_in_queue(struct walk *w, const struct fair_queue *q)
{
    const struct fair_side *s = &q->side[w->kind];
    struct policy_job *job;

    if (s->running >= s->max) {
        w->held = w->held || s->wants > 0;
        return NULL;
    }
    job = first_eligible_job_from(w, s->jobs.first);
    return job ? job : first_job_of_queues_from(w, s->queues.first);
}

static struct policy_job *next_job_after(struct walk *w, const struct policy_job *prev)
{
    const struct fair_queue *q = &w->self->queues[fair_job_of(prev)->queue];
    struct policy_job *job = first_eligible_job_from(w, policy_order_next(&prev->link[w->kind]));

    if (!job)
        job = first_job_of_queues_from(w, q->side[w->kind].queues.first);
    while (!job && q->parent >= 0) {
        job = first_job_of_queues_from(w, policy_order_next(&q->side[w->kind].link));
        q = &w->self->queues[q->parent];
    }
    return job;
}

struct policy_job *fair_next(struct policy *self, struct policy_offer *offer,
                             struct policy_job *prev)
{
    struct walk w = {.self = self, .offer = offer, .kind = offer->kind, .room = INT64_MAX};
    const struct fair_side *root = &self->queues[0].side[offer->kind];
    struct policy_job *job;

    if (!prev && self->spread_cap &&
        offer->node_used >= policy_spread_cap(offer->node_slots, fair_demand(root),
                                              offer->capacity->slots[offer->kind])) {
        offer->held = true;
        return NULL;
    }
    job = prev ? next_job_after(&w, prev) : first_job_in_queue(&w, &self->queues[0]);
    offer->room = job && job->widest[offer->kind] > 1 ? w.room : INT64_MAX;
    if (job)
        offer->no_delay = self->queues[fair_job_of(job)->queue].side[offer->kind].starved;
    else if (w.held || self->waiting_n > 0)
        offer->held = true;
    return job;
}

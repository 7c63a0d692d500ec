/* Preemption: kills tasks of pools above their share for pools that have waited too long for their
 * minimum or their share.
 * SOURCE: Zaharia et al., EuroSys 2010, section 2; Hadoop 1's
 * FairScheduler.preemptTasksIfNecessary. */
#include <stdlib.h>
#include <string.h>

#include "policies/fair/fair_internal.h"

#define EPSILON 1e-9 /* rounding error of shares */

struct fair_candidate {
    struct policy_running r;
    int32_t queue;
};

static int64_t slots_to_preempt_for_queue(const struct policy *self, const struct fair_queue *q,
                                          enum base_task_kind kind)
{
    const struct fair_side *s = &q->side[kind];

    return fair_slots_to_preempt(s->min, s->share, fair_demand(s), s->running,
                                 self->now_us - s->at_min_us > q->min_timeout_us,
                                 self->now_us - s->at_fair_us > q->fair_timeout_us);
}

/* Adds the running attempts of @fj to the candidates. Returns how many slots @fj will keep if none
 * of them is killed. For a job these are the slots of the added attempts, since all others are
 * being killed already; for other applications, containers being killed are counted, too. */
static int64_t add_kill_candidates_of_job(struct policy *self, const struct fair_job *fj,
                                          enum base_task_kind kind, size_t *n)
{
    struct policy_running r;
    void *cursor = NULL;
    int64_t listed = 0;

    while (self->env->running(self->env->core, fj->job, kind, &cursor, &r)) {
        if (r.suspended)
            continue;
        if (*n == self->candidates_cap) {
            self->candidates_cap = *n ? 2 * *n : 256;
            self->candidates = base_realloc_array(self->candidates, self->candidates_cap,
                                                  sizeof *self->candidates);
        }
        self->candidates[(*n)++] = (struct fair_candidate){r, fj->queue};
        listed++;
    }
    return fj->job->is_job ? listed : fj->job->phase[kind].running;
}

/* Newest start first; then the later job, then the larger task number. */
static int by_newest_start(const void *a, const void *b)
{
    const struct policy_running *x = &((const struct fair_candidate *)a)->r,
                                *y = &((const struct fair_candidate *)b)->r;

    if (x->started_us != y->started_us)
        return x->started_us > y->started_us ? -1 : 1;
    if (x->job != y->job)
        return policy_job_before(y->job, x->job) ? -1 : 1;
    return x->task != y->task ? (x->task > y->task ? -1 : 1) : 0;
}

/* Plans kills of @kind, newest attempts first, until @need slots come free. No pool is taken below
 * its share, and none is touched that may not be preempted. */
static void plan_kills(struct policy *self, enum base_task_kind kind, int64_t need,
                       struct policy_plan *plan)
{
    int64_t *left = base_alloc((size_t)self->queues_n * sizeof *left);
    size_t n = 0;

    for (int32_t i = 0; i < self->queues_n; i++) {
        const struct fair_queue *q = &self->queues[i];
        const struct fair_side *s = &q->side[kind];

        if (!q->preempt || (double)(s->own_running - 1) < s->own_share - EPSILON)
            continue;
        for (const struct fair_job *fj = q->first_job; fj; fj = fj->queue_next)
            left[i] += add_kill_candidates_of_job(self, fj, kind, &n);
    }
    if (n > 0)
        qsort(self->candidates, n, sizeof *self->candidates, by_newest_start);
    for (size_t i = 0; i < n && need > 0; i++) {
        int32_t queue = self->candidates[i].queue;

        if ((double)(left[queue] - 1) < self->queues[queue].side[kind].own_share - EPSILON)
            continue;
        left[queue]--;
        need--;
        policy_plan_add(plan, self->candidates[i].r.container, POLICY_VICTIM_KILL);
    }
    free(left);
}

void fair_preempt_for_starved(struct policy *self, struct policy_plan *plan)
{
    if (!self->env->running)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t need = -self->env->capacity->freeing[k];

        for (int32_t i = 0; i < self->queues_n; i++)
            if (self->queues[i].first_job)
                need += slots_to_preempt_for_queue(self, &self->queues[i], k);
        if (need > 0)
            plan_kills(self, k, need, plan);
    }
}

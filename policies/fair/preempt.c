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
        listed += policy_running_slots(&r);
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

/* Returns true when the candidate has not been named, and its queue keeps its share without it.
 * @left: the slots that each queue keeps. */
static bool may_kill(const struct policy *self, const struct fair_candidate *candidate,
                     enum base_task_kind kind, const int64_t *left)
{
    double keeps = (double)(left[candidate->queue] - policy_running_slots(&candidate->r));

    return candidate->r.container &&
           keeps >= self->queues[candidate->queue].side[kind].own_share - EPSILON;
}

/* Collects the attempts of kind @kind that may be killed, newest first. Adds what each queue holds
 * to @left. Returns their number. */
static size_t collect_kill_candidates(struct policy *self, enum base_task_kind kind, int64_t *left)
{
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
    return n;
}

/* Plans kills of the @n candidates, until @need slots come free. No queue is taken below its
 * share. */
static void plan_kills(struct policy *self, enum base_task_kind kind, size_t n, int64_t need,
                       int64_t *left, struct policy_plan *plan)
{
    for (size_t i = 0; i < n && need > 0; i++) {
        int32_t queue = self->candidates[i].queue;

        if (!may_kill(self, &self->candidates[i], kind, left))
            continue;
        left[queue] -= policy_running_slots(&self->candidates[i].r);
        need -= policy_running_slots(&self->candidates[i].r);
        policy_plan_add(plan, self->candidates[i].r.container, POLICY_VICTIM_KILL);
        self->candidates[i].r.container = NULL;
    }
}

/* Clears the node that is reserved for a wide task of @job: plans kills of candidates there until
 * no slot is missing; of none, if they do not hold so many. */
static void plan_kills_on_reserved_node(struct policy *self, const struct policy_job *job,
                                        enum base_task_kind kind, size_t n, int64_t *left,
                                        struct policy_plan *plan)
{
    const struct policy_reserved_node *r = &job->reserved[kind];
    int64_t need = r->missing, *trial = base_alloc((size_t)self->queues_n * sizeof *trial);

    memcpy(trial, left, (size_t)self->queues_n * sizeof *trial);
    for (int pass = 0; pass < 2 && (pass == 0 || need <= 0); pass++) {
        if (pass == 1)
            need = r->missing;
        for (size_t i = 0; i < n && need > 0; i++) {
            struct fair_candidate *candidate = &self->candidates[i];

            if (candidate->r.node != r->node ||
                !may_kill(self, candidate, kind, pass ? left : trial))
                continue;
            need -= policy_running_slots(&candidate->r);
            (pass ? left : trial)[candidate->queue] -= policy_running_slots(&candidate->r);
            if (pass == 0)
                continue;
            policy_plan_add(plan, candidate->r.container, POLICY_VICTIM_KILL);
            candidate->r.container = NULL;
        }
    }
    free(trial);
}

/* Slots of other nodes do not help a wide task: one node is cleared for each starved queue's jobs
 * with a reserved one, and what these tasks need is not preempted elsewhere. Returns the slots that
 * the queue's other tasks need. */
static int64_t clear_nodes_for_wide_tasks(struct policy *self, const struct fair_queue *q,
                                          enum base_task_kind kind, int64_t need, size_t n,
                                          int64_t *left, struct policy_plan *plan)
{
    int64_t narrow = q->side[kind].wants;

    for (const struct fair_job *fj = q->first_job; fj; fj = fj->queue_next) {
        const struct policy_job *job = fj->job;

        if (job->width[kind] <= 1)
            continue;
        narrow -= fj->wants[kind];
        if (fj->active && need > 0 && job->reserved[kind].some &&
            policy_job_needs_node(job, kind)) {
            plan_kills_on_reserved_node(self, job, kind, n, left, plan);
            need -= policy_job_width(job, kind);
        }
    }
    return need < narrow ? need : narrow;
}

void fair_preempt_for_starved(struct policy *self, struct policy_plan *plan)
{
    int64_t *left = NULL;

    if (!self->env->running)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t need = -self->env->capacity->freeing[k];
        int64_t all = 0, of_queue;
        size_t n;

        for (int32_t i = 0; i < self->queues_n; i++)
            if (self->queues[i].first_job)
                all += slots_to_preempt_for_queue(self, &self->queues[i], k);
        if (all <= 0)
            continue;
        left = base_realloc_array(left, (size_t)self->queues_n, sizeof *left);
        memset(left, 0, (size_t)self->queues_n * sizeof *left);
        n = collect_kill_candidates(self, k, left);
        for (int32_t i = 0; i < self->queues_n; i++) {
            of_queue = self->queues[i].first_job
                           ? slots_to_preempt_for_queue(self, &self->queues[i], k)
                           : 0;
            if (of_queue > 0)
                need +=
                    clear_nodes_for_wide_tasks(self, &self->queues[i], k, of_queue, n, left, plan);
        }
        plan_kills(self, k, n, need, left, plan);
    }
    free(left);
}

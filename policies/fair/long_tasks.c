/* Spreads long tasks over the nodes, so that no node is full of them when a short job has data
 * there. A job counts as long until the mean of at least five of its maps shows otherwise.
 * SOURCE: Zaharia et al., EuroSys 2010, section 6 (long task balancing). */
#include <stdlib.h>
#include <string.h>

#include "policies/fair/fair_internal.h"

#define LONG_SAMPLE 5
#define LONG_FACTOR 1.5 /* times the cluster's mean */

static int32_t *count_at(struct fair_node_counts *counts, uint32_t node)
{
    if (node >= counts->n) {
        size_t n = (size_t)node + 1 > 2 * counts->n ? (size_t)node + 1 : 2 * counts->n;

        counts->v = base_realloc_array(counts->v, n, sizeof *counts->v);
        memset(counts->v + counts->n, 0, (n - counts->n) * sizeof *counts->v);
        counts->n = n;
    }
    return &counts->v[node];
}

/* Each job remembers on which nodes its maps are counted, so that no more is subtracted than was
 * added. A map that was being killed when the policy took the job over has not been counted: its
 * end must not make a count negative. */
static void change_long_map_count(struct policy *self, struct fair_job *fj, uint32_t node,
                                  int32_t more)
{
    int32_t *of_job = count_at(&fj->long_on, node);

    if (*of_job + more < 0)
        return;
    *of_job += more;
    *count_at(&self->long_on, node) += more;
    self->long_running += more;
}

static void count_running_maps_of_long_job(struct policy *self, struct fair_job *fj)
{
    struct policy_running r;
    void *cursor = NULL;

    while (self->env->running &&
           self->env->running(self->env->core, fj->job, BASE_TASK_MAP, &cursor, &r))
        if (!r.suspended)
            change_long_map_count(self, fj, r.node, 1);
}

static void stop_counting_job(struct policy *self, struct fair_job *fj)
{
    for (size_t node = 0; node < fj->long_on.n; node++)
        change_long_map_count(self, fj, (uint32_t)node, -fj->long_on.v[node]);
    free(fj->long_on.v);
    fj->long_on = (struct fair_node_counts){0};
    fj->is_long = false;
}

static bool is_job_still_long(const struct policy *self, const struct policy_job *job)
{
    const struct policy_seen *seen = &job->seen[BASE_TASK_MAP];
    const struct policy_learned *l = self->env->learned;

    if (seen->n < LONG_SAMPLE || !l || l->kind[BASE_TASK_MAP].count == 0)
        return true;
    return (double)seen->work_us / seen->n > LONG_FACTOR * (double)l->kind[BASE_TASK_MAP].total_us /
                                                 (double)l->kind[BASE_TASK_MAP].count;
}

void fair_long_add_job(struct policy *self, struct fair_job *fj)
{
    fj->is_long = fj->job->is_job && is_job_still_long(self, fj->job);
    if (fj->is_long)
        count_running_maps_of_long_job(self, fj);
}

/* Maps that are still running when their job leaves no longer count. */
void fair_long_remove_job(struct policy *self, struct fair_job *fj)
{
    if (fj->is_long)
        stop_counting_job(self, fj);
}

void fair_long_count_suspended(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                               uint32_t node, bool suspended)
{
    if (kind == BASE_TASK_MAP && fj->is_long)
        change_long_map_count(self, fj, node, suspended ? -1 : 1);
}

void fair_long_count_started(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                             uint32_t node)
{
    if (kind == BASE_TASK_MAP && fj->is_long)
        change_long_map_count(self, fj, node, 1);
}

void fair_long_count_ended(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                           const struct policy_task_end *end)
{
    if (kind != BASE_TASK_MAP || !fj->is_long)
        return;
    if (!end->suspended)
        change_long_map_count(self, fj, end->node, -1);
    if (!is_job_still_long(self, fj->job))
        stop_counting_job(self, fj);
}

bool fair_long_is_node_full(const struct policy *self, const struct fair_job *fj,
                            const struct policy_offer *offer)
{
    int64_t here = offer->node < self->long_on.n ? self->long_on.v[offer->node] : 0;

    return offer->kind == BASE_TASK_MAP && fj->is_long &&
           here * self->env->capacity->nodes > self->long_running;
}

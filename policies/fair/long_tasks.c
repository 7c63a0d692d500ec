/* Spreads long tasks over the nodes, so that no node is full of them when a short job has data
 * there. A job counts as long until the mean of at least five of its maps shows otherwise.
 * SOURCE: Zaharia et al., EuroSys 2010, section 6 (long task balancing). */
#include <stdlib.h>
#include <string.h>

#include "policies/fair/fair_internal.h"

#define LONG_SAMPLE 5
#define LONG_FACTOR 1.5 /* times the cluster's mean */

static void change_long_map_count(struct policy *self, uint32_t node, int32_t more)
{
    if (node >= self->long_nodes) {
        size_t n =
            (size_t)node + 1 > 2 * self->long_nodes ? (size_t)node + 1 : 2 * self->long_nodes;

        self->long_on = base_realloc_array(self->long_on, n, sizeof *self->long_on);
        memset(self->long_on + self->long_nodes, 0, (n - self->long_nodes) * sizeof *self->long_on);
        self->long_nodes = n;
    }
    self->long_on[node] += more;
    self->long_running += more;
}

void fair_long_forget_node(struct policy *self, uint32_t node)
{
    if (node < self->long_nodes)
        change_long_map_count(self, node, -self->long_on[node]);
}

/* Adds (@more 1) or subtracts (@more -1) all running maps of the job. */
static void change_count_by_running_maps(struct policy *self, const struct fair_job *fj,
                                         int32_t more)
{
    struct policy_running r;
    void *cursor = NULL;

    while (self->env->running &&
           self->env->running(self->env->core, fj->job, BASE_TASK_MAP, &cursor, &r))
        if (!r.suspended)
            change_long_map_count(self, r.node, more);
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
        change_count_by_running_maps(self, fj, 1);
}

/* Maps that are still running when their job leaves no longer count. */
void fair_long_remove_job(struct policy *self, struct fair_job *fj)
{
    if (fj->is_long)
        change_count_by_running_maps(self, fj, -1);
}

void fair_long_count_suspended(struct policy *self, const struct fair_job *fj,
                               enum base_task_kind kind, uint32_t node, bool suspended)
{
    if (kind == BASE_TASK_MAP && fj->is_long)
        change_long_map_count(self, node, suspended ? -1 : 1);
}

void fair_long_count_started(struct policy *self, const struct fair_job *fj,
                             enum base_task_kind kind, uint32_t node)
{
    if (kind == BASE_TASK_MAP && fj->is_long)
        change_long_map_count(self, node, 1);
}

void fair_long_count_ended(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                           const struct policy_task_end *end)
{
    if (kind != BASE_TASK_MAP || !fj->is_long)
        return;
    if (!end->suspended)
        change_long_map_count(self, end->node, -1);
    if (!is_job_still_long(self, fj->job)) {
        change_count_by_running_maps(self, fj, -1);
        fj->is_long = false;
    }
}

bool fair_long_is_node_full(const struct policy *self, const struct fair_job *fj,
                            const struct policy_offer *offer)
{
    int64_t here = offer->node < self->long_nodes ? self->long_on[offer->node] : 0;

    return offer->kind == BASE_TASK_MAP && fj->is_long &&
           here * self->env->capacity->nodes > self->long_running;
}

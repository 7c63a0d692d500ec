#include "policies/common/learned.h"

#include "base/sat.h"
#include "policies/policy.h"

void policy_learned_add_task(struct policy_learned *l, const struct policy_job *job,
                             enum base_task_kind kind, const struct policy_task_end *end)
{
    const struct policy_size *size = &job->size[kind];
    int64_t late, cost = end->work_us - l->kind[kind].startup_us;

    l->kind[kind].sum_us += end->work_us - l->kind[kind].us[l->kind[kind].at];
    l->kind[kind].us[l->kind[kind].at] = end->work_us;
    l->kind[kind].at = (l->kind[kind].at + 1) % POLICY_RECENT;
    l->kind[kind].n += l->kind[kind].n < POLICY_RECENT;
    l->kind[kind].count++;
    l->kind[kind].total_us += end->work_us;
    if (size->given_max_us > 0) {
        late = end->work_us - size->given_max_us;
        if (late > l->kind[kind].late_max_us)
            l->kind[kind].late_max_us = late;
    } else if (end->bytes_in > 0) {
        double per_byte = (double)(cost > 0 ? cost : 0) / (double)end->bytes_in;

        if (per_byte > l->kind[kind].cost_max)
            l->kind[kind].cost_max = per_byte;
        l->kind[kind].cost_sum += per_byte;
        l->kind[kind].sized++;
    }
}

void policy_learned_add_task_of_job(struct policy_learned *l, struct policy_job *job,
                                    enum base_task_kind kind, const struct policy_task_end *end)
{
    struct policy_seen *s = &job->seen[kind];

    s->n++;
    s->work_us = base_sat_add(s->work_us, end->work_us);
    s->bytes_in = base_sat_add(s->bytes_in, end->bytes_in);
    s->bytes_out = base_sat_add(s->bytes_out, end->bytes_out);
    policy_learned_add_task(l, job, kind, end);
}

void policy_learned_add_map_selectivity(struct policy_learned *l, const struct policy_job *job)
{
    const struct policy_seen *maps = &job->seen[BASE_TASK_MAP];
    double eta = maps->bytes_in > 0 ? (double)maps->bytes_out / (double)maps->bytes_in : 0;

    if (eta > l->eta_max)
        l->eta_max = eta;
}

int64_t policy_learned_recent_mean_us(const struct policy_learned *l, enum base_task_kind kind)
{
    return l->kind[kind].n ? l->kind[kind].sum_us / l->kind[kind].n : 0;
}

#include "policies/rtmr/cost.h"

#include <math.h>

double rtmr_cost_shuffle_bytes(const struct policy_learned *l, const struct policy_job *job)
{
    if (job->size[BASE_TASK_REDUCE].bytes > 0)
        return (double)job->size[BASE_TASK_REDUCE].bytes;
    return l->eta_max * (double)job->size[BASE_TASK_MAP].bytes;
}

static int64_t round_up_us(double us)
{
    if (!(us > 1))
        return 1;
    return us < (double)RTMR_COST_MAX ? (int64_t)ceil(us) : RTMR_COST_MAX;
}

/* Returns the input of the largest task in bytes, or the mean if only that is known; 0: unknown. */
static double largest_input_bytes(const struct policy_learned *l, const struct policy_job *job,
                                  enum base_task_kind kind)
{
    int32_t total = job->phase[kind].total;

    if (job->size[kind].bytes_max > 0)
        return (double)job->size[kind].bytes_max;
    if (total <= 0)
        return 0;
    if (kind == BASE_TASK_REDUCE)
        return rtmr_cost_shuffle_bytes(l, job) / total;
    return (double)job->size[kind].bytes / total;
}

int64_t rtmr_cost_longest_task_us(const struct policy_learned *l, const struct policy_job *job,
                                  enum base_task_kind kind, int64_t bootstrap_us)
{
    const int64_t startup = l->kind[kind].startup_us;
    double bytes = largest_input_bytes(l, job, kind);
    int64_t longest = 0;

    if (job->size[kind].given_max_us > 0)
        return round_up_us((double)job->size[kind].given_max_us +
                           (double)l->kind[kind].late_max_us);
    if (bytes > 0 && l->kind[kind].sized > 0)
        return round_up_us(l->kind[kind].cost_max * bytes + (double)startup);
    for (int32_t i = 0; i < l->kind[kind].n; i++)
        longest = l->kind[kind].us[i] > longest ? l->kind[kind].us[i] : longest;
    return round_up_us((double)(longest > 0 ? longest : bootstrap_us));
}

int64_t rtmr_cost_total_work_us(const struct policy_learned *l, const struct policy_job *job,
                                enum base_task_kind kind, int64_t bootstrap_us)
{
    const double total = job->phase[kind].total;
    double bytes =
        kind == BASE_TASK_REDUCE ? rtmr_cost_shuffle_bytes(l, job) : (double)job->size[kind].bytes;
    int64_t recent = policy_learned_recent_mean_us(l, kind);

    if (total <= 0)
        return 0;
    if (job->size[kind].given_us > 0)
        return job->size[kind].given_us;
    if (bytes > 0 && l->kind[kind].sized > 0)
        return round_up_us(l->kind[kind].cost_sum / (double)l->kind[kind].sized * bytes +
                           total * (double)l->kind[kind].startup_us);
    return round_up_us(total * (double)(recent > 0 ? recent : bootstrap_us));
}

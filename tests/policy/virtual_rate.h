/* tests/policy/virtual_rate.h - how many slots a job has in a virtual cluster. */
#ifndef CREEL_TESTS_POLICY_VIRTUAL_RATE_H
#define CREEL_TESTS_POLICY_VIRTUAL_RATE_H

#include "policies/hfsp/virtual_internal.h"

/* The slots that serve @job, by the work that it loses in a tenth of a second: the virtual cluster
 * is that much older afterwards. Nothing may end in that time. */
static inline double virtual_rate(struct virtual_cluster *vc, int32_t job)
{
    const int64_t step_us = 100000;
    double before = virtual_cluster_work_left(vc, job);

    virtual_cluster_advance(vc, vc->now_us + step_us);
    return (before - virtual_cluster_work_left(vc, job)) / (double)step_us;
}

#endif

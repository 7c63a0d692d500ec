/* policies/rtmr/cost.h - how long tasks of a job will take: for promises the longest, for the
 * baseline a mean.
 *
 * In this order: given with the submission (and the most that any attempt ever took beyond what was
 * given with it); the cost per byte the cluster has shown, times the input, plus the start-up term;
 * how long recent tasks of the kind took; a value for a cluster that has shown nothing yet.
 * The input of a reduce is eta * input of the job / number of reduces, eta being the largest ratio
 * of map output to map input seen of a job.
 * SOURCE: He, Lu, Swanson, "Real-Time Scheduling in MapReduce Clusters", HPCC 2013 (eta, cm_max,
 *         cr_max); the start-up term is ours. */
#ifndef CREEL_POLICIES_RTMR_COST_H
#define CREEL_POLICIES_RTMR_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/common/learned.h"
#include "policies/types.h"

#define RTMR_COST_MAX (INT64_C(1) << 50) /* microseconds: 35 years */

/* The longest task of @kind, >= 1 us. @bootstrap_us: when nothing is known. */
int64_t rtmr_cost_longest_us(const struct policy_learned *l, const struct policy_job *job,
                             enum base_task_kind kind, int64_t bootstrap_us);
/* All tasks of @kind together, by mean costs. */
int64_t rtmr_cost_work_us(const struct policy_learned *l, const struct policy_job *job,
                          enum base_task_kind kind, int64_t bootstrap_us);
/* Bytes that the reduces of @job will read together; 0: unknown. */
double rtmr_cost_shuffle_bytes(const struct policy_learned *l, const struct policy_job *job);

#endif

/* policies/rtmr/cost.h - estimates how long the tasks of a job will take: the longest task for
 * promises, the mean for the baseline (dc).
 *
 * The first of these that is known counts: the duration given with the submission (for the longest
 * task plus the most by which any attempt exceeded a given duration); the cluster's cost per byte
 * times the input, plus the start-up time; the durations of recent tasks of the kind; a configured
 * value. Unless it is known, the input of a reduce is eta * input of the job / number of reduces,
 * where eta is the largest ratio of map output to map input of any job so far.
 * SOURCE: He, Lu, Swanson, "Real-Time Scheduling in MapReduce Clusters", HPCC 2013 (eta, cm_max,
 *         cr_max); the start-up term is ours. */
#ifndef CREEL_POLICIES_RTMR_COST_H
#define CREEL_POLICIES_RTMR_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/common/learned.h"
#include "policies/types.h"

#define RTMR_COST_MAX (INT64_C(1) << 50) /* microseconds: 35 years */

/* Returns the duration of the longest task of @kind, >= 1 us. @bootstrap_us is used when nothing is
 * known. */
int64_t rtmr_cost_longest_task_us(const struct policy_learned *l, const struct policy_job *job,
                                  enum base_task_kind kind, int64_t bootstrap_us);
/* Returns the sum of the durations of all tasks of @kind, by mean costs. */
int64_t rtmr_cost_total_work_us(const struct policy_learned *l, const struct policy_job *job,
                                enum base_task_kind kind, int64_t bootstrap_us);
/* Returns the number of bytes that all reduces of @job together will read; 0: unknown. */
double rtmr_cost_shuffle_bytes(const struct policy_learned *l, const struct policy_job *job);

#endif

/* policies/common/learned.h - statistics of the cluster's finished tasks, kept when the policy is
 * changed.
 * SOURCE: RTMR, He, Lu, Swanson, HPCC 2013 (eta, cm_max, cr_max); HFSP's recent means. */
#ifndef CREEL_POLICIES_COMMON_LEARNED_H
#define CREEL_POLICIES_COMMON_LEARNED_H

#include <stdint.h>

#include "policies/types.h"

#define POLICY_RECENT 50 /* completed tasks of a kind that count as recent */

struct policy_task_end;

struct policy_learned { /* all zero at first */
    struct {
        int64_t us[POLICY_RECENT], sum_us; /* work_us of recent tasks, a ring; and their sum */
        int32_t n, at;                     /* entries used, next entry of the ring */
        int64_t count, total_us;           /* of all completed tasks: number, sum of work_us */
        double cost_max, cost_sum; /* over @sized tasks: microseconds per byte of input, without the
                                      start-up time */
        int64_t sized;             /* tasks without a given duration whose input size is known */
        int64_t late_max_us; /* the most by which an attempt exceeded the longest duration given for
                                its job */
        int64_t startup_us; /* part of a task's time that does not grow with its input; set from the
                               options of the core, or of rtmr */
    } kind[BASE_TASK_KINDS];
    double eta_max; /* shuffle bytes per input byte: the maximum over jobs */
};

/* Adds a successful attempt of @job. O(1). */
void policy_learned_add_task(struct policy_learned *l, const struct policy_job *job,
                             enum base_task_kind kind, const struct policy_task_end *end);
/* The same, and adds the attempt to job->seen. */
void policy_learned_add_task_of_job(struct policy_learned *l, struct policy_job *job,
                                    enum base_task_kind kind, const struct policy_task_end *end);
/* Adds the selectivity of @job, whose maps are all done: bytes out of its maps per byte into them.
 */
void policy_learned_add_map_selectivity(struct policy_learned *l, const struct policy_job *job);
/* Returns the mean duration of recent tasks, 0 if there are none. */
int64_t policy_learned_recent_mean_us(const struct policy_learned *l, enum base_task_kind kind);

#endif

/* policies/common/learned.h - what the cluster has shown about its tasks: outlives changes of
 * policy.
 * SOURCE: RTMR, He, Lu, Swanson, HPCC 2013 (eta, cm_max, cr_max); HFSP's recent means. */
#ifndef CREEL_POLICIES_COMMON_LEARNED_H
#define CREEL_POLICIES_COMMON_LEARNED_H

#include <stdint.h>

#include "policies/types.h"

#define POLICY_RECENT 50 /* last completed tasks of a kind */

struct policy_task_end;

struct policy_learned { /* zero: nothing yet */
    struct {
        int64_t us[POLICY_RECENT], sum_us; /* ring of work_us */
        int32_t n, at;
        int64_t count, total_us;   /* over all */
        double cost_max, cost_sum; /* microseconds per byte of input, start-up term taken off; over
                                      @sized tasks */
        int64_t sized;
        int64_t late_max_us; /* most that an attempt took beyond the duration given with it */
        int64_t startup_us;  /* the fixed term of a task's time: cost = startup + c * size; set by
                                the core's options */
    } kind[BASE_TASK_KINDS];
    double eta_max; /* shuffle bytes per input byte, largest seen of a job */
};

/* A successful attempt of @job ended. O(1). */
void policy_learned_task(struct policy_learned *l, const struct policy_job *job,
                         enum base_task_kind kind, const struct policy_task_end *end);
/* All maps of @job are done. */
void policy_learned_maps(struct policy_learned *l, const struct policy_job *job);
/* Mean of the recent ones, 0: none yet. */
int64_t policy_learned_recent_us(const struct policy_learned *l, enum base_task_kind kind);

#endif

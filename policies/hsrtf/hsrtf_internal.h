/* policies/hsrtf/hsrtf_internal.h - the state of hSRTF; for its own files alone. */
#ifndef CREEL_POLICIES_HSRTF_HSRTF_INTERNAL_H
#define CREEL_POLICIES_HSRTF_HSRTF_INTERNAL_H

#include "policies/hsrtf/formulas.h"
#include "policies/policy.h"

struct hsrtf_job { /* policy_job.own */
    struct policy_job *job;
    struct hsrtf_job *prev, *next;   /* all jobs, in order of arrival */
    int64_t avg_us[BASE_TASK_KINDS]; /* estimated duration of a task */
    int64_t own_us[BASE_TASK_KINDS]; /* the same from its own tasks alone; 0: none of them has shown
                                        anything yet */
    int64_t rt_us;                   /* equation 1 on the whole cluster */
    int64_t key;                     /* place in the orders: rt_us, or a rank (hsrtf.tie=work) */
    double share;                    /* of the cluster, proportional variants */
    double epoch_share;              /* the same at the last epoch, 0: it was not here then */
    int64_t target[BASE_TASK_KINDS];
    bool demanded[BASE_TASK_KINDS];            /* it had demand when the target was computed */
    struct policy_link below[BASE_TASK_KINDS]; /* among those with running < target */
    struct policy_link busy[BASE_TASK_KINDS];  /* preempting variants: among those that run
                                                  something, longest first */
    struct hsrtf_killed {
        int64_t at_us; /* last, 0: never */
        int32_t times;
    } * killed[BASE_TASK_KINDS]; /* preempting variants: by task; [killed_n] is shared by all others
                                  */
    int32_t killed_n[BASE_TASK_KINDS];
};

/* One per job while all are recomputed. Room is made when jobs arrive. */
struct hsrtf_scratch {
    struct hsrtf_job *own;
    int64_t work_us;
};

struct policy {
    const struct policy_env *env;
    bool proportional, preempts; /* the variant */
    bool ties_by_work, fluid;    /* options */
    int64_t epoch_us, guard_us;
    struct hsrtf_job *first, *last;
    size_t n, room;
    int64_t last_us;                   /* of the last recomputation */
    int64_t prior_us[BASE_TASK_KINDS]; /* what jobs without data took over then */
    double inverse_sum;                /* sum of 1 / remaining time then */
    int64_t
        ended_us[BASE_TASK_KINDS]; /* averages of the job that left last having some, 0: unknown */
    struct policy_order all[BASE_TASK_KINDS],
        below[BASE_TASK_KINDS]; /* jobs with something to launch or resume */
    struct policy_order busy[BASE_TASK_KINDS];
    struct hsrtf_scratch *scratch; /* these have [room] places */
    struct hsrtf_claim *claims;
    int64_t *rts_us;
    double *shares, *starvations;
};

/* Mean duration of @own's finished tasks and of those that run (elapsed / progress); keeps the old
 * one when there are none. O(running tasks of the job). */
void hsrtf_observe(const struct policy *self, struct hsrtf_job *own, int64_t now_us);
/* Averages, remaining times and keys of all jobs from what is known of each. O(jobs). */
void hsrtf_estimate(struct policy *self);
/* The same of one job, with what the others had at the last recomputation; its share from equation
 * 3. */
void hsrtf_estimate_one(const struct policy *self, struct hsrtf_job *own);
/* Shares and targets (equations 3 to 5). @epoch: these shares are what the next ones start from.
 * O(jobs log jobs). */
void hsrtf_share(struct policy *self, int64_t now_us, bool epoch);
/* What a job that had no demand of @kind when shares were computed may have until they are computed
 * again. */
int64_t hsrtf_target_until_epoch(const struct policy *self, const struct hsrtf_job *own,
                                 enum base_task_kind kind);

#endif

/* policies/hsrtf/hsrtf_internal.h - the state of hSRTF, shared by its files. */
#ifndef CREEL_POLICIES_HSRTF_HSRTF_INTERNAL_H
#define CREEL_POLICIES_HSRTF_HSRTF_INTERNAL_H

#include "policies/hsrtf/formulas.h"
#include "policies/policy.h"

struct hsrtf_job { /* policy_job.own */
    struct policy_job *job;
    struct hsrtf_job *prev, *next;   /* all jobs, in order of arrival */
    int64_t avg_us[BASE_TASK_KINDS]; /* estimated duration of a task */
    int64_t own_us[BASE_TASK_KINDS]; /* estimate from the job's own tasks; 0: no measurement yet */
    int64_t rt_us;                   /* remaining time on the whole cluster (equation 1) */
    int64_t key;                     /* place in the orders: rt_us, or a rank (hsrtf.tie=work) */
    double share;                    /* of the cluster; proportional variants */
    double epoch_share; /* share at the last epoch; 0: the job had not arrived, or has had no
                           unfinished task since */
    int64_t target[BASE_TASK_KINDS];
    bool demanded[BASE_TASK_KINDS];            /* had demand when the target was computed */
    struct policy_link below[BASE_TASK_KINDS]; /* in policy.below, while running < target */
    struct policy_link busy[BASE_TASK_KINDS];  /* in policy.busy; preempting variants */
    /* preempting variants: kills of each task; entry [killed_n] stands for all other containers */
    struct hsrtf_killed {
        int64_t at_us; /* the last kill, 0: none */
        int32_t times;
    } * killed[BASE_TASK_KINDS];
    int32_t killed_n[BASE_TASK_KINDS];
};

/* An entry per job, used while all jobs are recomputed. Memory is allocated when jobs arrive. */
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
    int64_t last_us;                   /* time of the last recomputation */
    int64_t prior_us[BASE_TASK_KINDS]; /* durations assumed then for jobs without measurements */
    double inverse_sum;                /* sum of 1 / remaining time then */
    /* average durations of the last job that left after some of its tasks had ended; 0: unknown */
    int64_t ended_us[BASE_TASK_KINDS];
    /* jobs with tasks to launch or resume, by key: all of them; those below their target */
    struct policy_order all[BASE_TASK_KINDS], below[BASE_TASK_KINDS];
    struct policy_order busy[BASE_TASK_KINDS]; /* jobs with running tasks, longest rt_us first */
    struct hsrtf_scratch *scratch;             /* this and the arrays below have [room] entries */
    struct hsrtf_claim *claims;
    int64_t *rts_us;
    double *shares, *starvations;
};

/* Sets own_us to the mean duration of the job's finished tasks and its running ones (elapsed /
 * progress), and keeps the previous value when there are none. O(running tasks of the job). */
void hsrtf_measure_task_durations(const struct policy *self, struct hsrtf_job *own, int64_t now_us);
/* Computes averages, remaining times and keys of all jobs. O(jobs), or O(jobs log jobs) with
 * hsrtf.tie=work. */
void hsrtf_estimate_all_jobs(struct policy *self);
/* The same for one job, with the values that the other jobs got at the last recomputation; also
 * sets its share by equation 3. */
void hsrtf_estimate_job(const struct policy *self, struct hsrtf_job *own);
/* Computes shares and targets of all jobs (equations 3 to 5). @epoch: the next computations start
 * from these shares. O(jobs log jobs). */
void hsrtf_compute_shares(struct policy *self, int64_t now_us, bool epoch);
/* Returns the target, until shares are computed again, of a job that had no demand of @kind when
 * they were computed last. */
int64_t hsrtf_provisional_target(const struct policy *self, const struct hsrtf_job *own,
                                 enum base_task_kind kind);

#endif

/* policies/rtmr/rtmr_internal.h - state of the rtmr policy, shared by policies/rtmr/rtmr.c (jobs
 * with deadlines), policies/rtmr/best_effort.c (those without) and policies/rtmr/explain.c (what
 * people read). */
#ifndef CREEL_POLICIES_RTMR_RTMR_INTERNAL_H
#define CREEL_POLICIES_RTMR_RTMR_INTERNAL_H

#include <sys/queue.h>

#include "policies/policy.h"
#include "policies/rtmr/queue.h"

enum rtmr_best_effort_order {
    RTMR_BEST_EFFORT_FIFO,
    RTMR_BEST_EFFORT_FAIR,
    RTMR_BEST_EFFORT_HSRTF
};

struct rtmr_job { /* policy_job.own */
    struct policy_job *job;
    struct rtmr_entry *entry;                                   /* NULL: without deadline */
    LIST_ENTRY(rtmr_job) in_best_effort;                        /* when entry is NULL */
    int32_t running[BASE_TASK_KINDS], pending[BASE_TASK_KINDS]; /* as counted in the sums */
    int32_t maps_done;
    bool broke; /* it was said that the precondition does not hold for it */
};
struct policy {
    const struct policy_env *env;
    struct rtmr_queue q;
    struct policy_order order[BASE_TASK_KINDS]; /* jobs with deadlines that have something to start,
                                                   in queue order */
    struct policy_order beside[BASE_TASK_KINDS]; /* the others */
    LIST_HEAD(, rtmr_job) best_effort;           /* all jobs without deadline */
    /* sums; [0]: without deadline, [1]: with one. Applications that are no jobs: beside_used
     * alone */
    int64_t running[2][BASE_TASK_KINDS], pending[2][BASE_TASK_KINDS];
    int64_t
        beside_used[BASE_TASK_KINDS]; /* slots of all without deadline, masters not known here */
    struct rtmr_entry *candidate;     /* accepted, its job will arrive at once */
    bool anew;          /* since the last admission what plans rest on has changed: begin anew */
    int64_t adopted_us; /* jobs were taken over then and are not all estimated yet; 0: no */
    struct rtmr_busy busy[BASE_TASK_KINDS], later[BASE_TASK_KINDS];
    int64_t slots[BASE_TASK_KINDS]; /* as the queue knows them */
    /* options */
    bool literal, feedback, be_kill;
    enum rtmr_best_effort_order be_order;
    double be_share;
    int64_t delta_us, eps_margin_us, offer_margin_us, bootstrap_us[BASE_TASK_KINDS];
};

static inline struct rtmr_job *rtmr_job_of(const struct policy_job *job)
{
    return job->own;
}

/* The longest time for which a task of @job holds its slot: the longest task, one heartbeat, the
 * margin. */
int64_t rtmr_eps_us(const struct policy *self, const struct policy_job *job,
                    enum base_task_kind kind);
/* The latest time at which the attempt leaves its slot. An attempt past its bound may run as long
 * again. */
int64_t rtmr_latest_end_us(const struct policy_running *r, int64_t eps_us, int64_t now_us);

/* When the slot of an attempt killed at @now_us is free: its node hears of the kill in its next
 * heartbeat and reports the end in the one after. */
int64_t rtmr_kill_end_us(const struct policy *self, int64_t now_us);

/* policies/rtmr/best_effort.c */
void rtmr_best_effort_reorder(struct policy *self, struct rtmr_job *own, enum base_task_kind kind);
/* The job without deadline after @prev (NULL: the first) that may have the slot within their share.
 */
struct policy_job *rtmr_best_effort_next(const struct policy *self, struct policy_offer *offer,
                                         const struct policy_job *prev);
/* Fills self->busy with the tasks without deadline that run now. */
void rtmr_best_effort_list_busy(struct policy *self, int64_t now_us);
/* Fills self->later: the longest-lasting tasks without deadline that may run at @at_us, when such
 * jobs keep the slots they hold. Call it after rtmr_best_effort_list_busy(). */
void rtmr_best_effort_predict_busy(struct policy *self, int64_t now_us, int64_t at_us);
void rtmr_best_effort_name_victims(struct policy *self, const struct policy_offer *offer,
                                   const struct policy_running *here, size_t n,
                                   struct policy_plan *plan);

/* policies/rtmr/explain.c */
void rtmr_word_refusal(const struct policy *self, const struct rtmr_entry *e,
                       const struct rtmr_verdict *v, int64_t offer_us, struct policy_promise *out);
void rtmr_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out);
/* Logs once per job that a task ran longer than promises assume. */
void rtmr_warn_task_outlasted_bound(struct policy *self, struct rtmr_job *own,
                                    enum base_task_kind kind, int64_t took_us);
/* Logs that the job ended later than promised, if it did. */
void rtmr_warn_late_job(struct policy *self, const struct rtmr_job *own, int64_t now_us);
/* Logs the promises that no longer hold after @what, an event that the guarantee leaves out. */
void rtmr_warn_lost_promises(struct policy *self, const char *what);

#endif

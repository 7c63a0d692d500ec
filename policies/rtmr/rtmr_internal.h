/* policies/rtmr/rtmr_internal.h - state of the rtmr policy, shared by policies/rtmr/rtmr.c (jobs with deadlines), policies/rtmr/best_effort.c
 * (those without) and policies/rtmr/explain.c (what people read). */
#ifndef CREEL_POLICIES_RTMR_RTMR_INTERNAL_H
#define CREEL_POLICIES_RTMR_RTMR_INTERNAL_H

#include "policies/policy.h"
#include "policies/rtmr/queue.h"

enum rtmr_beside_order { RTMR_BESIDE_FIFO, RTMR_BESIDE_FAIR, RTMR_BESIDE_HSRTF };

struct rtmr_job { /* policy_job.own */
    struct policy_job *job;
    struct rtmr_entry *entry;                             /* NULL: without deadline */
    struct rtmr_job *prev, *next;                         /* jobs without deadline */
    int32_t running[BASE_TASK_KINDS], pending[BASE_TASK_KINDS]; /* as counted in the sums */
    int32_t maps_done;
    bool broke;                                           /* it was said that the precondition does not hold for it */
};
struct policy {
    const struct policy_env *env;
    struct rtmr_queue q;
    struct policy_order order[BASE_TASK_KINDS];  /* jobs with deadlines that have something to start, in queue order */
    struct policy_order beside[BASE_TASK_KINDS]; /* the others */
    struct rtmr_job *first;                   /* jobs without deadline */
    /* sums; [0]: without deadline, [1]: with one. Applications that are no jobs: beside_used alone */
    int64_t running[2][BASE_TASK_KINDS], pending[2][BASE_TASK_KINDS];
    int64_t beside_used[BASE_TASK_KINDS]; /* slots of all without deadline, masters not known here */
    struct rtmr_entry *candidate;      /* accepted, its job will arrive at once */
    bool anew;                         /* since the last admission what plans rest on has changed: begin anew */
    int64_t adopted_us;                /* jobs were taken over then and are not all estimated yet; 0: no */
    struct rtmr_busy busy[BASE_TASK_KINDS], later[BASE_TASK_KINDS];
    int64_t slots[BASE_TASK_KINDS]; /* as the queue knows them */
    /* options */
    bool literal, feedback, be_kill;
    enum rtmr_beside_order be_order;
    double be_share;
    int64_t delta_us, eps_margin_us, offer_margin_us, bootstrap_us[BASE_TASK_KINDS];
};

static inline struct rtmr_job *rtmr_job_of(const struct policy_job *job)
{
    return job->own;
}

/* How long a slot is taken by a task of @job at most: its longest task, one heartbeat, the margin. */
int64_t rtmr_eps_us(const struct policy *self, const struct policy_job *job, enum base_task_kind kind);
/* Until when the attempt holds its slot at most. One that has outlasted its bound may run as long again. */
int64_t rtmr_until_us(const struct policy_running *r, int64_t eps_us, int64_t now_us);

/* When the slot of an attempt is free that is killed from @now_us on: its node is told so in its next heartbeat, and
 * says in the one after that that it has ended. */
int64_t rtmr_killed_us(const struct policy *self, int64_t now_us);

/* policies/rtmr/best_effort.c */
void rtmr_beside_changed(struct policy *self, struct rtmr_job *own, enum base_task_kind kind);
/* The next one after @prev (NULL: the first), within their share. */
struct policy_job *rtmr_beside_next(const struct policy *self, struct policy_offer *offer,
                                    const struct policy_job *prev);
/* Fills self->busy with what runs now. */
void rtmr_beside_busy(struct policy *self, int64_t now_us);
/* Fills self->later: the worst that may run at @at_us, when slots of jobs without deadline are taken by such again.
 * After rtmr_beside_busy(). */
void rtmr_beside_later(struct policy *self, int64_t now_us, int64_t at_us);
void rtmr_beside_victims(struct policy *self, const struct policy_offer *offer, const struct policy_running *here,
                         size_t n, struct policy_plan *plan);

/* policies/rtmr/explain.c */
void rtmr_refusal(const struct policy *self, const struct rtmr_entry *e, const struct rtmr_verdict *v, int64_t offer_us,
                  struct policy_promise *out);
void rtmr_explain(const struct policy *self, const struct policy_job *job, int64_t now_us, struct base_buf *out);
/* A task of @own ran longer than what promises rest on. */
void rtmr_say_broke(struct policy *self, struct rtmr_job *own, enum base_task_kind kind, int64_t took_us);
/* @e ended at @now_us: says so if it is later than promised. */
void rtmr_say_late(struct policy *self, const struct rtmr_job *own, int64_t now_us);
/* Estimates were calculated anew because of @what, which the guarantee leaves out: says which promises do not hold. */
void rtmr_say_lost(struct policy *self, const char *what);

#endif

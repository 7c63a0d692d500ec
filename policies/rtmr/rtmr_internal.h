/* policies/rtmr/rtmr_internal.h - state of the rtmr policy, shared by rtmr.c (jobs with deadlines),
 * best_effort.c (jobs without), reserved.c (reservations) and explain.c (messages to users and
 * operators). */
#ifndef CREEL_POLICIES_RTMR_RTMR_INTERNAL_H
#define CREEL_POLICIES_RTMR_RTMR_INTERNAL_H

#include <sys/queue.h>

#include "policies/common/slot_calendar.h"
#include "policies/policy.h"
#include "policies/rtmr/queue.h"

enum rtmr_best_effort_order {
    RTMR_BEST_EFFORT_FIFO,
    RTMR_BEST_EFFORT_FAIR,
    RTMR_BEST_EFFORT_HSRTF
};

struct rtmr_job;
/* The policy's own data of a reservation (policy_reservation.own). Jobs of the reservation are jobs
 * without deadline that get slots before all others, up to the number booked. */
struct rtmr_reservation {
    struct policy_reservation *r;
    struct rtmr_entry *entry;                     /* in the queue */
    struct slot_calendar booked[BASE_TASK_KINDS]; /* its bookings */
    LIST_HEAD(, rtmr_job) jobs;
    int64_t running[BASE_TASK_KINDS];  /* attempts and containers of its jobs, without masters */
    int64_t unlisted[BASE_TASK_KINDS]; /* of these, still to be left out of the busy slots: a window
                                          holds their slots */
    TAILQ_ENTRY(rtmr_reservation) link;
};
struct rtmr_job { /* policy_job.own */
    struct policy_job *job;
    struct rtmr_entry *entry;                                   /* NULL: without deadline */
    LIST_ENTRY(rtmr_job) in_best_effort;                        /* when entry is NULL */
    struct rtmr_reservation *reservation;                       /* NULL: none */
    LIST_ENTRY(rtmr_job) in_reservation;                        /* when it has one */
    int32_t running[BASE_TASK_KINDS], pending[BASE_TASK_KINDS]; /* as included in the sums */
    int32_t total[BASE_TASK_KINDS]; /* planned; the master of a job may ask for more */
    int32_t maps_done;
    bool broke; /* a task exceeded its bound, and this has been logged */
};
struct policy {
    const struct policy_env *env;
    struct rtmr_queue q;
    struct policy_order order[BASE_TASK_KINDS]; /* jobs with deadlines that have something to start,
                                                   in queue order */
    struct policy_order beside[BASE_TASK_KINDS]; /* jobs without deadline that have something to
                                                    start, by rtmr.be_order */
    LIST_HEAD(, rtmr_job) best_effort;           /* all jobs without deadline */
    /* sums over jobs; [0]: without deadline, [1]: with deadline */
    int64_t running[2][BASE_TASK_KINDS], pending[2][BASE_TASK_KINDS];
    /* slots used by jobs without deadline and by containers of other applications, not by masters
     */
    int64_t beside_used[BASE_TASK_KINDS];
    TAILQ_HEAD(rtmr_reservations, rtmr_reservation) reservations;
    struct slot_calendar booked[BASE_TASK_KINDS]; /* for all reservations together */
    struct rtmr_entry *candidate; /* accepted by the last admission; its job is about to arrive */
    bool anew;          /* the plan's assumptions no longer hold: plan anew at the next admission */
    int64_t adopted_us; /* when jobs that are not estimated yet were adopted; 0: none */
    /* slots held by best-effort attempts: now, and predicted for the time of a new submission */
    struct rtmr_busy busy[BASE_TASK_KINDS], later[BASE_TASK_KINDS];
    int64_t slots[BASE_TASK_KINDS]; /* number of slots in the queue's profiles */
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

/* Returns the longest time for which a task of @job holds its slot: the longest task, plus a
 * heartbeat and the configured margin. */
int64_t rtmr_longest_hold_us(const struct policy *self, const struct policy_job *job,
                             enum base_task_kind kind);
/* Returns the latest time at which the attempt leaves its slot. An attempt past its bound may run
 * as long again. */
int64_t rtmr_latest_end_us(const struct policy_running *r, int64_t eps_us, int64_t now_us);

/* Returns the latest time at which the slot of an attempt killed at @now_us is free: the node
 * receives the order in its next heartbeat and reports the end in the following one. */
int64_t rtmr_free_after_kill_us(const struct policy *self, int64_t now_us);

/* Brings the plan up to date before a test: capacity, adopted jobs, self->busy. */
void rtmr_prepare_test(struct policy *self, int64_t now_us);
/* Drops the job accepted last, which has not arrived. */
void rtmr_drop_candidate(struct policy *self);
/* Notes that @e has started: @e and all entries before it in the queue are no longer overtaken. */
void rtmr_mark_started(struct policy *self, struct rtmr_entry *e, int64_t now_us);

/* policies/rtmr/reserved.c */
bool rtmr_reserve(struct policy *self, struct policy_reservation *r, struct policy_reservation *old,
                  int64_t now_us);
void rtmr_on_reserved(struct policy *self, struct policy_reservation *r, int64_t now_us);
void rtmr_on_unreserved(struct policy *self, struct policy_reservation *r, int64_t now_us);
void rtmr_on_booking_step(struct policy *self, int64_t now_us, struct policy_plan *plan);
/* Makes @own one of the jobs of its reservation, or takes it out; the reservation stays. */
void rtmr_job_join_reservation(struct rtmr_job *own);
void rtmr_job_leave_reservation(struct rtmr_job *own);
/* Returns the number of slots of @kind booked now that attempts of the reservations' jobs use. */
int64_t rtmr_reserved_in_use(const struct policy *self, enum base_task_kind kind, int64_t now_us);
/* Returns how many free slots must stay free when a task of @job starts now: those that are booked
 * at any time while the task may run, and are not in use. For a job with a deadline only the
 * reservations before it in the queue count. */
int64_t rtmr_reserved_keep_free(const struct policy *self, const struct policy_job *job,
                                enum base_task_kind kind, int64_t now_us);
/* Returns the job after @prev (NULL: the first) that may use a slot booked for its reservation;
 * NULL: none. */
struct policy_job *rtmr_reserved_next(const struct policy *self, const struct policy_offer *offer,
                                      const struct policy_job *prev);

/* policies/rtmr/best_effort.c */
void rtmr_best_effort_update_order(struct policy *self, struct rtmr_job *own,
                                   enum base_task_kind kind);
/* Returns the job without deadline after @prev (NULL: the first) for the offered slot, or NULL when
 * there is none or their share of the slots is used up (rtmr.be_share). */
struct policy_job *rtmr_best_effort_next(const struct policy *self, struct policy_offer *offer,
                                         const struct policy_job *prev);
/* Fills self->busy with the slots that are held by anything but jobs with deadlines. */
void rtmr_best_effort_list_busy_slots(struct policy *self, int64_t now_us);
/* Fills self->later with the worst case for @at_us: the most and longest attempts without deadline
 * that may run then. Call it after rtmr_best_effort_list_busy_slots(). */
void rtmr_best_effort_predict_busy_slots(struct policy *self, int64_t now_us, int64_t at_us);
/* Adds to @plan task attempts of jobs without deadline that run on the offering node, at most one
 * for each slot that jobs with deadlines lack which would take one there. Does nothing unless
 * rtmr.be_kill is set. */
void rtmr_best_effort_name_victims(struct policy *self, const struct policy_offer *offer,
                                   const struct policy_running *here, size_t n,
                                   struct policy_plan *plan);

/* policies/rtmr/explain.c */
/* Sets @out to the refusal of @e: the reason in words, and the offered deadline (0: none). */
void rtmr_explain_refusal(const struct policy *self, const struct rtmr_entry *e,
                          const struct rtmr_verdict *v, int64_t offer_us,
                          struct policy_promise *out);
void rtmr_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out);
/* Logs, once per job, that a task ran longer than promises assume. */
void rtmr_warn_task_outlasted_bound(struct policy *self, struct rtmr_job *own,
                                    enum base_task_kind kind, int64_t took_us);
/* Logs that the job ended later than promised, if it did. */
void rtmr_warn_if_job_late(struct policy *self, const struct rtmr_job *own, int64_t now_us);
/* Logs the promises that no longer hold after @what, an event that the guarantee does not cover. */
void rtmr_warn_lost_promises(struct policy *self, const char *what);

#endif

/* policies/fair/fair_internal.h - state of the fair scheduler, shared by its files.
 *
 *     tree.c        the queue tree: each queue orders its jobs and its child queues, separately for
 *                   each kind and always up to date; finds the job for a free slot
 *     app_limits.c  limits of running applications
 *     long_tasks.c  balances long tasks over nodes
 *     timer.c       computes shares, deficits and time-outs at fixed intervals
 *     preempt.c     preemption
 *     shares.c      the arithmetic of shares
 *
 * When a task starts or ends, the counts of its job's queue and of all queues above change:
 * O(depth * log jobs). Only the deficit mode uses shares for the order; the timer computes them. */
#ifndef CREEL_POLICIES_FAIR_FAIR_INTERNAL_H
#define CREEL_POLICIES_FAIR_FAIR_INTERNAL_H

#include "policies/common/commit_delay.h"
#include "policies/common/queues.h"
#include "policies/fair/shares.h"
#include "policies/policy.h"

struct fair_side {   /* a queue's slots of one kind, including those of its child queues */
    int64_t running; /* of running tasks of all jobs */
    int64_t wants;   /* that pending and suspended tasks of active jobs need */
    int64_t own_running, own_wants; /* the same without child queues */
    int64_t max;                    /* slots; INT64_MAX: no limit */
    int64_t min_slots;              /* as configured */
    double min; /* slots; scaled down by the timer when the minima of root's children do not fit */
    double share;
    int64_t share_slots;
    double own_share;              /* part of the share for the queue's own jobs */
    double deficit;                /* task-microseconds below the share; deficit mode */
    int64_t at_min_us, at_fair_us; /* last time at its minimum, at its part of the fair share */
    bool starved;                  /* past one of its time-outs */
    struct policy_link link;       /* in the parent's order of queues */
    struct policy_order jobs, queues;
};
struct fair_queue {
    uint64_t born; /* that of the queue it stands for */
    struct fair_side side[BASE_TASK_KINDS];
    int32_t parent, first, next; /* parent, first child, next sibling; -1: none */
    double weight;
    bool fifo, preempt;
    int32_t active, max_active; /* running applications, child queues included; their limit */
    struct fair_job *first_job, *last_job; /* jobs of the queue itself */
    int64_t min_timeout_us, fair_timeout_us;
    double threshold;
    struct policy_order waiting; /* jobs over a limit of running applications */
};
struct fair_node_counts { /* grows as needed; nodes beyond @n have 0 */
    int32_t *v;
    size_t n;
};
struct fair_job {
    struct policy_job *job;
    struct fair_job *prev, *next;             /* all jobs */
    struct fair_job *queue_prev, *queue_next; /* jobs of its queue, in order of arrival */
    int32_t queue;                            /* -1: not entered yet */
    int32_t priority;                         /* as included in weight */
    double job_weight;                        /* as included in weight */
    double weight[BASE_TASK_KINDS];
    bool active; /* counts as a running application of its queues and user */
    bool is_long;
    struct fair_node_counts long_on; /* running maps that are counted as long */
    int32_t running[BASE_TASK_KINDS], wants[BASE_TASK_KINDS]; /* as counted in its queues */
    /* slots of ended tasks that still count as running (commit_delay) */
    int32_t ended[BASE_TASK_KINDS];
    double min[BASE_TASK_KINDS], deficit[BASE_TASK_KINDS]; /* deficit mode */
    struct policy_link wait; /* in its queue's order of waiting jobs */
};
struct fair_user {
    int32_t active, max;
};
struct policy {
    const struct policy_env *env;
    bool started; /* the timer has run */
    bool single;  /* a single pool for all jobs: processor sharing */
    bool deficits, size_weight, spread_cap, preemption, long_tasks;
    int64_t update_us, preemption_us;
    struct fair_queue *queues;
    int32_t queues_n;
    struct fair_job *first, *last; /* in order of arrival */
    struct fair_user *users;
    int32_t users_n;
    size_t waiting_n; /* jobs over a limit */
    int64_t now_us, updated_us, next_preemption_us;
    int64_t fits_since_us; /* the number of slots has not changed since */
    int64_t slots[BASE_TASK_KINDS];
    bool warned[BASE_TASK_KINDS]; /* about minima that do not fit */
    struct commit_delay commit;
    struct fair_node_counts long_on; /* sums of the jobs' long_on */
    int64_t long_running;
    /* scratch of the timer */
    struct fair_scratch scratch;
    struct fair_entity *entities;
    int64_t *whole;
    void **owners; /* of entities */
    size_t entities_cap;
    struct fair_candidate *candidates;
    size_t candidates_cap;
};

static inline struct fair_job *fair_job_of(const struct policy_job *job)
{
    return job->own;
}
static inline struct fair_queue *fair_queue_of(struct policy_link *l, enum base_task_kind kind)
{
    return (struct fair_queue *)(void *)((char *)(void *)l - offsetof(struct fair_side, link) -
                                         (size_t)kind * sizeof(struct fair_side) -
                                         offsetof(struct fair_queue, side));
}
static inline int64_t fair_demand(const struct fair_side *s)
{
    return s->running + s->wants;
}

/* ---- tree ---- */
/* Builds the tree of env->queues, keeping the time-out state and deficits of existing queues; the
 * caller adds the jobs. */
void fair_tree_build(struct policy *self);
void fair_tree_free(struct policy *self);
/* Converts minima and maxima to slots of the present capacity. */
void fair_tree_update_limits(struct policy *self);
/* Updates the counts and places of @fj and of its queues from the job's phase. */
void fair_job_update_counts(struct policy *self, struct fair_job *fj, enum base_task_kind kind);
/* Removes the job from all counts and orders. */
void fair_job_remove_from_counts(struct policy *self, struct fair_job *fj);
/* Computes the job's weight for each kind. */
void fair_job_update_weight(const struct policy *self, struct fair_job *fj);
/* Update the place of a job, or of a queue, in the order that contains it. */
void fair_job_update_place(struct policy *self, struct fair_job *fj, enum base_task_kind kind);
void fair_queue_update_place(struct policy *self, struct fair_queue *q, enum base_task_kind kind);
struct policy_job *fair_next(struct policy *self, struct policy_offer *offer,
                             struct policy_job *prev);

/* ---- running applications ---- */
/* Drops the cached limits of users, which are then read again when needed. */
void fair_apps_reset_user_limits(struct policy *self);
/* Adds @fj to its queue: as active if the limits allow it or the job was active or has attempts,
 * otherwise as waiting. */
void fair_apps_add_job(struct policy *self, struct fair_job *fj);
void fair_apps_remove_job(struct policy *self, struct fair_job *fj);
/* Makes waiting jobs active as far as the limits allow, by priority and submission. */
void fair_apps_activate_waiting(struct policy *self);

/* ---- long tasks ---- */
void fair_long_add_job(struct policy *self, struct fair_job *fj);
void fair_long_remove_job(struct policy *self, struct fair_job *fj);
void fair_long_count_started(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                             uint32_t node);
void fair_long_count_ended(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                           const struct policy_task_end *end);
void fair_long_count_suspended(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                               uint32_t node, bool suspended);
/* Returns true when the offer is for a map, the job is long, and the node already runs more than
 * its part of the maps of long jobs. */
bool fair_long_is_node_full(const struct policy *self, const struct fair_job *fj,
                            const struct policy_offer *offer);

/* ---- timer ---- */
/* Computes shares, deficits and time-outs of all queues, and updates their places. */
void fair_update_shares(struct policy *self, int64_t now_us);
/* Adds to @plan the attempts to kill for queues that are past their time-outs. */
void fair_preempt_for_starved(struct policy *self, struct policy_plan *plan);

/* Implements policy_ops.may_start. */
bool fair_may_start(const struct policy *self, const struct policy_job *job);
void fair_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out);

#endif

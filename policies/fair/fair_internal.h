/* policies/fair/fair_internal.h - parts of the fair scheduler, shared by its files.
 *
 *     queue tree        each queue orders its jobs and the queues in it, one order per kind, always
 *                       up to date
 *     policy_fair_tree  counts and orders, the job for a free slot
 *     policy_fair_apps  limits of running applications
 *     policy_fair_long  balance of long tasks over nodes
 *     policy_fair_share shares, deficits and time-outs, twice a second
 *     policy_fair_kill  preemption
 *
 * A start or an end of a task changes the counts of its job's queue and of the queues above:
 * O(depth * log). Shares are not used to order, except for deficits; they are computed by the
 * timer. */
#ifndef CREEL_POLICIES_FAIR_FAIR_INTERNAL_H
#define CREEL_POLICIES_FAIR_FAIR_INTERNAL_H

#include "policies/common/commit_delay.h"
#include "policies/common/queues.h"
#include "policies/fair/shares.h"
#include "policies/policy.h"

struct fair_side {
    /* a queue's tasks of one kind, those of queues in it included */
    int64_t running; /* of all its jobs */
    int64_t wants;   /* of its active jobs: pending, and suspended ones that would go on */
    int64_t own_running, own_wants; /* the same without queues in it */
    int64_t max;                    /* slots; INT64_MAX: no limit */
    int64_t min_slots;              /* as configured */
    double min; /* slots, scaled where the minima beside it do not fit; by the timer */
    double share;
    int64_t share_slots;
    double own_share;              /* of share: what its own jobs have beside queues in it */
    double deficit;                /* task-microseconds below the share; deficit mode */
    int64_t at_min_us, at_fair_us; /* when it last had its minimum, its part of the fair share */
    bool starved;                  /* past one of its time-outs */
    struct policy_link link;       /* among the queues beside it */
    struct policy_order jobs, queues;
};
struct fair_queue {
    struct fair_side side[BASE_TASK_KINDS];
    int32_t parent, first, next; /* queues in it, beside it; -1: none */
    double weight;
    bool fifo, preempt;
    int32_t active, max_active;
    struct fair_job *first_job, *last_job; /* of its own */
    int64_t min_timeout_us, fair_timeout_us;
    double threshold;
    struct policy_order waiting; /* jobs over a limit of running applications */
};
struct fair_job {
    struct policy_job *job;
    struct fair_job *prev, *next;             /* of all */
    struct fair_job *queue_prev, *queue_next; /* in its queue, in order of arrival */
    int32_t queue;                            /* -1: not entered yet */
    int32_t priority;                         /* as counted in weight */
    double job_weight;                        /* as counted in weight */
    double weight[BASE_TASK_KINDS];
    bool active; /* among the running applications of its queues and user */
    bool is_long;
    int32_t running[BASE_TASK_KINDS], wants[BASE_TASK_KINDS]; /* as counted in its queues */
    int32_t ended[BASE_TASK_KINDS];                           /* counted on for commit_delay */
    double min[BASE_TASK_KINDS], deficit[BASE_TASK_KINDS];    /* deficit mode */
    struct policy_link wait; /* among the waiting ones of its queue */
};
struct fair_user {
    int32_t active, max;
};
struct policy {
    const struct policy_env *env;
    bool started; /* the timer has run */
    bool single;  /* one pool for all: processor sharing */
    bool deficits, size_weight, spread_cap, preemption, long_tasks;
    int64_t update_us, preemption_us;
    struct fair_queue *queues;
    int32_t queues_n;
    struct fair_job *first, *last; /* in order of arrival */
    struct fair_user *users;
    int32_t users_n;
    size_t waiting_n; /* jobs over a limit */
    int64_t now_us, updated_us, next_preemption_us;
    int64_t fits_since_us; /* slots have been the same since */
    int64_t slots[BASE_TASK_KINDS];
    bool warned[BASE_TASK_KINDS];
    struct commit_delay commit;
    int32_t *long_on; /* running tasks of long jobs by node */
    size_t long_nodes;
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
void fair_tree_build(struct policy *self); /* of env->queues; jobs are added by the caller */
void fair_tree_free(struct policy *self);
void fair_tree_limits(struct policy *self); /* minima and maxima in slots of the present capacity */
/* Brings counts and places of @fj and of its queues up to date. */
void fair_job_count(struct policy *self, struct fair_job *fj, enum base_task_kind kind);
void fair_job_drop(struct policy *self,
                   struct fair_job *fj); /* takes it out of counts and orders */
void fair_job_weigh(const struct policy *self, struct fair_job *fj);
void fair_job_place(struct policy *self, struct fair_job *fj, enum base_task_kind kind);
void fair_queue_place(struct policy *self, struct fair_queue *q, enum base_task_kind kind);
struct policy_job *fair_next(struct policy *self, struct policy_offer *offer,
                             struct policy_job *prev);

/* ---- running applications ---- */
void fair_apps_limits(struct policy *self); /* of users, read anew */
/* A job has come (running ones are active in any case), is going. */
void fair_apps_enter(struct policy *self, struct fair_job *fj);
void fair_apps_leave(struct policy *self, struct fair_job *fj);
void fair_apps_admit(struct policy *self); /* those that wait and may run now, first come first */

/* ---- long tasks ---- */
void fair_long_arrived(struct policy *self, struct fair_job *fj);
void fair_long_left(struct policy *self, struct fair_job *fj);
void fair_long_started(struct policy *self, const struct fair_job *fj, enum base_task_kind kind,
                       uint32_t node);
void fair_long_ended(struct policy *self, struct fair_job *fj, enum base_task_kind kind,
                     const struct policy_task_end *end);
void fair_long_suspended(struct policy *self, const struct fair_job *fj, enum base_task_kind kind,
                         uint32_t node, bool suspended);
void fair_long_forget(struct policy *self, uint32_t node);
/* Has the node enough of them for the moment? */
bool fair_long_full(const struct policy *self, const struct fair_job *fj,
                    const struct policy_offer *offer);

/* ---- timer ---- */
void fair_update(struct policy *self, int64_t now_us);
void fair_preempt(struct policy *self, struct policy_plan *plan);

void fair_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out);

#endif

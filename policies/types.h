/* policies/types.h - a job as policies see it. */
#ifndef CREEL_POLICIES_TYPES_H
#define CREEL_POLICIES_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/task_kind.h"
#include "policies/common/order.h"

/* Counts of a job's tasks (or containers) of one kind, in slots: a task that takes four slots
 * counts as four. Maintained by the core. */
struct policy_phase {
    int32_t total;
    int32_t pending; /* could be launched now: submitted, past slowstart, not held back */
    int32_t running, suspended, done;
    int32_t pending_tasks; /* how many tasks or containers @pending is; for display */
};
/* What is known about a job's tasks of one kind before they run. */
struct policy_size {
    int64_t bytes, bytes_max; /* input of all tasks, of the largest (splits of maps); 0: unknown */
    /* given with the submission: slot time of all tasks (their durations times the slots of each),
     * duration of the longest task; 0: none */
    int64_t given_us, given_max_us;
    int64_t true_us; /* in simulations: true slot time of all tasks together; 0: unknown */
};
/* Sums over a job's successful attempts of one kind. */
struct policy_seen {
    int32_t n; /* attempts, whatever number of slots each had */
    int64_t work_us;
    int64_t bytes_in, bytes_out;
};
struct policy_reservation;
/* Embedded in the core's object; valid from admit() or on_job_arrived() to on_job_left(). */
struct policy_job {
    int64_t submit_us, cluster_ts;
    int32_t seq;
    int32_t priority;    /* larger first */
    int32_t queue;       /* index in the queues */
    int32_t user;        /* small integer, equal for equal names */
    double weight;       /* > 0, 1 by default */
    int64_t deadline_us; /* relative to submission, 0: none */
    bool is_job;         /* false: an application with its own master; totals grow with its asks */
    /* Its attempts run in containers of a master, and are never suspended: they run or are killed.
     * The totals of such a job grow and shrink with its master's asks. */
    bool never_suspended;
    /* the begun reservation that the job belongs to; NULL: none. Set before on_job_arrived(), and
     * NULL again after on_unreserved(). */
    struct policy_reservation *reservation;
    int64_t first_us; /* start of the first attempt, 0: none yet */
    /* end of the last map, or the submission of a job without maps; 0: maps are unfinished */
    int64_t maps_done_us;
    struct policy_phase phase[BASE_TASK_KINDS];
    struct policy_size size[BASE_TASK_KINDS];
    struct policy_seen seen[BASE_TASK_KINDS];
    /* Slots on one node that a task takes, or a container that waits: of the narrowest and of the
     * widest one. All tasks of a job take the same number. 0 counts as 1. */
    int32_t width[BASE_TASK_KINDS], widest[BASE_TASK_KINDS];
    /* The node that the core has reserved for a wide task or container of the job. */
    struct policy_reserved_node {
        bool some;       /* there is one */
        uint32_t node;   /* the core's index */
        int32_t missing; /* slots that still have to be freed there, besides those that are being
                            freed by kills */
    } reserved[BASE_TASK_KINDS];
    /* belongs to the active policy */
    struct policy_link link[BASE_TASK_KINDS]; /* place in its order, one per kind */
    void *own; /* further state, if any: allocated in on_job_arrived(), freed in on_job_left() */
};

/* Returns how many slots the narrowest task or waiting container of @job takes. */
static inline int32_t policy_job_width(const struct policy_job *job, enum base_task_kind kind)
{
    return job->width[kind] > 1 ? job->width[kind] : 1;
}

/* Returns how many tasks of the job take @slots slots, a count of one of its phases. */
static inline int32_t policy_job_tasks(const struct policy_job *job, enum base_task_kind kind,
                                       int32_t slots)
{
    return job->width[kind] > 1 ? slots / job->width[kind] : slots;
}

/* Breaks every tie: true if @a was submitted earlier than @b, or at the same time with a smaller
 * id. */
static inline bool policy_job_before(const struct policy_job *a, const struct policy_job *b)
{
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    if (a->cluster_ts != b->cluster_ts)
        return a->cluster_ts < b->cluster_ts;
    return a->seq < b->seq;
}

#endif

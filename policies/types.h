/* policies/types.h - a job as policies see it. */
#ifndef CREEL_POLICIES_TYPES_H
#define CREEL_POLICIES_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/task_kind.h"
#include "policies/common/order.h"

/* Tasks (or containers) of one kind of a job. The core owns and maintains them. */
struct policy_phase {
    int32_t total;
    int32_t pending; /* could be launched now: submitted, past slowstart, not held */
    int32_t running, suspended, done;
};
/* What is known of the tasks of one kind before they run. */
struct policy_size {
    int64_t bytes, bytes_max; /* input of all, of the largest (splits of maps); 0: unknown */
    int64_t given_us,
        given_max_us; /* durations given with the submission: of all, of the longest; 0: none */
    int64_t true_us;  /* simulations alone: the sum of what they will take; 0: unknown */
};
/* What its ended attempts showed: successful ones alone. */
struct policy_seen {
    int32_t n;
    int64_t work_us; /* sum */
    int64_t bytes_in, bytes_out;
};
/* Embedded in the core's object, valid from admit or on_job_arrived to on_job_left. */
struct policy_job {
    int64_t submit_us, cluster_ts;
    int32_t seq;
    int32_t priority; /* larger first */
    int32_t queue,
        user;      /* queue: index in the queues; user: small integer, equal for equal names */
    double weight; /* > 0, 1 by default */
    int64_t deadline_us; /* relative to submission, 0: none */
    bool is_job; /* false: an application with a master of its own; its totals grow with what it
                    asks for */
    int64_t first_us;     /* start of its first attempt, 0: not yet */
    int64_t maps_done_us; /* end of its last map (its arrival, without maps); 0: maps are left */
    struct policy_phase phase[BASE_TASK_KINDS];
    struct policy_size size[BASE_TASK_KINDS];
    struct policy_seen seen[BASE_TASK_KINDS];
    /* the active policy's own */
    struct policy_link link[BASE_TASK_KINDS]; /* place in its order, one per kind */
    void *own; /* more state, made in on_job_arrived and freed in on_job_left */
};

/* What breaks every tie: the earlier submission, then the smaller id. */
static inline bool policy_job_before(const struct policy_job *a, const struct policy_job *b)
{
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    if (a->cluster_ts != b->cluster_ts)
        return a->cluster_ts < b->cluster_ts;
    return a->seq < b->seq;
}

#endif

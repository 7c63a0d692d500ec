/* policies/policy.h - what a scheduling policy is: a table of functions over plain data.
 *
 * A policy orders jobs for a free slot. It is told every committed change, keeps its own indexes and answers
 * questions; it changes nothing in the core, reads no clock, allocates nothing while it answers.
 *
 *     core: counts of a job changed --> on_job_changed()      core: a slot is free --> next(), next(), ...
 *
 * The core checks every answer, counts what it overrules, and falls back to FIFO when a policy keeps answering
 * nothing although a job could run.
 * Ties: earlier submission, then smaller id. Times are integer microseconds. */
#ifndef CREEL_POLICY_H
#define CREEL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_error.h"
#include "base/base_mem.h"
#include "policies/policy_order.h"

enum policy_kind { POLICY_MAP, POLICY_REDUCE, POLICY_KINDS }; /* same values as enum rm_slot */

/* Tasks (or containers) of one kind of a job. The core owns and maintains them. */
struct policy_phase {
    int32_t total;
    int32_t pending; /* could be launched now: submitted, past slowstart, not held */
    int32_t running, suspended, done;
};
/* A job as policies see it; embedded in the core's object, valid from on_job_arrived to on_job_left. */
struct policy_job {
    int64_t submit_us, cluster_ts;
    int32_t seq;
    int32_t priority;    /* larger first */
    int32_t queue, user; /* small integers, equal for equal names */
    int64_t deadline_us; /* relative to submission, 0: none */
    struct policy_phase phase[POLICY_KINDS];
    /* the active policy's own */
    struct policy_link link[POLICY_KINDS]; /* place in its order, one per kind */
    void *own;                             /* more state, made in on_job_arrived and freed in on_job_left */
};
struct policy_capacity {
    int32_t nodes;
    int64_t slots[POLICY_KINDS];       /* of nodes that run */
    int64_t outstanding[POLICY_KINDS]; /* tasks not finished over running jobs */
};
/* One free slot of @kind on a node. */
struct policy_offer {
    enum policy_kind kind;
    int64_t now_us;
    uint32_t node;                        /* the core's index */
    int32_t node_slots, node_used;        /* of this kind */
    int32_t assigned[POLICY_KINDS];       /* already assigned to this node in the same round */
    bool off_rack;                        /* one of those was a map without any locality */
    const struct policy_capacity *capacity;
    /* answer beside the job: nobody shall have it, and that is meant (a cap, a reservation), not a fault */
    bool held;
};
struct policy_promise {
    int64_t finish_us; /* earliest finish that could be promised; 0: none */
};
enum policy_victim_how { POLICY_VICTIM_KILL, POLICY_VICTIM_SUSPEND };
struct policy_plan { /* victims are named by the core's container handles; the core checks each */
    struct policy_victim {
        struct policy_job *job;
        enum policy_kind kind;
        int32_t task;
        enum policy_victim_how how;
    } *v;
    size_t len, cap;
};
struct policy_task_end {
    int32_t task;
    int64_t started_us, ended_us;
    bool success;
};
struct policy_conf {
    bool fifo_hadoop_rules;
};

struct policy; /* a policy's own state */

struct policy_ops {
    const char *name;   /* as written in the configuration: [a-z0-9-], 1 to 31 bytes */
    const char *source; /* paper or manual implemented here, with section */
    /* @check_conf: rejects impossible settings. NULL: anything goes. 0, or -BASE_EINVAL with @err naming the key. */
    int (*check_conf)(const struct policy_conf *conf, struct base_error *err);
    struct policy *(*create)(const struct policy_conf *conf);
    void (*destroy)(struct policy *self); /* every job has left before */
    void (*on_job_arrived)(struct policy *self, struct policy_job *job);
    void (*on_job_left)(struct policy *self, struct policy_job *job);
    /* Counts of @kind changed (pending, running, ...). O(log jobs), no allocation. */
    void (*on_job_changed)(struct policy *self, struct policy_job *job, enum policy_kind kind);
    /* NULL: not interested. */
    void (*on_task_started)(struct policy *self, struct policy_job *job, enum policy_kind kind, int32_t task,
                            int64_t now_us);
    void (*on_task_ended)(struct policy *self, struct policy_job *job, enum policy_kind kind,
                          const struct policy_task_end *end);
    void (*on_progress)(struct policy *self, struct policy_job *job, enum policy_kind kind, int32_t task,
                        double progress, int64_t now_us);
    void (*on_capacity)(struct policy *self, const struct policy_capacity *capacity, int64_t now_us);
    /* Own timer: returns when it wants to be called next, 0: never. Called once after create. NULL: never. */
    int64_t (*on_timer)(struct policy *self, int64_t now_us);
    /* May @job enter? NULL: always. A refusal carries what could be promised. */
    bool (*admit)(struct policy *self, const struct policy_job *job, struct policy_promise *out);
    /* The job that should get this slot after @prev declined it (NULL: the first); NULL when nobody wants it. */
    struct policy_job *(*next)(struct policy *self, struct policy_offer *offer, struct policy_job *prev);
    /* Running tasks to kill or suspend for those that wait. NULL: never preempts. */
    void (*victims)(struct policy *self, const struct policy_offer *offer, struct policy_plan *plan);
    /* One line for operators: why does @job wait? NULL: the core says "pending". */
    void (*explain)(const struct policy *self, const struct policy_job *job, struct base_buf *out);
};

extern const struct policy_ops policy_fifo, policy_naive_fair;

/* NULL when there is no such policy. */
const struct policy_ops *policy_find(const char *name);
/* The policy at @index of the registry, NULL past the end. */
const struct policy_ops *policy_at(size_t index);

/* Spread cap of Hadoop's FIFO (JobQueueTaskScheduler): ceil(slots * min(1, outstanding / capacity)); capacity 0 gives slots. */
int32_t policy_spread_cap(int32_t node_slots, int64_t outstanding, int64_t capacity);

#endif

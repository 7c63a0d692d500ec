/* policies/policy.h - what a scheduling policy is: a table of functions over plain data.
 *
 * A policy orders jobs for a free slot. The core reports every change to it; the policy keeps its
 * own indexes and answers questions. A policy changes nothing in the core and reads no clock.
 *
 *     submission               --> admit()              may a job with a deadline enter? Asked
 *                                                       once, not again after a restart
 *                              --> on_job_arrived()     the job is known; on_job_changed() follows
 *                                                       for each kind
 *     counts of a job changed  --> on_job_changed()
 *     a slot is free           --> next(), next(), ...  until a job takes it
 *     a node is full, jobs wait--> victims()            which attempts to suspend or kill there
 *     the policy's timer       --> on_timer()           epochs, updates; may name victims anywhere
 *     job changes its queue    --> on_job_moved()
 *     job changes its priority --> on_job_priority()
 *     job ended, policy changed--> on_job_left()
 *     reservation asked for    --> reserve()            may slots be promised at a later time?
 *     restart, policy changed  --> on_reserved()        its slots are promised already
 *     a booking begins or ends --> on_booking_step()    may name victims anywhere
 *     ended, deleted, changed  --> on_unreserved()
 *
 * A job may arrive with tasks that are running, suspended or done, because the policy was changed,
 * the RM restarted, or its master has just told that it is a job (rm/core/master/mapreduce.h). What
 * successful attempts have shown stays with the job (policy_seen) and with the cluster
 * (policy_learned) when the policy is changed.
 *
 * All counts of tasks are counts of slots (policies/types.h): a task or container may take several
 * slots of one node. The core sees to it that a job which next() names gets them, by reserving a
 * node (rm/core/node/reserved.h); a policy orders jobs, whatever their tasks' widths.
 *
 * The core chooses the task: a suspended attempt of the job on the node (to be resumed) before any
 * other, then by locality. The core checks every answer, counts those that it overrules, and falls
 * back to FIFO when a policy keeps naming no job although a task waits, unless the policy says that
 * it holds the slot back (held). Ties: earlier submission, then smaller id. Times are integer
 * microseconds; durations do not include the time spent suspended. */
#ifndef CREEL_POLICY_H
#define CREEL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "policies/common/learned.h"
#include "policies/common/order.h"
#include "policies/conf.h"
#include "policies/reservation.h"
#include "policies/types.h"

struct policy_queues;

struct policy_capacity { /* kept up to date by the core at every moment */
    int32_t nodes;
    int64_t slots[BASE_TASK_KINDS]; /* of running nodes */
    /* slots taken by running attempts and containers, masters included */
    int64_t used[BASE_TASK_KINDS];
    int64_t freeing[BASE_TASK_KINDS]; /* used slots whose attempts are being killed */
    /* slots of the unfinished tasks of all jobs that have arrived */
    int64_t outstanding[BASE_TASK_KINDS];
    /* Slots of nodes that are reserved for wide tasks: free, or being freed by kills. Nobody else
     * gets them. */
    int64_t held[BASE_TASK_KINDS];
    int64_t memory_mb, vcores;
};
/* Returns the number of slots that are free now or are being freed by kills, and not reserved. */
static inline int64_t policy_free_slots(const struct policy_capacity *c, enum base_task_kind kind)
{
    return c->slots[kind] - c->used[kind] + c->freeing[kind] - c->held[kind];
}
/* An attempt that holds a slot, or is suspended. */
struct policy_running {
    struct policy_job *job;
    enum base_task_kind kind;
    int32_t task; /* -1: a container of an application that is not a job: never suspended */
    uint32_t node;
    int64_t started_us; /* delayed by the time spent suspended: now - started_us is the run time */
    double progress;    /* 0..1, as last reported */
    bool suspended;
    int32_t slots;   /* that it holds, or held before it was suspended; 0 counts as 1 */
    void *container; /* the core's handle, for a plan */
};
static inline int32_t policy_running_slots(const struct policy_running *r)
{
    return r->slots > 1 ? r->slots : 1;
}
enum policy_take {
    POLICY_DECLINES, /* the job waits for a slot near its data, which counts as a declined offer, or
                        has no task for this one */
    POLICY_TAKES,    /* this slot or another */
    POLICY_TAKES_NEAR /* this slot rather than another: the node has data, or a suspended attempt,
                         of the job */
};
/* What a policy is created with; outlives the policy. */
struct policy_env {
    const struct policy_conf *conf;
    const struct policy_capacity *capacity;
    const struct policy_queues *queues; /* pools; on_queues is called after changes */
    struct policy_learned *learned;
    int64_t heartbeat_us; /* of nodes */
    double slowstart;     /* share of a job's maps that end before its reduces may start */
    void *core;
    /* Iterates over the running and suspended attempts of @job, except masters and attempts that
     * are being killed; the one that the core created last comes first. *@cursor is NULL before the
     * first call. Returns false when no attempt is left. */
    bool (*running)(void *core, const struct policy_job *job, enum base_task_kind kind,
                    void **cursor, struct policy_running *out);
    /* Returns whether @job would use a slot of @kind on @node now. A wait for its data counts as if
     * the slot had been offered. NULL: every job takes every slot. */
    enum policy_take (*takes)(void *core, const struct policy_job *job, enum base_task_kind kind,
                              uint32_t node);
    /* Returns the name of a policy_job's user, to look up the user's limit. May be NULL: no user
     * has an individual limit. */
    const char *(*user_name)(void *core, int32_t user);
    /* Returns the factor by which to multiply a size of @job's tasks of @kind, whether given or
     * measured; simulations use it for wrong sizes. NULL: 1. */
    double (*size_factor)(void *core, const struct policy_job *job, enum base_task_kind kind);
    /* Writes @text to the log; @level as enum base_log_level. May be NULL. */
    void (*note)(void *core, int level, const char *text);
};
/* What a hook is asked about: for next(), one free slot of @kind on a node; for victims(), a node
 * on which a slot of @kind is to be freed. */
struct policy_offer {
    enum base_task_kind kind;
    int64_t now_us;
    uint32_t node;                     /* the core's index */
    int32_t node_slots, node_used;     /* of this kind */
    int32_t node_suspended;            /* attempts of this kind suspended there */
    int32_t assigned[BASE_TASK_KINDS]; /* tasks assigned to this node in the same heartbeat */
    bool off_rack; /* one of the assigned tasks was a map without any locality */
    /* victims() only: the job for which the node is reserved, and that lacks reserved.missing slots
     * there; NULL: the node is full and not reserved. */
    const struct policy_job *reserved_for;
    const struct policy_capacity *capacity;
    /* further answers of next() */
    bool held;     /* without a job: the slot stays free on purpose (a cap, a reservation) */
    bool no_delay; /* with a job: the job need not wait for a local slot (a pool past its
                      preemption timeout) */
    int64_t room;  /* with a job: the most slots that it may take at once, by limits of the policy;
                      the core sets INT64_MAX before the call */
    /* for the policy's use between the calls of one offer; zero at the first */
    int32_t step;
    void *at;
};
struct policy_promise {
    int64_t finish_us; /* accepted: the promised finish; refused: the earliest finish that could be
                          promised; 0: none */
    int64_t ask_us;    /* refused: the deadline to ask for instead: finish_us plus time to submit
                          again; 0: none */
    char why[200];     /* refused: the reason, for people */
};
enum policy_victim_how { POLICY_VICTIM_KILL, POLICY_VICTIM_SUSPEND };
struct policy_plan {
    struct policy_victim {
        void *container;
        enum policy_victim_how how;
    } * v;
    size_t len, cap;
    /* victims() only: the node is cleared for a wide task of this job, and the core reserves it for
     * that; NULL: for no wide task. */
    const struct policy_job *wide;
};
/* How an attempt of a job's task ended. Containers of other applications are not reported this way:
 * they only change the counts. */
struct policy_task_end {
    int32_t task;
    uint32_t node;
    int64_t started_us, ended_us; /* started_us as in policy_running */
    int64_t work_us; /* time spent: maps from their start, reduces from the end of the last map or
                        from their start, whichever is later */
    int64_t bytes_in, bytes_out; /* of the attempt; 0: unknown */
    bool success, killed;
    bool suspended; /* the attempt was suspended when it ended */
};

struct policy; /* a policy's own state */

struct policy_ops {
    const char *name;   /* as written in the configuration: [a-z0-9-], 1 to 31 bytes */
    const char *alias;  /* Hadoop's class name, NULL: none */
    const char *source; /* paper or manual implemented here, with section */
    const char *colour; /* of its lines in reports: "#rrggbb", readable on white and on black. NULL:
                           chosen by the policy's place in the picture */
    bool delays;        /* delay scheduling is on unless configured otherwise */
    bool reduces_last;  /* reduces start when all maps are done: slowstart is 1 */
    bool single_slots;  /* tasks and containers of more than one slot are refused */
    bool colocates; /* by default reduces wait a heartbeat for a node that ran their job's maps */
    bool sim_only;  /* uses knowledge that only a simulation has */
    /* Reads is_job, deadlines or sizes when a job arrives: an application that proves to be a job
     * leaves and arrives again. If false, only its members and counts change. */
    bool sizes_at_arrival;
    /* options of this policy, ends with a NULL name; or NULL */
    const struct policy_option *options;
    /* Refuses settings that contradict each other; every single value has been checked before.
     * NULL: nothing to check. Returns 0, or -BASE_EINVAL with the reason. */
    int (*check_conf)(const struct policy_conf *conf, struct base_error *err);
    struct policy *(*create)(const struct policy_env *env);
    void (*destroy)(struct policy *self); /* called when every job has left */
    /* Called only for jobs with deadlines. Returns true when the new @job may enter;
     * on_job_arrived() then follows at once. NULL: every job may. @out: the promise, or why the job
     * is refused. */
    bool (*admit)(struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct policy_promise *out);
    void (*on_job_arrived)(struct policy *self, struct policy_job *job, int64_t now_us);
    void (*on_job_left)(struct policy *self, struct policy_job *job, int64_t now_us);
    /* Chooses r->bookings for the new @r, such that the policy can keep them for the jobs of @r and
     * all earlier promises hold; the policy keeps them from then on. With @old, @r takes the place
     * of @old, which the policy then no longer knows; when there are no such times, @old stays.
     * Returns false when there are no such times. NULL, like the three hooks below: the policy
     * promises nothing to reservations.
     */
    bool (*reserve)(struct policy *self, struct policy_reservation *r,
                    struct policy_reservation *old, int64_t now_us);
    /* The policy shall keep the bookings of @r, which has been accepted before. */
    void (*on_reserved)(struct policy *self, struct policy_reservation *r, int64_t now_us);
    /* @r has ended, is deleted, or goes to another policy; its jobs go on without a reservation. */
    void (*on_unreserved)(struct policy *self, struct policy_reservation *r, int64_t now_us);
    /* The number of slots booked for a reservation has changed at this time. The free slots are
     * offered next. */
    void (*on_booking_step)(struct policy *self, int64_t now_us, struct policy_plan *plan);
    /* @job->queue has changed; the job's counts have not. NULL: the policy ignores queues. */
    void (*on_job_moved)(struct policy *self, struct policy_job *job, int64_t now_us);
    /* @job->priority has changed. NULL: the policy does not order by priority. */
    void (*on_job_priority)(struct policy *self, struct policy_job *job, int64_t now_us);
    /* Counts of @kind changed (pending, running, ...). Called very often: should cost O(log jobs)
     * and not allocate. */
    void (*on_job_changed)(struct policy *self, struct policy_job *job, enum base_task_kind kind);
    /* The hooks below may be NULL. Each is called before the on_job_changed() of the same change.
     */
    void (*on_task_started)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                            int32_t task, uint32_t node, int64_t now_us);
    void (*on_task_suspended)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                              int32_t task, uint32_t node, bool suspended,
                              int64_t now_us); /* @suspended false: the attempt was resumed */
    /* @job->seen and env->learned include the attempt already. */
    void (*on_task_ended)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                          const struct policy_task_end *end);
    void (*on_progress)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                        int32_t task, double progress, int64_t now_us);
    void (*on_capacity)(struct policy *self, int64_t now_us);
    /* Index @node is free from now on: another node may get it soon. */
    void (*on_node_forgotten)(struct policy *self, uint32_t node);
    /* env->queues has changed, and perhaps the queues of jobs. */
    void (*on_queues)(struct policy *self, int64_t now_us);
    /* Called once after create(), then at the time that the previous call returned; 0: never again.
     */
    int64_t (*on_timer)(struct policy *self, int64_t now_us, struct policy_plan *plan);
    /* Returns the job that should get this slot after @prev declined it (NULL: the first job), or
     * NULL when no job should. The sequence must end: the core stops asking after two answers per
     * job. The core also calls this to prefetch the memory of the likely next job, so the call must
     * leave no trace but in *@offer (caches excepted). */
    struct policy_job *(*next)(struct policy *self, struct policy_offer *offer,
                               struct policy_job *prev);
    /* Names attempts to suspend or kill. Called for a node without a free slot of offer->kind, in
     * its heartbeat or while that heartbeat is held, when tasks of the kind wait or are suspended
     * there; and for a node that is reserved for a wide task, on behalf of that task's job alone.
     * For a wide task, naming fewer attempts than free enough slots on the node is in vain.
     * @here: the node's running attempts of the kind that are not being killed, newest start first.
     * NULL: heartbeats never preempt. A slot freed by suspension is offered at once, a slot freed
     * by a kill after its process has ended (capacity->freeing counts it until then). */
    void (*victims)(struct policy *self, const struct policy_offer *offer,
                    const struct policy_running *here, size_t n, struct policy_plan *plan);
    /* Returns false only when victims() would name no attempt for tasks of @kind now; true is
     * always allowed. O(1): called before the attempts of a node are listed. NULL: true. */
    bool (*may_preempt)(const struct policy *self, enum base_task_kind kind);
    /* Returns false while a limit of running applications holds @job back, as a new one: its master
     * then gets no slot that the policy does not count, either. May change in any call of the hooks
     * on_job_left, on_job_moved and on_queues. NULL: true. */
    bool (*may_start)(const struct policy *self, const struct policy_job *job);
    /* Appends a line for operators: why @job waits, its place in the order, its share. NULL: the
     * core says "pending". */
    void (*explain)(const struct policy *self, const struct policy_job *job, int64_t now_us,
                    struct base_buf *out);
    /* Sets @share to the slots that a queue is entitled to now, and @demand to what it could use.
     * Returns false when there are no such figures. NULL: the policy has no shares. */
    bool (*queue_share)(const struct policy *self, int32_t queue, int64_t share[BASE_TASK_KINDS],
                        int64_t demand[BASE_TASK_KINDS]);
};

/* Returns true when preemption may clear a node for a wide task of @job: one waits, and the job has
 * no reserved node that has or will have enough free slots. One node is cleared at a time. */
static inline bool policy_job_needs_node(const struct policy_job *job, enum base_task_kind kind)
{
    const struct policy_reserved_node *r = &job->reserved[kind];

    return job->width[kind] > 1 && job->phase[kind].pending > 0 && (!r->some || r->missing > 0);
}

void policy_plan_add(struct policy_plan *plan, void *container, enum policy_victim_how how);

/* Returns the job that embeds @link as its link[kind]. */
static inline struct policy_job *policy_link_job(struct policy_link *link, enum base_task_kind kind)
{
    return (struct policy_job *)(void *)((char *)(link - kind) - offsetof(struct policy_job, link));
}

#endif

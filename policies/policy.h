/* policies/policy.h - what a scheduling policy is: a table of functions over plain data.
 *
 * A policy orders jobs for a free slot. It is told every committed change, keeps its own indexes
 * and answers questions; it changes nothing in the core, reads no clock, allocates nothing while it
 * answers.
 *
 *     submission --> admit()                              may it enter? asked once, never again
 *                                                         after a restart
 *                --> on_job_arrived()                     known from now on; nothing of it may be
 *                                                         launched yet
 *     counts of a job changed  --> on_job_changed()
 *     a slot is free           --> next(), next(), ...    until one takes it
 *     a node is full, some wait--> victims()              whom to suspend or kill there
 *     own timer                --> on_timer()             epochs, updates; may name victims
 * anywhere it goes to another queue --> on_job_moved() job ended                --> on_job_left()
 *
 * A job may arrive with tasks that run, are suspended or done: the policy was changed, or the RM
 * restarted. What ended attempts showed stays with the job (policy_seen) and with the cluster
 * (policy_learned) over changes of policy.
 *
 * The core chooses the task: of the job's suspended attempts on the node first (resumed there),
 * then by locality.
 * It checks every answer, counts what it overrules, and falls back to FIFO when a policy keeps
 * answering nothing although a job could run.
 * Ties: earlier submission, then smaller id. Times are integer microseconds; durations leave
 * suspension out. */
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
#include "policies/types.h"

struct policy_queues;

struct policy_capacity { /* kept up to date by the core at every moment */
    int32_t nodes;
    int64_t slots[BASE_TASK_KINDS]; /* of nodes that run */
    int64_t
        used[BASE_TASK_KINDS]; /* of those: by running attempts and containers, masters included */
    int64_t freeing[BASE_TASK_KINDS];     /* of the used ones: being killed */
    int64_t outstanding[BASE_TASK_KINDS]; /* tasks not finished over running jobs */
    int64_t memory_mb, vcores;
};
/* Slots that are free, or will be when kills are over. */
static inline int64_t policy_free_slots(const struct policy_capacity *c, enum base_task_kind kind)
{
    return c->slots[kind] - c->used[kind] + c->freeing[kind];
}
/* An attempt that holds a slot, or is suspended. */
struct policy_running {
    struct policy_job *job;
    enum base_task_kind kind;
    int32_t task; /* -1: a container of an application that is no job: never suspended */
    uint32_t node;
    int64_t started_us; /* moved on by what it spent suspended: now - started = time it has run */
    double progress;    /* 0..1, as last reported */
    bool suspended;
    void *container; /* the core's handle, for a plan */
};
enum policy_take {
    POLICY_DECLINES,  /* it waits for a slot near its data; this counts as an offer that it declined
                       */
    POLICY_TAKES,     /* this slot or another */
    POLICY_TAKES_NEAR /* this one rather than others: its data is on the node, or a suspended
                         attempt of it */
};
/* What a policy is created with; lives longer than the policy. */
struct policy_env {
    const struct policy_conf *conf;
    const struct policy_capacity *capacity;
    const struct policy_queues *queues; /* pools; may grow and change: on_queues tells */
    struct policy_learned *learned;
    int64_t heartbeat_us; /* of nodes */
    double slowstart;     /* share of a job's maps that end before its reduces may start */
    void *core;
    /* Running and suspended attempts of @job, newest start first. *@cursor: NULL to begin with.
     * False: no more. */
    bool (*running)(void *core, const struct policy_job *job, enum base_task_kind kind,
                    void **cursor, struct policy_running *out);
    /* Would @job use a slot of @kind on @node now? May be NULL: it would, as any other. */
    enum policy_take (*takes)(void *core, const struct policy_job *job, enum base_task_kind kind,
                              uint32_t node);
    /* Name of a policy_job's user, for limits of users. May be NULL: nobody has a limit of his
     * own. */
    const char *(*user_name)(void *core, int32_t user);
    /* Correction of a size that the policy was given, or has measured, for the tasks of @kind of
     * @job: the size is multiplied by it. May be NULL: 1. */
    double (*size_factor)(void *core, const struct policy_job *job, enum base_task_kind kind);
    /* For the log; @level as enum base_log_level. */
    void (*note)(void *core, int level, const char *text);
};
/* One free slot of @kind on a node. */
struct policy_offer {
    enum base_task_kind kind;
    int64_t now_us;
    uint32_t node;                     /* the core's index */
    int32_t node_slots, node_used;     /* of this kind */
    int32_t node_suspended;            /* attempts of this kind suspended there */
    int32_t assigned[BASE_TASK_KINDS]; /* already assigned to this node in the same round */
    bool off_rack;                     /* one of those was a map without any locality */
    const struct policy_capacity *capacity;
    /* answers beside the job */
    bool held;     /* nobody shall have it, and that is meant (a cap, a reservation), not a fault */
    bool no_delay; /* with the job: it need not wait for a local slot (a pool past its preemption
                      timeout) */
    /* the policy's own between the calls of one offer; zero at the first */
    int32_t step;
    void *at;
};
struct policy_promise {
    int64_t finish_us; /* accepted: by when it will have finished; refused: the earliest that could
                          be promised, 0: none */
    int64_t ask_us;    /* refused: the deadline to ask for instead: finish_us, and time to submit
                          again; 0: none */
    char why[200];     /* refused: the reason, in words */
};
enum policy_victim_how { POLICY_VICTIM_KILL, POLICY_VICTIM_SUSPEND };
struct policy_plan {
    struct policy_victim {
        void *container;
        enum policy_victim_how how;
    } * v;
    size_t len, cap;
};
/* Of tasks of jobs; containers of other applications show in the counts alone. */
struct policy_task_end {
    int32_t task;
    uint32_t node;
    int64_t started_us, ended_us; /* started_us as in policy_running */
    int64_t work_us; /* time spent: maps from their start, reduces from the end of the last map or
                        from their start, whichever is later */
    int64_t bytes_in, bytes_out; /* of the attempt; 0: unknown */
    bool success, killed;
    bool suspended; /* when it ended */
};

struct policy; /* a policy's own state */

struct policy_ops {
    const char *name;   /* as written in the configuration: [a-z0-9-], 1 to 31 bytes */
    const char *alias;  /* Hadoop's class name, NULL: none */
    const char *source; /* paper or manual implemented here, with section */
    const char *colour; /* of its lines in reports, "#rrggbb", readable on white and on black. NULL:
                           by its place */
    bool delays;        /* delay scheduling is on unless configured otherwise */
    bool reduces_last;  /* reduces start when all maps are done: slowstart is 1 */
    bool colocates;     /* reduces wait one heartbeat for a node that ran maps of their job */
    bool sim_only;      /* needs what only a simulation knows */
    bool one_queue;     /* jobs cannot be moved between queues, as under Hadoop's FIFO */
    const struct policy_option *options; /* its own; ends with an empty name. NULL: none */
    /* Refuses settings that cannot hold together; each alone is checked before. NULL: anything
     * goes. */
    int (*check_conf)(const struct policy_conf *conf, struct base_error *err);
    struct policy *(*create)(const struct policy_env *env);
    void (*destroy)(struct policy *self); /* every job has left before */
    /* May @job enter? NULL: always. Asked for a new job, before it arrives; then on_job_arrived
     * comes at once. */
    bool (*admit)(struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct policy_promise *out);
    void (*on_job_arrived)(struct policy *self, struct policy_job *job, int64_t now_us);
    void (*on_job_left)(struct policy *self, struct policy_job *job, int64_t now_us);
    /* @job->queue is another one now; what it runs and what it waits for is as it was. NULL: looks
     * at no queues. */
    void (*on_job_moved)(struct policy *self, struct policy_job *job, int64_t now_us);
    /* Counts of @kind changed (pending, running, ...). O(log jobs), no allocation. */
    void (*on_job_changed)(struct policy *self, struct policy_job *job, enum base_task_kind kind);
    /* NULL: not interested. Each comes before the on_job_changed of its change. */
    void (*on_task_started)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                            int32_t task, uint32_t node, int64_t now_us);
    void (*on_task_suspended)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                              int32_t task, uint32_t node, bool suspended,
                              int64_t now_us); /* false: resumed */
    /* Job and cluster have been told already (policy_seen, policy_learned). */
    void (*on_task_ended)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                          const struct policy_task_end *end);
    void (*on_progress)(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                        int32_t task, double progress, int64_t now_us);
    void (*on_capacity)(struct policy *self, int64_t now_us);
    /* another one may have its index soon */
    void (*on_node_forgotten)(struct policy *self, uint32_t node);
    /* env->queues was changed; jobs' queues too */
    void (*on_queues)(struct policy *self, int64_t now_us);
    /* Own timer: returns when it wants to be called next, 0: never. Called once after create. NULL:
     * never. */
    int64_t (*on_timer)(struct policy *self, int64_t now_us, struct policy_plan *plan);
    /* The job that should get this slot after @prev declined it (NULL: the first); NULL when nobody
     * wants it. Must end: the core stops asking after two answers per job. Asked too for what will
     * probably come next, so that it can be fetched from memory: nothing but *offer may change. */
    struct policy_job *(*next)(struct policy *self, struct policy_offer *offer,
                               struct policy_job *prev);
    /* In a heartbeat of a node without a free slot of offer->kind, while jobs wait. @here: its
     * running attempts of the kind that are not being killed, newest start first. NULL: never
     * preempts there. A slot freed by suspension is offered at once; one freed by a kill when its
     * process has ended (capacity->freeing until then). */
    void (*victims)(struct policy *self, const struct policy_offer *offer,
                    const struct policy_running *here, size_t n, struct policy_plan *plan);
    /* Could victims() name anybody for tasks of @kind now? O(1): asked before the attempts of a
     * node are listed. May say true too often, false only when it is so. NULL: it could. */
    bool (*may_preempt)(const struct policy *self, enum base_task_kind kind);
    /* One line for operators: order, share, what it waits for. NULL: the core says "pending". */
    void (*explain)(const struct policy *self, const struct policy_job *job, int64_t now_us,
                    struct base_buf *out);
    /* Fair share of a queue in slots, as it is used for scheduling now. NULL: the policy has no
     * shares. */
    bool (*queue_share)(const struct policy *self, int32_t queue, int64_t share[BASE_TASK_KINDS],
                        int64_t demand[BASE_TASK_KINDS]);
};

void policy_plan_add(struct policy_plan *plan, void *container, enum policy_victim_how how);

static inline struct policy_job *policy_link_job(struct policy_link *link, enum base_task_kind kind)
{
    return (struct policy_job *)(void *)((char *)(link - kind) - offsetof(struct policy_job, link));
}

#endif

/* tests/policy/policy_fake.h - a small cluster without a core around a policy: nodes with slots,
 * jobs with tasks that take exactly as long as they are given. Tasks have no location. The test
 * says when things happen; the world keeps the counts, tells the policy as the core does, and
 * checks the answers: each breach is counted, and the first six are printed. */
#ifndef CREEL_TESTS_POLICY_FAKE_H
#define CREEL_TESTS_POLICY_FAKE_H

#include "policies/common/queues.h"
#include "policies/policy.h"

#define FAKE_JOBS   256
#define FAKE_SLOTS  64 /* most slots of one kind on a node */
#define FAKE_NODES  16
#define FAKE_SECOND INT64_C(1000000)

enum fake_state { FAKE_WAITS, FAKE_RUNS, FAKE_SUSPENDED, FAKE_DONE };

struct fake_job;
struct fake_task {
    struct fake_job *job;
    enum base_task_kind kind;
    int32_t index;
    enum fake_state state;
    int64_t needs_us; /* work; for a reduce: the work that is left when the maps have ended */
    uint32_t node;
    int64_t started_us; /* moved forward by the time that the task was suspended */
    int64_t suspended_at_us;
    int64_t kill_at_us;  /* when its kill is over, 0: it is not being killed */
    double progress;     /* the progress to report; < 0: computed from the work done */
    int32_t ends, kills; /* how often it completed, was killed */
    int64_t lost_us;     /* work lost by kills */
};
struct fake_job {
    struct policy_job pj; /* first */
    int64_t arrive_us;    /* when fake_run() makes it arrive */
    int32_t open_at;      /* maps that must be done before reduces may start */
    bool here, gone, refused;
    int64_t finish_us, promised_us; /* 0: none */
    int32_t n[BASE_TASK_KINDS];
    struct fake_task *task[BASE_TASK_KINDS];
};
struct fake_node {
    int32_t slots[BASE_TASK_KINDS], used[BASE_TASK_KINDS], suspended[BASE_TASK_KINDS];
};
struct fake {
    const struct policy_ops *ops;
    struct policy *policy;
    struct policy_conf conf;
    struct policy_capacity capacity;
    struct policy_learned learned;
    struct policy_queues queues;
    struct policy_env env;
    struct policy_plan plan;
    int64_t now_us, timer_us; /* timer_us 0: never */
    int64_t kill_us;          /* how long a kill takes */
    uint64_t seed;            /* for messages */
    int breaches, launches, held, suspensions, kills;
    uint32_t nodes_n, jobs_n;
    struct fake_node node[FAKE_NODES];
    struct fake_job *job[FAKE_JOBS];
};

/* Creates the policy in a cluster of @nodes nodes with @maps and @reduces slots each, and calls its
 * timer. @conf: moved into @w; may be NULL. */
void fake_init(struct fake *w, const struct policy_ops *ops, struct policy_conf *conf,
               uint32_t nodes, int32_t maps, int32_t reduces);
void fake_free(struct fake *w);
/* Replaces the policy by @ops, as the core does: every job leaves the old policy and arrives at the
 * new one in its present state. */
void fake_switch(struct fake *w, const struct policy_ops *ops);

/* Returns a job submitted now, which has not arrived at the policy yet; each map needs @map_us,
 * each reduce @reduce_us. @w owns it. */
struct fake_job *fake_job(struct fake *w, int32_t maps, int64_t map_us, int32_t reduces,
                          int64_t reduce_us);
/* Sets the sizes of @j that the policy sees. @given: the durations given with the submission;
 * @known: the true work, which only a simulation knows. False: 0. */
void fake_sizes(struct fake_job *j, bool given, bool known);
/* Asks the policy to admit @j, if it has a deadline, and lets it arrive. Returns false when the
 * policy has refused it. */
bool fake_arrive(struct fake *w, struct fake_job *j);
/* Moves @j to @queue; its running tasks go on. */
void fake_move(struct fake *w, struct fake_job *j, int32_t queue);
/* Calls the policy's timer if it is due. */
void fake_timer(struct fake *w);
/* Offers one free slot of @node. Returns the job that got it for a resumed or a new task; NULL: no
 * job took it. */
struct fake_job *fake_offer(struct fake *w, uint32_t node, enum base_task_kind kind);
/* Returns the job to which the policy would give the slot. Changes nothing. */
struct fake_job *fake_peek(struct fake *w, uint32_t node, enum base_task_kind kind);
/* Offers all free slots of @node, then those that the policy frees by suspending or killing
 * tasks. */
void fake_offer_node(struct fake *w, uint32_t node);
/* Asks the policy for victims on @node, and suspends or kills them. Returns how many it has
 * named. */
size_t fake_victims(struct fake *w, uint32_t node, enum base_task_kind kind);
/* Starts @task of @j on @node whatever the policy says. */
struct fake_task *fake_start(struct fake *w, struct fake_job *j, enum base_task_kind kind,
                             int32_t task, uint32_t node);
/* Ends the running task now, as a success. */
void fake_end(struct fake *w, struct fake_task *t);
/* Returns the time at which @t will end; INT64_MAX: not known yet. */
int64_t fake_ends_at(const struct fake *w, const struct fake_task *t);
/* Reports to the policy which attempts on @node have ended or been killed since the last report,
 * and the progress of the others. */
void fake_report(struct fake *w, uint32_t node);
bool fake_all_gone(const struct fake *w);

enum fake_mode {
    FAKE_AT_ONCE, /* nodes report everything when it happens; slots are offered at every event */
    FAKE_EXTRA,   /* heartbeats, and an extra one when a task ends */
    FAKE_BEATS    /* heartbeats alone */
};
/* Runs until all jobs are gone, or time is @until_us. Jobs arrive at their arrive_us; node n has
 * its heartbeats at @phase[n] + k * env.heartbeat_us (@phase may be NULL when there are none).
 * Returns true when all jobs are gone. */
bool fake_run(struct fake *w, enum fake_mode mode, const int64_t *phase, int64_t until_us);

#endif

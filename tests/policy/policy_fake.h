/* tests/policy/policy_fake.h - a small cluster without a core around a policy: nodes with slots,
 * jobs with tasks that take what they are said to take. Tasks have no location. Whoever drives it
 * says when things happen; the world keeps the counts, tells the policy as the core does, and
 * checks the answers: each breach is printed and counted. */
#ifndef CREEL_TESTS_POLICY_FAKE_H
#define CREEL_TESTS_POLICY_FAKE_H

#include "policies/common/queues.h"
#include "policies/policy.h"

#define FAKE_JOBS   256
#define FAKE_SLOTS  64 /* of a kind on a node */
#define FAKE_NODES  16
#define FAKE_SECOND INT64_C(1000000)

enum fake_state { FAKE_WAITS, FAKE_RUNS, FAKE_SUSPENDED, FAKE_DONE };

struct fake_job;
struct fake_task {
    struct fake_job *job;
    enum base_task_kind kind;
    int32_t index;
    enum fake_state state;
    int64_t needs_us; /* work; of a reduce: after the maps */
    uint32_t node;
    int64_t started_us; /* moved on by what it spent suspended */
    int64_t suspended_at_us;
    int64_t kill_at_us;  /* when its kill is over, 0: it is not being killed */
    double progress;     /* as last reported; < 0: reported as it is */
    int32_t ends, kills; /* how often it completed, was killed */
    int64_t lost_us;     /* work lost by kills */
};
struct fake_job {
    struct policy_job pj; /* first */
    int64_t arrive_us;    /* for fake_run */
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
    int64_t kill_us;          /* a kill takes so long */
    uint64_t seed;            /* for messages */
    int breaches, launches, held, suspensions, kills;
    uint32_t nodes_n, jobs_n;
    struct fake_node node[FAKE_NODES];
    struct fake_job *job[FAKE_JOBS];
};

/* @conf: taken over, may be NULL. The policy's timer has been called. */
void fake_init(struct fake *w, const struct policy_ops *ops, struct policy_conf *conf,
               uint32_t nodes, int32_t maps, int32_t reduces);
void fake_free(struct fake *w);
/* Every job leaves, the other policy gets them as they are. */
void fake_switch(struct fake *w, const struct policy_ops *ops);

/* A job that has not arrived yet; its tasks need @map_us, @reduce_us each. Submitted now. */
struct fake_job *fake_job(struct fake *w, int32_t maps, int64_t map_us, int32_t reduces,
                          int64_t reduce_us);
/* Its sizes as submitted: durations (@given), and what only a simulation knows (@known). */
void fake_sizes(struct fake_job *j, bool given, bool known);
/* Asked for admission, then there. False: refused. */
bool fake_arrive(struct fake *w, struct fake_job *j);
/* It belongs to that queue from now on; what it runs goes on. */
void fake_move(struct fake *w, struct fake_job *j, int32_t queue);
/* The policy's timer, if it is due. */
void fake_timer(struct fake *w);
/* One free slot of @node is offered: the job that got it (a resumed or a new task), NULL:
 * nobody. */
struct fake_job *fake_offer(struct fake *w, uint32_t node, enum base_task_kind kind);
/* The job the policy would give the slot to; nothing changes. */
struct fake_job *fake_peek(struct fake *w, uint32_t node, enum base_task_kind kind);
/* All free slots of @node, and what the policy then takes from others. */
void fake_offer_node(struct fake *w, uint32_t node);
/* The policy names victims on @node, which are suspended or killed. How many. */
size_t fake_victims(struct fake *w, uint32_t node, enum base_task_kind kind);
/* Starts @task of @j on @node whatever the policy says. */
struct fake_task *fake_start(struct fake *w, struct fake_job *j, enum base_task_kind kind,
                             int32_t task, uint32_t node);
/* Ends it now as a success. */
void fake_end(struct fake *w, struct fake_task *t);
/* Time at which it will be over, INT64_MAX: not known yet. */
int64_t fake_ends_at(const struct fake *w, const struct fake_task *t);
/* The node tells which of its attempts ended or were killed since, and how far the others are. */
void fake_report(struct fake *w, uint32_t node);
bool fake_all_gone(const struct fake *w);

enum fake_mode {
    FAKE_AT_ONCE, /* nodes tell everything when it happens, slots are offered at every event */
    FAKE_EXTRA,   /* heartbeats, and an extra one when a task ends */
    FAKE_BEATS    /* heartbeats alone */
};
/* Runs until all jobs are gone, or time is @until_us. Jobs arrive at their arrive_us; node n has
 * its heartbeats at @phase[n] + k * env.heartbeat_us (@phase may be NULL when there are none).
 * True: all are gone. */
bool fake_run(struct fake *w, enum fake_mode mode, const int64_t *phase, int64_t until_us);

#endif

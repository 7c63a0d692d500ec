/* tests/policy/rtmr_world.h - a cluster in virtual time around a policy with deadlines: nodes that
 * send heartbeats, jobs whose tasks take what they are told to take, nothing fails. Tasks have no
 * location.
 *
 * Order of events at one time: submissions, then heartbeats by node. A task's end is reported in a
 * heartbeat at its end (oob) or in the node's next one; slots are assigned in heartbeats alone. */
#ifndef CREEL_TESTS_RTMR_WORLD_H
#define CREEL_TESTS_RTMR_WORLD_H

#include "policies/policy.h"

#define WORLD_JOBS  64
#define WORLD_TASKS 64 /* of a kind, per job */
#define WORLD_NODES 16
#define S           INT64_C(1000000)

struct world_task {
    int64_t needs_us, started_us, ends_us; /* ends_us 0: it does not run */
    uint32_t node;
    bool done, killed;
};
struct world_job {
    struct policy_job pj;
    struct world_task task[BASE_TASK_KINDS][WORLD_TASKS];
    bool submitted, accepted, present;
    struct policy_promise promise;
    int64_t recorded_us, finish_us; /* the estimate when it finished; the end of its last task */
};
struct world {
    const struct policy_ops *ops;
    struct policy *policy;
    struct policy_env env;
    struct policy_conf conf;
    struct policy_capacity capacity;
    struct policy_learned learned;
    struct policy_plan plan;
    bool oob;
    int64_t now_us, heartbeat_us; /* heartbeat_us 0: all nodes beat at every event, again and again
                                     until nobody wants */
    int64_t next_us[WORLD_NODES];
    int32_t nodes, slots[BASE_TASK_KINDS][WORLD_NODES], used[BASE_TASK_KINDS][WORLD_NODES];
    struct world_job *jobs[WORLD_JOBS];
    int32_t n;
    int notes, idle; /* idle: offers that nobody took, neither held nor without pending tasks */
    int kills;
    char last_note[512];
};

/* @settings: "key=value,key=value", NULL: none. @pad: the policy knows of the heartbeat. */
void world_init(struct world *w, const struct policy_ops *ops, const char *settings, int32_t nodes,
                int32_t maps, int32_t reduces, int64_t heartbeat_us, bool pad);
void world_free(struct world *w);
/* The policy is created anew: every job leaves and arrives. */
void world_switch(struct world *w, const struct policy_ops *ops);
/* A job of equal tasks (times given with it), submitted at @at_us. @deadline_us 0: none. */
struct world_job *world_job(struct world *w, int64_t at_us, int32_t maps, int64_t map_us,
                            int32_t reduces, int64_t reduce_us, int64_t deadline_us);
/* Killed by its user: what runs of it ends at once. */
void world_kill(struct world *w, struct world_job *j);
/* What runs on @node ends at once and has to run again. @gone: the node is no longer there. */
void world_fail(struct world *w, uint32_t node, bool gone);
/* Goes on to the end of time @until_us, or (INT64_MAX) until nothing is left to do. */
void world_run(struct world *w, int64_t until_us);

#endif

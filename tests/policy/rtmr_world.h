/* tests/policy/rtmr_world.h - a cluster in virtual time around a policy with deadlines: nodes that
 * send heartbeats, jobs whose tasks take exactly as long as they are given. Tasks have no location
 * and fail only in world_fail().
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
    int64_t recorded_us, finish_us; /* end recorded by RTMR when it left; end of its last task */
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
    int64_t now_us, heartbeat_us; /* heartbeat_us 0: at every event all nodes send heartbeats until
                                     no job wants a slot */
    int64_t next_us[WORLD_NODES];
    int32_t nodes, slots[BASE_TASK_KINDS][WORLD_NODES], used[BASE_TASK_KINDS][WORLD_NODES];
    struct world_job *jobs[WORLD_JOBS];
    int32_t n;
    int notes, idle; /* idle: jobs with pending tasks when an offer was neither taken nor held */
    int kills;
    char last_note[512];
};

/* @settings: "key=value,key=value", NULL: none. @pad: env.heartbeat_us is @heartbeat_us, otherwise
 *            0, so that the policy adds no time for heartbeats. */
void world_init(struct world *w, const struct policy_ops *ops, const char *settings, int32_t nodes,
                int32_t maps, int32_t reduces, int64_t heartbeat_us, bool pad);
void world_free(struct world *w);
/* Replaces the policy by @ops: every job leaves the old policy and arrives at the new one. */
void world_switch(struct world *w, const struct policy_ops *ops);
/* Returns a job of equal tasks, submitted at @at_us with the times of its tasks. @deadline_us 0:
 * none. @w owns it. */
struct world_job *world_job(struct world *w, int64_t at_us, int32_t maps, int64_t map_us,
                            int32_t reduces, int64_t reduce_us, int64_t deadline_us);
/* Kills @j, as its user would: it leaves, and its running tasks end at once. */
void world_kill(struct world *w, struct world_job *j);
/* Ends at once all tasks that run on @node; they have to run again. @gone: removes the node as
 * well. */
void world_fail(struct world *w, uint32_t node, bool gone);
/* Runs up to the time @until_us, its events included; INT64_MAX: until nothing is left to do. */
void world_run(struct world *w, int64_t until_us);

#endif

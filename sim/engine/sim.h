/* sim/engine/sim.h - the simulator's engine: a seeded event queue around rm_core_step(), with
 * simulated nodes.
 *
 *     workload --next()--> jobs --submit--> rm/core <--heartbeats with reports-- nodes
 *                                              |                                   ^
 *                                              +--launch, kill, suspend, resume----+
 *
 * Nodes have slots and speeds; their tasks take the time that sim/engine/durations.h gives them.
 *
 * No scheduling is done here: the core and the policy are the object code of the ResourceManager.
 * Virtual time is integer microseconds from 0. Order of events at equal times: ends of tasks,
 * setups and cleanups; submissions; timers of the core; heartbeats, out-of-band ones first. Ends
 * and submissions at equal times are processed in the order in which they were queued. Equal
 * configuration and seed give equal results and logs, byte by byte.
 * Nodes and tasks do not fail; a task runs again only after it was killed.
 * Memory: O(nodes + slots + tasks of unfinished jobs). Several simulations may exist in one
 * process. SOURCE of the model: JobTracker and TaskTracker of Hadoop 1.0 (heartbeats carry reports,
 * their answers carry work). */
#ifndef CREEL_SIM_ENGINE_SIM_H
#define CREEL_SIM_ENGINE_SIM_H

#include "base/error.h"
#include "policies/conf.h"
#include "rm/core/core.h"
#include "sim/engine/event_log.h"
#include "sim/engine/job.h"
#include "sim/engine/result.h"

#define SIM_HEARTBEAT_AUTO (-1) /* 1 s for every 100 nodes or part of 100, at least 3 s */
/* Every node beats at every instant at which something happened: for results computed by hand. */
#define SIM_HEARTBEAT_ZERO 0
#define SIM_NODES_MAX      100000
#define SIM_NODE_SLOTS_MAX 1000     /* of one kind on one node */
#define SIM_SLOTS_MAX      10000000 /* in the cluster, of both kinds together */

/* ---------------------------------------------------------------- cluster */
struct sim_group { /* equal nodes */
    int32_t nodes, slots[BASE_TASK_KINDS];
    double speed; /* 1: nominal; a task takes base / speed */
};
struct sim_cluster {
    const struct sim_group *groups;
    size_t groups_n;
    int32_t racks;          /* node i is in rack i modulo racks; 0 counts as 1 */
    int64_t heartbeat_us;   /* interval, or one of SIM_HEARTBEAT_*; the seed gives each node its
                               phase in [0, heartbeat) */
    bool oob;               /* an extra heartbeat at the end of each attempt */
    const int32_t *rack_of; /* rack of each node, 0..racks-1; NULL: see racks */
};

/* ---------------------------------------------------------------- workload */
struct sim_workload {
    void *self;
    /* Fills @out (initialised by sim_job_init) with the next job and returns 1; 0: no more jobs;
     * negative with @err: the run fails with it. Jobs must come in order of submit_us, otherwise
     * the run fails. The engine takes over the arrays of @out. */
    int (*next)(void *self, struct sim_job *out, struct base_error *err);
    /* For closed loops; NULL: none. A job has ended or was refused at @now_us. Returns true when
     * *out holds a new job, to be submitted now or at its submit_us, whichever is later. Called
     * again until it returns false. */
    bool (*at_end)(void *self, const struct sim_job_result *ended, int64_t now_us,
                   struct sim_job *out);
};

/* ---------------------------------------------------------------- configuration */
enum sim_progress {
    SIM_PROGRESS_AUTO,
    SIM_PROGRESS_OFF,
    SIM_PROGRESS_ON
}; /* AUTO: if the policy has on_progress */

struct sim_alloc { /* the number of running attempts of a job changed */
    int64_t now_us;
    uint64_t job;
    const char *name, *pool, *class_name;
    enum base_task_kind kind;
    int32_t running; /* slots of the kind that its attempts hold now */
};
struct sim_conf {
    const char *policy;                /* "fifo", ... */
    const struct policy_conf *options; /* those of sim/options.h; NULL: defaults */
    struct sim_cluster cluster;
    struct sim_workload workload;
    uint64_t seed;
    double slowstart; /* share of the maps that must be done before reduces start */
    int64_t swap_us;  /* added to the time that a resumed attempt has left, if it had begun work */
    enum sim_progress progress;
    bool true_work;     /* compute the true work of jobs, for results and the bound; always done for
                           policies with sim_only */
    int64_t stop_us;    /* when to end the run; 0: when all jobs have ended */
    int64_t stall_us;   /* fail when jobs wait but nothing runs or starts for this long; 0:
                           1,000,000 s */
    const char *queues; /* as rm_core_conf.queues; NULL: queues are made as jobs name them */
    /* May change the core's configuration before the core is made (its queue tree, for example);
     * NULL: no change. */
    void (*adjust)(void *ctx, struct rm_core_conf *core);
    /* Callbacks; each may be NULL. on_job: a job has ended or was refused. on_alloc: the number of
     * slots that a job uses has changed. */
    void (*on_job)(void *ctx, const struct sim_job_result *r);
    void (*on_alloc)(void *ctx, const struct sim_alloc *a);
    /* The core has a note for operators; @level as enum base_log_level. */
    void (*on_note)(void *ctx, int64_t now_us, int level, const char *text);
    /* Called every 131,072 events. When it returns false, the run stops and sim_run() returns
     * -BASE_ESTATE. */
    bool (*on_tick)(void *ctx, int64_t now_us, const struct sim_totals *so_far);
    void *ctx;
    struct sim_log *log; /* NULL: none */
};
/* Sets all members to zero, except: policy fifo, seed 1, heartbeat AUTO, one rack, slowstart
 * 0.05. */
void sim_conf_init(struct sim_conf *conf);

/* ---------------------------------------------------------------- run */
struct sim;

/* Copies @conf; what it points to must outlive the simulation. Returns NULL with @err
 * (-BASE_EINVAL) for an unknown policy, an impossible cluster or another impossible setting. */
struct sim *sim_new(const struct sim_conf *conf, struct base_error *err);
/* Runs to the end, or to stop_us. Returns 0, or negative with @err: an error of the workload or of
 * the log, an impossible job (its id and the field), a policy under which nothing happens any more
 * or whose orders never cease at one instant (-BASE_ESTATE). */
int sim_run(struct sim *sim, struct base_error *err);
const struct sim_totals *sim_totals_peek(const struct sim *sim);
const struct rm_core *sim_core_peek(const struct sim *sim);
int64_t sim_now_us(const struct sim *sim);
int64_t sim_heartbeat_us(const struct sim *sim); /* the interval, with AUTO resolved */
void sim_free(struct sim *sim);

#endif

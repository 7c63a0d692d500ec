/* sim/engine/sim.h - the simulator's engine: a seeded event queue around rm_core_step(), with
 * simulated nodes.
 *
 *     workload --next()--> jobs --submit--> rm/core <--heartbeats with reports-- nodes
 *                                              |                                   ^
 *                                              +--launch, kill, suspend, resume----+
 *
 * Nodes have slots and speeds; their tasks take the time that sim/engine/durations.h gives them.
 *
 * Nothing of scheduling is here: the core and the policy are the object code of the
 * ResourceManager. Virtual time is integer microseconds from 0. Events of equal time: ends of
 * tasks, submissions, timers of the core, heartbeats; then in the order in which they were made.
 * Equal configuration and seed give equal results and logs, byte by byte.
 * Nodes do not fail, tasks do not either; a task runs again only when it was killed.
 * Memory: O(nodes + tasks of jobs that are not finished). Several simulations may exist in one
 * process.
 * SOURCE of the model: Hadoop 1.0's JobTracker and TaskTracker (heartbeats that report and are
 * answered with work). */
#ifndef CREEL_SIM_ENGINE_SIM_H
#define CREEL_SIM_ENGINE_SIM_H

#include "base/error.h"
#include "policies/conf.h"
#include "rm/core/core.h"
#include "sim/engine/event_log.h"
#include "sim/engine/job.h"
#include "sim/engine/result.h"

#define SIM_HEARTBEAT_AUTO (-1) /* max(3 s, a second per started 100 nodes) */
#define SIM_HEARTBEAT_ZERO                                                                         \
    0 /* every node beats at every instant at which something happened: for exact oracles */
#define SIM_NODES_MAX      100000
#define SIM_NODE_SLOTS_MAX 1000     /* of one kind on one node */
#define SIM_SLOTS_MAX      10000000 /* in all */

/* ---------------------------------------------------------------- cluster */
struct sim_group { /* nodes alike */
    int32_t nodes, slots[BASE_TASK_KINDS];
    double speed; /* 1: nominal; a task takes base / speed */
};
struct sim_cluster {
    const struct sim_group *groups;
    size_t groups_n;
    int32_t racks;          /* node i is in rack i modulo racks; 0: 1 */
    int64_t heartbeat_us;   /* or one of SIM_HEARTBEAT_*; each node has a phase of its own in [0,
                               heartbeat), by seed */
    bool oob;               /* an extra heartbeat at the end of each task */
    const int32_t *rack_of; /* rack per node instead, 0..racks-1; NULL: as above */
};

/* ---------------------------------------------------------------- workload */
struct sim_workload {
    void *self;
    /* The next job, into @out (initialised by sim_job_init): 1. 0: no more. Negative with @err: the
     * run ends with it. In order of submit_us (asserted by an error). What hangs on @out becomes
     * the engine's. */
    int (*next)(void *self, struct sim_job *out, struct base_error *err);
    /* A job has ended (or was refused) at @now_us: may give a new one, submitted at once or at its
     * later submit_us.
     * True: *out was filled. Asked until it returns false. NULL: never. */
    bool (*at_end)(void *self, const struct sim_job_result *ended, int64_t now_us,
                   struct sim_job *out);
};

/* ---------------------------------------------------------------- configuration */
enum sim_progress {
    SIM_PROGRESS_AUTO,
    SIM_PROGRESS_OFF,
    SIM_PROGRESS_ON
}; /* AUTO: when the policy wants to know */

struct sim_alloc { /* the running attempts of a job changed */
    int64_t now_us;
    uint64_t job;
    const char *name, *pool, *class_name;
    enum base_task_kind kind;
    int32_t running; /* holding a slot of the kind, now */
};
struct sim_conf {
    const char *policy;                /* "fifo", ... */
    const struct policy_conf *options; /* those of sim/options.h; NULL: defaults */
    struct sim_cluster cluster;
    struct sim_workload workload;
    uint64_t seed;
    double slowstart; /* share of the maps that must be done before reduces start */
    int64_t swap_us;  /* a resumed attempt takes so much longer */
    enum sim_progress progress;
    bool true_work;  /* sum up what jobs will truly take: for results and the bound; on for policies
                        that need it */
    int64_t stop_us; /* ends the run there; 0: when all jobs have ended */
    int64_t stall_us;   /* an error when nothing ran and nothing was launched for so long; 0:
                           1,000,000 s */
    const char *queues; /* as rm_core_conf.queues; NULL: pools are made as jobs name them */
    /* Last word about the core's configuration before it is made (its queue tree, say); NULL:
     * none. */
    void (*adjust)(void *ctx, struct rm_core_conf *core);
    /* Called as it happens; NULL: not interested. */
    void (*on_job)(void *ctx, const struct sim_job_result *r); /* ended or refused */
    void (*on_alloc)(void *ctx, const struct sim_alloc *a);
    /* the core's notes to operators */
    void (*on_note)(void *ctx, int64_t now_us, int level, const char *text);
    /* Every so many events (about 100,000); false: stop, sim_run returns -BASE_ESTATE. */
    bool (*on_tick)(void *ctx, int64_t now_us, const struct sim_totals *so_far);
    void *ctx;
    struct sim_log *log; /* NULL: none */
};
/* Zero, and: fifo, seed 1, heartbeat AUTO, one rack, slowstart 0.05. */
void sim_conf_init(struct sim_conf *conf);

/* ---------------------------------------------------------------- run */
struct sim;

/* @conf is copied, what it points to must live as long as the simulation. NULL with @err
 * (-BASE_EINVAL, naming what is wrong): unknown policy, an impossible cluster. */
struct sim *sim_new(const struct sim_conf *conf, struct base_error *err);
/* Runs to the end. 0, or negative with @err: the workload's error, a job that cannot be (its name
 * and field), a policy under which nothing goes on (-BASE_ESTATE), the log's. */
int sim_run(struct sim *sim, struct base_error *err);
const struct sim_totals *sim_totals_peek(const struct sim *sim);
const struct rm_core *sim_core_peek(const struct sim *sim);
int64_t sim_now_us(const struct sim *sim);
int64_t sim_heartbeat_us(const struct sim *sim); /* as resolved */
void sim_free(struct sim *sim);

#endif

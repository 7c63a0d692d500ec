/* sim/engine/durations.h - how long a task takes, and where the splits of a job lie.
 *
 *     map    = base * noise / speed * f,  f = 1 with its data on the node, f_rack in the rack,
 *            f_off elsewhere
 *     reduce = base * noise / speed * f_colo, from its start or the end of the last map, whichever
 *     is later noise  = lognormal of mean 1 and coefficient of variation cv, drawn again until it
 *     lies in [1/3, 3]
 *
 * Times belong to (seed, job, kind, task) and places to (seed, file or job, split), by hashing:
 * every policy meets the same work, in whatever order it asks, and nothing is kept per task.
 * SOURCE: Zaharia et al., "Delay Scheduling", EuroSys 2010 (local maps up to twice as fast);
 * Shvachko et al., "The Hadoop Distributed File System", MSST 2010 (places of replicas). */
#ifndef CREEL_SIM_ENGINE_DURATIONS_H
#define CREEL_SIM_ENGINE_DURATIONS_H

#include "sim/engine/job.h"
#include "sim/engine/result.h"

struct sim_cost { /* of one job */
    uint64_t key[BASE_TASK_KINDS], place_key;
    double base_us[BASE_TASK_KINDS], mu[BASE_TASK_KINDS], sigma[BASE_TASK_KINDS];
    const int64_t *exact_us[BASE_TASK_KINDS]; /* borrowed from the job, NULL: none */
    double factor[SIM_LEVELS], f_colo;
};

/* @id: the job's, not 0. @one_rack: all nodes share one. @job's arrays are borrowed. */
void sim_cost_init(struct sim_cost *c, uint64_t seed, uint64_t id, const struct sim_job *job,
                   bool one_rack);
/* At speed 1, with its data on the node (a reduce: not co-located). At least 1. */
double sim_cost_plain_us(const struct sim_cost *c, enum base_task_kind kind, int32_t task);
int64_t sim_cost_map_us(const struct sim_cost *c, int32_t task, enum sim_level level, double speed);
int64_t sim_cost_reduce_us(const struct sim_cost *c, int32_t task, bool colocated, double speed);

/* ---------------------------------------------------------------- places */
struct sim_topology {
    int32_t nodes, racks;
    int32_t *rack_of; /* by node */
    int32_t *first;   /* by rack: its nodes are members[first[r] .. first[r + 1] - 1], in order */
    uint32_t *members;
};
/* @rack_of: NULL: node i is in rack i modulo @racks. Every value must lie in 0..racks-1. */
void sim_topology_init(struct sim_topology *t, int32_t nodes, int32_t racks,
                       const int32_t *rack_of);
void sim_topology_free(struct sim_topology *t);
/* Distinct nodes for the replicas of @split; returns how many, at most @replicas and the number of
 * nodes. One rack: at random. Several: one at random, the second in another rack, the third beside
 * the second, further ones at random. */
int32_t sim_place(const struct sim_topology *t, uint64_t place_key, int32_t split, int32_t replicas,
                  uint32_t out[SIM_REPLICAS_MAX]);

#endif

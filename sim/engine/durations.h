/* sim/engine/durations.h - how long a task takes, and where the splits of a job lie.
 *
 *     map    = base * noise / speed * f,  f = 1 with its data on the node, f_rack in the rack,
 *            f_off elsewhere
 *     reduce = base * noise / speed * f_colo, from its start or the end of the last map, whichever
 *              is later; f_colo = 1 unless it runs on the node of its job's only map
 *     noise  = lognormal of mean 1 and coefficient of variation cv, drawn again until it lies in
 *              [1/3, 3]; 1 after 64 draws
 *
 * noise is computed from a hash of (seed, job, kind, task), the places of a split from a hash of
 * (seed, file or job, split). So every policy gets the same work, in whatever order it launches
 * tasks, and nothing is stored per task. Exact durations of a job replace base * noise.
 * SOURCE: Zaharia et al., "Delay Scheduling", EuroSys 2010 (local maps up to twice as fast);
 * Shvachko et al., "The Hadoop Distributed File System", MSST 2010 (places of replicas). */
#ifndef CREEL_SIM_ENGINE_DURATIONS_H
#define CREEL_SIM_ENGINE_DURATIONS_H

#include "sim/engine/job.h"
#include "sim/engine/result.h"

struct sim_cost { /* what determines the durations of one job's tasks */
    uint64_t key[BASE_TASK_KINDS], place_key;
    double base_us[BASE_TASK_KINDS], mu[BASE_TASK_KINDS], sigma[BASE_TASK_KINDS];
    const int64_t *exact_us[BASE_TASK_KINDS]; /* borrowed from the job, NULL: none */
    double factor[SIM_LEVELS], f_colo;
};

/* @id: the number that the engine knows the job by (@job->id may be 0). @one_rack: all nodes are in
 * the same rack. The arrays of @job are borrowed: they must outlive @c. */
void sim_cost_init(struct sim_cost *c, uint64_t seed, uint64_t id, const struct sim_job *job,
                   bool one_rack);
/* Duration at speed 1, with the input on the node (a reduce: not on the node of its job's
 * only map). At least 1. */
double sim_cost_nominal_us(const struct sim_cost *c, enum base_task_kind kind, int32_t task);
/* Durations on a node of @speed, rounded up; at least 1. @level: where the map's input is.
 * @colocated: the reduce runs on the node of its job's only map. */
int64_t sim_cost_map_us(const struct sim_cost *c, int32_t task, enum sim_level level, double speed);
int64_t sim_cost_reduce_us(const struct sim_cost *c, int32_t task, bool colocated, double speed);

/* ---------------------------------------------------------------- places */
struct sim_topology {
    int32_t nodes, racks;
    int32_t *rack_of; /* by node */
    int32_t *first;   /* by rack: its nodes are members[first[r] .. first[r + 1] - 1], ascending */
    uint32_t *members;
};
/* @rack_of: NULL: node i is in rack i modulo @racks. Every value must lie in 0..racks-1. */
void sim_topology_init(struct sim_topology *t, int32_t nodes, int32_t racks,
                       const int32_t *rack_of);
void sim_topology_free(struct sim_topology *t);
/* Writes distinct nodes for the replicas of @split to @out and returns their number: @replicas, or
 * all nodes when there are fewer. In a cluster of one rack they are random; otherwise the first is
 * random, the second is in another rack, the third in the rack of the second (anywhere if that rack
 * has no other node), and the rest are random. @replicas: at most SIM_REPLICAS_MAX. */
int32_t sim_topology_place_replicas(const struct sim_topology *t, uint64_t place_key, int32_t split,
                                    int32_t replicas, uint32_t out[SIM_REPLICAS_MAX]);

#endif

/* sim/engine/bound.h - a lower bound of the mean sojourn that no policy can beat on a cluster.
 *
 * The largest of three relaxations: shortest remaining processing time on one machine as fast as
 * all map slots together with the map work alone; the same with reduces; and the mean over jobs of
 * longest map + longest reduce at the fastest node. Work is taken at local cost. SOURCE: Schrage,
 * "A proof of the optimality of the shortest remaining processing time discipline", Operations
 * Research 1968.
 * Cost: O(log jobs that are left) per job; memory O(jobs that are left). */
#ifndef CREEL_SIM_ENGINE_BOUND_H
#define CREEL_SIM_ENGINE_BOUND_H

#include <stddef.h>
#include <stdint.h>

#include "sim/engine/job.h"

struct sim_bound_machine {
    double speed, now_us, sum_us; /* sum of sojourns */
    struct sim_bound_job {
        double left_us, submit_us;
    } * v; /* heap, least left first */
    size_t n, cap;
};
struct sim_bound {
    struct sim_bound_machine machine[BASE_TASK_KINDS];
    double fastest, path_sum_us;
    int64_t jobs;
};
struct sim_bound_work { /* of one job */
    int64_t submit_us;
    double work_us[BASE_TASK_KINDS], longest_us[BASE_TASK_KINDS]; /* at speed 1 */
    int64_t fixed_us;                                             /* setup and cleanup */
};

/* @speed: sums of the speeds of all slots of a kind; @fastest: of the fastest node. */
void sim_bound_init(struct sim_bound *b, const double speed[BASE_TASK_KINDS], double fastest);
void sim_bound_add(struct sim_bound *b,
                   const struct sim_bound_work *w); /* in order of submission */
/* Runs the machines to their end. 0 without jobs. */
double sim_bound_mean_us(struct sim_bound *b);
void sim_bound_free(struct sim_bound *b);

#endif

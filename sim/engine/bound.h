/* sim/engine/bound.h - a lower bound on the mean sojourn on a cluster under any policy.
 *
 * The largest of three relaxations: the map work alone, run by shortest remaining processing time
 * on one machine as fast as all map slots together; the same for reduces; and the mean over jobs of
 * longest map + longest reduce on the fastest node + setup and cleanup. Each task counts with the
 * shortest duration that any placement of it allows.
 * SOURCE: Schrage, "A proof of the optimality of the shortest remaining processing time
 * discipline", Operations Research 1968. Cost: O(log jobs not yet finished) per job; memory O(jobs
 * not yet finished). */
#ifndef CREEL_SIM_ENGINE_BOUND_H
#define CREEL_SIM_ENGINE_BOUND_H

#include <stddef.h>
#include <stdint.h>

#include "sim/engine/job.h"

struct sim_bound_machine {
    double speed, now_us;
    double sum_us; /* of sojourns */
    struct sim_bound_job {
        double left_us, submit_us;
    } * v; /* heap; the job with the least work left is first */
    size_t n, cap;
};
struct sim_bound {
    struct sim_bound_machine machine[BASE_TASK_KINDS];
    double fastest, path_sum_us;
    int64_t jobs;
};
struct sim_bound_work { /* the work of one job */
    int64_t submit_us;
    double work_us[BASE_TASK_KINDS], longest_us[BASE_TASK_KINDS]; /* at speed 1 */
    int64_t fixed_us;                                             /* setup and cleanup */
};

/* @speed: for each kind the sum of the speeds of all its slots; @fastest: speed of the fastest
 * node. */
void sim_bound_init(struct sim_bound *b, const double speed[BASE_TASK_KINDS], double fastest);
/* Adds a job. Jobs must be added in order of submission. */
void sim_bound_add_job(struct sim_bound *b, const struct sim_bound_work *w);
/* Runs the machines until no work is left and returns the bound; 0 without jobs. Add no job
 * afterwards. */
double sim_bound_mean_us(struct sim_bound *b);
void sim_bound_free(struct sim_bound *b);

#endif

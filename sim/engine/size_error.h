/* sim/engine/size_error.h - experiments with wrong sizes: how well does a policy schedule when its
 * idea of the jobs' sizes is off by a random factor?
 *
 * The factor belongs to (seed, job, kind of task), so it does not depend on when the policy asks.
 * Only hfsp applies it, through size_factor in struct policy_env; other policies see true sizes.
 * SOURCE: Pastorelli et al., HFSP, arXiv:1302.2749, fig. 6 (uniform errors); Dell'Amico et al.,
 * "PSBS: Practical Size-Based Scheduling", arXiv:1410.6122 (log-normal errors). */
#ifndef CREEL_SIM_ENGINE_SIZE_ERROR_H
#define CREEL_SIM_ENGINE_SIZE_ERROR_H

#include <stdint.h>

#include "base/task_kind.h"
#include "policies/conf.h"

/* hfsp.error, hfsp.error_sigma, hfsp.error_seed: named for the policy whose paper has the
 * experiment. Ends with a NULL name. */
extern const struct policy_option sim_size_error_options[];

struct sim_size_error {
    double uniform; /* the factor is uniform in [1 - uniform, 1 + uniform]; 0: no such error */
    double sigma;   /* further factor: log-normal, median 1, this sigma; 0: no such error */
    uint64_t seed;
};

/* Reads the experiment's options out of @conf; NULL: the defaults, which leave sizes unchanged. */
struct sim_size_error sim_size_error_read(const struct policy_conf *conf);
/* The factor on the size of the tasks of @kind of application (@cluster_ts, @seq). */
double sim_size_error_factor(const struct sim_size_error *e, int64_t cluster_ts, int32_t seq,
                             enum base_task_kind kind);

#endif

/* sim/input/single_server.h - one server of unit speed: jobs of known size under FIFO, PS, LAS,
 * FSP, SRPT and PSBS, exactly.
 *
 * An event-by-event simulation of a single machine that works at rate 1. Sharing policies are
 * fluid: no time slices, no switching cost. The results are the yardstick for size-based
 * scheduling, and allow trying a trace before simulating a cluster.
 *
 *   fifo   only the earliest job, until it ends
 *   ps     every job at once, by weight (generalised processor sharing)
 *   las    the jobs with the least attained service, sharing equally; needs no sizes
 *   fsp    only the job that would end first under ps on the estimates. A job that has ended under
 *          that virtual ps but not on the server is late (possible only if its estimate or another
 *          job's was too small); late jobs come first, in the order of their virtual ends, and keep
 *          the server until they end
 *   srpt   only the job with the least estimated work left
 *   psbs   fsp, except that all late jobs share the server by weight
 *
 * SOURCE: FSP: Friedman and Henderson, "Fairness and efficiency in web server protocols",
 * SIGMETRICS 2003. Late jobs and psbs: Dell'Amico, Carra, Michiardi, "PSBS: practical size-based
 * scheduling", IEEE TC 2016 (arXiv:1410.6122), sections 4 and 5. A single machine as the yardstick:
 * Pastorelli et al., "HFSP", arXiv:1302.2749, section 2.
 *
 * Units: seconds and seconds of service, as double.
 *
 * Cost: O(n log n) time, O(n) memory, whatever the policy.
 *
 * Ties: earlier submission first, then lower index. A job of size 0 ends when the policy serves it:
 * at once, except under fifo, where it waits for the jobs before it, and under fsp, srpt and psbs
 * with wrong estimates. */
#ifndef CREEL_SIM_INPUT_SINGLE_SERVER_H
#define CREEL_SIM_INPUT_SINGLE_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum sim_single_policy {
    SIM_SINGLE_FIFO,
    SIM_SINGLE_PS,
    SIM_SINGLE_LAS,
    SIM_SINGLE_FSP,
    SIM_SINGLE_SRPT,
    SIM_SINGLE_PSBS,
    SIM_SINGLE_POLICIES
};
struct sim_single_job {
    double submit_s; /* finite, >= 0; any order */
    double size_s;   /* finite, >= 0 */
};

/* The name of @policy: "fifo", "ps", ... */
const char *sim_single_policy_name(enum sim_single_policy policy);
/* Finds the policy called @name. Returns 0, or -BASE_ENOTFOUND with the list of names. */
int sim_single_policy_find(const char *name, enum sim_single_policy *out, struct base_error *err);

/* Simulates @n jobs and sets finish_s[i] to the end time of job i. fsp, srpt and psbs decide by
 * @estimates_s (>= 0; NULL: the sizes). ps, fsp and psbs share by @weights (> 0; NULL: all 1). */
void sim_single_server_run(enum sim_single_policy policy, const struct sim_single_job *jobs,
                           size_t n, const double *estimates_s, const double *weights,
                           double *finish_s);

/* Scales all sizes so that their sum is @load (> 0) times the time of the last submission. Does
 * nothing if either the sum or that time is 0. */
void sim_single_scale_to_load(struct sim_single_job *jobs, size_t n, double load);
/* The size of a MapReduce job in bytes moved: input, output and five times the shuffle (1 + 4).
 * SOURCE: the trace reader of schedsim (Dell'Amico et al.), with four as its shuffle factor. */
double sim_single_bytes_moved(double input_bytes, double shuffle_bytes, double output_bytes);
/* Mean of finish minus submission; 0 without jobs. */
double sim_single_mean_sojourn(const struct sim_single_job *jobs, size_t n, const double *finish_s);

#endif

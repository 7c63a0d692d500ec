/* sim/input/single_server.h - one server of unit speed: jobs of known size under FIFO, PS, LAS, FSP, SRPT and PSBS, exactly.
 *
 * An event-by-event simulation of a single machine that serves jobs at rate 1. Sharing policies are fluid: no time
 * slice, no switching cost. It is the yardstick of size-based scheduling, and what traces are tried on before a cluster
 * is simulated.
 *
 *   fifo   the earliest job alone, until it ends
 *   ps     every job at once, by weight (generalised processor sharing)
 *   las    the jobs that have had least service, sharing equally; needs no size
 *   fsp    the job that would end first under ps on the estimates, alone; jobs that are over there but not really
 *          (late ones: only with estimates that were too small) come first, in the order in which they were over there,
 *          and keep the server until they end
 *   srpt   the job with least estimated work left, alone
 *   psbs   fsp, but all late jobs share the server by weight
 *
 * SOURCE: FSP: Friedman and Henderson, "Fairness and efficiency in web server protocols", SIGMETRICS 2003.
 *         Late jobs and psbs: Dell'Amico, Carra, Michiardi, "PSBS: practical size-based scheduling", IEEE TC 2016
 *         (arXiv:1410.6122), sections 4 and 5.
 *         A single machine as the yardstick: Pastorelli et al., "HFSP", arXiv:1302.2749, section 2.
 * Units:  seconds and seconds of service, as double; ends of runs of 1e5 jobs over days are good to 1e-9 s.
 * Cost:   O(n log n) time, O(n) memory, whatever the policy.
 * Ties:   earlier submission, then lower index. A job of size 0 ends when it is its turn: at once, but under fifo behind
 *         those before it. */
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

/* "fifo", "ps", ... */
const char *sim_single_name(enum sim_single_policy policy);
/* 0, or -BASE_ENOTFOUND with the names there are. */
int sim_single_find(const char *name, enum sim_single_policy *out, struct base_error *err);

/* Runs @n jobs; finish_s[i] is when job i ends. @estimates_s (>= 0; NULL: the sizes) are what fsp, srpt and psbs go by;
 * @weights (> 0; NULL: all 1) count under ps, fsp and psbs. */
void sim_single_run(enum sim_single_policy policy, const struct sim_single_job *jobs, size_t n,
                    const double *estimates_s, const double *weights, double *finish_s);

/* Scales the sizes so that the server is busy the fraction @load (> 0) of the time until the last submission:
 * size *= load * last submission / sum of sizes. Does nothing when either is 0. */
void sim_single_scale(struct sim_single_job *jobs, size_t n, double load);
/* The size of a MapReduce job in bytes moved: what is read, what is shuffled (written, read, moved, sorted: 1 + 4) and
 * what is written. SOURCE: the trace reader of schedsim (Dell'Amico et al.), with four as its shuffle factor. */
double sim_single_bytes(double input_bytes, double shuffle_bytes, double output_bytes);
/* Mean of finish - submission; 0 without jobs. */
double sim_single_mean_sojourn(const struct sim_single_job *jobs, size_t n, const double *finish_s);

#endif

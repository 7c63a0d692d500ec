/* sim/input/trace_swim.h - reads SWIM traces: one line per job, fields separated by tabs:
 *
 *     job id, submission (s), gap to the job before (s), map input, shuffle, reduce output (bytes)
 *     [, input path]
 *
 * SOURCE: Chen, Ganapathi, Griffith, Katz, "The case for evaluating MapReduce performance using
 * workload suites", MASCOTS 2011, and the tools of SWIM (SWIMProjectUCB/SWIM:
 * GenerateReplayScript).
 *
 * As in SWIM: a trace of @origin machines is scaled down to @target machines by multiplying bytes
 * by target/origin; a job with more than @target reduces gets target/5 reduces. Unlike SWIM: a job
 * without shuffle has no reduce (SWIM's replay gives it one); arrival times are the second column
 * (the replay sleeps for the gap after a job, which shifts every arrival by one). The trace has no
 * task counts or durations; they follow from struct sim_guess.
 *
 * A job's class is its size bin (sim_workload_size_bin()). */
#ifndef CREEL_SIM_INPUT_TRACE_SWIM_H
#define CREEL_SIM_INPUT_TRACE_SWIM_H

#include "sim/input/trace.h"

struct sim_swim {
    struct sim_trace *trace; /* borrowed */
    struct sim_guess guess;
    int32_t origin, target; /* machines; if either is 0, bytes are not scaled */
};
/* The number of machines of the traced cluster, derived from the file name: 600 for FB-2009*, 3000
 * for FB-2010*, otherwise 0. The folder part of @path is ignored. */
int32_t sim_swim_origin_machines(const char *path);
void sim_swim_init(struct sim_swim *r, struct sim_trace *trace, int32_t origin, int32_t target);
void sim_swim_set_target(struct sim_swim *r, int32_t target); /* replaces @target of init */
/* Reads the next line's job into @out (initialised by the caller). Returns 1, 0 at the end of the
 * file, or a negative error as in sim/input/trace.h. */
int sim_swim_next_job(struct sim_swim *r, struct sim_job *out, struct base_error *err);

#endif

/* sim/input/trace_swim.h - reads SWIM's traces: a line per job, tab-separated:
 *
 *     job id, submission (s), gap to the job before (s), map input, shuffle, reduce output (bytes) [, input path]
 *
 * SOURCE: Chen, Ganapathi, Griffith, Katz, "The case for evaluating MapReduce performance using workload suites",
 *         MASCOTS 2011, and the tools of SWIM (SWIMProjectUCB/SWIM: GenerateReplayScript).
 * From there: a trace of @origin machines is made smaller for @target ones by multiplying bytes by target/origin; more
 * reduces than machines become target/5. Not from there: a job without shuffle has no reduce (SWIM's replay gives it
 * one); arrivals are the second column (the replay sleeps the gap after a job, which shifts every arrival by one);
 * numbers of tasks and durations, which the trace does not have, are sim_guess's.
 * The class of a job is its bin by maps as in sim_workload_bin(). */
#ifndef CREEL_SIM_INPUT_TRACE_SWIM_H
#define CREEL_SIM_INPUT_TRACE_SWIM_H

#include "sim/input/trace.h"

struct sim_swim {
    struct sim_trace *trace; /* borrowed */
    struct sim_guess guess;
    int32_t origin, target; /* machines; either 0: bytes stay as they are */
};
/* Machines that a trace of this name is of: 600 for FB-2009*, 3000 for FB-2010*; 0: not known. Folders do not count. */
int32_t sim_swim_origin(const char *path);
void sim_swim_init(struct sim_swim *r, struct sim_trace *trace, int32_t origin, int32_t target);
void sim_swim_target(struct sim_swim *r, int32_t target); /* another one */
/* The job of the next line into @out (initialised): 1; at the end 0; negative as in sim/input/trace.h. */
int sim_swim_next(struct sim_swim *r, struct sim_job *out, struct base_error *err);

#endif

/* sim/input/trace_jsonl.h - reads jobs from JSON lines, one object per line. The job history of a
 * live cluster is written in this form (rm/jobs/ended_job.c).
 *
 *   {"version":1,"id":7,"name":"wc","pool":"root.etl","user":"ann","submit_s":12.5,"maps":3,
 *    "reduces":1,"map_durations_s":[25.1,24.8,26],"reduce_durations_s":[60.2]}
 *
 * Members:
 *   version          default 1; any other version is refused, since members may mean something else
 *   those of sim/input/trace_fields.h, as numbers, strings, true or false; map_expected_s and
 *                    reduce_expected_s may also be true; null counts as absent
 *   map_durations_s, reduce_durations_s   the duration of each task in order of task index. maps
 *                    and reduces may then be absent; map_s, map_cv and the like have no effect
 *   map_nodes        locations of the splits: for each map a list of node numbers; if one of the
 *                    lists is empty, no split has a location
 *   map_hosts        the same with host names, which the reader numbers in order of first
 *                    appearance; ignored if map_nodes is present
 *
 * Members that a history adds and the simulator ignores:
 *   app              the application id, as YARN prints it
 *   state            SUCCEEDED, FAILED or KILLED
 *   time_0_ms        the wall-clock time of submit_s = 0, in ms since the epoch; the same on every
 *                    line of an export
 *   start_s, finish_s   start of the first attempt and end of the job, on the time line of submit_s
 *   map_starts_s, reduce_starts_s   start of each task's successful attempt; 0: it has none
 *   map_ran_on, reduce_ran_on       node id of that attempt; null: the task has none
 *
 * Other members are refused, with the nearest known name if one is near: a misspelt member would
 * silently change the simulation.
 *
 * An export is written so that a replay does the same work. Jobs are sorted by submission, the
 * first at 0. A task's duration is that of its successful attempt without suspended time (for a
 * task without one: the mean of the others, or the expected duration). A reduce counts from its
 * start or the end of the job's last map, whichever was later; the simulator adds the wait before
 * that. f_rack and f_off are 1, because a measured map duration already includes reading its data
 * remotely. */
#ifndef CREEL_SIM_INPUT_TRACE_JSONL_H
#define CREEL_SIM_INPUT_TRACE_JSONL_H

#include "sim/input/trace.h"
#include "sim/input/trace_fields.h"

#define SIM_JSONL_VERSION 1

struct sim_jsonl {
    struct sim_trace *trace; /* borrowed */
    struct sim_hosts hosts;
    int32_t nodes; /* size of the simulated cluster; hosts are numbered modulo it. 0: no modulo */
};
void sim_jsonl_init(struct sim_jsonl *r, struct sim_trace *trace, int32_t nodes);
/* Reads the next line's job into @out (initialised by the caller). Returns 1, 0 at the end of the
 * file, or a negative error as in sim/input/trace.h. */
int sim_jsonl_next_job(struct sim_jsonl *r, struct sim_job *out, struct base_error *err);
void sim_jsonl_free(struct sim_jsonl *r);

#endif
